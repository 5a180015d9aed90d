//! The run directory: every file whole or absent, and nobody else's files touched.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use backwater_kernel::Series;
use backwater_kernel::words::printable;
use serde::Serialize;

use crate::csv;
use crate::model::{Report, Table};
use crate::number::Slugs;

mod disk;
mod earlier;
mod lock;
mod pages;

pub use disk::{
    fresh_file, is_plain, kind_of, open_file, read_at_most, read_file, remove_unfinished,
    write_whole,
};
pub use earlier::{POINTS, POINTS_LOG};
pub use lock::Holder;

use earlier::{FOLDERS, earlier_files, refuse_links, refuse_points};
use lock::Lock;

/// Marks a directory as a run directory and says what is in it.
pub const MANIFEST: &str = "manifest.json";
const PROGRAM: &str = "backwater";

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
    /// Fingerprint of everything sent, `h` and 16 hexadecimal digits.
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

/// Fields of a manifest that only a single run has.
const OF_ONE_RUN: [&str; 3] = ["unit_hops", "events_per_second", "ended_at_ps"];
/// Fields that a command without a scenario of its own leaves out too.
const OF_ONE_SCENARIO: [&str; 4] = ["scenario", "seed", "trace_hash", "events"];

impl Manifest {
    /// For a command of several runs: without what it would have to make up.
    pub fn of_several_runs(&self, of_one_scenario: bool) -> serde_json::Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            let is_wanted = |name: &str| {
                !OF_ONE_RUN.contains(&name) && (of_one_scenario || !OF_ONE_SCENARIO.contains(&name))
            };
            fields.retain(|name, _| is_wanted(name));
        }
        value
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
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    series: &'a [SeriesNote],
}

/// Which file holds which series: names of files leave letters out.
#[derive(Debug, Serialize)]
struct SeriesNote {
    file: String,
    name: String,
    unit: &'static str,
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
    pub hint: Cow<'static, str>,
}

impl DirectoryError {
    fn new(
        action: &'static str,
        path: impl Into<PathBuf>,
        source: impl Into<Option<io::Error>>,
        hint: impl Into<Cow<'static, str>>,
    ) -> DirectoryError {
        DirectoryError {
            action,
            path: path.into(),
            source: source.into(),
            hint: hint.into(),
        }
    }
}

impl fmt::Display for DirectoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = printable(&self.path.display().to_string());
        write!(f, "can't {} {path}", self.action)?;
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

/// A directory being filled, by one program at a time. Until [`RunDirectory::finish`] its manifest
/// says `partial`.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    files: Vec<String>,
    series: Vec<SeriesNote>,
    /// Files that a machine's stop may still take.
    unflushed: BTreeSet<String>,
    /// Files that grow while the run goes on.
    growing: BTreeSet<String>,
    lock: Lock,
}

/// One column of one table, for `columns.json`.
#[derive(Serialize)]
struct ColumnNote<'a> {
    name: String,
    heading: String,
    unit: &'a str,
    meaning: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
}

impl RunDirectory {
    /// Makes the directory, or takes over one of ours and clears what an earlier command left
    /// there. Refuses any other directory that isn't empty, one that another program is at work
    /// in, and one that holds points of a sweep.
    ///
    /// # Errors
    /// If it is refused, or can't be made or written.
    pub fn create(
        path: impl Into<PathBuf>,
        holder: &Holder,
    ) -> Result<RunDirectory, DirectoryError> {
        RunDirectory::open(path.into(), holder, false)
    }

    /// Takes a directory for a command that keeps points there: points of an earlier one stay.
    ///
    /// # Errors
    /// If it is refused, or can't be made or written.
    pub fn create_with_points(
        path: impl Into<PathBuf>,
        holder: &Holder,
    ) -> Result<RunDirectory, DirectoryError> {
        RunDirectory::open(path.into(), holder, true)
    }

