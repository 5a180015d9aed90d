//! What runs of both engines share: the scenario's words and the run directory.

use backwater_kernel::series::Thinned;
use backwater_kernel::words::{counted, grouped};
use backwater_kernel::{Duration, Series};
use backwater_results::number::significant;
use backwater_results::{
    Check, DirectoryError, GivenUp, Manifest, Report, RunDirectory, RunInfo, Table,
};
use backwater_scenario::{Scenario, Source};
use serde_json::Value;

use super::Options;
use crate::{FAILED, SHORT_OF_MEMORY, SUCCESS, command_line, fail, files, interrupt, memory};

/// A point of a series, copied for results and again for its figure.
const POINT_BYTES: u64 = 40;
/// A point as text; the series of a run are written one by one.
const TEXT_BYTES: u64 = 96;

/// A run and the directory it fills.
pub struct Job<'a> {
    /// What was asked for.
    pub options: &'a Options,
    /// Where results go.
    pub directory: RunDirectory,
    /// What was checked so far.
    pub checks: Vec<Check>,
    given_up: Vec<GivenUp>,
    source: Source,
    named: Vec<Source>,
    title: String,
    about: String,
    resolved: String,
}

/// All that a run directory shows of a run.
pub struct Shown<'a> {
    /// Tables, each a CSV file.
    pub tables: Vec<Table>,
    /// Time series, each a CSV file.
    pub series: &'a [Series],
    /// For `summary.json`.
    pub summary: Value,
    /// The page.
    pub report: Report,
    /// For `manifest.json`.
    pub manifest: Manifest,
}

/// What an audit of a run found.
pub struct Audited {
    /// Checks made.
    pub checks: u64,
    /// What was checked always, and what now and then.
    pub coverage: String,
    /// Promises broken.
    pub broken: u64,
    /// CPU time of the run with it.
    pub cpu_seconds: Option<f64>,
    /// The same run without it, if there is anything to compare.
    pub plain: Option<PlainRun>,
}

/// A run without its audit.
pub struct PlainRun {
    /// CPU time it took.
    pub cpu_seconds: Option<f64>,
    /// It had the trace hash of the run with audit.
    pub same_hash: bool,
}

/// How a run ended, for the exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// As it should.
    Done,
    /// With a promise broken, in a deadlock or at a standstill.
    Failed,
    /// By a signal, such as that of Ctrl-C.
    Interrupted,
    /// In time, before memory ran out.
    ShortOfMemory,
}

impl Ending {
    /// Of a run that was told to stop.
    pub fn of_stopped() -> Ending {
        match memory::shortage() {
            Some(_) => Ending::ShortOfMemory,
            None => Ending::Interrupted,
        }
    }

    /// The run would have gone on.
    pub fn is_early(self) -> bool {
        matches!(self, Ending::Interrupted | Ending::ShortOfMemory)
    }
}

/// Is the run to stop, for Ctrl-C or before memory runs out? Its series hold so many points in
/// all, the longest so many.
pub fn must_stop((points, longest): (usize, usize)) -> bool {
    let bytes = points as u64 * POINT_BYTES + longest as u64 * TEXT_BYTES;
    interrupt::is_set() || memory::is_short_beside(bytes)
}

