//! A crate is a house: every file beside its `lib.rs` is the door of a room.

use std::collections::BTreeSet;

use crate::files::{self, TextFile};
use crate::hold;

/// Crates whose modules all stand in rooms.
const HOUSES: &[&str] = &["net"];
/// How the second and the third line of a room begin; the first says what stands there.
const BEGINNINGS: [&str; 2] = ["A line here may ", "The next "];

#[test]
fn every_module_stands_in_a_room() {
    let mut all = files::ending(".rs");
    all.retain(|file| file.path.starts_with("crates/"));
    let complaints = HOUSES.iter().flat_map(|house| loose(house, &all));
    hold(
        complaints.collect(),
        "move the file into the room of its idea; a new idea is a folder with a file of its name",
    );
}

#[test]
fn every_room_says_what_stands_there() {
    let all = files::ending(".rs");
    let complaints = HOUSES.iter().flat_map(|house| {
        let rooms = all.iter().filter(|file| stands_beside_lib(house, file));
        rooms.filter_map(says_too_little).collect::<Vec<_>>()
    });
    hold(
        complaints.collect(),
        "open it with three lines: what stands here; `A line here may touch ..`; `The next ..`, \
         where the next one goes",
    );
}

#[test]
fn paths_in_documents_lead_somewhere() {
    let paths: BTreeSet<String> = files::all().into_iter().map(|file| file.path).collect();
    let mut pages = files::ending(".md");
    pages.retain(|page| page.path.starts_with("docs/"));
    let complaints = pages.iter().flat_map(|page| dead(page, &paths));
    hold(complaints.collect(), "write where the code stands today");
}

/// A file beside the `lib.rs` of a crate.
fn stands_beside_lib(house: &str, file: &TextFile) -> bool {
    let src = format!("crates/{house}/src/");
    let name = file.path.strip_prefix(&src);
    name.is_some_and(|name| name != "lib.rs" && !name.contains('/'))
}

/// Files beside `lib.rs` that have no folder.
fn loose(house: &str, all: &[TextFile]) -> Vec<String> {
    let mut files: Vec<&TextFile> = all.iter().collect();
    files.retain(|file| stands_beside_lib(house, file));
    files.retain(|file| {
        let folder = file.path.replace(".rs", "/");
        !all.iter().any(|other| other.path.starts_with(&folder))
    });
    let say = |file: &&TextFile| format!("{}: stands in no room", file.path);
    files.iter().map(say).collect()
}

fn says_too_little(file: &TextFile) -> Option<String> {
    let mut lines = file.text.lines().map(|line| line.strip_prefix("//! "));
    let first = lines.next().flatten().is_some_and(|line| !line.is_empty());
    let says = BEGINNINGS.map(|beginning| {
        let line = lines.next().flatten();
        line.is_some_and(|line| line.starts_with(beginning))
    });
    let says_all = first && says == [true; 2];
    (!says_all).then(|| format!("{}: a room without its three lines", file.path))
}

/// Paths below `crates/` in backticks that lead nowhere.
fn dead(page: &TextFile, paths: &BTreeSet<String>) -> Vec<String> {
    let quoted = page.text.split('`').skip(1).step_by(2);
    let is_path = |text: &&str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        text.starts_with("crates/") && text.chars().all(plain)
    };
    let leads = |text: &str| {
        let folder = format!("{}/", text.trim_end_matches('/'));
        paths.contains(text) || paths.iter().any(|path| path.starts_with(&folder))
    };
    let dead = quoted.filter(is_path).filter(|text| !leads(text));
    dead.map(|text| format!("{}: `{text}` is not there", page.path))
        .collect()
}

#[test]
fn a_loose_file_a_silent_room_and_a_dead_path_are_seen() {
    let file = |path: &str, text: &str| TextFile {
        path: path.to_owned(),
        text: text.to_owned(),
    };
    let good = "//! Ways.\n//! A line here may touch maps.\n//! The next is a file.\n";
    let mut all = vec![
        file("crates/x/src/lib.rs", ""),
        file("crates/x/src/way.rs", good),
        file("crates/x/src/way/long.rs", ""),
    ];
    assert_eq!(loose("x", &all), [""; 0]);
    assert_eq!(says_too_little(&all[1]), None);
    all.push(file("crates/x/src/wall.rs", "//! Walls.\n"));
    assert_eq!(
        loose("x", &all),
        ["crates/x/src/wall.rs: stands in no room"]
    );
    assert!(says_too_little(&all[3]).is_some());
    assert!(says_too_little(&file("a.rs", "mod b;\n")).is_some());
    let paths = all.into_iter().map(|file| file.path).collect();
    let page = file(
        "docs/x.md",
        "`crates/x/src/way` and `crates/x/src/way.rs`, not `crates/x/src/walk.rs`",
    );
    let gone = "docs/x.md: `crates/x/src/walk.rs` is not there";
    assert_eq!(dead(&page, &paths), [gone]);
}