    fn open(
        path: PathBuf,
        holder: &Holder,
        keeps_points: bool,
    ) -> Result<RunDirectory, DirectoryError> {
        fs::create_dir_all(&path).map_err(|source| {
            let hint = "choose another one with --out DIR";
            DirectoryError::new("make the directory", &path, source, hint)
        })?;
        // Before the lock, so that nothing is written into a directory that is not ours; and
        // after it, for what another program has written meanwhile.
        earlier_files(&path)?;
        let (lock, unlisted) = Lock::take(&path)?;
        let mut stale = earlier_files(&path)?;
        refuse_links(&path)?;
        if !keeps_points {
            refuse_points(&path)?;
        }
        stale.extend(unlisted);
        stale.retain(|file| file != MANIFEST && file != lock::LOCK);
        stale.sort();
        stale.dedup();
        let mut directory = RunDirectory {
            path,
            files: stale,
            series: Vec::new(),
            unflushed: BTreeSet::new(),
            growing: BTreeSet::new(),
            lock,
        };
        directory.begin(holder)?;
        Ok(directory)
    }

    fn begin(&mut self, holder: &Holder) -> Result<(), DirectoryError> {
        // First of all, so that a program killed from here on leaves a directory that is known
        // as ours, as unfinished, and with all that there is to clear.
        self.save_manifest(&Manifest {
            partial: true,
            stop: "not finished".into(),
            ..Manifest::default()
        })?;
        let begun = self.lock.begin(holder);
        begun.map_err(|error| self.unwritable(lock::LOCK, error))?;
        let stale = self.files.iter().filter(|file| *file != MANIFEST);
        stale.for_each(|stale| disk::remove_below(&self.path, stale));
        let folders = self.files.iter();
        let folders = folders.filter_map(|file| Path::new(file).parent());
        let folders = folders.chain([""].into_iter().chain(FOLDERS).map(Path::new));
        for folder in folders.collect::<BTreeSet<&Path>>() {
            remove_unfinished(&self.path.join(folder));
        }
        self.files.retain(|file| file == MANIFEST);
        Ok(())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Files written so far, relative to the directory.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Where to write a file that grows while the run goes on; it counts as ours. It is for
    /// [`fresh_file`], which takes the place of whatever has that name and follows no link.
    pub fn adopt(&mut self, name: &str) -> PathBuf {
        // A name that can't be noted is listed at the end all the same.
        let _ = self.note(name);
        self.growing.insert(name.into());
        self.path.join(name)
    }

    /// Writes one file, whole or not at all. `name` is relative; a link on its way is not
    /// followed. It lasts, whenever the machine stops, from the next manifest on.
    pub fn write(&mut self, name: &str, content: &[u8]) -> Result<(), DirectoryError> {
        self.write_by(name, |file| file.write_all(content))
    }

    /// The same of what is written bit by bit.
    fn write_by(
        &mut self,
        name: &str,
        content: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
    ) -> Result<(), DirectoryError> {
        let target = self.path.join(name);
        let written = if disk::is_plain(name) {
            let made = disk::make_folders(&self.path, name).and_then(|()| self.note(name));
            made.and_then(|()| disk::replace(&target, content))
        } else {
            let reason = "a file of a run directory can't be outside it";
            Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
        };
        written.map_err(|error| self.unwritable(name, error))?;
        self.unflushed.insert(name.into());
        Ok(())
    }

    /// From here on it counts as ours, also if the program is killed.
    fn note(&mut self, name: &str) -> io::Result<()> {
        if self.files.iter().any(|file| file == name) {
            return Ok(());
        }
        self.lock.note(name)?;
        self.files.push(name.into());
        Ok(())
    }

    fn unwritable(&self, name: &str, error: io::Error) -> DirectoryError {
        let hint = "make room or choose another directory with --out DIR";
        DirectoryError::new("write", self.path.join(name), error, hint)
    }

    /// Writes the scenario as given (`scenario.toml`) and with all defaults (`resolved.toml`).
    pub fn write_scenario(&mut self, given: &str, resolved: &str) -> Result<(), DirectoryError> {
        self.write("scenario.toml", given.as_bytes())?;
        self.write("resolved.toml", resolved.as_bytes())
    }

    /// Writes a file that the scenario names, so that the scenario runs from here too. One that
    /// lies neither beside the scenario nor below it stays where it is.
    pub fn write_named(&mut self, name: &str, text: &str) -> Result<(), DirectoryError> {
        if disk::is_plain(name) {
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
            self.write_by(&name, |file| csv::write_table(table, file))?;
            let notes: Vec<ColumnNote> = table
                .columns
                .iter()
                .zip(table.keys().into_iter().zip(table.kinds()))
                .map(|(c, (name, kind))| ColumnNote {
                    name,
                    heading: c.heading(),
                    unit: &c.unit,
                    meaning: &c.meaning,
                    kind: kind.word(),
                })
                .collect();
            let note = serde_json::json!({ "caption": table.caption, "columns": notes });
            columns.insert(name, note);
        }
        self.write_json("columns.json", &columns)
    }

    /// Writes `series/NAME.csv` for each series, every point; the manifest says which is which.
    pub fn write_series(&mut self, series: &[Series]) -> Result<(), DirectoryError> {
        let mut slugs = Slugs::default();
        self.series.clear();
        for one in series {
            let file = format!("series/{}.csv", slugs.unique(&one.name));
            self.write(&file, csv::series(one).as_bytes())?;
            self.series.push(SeriesNote {
                file,
                name: one.name.clone(),
                unit: one.unit,
            });
        }
        Ok(())
    }

    /// Writes `report.html` and `figures/ID.svg` for each of its plots.
    pub fn write_report(&mut self, report: &Report) -> Result<(), DirectoryError> {
        self.write_page("report", report)
    }

    /// Writes anything that serializes as indented JSON.
    pub fn write_json(&mut self, name: &str, value: &impl Serialize) -> Result<(), DirectoryError> {
        self.write_by(name, |file| {
            serde_json::to_writer_pretty(&mut *file, value)?;
            file.write_all(b"\n")
        })
    }

    /// Writes the manifest, last of all: with it the directory is complete.
    pub fn finish<M: Serialize>(mut self, manifest: &M) -> Result<PathBuf, DirectoryError> {
        self.save_manifest(manifest)?;
        Ok(self.path)
    }

    /// Writes the manifest of what is there so far; a later one takes its place.
    pub fn save_manifest<M: Serialize>(&mut self, manifest: &M) -> Result<(), DirectoryError> {
        if !self.files.iter().any(|file| file == MANIFEST) {
            self.files.push(MANIFEST.into());
        }
        let files = self.files.clone();
        let stored = Stored {
            program: PROGRAM,
            manifest,
            files: &files,
            series: &self.series,
        };
        let mut value =
            serde_json::to_value(&stored).map_err(|error| self.unserializable(MANIFEST, error))?;
        let in_cycles = value.get("cycles").is_some_and(serde_json::Value::is_u64);
        if let (true, Some(fields)) = (in_cycles, value.as_object_mut()) {
            fields.retain(|name, _| !EVENT_FIELDS.contains(&name.as_str()));
        }
        let text = serde_json::to_string_pretty(&value)
            .map_err(|error| self.unserializable(MANIFEST, error))?;
        // What a manifest lists is on the disk before it says so.
        self.flush()?;
        write_whole(&self.path.join(MANIFEST), format!("{text}\n").as_bytes())
            .map_err(|error| self.unwritable(MANIFEST, error))?;
        self.lock.all_listed();
        Ok(())
    }

    fn unserializable(&self, name: &str, error: serde_json::Error) -> DirectoryError {
        let (error, hint) = (io::Error::other(error), "please report this as a bug");
        DirectoryError::new("write", self.path.join(name), error, hint)
    }

    fn flush(&mut self) -> Result<(), DirectoryError> {
        let names: BTreeSet<&String> = self.unflushed.union(&self.growing).collect();
        let names = names.into_iter().map(String::as_str);
        disk::flush(&self.path, names).map_err(|error| self.unwritable("", error))?;
        self.unflushed.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
