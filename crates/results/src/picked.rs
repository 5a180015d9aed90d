//! Tables of a terminal: columns of a run's tables, picked by the names that programs know them by.

use std::collections::BTreeMap;

use crate::column::Column;
use crate::lines::{aligned, shortened};
use crate::model::{Cell, Table};
use crate::number::{bound, fixed, grouped, percent, rate_unit, span};

/// A column as it is picked.
struct Picked<'a> {
    column: &'a Column,
    /// Of each row: its cell, and the largest where that is a percentile.
    cells: Vec<(&'a Cell, &'a Cell)>,
}

/// The first rows of the first of these tables, and a heading; other tables tell more of the same
/// rows, by their first column. Columns that are nowhere, or say nothing of any row, are left out.
pub fn picked(tables: &[&Table], keys: &[&str], most: usize) -> Vec<String> {
    let places: Vec<BTreeMap<&str, usize>> = tables.iter().map(|table| names(table)).collect();
    let rows = tables.first().map_or(&[][..], |table| &table.rows);
    let rows = &rows[..rows.len().min(most)];
    let pick = |key: &&str| {
        let numbered = tables.iter().enumerate();
        let (at, table, index) = numbered.into_iter().find_map(|(at, table)| {
            let index = table.keys().iter().position(|own| own == key)?;
            Some((at, table, index))
        })?;
        let largest = key.contains("_p99").then(|| key.replace("_p99", "_max"));
        let largest = largest.and_then(|key| table.keys().iter().position(|own| *own == key));
        let cells = (0..rows.len()).map(|row| {
            let place = match at {
                0 => Some(row),
                _ => places[at].get(name(&rows[row])).copied(),
            };
            let cell = |index: Option<usize>| {
                let cell = index
                    .zip(place)
                    .and_then(|(index, place)| table.rows.get(place)?.get(index));
                cell.unwrap_or(&Cell::Empty)
            };
            (cell(Some(index)), cell(largest))
        });
        Some(Picked {
            column: table.columns.get(index)?,
            cells: cells.collect(),
        })
    };
    let columns: Vec<Picked<'_>> = keys.iter().filter_map(pick).filter(Picked::tells).collect();
    let rates = columns.iter().filter(|one| one.is_rate());
    let rates = rates.flat_map(|one| one.cells.iter().filter_map(|(cell, _)| number(cell)));
    let unit = rate_unit(rates.fold(0.0, f64::max) * 1e6);
    let mut lines = vec![columns.iter().map(|one| one.heading(unit.0)).collect()];
    lines.extend(
        (0..rows.len()).map(|row| columns.iter().map(|one| one.shown(row, unit)).collect()),
    );
    let lines = aligned(&lines).into_iter();
    lines.map(|line| line.trim_end().to_owned()).collect()
}

fn name(row: &[Cell]) -> &str {
    match row.first() {
        Some(Cell::Text(name)) => name,
        _ => "",
    }
}

fn names(table: &Table) -> BTreeMap<&str, usize> {
    (0..table.rows.len())
        .map(|row| (name(&table.rows[row]), row))
        .collect()
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Float { value, .. } => Some(*value),
        _ => None,
    }
}

impl Picked<'_> {
    fn is_rate(&self) -> bool {
        self.column.unit == "Mbps"
    }

    /// Does it say anything of any row? Its unit for a heading, it is what the table is about.
    fn tells(&self) -> bool {
        let says = |(cell, largest): &(&Cell, &Cell)| match cell {
            Cell::Empty => **largest != Cell::Empty,
            Cell::Float { value, .. } => {
                *value != 0.0 || !matches!(&*self.column.unit, "Mbps" | "1/s")
            }
            Cell::Text(text) => !text.is_empty(),
            Cell::Int(_) => true,
        };
        self.column.short == Column::UNIT || self.cells.iter().any(says)
    }

    fn heading(&self, unit: &str) -> String {
        match self.column.short.as_str() {
            "" => self.column.name.clone(),
            Column::UNIT if self.is_rate() => unit.into(),
            Column::UNIT => self.column.unit.clone(),
            short => short.into(),
        }
    }

    fn shown(&self, row: usize, unit: (&str, f64, u8)) -> String {
        let (cell, largest) = self.cells[row];
        match (cell, largest) {
            (Cell::Empty, Cell::Empty) => "-".into(),
            (Cell::Empty, largest) => format!("max {}", self.words(largest, unit)),
            (cell, _) => self.words(cell, unit),
        }
    }

    fn words(&self, cell: &Cell, (_, bps, decimals): (&str, f64, u8)) -> String {
        let (value, digits, at_least) = match cell {
            Cell::Text(text) => return shortened(text),
            Cell::Int(count) => return grouped(count.unsigned_abs()),
            Cell::Float {
                value,
                digits,
                at_least,
            } => (*value, *digits, *at_least),
            Cell::Empty => return "-".into(),
        };
        let shown = match self.column.unit.as_str() {
            "Mbps" => {
                let rate = value * 1e6 / bps;
                // Slow flows beside fast ones: more decimals, not nothing.
                let is_slow = rate > 0.0 && rate < 1.0;
                fixed(rate, if is_slow { 4 } else { decimals })
            }
            "1/s" if value == 0.0 => "-".into(),
            "us" => span(value * 1e6),
            "ms" => span(value * 1e9),
            "%" => percent(value / 100.0),
            _ => fixed(value, digits),
        };
        bound(at_least, shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table_of::TableOf;

    #[test]
    fn rows_of_several_tables_are_joined_by_name() {
        let empty = |name: &str| (name != "b").then(|| Cell::float(20_500.0, 1));
        let flows = TableOf::of(["a", "b", "c"])
            .called("flows: ")
            .text("flow")
            .of(|name| *name)
            .number("goodput [Mbps]")
            .of(|name| empty(name))
            .short(Column::UNIT)
            .number("returned [Mbps]")
            .of(|_| Cell::float(0.0, 1))
            .number("dropped [frames]")
            .of(|_| 1_234_u64)
            .done();
        let delays = TableOf::of(["c", "a"])
            .called("delays: ")
            .text("flow")
            .of(|name| *name)
            .number("delay p99 [us]")
            .of(|name| (*name == "a").then(|| Cell::float(1_500.0, 3)))
            .short("p99")
            .number("delay max [us]")
            .of(|_| Cell::float(0.25, 3))
            .done();
        let keys = [
            "flow",
            "goodput_mbps",
            "returned_mbps",
            "delay_p99_us",
            "dropped_frames",
        ];
        let found = picked(&[&flows, &delays], &keys, 3);
        assert_eq!(
            found,
            [
                "flow    Gbps         p99  dropped",
                "a     20.500      1.5 ms    1,234",
                "b          -           -    1,234",
                "c     20.500  max 250 ns    1,234",
            ]
        );
        assert_eq!(picked(&[&flows, &delays], &keys, 1).len(), 2);
    }
}
