//! RACK: a segment is lost when one that went later has arrived, and a while has passed.
//!
//! RFC 8985 (Cheng, Cardwell, Dukkipati and Jha 2021), section 6.2. It answers: what is kept of the
//! segments is in `outstanding`, what is done about a loss in `sender/by_time`.
//!
//! | RFC 8985 | Here |
//! |---|---|
//! | RACK.xmit_ts, RACK.end_seq | `newest`, the latest sending that is known to have arrived |
//! | RACK.rtt, RACK.min_RTT | `rtt`, `least_rtt`, of the connection's whole life |
//! | RACK.fack | `farthest` |
//! | RACK.reordering_seen | `has_reordered` |
//! | RACK.reo_wnd_mult, reo_wnd_persist | `steps`, `recoveries_left` |
//! | RACK.dsack_round | `round_end` |
//!
//! **The window for reordering.** None in a recovery, or with three segments that arrived beyond
//! a gap, before any reordering was seen. Else a quarter of the least round trip, a quarter more
//! for each round that brought a DSACK, at most the smoothed round trip; after 16 recoveries
//! without one it is a quarter again. A DSACK also says that there is reordering.
//!
//! Beyond the RFC: where the echo of a timestamp says that a segment came as it first went though
//! it had gone again, the window is at once as many quarters as it was late. Linux has the same
//! sign, and learns a quarter a round.

use backwater_kernel::{Duration, Time};

use super::outstanding::Sent;

/// Recoveries after which a window that grew is a quarter of a round trip again.
const PERSIST: u8 = 16;

/// What is known of the path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rack {
    newest: (Time, u64),
    rtt: Duration,
    least_rtt: Option<Duration>,
    farthest: u64,
    has_reordered: bool,
    /// Quarters of the least round trip beyond the first.
    steps: u64,
    recoveries_left: u8,
    round_end: Option<u64>,
}

impl Rack {
    /// Frames of this connection have overtaken each other.
    #[inline]
    pub(crate) fn has_reordered(&self) -> bool {
        self.has_reordered
    }

    /// How long the newest that is known to have arrived took.
    #[inline]
    pub(crate) fn rtt(&self) -> Duration {
        self.rtt
    }

    /// A round trip was measured otherwise, by the handshake.
    pub(crate) fn learn(&mut self, rtt: Duration) {
        self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
    }

    /// A segment has arrived that was not known to. `is_doubtful`: if it went again, an earlier
    /// sending of it may have.
    #[inline]
    pub(crate) fn arrived(&mut self, now: Time, sent: &Sent, is_doubtful: bool) {
        if sent.end() > self.farthest {
            self.farthest = sent.end();
        } else if !sent.is_again {
            self.has_reordered = true;
        }
        if sent.is_again && is_doubtful {
            return;
        }
        let rtt = now.since(sent.at);
        match self.least_rtt {
            // Of two copies the first may have arrived.
            Some(least) if sent.is_again && rtt < least => return,
            Some(least) if rtt < least && !sent.is_again => self.least_rtt = Some(rtt),
            None if !sent.is_again => self.least_rtt = Some(rtt),
            Some(_) | None => {}
        }
        if (sent.at, sent.end()) > self.newest {
            self.newest = (sent.at, sent.end());
            self.rtt = rtt;
        }
    }

    /// How long what was overtaken may still be on its way. `is_sure`: a loss is being repaired,
    /// or three segments have arrived beyond a gap.
    pub(crate) fn window(&self, srtt: Duration, is_sure: bool) -> Duration {
        if !self.has_reordered && is_sure {
            return Duration::ZERO;
        }
        let least = self.least_rtt.unwrap_or(Duration::ZERO).0;
        let quarters = self.steps.saturating_add(1);
        Duration((least / 4).saturating_mul(quarters).min(srtt.0))
    }

    /// One that went later has arrived.
    #[inline]
    pub(crate) fn is_overtaken(&self, sent: &Sent) -> bool {
        (sent.at, sent.end()) < self.newest
    }

    /// When a segment is lost if it is still missing then.
    #[inline]
    pub(crate) fn due_at(&self, sent: &Sent, window: Duration) -> Time {
        Time((sent.at.0.saturating_add(self.rtt.0)).saturating_add(window.0))
    }

    /// When all that is overtaken by now is due.
    pub(crate) fn last_due(&self, window: Duration) -> Time {
        Time((self.newest.0.0.saturating_add(self.rtt.0)).saturating_add(window.0))
    }

    /// An acknowledgement up to `una` said that something came twice, though no probe caused it;
    /// `max` was sent.
    pub(crate) fn saw_twice(&mut self, una: u64, max: u64) {
        if self.round_end.is_some_and(|end| una >= end) {
            self.round_end = None;
        }
        self.has_reordered = true;
        if self.round_end.is_none() {
            self.round_end = Some(max);
            self.steps = self.steps.saturating_add(1);
            self.recoveries_left = PERSIST;
        }
    }

    /// A segment that had gone again came as it first went.
    pub(crate) fn was_late(&mut self, now: Time, sent: &Sent) {
        let late = now.0.saturating_sub(sent.due_at.0);
        let quarter = self.least_rtt.map_or(0, |least| least.0 / 4).max(1);
        self.steps = self.steps.max(late.div_ceil(quarter).saturating_sub(1));
        self.has_reordered = true;
        self.recoveries_left = PERSIST;
    }

    /// A recovery is over.
    pub(crate) fn on_recovered(&mut self) {
        self.recoveries_left = self.recoveries_left.saturating_sub(1);
        if self.recoveries_left == 0 {
            self.steps = 0;
        }
    }
}

#[cfg(test)]
mod tests;
