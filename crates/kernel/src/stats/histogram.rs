//! Percentiles of whole numbers.

use alloc::vec::Vec;

use crate::survey::Survey;

/// A log-linear histogram of `u64` samples: 2^`FINE` buckets per power of two. Values below
/// 2^(`FINE` + 1) are exact, others are told to 1/2^`FINE` of the value; unless said otherwise that
/// is below 128, and to 1/64. Memory covers the range that occurs and nothing while empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Histogram<const FINE: u32 = 6> {
    /// Buckets `first ..`.
    counts: Vec<u64>,
    first: usize,
    count: u64,
    /// Without samples above `max`, so that no value lies between them.
    min: u64,
    max: u64,
}

impl<const FINE: u32> Default for Histogram<FINE> {
    fn default() -> Self {
        Histogram {
            counts: Vec::new(),
            first: 0,
            count: 0,
            min: u64::MAX,
            max: 0,
        }
    }
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
    /// No samples, of the usual fineness.
    pub const fn new() -> Histogram {
        Histogram {
            counts: Vec::new(),
            first: 0,
            count: 0,
            min: u64::MAX,
            max: 0,
        }
    }
}

impl<const FINE: u32> Histogram<FINE> {
    /// Takes a sample in.
    #[inline]
    pub fn record(&mut self, sample: u64) {
        if sample < self.min || sample > self.max {
            return self.record_outside(sample);
        }
        // Between two samples there is a bucket for every value.
        self.counts[index::<FINE>(sample) - self.first] += 1;
        self.count += 1;
    }

    /// What was recorded, for a run that repeats itself: no period has anything smaller or larger
    /// than the first.
    pub(crate) fn survey_histogram(&mut self, survey: &mut Survey) {
        let Histogram {
            counts,
            first,
            count,
            min: _,
            max: _,
        } = self;
        survey.by_value(*first, counts);
        survey.adds(count);
    }

    /// Takes a sample in so many times.
    pub fn record_many(&mut self, sample: u64, times: u64) {
        if times > 0 {
            self.record(sample);
            self.counts[index::<FINE>(sample) - self.first] += times - 1;
            self.count += times - 1;
        }
    }

    /// Takes all samples of `other` in.
    pub fn merge(&mut self, other: &Self) {
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

    /// Smallest sample; 0 without samples.
    pub const fn min(&self) -> u64 {
        if self.count == 0 { 0 } else { self.min }
    }

    /// Largest sample; 0 without samples.
    pub const fn max(&self) -> u64 {
        self.max
    }

    /// A value that `percent` of the samples (0 to 100) don't exceed: the upper edge of the bucket
    /// of the exact one, so never below it and at most a bucket above, and never outside the
    /// samples. Exact where a bucket holds one value, at the extremes and where all samples are
    /// alike. 0 without samples.
    pub fn percentile(&self, percent: f64) -> u64 {
        // A little less, so that 7 % of 100 samples are 7 whatever the product rounds to.
        let rank = percent.clamp(0.0, 100.0) * self.count as f64 / 100.0 * (1.0 - 1e-12);
        let rank = (libm::ceil(rank) as u64).clamp(1, self.count.max(1));
        if rank == self.count {
            return self.max;
        }
        let mut passed = 0;
        for bucket in self.buckets() {
            passed += bucket.count;
            if passed >= rank {
                return bucket.high.clamp(self.min, self.max);
            }
        }
        self.max
    }

    /// The buckets that hold samples, lowest first.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        let filled = self.counts.iter().enumerate().filter(|(_, n)| **n > 0);
        filled.map(|(i, &count)| {
            let (low, high) = bounds::<FINE>(self.first + i);
            Bucket { low, high, count }
        })
    }

    /// Is it counted by itself, not with others in a bucket?
    #[inline]
    pub const fn is_exact(sample: u64) -> bool {
        sample >> (FINE + 1) == 0
    }

    /// The values that are exact, lowest first, and how often each came.
    pub fn exact(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let exact = self
            .buckets()
            .take_while(|bucket| bucket.low == bucket.high);
        exact.map(|bucket| (bucket.low, bucket.count))
    }

