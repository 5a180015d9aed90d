//! Series of a run, drawn over its time: those of one kind share a plot.

use backwater_kernel::{Duration, Series};

use crate::model::{Axis, Curve, OtherUnit, Plot, Style};

/// Curves in one plot before the next begins.
const CURVES: usize = 6;

/// An axis of the time of a run that ends here, and how many steps of its clock make one unit.
pub type TimeAxis = (Axis, f64);

/// The unit of time of a run that ends here and how many picoseconds it has: cells where those
/// are the unit of time, else what suits the end, ps. Beside it another to switch to.
pub fn time_units(end_ps: u64, cell: Duration) -> (&'static str, f64, OtherUnit) {
    let (unit, ps, other, per_unit) = match (cell.ps(), end_ps) {
        (0, 0..10_000_000_000) => ("us", 1e6, "ms", 1e-3),
        (0, 10_000_000_000..10_000_000_000_000) => ("ms", 1e9, "us", 1e3),
        (0, _) => ("s", 1e12, "ms", 1e3),
        (cell, _) => ("cells", cell as f64, "us", cell as f64 / 1e6),
    };
    let unit_to_switch_to = OtherUnit {
        unit: other.into(),
        per_unit,
    };
    (unit, ps, unit_to_switch_to)
}

/// In the unit of the run's time.
pub fn time_axis(end_ps: u64, cell: Duration) -> TimeAxis {
    let (unit, ps, other) = time_units(end_ps, cell);
    let axis = Axis {
        steps: Some(ps),
        other: Some(other),
        ..Axis::new("Time", unit)
    };
    (axis, ps)
}

