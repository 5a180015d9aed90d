//! Single runs: a column of one of their tables side by side, or over a key in which they differ;
//! and their time series.

use std::collections::BTreeMap;

use super::units::converted;
use super::{Overlay, Read, Results, axis, series};
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
}

pub fn overlay(all: &[Results], y: Option<&str>, over: Option<&str>) -> Result<Overlay, NoColumn> {
    let mut overlay = Overlay::default();
    let wanted: Vec<&str> = match y {
        Some(y) => vec![y],
        None => {
            let has = |name: &&&str| all.iter().all(|run| values(run, name).is_some());
            USUAL.iter().filter(has).copied().collect()
        }
    };
    let places = over.map(|over| places(all, over)).transpose()?;
    for y in wanted {
        if let Some(drawn) = y.strip_prefix("series.") {
            series::draw(all, Some(drawn), &mut overlay)?;
            continue;
        }
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
            columns.push(values(run, y).ok_or_else(missing)?);
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

/// The column `asked` of the first table that has it; of one row, group or table where a name
/// stands before it, as in `victim.goodput`.
fn values(run: &Results, asked: &str) -> Option<Values> {
    let first = |of: Option<&str>, column: &str, table: Option<&str>| {
        let is_meant = |read: &&Read| table.is_none_or(|name| read.name == name);
        let tables = run.tables.iter().filter(is_meant);
        tables
            .filter_map(|table| of_column(table, of, column))
            .find(|found| !found.rows.is_empty())
    };
    first(None, asked, None).or_else(|| {
        let (name, column) = asked.rsplit_once('.')?;
        first(Some(name), column, None).or_else(|| first(None, column, Some(name)))
    })
}

fn of_column(table: &Read, of: Option<&str>, asked: &str) -> Option<Values> {
    let at = table.find(asked).filter(|at| table.is_of_numbers(*at))?;
    let is_meant = |label: &str| {
        of.is_none_or(|name| label == name || crate::groups::group_name(label) == name)
    };
    let rows = table.labels().into_iter().zip(table.rows.iter());
    let rows = rows.filter(|(label, _)| is_meant(label));
    let rows = rows.filter_map(|(label, row)| Some((label, table.number(row, at)?)));
    let column = table.columns[at].1.clone();
    Some(Values {
        of_what: table
            .columns
            .first()
            .map_or("row".into(), |(_, first)| first.name.clone()),
        rows: rows.collect(),
        column,
    })
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
        let found = exact.or(match ends.as_slice() {
            [only] => Some(*only),
            _ => None,
        });
        let Some((_, value)) = found else {
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
    into.draw(&capital(&y.name), [x, axis(y)], &curves, "");
    into.tables.push(numbers(all, columns, None));
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
