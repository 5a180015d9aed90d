//! `backwater run`: one scenario, a summary on the terminal, a run directory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration as WallTime, Instant};

use kernel::{Time, Wheel};
use packet::Simulation;
use packet::outcome::{Outcome, Series, Stop, Violation};
use packet::probe::{Audit, Passage, Probe, Recorder, TraceEntry, TraceProbe, UnitKind};
use results::{
    Check, DirectoryError, RunDirectory, RunInfo, TraceRecord, TraceWriter, run_manifest,
    run_report, run_summary, run_tables, terminal_summary,
};
use scenario::{Scenario, Source};

use crate::{BAD_INPUT, Changes, FAILED, INTERRUPTED, SUCCESS};
use crate::{command_line, default_out, fail, files, interrupt, progress};

mod series;

/// Steps of the progress bar.
const STEPS: u64 = 1000;
/// Between slices of about this wall time progress is shown and Ctrl-C is heard.
const SLICE: WallTime = WallTime::from_millis(50);
/// The first slice, in cell times; how long later ones are follows from how long this takes.
const FIRST_SLICE_CELLS: u64 = 100;
/// What has been computed is written at least this often.
const SAVE_EVERY: WallTime = WallTime::from_secs(10);

/// What to run.
#[derive(clap::Args)]
pub struct Options {
    /// Scenario file; `-` is standard input
    file: PathBuf,
    #[command(flatten)]
    changes: Changes,
    /// Directory for the report and tables [default: runs/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Check the dear promises too, and print what that cost
    #[arg(long)]
    audit: bool,
    /// Also write a time-stamped trace of units entering and leaving every node
    #[arg(long, value_name = "KIND")]
    trace: Option<TraceKind>,
}

/// Forms of a trace.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum TraceKind {
    /// One line a unit: time, node, in or out, channel, flow, kind, number, value
    Csv,
}

/// A run that has come to its end, or was stopped.
struct Finished<P> {
    outcome: Outcome,
    series: Vec<Series>,
    probe: P,
    wall_seconds: f64,
}

/// Runs a scenario and writes its directory.
pub fn run(options: &Options) -> u8 {
    let Ok((source, mut scenario)) = files::load(&options.file, &options.changes) else {
        return BAD_INPUT;
    };
    series::add_defaults(&mut scenario);
    let out = options
        .out
        .clone()
        .unwrap_or_else(|| default_out(&name_of(&options.file)));
    let directory = match RunDirectory::create(&out) {
        Ok(directory) => directory,
        Err(error) => return fail(error),
    };
    interrupt::flag();
    let mut job = Job {
        options,
        source,
        scenario,
        directory,
        checks: Vec::new(),
    };
    match job.execute() {
        Ok((outcome, series, wall_seconds)) => job.conclude(outcome, series, wall_seconds),
        Err(message) => fail(message),
    }
}

/// Longer after a quick slice, shorter after a slow one.
fn next_slice_ps(slice_ps: u64, took: WallTime) -> u64 {
    if took < SLICE / 2 {
        slice_ps.saturating_mul(2)
    } else if took > SLICE * 2 {
        (slice_ps / 2).max(1)
    } else {
        slice_ps
    }
}

pub fn name_of(path: &Path) -> String {
    match path.file_stem() {
        Some(stem) if stem != "-" => stem.to_string_lossy().into_owned(),
        _ => "standard-input".into(),
    }
}

struct Job<'a> {
    options: &'a Options,
    source: Source,
    scenario: Scenario,
    directory: RunDirectory,
    checks: Vec<Check>,
}