/// Names what takes most memory: of what waits, and of series by their points.
pub fn grown<'a>(
    unit: &str,
    waiting: impl Iterator<Item = (&'a str, u64)> + Clone,
    points: impl Iterator<Item = (&'a str, usize)>,
) -> String {
    let all: u64 = waiting.clone().map(|one| one.1).sum();
    let waits = match waiting.max_by_key(|one| one.1) {
        Some((name, most)) => format!(
            "{} wait in sources and queues, {} of them of {name}",
            counted(all, unit),
            grouped(most)
        ),
        None => format!("no {unit} waits"),
    };
    match points.max_by_key(|one| one.1).filter(|one| one.1 > 0) {
        Some((name, most)) => format!(
            "{waits}; the longest series is `{name}`, {}",
            counted(most, "point")
        ),
        None => waits,
    }
}

/// After how many of the units of a run an audit looked at something, and how far apart.
pub fn turns(what: &str, unit: &str, [looked, of, within]: [u64; 3]) -> String {
    let share = 100.0 * looked as f64 / of.max(1) as f64;
    let within = counted(within, unit);
    format!("{what} after {share:.2} % of them, at most {within} apart")
}

impl<'a> Job<'a> {
    /// A run of this scenario into this directory.
    pub fn new(
        options: &'a Options,
        source: Source,
        scenario: &Scenario,
        directory: RunDirectory,
    ) -> Job<'a> {
        Job {
            title: files::title(&scenario.title, &source),
            options,
            directory,
            checks: Vec::new(),
            given_up: given_up(scenario),
            source,
            named: scenario.files.clone(),
            about: scenario.about.trim().to_owned(),
            resolved: scenario.resolved.clone(),
        }
    }

    /// What results say of the run besides its outcome. `cell` is the unit of time shown first.
    pub fn info(&self, cell: Duration, wall_seconds: f64) -> RunInfo {
        RunInfo {
            name: self.title.clone(),
            description: self.about.clone(),
            command: command_line(),
            version: env!("CARGO_PKG_VERSION").into(),
            scenario: self.source.text.clone(),
            resolved: self.resolved.clone(),
            cell,
            wall_seconds: Some(wall_seconds),
            checks: self.checks.clone(),
            given_up: self.given_up.clone(),
        }
    }

    /// Says what an audit of the run found, and what it cost.
    pub fn note_audit(&mut self, audit: &Audited) {
        let checks = counted(audit.checks, "promise");
        let mut what = format!("{checks} checked while running ({})", audit.coverage);
        if let Some(plain) = &audit.plain {
            if let (Some(with), Some(without)) = (audit.cpu_seconds, plain.cpu_seconds) {
                what += &cost(with, without);
            }
            what += match plain.same_hash {
                true => "; trace hash the same without",
                false => "; trace hash DIFFERENT without",
            };
        }
        eprintln!("audit: {what}");
        self.checks.push(Check {
            what: "promises while running".into(),
            holds: audit.broken == 0,
            detail: what,
        });
    }

    /// Says which series are thinned, and what they hold.
    pub fn note_thinned(&mut self, thinned: &[Thinned]) {
        for one in thinned {
            let group = grouped(one.group);
            let what = match one.windowed {
                true => format!("its windows are {group} times as long as the scenario says"),
                false => format!(
                    "of {group} consecutive points it holds the smallest and \
                                  largest"
                ),
            };
            let what = format!("`{}` exceeded its bound: {what}", one.name);
            eprintln!("note: series: {what}");
            self.checks.push(Check {
                what: "series".into(),
                holds: true,
                detail: what,
            });
        }
    }

    /// Says why the run stopped early, if that was for memory, and what grew.
    pub fn note_memory(&mut self, ending: Ending, grew: &str) {
        let Some(short) = memory::shortage().filter(|_| ending == Ending::ShortOfMemory) else {
            return;
        };
        let what = format!("stopped in time, what was computed is kept: {short}; {grew}");
        eprintln!("error: memory: {what}");
        self.checks.push(Check {
            what: "memory".into(),
            holds: false,
            detail: what,
        });
    }

    /// Writes what there is.
    pub fn save(&mut self, shown: &Shown<'_>) -> Result<(), DirectoryError> {
        let directory = &mut self.directory;
        // First, so that none of them takes the place of a result.
        for file in &self.named {
            directory.write_named(&file.name, &file.text)?;
        }
        directory.write_scenario(&self.source.text, &self.resolved)?;
        directory.write_tables(&shown.tables)?;
        directory.write_series(shown.series)?;
        directory.write_json("summary.json", &shown.summary)?;
        directory.write_report(&shown.report)?;
        directory.save_manifest(&shown.manifest)
    }

    /// Writes everything, prints the summary and says with which status to end.
    pub fn conclude(mut self, shown: &Shown<'_>, summary: &str, ending: Ending) -> u8 {
        if let Err(error) = self.save(shown) {
            return fail(error);
        }
        print!("{summary}");
        let report = self.directory.path().join("report.html");
        println!("report: {}", files::shown(&report));
        match ending {
            Ending::Done => SUCCESS,
            Ending::Failed => FAILED,
            Ending::Interrupted => interrupt::status(),
            Ending::ShortOfMemory => SHORT_OF_MEMORY,
        }
    }
}

/// Where the scenario lets lossless classes lose frames.
fn given_up(scenario: &Scenario) -> Vec<GivenUp> {
    let ethernet = scenario.ethernet();
    let all = ethernet.map_or(&[][..], |ethernet| &ethernet.given_up);
    let one = |own: &backwater_scenario::GivenUp| GivenUp {
        classes: own.classes,
        nodes: own.nodes.clone(),
        by: own.by.clone(),
    };
    all.iter().map(one).collect()
}

/// What watching cost, in seconds of CPU.
fn cost(with: f64, without: f64) -> String {
    let times = with / without.max(1e-9);
    let (with, without) = (significant(with, 3), significant(without, 3));
    format!(", {times:.2} times the run's CPU time ({with} s against {without} s)")
}
