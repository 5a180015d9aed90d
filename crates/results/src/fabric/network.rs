//! Tables that grow with the network: by terminal, by channel, and a map of a square.

use backwater_flit::outcome::{FabricOutcome, TerminalOutcome};
use backwater_flit::spec::Shape;

use super::FabricFindings;
use super::words::LOAD;
use crate::model::{Cell, Table};
use crate::rows::{kept, limit};
use crate::table_of::TableOf;

/// Longest side of a square that is shown as a map.
pub const MAP_MOST: u32 = 32;

/// What each terminal sent and received.
pub fn terminals(run: &FabricFindings<'_>) -> Table {
    let all = &run.outcome.terminals;
    let names = run.names();
    let router = |of: &[u32], index: usize| of.get(index).map(|router| names.router(*router));
    let busy = |found: &TerminalOutcome| found.received.saturating_add(found.created) as f64;
    let shown = kept(all.len(), |index| busy(&all[index])).into_iter();
    TableOf::of(shown.map(|index| (index, &all[index])))
        .called(format!(
            "terminals: What each terminal sent and received in the window.{}",
            limit(all.len(), "terminals")
        ))
        .number("terminal: its number")
        .of(|(index, _)| *index as u64)
        .text("sends to: router its injection channel leads to")
        .of(|(index, _)| router(&run.spec.graph.inject, *index))
        .text("receives from: router its ejection channel comes from")
        .of(|(index, _)| router(&run.spec.graph.eject, *index))
        .number("created [flits]: flits of packets created here")
        .of(|(_, found)| found.created)
        .number("received [flits]: flits that arrived here")
        .of(|(_, found)| found.received)
        .number("queued [flits]: flits that wait here at the end")
        .of(|(_, found)| found.queued)
        .number(format!(
            "offered [{LOAD}]: created over the cycles of the window"
        ))
        .of(|(_, found)| load(found.created, run.outcome.window))
        .number(format!(
            "accepted [{LOAD}]: received over the cycles of the window"
        ))
        .of(|(_, found)| load(found.received, run.outcome.window))
        .done()
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
pub fn channels(run: &FabricFindings<'_>) -> Table {
    let all = shares(&run.outcome);
    let names = run.names();
    let rows = kept(all.len(), |index| all[index])
        .into_iter()
        .map(|index| {
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            (index, number, all[index])
        });
    TableOf::of(rows)
        .called(format!(
            "channels: Use of each channel in the window.{}",
            limit(all.len(), "channels")
        ))
        .number("number: as in a trace: between routers, then injection, then ejection")
        .of(|(index, ..)| *index as u64)
        .text("channel: its ends; the port is the output port of the router")
        .of(|(_, number, _)| names.channel(*number))
        .text("kind: network, injection or ejection")
        .of(|(_, number, _)| names.kind(*number).map(|(kind, _)| kind.word()))
        .number("use [%]: share of the window's cycles it carried a flit")
        .of(|(.., share)| Cell::float(share * 100.0, 2))
        .number("flits [flits]: that crossed it in the window")
        .of(|(.., share)| {
            let flits = (share * run.outcome.window as f64).round();
            flits.is_finite().then_some(flits as u64)
        })
        .done()
}

/// Mean use of the channels to other routers that leave each router, by row (y) and column (x),
/// of a two-dimensional mesh or torus; `None` for other shapes and for what was not measured.
pub fn square(run: &FabricFindings<'_>) -> Option<Vec<Vec<f64>>> {
    let (Shape::Mesh { sides, .. } | Shape::Torus { sides, .. }) = &run.spec.graph.shape else {
        return None;
    };
    let &[width, height] = sides.as_slice() else {
        return None;
    };
    let routers = run.spec.graph.routers as usize;
    let fits = (width as usize).checked_mul(height as usize) == Some(routers);
    if !fits || routers == 0 || shares(&run.outcome).is_empty() {
        return None;
    }
    let mut sums = vec![(0.0, 0u32); routers];
    for (channel, share) in run.spec.graph.channels.iter().zip(shares(&run.outcome)) {
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
pub fn map(run: &FabricFindings<'_>) -> Table {
    let rows = square(run).unwrap_or_default();
    let width = rows.first().map_or(0, Vec::len);
    let is_legible = width.max(rows.len()) <= MAP_MOST as usize;
    let mut table = TableOf::of(rows.iter().enumerate().rev().filter(|_| is_legible))
        .called("map: Map of the load: mean use of the channels from each router to other routers.")
        .text("row: its y")
        .of(|(y, _)| format!("y={y}"));
    let meaning = "mean use of the channels that leave the router there";
    for x in 0..width {
        table = table
            .number(format!("x={x} [%]: {meaning}"))
            .of(|(_, shares)| Cell::float(shares[x] * 100.0, 1));
    }
    table.done()
}
