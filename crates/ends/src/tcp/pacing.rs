//! When the next segments may go, where a sender spaces them.
//!
//! The clock is exact: as long as the rate stays and segments wait for their turn, n bytes take
//! 8 n / rate, to the picosecond, however they are cut; what a segment takes beyond a whole
//! picosecond is carried over to the next. A sender that comes later than its turn begins anew:
//! what it did not use is not made up for.
//!
//! Segments of one burst go at one instant, and the turn after it comes when all of it would be
//! through at the rate.

use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Rate, Time};

/// The clock of a paced sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pacer {
    /// What was sent would be through then, but for `part`.
    free_at: Time,
    /// Beyond it, in parts of a picosecond of which `rate` make a whole one.
    part: u64,
    rate: u64,
}

impl Pacer {
    /// The next turn: the first picosecond at which all that was sent would be through.
    #[inline]
    pub(crate) fn turn(&self) -> Time {
        Time(self.free_at.0.saturating_add(u64::from(self.part > 0)))
    }

    /// So many bytes go now at this rate.
    pub(crate) fn on_sent(&mut self, now: Time, bytes: u32, rate: Rate) {
        let rate = rate.0.max(1);
        let turn = self.turn();
        if rate != self.rate || now > turn {
            *self = Pacer {
                free_at: turn.max(now),
                part: 0,
                rate,
            };
        }
        let ps = u128::from(bytes) * 8 * u128::from(PS_PER_SECOND) + u128::from(self.part);
        let whole = u64::try_from(ps / u128::from(rate)).unwrap_or(u64::MAX);
        self.free_at = Time(self.free_at.0.saturating_add(whole));
        self.part = (ps % u128::from(rate)) as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1,000 bytes at 7 bit/s: 1,142.857.. s each, seven of them exactly 8,000 s.
    #[test]
    fn parts_of_a_picosecond_are_not_lost() {
        let mut pacer = Pacer::default();
        for n in 1..=7_u64 {
            let turn = pacer.turn();
            pacer.on_sent(turn, 1_000, Rate(7));
            let exact = u128::from(n) * 8_000 * u128::from(PS_PER_SECOND);
            assert_eq!(u128::from(pacer.turn().0), exact.div_ceil(7));
        }
    }

    /// Cut otherwise, it takes as long.
    #[test]
    fn how_bytes_are_cut_does_not_matter() {
        let (mut small, mut large) = (Pacer::default(), Pacer::default());
        for _ in 0..30 {
            small.on_sent(small.turn(), 49, Rate(99_999_999));
        }
        large.on_sent(Time::ZERO, 30 * 49, Rate(99_999_999));
        assert_eq!(small.turn(), large.turn());
    }

    #[test]
    fn a_turn_that_was_missed_is_not_made_up_for() {
        let mut pacer = Pacer::default();
        pacer.on_sent(Time::ZERO, 125, Rate(1_000_000_000));
        assert_eq!(pacer.turn(), Time(1_000_000));
        pacer.on_sent(Time(5_000_000), 125, Rate(1_000_000_000));
        assert_eq!(pacer.turn(), Time(6_000_000));
        // Another rate holds from the next segment on.
        pacer.on_sent(Time(6_000_000), 125, Rate(2_000_000_000));
        assert_eq!(pacer.turn(), Time(6_500_000));
    }
}
