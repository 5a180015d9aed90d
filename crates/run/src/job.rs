//! A run with its words: what a directory of results, a page and an exit status say of it.

mod beside;

use std::path::Path;

use backwater_kernel::series::Thinned;
use backwater_kernel::words::{counted, grouped, printable};
use backwater_kernel::{Series, Stop};
use backwater_results::number::significant;
use backwater_results::{Check, DirectoryError, GivenUp, RunDirectory, RunInfo};
use backwater_scenario::{Scenario, Source};

use crate::{Audited, Engine, Found, Head, Pace, Run, Shown, memory, must_stop};

/// What is known of a run besides what it finds.
pub struct Job {
    /// The command, or whatever else makes it again.
    command: String,
    checks: Vec<Check>,
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
    pub fn is_early(self) -> bool {
        matches!(self, Ending::Interrupted | Ending::ShortOfMemory)
    }
}

/// Runs in slices, to the end or until something asks to stop. After each slice `between` may look
/// at the run; it is told whether the run goes on.
///
/// # Errors
/// If what looks on can't write, or `between` has one: the run is stopped then.
pub fn simulate<E: From<String>>(
    run: &mut dyn Run<'_>,
    pace: &mut Pace,
    mut between: impl FnMut(&mut dyn Run<'_>, &mut Pace, bool) -> Result<(), E>,
) -> Result<(), E> {
    loop {
        let more = run.advance(pace);
        run.looks().flush()?;
        let goes_on = more && !must_stop(run.looks().points());
        between(run, pace, goes_on)?;
        if !goes_on {
            break;
        }
    }
    if must_stop((0, 0)) {
        run.look_over();
    }
    Ok(())
}

/// What results call a scenario: the title, or the name of its file.
pub fn title(given: &str, source: &Source) -> String {
    match (given, Path::new(&source.name).file_stem()) {
        ("", Some(stem)) => printable(&stem.to_string_lossy()),
        _ => given.into(),
    }
}

impl Job {
    /// A run of this scenario, which this command makes again.
    pub fn new(source: Source, scenario: &Scenario, engine: &dyn Engine, command: String) -> Job {
        let (resolved, named) = beside::beside(scenario);
        Job {
            title: title(&scenario.title, &source),
            command,
            checks: Vec::new(),
            given_up: engine.given_up(),
            source,
            named,
            about: scenario.about.trim().to_owned(),
            resolved,
        }
    }

    /// What results say of the run besides its outcome.
    pub fn info(&self, wall_seconds: f64) -> RunInfo {
        RunInfo {
            name: self.title.clone(),
            description: self.about.clone(),
            command: self.command.clone(),
            version: env!("CARGO_PKG_VERSION").into(),
            scenario: self.source.text.clone(),
            resolved: self.resolved.clone(),
            wall_seconds: Some(wall_seconds),
            checks: self.checks.clone(),
            given_up: self.given_up.clone(),
        }
    }

    /// Notes which series are thinned or empty, and why the run stopped early if that was for
    /// memory.
    pub fn note(&mut self, found: &mut dyn Found) {
        self.note_thinned(&found.told().thinned);
        self.note_empty(&found.told().series);
        self.note_memory(found);
    }

    /// Notes what an audit of the run found and what it cost, and says so.
    pub fn note_audit(
        &mut self,
        audit: &Audited,
        cpu_seconds: Option<f64>,
        plain: Option<PlainRun>,
    ) -> String {
        let checks = counted(audit.checks, "promise");
        let mut what = format!("{checks} checked while running ({})", audit.coverage);
        let is_same = plain.as_ref().is_none_or(|plain| plain.same_hash);
        if let Some(plain) = plain {
            if let (Some(with), Some(without)) = (cpu_seconds, plain.cpu_seconds) {
                what += &cost(with, without);
            }
            what += match plain.same_hash {
                true => "; trace hash the same without",
                false => "; trace hash DIFFERENT without",
            };
        }
        self.checks.push(Check {
            what: "promises while running".into(),
            holds: audit.broken == 0 && is_same,
            detail: what.clone(),
        });
        what
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
            self.note_series(format!("`{}` exceeded its bound: {what}", one.name));
        }
    }

    /// Says which series have nothing to show, since the run ended before a window of theirs.
    fn note_empty(&mut self, series: &[Series]) {
        let empty: Vec<&Series> = series.iter().filter(|one| one.y.is_empty()).collect();
        if let Some(first) = empty.first() {
            let which = match empty.len() {
                1 => format!("`{}` has no window", first.name),
                several => format!("`{}` and {} more have no window", first.name, several - 1),
            };
            self.note_series(format!(
                "{which} that was over when the run ended; `window` sets how long they are, and \
                 follows `run.duration` where it is left out"
            ));
        }
    }

    fn note_series(&mut self, what: String) {
        log::info!("series: {what}");
        self.checks.push(Check {
            what: "series".into(),
            holds: true,
            detail: what,
        });
    }

    /// Says why the run stopped early, if that was for memory, and what grew.
    fn note_memory(&mut self, found: &dyn Found) {
        let is_short = Ending::of(&found.head()) == Ending::ShortOfMemory;
        let Some(short) = memory::shortage().filter(|_| is_short) else {
            return;
        };
        let grew = found.grew();
        let what = format!("stopped in time, what was computed is kept: {short}; {grew}");
        log::error!("memory: {what}");
        self.checks.push(Check {
            what: "memory".into(),
            holds: false,
            detail: what,
        });
    }

    /// All that a directory shows of it.
    pub fn shown<'f>(&self, found: &'f dyn Found, wall_seconds: f64, partial: bool) -> Shown<'f> {
        let mut shown = found.shown(&self.info(wall_seconds));
        shown.manifest.partial |= partial;
        shown
    }

    /// Writes that into a directory.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn save(
        &self,
        shown: &Shown<'_>,
        directory: &mut RunDirectory,
    ) -> Result<(), DirectoryError> {
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
}

/// What watching cost, in seconds of CPU.
fn cost(with: f64, without: f64) -> String {
    let times = with / without.max(1e-9);
    let (with, without) = (significant(with, 3), significant(without, 3));
    format!(", {times:.2} times the run's CPU time ({with} s against {without} s)")
}
