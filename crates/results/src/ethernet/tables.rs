//! The tables of a run of the Ethernet engine: flows and nodes.

use backwater_net::frames::spec::{EthernetSpec, FlowSpec, TrafficSpec, TransportSpec};
use backwater_net::outcome::FlowOutcome;

use super::groups::groups;
use super::{
    Frames, bounds, collectives, completion, group_table, jobs, pauses, ports, standstill,
    transfers,
};
use crate::events::flows::{balance, found};
use crate::events::{self, Tables, delays, mbps, names, nodes, percent_of, violations};
use crate::model::{Cell, Table};
use crate::table_of::TableOf;

impl Tables for EthernetSpec {
    /// `A -> S1 -> B`: the nodes that its frames pass, with the link's number where several join
    /// two of them; its ends where there is no one path.
    fn path(run: &Frames<'_>, flow: u32, found: &FlowOutcome) -> String {
        let Some(flow) = run.network.flows.get(flow as usize) else {
            return String::new();
        };
        let mut text = run.node(flow.source);
        if found.path.is_empty() {
            let ends: Vec<String> = flow.destinations().map(|to| run.node(to)).collect();
            return format!("{text} -> {}", ends.join(", "));
        }
        for hop in &found.path {
            let from = names::channel_ends(run.network, *hop).map_or(0, |ends| ends.0);
            let name = run.port(*hop);
            // The name of a channel begins with the node it leaves.
            text.push_str(name.strip_prefix(&run.node(from)).unwrap_or(&name));
        }
        text
    }

    /// Tables of the balance, groups of flows, flows, fair shares, transfers and their completion,
    /// jobs, collectives with each time that one is done, its steps and critical paths, delays,
    /// deadlines, delay bounds and their terms, drops, violations, destinations of multicasts, TCP,
    /// queue pairs, pauses, queues, credit, ports and nodes.
    fn tables(run: &Frames<'_>) -> Vec<Table> {
        vec![
            balance(run),
            standstill::table(run),
            group_table::table(run),
            flows(run),
            run.shares().table(),
            completion::table(run, &groups(run)),
            transfers::table(run),
            jobs::table(run),
            collectives::table(run),
            collectives::operations_table(run),
            collectives::steps_table(run),
            collectives::paths_table(run),
            delays::table(run),
            deadlines(run),
            bounds::table(run),
            events::bounds::hops(run),
            ports::drops(run),
            violations::table(run),
            destinations(run),
            tcp(run),
            roce(run),
            pauses::table(run),
            ports::table(run),
            ports::credits(run),
            ports::channels(run),
            nodes(run),
        ]
    }

    fn flow_tables(run: &Frames<'_>, name: &str) -> Option<Vec<Table>> {
        let (one, outcome) = events::flows::only(run, name)?;
        let one = Frames::new(&one, outcome, run.cell);
        let mut tables = vec![
            flows(&one),
            transfers::table(&one),
            delays::table(&one),
            deadlines(&one),
            tcp(&one),
        ];
        // Their columns are there for flows of ranks.
        let ranks = [collectives::table_of(run, name), jobs::table_of(run, name)];
        tables.extend(ranks.into_iter().filter(|table| !table.rows.is_empty()));
        Some(tables)
    }
}

/// The flows of the spec with what was found of them.
pub(super) fn told<'a>(
    run: &'a Frames<'_>,
) -> impl Iterator<Item = (u32, &'a FlowSpec, &'a FlowOutcome)> {
    let flows = found(&run.outcome).zip(&run.network.flows);
    flows.map(|((flow, found), own)| (flow, own, found))
}

fn flows(run: &Frames<'_>) -> Table {
    let seconds = run.seconds();
    let spec = |flow: u32| run.network.flows.get(flow as usize);
    events::flows::table(run, |table| {
        table
            .text("protocol: what carries it")
            .of(|(flow, _)| spec(*flow).map(|spec| protocol(&spec.transport)))
            .number("class: of its frames")
            .of(|(flow, _)| spec(*flow).map(|spec| u32::from(spec.class)))
            .number(events::flows::GOODPUT)
            .of(|(_, found)| {
                let lasts = found.ends.lasts(run.network.warm_up);
                lasts.then(|| mbps(found.ends.goodput_bytes, seconds))
            })
            .number("returned [Mbps]: the same of responses, at the source")
            .of(|(_, found)| mbps(found.ends.returned_bytes, seconds))
    })
    .number("dropped after warm-up [frames]: whatever the cause")
    .of(|(_, found)| found.lost)
    .number("ECN-marked [frames]: by switches")
    .of(|(_, found)| found.marked)
    .number("trimmed [frames]: by switches, whole run")
    .of(|(_, found)| found.trimmed)
    .number(
        "payload offered [bytes]: that the application handed over, whole run; over TCP without \
         end: what was sent",
    )
    .of(|(_, found)| found.ends.offered_bytes_total)
    .done()
}

