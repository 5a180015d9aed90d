//! Tables of what was measured at ports: queues, waiting, utilization.

use backwater_kernel::{Duration, Samples};
use backwater_net::outcome::{PathGroup, PortsOutcome};
use backwater_net::spec::{LegSpec, NetworkSpec};
use serde_json::{Value, json};

use super::names;
use crate::model::{Cell, Column, Table};
use crate::number::{fixed, grouped, significant, span};
use backwater_kernel::words::counted;

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
        us("wait deviation", "standard deviation"),
        us("wait p50", "half waited no longer"),
        us("wait p90", "nine in ten waited no longer"),
        us("wait p99", "99 in 100 waited no longer"),
        us("wait p99.9", "999 in 1000 waited no longer"),
        us("wait max", "longest"),
        Column::number("wait mean", "cells", "mean in cell times"),
        Column::number(
            "wait deviation",
            "cells",
            "standard deviation in cell times",
        ),
    ]
}

fn wait_cells(wait: &Samples, cell: Duration) -> Vec<Cell> {
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
    let mut columns = vec![
        Column::number("switches", "", "switches on the path"),
        Column::number(
            "flows",
            "",
            "flows with such a path; a multicast flow counts once for each such destination",
        ),
        Column::number("samples", "units", "delivered after the warm-up"),
        Column::number(
            "throughput",
            "units/s",
            "throughput of a flow, mean over the flows",
        ),
        Column::number("throughput", "Mbps", "the same; all bytes of a unit count"),
    ];
    columns.extend(wait_columns());
    let mut table = Table::new(
        "paths",
        "Flows by the length of their path: throughput of each, and how long units waited from end \
         to end, their own transmissions excluded.",
        columns,
    );
    for (switches, group) in found.by_switches() {
        let (units, bits) = throughput(found, &group);
        let mut row = vec![
            switches.into(),
            group.paths.into(),
            group.wait.count().into(),
            Cell::float(units, 2),
            Cell::float(bits / 1e6, 3),
        ];
        row.extend(wait_cells(&group.wait, cell));
        table.rows.push(row);
    }
    table
}

fn end_to_end(spec: &NetworkSpec, found: &PortsOutcome, cell: Duration) -> Table {
    let mut columns = vec![
        Column::text("flow", "name in the scenario"),
        Column::text("destination", "where it ends"),
        Column::number("switches", "", "switches on the path"),
        Column::number("samples", "units", "delivered after the warm-up"),
    ];
    columns.extend(wait_columns());
    columns.push(Column::number(
        "burst",
        "bytes",
        "largest burst beyond the reserved rate at the first port, whole run; empty for flows \
         without a reservation",
    ));
    let mut table = Table::new(
        "end-to-end",
        "How long units of each flow waited from end to end: at all ports on their path and for \
         their sink.",
        columns,
    );
    let legs: Vec<&LegSpec> = spec.flows.iter().flat_map(|flow| &flow.legs).collect();
    for path in &found.paths {
        let leg = legs.get(path.leg as usize);
        let end = leg.and_then(|leg| names::channel_end(spec, leg.channel));
        let mut row = vec![
            names::flow(spec, path.flow).into(),
            end.map(|end| names::node(spec, end)).into(),
            path.switches.into(),
            path.wait.count().into(),
        ];
        match path.wait.count() {
            0 => row.extend(wait_columns().iter().map(|_| Cell::Empty)),
            _ => row.extend(wait_cells(&path.wait, cell)),
        }
        let flow = found.flows.get(path.flow as usize);
        row.push(flow.and_then(|flow| flow.burst_seen_bytes).into());
        table.rows.push(row);
    }
    table
}

/// The sending port of every channel that some flow crosses.
fn ports(spec: &NetworkSpec, found: &PortsOutcome) -> Table {
    let units = |name: &str, meaning: &str| Column::number(name, "units", meaning);
    let share = |name: &str, meaning: &str| Column::number(name, "%", meaning);
    let mut table = Table::new(
        "queues",
        format!(
            "The queue of each port. Queues include the unit in transmission; \
             utilization is that by data, averaged over windows of {}.",
            span(found.window.ps() as f64)
        ),
        vec![
            Column::text("port", "from which node to which"),
            units("arrivals", "units that joined the queue"),
            units(
                "queue at arrivals mean",
                "mean length seen by units that join, themselves included",
            ),
            units(
                "queue at arrivals deviation",
                "standard deviation of the same",
            ),
            units("queue at arrivals p90", "nine in ten units saw no more"),
            units("queue at arrivals p99", "99 in 100 units saw no more"),
            units("queue mean", "time average of the length"),
            units("queue max", "longest queue"),
            share(
                "utilization mean",
                "mean over the windows of the time spent sending data",
            ),
            share("utilization deviation", "standard deviation of the same"),
            Column::number("windows", "", "complete windows since the warm-up"),
        ],
    );
    let channels = names::channels(spec);
    let mut crossed = vec![false; found.channels.len()];
    for leg in spec.flows.iter().flat_map(|flow| &flow.legs) {
        if let Some(crossed) = crossed.get_mut(leg.channel as usize) {
            *crossed = true;
        }
    }
    for (index, port) in found.channels.iter().enumerate() {
        if !crossed[index] {
            continue;
        }
        let queue = &port.queue;
        let of_queue = |cell: Cell| if queue.count() > 0 { cell } else { Cell::Empty };
        let of_windows = |share: f64| match port.windows {
            0 => Cell::Empty,
            _ => Cell::float(share * 100.0, 2),
        };
        table.rows.push(vec![
            names::channel(&channels, index as u32).into(),
            queue.count().into(),
            of_queue(Cell::float(queue.mean(), 2)),
            of_queue(Cell::float(queue.deviation(), 2)),
            of_queue(queue.percentile(90.0).into()),
            of_queue(queue.percentile(99.0).into()),
            Cell::float(port.queue_mean, 3),
            port.queue_max.into(),
            of_windows(port.utilization_mean),
            of_windows(port.utilization_deviation),
            port.windows.into(),
        ]);
    }
    table
}

