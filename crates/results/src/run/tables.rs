//! The tables of a run.

use kernel::Duration;
use packet::outcome::{DelayOutcome, Outcome};
use packet::spec::{FlowControlSpec, LegSpec, NetworkSpec, NodeKind};

use super::{
    Measured, abr, bounds, cell_tcp, fair, losses, names, ports, recovery, sessions, standstill,
};
use crate::model::{Cell, Column, Table};

/// What a flow got, for each destination.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowLoad {
    /// Bits per second after the warm-up, mean over the destinations.
    pub bits_per_second: f64,
    /// That over the rate of the slowest channel on its way.
    pub fraction: f64,
}

/// The load of every flow.
pub fn flow_loads(spec: &NetworkSpec, outcome: &Outcome) -> Vec<FlowLoad> {
    let seconds = outcome.ended_at.since(spec.warm_up).seconds();
    spec.flows
        .iter()
        .zip(&outcome.flows)
        .enumerate()
        .map(|(index, (flow, found))| {
            let destinations = names::destinations(spec, index).len().max(1);
            let rates = flow.legs.iter().filter_map(|leg| {
                let link = spec.links.get(leg.channel as usize / 2)?;
                let forward = leg.channel % 2 == 0;
                let channel = if forward {
                    &link.forward
                } else {
                    &link.backward
                };
                Some(channel.rate.0 as f64)
            });
            let bottleneck_bps = rates.reduce(f64::min).unwrap_or(0.0);
            let bits_per_second = if seconds > 0.0 {
                found.delivered_bytes as f64 * 8.0 / seconds / destinations as f64
            } else {
                0.0
            };
            FlowLoad {
                bits_per_second,
                fraction: if bottleneck_bps > 0.0 {
                    bits_per_second / bottleneck_bps
                } else {
                    0.0
                },
            }
        })
        .collect()
}

/// Tables of what stood still, flows, fair shares, delays, delay bounds, ABR, TCP, recovery, what
/// was measured of ports (if it was), responses, shaping, drops, sessions, warnings, legs,
/// buffers, channels, nodes and violations; those without a row are left out. `cell` is the unit
/// of time.
pub fn run_tables<'a>(
    spec: &NetworkSpec,
    outcome: &Outcome,
    measured: impl Into<Measured<'a>>,
    cell: Duration,
) -> Vec<Table> {
    let Measured {
        ports: measured,
        recovery,
    } = measured.into();
    let mut tables = vec![
        standstill::table(spec, outcome, cell),
        flows(spec, outcome),
        fair::shares(spec, outcome).table(),
        delays(spec, outcome, cell),
        bounds::table(spec, outcome, measured, cell),
    ];
    tables.extend(abr::tables(spec, outcome));
    tables.push(cell_tcp::table(spec, outcome));
    tables.extend(recovery.map(|found| recovery::table(spec, found)));
    if let Some(measured) = measured {
        tables.extend(ports::tables(spec, measured, cell));
    }
    tables.extend([
        responses(spec, outcome),
        sessions::shaping_table(spec, outcome),
        losses::table(spec, outcome),
        sessions::table(spec, outcome),
        sessions::warnings_table(spec, outcome),
        legs(spec, outcome),
        buffers(spec, outcome, cell),
        channels(spec, outcome),
        nodes(spec, outcome),
        violations(spec, outcome, cell),
    ]);
    tables.retain(|table| !table.rows.is_empty());
    tables
}

fn flow_columns() -> Vec<Column> {
    let cells = |name: &str, meaning: &str| Column::number(name, "cells", meaning);
    let throughput = |unit: &str, meaning: &str| Column::number("throughput", unit, meaning);
    vec![
        Column::text("flow", "name in the scenario"),
        Column::text("path", "source and destinations"),
        cells(
            "offered",
            "offered at the source, times the destinations; whole run",
        ),
        cells("delivered", "arrived, over all destinations; whole run"),
        cells("queued", "still queued or in flight at the end"),
        cells("dropped", "lost on the wire or dropped; whole run"),
        cells(
            "balance",
            "offered - delivered - queued - dropped; zero when all is accounted for",
        ),
        throughput(
            "of bottleneck",
            "rate after the warm-up over that of the slowest channel on the way; for multicast, \
             the mean over the destinations",
        ),
        throughput(
            "Mbps",
            "the same in megabits per second; all bytes of a unit count",
        ),
        cells("sent again", "retransmitted by the source; whole run"),
        cells("largest backlog", "most units that waited at the source"),
    ]
}

