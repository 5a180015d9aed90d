//! The page of a run.

use backwater_kernel::{Duration, Series, Stop};
use backwater_net::outcome::Outcome;
use backwater_net::spec::NetworkSpec;

use super::{
    Measured, abr, bounds, fair, port_plots, run_tables, sessions, standstill, starved, words,
};
use crate::events::page::{facts, notes};
use crate::events::summary::trace_hash;
use crate::events::words::paragraphs;
use crate::info::RunInfo;
use crate::model::{Axis, Block, Curve, OtherUnit, Plot, Report, Style, Tone};
use crate::sections::{closing_blocks, heading};

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
    let run = (info, spec, outcome);
    let stop = words::stop_short(outcome.stop);
    let mut blocks = vec![Block::Facts(facts(run, stop, Vec::new()))];
    blocks.extend(warnings(info, spec, outcome));
    blocks.extend(crate::starved::notes(starved::sentences(spec, outcome)));
    let sessions = [
        sessions::sentence(spec, outcome),
        sessions::warnings_sentence(outcome),
    ];
    let stop = words::stop(outcome, info.cell);
    blocks.push(Block::Text(paragraphs(
        run,
        &stop,
        sessions.into_iter().flatten(),
    )));
    let waiting = measured.ports;
    let waiting = waiting.map_or(Vec::new(), |ports| port_plots::plots(ports, info.cell));
    if !waiting.is_empty() {
        blocks.push(heading("Waiting"));
        blocks.extend(waiting.into_iter().map(Block::Plot));
    }
    let plots = plots(series, info.cell);
    if !plots.is_empty() {
        blocks.push(heading("Time series"));
        blocks.extend(plots.into_iter().map(Block::Plot));
    }
    if let Some(plot) = fair::shares(spec, outcome).plot() {
        blocks.push(heading("Fairness"));
        blocks.push(Block::Plot(plot));
    }
    let rates = abr::plots(spec, outcome);
    if !rates.is_empty() {
        blocks.push(heading("Available bit rate"));
        blocks.extend(rates.into_iter().map(Block::Plot));
    }
    if let Some(plot) = bounds::plot(spec, outcome, info.cell) {
        blocks.push(heading("Delay bounds"));
        blocks.push(Block::Plot(plot));
    }
    blocks.push(heading("Tables"));
    let tables = run_tables(spec, outcome, measured, info.cell);
    blocks.extend(tables.into_iter().map(Block::Table));
    blocks.extend(closing_blocks(info, spec.seed, &trace_hash(outcome)));
    Report {
        title: info.name.clone(),
        subtitle: info.description.clone(),
        command: String::new(),
        version: info.version.clone(),
        blocks,
    }
}

fn warnings(info: &RunInfo, spec: &NetworkSpec, outcome: &Outcome) -> Vec<Block> {
    let still = match outcome.stop {
        Stop::Standstill => {
            let text = format!("The run is {}.", words::stop(outcome, info.cell));
            Some((Tone::Problem, text))
        }
        _ => standstill::standstill_sentence(outcome, info.cell).map(|still| {
            let text = format!("At the end {still}; the table `standstill` gives the cause.");
            (Tone::Warning, text)
        }),
    };
    notes(spec, outcome, bounds::warning(spec, outcome), still)
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
