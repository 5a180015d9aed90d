//! The tables of a run of the Ethernet engine: flows and nodes.

use backwater_kernel::{DelayOutcome, Place};
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, NodeKind, TrafficSpec, TransportSpec};
use backwater_net::outcome::{FlowOutcome, Outcome};

use super::groups::{groups, per_second, seconds};
use super::{bounds, completion, fair, group_table, names, pauses, ports, standstill, transfers};
use crate::groups::group_names;
use crate::merge::as_one;
use crate::model::{Cell, Column, Table};
use crate::table_of::TableOf;

/// Tables of the balance, groups of flows, flows, fair shares, transfers and their completion,
/// delays, deadlines, TCP, drops, the standstill, destinations of multicasts, pauses, queues,
/// ports, nodes and violations; those without a row are left out.
pub fn ethernet_tables(spec: &EthernetSpec, outcome: &Outcome) -> Vec<Table> {
    let mut tables = short_tables(spec, outcome);
    tables.extend(long_tables(spec, outcome));
    tables
}

/// Those that are read as a whole.
pub fn short_tables(spec: &EthernetSpec, outcome: &Outcome) -> Vec<Table> {
    with_rows(vec![
        balance(outcome),
        standstill::table(spec, outcome),
        group_table::table(spec, outcome),
        flows(spec, outcome),
        fair::shares(spec, outcome).table(),
        completion::table(spec, outcome, &groups(spec, outcome)),
        transfers::table(spec, outcome),
        delays(spec, outcome),
        deadlines(spec, outcome),
        bounds::table(spec, outcome),
        ports::drops(spec, outcome),
        violations(spec, outcome),
    ])
}

/// Those in which something is looked up.
pub fn long_tables(spec: &EthernetSpec, outcome: &Outcome) -> Vec<Table> {
    with_rows(vec![
        destinations(spec, outcome),
        tcp(spec, outcome),
        pauses::table(spec, outcome),
        ports::table(spec, outcome),
        ports::channels(spec, outcome),
        nodes(spec, outcome),
    ])
}

/// The names of flows, those of one group as one.
pub fn flow_names(spec: &EthernetSpec) -> Vec<String> {
    group_names(spec.flows.iter().map(|flow| flow.name.as_str()))
}

/// The tables of a flow or of a group, each with a row at most; nothing if there is none of the
/// name.
pub fn flow_tables(spec: &EthernetSpec, outcome: &Outcome, name: &str) -> Option<Vec<Table>> {
    let (first, outcome) = as_one(&spec.flows, |flow| &flow.name, outcome, name)?;
    let mut flow = first.clone();
    flow.name = name.into();
    let one = EthernetSpec {
        flows: vec![flow],
        ..spec.clone()
    };
    Some(vec![
        flows(&one, &outcome),
        transfers::table(&one, &outcome),
        delays(&one, &outcome),
        deadlines(&one, &outcome),
        tcp(&one, &outcome),
    ])
}

fn with_rows(mut tables: Vec<Table>) -> Vec<Table> {
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// The flows of the spec with what was found of them.
pub(super) fn found<'a>(
    spec: &'a EthernetSpec,
    outcome: &'a Outcome,
) -> impl Iterator<Item = (&'a FlowSpec, &'a FlowOutcome)> {
    spec.flows.iter().zip(&outcome.flows)
}

fn balance(outcome: &Outcome) -> Table {
    let rows = ["frames", "bytes"].into_iter().zip(outcome.balances());
    let missing = "created - delivered - dropped - inside; zero when all is accounted for";
    TableOf::new(
        "balance",
        "Balance of all frames that hosts created; whole run.",
        rows,
    )
    .text("of", "frames or bytes", |(name, _)| *name)
    .number("created", "", "handed to the ports of hosts", |(_, all)| {
        all.offered
    })
    .number("delivered", "", "reached their host", |(_, all)| {
        all.delivered
    })
    .number("dropped", "", "whatever the cause", |(_, all)| all.dropped)
    .number(
        "inside",
        "",
        "in queues and on wires at the end",
        |(_, all)| all.inside,
    )
    .number("balance", "", missing, |(_, all)| all.missing())
    .done()
}

