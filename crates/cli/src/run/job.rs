//! A run's directory: the scenario's words, and what was found.

use backwater_kernel::series::Thinned;
use backwater_kernel::words::{counted, grouped};
use backwater_kernel::{Duration, Stop};
use backwater_results::number::significant;
use backwater_results::{Check, DirectoryError, GivenUp, RunDirectory, RunInfo};
use backwater_scenario::{Scenario, Source};

use crate::{FAILED, SHORT_OF_MEMORY, SUCCESS, command_line, fail, files};
use backwater_run::{Audited, Engine, Found, Head};
use backwater_run::{interrupt, memory};

/// A run and the directory it fills.
pub struct Job {
    /// Where results go.
    pub directory: RunDirectory,
    checks: Vec<Check>,
    cell: Duration,
    given_up: Vec<GivenUp>,
    source: Source,
    named: Vec<Source>,
    title: String,
    about: String,
    resolved: String,
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
    /// Of this run.
    pub fn of(head: &Head) -> Ending {
        match (head.stop, head.broken) {
            (Stop::Interrupted, _) if memory::shortage().is_some() => Ending::ShortOfMemory,
            (Stop::Interrupted, _) => Ending::Interrupted,
            (Stop::Standstill, _) => Ending::Failed,
            (_, 0) => Ending::Done,
            _ => Ending::Failed,
        }
    }

    /// The run would have gone on.
    fn is_early(self) -> bool {
        matches!(self, Ending::Interrupted | Ending::ShortOfMemory)
    }
}

impl Job {
    /// A run of this scenario into this directory.
    pub fn new(
        source: Source,
        scenario: &Scenario,
        engine: &dyn Engine,
        directory: RunDirectory,
    ) -> Job {
        Job {
            title: files::title(&scenario.title, &source),
            directory,
            cell: engine.cell(),
            checks: Vec::new(),
            given_up: engine.given_up(),
            source,
            named: scenario.files.clone(),
            about: scenario.about.trim().to_owned(),
            resolved: scenario.resolved.clone(),
        }
    }

    /// What results say of the run besides its outcome.
    fn info(&self, wall_seconds: f64) -> RunInfo {
        RunInfo {
            name: self.title.clone(),
            description: self.about.clone(),
            command: command_line(),
            version: env!("CARGO_PKG_VERSION").into(),
            scenario: self.source.text.clone(),
            resolved: self.resolved.clone(),
            cell: self.cell,
            wall_seconds: Some(wall_seconds),
            checks: self.checks.clone(),
            given_up: self.given_up.clone(),
        }
    }

    /// Says what an audit of the run found, and what it cost.
    pub fn note_audit(
        &mut self,
        audit: &Audited,
        cpu_seconds: Option<f64>,
        plain: Option<PlainRun>,
    ) {
        let checks = counted(audit.checks, "promise");
        let mut what = format!("{checks} checked while running ({})", audit.coverage);
        if let Some(plain) = plain {
            if let (Some(with), Some(without)) = (cpu_seconds, plain.cpu_seconds) {
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
    fn note_thinned(&mut self, thinned: &[Thinned]) {
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
    fn note_memory(&mut self, ending: Ending, found: &dyn Found) {
        let Some(short) = memory::shortage().filter(|_| ending == Ending::ShortOfMemory) else {
            return;
        };
        let grew = found.grew();
        let what = format!("stopped in time, what was computed is kept: {short}; {grew}");
        eprintln!("error: memory: {what}");
        self.checks.push(Check {
            what: "memory".into(),
            holds: false,
            detail: what,
        });
    }

    /// Writes what there is.
    pub fn save(
        &mut self,
        found: &dyn Found,
        wall_seconds: f64,
        partial: bool,
    ) -> Result<(), DirectoryError> {
        let mut shown = found.shown(&self.info(wall_seconds));
        shown.manifest.partial |= partial;
        let directory = &mut self.directory;
        // First, so that none of them takes the place of a result.
        for file in &self.named {
            directory.write_named(&file.name, &file.text)?;
        }
        directory.write_scenario(&self.source.text, &self.resolved)?;
        directory.write_tables(&shown.tables)?;
        directory.write_series(&shown.told.series)?;
        directory.write_json("summary.json", &shown.summary)?;
        directory.write_report(&shown.report)?;
        directory.save_manifest(&shown.manifest)
    }

    /// Writes everything, prints the summary and says with which status to end.
    pub fn conclude(mut self, found: &mut dyn Found, wall_seconds: f64) -> u8 {
        let ending = Ending::of(&found.head());
        if let Some(still) = found.standstill() {
            eprintln!("{still}");
        }
        self.note_thinned(&found.told().thinned);
        self.note_memory(ending, found);
        if let Err(error) = self.save(found, wall_seconds, ending.is_early()) {
            return fail(error);
        }
        print!("{}", found.summary(&self.info(wall_seconds)));
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

/// What watching cost, in seconds of CPU.
fn cost(with: f64, without: f64) -> String {
    let times = with / without.max(1e-9);
    let (with, without) = (significant(with, 3), significant(without, 3));
    format!(", {times:.2} times the run's CPU time ({with} s against {without} s)")
}
