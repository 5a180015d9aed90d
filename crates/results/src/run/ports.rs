//! Tables of what was measured at ports: queues, waiting, utilization.

use std::collections::BTreeSet;

use backwater_kernel::{Duration, Samples};
use backwater_net::outcome::{PathGroup, PortOutcome, PortsOutcome};
use backwater_net::spec::{LegSpec, NetworkSpec};

use crate::events::names;
use crate::lines::rest;
use crate::model::{Cell, Column, Table};
use crate::number::span;
use crate::picked::picked;
use crate::table_of::TableOf;

/// Groups of paths in the terminal's table; the rest are counted.
const GROUPS: usize = 5;

/// Waiting by path length, by flow, by port, and each port; those without a row are left out.
pub fn tables(spec: &NetworkSpec, found: &PortsOutcome, cell: Duration) -> Vec<Table> {
    let mut tables = vec![
        paths(found, cell),
        end_to_end(spec, found, cell),
        ports(spec, found),
        waits(spec, found, cell),
    ];
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// Columns of a waiting time, in cell times and twice in microseconds.
fn wait_columns() -> Vec<Column> {
    let us = |name: &str, meaning: &str| Column::number(name, "us", meaning);
    vec![
        us("wait mean", "mean waiting time"),
        us("wait deviation", "standard deviation").short("deviation"),
        us("wait p50", "half waited no longer"),
        us("wait p90", "nine in ten waited no longer"),
        us("wait p99", "99 in 100 waited no longer").short("p99"),
        us("wait p99.9", "999 in 1000 waited no longer"),
        us("wait max", "longest").short("max"),
        Column::number("wait mean", "cells", "mean in cell times"),
        Column::number(
            "wait deviation",
            "cells",
            "standard deviation in cell times",
        ),
    ]
}

fn wait_cells(wait: &Samples, cell: Duration) -> Vec<Cell> {
    if wait.count() == 0 {
        return Vec::new();
    }
    let cell_ps = cell.ps().max(1) as f64;
    let cells = |ps: f64| Cell::float(ps / cell_ps, 2);
    let us = |ps: f64| Cell::float(ps / 1e6, 3);
    let percentile = |percent: f64| us(wait.percentile(percent) as f64);
    vec![
        us(wait.mean()),
        us(wait.deviation()),
        percentile(50.0),
        percentile(90.0),
        percentile(99.0),
        percentile(99.9),
        us(wait.max() as f64),
        cells(wait.mean()),
        cells(wait.deviation()),
    ]
}

/// What a path of a group got on average: units and bits per second.
fn throughput(found: &PortsOutcome, group: &PathGroup) -> (f64, f64) {
    let seconds = found.span.seconds() * group.paths as f64;
    if seconds > 0.0 {
        let units = group.wait.count() as f64;
        (units / seconds, group.bytes as f64 * 8.0 / seconds)
    } else {
        (0.0, 0.0)
    }
}

fn paths(found: &PortsOutcome, cell: Duration) -> Table {
    TableOf::new(
        "paths",
        "Flows by the length of their path: throughput of each, and how long units waited from end \
         to end, their own transmissions excluded.",
        found.by_switches(),
    )
    .number("switches: switches on the path")
    .of(|(switches, _)| *switches)
    .number("flows: flows with such a path; a multicast flow counts once for each such destination")
    .of(|(_, group)| group.paths)
    .number("samples [units]: delivered after the warm-up")
    .of(|(_, group)| group.wait.count())
    .number("throughput [units/s]: throughput of a flow, mean over the flows")
    .of(|(_, group)| Cell::float(throughput(found, group).0, 2))
    .short(Column::UNIT)
    .number("throughput [Mbps]: the same; all bytes of a unit count")
    .of(|(_, group)| Cell::float(throughput(found, group).1 / 1e6, 3))
    .short(Column::UNIT)
    .columns(wait_columns(), |(_, group)| wait_cells(&group.wait, cell))
    .done()
}

fn end_to_end(spec: &NetworkSpec, found: &PortsOutcome, cell: Duration) -> Table {
    let legs: Vec<&LegSpec> = spec.flows.iter().flat_map(|flow| &flow.legs).collect();
    let end = |leg: u32| {
        let leg = legs.get(leg as usize)?;
        names::channel_ends(spec, leg.channel).map(|(_, end)| names::node(spec, end))
    };
    TableOf::new(
        "end-to-end",
        "How long units of each flow waited from end to end: at all ports on their path and for \
         their sink.",
        &found.paths,
    )
    .flow(spec, |path| path.flow)
    .text("destination: where it ends")
    .of(|path| end(path.leg))
    .number("switches: switches on the path")
    .of(|path| path.switches)
    .number("samples [units]: delivered after the warm-up")
    .of(|path| path.wait.count())
    .columns(wait_columns(), |path| wait_cells(&path.wait, cell))
    .number(
        "burst [bytes]: largest burst beyond the reserved rate at the first port, whole run; empty \
         for flows without a reservation",
    )
    .of(|path| {
        let flow = found.flows.get(path.flow as usize);
        flow.and_then(|flow| flow.burst_seen_bytes)
    })
    .done()
}

/// The sending port of every channel that some flow crosses.
fn ports(spec: &NetworkSpec, found: &PortsOutcome) -> Table {
    let channels = names::channels(spec);
    let legs = spec.flows.iter().flat_map(|flow| &flow.legs);
    let crossed: BTreeSet<u32> = legs.map(|leg| leg.channel).collect();
    let rows = (0..).zip(&found.channels);
    let of_windows = |port: &PortOutcome, share: f64| match port.windows {
        0 => Cell::Empty,
        _ => Cell::float(share * 100.0, 2),
    };
    let table = TableOf::new(
        "queues",
        format!(
            "The queue of each port. Queues include the unit in transmission; \
             utilization is that by data, averaged over windows of {}.",
            span(found.window.ps() as f64)
        ),
        rows.filter(|(channel, _)| crossed.contains(channel)),
    )
    .port(&channels, "from which node to which", |(index, _)| *index)
    .number("arrivals [units]: units that joined the queue")
    .of(|(_, port)| port.queue.count());
    with_arrivals(table)
        .number("queue mean [units]: time average of the length")
        .of(|(_, port)| Cell::float(port.queue_mean, 3))
        .number("queue max [units]: longest queue")
        .of(|(_, port)| port.queue_max)
        .number("utilization mean [%]: mean over the windows of the time spent sending data")
        .of(|(_, port)| of_windows(port, port.utilization_mean))
        .number("utilization deviation [%]: standard deviation of the same")
        .of(|(_, port)| of_windows(port, port.utilization_deviation))
        .number("windows: complete windows since the warm-up")
        .of(|(_, port)| port.windows)
        .done()
}

/// The queue as units find it that join it, themselves included.
fn with_arrivals(table: TableOf<(u32, &PortOutcome)>) -> TableOf<(u32, &PortOutcome)> {
    let seen = |port: &PortOutcome, cell: Cell| match port.queue.count() {
        0 => Cell::Empty,
        _ => cell,
    };
    table
        .number(
            "queue at arrivals mean [units]: mean length seen by units that join, themselves \
             included",
        )
        .of(|(_, port)| seen(port, Cell::float(port.queue.mean(), 2)))
        .number("queue at arrivals deviation [units]: standard deviation of the same")
        .of(|(_, port)| seen(port, Cell::float(port.queue.deviation(), 2)))
        .number("queue at arrivals p90 [units]: nine in ten units saw no more")
        .of(|(_, port)| seen(port, port.queue.percentile(90.0).into()))
        .number("queue at arrivals p99 [units]: 99 in 100 units saw no more")
        .of(|(_, port)| seen(port, port.queue.percentile(99.0).into()))
}

fn waits(spec: &NetworkSpec, found: &PortsOutcome, cell: Duration) -> Table {
    let channels = names::channels(spec);
    let flows = (0..).zip(&spec.flows);
    let legs = flows.flat_map(|(flow, of)| of.legs.iter().map(move |leg| (flow, leg.channel)));
    TableOf::new(
        "waits",
        "How long units of each flow waited at each port: from joining the queue to the start of \
         their transmission.",
        legs.zip(&found.legs).filter(|(_, wait)| wait.count() > 0),
    )
    .flow(spec, |((flow, _), _)| *flow)
    .port(
        &channels,
        "the port its units waited at",
        |((_, channel), _)| *channel,
    )
    .number("samples [units]: units sent after the warm-up")
    .of(|(_, wait)| wait.count())
    .columns(wait_columns(), |(_, wait)| wait_cells(wait, cell))
    .done()
}

/// For the terminal, behind an empty line: paths by their length, a heading above, what is left
/// out below.
pub fn terminal_lines(found: &PortsOutcome, cell: Duration) -> Vec<String> {
    let keys = [
        "switches",
        "flows",
        "throughput_units_per_s",
        "throughput_mbps",
        "wait_mean_us",
        "wait_deviation_us",
        "wait_p99_us",
        "wait_max_us",
    ];
    let paths = paths(found, cell);
    let mut lines = vec![String::new()];
    lines.extend(picked(&[&paths], &keys, GROUPS));
    lines.extend(rest(paths.rows.len(), GROUPS, "length"));
    lines
}