/// Series of one unit over the same span share a plot, those of a wildcard one of their own.
pub fn series_plots(series: &[Series], time: impl Fn(u64) -> TimeAxis) -> Vec<Plot> {
    let mut groups: Vec<Vec<&Series>> = Vec::new();
    for one in series.iter().filter(|one| !one.x.is_empty()) {
        match groups.iter_mut().find(|group| fits(group, one)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    // Nothing was ever stopped: an empty chart would say no more.
    groups.retain(|group| {
        let mut values = group.iter().flat_map(|one| &one.y);
        group[0].unit != "share" || values.any(|value| *value != 0.0)
    });
    let plots = groups.iter().zip(1..);
    plots
        .map(|(group, number)| plot(number, group, &time))
        .collect()
}

/// Least, median and largest of many series that were measured at the same times: a line and a
/// band instead of one curve over the other.
fn band(group: &[&Series]) -> Option<Series> {
    let first = group.first().filter(|_| group.len() > CURVES)?;
    let is_same = |one: &&Series| one.x == first.x && one.y.len() == first.y.len();
    group.iter().all(is_same).then(|| {
        let mut middle = Series {
            name: format!("median of {}", group.len()),
            unit: first.unit,
            step: first.step,
            x: first.x.clone(),
            ..Series::default()
        };
        for at in 0..first.y.len() {
            middle.y.push(sorted(group, at)[group.len() / 2]);
        }
        middle
    })
}

/// The values of all series at one place, ascending.
fn sorted(group: &[&Series], at: usize) -> Vec<f64> {
    let mut values: Vec<f64> = group.iter().map(|one| one.y[at]).collect();
    values.sort_by(f64::total_cmp);
    values
}

fn fits(group: &[&Series], one: &Series) -> bool {
    let kind = |one: &Series| (one.unit, one.step, family(&one.name).map(str::to_owned));
    let overlap = |a: &Series, b: &Series| a.x.first() <= b.x.last() && b.x.first() <= a.x.last();
    let first = group[0];
    // Those of a wildcard that are many have one plot, with a band.
    let is_family = family(&one.name).is_some() && first.x == one.x;
    (group.len() < CURVES || is_family) && kind(first) == kind(one) && overlap(first, one)
}

/// What the series of a wildcard have in common: `queue` of `queue (A->B)`.
fn family(name: &str) -> Option<&str> {
    let (family, _) = name.strip_suffix(')')?.split_once(" (")?;
    Some(family)
}

fn plot(number: usize, group: &[&Series], time: impl Fn(u64) -> TimeAxis) -> Plot {
    let ends = group.iter().filter_map(|one| one.x.last().copied());
    let (x, steps) = time(ends.max().unwrap_or(0));
    let (label, together, unit, scale) = match group[0].unit {
        "ps" => ("Time taken", "Times taken", &*x.unit, 1.0 / steps),
        "cells" => ("Cells", "Cells and credits", "", 1.0),
        "bps" => ("Rate", "Rates", "Mbps", 1e-6),
        "Mbps" => ("Rate", "Rates", "Mbps", 1.0),
        "bytes" => ("Bytes", "Bytes", "kB", 1e-3),
        "frames/s" => ("Frames", "Frames", "frames/s", 1.0),
        "share" => ("Share of the time", "Stopped", "share", 1.0),
        "z" => ("Load factor", "Load factors", "", 1.0),
        "circuits" => ("Active circuits", "Active circuits", "", 1.0),
        unit @ "fraction of the time" => ("Share", "Shares of the time", unit, 1.0),
        unit if unit.starts_with("fraction") => ("Share", "Shares of the link", unit, 1.0),
        unit @ "flits/cycle/terminal" => ("Accepted load", "Accepted load", unit, 1.0),
        unit @ "cycles" => ("Latency", "Latency", unit, 1.0),
        unit @ "packets" => ("Waiting at sources", "Waiting at sources", unit, 1.0),
        unit @ "flits/cycle" => ("Channel load", "Channel load", unit, 1.0),
        unit => ("Value", "Values", unit, 1.0),
    };
    let y = Axis::new(label, unit);
    let drawn = |one: &Series| {
        let style = if one.step { Style::Step } else { Style::Line };
        let x = one.x.iter().map(|at| *at as f64 / steps).collect();
        let y = one.y.iter().map(|value| value * scale).collect();
        Curve::new(one.name.clone(), style, x, y)
    };
    let (curves, note): (Vec<Curve>, _) = match band(group) {
        None => (group.iter().map(|one| drawn(one)).collect(), String::new()),
        Some(median) => {
            let all = (0..median.y.len()).map(|at| sorted(group, at));
            let ends = all.map(|all| (all[0] * scale, all[all.len() - 1] * scale));
            let curve = Curve {
                interval: Some(ends.unzip()),
                ..drawn(&median)
            };
            let note = format!(
                "Of {} series: the median at each time, and a band from the least to the largest. \
                 The directory has all of them in series/.",
                group.len()
            );
            (vec![curve], note)
        }
    };
    let is_negative = group
        .iter()
        .any(|one| one.y.iter().any(|value| *value < 0.0));
    let title = match group {
        [one] => &one.name,
        _ => family(&group[0].name).unwrap_or(together),
    };
    let y = if is_negative { y } else { y.from_zero() };
    // The axis holds the whole band, not only the median.
    let bands = curves.iter().filter_map(|curve| curve.interval.as_ref());
    let highest = bands.flat_map(|(_, high)| high).copied().reduce(f64::max);
    let y = match highest.filter(|highest| *highest > 0.0) {
        Some(highest) => y.up_to(highest),
        None => y,
    };
    Plot::new(format!("series-{number}"), title, curves)
        .x(x.clone())
        .y(y)
        .note(note)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(count: u32, value: impl Fn(u32) -> f64) -> Vec<Series> {
        let one = |flow| Series {
            name: format!("goodput (f[{flow}])"),
            unit: "Mbps",
            x: vec![0, 1_000_000],
            y: vec![value(flow), 1.0],
            ..Series::default()
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn many_series_of_a_wildcard_are_a_median_and_a_band() {
        let time = |end| time_axis(end, Duration::ZERO);
        let few = series_plots(&rates(6, f64::from), time);
        assert_eq!((few.len(), few[0].curves.len()), (1, 6));
        let many = series_plots(&rates(33, f64::from), time);
        assert_eq!((many.len(), many[0].curves.len()), (1, 1));
        let curve = &many[0].curves[0];
        assert_eq!(
            (&*curve.name, &curve.y[..]),
            ("median of 33", &[16.0, 1.0][..])
        );
        let (low, high) = curve.interval.as_ref().expect("a band");
        assert_eq!((low[0], high[0], low[1], high[1]), (0.0, 32.0, 1.0, 1.0));
        assert_eq!(many[0].y.max, Some(32.0), "the axis holds the band");
    }

    #[test]
    fn what_was_never_stopped_has_no_chart() {
        let mut stops = rates(2, |_| 0.0);
        for one in &mut stops {
            (one.unit, one.y) = ("share", vec![0.0, 0.0]);
        }
        let time = |end| time_axis(end, Duration::ZERO);
        assert!(series_plots(&stops, time).is_empty());
        stops[0].y[1] = 0.25;
        assert_eq!(series_plots(&stops, time).len(), 1);
    }
}
