//! What both versions count with: round trips, a maximum over some of them, the product, a stay in
//! ProbeRTT.

use alloc::collections::VecDeque;

use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Duration, Rate, Time};

use crate::control::sample::Sample;

/// Bytes that a rate carries in a span, at a gain in thousandths, rounded up.
pub(in crate::control) fn product(rate: Rate, span: Duration, gain: u64) -> u64 {
    let wide = u128::from(rate.0) * u128::from(span.ps()) / 8;
    let bytes = wide * u128::from(gain) / u128::from(PS_PER_SECOND) / 1_000;
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// Round trips, counted by what is delivered: one ends as the first segment is that was sent after
/// the one before had ended.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::control) struct Rounds {
    /// So far.
    pub count: u64,
    /// The last sample began one.
    pub is_start: bool,
    next_delivered: u64,
}

impl Rounds {
    /// Takes a sample; whether it begins a round trip.
    pub fn on_sample(&mut self, sample: &Sample) -> bool {
        self.is_start = sample.prior_delivered >= self.next_delivered;
        if self.is_start {
            self.next_delivered = sample.delivered;
            self.count += 1;
        }
        self.is_start
    }

    /// The one that goes on ends with what is sent from now on.
    pub fn restart(&mut self, delivered: u64) {
        self.next_delivered = delivered;
    }
}

/// The largest value of the last round trips.
#[derive(Clone, Debug)]
pub(in crate::control) struct WindowedMax {
    /// Round and value, values falling: only these can still be the largest.
    kept: VecDeque<(u64, u64)>,
    rounds: u64,
}

impl WindowedMax {
    /// Of so many round trips.
    pub fn new(rounds: u64) -> WindowedMax {
        WindowedMax {
            kept: VecDeque::new(),
            rounds,
        }
    }

    /// 0 before the first.
    pub fn max(&self) -> u64 {
        self.kept.front().map_or(0, |kept| kept.1)
    }

    /// A value of this round trip.
    pub fn add(&mut self, round: u64, value: u64) {
        while self.kept.back().is_some_and(|kept| kept.1 <= value) {
            self.kept.pop_back();
        }
        self.kept.push_back((round, value));
        while self
            .kept
            .front()
            .is_some_and(|kept| kept.0 + self.rounds < round)
        {
            self.kept.pop_front();
        }
    }
}

/// How long few are in flight in ProbeRTT, and a round trip at least.
const REST_FOR: Duration = Duration(PS_PER_SECOND / 5);

/// A stay in ProbeRTT, which counts from where few enough are in flight.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::control) struct Rest {
    /// Until when, once it counts, and whether a round trip has ended since.
    counted: Option<(Time, bool)>,
}

impl Rest {
    /// It counts.
    #[cfg(test)]
    pub fn counts(&self) -> bool {
        self.counted.is_some()
    }

    /// Takes a sample, with which few are in flight or not; whether the stay is over.
    pub fn on_sample(
        &mut self,
        now: Time,
        is_few: bool,
        rounds: &mut Rounds,
        sample: &Sample,
    ) -> bool {
        match &mut self.counted {
            None if is_few => {
                self.counted = Some((now + REST_FOR, false));
                rounds.restart(sample.delivered);
                false
            }
            None => false,
            Some((until, has_round)) => {
                *has_round |= rounds.is_start;
                *has_round && now > *until
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_of_ten_rounds() {
        let mut max = WindowedMax::new(10);
        assert_eq!(max.max(), 0);
        for (round, value, expected) in [(1, 5, 5), (2, 3, 5), (3, 4, 5), (11, 2, 5), (12, 2, 4)] {
            max.add(round, value);
            assert_eq!(max.max(), expected, "round {round}");
        }
        max.add(13, 9);
        assert_eq!((max.max(), max.kept.len()), (9, 1));
    }

    /// Two segments sent together are of one round trip, what is sent after them of the next.
    #[test]
    fn a_round_ends_with_what_was_sent_after_the_last() {
        let mut rounds = Rounds::default();
        let starts: [bool; 4] = [(1, 0), (2, 0), (3, 1), (4, 3)].map(|(delivered, prior)| {
            rounds.on_sample(&Sample {
                delivered,
                prior_delivered: prior,
                ..Sample::default()
            })
        });
        assert_eq!(starts, [true, false, true, true]);
        assert_eq!(rounds.count, 3);
    }
}
