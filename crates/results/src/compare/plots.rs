//! Bars by scheme, curves over time, delays spread out.

use super::measures::{Measure, Shown, measures};
use super::{SchemeRuns, VICTIM, Workload, delays};
use crate::charts::SEEDS_OF_INTERVALS;
use crate::distribution::beyond;
use crate::model::{Axis, Curve, Mark, Plot, Style};
use backwater_kernel::words::capital;

/// Flows that get curves of their own.
const FLOWS: usize = 8;
/// Bursts that are marked.
const MARKS: usize = 8;

/// A bar for each scheme, of the numbers that matter most.
pub(super) fn bars(workload: &Workload, schemes: &[SchemeRuns]) -> Vec<Plot> {
    let wanted = [
        "throughput",
        "fairness",
        "delay p99",
        "message p99",
        "switch buffer max",
        "loss",
        "overhead",
        "victim recovery mean",
    ];
    let victim = format!("- {VICTIM}");
    let measures = measures(workload);
    let is_wanted =
        |measure: &&Measure| wanted.contains(&measure.name.as_str()) || measure.name == victim;
    let drawn = measures.iter().filter(is_wanted);
    let has_bars = |plot: &Plot| {
        let mut values = plot.curves.iter().flat_map(|curve| &curve.y);
        values.any(|value| value.is_finite())
    };
    drawn
        .map(|measure| bar(workload, &measure.legible(workload, schemes), schemes))
        .filter(has_bars)
        .collect()
}

/// A bar for each scheme with its name below; those with the best value are told apart.
fn bar(workload: &Workload, measure: &Measure, schemes: &[SchemeRuns]) -> Plot {
    let is_best = measure.best(workload, schemes);
    let bars = |name: &str, wanted: bool| {
        let chosen = (0..schemes.len()).filter(|index| is_best[*index] == wanted);
        let values = chosen.map(|index| {
            let (mean, half_width) = measure.over(workload, &schemes[index]);
            let half_width = half_width.filter(|_| has_seeds(&schemes[index]));
            let [value, width] = [mean, half_width.unwrap_or(0.0)].map(|it| measure.scaled(it));
            // Nothing drawn here can be negative.
            let interval = ((value - width).max(0.0), value + width);
            ((index + 1) as f64, (value, interval))
        });
        let (x, (y, interval)): (_, (_, (Vec<f64>, Vec<f64>))) = values.unzip();
        let has_interval = interval.0 != interval.1;
        Curve {
            interval: has_interval.then_some(interval),
            ..Curve::new(name, Style::Bars, x, y)
        }
    };
    let mut curves = vec![bars("schemes", false)];
    if is_best.contains(&true) {
        curves.push(bars("the best", true));
    }
    let name = capital(&measure.full_name());
    let names = schemes.iter().map(|scheme| scheme.name.clone());
    Plot::new(
        format!("bars {}", measure.full_name()),
        name.clone(),
        curves,
    )
    .x(Axis::of_names("Scheme", names))
    .y(Axis {
        min: Some(0.0),
        max: (measure.shown == Shown::Index).then_some(1.0),
        ..Axis::new(name, measure.unit())
    })
    .note(format!("{}.", capital(&measure.meaning)))
}

fn has_seeds(scheme: &SchemeRuns) -> bool {
    scheme.runs.len() >= SEEDS_OF_INTERVALS
}

/// Throughput of each flow over time, a plot for each scheme, all to one scale; first seed.
pub(super) fn rates(workload: &Workload, schemes: &[SchemeRuns]) -> Vec<Plot> {
    let per_window = workload.window_ps as f64 * 1e-12;
    let mbps = |bytes: u64| bytes as f64 * 8e-6 / per_window;
    let runs = schemes.iter().filter_map(|scheme| scheme.runs.first());
    let flows = runs.flat_map(|run| &run.seen.flows);
    let most = flows.flat_map(|flow| &flow.windows).max().copied();
    let most = mbps(most.unwrap_or(0)) * 1.05;
    let plot = |scheme: &SchemeRuns| {
        let run = scheme.runs.first()?;
        let flows = workload.flows.iter().zip(&run.seen.flows).take(FLOWS);
        let curves = flows.map(|(flow, seen)| {
            let y: Vec<f64> = seen.windows.iter().map(|bytes| mbps(*bytes)).collect();
            Curve::new(
                flow.name.clone(),
                Style::Line,
                middles(workload, y.len()),
                y,
            )
        });
        Some(
            Plot::new(
                format!("throughput {}", scheme.name),
                format!("{}: throughput of each flow", scheme.name),
                curves.collect(),
            )
            .x(time(workload))
            .y(Axis::new("Payload", "Mbps").from_zero().up_to(most))
            .marks(marks(workload)),
        )
    };
    schemes.iter().filter_map(plot).collect()
}

/// Memory of all switches over time, a curve for each scheme; first seed.
pub(super) fn memory(workload: &Workload, schemes: &[SchemeRuns]) -> Plot {
    let curve = |scheme: &SchemeRuns| {
        let stored = &scheme.runs.first()?.seen.stored;
        let y: Vec<f64> = stored.iter().map(|bytes| bytes * 1e-3).collect();
        let x = middles(workload, y.len());
        Some(Curve::new(scheme.name.clone(), Style::Line, x, y))
    };
    Plot::new(
        "memory",
        "Memory of all switches",
        schemes.iter().filter_map(curve).collect(),
    )
    .x(time(workload))
    .y(Axis::new("Stored", "kB").from_zero())
    .note("Means over windows; peaks within a window are higher.")
    .marks(marks(workload))
}

/// Share of units that took longer, over the delay; first seed.
pub(super) fn spread(schemes: &[SchemeRuns]) -> Plot {
    let curve = |scheme: &SchemeRuns| {
        let seen = &scheme.runs.first()?.seen;
        let all = delays(seen, 0..seen.flows.len());
        let first = all.buckets().next()?.low;
        Some(beyond(&scheme.name, &all, [first, u64::MAX], 1e9))
    };
    Plot::new(
        "delay",
        "Delay: share of frames or cells that took longer",
        schemes.iter().filter_map(curve).collect(),
    )
    .x(Axis::new("Delay", "ms").log())
    .y(Axis::new("Share that took longer", "").log())
    .note("From the first bit on the sender's link to delivery. A frame is up to 32 cells.")
}

fn middles(workload: &Workload, windows: usize) -> Vec<f64> {
    let window = workload.window_ps as f64 * 1e-9;
    (0..windows)
        .map(|index| (index as f64 + 0.5) * window)
        .collect()
}

fn time(workload: &Workload) -> Axis {
    Axis::new("Time", "ms")
        .from_zero()
        .up_to(workload.duration_ps as f64 * 1e-9)
}

fn marks(workload: &Workload) -> Vec<Mark> {
    let bursts = workload.bursts.iter().take(MARKS);
    bursts
        .map(|(start, _)| Mark::vertical(*start as f64 * 1e-9, "burst"))
        .collect()
}
