//! Runs of the packet engine.

use std::time::Duration as WallTime;

use backwater_kernel::series::Thinned;
use backwater_kernel::words::counted;
use backwater_kernel::{Rings, Series, Stop, Time};
use backwater_net::Simulation;
use backwater_net::outcome::{Outcome, PortsOutcome, RecoveryOutcome};
use backwater_net::probe::{
    Audit, Coverage, Ports, PortsSpec, Probe, Recorder, Recovery, TraceProbe,
};
use backwater_net::spec::NetworkSpec;
use backwater_results::{
    Measured, note_broken_bounds, run_manifest, run_report, run_summary, run_tables,
    standstill_sentence, terminal_summary,
};
use backwater_scenario::PacketScenario;

use super::job::{Audited, Ending, Job, PlainRun, Shown, grown, must_stop, turns};
use super::pace::Pace;
use crate::{fail, progress};

mod series;
mod trace;

use trace::Trace;

/// Steps of the progress bar.
const STEPS: u64 = 1000;
/// The first slice, in cell times; how long later ones are follows from how long this takes.
const FIRST_SLICE_CELLS: u64 = 100;
/// What has been computed is written at least this often.
const SAVE_EVERY: WallTime = WallTime::from_secs(10);

/// What a run found.
struct Found {
    outcome: Outcome,
    ports: Option<PortsOutcome>,
    recovery: Option<RecoveryOutcome>,
    series: Vec<Series>,
    thinned: Vec<Thinned>,
    wall_seconds: f64,
}

/// A run that has come to its end, or was stopped.
struct Finished<P> {
    found: Found,
    cpu_seconds: Option<f64>,
    probe: P,
}

/// What watches every run: the series it records and, where it is wanted, its ports; where links
/// are cut, how flows come back.
type Watch = (Recorder, (Option<Ports>, Option<Recovery>));

/// Runs a scenario and fills the job's directory.
pub fn run(job: Job<'_>, scenario: &PacketScenario) -> u8 {
    let mut scenario = scenario.clone();
    series::add_defaults(&mut scenario);
    let mut run = PacketRun { job, scenario };
    match run.execute() {
        Ok(found) => run.conclude(&found),
        Err(message) => fail(message),
    }
}

struct PacketRun<'a> {
    job: Job<'a>,
    scenario: PacketScenario,
}

