//! What the reader says about wrong files: `diagnostics/SUBJECT/*.toml`, each with its `*.txt`.
//!
//! `UPDATE_DIAGNOSTICS=1 cargo test -p backwater-scenario --test suite diagnostics` writes the
//! texts anew.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use backwater_scenario::compare::{self, Comparison};
use backwater_scenario::{Diagnostics, Limits, Source, parse_with};

/// All wrong files, by subject.
pub(super) fn wrong_files() -> Vec<PathBuf> {
    let entries = |folder: PathBuf| {
        let entries = fs::read_dir(folder).expect("a folder of wrong files");
        entries.map(|entry| entry.expect("a readable folder").path())
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let mut files: Vec<PathBuf> = entries(folder)
        .flat_map(|subject| {
            assert!(subject.is_dir(), "{} has no subject", subject.display());
            entries(subject)
        })
        .collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    files.sort();
    files
}

/// Errors and warnings alike: what the command line prints.
fn mistakes(file: &Path) -> Diagnostics {
    let source = Source::new("scenario.toml", fs::read_to_string(file).expect("UTF-8"));
    mistakes_of(&source, file.parent().expect("a subject"))
}

/// The same of a text; files that it names lie in this folder.
pub(super) fn mistakes_of(source: &Source, folder: &Path) -> Diagnostics {
    if compare::is_comparison(source) {
        return Comparison::read(source, &[]).err().unwrap_or_default();
    }
    let load = |path: &Path| match fs::read_to_string(folder.join(path)) {
        Ok(text) => Ok(text),
        Err(_) => Err(io::Error::other("no such file")),
    };
    match parse_with(source, &[], &Limits::default(), &load) {
        Ok(scenario) => scenario.warnings,
        Err(mistakes) => mistakes,
    }
}

#[test]
fn every_wrong_file_is_explained_as_written_beside_it() {
    let files = wrong_files();
    assert!(files.len() >= 170, "only {} wrong files", files.len());
    let update = std::env::var_os("UPDATE_DIAGNOSTICS").is_some();
    let mut differing = Vec::new();
    for file in files {
        let (found, golden) = (mistakes(&file).render(false), file.with_extension("txt"));
        if update {
            fs::write(&golden, &found).expect("a writable folder");
        } else if fs::read_to_string(&golden).unwrap_or_default() != found {
            differing.push(format!("{}:\n{found}", file.display()));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn every_error_has_a_place_and_a_way_on() {
    for file in wrong_files() {
        let mistakes = mistakes(&file);
        if mistakes.errors() == 0 {
            continue;
        }
        for diagnostic in mistakes.iter() {
            let what = format!("{}: {}", file.display(), diagnostic.message);
            let first = diagnostic.labels.first();
            let place = first.and_then(|(at, _)| mistakes.position(at));
            assert!(place.is_some(), "{what}");
            let more = diagnostic.notes.len() + diagnostic.help.len();
            assert!(more > 0 || diagnostic.code == "syntax", "{what}");
        }
    }
}
