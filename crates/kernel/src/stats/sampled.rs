//! Mean and variance of whole numbers.

use crate::survey::Survey;

/// 2^128.
const TWO_TO_128: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;

/// Count, mean, variance and extremes of `u64` samples.
///
/// Sums are whole numbers, so the result doesn't depend on the order of the samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampled {
    sums: Sums,
    count: u64,
    min: u64,
    max: u64,
}

impl Default for Sampled {
    fn default() -> Self {
        Sampled::new()
    }
}

impl Sampled {
    /// No samples.
    pub const fn new() -> Sampled {
        Sampled {
            sums: Sums::NONE,
            count: 0,
            min: u64::MAX,
            max: 0,
        }
    }

    /// Takes a sample in.
    #[inline]
    pub const fn record(&mut self, sample: u64) {
        self.count += 1;
        self.sums.record(sample);
        if sample < self.min {
            self.min = sample;
        }
        if sample > self.max {
            self.max = sample;
        }
    }

    /// Takes `sample` in `times` times.
    pub const fn record_many(&mut self, sample: u64, times: u64) {
        if times == 0 {
            return;
        }
        self.count += times;
        self.sums.record_many(sample, times);
        if sample < self.min {
            self.min = sample;
        }
        if sample > self.max {
            self.max = sample;
        }
    }

    /// Takes all samples of `other` in.
    pub fn merge(&mut self, other: &Sampled) {
        self.count += other.count;
        self.sums.merge(&other.sums);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Samples.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Sum of all samples, exact.
    pub const fn sum(&self) -> u128 {
        self.sums.sum
    }

    /// Mean; 0 without samples.
    pub fn mean(&self) -> f64 {
        self.sums.mean(self.count)
    }

    /// Variance (over n - 1); 0 with less than two samples.
    ///
    /// Exact sums as long as `count * (max - min)^2 < 2^130`; beyond, the largest variance
    /// samples of that range can have.
    pub fn variance(&self) -> f64 {
        self.sums.variance(self.count, self.max() - self.min())
    }

    /// Square root of the variance.
    pub fn deviation(&self) -> f64 {
        libm::sqrt(self.variance())
    }

    /// Smallest sample; 0 without samples.
    pub const fn min(&self) -> u64 {
        if self.count == 0 { 0 } else { self.min }
    }

    /// Largest sample; 0 without samples.
    pub const fn max(&self) -> u64 {
        self.max
    }
}

/// What moments are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Sums {
    pub sum: u128,
    /// Mod 2^128; what is computed from it is a difference that fits.
    squares: u128,
}

impl Sums {
    pub const NONE: Sums = Sums { sum: 0, squares: 0 };

    #[inline]
    pub const fn record(&mut self, sample: u64) {
        let wide = sample as u128;
        self.sum += wide;
        self.squares = self.squares.wrapping_add(wide * wide);
    }

    pub const fn record_many(&mut self, sample: u64, times: u64) {
        let (wide, times) = (sample as u128, times as u128);
        self.sum += wide * times;
        let squares = (wide * wide).wrapping_mul(times);
        self.squares = self.squares.wrapping_add(squares);
    }

    pub fn survey_sums(&mut self, survey: &mut Survey) {
        let Sums { sum, squares } = self;
        survey.adds_wide(sum);
        survey.adds_wide(squares);
    }

    pub const fn merge(&mut self, other: &Sums) {
        self.sum += other.sum;
        self.squares = self.squares.wrapping_add(other.squares);
    }

    /// Mean of `count` samples; 0 without samples.
    pub fn mean(&self, count: u64) -> f64 {
        self.sum as f64 / count.max(1) as f64
    }

    /// Variance (over n - 1) of `count` samples, the largest of which is so far from the smallest;
    /// 0 with less than two.
    pub fn variance(&self, count: u64, range: u64) -> f64 {
        if count < 2 {
            return 0.0;
        }
        self.squared_deviations(count, range) / (count - 1) as f64
    }

