//! The tables of a run of the Ethernet engine: flows and nodes.

use backwater_kernel::Duration;
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, TrafficSpec, TransportSpec};
use backwater_net::outcome::{FlowOutcome, Outcome};

use super::groups::groups;
use super::{bounds, completion, fair, group_table, pauses, ports, standstill, transfers};
use crate::events::flows::{balance, found};
use crate::events::{self, Measured, delays, mbps, names, nodes, percent_of, seconds, violations};
use crate::model::{Cell, Table};
use crate::table_of::TableOf;

/// Tables of the balance, groups of flows, flows, fair shares, transfers and their completion,
/// delays, deadlines, TCP, drops, the standstill, destinations of multicasts, pauses, queues,
/// ports, nodes and violations.
pub fn tables(
    spec: &EthernetSpec,
    outcome: &Outcome,
    _: Measured<'_>,
    cell: Duration,
) -> Vec<Table> {
    vec![
        balance(spec, outcome),
        standstill::table(spec, outcome, cell),
        group_table::table(spec, outcome),
        flows(spec, outcome),
        fair::shares(spec, outcome).table(),
        completion::table(spec, outcome, &groups(spec, outcome)),
        transfers::table(spec, outcome),
        delays::table(spec, outcome, cell),
        deadlines(spec, outcome),
        bounds::table(spec, outcome, cell),
        ports::drops(spec, outcome),
        violations::table(spec, outcome, cell),
        destinations(spec, outcome),
        tcp(spec, outcome),
        pauses::table(spec, outcome),
        ports::table(spec, outcome),
        ports::channels(spec, outcome),
        nodes(spec, outcome),
    ]
}

/// The tables of a flow or of a group.
pub fn flow_tables(
    spec: &EthernetSpec,
    outcome: &Outcome,
    cell: Duration,
    name: &str,
) -> Option<Vec<Table>> {
    let (one, outcome) = events::flows::only(spec, outcome, name)?;
    Some(vec![
        flows(&one, &outcome),
        transfers::table(&one, &outcome),
        delays::table(&one, &outcome, cell),
        deadlines(&one, &outcome),
        tcp(&one, &outcome),
    ])
}

/// The flows of the spec with what was found of them.
pub(super) fn told<'a>(
    spec: &'a EthernetSpec,
    outcome: &'a Outcome,
) -> impl Iterator<Item = (u32, &'a FlowSpec, &'a FlowOutcome)> {
    let flows = found(outcome).zip(&spec.flows);
    flows.map(|((flow, found), own)| (flow, own, found))
}

fn flows(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let seconds = seconds(spec, outcome);
    let own = |flow: u32| spec.flows.get(flow as usize);
    events::flows::table(spec, outcome, |table| {
        table
            .text("protocol: what carries it")
            .of(|(flow, _)| own(*flow).map(|own| protocol(&own.transport)))
            .number("class: of its frames")
            .of(|(flow, _)| own(*flow).map(|own| u32::from(own.class)))
            .number(events::flows::GOODPUT)
            .of(|(_, found)| mbps(found.ends.goodput_bytes, seconds))
            .number("returned [Mbps]: the same of responses, at the source")
            .of(|(_, found)| mbps(found.ends.returned_bytes, seconds))
    })
    .number("dropped after warm-up [frames]: whatever the cause")
    .of(|(_, found)| found.lost)
    .number("ECN-marked [frames]: by switches")
    .of(|(_, found)| found.marked)
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
        TransportSpec::Udp { has_rtp: true, .. } => "RTP",
        TransportSpec::Udp { .. } => "UDP",
    }
}

/// A row for each destination of flows that have several.
fn destinations(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let rows = told(spec, outcome).flat_map(|(flow, own, found)| {
        let all = own.destinations().zip(&found.destinations);
        all.map(move |(to, found)| (flow, to, found))
    });
    TableOf::of(rows)
        .called(
            "destinations: What became of multicast frames, by destination: on the way to it, or \
             where that was still common. Delays are those after the warm-up.",
        )
        .flow(spec, |(flow, ..)| *flow)
        .text("destination: one of its hosts")
        .of(|(_, to, _)| names::node(spec, *to))
        .balance("frames", |(.., found)| found.balance())
        .times("delay", ("us", 1e6), |(.., found)| &found.delay)
        .done()
}

fn deadlines(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let rows = told(spec, outcome).filter_map(|(flow, own, found)| match &own.traffic {
        TrafficSpec::Video(video) => Some((flow, video.deadline, &found.ends)),
        _ => None,
    });
    TableOf::of(rows)
        .called("deadlines: Video against its playout deadline: datagrams sent after the warm-up.")
        .flow(spec, |(flow, ..)| *flow)
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

fn tcp(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let is_tcp = |own: &FlowSpec| matches!(own.transport, TransportSpec::Tcp(_));
    let rows = told(spec, outcome).filter(|(_, own, _)| is_tcp(own));
    let rows = rows.map(|(flow, _, found)| (flow, found.ends.tcp, ()));
    events::tcp::table(spec, rows)
        .number("ECN cuts: times the window shrank because of marks")
        .of(|(_, tcp, _)| tcp.ecn_cuts)
        .done()
}

fn nodes(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    nodes::table(spec, outcome)
        .number("held max [bytes]: in all its queues at once; whole run")
        .of(|(_, found)| found.most_bytes)
        .number("timeouts: times its congested queues released a neighbour that did not respond")
        .of(|(_, found)| found.time_outs)
        .done()
}
