//! Which curves a sweep has.

use backwater_kernel::words::counted;
use std::collections::BTreeMap;

use super::{Group, Role, SweepAxis, SweepResult};
use crate::charts::{CURVES, Dot, curve, in_parts, is_near_zero};
use crate::groups::in_order;
use crate::model::{Axis, Curve, Mark, Plot, Style};

/// Plots of one kind; the tables have everything.
const PLOTS: usize = 12;
/// A latency so many times the smallest needs a logarithmic axis.
const WIDE: f64 = 8.0;
/// Whole numbers that grow at least by this factor, each over the one before, stand on such an
/// axis too.
const GEOMETRIC: f64 = 1.5;
/// What is offered is drawn to a little above what is accepted.
const OFFERED: f64 = 1.1;

/// Latency and accepted load over the load, and the highest accepted load over the VCs, as far
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
    let Some(first) = load.or(called("vcs")).or(numeric.first().copied()) else {
        return Vec::new();
    };
    let chosen = chosen(result);
    let charts = |measures, x, role, title, over| {
        let charts = Charts {
            result,
            groups: &groups,
            measures,
            x,
            role,
            title,
            over,
        };
        charts.plots()
    };
    let chart = |x, role, title, over| match result.with_role(role) {
        Some(measure) => charts(vec![measure], x, role, title, over),
        None => Vec::new(),
    };
    let both = |x| {
        let latency = chart(x, Role::Latency, "Latency", None);
        [latency, chart(x, Role::Accepted, "Throughput", None)].concat()
    };
    let mut plots = both(first);
    let second = called("vcs").filter(|axis| *axis != first).or(other(first));
    if let Some(second) = second {
        plots.extend(match load {
            Some(load) => chart(second, Role::Accepted, "Highest throughput", Some(load)),
            None => both(second),
        });
    }
    for (title, measures) in &chosen {
        plots.extend(charts(measures.clone(), first, Role::Chosen, title, None));
    }
    plots
}

/// Latency over an axis, a curve for each combination of the others.
pub(super) fn latency_plots(result: &SweepResult, over: usize) -> Vec<Plot> {
    let measures = result.with_role(Role::Latency);
    let charts = Charts {
        result,
        groups: &result.groups(),
        measures: measures.into_iter().collect(),
        x: over,
        role: Role::Latency,
        title: "Latency",
        over: None,
    };
    charts.plots()
}

/// Columns of flows that were asked for: those of one quantity are drawn together.
fn chosen(result: &SweepResult) -> Vec<(String, Vec<usize>)> {
    let measures = result.measures.iter().enumerate();
    let measures = measures.filter(|(_, measure)| measure.role == Role::Chosen);
    in_order(measures.map(|(index, measure)| {
        let (_, quantity) = of_flow(&measure.name);
        let title = match units_of(result, quantity) {
            0 | 1 => format!("{quantity} of flows"),
            _ => format!("{quantity} of flows, {}", measure.unit),
        };
        (title, index)
    }))
}

/// Units that columns of this quantity have.
fn units_of(result: &SweepResult, quantity: &str) -> usize {
    let measures = result.measures.iter();
    let same = measures.filter(|one| one.role == Role::Chosen && of_flow(&one.name).1 == quantity);
    let mut units: Vec<&str> = same.map(|measure| &*measure.unit).collect();
    units.sort_unstable();
    units.dedup();
    units.len()
}

/// The flow and the quantity of a column that was asked for.
fn of_flow(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

/// One kind of plot: a curve for each combination of the axes but `x` and, if given, `over`: of
/// those the highest value is taken.
struct Charts<'a> {
    result: &'a SweepResult,
    groups: &'a [Group<'a>],
    /// Drawn together: all have one unit.
    measures: Vec<usize>,
    x: usize,
    role: Role,
    title: &'a str,
    over: Option<usize>,
}

/// The points of one curve.
#[derive(Default)]
struct Bundle {
    dots: Vec<Dot>,
    /// Lowest position beyond saturation, if such points are left out.
    saturated: Option<f64>,
    /// Of latencies: where they would be at no load, as the point at the lowest position says.
    zero_load: Option<(f64, f64)>,
}