fn flows(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let seconds = seconds(spec, outcome);
    let rate = |bytes: u64| Cell::float(per_second(bytes as f64 * 8.0, seconds) / 1e6, 4);
    let channels = names::channels(spec);
    let missing = "created - delivered - dropped - inside; zero when all is accounted for";
    TableOf::new(
        "flows",
        "What each flow sent, how much was delivered or dropped, and the goodput of its \
         application.",
        found(spec, outcome).map(|(flow, found)| (flow, found, found.balance())),
    )
    .text("flow", "name in the scenario", |(flow, ..)| {
        flow.name.clone()
    })
    .text(
        "path",
        "nodes that its frames pass; only its ends where they take several paths",
        |(flow, found, _)| names::path(spec, flow, &found.path, &channels),
    )
    .text("protocol", "what carries it", |(flow, ..)| {
        protocol(&flow.transport)
    })
    .number("class", "", "of its frames", |(flow, ..)| {
        u32::from(flow.class)
    })
    .number(
        "goodput",
        "Mbps",
        "payload that the application at the destination received in order after the warm-up",
        |(_, found, _)| rate(found.ends.goodput_bytes),
    )
    .number(
        "returned",
        "Mbps",
        "the same of responses, at the source",
        |(_, found, _)| rate(found.ends.returned_bytes),
    )
    .number(
        "offered",
        "bytes",
        "payload the application handed over, whole run; over TCP without end: what was sent",
        |(_, found, _)| found.ends.offered_bytes_total,
    )
    .number(
        "created",
        "frames",
        "handed to ports of hosts, both directions; whole run",
        |(.., frames)| frames.offered,
    )
    .number(
        "delivered",
        "frames",
        "reached their host; whole run",
        |(.., frames)| frames.delivered,
    )
    .number(
        "dropped total",
        "frames",
        "whatever the cause; whole run",
        |(.., frames)| frames.dropped,
    )
    .number(
        "inside",
        "frames",
        "in queues and on wires at the end",
        |(.., frames)| frames.inside,
    )
    .number("balance", "frames", missing, |(.., frames)| {
        frames.missing()
    })
    .number("dropped", "frames", "after the warm-up", |(_, found, _)| {
        found.lost
    })
    .number("ECN-marked", "frames", "by switches", |(_, found, _)| {
        found.marked
    })
    .done()
}

fn protocol(transport: &TransportSpec) -> &'static str {
    match transport {
        TransportSpec::Tcp(_) => "TCP",
        TransportSpec::Udp { has_rtp: true, .. } => "RTP",
        TransportSpec::Udp { .. } => "UDP",
    }
}

/// Statistics of `what`, such as delays.
pub(super) fn time_columns(what: &str, unit: &str) -> Vec<Column> {
    let number = |of: &str, meaning: &str| Column::number(&format!("{what} {of}"), unit, meaning);
    vec![
        number("mean", "mean"),
        number("min", "smallest"),
        number("p50", "half are no longer"),
        number("p90", "nine in ten are no longer"),
        number("p99", "99 in 100 are no longer"),
        number("p99.9", "999 in 1000 are no longer"),
        number("max", "largest"),
    ]
}

/// Cells for [`time_columns`], empty where nothing was measured.
pub(super) fn time_cells(times: &DelayOutcome, unit_ps: f64) -> Vec<Cell> {
    let of = |ps: f64| match times.count {
        0 => Cell::Empty,
        _ => Cell::float(ps / unit_ps, 3),
    };
    let mut cells = vec![of(times.mean), of(times.min as f64)];
    let percentile = |percent| of(times.histogram.percentile(percent) as f64);
    cells.extend([50.0, 90.0, 99.0, 99.9].map(percentile));
    cells.push(of(times.max as f64));
    cells
}

fn delays(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let mut columns = vec![
        Column::text("flow", "name in the scenario"),
        Column::number(
            "frames",
            "frames",
            "data frames delivered after the warm-up",
        ),
    ];
    columns.extend(time_columns("delay", "us"));
    let mut table = Table::new(
        "delays",
        "From being handed to the host's port to delivery, of data frames that reached the \
         destination after the warm-up.",
        columns,
    );
    for (flow, found) in found(spec, outcome) {
        if found.delay.count > 0 {
            let mut row = vec![flow.name.clone().into(), found.delay.count.into()];
            row.extend(time_cells(&found.delay, 1e6));
            table.rows.push(row);
        }
    }
    table
}