impl Job<'_> {
    fn execute(&mut self) -> Result<(Outcome, Vec<Series>, f64), String> {
        let network = self.scenario.network.clone();
        match (self.options.audit, self.options.trace) {
            (false, None) => {
                let end = self.simulate((), |_| Ok(()))?;
                Ok((end.outcome, end.series, end.wall_seconds))
            }
            (true, None) => {
                let end = self.simulate(Audit::new(&network), |_| Ok(()))?;
                Ok(self.count_audit(end, |audit| audit))
            }
            (audit, Some(TraceKind::Csv)) => {
                let path = self.directory.adopt("trace.csv");
                let mut trace = Trace::create(&path, &self.scenario)?;
                let end = if audit {
                    let probe = (Audit::new(&network), TraceProbe::default());
                    let end = self.simulate(probe, |probe| trace.write(probe.1.take()))?;
                    self.count_audit(end, |probe| &probe.0)
                } else {
                    let end =
                        self.simulate(TraceProbe::default(), |probe| trace.write(probe.take()))?;
                    (end.outcome, end.series, end.wall_seconds)
                };
                trace.finish()?;
                Ok(end)
            }
        }
    }

    /// Runs in slices: progress, Ctrl-C, and now and then what there is so far on disk.
    fn simulate<P: Probe>(
        &mut self,
        probe: P,
        mut after_slice: impl FnMut(&mut P) -> Result<(), String>,
    ) -> Result<Finished<P>, String> {
        let recorder = Recorder::new(&self.scenario.network, &self.scenario.series);
        let mut simulation = Simulation::<Wheel, _>::new(&self.scenario.network, (recorder, probe))
            .map_err(|error| error.to_string())?;
        let stop_at = self.scenario.network.stop_at;
        let bar = progress::bar(STEPS, "running");
        let start = Instant::now();
        let (mut saved, mut sliced) = (start, start);
        let mut slice_ps = (self.scenario.cell * FIRST_SLICE_CELLS).ps().max(1);
        let mut until = Time::ZERO;
        while until < stop_at {
            until = Time(until.ps().saturating_add(slice_ps)).min(stop_at);
            let more = simulation.run_until(until);
            after_slice(&mut simulation.probe_mut().1)?;
            slice_ps = next_slice_ps(slice_ps, sliced.elapsed());
            sliced = Instant::now();
            let position = u128::from(until.ps()) * u128::from(STEPS) / u128::from(stop_at.ps());
            bar.set_position(position as u64);
            bar.set_message(format!(
                "{:.1} M unit-hops",
                simulation.unit_hops() as f64 / 1e6
            ));
            if !more || interrupt::is_set() {
                break;
            }
            if saved.elapsed() > SAVE_EVERY {
                let outcome = simulation.outcome();
                let series = simulation.probe().0.series(outcome.ended_at);
                self.save(&outcome, &series, start.elapsed().as_secs_f64(), true)
                    .map_err(|error| error.to_string())?;
                saved = Instant::now();
            }
        }
        bar.finish_and_clear();
        let wall_seconds = start.elapsed().as_secs_f64();
        let outcome = simulation.outcome();
        let (recorder, probe) = simulation.into_probe();
        let series = recorder.series(outcome.ended_at);
        Ok(Finished {
            outcome,
            series,
            probe,
            wall_seconds,
        })
    }

    /// Adds what the audit found; runs once more without it to tell what it cost.
    fn count_audit<P>(
        &mut self,
        end: Finished<P>,
        audit: impl Fn(&P) -> &Audit,
    ) -> (Outcome, Vec<Series>, f64) {
        let Finished {
            mut outcome,
            series,
            probe,
            wall_seconds,
        } = end;
        let audit = audit(&probe);
        let (found, total) = audit.violations();
        let found: Vec<Violation> = found.to_vec();
        outcome.violations.extend(found);
        outcome.violations_total += total;
        let mut what = format!("{} promises checked while running", audit.checks());
        if interrupt::is_set() {
            // Without the audit it would stop elsewhere: nothing to compare.
        } else if let Ok(plain) = self.simulate((), |_| Ok(())) {
            let same = plain.outcome.trace_hash == outcome.trace_hash;
            what += &format!(
                ", {:.2} times the run's time ({wall_seconds:.2} s against {:.2} s); trace hash {}",
                wall_seconds / plain.wall_seconds.max(1e-9),
                plain.wall_seconds,
                if same {
                    "the same without"
                } else {
                    "DIFFERENT without"
                },
            );
        }
        eprintln!("audit: {what}");
        self.checks.push(Check {
            what: "promises while running".into(),
            holds: total == 0,
            detail: what,
        });
        (outcome, series, wall_seconds)
    }

    fn info(&self, wall_seconds: f64) -> RunInfo {
        RunInfo {
            name: self.scenario.title.clone(),
            description: self.scenario.about.trim().to_owned(),
            command: command_line(),
            version: env!("CARGO_PKG_VERSION").into(),
            scenario: self.source.text.clone(),
            resolved: self.scenario.resolved.clone(),
            cell: self.scenario.cell,
            wall_seconds: Some(wall_seconds),
            checks: self.checks.clone(),
        }
    }

    fn save(
        &mut self,
        outcome: &Outcome,
        series: &[Series],
        wall_seconds: f64,
        partial: bool,
    ) -> Result<(), DirectoryError> {
        let info = self.info(wall_seconds);
        let network = &self.scenario.network;
        let directory = &mut self.directory;
        directory.write_scenario(&self.source.text, &self.scenario.resolved)?;
        directory.write_tables(&run_tables(network, outcome, self.scenario.cell))?;
        directory.write_series(series)?;
        directory.write_json("summary.json", &run_summary(&info, network, outcome))?;
        directory.write_report(&run_report(&info, network, outcome, series))?;
        let mut manifest = run_manifest(&info, network, outcome);
        manifest.partial |= partial;
        directory.save_manifest(&manifest)
    }

    fn conclude(mut self, outcome: Outcome, series: Vec<Series>, wall_seconds: f64) -> u8 {
        let stopped = outcome.stop == Stop::Interrupted;
        if let Err(error) = self.save(&outcome, &series, wall_seconds, stopped) {
            return fail(error);
        }
        let info = self.info(wall_seconds);
        print!(
            "{}",
            terminal_summary(&info, &self.scenario.network, &outcome)
        );
        println!(
            "report: {}",
            self.directory.path().join("report.html").display()
        );
        match (stopped, outcome.violations_total) {
            (true, _) => INTERRUPTED,
            (false, 0) => SUCCESS,
            (false, _) => FAILED,
        }
    }
}

