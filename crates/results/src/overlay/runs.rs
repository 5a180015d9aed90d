//! Single runs: a column of one of their tables side by side, or over a key in which they differ;
//! and their time series.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::words::grouped;

use super::units::converted;
use super::{Overlay, Read, Results, STRETCHES, WHOLE, axis, series};
use crate::charts::curve;
use crate::column::{Column, NoColumn, key};
use crate::groups::in_order;
use crate::model::{Axis, Cell, Curve, Style, Table};
use crate::table_of::TableOf;
use backwater_kernel::words::capital;

/// Columns that are drawn where none is asked for.
const USUAL: [&str; 8] = [
    "goodput",
    "throughput",
    "accepted",
    "delay_p99",
    "latency_mean",
    "fct_mean",
    "slowdown_mean",
    "slowdown_p99",
];

/// Runs whose bars stand side by side, and bars of all of them; more are points.
const BARS_ASIDE: usize = 4;
const BARS: usize = 80;

/// A column of one run: the label of each row, and its value.
struct Values {
    column: Column,
    /// What its rows are: the heading of the first column.
    of_what: String,
    rows: Vec<(String, f64)>,
    /// Rows of the table, where they are too many to be drawn each.
    thinned_from: Option<usize>,
}

/// The rows of large tables that are drawn, of all runs the same.
type Kept = Option<BTreeSet<usize>>;

pub fn overlay(all: &[Results], y: Option<&str>, over: Option<&str>) -> Result<Overlay, NoColumn> {
    let mut overlay = Overlay::default();
    let wanted: Vec<&str> = match y {
        Some(y) => vec![y],
        None => {
            let has = |name: &&&str| all.iter().all(|run| table_of(run, name).is_some());
            USUAL.iter().filter(has).copied().collect()
        }
    };
    let places = over.map(|over| places(all, over)).transpose()?;
    for y in wanted {
        if let Some(drawn) = y.strip_prefix("series.") {
            series::draw(all, Some(drawn), &mut overlay)?;
            continue;
        }
        let kept = kept(all, y);
        let mut columns = Vec::new();
        for run in all {
            let missing = || match is_there(run, y) {
                true => {
                    let what = format!("`{y}` of {} is empty: too few values for it", run.name);
                    NoColumn::sorted(what, known(run))
                }
                false => {
                    let what = format!("{} has no column `{y}`", run.name);
                    NoColumn::sorted(what, known(run))
                }
            };
            columns.push(values(run, y, &kept).ok_or_else(missing)?);
        }
        match &places {
            Some((key, places)) => over_key(all, &columns, (key, places), &mut overlay),
            None => side_by_side(all, &columns, &mut overlay),
        }
    }
    if y.is_none() && over.is_none() {
        series::draw(all, None, &mut overlay)?;
    }
    match overlay.plots.is_empty() {
        true => {
            let known = all.first().map(known).unwrap_or_default();
            Err(NoColumn::sorted(
                "nothing to draw: name a column by --y",
                known,
            ))
        }
        false => Ok(overlay),
    }
}

/// Is there a column of that name, be it empty, such as a p99 of a few transfers?
fn is_there(run: &Results, asked: &str) -> bool {
    run.tables.iter().any(|table| table.find(asked).is_some())
}

/// The columns of numbers there are.
fn known(run: &Results) -> Vec<String> {
    let columns = run.tables.iter().flat_map(|table| {
        let columns = table.columns.iter().enumerate();
        columns.filter(|(at, _)| table.is_of_numbers(*at))
    });
    let columns = columns.map(|(_, (key, _))| key.clone());
    let series = run.series.iter().map(|one| format!("series.{}", one.name));
    columns.chain(series).collect()
}

/// The first table that has the column `asked`, and of which row, group or table where a name
/// stands before it, as in `victim.goodput`.
fn table_of<'a>(run: &'a Results, asked: &'a str) -> Option<(&'a Read, usize, Option<&'a str>)> {
    let first = |of: Option<&'a str>, column: &str, table: Option<&str>| {
        let is_meant = |read: &&Read| table.is_none_or(|name| read.name == name);
        let mut tables = run.tables.iter().filter(is_meant);
        tables.find_map(|table| {
            let at = table.find(column).filter(|at| table.is_of_numbers(*at))?;
            table.has_row(of, at).then_some((table, at, of))
        })
    };
    first(None, asked, None).or_else(|| {
        let (name, column) = asked.rsplit_once('.')?;
        first(Some(name), column, None).or_else(|| first(None, column, Some(name)))
    })
}

