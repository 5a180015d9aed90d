//! The run directory: every file whole or absent, and nobody else's files touched.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use packet::outcome::Series;
use serde::{Deserialize, Serialize};

use crate::model::{Plot, Report, Table};
use crate::number::Slugs;
use crate::{csv, html, svg};

/// Marks a directory as a run directory and says what is in it.
pub const MANIFEST: &str = "manifest.json";
const PROGRAM: &str = "backwater";
/// Held by a program that keeps others out of the directory.
const LOCK: &str = "lock";

/// What was run, how it went and what was checked.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Manifest {
    /// Version of the program.
    pub version: String,
    /// The command as given.
    pub command: String,
    /// The scenario with every default filled in, as TOML.
    pub scenario: String,
    /// Root of every random stream.
    pub seed: u64,
    /// Fingerprint of everything sent; 16 hexadecimal digits.
    pub trace_hash: String,
    /// Events handled.
    pub events: u64,
    /// Units that crossed a channel.
    pub unit_hops: u64,
    /// Cycles simulated, by the cycle engine; then the file leaves out what counts events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// Flits that crossed a channel, by the cycle engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flit_hops: Option<u64>,
    /// Flit hops per second of wall time, by the cycle engine, where measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flit_hops_per_second: Option<f64>,
    /// Wall time of the run in seconds, where measured.
    pub wall_seconds: Option<f64>,
    /// Events per second of wall time, where measured.
    pub events_per_second: Option<f64>,
    /// Why the run ended.
    pub stop: String,
    /// Simulated time reached, in picoseconds.
    pub ended_at_ps: u64,
    /// The run was cut short, or is not finished yet.
    pub partial: bool,
    /// What was checked and how it fared.
    pub checks: Vec<Check>,
    /// What was promised and how it fared, of engines that keep account of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promises: Option<Vec<Promise>>,
    /// Flows that got next to nothing, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Something checked.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What.
    pub what: String,
    /// It holds.
    pub holds: bool,
    /// Numbers behind it; empty for none.
    pub detail: String,
}

/// Something that was promised, and what came of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Promise {
    /// What.
    pub what: String,
    /// What came of it.
    pub state: PromiseState,
    /// Numbers behind it, or the line that gave it up; empty for none.
    pub detail: String,
}

/// What came of a promise.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromiseState {
    /// It was kept.
    Kept,
    /// It was broken: the run failed.
    Broken,
    /// The scenario gives it up.
    GivenUp,
}

impl PromiseState {
    /// For people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Broken => "broken",
            Self::GivenUp => "given up",
        }
    }
}

/// Fields of a manifest that say nothing about a run of the cycle engine.
const EVENT_FIELDS: [&str; 4] = ["events", "unit_hops", "events_per_second", "ended_at_ps"];

/// A manifest as it stands in the file.
#[derive(Serialize)]
struct Stored<'a, M> {
    program: &'a str,
    #[serde(flatten)]
    manifest: &'a M,
    files: &'a [String],
}

/// What is read back from a manifest: enough to know it for ours and to clear up.
#[derive(Deserialize)]
struct Marker {
    program: String,
    #[serde(default)]
    files: Vec<String>,
}

/// A directory could not be made or a file not written.
#[derive(Debug)]
pub struct DirectoryError {
    /// What was being done, such as "write".
    pub action: &'static str,
    /// Where.
    pub path: PathBuf,
    /// The system's reason, where there is one.
    pub source: Option<io::Error>,
    /// A way to go on.
    pub hint: &'static str,
}

impl fmt::Display for DirectoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "can't {} {}", self.action, self.path.display())?;
        if let Some(source) = &self.source {
            write!(f, ": {source}")?;
        }
        write!(f, "; {}", self.hint)
    }
}

impl std::error::Error for DirectoryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|error| error as _)
    }
}

/// A directory being filled. Until [`RunDirectory::finish`] its manifest says `partial`.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    files: Vec<String>,
}

/// One column of one table, for `columns.json`.
#[derive(Serialize)]
struct ColumnNote<'a> {
    name: &'a str,
    unit: &'a str,
    meaning: &'a str,
}

