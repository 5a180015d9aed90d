//! `backwater check`.

use backwater_kernel::words::{counted, printable};
use std::path::PathBuf;

use backwater_results::{Align, Cell, Column, Table};
use backwater_scenario::compare::{Comparison, is_comparison};
use backwater_scenario::{Diagnostics, Source};

use crate::{BAD_INPUT, Changes, SUCCESS, fail, files};
use backwater_run::memory::Memory;

/// Scenario files to check.
#[derive(clap::Args)]
pub struct Options {
    /// Scenario files; `-` is standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Print the account of headroom: what each queue and input needs and has, term by term
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    memory: Memory,
}

/// Checks every file, and says so of each.
pub fn check(options: &Options) -> u8 {
    let mut status = SUCCESS;
    for path in &options.files {
        let Ok(source) = files::read(path).map_err(|message| eprintln!("{message}")) else {
            status = BAD_INPUT;
            continue;
        };
        if is_comparison(&source) {
            status = status.max(check_comparison(&source, options));
            continue;
        }
        match files::check(source, &options.changes, &options.memory) {
            Ok((source, scenario)) => {
                let name = printable(&source.name);
                let engine = backwater_run::engine(&scenario);
                println!("{name}: valid: {}", engine.size());
                if let Some(promised) = engine.promised() {
                    println!("{name}: {promised}");
                }
                if let Some(table) = engine.headroom() {
                    tell_headroom(&name, &table, options.verbose);
                }
            }
            Err(()) => status = BAD_INPUT,
        }
    }
    status
}

/// Says in a line what headroom there is; on demand all of it.
fn tell_headroom(name: &str, table: &Table, is_verbose: bool) {
    let number = |row: &[Cell], key: &str| {
        let at = table.columns.iter().position(|own| own.name == key);
        match at.and_then(|at| row.get(at)) {
            Some(Cell::Int(number)) => *number as f64,
            Some(Cell::Float { value, .. }) => *value,
            _ => 0.0,
        }
    };
    let all = |key: &'static str| table.rows.iter().map(move |row| number(row, key));
    let room = match all("missing").fold(0.0, f64::max) {
        0.0 => format!(
            "{} B to spare at least",
            all("spare").fold(f64::INFINITY, f64::min)
        ),
        missing => format!("{missing} B missing at most, where a loss is meant"),
    };
    println!(
        "{name}: headroom: {room}; response to a stop assumed: {} ns at most",
        all("response").fold(0.0, f64::max)
    );
    if is_verbose {
        lines(table).iter().for_each(|line| println!("{line}"));
    }
}

/// A table in columns; words to the left, numbers to the right.
fn lines(table: &Table) -> Vec<String> {
    let text = |cell: &Cell| match cell {
        Cell::Text(text) => printable(text),
        Cell::Int(number) => number.to_string(),
        Cell::Float { value, .. } => value.to_string(),
        Cell::Empty => String::new(),
    };
    let head = |of: fn(&Column) -> &String| table.columns.iter().map(of).cloned().collect();
    let mut rows: Vec<Vec<String>> =
        Vec::from([head(|column| &column.name), head(|column| &column.unit)]);
    rows.extend(table.rows.iter().map(|row| row.iter().map(text).collect()));
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).zip(&table.columns);
        let cells = cells.map(|((cell, width), column)| match column.align {
            Align::Left => format!("{cell:<width$}"),
            Align::Right => format!("{cell:>width$}"),
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Checks a comparison with every scheme that it names, and says so.
fn check_comparison(source: &Source, options: &Options) -> u8 {
    let sets = match files::sets(&options.changes) {
        Ok(sets) => sets,
        Err(message) => return fail(message),
    };
    let told = |mistakes: Diagnostics| eprintln!("{}", mistakes.render(files::color()));
    let Ok(comparison) = Comparison::read(source, &sets).map_err(told) else {
        return BAD_INPUT;
    };
    let limits = options.memory.limits(1);
    for &scheme in &comparison.schemes {
        let scenario = comparison.scenario(scheme, comparison.seed, &limits);
        if scenario.map_err(told).is_err() {
            return BAD_INPUT;
        }
    }
    println!(
        "{}: valid: a comparison of {}; {}, {}",
        printable(&source.name),
        counted(comparison.schemes.len(), "scheme"),
        counted(comparison.switches().len(), "switch"),
        counted(comparison.flows.len(), "flow")
    );
    SUCCESS
}