    /// Samples that are not.
    pub fn beyond_exact(&self) -> u64 {
        self.count - self.exact().map(|(_, count)| count).sum::<u64>()
    }

    #[cold]
    fn record_outside(&mut self, sample: u64) {
        let bucket = index::<FINE>(sample);
        self.reach(bucket);
        self.counts[bucket - self.first] += 1;
        self.extend_range(sample, sample);
        self.count += 1;
    }

    fn extend_range(&mut self, min: u64, max: u64) {
        self.min = self.min.min(min);
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

/// The bucket of a value. With `shift` the bits beyond the leading `FINE` + 1, it is
/// `2^FINE shift + (value >> shift)`: continuous, since `value >> shift` runs from 2^`FINE` to its
/// double. Of a smaller value `shift` is 0, and it is its own bucket.
#[inline]
const fn index<const FINE: u32>(value: u64) -> usize {
    let shift = (value | (1 << FINE)).ilog2() - FINE;
    ((shift as usize) << FINE) + (value >> shift) as usize
}

/// Lowest and highest value of a bucket.
const fn bounds<const FINE: u32>(bucket: usize) -> (u64, u64) {
    let shift = (bucket >> FINE).saturating_sub(1);
    let low = ((bucket - (shift << FINE)) as u64) << shift;
    (low, low + ((1 << shift) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Purpose, Stream};

    fn histogram(samples: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        samples.iter().for_each(|&sample| histogram.record(sample));
        histogram
    }

    /// Samples over many orders of magnitude, sorted.
    fn spread_samples(count: usize) -> Vec<u64> {
        let mut stream = Stream::new(5, 0, Purpose::Pattern);
        let mut draw = || stream.next_u64() >> stream.below(64);
        let mut samples: Vec<u64> = (0..count).map(|_| draw()).collect();
        samples.sort_unstable();
        samples
    }

    /// Largest relative distance of percentiles from those of the sorted samples; infinite if one
    /// is too low.
    fn worst_error(histogram: &Histogram, sorted: &[u64]) -> f64 {
        let error = |percent: u32| {
            let rank = (sorted.len() * percent as usize).div_ceil(100).max(1);
            let exact = sorted[rank - 1];
            let found = histogram.percentile(f64::from(percent));
            match found.checked_sub(exact) {
                Some(above) => above as f64 / exact.max(1) as f64,
                None => f64::INFINITY,
            }
        };
        (0..=100).map(error).fold(0.0, f64::max)
    }

    #[test]
    fn percentiles_are_those_of_the_sorted_samples() {
        let samples = spread_samples(10_000);
        let worst = worst_error(&histogram(&samples), &samples);
        assert!(worst <= 1.0 / 64.0, "off by {worst}");
        assert!(worst > 0.0);
    }

    /// Negative control: percentiles of other samples.
    #[test]
    fn percentiles_of_other_samples_are_found_out() {
        let samples = spread_samples(10_000);
        let larger: Vec<u64> = samples.iter().map(|x| x.saturating_add(x / 20)).collect();
        assert!(worst_error(&histogram(&larger), &samples) > 1.0 / 32.0);
        let smaller: Vec<u64> = samples.iter().map(|x| x - x / 20).collect();
        assert!(worst_error(&histogram(&smaller), &samples) > 1.0 / 32.0);
    }

    /// A delay that hardly varies: 99 of 100 don't exceed a value that is not below the mean.
    #[test]
    fn percentiles_of_what_hardly_varies_are_not_below_its_mean() {
        let samples: Vec<u64> = (0..100).map(|i| 780_588_000_000 + i % 5).collect();
        let found = histogram(&samples);
        let mean = samples.iter().sum::<u64>() / 100;
        for percent in [50.0, 90.0, 99.0, 99.9] {
            let value = found.percentile(percent);
            assert!((mean..=found.max).contains(&value), "{percent}: {value}");
        }
        assert_eq!(histogram(&[1_000_003; 7]).percentile(99.0), 1_000_003);
    }

    fn touch<const FINE: u32>() {
        let last = index::<FINE>(u64::MAX);
        assert_eq!(
            (bounds::<FINE>(0), bounds::<FINE>(last).1),
            ((0, 0), u64::MAX)
        );
        for bucket in 0..=last {
            let (low, high) = bounds::<FINE>(bucket);
            assert_eq!((index::<FINE>(low), index::<FINE>(high)), (bucket, bucket));
            assert!((high - low) as f64 <= low as f64 / f64::from(1 << FINE));
            assert!(bucket == last || bounds::<FINE>(bucket + 1).0 == high + 1);
        }
    }

    #[test]
    fn buckets_touch_and_are_narrow() {
        touch::<6>();
        touch::<11>();
    }

    #[test]
    fn small_values_and_extremes_are_exact() {
        let found = histogram(&[5, 5, 6, 127, 1_000_003]);
        assert_eq!(
            [0.0, 40.0, 50.0, 80.0].map(|p| found.percentile(p)),
            [5, 5, 6, 127]
        );
        assert_eq!(found.percentile(100.0), 1_000_003);
        let single = histogram(&[1_000_003]);
        assert_eq!(single.percentile(50.0), 1_000_003);
    }

    #[test]
    fn buckets_hold_what_was_recorded_and_no_more() {
        let found = histogram(&[5, 3, 200, 5, 1]);
        let seen = found.buckets().map(|one| (one.low, one.high, one.count));
        let wanted = [(1, 1, 1), (3, 3, 1), (5, 5, 2), (200, 201, 1)];
        assert_eq!(seen.collect::<Vec<_>>(), wanted);
        assert_eq!(found.count(), 5);
        assert_eq!((found.first, found.counts.len()), (1, index::<6>(200)));
        let mut low = histogram(&[1]);
        low.merge(&histogram(&[50, 51]));
        assert_eq!(low, histogram(&[1, 50, 51]));
        assert_eq!((low.count(), low.counts.len()), (3, 51));
    }

    #[test]
    fn exact_values_and_the_rest_are_all_samples() {
        let found = histogram(&[127, 3, 3, 128, 5_000]);
        assert_eq!(found.exact().collect::<Vec<_>>(), [(3, 2), (127, 1)]);
        assert_eq!(found.beyond_exact(), 2);
        let mut finer = Histogram::<11>::default();
        [4_095, 4_096, 128]
            .iter()
            .for_each(|&sample| finer.record(sample));
        assert_eq!(finer.exact().collect::<Vec<_>>(), [(128, 1), (4_095, 1)]);
        assert_eq!((finer.beyond_exact(), finer.percentile(50.0)), (1, 4_095));
    }

    #[test]
    fn ranks_are_not_moved_by_rounding() {
        let tens: Vec<u64> = (1..=10).collect();
        let hundred = histogram(&tens.repeat(100));
        let found = (1..=10).map(|i| hundred.percentile(10.0 * i as f64));
        assert_eq!(found.collect::<Vec<_>>(), tens);
        assert_eq!(histogram(&tens).percentile(30.000001), 4);
    }

    #[test]
    fn an_empty_one_owns_nothing() {
        let empty = Histogram::new();
        assert_eq!(empty.counts.capacity(), 0);
        assert_eq!(
            (
                empty.count(),
                empty.percentile(50.0),
                empty.buckets().count()
            ),
            (0, 0, 0)
        );
        assert_eq!(empty.percentile(f64::NAN), 0);
    }

    #[test]
    fn parts_make_the_whole() {
        let samples = spread_samples(2_000);
        for middle in [0, 1, 700, 1_999, 2_000] {
            let mut parts = histogram(&samples[middle..]);
            parts.merge(&histogram(&samples[..middle]));
            assert_eq!(parts, histogram(&samples));
        }
        let total: u64 = histogram(&samples)
            .buckets()
            .map(|bucket| bucket.count)
            .sum();
        assert_eq!(total, 2_000);
    }
}
