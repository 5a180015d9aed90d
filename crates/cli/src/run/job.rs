//! What runs of both engines share: the scenario's words and the run directory.

use kernel::Duration;
use kernel::words::counted;
use packet::outcome::Series;
use results::number::significant;
use results::{Check, DirectoryError, Manifest, Report, RunDirectory, RunInfo, Table};
use scenario::{Scenario, Source};
use serde_json::Value;

use super::Options;
use crate::{FAILED, SUCCESS, command_line, fail, files, interrupt};

/// A run and the directory it fills.
pub struct Job<'a> {
    /// What was asked for.
    pub options: &'a Options,
    /// Where results go.
    pub directory: RunDirectory,
    /// What was checked so far.
    pub checks: Vec<Check>,
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
        }
    }

    /// Says what an audit of the run found, and what it cost.
    pub fn note_audit(&mut self, audit: &Audited) {
        let mut what = format!("{} checked while running", counted(audit.checks, "promise"));
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
        }
    }
}

/// What watching cost, in seconds of CPU.
fn cost(with: f64, without: f64) -> String {
    let times = with / without.max(1e-9);
    let (with, without) = (significant(with, 3), significant(without, 3));
    format!(", {times:.2} times the run's CPU time ({with} s against {without} s)")
}
