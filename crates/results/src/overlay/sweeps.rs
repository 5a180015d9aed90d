//! Sweeps and searches: curves over one of their axes.

use super::units::converted;
use super::{Overlay, Read, Results, axis};
use crate::cells::Row;
use crate::charts::{Dot, curve};
use crate::column::{Column, NoColumn, key};
use crate::groups::in_order;
use crate::model::{Cell, Curve, Style, Table};
use crate::sweep::is_name;
use crate::table_of::TableOf;
use backwater_kernel::words::capital;

/// Columns that are drawn where none is asked for.
const USUAL: [&str; 4] = ["latency_mean", "delay_mean", "accepted", "goodput"];
/// Beyond saturation these depend on the length of the run only.
const LATENCIES: [&str; 3] = ["latency_", "network_latency_", "delay_"];

/// The points of a sweep, over its seeds.
struct Points<'a> {
    name: &'a str,
    table: &'a Read,
    /// Columns before this one are axes.
    axes: usize,
}

pub fn overlay(all: &[Results], y: Option<&str>, over: Option<&str>) -> Result<Overlay, NoColumn> {
    let mut sweeps = Vec::new();
    for one in all {
        let table = one.tables.iter().find(|table| table.name == "summary");
        let points = table.and_then(|table| {
            let axes = table.find("seeds")?;
            Some(Points {
                name: &one.name,
                table,
                axes,
            })
        });
        let missing = || NoColumn::sorted(format!("{} has no table of its points", one.name), []);
        sweeps.push(points.ok_or_else(missing)?);
    }
    let x = chosen_axis(&sweeps, over)?;
    let mut overlay = Overlay::default();
    for y in chosen_columns(&sweeps, y)? {
        draw(&sweeps, &x, &y, &mut overlay)?;
    }
    Ok(overlay)
}

impl Points<'_> {
    fn axis(&self, asked: &str) -> Option<usize> {
        let at = self.table.find(asked).or_else(|| {
            let last = |(key, _): &(String, Column)| key.rsplit('_').next() == Some(asked);
            self.table.columns[..self.axes].iter().position(last)
        });
        at.filter(|at| *at < self.axes)
    }

    /// The values of an axis, each once.
    fn values(&self, axis: usize) -> Vec<&str> {
        let cells = self.table.rows.iter().filter_map(|row| row.get(axis));
        let mut values: Vec<&str> = cells.collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    fn axis_names(&self) -> impl Iterator<Item = String> + '_ {
        self.table.columns[..self.axes]
            .iter()
            .map(|(key, _)| key.clone())
    }
}

