//! Figures of a run of the cycle engine.

use backwater_flit::outcome::{CyclesOutcome, FabricOutcome};

use super::names::ChannelKind;
use super::words::LOAD;
use super::{FabricFindings, network, tables};
use crate::fairness::FairShares;
use crate::model::{Axis, Curve, Mark, Plot, Style};
use crate::number::grouped;
use backwater_kernel::words::counted;

/// Steps of a histogram, at most.
const BINS: u64 = 100;
/// Points of a curve of sorted values, at most.
const RANKS: usize = 1000;
/// Terminals that get a bar each.
const BARS: usize = 128;
/// Rows of a square that get a curve each.
const ROWS: usize = 8;

/// All figures there is data for.
pub fn plots(run: &FabricFindings<'_>) -> Vec<Plot> {
    let outcome = &run.outcome;
    let mut plots = vec![
        latency(outcome),
        throughput(outcome),
        course(outcome),
        channels(run),
        square(run),
        vcs(outcome),
        terminals(outcome),
    ];
    plots.extend(run.shares().ok().and_then(FairShares::plot));
    plots.retain(|plot| plot.curves.iter().any(|curve| !curve.x.is_empty()));
    plots
}

/// Values and counts, a step for each `width` values; zeros at the ends close the area.
fn binned(histogram: &[(u64, u64)], width: u64) -> (Vec<f64>, Vec<f64>) {
    let (Some(first), Some(last)) = (histogram.first(), histogram.last()) else {
        return (Vec::new(), Vec::new());
    };
    let first_bin = first.0 / width;
    let bins = (last.0 / width).saturating_sub(first_bin) as usize + 1;
    let mut counts = vec![0u64; bins];
    for (value, count) in histogram {
        let bin = (value / width).saturating_sub(first_bin) as usize;
        if let Some(sum) = counts.get_mut(bin) {
            *sum = sum.saturating_add(*count);
        }
    }
    let at = |bin: f64| (first_bin as f64 + bin) * width as f64;
    let (mut x, mut y) = (Vec::new(), Vec::new());
    if first_bin > 0 {
        x.push(at(-1.0));
        y.push(0.0);
    }
    for (bin, count) in counts.into_iter().enumerate() {
        x.push(at(bin as f64));
        y.push(count as f64);
    }
    x.push(at(bins as f64));
    y.push(0.0);
    (x, y)
}

/// From the least latency shown to the largest.
fn range(histogram: &[(u64, u64)]) -> u64 {
    match histogram {
        [first, .., last] => last.0.saturating_sub(first.0),
        _ => 0,
    }
}

/// A round width of steps with which a histogram of this range has not too many.
fn bin_width(range: u64) -> u64 {
    let wanted = range / BINS + 1;
    let mut power = 1u64;
    loop {
        for lead in [1, 2, 5] {
            let width = power.saturating_mul(lead);
            if width >= wanted {
                return width;
            }
        }
        power = power.saturating_mul(10);
    }
}

fn latency(outcome: &FabricOutcome) -> Plot {
    let (whole, inside) = (&outcome.latency, &outcome.network_latency);
    let shown = |found: &CyclesOutcome| -> Vec<_> { found.histogram.exact().collect() };
    let (all, entered) = (shown(whole), shown(inside));
    let width = bin_width(range(&all).max(range(&entered)));
    let mut note = format!("A step is {} wide.", counted(width, "cycle"));
    let beyond = whole.histogram.beyond_exact();
    if beyond > 0 {
        let beyond = counted(beyond, "packet");
        note.push_str(&format!(" {beyond} took longer than shown."));
    }
    let mut curves = Vec::new();
    for (name, histogram) in [("from creation", all), ("from entering", entered)] {
        if !histogram.is_empty() {
            let (x, y) = binned(&histogram, width);
            curves.push(Curve::new(name, Style::Step, x, y));
        }
    }
    Plot::new("latency", "Latency", curves)
        .x(Axis::new("Latency", "cycles"))
        .y(Axis::new("Packets", ""))
        .note(note)
        .marks(vec![
            Mark::vertical(whole.percentiles[0] as f64, "p50"),
            Mark::vertical(whole.percentiles[2] as f64, "p99"),
        ])
}

fn window_marks(outcome: &FabricOutcome) -> Vec<Mark> {
    if outcome.window == 0 {
        return Vec::new();
    }
    let start = outcome.window_start as f64;
    vec![
        Mark::vertical(start, "window starts"),
        Mark::vertical(start + outcome.window as f64, "window ends"),
    ]
}

/// Cycles since the start.
pub fn time_axis() -> Axis {
    Axis {
        steps: Some(1.0),
        ..Axis::new("Time", "cycles")
    }
}

fn throughput(outcome: &FabricOutcome) -> Plot {
    let points = &outcome.course;
    let x: Vec<f64> = points.iter().map(|point| point.cycle as f64).collect();
    let offered = points.iter().map(|point| point.offered).collect();
    let accepted = points.iter().map(|point| point.accepted).collect();
    Plot::new(
        "course-throughput",
        "Throughput over time",
        vec![
            Curve::new("offered", Style::Line, x.clone(), offered),
            Curve::new("accepted", Style::Line, x, accepted),
        ],
    )
    .x(time_axis())
    .y(Axis::new("Load", LOAD).from_zero())
    .marks(window_marks(outcome))
}

