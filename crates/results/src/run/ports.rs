//! Tables of what was measured at ports: queues, waiting, utilization.

use std::collections::BTreeSet;

use backwater_kernel::{Duration, Samples};
use backwater_net::outcome::{PathGroup, PortOutcome, PortsOutcome};
use backwater_net::spec::LegSpec;

use super::Circuits;
use crate::events::names;
use crate::lines::rest;
use crate::model::{Cell, Column, Table};
use crate::number::span;
use crate::picked::picked;
use crate::table_of::TableOf;

/// Groups of paths in the terminal's table; the rest are counted.
const GROUPS: usize = 5;

/// Waiting by path length, by flow, by port, and each port; those without a row are left out.
pub fn tables(run: &Circuits<'_>, found: &PortsOutcome) -> Vec<Table> {
    let mut tables = vec![
        paths(found, run.cell),
        end_to_end(run, found),
        ports(run, found),
        waits(run, found),
    ];
    tables.retain(|table| !table.rows.is_empty());
    tables
}

impl<R> TableOf<R> {
    /// Waiting times in microseconds, and twice in cell times.
    fn waits(self, cell: Duration, wait: impl Fn(&R) -> &Samples) -> Self {
        let declared = [
            ("wait mean [us]: mean waiting time", ""),
            ("wait deviation [us]: standard deviation", "deviation"),
            ("wait p50 [us]: half waited no longer", ""),
            ("wait p90 [us]: nine in ten waited no longer", ""),
            ("wait p99 [us]: 99 in 100 waited no longer", "p99"),
            ("wait p99.9 [us]: 999 in 1000 waited no longer", ""),
            ("wait max [us]: longest", "max"),
            ("wait mean [cells]: mean in cell times", ""),
            (
                "wait deviation [cells]: standard deviation in cell times",
                "",
            ),
        ];
        let columns = declared.map(|(told, short)| Column::declared(told).short(short));
        let cells = |ps: f64| Cell::float(ps / cell.ps().max(1) as f64, 2);
        self.columns(columns.into(), |row| {
            let wait = wait(row);
            if wait.count() == 0 {
                return Vec::new();
            }
            let (mean, deviation) = (wait.mean(), wait.deviation());
            let mut times = vec![mean, deviation];
            times.extend([50.0, 90.0, 99.0, 99.9].map(|percent| wait.percentile(percent) as f64));
            times.push(wait.max() as f64);
            let us = times.into_iter().map(|ps| Cell::float(ps / 1e6, 3));
            us.chain([cells(mean), cells(deviation)]).collect()
        })
    }
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
    TableOf::of(found.by_switches())
        .called(
            "paths: Flows by the length of their path: throughput of each, and how long units \
             waited from end to end, their own transmissions excluded.",
        )
        .number("switches: switches on the path")
        .of(|(switches, _)| *switches)
        .number(
            "flows: flows with such a path; a multicast flow counts once for each such destination",
        )
        .of(|(_, group)| group.paths)
        .number("samples [units]: delivered after the warm-up")
        .of(|(_, group)| group.wait.count())
        .number("throughput [units/s]: throughput of a flow, mean over the flows")
        .of(|(_, group)| Cell::float(throughput(found, group).0, 2))
        .short(Column::UNIT)
        .number("throughput [Mbps]: the same; all bytes of a unit count")
        .of(|(_, group)| Cell::float(throughput(found, group).1 / 1e6, 3))
        .short(Column::UNIT)
        .waits(cell, |(_, group)| &group.wait)
        .done()
}

fn end_to_end(run: &Circuits<'_>, found: &PortsOutcome) -> Table {
    let flows = run.network.flows.iter();
    let legs: Vec<&LegSpec> = flows.flat_map(|flow| &flow.legs).collect();
    let end = |leg: u32| {
        let leg = legs.get(leg as usize)?;
        names::channel_ends(run.network, leg.channel).map(|(_, end)| run.node(end))
    };
    TableOf::of(&found.paths)
        .called(
            "end-to-end: How long units of each flow waited from end to end: at all ports on \
             their path and for their sink.",
        )
        .flow(run, |path| path.flow)
        .text("destination: where it ends")
        .of(|path| end(path.leg))
        .number("switches: switches on the path")
        .of(|path| path.switches)
        .number("samples [units]: delivered after the warm-up")
        .of(|path| path.wait.count())
        .waits(run.cell, |path| &path.wait)
        .number(
            "burst [bytes]: largest burst beyond the reserved rate at the first port, whole run; \
             empty for flows without a reservation",
        )
        .of(|path| {
            let flow = found.flows.get(path.flow as usize);
            flow.and_then(|flow| flow.burst_seen_bytes)
        })
        .done()
}

/// The sending port of every channel that some flow crosses.
fn ports(run: &Circuits<'_>, found: &PortsOutcome) -> Table {
    let legs = run.network.flows.iter().flat_map(|flow| &flow.legs);
    let crossed: BTreeSet<u32> = legs.map(|leg| leg.channel).collect();
    let rows = (0..).zip(&found.channels);
    let of_windows = |port: &PortOutcome, share: f64| match port.windows {
        0 => Cell::Empty,
        _ => Cell::float(share * 100.0, 2),
    };
    // The queue as units find it that join it, themselves included.
    let seen = |port: &PortOutcome, cell: Cell| match port.queue.count() {
        0 => Cell::Empty,
        _ => cell,
    };
    TableOf::of(rows.filter(|(channel, _)| crossed.contains(channel)))
        .called(format!(
            "queues: The queue of each port. Queues include the unit in transmission; utilization \
             is that by data, averaged over windows of {}.",
            span(found.window.ps() as f64)
        ))
        .port(run, "from which node to which", |(index, _)| *index)
        .number("arrivals [units]: units that joined the queue")
        .of(|(_, port)| port.queue.count())
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

fn waits(run: &Circuits<'_>, found: &PortsOutcome) -> Table {
    let flows = (0..).zip(&run.network.flows);
    let legs = flows.flat_map(|(flow, of)| of.legs.iter().map(move |leg| (flow, leg.channel)));
    TableOf::of(legs.zip(&found.legs).filter(|(_, wait)| wait.count() > 0))
        .called(
            "waits: How long units of each flow waited at each port: from joining the queue to the \
             start of their transmission.",
        )
        .flow(run, |((flow, _), _)| *flow)
        .port(run, "the port its units waited at", |((_, channel), _)| {
            *channel
        })
        .number("samples [units]: units sent after the warm-up")
        .of(|(_, wait)| wait.count())
        .waits(run.cell, |(_, wait)| wait)
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
