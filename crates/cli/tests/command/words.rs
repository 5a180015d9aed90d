//! `explain`, `list`, `schema`, `reference`.

use crate::support::{backwater, folder};

#[test]
fn schemes_keys_and_claims_are_explained() {
    let here = folder("explain");
    let text = |word: &str| backwater(&here, &["explain", word]).expect(0).out;
    let scheme = text("n23");
    assert!(
        scheme.contains("n2 ") && scheme.contains("Kung 1993"),
        "{scheme}"
    );
    let key = text("flow_control.n3");
    for part in ["default", "allowed", "cells", "example"] {
        assert!(key.contains(part), "no {part} in: {key}");
    }
    let claim = text("kung1993.fig12.burst");
    assert!(
        claim.contains("61") && claim.contains("backwater reproduce"),
        "{claim}"
    );
}

#[test]
fn every_word_listed_is_explained() {
    let here = folder("list");
    let list = backwater(&here, &["list"]).expect(0).out;
    let words = list.lines().take_while(|line| *line != "papers:");
    let words = words.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let words: Vec<&str> = words
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(
        words.contains(&"n23") && words.contains(&"greedy"),
        "{words:?}"
    );
    assert!(list.contains("kung1993"), "{list}");
    for word in words {
        backwater(&here, &["explain", word]).expect(0);
    }
}

#[test]
fn an_unknown_word_brings_a_hint() {
    let here = folder("unknown");
    backwater(&here, &["explain", "nosuch"])
        .expect(2)
        .complains("`list`");
    let ran = backwater(&here, &["explain", "n24"]).expect(2);
    ran.complains("did you mean `n23`?");
}

#[test]
fn the_schema_is_json() {
    let text = backwater(&folder("schema"), &["schema"]).expect(0).out;
    let schema: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
    assert_eq!(schema["type"], "object");
    assert!(schema["properties"]["run"].is_object(), "{schema}");
}

#[test]
fn the_reference_is_markdown() {
    let text = backwater(&folder("reference"), &["reference"])
        .expect(0)
        .out;
    assert!(text.starts_with("# Scenario reference\n"));
    assert_eq!(text, scenario::reference_markdown());
}
