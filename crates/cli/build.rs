//! Puts the shipped scenarios into the program, a table of all files below `scenarios/`, an example
//! of each kind of mistake, and the digest of the sources that decide a run's numbers.

#[path = "build/mistakes.rs"]
mod mistakes;
#[path = "build/sources.rs"]
mod sources;

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    sources::tell(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("mistakes.rs"), mistakes::table()).expect("the table can be written");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&root).expect("it stands below the root");
        let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
        let path = fs::canonicalize(&file).expect("it is there");
        let path = path.to_str().expect("paths are UTF-8");
        writeln!(table, "({:?}, include_str!({path:?})),", parts.join("/")).expect("it fits");
    }
    table.push_str("]\n");
    fs::write(out.join("examples.rs"), table).expect("the table can be written");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("a folder of scenarios can be read");
    for entry in entries {
        let path = entry.expect("its entries can be read").path();
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}
