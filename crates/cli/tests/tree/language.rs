//! The scenario language is read as types: no key is fetched by a string, no word falls through.

use crate::files::{self, TextFile};
use crate::hold;

const CRATE: &str = "crates/scenario/src/";
/// What reads a file, describes the language or writes it out: it works on any table.
const READERS: &[&str] = &[
    "language/diagnostics.rs",
    "language/kinds/",
    "language/reader/",
    "language/record.rs",
    "language/resolved.rs",
    "language/tree.rs",
    "language/typed.rs",
    "language/units.rs",
    "reference/glossary.rs",
    "reference/glossary/",
    "reference/schema.rs",
    "sweep/overrides.rs",
];
/// Ways to fetch a value of a record by the name of its key.
const FETCHES: &[&str] = &[
    "at", "count", "datum", "decimal", "duration", "field", "given", "list", "mentions", "rate",
    "record", "records", "rows", "share", "span", "text", "time", "truth", "whole", "wholes",
    "word",
];

#[test]
fn keys_are_fields() {
    hold(
        builders()
            .flat_map(|file| complaints(&file.path, fetches(&file.text)))
            .collect(),
        "make the key a field of its table in `given/` and read the field",
    );
}

#[test]
fn words_are_variants() {
    hold(
        builders()
            .flat_map(|file| complaints(&file.path, arms(&file.text)))
            .collect(),
        "match on the enum of the words, without `_`, so that a new word does not compile unbuilt",
    );
}

#[test]
fn a_fetch_and_a_word_are_seen() {
    let text = "let n2 = record.count(\"n2\").unwrap_or(10);\n// record.count(\"n2\")\n";
    assert_eq!(fetches(text), [1]);
    assert_eq!(
        fetches("let n2 = list.count();\nlayers\n    .at(\"n2\")\n"),
        [3]
    );
    let text = "match word {\n    \"drr\" => 1,\n    \"n23\" | \"n123\" => 2,\n    _ => 3,\n}\n";
    assert_eq!(arms(text), [2, 3]);
    assert_eq!(arms("    \"drr\", // => 1\n"), [0; 0]);
}

fn builders() -> impl Iterator<Item = TextFile> {
    files::ending(".rs").into_iter().filter(|file| {
        let Some(name) = file.path.strip_prefix(CRATE) else {
            return false;
        };
        !READERS.iter().any(|reader| name.starts_with(reader)) && !name.ends_with("tests.rs")
    })
}

fn complaints(path: &str, lines: Vec<usize>) -> Vec<String> {
    lines.iter().map(|line| format!("{path}:{line}")).collect()
}

/// Lines that fetch a value by the name of its key.
fn fetches(text: &str) -> Vec<usize> {
    let is_fetch = |line: &str| {
        let mut ways = FETCHES.iter();
        ways.any(|way| line.contains(&format!(".{way}(\"")))
    };
    numbers(text, is_fetch)
}

/// Lines that are arms of a match over words.
fn arms(text: &str) -> Vec<usize> {
    let is_arm = |line: &str| {
        let line = line.trim_start();
        let starts = line.starts_with('"') || line.starts_with("| \"");
        starts && (line.contains("\" =>") || line.contains("\" | \"") || line.ends_with("\" |"))
    };
    numbers(text, is_arm)
}

fn numbers(text: &str, is_meant: impl Fn(&str) -> bool) -> Vec<usize> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().enumerate();
    let meant = lines.filter(|(_, line)| !line.trim_start().starts_with("//") && is_meant(line));
    meant.map(|(index, _)| index + 1).collect()
}