/// A row for each destination of flows that have several.
fn destinations(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let frames = |name: &str, meaning: &str| Column::number(name, "frames", meaning);
    let mut columns = vec![
        Column::text("flow", "name in the scenario"),
        Column::text("destination", "one of its hosts"),
        frames("offered", "handed to the port of the source, whole run"),
        frames("delivered", "to this host"),
        frames(
            "dropped",
            "on the way to it, or where that was still common",
        ),
        frames("inside", "still on their way at the end"),
        frames("balance", "offered - delivered - dropped - inside"),
    ];
    columns.extend(time_columns("delay", "us"));
    let mut table = Table::new(
        "destinations",
        "What became of multicast frames, by destination. Delays are those after the warm-up.",
        columns,
    );
    for (flow, found) in found(spec, outcome) {
        for (to, own) in flow.destinations().zip(&found.destinations) {
            let frames = own.balance();
            let mut row = vec![
                flow.name.clone().into(),
                names::node(spec, to).into(),
                frames.offered.into(),
                frames.delivered.into(),
                frames.dropped.into(),
                frames.inside.into(),
                frames.missing().into(),
            ];
            row.extend(time_cells(&own.delay, 1e6));
            table.rows.push(row);
        }
    }
    table
}

fn deadlines(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let mut table = Table::new(
        "deadlines",
        "Video against its playout deadline: datagrams sent after the warm-up.",
        vec![
            Column::text("flow", "name in the scenario"),
            Column::number("deadline", "ms", "from birth to arrival"),
            Column::number("due", "datagrams", "whose deadline passed before the end"),
            Column::number(
                "late",
                "datagrams",
                "that arrived later than that, or never",
            ),
            Column::number("late", "%", "of those due"),
        ],
    );
    for (flow, found) in found(spec, outcome) {
        let TrafficSpec::Video(video) = &flow.traffic else {
            continue;
        };
        table.rows.push(vec![
            flow.name.clone().into(),
            Cell::float(video.deadline.ps() as f64 / 1e9, 3),
            found.ends.due.into(),
            found.ends.late.into(),
            match found.ends.due {
                0 => Cell::Empty,
                due => Cell::float(found.ends.late as f64 / due as f64 * 100.0, 3),
            },
        ]);
    }
    table
}

fn tcp(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let mut table = Table::new(
        "tcp",
        "Both ends of each connection; whole run.",
        vec![
            Column::text("flow", "name in the scenario"),
            Column::number("segments", "", "sent, pure acknowledgements included"),
            Column::number("sent", "bytes", "of payload, retransmissions included"),
            Column::number("retransmitted", "bytes", "of payload"),
            Column::number("retransmitted", "%", "of the payload sent"),
            Column::number("timeouts", "", "of the retransmission timer"),
            Column::number(
                "fast retransmits",
                "",
                "triggered by duplicate acknowledgements",
            ),
            Column::number("duplicates", "", "segments without new data"),
            Column::number("ECN cuts", "", "times the window shrank because of marks"),
        ],
    );
    for (flow, found) in found(spec, outcome) {
        let TransportSpec::Tcp(_) = flow.transport else {
            continue;
        };
        let counts = &found.ends.tcp;
        table.rows.push(vec![
            flow.name.clone().into(),
            counts.segments.into(),
            counts.sent_bytes.into(),
            counts.again_bytes.into(),
            match counts.sent_bytes {
                0 => Cell::Empty,
                sent => Cell::float(counts.again_bytes as f64 / sent as f64 * 100.0, 3),
            },
            counts.time_outs.into(),
            counts.fast_retransmits.into(),
            counts.duplicates.into(),
            counts.ecn_cuts.into(),
        ]);
    }
    table
}

fn nodes(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let mut table = Table::new(
        "nodes",
        "What each node held; whole run.",
        vec![
            Column::text("node", "name in the scenario"),
            Column::text("kind", "host or switch"),
            Column::number("held max", "bytes", "in all its queues at once"),
            Column::number(
                "timeouts",
                "",
                "times its congested queues released a neighbour that did not respond",
            ),
        ],
    );
    for (node, found) in spec.nodes.iter().zip(&outcome.nodes) {
        let kind = match node.kind {
            NodeKind::Station { .. } => "host",
            NodeKind::Switch(_) => "switch",
        };
        table.rows.push(vec![
            node.name.clone().into(),
            kind.into(),
            found.most_bytes.into(),
            found.time_outs.into(),
        ]);
    }
    table
}

fn violations(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let channels = names::channels(spec);
    let mut table = Table::new(
        "violations",
        "Promises broken, oldest first.",
        vec![
            Column::number("time", "us", "when"),
            Column::text("port", "where"),
            Column::text("what", "which promise, with numbers"),
        ],
    );
    for violation in outcome.violations.kept() {
        table.rows.push(vec![
            Cell::float(violation.at.ps() as f64 / 1e6, 6),
            match violation.place {
                Place::Channel(channel) => names::channel(&channels, channel).into(),
                _ => Cell::Empty,
            },
            violation.what.clone().into(),
        ]);
    }
    table
}
