//! Runs, sweeps and searches drawn in one plot: what their directories hold, column by column.

mod runs;
mod series;
mod sweeps;
#[cfg(test)]
mod tests;
mod units;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::cells::{Cells, Row};
use crate::charts::in_parts;
use crate::column::{Column, NoColumn, key};
use crate::csv::{Piece, pieces};
use crate::groups::in_order;
use crate::model::{Axis, Curve, Plot, Table};
use crate::table_of::TableOf;
use backwater_kernel::words::capital;

/// Rows of a table that is read.
const MOST_ROWS: usize = 4_000_000;
/// Rows of a table that is drawn whole: each has a label. Of more, some are.
const WHOLE: usize = 200_000;
/// Stretches of a larger table of which the lowest and the highest value are drawn: more than a
/// plot has pixels.
const STRETCHES: usize = 2_000;
/// Keys that differ, for the name of a run.
const KEYS_IN_NAMES: usize = 2;

/// What a directory of results holds, as far as it is drawn.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// What it is called in legends.
    pub name: String,
    /// Points of a sweep or a search; else one run.
    pub is_sweep: bool,
    /// In the order of `columns.json`.
    pub tables: Vec<Read>,
    /// What it recorded over time.
    pub series: Vec<ReadSeries>,
    /// Keys of the scenario and their values, as TOML has them.
    pub keys: Vec<(String, String)>,
}

/// A table as it was read back.
#[derive(Clone, Debug, Default)]
pub struct Read {
    /// Name of the file without its ending.
    pub name: String,
    /// Its columns and the names that programs know them by.
    pub columns: Vec<(String, Column)>,
    /// Cells as text; empty where nothing was measured.
    pub rows: Cells,
}

/// A series as it was read back.
#[derive(Clone, Debug, Default)]
pub struct ReadSeries {
    /// As the scenario calls it.
    pub name: String,
    /// Name of the file without its ending: it stands for the name as well.
    pub file: String,
    /// Unit of the values, as in the heading.
    pub unit: String,
    /// Picoseconds, or cycles.
    pub clock: String,
    /// Positions and values.
    pub points: Vec<(f64, f64)>,
}

/// What was drawn of several.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    /// Its plots.
    pub plots: Vec<Plot>,
    /// The numbers in them.
    pub tables: Vec<Table>,
}

/// Draws the column `y` over the axis or key `over`; the usual ones where they are not given.
///
/// # Errors
/// If there is no such column or axis, or runs and sweeps are mixed.
pub fn overlay(all: &[Results], y: Option<&str>, over: Option<&str>) -> Result<Overlay, NoColumn> {
    let is_sweep = |one: &&Results| one.is_sweep;
    match all.iter().filter(is_sweep).count() {
        0 => runs::overlay(all, y, over),
        count if count == all.len() => sweeps::overlay(all, y, over),
        _ => {
            let runs = all.iter().filter(|one| !one.is_sweep);
            let runs: Vec<&str> = runs.map(|one| one.name.as_str()).collect();
            let what = format!(
                "single runs and sweeps have no plot in common; single runs: {}",
                runs.join(", ")
            );
            Err(NoColumn::sorted(what, []))
        }
    }
}

/// Calls each run by what differs, as `n3 = 8`, where that tells them apart in a few words; and a
/// table of all that differs, if anything does.
pub fn told_apart(all: &mut [Results]) -> Option<Table> {
    let keys = all.iter().flat_map(|run| &run.keys);
    let keys = in_order(keys.map(|(key, _)| (key.as_str(), ())));
    let value = |run: &Results, wanted: &str| {
        let found = run.keys.iter().find(|(key, _)| key == wanted);
        found.map_or("unset".to_owned(), |(_, value)| value.clone())
    };
    let values = keys.into_iter().map(|(key, _)| {
        let values = all.iter().map(|run| value(run, key));
        (key.to_owned(), values.collect::<Vec<String>>())
    });
    let differs = |(_, values): &(String, Vec<String>)| values.iter().any(|one| *one != values[0]);
    let differ: Vec<(String, Vec<String>)> = values.filter(differs).collect();
    if differ.is_empty() || all.iter().any(|run| run.keys.is_empty()) {
        return None;
    }
    let name = |run: usize| {
        let parts = differ.iter().map(|(key, values)| {
            let last = key.rsplit('.').next().unwrap_or(key);
            let same = differ
                .iter()
                .filter(|(other, _)| other.rsplit('.').next() == Some(last));
            let key = if same.count() > 1 { key } else { last };
            format!("{key} = {}", values[run])
        });
        parts.collect::<Vec<_>>().join(", ")
    };
    let names: BTreeSet<String> = (0..all.len()).map(name).collect();
    if differ.len() <= KEYS_IN_NAMES && names.len() == all.len() {
        for (index, run) in all.iter_mut().enumerate() {
            run.name = name(index);
        }
    }
    let mut table = TableOf::of(&differ)
        .called("what differs: Keys of the scenarios that are not the same in all.")
        .text("key: its path in the scenario")
        .of(|(key, _)| key.as_str());
    for (index, run) in all.iter().enumerate() {
        table = table
            .column(Column::text(&run.name, "its value there"))
            .of(|(_, values)| values[index].as_str());
    }
    Some(table.done())
}

