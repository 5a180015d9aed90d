//! The tidy tables of a sweep.

use super::{SweepAxis, SweepResult, SweepRow};
use crate::column::Kind;
use crate::model::{Cell, Column, Table};
use crate::table_of::TableOf;

/// `sweep`, a row for each point and seed, and `summary`, a row for each point.
pub fn sweep_tables(result: &SweepResult) -> Vec<Table> {
    vec![points(result), summary(result)]
}

fn points(result: &SweepResult) -> Table {
    let mut table = TableOf::of(&result.rows)
        .called("sweep: Every point with every seed.")
        .columns(axis_columns(result), |row| axis_cells(result, &row.values))
        .number("seed: root of all random streams")
        .of(|row| seed(row.seed));
    for (index, measure) in result.measures.iter().enumerate() {
        let column = Column {
            kind: (measure.digits == 0).then_some(Kind::Int),
            ..Column::number(&measure.name, &measure.unit, &measure.meaning)
        };
        let cell = |row: &&SweepRow| {
            let is_bound = measure.may_be_bound && result.is_bounded(row);
            bounded(measured(row.value(index), measure.digits), is_bound)
        };
        table = table.columns(vec![column], |row| vec![cell(row)]);
    }
    table
        .text("trace hash: fingerprint of the run")
        .of(|row| row.trace_hash.as_str())
        .done()
}

/// What one run measured; counts, which have no decimals, are whole.
fn measured(value: f64, digits: u8) -> Cell {
    match digits {
        0 if is_count(value) => Cell::Int(value as i64),
        0 if !value.is_finite() => Cell::Empty,
        _ => Cell::float(value, digits),
    }
}

/// Whole, and exact as a float.
fn is_count(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() < 9e15
}

fn summary(result: &SweepResult) -> Table {
    let mut table = TableOf::of(result.groups())
        .called("summary: Every point, over its seeds.")
        .columns(axis_columns(result), |group| {
            axis_cells(result, group.values)
        })
        .number("seeds: runs behind the row, one for each seed")
        .of(|group| group.seeds as u64);
    for (index, measure) in result.measures.iter().enumerate() {
        let meaning = format!("{}; mean over the seeds", measure.meaning);
        let half_width = Column::interval(
            &measure.name,
            &measure.unit,
            "half width of the mean's 95 % interval over the seeds, by Student's t; empty with \
             one, where seeds change nothing and of bounds",
        );
        table = table
            .column(Column::number(&measure.name, &measure.unit, &meaning))
            .of(|group| {
                let is_bound = measure.may_be_bound && group.is_bounded;
                bounded(Cell::float(group.means[index].0, measure.digits), is_bound)
            })
            .column(half_width)
            .of(|group| {
                group.means[index]
                    .1
                    .map(|width| Cell::float(width, measure.digits))
            });
    }
    table.done()
}

/// A measurement that may be a bound from below.
fn bounded(cell: Cell, is_bound: bool) -> Cell {
    match cell {
        Cell::Float { value, digits, .. } if is_bound => Cell::at_least(value, digits),
        other => other,
    }
}

/// A column for each axis.
fn axis_columns(result: &SweepResult) -> Vec<Column> {
    result.axes.iter().map(axis_column).collect()
}

/// The values of the axes.
fn axis_cells(result: &SweepResult, values: &[usize]) -> Vec<Cell> {
    let axes = result.axes.iter().zip(values);
    axes.map(|(axis, value)| axis_cell(axis, *value)).collect()
}

/// The column of an axis.
pub(super) fn axis_column(axis: &SweepAxis) -> Column {
    let meaning = format!("`{}` of the scenario", axis.path);
    match axis.numbers {
        Some(_) => Column::number(&axis.name, &axis.unit, &meaning),
        None => Column::text(&axis.name, &meaning),
    }
}

/// One value of an axis.
pub(super) fn axis_cell(axis: &SweepAxis, value: usize) -> Cell {
    match &axis.numbers {
        Some(numbers) if is_whole(axis) => Cell::Int(numbers[value] as i64),
        Some(numbers) => Cell::float(numbers[value], decimals(axis)),
        None => axis.values[value].as_str().into(),
    }
}

/// All values are whole numbers and written so: counts of buffers and the like, which name files
/// and index arrays.
fn is_whole(axis: &SweepAxis) -> bool {
    let mut numbers = axis.numbers.iter().flatten();
    decimals(axis) == 0 && numbers.all(|number| is_count(*number))
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
