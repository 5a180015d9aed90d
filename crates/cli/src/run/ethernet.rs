//! Runs of the Ethernet engine.

use std::time::Duration as WallTime;

use backwater_kernel::series::Thinned;
use backwater_kernel::words::counted;
use backwater_kernel::{Duration, Rings, Series, Stop, Time};
use backwater_net::frames::Simulation;
use backwater_net::frames::outcome::EthernetOutcome;
use backwater_net::frames::probe::{Audit, Coverage, Probe, Recorder};
use backwater_net::frames::spec::EthernetSpec;
use backwater_results::number::span;
use backwater_results::{
    ethernet_manifest, ethernet_report, ethernet_summary, ethernet_tables,
    ethernet_terminal_summary,
};
use backwater_scenario::EthernetScenario;

use super::job::{Audited, Ending, Job, PlainRun, Shown, grown, must_stop, turns};
use super::pace::Pace;
use crate::{fail, progress};

mod series;
#[cfg(test)]
mod tests;
mod trace;

use trace::Trace;

/// Steps of the progress bar.
const STEPS: u64 = 1000;
/// The first slice; how long later ones are follows from how long this takes.
const FIRST_SLICE: Duration = Duration(1_000_000_000);
/// What has been computed is written at least this often.
const SAVE_EVERY: WallTime = WallTime::from_secs(20);

type Engine<P> = Simulation<Rings, P>;
/// What watches every run: the series it records, and whatever else is wanted.
type Watched<P> = (Recorder, P);

/// What a run found.
struct Found {
    outcome: EthernetOutcome,
    series: Vec<Series>,
    thinned: Vec<Thinned>,
    wall_seconds: f64,
}

/// A run that has come to its end, or was stopped.
struct Finished<P: Probe> {
    found: Found,
    cpu_seconds: Option<f64>,
    engine: Engine<Watched<P>>,
}

/// Says why this can't run, if it can't.
pub fn check(scenario: &EthernetScenario) -> Result<(), String> {
    let engine = Engine::<()>::new(&scenario.network);
    engine.map(drop).map_err(|error| error.to_string())
}

/// Runs a scenario and fills the job's directory.
pub fn run(job: Job<'_>, scenario: &EthernetScenario) -> u8 {
    let mut run = EthernetRun { job, scenario };
    match run.execute() {
        Ok(found) => run.conclude(&found),
        Err(message) => fail(message),
    }
}

struct EthernetRun<'a> {
    job: Job<'a>,
    scenario: &'a EthernetScenario,
}

