//! Modules do not lean on each other in large circles.
//!
//! An arrow leads from a file to the deepest module that is a file and that one of its paths
//! names: in a `use`, or in code. What a parent re-exports counts as the parent's. A parent may
//! name what stands below it (`mod x`, `pub use x::Y`, `x::f()`): that is no arrow, since the
//! other direction is one. So that a circle cannot close through a parent unseen, the modules of
//! each folder are looked at again with all that stands below each of them as one: `a` and `b`
//! that need each other's children are a circle. Leaves are left out there, files that no path
//! names: what they hold is called as methods of a type below them, and closes no circle.

mod calls;
mod graph;
pub mod paths;

use std::collections::{BTreeMap, BTreeSet};

use crate::files::{self, TextFile};
use crate::hold;
use graph::Arrows;

/// A larger circle is a complaint.
const LARGEST: usize = 3;

/// Crates that are not there yet, with the size of their largest circle. Never add to it; strike
/// out what is mended.
const NOT_YET: &[(&str, usize)] = &[];

/// A file of a crate: its module path below the crate, what it names.
struct Module {
    path: String,
    name: Vec<String>,
    source: paths::Source,
}

/// What leads where, and the place of the first path that says so.
#[derive(Default)]
struct Graph {
    arrows: Arrows,
    places: BTreeMap<(String, String), String>,
}

impl Graph {
    fn add(&mut self, from: &[String], to: &[String], place: &str) {
        let (from, to) = (shown(from), shown(to));
        let next: &mut BTreeSet<String> = self.arrows.entry(from.clone()).or_default();
        next.insert(to.clone());
        let known = self.places.entry((from, to));
        known.or_insert_with(|| place.to_owned());
    }

    /// Adds the circles whose members none of `found` has.
    fn add_circles(&self, what: &str, found: &mut Vec<Circle>) {
        for members in graph::circles(&self.arrows) {
            if !found.iter().any(|circle| circle.members == members) {
                let text = self.describe(what, &members);
                found.push(Circle { members, text });
            }
        }
    }

    fn describe(&self, what: &str, members: &[String]) -> String {
        let way = graph::way_round(members, &self.arrows);
        let mut lines = vec![
            format!(
                "{what}, a circle of {}: {}",
                members.len(),
                members.join(", ")
            ),
            format!("one way round: {}", way.join(" -> ")),
        ];
        lines.extend(way.windows(2).map(|pair| {
            let place = &self.places[&(pair[0].clone(), pair[1].clone())];
            format!("{place}: {} -> {}", pair[0], pair[1])
        }));
        lines.join("\n    ")
    }
}

/// Modules that reach each other.
#[derive(Debug, PartialEq)]
struct Circle {
    members: Vec<String>,
    text: String,
}

fn shown(name: &[String]) -> String {
    if name.is_empty() {
        "crate".to_owned()
    } else {
        name.join("::")
    }
}

#[test]
fn circles_of_modules_are_small() {
    let mut crates: BTreeMap<String, Vec<TextFile>> = BTreeMap::new();
    for file in files::ending(".rs") {
        let parts: Vec<&str> = file.path.split('/').collect();
        if let ["crates", name, "src", ..] = parts[..] {
            crates.entry(name.to_owned()).or_default().push(file);
        }
    }
    assert!(crates.len() >= 10, "the crates are found");
    let complaints = crates.iter().flat_map(|(name, files)| {
        let not_yet = NOT_YET.iter().find(|(known, _)| known == name);
        complaints_about(name, files, not_yet.map(|(_, size)| *size))
    });
    hold(
        complaints.collect(),
        "move what several need (a type, a helper, an error) below them all, into a file of its \
         own; a size in NOT_YET may only go down",
    );
}

fn complaints_about(name: &str, files: &[TextFile], not_yet: Option<usize>) -> Vec<String> {
    let mut found = circles_of(files);
    found.retain(|circle| circle.members.len() > LARGEST);
    let largest = found.iter().map(|circle| circle.members.len()).max();
    match not_yet {
        Some(size) if largest == Some(size) => Vec::new(),
        Some(size) if largest < Some(size) => {
            vec![format!(
                "{name}: NOT_YET says {size}, its largest has {}",
                largest.unwrap_or(0)
            )]
        }
        _ => {
            let texts = found
                .iter()
                .map(|circle| format!("{name}: {}", circle.text));
            texts.collect()
        }
    }
}

