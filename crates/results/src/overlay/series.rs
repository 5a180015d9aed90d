//! Time series of several runs: those of one name in one plot.

use super::{Overlay, ReadSeries, Results};
use crate::column::NoColumn;
use crate::model::{Axis, Curve, Style};

/// Plots of series where none is asked for.
const PLOTS: usize = 12;
const MS_PS: f64 = 1e9;

/// Series that several runs have, or the one asked for.
pub fn draw(all: &[Results], asked: Option<&str>, into: &mut Overlay) -> Result<(), NoColumn> {
    let mut names: Vec<&str> = Vec::new();
    for one in all.iter().flat_map(|run| &run.series) {
        if !names.contains(&one.name.as_str()) {
            names.push(&one.name);
        }
    }
    let asked = asked.map(|asked| asked_for(all, &names, asked));
    if let Some((asked, meant)) = &asked
        && meant.is_empty()
    {
        let known = names.iter().map(|name| format!("series.{name}"));
        return Err(NoColumn::sorted(
            format!("there is no series `{asked}`"),
            known,
        ));
    }
    let is_meant = |name: &&str| match &asked {
        Some((_, meant)) => meant.contains(name),
        None => all.iter().filter(|run| of(run, name).is_some()).count() > 1,
    };
    for name in names.iter().filter(|name| is_meant(name)).take(PLOTS) {
        let found = all.iter().filter_map(|run| Some((run, of(run, name)?)));
        let drawn: Vec<(&Results, &ReadSeries)> = found.collect();
        let Some((_, first)) = drawn.first() else {
            continue;
        };
        let (x, scale) = match first.clock.as_str() {
            "cycle" => (Axis::new("Time", "cycles"), 1.0),
            _ => (Axis::new("Time", "ms"), MS_PS),
        };
        let curves: Vec<Curve> = drawn
            .iter()
            .map(|(run, own)| {
                let (x, y) = own.points.iter().map(|(x, y)| (x / scale, *y)).unzip();
                Curve::new(run.name.clone(), Style::Line, x, y)
            })
            .collect();
        let y = Axis::new("Value", first.unit.replace('_', " "));
        into.draw(name, [x, y], &curves, "");
    }
    Ok(())
}

/// The series that are meant: the one of this name, or of this file; else those of a block of
/// this name that stands for several, `NAME A->B`.
fn asked_for<'a>(all: &'a [Results], names: &[&'a str], asked: &'a str) -> (&'a str, Vec<&'a str>) {
    let every = || all.iter().flat_map(|run| &run.series);
    let of_file = || {
        every()
            .find(|own| own.file == asked)
            .map(|own| own.name.as_str())
    };
    let exact = names
        .iter()
        .copied()
        .find(|name| *name == asked)
        .or_else(of_file);
    let is_of_block = |name: &&str| {
        let rest = name.strip_prefix(asked);
        rest.is_some_and(|rest| rest.starts_with(' '))
    };
    let meant = match exact {
        Some(name) => vec![name],
        None => names.iter().copied().filter(is_of_block).collect(),
    };
    (asked, meant)
}

fn of<'a>(run: &'a Results, name: &str) -> Option<&'a ReadSeries> {
    run.series.iter().find(|one| one.name == name)
}
