//! Lines of a terminal.

use backwater_kernel::words::{counted, is_unprintable};

/// Letters of a name shown.
const NAME: usize = 24;

/// Lines of a terminal. Names come from files: they must not move the cursor or start a line of
/// their own.
pub fn printable(lines: &[String]) -> String {
    let clean = |line: &String| {
        line.chars()
            .filter(|c| !is_unprintable(*c))
            .collect::<String>()
    };
    lines.iter().map(|line| clean(line) + "\n").collect()
}

/// `... and 3 more ports`, where that many are not shown.
pub fn rest(count: usize, shown: usize, what: &str) -> Option<String> {
    let rest = count.saturating_sub(shown);
    (rest > 0).then(|| format!("... and {}", counted(rest, &format!("more {what}"))))
}

/// The first of these, and how many there are more, behind words such as ` and `.
pub fn listed(
    all: &[impl AsRef<str>],
    most: usize,
    [between, and]: [&str; 2],
    what: &str,
) -> String {
    let first = all.iter().take(most).map(AsRef::as_ref);
    let first = first.collect::<Vec<&str>>().join(between);
    match all.len().saturating_sub(most) {
        0 => first,
        more => format!("{first}{and}{}", counted(more, &format!("more {what}"))),
    }
}

/// A line for each of the first of these, and how many more there are; each behind `indent`.
pub fn first_of<T>(
    all: &[T],
    most: usize,
    (indent, what): (&str, &str),
    line: impl Fn(&T) -> String,
) -> Vec<String> {
    let lines = all.iter().take(most).map(line);
    let lines = lines.chain(rest(all.len(), most, what));
    lines.map(|line| format!("{indent}{line}")).collect()
}

/// So many promises that were broken, and the first of them, a line each: when, and what.
pub fn broken(
    count: u64,
    first: impl Iterator<Item = (String, impl std::fmt::Display)>,
) -> Vec<String> {
    if count == 0 {
        return Vec::new();
    }
    let head = format!("{} broken, first:", counted(count, "promise"));
    let first = first.map(|(at, what)| format!("  at {at}: {what}"));
    std::iter::once(head).chain(first).collect()
}

/// Printable, on one line, at most [`NAME`] letters.
pub fn shortened(name: &str) -> String {
    let clean: String = name
        .chars()
        .filter(|letter| !is_unprintable(*letter))
        .collect();
    cut(&clean, NAME)
}

/// A name of at most so many letters, with an ellipsis in its middle where it was longer.
pub fn cut(name: &str, letters: usize) -> String {
    let all: Vec<char> = name.chars().collect();
    if all.len() <= letters {
        return name.into();
    }
    // A port is told by both its ends.
    for arrow in [" → ", " -> "] {
        if let Some((from, to)) = name.split_once(arrow) {
            let room = letters.saturating_sub(arrow.chars().count());
            // What one end does not need the other has.
            let [first, second] = [from, to].map(|end| end.chars().count());
            let first = (room / 2).max(room.saturating_sub(second)).min(first);
            return format!("{}{arrow}{}", cut(from, first), cut(to, room - first));
        }
    }
    // Names of one kind begin alike and are told apart by their ends.
    let kept = letters.saturating_sub(1);
    let (first, last) = (kept.div_ceil(2), kept / 2);
    let (start, end) = (&all[..first], &all[all.len() - last..]);
    start.iter().chain(&['…']).chain(end).collect()
}

/// Words in lines of at most so many letters; a longer word has a line of its own.
pub fn wrapped(text: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < letters => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// ` 3 of 9 ports are drawn, the largest.`, where not all are.
pub fn left_out(all: usize, most: usize, what: &str, which: &str) -> String {
    match all > most {
        true => format!(" {most} of {all} {what} are drawn, {which}."),
        false => String::new(),
    }
}

/// First column to the left, the others to the right.
pub fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    rows.iter()
        .map(|row| {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let pad = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
                if column == 0 {
                    line.push_str(cell);
                    line.push_str(&pad);
                } else {
                    line.push_str("  ");
                    line.push_str(&pad);
                    line.push_str(cell);
                }
            }
            line
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_in_the_middle() {
        assert_eq!(cut("port-7", 6), "port-7");
        assert_eq!(cut("the-first-switch-port-7", 11), "the-f…ort-7");
        assert_eq!(cut("abcdef", 4), "ab…f");
        assert_eq!(cut("ab", 0), "…");
        let port = "sender-in-the-north-1 -> switch-in-the-middle-2";
        assert_eq!(cut(port, 22), "send…th-1 -> swit…le-2");
        assert_eq!(
            cut("H2_1 -> L2, class 3 of 8", 22),
            "H2_1 -> L2, cla…3 of 8"
        );
        assert_eq!(cut("H2_1 -> L2, class 3", 19), "H2_1 -> L2, class 3");
    }

    #[test]
    fn words_are_wrapped() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("enormous is", 3), ["enormous", "is"]);
        assert_eq!(wrapped("", 3), [""]);
    }

    #[test]
    fn what_is_left_out_is_counted() {
        assert_eq!(left_out(9, 9, "ports", "the fullest"), "");
        let told = " 3 of 9 ports are drawn, the fullest.";
        assert_eq!(left_out(9, 3, "ports", "the fullest"), told);
    }
}
