//! Means over seeds with their intervals, in tables and plots.

use backwater_kernel::stats::interval_of_means;
use backwater_results::{Cell, Curve};

use crate::measured::mean;

/// A mean over seeds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Not a number where a seed gave none.
    pub mean: f64,
    /// Half width of its 95 % interval; none with a single seed.
    pub half_width: Option<f64>,
}

/// Mean of `values` with its interval.
pub fn estimate(values: &[f64]) -> Estimate {
    Estimate {
        mean: mean(values),
        half_width: interval_of_means(values).map(|(_, half_width)| half_width),
    }
}

/// `one[i] / other[i]`, by seed.
pub fn ratios(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter()
        .zip(other)
        .map(|(one, other)| one / other)
        .collect()
}

/// Exponent with which `y` grows with `x`: the slope of the line through the logarithms by least
/// squares.
pub fn log_slope(points: &[(f64, f64)]) -> f64 {
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().map(|(x, y)| (x.ln(), y.ln())).unzip();
    let (mean_x, mean_y) = (mean(&x), mean(&y));
    let pairs = x.iter().zip(&y);
    let together: f64 = pairs.map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let spread: f64 = x.iter().map(|x| (x - mean_x) * (x - mean_x)).sum();
    together / spread
}

/// `0.816 ± 0.002`, for tables of measured values; `0.816` with a single seed.
pub fn cell(values: &[f64], digits: usize) -> Cell {
    let Estimate { mean, half_width } = estimate(values);
    Cell::Text(match half_width {
        Some(half_width) => format!("{mean:.digits$} ± {half_width:.digits$}"),
        None if mean.is_nan() => "–".into(),
        None => format!("{mean:.digits$}"),
    })
}

/// A curve through `estimates`, with their intervals.
pub fn curve(name: &str, x: Vec<f64>, estimates: &[Estimate]) -> Curve {
    let ends = |sign: f64| {
        let end = |one: &Estimate| one.mean + sign * one.half_width.unwrap_or(0.0);
        estimates.iter().map(end).collect::<Vec<f64>>()
    };
    let has_interval = estimates.iter().any(|one| one.half_width.is_some());
    Curve {
        name: name.into(),
        x,
        y: estimates.iter().map(|one| one.mean).collect(),
        interval: has_interval.then(|| (ends(-1.0), ends(1.0))),
        ..Curve::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exponent_is_the_slope_of_logarithms() {
        let squares = [(1.0, 3.0), (2.0, 12.0), (4.0, 48.0)];
        assert!((log_slope(&squares) - 2.0).abs() < 1e-12);
        assert!(log_slope(&[(1.0, 5.0), (3.0, 5.0)]).abs() < 1e-12);
        assert!(log_slope(&[(1.0, 0.0), (3.0, 5.0)]).is_nan());
    }

    #[test]
    fn estimates_and_their_curve() {
        let one = estimate(&[1.0, 2.0, 3.0]);
        let half_width = one.half_width.expect("an interval");
        assert!((one.mean - 2.0).abs() < 1e-12 && (half_width - 2.484).abs() < 1e-3);
        assert_eq!(estimate(&[4.0]).half_width, None);
        assert!(estimate(&[]).mean.is_nan());
        assert!(estimate(&[4.0, f64::NAN]).mean.is_nan());
        assert_eq!(ratios(&[2.0, 9.0], &[1.0, 3.0]), [2.0, 3.0]);
        assert_eq!(cell(&[1.0, 2.0, 3.0], 1), Cell::Text("2.0 ± 2.5".into()));
        assert_eq!(cell(&[4.0], 1), Cell::Text("4.0".into()));
        assert_eq!(cell(&[4.0, f64::NAN], 1), Cell::Text("–".into()));
        let drawn = curve("a", vec![1.0], &[one]);
        let (low, high) = drawn.interval.expect("an interval");
        assert_eq!(
            (low[0], drawn.y[0], high[0]),
            (2.0 - half_width, 2.0, 2.0 + half_width)
        );
        assert!(
            curve("a", vec![1.0], &[estimate(&[4.0])])
                .interval
                .is_none()
        );
    }
}