/// The trace on its way to a file.
struct Trace {
    writer: TraceWriter<BufWriter<File>>,
    ends: Vec<(u32, u32)>,
    numbers: BTreeMap<(u32, u8), u64>,
}

impl Trace {
    fn create(path: &Path, scenario: &Scenario) -> Result<Trace, String> {
        let file = File::create(path)
            .map_err(|error| format!("can't write {}: {error}", path.display()))?;
        let writer = TraceWriter::new(BufWriter::new(file), &scenario.network)
            .map_err(|error| format!("can't write {}: {error}", path.display()))?;
        let links = scenario.network.links.iter();
        let ends = links
            .flat_map(|link| [(link.a, link.b), (link.b, link.a)])
            .collect();
        Ok(Trace {
            writer,
            ends,
            numbers: BTreeMap::new(),
        })
    }

    fn write(&mut self, entries: Vec<TraceEntry>) -> Result<(), String> {
        for entry in entries {
            self.record(&entry)
                .map_err(|error| format!("can't write the trace: {error}"))?;
        }
        Ok(())
    }

    fn record(&mut self, entry: &TraceEntry) -> std::io::Result<()> {
        let crossing = &entry.crossing;
        let (from, to) = self.ends[crossing.channel as usize];
        let (kind, index) = match crossing.kind {
            UnitKind::Data => (results::UnitKind::Data, 0),
            UnitKind::Credit => (results::UnitKind::Credit, 1),
            UnitKind::Request => (results::UnitKind::Request, 2),
            UnitKind::Sync => (results::UnitKind::Sync, 3),
        };
        let (node, direction) = match entry.what {
            Passage::Out => (from, results::Crossing::Out),
            Passage::In => (to, results::Crossing::In),
            Passage::Lost => return Ok(()),
        };
        let (number, value) = if crossing.kind == UnitKind::Data {
            (crossing.value, None)
        } else {
            let outward = (entry.what == Passage::Out) as u8;
            let counter = self
                .numbers
                .entry((crossing.leg, index * 2 + outward))
                .or_default();
            *counter += 1;
            (*counter - 1, Some(crossing.value as i64))
        };
        self.writer.record(&TraceRecord {
            time: crossing.at,
            node,
            crossing: direction,
            channel: crossing.channel,
            flow: crossing.flow,
            kind,
            number,
            value,
        })
    }

    fn finish(self) -> Result<(), String> {
        let flushed = self.writer.finish().map_err(|error| error.to_string())?;
        drop(flushed);
        Ok(())
    }
}
