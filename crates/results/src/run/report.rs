//! The page of a run.

use backwater_kernel::{Duration, Series, Stop};
use backwater_net::outcome::Outcome;
use backwater_net::spec::NetworkSpec;

use super::{Measured, abr, bounds, fair, port_plots, run_tables, sessions, standstill, words};
use crate::events::page::{Page, report};
use crate::info::RunInfo;
use crate::model::{Axis, Curve, OtherUnit, Plot, Report, Style, Tone};

/// Curves in one plot before the next begins.
const CURVES: usize = 6;

/// A page that explains the run: what ran, what came out, the series, what was measured of ports,
/// every table, the scenario and the command.
pub fn run_report<'a>(
    info: &RunInfo,
    spec: &NetworkSpec,
    outcome: &Outcome,
    measured: impl Into<Measured<'a>>,
    series: &[Series],
) -> Report {
    let measured = measured.into();
    let waiting = measured.ports;
    let waiting = waiting.map_or(Vec::new(), |ports| port_plots::plots(ports, info.cell));
    let fairness = fair::shares(spec, outcome).plot();
    let sessions = [
        sessions::sentence(spec, outcome),
        sessions::warnings_sentence(outcome),
    ];
    let page = Page {
        stop: words::stop_short(outcome.stop),
        facts: Vec::new(),
        bounds: bounds::common(spec, outcome),
        still: still(info, outcome),
        sentences: sessions.into_iter().flatten().collect(),
        figures: vec![
            ("Waiting", waiting),
            ("Time series", plots(series, info.cell)),
            ("Fairness", fairness.into_iter().collect()),
            ("Available bit rate", abr::plots(spec, outcome)),
        ],
        tables: run_tables(spec, outcome, measured, info.cell),
        end: Vec::new(),
    };
    report((info, spec, outcome), page)
}

fn still(info: &RunInfo, outcome: &Outcome) -> Option<(Tone, String)> {
    if outcome.stop == Stop::Standstill {
        let text = format!("The run is {}.", words::stop(outcome, info.cell));
        return Some((Tone::Problem, text));
    }
    let still = standstill::standstill_sentence(outcome, info.cell)?;
    let text = format!("At the end {still}; the table `standstill` gives the cause.");
    Some((Tone::Warning, text))
}

/// Series of one kind over the same span share a plot.
pub fn plots(series: &[Series], cell: Duration) -> Vec<Plot> {
    let mut groups: Vec<Vec<&Series>> = Vec::new();
    for one in series.iter().filter(|one| !one.x.is_empty()) {
        let fits = |group: &Vec<&Series>| {
            let first = group[0];
            let overlap = one.x[0] <= *first.x.last().unwrap_or(&0)
                && first.x[0] <= *one.x.last().unwrap_or(&0);
            group.len() < CURVES && first.unit == one.unit && first.step == one.step && overlap
        };
        match groups.iter_mut().find(|group| fits(group)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
        .iter()
        .enumerate()
        .map(|(index, group)| plot(index, group, cell))
        .collect()
}

fn plot(index: usize, group: &[&Series], cell: Duration) -> Plot {
    let cell_ps = cell.ps().max(1) as f64;
    // Delays are recorded in picoseconds and read in cell times, rates in bps and read in Mbps.
    let (unit, scale) = match group[0].unit {
        "ps" => ("cell times", 1.0 / cell_ps),
        "bps" => ("Mbps", 1e-6),
        unit => (unit, 1.0),
    };
    let (label, together) = match group[0].unit {
        "ps" => ("Time taken", "Times taken"),
        "cells" => ("Cells", "Cells and credits"),
        "bps" => ("Rate", "Rates"),
        "z" => ("Load factor", "Load factors"),
        "circuits" => ("Active circuits", "Active circuits"),
        "fraction of the time" => ("Share", "Shares of the time"),
        unit if unit.starts_with("fraction") => ("Share", "Shares of the link"),
        _ => ("Value", "Values"),
    };
    let curves: Vec<Curve> = group
        .iter()
        .map(|one| {
            let style = if one.step { Style::Step } else { Style::Line };
            let x = one.x.iter().map(|ps| *ps as f64 / cell_ps).collect();
            let y = one.y.iter().map(|value| value * scale).collect();
            Curve::new(one.name.clone(), style, x, y)
        })
        .collect();
    Plot {
        id: format!("series-{}", index + 1),
        title: match group {
            [one] => one.name.clone(),
            _ => together.into(),
        },
        x: Axis {
            other: Some(OtherUnit {
                unit: "us".into(),
                per_unit: cell_ps / 1e6,
            }),
            steps: Some(cell_ps),
            ..Axis::new("Time", "cells")
        },
        y: match unit {
            "cells" => Axis::new("Cells", ""),
            "z" | "circuits" => Axis::new(label, ""),
            _ => Axis::new(label, unit),
        },
        curves,
        ..Plot::default()
    }
}
