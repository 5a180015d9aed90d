//! Scenario files: reading, checking, telling what is wrong.

use std::io::IsTerminal;
use std::path::Path;

use scenario::compare::is_comparison;
use scenario::{LARGEST_BYTES, LARGEST_FILE_BYTES, Scenario, Set, Source};

use crate::memory::Memory;
use crate::{Changes, example};

/// Reads a scenario file; `-` is standard input.
pub fn read(path: &Path) -> Result<Source, String> {
    let name = path.display().to_string();
    if name == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes)
            .map_err(|error| format!("standard input: {error}"))?;
        return Source::from_bytes("standard input", bytes).map_err(|wrong| wrong.render(color()));
    }
    let size = std::fs::metadata(path).map(|data| data.len());
    if size.is_ok_and(|size| size > LARGEST_BYTES as u64) {
        return Err(format!(
            "{name}: larger than {LARGEST_BYTES} bytes, the most a scenario may be"
        ));
    }
    let bytes = std::fs::read(path).map_err(|error| {
        let hint = example::instead_of(path);
        format!("can't read the scenario `{name}`: {error}\n  {hint}")
    })?;
    Source::from_bytes(name, bytes).map_err(|wrong| wrong.render(color()))
}

/// Reads and checks; mistakes and warnings go to standard error.
pub fn load(path: &Path, changes: &Changes, memory: &Memory) -> Result<(Source, Scenario), ()> {
    let source = read(path).map_err(|message| eprintln!("{message}"))?;
    if is_comparison(&source) {
        let name = &source.name;
        eprintln!(
            "error: `{name}` is a comparison, not a scenario: try `backwater compare {name}`"
        );
        return Err(());
    }
    check(source, changes, memory)
}

/// What results call it: the title, or the name of its file.
pub fn title(given: &str, source: &Source) -> String {
    match (given, Path::new(&source.name).file_stem()) {
        ("", Some(stem)) => stem.to_string_lossy().into_owned(),
        _ => given.into(),
    }
}

/// Checks what was read; mistakes and warnings go to standard error.
pub fn check(source: Source, changes: &Changes, memory: &Memory) -> Result<(Source, Scenario), ()> {
    let sets = sets(changes).map_err(|message| eprintln!("error: {message}"))?;
    match scenario::parse_with(&source, &sets, &memory.limits(1), &read_named) {
        Ok(scenario) => {
            if !scenario.warnings.is_empty() {
                eprintln!("{}", scenario.warnings.render(color()));
            }
            Ok((source, scenario))
        }
        Err(mistakes) => {
            eprintln!("{}", mistakes.render(color()));
            if mistakes.iter().any(|one| one.code == "out-of-memory") {
                memory.explain();
            }
            Err(())
        }
    }
}

/// Reads a file that a scenario names.
pub fn read_named(path: &Path) -> std::io::Result<String> {
    if std::fs::metadata(path)?.len() > LARGEST_FILE_BYTES as u64 {
        let most = LARGEST_FILE_BYTES >> 20;
        return Err(std::io::Error::other(format!(
            "it is larger than {most} MiB"
        )));
    }
    std::fs::read_to_string(path)
}

/// The changes of the command line as the scenario layer takes them.
pub fn sets(changes: &Changes) -> Result<Vec<Set>, String> {
    let mut sets = Vec::new();
    for text in &changes.sets {
        let Some((key, value)) = text.split_once('=') else {
            return Err(format!(
                "--set takes KEY=VALUE, as run.seed=3; this is `{text}`"
            ));
        };
        sets.push(Set {
            key: key.trim().into(),
            value: value.trim().into(),
        });
    }
    if let Some(seed) = changes.seed {
        sets.push(Set {
            key: "run.seed".into(),
            value: seed.to_string(),
        });
    }
    Ok(sets)
}

/// Colour on standard error only for people.
pub fn color() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}