impl Results {
    /// Puts the tables together from `columns.json` and the texts of its files.
    ///
    /// # Errors
    /// If one is not as it was written, or has too many rows to be drawn.
    pub fn read_tables(
        &mut self,
        columns: &Value,
        text: impl Fn(&str) -> Option<String>,
    ) -> Result<(), String> {
        let files = columns.as_object().into_iter().flatten();
        for (file, told) in files {
            let name = file.strip_prefix("tables/").unwrap_or(file);
            let name = name.strip_suffix(".csv").unwrap_or(name);
            let Some(text) = text(file) else { continue };
            let word = |told: &Value, field: &str| told[field].as_str().unwrap_or("").to_owned();
            let columns = told["columns"].as_array().into_iter().flatten();
            let columns = columns.map(|told| {
                let [heading, unit] = ["heading", "unit"].map(|field| word(told, field));
                let column = Column::number(&heading, &unit, &word(told, "meaning"));
                (word(told, "name"), column)
            });
            let columns: Vec<(String, Column)> = columns.collect();
            let rows = Cells::read(&text, columns.len(), MOST_ROWS);
            let rows = rows.map_err(|what| format!("{file}: {what}"))?;
            let table = Read {
                name: name.into(),
                columns,
                rows,
            };
            self.tables.push(table.with_a_column_each());
        }
        Ok(())
    }

    /// Takes in the text of a series: its name, and the name of its file without the ending.
    pub fn read_series(&mut self, (name, file): (&str, &str), text: &str) {
        let (mut head, mut points) = (Vec::new(), Vec::new());
        let (mut is_head, mut at, mut row) = (true, 0, [None; 2]);
        pieces(text, |piece| {
            match piece {
                Piece::Cell(cell) if is_head => head.push(cell.to_owned()),
                Piece::Cell(cell) => {
                    if let Some(place) = row.get_mut(at) {
                        *place = cell.parse::<f64>().ok();
                    }
                    at += 1;
                }
                Piece::End => {
                    if let [Some(x), Some(y)] = row {
                        points.push((x, y));
                    }
                    (is_head, at, row) = (false, 0, [None; 2]);
                }
            }
            true
        });
        let word = |at: usize| head.get(at).cloned().unwrap_or_default();
        self.series.push(ReadSeries {
            name: name.into(),
            file: file.into(),
            unit: word(1).strip_prefix("value_").unwrap_or("").into(),
            clock: word(0),
            points,
        });
    }
}

