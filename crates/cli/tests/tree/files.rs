//! The files of the tree, without what is built, produced or borrowed.

use std::fs;
use std::path::{Path, PathBuf};

const SKIPPED: &[&str] = &[
    ".git",
    "target",
    "runs",
    "node_modules",
    "vendor",
    "corpus",
    "artifacts",
    "coverage",
];

/// A text file: its path below the root with `/` between folders, its content.
pub struct TextFile {
    /// Path from the root.
    pub path: String,
    /// Content.
    pub text: String,
}

/// The root of the tree, or of the copy that recipes were applied to.
pub fn root() -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = std::env::var_os("BACKWATER_TREE").map_or_else(own, PathBuf::from);
    fs::canonicalize(root).expect("the tree has a root")
}

/// Every text file, by path.
pub fn all() -> Vec<TextFile> {
    let root = root();
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let text = String::from_utf8(fs::read(&path).ok()?).ok()?;
        let below = path.strip_prefix(&root).ok()?;
        Some(TextFile {
            path: below.to_str()?.replace('\\', "/"),
            text,
        })
    };
    paths.into_iter().filter_map(read).collect()
}

/// Those whose name ends so.
pub fn ending(end: &str) -> Vec<TextFile> {
    let mut files = all();
    files.retain(|file| file.path.ends_with(end));
    assert!(!files.is_empty(), "no file of the tree ends with {end}");
    files
}

/// One file of the tree.
pub fn read(path: &str) -> Option<String> {
    fs::read_to_string(root().join(path)).ok()
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if SKIPPED.iter().any(|skipped| name == *skipped) {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), paths),
            Ok(kind) if kind.is_file() => paths.push(entry.path()),
            _ => {}
        }
    }
}

#[test]
fn the_walk_finds_the_tree() {
    let paths: Vec<String> = all().into_iter().map(|file| file.path).collect();
    let has = |path: &str| paths.iter().any(|known| known == path);
    assert!(has("Cargo.toml") && has("Makefile") && has("crates/cli/src/main.rs"));
    assert!(!paths.iter().any(|path| path.starts_with("target/")));
}
