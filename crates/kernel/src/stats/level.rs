//! A small level over time, for what exists by the hundred thousand.

use crate::time::Time;

/// A level below 2^32 over time: extremes and time average in 32 bytes.
///
/// Like [`TimeWeighted`](super::TimeWeighted), but the caller remembers since when it counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Level {
    /// Integral = value * now + this, mod 2^128 in two words: a step is one addition.
    offset: [u64; 2],
    value: u32,
    min: u32,
    max: u32,
    max_total: u32,
}

impl Level {
    /// One more from `at` on.
    #[inline]
    pub fn add(&mut self, at: Time) {
        self.add_many(at, 1);
    }

    /// So many more.
    #[inline]
    pub fn add_many(&mut self, at: Time, more: u32) {
        self.shift((u128::from(at.ps()) * u128::from(more)).wrapping_neg());
        self.value += more;
        self.max = self.max.max(self.value);
    }

    /// One less from `at` on. Stops loudly at zero: nothing can leave an empty place.
    #[inline]
    pub fn sub(&mut self, at: Time) {
        self.sub_many(at, 1);
    }

    /// So many less.
    #[inline]
    pub fn sub_many(&mut self, at: Time, less: u32) {
        self.shift(u128::from(at.ps()) * u128::from(less));
        self.value = self
            .value
            .checked_sub(less)
            .expect("a level can't fall below zero");
        self.min = self.min.min(self.value);
    }

    #[inline]
    fn shift(&mut self, by: u128) {
        let offset = (u128::from(self.offset[1]) << 64) | u128::from(self.offset[0]);
        let offset = offset.wrapping_add(by);
        self.offset = [offset as u64, (offset >> 64) as u64];
    }

    /// Extremes and average start again at `at`; the level stays.
    pub fn restart(&mut self, at: Time) {
        let offset = (u128::from(at.ps()) * u128::from(self.value)).wrapping_neg();
        self.offset = [offset as u64, (offset >> 64) as u64];
        self.max_total = self.max_total();
        self.min = self.value;
        self.max = self.value;
    }

    /// The level now.
    #[inline]
    pub fn value(&self) -> u32 {
        self.value
    }

    /// The smallest since the last restart.
    pub fn min(&self) -> u32 {
        self.min
    }

    /// The largest since the last restart.
    pub fn max(&self) -> u32 {
        self.max
    }

    /// The largest ever.
    pub fn max_total(&self) -> u32 {
        self.max_total.max(self.max)
    }

    /// The average from `since` (the last restart) to `until`.
    pub fn mean(&self, since: Time, until: Time) -> f64 {
        let span = until.since(since).ps();
        if span == 0 {
            return f64::from(self.value);
        }
        let offset = (u128::from(self.offset[1]) << 64) | u128::from(self.offset[0]);
        let area = offset.wrapping_add(u128::from(self.value) * u128::from(until.ps()));
        area as f64 / span as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_averages_like_a_hand_would() {
        let mut level = Level::default();
        level.add(Time(10));
        level.add(Time(20));
        level.sub(Time(50));
        // 0 for 10, 1 for 10, 2 for 30, 1 for 50.
        assert_eq!(level.mean(Time(0), Time(100)), (10.0 + 60.0 + 50.0) / 100.0);
        assert_eq!((level.min(), level.max(), level.max_total()), (0, 2, 2));
        level.restart(Time(100));
        assert_eq!((level.min(), level.max(), level.max_total()), (1, 1, 2));
        level.sub(Time(150));
        assert_eq!(level.mean(Time(100), Time(200)), 0.5);
        assert_eq!(level.value(), 0);
    }

    #[test]
    fn several_at_once_are_one_after_the_other() {
        let mut level = Level::default();
        level.add_many(Time(10), 3);
        assert_eq!((level.value(), level.max()), (3, 3));
        assert_eq!(level.mean(Time(0), Time(50)), 3.0 * 40.0 / 50.0);
    }

    #[test]
    fn it_is_small() {
        assert_eq!(size_of::<Level>(), 32);
    }
}
