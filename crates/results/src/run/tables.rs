//! The tables of a run.

use backwater_kernel::{Channels, Duration, Place};
use backwater_net::alone;
use backwater_net::outcome::Outcome;
use backwater_net::spec::{FlowControlSpec, LegSpec, NetworkSpec, NodeKind};

use super::delays::{delay_cells, delay_columns};
use super::loads::flow_loads;
use super::{
    Measured, abr, bounds, cell_tcp, fair, losses, names, ports, recovery, responses, sessions,
    standstill,
};
use crate::groups::group_names;
use crate::merge::as_one;
use crate::model::{Cell, Column, Table};

/// Tables of what stood still, flows, fair shares, delays, delay bounds, ABR, TCP, recovery, what
/// was measured of queues (if it was), responses, shaping, drops, sessions, warnings, legs,
/// buffers, ports, nodes and violations; those without a row are left out. `cell` is the unit
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
        responses::table(spec, outcome, |flow| alone::response(spec, flow)),
        sessions::shaping_table(spec, outcome),
        losses::table(spec, outcome),
        sessions::table(spec, outcome),
        sessions::warnings_table(spec, outcome),
        legs(spec, outcome),
        buffers(spec, outcome),
        channels(spec, outcome),
        nodes(spec, outcome),
        violations(spec, outcome, cell),
    ]);
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// The names of flows, those of one group as one.
pub fn flow_names(spec: &NetworkSpec) -> Vec<String> {
    group_names(spec.flows.iter().map(|flow| flow.name.as_str()))
}

/// The tables of a flow or of a group, each with a row at most; nothing if there is none of the
/// name. `cell` is the unit of time.
pub fn flow_tables(
    spec: &NetworkSpec,
    outcome: &Outcome,
    cell: Duration,
    name: &str,
) -> Option<Vec<Table>> {
    let (first, outcome) = as_one(&spec.flows, |flow| &flow.name, outcome, name)?;
    let mut flow = first.clone();
    flow.name = name.into();
    let one = NetworkSpec {
        flows: vec![flow],
        ..spec.clone()
    };
    let alone = responses::alone_of_group(spec, name);
    Some(vec![
        flows(&one, &outcome),
        delays(&one, &outcome, cell),
        responses::table(&one, &outcome, |_| alone),
    ])
}

fn flow_columns() -> Vec<Column> {
    let cells = |name: &str, meaning: &str| Column::number(name, "cells", meaning);
    vec![
        Column::text("flow", "name in the scenario"),
        Column::text("path", "source and destinations"),
        cells(
            "offered",
            "offered at the source, once per destination; whole run",
        ),
        cells("delivered", "arrived, over all destinations; whole run"),
        cells("queued", "still queued or in flight at the end"),
        cells("dropped", "lost on the wire or dropped; whole run"),
        cells(
            "balance",
            "offered - delivered - queued - dropped; zero when all is accounted for",
        ),
        Column::number(
            "throughput share",
            "",
            "rate after the warm-up over that of the slowest link on the path; for multicast, \
             the mean over the destinations",
        ),
        Column::number("throughput", "Mbps", "the rate; all bytes of a unit count"),
        cells("retransmitted", "by the source; whole run"),
        cells(
            "backlog max",
            "largest number of units waiting at the source",
        ),
    ]
}

fn flows(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let mut table = Table::new(
        "flows",
        "What each flow offered, how much was delivered or lost, and its throughput.",
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
        table.rows.push(vec![
            names::flow(spec, index as u32).into(),
            format!("{} -> {path}", names::node(spec, source)).into(),
            found.offered_total.into(),
            found.delivered_total.into(),
            found.inside_total.into(),
            found.lost_total.into(),
            found.balance().missing().into(),
            Cell::float(load.fraction, 4),
            Cell::float(load.bits_per_second / 1e6, 3),
            found.retransmitted_total.into(),
            found.source_backlog_max.into(),
        ]);
    }
    table
}

