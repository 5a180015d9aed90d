//! What is found of TCP connections over cells.

use backwater_ends::tcp::TcpCounts;

/// A TCP connection over cells.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CellTcpOutcome {
    /// Payload bytes its destination took in order, after the warm-up.
    pub delivered_bytes: u64,
    /// The same over the whole run.
    pub delivered_bytes_total: u64,
    /// Payload bytes of responses its source took in order, whole run.
    pub returned_bytes_total: u64,
    /// Requests answered in full, whole run.
    pub requests_total: u64,
    /// Frames of both directions that came with a cell missing.
    pub broken_frames_total: u64,
    /// What the end that opened it counted.
    pub opener: TcpCounts,
    /// What the other end counted.
    pub answerer: TcpCounts,
}
