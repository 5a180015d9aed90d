//! Confidence from one long run.
//!
//! The means of batches give an interval only if they do not depend on each other. That is tested
//! with von Neumann's ratio of the mean square successive difference to the variance (Annals of
//! Mathematical Statistics 12(4), 1941), as Fishman does it for batch means ("Grouping observations
//! in digital simulation", Management Science 24(5), 1978), one-sided at a level of 10 % (Fishman
//! and Yarberry, "An implementation of the batch means method", INFORMS Journal on Computing 9(3),
//! 1997). One in ten runs whose batches are independent thus gets no interval either.

use alloc::vec::Vec;

use super::interval::interval_of_means;

/// Most batches kept; then neighbours are joined.
const BATCHES: usize = 40;
/// With fewer batches there is no interval.
const FEWEST: usize = BATCHES / 2;
/// Shorter batches say nothing about samples that depend on each other.
const SMALLEST_BATCH: u64 = 16;
/// What a standard normal variable exceeds in 10 % of all cases.
const NORMAL_90: f64 = 1.281_551_565_544_600_5;

/// Batch means of a stream of samples: 20 to 40 batches whose length doubles as samples come.
#[derive(Clone, PartialEq, Debug)]
pub struct BatchMeans {
    /// Sums of the batches that are full.
    sums: Vec<f64>,
    /// Samples in a full batch, as a power of two.
    length_log2: u32,
    /// Samples that the batch being filled still takes.
    left: u64,
    sum: u128,
}

impl Default for BatchMeans {
    fn default() -> Self {
        BatchMeans::new()
    }
}

impl BatchMeans {
    /// No samples.
    pub const fn new() -> BatchMeans {
        BatchMeans {
            sums: Vec::new(),
            length_log2: 0,
            left: 1,
            sum: 0,
        }
    }

    /// Takes a sample in.
    #[inline]
    pub fn record(&mut self, sample: u64) {
        self.sum += u128::from(sample);
        self.left -= 1;
        if self.left == 0 {
            self.close();
        }
    }

    /// Samples in a full batch.
    #[inline]
    pub const fn batch_length(&self) -> u64 {
        1 << self.length_log2
    }

    /// Means of the full batches, in order.
    pub fn means(&self) -> Vec<f64> {
        let length = self.batch_length() as f64;
        self.sums.iter().map(|sum| sum / length).collect()
    }

    /// Half width of the 95 % interval of the mean, in the samples' unit; `None` with less than
    /// 20 batches of 16, or where [`interval_of_batches`] finds that they depend on each other.
    pub fn half_width_95(&self) -> Option<f64> {
        if self.batch_length() < SMALLEST_BATCH {
            return None;
        }
        interval_of_batches(&self.means()).map(|(_, half_width)| half_width)
    }

    #[cold]
    fn close(&mut self) {
        self.sums.push(self.sum as f64);
        self.sum = 0;
        if self.sums.len() == BATCHES {
            for i in 0..BATCHES / 2 {
                self.sums[i] = self.sums[2 * i] + self.sums[2 * i + 1];
            }
            self.sums.truncate(BATCHES / 2);
            self.length_log2 += 1;
        }
        self.left = self.batch_length();
    }
}

/// Mean and half width of its 95 % interval, from the means of successive batches of one run.
///
/// `None` with less than 20 of them, or where they depend on each other: the run was too short.
pub fn interval_of_batches(means: &[f64]) -> Option<(f64, f64)> {
    if means.len() < FEWEST || are_correlated(means) {
        return None;
    }
    interval_of_means(means)
}

/// Successive values are closer to each other than independent ones are in nine of ten cases.
fn are_correlated(means: &[f64]) -> bool {
    lag_1_correlation(means) > most_of_independent(means.len() as f64)
}

/// One minus half of von Neumann's ratio: about the correlation at lag 1. Not a number for means
/// that are all alike.
fn lag_1_correlation(means: &[f64]) -> f64 {
    let mean = means.iter().sum::<f64>() / means.len() as f64;
    let squares: f64 = means.iter().map(|x| (x - mean) * (x - mean)).sum();
    let successive = means
        .windows(2)
        .map(|two| (two[1] - two[0]) * (two[1] - two[0]));
    1.0 - successive.sum::<f64>() / (2.0 * squares)
}