fn flows(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let mut table = Table::new(
        "flows",
        "What each flow offered and what became of it, and what it got of the network.",
        flow_columns(),
    );
    let loads = flow_loads(spec, outcome);
    for (index, (found, load)) in outcome.flows.iter().zip(&loads).enumerate() {
        let source = spec.flows.get(index).map_or(0, |flow| flow.source);
        let ends = names::destinations(spec, index);
        let path = match ends.len() {
            0..=3 => ends.join(", "),
            many => format!("{many} destinations"),
        };
        let balance = i128::from(found.offered_total)
            - i128::from(found.delivered_total)
            - i128::from(found.inside_total)
            - i128::from(found.lost_total);
        table.rows.push(vec![
            names::flow(spec, index as u32).into(),
            format!("{} -> {path}", names::node(spec, source)).into(),
            found.offered_total.into(),
            found.delivered_total.into(),
            found.inside_total.into(),
            found.lost_total.into(),
            Cell::Int(balance.clamp(i64::MIN.into(), i64::MAX.into()) as i64),
            Cell::float(load.fraction, 4),
            Cell::float(load.bits_per_second / 1e6, 3),
            found.retransmitted_total.into(),
            found.source_backlog_max.into(),
        ]);
    }
    table
}

pub fn delay_columns(unit: &str) -> Vec<Column> {
    let number = |name: &str, meaning: &str| Column::number(name, unit, meaning);
    vec![
        number("mean", "mean"),
        number(
            "± 95 %",
            "half width of the mean's 95 % interval, by batch means; empty if the run is too short \
             for one",
        ),
        number("deviation", "standard deviation"),
        number("least", "smallest"),
        number("median", "half are no longer"),
        number("90 %", "nine in ten are no longer"),
        number("99 %", "99 in 100 are no longer"),
        number("99.9 %", "999 in 1000 are no longer"),
        number("most", "largest"),
    ]
}

pub fn delay_cells(delay: &DelayOutcome, unit_ps: f64, digits: u8) -> Vec<Cell> {
    let of = |ps: f64| Cell::float(ps / unit_ps, digits);
    let mut cells = vec![
        of(delay.mean_ps),
        delay.half_width_ps.map_or(Cell::Empty, of),
        of(delay.deviation_ps),
        of(delay.min_ps as f64),
    ];
    cells.extend(delay.percentiles_ps.iter().map(|ps| of(*ps as f64)));
    cells.push(of(delay.max_ps as f64));
    cells
}

fn delays(spec: &NetworkSpec, outcome: &Outcome, cell: Duration) -> Table {
    let mut columns = vec![
        Column::text("flow", "name in the scenario"),
        Column::number("samples", "cells", "units delivered after the warm-up"),
    ];
    columns.extend(delay_columns("cells"));
    columns.push(Column::number("mean", "µs", "mean in microseconds"));
    let mut table = Table::new(
        "delays",
        "Time from being offered at the source to delivery, of units delivered after the warm-up; \
         in cell times.",
        columns,
    );
    for (index, found) in outcome.flows.iter().enumerate() {
        if found.delay.count == 0 {
            continue;
        }
        let mut row = vec![
            names::flow(spec, index as u32).into(),
            found.delay.count.into(),
        ];
        row.extend(delay_cells(&found.delay, cell.ps().max(1) as f64, 2));
        row.push(Cell::float(found.delay.mean_ps / 1e6, 3));
        table.rows.push(row);
    }
    table
}

