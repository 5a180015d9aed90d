//! The numbers that a file sets, for whoever offers to change them.

use serde::Serialize;

use crate::language::diagnostics::Diagnostics;
use crate::language::source::Source;
use crate::language::tree::{self, Node, Value};
use crate::sweep::overrides;

/// So many are told; a file of more is not changed number by number.
const MOST: usize = 200;

/// Words for people, which may begin with a digit.
const NAMES: [&str; 3] = ["title", "about", "name"];

/// A number of a file, with its unit if it has one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Setting {
    /// As `--set` names it: `flow_control.n3`, `flows.VC1.rate`.
    pub path: String,
    /// As the file says it: `155`, `"622 Mbps"`.
    pub value: String,
    /// Line of the value, from 1.
    pub line: usize,
    /// Column of its first character, from 1.
    pub column: usize,
}

/// All numbers that this text sets, in its order; none of lists of numbers.
pub fn settings(text: &str) -> Vec<Setting> {
    let mut mistakes = Diagnostics::new(vec![Source::new("", text)]);
    let root = tree::read_file(text, &mut mistakes);
    let mut found = Vec::new();
    collect(&root, &[], &mistakes, &mut found);
    found.sort_by_key(|setting| (setting.line, setting.column));
    found.truncate(MOST);
    found
}

fn collect(node: &Node, path: &[String], places: &Diagnostics, found: &mut Vec<Setting>) {
    let below = |name: String| [path, &[name]].concat();
    match &node.value {
        Value::Table(entries) => {
            for entry in entries.iter().filter(|entry| !NAMES.contains(&&*entry.key)) {
                collect(
                    &entry.node,
                    &below(overrides::quoted(&entry.key)),
                    places,
                    found,
                );
            }
        }
        Value::List(items) => {
            let tables = items.iter().enumerate();
            let tables = tables.filter(|(_, item)| matches!(item.value, Value::Table(_)));
            for (index, item) in tables {
                let name = match overrides::item_name(item) {
                    name if name.is_empty() || name == "*" => index.to_string(),
                    name => overrides::quoted(&name),
                };
                collect(item, &below(name), places, found);
            }
        }
        Value::Integer(..) | Value::Float(_) => found.extend(setting(node, path, places)),
        Value::Text(text) if text.starts_with(|first: char| first.is_ascii_digit()) => {
            found.extend(setting(node, path, places));
        }
        Value::Text(_) | Value::Bool(_) | Value::Date(_) => {}
    }
}

fn setting(node: &Node, path: &[String], places: &Diagnostics) -> Option<Setting> {
    let (_, line, column) = places.position(&node.at)?;
    Some(Setting {
        path: path.join("."),
        value: places.written(&node.at)?.to_owned(),
        line,
        column,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::source::Set;

    const TEXT: &str = r#"
title = "3 flows"
[run]
duration = "20000 cells"
seed = 7
[network]
hosts = ["A", "B"]
[[links]]
between = ["A", "B"]
rate = "155 Mbps"
[[flows]]
name = "to B.1"
traffic = { kind = "cbr", rate = "1 Mbps" }
[[series]]
measure = "queue"
every = 4
"#;

    #[test]
    fn the_numbers_of_a_file_have_paths_that_set_takes() {
        let found = settings(TEXT);
        let told: Vec<_> = found
            .iter()
            .map(|one| (&*one.path, &*one.value, one.line, one.column))
            .collect();
        assert_eq!(
            told,
            [
                ("run.duration", "\"20000 cells\"", 4, 12),
                ("run.seed", "7", 5, 8),
                ("links.A-B.rate", "\"155 Mbps\"", 10, 8),
                ("flows.\"to B.1\".traffic.rate", "\"1 Mbps\"", 13, 34),
                ("series.0.every", "4", 16, 9),
            ]
        );
        // Each leads back to its place: put there again, the file is as it was.
        let mut mistakes = Diagnostics::default();
        let mut root = tree::read_file(TEXT, &mut mistakes);
        let sets: Vec<Set> = found
            .iter()
            .map(|one| Set {
                key: one.path.clone(),
                value: "\"changed\"".into(),
            })
            .collect();
        overrides::put_all(&mut root, crate::given::root_of, &sets, &mut mistakes);
        assert!(mistakes.is_empty(), "{mistakes}");
        let mut left = Vec::new();
        collect(&root, &[], &mistakes, &mut left);
        assert_eq!(left, []);
    }

    #[test]
    fn a_file_of_very_many_numbers_tells_some_and_a_broken_one_what_is_whole() {
        let many: String = (0..300).map(|at| format!("k{at} = {at}\n")).collect();
        assert_eq!(settings(&many).len(), MOST);
        let broken = settings("a = 1\nb = = 2\n");
        assert!(broken.iter().any(|one| one.path == "a" && one.value == "1"));
    }
}
