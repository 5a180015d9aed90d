//! What the texts of the glossary name in backticks, held against the language.

use crate::given;
use crate::language::table::{Key, Section};

/// What stands in backticks.
pub(super) fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn root_of(engine: &str) -> Option<&'static Section> {
    let mut roots = given::ROOTS.iter();
    match engine {
        "compare" => Some(given::COMPARISON),
        _ => roots
            .find(|(word, _)| *word == engine)
            .map(|(_, root)| *root),
    }
}

/// The key a path such as `router.vcs` names in files for this engine, and its section.
pub(super) fn key_of(name: &str, engine: &str) -> Option<(&'static Section, &'static Key)> {
    let path = name.split(" = ").next()?;
    let root = root_of(engine)?;
    let Some((table, key)) = path.rsplit_once('.') else {
        return root.key(path).map(|key| (root, key));
    };
    let sections = root.below();
    let mut named = sections
        .iter()
        .filter(|section| section.name.trim_matches(['[', ']']) == table);
    named.find_map(|section| section.key(key).map(|key| (*section, key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::kinds::{Clock, Cycles, Or};
    use crate::reference::glossary;

    const FILES: [&str; 4] = ["packet", "ethernet", "flit", "compare"];

    /// The words a value of this key may be.
    fn choices(key: &Key) -> Vec<&'static str> {
        if let Some(key) = key.kind.short_key() {
            return choices(key);
        }
        let or = key.kind.cast::<Or<Cycles>>().map(|or| or.0);
        let or = or.or(key.kind.cast::<Or<Clock>>().map(|or| or.0));
        let words = key.kind.choices().unwrap_or_default().iter();
        words.map(|choice| choice.name).chain(or).collect()
    }

    /// What is wrong with a name in a text for this engine: a table, a path, a path with a value, a
    /// word of a path that stands in the same text, or a command.
    fn fault(name: &str, text: &str, engine: &str) -> Option<String> {
        let is_known = match name.split_once(" = ") {
            _ if name.starts_with("backwater ") => true,
            _ if name.ends_with(".json") || name.ends_with(".html") || name == "A->B" => true,
            Some((path, value)) => key_of(path, engine).is_some_and(|(_, key)| {
                let word = value.trim_matches('"');
                let words = choices(key);
                words.is_empty() || words.contains(&word)
            }),
            None if name.starts_with('[') => {
                let root = root_of(engine)?;
                let sections = root.below();
                sections.iter().any(|section| section.name == name)
            }
            None => {
                let beside = quoted(text).into_iter();
                let keys = beside.filter_map(|other| key_of(other, engine));
                let mut words = keys.flat_map(|(_, key)| choices(key));
                // Times may be counted in these.
                let is_unit = name == "cells" && engine == "packet";
                is_unit || key_of(name, engine).is_some() || words.any(|word| word == name)
            }
        };
        (!is_known).then(|| format!("`{name}` is nothing in files of {engine}"))
    }

    /// A text for all engines, or on what is missing, may speak of any of them.
    fn faults(text: &str, engine: &str) -> Vec<String> {
        let engines: &[&str] = match engine {
            "all" | "no" => &FILES,
            _ => &[engine],
        };
        let names = quoted(text).into_iter();
        names
            .filter_map(|name| {
                let faults = engines.iter().map(|engine| fault(name, text, engine));
                faults.min()?
            })
            .collect()
    }

    #[test]
    fn all_that_is_named_exists() {
        let mut wrong = Vec::new();
        for word in glossary::words() {
            assert!(
                quoted(&word.is).is_empty(),
                "{}: say it below",
                word.title()
            );
            for (engine, text) in word.answers() {
                let found = faults(&text, engine).into_iter();
                wrong.extend(found.map(|fault| format!("{}: {fault}", word.title())));
            }
        }
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }

    #[test]
    fn what_does_not_exist_is_found_out() {
        let none: [String; 0] = [];
        assert_eq!(faults("`router.depth` or `[router]`", "flit"), none);
        assert_eq!(faults("`switch.spread = \"flows\"`", "ethernet"), none);
        assert_eq!(faults("`islip` of `router.allocator`", "flit"), none);
        assert_eq!(faults("`router.depth`", "all"), none);
        for (text, engine) in [
            ("`router.nosuch`", "flit"),
            ("`router.depth`", "ethernet"),
            ("`[nosuch]`", "packet"),
            ("`switch.spread = \"nosuch\"`", "ethernet"),
            ("`islip`", "flit"),
            ("`nosuch.depth`", "all"),
        ] {
            assert_eq!(faults(text, engine).len(), 1, "{text}");
        }
    }
}