/// The name of the axis over which curves run.
fn chosen_axis(sweeps: &[Points<'_>], over: Option<&str>) -> Result<String, NoColumn> {
    if let Some(over) = over {
        for sweep in sweeps {
            match sweep.axis(over) {
                None => {
                    let what = format!("{} has no axis `{over}`", sweep.name);
                    return Err(NoColumn::sorted(what, sweep.axis_names()));
                }
                Some(at) if !sweep.table.is_of_numbers(at) => {
                    let what = format!("the values of `{over}` in {} are no numbers", sweep.name);
                    return Err(NoColumn::sorted(what, sweep.axis_names()));
                }
                Some(_) => {}
            }
        }
        return Ok(over.into());
    }
    let is_shared = |name: &String| {
        let mut all = sweeps.iter();
        all.all(|one| one.axis(name).is_some_and(|at| one.table.is_of_numbers(at)))
    };
    let first = &sweeps[0];
    let varies = |name: &String| {
        let at = first.axis(name);
        at.is_some_and(|at| first.values(at).len() > 1)
    };
    let load = ["load".to_owned()].into_iter().filter(is_shared);
    let others = first
        .axis_names()
        .filter(|name| is_shared(name) && varies(name));
    let what = "there is no axis of numbers that all have: name one by --over";
    let mut axes = load.chain(others);
    axes.next()
        .ok_or_else(|| NoColumn::sorted(what, first.axis_names()))
}

fn chosen_columns(sweeps: &[Points<'_>], y: Option<&str>) -> Result<Vec<String>, NoColumn> {
    if let Some(y) = y {
        return Ok(vec![y.into()]);
    }
    let table = sweeps[0].table;
    let has = |name: &&&str| table.find(name).is_some_and(|at| table.is_of_numbers(at));
    let usual: Vec<String> = USUAL
        .iter()
        .filter(has)
        .map(|name| (*name).into())
        .collect();
    match usual.is_empty() {
        true => Err(NoColumn::sorted(
            "which column? name one by --y",
            measures(&sweeps[0]),
        )),
        false => Ok(usual),
    }
}

fn measures(sweep: &Points<'_>) -> Vec<String> {
    let columns = sweep.table.columns[sweep.axes..].iter();
    columns.map(|(key, _)| key.clone()).collect()
}

/// Names of axes, and the values of each by sweep: those that tell curves apart.
fn telling(sweeps: &[Points<'_>], x: &str) -> Vec<String> {
    let others = sweeps.iter().flat_map(|sweep| {
        let axes = sweep.axis_names().enumerate();
        let others = axes.filter(move |(at, _)| sweep.axis(x) != Some(*at));
        others.map(|(at, key)| (key, sweep.values(at)))
    });
    let telling = in_order(others).into_iter().filter(|(_, values)| {
        let mut values = values.iter().flatten();
        let first = values.next();
        values.any(|value| Some(value) != first)
    });
    telling.map(|(key, _)| key).collect()
}

fn draw(sweeps: &[Points<'_>], x: &str, y: &str, into: &mut Overlay) -> Result<(), NoColumn> {
    let telling = telling(sweeps, x);
    let (mut curves, mut left_out) = (Vec::new(), 0);
    // Units are those of the first sweep.
    let mut drawn_columns: Option<(Column, Column)> = None;
    for sweep in sweeps {
        let table = sweep.table;
        let no_column = || {
            let what = format!("{} has no column `{y}`", sweep.name);
            NoColumn::sorted(what, measures(sweep))
        };
        let value = table
            .find(y)
            .filter(|at| *at >= sweep.axes)
            .ok_or_else(no_column)?;
        let axis = sweep.axis(x).ok_or_else(no_column)?;
        let (key, told) = &table.columns[value];
        let interval = table.find(&format!("{key}_ci95"));
        let saturated = LATENCIES.iter().any(|start| key.starts_with(start));
        let saturated = table.find("saturated").filter(|_| saturated);
        let own_x = &table.columns[axis].1;
        let (x_column, y_column) =
            &*drawn_columns.get_or_insert_with(|| (own_x.clone(), told.clone()));
        let as_first = |value: f64, own: &Column, first: &Column| {
            converted(value, &own.unit, &first.unit, &own.name)
        };
        let mut drawn = Vec::new();
        for row in table.rows.iter() {
            let points = table.number(row, axis).zip(table.number(row, value));
            let Some((at, height)) = points else { continue };
            if saturated
                .and_then(|at| table.number(row, at))
                .unwrap_or(0.0)
                > 0.5
            {
                left_out += 1;
                continue;
            }
            let name = name(sweep, row, &telling, sweeps.len() > 1);
            let half_width = interval.and_then(|at| table.number(row, at));
            let y = |value: f64| as_first(value, told, y_column);
            let dot = (
                as_first(at, own_x, x_column)?,
                y(height)?,
                half_width.map(y).transpose()?,
            );
            drawn.push((name, dot));
        }
        curves.extend(in_order(drawn));
    }
    let note = match left_out {
        0 => String::new(),
        _ => {
            "Latencies beyond saturation are left out: they depend on the length of the run.".into()
        }
    };
    let usual = || (Column::text(x, ""), Column::text(y, ""));
    let (x_column, y_column) = drawn_columns.unwrap_or_else(usual);
    let title = format!("{} over {}", capital(&y_column.name), x_column.name);
    let drawn = curves.iter();
    let drawn = drawn.map(|(name, dots)| curve(name, Style::Line, dots.clone()));
    let drawn: Vec<Curve> = drawn.collect();
    into.draw(&title, [&x_column, &y_column].map(axis), &drawn, &note);
    into.tables.push(numbers(&curves, (&x_column, &y_column)));
    Ok(())
}

/// The sweep, if there are several, and the values of the axes that tell curves apart.
fn name(sweep: &Points<'_>, row: Row<'_>, telling: &[String], has_others: bool) -> String {
    let mut parts: Vec<String> = Vec::new();
    if has_others {
        parts.push(sweep.name.into());
    }
    for axis in telling {
        if let Some(at) = sweep.axis(axis)
            && let Some(value) = row.get(at)
        {
            parts.push(match is_name(value) {
                true => value.into(),
                false => format!("{} = {value}", sweep.table.columns[at].1.name),
            });
        }
    }
    match parts.is_empty() {
        true => sweep.name.into(),
        false => parts.join(", "),
    }
}

/// A row for each dot.
fn numbers(curves: &[(String, Vec<Dot>)], (x, y): (&Column, &Column)) -> Table {
    let rows = curves.iter();
    let rows = rows.flat_map(|(name, dots)| dots.iter().map(move |dot| (name, dot)));
    let cell = |value: f64| Cell::float(value, 4);
    let half_width = Column::interval(
        &y.name,
        &y.unit,
        "half width of its 95 % interval over the seeds",
    );
    TableOf::of(rows)
        .called(format!(
            "{}: {} over {}, as drawn.",
            key(&y.name, ""),
            y.name,
            x.name
        ))
        .text("curve: as the legend calls it")
        .of(|(name, _)| name.as_str())
        .column(Column::number(&x.name, &x.unit, "position"))
        .of(|(_, (at, ..))| cell(*at))
        .column(Column::number(&y.name, &y.unit, &y.meaning))
        .of(|(_, (_, value, _))| cell(*value))
        .column(half_width)
        .of(|(_, (.., half_width))| half_width.map(cell))
        .done()
}
