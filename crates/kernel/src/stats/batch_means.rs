//! Confidence from one long run.
//!
//! The means of batches give an interval only if they do not depend on each other. That is tested
//! with von Neumann's ratio of the mean square successive difference to the variance (Annals of
//! Mathematical Statistics 12(4), 1941), as Fishman does it for batch means ("Grouping observations
//! in digital simulation", Management Science 24(5), 1978), one-sided at a level of 10 % (Fishman
//! and Yarberry, "An implementation of the batch means method", INFORMS Journal on Computing 9(3),
//! 1997).
//!
//! Close to saturation queues swing slowly under much noise. Short batches show the noise only and
//! look independent, while the mean of the run is off by half a swing. So neighbours are joined,
//! and joined again, as long as ten are left; each time the test is repeated, at 5 %, and the
//! widest interval counts. A swing that is longer than the run shows in the short batches: 40 or
//! more find it, where 20 often don't. About one in six runs whose batches are independent gets no
//! interval either.

use alloc::vec::Vec;

use super::interval::interval_of_means;
use crate::survey::Cycle;

/// Most batches kept; then neighbours are joined.
const BATCHES: usize = 80;
/// With fewer batches there is no interval.
const FEWEST: usize = BATCHES / 2;
/// As many are left when neighbours have been joined the last time.
const JOINED_LEAST: usize = 10;
/// Shorter batches say nothing about samples that depend on each other.
const SMALLEST_BATCH: u64 = 16;
/// What a standard normal variable exceeds in 10 % of all cases.
const NORMAL_90: f64 = 1.281_551_565_544_600_5;
/// The same in 5 %.
const NORMAL_95: f64 = 1.644_853_626_951_472_2;

/// Batch means of a stream of samples: 40 to 80 batches whose length doubles as samples come.
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

    /// Takes these samples in, one after another, so many times.
    pub(crate) fn record_again(&mut self, samples: &[u64], times: u64) {
        let mut rest = samples.len() as u64 * times;
        let mut cycle = Cycle::of(samples);
        while rest > 0 {
            let count = self.left.min(rest);
            self.sum += cycle.take(count);
            self.left -= count;
            rest -= count;
            if self.left == 0 {
                self.close();
            }
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
    /// 40 batches of 16, or where [`interval_of_batches`] finds that they depend on each other.
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
/// `None` with less than 40 of them, or where they depend on each other, as they are or joined: the
/// run was too short.
pub fn interval_of_batches(means: &[f64]) -> Option<(f64, f64)> {
    if means.len() < FEWEST || are_correlated(means, NORMAL_90) {
        return None;
    }
    let (mean, mut widest) = interval_of_means(means)?;
    let mut joined = joined(means);
    while joined.len() >= JOINED_LEAST {
        if are_correlated(&joined, NORMAL_95) {
            return None;
        }
        widest = widest.max(interval_of_means(&joined)?.1);
        joined = self::joined(&joined);
    }
    Some((mean, widest))
}

/// Means of two neighbours each; an odd one at the end is left out.
fn joined(means: &[f64]) -> Vec<f64> {
    let pairs = means.chunks_exact(2);
    pairs.map(|pair| (pair[0] + pair[1]) / 2.0).collect()
}

/// Successive values are closer to each other than all but a few independent ones are; `quantile`
/// of a normal variable says how few.
fn are_correlated(means: &[f64], quantile: f64) -> bool {
    lag_1_correlation(means) > most_of_independent(means.len() as f64, quantile)
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

/// What the most of series of `n` independent normal values stay below.
fn most_of_independent(n: f64, quantile: f64) -> f64 {
    quantile * libm::sqrt((n - 2.0) / (n * n - 1.0))
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
        assert!(!are_correlated(&[7.0; 20], NORMAL_90), "all alike");
        // 1.28155 sqrt(18 / 399).
        assert!((most_of_independent(20.0, NORMAL_90) - 0.272_200).abs() < 1e-5);
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

    /// Five in six runs give an interval, and 95 % of these hold the mean.
    #[test]
    fn intervals_hold_the_mean_as_often_as_they_say() {
        for a in [0.0, 0.8] {
            let (given, hits) = covered(a, 20_000, 1.0);
            assert!((150..=182).contains(&given), "{given} of 200 with {a}");
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

    /// A slow swing as large as the noise, as queues have it close to saturation. Of 200 runs of
    /// means: how many give an interval by `rule`, and how many of these hold the mean.
    fn covered_swings(
        length: usize,
        rule: impl Fn(&[f64]) -> Option<(f64, f64)>,
    ) -> (usize, usize) {
        let (mut given, mut hits) = (0, 0);
        for seed in 0..200 {
            let mut stream = Stream::new(seed, 1, Purpose::Pattern);
            let a: f64 = 0.95;
            let mut swing = stream.normal();
            let mut mean = || {
                swing = a * swing + libm::sqrt(1.0 - a * a) * stream.normal();
                swing + stream.normal()
            };
            let means: Vec<f64> = (0..length).map(|_| mean()).collect();
            if let Some((mean, half_width)) = rule(&means) {
                given += 1;
                hits += usize::from(mean.abs() <= half_width);
            }
        }
        (given, hits)
    }

    /// Whatever a run says holds, and most runs say nothing.
    #[test]
    fn slow_swings_under_noise_are_found() {
        let (given, hits) = covered_swings(79, interval_of_batches);
        assert!(given - hits <= 12, "{hits} of {given}");
        // Negative control: untested.
        let (given, hits) = covered_swings(79, interval_of_means);
        assert!(given - hits > 60, "{hits} of {given}");
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
        let line: Vec<f64> = (0..40).map(f64::from).collect();
        assert_eq!(interval_of_batches(&line), None);
        let zigzag: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
        assert!(interval_of_batches(&zigzag).is_some());
        assert_eq!(interval_of_batches(&zigzag[1..]), None, "39 are too few");
        assert_eq!(interval_of_batches(&[3.0; 40]), Some((3.0, 0.0)));
    }

    #[test]
    fn batches_double_and_lose_nothing() {
        let mut batches = BatchMeans::new();
        for sample in 0..10_240_u64 {
            batches.record(sample);
        }
        assert_eq!((batches.batch_length(), batches.means().len()), (256, 40));
        let means = batches.means();
        assert!((0..40).all(|i| means[i] == 256.0 * i as f64 + 127.5));
    }

    #[test]
    fn few_samples_give_no_interval() {
        let mut batches = BatchMeans::new();
        for _ in 0..639 {
            batches.record(1);
            assert_eq!(batches.half_width_95(), None);
        }
        batches.record(1);
        assert_eq!(batches.half_width_95(), Some(0.0));
    }
}
