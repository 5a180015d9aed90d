//! Points of a figure: one setting each, over seeds.

use kernel::stats::interval_of_means;
use rayon::prelude::*;
use results::{Cell, Curve};

use crate::lab::{FabricRun, Lab, LabError};

/// What differs from a scenario's file: keys and values.
pub type Sets = Vec<(&'static str, String)>;

/// The runs of one setting, by seed.
pub struct Point {
    pub runs: Vec<FabricRun>,
}

/// A mean over seeds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    pub mean: f64,
    /// Half width of its 95 % interval; 0 with a single seed.
    pub half_width: f64,
}

/// Runs `file` with each of `settings`, each with as many seeds as stand beside it.
pub fn points(lab: &Lab, file: &str, settings: &[(Sets, u64)]) -> Result<Vec<Point>, LabError> {
    let one = |(sets, seeds): &(Sets, u64)| {
        let sets: Vec<(&str, &str)> = sets.iter().map(|(key, value)| (*key, &**value)).collect();
        let runs = lab.fabric_seeds(file, &sets, *seeds)?;
        Ok(Point { runs })
    };
    settings.par_iter().map(one).collect()
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

/// Mean of `values` with its interval.
pub fn estimate(values: &[f64]) -> Estimate {
    match interval_of_means(values) {
        Some((mean, half_width)) => Estimate { mean, half_width },
        None => Estimate {
            mean: values.first().copied().unwrap_or(f64::NAN),
            half_width: 0.0,
        },
    }
}

/// `one[i] / other[i]`, by seed.
pub fn ratios(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter()
        .zip(other)
        .map(|(one, other)| one / other)
        .collect()
}

/// `0.816 ± 0.002`, for tables of measured values.
pub fn cell(values: &[f64], digits: usize) -> Cell {
    let Estimate { mean, half_width } = estimate(values);
    Cell::Text(format!("{mean:.digits$} ± {half_width:.digits$}"))
}

/// A curve through `estimates`, with their intervals.
pub fn curve(name: &str, x: Vec<f64>, estimates: &[Estimate]) -> Curve {
    let ends = |sign: f64| {
        let end = |one: &Estimate| one.mean + sign * one.half_width;
        estimates.iter().map(end).collect::<Vec<f64>>()
    };
    Curve {
        name: name.into(),
        x,
        y: estimates.iter().map(|one| one.mean).collect(),
        interval: Some((ends(-1.0), ends(1.0))),
        ..Curve::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_and_their_curve() {
        let one = estimate(&[1.0, 2.0, 3.0]);
        assert!((one.mean - 2.0).abs() < 1e-12 && (one.half_width - 2.484).abs() < 1e-3);
        assert_eq!(estimate(&[4.0]).half_width, 0.0);
        assert!(estimate(&[]).mean.is_nan());
        assert_eq!(ratios(&[2.0, 9.0], &[1.0, 3.0]), [2.0, 3.0]);
        assert_eq!(cell(&[1.0, 2.0, 3.0], 1), Cell::Text("2.0 ± 2.5".into()));
        let curve = curve("a", vec![1.0], &[one]);
        let (low, high) = curve.interval.expect("an interval");
        assert!(low[0] < curve.y[0] && curve.y[0] < high[0]);
    }
}
