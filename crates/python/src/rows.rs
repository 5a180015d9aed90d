//! Which rows are meant, and how they are shown where someone looks at them.

use std::fmt::Write as _;

use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PySlice};

use crate::columns::{Columns, Value};

/// Most rows that are shown.
const SHOWN: usize = 20;
/// Digits of a measurement that are shown.
const DIGITS: i32 = 6;

/// What stands between brackets.
pub enum Picked {
    /// One row, from 0.
    One(usize),
    /// These rows.
    Many(Vec<usize>),
}

/// The place of `row` among so many, from the end where it is negative.
fn place(row: isize, len: usize, what: &str) -> PyResult<usize> {
    let at = if row < 0 { row + len as isize } else { row };
    match usize::try_from(at) {
        Ok(at) if at < len => Ok(at),
        _ => Err(PyIndexError::new_err(format!(
            "row {row} of {what}, which has {len}"
        ))),
    }
}

/// A number, a slice, numbers, or a truth for each of so many rows; `what` has them.
pub fn places(key: &Bound<'_, PyAny>, len: usize, what: &str) -> PyResult<Picked> {
    if let Ok(slice) = key.cast::<PySlice>() {
        let range = slice.indices(len as isize)?;
        let row = |nth| (range.start + nth * range.step) as usize;
        return Ok(Picked::Many(
            (0..range.slicelength as isize).map(row).collect(),
        ));
    }
    if let Ok(row) = key.extract::<isize>()
        && !key.is_instance_of::<PyBool>()
    {
        return Ok(Picked::One(place(row, len, what)?));
    }
    // An array of numpy, a Series: their items as Python's.
    let listed = ["tolist", "to_list"].into_iter();
    let listed = listed.filter(|name| key.hasattr(*name).unwrap_or(false));
    let plain = listed.take(1).map(|name| key.call_method0(name)).next();
    let plain = plain.unwrap_or_else(|| Ok(key.clone()))?;
    let refused = || {
        PyTypeError::new_err(format!(
            "rows of {what} are a number, a slice, numbers, or a truth for each of its {len} rows"
        ))
    };
    let items = plain.try_iter().map_err(|_| refused())?;
    let items = items.collect::<PyResult<Vec<_>>>()?;
    if items.iter().all(|item| item.is_instance_of::<PyBool>()) && !items.is_empty() {
        if items.len() != len {
            return Err(refused());
        }
        let wanted = items.iter().enumerate();
        let wanted = wanted.filter_map(|(row, item)| item.is_truthy().ok()?.then_some(row));
        return Ok(Picked::Many(wanted.collect()));
    }
    let rows = items.iter().map(|item| {
        let row = item.extract::<isize>().map_err(|_| refused())?;
        place(row, len, what)
    });
    Ok(Picked::Many(rows.collect::<PyResult<_>>()?))
}

/// A measurement in few digits, as `%g` of C.
fn short(value: f64) -> String {
    if !value.is_finite() || value == 0.0 {
        return value.to_string();
    }
    let decade = value.abs().log10().floor() as i32;
    if !(-5..=DIGITS + 2).contains(&decade) {
        return format!("{value:.*e}", DIGITS as usize - 1);
    }
    let decimals = (DIGITS - 1 - decade).max(0) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

fn cell(value: &Value<'_>) -> String {
    match value {
        Value::Int(count) => count.to_string(),
        Value::Float(value) => short(*value),
        Value::Word(word) => (*word).into(),
        Value::Absent => String::new(),
    }
}

/// What is left out.
fn more(table: &Columns) -> Option<String> {
    let left = table.rows.checked_sub(SHOWN).filter(|left| *left > 0)?;
    Some(format!("and {left} more of {} rows", table.rows))
}

/// The first rows as a table of HTML; meanings of columns are at their heads.
pub fn html(table: &Columns) -> String {
    let mut out = String::from("<table>\n");
    let caption = escaped(&table.caption);
    let _ = write!(out, "<caption>{caption}</caption>\n<thead><tr>");
    for column in &table.columns {
        let (key, meaning) = (escaped(&column.key), escaped(&column.meaning));
        let _ = write!(out, "<th title=\"{meaning}\">{key}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in 0..table.rows.min(SHOWN) {
        out.push_str("<tr>");
        for column in &table.columns {
            let value = column.get(row);
            let side = match value {
                Value::Word(_) => "left",
                Value::Int(_) | Value::Float(_) | Value::Absent => "right",
            };
            let text = escaped(&cell(&value));
            let _ = write!(out, "<td style=\"text-align:{side}\">{text}</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
    if let Some(more) = more(table) {
        let _ = writeln!(out, "<p>{more}</p>");
    }
    out
}

/// The first rows, columns side by side.
pub fn text(table: &Columns) -> String {
    let rows = table.rows.min(SHOWN);
    let columns = table.columns.iter().map(|column| {
        let cells = (0..rows).map(|row| cell(&column.get(row)));
        let cells: Vec<String> = [column.key.clone()].into_iter().chain(cells).collect();
        let width = cells.iter().map(|cell| cell.chars().count()).max();
        (
            cells,
            width.unwrap_or(0),
            column.type_name() == "large_string",
        )
    });
    let columns: Vec<_> = columns.collect();
    let mut out = String::new();
    for row in 0..=rows {
        let cells = columns.iter().map(|(cells, width, is_words)| {
            let (text, width) = (&cells[row], *width);
            match is_words {
                true => format!("{text:width$}"),
                false => format!("{text:>width$}"),
            }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if let Some(more) = more(table) {
        let _ = writeln!(out, "{more}");
    }
    out.truncate(out.trim_end().len());
    out
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}
