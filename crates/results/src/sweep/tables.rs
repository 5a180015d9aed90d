//! The tidy tables of a sweep.

use super::{SweepAxis, SweepResult};
use crate::model::{Cell, Column, Table};

/// `sweep`, a row for each point and seed, and `summary`, a row for each point.
pub fn sweep_tables(result: &SweepResult) -> Vec<Table> {
    vec![points(result), summary(result)]
}

fn points(result: &SweepResult) -> Table {
    let mut columns = axis_columns(result);
    columns.push(Column::number("seed", "", "root of all random streams"));
    columns.extend(
        result
            .measures
            .iter()
            .map(|measure| Column::number(&measure.name, &measure.unit, &measure.meaning)),
    );
    columns.push(Column::text("trace hash", "fingerprint of the run"));
    let mut table = Table::new("sweep", "Every point with every seed.", columns);
    for row in &result.rows {
        let mut cells = axis_cells(result, &row.values);
        cells.push(seed(row.seed));
        let measured = result.measures.iter().zip(&row.measured);
        cells.extend(measured.map(|(measure, value)| Cell::float(*value, measure.digits)));
        cells.push(row.trace_hash.as_str().into());
        table.rows.push(cells);
    }
    table
}

fn summary(result: &SweepResult) -> Table {
    let mut columns = axis_columns(result);
    columns.push(Column::number(
        "seeds",
        "",
        "runs behind the row, one for each seed",
    ));
    for measure in &result.measures {
        let meaning = format!("{}; mean over the seeds", measure.meaning);
        columns.push(Column::number(&measure.name, &measure.unit, &meaning));
        columns.push(Column::interval(
            &measure.name,
            &measure.unit,
            "half width of the mean's 95 % interval over the seeds, by Student's t; empty with one",
        ));
    }
    let mut table = Table::new("summary", "Every point, over its seeds.", columns);
    for group in result.groups() {
        let mut cells = axis_cells(result, group.values);
        cells.push((group.seeds as u64).into());
        for (measure, (mean, half_width)) in result.measures.iter().zip(&group.means) {
            let cell = |value: f64| Cell::float(value, measure.digits);
            cells.push(cell(*mean));
            cells.push(half_width.map_or(Cell::Empty, cell));
        }
        table.rows.push(cells);
    }
    table
}

/// A column for each axis.
pub(super) fn axis_columns(result: &SweepResult) -> Vec<Column> {
    let column = |axis: &SweepAxis| {
        let meaning = format!("`{}` of the scenario", axis.path);
        match axis.numbers {
            Some(_) => Column::number(&axis.name, &axis.unit, &meaning),
            None => Column::text(&axis.name, &meaning),
        }
    };
    result.axes.iter().map(column).collect()
}

/// The values of the axes.
pub(super) fn axis_cells(result: &SweepResult, values: &[usize]) -> Vec<Cell> {
    let axes = result.axes.iter().zip(values);
    axes.map(|(axis, value)| axis_cell(axis, *value)).collect()
}

/// One value of an axis.
pub(super) fn axis_cell(axis: &SweepAxis, value: usize) -> Cell {
    match &axis.numbers {
        Some(numbers) => Cell::float(numbers[value], decimals(axis)),
        None => axis.values[value].as_str().into(),
    }
}

/// Decimals that tell all values of an axis.
fn decimals(axis: &SweepAxis) -> u8 {
    let of = |text: &String| {
        let digits = text.split_once('.').map_or("", |(_, digits)| digits);
        digits
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count()
            .min(12) as u8
    };
    axis.values.iter().map(of).max().unwrap_or(0)
}

fn seed(seed: u64) -> Cell {
    match i64::try_from(seed) {
        Ok(seed) => Cell::Int(seed),
        Err(_) => Cell::Text(seed.to_string()),
    }
}
