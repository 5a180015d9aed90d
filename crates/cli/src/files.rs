//! Scenario files: reading, checking, telling what is wrong.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backwater_kernel::words::printable;
use backwater_results::directory::{kind_of, open_file, read_at_most, read_file};
use backwater_scenario::compare::is_comparison;
use backwater_scenario::{
    Diagnostics, EthernetScenario, LARGEST_BYTES, LARGEST_FILE_BYTES, Load, Reopen, Scenario, Set,
    Source, text_of,
};

use crate::{Changes, complain, document, example};
use backwater_run::memory::Memory;

/// Other names of standard input.
const STANDARD_INPUT: [&str; 4] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// What a scenario from there is called.
pub const FROM_INPUT: &str = "standard input";

/// Reads a scenario file; `-` is standard input, and the name of a scenario that comes with the
/// program, as `ethernet/dcqcn`, stands for it where there is no such file.
///
/// # Errors
/// If it can't be read or holds no text: what to tell people.
pub fn read(path: &Path) -> Result<Source, String> {
    let most = LARGEST_BYTES as u64;
    let source =
        |name: &str, bytes| Source::from_bytes(name, bytes).map_err(|wrong| rendered(&wrong));
    if STANDARD_INPUT.iter().any(|name| path == Path::new(name)) {
        return match read_at_most(io::stdin(), most) {
            Ok(bytes) => source(FROM_INPUT, bytes),
            Err(error) => Err(format!("{FROM_INPUT}: {error}")),
        };
    }
    let bytes = match is_pipe_of_shell(path) {
        true => File::open(path).and_then(|pipe| read_at_most(pipe, most)),
        false => read_file(path, most),
    };
    match bytes {
        Ok(bytes) => source(&path.display().to_string(), bytes),
        Err(error) => {
            let shipped = example::of_name(path).filter(|_| error.kind() == ErrorKind::NotFound);
            if let Some(shipped) = shipped {
                return source(shipped.path, shipped.text.into());
            }
            let hint = match error.kind() {
                ErrorKind::NotFound => format!("\n  {}", example::instead_of(path)),
                _ => String::new(),
            };
            let name = shown(path);
            Err(format!("can't read the scenario `{name}`: {error}{hint}"))
        }
    }
}

/// A pipe that a shell has opened, as in `check <(sed ... FILE)`: no other pipe is opened, since
/// that could last for ever.
fn is_pipe_of_shell(path: &Path) -> bool {
    let folders = ["/dev/fd", "/proc/self/fd"].map(Path::new);
    let is_open = path
        .parent()
        .is_some_and(|folder| folders.contains(&folder));
    let kind = std::fs::metadata(path).map(|data| kind_of(data.file_type()));
    is_open && kind.is_ok_and(|kind| kind == "a named pipe")
}

/// Checks, before hours of work, that a file can be written there at the end.
///
/// # Errors
/// If there is no such folder, or a folder in the place of the file.
pub fn is_place(file: Option<&PathBuf>) -> Result<(), String> {
    let Some(file) = file else {
        return Ok(());
    };
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let fault = match folder {
        _ if file.is_dir() => "it is a folder",
        Some(folder) if !folder.is_dir() => "there is no such folder",
        _ => return Ok(()),
    };
    Err(format!("can't write `{}`: {fault}", shown(file)))
}

/// That a file can be written without the loss of one that is read for it.
pub fn spares<'p>(
    file: Option<&PathBuf>,
    mut inputs: impl Iterator<Item = &'p Path>,
) -> Result<(), String> {
    let Some(there) = file.and_then(|file| file.canonicalize().ok()) else {
        return Ok(());
    };
    let is_it = |input: &Path| input.canonicalize().is_ok_and(|input| input == there);
    match inputs.find(|input| is_it(input)) {
        None => Ok(()),
        Some(input) => Err(format!(
            "`--out` is `{}`, which is read: name another file",
            shown(input)
        )),
    }
}

/// A path as it may be printed.
pub fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}

