//! Delays, response times, latencies: recorded one by one, and what can be said of them.

use super::batch_means::BatchMeans;
use super::histogram::Histogram;
use super::samples::Samples;
use crate::survey::Survey;

/// Percentiles that an outcome tells.
const PERCENTS: [f64; 4] = [50.0, 90.0, 99.0, 99.9];

/// Delays as they come: moments, percentiles, confidence. `FINE`: see [`Histogram`].
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Delays<const FINE: u32 = 6> {
    samples: Samples<FINE>,
    batches: BatchMeans,
}

impl<const FINE: u32> Delays<FINE> {
    /// One more.
    #[inline]
    pub fn record(&mut self, delay: u64) {
        self.samples.record(delay);
        self.batches.record(delay);
    }

    /// Takes the delays of `other` in, but not their order: the interval of the mean stays that of
    /// its own.
    pub fn merge(&mut self, other: &Self) {
        self.samples.merge(&other.samples);
    }

    /// What was recorded, for a run that repeats itself.
    pub fn survey_delays(&mut self, survey: &mut Survey) {
        let Delays { samples, batches } = self;
        samples.survey_samples(survey);
        if let Some((period, times)) = survey.samples() {
            batches.record_again(&period, times);
        }
    }

    /// How many.
    pub const fn count(&self) -> u64 {
        self.samples.count()
    }

    /// What can be said of them.
    pub fn outcome(&self) -> DelayOutcome<FINE> {
        let samples = &self.samples;
        DelayOutcome {
            count: samples.count(),
            mean: samples.mean(),
            deviation: samples.deviation(),
            half_width: self.batches.half_width_95(),
            min: samples.min(),
            max: samples.max(),
            percentiles: PERCENTS.map(|percent| samples.percentile(percent)),
            histogram: samples.histogram().clone(),
            open: 0,
        }
    }
}

/// What can be said of many delays, in the unit of the engine's clock: picoseconds, or cycles.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DelayOutcome<const FINE: u32 = 6> {
    /// How many.
    pub count: u64,
    /// Mean; 0 without any.
    pub mean: f64,
    /// Standard deviation.
    pub deviation: f64,
    /// Half width of the 95 % interval of the mean, by batch means; absent if the run was too
    /// short.
    pub half_width: Option<f64>,
    /// Smallest.
    pub min: u64,
    /// Largest.
    pub max: u64,
    /// Median, 90th, 99th and 99.9th percentile.
    pub percentiles: [u64; 4],
    /// All of them.
    pub histogram: Histogram<FINE>,
    /// How many more had not ended. They count with their age in mean, percentiles and largest,
    /// which are bounds from below then; in nothing else.
    pub open: u64,
}

impl<const FINE: u32> DelayOutcome<FINE> {
    /// The same, with more that had not ended: how old each is at least, and the sum of their ages.
    pub fn with_open(mut self, ages: &Histogram<FINE>, ages_sum: u128) -> Self {
        let open = ages.count();
        if open > 0 {
            let sum = self.mean * self.count as f64 + ages_sum as f64;
            self.mean = sum / (self.count + open) as f64;
            self.half_width = None;
            // The oldest is as old as the mean of them at least.
            let mean = u64::try_from(ages_sum.div_ceil(u128::from(open))).unwrap_or(u64::MAX);
            self.max = self.max.max(ages.max()).max(mean);
            let mut all = self.histogram.clone();
            all.merge(ages);
            self.percentiles = PERCENTS.map(|percent| all.percentile(percent));
            self.open = open;
        }
        self
    }

    /// The percentiles that can be told: none where more than the share above it had not ended.
    pub fn told(&self) -> [Option<u64>; 4] {
        let all = (self.count + self.open) as f64;
        core::array::from_fn(|at| {
            let above = (100.0 - PERCENTS[at]) * all;
            let is_told = self.open == 0 || self.open as f64 * 100.0 <= above;
            is_told.then_some(self.percentiles[at])
        })
    }

