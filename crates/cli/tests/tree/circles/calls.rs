//! Methods of a type that stands in several files do not call each other round in ever larger
//! circles.
//!
//! An arrow leads from a file to another that defines a method which it calls, if the type of the
//! method has methods in several files and the name stands in one of them alone. A circle is no
//! complaint by itself: an event engine is one. But it may only shrink: what a scheme answers, the
//! hop may act upon, so that the scheme calls nobody.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{self, Arrows};
use super::paths;
use crate::files::{self, TextFile};
use crate::hold;

/// Crates with such a circle, and how many files it has. Never raise it; lower what has fallen.
const LARGEST: &[(&str, usize)] = &[
    ("cli", 2),
    ("ends", 2),
    ("flit", 5),
    ("kernel", 2),
    ("net", 39),
    ("oracle", 10),
    ("papers", 2),
    ("results", 15),
    ("scenario", 14),
];

#[test]
fn circles_of_calls_only_shrink() {
    let mut crates: BTreeMap<String, Vec<TextFile>> = BTreeMap::new();
    for file in files::ending(".rs") {
        let parts: Vec<&str> = file.path.split('/').collect();
        if let ["crates", name, "src", ..] = parts[..] {
            crates.entry(name.to_owned()).or_default().push(file);
        }
    }
    let complaints = crates.iter().filter_map(|(name, files)| {
        let circle = largest(files);
        let known = LARGEST.iter().find(|(known, _)| known == name);
        let known = known.map_or(0, |(_, size)| *size);
        (circle.len() > known).then(|| {
            format!(
                "{name}: {} files call each other's methods round, {known} are allowed: {}",
                circle.len(),
                circle.join(", ")
            )
        })
    });
    hold(
        complaints.collect(),
        "let the new method answer, and the one that asked act on it; a size in LARGEST may only \
         go down",
    );
}

/// The files of the largest circle; none if there is none.
fn largest(files: &[TextFile]) -> Vec<String> {
    let read = files.iter().filter(|file| !file.path.contains("/tests"));
    let read: Vec<(&str, Vec<String>)> = read
        .map(|file| (&file.path[..], paths::signs(&file.text)))
        .collect();
    // By type and method: where it stands.
    let mut types: BTreeMap<String, BTreeMap<String, BTreeSet<&str>>> = BTreeMap::new();
    for (path, signs) in &read {
        for (of, method) in methods(signs) {
            let known = types.entry(of).or_default();
            known.entry(method).or_default().insert(path);
        }
    }
    types.retain(|_, methods| {
        let all: BTreeSet<&str> = methods.values().flatten().copied().collect();
        all.len() > 1
    });
    let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, files) in types.values().flatten() {
        places.entry(name).or_default().extend(files);
    }
    let mut arrows = Arrows::new();
    for (path, signs) in &read {
        for name in calls(signs) {
            let defined = places.get(name).filter(|files| files.len() == 1);
            for to in defined.into_iter().flatten().filter(|to| *to != path) {
                let next = arrows.entry((*path).to_owned()).or_default();
                next.insert((*to).to_owned());
            }
        }
    }
    let all = graph::circles(&arrows);
    all.into_iter().next().unwrap_or_default()
}

/// Types with the methods that their own blocks define.
fn methods(signs: &[String]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let is = |at: usize, text: &str| signs.get(at).is_some_and(|sign| sign == text);
    let mut at = 0;
    while at < signs.len() {
        let begins = is(at, "impl") && (at == 0 || is(at - 1, "}") || is(at - 1, ";"));
        if !begins {
            at += 1;
            continue;
        }
        let head = at + 1;
        let Some(open) = (head..signs.len()).find(|at| is(*at, "{")) else {
            break;
        };
        let end = closing(signs, open);
        let is_own = !signs[head..open].iter().any(|sign| sign == "for");
        if let Some(of) = type_of(&signs[head..open]).filter(|_| is_own) {
            let starts = (open..end).filter(|at| is(*at, "fn"));
            let has_self = |at: &usize| {
                let from = (*at..end).find(|at| is(*at, "(")).unwrap_or(end);
                let first = (from..end).find(|at| is(*at, ",") || is(*at, ")") || is(*at, ":"));
                signs[from..first.unwrap_or(end)]
                    .iter()
                    .any(|sign| sign == "self")
            };
            let own = starts.filter(has_self);
            found.extend(own.map(|at| (of.clone(), signs[at + 1].clone())));
        }
        at = end;
    }
    found
}

/// The type of an `impl`: the first word outside angle brackets, or the last of its path.
fn type_of(head: &[String]) -> Option<String> {
    let (mut depth, mut name) = (0, None);
    for sign in head {
        match sign.as_str() {
            "<" => depth += 1,
            ">" => depth -= 1,
            "where" => break,
            word if depth == 0 && word.starts_with(char::is_alphabetic) => {
                name = Some(word.to_owned());
            }
            _ => {}
        }
    }
    name
}

/// After the brace that closes the one at `open`.
fn closing(signs: &[String], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, sign) in signs.iter().enumerate().skip(open) {
        match sign.as_str() {
            "{" => depth += 1,
            "}" if depth == 1 => return at + 1,
            "}" => depth -= 1,
            _ => {}
        }
    }
    signs.len()
}

/// Names behind a dot and before a parenthesis.
fn calls(signs: &[String]) -> BTreeSet<&str> {
    let all = signs.windows(3);
    let called = all.filter(|three| three[0] == "." && (three[2] == "(" || three[2] == "::"));
    called.map(|three| &three[1][..]).collect()
}

#[test]
fn a_circle_of_calls_is_found() {
    let file = |name: &str, text: &str| TextFile {
        path: format!("crates/x/src/{name}.rs"),
        text: text.into(),
    };
    let a = "struct S; impl<T> S<T> { fn a(&self) { self.b(); } fn new() -> S { S.c() } }";
    let b = "impl<T> S<T> where T: Q { fn b(&mut self, x: u8) { self.c::<u8>(x) } }";
    let c = |body: &str| format!("struct C; impl S {{ fn c(self) {{ {body} }} }}");
    let d = "impl D { fn d(&self) { self.a(); } } #[cfg(test)] mod tests { fn t() { S.d(); } }";
    let of = |c: &str| largest(&[file("a", a), file("b", b), file("c", c), file("d", d)]);
    assert_eq!(of(&c("")).len(), 0);
    let round: Vec<String> = ["a", "b", "c"]
        .map(|name| format!("crates/x/src/{name}.rs"))
        .into();
    assert_eq!(of(&c("self.a()")), round);
    assert_eq!(of(&c("// self.a()")).len(), 0);
}
