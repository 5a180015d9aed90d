//! TCP connections over cells.

use backwater_ends::tcp::TcpCounts;
use backwater_net::outcome::{CellTcpOutcome, Outcome};
use backwater_net::spec::NetworkSpec;

use super::names;
use crate::model::{Cell, Table};
use crate::table_of::TableOf;

/// A row for each connection.
pub fn table(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let seconds = outcome.ended_at.since(spec.warm_up).seconds();
    let flows = (0..).zip(&outcome.flows);
    let rows = flows.filter_map(|(flow, found)| Some((flow, found.tcp.as_ref()?)));
    let table = TableOf::new(
        "tcp",
        "TCP connections over cells, both ends together; whole run except for the goodput.",
        rows,
    )
    .text("flow", "name in the scenario", |(flow, _)| {
        names::flow(spec, *flow)
    })
    .number(
        "goodput",
        "Mbps",
        "payload received in order at the destination after the warm-up",
        |(_, tcp)| {
            let mbps = || tcp.delivered_bytes as f64 * 8.0 / seconds / 1e6;
            (seconds > 0.0).then(|| Cell::float(mbps(), 4))
        },
    )
    .number(
        "delivered",
        "bytes",
        "payload received in order at the destination",
        |(_, tcp)| tcp.delivered_bytes_total,
    )
    .number(
        "returned",
        "bytes",
        "payload of responses received in order at the source",
        |(_, tcp)| tcp.returned_bytes_total,
    )
    .number("requests", "", "with a complete response", |(_, tcp)| {
        tcp.requests_total
    });
    with_ends(table)
        .number(
            "broken frames",
            "",
            "that arrived with a cell missing",
            |(_, tcp)| tcp.broken_frames_total,
        )
        .done()
}

/// What both ends sent.
fn with_ends(table: TableOf<(u32, &CellTcpOutcome)>) -> TableOf<(u32, &CellTcpOutcome)> {
    let both =
        |tcp: &CellTcpOutcome, of: fn(&TcpCounts) -> u64| of(&tcp.opener) + of(&tcp.answerer);
    table
        .number(
            "segments",
            "",
            "sent, pure acknowledgements included",
            move |(_, tcp)| both(tcp, |end| end.segments),
        )
        .number(
            "sent",
            "bytes",
            "of payload, retransmissions included",
            move |(_, tcp)| both(tcp, |end| end.sent_bytes),
        )
        .number("retransmitted", "bytes", "of payload", move |(_, tcp)| {
            both(tcp, |end| end.again_bytes)
        })
        .number(
            "retransmitted",
            "%",
            "of the payload sent",
            move |(_, tcp)| {
                let (again, sent) = (
                    both(tcp, |end| end.again_bytes),
                    both(tcp, |end| end.sent_bytes),
                );
                (sent > 0).then(|| Cell::float(again as f64 / sent as f64 * 100.0, 3))
            },
        )
        .number(
            "timeouts",
            "",
            "of the retransmission timer",
            move |(_, tcp)| both(tcp, |end| end.time_outs),
        )
        .number(
            "fast retransmits",
            "",
            "triggered by duplicate acknowledgements",
            move |(_, tcp)| both(tcp, |end| end.fast_retransmits),
        )
        .number(
            "duplicates",
            "",
            "segments without new data",
            move |(_, tcp)| both(tcp, |end| end.duplicates),
        )
}
