//! Columns, cells and words of a distribution: mean, extremes, and the percentiles that its values
//! are enough for. Where some had not ended, all but the smallest are bounds from below.

use backwater_kernel::{Distribution, Histogram};

use crate::model::{Axis, Cell, Column, Curve, Style};
use crate::table_of::TableOf;

/// Percentiles that are told: their column, how much they are, what they mean.
const PERCENTILES: [(&str, f64, &str); 4] = [
    ("p50", 50.0, "half are no larger; of 2 or more"),
    ("p95", 95.0, "95 in 100 are no larger; of 20 or more"),
    ("p99", 99.0, "99 in 100 are no larger; of 100 or more"),
    ("p99.9", 99.9, "999 in 1000 are no larger; of 1,000 or more"),
];

/// What is told in columns of its own: mean, extremes, percentiles.
pub trait Statistics {
    /// Columns of `what`, in `unit`.
    fn columns(what: &str, unit: &str) -> Vec<Column>;
    /// Cells for these, in a unit of so many steps of the clock; none where nothing was measured.
    fn cells(&self, unit: f64) -> Vec<Cell>;
}

impl<R> TableOf<R> {
    /// Statistics of times such as the `delay`, in a unit of so many steps of the clock.
    pub fn times<S: Statistics>(
        self,
        what: &str,
        (unit, steps): (&str, f64),
        times: impl Fn(&R) -> &S,
    ) -> Self {
        self.columns(S::columns(what, unit), |row| times(row).cells(steps))
    }
}

impl Statistics for Distribution {
    fn columns(what: &str, unit: &str) -> Vec<Column> {
        let number = |of: &str, says: &str| Column::number(&format!("{what} {of}"), unit, says);
        let percentiles =
            PERCENTILES.map(|(name, _, meaning)| number(name, meaning).short(name).or_bound());
        let mut columns = vec![
            number("mean", "mean").short(what).or_bound(),
            number("min", "smallest"),
        ];
        columns.extend(percentiles);
        columns.push(number("max", "largest").or_bound());
        columns
    }

    fn cells(&self, unit: f64) -> Vec<Cell> {
        let mut values = vec![self.mean()];
        values.extend(PERCENTILES.map(|(_, percent, _)| self.percentile(percent)));
        values.push(self.max());
        let of = |value| time(self, value, unit);
        let mut cells: Vec<Cell> = values.into_iter().map(of).collect();
        cells.insert(1, cell(self.min(), unit));
        cells
    }
}

/// A mean, percentile or largest of these over `unit`: a bound from below where some had not ended.
pub fn time(found: &Distribution, value: Option<f64>, unit: f64) -> Cell {
    match (found.open(), value) {
        (1.., Some(value)) => Cell::at_least(value / unit, 3),
        _ => cell(value, unit),
    }
}

/// A value over `unit`, if there is one.
pub fn cell(value: Option<f64>, unit: f64) -> Cell {
    value.map_or(Cell::Empty, |value| Cell::float(value / unit, 3))
}

/// The 99th percentile, or where values are too few for it the largest of them, which says so.
pub fn tail(found: &Distribution, words: impl Fn(f64) -> String) -> Option<String> {
    let is = bound(found.open() > 0);
    match found.percentile(99.0) {
        Some(value) => Some(format!("{is}{}", words(value))),
        None => Some(format!("max {is}{}", words(found.max()?))),
    }
}

/// Samples that a p99 needs.
const FOR_P99: u64 = 100;

/// Why there is no p99 where there are values, but too few.
pub fn without_p99(found: &Distribution) -> Option<String> {
    let samples = found.count() + found.open();
    let are_few = (1..FOR_P99).contains(&samples);
    are_few.then(|| format!("p99 needs {FOR_P99} samples, {samples} here"))
}

/// What stands before a number that may be a bound from below, in a sentence.
pub fn bound(is_bound: bool) -> &'static str {
    if is_bound { ">= " } else { "" }
}

/// Each value over `unit`, and the share of all that are no larger; from no share at the smallest.
pub fn steps(name: impl Into<String>, found: &Distribution, unit: f64) -> Curve {
    let first = found.min().map(|least| (least, 0.0));
    let all = first.into_iter().chain(found.cumulative());
    let (x, y) = all.map(|(value, share)| (value / unit, share)).unzip();
    Curve::new(name, Style::Step, x, y)
}

/// An axis of the share of all.
pub fn shares(label: &str) -> Axis {
    Axis::new(label, "").from_zero().up_to(1.0)
}

/// The share of samples beyond each value, over `unit`; from 1 down, between these ends.
pub fn beyond<const FINE: u32>(
    name: impl Into<String>,
    all: &Histogram<FINE>,
    [from, most]: [u64; 2],
    unit: f64,
) -> Curve {
    let mut left = all.count();
    let steps = all.buckets().map(|bucket| {
        left -= bucket.count;
        let share = left as f64 / all.count() as f64;
        (bucket.high.min(most) as f64 / unit, share)
    });
    let first = std::iter::once((from as f64 / unit, 1.0));
    let (x, y) = first.chain(steps).unzip();
    Curve::new(name, Style::Step, x, y)
}

#[cfg(test)]
mod tests {
    use backwater_kernel::Collected;

    use super::*;

    fn of(samples: impl Iterator<Item = u64>) -> Distribution {
        let mut all = Collected::new(1_000);
        samples.for_each(|one| all.record(one));
        all.distribution()
    }

    #[test]
    fn percentiles_of_too_few_are_no_numbers() {
        let few = of(1..=20).cells(2.0);
        let number = |value: f64| Cell::float(value, 3);
        assert_eq!(few[..4], [5.25, 0.5, 5.0, 9.5].map(number));
        assert_eq!(few[4..], [Cell::Empty, Cell::Empty, number(10.0)]);
        assert_eq!(few.len(), Distribution::columns("x", "").len());
        let found = of(1..=20).with_open(90.0, 1);
        let open = found.cells(2.0);
        let bound = |value: f64| Cell::at_least(value, 3);
        assert_eq!(open[..3], [bound(300.0 / 42.0), number(0.5), bound(5.5)]);
        // One value beside them is a bound as well.
        assert_eq!(time(&found, found.mean(), 2.0), open[0]);
        assert_eq!((&open[3], &open[6]), (&bound(10.0), &bound(45.0)));
        let words = |value: f64| format!("{value} ms");
        assert_eq!(tail(&of(1..=99), words).as_deref(), Some("max 99 ms"));
        assert_eq!(tail(&of(1..=100), words).as_deref(), Some("99 ms"));
        assert_eq!(tail(&of(0..0), words), None);
        let why = |samples| without_p99(&of(1..=samples));
        let few = "p99 needs 100 samples, 80 here";
        assert_eq!(why(80).as_deref(), Some(few));
        assert_eq!((why(0), why(100)), (None, None));
    }

    #[test]
    fn shares_beyond_fall_from_one_to_nothing() {
        let mut times: backwater_kernel::Delays = Default::default();
        for value in [10, 20, 20, 30] {
            times.record(value);
        }
        let times = times.outcome();
        let found = beyond("", &times.histogram, [times.min, times.max], 10.0);
        assert_eq!(found.x, [1.0, 1.0, 2.0, 3.0]);
        assert_eq!(found.y, [1.0, 0.75, 0.25, 0.0]);
    }

    #[test]
    fn steps_rise_to_one() {
        let found = steps("", &of([30, 10, 20, 20].into_iter()), 10.0);
        assert_eq!(found.x, [1.0, 1.0, 2.0, 3.0]);
        assert_eq!(found.y, [0.0, 0.25, 0.75, 1.0]);
    }
}
