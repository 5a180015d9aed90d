//! When an echo of a mark may cut the window: at most once a window (RFC 3168, RFC 8257).
//!
//! The first echo cuts, by as much as source control says. No second cut before what was sent
//! until then is acknowledged, and none during a recovery. The next new data says CWR; since a
//! classic receiver goes on echoing until it sees that, there is no second cut before that data is
//! acknowledged either. An acknowledgement that echoes a mark does not make the window grow.
//!
//! The echo itself is in `receiver`. Not modelled: negotiation, marks on segments without data.

use crate::spec::Ecn;

/// What a sender knows of its last cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cuts {
    /// No cut before this is acknowledged.
    end: u64,
    is_cwr_due: bool,
}

impl Cuts {
    /// At the start of a connection that goes on at `una`.
    pub(crate) fn new(una: u64) -> Cuts {
        Cuts {
            end: una,
            is_cwr_due: false,
        }
    }

    /// May an echo cut the window now? Everything below `una` is acknowledged.
    pub(crate) fn may_cut(&self, ecn: Ecn, una: u64) -> bool {
        let is_answered = ecn != Ecn::Classic || !self.is_cwr_due;
        una >= self.end && is_answered
    }

    /// The window was cut, for a mark or a loss; `max` was sent.
    pub(crate) fn on_cut(&mut self, max: u64) {
        self.end = max;
        self.is_cwr_due = true;
    }

    /// New data to `stop` goes out: does it say CWR?
    pub(crate) fn take_cwr(&mut self, ecn: Ecn, stop: u64) -> bool {
        let is_due = core::mem::take(&mut self.is_cwr_due);
        if is_due && ecn == Ecn::Classic {
            self.end = stop;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DCTCP: Ecn = Ecn::Dctcp { gain_shift: 4 };

    #[test]
    fn one_cut_a_window() {
        let mut cuts = Cuts::new(0);
        assert!(cuts.may_cut(DCTCP, 0));
        cuts.on_cut(5_000);
        assert!(!cuts.may_cut(DCTCP, 4_999));
        assert!(cuts.may_cut(DCTCP, 5_000));
        // A classic receiver echoes until it sees CWR.
        assert!(!cuts.may_cut(Ecn::Classic, 5_000));
        assert!(cuts.take_cwr(Ecn::Classic, 6_000));
        assert!(!cuts.may_cut(Ecn::Classic, 5_999));
        assert!(cuts.may_cut(Ecn::Classic, 6_000));
        assert!(!cuts.take_cwr(Ecn::Classic, 7_000));
    }
}