/// Every circle of a crate, of its files and of the modules of each folder.
fn circles_of(files: &[TextFile]) -> Vec<Circle> {
    let modules = modules(files);
    let names: BTreeSet<&[String]> = modules.iter().map(|one| &one.name[..]).collect();
    let mut whole = Graph::default();
    let mut folders: BTreeMap<&[String], Graph> = BTreeMap::new();
    let all = modules.iter().flat_map(|module| needed(module, &names));
    let named: BTreeSet<&[String]> = all.map(|(to, _)| to).collect();
    for module in &modules {
        let from = &module.name[..];
        for (to, line) in needed(module, &names) {
            let place = format!("{}:{line}", module.path);
            if !to.starts_with(from) {
                whole.add(from, to, &place);
            }
            let same = from.iter().zip(to).take_while(|(one, other)| one == other);
            let shared = same.count();
            if shared < from.len() && shared < to.len() && named.contains(from) {
                let folder = folders.entry(&from[..shared]).or_default();
                folder.add(&from[..=shared], &to[..=shared], &place);
            }
        }
    }
    let mut found = Vec::new();
    whole.add_circles("files", &mut found);
    for (folder, graph) in &folders {
        graph.add_circles(&format!("modules of `{}`", shown(folder)), &mut found);
    }
    found
}

/// The modules of a crate, those for tests apart.
fn modules(files: &[TextFile]) -> Vec<Module> {
    let read = |file: &TextFile| Module {
        path: file.path.clone(),
        name: name_of(&file.path),
        source: paths::read(&file.text),
    };
    let mut modules: Vec<Module> = files.iter().map(read).collect();
    let tests = modules.iter().flat_map(|module| {
        let test_modules = module.source.test_modules.iter();
        test_modules.map(|test| [&module.name[..], std::slice::from_ref(test)].concat())
    });
    let tests: Vec<Vec<String>> = tests.collect();
    modules.retain(|module| !tests.iter().any(|test| module.name.starts_with(test)));
    modules
}

/// `crates/x/src/a/b.rs` and `crates/x/src/a/b/mod.rs` are `["a", "b"]`, `lib.rs` is `[]`.
fn name_of(path: &str) -> Vec<String> {
    let path = path.trim_end_matches(".rs");
    let parts = path.split('/').skip(3).map(str::to_owned);
    let mut name: Vec<String> = parts.collect();
    let is_root = name.len() == 1 && (name[0] == "lib" || name[0] == "main");
    if is_root || name.last().is_some_and(|last| last == "mod") {
        name.pop();
    }
    name
}

/// The modules that a file names, with the line of each path.
fn needed<'a>(module: &Module, names: &BTreeSet<&'a [String]>) -> Vec<(&'a [String], usize)> {
    let mut imports: BTreeMap<&str, &[String]> = BTreeMap::new();
    let mut found = Vec::new();
    for path in &module.source.paths {
        let Some(full) = full_path(&path.words, &module.name, &imports, names) else {
            continue;
        };
        let deepest = (0..=full.len())
            .rev()
            .find_map(|length| names.get(&full[..length]));
        let Some(to) = deepest.copied().filter(|to| *to != module.name) else {
            continue;
        };
        if let Some(known_as) = path.known_as.as_deref().filter(|_| to.len() == full.len()) {
            imports.insert(known_as, to);
        }
        found.push((to, path.line));
    }
    found
}

/// The path from the crate; none if it leads elsewhere.
fn full_path(
    words: &[String],
    from: &[String],
    imports: &BTreeMap<&str, &[String]>,
    names: &BTreeSet<&[String]>,
) -> Option<Vec<String>> {
    let ups = words.iter().take_while(|word| *word == "super").count();
    let first = words.first()?;
    let child = [from, std::slice::from_ref(first)].concat();
    let (base, rest): (&[String], &[String]) = match first.as_str() {
        "crate" => (&[], &words[1..]),
        "self" => (from, &words[1..]),
        "super" => (&from[..from.len().checked_sub(ups)?], &words[ups..]),
        _ if names.contains(&child[..]) => (from, words),
        first => (imports.get(first)?, &words[1..]),
    };
    Some([base, rest].concat())
}

/// Source files of a crate, as `("a/b.rs", text)`.
fn sources(files: &[(&str, &str)]) -> Vec<TextFile> {
    let file = |(path, text): &(&str, &str)| TextFile {
        path: format!("crates/x/src/{path}"),
        text: (*text).to_owned(),
    };
    files.iter().map(file).collect()
}

