//! Cases with a limit each: how they run, and how they are shown.

use backwater_results::{Axis, Block, Cell, Curve, Plot, Style, Table};

use super::SEEDS;
use crate::columns::{column, words};
use crate::estimate::{cell, estimate};
use crate::lab::{EthernetRun, Lab, LabError};

/// One of the limits.
pub struct Case {
    /// As the claim names it.
    pub name: &'static str,
    /// In words.
    pub words: &'static str,
    pub file: &'static str,
    pub sets: &'static [(&'static str, &'static str)],
    /// Printed there, us.
    pub printed: f64,
}

/// When a transfer counts as complete.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Complete {
    /// Its last byte is at the destination.
    Received,
    /// The source knows that.
    Acknowledged,
}

/// Time of the slowest transfer of each case, by seed, us; not a number where one did not end.
pub fn slowest(
    lab: &Lab,
    cases: &[Case],
    common: &[(&'static str, &'static str)],
    at: Complete,
) -> Result<Vec<Vec<f64>>, LabError> {
    lab.each(cases, |case| {
        let sets: Vec<_> = case.sets.iter().chain(common).copied().collect();
        let runs = lab.ethernet_seeds(case.file, &sets, SEEDS)?;
        Ok(runs.iter().map(|run| of_run(run, at)).collect())
    })
}

fn of_run(run: &EthernetRun, at: Complete) -> f64 {
    let ends = || run.outcome.flows.iter().map(|flow| &flow.ends);
    if ends().any(|ends| ends.transfers_total == 0) {
        return f64::NAN;
    }
    let slowest = ends().filter_map(|ends| match at {
        Complete::Received => ends.transfer_time.max(),
        Complete::Acknowledged => ends.acknowledged_time.max(),
    });
    slowest.fold(0.0, f64::max) / 1e6
}

/// A table and, where it has a name, a plot of what was found beside what is printed there.
pub fn shown(
    cases: &[Case],
    times: &[Vec<f64>],
    (table, plot): (&str, Option<&str>),
    (column_name, printed): (&str, &str),
) -> Vec<Block> {
    let rows = cases.iter().zip(times).map(|(case, times)| {
        vec![
            Cell::from(case.words),
            cell(times, 1),
            Cell::float(case.printed, 1),
        ]
    });
    let mut blocks = vec![Block::Table(Table {
        name: table.into(),
        caption: format!("The slowest transfer, {SEEDS} seeds."),
        columns: vec![
            words("case", "what is sent"),
            column("here", "us", "measured"),
            column(column_name, "us", printed),
        ],
        rows: rows.collect(),
    })];
    if let Some(id) = plot {
        blocks.push(Block::Plot(picture(cases, times, (id, printed))));
    }
    blocks
}

fn picture(cases: &[Case], times: &[Vec<f64>], (id, printed): (&str, &str)) -> Plot {
    let places: Vec<f64> = (1..=cases.len()).map(|place| place as f64).collect();
    let here = times.iter().map(|times| estimate(times).mean).collect();
    let there = cases.iter().map(|case| case.printed).collect();
    let points = |name: String, values| Curve::new(name, Style::Points, places.clone(), values);
    Plot {
        id: id.into(),
        title: "The slowest transfer".into(),
        x: Axis {
            names: cases.iter().map(|case| case.words.to_owned()).collect(),
            ..Axis::new("case", "")
        },
        y: Axis {
            log: true,
            ..Axis::new("complete after", "us")
        },
        curves: vec![
            points("here".into(), here),
            points(format!("paper: {printed}"), there),
        ],
        ..Plot::default()
    }
}