    /// The delays of several outcomes together; nobody knows their order, so no interval of the
    /// mean. That of one is left as it is.
    pub fn merged<'a>(all: impl Iterator<Item = &'a Self>) -> Self {
        let mut some = all.filter(|one| one.count > 0).peekable();
        let Some(first) = some.next() else {
            return Self::default();
        };
        let mut sum = first.clone();
        if some.peek().is_none() {
            return sum;
        }
        sum.half_width = None;
        sum.open = 0;
        let moments = |one: &Self| {
            debug_assert!(one.open == 0, "what has not ended is added to the whole");
            let (count, mean) = (one.count as f64, one.mean);
            (
                count * mean,
                count * (one.deviation * one.deviation + mean * mean),
            )
        };
        let (mut total, mut squares) = moments(first);
        for one in some {
            let (its_total, its_squares) = moments(one);
            total += its_total;
            squares += its_squares;
            sum.count += one.count;
            sum.min = sum.min.min(one.min);
            sum.max = sum.max.max(one.max);
            sum.histogram.merge(&one.histogram);
        }
        sum.mean = total / sum.count as f64;
        let variance = squares / sum.count as f64 - sum.mean * sum.mean;
        sum.deviation = libm::sqrt(variance.max(0.0));
        sum.percentiles = PERCENTS.map(|percent| sum.histogram.percentile(percent));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(delays: &[u64]) -> DelayOutcome {
        let mut recorded = Delays::default();
        delays.iter().for_each(|delay| recorded.record(*delay));
        recorded.outcome()
    }

    #[test]
    fn nothing_recorded_is_nothing_found() {
        assert_eq!(of(&[]), DelayOutcome::default());
    }

    #[test]
    fn an_outcome_says_what_was_recorded() {
        let found = of(&[7, 9, 8, 8]);
        assert_eq!((found.count, found.mean, found.half_width), (4, 8.0, None));
        assert_eq!(
            (found.min, found.max, found.percentiles),
            (7, 9, [8, 9, 9, 9])
        );
        assert_eq!(of(&[5; 639]).half_width, None);
        assert_eq!(of(&[5; 640]).half_width, Some(0.0));
    }

    #[test]
    fn several_together_are_all_their_delays() {
        let parts = [of(&[7, 9]), of(&[]), of(&[5, 5, 5, 50])];
        let (all, whole) = (DelayOutcome::merged(parts.iter()), of(&[7, 9, 5, 5, 5, 50]));
        assert_eq!((all.count, all.min, all.max), (6, 5, 50));
        assert_eq!((all.mean, all.percentiles), (whole.mean, whole.percentiles));
        assert_eq!(all.histogram, whole.histogram);
        assert!(DelayOutcome::<6>::merged([].iter()).count == 0);
    }

    #[test]
    fn what_has_not_ended_bounds_from_below() {
        let ages = |ages: &[u64]| {
            let mut all = Histogram::<6>::default();
            ages.iter().for_each(|age| all.record(*age));
            all
        };
        let found = of(&[10; 640]).with_open(&ages(&[500, 1_000, 1_500]), 3_000);
        assert_eq!((found.count, found.open, found.max), (640, 3, 1_500));
        assert_eq!((found.mean, found.half_width), (9_400.0 / 643.0, None));
        let told = found.told();
        assert_eq!(told, [Some(10), Some(10), Some(10), None]);
        assert_eq!(of(&[4; 640]).with_open(&ages(&[]), 0), of(&[4; 640]));
        // Young ones may yet arrive before the others: the median of these is no more than 3.
        let young = of(&[10; 20]).with_open(&ages(&[3; 20]), 60);
        assert_eq!(young.told(), [Some(3), None, None, None]);
        // Old ones are above what has arrived.
        let old = of(&[10; 180]).with_open(&ages(&[90; 20]), 1_800);
        assert_eq!(old.told(), [Some(10), Some(10), None, None]);
        let old = of(&[10; 180]).with_open(&ages(&[7; 20]), 140);
        assert_eq!((old.told()[1], old.max), (Some(10), 10));
    }

    #[test]
    fn one_alone_stays_as_it_is() {
        let one = of(&[4; 640]);
        assert_eq!(DelayOutcome::merged([of(&[]), one.clone()].iter()), one);
    }
}
