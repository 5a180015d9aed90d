//! What marks of congestion do to a sender: DCTCP (RFC 8257; Alizadeh and others 2010) and
//! classic ECN (RFC 3168).
//!
//! | RFC 8257, section 3.3 | Here |
//! |---|---|
//! | DCTCP.BytesAcked, BytesMarked | `acked`, `marked` |
//! | DCTCP.WindowEnd | `window_end` |
//! | DCTCP.Alpha, g = 2^-shift | `alpha`, `gain_shift` |
//!
//! Once a window, `alpha = alpha (1 - g) + g M` with M the marked share of the bytes acknowledged
//! in it; alpha is 1 at first. The first echo in a window cuts: DCTCP to `cwnd (1 - alpha / 2)`,
//! at least two segments; classic ECN as for a loss. No second cut before what was sent until
//! then is acknowledged, and none during a recovery. The next new data says CWR; since a classic
//! receiver goes on echoing until it sees that, there is no second cut before that data is
//! acknowledged either. An acknowledgement that echoes a mark does not make the window grow.
//!
//! The echo itself is in `receiver`. Not modelled: negotiation, marks on segments without data.

use crate::spec::Ecn;

/// What a sender knows of marks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marks {
    /// Estimated share of marked bytes.
    pub(crate) alpha: f64,
    acked: u64,
    marked: u64,
    window_end: u64,
    /// No cut before this is acknowledged.
    cut_end: u64,
    is_cwr_due: bool,
}

impl Marks {
    /// At the start of a connection that goes on at `una`.
    pub(crate) fn new(una: u64) -> Marks {
        Marks {
            alpha: 1.0,
            acked: 0,
            marked: 0,
            window_end: una,
            cut_end: una,
            is_cwr_due: false,
        }
    }

    /// Everything below `una` is acknowledged, `acked` bytes of it now; `max` was sent.
    pub(crate) fn on_ack(&mut self, ecn: Ecn, una: u64, max: u64, acked: u64, has_echo: bool) {
        let Ecn::Dctcp { gain_shift } = ecn else {
            return;
        };
        self.acked += acked;
        self.marked += if has_echo { acked } else { 0 };
        if una <= self.window_end {
            return;
        }
        let gain = 1.0 / (1_u64 << gain_shift.min(63)) as f64;
        let share = self.marked as f64 / self.acked.max(1) as f64;
        self.alpha = self.alpha * (1.0 - gain) + gain * share;
        self.window_end = max;
        self.acked = 0;
        self.marked = 0;
    }

    /// May an echo cut the window now?
    pub(crate) fn may_cut(&self, ecn: Ecn, una: u64) -> bool {
        let is_answered = ecn != Ecn::Classic || !self.is_cwr_due;
        una >= self.cut_end && is_answered
    }

    /// The window was cut, for a mark or a loss.
    pub(crate) fn on_cut(&mut self, max: u64) {
        self.cut_end = max;
        self.is_cwr_due = true;
    }

    /// The window DCTCP cuts to.
    pub(crate) fn cut(&self, mss: u64, cwnd: u64) -> u64 {
        let less = (cwnd as f64 * self.alpha / 2.0) as u64;
        (cwnd - less.min(cwnd)).max(2 * mss)
    }

    /// New data to `stop` goes out: does it say CWR?
    pub(crate) fn take_cwr(&mut self, ecn: Ecn, stop: u64) -> bool {
        let is_due = core::mem::take(&mut self.is_cwr_due);
        if is_due && ecn == Ecn::Classic {
            self.cut_end = stop;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ECN: Ecn = Ecn::Dctcp { gain_shift: 4 };

    /// The recursion by hand: windows of 10 kB, a share of marks each.
    #[test]
    fn alpha_is_averaged_once_a_window() {
        let mut marks = Marks::new(0);
        // The first acknowledgement ends the empty first window; nothing was marked.
        marks.on_ack(ECN, 1_000, 10_000, 1_000, false);
        assert_eq!(marks.alpha, 0.9375);
        let mut una = 1_000;
        let mut expected = 0.9375;
        for marked in [0, 3, 10, 5] {
            let end = marks.window_end;
            let mut i = 0;
            while una <= end {
                una += 1_000;
                marks.on_ack(ECN, una, end + 10_000, 1_000, i < marked);
                i += 1;
            }
            expected = expected * 0.9375 + 0.0625 * f64::from(marked) / f64::from(i);
            assert_eq!(marks.alpha, expected);
        }
    }

    #[test]
    fn dctcp_cuts_by_half_of_alpha() {
        let mut marks = Marks::new(0);
        assert_eq!(marks.cut(1_000, 20_000), 10_000);
        marks.alpha = 0.25;
        assert_eq!(marks.cut(1_000, 20_000), 17_500);
        assert_eq!(marks.cut(1_000, 2_100), 2_000);
    }

    #[test]
    fn one_cut_a_window() {
        let mut marks = Marks::new(0);
        assert!(marks.may_cut(ECN, 0));
        marks.on_cut(5_000);
        assert!(!marks.may_cut(ECN, 4_999));
        assert!(marks.may_cut(ECN, 5_000));
        // A classic receiver echoes until it sees CWR.
        assert!(!marks.may_cut(Ecn::Classic, 5_000));
        assert!(marks.take_cwr(Ecn::Classic, 6_000));
        assert!(!marks.may_cut(Ecn::Classic, 5_999));
        assert!(marks.may_cut(Ecn::Classic, 6_000));
        assert!(!marks.take_cwr(Ecn::Classic, 7_000));
    }
}
