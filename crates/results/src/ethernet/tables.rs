//! The tables of a run of the Ethernet engine: flows and nodes.

use backwater_kernel::{Balance, DelayOutcome, Place};
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, NodeKind, TrafficSpec, TransportSpec};
use backwater_net::outcome::{FlowOutcome, Outcome};

use super::groups::{groups, per_second, seconds};
use super::{bounds, completion, fair, group_table, names, pauses, ports, standstill, transfers};
use crate::groups::group_names;
use crate::merge::as_one;
use crate::model::{Cell, Column, Table};
use crate::table_of::TableOf;

/// What a balance is.
const MISSING: &str = "created - delivered - dropped - inside; zero when all is accounted for";

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
    .number("balance", "", MISSING, |(_, all)| all.missing())
    .done()
}

fn flows(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let seconds = seconds(spec, outcome);
    let rate = |bytes: u64| Cell::float(per_second(bytes as f64 * 8.0, seconds) / 1e6, 4);
    let channels = names::channels(spec);
    let table = TableOf::new(
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
    );
    frames(table).done()
}

/// A flow, what was found of it, and what became of its frames.
type Flow<'a> = (&'a FlowSpec, &'a FlowOutcome, Balance);

/// What became of the frames of flows.
fn frames<'a>(table: TableOf<Flow<'a>>) -> TableOf<Flow<'a>> {
    table
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
        .number("balance", "frames", MISSING, |(.., frames)| {
            frames.missing()
        })
        .number("dropped", "frames", "after the warm-up", |(_, found, _)| {
            found.lost
        })
        .number("ECN-marked", "frames", "by switches", |(_, found, _)| {
            found.marked
        })
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
    let delivered = "data frames delivered after the warm-up";
    TableOf::new(
        "delays",
        "From being handed to the host's port to delivery, of data frames that reached the \
         destination after the warm-up.",
        found(spec, outcome).filter(|(_, found)| found.delay.count > 0),
    )
    .text("flow", "name in the scenario", |(flow, _)| {
        flow.name.clone()
    })
    .number("frames", "frames", delivered, |(_, found)| {
        found.delay.count
    })
    .columns(time_columns("delay", "us"), |(_, found)| {
        time_cells(&found.delay, 1e6)
    })
    .done()
}

/// A row for each destination of flows that have several.
fn destinations(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let rows = found(spec, outcome).flat_map(|(flow, found)| {
        let all = flow.destinations().zip(&found.destinations);
        all.map(move |(to, own)| (flow, to, own))
    });
    let common = "on the way to it, or where that was still common";
    TableOf::new(
        "destinations",
        "What became of multicast frames, by destination. Delays are those after the warm-up.",
        rows,
    )
    .text("flow", "name in the scenario", |(flow, ..)| {
        flow.name.clone()
    })
    .text("destination", "one of its hosts", |(_, to, _)| {
        names::node(spec, *to)
    })
    .number(
        "offered",
        "frames",
        "handed to the port of the source, whole run",
        |(.., own)| own.balance().offered,
    )
    .number("delivered", "frames", "to this host", |(.., own)| {
        own.balance().delivered
    })
    .number("dropped", "frames", common, |(.., own)| {
        own.balance().dropped
    })
    .number(
        "inside",
        "frames",
        "still on their way at the end",
        |(.., own)| own.balance().inside,
    )
    .number(
        "balance",
        "frames",
        "offered - delivered - dropped - inside",
        |(.., own)| own.balance().missing(),
    )
    .columns(time_columns("delay", "us"), |(.., own)| {
        time_cells(&own.delay, 1e6)
    })
    .done()
}

fn deadlines(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let rows = found(spec, outcome).filter_map(|(flow, found)| match &flow.traffic {
        TrafficSpec::Video(video) => Some((flow, video.deadline, &found.ends)),
        _ => None,
    });
    TableOf::new(
        "deadlines",
        "Video against its playout deadline: datagrams sent after the warm-up.",
        rows,
    )
    .text("flow", "name in the scenario", |(flow, ..)| {
        flow.name.clone()
    })
    .number(
        "deadline",
        "ms",
        "from birth to arrival",
        |(_, deadline, _)| Cell::float(deadline.ps() as f64 / 1e9, 3),
    )
    .number(
        "due",
        "datagrams",
        "whose deadline passed before the end",
        |(.., ends)| ends.due,
    )
    .number(
        "late",
        "datagrams",
        "that arrived later than that, or never",
        |(.., ends)| ends.late,
    )
    .number("late", "%", "of those due", |(.., ends)| {
        percent(ends.late, ends.due)
    })
    .done()
}

/// Empty where there is no whole.
fn percent(part: u64, whole: u64) -> Cell {
    match whole {
        0 => Cell::Empty,
        whole => Cell::float(part as f64 / whole as f64 * 100.0, 3),
    }
}

fn tcp(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let rows = found(spec, outcome).filter_map(|(flow, found)| match flow.transport {
        TransportSpec::Tcp(_) => Some((flow, &found.ends.tcp)),
        _ => None,
    });
    TableOf::new("tcp", "Both ends of each connection; whole run.", rows)
        .text("flow", "name in the scenario", |(flow, _)| {
            flow.name.clone()
        })
        .number(
            "segments",
            "",
            "sent, pure acknowledgements included",
            |(_, tcp)| tcp.segments,
        )
        .number(
            "sent",
            "bytes",
            "of payload, retransmissions included",
            |(_, tcp)| tcp.sent_bytes,
        )
        .number("retransmitted", "bytes", "of payload", |(_, tcp)| {
            tcp.again_bytes
        })
        .number("retransmitted", "%", "of the payload sent", |(_, tcp)| {
            percent(tcp.again_bytes, tcp.sent_bytes)
        })
        .number("timeouts", "", "of the retransmission timer", |(_, tcp)| {
            tcp.time_outs
        })
        .number(
            "fast retransmits",
            "",
            "triggered by duplicate acknowledgements",
            |(_, tcp)| tcp.fast_retransmits,
        )
        .number("duplicates", "", "segments without new data", |(_, tcp)| {
            tcp.duplicates
        })
        .number(
            "ECN cuts",
            "",
            "times the window shrank because of marks",
            |(_, tcp)| tcp.ecn_cuts,
        )
        .done()
}

fn nodes(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let kind = |kind: &NodeKind| match kind {
        NodeKind::Station { .. } => "host",
        NodeKind::Switch(_) => "switch",
    };
    let released = "times its congested queues released a neighbour that did not respond";
    TableOf::new(
        "nodes",
        "What each node held; whole run.",
        spec.nodes.iter().zip(&outcome.nodes),
    )
    .text("node", "name in the scenario", |(node, _)| {
        node.name.clone()
    })
    .text("kind", "host or switch", |(node, _)| kind(&node.kind))
    .number(
        "held max",
        "bytes",
        "in all its queues at once",
        |(_, found)| found.most_bytes,
    )
    .number("timeouts", "", released, |(_, found)| found.time_outs)
    .done()
}

fn violations(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let channels = names::channels(spec);
    TableOf::new(
        "violations",
        "Promises broken, oldest first.",
        outcome.violations.kept(),
    )
    .number("time", "us", "when", |broken| {
        Cell::float(broken.at.ps() as f64 / 1e6, 6)
    })
    .text("port", "where", |broken| match broken.place {
        Place::Channel(channel) => Some(names::channel(&channels, channel)),
        _ => None,
    })
    .text("what", "which promise, with numbers", |broken| {
        broken.what.clone()
    })
    .done()
}
