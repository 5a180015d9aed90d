//! When packets were born that have not arrived.

use alloc::vec::Vec;

use backwater_kernel::Histogram;

use super::window::Window;
use crate::outcome::FINE;

/// Stretches of a window: births of one are told apart from those of the next.
const STRETCHES: u64 = 1_024;

/// Packets born in the window that have not arrived, by when they were born.
#[derive(Clone, Debug, Default)]
pub(super) struct Births {
    start: u64,
    end: u64,
    /// A stretch has two to this power cycles.
    shift: u32,
    /// By stretch.
    open: Vec<u64>,
    /// Sum of the cycles in which they were born.
    sum: u128,
}

impl Births {
    /// None yet.
    pub fn of(window: &Window) -> Births {
        let (start, end) = (window.start(), window.end());
        let last = end.saturating_sub(start).saturating_sub(1);
        let mut shift = 0;
        while last >> shift >= STRETCHES {
            shift += 1;
        }
        Births {
            start,
            end,
            shift,
            open: alloc::vec![0; (last >> shift) as usize + 1],
            sum: 0,
        }
    }

    /// One was born at this cycle of the window.
    #[inline]
    pub fn add(&mut self, birth: u64) {
        let stretch = self.stretch(birth);
        self.open[stretch] += 1;
        self.sum += u128::from(birth);
    }

    /// One that was born then has arrived.
    #[inline]
    pub fn remove(&mut self, birth: u64) {
        let stretch = self.stretch(birth);
        self.open[stretch] = self.open[stretch].saturating_sub(1);
        self.sum = self.sum.saturating_sub(birth.into());
    }

    #[inline]
    fn stretch(&self, birth: u64) -> usize {
        (birth.saturating_sub(self.start) >> self.shift) as usize
    }

    /// How old each of them is at `now`, or a little more: none is younger than told. And the sum
    /// of their ages.
    pub fn ages(&self, now: u64) -> (Histogram<FINE>, u128) {
        let mut ages = Histogram::default();
        let mut count = 0_u128;
        for (stretch, open) in (1_u64..).zip(&self.open) {
            let last = self.start.saturating_add(stretch << self.shift);
            let last = last.min(self.end).saturating_sub(1);
            ages.record_many(now.saturating_sub(last), *open);
            count += u128::from(*open);
        }
        let sum = (count * u128::from(now)).saturating_sub(self.sum);
        (ages, sum)
    }
}

#[cfg(test)]
mod tests {
    use super::super::course::Sums;
    use super::*;

    #[test]
    fn ages_are_told_to_a_stretch_and_never_above() {
        for (length, off) in [(1_000, 0), (1_024, 0), (4_000, 3), (1 << 20, (1 << 10) - 1)] {
            let window = Window::new(50, 50 + length, Sums::default(), 0);
            let mut births = Births::of(&window);
            let all = [50, 51, 50 + length / 2, 49 + length];
            all.iter().for_each(|birth| births.add(*birth));
            births.remove(51);
            let now = 100 + length;
            let (ages, sum) = births.ages(now);
            assert_eq!(
                (ages.count(), sum),
                (3, u128::from(50 + length + 50 + length / 2 + 51))
            );
            assert!(
                (50 + length - off..=50 + length).contains(&ages.max()),
                "{length}"
            );
            assert_eq!(ages.min(), 51);
        }
    }
}