/// What nine of ten series of `n` independent normal values stay below.
fn most_of_independent(n: f64) -> f64 {
    NORMAL_90 * libm::sqrt((n - 2.0) / (n * n - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Purpose, Stream};

    #[test]
    fn the_test_of_correlation_is_von_neumanns() {
        // Squares 5 around 2.5, successive ones 3.
        assert!((lag_1_correlation(&[1.0, 2.0, 3.0, 4.0]) - 0.7).abs() < 1e-12);
        // Squares 4 around 11, successive ones 12.
        assert!((lag_1_correlation(&[10.0, 12.0, 10.0, 12.0]) + 0.5).abs() < 1e-12);
        assert!(!are_correlated(&[7.0; 20]), "all alike");
        // 1.28155 sqrt(18 / 399).
        assert!((most_of_independent(20.0) - 0.272_200).abs() < 1e-5);
    }

    const MEAN: f64 = 1e6;

    /// A run of the autoregressive series `x' = a x + noise` around [`MEAN`].
    fn run(seed: u64, a: f64, length: usize) -> (f64, BatchMeans) {
        let mut stream = Stream::new(seed, 0, Purpose::Pattern);
        let mut batches = BatchMeans::new();
        let mut x = stream.normal() / libm::sqrt(1.0 - a * a);
        let mut sum = 0.0;
        for _ in 0..length {
            let sample = MEAN + 1_000.0 * x;
            sum += sample;
            batches.record(sample as u64);
            x = a * x + stream.normal();
        }
        (sum / length as f64, batches)
    }

    /// Of 200 runs: how many give an interval, and how many of these intervals, scaled by
    /// `factor`, hold the true mean.
    fn covered(a: f64, length: usize, factor: f64) -> (usize, usize) {
        let (mut given, mut hits) = (0, 0);
        for seed in 0..200 {
            let (mean, batches) = run(seed, a, length);
            if let Some(half_width) = batches.half_width_95() {
                given += 1;
                hits += usize::from((mean - MEAN).abs() <= factor * half_width);
            }
        }
        (given, hits)
    }

    /// Nine in ten runs give an interval, and 95 % of these hold the mean.
    #[test]
    fn intervals_hold_the_mean_as_often_as_they_say() {
        for a in [0.0, 0.8] {
            let (given, hits) = covered(a, 20_000, 1.0);
            assert!((165..=192).contains(&given), "{given} of 200 with {a}");
            assert!(
                hits * 10 >= given * 9 && hits < given,
                "{hits} of {given} with {a}"
            );
        }
    }

    /// Whatever the correlation, few runs give an interval that misses the mean.
    #[test]
    fn batches_that_depend_on_each_other_give_no_interval() {
        for (a, length) in [(0.95, 700), (0.99, 1_300), (0.99, 10_000), (0.999, 700)] {
            let (given, hits) = covered(a, length, 1.0);
            assert!(given - hits <= 20, "{given}, {hits} with {a}, {length}");
        }
        let (given, _) = covered(0.999, 700, 1.0);
        assert!(given <= 2, "{given}");
    }

    /// Negative control: half as wide, and without the test of correlation.
    #[test]
    fn narrow_intervals_are_found_out() {
        let (given, hits) = covered(0.0, 20_000, 0.5);
        assert!(hits * 100 < given * 85, "{hits} of {given}");
        let untested = |seed: &u64| {
            let (mean, batches) = run(*seed, 0.999, 700);
            let (_, half_width) = interval_of_means(&batches.means()).unwrap();
            (mean - MEAN).abs() <= half_width
        };
        assert!((0..200).filter(untested).count() < 60);
    }

    #[test]
    fn a_trend_is_a_correlation_and_a_zigzag_is_none() {
        let line: Vec<f64> = (0..20).map(f64::from).collect();
        assert_eq!(interval_of_batches(&line), None);
        let zigzag: Vec<f64> = (0..20).map(|i| f64::from(i % 2)).collect();
        assert!(interval_of_batches(&zigzag).is_some());
        assert_eq!(interval_of_batches(&zigzag[1..]), None, "19 are too few");
        assert_eq!(interval_of_batches(&[3.0; 20]), Some((3.0, 0.0)));
    }

    #[test]
    fn batches_double_and_lose_nothing() {
        let mut batches = BatchMeans::new();
        for sample in 0..10_240_u64 {
            batches.record(sample);
        }
        assert_eq!((batches.batch_length(), batches.means().len()), (512, 20));
        let means = batches.means();
        assert!((0..20).all(|i| means[i] == 512.0 * i as f64 + 255.5));
    }

    #[test]
    fn few_samples_give_no_interval() {
        let mut batches = BatchMeans::new();
        for _ in 0..319 {
            batches.record(1);
            assert_eq!(batches.half_width_95(), None);
        }
        batches.record(1);
        assert_eq!(batches.half_width_95(), Some(0.0));
    }
}
