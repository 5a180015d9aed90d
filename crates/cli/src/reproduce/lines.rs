//! Verdicts as lines: one a claim for programs and files, folded where a terminal shows them.

use std::io::IsTerminal;

/// A terminal that is narrower is not folded for.
const NARROWEST: usize = 60;

/// Columns of the terminal that shows standard output, if one does.
pub fn columns() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let (width, _) = terminal_size::terminal_size()?;
    Some(usize::from(width.0)).filter(|columns| *columns >= NARROWEST)
}

/// `head`, behind it the claim and what was measured. Without a terminal all is one line; on one
/// both begin below each other, and lines break between words.
pub fn verdict(head: &str, claim: &str, measured: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else {
        return format!("{head}{claim}: {measured}");
    };
    let indent = head.chars().count();
    let width = columns.saturating_sub(indent).max(NARROWEST / 2);
    let mut lines = folded(claim, width);
    lines.extend(folded(measured, width));
    let blank = " ".repeat(indent);
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let before = if index == 0 { head } else { &blank };
        let end = if index + 1 == lines.len() { "" } else { "\n" };
        text += &format!("{before}{line}{end}");
    }
    text
}

/// Lines of at most so many columns, as far as words are not longer.
fn folded(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().map_or(0, |line| line.chars().count());
        match lines.last_mut() {
            Some(line) if last == 0 => line.push_str(word),
            Some(line) if last + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_a_line_or_folded() {
        let head = "agrees   kung1993.fig8  ";
        let claim = "VC2 never holds more than N2 + N3 = 165 cells in the switch of Figure 8";
        let line = verdict(head, claim, "76 <= 165", None);
        assert_eq!(line, format!("{head}{claim}: 76 <= 165"));
        let told = verdict(head, claim, "76 <= 165", Some(80));
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines.len(), 3, "{told}");
        assert!(
            lines.iter().all(|line| line.chars().count() <= 80),
            "{told}"
        );
        assert!(lines[0].starts_with(head), "{told}");
        assert_eq!(lines[2].trim(), "76 <= 165");
        assert!(
            lines[1..]
                .iter()
                .all(|line| line.starts_with(&" ".repeat(24)))
        );
        let words: Vec<&str> = told.split_whitespace().skip(2).collect();
        assert_eq!(
            words.join(" "),
            format!("{claim} 76 <= 165"),
            "no word is lost"
        );
    }
}
