//! Tables of a directory that the command wrote.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use backwater_results::directory::read_file;
use backwater_results::{Cell, Column, Kind, csv};
use backwater_scenario::LARGEST_FILE_BYTES;
use pyo3::prelude::*;
use serde_json::Value;

use crate::columns::Columns;
use crate::errors::Failure;
use crate::table::Table;

/// All tables of a directory of results, in the order of its `columns.json`.
#[pyfunction]
pub fn tables_of(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<Table>> {
    py.detach(|| read(&folder))
        .map_err(|what| Failure::Refused(what).raise(py))
}

/// A time series of a directory of results: its name, its file there, the unit of its values.
#[pyfunction]
pub fn series_of(
    py: Python<'_>,
    folder: PathBuf,
    name: &str,
    file: &str,
    unit: &str,
) -> PyResult<Table> {
    let text = py.detach(|| text(&folder, file));
    let text = text.map_err(|what| Failure::Refused(what).raise(py))?;
    Ok(series(name, unit, &text))
}

fn read(folder: &Path) -> Result<Vec<Table>, String> {
    let told: Value =
        serde_json::from_str(&text(folder, "columns.json")?).map_err(|error| error.to_string())?;
    let files = told.as_object().into_iter().flatten();
    let table = |(file, told): (&String, &Value)| Ok(table(file, told, &text(folder, file)?));
    files.map(table).collect()
}

/// What a file of a directory holds.
fn text(folder: &Path, file: &str) -> Result<String, String> {
    let path = folder.join(file);
    let wrong = |what: &dyn std::fmt::Display| {
        format!("`{}` is no file of results: {what}", path.display())
    };
    let bytes = read_file(&path, LARGEST_FILE_BYTES as u64).map_err(|error| wrong(&error))?;
    String::from_utf8(bytes).map_err(|error| wrong(&error))
}

/// A time series as its file holds it.
fn series(name: &str, unit: &str, text: &str) -> Table {
    let mut rows = csv::parse(text).into_iter();
    let keys = rows.next().unwrap_or_default();
    let clock = match keys.first() {
        Some(key) if key == "cycle" => "cycles",
        _ => "ps",
    };
    let columns = vec![
        Column::number("at", clock, "instant, from the start of the run"),
        Column::number("value", unit, ""),
    ];
    let caption = format!("The time series `{name}`.");
    let mut read = backwater_results::Table::new(name, caption, columns);
    let kinds = [Kind::Int, Kind::Float];
    let cell = |(text, kind): (&String, &Kind)| cell(text, *kind);
    read.rows = rows
        .map(|row| row.iter().zip(&kinds).map(cell).collect())
        .collect();
    Table {
        columns: Arc::new(Columns::named(&read, keys, &kinds)),
    }
}

/// A table as `columns.json` tells of it and its file holds it.
fn table(file: &str, told: &Value, text: &str) -> Table {
    let word = |told: &Value, field: &str| told[field].as_str().unwrap_or("").to_owned();
    let name = file.strip_prefix("tables/").unwrap_or(file);
    let name = name.strip_suffix(".csv").unwrap_or(name);
    let (mut keys, mut kinds, mut columns) = (Vec::new(), Vec::new(), Vec::new());
    for one in told["columns"].as_array().into_iter().flatten() {
        let [heading, unit, meaning] = ["heading", "unit", "meaning"].map(|field| word(one, field));
        keys.push(word(one, "name"));
        kinds.push(Kind::named(&word(one, "type")).unwrap_or(Kind::Text));
        columns.push(Column::number(&heading, &unit, &meaning));
    }
    let mut read = backwater_results::Table::new(name, word(told, "caption"), columns);
    let cell = |(text, kind): (&String, &Kind)| cell(text, *kind);
    let rows = csv::parse(text).into_iter().skip(1);
    let rows = rows.map(|row| row.iter().zip(&kinds).map(cell).collect());
    read.rows = rows.collect();
    Table {
        columns: Arc::new(Columns::named(&read, keys, &kinds)),
    }
}

fn cell(text: &str, kind: Kind) -> Cell {
    let float = |text: &str| text.parse().map(|value| Cell::float(value, 0));
    match kind {
        _ if text.is_empty() => Cell::Empty,
        Kind::Text => text.into(),
        Kind::Int => text.parse::<i64>().map_or(Cell::Empty, Cell::Int),
        Kind::Float => float(text).unwrap_or(Cell::Empty),
    }
}
