//! Runs for the flit engine.

use std::sync::atomic::Ordering;

use backwater_flit::Simulation;
use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::{FabricSpec, WarmUp};
use backwater_kernel::Stop;
use backwater_scenario::Engine;

use super::{Lab, LabError, parse};

/// Cycles between two looks at [`Lab::stop`].
const STRIDE: u64 = 256;
/// Where less than this is measured, a quarter of the warm-up comes before it, else half.
const SHORT_PERCENT: u64 = 20;

/// A finished run of the flit engine.
#[derive(Clone, Debug)]
pub struct FabricRun {
    /// What ran.
    pub spec: FabricSpec,
    /// What it found.
    pub outcome: FabricOutcome,
}

impl Lab {
    /// Runs `file` with `sets` (key, value) applied.
    ///
    /// # Errors
    /// If the scenario is not built in, not sound or for another engine; if it deadlocks, breaks
    /// a promise or is stopped.
    pub fn fabric(&self, file: &str, sets: &[(&str, &str)]) -> Result<FabricRun, LabError> {
        let last = self.fabric_sets.iter();
        let last = last.map(|(key, value)| (key.as_str(), value.as_str()));
        let sets: Vec<(&str, &str)> = sets.iter().copied().chain(last).collect();
        let spec = match parse(file, &sets)?.engine {
            Engine::Flit(spec) => self.shortened_fabric(*spec),
            other => {
                let engine = other.name();
                return Err(LabError(format!("{file} is for the {engine} engine")));
            }
        };
        let wrong = |what: String| LabError(format!("{file}: {what}"));
        let mut simulation = Simulation::new(&spec).map_err(|error| wrong(error.to_string()))?;
        while simulation.run_until(simulation.cycle().saturating_add(STRIDE)) {
            self.go_on()?;
        }
        self.runs.fetch_add(1, Ordering::Relaxed);
        let outcome = simulation.outcome();
        if outcome.stop == Stop::Standstill {
            return Err(wrong(format!("deadlock in cycle {}", outcome.cycles)));
        }
        if let Some(first) = outcome.violations.kept().first() {
            return Err(wrong(format!("cycle {}: {}", first.at, first.what)));
        }
        Ok(FabricRun { spec, outcome })
    }

    /// One run a seed, side by side, in the order of seeds.
    ///
    /// # Errors
    /// As [`Lab::fabric`].
    pub fn fabric_seeds(
        &self,
        file: &str,
        sets: &[(&str, &str)],
        seeds: u64,
    ) -> Result<Vec<FabricRun>, LabError> {
        self.each_seed(seeds, |seed| {
            let mut sets = sets.to_vec();
            sets.push(("run.seed", seed));
            self.fabric(file, &sets)
        })
    }

    fn shortened_fabric(&self, mut spec: FabricSpec) -> FabricSpec {
        let Some(percent) = self.shorter_percent() else {
            return spec;
        };
        let measure = &mut spec.measure;
        measure.window = (measure.window * percent / 100).max(1);
        if let WarmUp::Cycles(cycles) = &mut measure.warm_up {
            *cycles /= if percent < SHORT_PERCENT { 4 } else { 2 };
        }
        spec
    }
}