fn waits(spec: &NetworkSpec, found: &PortsOutcome, cell: Duration) -> Table {
    let mut columns = vec![
        Column::text("flow", "name in the scenario"),
        Column::text("port", "the port its units waited at"),
        Column::number("samples", "units", "units sent after the warm-up"),
    ];
    columns.extend(wait_columns());
    let mut table = Table::new(
        "waits",
        "How long units of each flow waited at each port: from joining the queue to the start of \
         their transmission.",
        columns,
    );
    let channels = names::channels(spec);
    let flows = (0..).zip(&spec.flows);
    let legs = flows.flat_map(|(flow, of)| of.legs.iter().map(move |leg| (flow, leg.channel)));
    for ((flow, channel), wait) in legs.zip(&found.legs) {
        if wait.count() > 0 {
            let mut row = vec![
                names::flow(spec, flow).into(),
                names::channel(&channels, channel).into(),
                wait.count().into(),
            ];
            row.extend(wait_cells(wait, cell));
            table.rows.push(row);
        }
    }
    table
}

/// Rows for the terminal: paths by their length, with a heading.
pub fn terminal_rows(found: &PortsOutcome) -> Vec<Vec<String>> {
    let titles = [
        "switches",
        "flows",
        "units/s",
        "Mbps",
        "wait mean",
        "deviation",
        "p99",
        "max",
    ];
    let groups = found.by_switches();
    let mut rows = vec![titles.map(String::from).to_vec()];
    for (switches, group) in groups.iter().take(GROUPS) {
        let (units, bits) = throughput(found, group);
        let wait = |ps: f64| match group.wait.count() {
            0 => "-".into(),
            _ => span(ps),
        };
        rows.push(vec![
            switches.to_string(),
            grouped(group.paths),
            significant(units, 4),
            fixed(bits / 1e6, 3),
            wait(group.wait.mean()),
            wait(group.wait.deviation()),
            wait(group.wait.percentile(99.0) as f64),
            wait(group.wait.max() as f64),
        ]);
    }
    rows
}

/// What [`terminal_rows`] leaves out; `None` where it has everything.
pub fn terminal_rest(found: &PortsOutcome) -> Option<String> {
    let rest = found.by_switches().len().saturating_sub(GROUPS);
    (rest > 0).then(|| format!("... and {}", counted(rest, "more length")))
}

/// Paths by their length and the ports, for `summary.json`.
pub fn json(spec: &NetworkSpec, found: &PortsOutcome) -> (Value, Value) {
    let paths = found.by_switches().into_iter().map(|(switches, group)| {
        let (units, bits) = throughput(found, &group);
        let wait = &group.wait;
        let measured = wait.count() > 0;
        json!({
            "switches": switches,
            "flows": group.paths,
            "delivered": wait.count(),
            "throughput_units_per_s": units,
            "throughput_bps": bits,
            "wait_mean_ps": measured.then(|| wait.mean()),
            "wait_deviation_ps": measured.then(|| wait.deviation()),
            "wait_p99_ps": measured.then(|| wait.percentile(99.0)),
            "wait_max_ps": measured.then(|| wait.max()),
        })
    });
    let names = names::channels(spec);
    let channels = (0..).zip(&found.channels);
    let busy = channels.filter(|(_, port)| port.queue.count() > 0);
    let ports = busy.map(|(channel, port)| {
        let windows = port.windows > 0;
        json!({
            "port": names::channel(&names, channel),
            "arrivals": port.queue.count(),
            "queue_at_arrivals_mean": port.queue.mean(),
            "queue_at_arrivals_deviation": port.queue.deviation(),
            "queue_at_arrivals_p99": port.queue.percentile(99.0),
            "queue_mean": port.queue_mean,
            "queue_max": port.queue_max,
            "utilization_mean": windows.then_some(port.utilization_mean),
            "utilization_deviation": windows.then_some(port.utilization_deviation),
        })
    });
    (paths.collect(), ports.collect())
}