fn protocol(transport: &TransportSpec) -> &'static str {
    match transport {
        TransportSpec::Tcp(_) => "TCP",
        TransportSpec::Roce(_) => "RoCE",
        TransportSpec::Udp { has_rtp: true, .. } => "RTP",
        TransportSpec::Udp { .. } => "UDP",
    }
}

/// A row for each destination of flows that have several.
fn destinations(run: &Frames<'_>) -> Table {
    let rows = told(run).flat_map(|(flow, own, found)| {
        let all = own.destinations().zip(&found.destinations);
        all.map(move |(to, found)| (flow, to, found))
    });
    TableOf::of(rows)
        .called(
            "destinations: What became of multicast frames, by destination: on the way to it, or \
             where that was still common. Delays are those after the warm-up.",
        )
        .flow(run, |(flow, ..)| *flow)
        .text("destination: one of its hosts")
        .of(|(_, to, _)| run.node(*to))
        .balance("frames", |(.., found)| found.balance())
        .times("delay", ("us", 1e6), |(.., found)| &found.delay)
        .done()
}

fn deadlines(run: &Frames<'_>) -> Table {
    let rows = told(run).filter_map(|(flow, own, found)| match &own.traffic {
        TrafficSpec::Video(video) => Some((flow, video.deadline, &found.ends)),
        _ => None,
    });
    TableOf::of(rows)
        .called("deadlines: Video against its playout deadline: datagrams sent after the warm-up.")
        .flow(run, |(flow, ..)| *flow)
        .number("deadline [ms]: from birth to arrival")
        .of(|(_, deadline, _)| Cell::float(deadline.ps() as f64 / 1e9, 3))
        .number("due [datagrams]: whose deadline passed before the end")
        .of(|(.., ends)| ends.due)
        .number("late [datagrams]: that arrived later than that, or never")
        .of(|(.., ends)| ends.late)
        .number("late [%]: of those due")
        .of(|(.., ends)| percent_of(ends.late, ends.due))
        .done()
}

fn tcp(run: &Frames<'_>) -> Table {
    let is_tcp = |own: &FlowSpec| matches!(own.transport, TransportSpec::Tcp(_));
    let rows = told(run).filter(|(_, own, _)| is_tcp(own));
    let rows = rows.map(|(flow, _, found)| (flow, found.ends.tcp, ()));
    events::tcp::table(run, rows)
        .number("ECN cuts: times the window shrank because of marks")
        .of(|(_, tcp, _)| tcp.ecn_cuts)
        .done()
}

fn roce(run: &Frames<'_>) -> Table {
    let rows = told(run).filter_map(|(flow, own, found)| match &own.transport {
        TransportSpec::Roce(_) => Some((flow, found.ends.tcp)),
        TransportSpec::Tcp(_) | TransportSpec::Udp { .. } => None,
    });
    TableOf::of(rows)
        .called(
            "roce: What queue pairs did, both ends together. Counts start at the end of the \
             warm-up.",
        )
        .flow(run, |(flow, _)| *flow)
        .number("sent [packets]: acknowledgements and CNPs included")
        .of(|(_, counts)| counts.segments)
        .number("sent again [bytes]: of the payload")
        .of(|(_, counts)| counts.again_bytes)
        .number("went back: times a NACK, or selectively named packets, made it send again")
        .of(|(_, counts)| counts.fast_retransmits)
        .number("time-outs: times nothing was acknowledged for `timeout`")
        .of(|(_, counts)| counts.time_outs)
        .number("duplicates [packets]: with data that had come before, or out of order and refused")
        .of(|(_, counts)| counts.duplicates)
        .number("out of order [packets]: of data that came while one before it was missing")
        .of(|(_, counts)| counts.out_of_order)
        .number("held max [bytes]: of data that waited for what was missing before it; whole run")
        .of(|(_, counts)| counts.held_most_bytes)
        .number("CNPs sent: by the receiver of marked packets")
        .of(|(_, counts)| counts.notifications)
        .number("notified: times the sender heard of marks, by a CNP or an acknowledgement")
        .of(|(_, counts)| counts.ecn_cuts)
        .done()
}

fn nodes(run: &Frames<'_>) -> Table {
    nodes::table(run)
        .number("held max [bytes]: in all its queues at once; whole run")
        .of(|(_, found)| found.most_bytes)
        .number("timeouts: times its congested queues released a neighbour that did not respond")
        .of(|(_, found)| found.time_outs)
        .done()
}