impl RunDirectory {
    /// Makes the directory, or takes over one of ours and clears what an earlier run left there.
    /// Refuses any other directory that isn't empty.
    pub fn create(path: impl Into<PathBuf>) -> Result<RunDirectory, DirectoryError> {
        let path = path.into();
        fs::create_dir_all(&path).map_err(|source| DirectoryError {
            action: "make the directory",
            path: path.clone(),
            source: Some(source),
            hint: "choose another one with --out DIR",
        })?;
        let mut stale = earlier_files(&path)?;
        stale.retain(|file| file != MANIFEST);
        let mut directory = RunDirectory { path, files: stale };
        // First of all, so that a program killed from here on leaves a directory that is known
        // as ours, as unfinished, and with all that there is to clear.
        directory.store_manifest(&Manifest {
            partial: true,
            stop: "not finished".into(),
            ..Manifest::default()
        })?;
        for stale in directory.files.iter().filter(|file| *file != MANIFEST) {
            // What can't be removed is either gone already or overwritten soon.
            let _ = fs::remove_file(directory.path.join(stale));
        }
        let folders = directory
            .files
            .iter()
            .filter_map(|file| Path::new(file).parent());
        let folders = folders.chain(["", "tables", "series", "figures"].map(Path::new));
        for folder in folders.collect::<BTreeSet<&Path>>() {
            remove_unfinished(&directory.path.join(folder));
        }
        directory.files.retain(|file| file == MANIFEST);
        Ok(directory)
    }