fn course(outcome: &FabricOutcome) -> Plot {
    let points = outcome.course.iter().filter(|point| point.latency > 0.0);
    let (x, y) = points
        .map(|point| (point.cycle as f64, point.latency))
        .unzip();
    Plot::new(
        "course-latency",
        "Latency over time",
        vec![Curve::new("packets delivered", Style::Line, x, y)],
    )
    .x(time_axis())
    .y(Axis::new("Mean latency", "cycles"))
    .marks(window_marks(outcome))
}

/// Values from the highest to the lowest over the share of them that is passed, thinned out.
fn ranked(mut values: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
    values.sort_unstable_by(|a, b| b.total_cmp(a));
    let last = values.len().saturating_sub(1);
    let points = values.len().min(RANKS);
    let rank = |point: usize| (point * last).checked_div(points - 1).unwrap_or(0);
    let ranks = (0..points).map(rank);
    let share = |rank: usize| rank as f64 / last.max(1) as f64 * 100.0;
    ranks
        .map(|rank| (share(rank), values[rank] * 100.0))
        .unzip()
}

fn channels(run: &FabricFindings<'_>) -> Plot {
    let names = run.names();
    let mut curves = Vec::new();
    for kind in [
        ChannelKind::Network,
        ChannelKind::Injection,
        ChannelKind::Ejection,
    ] {
        let all = (0..).zip(network::shares(&run.outcome));
        let shares = all.filter(|(channel, _)| names.kind(*channel).is_some_and(|k| k.0 == kind));
        let (x, y) = ranked(shares.map(|(_, share)| *share).collect());
        if !x.is_empty() {
            curves.push(Curve::new(kind.word(), Style::Line, x, y));
        }
    }
    Plot::new("channels", "Use of channels, the busiest first", curves)
        .x(Axis::new("Channels at least this busy", "%"))
        .y(Axis::new("Cycles with a flit", "%").from_zero())
        .note(
            "A flat curve means that the load is spread evenly. The left end is the busiest \
             channel.",
        )
}

fn square(run: &FabricFindings<'_>) -> Plot {
    let rows = network::square(run).unwrap_or_default();
    let count = rows.len().min(ROWS);
    let picked = (0..count).map(|nth| (nth * (rows.len() - 1)).checked_div(count - 1).unwrap_or(0));
    let curve = |y: usize| {
        let x = (0..rows[y].len()).map(|x| x as f64).collect();
        let loads = rows[y].iter().map(|share| share * 100.0).collect();
        Curve::new(format!("y={y}"), Style::Line, x, loads)
    };
    let mut note = String::from("Mean over the channels from each router to other routers.");
    if rows.len() > ROWS {
        let all = grouped(rows.len() as u64);
        note.push_str(&format!(" {ROWS} of {all} rows are shown."));
    }
    Plot::new("square", "Load along the rows", picked.map(curve).collect())
        .x(Axis::new("x", ""))
        .y(Axis::new("Cycles with a flit", "%").from_zero())
        .note(note)
}

fn vcs(outcome: &FabricOutcome) -> Plot {
    let shares = tables::vc_shares(outcome);
    let x = (0..shares.len()).map(|vc| vc as f64).collect();
    let y = shares.iter().map(|share| share * 100.0).collect();
    Plot::new(
        "vcs",
        "Use of virtual channels",
        vec![Curve::new("all channels", Style::Bars, x, y)],
    )
    .x(Axis::new("VC", ""))
    .y(Axis::new("Cycles with a flit", "%").from_zero())
}

fn terminals(outcome: &FabricOutcome) -> Plot {
    let all: &[_] = if outcome.window > 0 {
        &outcome.terminals
    } else {
        &[]
    };
    let x = (0..all.len()).map(|terminal| terminal as f64).collect();
    let load = |flits: u64| flits as f64 / outcome.window as f64;
    let y = all.iter().map(|found| load(found.received)).collect();
    let style = if all.len() <= BARS {
        Style::Bars
    } else {
        Style::Step
    };
    Plot::new(
        "terminals",
        "Accepted by terminal",
        vec![Curve::new("accepted", style, x, y)],
    )
    .x(Axis::new("Terminal", ""))
    .y(Axis::new("Load", LOAD).from_zero())
    .marks(vec![Mark::horizontal(outcome.accepted, "mean")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_keeps_every_packet_and_its_place() {
        let histogram = [(21, 3), (22, 5), (40, 2)];
        let (x, y) = binned(&histogram, 10);
        assert_eq!(x, [10.0, 20.0, 30.0, 40.0, 50.0]);
        assert_eq!(y, [0.0, 8.0, 0.0, 2.0, 0.0]);
        assert_eq!(binned(&[], 10).0.len(), 0);
        let backwards = [(40, 2), (1, 3)];
        assert_eq!(binned(&backwards, 1).0.len(), binned(&backwards, 1).1.len());
    }

    #[test]
    fn steps_are_round_and_few() {
        for (last, width) in [
            (0, 1),
            (99, 1),
            (100, 2),
            (4095, 50),
            (u64::from(u32::MAX), 50_000_000),
        ] {
            assert_eq!(bin_width(range(&[(0, 1), (last, 1)])), width, "{last}");
        }
    }

    #[test]
    fn ranks_keep_both_ends() {
        let (x, y) = ranked((0..5000).map(|i| f64::from(i % 1000) / 1000.0).collect());
        assert_eq!(x.len(), RANKS);
        assert_eq!((x[0], x[RANKS - 1]), (0.0, 100.0));
        assert_eq!((y[0], y[RANKS - 1]), (99.9, 0.0));
        assert!(y.is_sorted_by(|a, b| a >= b));
        assert_eq!(ranked(vec![0.5]), (vec![0.0], vec![50.0]));
        assert_eq!(ranked(Vec::new()).0.len(), 0);
    }
}
