//! Where a network saturates.

use backwater_kernel::words::counted;

use super::plots::latency_plots;
use super::report::{ended, warnings};
use super::tables::{axis_cell, axis_column};
use super::{Group, Role, SweepInfo, SweepResult};
use crate::charts::CURVES;
use crate::model::{Axis, Block, Cell, Column, Curve, Fact, Plot, Report, Style, Table};
use crate::table_of::TableOf;

/// Where one combination of the other axes saturates.
#[derive(Clone, Debug)]
pub struct Saturation {
    /// The value of each axis, by index; that of the load means nothing.
    pub values: Vec<usize>,
    /// The highest load found to be carried, by index.
    pub carried: Option<usize>,
    /// The lowest load found to saturate, by index.
    pub saturated: Option<usize>,
}

/// A row for each combination: the interval that holds the saturation load, and what is accepted
/// at its ends. `load` is the axis that was searched.
pub fn saturation_table(result: &SweepResult, load: usize, found: &[Saturation]) -> Table {
    let searched = &result.axes[load];
    let caption = format!(
        "Saturation load of the network: the load is `{}`.",
        searched.path
    );
    let mut table = TableOf::of(found).called(format!("saturation: {caption}"));
    for (index, axis) in result.axes.iter().enumerate() {
        if index != load {
            table = table
                .column(axis_column(axis))
                .of(|one| axis_cell(axis, one.values[index]));
        }
    }
    let column = |which: &str, meaning: &str| {
        let axis = axis_column(searched);
        Column::number(&format!("{} {which}", axis.name), &axis.unit, meaning)
    };
    let end = |at: Option<usize>| at.map(|at| axis_cell(searched, at));
    let accepted = result.with_role(Role::Accepted);
    let accepted = accepted.map(|index| (index, &result.measures[index]));
    let unit = accepted.map_or("", |(_, measure)| &*measure.unit);
    let groups = result.groups();
    let accepted_at = |one: &Saturation, at: Option<usize>| {
        let (index, measure) = accepted?;
        let mean = mean_at(&groups, one, load, at?, index)?;
        Some(Cell::float(mean, measure.digits))
    };
    table
        .column(column("carried", "highest load carried"))
        .of(|one| end(one.carried))
        .column(column("saturated", "lowest load not carried"))
        .of(|one| end(one.saturated))
        .number(format!(
            "accepted at carried [{unit}]: delivered at the highest load carried; mean over the \
             seeds"
        ))
        .of(|one| accepted_at(one, one.carried))
        .number(format!(
            "accepted at saturated [{unit}]: delivered at the lowest load not carried; mean over \
             the seeds"
        ))
        .of(|one| accepted_at(one, one.saturated))
        .done()
}

fn mean_at(
    groups: &[Group<'_>],
    one: &Saturation,
    load: usize,
    at: usize,
    measure: usize,
) -> Option<f64> {
    let mut values = one.values.clone();
    values[load] = at;
    let group = groups.iter().find(|group| group.values == values)?;
    Some(group.means[measure].0)
}

/// A page with the interval, accepted over offered load and every load that was tried.
pub fn saturation_report(
    info: &SweepInfo,
    result: &SweepResult,
    load: usize,
    found: &[Saturation],
) -> Report {
    let axis = &result.axes[load];
    let text = |at: Option<usize>| {
        at.map_or("not found", |at| axis.values[at].as_str())
            .to_owned()
    };
    let mut facts: Vec<Fact> = Vec::new();
    if let [only] = found {
        for (which, at, detail) in [
            ("Carried", only.carried, "highest that was"),
            ("Saturated", only.saturated, "lowest that was"),
        ] {
            facts.push(Fact::new(
                format!("{which} {}", axis.name),
                text(at),
                detail,
            ));
        }
    }
    facts.push(Fact::new(
        "Runs",
        result.rows.len().to_string(),
        counted(result.seeds.len(), "seed"),
    ));
    let mut blocks = vec![Block::Facts(facts)];
    blocks.extend(warnings(result));
    blocks.push(Block::Table(saturation_table(result, load, found)));
    let title = format!("Latency over {}", axis.name);
    blocks.extend(Block::figures(title, latency_plots(result, load)));
    blocks.push(Block::heading("Accepted over offered load"));
    blocks.extend(plots(result, load).into_iter().map(Block::Plot));
    blocks.push(Block::heading("All loads tried"));
    ended(info, result, blocks)
}

fn plots(result: &SweepResult, load: usize) -> Vec<Plot> {
    let roles = [Role::Offered, Role::Accepted].map(|role| result.with_role(role));
    let [Some(offered), Some(accepted)] = roles else {
        return Vec::new();
    };
    let mut bundles: std::collections::BTreeMap<Vec<usize>, Vec<(f64, f64)>> = Default::default();
    for group in result.groups() {
        let mut key = group.values.to_vec();
        key[load] = 0;
        let dot = (group.means[offered].0, group.means[accepted].0);
        bundles.entry(key).or_default().push(dot);
    }
    let curves: Vec<Curve> = bundles
        .into_iter()
        .map(|(key, mut dots)| {
            dots.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut name = result.describe(&key, &[load]);
            if name.is_empty() {
                name = "accepted".into();
            }
            let (x, y) = dots.into_iter().unzip();
            Curve::new(name, Style::Line, x, y)
        })
        .collect();
    let unit = &*result.measures[offered].unit;
    let chunks = curves.chunks(CURVES).enumerate();
    chunks
        .map(|(index, curves)| {
            Plot::new(
                format!("accepted-over-offered-{}", index + 1),
                "Accepted over offered load",
                [curves, &[carried_all(curves)]].concat(),
            )
            .x(Axis::new("offered", unit))
            .y(Axis::new("accepted", &*result.measures[accepted].unit).from_zero())
            .note("Dashed: accepted equals offered.")
        })
        .collect()
}

/// What a network without limit would do, over the range of `curves`.
fn carried_all(curves: &[Curve]) -> Curve {
    let loads = curves.iter().flat_map(|curve| curve.x.iter().copied());
    let low = loads.clone().fold(f64::INFINITY, f64::min);
    let high = loads.fold(f64::NEG_INFINITY, f64::max);
    Curve {
        dashed: true,
        ..Curve::new("offered", Style::Line, vec![low, high], vec![low, high])
    }
}
