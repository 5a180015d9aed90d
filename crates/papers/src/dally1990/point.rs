//! Points of a figure: one setting each, over seeds.

pub use crate::estimate::{cell, curve, estimate, ratios};
use crate::lab::{FabricRun, Lab, LabError};

/// What differs from a scenario's file: keys and values.
pub type Sets = Vec<(&'static str, String)>;

/// The runs of one setting, by seed.
pub struct Point {
    pub runs: Vec<FabricRun>,
}

/// Runs `file` with each of `settings`, each with as many seeds as stand beside it.
pub fn points(lab: &Lab, file: &str, settings: &[(Sets, u64)]) -> Result<Vec<Point>, LabError> {
    let one = |(sets, seeds): &(Sets, u64)| {
        let sets: Vec<(&str, &str)> = sets.iter().map(|(key, value)| (*key, &**value)).collect();
        let runs = lab.fabric_seeds(file, &sets, *seeds)?;
        Ok(Point { runs })
    };
    lab.each(settings, one)
}

impl Point {
    /// Flits delivered per cycle and terminal, by seed: the fraction of capacity of a fly.
    pub fn throughputs(&self) -> Vec<f64> {
        self.each(|run| run.outcome.accepted)
    }

    /// Mean latency in cycles, by seed.
    pub fn latencies(&self) -> Vec<f64> {
        self.each(|run| run.outcome.latency.mean)
    }

    /// Share of the offered flits that were delivered, by seed.
    pub fn delivered_shares(&self) -> Vec<f64> {
        self.each(|run| run.outcome.accepted / run.outcome.offered)
    }

    /// Is the load beyond saturation, for most seeds?
    pub fn saturated(&self) -> bool {
        let saturated = self
            .runs
            .iter()
            .filter(|run| run.outcome.saturated.is_some());
        2 * saturated.count() > self.runs.len()
    }

    /// `value` of each run.
    pub fn each(&self, value: impl Fn(&FabricRun) -> f64) -> Vec<f64> {
        self.runs.iter().map(value).collect()
    }
}
