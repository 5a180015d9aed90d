//! TCP connections.

use backwater_ends::tcp::TcpCounts;

use super::{Findings, Network, percent_of};
use crate::table_of::TableOf;

/// A connection: its flow, what both ends counted, and what else is known.
pub type Connection<T> = (u32, TcpCounts, T);

/// A row for each connection.
pub fn table<T, N: Network>(
    run: &Findings<'_, N>,
    rows: impl Iterator<Item = Connection<T>>,
) -> TableOf<Connection<T>> {
    TableOf::of(rows)
        .called("tcp: Both ends of each connection; whole run.")
        .flow(run, |(flow, ..)| *flow)
        .number("segments: sent, pure acknowledgements included")
        .of(|(_, tcp, _)| tcp.segments)
        .number("sent [bytes]: of payload, retransmissions included")
        .of(|(_, tcp, _)| tcp.sent_bytes)
        .number("retransmitted [bytes]: of payload")
        .of(|(_, tcp, _)| tcp.again_bytes)
        .number("retransmitted [%]: of the payload sent")
        .of(|(_, tcp, _)| percent_of(tcp.again_bytes, tcp.sent_bytes))
        .number("timeouts: of the retransmission timer")
        .of(|(_, tcp, _)| tcp.time_outs)
        .number("fast retransmits: triggered by duplicate acknowledgements")
        .of(|(_, tcp, _)| tcp.fast_retransmits)
        .number("duplicates: segments without new data")
        .of(|(_, tcp, _)| tcp.duplicates)
}