fn delays(spec: &NetworkSpec, outcome: &Outcome, cell: Duration) -> Table {
    let mut columns = vec![
        Column::text("flow", "name in the scenario"),
        Column::number("samples", "cells", "delivered after the warm-up"),
    ];
    columns.extend(delay_columns("delay", "us"));
    columns.push(Column::number("delay mean", "cells", "mean in cell times"));
    let mut table = Table::new(
        "delays",
        "Time from being offered at the source to delivery, of units delivered after the warm-up.",
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
        row.extend(delay_cells(&found.delay, 1e6, 3));
        row.push(Cell::float(found.delay.mean / cell.ps().max(1) as f64, 2));
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
        "The sender of each flow at each port on its path.",
        vec![
            Column::text("flow", "name in the scenario"),
            Column::text("port", "the port this leg leaves by"),
            cells("sent", "data units started after the warm-up"),
            cells("sent total", "data units started; whole run"),
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
                "credits received",
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

fn buffers(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let cells = |name: &str, meaning: &str| Column::number(name, "cells", meaning);
    let mut table = Table::new(
        "buffers",
        "The receiver's memory for each leg.",
        vec![
            Column::text("flow", "name in the scenario"),
            Column::text("port", "the port that sends to this buffer"),
            cells("limit", "units it may hold; empty: no limit"),
            cells("fill at end", "units in it at the end"),
            cells("fill min", "smallest after the warm-up"),
            cells("fill mean", "time average after the warm-up"),
            cells("fill max", "largest after the warm-up"),
            cells("fill max total", "largest; whole run"),
            cells("overfill max", "units held beyond the limit, at worst"),
            Column::number(
                "wait mean",
                "us",
                "time in the receiving node before the next transmission",
            ),
        ],
    );
    let specs = leg_specs(spec);
    let rows = leg_rows(spec, outcome);
    for (index, (found, mut row)) in outcome.legs.iter().zip(rows).enumerate() {
        let wait = Cell::float(found.wait_mean_ps / 1e6, 3);
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
        "ports",
        "Each direction of each link: what its port sent after the warm-up.",
        vec![
            Column::text("port", "from which node to which"),
            Column::number("rate", "Mbps", "line rate"),
            Column::number("propagation", "us", "delay of the link"),
            Column::number("data", "%", "share of time spent sending data"),
            Column::number("control", "%", "share of time spent sending control units"),
            Column::number("idle", "%", "the rest of the time"),
            Column::number("data sent", "cells", "data units"),
            Column::number("control sent", "units", "control units"),
        ],
    );
    for (index, found) in outcome.channels.iter().enumerate() {
        let known = spec.links.channels().contains(&(index as u32));
        let channel = known.then(|| spec.links.channel(index as u32));
        let idle = 1.0 - found.data_share - found.control_share;
        let megabits = |ps: u64| Cell::float(ps as f64 / 1e6, 3);
        table.rows.push(vec![
            names
                .get(index)
                .cloned()
                .unwrap_or_else(|| format!("port {index}"))
                .into(),
            channel.map_or(Cell::Empty, |channel| megabits(channel.rate.0)),
            channel.map_or(Cell::Empty, |channel| megabits(channel.delay.ps())),
            Cell::float(found.data_share * 100.0, 2),
            Cell::float(found.control_share * 100.0, 2),
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
                "stored max total",
                "cells",
                "largest number of units in its memory; whole run",
            ),
            Column::number("stored max", "cells", "the same after the warm-up"),
            Column::number("stored mean", "cells", "time average after the warm-up"),
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
            Column::number("time", "us", "when, in microseconds"),
            Column::text("flow", "the flow concerned"),
            Column::text("port", "where"),
            Column::text("what", "which promise, with numbers"),
        ],
    );
    for violation in outcome.violations.kept() {
        let leg = match violation.place {
            Place::Leg(leg) => outcome.legs.get(leg as usize),
            _ => None,
        };
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
