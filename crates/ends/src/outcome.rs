//! What the two ends of a flow saw: plain data for the results layer.

use backwater_kernel::{Distribution, Duration, Time};

use crate::tcp::TcpCounts;

/// What applications and protocols at both ends of a flow counted. Totals (`*_total`) cover the
/// whole run, the rest the time after the warm-up.
#[derive(Clone, Debug, Default)]
pub struct EndsOutcome {
    /// Payload the destination's application got (in order, once), after the warm-up.
    pub goodput_bytes: u64,
    /// Payload the source's application got (responses).
    pub returned_bytes: u64,
    /// Payload the application handed over, times the stations it is for, whole run; over TCP
    /// without end: what was sent.
    pub offered_bytes_total: u64,
    /// Files (over UDP once for each station), requests or pictures: complete after the warm-up.
    pub transfers: u64,
    /// Time each took, ps: from the application's start to the last byte of the file at the
    /// receiver, the whole response, or the arrival of the picture's last datagram.
    pub transfer_time: Distribution,
    /// Files whose last acknowledgement came after the warm-up: from the application's start to
    /// that, ps.
    pub acknowledged_time: Distribution,
    /// Files, requests or pictures complete in the whole run.
    pub transfers_total: u64,
    /// Those it has in all, if it has an end.
    pub transfers_planned: Option<u64>,
    /// When the first of them began.
    pub first_start: Option<Time>,
    /// When the last of them was; 0 if none was.
    pub last_transfer: Time,
    /// Files all of whose bytes are in, but not their last acknowledgement; at the end of the run.
    pub unacknowledged_total: u64,
    /// Video: datagrams delivered after the deadline or dropped, after the warm-up.
    pub late: u64,
    /// Video: datagrams sent after the warm-up whose deadline passed before the end.
    pub due: u64,
    /// TCP, both ends together.
    pub tcp: TcpCounts,
}

impl EndsOutcome {
    /// Of those it has in all: not complete at the end of the run. None of traffic without end.
    pub fn unfinished(&self) -> u64 {
        let planned = self.transfers_planned.unwrap_or(0);
        planned.saturating_sub(self.transfers_total)
    }

    /// From the start of the first transfer to the end of the last; nothing before all are
    /// complete.
    pub fn completion(&self) -> Option<Duration> {
        let first = self.first_start?;
        let is_complete = self.transfers_planned == Some(self.transfers_total);
        is_complete.then(|| self.last_transfer.since(first))
    }
}

/// A TCP connection over cells.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CellTcpOutcome {
    /// Payload bytes its destination took in order, after the warm-up.
    pub delivered_bytes: u64,
    /// The same over the whole run.
    pub delivered_bytes_total: u64,
    /// Payload bytes of responses its source took in order, after the warm-up.
    pub returned_bytes: u64,
    /// The same over the whole run.
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
