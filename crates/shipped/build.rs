//! Puts the files that are shipped into tables: their names, their texts.
//!
//! They stand elsewhere in the tree; links beside this file lead there. In a package the files
//! themselves stand where the links were, and a system without links has the folders of the tree.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    write("scenarios", &texts(&folder("scenarios", "../../scenarios")));
    write("claims", &texts(&folder("claims", "../../claims")));
    let wrong = folder("diagnostics", "../scenario/tests/diagnostics");
    write("mistakes", &mistakes(&wrong));
}

/// Where these files are: here, or in the tree.
fn folder(here: &str, in_tree: &str) -> PathBuf {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let here = root.join(here);
    match here.is_dir() {
        true => here,
        false => root.join(in_tree),
    }
}

/// The rows of all files below a folder: path from there, an expression for the text.
fn texts(root: &Path) -> Vec<(String, String)> {
    let row = |file: &PathBuf| {
        let name = file.strip_prefix(root).expect("it stands below the root");
        let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
        let path = fs::canonicalize(file).expect("it is there");
        let path = path.to_str().expect("paths are UTF-8");
        (parts.join("/"), format!("include_str!({path:?})"))
    };
    files(root).iter().map(row).collect()
}

/// An example of each kind of mistake: the shortest text that is told of one in these files.
fn mistakes(root: &Path) -> Vec<(String, String)> {
    let mut examples: BTreeMap<String, String> = BTreeMap::new();
    let all = files(root);
    let told = all
        .iter()
        .filter(|file| file.extension().is_some_and(|end| end == "txt"));
    for file in told {
        let text = fs::read_to_string(file).expect("texts are UTF-8");
        for part in text.split("\n\n") {
            let Some(code) = code(part) else { continue };
            let known = examples.get(code);
            if known.is_none_or(|known| part.len() < known.len()) {
                examples.insert(code.into(), part.into());
            }
        }
    }
    let row = |(code, text)| (code, format!("{text:?}"));
    examples.into_iter().map(row).collect()
}

/// The code in the first line of what is told of a mistake.
fn code(part: &str) -> Option<&str> {
    let rest = part
        .strip_prefix("error[")
        .or(part.strip_prefix("warning["));
    rest?.split_once("]: ").map(|(code, _)| code)
}

/// All files below a folder, in the order of their paths.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    println!("cargo::rerun-if-changed={}", root.display());
    collect(root, &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("a folder that is shipped can be read");
    for entry in entries {
        let path = entry.expect("its entries can be read").path();
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}

fn write(name: &str, rows: &[(String, String)]) {
    let mut table = String::from("&[\n");
    for (name, text) in rows {
        writeln!(table, "({name:?}, {text}),").expect("it fits");
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join(name).with_extension("rs"), table).expect("the table can be written");
}
