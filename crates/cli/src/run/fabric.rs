//! Runs of the cycle engine.

use std::time::Duration as WallTime;

use flit::Simulation;
use flit::meter::Phase;
use flit::outcome::{FabricOutcome, Stop};
use flit::spec::{FabricSpec, MeasureSpec, WarmUp};
use kernel::Duration;
use results::{
    fabric_manifest, fabric_report, fabric_summary, fabric_tables, fabric_terminal_summary,
};

use super::Options;
use super::job::{Ending, Job, Shown};
use super::pace::Pace;
use crate::{fail, interrupt, progress};

/// Steps of the progress bar.
const STEPS: u64 = 1000;
/// The first slice, in cycles; how long later ones are follows from how long this takes.
const FIRST_SLICE: u64 = 16;
/// What has been computed is written at least this often: large networks take long to write.
const SAVE_EVERY: WallTime = WallTime::from_secs(60);

/// Makes the engine ready, or says why it can't run this.
pub fn build(options: &Options, spec: &FabricSpec) -> Result<Simulation, String> {
    refuse_probes(options)?;
    Simulation::new(spec).map_err(|error| error.to_string())
}

/// Runs a scenario and fills the job's directory.
pub fn run(job: Job<'_>, spec: &FabricSpec, mut engine: Simulation) -> u8 {
    let mut run = FabricRun { job, spec };
    match run.simulate(&mut engine) {
        Ok((outcome, wall_seconds)) => run.conclude(&outcome, wall_seconds),
        Err(message) => fail(message),
    }
}

/// Probes look into the packet engine alone.
fn refuse_probes(options: &Options) -> Result<(), String> {
    let only = |what: &str| {
        format!(
            "{what} looks into runs of the packet engine; this scenario has `engine = \"flit\"`\n  \
             try: the same command without {what}"
        )
    };
    match (options.trace, options.audit) {
        (Some(_), _) => Err(only("--trace")),
        (None, true) => Err(only("--audit")),
        (None, false) => Ok(()),
    }
}

struct FabricRun<'a> {
    job: Job<'a>,
    spec: &'a FabricSpec,
}

impl FabricRun<'_> {
    /// Runs in slices: progress, Ctrl-C, and now and then what there is so far on disk.
    fn simulate(&mut self, engine: &mut Simulation) -> Result<(FabricOutcome, f64), String> {
        let bar = progress::bar(STEPS, "running");
        let mut pace = Pace::new(FIRST_SLICE, SAVE_EVERY);
        let mut progress = Progress::new(&self.spec.measure);
        let mut more = true;
        while more && !interrupt::is_set() {
            more = engine.run_until(engine.cycle().saturating_add(pace.slice()));
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
                let shown = self.shown(&outcome, pace.seconds());
                self.job.save(&shown).map_err(|error| error.to_string())?;
                pace.saved();
            }
        }
        bar.finish_and_clear();
        let mut outcome = engine.outcome();
        if more {
            outcome.stop = Stop::Interrupted;
        }
        Ok((outcome, pace.seconds()))
    }

    fn shown(&self, outcome: &FabricOutcome, wall_seconds: f64) -> Shown<'static> {
        let info = self.job.info(Duration::default(), wall_seconds);
        Shown {
            tables: fabric_tables(self.spec, outcome),
            series: &[],
            summary: fabric_summary(&info, self.spec, outcome),
            report: fabric_report(&info, self.spec, outcome),
            manifest: fabric_manifest(&info, self.spec, outcome),
        }
    }

    fn conclude(self, outcome: &FabricOutcome, wall_seconds: f64) -> u8 {
        let shown = self.shown(outcome, wall_seconds);
        let info = self.job.info(Duration::default(), wall_seconds);
        let summary = fabric_terminal_summary(&info, self.spec, outcome);
        if let Some(deadlock) = &outcome.deadlock {
            eprintln!(
                "error: deadlock: no flit has moved since cycle {}",
                deadlock.since
            );
        }
        self.job.conclude(&shown, &summary, ending(outcome))
    }
}

fn ending(outcome: &FabricOutcome) -> Ending {
    match outcome.stop {
        Stop::Interrupted => Ending::Interrupted,
        Stop::Deadlocked => Ending::Failed,
        _ if outcome.violations_total > 0 => Ending::Failed,
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
