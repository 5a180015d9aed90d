//! Names of queues, ports, nodes and flows as people type them.

use backwater_scenario::nearest;

/// Names shown where one is not known.
const SHOWN: usize = 6;

/// What names may be of.
pub const ANY: &str = "port, node or flow";

/// The known names, of this kind, that `text` stands for: the one, or with `*` and `?` those that
/// fit.
///
/// # Errors
/// If there is none: those that may have been meant.
pub fn find(kind: &str, text: &str, known: &[String]) -> Result<Vec<String>, String> {
    let wanted = plain(text);
    let is_pattern = wanted.contains(['*', '?']);
    let fits = |name: &&String| match is_pattern {
        true => is_match(wanted.as_bytes(), plain(name).as_bytes()),
        false => plain(name) == wanted,
    };
    let fitting: Vec<String> = known.iter().filter(fits).cloned().collect();
    match fitting.is_empty() {
        false => Ok(fitting),
        true => Err(unknown(kind, text, &wanted, known)),
    }
}

fn unknown(kind: &str, text: &str, wanted: &str, known: &[String]) -> String {
    let lower = wanted.to_lowercase();
    let has = |name: &&String| !lower.is_empty() && plain(name).to_lowercase().contains(&lower);
    let mut near: Vec<&str> = known
        .iter()
        .filter(has)
        .take(SHOWN)
        .map(String::as_str)
        .collect();
    near.extend(nearest(text, known.iter().map(String::as_str)));
    near.dedup();
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    let hint = match near.is_empty() {
        false => format!("did you mean {}?", near.join(", ")),
        true => {
            let some = known.iter().take(SHOWN).map(|name| format!("`{name}`"));
            let some: Vec<String> = some.collect();
            let more = known.len().saturating_sub(SHOWN);
            let rest = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            format!("there are {}{rest}", some.join(", "))
        }
    };
    format!("no {kind} is called `{text}`: {hint}")
}

/// Without what people leave out: spaces around `->` and after a comma, and quotes.
fn plain(text: &str) -> String {
    let text = text.trim().trim_matches(['`', '"', '\'']);
    let mut plain = text
        .replace(" -> ", "->")
        .replace("-> ", "->")
        .replace(" ->", "->");
    plain = plain.replace(", ", ",");
    plain
}

/// Does `name` fit? `*` stands for anything, `?` for one letter.
fn is_match(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut begin) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while begin < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, begin));
                at += 1;
            }
            Some(letter) if *letter == b'?' || *letter == name[begin] => {
                (at, begin) = (at + 1, begin + 1);
            }
            _ => {
                let Some((back, from)) = star else {
                    return false;
                };
                star = Some((back, from + 1));
                (at, begin) = (back + 1, from + 1);
            }
        }
    }
    pattern[at..].iter().all(|letter| *letter == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<String> {
        ["A", "B1", "B2", "A -> S", "S -> B1", "to slow"]
            .map(str::to_owned)
            .into()
    }

    #[test]
    fn names_are_found_as_they_are_typed() {
        let find = |text: &str| find(ANY, text, &known()).unwrap_or_default();
        assert_eq!(find("A"), ["A"]);
        assert_eq!(find("A->S"), ["A -> S"]);
        assert_eq!(find("`to slow`"), ["to slow"]);
        assert_eq!(find("B*"), ["B1", "B2"]);
        assert_eq!(find("*->B?"), ["S -> B1"]);
    }

    #[test]
    fn near_names_are_told() {
        let told = |text: &str| find(ANY, text, &known()).err().unwrap_or_default();
        assert!(
            told("too slow").contains("did you mean `to slow`?"),
            "{}",
            told("too slow")
        );
        assert!(told("slow").contains("`to slow`"));
        assert!(
            told("xyz").contains("there are `A`, `B1`"),
            "{}",
            told("xyz")
        );
        assert!(told("Z*").contains("no port, node or flow is called `Z*`"));
    }
}
