//! Time in whole picoseconds, rates in bits per second.
//!
//! `u64` picoseconds reach 213 days. Runs end by half of that, but sums and products of allowed
//! spans may lie beyond: such a sum is the last that the clock holds. So what would happen after
//! the end of the clock never happens, and sums keep the order of what they are made of.

use core::fmt;
use core::ops::{Add, AddAssign, Mul, Sub};

/// Picoseconds in one second.
pub const PS_PER_SECOND: u64 = 1_000_000_000_000;

/// An instant: picoseconds since the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(pub u64);

/// A span of time in picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(pub u64);

/// A line rate in bits per second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rate(pub u64);

impl Time {
    /// The start of every run.
    pub const ZERO: Time = Time(0);
    /// The last instant the clock can hold.
    pub const MAX: Time = Time(u64::MAX);

    /// Picoseconds since the start of the run.
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// The span from `earlier` to `self`; zero if `earlier` is later.
    pub const fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// `self + span`, or `None` past the end of the clock.
    pub const fn checked_add(self, span: Duration) -> Option<Time> {
        match self.0.checked_add(span.0) {
            Some(ps) => Some(Time(ps)),
            None => None,
        }
    }

    /// Seconds, for display only.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND as f64
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// The longest span.
    pub const MAX: Duration = Duration(u64::MAX);

    /// Picoseconds.
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Seconds, for display only.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND as f64
    }

    /// How often `unit` fits, as a number for display ("77.5 cells").
    pub fn in_units_of(self, unit: Duration) -> f64 {
        self.0 as f64 / unit.0.max(1) as f64
    }

    /// `self + other`, or `None` past what a span can hold.
    pub const fn checked_add(self, other: Duration) -> Option<Duration> {
        match self.0.checked_add(other.0) {
            Some(ps) => Some(Duration(ps)),
            None => None,
        }
    }

    /// `self * count`, or `None` past what a span can hold.
    pub const fn checked_mul(self, count: u64) -> Option<Duration> {
        match self.0.checked_mul(count) {
            Some(ps) => Some(Duration(ps)),
            None => None,
        }
    }
}

impl Rate {
    /// Time that `bytes` take at this rate, rounded up to the picosecond: the step of a clock
    /// that must not run slow.
    pub const fn tick(self, bytes: u64) -> Duration {
        let rate = if self.0 == 0 { 1 } else { self.0 as u128 };
        let ps = (bytes as u128 * 8 * PS_PER_SECOND as u128).div_ceil(rate);
        Duration(if ps > u64::MAX as u128 {
            u64::MAX
        } else {
            ps as u64
        })
    }

    /// Time to put `bytes` on the wire, to the nearest picosecond and never less than one.
    pub const fn serialization(self, bytes: u64) -> Duration {
        let bit_ps = bytes as u128 * 8 * PS_PER_SECOND as u128;
        let rate = if self.0 == 0 { 1 } else { self.0 as u128 };
        let ps = (bit_ps + rate / 2) / rate;
        let ps = if ps > u64::MAX as u128 {
            u64::MAX
        } else {
            ps as u64
        };
        Duration(if ps == 0 { 1 } else { ps })
    }

    /// Bits that pass in `span`, rounded down.
    pub const fn bits_in(self, span: Duration) -> u128 {
        self.0 as u128 * span.0 as u128 / PS_PER_SECOND as u128
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Duration) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Duration> for Time {
    #[inline]
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl Sub<Time> for Time {
    type Output = Duration;
    #[inline]
    fn sub(self, earlier: Time) -> Duration {
        Duration(
            self.0
                .checked_sub(earlier.0)
                .expect("a span can't be negative"),
        )
    }
}

impl Add for Duration {
    type Output = Duration;
    #[inline]
    fn add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }
}

impl Mul<u64> for Duration {
    type Output = Duration;
    #[inline]
    fn mul(self, count: u64) -> Duration {
        Duration(self.0.saturating_mul(count))
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ps", self.0)
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ps", self.0)
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bit/s", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_at_622_mbps_takes_681672_ps() {
        assert_eq!(Rate(622_000_000).serialization(53), Duration(681_672));
    }

    #[test]
    fn nothing_takes_no_time_on_the_wire() {
        assert_eq!(Rate(800_000_000_000).serialization(0), Duration(1));
        assert_eq!(Rate(1).serialization(u64::MAX), Duration::MAX);
    }
}
