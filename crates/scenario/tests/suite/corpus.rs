//! Inputs of the fuzz targets, kept ones and shipped ones, as tests: what the fuzzer asserts of
//! any bytes (`fuzz/targets.rs`) holds for them on every machine.

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../../../fuzz/targets.rs"]
mod targets;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below `folder`.
fn below(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder of inputs") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The bytes as they are, cut short, and with one bit changed, at places spread over them.
fn each_variant(bytes: &[u8], places: usize, run: impl Fn(&[u8])) {
    run(bytes);
    let step = (bytes.len() / places).max(1);
    for at in (0..bytes.len()).step_by(step) {
        run(&bytes[..at]);
        let mut flipped = bytes.to_vec();
        flipped[at] ^= 1 << (at % 8);
        run(&flipped);
    }
}

#[test]
fn scenarios() {
    let inputs = [below("scenarios"), below("fuzz/seeds/scenario")].concat();
    assert!(inputs.len() > 100, "{}", inputs.len());
    for path in inputs {
        let bytes = fs::read(&path).expect("an input");
        each_variant(&bytes, 10, targets::scenario);
    }
}

#[test]
fn files_that_scenarios_name() {
    let inputs = below("fuzz/seeds/files");
    assert!(inputs.len() >= 4, "{}", inputs.len());
    for path in inputs {
        let bytes = fs::read(&path).expect("an input");
        each_variant(&bytes, 200, targets::files);
    }
}
