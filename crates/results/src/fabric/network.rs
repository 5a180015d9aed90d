//! Tables that grow with the network: by terminal, by channel, and a map of a square.

use backwater_flit::outcome::{FabricOutcome, TerminalOutcome};
use backwater_flit::spec::{FabricSpec, Shape};

use super::FabricNames;
use super::words::LOAD;
use crate::model::{Cell, Column, Table};
use crate::rows::{kept, limit};

/// Longest side of a square that is shown as a map.
pub const MAP_MOST: u32 = 32;

/// What each terminal sent and received.
pub fn terminals(spec: &FabricSpec, outcome: &FabricOutcome) -> Table {
    let flits = |name: &str, meaning: &str| Column::number(name, "flits", meaning);
    let all = &outcome.terminals;
    let mut table = Table::new(
        "terminals",
        format!(
            "What each terminal sent and received in the window.{}",
            limit(all.len(), "terminals")
        ),
        vec![
            Column::number("terminal", "", "its number"),
            Column::text("sends to", "router its injection channel leads to"),
            Column::text("receives from", "router its ejection channel comes from"),
            flits("created", "flits of packets created here"),
            flits("received", "flits that arrived here"),
            flits("queued", "flits that wait here at the end"),
            Column::number("offered", LOAD, "created over the cycles of the window"),
            Column::number("accepted", LOAD, "received over the cycles of the window"),
        ],
    );
    let names = FabricNames::new(&spec.graph);
    let router = |of: &[u32], index: usize| of.get(index).map(|router| names.router(*router));
    let busy = |found: &TerminalOutcome| found.received.saturating_add(found.created) as f64;
    for index in kept(all.len(), |index| busy(&all[index])) {
        let found = &all[index];
        table.rows.push(vec![
            (index as u64).into(),
            router(&spec.graph.inject, index).into(),
            router(&spec.graph.eject, index).into(),
            found.created.into(),
            found.received.into(),
            found.queued.into(),
            load(found.created, outcome.window),
            load(found.received, outcome.window),
        ]);
    }
    table
}

fn load(flits: u64, window: u64) -> Cell {
    match window {
        0 => Cell::Empty,
        window => Cell::float(flits as f64 / window as f64, 4),
    }
}

/// Use of each channel; nothing before the window.
pub fn shares(outcome: &FabricOutcome) -> &[f64] {
    match outcome.window {
        0 => &[],
        _ => &outcome.utilization,
    }
}

/// How busy each channel was.
pub fn channels(spec: &FabricSpec, outcome: &FabricOutcome) -> Table {
    let all = shares(outcome);
    let mut table = Table::new(
        "channels",
        format!(
            "Use of each channel in the window.{}",
            limit(all.len(), "channels")
        ),
        vec![
            Column::number(
                "number",
                "",
                "as in a trace: between routers, then injection, then ejection",
            ),
            Column::text(
                "channel",
                "its ends; the port is the output port of the router",
            ),
            Column::text("kind", "network, injection or ejection"),
            Column::number("use", "%", "share of the window's cycles it carried a flit"),
            Column::number("flits", "flits", "that crossed it in the window"),
        ],
    );
    let names = FabricNames::new(&spec.graph);
    for index in kept(all.len(), |index| all[index]) {
        let share = all[index];
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        let kind = names.kind(number).map(|(kind, _)| kind.word());
        let flits = (share * outcome.window as f64).round();
        table.rows.push(vec![
            (index as u64).into(),
            names.channel(number).into(),
            kind.into(),
            Cell::float(share * 100.0, 2),
            if flits.is_finite() {
                Cell::from(flits as u64)
            } else {
                Cell::Empty
            },
        ]);
    }
    table
}

/// Mean use of the channels to other routers that leave each router, by row (y) and column (x),
/// of a two-dimensional mesh or torus; `None` for other shapes and for what was not measured.
pub fn square(spec: &FabricSpec, outcome: &FabricOutcome) -> Option<Vec<Vec<f64>>> {
    let (Shape::Mesh { sides, .. } | Shape::Torus { sides, .. }) = &spec.graph.shape else {
        return None;
    };
    let &[width, height] = sides.as_slice() else {
        return None;
    };
    let routers = spec.graph.routers as usize;
    let fits = (width as usize).checked_mul(height as usize) == Some(routers);
    if !fits || routers == 0 || shares(outcome).is_empty() {
        return None;
    }
    let mut sums = vec![(0.0, 0u32); routers];
    for (channel, share) in spec.graph.channels.iter().zip(shares(outcome)) {
        if let Some((sum, count)) = sums.get_mut(channel.from as usize) {
            *sum += share;
            *count += 1;
        }
    }
    let mean = |&(sum, count): &(f64, u32)| sum / f64::from(count.max(1));
    let rows = sums.chunks(width as usize);
    Some(rows.map(|row| row.iter().map(mean).collect()).collect())
}

/// The square as it lies: the highest row first.
pub fn map(spec: &FabricSpec, outcome: &FabricOutcome) -> Table {
    let rows = square(spec, outcome).unwrap_or_default();
    let width = rows.first().map_or(0, Vec::len);
    let mut columns = vec![Column::text("row", "its y")];
    columns.extend((0..width).map(|x| {
        let meaning = "mean use of the channels that leave the router there";
        Column::number(&format!("x={x}"), "%", meaning)
    }));
    let mut table = Table::new(
        "map",
        "Map of the load: mean use of the channels from each router to other routers.",
        columns,
    );
    if width.max(rows.len()) > MAP_MOST as usize {
        return table;
    }
    for (y, row) in rows.iter().enumerate().rev() {
        let mut cells: Vec<Cell> = vec![format!("y={y}").into()];
        cells.extend(row.iter().map(|share| Cell::float(share * 100.0, 1)));
        table.rows.push(cells);
    }
    table
}
