//! Numbers of cycles, one by one.

use alloc::vec::Vec;
use backwater_kernel::{BatchMeans, Histogram, Sampled};

use crate::outcome::CyclesOutcome;

/// Values below this are counted one by one.
const EXACT: usize = 4_096;
const PERCENTS: [f64; 4] = [50.0, 90.0, 99.0, 99.9];

/// Counts of numbers of cycles: exact below 4,096, in a log-linear histogram above.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cycles {
    /// How often each value came, as far as the largest one needs.
    exact: Vec<u64>,
    beyond: Histogram,
    beyond_sums: Sampled,
    batches: BatchMeans,
}

impl Cycles {
    #[inline]
    pub(crate) fn record(&mut self, cycles: u64) {
        self.batches.record(cycles);
        match self.exact.get_mut(cycles as usize) {
            Some(count) => *count += 1,
            None => self.record_new(cycles),
        }
    }

    #[cold]
    #[inline(never)]
    fn record_new(&mut self, cycles: u64) {
        if cycles < EXACT as u64 {
            let length = (cycles as usize + 1).next_power_of_two();
            self.exact.resize(length, 0);
            self.exact[cycles as usize] += 1;
        } else {
            self.beyond.record(cycles);
            self.beyond_sums.record(cycles);
        }
    }

    /// Takes the values of `other` in, but not their order.
    pub(crate) fn merge(&mut self, other: &Cycles) {
        if self.exact.len() < other.exact.len() {
            self.exact.resize(other.exact.len(), 0);
        }
        for (mine, theirs) in self.exact.iter_mut().zip(&other.exact) {
            *mine += theirs;
        }
        self.beyond.merge(&other.beyond);
        self.beyond_sums.merge(&other.beyond_sums);
    }

    /// Its numbers; the interval of the mean is that of `batches`, or of its own.
    pub(crate) fn outcome(&self, batches: Option<&BatchMeans>) -> CyclesOutcome {
        let counted = || (0_u32..).zip(&self.exact).filter(|(_, n)| **n > 0);
        let below: u64 = self.exact.iter().sum();
        let count = below + self.beyond.count();
        if count == 0 {
            return CyclesOutcome::default();
        }
        let sum: u128 = counted().map(|(v, n)| u128::from(v) * u128::from(*n)).sum();
        let mean = (sum + self.beyond_sums.sum()) as f64 / count as f64;
        let min = counted().next().map(|(value, _)| u64::from(value));
        let max = counted().last().map(|(value, _)| u64::from(value));
        CyclesOutcome {
            count,
            mean,
            deviation: libm::sqrt(self.squares(mean) / count.saturating_sub(1).max(1) as f64),
            half_width: batches.unwrap_or(&self.batches).half_width_95(),
            min: min.unwrap_or_else(|| self.beyond_sums.min()),
            max: match self.beyond.count() {
                0 => max.unwrap_or(0),
                _ => self.beyond_sums.max(),
            },
            percentiles: PERCENTS.map(|percent| self.percentile(percent, count)),
            histogram: counted().map(|(value, n)| (value, *n)).collect(),
            beyond: self.beyond.count(),
        }
    }

    /// Sum of squared distances from the mean of all.
    fn squares(&self, mean: f64) -> f64 {
        let mut squares = 0.0;
        for (value, &n) in (0_u32..).zip(&self.exact) {
            let distance = f64::from(value) - mean;
            squares += distance * distance * n as f64;
        }
        let above = self.beyond.count();
        let distance = self.beyond_sums.mean() - mean;
        let spread = self.beyond_sums.variance() * above.saturating_sub(1) as f64;
        squares + spread + distance * distance * above as f64
    }

    /// The smallest value that `percent` of all do not exceed, to 1/64 above the exact ones.
    fn percentile(&self, percent: f64, count: u64) -> u64 {
        // A little less, so that 7 % of 100 values are 7 whatever the product rounds to.
        let rank = percent * count as f64 / 100.0 * (1.0 - 1e-12);
        let rank = (libm::ceil(rank) as u64).clamp(1, count);
        let mut passed = 0;
        for (value, n) in (0..).zip(&self.exact) {
            passed += n;
            if passed >= rank {
                return value;
            }
        }
        let (rest, above) = (rank - passed, self.beyond.count());
        // Half a sample less, for the same reason.
        self.beyond
            .percentile((rest as f64 - 0.5) * 100.0 / above as f64)
    }
}
