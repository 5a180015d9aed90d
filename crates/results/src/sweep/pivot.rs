//! A sweep over one or two axes as one small table for a terminal.

use super::{Group, Role, Saturation, SweepAxis, SweepResult};
use crate::lines::{aligned, printable, shortened};
use crate::number::{bound, fixed};

/// Rows and columns shown; the rest is in the tables.
const ROWS: usize = 40;
const COLUMNS: usize = 8;

/// What a terminal shows of a sweep of one or two axes; nothing of others. One axis: a row for each
/// value, with what is measured first of all. Two: rows are the first, columns the second, cells
/// the main measure. All are means over the seeds, `±` half a 95 % interval; `*` is saturated.
pub fn sweep_pivot(result: &SweepResult) -> String {
    let lines = match varied(result, None)[..] {
        [rows] => by_measure(result, rows),
        [rows, columns] => by_value(result, rows, columns),
        _ => Vec::new(),
    };
    let has_lines = !lines.is_empty();
    let why = result.without_p99(shown(result).into_iter());
    printable(
        &lines
            .into_iter()
            .chain(result.without_chance())
            .chain(why.filter(|_| has_lines))
            .collect::<Vec<_>>(),
    )
}

/// The same of a search for saturation over two axes besides the load: the interval that holds it.
pub fn saturation_pivot(result: &SweepResult, load: usize, found: &[Saturation]) -> String {
    let [rows, columns] = varied(result, Some(load))[..] else {
        return String::new();
    };
    let value = |at: usize| result.axes[load].values[at].as_str();
    let cell = |row: usize, column: usize| {
        let is_it = |one: &&Saturation| one.values[rows] == row && one.values[columns] == column;
        let ends = found
            .iter()
            .find(is_it)
            .map(|one| (one.carried, one.saturated));
        match ends {
            Some((Some(low), Some(high))) => format!("{} to {}", value(low), value(high)),
            Some((Some(low), None)) => format!("over {}", value(low)),
            Some((None, Some(high))) => format!("under {}", value(high)),
            Some((None, None)) | None => "–".into(),
        }
    };
    let title = format!("{} at which it saturates", result.axes[load].name);
    printable(&grid(result, &title, [rows, columns], cell))
}

/// Axes with several values.
fn varied(result: &SweepResult, without: Option<usize>) -> Vec<usize> {
    let axes = (0..result.axes.len()).filter(|axis| Some(*axis) != without);
    axes.filter(|axis| result.axes[*axis].values.len() > 1)
        .collect()
}

/// What was asked for, else what all networks have.
fn shown(result: &SweepResult) -> Vec<usize> {
    let of = |roles: &[Role]| {
        let measures = result.measures.iter().zip(0..);
        let fits = measures.filter(|(measure, _)| roles.contains(&measure.role));
        fits.map(|(_, index)| index).collect::<Vec<usize>>()
    };
    let mut shown = of(&[Role::Chosen]);
    shown.extend(of(&[Role::Latency]));
    shown.extend(of(&[Role::Accepted]));
    shown
}

/// Name and unit of a measure.
fn title(result: &SweepResult, measure: usize) -> String {
    let measure = &result.measures[measure];
    match measure.unit.is_empty() {
        true => shortened(&measure.name),
        false => format!("{} ({})", shortened(&measure.name), measure.unit),
    }
}

fn by_measure(result: &SweepResult, axis: usize) -> Vec<String> {
    let measures = shown(result);
    let measures = &measures[..measures.len().min(COLUMNS)];
    let own = &result.axes[axis];
    let mut rows = vec![vec![heading(own)]];
    rows[0].extend(measures.iter().map(|measure| title(result, *measure)));
    let groups = result.groups();
    for group in groups.iter().take(ROWS) {
        let mut row = vec![shortened(&own.values[group.values[axis]])];
        row.extend(measures.iter().map(|one| mean(result, group, *one)));
        rows.push(row);
    }
    let mut lines = aligned(&rows);
    lines.extend(more(groups.len(), ROWS, "rows"));
    lines.extend(about_saturated(result, measures));
    lines
}

fn by_value(result: &SweepResult, rows: usize, columns: usize) -> Vec<String> {
    let Some(&measure) = shown(result).first() else {
        return Vec::new();
    };
    let groups = result.groups();
    let cell = |row: usize, column: usize| {
        let is_it =
            |group: &&Group<'_>| group.values[rows] == row && group.values[columns] == column;
        let group = groups.iter().find(is_it);
        group.map_or("–".into(), |group| mean(result, group, measure))
    };
    let mut lines = grid(result, &title(result, measure), [rows, columns], cell);
    lines.extend(about_saturated(result, &[measure]));
    lines
}

/// A title and a table of two axes.
fn grid(
    result: &SweepResult,
    title: &str,
    [down, across]: [usize; 2],
    cell: impl Fn(usize, usize) -> String,
) -> Vec<String> {
    let (down, across) = (&result.axes[down], &result.axes[across]);
    let columns = across.values.len().min(COLUMNS);
    let mut rows = vec![vec![heading(down)]];
    rows[0].extend(
        across.values[..columns]
            .iter()
            .map(|value| shortened(value)),
    );
    for (row, value) in down.values.iter().enumerate().take(ROWS) {
        let mut cells = vec![shortened(value)];
        cells.extend((0..columns).map(|column| cell(row, column)));
        rows.push(cells);
    }
    let mut lines = vec![format!("{title}, by {} across", heading(across))];
    lines.extend(aligned(&rows));
    lines.extend(more(down.values.len(), ROWS, "rows"));
    lines.extend(more(across.values.len(), COLUMNS, "columns"));
    lines
}

fn heading(axis: &SweepAxis) -> String {
    shortened(&axis.name)
}

fn more(all: usize, most: usize, what: &str) -> Option<String> {
    let rest = all.checked_sub(most).filter(|rest| *rest > 0)?;
    Some(format!("... and {rest} more {what}: tables/summary.csv"))
}

/// Latencies of saturated points bear a star.
fn is_starred(result: &SweepResult, group: &Group<'_>, measure: usize) -> bool {
    let is_latency = result.measures[measure].role == Role::Latency;
    is_latency && group.is_saturated(result.with_role(Role::Saturated))
}

/// What the star means, where there is one.
fn about_saturated(result: &SweepResult, measures: &[usize]) -> Option<String> {
    let groups = result.groups();
    let mut cells = groups
        .iter()
        .flat_map(|group| measures.iter().map(move |measure| (group, *measure)));
    cells
        .any(|(group, measure)| is_starred(result, group, measure))
        .then(|| "* saturated: such a latency depends on the length of the run".into())
}

/// A mean over the seeds of a point.
fn mean(result: &SweepResult, group: &Group<'_>, measure: usize) -> String {
    let (mean, half_width) = group.means[measure];
    let own = &result.measures[measure];
    let is_bound = own.may_be_bound && group.is_bounded && mean.is_finite();
    let mut text = bound(is_bound, fixed(mean, own.digits));
    if let Some(half_width) = half_width.filter(|width| *width > 0.0 && mean.is_finite()) {
        text += &format!(" ±{}", fixed(half_width, own.digits));
    }
    if is_starred(result, group, measure) {
        text.push('*');
    }
    text
}