/// Which rows are drawn of the column `asked`, where a table of it is too large to be drawn whole:
/// the extremes of each run.
fn kept(all: &[Results], asked: &str) -> Kept {
    let tables = all.iter().filter_map(|run| table_of(run, asked));
    let large = tables.filter(|(table, ..)| table.rows.len() > WHOLE);
    let rows = large.map(|(table, at, _)| table.extremes(at));
    rows.reduce(|mut all, rows| {
        all.extend(rows);
        all
    })
}

/// The column `asked`, see [`table_of`].
fn values(run: &Results, asked: &str, kept: &Kept) -> Option<Values> {
    let (table, at, of) = table_of(run, asked)?;
    let column = table.columns[at].1.clone();
    if let Some(kept) = kept.as_ref().filter(|_| table.rows.len() > WHOLE) {
        let kept: BTreeSet<usize> = kept
            .iter()
            .copied()
            .take_while(|row| *row < table.rows.len())
            .collect();
        let labels = table.labels_of(&kept);
        let rows = labels.into_iter().zip(&kept).filter_map(|(label, row)| {
            let value = table.number(table.rows.at(*row), at)?;
            Some((label, value))
        });
        return Some(Values {
            of_what: table.first_heading(),
            rows: rows.collect(),
            column,
            thinned_from: Some(table.rows.len()),
        });
    }
    let rows = table.labels().into_iter().zip(table.rows.iter());
    let rows = rows.filter(|(label, _)| is_meant(label, of));
    let rows = rows.filter_map(|(label, row)| Some((label, table.number(row, at)?)));
    Some(Values {
        of_what: table.first_heading(),
        rows: rows.collect(),
        column,
        thinned_from: None,
    })
}

/// Is a row of this label, or its group, the one asked for?
fn is_meant(label: &str, of: Option<&str>) -> bool {
    of.is_none_or(|name| label == name || crate::groups::group_name(label) == name)
}

impl Read {
    /// What its rows are: the heading of the first column.
    fn first_heading(&self) -> String {
        let first = self.columns.first();
        first.map_or("row".into(), |(_, first)| first.name.clone())
    }

    /// Has a row of this name, or of this group, a value in this column?
    fn has_row(&self, of: Option<&str>, at: usize) -> bool {
        let has_value = |row| self.number(row, at).is_some();
        match of {
            None => self.rows.iter().any(has_value),
            Some(_) if self.rows.len() > WHOLE => false,
            Some(_) => {
                let rows = self.labels().into_iter().zip(self.rows.iter());
                let mut rows = rows.filter(|(label, _)| is_meant(label, of));
                rows.any(|(_, row)| has_value(row))
            }
        }
    }
}

/// The value of the key `over` in each run.
fn places(all: &[Results], over: &str) -> Result<(Column, Vec<f64>), NoColumn> {
    let mut unit: Option<String> = None;
    let mut places = Vec::new();
    for run in all {
        let end = format!(".{over}");
        let exact = run.keys.iter().find(|(path, _)| path == over);
        let ends: Vec<_> = run
            .keys
            .iter()
            .filter(|(path, _)| path.ends_with(&end))
            .collect();
        let entry = exact.or(match ends.as_slice() {
            [only] => Some(*only),
            _ => None,
        });
        let Some((_, value)) = entry else {
            let what = match ends.len() {
                0 => format!("the scenario of {} has no key `{over}`", run.name),
                _ => format!("`{over}` may be several keys of {}", run.name),
            };
            let similar = ends.iter().map(|(path, _)| path.clone());
            return Err(NoColumn::sorted(what, similar));
        };
        let (number, own) = quantity(value);
        let Ok(number) = number.parse() else {
            let what = format!("`{over}` in {} is no number: {value}", run.name);
            return Err(NoColumn::sorted(what, []));
        };
        let unit = unit.get_or_insert_with(|| own.into());
        places.push(converted(number, own, unit, over)?);
    }
    Ok((
        Column::number(over, &unit.unwrap_or_default(), "key of the scenario"),
        places,
    ))
}

/// `50 ms` as a number and its unit.
fn quantity(text: &str) -> (&str, &str) {
    let text = text.trim().trim_matches('"');
    let end = text.find(|c: char| !(c.is_ascii_digit() || "+-.eE_".contains(c)));
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    (number, unit.trim())
}

/// Labels of all runs, each once, in the order in which they come.
fn labels(columns: &[Values]) -> Vec<&str> {
    let rows = columns.iter().flat_map(|own| &own.rows);
    let labels = in_order(rows.map(|(label, _)| (label.as_str(), ())));
    labels.into_iter().map(|(label, _)| label).collect()
}