impl Charts<'_> {
    fn plots(&self) -> Vec<Plot> {
        let measures = self.measures.iter();
        let bundles: Vec<_> = measures
            .map(|measure| (*measure, self.bundles(*measure)))
            .collect();
        let bundles = bundles.iter().flat_map(|(measure, bundles)| {
            let drawn = bundles.iter().filter(|(_, bundle)| !bundle.dots.is_empty());
            drawn.map(|(key, bundle)| (self.name(key, *measure), bundle))
        });
        let drawn: Vec<(String, &Bundle)> = bundles.collect();
        let left_out = self.left_out();
        let count = drawn.len().div_ceil(CURVES);
        let title = format!("{} over {}", self.title, self.result.axes[self.x].name);
        let mut plots = in_parts(&title, &drawn, |drawn| Plot {
            note: self.note(drawn, left_out, count),
            ..self.plot(drawn)
        });
        plots.truncate(PLOTS);
        plots
    }

    fn plot(&self, drawn: &[(String, &Bundle)]) -> Plot {
        let axis = &self.result.axes[self.x];
        let measure = self
            .measures
            .first()
            .map(|measure| &self.result.measures[*measure]);
        let (name, unit) = measure.map_or(("", ""), |measure| (&measure.name, &measure.unit));
        let label = match self.role {
            Role::Chosen => of_flow(name).1,
            _ => name,
        };
        let mut curves: Vec<Curve> = drawn
            .iter()
            .map(|(name, bundle)| curve(&**name, Style::Line, bundle.dots.clone()))
            .collect();
        let is_wide = self.role == Role::Latency && is_wide(&curves);
        if self.role == Role::Accepted && self.over.is_none() {
            curves.extend(self.offered(&curves));
        }
        let saturated = match drawn {
            [(_, only)] => only.saturated.map(|at| Mark::vertical(at, "saturated")),
            _ => None,
        };
        Plot {
            x: position(axis),
            y: Axis {
                min: (!is_wide).then_some(0.0),
                log: is_wide,
                ..Axis::new(label, unit)
            },
            curves,
            marks: zero_loads(drawn).into_iter().chain(saturated).collect(),
            ..Plot::default()
        }
    }

    fn name(&self, key: &[usize], measure: usize) -> String {
        let without: Vec<usize> = self.over.into_iter().chain([self.x]).collect();
        let point = self.result.label(key, &without);
        let measure = &*self.result.measures[measure].name;
        match (self.role, point.is_empty()) {
            (Role::Chosen, true) => of_flow(measure).0.into(),
            (Role::Chosen, false) => format!("{}, {point}", of_flow(measure).0),
            (_, true) => measure.into(),
            (_, false) => point,
        }
    }

    /// By the values of the axes that tell curves apart.
    fn bundles(&self, measure: usize) -> BTreeMap<Vec<usize>, Bundle> {
        let mut bundles: BTreeMap<Vec<usize>, Bundle> = BTreeMap::new();
        for group in self.groups {
            let mut key = group.values.to_vec();
            let without = self.over.into_iter().chain([self.x]);
            without.for_each(|axis| key[axis] = 0);
            let bundle = bundles.entry(key).or_default();
            let at = self.at(group);
            let (y, half_width) = group.means[measure];
            if let Some(zero_load) = self.zero_load(group)
                && bundle.zero_load.is_none_or(|(lowest, _)| at < lowest)
            {
                bundle.zero_load = Some((at, zero_load));
            }
            if self.leaves_out(group) {
                bundle.saturated = Some(bundle.saturated.map_or(at, |least| least.min(at)));
            } else if y.is_finite() {
                bundle.dots.push((at, y, half_width));
            }
        }
        bundles
    }

    fn at(&self, group: &Group<'_>) -> f64 {
        let numbers = self.result.axes[self.x].numbers.as_ref();
        numbers.map_or(f64::NAN, |numbers| numbers[group.values[self.x]])
    }

    fn zero_load(&self, group: &Group<'_>) -> Option<f64> {
        let measure = self.result.with_role(Role::ZeroLoad);
        let measure = measure.filter(|_| self.role == Role::Latency)?;
        Some(group.means[measure].0).filter(|mean| mean.is_finite())
    }

    fn leaves_out(&self, group: &Group<'_>) -> bool {
        let saturated = self.result.with_role(Role::Saturated);
        self.role == Role::Latency && group.is_saturated(saturated)
    }

    fn left_out(&self) -> usize {
        let groups = self.groups.iter();
        groups.filter(|group| self.leaves_out(group)).count()
    }

    /// What is offered, where it has the unit of `accepted` and hardly differs between curves.
    fn offered(&self, accepted: &[Curve]) -> Option<Curve> {
        const ALIKE: f64 = 0.1;
        let roles = [Role::Offered, Role::Accepted].map(|role| self.result.with_role(role));
        let [Some(offered), Some(measure)] = roles else {
            return None;
        };
        if self.result.measures[offered].unit != self.result.measures[measure].unit {
            return None;
        }
        let most = accepted.iter().flat_map(|curve| &curve.y).copied();
        let most = most.fold(0.0, f64::max) * OFFERED;
        let mut dots: Vec<Dot> = Vec::new();
        for group in self.groups {
            dots.push((self.at(group), group.means[offered].0, None));
        }
        dots.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for same in dots.chunk_by(|a, b| a.0 == b.0) {
            let (least, most) = (same[0].1, same[same.len() - 1].1);
            if !(least.is_finite() && most - least <= ALIKE * most) {
                return None;
            }
        }
        dots.dedup_by(|next, kept| next.0 == kept.0);
        let beyond = dots.iter().position(|dot| dot.1 > most);
        dots.truncate(beyond.unwrap_or(dots.len()));
        let is_whole = dots.len() > 1;
        is_whole.then(|| Curve {
            dashed: true,
            ..curve("offered", Style::Line, dots)
        })
    }

    fn note(&self, drawn: &[(String, &Bundle)], left_out: usize, count: usize) -> String {
        let mut notes = Vec::new();
        if let Some(over) = self.over {
            let over = &self.result.axes[over].name;
            notes.push(format!("The highest of all values of `{over}`."));
        }
        if left_out > 0 {
            let points = counted(left_out, "point");
            notes.push(format!(
                "Left out beyond saturation, where latency only depends on the length of the \
                 run: {points}. The tables have all."
            ));
        }
        let ends = drawn.iter().filter_map(|(name, bundle)| {
            let at = crate::number::significant(bundle.saturated?, 6);
            Some(format!("{at} ({name})"))
        });
        let ends: Vec<String> = ends.collect();
        if !ends.is_empty() && drawn.len() > 1 {
            let axis = &self.result.axes[self.x].name;
            notes.push(format!("Saturated from {axis} {} on.", ends.join(", ")));
        }
        if count > PLOTS {
            notes.push(format!(
                "{PLOTS} of {count} plots are shown; the tables have every point."
            ));
        }
        notes.join(" ")
    }
}

