//! Points of a figure: one setting each, over seeds.

use backwater_flit::outcome::FabricOutcome;

pub use crate::estimate::{cell, curve, estimate, ratios};
use crate::lab::{Lab, LabError};

/// What differs from a scenario's file: keys and values.
pub type Sets = Vec<(&'static str, String)>;

/// What the runs of one setting found, by seed.
#[derive(Default)]
pub struct Point {
    pub outcomes: Vec<FabricOutcome>,
}

/// Runs `file` with each of `settings` and `seeds` seeds.
pub fn points(
    lab: &Lab,
    file: &str,
    settings: &[Sets],
    seeds: u64,
) -> Result<Vec<Point>, LabError> {
    let one = |sets: &Sets| {
        let sets: Vec<(&str, &str)> = sets.iter().map(|(key, value)| (*key, &**value)).collect();
        let runs = lab.fabric_seeds(file, &sets, seeds)?.into_iter();
        let outcomes = runs.map(|run| run.outcome).collect();
        Ok(Point { outcomes })
    };
    lab.each(settings, one)
}

/// A number of cycles, as scenarios write it.
pub fn cycles(count: u32) -> String {
    format!("\"{count} cycles\"")
}

impl Point {
    /// Flits delivered per cycle and terminal, by seed: the fraction of capacity of a fly.
    pub fn throughputs(&self) -> Vec<f64> {
        self.each(|outcome| outcome.accepted)
    }

    /// Mean latency in cycles, by seed.
    pub fn latencies(&self) -> Vec<f64> {
        self.each(|outcome| outcome.latency.mean)
    }

    /// Share of the offered flits that were delivered, by seed.
    pub fn delivered_shares(&self) -> Vec<f64> {
        self.each(|outcome| outcome.accepted / outcome.offered)
    }

    /// Is the load beyond saturation, for most seeds?
    pub fn saturated(&self) -> bool {
        let saturated = self.outcomes.iter().filter(|one| one.saturated.is_some());
        2 * saturated.count() > self.outcomes.len()
    }

    /// `value` of each seed.
    pub fn each(&self, value: impl Fn(&FabricOutcome) -> f64) -> Vec<f64> {
        self.outcomes.iter().map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_in_their_order() {
        let seed = |accepted, saturated: bool| FabricOutcome {
            accepted,
            offered: 0.5,
            saturated: saturated.then(String::new),
            ..FabricOutcome::default()
        };
        let mut point = Point {
            outcomes: vec![seed(0.5, false), seed(0.4, true), seed(0.3, false)],
        };
        assert_eq!(point.throughputs(), [0.5, 0.4, 0.3]);
        assert_eq!(point.delivered_shares(), [1.0, 0.8, 0.6]);
        assert!(!point.saturated(), "one of three");
        point.outcomes.remove(0);
        assert!(!point.saturated(), "half of them");
        point.outcomes.remove(1);
        assert!(point.saturated());
    }
}
