//! `docs/glossary.md`.

use super::{Word, groups};
use crate::language::suggest::joined;

const INTRODUCTION: &str = "\
# Glossary

<!-- Generated from crates/scenario/src/reference/glossary.toml; do not edit. -->

Words of the field, and what backwater has for each. `backwater explain WORD` prints an entry, and
a scenario that uses such a word where ours has another name is answered with it. Our own words,
with units, ranges and defaults: the [reference](reference.md).
";

/// The page, as Markdown.
pub fn glossary_markdown() -> String {
    let mut page = INTRODUCTION.to_string();
    for (title, words) in groups() {
        page.push_str(&format!("\n## {title}\n"));
        for word in words {
            page.push_str(&entry(word));
        }
    }
    page
}

fn entry(word: &Word) -> String {
    let mut text = format!("\n### {}\n\n", word.title());
    text.push_str(&joined(&word.is));
    text.push_str("\n\n");
    for (engine, answer) in word.answers() {
        let label = match engine {
            "all" => "In all engines",
            "packet" => "Packet engine",
            "ethernet" => "Ethernet engine",
            "flit" => "Flit engine",
            "compare" => "Comparison",
            _ => "Not here",
        };
        text.push_str(&format!("- {label}: {answer}\n"));
    }
    if let Some(page) = &word.page {
        text.push_str(&format!("- More: [{page}]({page})\n"));
    }
    let others = &word.names[1..];
    if !others.is_empty() {
        text.push_str(&format!("\nAlso: {}.\n", others.join(", ")));
    }
    text
}