/// Where curves of latency begin: a line for each that is told from the others, none if those are
/// many. The curve that it belongs to ends there; one label is enough.
fn zero_loads(drawn: &[(String, &Bundle)]) -> Vec<Mark> {
    const LINES: usize = 3;
    /// Lines closer than this, as a share of the lower one, are one.
    const APART: f64 = 0.05;
    let known = drawn.iter().filter_map(|(_, bundle)| bundle.zero_load);
    let mut known: Vec<f64> = known.map(|(_, zero_load)| zero_load).collect();
    known.sort_by(f64::total_cmp);
    known.dedup_by(|next, kept| *next <= *kept * (1.0 + APART));
    if known.len() > LINES {
        known.clear();
    }
    let labels = std::iter::once("zero load").chain(std::iter::repeat(""));
    let lines = known.into_iter().zip(labels);
    lines
        .map(|(at, label)| Mark::horizontal(at, label))
        .collect()
}

/// The horizontal axis: logarithmic for 1, 2, 4, 8 and the like, with a label at each.
fn position(axis: &SweepAxis) -> Axis {
    const LABELS: usize = 16;
    let mut numbers = axis.numbers.clone().unwrap_or_default();
    numbers.sort_by(f64::total_cmp);
    let is_whole = |number: &f64| *number > 0.0 && number.fract() == 0.0;
    let grows = |pair: &[f64]| pair[1] >= GEOMETRIC * pair[0];
    let is_geometric =
        numbers.len() > 2 && numbers.iter().all(is_whole) && numbers.windows(2).all(grows);
    let [least, most] = [numbers.first(), numbers.last()].map(|end| end.copied().unwrap_or(0.0));
    Axis {
        min: (!is_geometric && is_near_zero(least, most)).then_some(0.0),
        log: is_geometric,
        at: match is_geometric && numbers.len() <= LABELS {
            true => numbers,
            false => Vec::new(),
        },
        ..Axis::new(axis.name.clone(), axis.unit.clone())
    }
}

fn is_wide(curves: &[Curve]) -> bool {
    let values = || curves.iter().flat_map(|curve| curve.y.iter().copied());
    let least = values().fold(f64::INFINITY, f64::min);
    let most = values().fold(0.0, f64::max);
    least > 0.0 && most > WIDE * least
}
