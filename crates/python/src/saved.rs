//! Tables of a directory that the command wrote.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use backwater_results::cells::Cells;
use backwater_results::directory::{is_plain, read_file};
use backwater_results::{Column, Kind};
use backwater_scenario::LARGEST_FILE_BYTES;
use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;
use serde_json::Value;

use crate::columns::Columns;
use crate::errors::Failure;
use crate::stack::roomy;
use crate::table::Table;

/// All tables of a directory of results, in the order of its `columns.json`.
#[pyfunction]
pub fn tables_of(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<Table>> {
    roomy(py, || read(&folder).map_err(Failure::Refused))
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
    roomy(py, || {
        let text = text(&folder, file).map_err(Failure::Refused)?;
        series(name, unit, &text).map_err(Failure::Refused)
    })
}

/// What a file of a directory of results holds.
#[pyfunction]
pub fn text_of(py: Python<'_>, folder: PathBuf, file: &str) -> PyResult<String> {
    let path = folder.join(file);
    if !path.exists() {
        let what = format!("`{}`: there is no such file", path.display());
        return Err(PyFileNotFoundError::new_err(what));
    }
    roomy(py, || text(&folder, file).map_err(Failure::Refused))
}

fn read(folder: &Path) -> Result<Vec<Table>, String> {
    let told: Value =
        serde_json::from_str(&text(folder, "columns.json")?).map_err(|error| error.to_string())?;
    let files = told.as_object().into_iter().flatten();
    let table = |(file, told): (&String, &Value)| table(file, told, &text(folder, file)?);
    files.map(table).collect()
}

/// What a file of a directory holds.
fn text(folder: &Path, file: &str) -> Result<String, String> {
    let path = folder.join(file);
    let wrong = |what: &dyn std::fmt::Display| {
        format!("`{}` is no file of results: {what}", path.display())
    };
    if !is_plain(file) {
        return Err(wrong(&"its name leads out of the directory"));
    }
    let bytes = read_file(&path, LARGEST_FILE_BYTES as u64).map_err(|error| wrong(&error))?;
    String::from_utf8(bytes).map_err(|error| wrong(&error))
}

/// A time series as its file holds it.
fn series(name: &str, unit: &str, text: &str) -> Result<Table, String> {
    let heading = text.lines().next().unwrap_or("");
    let keys: Vec<String> = heading.split(',').map(String::from).collect();
    let clock = match keys.first() {
        Some(key) if key == "cycle" => "cycles",
        _ => "ps",
    };
    let columns = [
        Column::number("at", clock, "instant, from the start of the run"),
        Column::number("value", unit, ""),
    ];
    let columns = keys.into_iter().zip(columns).zip([Kind::Int, Kind::Float]);
    let columns: Vec<_> = columns
        .map(|((key, column), kind)| (key, column, kind))
        .collect();
    let cells = Cells::read(text, columns.len(), usize::MAX)?;
    let caption = format!("The time series `{name}`.");
    Ok(Table {
        columns: Arc::new(Columns::read(name, caption, columns, &cells)),
    })
}

/// A table as `columns.json` tells of it and its file holds it.
fn table(file: &str, told: &Value, text: &str) -> Result<Table, String> {
    let word = |told: &Value, field: &str| told[field].as_str().unwrap_or("").to_owned();
    let name = file.strip_prefix("tables/").unwrap_or(file);
    let name = name.strip_suffix(".csv").unwrap_or(name);
    let columns = told["columns"].as_array().into_iter().flatten();
    let columns = columns.map(|one| {
        let [heading, unit, meaning] = ["heading", "unit", "meaning"].map(|field| word(one, field));
        let kind = Kind::named(&word(one, "type")).unwrap_or(Kind::Text);
        (
            word(one, "name"),
            Column::number(&heading, &unit, &meaning),
            kind,
        )
    });
    let columns: Vec<_> = columns.collect();
    let cells = Cells::read(text, columns.len(), usize::MAX);
    let cells = cells.map_err(|what| format!("`{file}` is not as it was written: {what}"))?;
    let columns = Columns::read(name, word(told, "caption"), columns, &cells);
    Ok(Table {
        columns: Arc::new(columns),
    })
}
