//! What decides a run's numbers, as one digest: stored points of another one do not count.
//!
//! It is of the sources of the engines, of what reads scenarios and of what measures, and of the
//! versions of all libraries. It depends on no path, time or machine. A package, as a registry has
//! it, stands alone: there the digest is of its lock file, which names all libraries and the other
//! crates of this workspace by their checksums.

#[path = "../src/sweep/digest.rs"]
mod digest;

use std::fs;
use std::path::Path;

/// Below the root of the workspace.
const SOURCES: [&str; 11] = [
    "Cargo.lock",
    "Cargo.toml",
    "crates/kernel/src",
    "crates/ends/src",
    "crates/net/src",
    "crates/flit/src",
    "crates/scenario/src",
    "crates/run/src/values.rs",
    "crates/run/src/cells/measures.rs",
    "crates/run/src/flits/measures.rs",
    "crates/run/src/frames/measures.rs",
];
/// In a package.
const LOCKED: [&str; 2] = ["Cargo.lock", "Cargo.toml"];
/// Hexadecimal digits that are kept.
const DIGITS: usize = 16;

/// Tells the compiler, as `BACKWATER_SOURCES`.
pub fn tell(package: &Path) {
    let tree = package.join("../..");
    let (root, sources) = match tree.join("crates/kernel/src").is_dir() {
        true => (&*tree, &SOURCES[..]),
        false => (package, &LOCKED[..]),
    };
    let mut files = Vec::new();
    for source in sources {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
        collect(root, source, &mut files);
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    files.sort();
    let mut all = Vec::new();
    for name in files {
        let content = fs::read(root.join(&name)).expect("a source can be read");
        // The lengths keep apart what would read the same when joined.
        all.extend(format!("{} {name} {}\n", name.len(), content.len()).bytes());
        all.extend(content);
    }
    let digest = digest::hex(&digest::sha256(&all));
    println!("cargo::rustc-env=BACKWATER_SOURCES={}", &digest[..DIGITS]);
}

/// The files below `name`, as paths from the root with `/`.
fn collect(root: &Path, name: &str, files: &mut Vec<String>) {
    let path = root.join(name);
    if !path.is_dir() {
        files.push(name.into());
        return;
    }
    for entry in fs::read_dir(path).expect("a folder of sources can be read") {
        let entry = entry.expect("its entries can be read");
        let inner = entry.file_name().to_string_lossy().into_owned();
        // What editors leave is no source.
        if !inner.starts_with('.') && !inner.ends_with('~') {
            collect(root, &format!("{name}/{inner}"), files);
        }
    }
}
