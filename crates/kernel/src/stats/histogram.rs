//! Percentiles of whole numbers.

use alloc::vec::Vec;

/// Buckets per power of two, as a power of two.
const RESOLUTION: u32 = 5;

/// A log-linear histogram of `u64` samples: 32 buckets per power of two, so a bucket is at most
/// 1/32 of its values wide; values below 64 are exact. Memory covers the range that occurs and
/// nothing while empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Histogram {
    /// Buckets `first ..`.
    counts: Vec<u64>,
    first: usize,
    count: u64,
    min: u64,
    max: u64,
}

/// One bucket that holds samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bucket {
    /// Lowest value that falls into it.
    pub low: u64,
    /// Highest value that falls into it.
    pub high: u64,
    /// Samples in it.
    pub count: u64,
}

impl Histogram {
    /// No samples.
    pub const fn new() -> Histogram {
        Histogram {
            counts: Vec::new(),
            first: 0,
            count: 0,
            min: 0,
            max: 0,
        }
    }

    /// Takes a sample in.
    #[inline]
    pub fn record(&mut self, sample: u64) {
        let at = index(sample).wrapping_sub(self.first);
        if self.count == 0 || at >= self.counts.len() {
            return self.record_outside(sample);
        }
        self.counts[at] += 1;
        self.count += 1;
        self.min = self.min.min(sample);
        self.max = self.max.max(sample);
    }

    /// Takes all samples of `other` in.
    pub fn merge(&mut self, other: &Histogram) {
        if other.count == 0 {
            return;
        }
        self.reach(other.first);
        self.reach(other.first + other.counts.len() - 1);
        let shift = other.first - self.first;
        for (i, count) in other.counts.iter().enumerate() {
            self.counts[shift + i] += count;
        }
        self.extend_range(other.min, other.max);
        self.count += other.count;
    }

    /// Samples.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The value that `percent` of the samples (0 to 100) don't exceed: the middle of its
    /// bucket, within 1/64 of the exact one, and exact at the extremes. 0 without samples.
    pub fn percentile(&self, percent: f64) -> u64 {
        let share = percent.clamp(0.0, 100.0) / 100.0;
        let rank = (libm::ceil(share * self.count as f64) as u64).clamp(1, self.count.max(1));
        if rank == self.count {
            return self.max;
        }
        let mut passed = 0;
        for bucket in self.buckets() {
            passed += bucket.count;
            if passed >= rank {
                let middle = bucket.low + (bucket.high - bucket.low) / 2;
                return middle.clamp(self.min, self.max);
            }
        }
        self.max
    }

    /// The buckets that hold samples, lowest first.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        let filled = self.counts.iter().enumerate().filter(|(_, n)| **n > 0);
        filled.map(|(i, &count)| {
            let (low, high) = bounds(self.first + i);
            Bucket { low, high, count }
        })
    }

    #[cold]
    fn record_outside(&mut self, sample: u64) {
        let bucket = index(sample);
        self.reach(bucket);
        self.counts[bucket - self.first] += 1;
        self.extend_range(sample, sample);
        self.count += 1;
    }

    fn extend_range(&mut self, min: u64, max: u64) {
        let was_empty = self.count == 0;
        self.min = if was_empty { min } else { self.min.min(min) };
        self.max = self.max.max(max);
    }

    /// Makes room for a bucket.
    fn reach(&mut self, bucket: usize) {
        if self.counts.is_empty() {
            self.first = bucket;
        }
        if bucket < self.first {
            let missing = self.first - bucket;
            self.counts.splice(0..0, core::iter::repeat_n(0, missing));
            self.first = bucket;
        } else if bucket - self.first >= self.counts.len() {
            self.counts.resize(bucket - self.first + 1, 0);
        }
    }
}

/// The bucket of a value. With `shift` the bits beyond the leading six, it is
/// `32 shift + (value >> shift)`: continuous, since `value >> shift` runs from 32 to 63.
#[inline]
const fn index(value: u64) -> usize {
    let bits = u64::BITS - value.leading_zeros();
    let shift = bits.saturating_sub(RESOLUTION + 1);
    ((shift as usize) << RESOLUTION) + (value >> shift) as usize
}

/// Lowest and highest value of a bucket.
const fn bounds(bucket: usize) -> (u64, u64) {
    let shift = (bucket >> RESOLUTION).saturating_sub(1);
    let low = ((bucket - (shift << RESOLUTION)) as u64) << shift;
    (low, low + ((1 << shift) - 1))
}