const CIRCLE_OF_FOUR: &[(&str, &str)] = &[
    ("lib.rs", "mod a; mod b; mod c; mod d; pub use a::A;"),
    ("a.rs", "use crate::b::B;\npub struct A(B);"),
    ("b.rs", "use crate::{c, e::E};\nfn f(x: c::C) {}"),
    ("c.rs", "fn f() { crate::d::g(); }"),
    ("d.rs", "use super::a::A;\nuse crate::A as Same;"),
];

#[test]
fn a_circle_of_four_is_found() {
    let complaints = complaints_about("x", &sources(CIRCLE_OF_FOUR), None);
    let expected = [
        "x: files, a circle of 4: a, b, c, d",
        "one way round: a -> b -> c -> d -> a",
        "crates/x/src/a.rs:1: a -> b",
        "crates/x/src/b.rs:1: b -> c",
        "crates/x/src/c.rs:1: c -> d",
        "crates/x/src/d.rs:1: d -> a",
    ];
    let expected = expected.join("\n    ");
    assert_eq!(complaints[0], expected);
    assert_eq!(complaints.len(), 1);
}

#[test]
fn a_circle_of_three_may_stand() {
    let mut files = sources(&CIRCLE_OF_FOUR[..3]);
    files.extend(sources(&[(
        "c.rs",
        "// crate::d::g()\nfn f() { super::a::g(); }",
    )]));
    assert_eq!(circles_of(&files)[0].members, ["a", "b", "c"]);
    assert_eq!(complaints_about("x", &files, None), [""; 0]);
}

#[test]
fn a_circle_through_super_is_found() {
    let files = sources(&[
        ("lib.rs", "mod a;"),
        ("a.rs", "mod b; mod c; mod d; mod e;"),
        ("a/b.rs", "use super::c::{C, D};"),
        ("a/c.rs", "fn f(d: super::d::D) {}"),
        ("a/d/mod.rs", "use super::super::a::e::{self};"),
        ("a/e.rs", "use super::b::*;"),
    ]);
    let texts = complaints_about("x", &files, None);
    assert_eq!(texts.len(), 1);
    assert!(
        texts[0].contains("a::b -> a::c -> a::d -> a::e -> a::b"),
        "{texts:?}"
    );
}

#[test]
fn a_circle_through_children_is_found() {
    let files = sources(&[
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "mod x; pub use x::X; use self::x::Y;"),
        ("a/x.rs", "use super::T; use crate::b;"),
        ("b.rs", "use crate::c;"),
        ("c.rs", "use crate::d;"),
        ("d.rs", "use crate::a::X;"),
    ]);
    let found = circles_of(&files);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0]
            .text
            .starts_with("modules of `crate`, a circle of 4"),
        "{found:?}"
    );
}

#[test]
fn a_leaf_closes_no_circle_of_folders() {
    let mut files = sources(&[
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "pub mod state; mod steps;"),
        ("a/state.rs", "pub struct A;"),
        ("a/steps.rs", "use crate::d::D; impl D { fn f() {} }"),
        ("b.rs", "use crate::a::state::A;"),
        ("c.rs", "use crate::b;"),
        ("d.rs", "use crate::c; pub struct D;"),
    ]);
    assert_eq!(circles_of(&files), []);
    files[1].text = "pub mod state; mod steps; pub use steps::f;".into();
    assert_eq!(circles_of(&files)[0].members, ["a", "b", "c", "d"]);
}

#[test]
fn tests_make_no_circle() {
    let mut files = sources(CIRCLE_OF_FOUR);
    files[4].text = "#[cfg(test)]\nmod tests { use crate::a::A; }\n#[cfg(test)]\nmod more;".into();
    files.extend(sources(&[("d/more.rs", "use crate::a::A; use super::D;")]));
    assert_eq!(circles_of(&files), []);
}

#[test]
fn the_list_is_held_exactly() {
    let files = sources(CIRCLE_OF_FOUR);
    assert_eq!(complaints_about("x", &files, Some(4)), [""; 0]);
    assert_eq!(complaints_about("x", &files, Some(3)).len(), 1);
    assert_eq!(complaints_about("x", &files, Some(5)).len(), 1);
    assert_eq!(complaints_about("x", &files[..4], Some(4)).len(), 1);
}
