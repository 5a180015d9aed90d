//! Which curves a sweep has.

use super::{Group, Role, SweepResult};
use crate::model::{Axis, Curve, Plot, Style};

/// Curves in one plot before the next begins.
const CURVES: usize = 12;
/// Plots of one kind; the tables have everything.
const PLOTS: usize = 12;

/// Latency and accepted load over the load, and the highest accepted load over the lanes, as far
/// as the sweep has such axes; else over the axes it has.
pub fn sweep_plots(result: &SweepResult) -> Vec<Plot> {
    let groups = result.groups();
    let numeric = |axis: &usize| {
        let axis = &result.axes[*axis];
        axis.numbers.is_some() && axis.values.len() > 1
    };
    let numeric: Vec<usize> = (0..result.axes.len()).filter(numeric).collect();
    let called = |name: &str| {
        let is_it = |axis: &&usize| result.axes[**axis].path.rsplit('.').next() == Some(name);
        numeric.iter().find(is_it).copied()
    };
    let load = called("load");
    let other = |first: usize| numeric.iter().copied().find(|axis| *axis != first);
    let Some(first) = load.or(called("lanes")).or(numeric.first().copied()) else {
        return Vec::new();
    };
    let mut plots = Vec::new();
    for (role, title) in [(Role::Latency, "Latency"), (Role::Accepted, "Throughput")] {
        plots.extend(charts(result, &groups, first, role, title, None));
    }
    let second = called("lanes")
        .filter(|axis| *axis != first)
        .or(other(first));
    if let Some(second) = second {
        match load {
            Some(load) => {
                let title = "Highest throughput";
                let over = Some(load);
                plots.extend(charts(result, &groups, second, Role::Accepted, title, over));
            }
            None => {
                for (role, title) in [(Role::Latency, "Latency"), (Role::Accepted, "Throughput")] {
                    plots.extend(charts(result, &groups, second, role, title, None));
                }
            }
        }
    }
    plots
}

/// A curve for each combination of the axes but `x` and, if given, `over`: of those the highest
/// value is taken.
fn charts(
    result: &SweepResult,
    groups: &[Group<'_>],
    x: usize,
    role: Role,
    title: &str,
    over: Option<usize>,
) -> Vec<Plot> {
    let Some(measure) = result.with_role(role) else {
        return Vec::new();
    };
    let (curves, left_out) = curves(result, groups, x, measure, over);
    let axis = &result.axes[x];
    let title = format!("{title} over {}", axis.name);
    let count = curves.len().div_ceil(CURVES);
    let mut plots = Vec::new();
    for (index, curves) in curves.chunks(CURVES).take(PLOTS).enumerate() {
        let title = match count {
            1 => title.clone(),
            _ => format!("{title} ({} of {count})", index + 1),
        };
        plots.push(Plot {
            id: title.clone(),
            title,
            x: Axis::new(axis.name.clone(), axis.unit.clone()),
            y: Axis {
                min: Some(0.0),
                ..Axis::new(result.measures[measure].name, result.measures[measure].unit)
            },
            curves: curves.to_vec(),
            note: note(
                left_out,
                over.map(|over| result.axes[over].name.as_str()),
                count,
            ),
            marks: Vec::new(),
        });
    }
    plots
}

fn note(left_out: usize, over: Option<&str>, count: usize) -> String {
    let mut notes = Vec::new();
    if let Some(over) = over {
        notes.push(format!("The highest of all values of `{over}`."));
    }
    if left_out > 0 {
        notes.push(format!(
            "{left_out} points beyond saturation are left out: their latency only says how long \
             the run was."
        ));
    }
    if count > PLOTS {
        notes.push(format!(
            "{PLOTS} of {count} plots are shown; the tables have every point."
        ));
    }
    notes.join(" ")
}

/// The curves, and how many points beyond saturation they leave out.
fn curves(
    result: &SweepResult,
    groups: &[Group<'_>],
    x: usize,
    measure: usize,
    over: Option<usize>,
) -> (Vec<Curve>, usize) {
    let is_latency = result.measures[measure].role == Role::Latency;
    let saturated = result.with_role(Role::Saturated).filter(|_| is_latency);
    let without: Vec<usize> = over.into_iter().chain([x]).collect();
    let key = |group: &Group<'_>| {
        let mut key = group.values.to_vec();
        without.iter().for_each(|axis| key[*axis] = 0);
        key
    };
    let mut left_out = 0;
    let mut bundles: std::collections::BTreeMap<Vec<usize>, Vec<Dot>> = Default::default();
    for group in groups {
        let (y, half_width) = group.means[measure];
        let bundle = bundles.entry(key(group)).or_default();
        if group.is_saturated(saturated) {
            left_out += 1;
        } else if y.is_finite() {
            let at = result.axes[x]
                .numbers
                .as_ref()
                .map_or(f64::NAN, |n| n[group.values[x]]);
            bundle.push((at, y, half_width));
        }
    }
    let curves = bundles.into_iter().filter(|(_, dots)| !dots.is_empty());
    let curves = curves.map(|(key, dots)| {
        let mut name = result.describe(&key, &without);
        if name.is_empty() {
            name = result.measures[measure].name.into();
        }
        curve(name, dots)
    });
    (curves.collect(), left_out)
}

/// Position, value, half width of its interval.
type Dot = (f64, f64, Option<f64>);

/// Ascending; of several values at one position the highest.
fn curve(name: String, mut dots: Vec<Dot>) -> Curve {
    dots.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    dots.dedup_by(|next, kept| next.0 == kept.0);
    let has_interval = dots.iter().any(|dot| dot.2.is_some());
    let end = |sign: f64| {
        let end = move |dot: &Dot| dot.1 + sign * dot.2.unwrap_or(0.0);
        dots.iter().map(end).collect::<Vec<f64>>()
    };
    Curve {
        interval: has_interval.then(|| (end(-1.0), end(1.0))),
        ..Curve::new(
            name,
            Style::Line,
            dots.iter().map(|dot| dot.0).collect(),
            dots.iter().map(|dot| dot.1).collect(),
        )
    }
}
