//! What depends on the variant of a scheme is asked of the scheme, in an exhaustive match beside
//! it: so the compiler leads whoever adds a variant to each place.
//!
//! Counted is, outside the file of the enum, a `_` after an arm that names one of its variants, and
//! a comparison (`==`, `!=`, `matches!`) with one.

use std::collections::BTreeMap;

use crate::circles::paths;
use crate::files::{self, TextFile};
use crate::hold;

/// Enums with how many matches have a `_`, and how many comparisons there are. Never raise a
/// number; lower what has fallen.
const LISTED: &[(&str, usize, usize)] = &[
    ("SchedulerSpec", 7, 2),
    ("TrafficSpec", 32, 25),
    ("SourceControlSpec", 9, 19),
    ("TransportSpec", 0, 2),
    ("CreditRule", 1, 8),
    ("Shape", 8, 2),
    ("Select", 0, 0),
];

/// Matches with a `_`, and comparisons.
type Counts = BTreeMap<&'static str, [Vec<String>; 2]>;

#[test]
fn variants_are_asked_where_they_stand() {
    let mut counts = Counts::new();
    for file in files::ending(".rs") {
        let parts: Vec<&str> = file.path.split('/').collect();
        if let ["crates", name, "src", ..] = parts[..]
            && name != "oracle"
        {
            count(&file, &mut counts);
        }
    }
    let complaints = LISTED.iter().filter_map(|(name, arms, comparisons)| {
        let found = counts.get(name).cloned().unwrap_or_default();
        let is = found.each_ref().map(Vec::len);
        (is[0] > *arms || is[1] > *comparisons).then(|| {
            format!(
                "{name}: {} matches with `_` ({arms} allowed), {} comparisons ({comparisons} \
                 allowed): {}",
                is[0],
                is[1],
                found.concat().join(", ")
            )
        })
    });
    hold(
        complaints.collect(),
        "name all variants, or ask a property of the enum, in an exhaustive match beside it; a \
         number in LISTED may only go down",
    );
}

fn count(file: &TextFile, counts: &mut Counts) {
    let signs = paths::signs(&file.text);
    let is = |at: usize, text: &str| signs.get(at).is_some_and(|sign| sign == text);
    for (name, ..) in LISTED {
        let is_named = |at: usize| is(at, name) && is(at + 1, "::");
        if (0..signs.len()).any(|at| is(at, "enum") && is(at + 1, name)) {
            continue;
        }
        for at in 0..signs.len() {
            let [silent, compared] = counts.entry(name).or_default();
            if is(at, "match") && is_silent(&signs, at, &is_named) {
                silent.push(file.path.clone());
            }
            let equals = is(at + 1, "=") && (is(at, "=") || is(at, "!"));
            let matches = is(at, "matches") && is(at + 1, "!");
            let end = at + 2;
            let is_compared =
                (equals && is_named(end)) || (matches && (end..closing(&signs, end)).any(is_named));
            if is_compared {
                compared.push(file.path.clone());
            }
        }
    }
}

/// Does the match at `at` name a variant in an arm and have an arm `_`?
fn is_silent(signs: &[String], at: usize, is_named: &dyn Fn(usize) -> bool) -> bool {
    let mut depth = 0_usize;
    let open = (at + 1..signs.len()).find(|at| {
        match signs[*at].as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "{" => return depth == 0,
            _ => {}
        }
        false
    });
    let Some(open) = open else { return false };
    let end = closing(signs, open);
    let (mut named, mut silent, mut depth, mut in_pattern) = (false, false, 0_usize, true);
    for at in open..end {
        let sign = signs[at].as_str();
        match sign {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                // An arm's block ends the arm.
                in_pattern |= depth == 1 && sign == "}" && !in_pattern;
            }
            "=" if depth == 1 && signs.get(at + 1).is_some_and(|next| next == ">") => {
                in_pattern = false;
            }
            "," if depth == 1 => in_pattern = true,
            "_" if depth == 1 && in_pattern => silent = true,
            _ => {}
        }
        named |= in_pattern && is_named(at);
    }
    named && silent
}

/// After what closes the bracket at `open`.
fn closing(signs: &[String], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, sign) in signs.iter().enumerate().skip(open) {
        match sign.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 1 => return at + 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    signs.len()
}

#[test]
fn silent_arms_and_comparisons_are_found() {
    let of = |text: &str| {
        let mut counts = Counts::new();
        let file = TextFile {
            path: "x.rs".into(),
            text: text.into(),
        };
        count(&file, &mut counts);
        let found = counts.remove("Shape").unwrap_or_default();
        found.map(|places| places.len())
    };
    let matched = |arms: &str| format!("fn f() {{ match x {{ {arms} }} }}");
    assert_eq!(of(&matched("Shape::Mesh { .. } => 1, _ => 2,")), [1, 0]);
    assert_eq!(of(&matched("a::Shape::Mesh => { g(); } _ => 2,")), [1, 0]);
    assert_eq!(of(&matched("Shape::Mesh => 1, Shape::Fly => 2,")), [0, 0]);
    assert_eq!(of(&matched("1 => Shape::Mesh, _ => Shape::Fly,")), [0, 0]);
    assert_eq!(of("if a == Shape::Mesh || b != Shape::Fly {}"), [0, 2]);
    assert_eq!(of("matches!(a, Shape::Mesh { .. })"), [0, 1]);
    assert_eq!(
        of("enum Shape { Mesh } fn f() { a == Shape::Mesh }"),
        [0, 0]
    );
    assert_eq!(
        of("#[cfg(test)] mod tests { fn f() { a == Shape::Mesh; } }"),
        [0, 0]
    );
}
