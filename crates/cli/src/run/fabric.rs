//! Runs of the cycle engine.

use backwater_kernel::words::counted;
use std::time::Duration as WallTime;

use backwater_flit::Simulation;
use backwater_flit::meter::Phase;
use backwater_flit::outcome::FabricOutcome;
use backwater_flit::probe::{Audit, Coverage, Probe, TraceProbe};
use backwater_flit::series::{Recorder, SeriesSpec};
use backwater_flit::shard;
use backwater_flit::spec::{FabricSpec, MeasureSpec, WarmUp};
use backwater_kernel::{Duration, Series, Stop};
use backwater_results::{
    fabric_manifest, fabric_report, fabric_summary, fabric_tables, fabric_terminal_summary,
};

use backwater_scenario::Scenario;

use super::Options;
use super::job::{Audited, Ending, Job, PlainRun, Shown, grown, must_stop, turns};
use super::pace::Pace;
use super::team::{Machine, Team};
use crate::{fail, progress};

mod trace;

use trace::Trace;

/// Steps of the progress bar.
const STEPS: u64 = 1000;
/// The first slice, in cycles; how long later ones are follows from how long this takes.
const FIRST_SLICE: u64 = 16;
/// What has been computed is written at least this often: large networks take long to write.
const SAVE_EVERY: WallTime = WallTime::from_secs(60);

/// The engine, on one thread or on several.
pub enum Engine {
    /// The whole network at once.
    One(Box<Simulation>),
    /// A part of it on each.
    Several(Box<Team>),
}

/// Makes the engine ready, or says why it can't run this.
pub fn build(options: &Options, scenario: &Scenario, spec: &FabricSpec) -> Result<Engine, String> {
    let wanted = usize::from(options.threads);
    let records = !scenario.cycle_series.is_empty();
    let watched = options.audit || options.trace.is_some() || records;
    let obstacle = match shard::obstacle(spec) {
        None if watched => Some("a run with `--audit` or `--trace` takes one"),
        obstacle => obstacle,
    };
    let threads = wanted.min(spec.graph.routers as usize);
    let parts = if obstacle.is_none() { threads } else { 1 };
    let needed = backwater_scenario::fabric_bytes(spec, parts, options.audit);
    options.memory.refuse_beyond(needed)?;
    let engine = match obstacle {
        None if threads > 1 => Team::new(spec, threads).map(|team| Engine::Several(team.into())),
        _ => Simulation::new(spec).map(|engine| Engine::One(engine.into())),
    };
    if let (Some(why), true, Ok(_)) = (obstacle, wanted > 1, &engine) {
        eprintln!("note: one thread: {why}");
    }
    engine.map_err(|error| error.to_string())
}

/// Runs a scenario and fills the job's directory.
pub fn run(job: Job<'_>, spec: &FabricSpec, wanted: &[SeriesSpec], engine: Engine) -> u8 {
    let mut run = FabricRun {
        job,
        spec,
        series: Vec::new(),
    };
    let end = match engine {
        Engine::One(plain) if wanted.is_empty() => run.execute(*plain),
        Engine::One(plain) => run.record(*plain, wanted),
        Engine::Several(team) => run.simulate(*team, |_| Ok(())).map(Finished::without_probe),
    };
    match end {
        Ok((outcome, wall_seconds)) => run.conclude(&outcome, wall_seconds),
        Err(message) => fail(message),
    }
}

struct FabricRun<'a> {
    job: Job<'a>,
    spec: &'a FabricSpec,
    /// What was recorded, once the run is over.
    series: Vec<Series>,
}

/// A run that has come to its end, or was stopped.
struct Finished<E> {
    outcome: FabricOutcome,
    engine: E,
    wall_seconds: f64,
    cpu_seconds: Option<f64>,
}

impl<E> Finished<E> {
    fn without_probe(self) -> (FabricOutcome, f64) {
        (self.outcome, self.wall_seconds)
    }
}

