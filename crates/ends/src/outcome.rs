//! What the two ends of a flow saw: plain data for the results layer.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::{Distribution, Duration, Instants, Time};

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
    /// receiver, the whole response, or the arrival of the picture's last datagram. Those under way
    /// are open.
    pub transfer_time: Distribution,
    /// Files whose last acknowledgement came after the warm-up: from the application's start to
    /// that, ps.
    pub acknowledged_time: Distribution,
    /// Its transfers are files over TCP, which end with their last acknowledgement.
    pub are_acknowledged: bool,
    /// Files, requests or pictures complete in the whole run.
    pub transfers_total: u64,
    /// Those begun in the whole run; of a picture, sent in full.
    pub transfers_begun: u64,
    /// When the latest of them began.
    pub latest_start: Option<Time>,
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
    /// When what happened that others wait for, whole run.
    pub messages: Option<Box<MessagesOutcome>>,
}

/// Messages that wait for others, and computing, in the order of their lists: of those of which
/// it happened, when.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MessagesOutcome {
    /// A message began.
    pub begun: Instants,
    /// Its last byte went to the port.
    pub sent: Instants,
    /// Its last byte came to the destination.
    pub received: Instants,
    /// Computing was over.
    pub computed: Instants,
    /// Of each size of its messages what one takes that has its path to itself; nothing where
    /// that is not known.
    pub alone: Vec<Alone>,
}

/// What a message takes that has its path to itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Alone {
    /// Of so many bytes.
    pub bytes: u64,
    /// From its beginning to its last byte at the destination.
    pub time: Duration,
    /// It occupies the port of its source.
    pub on_port: Duration,
}

impl MessagesOutcome {
    /// With what another part of the run has: each end of a flow is in one.
    pub fn add(&mut self, other: MessagesOutcome) {
        let take = |own: &mut Instants, other: Instants| {
            if other.len() > own.len() {
                *own = other;
            }
        };
        take(&mut self.begun, other.begun);
        take(&mut self.sent, other.sent);
        take(&mut self.received, other.received);
        take(&mut self.computed, other.computed);
    }
}

impl EndsOutcome {
    /// Transfers under way at the end of the run: begun and not complete.
    pub fn unfinished(&self) -> u64 {
        self.transfers_begun.saturating_sub(self.transfers_total)
    }

    /// Of those it has in all, the ones not begun at the end of the run.
    pub fn not_begun(&self) -> u64 {
        let planned = self.transfers_planned.unwrap_or(0);
        planned.saturating_sub(self.transfers_begun)
    }

    /// Did it send all the time from `since` to the end of the run, as far as transfers that end
    /// say? Else its bytes over that time are no rate of it.
    pub fn lasts(&self, since: Time) -> bool {
        let is_under_way = self.unfinished() > 0 && self.latest_start <= Some(since);
        self.transfers_planned.is_none() || is_under_way
    }

    /// The run ended at this instant: what is under way is as old as it is by then. (A connection
    /// has one transfer at a time, and what goes to several stations starts at once; of pictures
    /// that are lost, and of messages that wait behind each other, the age is that of the latest,
    /// which is the least of them.)
    pub fn end(&mut self, at: Time) {
        let Some(since) = self.latest_start else {
            return;
        };
        let age = at.since(since).ps() as f64;
        let open = self.unfinished();
        let unacknowledged = match self.are_acknowledged {
            true => self.unacknowledged_total + open,
            false => 0,
        };
        for (times, count) in [
            (&mut self.transfer_time, open),
            (&mut self.acknowledged_time, unacknowledged),
        ] {
            *times = core::mem::take(times).with_open(age, count);
        }
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
