//! Samples of one kind: moments and percentiles.

use super::histogram::Histogram;
use super::sampled::Sums;
use crate::survey::Survey;

/// Count, mean, deviation, extremes and percentiles of `u64` samples. `FINE`: see [`Histogram`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Samples<const FINE: u32 = 6> {
    /// Of values that the histogram does not tell exactly.
    beyond: Sums,
    histogram: Histogram<FINE>,
}

impl Samples {
    /// No samples, of the usual fineness.
    pub const fn new() -> Samples {
        Samples {
            beyond: Sums::NONE,
            histogram: Histogram::new(),
        }
    }
}

impl<const FINE: u32> Samples<FINE> {
    /// Takes a sample in.
    #[inline]
    pub fn record(&mut self, sample: u64) {
        if !Histogram::<FINE>::is_exact(sample) {
            self.beyond.record(sample);
        }
        self.histogram.record(sample);
    }

    /// What was recorded, for a run that repeats itself.
    pub(crate) fn survey_samples(&mut self, survey: &mut Survey) {
        let Samples { beyond, histogram } = self;
        beyond.survey_sums(survey);
        histogram.survey_histogram(survey);
    }

    /// Takes all samples of `other` in.
    pub fn merge(&mut self, other: &Self) {
        self.beyond.merge(&other.beyond);
        self.histogram.merge(&other.histogram);
    }

    /// Samples.
    pub const fn count(&self) -> u64 {
        self.histogram.count()
    }

    /// Their sum, exact.
    pub fn sum(&self) -> u128 {
        self.sums().sum
    }

    /// Mean; 0 without samples.
    pub fn mean(&self) -> f64 {
        self.sums().mean(self.count())
    }

    /// Standard deviation (over n - 1); 0 with less than two samples.
    pub fn deviation(&self) -> f64 {
        let range = self.max() - self.min();
        libm::sqrt(self.sums().variance(self.count(), range))
    }

    /// Smallest; 0 without samples.
    pub const fn min(&self) -> u64 {
        self.histogram.min()
    }

    /// Largest; 0 without samples.
    pub const fn max(&self) -> u64 {
        self.histogram.max()
    }

    /// What `percent` of the samples don't exceed: see [`Histogram::percentile`].
    pub fn percentile(&self, percent: f64) -> u64 {
        self.histogram.percentile(percent)
    }

    fn sums(&self) -> Sums {
        let mut sums = self.beyond;
        for (value, times) in self.histogram.exact() {
            sums.record_many(value, times);
        }
        sums
    }

    /// How the samples are spread.
    pub const fn histogram(&self) -> &Histogram<FINE> {
        &self.histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Sampled;

    #[test]
    fn moments_and_percentiles_are_of_the_same_samples() {
        let (mut samples, mut moments) = (Samples::<6>::default(), Sampled::new());
        assert_eq!(
            (samples.mean(), samples.deviation(), samples.min()),
            (0.0, 0.0, 0)
        );
        assert_eq!(Samples::<6>::default().sum(), 0);
        for sample in [9, 7, 7, 1_000_003] {
            samples.record(sample);
            moments.record(sample);
        }
        assert_eq!((samples.count(), samples.sum()), (4, 1_000_026));
        assert_eq!((samples.min(), samples.max()), (7, 1_000_003));
        assert_eq!(samples.mean(), moments.mean());
        assert_eq!(samples.deviation(), moments.deviation());
        assert_eq!(
            [25.0, 75.0, 100.0].map(|p| samples.percentile(p)),
            [7, 9, 1_000_003]
        );
        let mut merged = Samples::default();
        merged.merge(&samples);
        merged.merge(&Samples::default());
        assert_eq!(merged, samples);
    }
}