    /// Keeps every other program that asks for the same out of the directory until the file is
    /// dropped or the program ends, however it ends. To be called before
    /// [`RunDirectory::create`]; refuses the same directories.
    pub fn lock(path: &Path) -> Result<File, DirectoryError> {
        let fail = |action, source, hint| DirectoryError {
            action,
            path: path.into(),
            source,
            hint,
        };
        let other = "choose another one with --out DIR";
        fs::create_dir_all(path).map_err(|e| fail("make the directory", Some(e), other))?;
        earlier_files(path)?;
        let lock = File::create(path.join(LOCK));
        let lock = lock.map_err(|e| fail("write in", Some(e), other))?;
        match lock.try_lock() {
            Ok(()) => Ok(lock),
            Err(TryLockError::WouldBlock) => Err(fail(
                "use",
                None,
                "another backwater is at work there; wait for it, or choose --out DIR",
            )),
            Err(TryLockError::Error(error)) => Err(fail("lock", Some(error), other)),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Files written so far, relative to the directory.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Where to write a file that grows while the run goes on; it counts as ours.
    pub fn adopt(&mut self, name: &str) -> PathBuf {
        if !self.files.iter().any(|file| file == name) {
            self.files.push(name.into());
        }
        self.path.join(name)
    }

    /// Writes one file, whole or not at all. `name` is relative and may hold one folder.
    pub fn write(&mut self, name: &str, content: &[u8]) -> Result<(), DirectoryError> {
        let target = self.path.join(name);
        let fail = |source| DirectoryError {
            action: "write",
            path: target.clone(),
            source: Some(source),
            hint: "make room or choose another directory with --out DIR",
        };
        if !is_plain(name) {
            let reason = "a file of a run directory can't lie outside it";
            return Err(fail(io::Error::new(io::ErrorKind::InvalidInput, reason)));
        }
        write_whole(&target, content).map_err(fail)?;
        if !self.files.iter().any(|file| file == name) {
            self.files.push(name.into());
        }
        Ok(())
    }

    /// Writes the scenario as given (`scenario.toml`) and with all defaults (`resolved.toml`).
    pub fn write_scenario(&mut self, given: &str, resolved: &str) -> Result<(), DirectoryError> {
        self.write("scenario.toml", given.as_bytes())?;
        self.write("resolved.toml", resolved.as_bytes())
    }

    /// Writes a file that the scenario names, so that the scenario runs from here too. One that
    /// lies neither beside the scenario nor below it stays where it is.
    pub fn write_named(&mut self, name: &str, text: &str) -> Result<(), DirectoryError> {
        if is_plain(name) {
            self.write(name, text.as_bytes())?;
        }
        Ok(())
    }

    /// Writes `tables/NAME.csv` for each table, and `columns.json` for all.
    pub fn write_tables(&mut self, tables: &[Table]) -> Result<(), DirectoryError> {
        let mut slugs = Slugs::default();
        let mut columns = serde_json::Map::new();
        for table in tables {
            let name = format!("tables/{}.csv", slugs.unique_path(&table.name));
            self.write(&name, csv::table(table).as_bytes())?;
            let notes: Vec<ColumnNote> = table
                .columns
                .iter()
                .map(|c| ColumnNote {
                    name: &c.name,
                    unit: &c.unit,
                    meaning: &c.meaning,
                })
                .collect();
            let note = serde_json::json!({ "caption": table.caption, "columns": notes });
            columns.insert(name, note);
        }
        self.write_json("columns.json", &columns)
    }

    /// Writes `series/NAME.csv` for each series, every point of it.
    pub fn write_series(&mut self, series: &[Series]) -> Result<(), DirectoryError> {
        let mut slugs = Slugs::default();
        for one in series {
            let name = format!("series/{}.csv", slugs.unique(&one.name));
            self.write(&name, csv::series(one).as_bytes())?;
        }
        Ok(())
    }

    /// Writes `report.html` and `figures/ID.svg` for each of its plots.
    pub fn write_report(&mut self, report: &Report) -> Result<(), DirectoryError> {
        let mut plots: Vec<&Plot> = Vec::new();
        html::each_plot(&report.blocks, &mut |plot| plots.push(plot));
        let mut slugs = Slugs::default();
        for plot in plots {
            let name = format!("figures/{}.svg", slugs.unique_path(&plot.id));
            self.write(&name, svg::svg(plot).as_bytes())?;
        }
        self.write("report.html", html::page(report).as_bytes())
    }

    /// Writes anything that serializes as indented JSON.
    pub fn write_json<T: Serialize>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<(), DirectoryError> {
        let text = serde_json::to_string_pretty(value)
            .map_err(|error| self.unserializable(name, error))?;
        self.write(name, format!("{text}\n").as_bytes())
    }

    /// Writes the manifest, last of all: with it the directory is complete.
    pub fn finish(mut self, manifest: &Manifest) -> Result<PathBuf, DirectoryError> {
        self.store_manifest(manifest)?;
        Ok(self.path)
    }

    /// Writes the manifest of what is there so far; a later one takes its place.
    pub fn save_manifest<M: Serialize>(&mut self, manifest: &M) -> Result<(), DirectoryError> {
        self.store_manifest(manifest)
    }

    fn unserializable(&self, name: &str, error: serde_json::Error) -> DirectoryError {
        DirectoryError {
            action: "write",
            path: self.path.join(name),
            source: Some(io::Error::other(error)),
            hint: "please report this as a bug",
        }
    }

    fn store_manifest<M: Serialize>(&mut self, manifest: &M) -> Result<(), DirectoryError> {
        let files = self.files.clone();
        let stored = Stored {
            program: PROGRAM,
            manifest,
            files: &files,
        };
        let mut value =
            serde_json::to_value(&stored).map_err(|error| self.unserializable(MANIFEST, error))?;
        let in_cycles = value.get("cycles").is_some_and(serde_json::Value::is_u64);
        if let (true, Some(fields)) = (in_cycles, value.as_object_mut()) {
            fields.retain(|name, _| !EVENT_FIELDS.contains(&name.as_str()));
        }
        self.write_json(MANIFEST, &value)
    }
}

/// Files an earlier run left in `path`; an error where the directory isn't ours.
fn earlier_files(path: &Path) -> Result<Vec<String>, DirectoryError> {
    let unreadable = |source| DirectoryError {
        action: "read",
        path: path.into(),
        source: Some(source),
        hint: "choose another directory with --out DIR",
    };
    let entries = fs::read_dir(path).map_err(unreadable)?;
    let is_crumb = |name: &str| name == LOCK || is_temporary(name);
    let names = entries.flatten().map(|entry| entry.file_name());
    if names
        .map(|name| name.to_string_lossy().into_owned())
        .all(|name| is_crumb(&name))
    {
        // Nothing, or what a program left that was killed before its first manifest.
        return Ok(Vec::new());
    }
    let foreign = |source| DirectoryError {
        action: "use",
        path: path.into(),
        source,
        hint: "it holds files but no manifest.json of this program, and nothing in it was touched; \
               choose another directory with --out DIR, or empty this one",
    };
    let text = match fs::read_to_string(path.join(MANIFEST)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(foreign(None)),
        Err(error) => return Err(foreign(Some(error))),
    };
    match serde_json::from_str::<Marker>(&text) {
        Ok(marker) if marker.program == PROGRAM => {
            Ok(marker.files.into_iter().filter(|f| is_plain(f)).collect())
        }
        _ => Err(foreign(None)),
    }
}

/// A relative name without any way out of the directory.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && Path::new(name)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}

/// Is it one of the names that [`write_whole`] gives to files it has not finished?
fn is_temporary(name: &str) -> bool {
    let stem = name
        .strip_suffix(".tmp")
        .and_then(|stem| stem.rsplit_once('.'));
    stem.is_some_and(|(_, id)| !id.is_empty() && id.bytes().all(|c| c.is_ascii_digit()))
}

/// Removes what programs left in `folder` that were killed while they wrote.
pub fn remove_unfinished(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    for name in names.filter(|name| is_temporary(&name.to_string_lossy())) {
        // What can't be removed is in nobody's way.
        let _ = fs::remove_file(folder.join(name));
    }
}

/// Temporary file, flushed to the disk, then renamed: a reader sees the old file or the new one,
/// whenever the program or the machine stops.
pub fn write_whole(target: &Path, content: &[u8]) -> io::Result<()> {
    let folder = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = target.with_file_name(name);
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&temporary, target)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written?;
    // The rename itself lasts once the folder is flushed; not every system can do that.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}