/// Reads and checks; mistakes and warnings go to standard error.
pub fn load(path: &Path, changes: &Changes, memory: &Memory) -> Result<(Source, Scenario), ()> {
    let source = read(path).map_err(|message| {
        complain(&message);
    })?;
    if is_comparison(&source) {
        let name = printable(&source.name);
        complain(&format!(
            "`{name}` is a comparison, not a scenario: try `backwater compare {name}`"
        ));
        return Err(());
    }
    check(source, changes, memory)
}

/// Checks what was read; mistakes and warnings go to standard error.
pub fn check(source: Source, changes: &Changes, memory: &Memory) -> Result<(Source, Scenario), ()> {
    let sets = sets(changes).map_err(|message| {
        complain(&message);
    })?;
    match backwater_scenario::parse_with(&source, &sets, &memory.limits(1), &Disk) {
        Ok(scenario) => {
            if !scenario.warnings.is_empty() {
                eprintln!("{}", rendered(&scenario.warnings));
            }
            Ok((source, scenario))
        }
        Err(mistakes) => {
            complain(&rendered(&mistakes));
            if mistakes.iter().any(|one| one.code == "out-of-memory") {
                memory.explain();
            }
            Err(())
        }
    }
}

/// What was built of a scenario of frames that is refused; says nothing.
pub fn refused(source: &Source, changes: &Changes, memory: &Memory) -> Option<EthernetScenario> {
    let sets = sets(changes).ok()?;
    backwater_scenario::refused(source, &sets, &memory.limits(1), &Disk)
}

/// Reads a file that a scenario names.
///
/// # Errors
/// If it can't be read, is too large or holds no text.
pub fn read_named(path: &Path) -> io::Result<String> {
    text_of(read_file(path, LARGEST_FILE_BYTES as u64)?)
}

/// Files that a scenario names, where they lie.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Load for Disk {
    fn text(&self, path: &Path) -> io::Result<String> {
        read_named(path)
    }

    fn reopen(&self, path: &Path) -> io::Result<Reopen> {
        open_file(path)?;
        let path = path.to_owned();
        Ok(Arc::new(move || Ok(Box::new(open_file(&path)?))))
    }
}

/// A key and its value; `usage` says how they are given.
pub fn set_of(text: &str, usage: &str) -> Result<Set, String> {
    let (key, value) = text
        .split_once('=')
        .ok_or_else(|| format!("{usage}; this is `{text}`"))?;
    Ok(Set {
        key: key.trim().into(),
        value: value.trim().into(),
    })
}

/// The changes of the command line as the scenario layer takes them.
pub fn sets(changes: &Changes) -> Result<Vec<Set>, String> {
    let mut sets = Vec::new();
    for text in &changes.sets {
        sets.push(set_of(text, "--set takes KEY=VALUE, as run.seed=3")?);
    }
    if let Some(seed) = changes.seed {
        if let Some(other) = sets.iter().find(|set| set.key == "run.seed") {
            let other = &other.value;
            return Err(format!(
                "--seed {seed} and --set run.seed={other} are two seeds: give one"
            ));
        }
        sets.push(Set {
            key: "run.seed".into(),
            value: seed.to_string(),
        });
    }
    Ok(sets)
}

/// Mistakes as text for standard error; none where a document takes them.
pub fn rendered(mistakes: &Diagnostics) -> String {
    match document::takes(mistakes) {
        true => String::new(),
        false => mistakes.render(color()),
    }
}

/// Colour on standard error only for people who did not refuse it.
pub fn color() -> bool {
    let refused = std::env::var_os("NO_COLOR");
    !document::is_wanted() && io::stderr().is_terminal() && !is_refused(refused.as_deref())
}

/// An empty `NO_COLOR` refuses nothing: <https://no-color.org>.
fn is_refused(no_color: Option<&OsStr>) -> bool {
    no_color.is_some_and(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_no_color_leaves_colour_on() {
        let refused = |value: &str| is_refused(Some(OsStr::new(value)));
        assert!(refused("1") && refused("0"));
        assert!(!refused("") && !is_refused(None));
    }
}
