//! The page of a run.

use backwater_kernel::{Duration, Series, Stop};
use backwater_net::outcome::Outcome;
use backwater_net::spec::NetworkSpec;

use super::{Measured, abr, bounds, fair, port_plots, run_tables, standstill, starved, words};
use crate::events::ports::busiest;
use crate::events::summary::trace_hash;
use crate::info::RunInfo;
use crate::model::{Axis, Block, Curve, Fact, OtherUnit, Plot, Report, Style, Tone};
use crate::number::{grouped, significant, span};
use crate::sections::{closing_blocks, heading};
use backwater_kernel::words::counted;

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
    let mut blocks = vec![Block::Facts(facts(info, spec, outcome))];
    blocks.extend(warnings(info, spec, outcome));
    blocks.extend(crate::starved::notes(starved::sentences(spec, outcome)));
    blocks.push(Block::Text(words::paragraph(info, spec, outcome)));
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

fn facts(info: &RunInfo, spec: &NetworkSpec, outcome: &Outcome) -> Vec<Fact> {
    let fact = |label: &str, value: String, detail: String| Fact {
        label: label.into(),
        value,
        detail,
    };
    let balance = outcome.balance();
    let mut facts = vec![
        fact(
            "Simulated",
            format!("{} cells", words::cells(outcome.ended_at.ps(), info.cell)),
            format!(
                "{}, {}",
                span(outcome.ended_at.ps() as f64),
                words::stop_short(outcome.stop)
            ),
        ),
        fact(
            "Delivered",
            grouped(balance.delivered),
            format!("of {} offered", grouped(balance.offered)),
        ),
        fact(
            "Dropped",
            grouped(balance.dropped),
            format!("{} still queued", grouped(balance.inside)),
        ),
    ];
    if let Some((name, data, control)) = busiest(spec, outcome) {
        let value = format!("{} %", significant((data + control) * 100.0, 4));
        facts.push(fact("Busiest port", value, name));
    }
    let speed = match info.wall_seconds.filter(|wall| *wall > 0.0) {
        Some(wall) => format!(
            "{} million a second",
            significant(outcome.events as f64 / wall / 1e6, 3)
        ),
        None => format!("{} unit hops", grouped(outcome.unit_hops)),
    };
    facts.push(fact("Events", grouped(outcome.events), speed));
    facts
}

fn warnings(info: &RunInfo, spec: &NetworkSpec, outcome: &Outcome) -> Vec<Block> {
    let mut notes = Vec::new();
    let mut note = |tone, text: String| notes.push(Block::Note { tone, text });
    if outcome.violations.total() > 0 {
        note(
            Tone::Problem,
            format!(
                "{} broken; the table of violations says which, when and where.",
                counted(outcome.violations.total(), "promise")
            ),
        );
    }
    if let Some(late) = bounds::warning(spec, outcome) {
        note(Tone::Problem, late);
    }
    if outcome.stop == Stop::Standstill {
        note(
            Tone::Problem,
            format!("The run is {}.", words::stop(outcome, info.cell)),
        );
    } else if let Some(still) = standstill::standstill_sentence(outcome, info.cell) {
        let text = format!("At the end {still}; the table `standstill` gives the cause.");
        note(Tone::Warning, text);
    }
    if !outcome.balance().holds() {
        note(
            Tone::Problem,
            format!(
                "Units are missing: {}.",
                words::conservation(&outcome.balance())
            ),
        );
    }
    if outcome.stop == Stop::Interrupted {
        note(
            Tone::Warning,
            "The run was interrupted: everything here covers only the time until then.".into(),
        );
    }
    notes
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
