//! One noun, one meaning: docs/dev/names.md.

use crate::{files, hold};

const PAGE: &str = "docs/dev/names.md";

/// Types that say nothing, or that many things would be called.
const TYPES: &[&str] = &["Looks", "Seers", "Ears", "Ear", "Crate", "Flow", "Place"];

/// Such types that there still are, outside tests. May only fall.
const TYPES_LEFT: usize = 15;

/// Pronouns and participles: no names of values.
const PRONOUNS: &[&str] = &["found", "told", "own", "one"];

/// Values of such names that there still are, by crate. May only fall; a crate that is not here has
/// none.
const PRONOUNS_LEFT: &[(&str, usize)] = &[
    ("campaign", 17),
    ("derive", 12),
    ("net", 70),
    ("oracle", 37),
    ("papers", 70),
    ("playground", 3),
    ("python", 16),
    ("results", 37),
    ("run", 15),
    ("scenario", 171),
];

fn sources() -> Vec<files::TextFile> {
    let mut files = files::ending(".rs");
    files.retain(|file| {
        let is_source = file.path.starts_with("crates/") && file.path.contains("/src/");
        is_source && !file.path.contains("test")
    });
    files
}

#[test]
fn no_type_has_a_name_of_many() {
    let files = sources();
    let found = files
        .iter()
        .flat_map(|file| types(&file.path, &file.text))
        .collect::<Vec<_>>();
    held_to("types", TYPES_LEFT, &found);
}

/// No more than are left from before.
fn held_to(what: &str, left: usize, found: &[String]) {
    let complaint = (found.len() > left).then(|| {
        let all = found.join("\n");
        format!("{what}: {}, {left} may be left\n{all}", found.len())
    });
    let complaints = complaint.into_iter().collect();
    hold(
        complaints,
        "take a word of docs/dev/names.md for the newest",
    );
}

fn types(path: &str, text: &str) -> Vec<String> {
    let lines = (1..).zip(text.lines());
    let found = lines.filter_map(|(number, line)| {
        let words: Vec<&str> = line
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .collect();
        let at = words
            .iter()
            .position(|word| ["struct", "enum", "trait", "type"].contains(word))?;
        let name = words.get(at + 1)?;
        let is_type = !line.trim_start().starts_with("//") && TYPES.contains(name);
        is_type.then(|| format!("{path}:{number}: {name}"))
    });
    found.collect()
}

#[test]
fn values_are_called_by_what_they_are() {
    let mut crates: Vec<(String, Vec<String>)> = Vec::new();
    for file in sources() {
        let name = file.path.split('/').nth(1).unwrap_or_default().to_owned();
        let found = pronouns(&file.path, &file.text);
        match crates.iter_mut().find(|(known, _)| *known == name) {
            Some((_, all)) => all.extend(found),
            None => crates.push((name, found)),
        }
    }
    for (name, found) in crates {
        let left = PRONOUNS_LEFT.iter().find(|(known, _)| *known == name);
        held_to(&name, left.map_or(0, |(_, left)| *left), &found);
    }
}

fn pronouns(path: &str, text: &str) -> Vec<String> {
    let is_pronoun = |name: &str| PRONOUNS.contains(&name);
    // Tests within a file stand at its end.
    let lines = (1..).zip(text.lines().take_while(|line| *line != "#[cfg(test)]"));
    let found = lines.filter_map(|(number, line)| {
        let (_, after) = line.trim_start().split_once("let ")?;
        let after = after.trim_start().trim_start_matches("mut ");
        let name = after
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()?;
        let is_let = !line.trim_start().starts_with("//") && is_pronoun(name);
        is_let.then(|| format!("{path}:{number}: {name}"))
    });
    found.collect()
}

#[test]
fn the_page_gives_each_word_one_meaning() {
    let page = files::read(PAGE).unwrap_or_default();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let words: Vec<&str> = rows
        .filter_map(|row| row.split('|').nth(1))
        .flat_map(|cell| cell.split(','))
        .map(str::trim)
        .collect();
    assert!(words.len() > 20, "{words:?}");
    let twice = words
        .iter()
        .enumerate()
        .filter(|(at, word)| words[..*at].contains(word));
    let twice = twice.map(|(_, word)| format!("{PAGE}: {word} has two rows"));
    hold(twice.collect(), "one row a word");
    // What it calls a type is one.
    let named = page.split('`').skip(1).step_by(2);
    let named = named.filter(|name| name.chars().next().is_some_and(char::is_uppercase));
    let whole: String = sources().into_iter().map(|file| file.text).collect();
    let missing = named.filter(|name| !whole.contains(&format!(" {name}")));
    let missing = missing.map(|name| format!("{PAGE}: there is no type `{name}`"));
    hold(missing.collect(), "correct the page");
}

#[test]
fn names_that_say_nothing_are_seen() {
    assert_eq!(types("a", "pub struct Flow {").len(), 1);
    assert_eq!(types("a", "    enum Place {\ntype Crate = u8;").len(), 2);
    assert_eq!(types("a", "struct DrrFlow {\n// struct Flow"), [""; 0]);
    assert_eq!(pronouns("a", "let found = 1;\nif let own = x {").len(), 2);
    assert_eq!(
        pronouns("a", "let queue = |one| one;\n// let found"),
        [""; 0]
    );
}
