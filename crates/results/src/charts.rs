//! What plots of many curves have in common, of sweeps and of several results.

use backwater_kernel::stats::interval_of_means;

use crate::model::{Axis, Curve, Plot, Style};

/// Curves in one plot before the next begins.
pub const CURVES: usize = 12;
/// An axis starts at zero if its lowest value is at most this share of the highest.
const NEAR: f64 = 0.25;

/// Seeds from which on the interval of their mean is shown: that of two is as wide as chance makes
/// it.
pub const SEEDS_OF_INTERVALS: usize = 3;

/// Said where intervals are left out for want of seeds.
pub const TOO_FEW_SEEDS: &str =
    "two seeds give no interval worth reading: from three on it is shown";

/// Said instead of an interval where all seeds gave one and the same run.
pub const SEEDS_CHANGE_NOTHING: &str = "seeds change nothing here: the runs are the same, so \
                                        there is no interval";

/// Position, value, half width of its interval.
pub type Dot = (f64, f64, Option<f64>);

/// The mean over seeds of the values that are numbers, and half the width of the 95 % interval
/// where they are several; not a number without any.
pub fn over_seeds(values: impl Iterator<Item = f64>) -> (f64, Option<f64>) {
    let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    match (interval_of_means(&values), values.as_slice()) {
        (Some((mean, half_width)), _) => (mean, Some(half_width)),
        (None, [only]) => (*only, None),
        (None, _) => (f64::NAN, None),
    }
}

/// Ascending; of several values at one position the highest. An interval ends at zero, unless its
/// value is below.
pub fn curve(name: impl Into<String>, style: Style, mut dots: Vec<Dot>) -> Curve {
    dots.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    dots.dedup_by(|next, kept| next.0 == kept.0);
    let end = |sign: f64| {
        let end = |dot: &Dot| (dot.1 + sign * dot.2.unwrap_or(0.0)).max(dot.1.min(0.0));
        dots.iter().map(end).collect::<Vec<f64>>()
    };
    let has_interval = dots.iter().any(|dot| dot.2.is_some());
    let interval = has_interval.then(|| (end(-1.0), end(1.0)));
    let (x, y) = dots.iter().map(|dot| (dot.0, dot.1)).unzip();
    Curve {
        interval,
        ..Curve::new(name, style, x, y)
    }
}

/// In steps: the share of these values, in per cent, that are at most as large.
pub fn cumulative(name: impl Into<String>, mut values: Vec<f64>) -> Curve {
    values.retain(|value| value.is_finite());
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let y = (1..=values.len()).map(|place| place as f64 / count * 100.0);
    let y = y.collect();
    Curve::new(name, Style::Step, values, y)
}

/// Plots of at most [`CURVES`] of these, which say in their titles how many plots there are.
pub fn in_parts<T>(title: &str, all: &[T], plot: impl Fn(&[T]) -> Plot) -> Vec<Plot> {
    let count = all.len().div_ceil(CURVES);
    let parts = all.chunks(CURVES).zip(1..);
    let plots = parts.map(|(part, number)| {
        let title = match count {
            1 => title.to_owned(),
            _ => format!("{title} ({number} of {count})"),
        };
        Plot {
            id: title.replace('/', " "),
            title,
            ..plot(part)
        }
    });
    plots.collect()
}

/// Do values from this one to that one come near zero, and are none below?
pub fn is_near_zero(least: f64, most: f64) -> bool {
    least >= 0.0 && least <= NEAR * most
}

impl Axis {
    /// From zero on, if its values come near it.
    pub(crate) fn near_zero<'a>(&self, values: impl Iterator<Item = &'a f64> + Clone) -> Axis {
        let least = values.clone().copied().fold(f64::INFINITY, f64::min);
        let most = values.copied().fold(0.0, f64::max);
        Axis {
            min: is_near_zero(least, most).then_some(0.0),
            ..self.clone()
        }
    }
}
