//! Waiting in pictures: by path length, and how it is spread.

use backwater_kernel::{Duration, Samples};
use backwater_net::outcome::{PathGroup, PortsOutcome};

use crate::distribution::beyond;
use crate::model::{Axis, Curve, Plot, Style};
use backwater_kernel::words::counted;

/// Path lengths in the plot of distributions; the table has all.
const CURVES: usize = 6;

/// Waiting by path length, where there are several, and the distribution of waiting times.
pub fn plots(found: &PortsOutcome, cell: Duration) -> Vec<Plot> {
    let mut groups: Vec<(u32, PathGroup)> = found.by_switches().into_iter().collect();
    groups.retain(|(_, group)| group.wait.max() > 0);
    let mut plots = Vec::new();
    if groups.len() > 1 {
        plots.push(by_length(&groups, cell));
    }
    if !groups.is_empty() {
        plots.push(distribution(&groups, cell));
    }
    plots
}

fn wait_axis(cell: Duration) -> Axis {
    Axis::new("Waiting time", "cells")
        .from_zero()
        .or("us", cell.ps().max(1) as f64 / 1e6)
}

fn by_length(groups: &[(u32, PathGroup)], cell: Duration) -> Plot {
    let cell_ps = cell.ps().max(1) as f64;
    let x: Vec<f64> = groups.iter().map(|(at, _)| f64::from(*at)).collect();
    let of = |value: fn(&Samples) -> f64| -> Vec<f64> {
        let waits = groups.iter().map(|(_, group)| &group.wait);
        waits.map(|wait| value(wait) / cell_ps).collect()
    };
    let low = of(|wait| (wait.mean() - wait.deviation()).max(0.0));
    let high = of(|wait| wait.mean() + wait.deviation());
    let lengths = Axis {
        min: Some(x[0] - 0.5),
        max: Some(x[x.len() - 1] + 0.5),
        at: x.clone(),
        ..Axis::new("Switches on the path", "")
    };
    let p99 = of(|wait| wait.percentile(99.0) as f64);
    let curves = vec![
        Curve {
            interval: Some((low, high)),
            ..Curve::new("mean", Style::Points, x.clone(), of(Samples::mean))
        },
        Curve::new("p99", Style::Points, x, p99),
    ];
    Plot::new("waiting-by-length", "Waiting by length of the path", curves)
        .x(lengths)
        .y(wait_axis(cell))
        .note(
            "From end to end, own transmissions excluded. Whiskers are one standard deviation of \
             the units' waiting times, cut off at zero.",
        )
}

fn distribution(groups: &[(u32, PathGroup)], cell: Duration) -> Plot {
    let shown = groups.iter().take(CURVES);
    let curves = shown.map(|(switches, group)| {
        let name = counted(*switches, "switch");
        let ends = [0, group.wait.max()];
        beyond(name, group.wait.histogram(), ends, cell.ps().max(1) as f64)
    });
    let mut note = String::from("The share of units that waited longer than this, end to end.");
    if groups.len() > CURVES {
        note += " The table of paths has the other lengths.";
    }
    Plot::new(
        "waiting-distribution",
        "Share of units that waited longer",
        curves.collect(),
    )
    .x(wait_axis(cell))
    .y(Axis::new("Share", "of units").up_to(1.0).log())
    .note(note)
}
