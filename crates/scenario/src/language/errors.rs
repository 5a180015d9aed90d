//! The kinds of mistakes, each with its code, what it is and what to do: `errors.toml`.
//!
//! `explain CODE` and `docs/errors.md` come from it. What a message says of one case stands where
//! the case is found.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::language::suggest;

/// A kind of mistake.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    /// What it is.
    is: String,
    /// What to do about it.
    fix: String,
}

/// Kinds by code.
type Kinds = BTreeMap<String, Kind>;

/// A test reads them, so at run time they can be read.
static KINDS: LazyLock<Kinds> = LazyLock::new(|| read().unwrap_or_default());

fn read() -> Result<Kinds, toml::de::Error> {
    toml::from_str(include_str!("errors.toml"))
}

/// Is it the code of a kind of mistake?
pub(crate) fn is_known(code: &str) -> bool {
    KINDS.contains_key(code)
}

/// All codes, in order.
pub fn error_codes() -> impl Iterator<Item = &'static str> {
    KINDS.keys().map(String::as_str)
}

/// Explains the code of an error or warning; `example` is how one is told.
pub fn explain_error(code: &str, example: Option<&str>) -> Option<String> {
    let kind = KINDS.get(code)?;
    let (is, fix) = (suggest::joined(&kind.is), suggest::joined(&kind.fix));
    let mut text = format!("{code} (in brackets after `error` or `warning`)\n  {is}\n\n");
    text.push_str(&format!("  what to do  {fix}\n"));
    if let Some(example) = example {
        text.push_str("\n  for example\n");
        for line in example.lines() {
            text.push_str(format!("    {line}").trim_end());
            text.push('\n');
        }
    }
    Some(text)
}

const INTRODUCTION: &str = "\
# Errors and warnings

<!-- Generated from errors.toml of the scenario crate and its wrong files; do not edit. -->

Each mistake in a scenario has a code, in brackets after `error` or `warning`. Codes do not change,
so scripts may look for them. An error stops a run before it starts, a warning does not. Examples
are what `backwater check` prints for the wrong files in `crates/scenario/tests/diagnostics`;
`backwater explain CODE` prints an entry of this page.
";

/// The index of all codes as Markdown; `example` gives how one of a kind is told.
pub fn errors_markdown(example: &dyn Fn(&str) -> Option<&'static str>) -> String {
    let mut page = INTRODUCTION.to_string();
    for (code, kind) in &*KINDS {
        let (is, fix) = (suggest::joined(&kind.is), suggest::joined(&kind.fix));
        page.push_str(&format!("\n## {code}\n\n{is}\n\n**What to do:** {fix}\n"));
        if let Some(example) = example(code) {
            page.push_str(&format!("\n```text\n{}\n```\n", example.trim_end()));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn sources() -> Vec<String> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        // What switches are configured by is checked in the layer of commands.
        let mut folders = vec![here.join("src"), here.join("../cli/src")];
        let mut files: Vec<PathBuf> = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("the sources") {
                let path = entry.expect("an entry").path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => files.push(path),
                }
            }
        }
        files.retain(|file| file.extension().is_some_and(|end| end == "rs"));
        let texts = files.iter().map(fs::read_to_string);
        texts.map(|text| text.expect("UTF-8")).collect()
    }

    /// The codes that this source makes mistakes of: the first text in a call that makes one, or
    /// what a field `code` is.
    fn codes(source: &str) -> Vec<&str> {
        let calls = ["::error(", "::warning(", "::error_unless(", "code: \""];
        let ends = |call: &'static str| {
            let name = call.trim_end_matches('"');
            let found = source.match_indices(call);
            found.map(move |(at, _)| (name, at + name.len()))
        };
        let firsts = calls.into_iter().flat_map(ends).filter_map(|(name, at)| {
            let call = &source[at..];
            // A condition before the code may be a call of its own.
            let end = match name.contains("unless") {
                true => call.find(';'),
                false => call.find([';', ')']),
            };
            call[..end.unwrap_or(call.len())].split('"').nth(1)
        });
        let is_code = |text: &&str| {
            let letters = |c: char| c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit();
            !text.is_empty() && text.chars().all(letters)
        };
        firsts.filter(is_code).collect()
    }

    #[test]
    fn every_code_in_use_is_explained_and_every_other_gone() {
        let sources = sources();
        let used: BTreeSet<&str> = sources.iter().flat_map(|source| codes(source)).collect();
        let known: BTreeSet<&str> = error_codes().collect();
        let missing: Vec<_> = used.difference(&known).collect();
        assert!(missing.is_empty(), "not in errors.toml: {missing:?}");
        let gone: Vec<_> = known.difference(&used).collect();
        assert!(gone.is_empty(), "in errors.toml and not in use: {gone:?}");
    }

    #[test]
    fn codes_are_found_in_sources() {
        let found = codes("Diagnostic::error(\"bad-a\", format!(..)); code: \"bad-b\", x");
        assert_eq!(found, ["bad-a", "bad-b"]);
        let found = codes("Diagnostic::error_unless(\n meant,\n \"bad-c\", y)");
        assert!(found.contains(&"bad-c"), "{found:?}");
        assert!(codes("Diagnostic::error(code, \"Some text\")").is_empty());
    }

    #[test]
    fn each_says_what_it_is_and_what_to_do() {
        for (code, kind) in &*KINDS {
            for text in [&kind.is, &kind.fix] {
                let text = suggest::joined(text);
                assert!(text.len() >= 10 && text.ends_with('.'), "{code}: {text}");
            }
        }
        let text = explain_error("bad-link", Some("how it is told")).expect("a code");
        assert!(text.contains("what to do") && text.contains("how it is told"));
        assert_eq!(explain_error("no-such-code", None), None);
    }
}