impl EthernetRun<'_> {
    /// With the probes that were asked for.
    fn execute(&mut self) -> Result<Found, String> {
        let network = &self.scenario.network;
        let trace = match self.job.options.trace {
            Some(kind) => Some(Trace::create(kind, &mut self.job.directory, network)?),
            None => None,
        };
        let audit = self.job.options.audit.then(|| Audit::new(network));
        match (audit, trace) {
            (None, None) => Ok(self.simulate((), |_| Ok(()))?.found),
            (audit, trace) => {
                let mut end = self.simulate((audit, trace), |(_, trace)| {
                    trace.as_mut().map_or(Ok(()), Trace::flush)
                })?;
                if let Some(trace) = end.engine.probe_mut().1.1.take() {
                    trace.finish(end.found.outcome.ended_at)?;
                }
                Ok(self.count_audit(end))
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
        let recorder = Recorder::new(network, &series::wanted(self.scenario));
        let mut engine =
            Engine::with_probe(network, (recorder, probe)).map_err(|error| error.to_string())?;
        let stop_at = network.stop_at;
        let bar = progress::bar(STEPS, "running");
        let mut pace = Pace::new(FIRST_SLICE.ps(), SAVE_EVERY);
        let mut until = Time::ZERO;
        let mut more = true;
        while more && until < stop_at && !must_stop(engine.probe().0.stored()) {
            until = Time(until.ps().saturating_add(pace.slice())).min(stop_at);
            match engine.run_some(until, pace.events()) {
                Some(left) => {
                    pace.look_up();
                    more = left;
                }
                None => {
                    pace.look_up_early();
                    until = engine.now();
                }
            }
            after_slice(&mut engine.probe_mut().1)?;
            let position = u128::from(until.ps()) * u128::from(STEPS) / u128::from(stop_at.ps());
            bar.set_position(position as u64);
            let hops = engine.unit_hops() as f64 / 1e6;
            bar.set_message(format!("{hops:.1} M frame hops"));
            if more && pace.save_is_due() {
                let found = found(&engine, pace.seconds());
                let shown = self.shown(&found, true);
                self.job.save(&shown).map_err(|error| error.to_string())?;
                pace.saved();
            }
        }
        bar.finish_and_clear();
        Ok(Finished {
            found: found(&engine, pace.seconds()),
            cpu_seconds: pace.cpu_seconds(),
            engine,
        })
    }

    /// Adds what the audit found, if there was one; runs once more without it to tell what it
    /// cost.
    fn count_audit<T: Probe>(&mut self, end: Finished<(Option<Audit>, T)>) -> Found {
        let Finished {
            mut found,
            cpu_seconds,
            mut engine,
        } = end;
        if must_stop((0, 0)) {
            engine.look_over();
        }
        let Some(audit) = &engine.probe().1.0 else {
            return found;
        };
        found.outcome.violations.append(audit.violations());
        // Stopped by hand, it would stop elsewhere without the audit: nothing to compare.
        let plain = match must_stop((0, 0)) {
            true => None,
            false => self.simulate((), |()| Ok(())).ok(),
        };
        self.job.note_audit(&Audited {
            checks: audit.checks(),
            coverage: covered(&audit.coverage()),
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
        let info = self.job.info(Duration::ZERO, found.wall_seconds);
        let (network, outcome) = (&self.scenario.network, &found.outcome);
        let mut manifest = ethernet_manifest(&info, network, outcome);
        manifest.partial |= partial;
        Shown {
            tables: ethernet_tables(network, outcome),
            series: &found.series,
            summary: ethernet_summary(&info, network, outcome),
            report: ethernet_report(&info, network, outcome, &found.series),
            manifest,
        }
    }

    fn conclude(mut self, found: &Found) -> u8 {
        let outcome = &found.outcome;
        let ending = ending(outcome);
        if let Some(standstill) = &outcome.standstill {
            let what = match standstill.is_circle {
                true => "deadlock: queues wait for each other in a cycle",
                false => "standstill: queues wait for one that is stopped and never resumed",
            };
            let others = match standstill.others_move {
                true => ", though others move",
                false => "",
            };
            let since = span(standstill.since.ps() as f64);
            eprintln!("error: {what} since {since}{others}");
        }
        let grew = what_grew(&self.scenario.network, found);
        self.job.note_thinned(&found.thinned);
        self.job.note_memory(ending, &grew);
        let shown = self.shown(found, ending.is_early());
        let info = self.job.info(Duration::ZERO, found.wall_seconds);
        let summary = ethernet_terminal_summary(&info, &self.scenario.network, outcome);
        self.job.conclude(&shown, &summary, ending)
    }
}

/// What takes most memory, for people.
fn what_grew(network: &EthernetSpec, found: &Found) -> String {
    let flows = network.flows.iter().zip(&found.outcome.flows);
    let flows = flows.map(|(flow, outcome)| (flow.name.as_str(), outcome.inside_total));
    let points = found.series.iter().map(|one| (&*one.name, one.y.len()));
    grown("frame", flows, points)
}

fn found<P: Probe>(engine: &Engine<Watched<P>>, wall_seconds: f64) -> Found {
    let outcome = engine.frame_outcome();
    Found {
        series: engine.probe().0.series(outcome.ended_at),
        thinned: engine.probe().0.thinned(outcome.ended_at),
        outcome,
        wall_seconds,
    }
}

/// How much of a run an audit has looked at.
fn covered(seen: &Coverage) -> String {
    let instants = seen.instants;
    let queues = [seen.compared, instants, seen.compared_within];
    format!(
        "every frame and gate in {}; {}",
        counted(instants, "instant"),
        turns("all queues", "instant", queues)
    )
}

fn ending(outcome: &EthernetOutcome) -> Ending {
    match outcome.stop {
        Stop::Interrupted => Ending::of_stopped(),
        Stop::Standstill => Ending::Failed,
        _ if outcome.violations.total() > 0 => Ending::Failed,
        _ => Ending::Done,
    }
}