fn responses(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let mut columns = vec![
        Column::text("flow", "name in the scenario"),
        Column::number("responses", "", "completed after the warm-up"),
    ];
    columns.extend(delay_columns("ms"));
    let mut table = Table::new(
        "responses",
        "Response times: first unit of a request sent to last unit of its answer received.",
        columns,
    );
    for (index, found) in outcome.flows.iter().enumerate() {
        if found.responses.count == 0 {
            continue;
        }
        let mut row = vec![
            names::flow(spec, index as u32).into(),
            found.responses.count.into(),
        ];
        row.extend(delay_cells(&found.responses, 1e9, 3));
        table.rows.push(row);
    }
    table
}

/// Flow and channel of each leg: the first cells of its row.
fn leg_rows(spec: &NetworkSpec, outcome: &Outcome) -> Vec<Vec<Cell>> {
    let channels = names::channels(spec);
    let row = |flow, channel| {
        let channel = names::channel(&channels, channel);
        vec![names::flow(spec, flow).into(), channel.into()]
    };
    outcome
        .legs
        .iter()
        .map(|leg| row(leg.flow, leg.channel))
        .collect()
}

/// What the spec says of each leg, in the order of [`Outcome::legs`].
fn leg_specs(spec: &NetworkSpec) -> Vec<&LegSpec> {
    spec.flows.iter().flat_map(|flow| &flow.legs).collect()
}

fn legs(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let cells = |name: &str, meaning: &str| Column::number(name, "cells", meaning);
    let units = |name: &str, meaning: &str| Column::number(name, "units", meaning);
    let mut table = Table::new(
        "legs",
        "Each flow on each channel it crosses: what its sender did.",
        vec![
            Column::text("flow", "name in the scenario"),
            Column::text("channel", "the channel this leg crosses"),
            cells("sent", "data units started after the warm-up"),
            cells("sent in all", "data units started; whole run"),
            cells("lost", "data units lost on the wire; whole run"),
            cells(
                "dropped",
                "data units dropped by the receiver's full buffer; whole run",
            ),
            cells(
                "credit",
                "the sender's credit at the end; empty where the leg isn't controlled",
            ),
            units(
                "credits in",
                "control units that reached the sender; whole run",
            ),
            units("credits lost", "control units lost on the wire; whole run"),
            units("requests", "requests for credit sent; whole run"),
        ],
    );
    let specs = leg_specs(spec);
    let rows = leg_rows(spec, outcome);
    for (index, (found, mut row)) in outcome.legs.iter().zip(rows).enumerate() {
        let controlled = specs
            .get(index)
            .is_some_and(|leg| leg.flow_control != FlowControlSpec::None);
        row.extend([
            found.sent.into(),
            found.sent_total.into(),
            found.lost_total.into(),
            found.dropped_total.into(),
            found.credit.filter(|_| controlled).into(),
            found.credits_received_total.into(),
            found.credits_lost_total.into(),
            found.requests_total.into(),
        ]);
        table.rows.push(row);
    }
    table
}

fn buffers(spec: &NetworkSpec, outcome: &Outcome, cell: Duration) -> Table {
    let cells = |name: &str, meaning: &str| Column::number(name, "cells", meaning);
    let mut table = Table::new(
        "buffers",
        "The receiver's memory for each leg.",
        vec![
            Column::text("flow", "name in the scenario"),
            Column::text("channel", "the channel that ends at this buffer"),
            cells("limit", "units it may hold; empty is without limit"),
            cells("at end", "units in it at the end"),
            cells("least", "smallest after the warm-up"),
            cells("mean", "time average after the warm-up"),
            cells("most (warm)", "largest after the warm-up"),
            cells("most", "largest; whole run"),
            cells("beyond", "units held beyond the limit, at worst"),
            Column::number(
                "wait",
                "cell times",
                "mean time in the receiving node before the next channel",
            ),
        ],
    );
    let specs = leg_specs(spec);
    let rows = leg_rows(spec, outcome);
    for (index, (found, mut row)) in outcome.legs.iter().zip(rows).enumerate() {
        let wait = Cell::float(found.wait_mean_ps / cell.ps().max(1) as f64, 2);
        row.extend([
            specs
                .get(index)
                .and_then(|leg| leg.buffer.limit_units)
                .into(),
            found.fill.into(),
            found.fill_min.into(),
            Cell::float(found.fill_mean, 2),
            found.fill_max.into(),
            found.fill_max_total.into(),
            found.overfill_max.into(),
            if found.arrived > 0 { wait } else { Cell::Empty },
        ]);
        table.rows.push(row);
    }
    table
}

