//! Tail loss probe: one segment goes before the time-out does, so that what is lost at the end of
//! a flight is found by acknowledgements.
//!
//! RFC 8985, section 7. The probe is new data, or the last segment again; one for each end of a
//! flight. It answers: `sender/by_time` sends.
//!
//! | RFC 8985 | Here |
//! |---|---|
//! | PTO | `wait`: two smoothed round trips and 2 ms; for one segment, and the least time-out |
//! | TLP.end_seq, TLP.is_retrans | `end`, `is_again` |
//!
//! For one segment the RFC adds the longest delay of an acknowledgement instead, 200 ms as well.

use backwater_kernel::Duration;

/// Timers of Linux are no shorter.
const LEAST: Duration = Duration(2_000_000_000);

/// A probe that is under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Probe {
    /// All that was sent when it went.
    end: u64,
    /// It was sent before.
    is_again: bool,
}

/// What became of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// Nothing is known so far.
    Nothing,
    /// No segment was lost.
    NoLoss,
    /// It mended a loss that nothing else told of.
    Mended,
}

/// What an acknowledgement says about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said {
    /// Position acknowledged.
    pub(crate) ack: u64,
    /// It says of a segment with this end that it came twice.
    pub(crate) twice: Option<u64>,
    /// Neither position nor ranges are new.
    pub(crate) is_repeated: bool,
}

impl Probe {
    /// It goes now, when all up to `end` was sent.
    pub(crate) fn new(end: u64, is_again: bool) -> Probe {
        Probe { end, is_again }
    }

    /// An acknowledgement came.
    pub(crate) fn on_ack(&self, said: Said) -> Found {
        if said.ack < self.end {
            return Found::Nothing;
        }
        if !self.is_again || self.is_twice(said.twice) {
            return Found::NoLoss;
        }
        if said.ack > self.end {
            return Found::Mended;
        }
        match said.is_repeated {
            true => Found::NoLoss,
            false => Found::Nothing,
        }
    }

    /// It was this that came twice.
    pub(crate) fn is_twice(&self, twice: Option<u64>) -> bool {
        self.is_again && twice == Some(self.end)
    }
}

/// How long to wait for an acknowledgement before a probe goes.
pub(crate) fn wait(srtt: Duration, segments: usize, min_rto: Duration) -> Duration {
    let more = match segments {
        0 | 1 => min_rto,
        _ => LEAST,
    };
    Duration(srtt.0.saturating_mul(2).saturating_add(more.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(ack: u64, twice: Option<u64>, is_repeated: bool) -> Said {
        Said {
            ack,
            twice,
            is_repeated,
        }
    }

    #[test]
    fn what_became_of_a_probe() {
        let again = Probe::new(1_000, true);
        assert_eq!(again.on_ack(said(900, None, true)), Found::Nothing);
        // The last segment was lost: this acknowledges the probe itself.
        assert_eq!(again.on_ack(said(1_000, None, false)), Found::Nothing);
        assert_eq!(again.on_ack(said(1_100, None, false)), Found::Mended);
        // It was not.
        assert_eq!(again.on_ack(said(1_000, Some(1_000), false)), Found::NoLoss);
        assert_eq!(again.on_ack(said(1_000, None, true)), Found::NoLoss);
        let new = Probe::new(1_000, false);
        assert_eq!(new.on_ack(said(1_000, None, false)), Found::NoLoss);
    }

    #[test]
    fn a_lone_segment_is_waited_for_longer() {
        let ms = |count: u64| Duration(count * 1_000_000_000);
        assert_eq!(wait(ms(5), 2, ms(200)), ms(12));
        assert_eq!(wait(ms(5), 1, ms(200)), ms(210));
    }
}
