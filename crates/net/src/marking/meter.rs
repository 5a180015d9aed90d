//! Measuring intervals: what joined a port's queue meanwhile, and sums over all of them.

use backwater_ends::control::Ratio;
use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Duration, Rate, Time};

use crate::marking::RateInterval;
use crate::outcome::RatePortOutcome;

/// `bits` in `span` as a rate, rounded down; a span of nothing counts as 1 ps.
pub(super) fn rate_of(bits: u128, span: Duration) -> Rate {
    let rate = bits * PS_PER_SECOND as u128 / span.ps().max(1) as u128;
    Rate(rate.min(u64::MAX as u128) as u64)
}

/// Counts what joins during an interval.
pub(super) struct Meter {
    start: Time,
    interval: Duration,
    /// Bits of an ABR cell.
    bits: u32,
    pub cells: u64,
    background_bits: u64,
}

/// What an interval found.
pub(super) struct Measured {
    /// At least 1 ps.
    pub length: Duration,
    /// Rate of ABR cells.
    pub input: Rate,
    /// What background leaves of the link.
    pub available: Rate,
}

impl Meter {
    pub fn new(interval: Duration, bits: u32) -> Meter {
        Meter {
            start: Time::ZERO,
            interval: Duration(interval.ps().max(1)),
            bits,
            cells: 0,
            background_bits: 0,
        }
    }

    /// An ABR cell joined; how many did in this interval.
    #[inline]
    pub fn count(&mut self) -> u64 {
        self.cells += 1;
        self.cells
    }

    /// A unit that is not ABR joined.
    #[inline]
    pub fn count_background(&mut self, bits: u32) {
        self.background_bits += bits as u64;
    }

    /// When the interval ends at the latest.
    pub fn deadline(&self) -> Option<Time> {
        self.start.checked_add(self.interval)
    }

    /// Is it over by time?
    pub fn is_over(&self, now: Time) -> bool {
        self.deadline().is_some_and(|deadline| now >= deadline)
    }

    /// The interval ends, the next one begins.
    pub fn restart(&mut self, now: Time, link: Rate) -> Measured {
        let length = Duration(now.since(self.start).ps().max(1));
        let background = rate_of(self.background_bits as u128, length);
        let measured = Measured {
            length,
            input: rate_of(self.cells as u128 * self.bits as u128, length),
            available: Rate(link.0.saturating_sub(background.0)),
        };
        self.start = now;
        self.cells = 0;
        self.background_bits = 0;
        measured
    }
}

/// Sums over the intervals that ended.
#[derive(Default)]
pub(super) struct Sums {
    intervals: u64,
    intervals_with_capacity: u64,
    load: f64,
    active: f64,
}

impl Sums {
    /// An interval ended; it as probes are told.
    pub fn add(
        &mut self,
        length: Duration,
        load: Ratio,
        active: Ratio,
        fair_share: Rate,
        has_capacity: bool,
    ) -> RateInterval {
        self.intervals += 1;
        self.active += active.value();
        if has_capacity {
            self.intervals_with_capacity += 1;
            self.load += load.value();
        }
        RateInterval {
            length,
            load: load.value(),
            active: active.value(),
            fair_share,
        }
    }

    pub fn report(&self, outcome: &mut RatePortOutcome) {
        outcome.intervals_total = self.intervals;
        outcome.load_mean = self.load / self.intervals_with_capacity.max(1) as f64;
        outcome.active_mean = self.active / self.intervals.max(1) as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_counts_what_joined_in_it() {
        let mut meter = Meter::new(Duration(1_000_000_000), 424);
        assert_eq!(meter.deadline(), Some(Time(1_000_000_000)));
        for _ in 0..100 {
            meter.count();
        }
        meter.count_background(10_000);
        assert!(!meter.is_over(Time(999_999_999)));
        assert!(meter.is_over(Time(1_000_000_000)));
        let found = meter.restart(Time(1_000_000_000), Rate(100_000_000));
        assert_eq!(found.input, Rate(42_400_000));
        assert_eq!(found.available, Rate(90_000_000));
        let empty = meter.restart(Time(1_000_000_000), Rate(100_000_000));
        assert_eq!(empty.length, Duration(1));
        assert_eq!((empty.input, empty.available), (Rate(0), Rate(100_000_000)));
    }

    #[test]
    fn more_background_than_the_link_holds_leaves_nothing() {
        let mut meter = Meter::new(Duration(1), 424);
        meter.count_background(424);
        meter.count();
        let found = meter.restart(Time(0), Rate(1_000));
        assert_eq!(found.available, Rate(0));
        assert_eq!(found.input, Rate(424 * PS_PER_SECOND));
    }

    #[test]
    fn intervals_without_capacity_do_not_count_towards_the_mean_load() {
        let mut sums = Sums::default();
        let mut outcome = RatePortOutcome::default();
        sums.report(&mut outcome);
        assert_eq!((outcome.load_mean, outcome.active_mean), (0.0, 0.0));
        let half = Ratio::new(0.5);
        sums.add(Duration(1), half, Ratio::ONE, Rate(1), true);
        sums.add(Duration(1), Ratio::ENDLESS, Ratio(0), Rate(1), false);
        sums.report(&mut outcome);
        assert_eq!((outcome.load_mean, outcome.active_mean), (0.5, 0.5));
        assert_eq!(outcome.intervals_total, 2);
    }
}