fn channels(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let names = names::channels(spec);
    let mut table = Table::new(
        "channels",
        "Each direction of each link after the warm-up.",
        vec![
            Column::text("channel", "from which node to which"),
            Column::number("rate", "Mbps", "line rate"),
            Column::number("delay", "µs", "propagation"),
            Column::number("data", "% of time", "share of time spent sending data"),
            Column::number(
                "control",
                "% of time",
                "share of time spent sending control units",
            ),
            Column::number("idle", "% of time", "the rest"),
            Column::number("data sent", "cells", "data units"),
            Column::number("control sent", "units", "control units"),
        ],
    );
    for (index, found) in outcome.channels.iter().enumerate() {
        let link = spec.links.get(index / 2);
        let channel = link.map(|link| {
            if index % 2 == 0 {
                &link.forward
            } else {
                &link.backward
            }
        });
        let idle = 1.0 - found.data_utilization - found.control_utilization;
        let megabits = |ps: u64| Cell::float(ps as f64 / 1e6, 3);
        table.rows.push(vec![
            names
                .get(index)
                .cloned()
                .unwrap_or_else(|| format!("channel {index}"))
                .into(),
            channel.map_or(Cell::Empty, |channel| megabits(channel.rate.0)),
            channel.map_or(Cell::Empty, |channel| megabits(channel.delay.ps())),
            Cell::float(found.data_utilization * 100.0, 2),
            Cell::float(found.control_utilization * 100.0, 2),
            Cell::float(idle.max(0.0) * 100.0, 2),
            found.data_units.into(),
            found.control_units.into(),
        ]);
    }
    table
}

fn nodes(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let mut table = Table::new(
        "nodes",
        "Data units each node held; a multicast unit counts once.",
        vec![
            Column::text("node", "name in the scenario"),
            Column::text("kind", "host or switch"),
            Column::number(
                "most stored",
                "cells",
                "largest number of units in its memory; whole run",
            ),
            Column::number("most stored (warm)", "cells", "the same after the warm-up"),
            Column::number("mean stored", "cells", "time average after the warm-up"),
        ],
    );
    for (index, found) in outcome.nodes.iter().enumerate() {
        let kind = match spec.nodes.get(index).map(|node| node.kind) {
            Some(NodeKind::Host) => "host",
            Some(NodeKind::Switch) => "switch",
            None => "",
        };
        table.rows.push(vec![
            names::node(spec, index as u32).into(),
            kind.into(),
            found.stored_max_total.into(),
            found.stored_max.into(),
            Cell::float(found.stored_mean, 2),
        ]);
    }
    table
}

fn violations(spec: &NetworkSpec, outcome: &Outcome, cell: Duration) -> Table {
    let channels = names::channels(spec);
    let mut table = Table::new(
        "violations",
        "Promises broken, oldest first.",
        vec![
            Column::number("time", "cells", "when, in cell times"),
            Column::number("time", "µs", "when, in microseconds"),
            Column::text("flow", "the flow concerned"),
            Column::text("channel", "where"),
            Column::text("what", "which promise, with numbers"),
        ],
    );
    for violation in &outcome.violations {
        let leg = outcome.legs.get(violation.leg as usize);
        let channel = leg
            .and_then(|leg| channels.get(leg.channel as usize))
            .cloned();
        table.rows.push(vec![
            Cell::float(Duration(violation.at.ps()).in_units_of(cell), 1),
            Cell::float(violation.at.ps() as f64 / 1e6, 3),
            leg.map(|leg| names::flow(spec, leg.flow)).into(),
            channel.into(),
            violation.what.clone().into(),
        ]);
    }
    table
}