impl FabricRun<'_> {
    /// With the probes that were asked for; `plain` is the engine without any.
    fn execute(&mut self, plain: Simulation) -> Result<(FabricOutcome, f64), String> {
        match (self.job.options.audit, self.job.options.trace) {
            (false, None) => {
                let end = self.simulate(plain, |_| Ok(()))?;
                Ok(end.without_probe())
            }
            (true, None) => {
                let engine = self.watched(self.audit()?)?;
                let end = self.simulate(engine, |_| Ok(()))?;
                self.count_audit(end, plain, |audit| audit)
            }
            (audited, Some(_)) => {
                let path = self.job.directory.adopt("trace.csv");
                let mut trace = Trace::create(&path, self.spec)?;
                let probe = TraceProbe::default();
                let end = if audited {
                    let engine = self.watched((self.audit()?, probe))?;
                    let end =
                        self.simulate(engine, |engine| trace.write(engine.probe_mut().1.take()))?;
                    self.count_audit(end, plain, |probe| &probe.0)?
                } else {
                    let engine = self.watched(probe)?;
                    let end =
                        self.simulate(engine, |engine| trace.write(engine.probe_mut().take()))?;
                    end.without_probe()
                };
                trace.finish()?;
                Ok(end)
            }
        }
    }

    /// The same, and records series.
    fn record(
        &mut self,
        plain: Simulation,
        wanted: &[SeriesSpec],
    ) -> Result<(FabricOutcome, f64), String> {
        let recorder = Recorder::new(&self.spec.graph, wanted);
        let traces = self.job.options.trace.is_some();
        let path = traces.then(|| self.job.directory.adopt("trace.csv"));
        let trace = path.map(|path| Trace::create(&path, self.spec));
        let mut trace = trace.transpose()?;
        let probe = traces.then(TraceProbe::default);
        let mut write = |probe: &mut Option<TraceProbe>| match (&mut trace, probe) {
            (Some(trace), Some(probe)) => trace.write(probe.take()),
            (Some(_) | None, _) => Ok(()),
        };
        let end = if self.job.options.audit {
            let engine = self.watched((recorder, (self.audit()?, probe)))?;
            let end = self.simulate(engine, |engine| write(&mut engine.probe_mut().1.1))?;
            self.series = end.engine.probe().0.series(end.outcome.cycles);
            self.count_audit(end, plain, |probe| &probe.1.0)?
        } else {
            let engine = self.watched((recorder, probe))?;
            let end = self.simulate(engine, |engine| write(&mut engine.probe_mut().1))?;
            self.series = end.engine.probe().0.series(end.outcome.cycles);
            end.without_probe()
        };
        trace.map_or(Ok(()), Trace::finish)?;
        Ok(end)
    }

    fn audit(&self) -> Result<Audit, String> {
        Audit::new(self.spec).map_err(|error| error.to_string())
    }

    fn watched<P: Probe>(&self, probe: P) -> Result<Simulation<P>, String> {
        Simulation::with_probe(self.spec, probe).map_err(|error| error.to_string())
    }

    /// Runs in slices: progress, Ctrl-C, and now and then what there is so far on disk.
    fn simulate<E: Machine>(
        &mut self,
        mut engine: E,
        mut after_slice: impl FnMut(&mut E) -> Result<(), String>,
    ) -> Result<Finished<E>, String> {
        let bar = progress::bar(STEPS, "running");
        let mut pace = Pace::new(FIRST_SLICE, SAVE_EVERY);
        let mut progress = Progress::new(&self.spec.measure);
        let mut more = true;
        while more && !must_stop((0, 0)) {
            more = engine.run_until(engine.cycle().saturating_add(pace.slice()));
            after_slice(&mut engine)?;
            pace.look_up();
            bar.set_position(progress.look(engine.cycle(), engine.phase()));
            bar.set_message(format!(
                "at least; {}, cycle {}, {:.1} M flit hops",
                progress.word(),
                engine.cycle(),
                engine.flit_hops() as f64 / 1e6
            ));
            if more && pace.save_is_due() {
                let outcome = engine.outcome();
                let shown = self.shown(&outcome, &[], pace.seconds());
                self.job.save(&shown).map_err(|error| error.to_string())?;
                pace.saved();
            }
        }
        bar.finish_and_clear();
        Ok(Finished {
            outcome: engine.outcome(),
            wall_seconds: pace.seconds(),
            cpu_seconds: pace.cpu_seconds(),
            engine,
        })
    }

    /// Adds what the audit found; runs once more without it to tell what it cost.
    fn count_audit<P: Probe>(
        &mut self,
        mut end: Finished<Simulation<P>>,
        plain: Simulation,
        audit: impl Fn(&P) -> &Audit,
    ) -> Result<(FabricOutcome, f64), String> {
        if must_stop((0, 0)) {
            end.engine.look_over();
        }
        let mut outcome = end.outcome;
        let audit = audit(end.engine.probe());
        outcome.violations.append(audit.violations());
        // Stopped by hand, it would stop elsewhere without the audit: nothing to compare.
        let plain = match must_stop((0, 0)) {
            true => None,
            false => Some(self.simulate(plain, |_| Ok(()))?),
        };
        self.job.note_audit(&Audited {
            checks: audit.checks(),
            coverage: covered(&audit.coverage()),
            broken: audit.violations().total(),
            cpu_seconds: end.cpu_seconds,
            plain: plain.map(|plain| PlainRun {
                cpu_seconds: plain.cpu_seconds,
                same_hash: plain.outcome.trace_hash == outcome.trace_hash,
            }),
        });
        Ok((outcome, end.wall_seconds))
    }

    fn shown<'s>(
        &self,
        outcome: &FabricOutcome,
        series: &'s [Series],
        wall_seconds: f64,
    ) -> Shown<'s> {
        let info = self.job.info(Duration::default(), wall_seconds);
        Shown {
            tables: fabric_tables(self.spec, outcome),
            series,
            summary: fabric_summary(&info, self.spec, outcome),
            report: fabric_report(&info, self.spec, outcome, series),
            manifest: fabric_manifest(&info, self.spec, outcome),
        }
    }

    fn conclude(mut self, outcome: &FabricOutcome, wall_seconds: f64) -> u8 {
        self.job.note_memory(ending(outcome), &what_grew(outcome));
        let series = std::mem::take(&mut self.series);
        let shown = self.shown(outcome, &series, wall_seconds);
        let info = self.job.info(Duration::default(), wall_seconds);
        let summary = fabric_terminal_summary(&info, self.spec, outcome);
        if let Some(deadlock) = &outcome.standstill {
            let since = deadlock.since;
            match deadlock.others_move {
                true => eprintln!(
                    "error: deadlock: {} stopped since cycle {since} and can never move again; \
                     others move",
                    counted(outcome.stuck_packets, "packet")
                ),
                false => eprintln!("error: deadlock: no flit has moved since cycle {since}"),
            }
        }
        self.job.conclude(&shown, &summary, ending(outcome))
    }
}

