//! A sweep over one or two axes as one small table for a terminal.

use super::{Group, Role, Saturation, SweepAxis, SweepResult};
use crate::charts::{SEEDS_OF_INTERVALS, TOO_FEW_SEEDS};
use crate::lines::{aligned, printable, shortened};
use crate::number::{bound, fitting_unit, fixed};

/// Rows and columns shown; the rest is in the tables.
const ROWS: usize = 40;
const COLUMNS: usize = 8;

/// What a terminal shows of a sweep. Two axes of several values: rows are the first, columns the
/// second, cells the main measure. Else a row for each point, with what is measured first of all.
/// All are means over the seeds, `±` half a 95 % interval; `*` is saturated.
pub fn sweep_pivot(result: &SweepResult) -> String {
    let mut lines = match varied(result, None)[..] {
        [rows, columns] => by_value(result, rows, columns),
        // A single point has its first key before it.
        [] => by_measure(result, &(0..result.axes.len().min(1)).collect::<Vec<_>>()),
        ref axes => by_measure(result, axes),
    };
    let has_lines = !lines.is_empty();
    let why = result.without_p99(shown(result).into_iter());
    lines.extend(result.without_chance());
    lines.extend(why.filter(|_| has_lines));
    let seeds = result.groups().iter().map(|group| group.seeds).max();
    let has_interval = |group: &Group<'_>| group.means.iter().any(|(_, width)| width.is_some());
    if (2..SEEDS_OF_INTERVALS).contains(&seeds.unwrap_or(0))
        && result.groups().iter().any(has_interval)
    {
        lines.push(TOO_FEW_SEEDS.into());
    }
    printable(&lines)
}

/// A pivot of a search for saturation over two axes besides the load, with the interval that holds
/// the saturation in each cell.
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
    let name = shortened(&result.measures[measure].name);
    match scale(result, measure) {
        ("", _) => name,
        (unit, _) => format!("{name} ({unit})"),
    }
}

/// The unit that suits a measure, and how many of it make one of its own.
fn scale(result: &SweepResult, measure: usize) -> (&str, f64) {
    let groups = result.groups();
    let means = groups.iter().map(|group| group.means[measure].0.abs());
    let most = means.filter(|mean| mean.is_finite()).fold(0.0, f64::max);
    let unit_name = &*result.measures[measure].unit;
    fitting_unit(unit_name, most).unwrap_or((unit_name, 1.0))
}

fn by_measure(result: &SweepResult, axes: &[usize]) -> Vec<String> {
    let measures = shown(result);
    let measures = &measures[..measures.len().min(COLUMNS)];
    let mut rows: Vec<Vec<String>> = Vec::new();
    rows.push(
        axes.iter()
            .map(|axis| heading(&result.axes[*axis]))
            .collect(),
    );
    rows[0].extend(measures.iter().map(|measure| title(result, *measure)));
    let scales: Vec<f64> = measures.iter().map(|one| scale(result, *one).1).collect();
    let groups = result.groups();
    for group in groups.iter().take(ROWS) {
        let value = |axis: &usize| shortened(&result.axes[*axis].values[group.values[*axis]]);
        let mut row: Vec<String> = axes.iter().map(value).collect();
        let means = measures.iter().zip(&scales);
        row.extend(means.map(|(one, scale)| mean(result, group, *one, *scale)));
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
    let (groups, scale) = (result.groups(), scale(result, measure).1);
    let cell = |row: usize, column: usize| {
        let is_it =
            |group: &&Group<'_>| group.values[rows] == row && group.values[columns] == column;
        let group = groups.iter().find(is_it);
        group.map_or("–".into(), |group| mean(result, group, measure, scale))
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

/// A mean over the seeds of a point, with as many digits as its interval leaves.
fn mean(result: &SweepResult, group: &Group<'_>, measure: usize, scale: f64) -> String {
    let (mean, half_width) = group.means[measure];
    let measure_of = &result.measures[measure];
    let is_bound = measure_of.may_be_bound && group.is_bounded && mean.is_finite();
    let has_seeds = group.seeds >= SEEDS_OF_INTERVALS;
    let width = half_width.filter(|width| has_seeds && *width > 0.0 && mean.is_finite());
    let width = width.map(|width| width * scale);
    // Two digits of the interval; no more than the measure has.
    let digits = width.map_or(measure_of.digits, |width| {
        let decimals = 1.0 - width.log10().floor();
        (decimals.clamp(0.0, 12.0) as u8).min(measure_of.digits.max(3))
    });
    let mut text = bound(is_bound, fixed(mean * scale, digits));
    if let Some(width) = width {
        text += &format!(" ±{}", fixed(width, digits));
    }
    if is_starred(result, group, measure) {
        text.push('*');
    }
    text
}
