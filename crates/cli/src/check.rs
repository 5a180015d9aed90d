//! `backwater check`.

use backwater_kernel::words::{counted, printable};
use std::path::{Path, PathBuf};

use backwater_results::{Align, Cell, Column, Table};
use backwater_scenario::compare::{Comparison, is_comparison};
use backwater_scenario::{Diagnostics, Source};

use serde_json::{Map, Value, json};

use crate::output::Output;
use crate::{BAD_INPUT, Changes, SUCCESS, complain, document, fail, files, sizes};
use backwater_run::memory::Memory;

/// Scenario files to check.
#[derive(clap::Args)]
pub struct Options {
    /// Scenario files; `-` is standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Bytes that each link needs for no loss and for the full rate, under the scheme it uses
    #[arg(long, help_heading = "Output")]
    sizes: bool,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    memory: Memory,
    #[command(flatten)]
    pub output: Output,
}

/// Checks every file, and says so of each.
pub fn check(options: &Options) -> u8 {
    let mut status = SUCCESS;
    let mut all = Vec::new();
    for path in &options.files {
        let (verdict, fields) = match one(path, options) {
            Ok(fields) => ("valid", fields),
            Err(fields) => ("invalid", fields),
        };
        if verdict == "invalid" {
            status = BAD_INPUT;
        }
        let mut file = Map::new();
        file.insert("file".into(), path.display().to_string().into());
        file.insert("verdict".into(), verdict.into());
        file.extend(fields);
        all.push(Value::Object(file));
    }
    let verdict = if status == SUCCESS {
        "valid"
    } else {
        "invalid"
    };
    document::put("verdict", verdict);
    document::put("files", all);
    status
}

/// What a document says of a file.
type Fields = Map<String, Value>;

/// Checks a file: what there is to say of one that can run, or of one that can't.
fn one(path: &Path, options: &Options) -> Result<Fields, Fields> {
    let source = files::read(path).map_err(|message| {
        complain(&message);
        Fields::new()
    })?;
    if is_comparison(&source) {
        return check_comparison(&source, options).ok_or_else(Fields::new);
    }
    // For its headroom, if that is why it is refused.
    let again = options.output.verbose.then(|| source.clone());
    let checked = files::check(source, &options.changes, &options.memory);
    let Ok((source, scenario)) = checked else {
        let refused = again.and_then(|source| tell_refused(&source, options));
        return Err(refused.unwrap_or_default());
    };
    let name = printable(&source.name);
    let engine = backwater_run::engine(&scenario);
    println!("{name}: valid: {}", engine.size());
    let mut fields = Fields::new();
    fields.insert("engine".into(), scenario.engine.name().into());
    fields.insert("size".into(), engine.size().into());
    if let Some(promised) = engine.promised() {
        println!("{name}: {promised}");
        fields.insert("promised".into(), promised.into());
    }
    if let Some(table) = engine.headroom() {
        let meant = ", where a loss is meant";
        let headroom = tell_headroom(&name, &table, meant, options.output.verbose);
        fields.insert("headroom".into(), headroom);
    }
    if options.sizes {
        fields.insert(
            "sizes".into(),
            sizes::tell(&name, &scenario, options.output.verbose),
        );
    }
    // Only where it is asked for: the bounds are computed again for it.
    let hops = options
        .output
        .verbose
        .then(|| engine.bound_hops())
        .flatten();
    if let Some(table) = hops {
        println!("{name}: what each delay bound is made of, link by link:");
        lines(&table).iter().for_each(|line| println!("{line}"));
        fields.insert("bound_hops".into(), rows(&table));
    }
    Ok(fields)
}

/// The account of headroom of a file that is refused, as far as there is one.
fn tell_refused(source: &Source, options: &Options) -> Option<Fields> {
    let scenario = files::refused(source, &options.changes, &options.memory)?;
    let table = backwater_run::headroom(&scenario)?;
    let headroom = tell_headroom(&printable(&source.name), &table, "", true);
    Some(Fields::from_iter([("headroom".into(), headroom)]))
}

/// Says in a line what headroom there is, and why some may be missing; on demand all of it: what
/// each queue and input needs and has, term by term.
fn tell_headroom(name: &str, table: &Table, meant: &str, is_verbose: bool) -> Value {
    let number = |row: &[Cell], key: &str| {
        let at = table.columns.iter().position(|own| own.name == key);
        match at.and_then(|at| row.get(at)) {
            Some(Cell::Int(number)) => *number as f64,
            Some(Cell::Float { value, .. }) => *value,
            _ => 0.0,
        }
    };
    let all = |key: &'static str| table.rows.iter().map(move |row| number(row, key));
    // A pool that is enough for some inputs at once is short of nothing that one input needs.
    let at_once = || all("missing").zip(all("at once"));
    let oversold = at_once().filter(|(missing, inputs)| *missing > 0.0 && *inputs > 0.0);
    let oversold = oversold.map(|(_, inputs)| inputs).reduce(f64::min);
    let missing = at_once().filter(|(_, inputs)| *inputs == 0.0);
    let missing = missing.fold(0.0, |most, (missing, _)| f64::max(most, missing));
    let spare = all("spare").fold(f64::INFINITY, f64::min);
    let response = all("response").fold(0.0, f64::max);
    let room = match missing {
        0.0 => format!("{spare} B to spare at least"),
        missing => format!("{missing} B missing at most{meant}"),
    };
    let room = match oversold {
        Some(inputs) => format!(
            "{room}; oversold, enough for {} at once at least",
            counted(inputs as u64, "input")
        ),
        None => room,
    };
    println!("{name}: headroom: {room}; response to a stop assumed: {response} ns at most");
    let mut headroom =
        json!({ "spare_bytes": spare, "missing_bytes": missing, "response_ns": response });
    headroom["inputs_at_once"] = json!(oversold);
    if is_verbose {
        lines(table).iter().for_each(|line| println!("{line}"));
        headroom["rows"] = rows(table);
    }
    headroom
}

/// The rows of a table for programs: each an object, by the names of its columns.
pub(crate) fn rows(table: &Table) -> Value {
    let keys = table.keys();
    let value = |cell: &Cell| match cell {
        Cell::Text(text) => json!(text),
        Cell::Int(number) => json!(number),
        Cell::Float { value, .. } => json!(value),
        Cell::Empty => Value::Null,
    };
    let row = |cells: &Vec<Cell>| {
        let fields = keys.iter().cloned().zip(cells.iter().map(value));
        Value::Object(fields.collect())
    };
    table.rows.iter().map(row).collect()
}

/// A table in columns; words to the left, numbers to the right.
pub(crate) fn lines(table: &Table) -> Vec<String> {
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
fn check_comparison(source: &Source, options: &Options) -> Option<Fields> {
    let sets = files::sets(&options.changes).map_err(fail).ok()?;
    let refuse = |mistakes: Diagnostics| {
        complain(&files::rendered(&mistakes));
    };
    let comparison = Comparison::read(source, &sets).map_err(refuse).ok()?;
    let limits = options.memory.limits(1);
    for &scheme in &comparison.schemes {
        let scenario = comparison.scenario(scheme, comparison.seed, &limits);
        scenario.map_err(refuse).ok()?;
    }
    let size = format!(
        "a comparison of {}; {}, {}",
        counted(comparison.schemes.len(), "scheme"),
        counted(comparison.switches().len(), "switch"),
        counted(comparison.flows.len(), "flow")
    );
    println!("{}: valid: {size}", printable(&source.name));
    Some(Fields::from_iter([("size".into(), size.into())]))
}