    /// Sum of squared distances from the mean.
    ///
    /// Taken around the whole part `q` of the mean: `D = squares - q sum - q r` with
    /// `sum = n q + r` fits into 128 bits where the raw sum of squares may not; the fraction
    /// then takes off `r^2 / n`.
    fn squared_deviations(&self, count: u64, range: u64) -> f64 {
        let (range, samples, count) = (range as f64, count as f64, u128::from(count));
        let largest = range * range / 4.0 * samples;
        if largest >= TWO_TO_128 {
            return largest;
        }
        let (whole, rest) = (self.sum / count, self.sum % count);
        let around_whole = self
            .squares
            .wrapping_sub(whole.wrapping_mul(self.sum))
            .wrapping_sub(whole.wrapping_mul(rest));
        match around_whole.checked_mul(count) {
            Some(scaled) => (scaled - rest * rest) as f64 / samples,
            None => around_whole as f64 - (rest as f64) * (rest as f64) / samples,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Purpose, Stream};

    fn sampled(samples: impl IntoIterator<Item = u64>) -> Sampled {
        let mut sampled = Sampled::new();
        samples
            .into_iter()
            .for_each(|sample| sampled.record(sample));
        sampled
    }

    #[test]
    fn known_variance() {
        let found = sampled([2, 4, 4, 4, 5, 5, 7, 9]);
        assert_eq!((found.count(), found.sum(), found.mean()), (8, 40, 5.0));
        assert_eq!((found.min(), found.max()), (2, 9));
        assert_eq!(found.variance(), 32.0 / 7.0);
    }

    /// The variance of `0..n` is `n (n + 1) / 12`, wherever it starts.
    #[test]
    fn a_large_offset_costs_no_digits() {
        for offset in [0, 1 << 40, u64::MAX - 1_000] {
            let found = sampled((0..1_000).map(|x| x + offset));
            assert_eq!(found.variance(), 1_000.0 * 1_001.0 / 12.0);
        }
    }

    /// Where whole numbers of 128 bits are too small, floats go on.
    #[test]
    fn the_largest_variance_is_told() {
        let most = u64::MAX as f64;
        let found = sampled([0, u64::MAX, u64::MAX]).variance();
        assert!((found / (most * most / 3.0) - 1.0).abs() < 1e-12, "{found}");
        let found = sampled([0, u64::MAX, u64::MAX - 1]).variance();
        assert!((found / (most * most / 3.0) - 1.0).abs() < 1e-12, "{found}");
    }

    /// Negative control: the textbook formula in floats loses what the whole numbers keep.
    #[test]
    fn sums_of_floats_would_lose_the_variance() {
        let samples = (0..1_000).map(|x| (x + (1_u64 << 40)) as f64);
        let (sum, squares) = samples.fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
        let textbook = (squares - sum * sum / 1_000.0) / 999.0;
        assert!((textbook / (1_000.0 * 1_001.0 / 12.0) - 1.0_f64).abs() > 0.01);
    }

    #[test]
    fn order_and_parts_make_no_difference() {
        let mut stream = Stream::new(1, 0, Purpose::Pattern);
        let samples: alloc::vec::Vec<u64> = (0..999).map(|_| stream.next_u64() >> 14).collect();
        let mut parts = sampled(samples[500..].iter().rev().copied());
        parts.merge(&sampled(samples[..500].iter().copied()));
        parts.merge(&Sampled::new());
        assert_eq!(parts, sampled(samples));
    }

    #[test]
    fn a_sample_many_times_is_that_many_samples() {
        let mut many = sampled([9]);
        many.record_many(7, 4);
        many.record_many(1, 0);
        assert_eq!(many, sampled([7, 9, 7, 7, 7]));
        many.record_many(0, 1);
        assert_ne!(many, sampled([7, 9, 7, 7, 7]));
    }

    #[test]
    fn few_samples_and_extremes_have_an_answer() {
        assert_eq!(
            (sampled([]).mean(), sampled([]).min(), sampled([]).max()),
            (0.0, 0, 0)
        );
        assert_eq!(sampled([7]).variance(), 0.0);
        assert_eq!(sampled([u64::MAX; 3]).variance(), 0.0);
        let extreme = sampled([0, u64::MAX]).variance();
        assert!((extreme / (u64::MAX as f64 * u64::MAX as f64 / 2.0) - 1.0).abs() < 1e-12);
        let bounded = sampled([0, u64::MAX, 0, u64::MAX, 0, u64::MAX]).variance();
        assert!((bounded / (u64::MAX as f64 * u64::MAX as f64 * 0.3) - 1.0).abs() < 1e-12);
    }
}
