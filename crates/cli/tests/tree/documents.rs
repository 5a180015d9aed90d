//! Documents say what the code does.

use crate::{files, hold};

const SECTIONS: &[&str] = &[
    "Scope and limits",
    "Design",
    "Settings",
    "Example",
    "Validation",
    "References",
];

#[test]
fn the_reference_is_what_the_code_says() {
    for (path, page) in backwater_scenario::reference_pages() {
        same(&format!("docs/{path}"), &page);
    }
}

#[test]
fn the_glossary_is_what_the_code_says() {
    let glossary = backwater_scenario::glossary_markdown();
    same("docs/glossary.md", &glossary);
    let pages = glossary.lines().filter_map(|line| {
        let (_, page) = line.strip_prefix("- More: ")?.split_once('(')?;
        Some(format!("docs/{}", page.trim_end_matches(')')))
    });
    let missing = pages.filter(|page| files::read(page).is_none());
    hold(missing.collect(), "name a page of docs/ in glossary.toml");
}

#[test]
fn the_schema_is_what_the_code_says() {
    same(
        "docs/schema.json",
        &format!("{:#}\n", backwater_scenario::json_schema()),
    );
}

fn same(path: &str, generated: &str) {
    let stored = files::read(path);
    hold(
        stored.map_or_else(
            || vec![format!("{path} is missing")],
            |stored| differences(path, &stored, generated),
        ),
        "`make docs`, and commit what it changed",
    );
}

/// The first line that differs.
fn differences(path: &str, stored: &str, generated: &str) -> Vec<String> {
    if stored == generated {
        return Vec::new();
    }
    let same = stored.lines().zip(generated.lines());
    let line = same.take_while(|(one, other)| one == other).count();
    let nth = |text: &str| text.lines().nth(line).unwrap_or("(end)").to_owned();
    vec![format!(
        "{path}:{}: the file says\n  {}\nand the code says\n  {}",
        line + 1,
        nth(stored),
        nth(generated)
    )]
}

#[test]
fn every_scheme_has_a_chapter() {
    let words = backwater_scenario::list();
    let schemes = words
        .iter()
        .find(|(group, _)| *group == "packet flow control");
    let (_, schemes) = schemes.expect("the language lists its schemes");
    assert!(schemes.len() > 1, "{schemes:?}");
    let complaints = schemes
        .iter()
        .filter_map(|(scheme, _)| chapter_of(scheme))
        .flat_map(|path| match files::read(&path) {
            Some(text) => missing_sections(&path, &text),
            None => vec![format!("{path} is missing")],
        });
    hold(
        complaints.collect(),
        "write the chapter with the headings Scope and limits, Design, Settings, Example, \
         Validation, References",
    );
}

#[test]
fn every_chapter_has_its_sections() {
    let mut chapters = files::ending(".md");
    chapters.retain(|file| file.path.starts_with("docs/schemes/"));
    assert!(!chapters.is_empty(), "no docs/schemes/*.md");
    let complaints = chapters
        .iter()
        .flat_map(|file| missing_sections(&file.path, &file.text));
    hold(complaints.collect(), "write what is missing");
}

/// Where the chapter of a scheme stands; two forms of one scheme share theirs.
fn chapter_of(scheme: &str) -> Option<String> {
    let name = scheme.trim_end_matches('+');
    (name != "none").then(|| format!("docs/schemes/{name}.md"))
}

/// A heading of this name, and text below it.
fn has_section(text: &str, section: &str) -> bool {
    let mut lines = text.lines().skip_while(|line| {
        let title = line.strip_prefix("## ").map(str::trim);
        title != Some(section)
    });
    let has_heading = lines.next().is_some();
    let mut body = lines.take_while(|line| !line.starts_with("## "));
    has_heading && body.any(|line| !line.trim().is_empty())
}

fn missing_sections(path: &str, text: &str) -> Vec<String> {
    let missing = SECTIONS
        .iter()
        .filter(|section| !has_section(text, section));
    missing
        .map(|section| format!("{path}: `## {section}` is missing or empty"))
        .collect()
}

#[test]
fn a_thin_chapter_is_seen() {
    let whole: Vec<String> = SECTIONS
        .iter()
        .map(|s| format!("## {s}\n\ntext\n\n"))
        .collect();
    assert_eq!(missing_sections("a", &whole.concat()), [""; 0]);
    assert_eq!(missing_sections("a", &whole[1..].concat()).len(), 1);
    assert_eq!(missing_sections("a", "").len(), SECTIONS.len());
    let empty = whole.concat().replace("## Design\n\ntext", "## Design\n");
    assert_eq!(
        missing_sections("a", &empty),
        ["a: `## Design` is missing or empty"]
    );
    assert_eq!(chapter_of("n123+"), chapter_of("n123"));
    assert_eq!(chapter_of("none"), None);
}

#[test]
fn a_stale_document_is_seen() {
    assert_eq!(differences("a", "x\ny\n", "x\ny\n"), [""; 0]);
    assert!(differences("a", "x\ny\n", "x\nz\n")[0].starts_with("a:2:"));
    assert!(differences("a", "x\n", "x\nz\n")[0].contains("(end)"));
}
