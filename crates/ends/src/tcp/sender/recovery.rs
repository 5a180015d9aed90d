//! What duplicates, echoes and progress in a recovery do. The rules are in `sender`.

use backwater_kernel::Time;

use super::Sender;
use crate::control::{Control, Loss};
use crate::spec::{Recovery, TcpSpec};
use crate::tcp::{HostClock, TcpCounts};

impl Sender {
    /// An acknowledgement of the same position came.
    pub(super) fn on_duplicate(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        clock: &HostClock,
        counts: &mut TcpCounts,
    ) {
        let mss = u64::from(spec.mss_bytes);
        let threshold = spec.duplicate_threshold;
        self.duplicates = self.duplicates.saturating_add(1);
        if self.is_recovering {
            if spec.recovery != Recovery::Sack {
                self.control.set_window(self.control.window() + mss);
            }
            return;
        }
        if threshold == 0 || self.una < self.guard {
            return;
        }
        let is_lost = match spec.recovery {
            Recovery::Sack => {
                self.duplicates >= threshold
                    || self.scoreboard.lost_below(threshold, mss) > self.una
            }
            _ => self.duplicates == threshold,
        };
        if is_lost {
            counts.fast_retransmits += 1;
            self.recover(now, spec, clock);
        }
    }

    /// The segment at `una` is taken for lost.
    fn recover(&mut self, now: Time, spec: &TcpSpec, clock: &HostClock) {
        let mss = u64::from(spec.mss_bytes);
        self.control.on_loss(now, Loss::Duplicates, self.limit());
        self.cuts.on_cut(self.max);
        self.recover = self.max;
        self.high_rxt = self.una;
        match spec.recovery {
            Recovery::Tahoe => {
                self.control.set_window(mss);
                self.next = self.una;
            }
            Recovery::Reno | Recovery::NewReno => {
                let arrived = u64::from(spec.duplicate_threshold) * mss;
                self.control.set_window(self.control.threshold() + arrived);
                self.is_recovering = true;
                self.is_due = true;
            }
            Recovery::Sack | Recovery::Rack => {
                self.is_recovering = true;
                self.is_due = true;
            }
        }
        if spec.recovery == Recovery::NewReno {
            self.guard = self.max + 1;
        }
        self.arm(now, spec, clock);
    }

    /// New data was acknowledged in a recovery; may the window grow by it too?
    pub(super) fn on_progress(&mut self, spec: &TcpSpec, acked: u64) -> bool {
        let mss = u64::from(spec.mss_bytes);
        let is_over = self.una >= self.recover;
        self.is_due = false;
        match spec.recovery {
            Recovery::Tahoe | Recovery::Reno => {
                self.is_recovering = false;
                let deflated = self.control.window().min(self.control.threshold());
                self.control.set_window(deflated);
                return true;
            }
            Recovery::NewReno if is_over => {
                let flight = self.max - self.una;
                let threshold = self.control.threshold();
                self.control
                    .set_window(threshold.min(flight.max(mss) + mss));
            }
            Recovery::NewReno => {
                let deflated = self.control.window().saturating_sub(acked);
                let back = if acked >= mss { mss } else { 0 };
                self.control.set_window((deflated + back).max(mss));
                self.is_due = true;
            }
            Recovery::Sack | Recovery::Rack => {}
        }
        self.is_recovering = !is_over;
        false
    }

    /// What goes next in a recovery with SACK: lost, then new, then what may be lost.
    pub(super) fn next_by_scoreboard(&self, spec: &TcpSpec) -> Option<(u64, u32)> {
        let mss = u64::from(spec.mss_bytes);
        let board = &self.scoreboard;
        let threshold = spec.duplicate_threshold;
        let pipe = board.pipe(self.una, self.max, self.high_rxt, threshold, mss);
        if pipe + mss > self.control.window() {
            return None;
        }
        let hole = board.skip(self.high_rxt.max(self.una));
        let range = |stop: u64| Some((hole, (stop - hole).min(mss) as u32));
        let next = board.next_start(hole);
        if let Some(stop) = next
            && hole < board.lost_below(threshold, mss)
        {
            return range(stop);
        }
        let peer_end = self.una + u64::from(self.peer_window);
        let want = mss.min(self.end - self.max);
        if want > 0 && peer_end >= self.max + want {
            return Some((self.max, want as u32));
        }
        next.and_then(range)
    }

    /// The marks an acknowledgement tells of.
    pub(super) fn on_echo(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        has_echo: bool,
        counts: &mut TcpCounts,
    ) {
        if !has_echo || self.is_recovering || !self.cuts.may_cut(spec.ecn, self.una) {
            return;
        }
        counts.ecn_cuts += 1;
        self.control.on_mark(now, self.limit());
        self.cuts.on_cut(self.max);
    }

    /// A segment of data goes out, from the first position up to the second.
    #[inline]
    pub(super) fn sent_by_count(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        clock: &HostClock,
        (seq, stop): (u64, u64),
        is_again: bool,
    ) {
        if is_again {
            self.rtt.cancel();
            self.high_rxt = self.high_rxt.max(stop);
        } else {
            self.rtt.begin(now, seq);
        }
        self.is_due = false;
        self.next = self.next.max(stop);
        self.max = self.max.max(stop);
        if self.rto_at == Time::MAX {
            self.arm(now, spec, clock);
        }
    }
}