/// How much of a run an audit has looked at.
fn covered(seen: &Coverage) -> String {
    let cycles = seen.cycles;
    let vcs = [seen.compared, cycles, seen.compared_within];
    let queues = [seen.walked, cycles, seen.walked_within];
    format!(
        "every move in {}; {}; {}",
        counted(cycles, "cycle"),
        turns("all VCs", "cycle", vcs),
        turns("queues at sources", "cycle", queues)
    )
}

/// What takes most memory, for people.
fn what_grew(outcome: &FabricOutcome) -> String {
    let terminals = outcome.terminals.iter().enumerate();
    let names: Vec<(String, u64)> = terminals
        .map(|(id, one)| (format!("terminal {id}"), one.queued))
        .collect();
    let queues = names.iter().map(|(name, queued)| (&**name, *queued));
    grown("flit", queues, std::iter::empty())
}

fn ending(outcome: &FabricOutcome) -> Ending {
    match outcome.stop {
        Stop::Interrupted => Ending::of_stopped(),
        Stop::Standstill => Ending::Failed,
        _ if outcome.violations.total() > 0 => Ending::Failed,
        _ => Ending::Done,
    }
}

/// Where a run is, and how far at least.
#[derive(Clone, Debug)]
struct Progress {
    measure: MeasureSpec,
    phase: Phase,
    /// Cycle in which the phase was first seen.
    since: u64,
}

impl Progress {
    fn new(measure: &MeasureSpec) -> Progress {
        Progress {
            measure: *measure,
            phase: Phase::Warming,
            since: 0,
        }
    }

    /// Takes note of the phase at this cycle, and tells how far the run is, of [`STEPS`].
    fn look(&mut self, cycle: u64, phase: Phase) -> u64 {
        if phase != self.phase {
            (self.phase, self.since) = (phase, cycle);
        }
        let position = u128::from(cycle) * u128::from(STEPS) / u128::from(self.end().max(1));
        position.min(u128::from(STEPS)) as u64
    }

    /// The cycle in which the run ends at the latest.
    fn end(&self) -> u64 {
        let (window, drain) = (self.measure.window, self.measure.drain);
        let left = match (self.phase, self.measure.warm_up) {
            (Phase::Warming, WarmUp::Cycles(most) | WarmUp::Auto { most }) => {
                most.saturating_add(window).saturating_add(drain)
            }
            (Phase::Measuring, _) => window.saturating_add(drain),
            (Phase::Draining, _) => drain,
            (Phase::Done(_), _) => 0,
        };
        self.since.saturating_add(left)
    }

    fn word(&self) -> &'static str {
        match self.phase {
            Phase::Warming => "warm-up",
            Phase::Measuring => "window",
            Phase::Draining => "drain",
            Phase::Done(_) => "done",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_never_goes_back_and_ends_at_the_end() {
        let mut progress = Progress::new(&MeasureSpec {
            warm_up: WarmUp::Auto { most: 5_000 },
            window: 4_000,
            drain: 1_000,
            stall: 100,
        });
        let seen = [
            (1_000, Phase::Warming, 100),
            (2_000, Phase::Measuring, 285),
            (6_000, Phase::Draining, 857),
            (7_000, Phase::Draining, 1_000),
            (u64::MAX, Phase::Draining, 1_000),
        ];
        for (cycle, phase, position) in seen {
            assert_eq!(progress.look(cycle, phase), position, "{cycle}");
        }
        assert_eq!(progress.word(), "drain");
    }
}
