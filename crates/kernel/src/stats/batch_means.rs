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
