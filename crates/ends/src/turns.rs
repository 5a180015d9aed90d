//! What turns far more often than anyone asks: scenes of a video between two pictures, stalls of a
//! sink that has nothing to take.

use backwater_kernel::{Duration, Time};

/// Turns that are drawn one by one before some are passed over.
const MOST: u64 = 1 << 12;

/// Counts turns on the way to an instant. After many, those that follow up to it are passed over:
/// as many times as fits what the last ones took together. Where all turns are alike this is exact;
/// where they are drawn, so many of them have forgotten how they began.
pub(crate) struct Turns {
    from: Time,
    left: u64,
}

impl Turns {
    /// No turn yet, at this instant.
    #[inline]
    pub fn from(at: Time) -> Turns {
        Turns {
            from: at,
            left: MOST,
        }
    }

    /// A turn ended at `at`, before `wanted`: what is to be passed over now.
    #[inline]
    pub fn pass(&mut self, at: Time, wanted: Time) -> Duration {
        self.left -= 1;
        if self.left > 0 {
            return Duration::ZERO;
        }
        let took = at.since(self.from);
        let times = wanted.since(at).ps() / took.ps().max(1);
        let passed = took * times;
        *self = Turns::from(at + passed);
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first end of a turn after `wanted`, and how many were looked at.
    fn reached(period: u64, wanted: Time) -> (Time, u64) {
        let (mut at, mut looked) = (Time(5), 0);
        let mut turns = Turns::from(at);
        while at <= wanted {
            at += Duration(period);
            looked += 1;
            at += turns.pass(at, wanted);
        }
        (at, looked)
    }

    #[test]
    fn even_turns_are_passed_over_exactly() {
        for period in [1, 3, 1_000, 999_999_937] {
            for wanted in [7, 10_000, 1_000_000_000_000, 1 << 61] {
                let (at, looked) = reached(period, Time(wanted));
                let periods = wanted.saturating_sub(5) / period + 1;
                assert_eq!(at.ps(), 5 + period * periods, "{period} to {wanted}");
                assert!(looked <= 3 * MOST, "{looked}");
            }
        }
    }
}
