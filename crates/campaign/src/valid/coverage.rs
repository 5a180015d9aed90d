//! How much of the language occurred in scenarios that were accepted.

use std::collections::BTreeSet;

use backwater_scenario::reference::tables::{Section, roots, sections_below};
use serde_json::Value;

/// The name of a key, or of a word it holds.
fn name(engine: &str, section: &Section, key: &str, word: Option<&str>) -> String {
    let word = word.map_or_else(String::new, |word| format!(" = {word}"));
    format!("{engine} {} {key}{word}", section.name)
}

/// All that the language of an engine has.
pub fn all(engine: &str, root: &'static Section) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for section in sections_below(root) {
        for key in section.keys {
            all.insert(name(engine, section, key.name, None));
            if let Some(choices) = key.kind.choices()
                && key.name != "engine"
            {
                let words = choices.iter().map(|choice| Some(choice.name));
                all.extend(words.map(|word| name(engine, section, key.name, word)));
            }
        }
    }
    all
}

/// What a scenario has of it.
pub fn of(engine: &str, root: &'static Section, tree: &Value) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    walk(engine, root, tree, &mut seen);
    seen
}

fn walk(engine: &str, section: &'static Section, table: &Value, seen: &mut BTreeSet<String>) {
    for (key, value) in table.as_object().into_iter().flatten() {
        let Some(key) = section.key(key) else {
            continue;
        };
        seen.insert(name(engine, section, key.name, None));
        if let (Some(_), Some(word)) = (key.kind.choices(), value.as_str()) {
            seen.insert(name(engine, section, key.name, Some(word)));
        }
        let Some(below) = key.kind.section() else {
            continue;
        };
        match (value, key.kind.short_key()) {
            (Value::Array(items), _) => items
                .iter()
                .for_each(|item| walk(engine, below, item, seen)),
            (Value::Object(_), _) => walk(engine, below, value, seen),
            (_, Some(short)) => {
                seen.insert(name(engine, below, short.name, None));
                if let Some(word) = value.as_str() {
                    seen.insert(name(engine, below, short.name, Some(word)));
                }
            }
            _ => {}
        }
    }
}

/// Prints the share of the language that was seen, and what was not.
pub fn report(seen: &BTreeSet<String>, part: Option<&str>) {
    let wanted = |(engine, _): &(&str, &Section)| part.is_none_or(|part| part == *engine);
    for (engine, root) in roots().into_iter().filter(wanted) {
        let all = all(engine, root);
        let missing: Vec<&String> = all.difference(seen).collect();
        let hit = all.len() - missing.len();
        println!(
            "language of {engine}: {hit} of {} keys and words occurred, {:.1} %",
            all.len(),
            100.0 * hit as f64 / all.len() as f64
        );
        for name in missing {
            println!("  never: {name}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_and_words_are_seen() {
        let (engine, root) = roots()[1];
        assert_eq!(engine, "flit");
        let tree = json!({
            "traffic": { "pattern": "tornado", "flits": { "kind": "fixed", "length": 3 } },
            "classes": [{ "name": "a" }], "nothing": 1,
        });
        let seen = of(engine, root, &tree);
        for wanted in [
            "flit [traffic] pattern",
            "flit traffic.pattern kind = tornado",
            "flit traffic.flits length",
            "flit [[classes]] name",
        ] {
            assert!(seen.contains(wanted), "{wanted}: {seen:?}");
        }
        assert!(seen.is_subset(&all(engine, root)), "{seen:?}");
    }
}