/// The value of each label, of each run.
fn by_label(columns: &[Values]) -> Vec<BTreeMap<&str, f64>> {
    let mut all = Vec::with_capacity(columns.len());
    for own in columns {
        // Of several rows that are called the same the first one counts.
        let rows = own.rows.iter().rev();
        all.push(
            rows.map(|(label, value)| (label.as_str(), *value))
                .collect(),
        );
    }
    all
}

/// A curve for each row, over the values of a key.
fn over_key(
    all: &[Results],
    columns: &[Values],
    (key_column, places): (&Column, &[f64]),
    into: &mut Overlay,
) {
    let Some(first) = columns.first() else { return };
    let (y, values) = (&first.column, by_label(columns));
    let curves = labels(columns).into_iter().map(|label| {
        let dots = places.iter().zip(&values);
        let dots = dots.filter_map(|(at, own)| Some((*at, *own.get(label)?, None)));
        curve(label, Style::Line, dots.collect())
    });
    let curves: Vec<Curve> = curves.collect();
    let title = format!("{} over {}", capital(&y.name), key_column.name);
    into.draw(&title, [key_column, y].map(axis), &curves, "");
    into.tables
        .push(numbers(all, columns, Some((key_column, places))));
}

/// A curve for each run, over its rows.
fn side_by_side(all: &[Results], columns: &[Values], into: &mut Overlay) {
    let Some(first) = columns.first() else { return };
    let (y, labels, values) = (&first.column, labels(columns), by_label(columns));
    // Bars side by side where they are few: each run has its place beside the middle.
    let count = all.len() as f64;
    let (style, part) = match all.len() <= BARS_ASIDE && labels.len() * all.len() <= BARS {
        true => (Style::Bars, 0.8 / count),
        false => (Style::Points, 0.0),
    };
    let curves = all
        .iter()
        .zip(&values)
        .enumerate()
        .map(|(index, (run, own))| {
            let aside = (index as f64 - (count - 1.0) / 2.0) * part;
            let dots = (1..).zip(&labels);
            let dots = dots
                .filter_map(|(at, label)| Some((f64::from(at) + aside, *own.get(label)?, None)));
            curve(&run.name, style, dots.collect())
        });
    let curves: Vec<Curve> = curves.collect();
    let rows = capital(&first.of_what);
    let x = Axis::of_names(rows, labels.iter().map(|label| (*label).into()));
    let thinned = columns.iter().filter_map(|own| own.thinned_from).max();
    let note = thinned.map_or_else(String::new, thinned_note);
    into.draw(&capital(&y.name), [x, axis(y)], &curves, &note);
    into.tables.push(numbers(all, columns, None));
}

/// That not every row is drawn.
fn thinned_note(rows: usize) -> String {
    format!(
        "Of {} rows those with the lowest and the highest value of each of {} stretches are drawn.",
        grouped(rows as u64),
        grouped(STRETCHES as u64)
    )
}

/// A row for each row of the runs, a column for each run.
fn numbers(all: &[Results], columns: &[Values], over: Option<(&Column, &[f64])>) -> Table {
    let y = columns.first().map(|own| own.column.clone());
    let y = y.unwrap_or_else(|| Column::text("", ""));
    let mut table = TableOf::of(labels(columns))
        .called(format!("{}: {}, as drawn.", key(&y.name, ""), y.name))
        .text("row: of the table of each run")
        .of(|label| *label);
    let values = by_label(columns);
    for (index, (run, own)) in all.iter().zip(&values).enumerate() {
        let name = match over {
            Some((key, places)) => {
                let unit = if key.unit.is_empty() { "" } else { " " };
                format!("{} = {}{unit}{}", key.name, places[index], key.unit)
            }
            None => run.name.clone(),
        };
        table = table
            .column(Column::number(&name, &y.unit, &y.meaning))
            .of(|label| own.get(label).map(|value| Cell::float(*value, 4)));
    }
    table.done()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_part_into_number_and_unit() {
        for (text, number, unit) in [
            ("16", "16", ""),
            ("\"50 ms\"", "50", "ms"),
            ("0.25", "0.25", ""),
            ("\"400G\"", "400", "G"),
            ("1e3", "1e3", ""),
            ("\"greedy\"", "", "greedy"),
        ] {
            assert_eq!(quantity(text), (number, unit), "{text}");
        }
    }
}
