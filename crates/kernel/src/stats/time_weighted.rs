//! Averages over time of a level that steps.

use crate::time::Time;

/// A level over time (a buffer's fill, a queue's length): extremes and time average.
///
/// Extremes count levels that lasted no time at all: two cells that come and go within one
/// instant did share the buffer.
#[derive(Clone, Copy, Debug)]
pub struct TimeWeighted {
    /// Integral = value * now + this (mod 2^128, two words so that the struct stays small). Steps
    /// then cost one addition: no multiplication, no instant of the last change.
    offset: [u64; 2],
    since: Time,
    value: u64,
    min: u64,
    max: u64,
    max_total: u64,
}

impl TimeWeighted {
    /// The level `value` from `at` on.
    pub const fn new(at: Time, value: u64) -> TimeWeighted {
        TimeWeighted {
            offset: split((at.0 as u128 * value as u128).wrapping_neg()),
            since: at,
            value,
            min: value,
            max: value,
            max_total: value,
        }
    }

    /// The level is `value` from `at` on.
    #[inline]
    pub const fn set(&mut self, at: Time, value: u64) {
        let before = self.value as u128 * at.0 as u128;
        let after = value as u128 * at.0 as u128;
        self.offset = split(join(self.offset).wrapping_add(before).wrapping_sub(after));
        self.value = value;
        self.note_high();
        self.note_low();
    }

    /// One more from `at` on.
    #[inline]
    pub const fn add(&mut self, at: Time) {
        self.offset = split(join(self.offset).wrapping_sub(at.0 as u128));
        self.value += 1;
        self.note_high();
    }

    /// One less from `at` on. Stops loudly at zero: nothing can leave an empty place.
    #[inline]
    pub const fn sub(&mut self, at: Time) {
        assert!(self.value > 0, "a level can't fall below zero");
        self.offset = split(join(self.offset).wrapping_add(at.0 as u128));
        self.value -= 1;
        self.note_low();
    }

    /// Forgets what was before `at` (end of the warm-up), all but the level and
    /// [`TimeWeighted::max_total`].
    pub const fn restart(&mut self, at: Time) {
        let max_total = self.max_total;
        *self = TimeWeighted::new(at, self.value);
        self.max_total = max_total;
    }

    /// The level now.
    #[inline]
    pub const fn value(&self) -> u64 {
        self.value
    }

    /// Lowest level since the start or restart.
    pub const fn min(&self) -> u64 {
        self.min
    }

    /// Highest level since the start or restart.
    pub const fn max(&self) -> u64 {
        self.max
    }

    /// Highest level since the start; no restart forgets it.
    pub const fn max_total(&self) -> u64 {
        self.max_total
    }

    /// Level times picoseconds from the start or restart to `until`, exact.
    pub const fn integral(&self, until: Time) -> u128 {
        join(self.offset).wrapping_add(self.value as u128 * until.0 as u128)
    }

    /// Time average from the start or restart to `until`; the level itself if no time passed.
    pub fn mean(&self, until: Time) -> f64 {
        match until.since(self.since).0 {
            0 => self.value as f64,
            span_ps => self.integral(until) as f64 / span_ps as f64,
        }
    }

    #[inline]
    const fn note_high(&mut self) {
        if self.value > self.max {
            self.max = self.value;
            if self.max > self.max_total {
                self.max_total = self.max;
            }
        }
    }

    #[inline]
    const fn note_low(&mut self) {
        if self.value < self.min {
            self.min = self.value;
        }
    }
}

#[inline]
const fn split(wide: u128) -> [u64; 2] {
    [wide as u64, (wide >> 64) as u64]
}

#[inline]
const fn join([low, high]: [u64; 2]) -> u128 {
    low as u128 | (high as u128) << 64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Purpose, Stream};

    #[test]
    fn the_mean_is_the_integral_over_time() {
        let mut level = TimeWeighted::new(Time(100), 3);
        level.add(Time(110)); // 3 for 10
        level.set(Time(130), 10); // 4 for 20
        level.sub(Time(135)); // 10 for 5
        assert_eq!(level.integral(Time(200)), 30 + 80 + 50 + 9 * 65);
        assert_eq!(level.mean(Time(200)), 745.0 / 100.0);
        assert_eq!((level.value(), level.min(), level.max()), (9, 3, 10));
    }

    #[test]
    fn a_restart_keeps_the_level_and_the_highest_of_all() {
        let mut level = TimeWeighted::new(Time::ZERO, 0);
        level.set(Time(5), 50);
        level.set(Time(10), 2);
        level.restart(Time(20));
        assert_eq!((level.min(), level.max(), level.max_total()), (2, 2, 50));
        level.add(Time(30));
        assert_eq!(level.mean(Time(40)), 2.5);
        assert_eq!((level.min(), level.max(), level.max_total()), (2, 3, 50));
    }

    #[test]
    fn no_time_at_all_has_a_mean() {
        let mut level = TimeWeighted::new(Time(7), 4);
        assert_eq!(level.mean(Time(7)), 4.0);
        level.add(Time(7));
        level.sub(Time(7));
        assert_eq!((level.max(), level.integral(Time(7))), (5, 0));
    }

    #[test]
    fn the_largest_integral_is_exact() {
        let mut level = TimeWeighted::new(Time::ZERO, u64::MAX);
        let largest = u128::from(u64::MAX) * u128::from(u64::MAX);
        assert_eq!(level.integral(Time::MAX), largest);
        level.set(Time::MAX, 0);
        assert_eq!(level.integral(Time::MAX), largest);
    }

    #[test]
    fn random_steps_agree_with_adding_up_rectangles() {
        let mut stream = Stream::new(1, 0, Purpose::Pattern);
        let mut level = TimeWeighted::new(Time(1_000), 5);
        let (mut now, mut value, mut area) = (1_000, 5, 0_u128);
        for _ in 0..10_000 {
            let span_ps = stream.below(1 << 30);
            area += u128::from(value) * u128::from(span_ps);
            now += span_ps;
            match stream.below(3) {
                0 => level.add(Time(now)),
                1 if value > 0 => level.sub(Time(now)),
                _ => level.set(Time(now), stream.below(100)),
            }
            value = level.value();
        }
        assert_eq!(level.integral(Time(now)), area);
        assert_ne!(level.integral(Time(now + 1)), area + u128::from(value) + 1);
    }

    #[test]
    #[should_panic(expected = "below zero")]
    fn nothing_leaves_an_empty_place() {
        TimeWeighted::new(Time::ZERO, 0).sub(Time(1));
    }

    /// Seven words: what two of them hold as one number would take an alignment of 16 bytes, and
    /// 64 bytes with it.
    #[test]
    fn it_is_seven_words_and_aligned_as_one() {
        assert_eq!(size_of::<TimeWeighted>(), 56);
        assert_eq!(align_of::<TimeWeighted>(), align_of::<u64>());
    }
}