impl Read {
    /// A list of quantities with their values and units, as one row with a column for each.
    fn with_a_column_each(self) -> Read {
        let keys: Vec<&str> = self.columns.iter().map(|(key, _)| key.as_str()).collect();
        if keys != ["quantity", "value", "unit"] {
            return self;
        }
        let column = |row: Row<'_>| {
            let [heading, unit] = [0, 2].map(|at| row.get(at).unwrap_or(""));
            let column = match heading.strip_suffix(" ± 95 %") {
                Some(name) => Column::interval(name, unit, ""),
                None => Column::number(heading, unit, ""),
            };
            (column.key(), column)
        };
        let cell = |row: Row<'_>| row.get(1).unwrap_or("").to_owned();
        Read {
            columns: self.rows.iter().map(column).collect(),
            rows: Cells::row(self.rows.iter().map(cell)),
            name: self.name,
        }
    }

    /// The rows that are drawn of a table of so many that it is not drawn whole: those with the
    /// lowest and the highest value of a column, of each of many stretches.
    fn extremes(&self, at: usize) -> BTreeSet<usize> {
        let length = self.rows.len().div_ceil(STRETCHES).max(1);
        let values = self.rows.iter().map(|row| self.number(row, at));
        let values: Vec<(usize, f64)> = values
            .enumerate()
            .filter_map(|(row, value)| Some((row, value?)))
            .collect();
        let stretches = values.chunk_by(|one, next| one.0 / length == next.0 / length);
        let ends = stretches.flat_map(|stretch| {
            let by_value = |one: &&(usize, f64), other: &&(usize, f64)| one.1.total_cmp(&other.1);
            let ends = [
                stretch.iter().min_by(by_value),
                stretch.iter().max_by(by_value),
            ];
            ends.into_iter().flatten().map(|(row, _)| *row)
        });
        ends.collect()
    }

    /// What these rows are called: by the first column of words, or by their place.
    fn labels_of(&self, rows: &BTreeSet<usize>) -> Vec<String> {
        let is_word = |cell: &str| !cell.is_empty() && cell.parse::<f64>().is_err();
        let first = rows.first().map(|row| self.rows.at(*row));
        let mut columns = 0..self.columns.len();
        let words = columns.find(|at| first.and_then(|row| row.get(*at)).is_some_and(is_word));
        let label = |row: &usize| match words.and_then(|at| self.rows.at(*row).get(at)) {
            Some(name) => format!("{name} (row {})", row + 1),
            None => format!("{} (row {})", self.name, row + 1),
        };
        rows.iter().map(label).collect()
    }

    /// What each row is called: by its first cell of words; by the first of all, such as the
    /// number of a terminal, where several would be called the same; then by its place among these.
    fn labels(&self) -> Vec<String> {
        let of_column = |at: usize, head: &str| -> Vec<String> {
            let cells = self.rows.iter().map(|row| row.get(at));
            let cells = cells.map(Option::unwrap_or_default);
            cells.map(|cell| format!("{head}{cell}")).collect()
        };
        let is_word = |cell: &str| !cell.is_empty() && cell.parse::<f64>().is_err();
        let has_words = |at: &usize| {
            self.rows
                .iter()
                .any(|row| row.get(*at).is_some_and(is_word))
        };
        let words = (0..self.columns.len()).find(has_words);
        let mut labels = words.map(|at| of_column(at, "")).unwrap_or_default();
        let differ = |labels: &[String]| labels.iter().collect::<BTreeSet<_>>().len();
        if self.rows.len() > 1 && differ(&labels) < self.rows.len() && words != Some(0) {
            let head = self.columns.first().map_or("", |(_, column)| &column.name);
            labels = of_column(0, &format!("{head} "));
        }
        labels.resize(self.rows.len(), self.name.clone());
        let mut seen = BTreeMap::new();
        for label in &mut labels {
            let before = seen.entry(label.clone()).or_insert(0_u32);
            *before += 1;
            if *before > 1 {
                label.push_str(&format!(" ({before})"));
            }
        }
        labels
    }

    /// The column that `asked` names, with its unit or without.
    fn find(&self, asked: &str) -> Option<usize> {
        let exact = self.columns.iter().position(|(key, _)| key == asked);
        exact.or_else(|| {
            let mut columns = self.columns.iter();
            columns.position(|(_, column)| key(&column.name, "") == asked)
        })
    }

    /// A number of a row.
    fn number(&self, row: Row<'_>, at: usize) -> Option<f64> {
        row.get(at)?
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
    }

    /// Is each value of a column a number, with one at least?
    fn is_of_numbers(&self, at: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(at));
        let mut filled = cells.by_ref().filter(|cell| !cell.is_empty()).peekable();
        filled.peek().is_some() && filled.all(|cell| cell.parse::<f64>().is_ok())
    }
}

impl Overlay {
    /// Draws curves over the first axis by the second.
    fn draw(&mut self, title: &str, [x, y]: [Axis; 2], curves: &[Curve], note: &str) {
        self.plots.extend(in_parts(title, curves, |curves| {
            Plot::new("", "", curves.to_vec())
                .x(match x.names.is_empty() {
                    true => x.near_zero(curves.iter().flat_map(|curve| &curve.x)),
                    false => x.clone(),
                })
                .y(y.near_zero(curves.iter().flat_map(|curve| &curve.y)))
                .note(note)
        }));
    }
}

/// The axis of what a column holds.
fn axis(column: &Column) -> Axis {
    Axis::new(capital(&column.name.replace('_', " ")), &column.unit)
}
