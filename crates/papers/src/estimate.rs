//! Means over seeds with their intervals, in tables and plots.

use kernel::stats::interval_of_means;
use results::{Cell, Curve};

/// A mean over seeds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    pub mean: f64,
    /// Half width of its 95 % interval; 0 with a single seed.
    pub half_width: f64,
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
