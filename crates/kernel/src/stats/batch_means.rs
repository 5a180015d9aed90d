//! Confidence from one long run.

use alloc::vec::Vec;

use super::interval::interval_of_means;

/// Most batches kept; then neighbours are joined.
const BATCHES: usize = 40;
/// Shorter batches say nothing about samples that depend on each other.
const SMALLEST_BATCH: u64 = 16;

/// Batch means of a stream of samples: 20 to 40 batches whose length doubles as samples come.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BatchMeans {
    /// Sums of the batches that are full.
    sums: Vec<f64>,
    /// Samples in a full batch, as a power of two.
    length_log2: u32,
    /// Samples in the batch being filled.
    filled: u64,
    sum: u128,
}

impl BatchMeans {
    /// No samples.
    pub const fn new() -> BatchMeans {
        BatchMeans {
            sums: Vec::new(),
            length_log2: 0,
            filled: 0,
            sum: 0,
        }
    }

    /// Takes a sample in.
    #[inline]
    pub fn record(&mut self, sample: u64) {
        self.sum += u128::from(sample);
        self.filled += 1;
        if self.filled == self.batch_length() {
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
    /// 20 batches of 16.
    pub fn half_width_95(&self) -> Option<f64> {
        if self.batch_length() < SMALLEST_BATCH || self.sums.len() < BATCHES / 2 {
            return None;
        }
        interval_of_means(&self.means()).map(|(_, half_width)| half_width)
    }

    #[cold]
    fn close(&mut self) {
        self.sums.push(self.sum as f64);
        self.sum = 0;
        self.filled = 0;
        if self.sums.len() == BATCHES {
            for i in 0..BATCHES / 2 {
                self.sums[i] = self.sums[2 * i] + self.sums[2 * i + 1];
            }
            self.sums.truncate(BATCHES / 2);
            self.length_log2 += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Purpose, Stream};

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

    /// How many of 200 intervals, scaled by `factor`, hold the true mean.
    fn covered(a: f64, length: usize, factor: f64) -> usize {
        let holds = |seed: &u64| {
            let (mean, batches) = run(*seed, a, length);
            (mean - MEAN).abs() <= factor * batches.half_width_95().unwrap()
        };
        (0..200).filter(holds).count()
    }

    #[test]
    fn intervals_hold_the_mean_as_often_as_they_say() {
        for a in [0.0, 0.8] {
            let hits = covered(a, 20_000, 1.0);
            assert!((180..=198).contains(&hits), "{hits} of 200 with {a}");
        }
    }

    /// Negative control: half as wide, and samples that depend on each other for too long.
    #[test]
    fn narrow_intervals_are_found_out() {
        assert!(covered(0.0, 20_000, 0.5) < 170);
        assert!(covered(0.999, 700, 1.0) < 170);
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
