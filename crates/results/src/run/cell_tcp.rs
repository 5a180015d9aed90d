//! TCP connections over cells.

use backwater_net::outcome::{CellTcpOutcome, Outcome};
use backwater_net::spec::NetworkSpec;

use super::names;
use crate::model::{Cell, Column, Table};

/// A row for each connection.
pub fn table(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let mut table = Table::new(
        "tcp",
        "TCP connections over cells, both ends together; whole run except for the goodput.",
        vec![
            Column::text("flow", "name in the scenario"),
            Column::number(
                "goodput",
                "Mbps",
                "payload received in order at the destination after the warm-up",
            ),
            Column::number(
                "delivered",
                "bytes",
                "payload received in order at the destination",
            ),
            Column::number(
                "returned",
                "bytes",
                "payload of responses received in order at the source",
            ),
            Column::number("requests", "", "with a complete response"),
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
            Column::number("broken frames", "", "that arrived with a cell missing"),
        ],
    );
    let seconds = outcome.ended_at.since(spec.warm_up).seconds();
    for (flow, found) in (0..).zip(&outcome.flows) {
        if let Some(tcp) = &found.tcp {
            let mut row = vec![names::flow(spec, flow).into()];
            row.extend(cells(tcp, seconds));
            table.rows.push(row);
        }
    }
    table
}

fn cells(tcp: &CellTcpOutcome, seconds: f64) -> [Cell; 12] {
    let (opener, answerer) = (&tcp.opener, &tcp.answerer);
    let sent = opener.sent_bytes + answerer.sent_bytes;
    let again = opener.again_bytes + answerer.again_bytes;
    let goodput = tcp.delivered_bytes as f64 * 8.0 / seconds / 1e6;
    [
        if seconds > 0.0 {
            Cell::float(goodput, 4)
        } else {
            Cell::Empty
        },
        tcp.delivered_bytes_total.into(),
        tcp.returned_bytes_total.into(),
        tcp.requests_total.into(),
        (opener.segments + answerer.segments).into(),
        sent.into(),
        again.into(),
        match sent {
            0 => Cell::Empty,
            sent => Cell::float(again as f64 / sent as f64 * 100.0, 3),
        },
        (opener.time_outs + answerer.time_outs).into(),
        (opener.fast_retransmits + answerer.fast_retransmits).into(),
        (opener.duplicates + answerer.duplicates).into(),
        tcp.broken_frames_total.into(),
    ]
}
