//! A rate that is policed: two stretches of time with many losses and the same rate say that the
//! path allows no more, whatever a burst brought. Then it goes by that for 48 round trips.
//!
//! A stretch is of 4 to 16 round trips, begins and ends with a loss, and a fifth as much as is
//! delivered in it is lost. Two are the same if they differ by an eighth, or 4 kbit/s.

use backwater_kernel::{Rate, Time};

use super::{Delivered, Rounds};
use crate::control::sample::Sample;

/// Round trips of a stretch at least; four times as many at most.
const LEAST_ROUNDS: u32 = 4;
/// Of this many 256ths of what is delivered at least are lost.
const LOSS_256THS: u64 = 50;
/// Two rates that differ by less are the same.
const SAME: u64 = 4_000;
/// Round trips for which it goes by the rate.
const USED_ROUNDS: u32 = 48;

/// State of the detector.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LongTerm {
    is_used: bool,
    is_sampling: bool,
    rate: u64,
    rounds: u32,
    began: Time,
    delivered: u64,
    lost: u64,
}

impl LongTerm {
    /// The rate of a policer, while it goes by that.
    pub(super) fn rate(&self) -> Option<Rate> {
        self.is_used.then_some(Rate(self.rate))
    }

    /// Takes a sample; whether it is time to probe again.
    pub(super) fn on_sample(
        &mut self,
        now: Time,
        rounds: &Rounds,
        sample: &Sample,
        is_probing: bool,
    ) -> bool {
        let has_loss = sample.lost_bytes > 0;
        if self.is_used {
            self.rounds += u32::from(is_probing && rounds.is_start);
            let is_over = self.rounds >= USED_ROUNDS;
            if is_over {
                *self = LongTerm::default();
            }
            return is_over;
        }
        if !self.is_sampling {
            if !has_loss {
                return false;
            }
            self.begin(now, sample);
            self.is_sampling = true;
        }
        if sample.is_app_limited {
            *self = LongTerm::default();
            return false;
        }
        self.rounds += u32::from(rounds.is_start);
        if self.rounds > 4 * LEAST_ROUNDS {
            *self = LongTerm::default();
        } else if self.rounds >= LEAST_ROUNDS && has_loss {
            self.end(now, sample);
        }
        false
    }

    fn begin(&mut self, now: Time, sample: &Sample) {
        self.began = now;
        self.delivered = sample.delivered;
        self.lost = sample.lost;
        self.rounds = 0;
    }

    /// A stretch may end here.
    fn end(&mut self, now: Time, sample: &Sample) {
        let bytes = sample.delivered - self.delivered;
        let lost = sample.lost - self.lost;
        let over = now.since(self.began);
        if bytes == 0 || lost * 256 < LOSS_256THS * bytes || over.ps() < 1_000_000_000 {
            return;
        }
        let rate = Delivered { bytes, over }.rate().0;
        let apart = rate.abs_diff(self.rate);
        if self.rate > 0 && (apart <= self.rate / 8 || apart <= SAME) {
            self.rate = self.rate.midpoint(rate);
            self.is_used = true;
            self.rounds = 0;
            return;
        }
        self.rate = rate;
        self.begin(now, sample);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    /// Ten round trips of 10 ms, in each of which `rate` 100 kB are delivered and `lost` lost.
    fn run(detector: &mut LongTerm, from: u64, rounds: u64, lost: u64) -> Vec<bool> {
        (from..from + rounds)
            .map(|round| {
                let sample = Sample {
                    delivered: round * 100_000,
                    lost: round * lost,
                    lost_bytes: lost,
                    ..Sample::default()
                };
                let mut rounds = Rounds::default();
                rounds.is_start = true;
                detector.on_sample(Time(round * 10 * MS), &rounds, &sample, true)
            })
            .collect()
    }

    use alloc::vec::Vec;

    #[test]
    fn two_stretches_alike_are_a_policer() {
        let mut detector = LongTerm::default();
        // Rounds 1 to 4, and 5 to 8.
        run(&mut detector, 1, 7, 25_000);
        assert_eq!(detector.rate(), None);
        run(&mut detector, 8, 1, 25_000);
        assert_eq!(detector.rate(), Some(Rate(80_000_000)));
        let over = run(&mut detector, 9, 48, 0);
        assert_eq!(over.iter().position(|over| *over), Some(47));
        assert_eq!(detector.rate(), None);
    }

    #[test]
    fn a_tenth_lost_is_none() {
        let mut detector = LongTerm::default();
        run(&mut detector, 1, 40, 10_000);
        assert_eq!(detector.rate(), None);
    }
}