impl PacketRun<'_> {
    fn execute(&mut self) -> Result<Found, String> {
        let network = self.scenario.network.clone();
        match (self.job.options.audit, self.job.options.trace) {
            (false, None) => {
                let end = self.simulate((), |_| Ok(()))?;
                Ok(end.found)
            }
            (true, None) => {
                let end = self.simulate(Audit::new(&network), |_| Ok(()))?;
                Ok(self.count_audit(end, |audit| audit))
            }
            (audit, Some(_)) => {
                let path = self.job.directory.adopt("trace.csv");
                let mut trace = Trace::create(&path, &network)?;
                let end = if audit {
                    let probe = (Audit::new(&network), TraceProbe::default());
                    let end = self.simulate(probe, |probe| trace.write(probe.1.take()))?;
                    self.count_audit(end, |probe| &probe.0)
                } else {
                    let end =
                        self.simulate(TraceProbe::default(), |probe| trace.write(probe.take()))?;
                    end.found
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
        let network = &self.scenario.network;
        let mut simulation = Simulation::<Rings, _>::with_probe(network, (self.watch(), probe))
            .map_err(|error| error.to_string())?;
        let stop_at = self.scenario.network.stop_at;
        let bar = progress::bar(STEPS, "running");
        let first_ps = (self.scenario.cell * FIRST_SLICE_CELLS).ps();
        let mut pace = Pace::new(first_ps, SAVE_EVERY);
        let mut until = Time::ZERO;
        while until < stop_at {
            until = Time(until.ps().saturating_add(pace.slice())).min(stop_at);
            let more = match simulation.run_some(until, pace.events()) {
                Some(more) => {
                    pace.look_up();
                    more
                }
                None => {
                    pace.look_up_early();
                    until = simulation.now();
                    true
                }
            };
            after_slice(&mut simulation.probe_mut().1)?;
            let position = u128::from(until.ps()) * u128::from(STEPS) / u128::from(stop_at.ps());
            bar.set_position(position as u64);
            bar.set_message(format!(
                "{:.1} M unit-hops",
                simulation.unit_hops() as f64 / 1e6
            ));
            if !more || must_stop(simulation.probe().0.0.stored()) {
                break;
            }
            if pace.save_is_due() {
                let outcome = simulation.outcome();
                let found = Found::new(network, outcome, &simulation.probe().0, pace.seconds());
                let shown = self.shown(&found, true);
                self.job.save(&shown).map_err(|error| error.to_string())?;
                pace.saved();
            }
        }
        bar.finish_and_clear();
        if must_stop((0, 0)) {
            simulation.look_over();
        }
        let (wall_seconds, cpu_seconds) = (pace.seconds(), pace.cpu_seconds());
        let outcome = simulation.outcome();
        let (watch, probe) = simulation.into_probe();
        Ok(Finished {
            found: Found::new(network, outcome, &watch, wall_seconds),
            cpu_seconds,
            probe,
        })
    }

    fn watch(&self) -> Watch {
        let PacketScenario {
            network, measure, ..
        } = &self.scenario;
        let window = measure.window;
        let ports = measure
            .ports
            .then(|| Ports::new(network, PortsSpec { window }));
        let is_cut = !network.outages.is_empty();
        let recovery = is_cut.then(|| Recovery::new(network));
        let recorder = Recorder::new(network, &self.scenario.series);
        (recorder, (ports, recovery))
    }

    /// Adds what the audit found; runs once more without it to tell what it cost.
    fn count_audit<P>(&mut self, end: Finished<P>, audit: impl Fn(&P) -> &Audit) -> Found {
        let Finished {
            mut found,
            cpu_seconds,
            probe,
        } = end;
        let audit = audit(&probe);
        found.outcome.violations.append(audit.violations());
        let (checks, coverage) = (audit.checks(), covered(&audit.coverage()));
        // Stopped by hand, it would stop elsewhere without the audit: nothing to compare.
        let plain = match must_stop((0, 0)) {
            true => None,
            false => self.simulate((), |_| Ok(())).ok(),
        };
        self.job.note_audit(&Audited {
            checks,
            coverage,
            broken: audit.violations().total(),
            cpu_seconds,
            plain: plain.map(|plain| PlainRun {
                cpu_seconds: plain.cpu_seconds,
                same_hash: plain.found.outcome.trace_hash == found.outcome.trace_hash,
            }),
        });
        found
    }

    fn shown<'s>(&self, found: &'s Found, partial: bool) -> Shown<'s> {
        let cell = self.scenario.cell;
        let info = self.job.info(cell, found.wall_seconds);
        let network = &self.scenario.network;
        let (outcome, measured) = (&found.outcome, found.measured());
        let mut manifest = run_manifest(&info, network, outcome);
        manifest.partial |= partial;
        Shown {
            tables: run_tables(network, outcome, measured, cell),
            series: &found.series,
            summary: run_summary(&info, network, outcome, measured),
            report: run_report(&info, network, outcome, measured, &found.series),
            manifest,
        }
    }

    fn conclude(mut self, found: &Found) -> u8 {
        let outcome = &found.outcome;
        let ending = match (outcome.stop, outcome.violations.total()) {
            (Stop::Interrupted, _) => Ending::of_stopped(),
            (Stop::Standstill, _) => Ending::Failed,
            (_, 0) => Ending::Done,
            _ => Ending::Failed,
        };
        if let Some(still) = standstill_sentence(outcome, self.scenario.cell) {
            match outcome.stop {
                Stop::Standstill => eprintln!("error: standstill: {still}"),
                _ => eprintln!("note: standstill: {still}"),
            }
        }
        let grew = what_grew(&self.scenario.network, found);
        self.job.note_thinned(&found.thinned);
        self.job.note_memory(ending, &grew);
        let shown = self.shown(found, ending.is_early());
        let info = self.job.info(self.scenario.cell, found.wall_seconds);
        let network = &self.scenario.network;
        let summary = terminal_summary(&info, network, outcome, found.measured());
        self.job.conclude(&shown, &summary, ending)
    }
}

/// How much of a run an audit has looked at.
fn covered(seen: &Coverage) -> String {
    let instants = seen.instants;
    let everything = [seen.compared, instants, seen.compared_within];
    format!(
        "what was touched in {}; {}",
        counted(instants, "instant"),
        turns("everything", "instant", everything)
    )
}

/// What takes most memory, for people.
fn what_grew(network: &NetworkSpec, found: &Found) -> String {
    let flows = network.flows.iter().zip(&found.outcome.flows);
    let flows = flows.map(|(flow, outcome)| (flow.name.as_str(), outcome.inside_total));
    let points = found.series.iter().map(|one| (&*one.name, one.y.len()));
    grown("cell", flows, points)
}

impl Found {
    fn measured(&self) -> Measured<'_> {
        Measured {
            ports: self.ports.as_ref(),
            recovery: self.recovery.as_ref(),
        }
    }

    fn new(
        network: &NetworkSpec,
        mut outcome: Outcome,
        (recorder, (ports, recovery)): &Watch,
        wall_seconds: f64,
    ) -> Found {
        note_broken_bounds(network, &mut outcome);
        let ended_at = outcome.ended_at;
        Found {
            ports: ports.as_ref().map(|ports| ports.outcome(ended_at)),
            recovery: recovery.as_ref().map(|probe| probe.outcome(ended_at)),
            series: recorder.series(ended_at),
            thinned: recorder.thinned(ended_at),
            outcome,
            wall_seconds,
        }
    }
}
