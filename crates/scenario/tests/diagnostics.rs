//! What the reader says about wrong files: each `diagnostics/*.toml` with its `*.txt` beside it.
//!
//! `UPDATE_DIAGNOSTICS=1 cargo test -p backwater-scenario` writes the texts anew.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use scenario::{Diagnostics, Limits, Scenario, Source, parse_with};

fn wrong_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let entries = fs::read_dir(folder).expect("the folder of wrong files");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    files
}

/// Files that a scenario names lie beside the wrong ones.
fn read(source: &Source) -> Result<Scenario, Diagnostics> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let load = |path: &Path| match fs::read_to_string(folder.join(path)) {
        Ok(text) => Ok(text),
        Err(_) => Err(io::Error::other("no such file")),
    };
    parse_with(source, &[], &Limits::default(), &load)
}

/// Errors and warnings alike: what the command line prints.
fn rendered(file: &Path) -> String {
    let name = file
        .file_name()
        .expect("a file")
        .to_string_lossy()
        .into_owned();
    let source = Source::new(name, fs::read_to_string(file).expect("UTF-8"));
    match read(&source) {
        Ok(scenario) => scenario.warnings.render(false),
        Err(mistakes) => mistakes.render(false),
    }
}

#[test]
fn every_wrong_file_is_explained_as_written_beside_it() {
    let files = wrong_files();
    assert!(files.len() >= 25, "only {} wrong files", files.len());
    let update = std::env::var_os("UPDATE_DIAGNOSTICS").is_some();
    let mut differing = Vec::new();
    for file in files {
        let (found, golden) = (rendered(&file), file.with_extension("txt"));
        if update {
            fs::write(&golden, &found).expect("a writable folder");
        } else if fs::read_to_string(&golden).unwrap_or_default() != found {
            differing.push(format!("{}:\n{found}", file.display()));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn every_diagnostic_has_a_place_and_a_way_on() {
    for file in wrong_files() {
        let text = fs::read_to_string(&file).expect("UTF-8");
        let Err(mistakes) = read(&Source::new("x.toml", text)) else {
            continue;
        };
        for diagnostic in mistakes.iter() {
            let place = diagnostic
                .labels
                .first()
                .and_then(|(at, _)| mistakes.position(at));
            assert!(
                place.is_some(),
                "{}: {}",
                file.display(),
                diagnostic.message
            );
            let more = diagnostic.notes.len() + diagnostic.help.len();
            assert!(
                more > 0 || diagnostic.code == "syntax",
                "{}",
                diagnostic.message
            );
        }
    }
}
