//! Bad inputs: shipped files spoiled in every way, and files that are none.

mod edges;
mod extremes;
mod library;
mod program;
mod special;
mod text;
mod tree;

use std::fs;
use std::path::Path;

use crate::random::Random;
use crate::toml_tree;
use crate::trial::{Options, Summary};

/// A shipped file to spoil.
pub struct Shipped {
    /// Its path below the tree.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// The campaigns, or one of them.
pub fn run(options: &Options, part: Option<&str>) -> Vec<Summary> {
    let shipped = shipped(&options.tree);
    let mut summaries = Vec::new();
    let is_wanted = |name: &str| part.is_none_or(|part| part == name);
    if is_wanted("library") {
        summaries.push(library::run(options, &shipped));
    }
    if is_wanted("extremes") {
        summaries.push(library::extremes(options, &shipped));
    }
    if is_wanted("program") {
        summaries.push(program::run(options, &shipped));
    }
    if is_wanted("extreme-runs") {
        summaries.push(program::extremes(options, &shipped));
    }
    if is_wanted("special") {
        summaries.push(special::run(options));
    }
    summaries
}

/// Everything below `scenarios`, and the files that say all the language has.
fn shipped(tree: &Path) -> Vec<Shipped> {
    let mut paths = Vec::new();
    for folder in ["scenarios", "crates/scenario/tests/files"] {
        walk(&tree.join(folder), &mut paths);
    }
    paths.sort();
    let read = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).ok()?;
        let name = path.strip_prefix(tree).unwrap_or(&path);
        Some(Shipped {
            name: name.display().to_string(),
            text,
        })
    };
    let all: Vec<Shipped> = paths.into_iter().filter_map(read).collect();
    assert!(all.len() > 20, "no scenarios below {}", tree.display());
    all
}

fn walk(folder: &Path, paths: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, paths);
        } else if path.extension().is_some_and(|end| end == "toml") {
            paths.push(path);
        }
    }
}

/// A spoiled file: its bytes and what was done to it.
pub struct Spoiled {
    /// What a program reads.
    pub bytes: Vec<u8>,
    /// The file it was, and the operators.
    pub how: String,
    /// `--set` beside it.
    pub sets: Vec<String>,
}

/// Mostly one operator: what is spoiled in one place gets furthest.
fn operators(random: &mut Random) -> usize {
    match random.chance(55) {
        true => 1,
        false => 2 + random.below(3),
    }
}

/// Spoils one of the files with some operators, one after another.
pub fn spoil(shipped: &[Shipped], random: &mut Random) -> Spoiled {
    let at = random.below(shipped.len());
    let mut how = shipped[at].name.clone();
    let mut text = shipped[at].text.clone();
    if random.chance(70)
        && let Some(mut value) = toml_tree::read(&text)
    {
        for _ in 0..operators(random) {
            let donor = random.below(shipped.len());
            let donor = toml_tree::read(&shipped[donor].text).unwrap_or_default();
            how += &format!(", {}", tree::spoil(&mut value, &donor, random));
        }
        text = toml_tree::write(&value);
    }
    let mut bytes = text.into_bytes();
    if !how.contains(", ") || random.chance(15) {
        for _ in 0..operators(random) {
            let donor = random.below(shipped.len());
            how += &format!(
                ", {}",
                text::spoil(&mut bytes, &shipped[donor].text, random)
            );
        }
    }
    let mut sets = Vec::new();
    if random.chance(15) {
        sets.push(tree::set(random));
    }
    Spoiled { bytes, how, sets }
}
