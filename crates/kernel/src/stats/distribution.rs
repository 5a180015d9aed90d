//! Whole distributions of what is rare enough to be kept: completion times, slowdowns, pauses.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::samples::Samples;
use crate::survey::Survey;

/// Samples as they come. Each is kept while they are few, then a histogram counts them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collected {
    most: usize,
    /// All of them, or none once they were more than `most`.
    kept: Vec<u64>,
    samples: Samples,
}

impl Collected {
    /// None yet; at most so many are kept one by one.
    pub const fn new(most: usize) -> Collected {
        Collected {
            most,
            kept: Vec::new(),
            samples: Samples::new(),
        }
    }

    /// One more.
    pub fn record(&mut self, sample: u64) {
        if self.count() == self.kept.len() as u64 {
            match self.kept.len() < self.most {
                true => self.kept.push(sample),
                false => self.kept = Vec::new(),
            }
        }
        self.samples.record(sample);
    }

    /// What was recorded, for a run that repeats itself.
    pub fn survey_collected(&mut self, survey: &mut Survey) {
        let Collected {
            most,
            kept,
            samples,
        } = self;
        survey.kept(kept, samples.count(), *most);
        samples.survey_samples(survey);
    }

    /// Takes in all of `other`.
    pub fn merge(&mut self, other: &Collected) {
        let are_kept = |of: &Collected| of.count() == of.kept.len() as u64;
        match are_kept(other) && are_kept(self) && self.kept.len() + other.kept.len() <= self.most {
            true => self.kept.extend_from_slice(&other.kept),
            false if other.count() > 0 => self.kept = Vec::new(),
            false => {}
        }
        self.samples.merge(&other.samples);
    }

    /// How many.
    pub const fn count(&self) -> u64 {
        self.samples.count()
    }

    /// Their sum.
    pub fn sum(&self) -> u128 {
        self.samples.sum()
    }

    /// Largest; 0 without any.
    pub const fn max(&self) -> u64 {
        self.samples.max()
    }

    /// How they are spread.
    pub fn distribution(&self) -> Distribution {
        let samples = &self.samples;
        let mut points = Vec::new();
        if samples.count() == self.kept.len() as u64 {
            points.extend(self.kept.iter().map(|sample| (*sample as f64, 1)));
        } else {
            for bucket in samples.histogram().buckets() {
                let value = bucket.high.clamp(samples.min(), samples.max());
                points.push((value as f64, bucket.count));
            }
            // The smallest is known exactly, as the largest is.
            if let Some(first) = points.first_mut() {
                first.1 -= 1;
                points.push((samples.min() as f64, 1));
            }
        }
        Distribution::of(points, samples.sum() as f64)
    }
}

/// Values and how often each came. Exact while they are few; of more, each value is told to 1/64
/// and not below itself, and count, mean and extremes stay exact.
///
/// Of times, some may be *open*: what they are of had not ended, and all that is known is how long
/// it had taken by then. A mean or a percentile of the others alone would be of survivors. So each
/// counts with its age, and mean, percentiles and the largest are bounds from below.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Distribution(
    /// Nothing where there is none: of most places where they are told there is none.
    Option<Box<Values>>,
);

#[derive(Clone, PartialEq, Debug)]
struct Values {
    /// Ascending, each value once.
    points: Vec<(f64, u64)>,
    /// Least values of what had not ended, likewise: its ages, or more where nothing takes less.
    open: Vec<(f64, u64)>,
    /// The greatest age of those.
    oldest: Option<f64>,
    count: u64,
    sum: f64,
}

/// No value.
static NONE: Values = Values::NONE;

impl Values {
    const NONE: Values = Values {
        points: Vec::new(),
        open: Vec::new(),
        oldest: None,
        count: 0,
        sum: 0.0,
    };

    fn add_open(&mut self, age: f64, least: f64, count: u64) {
        self.oldest = Some(self.oldest.map_or(age, |oldest| oldest.max(age)));
        self.open.push((least, count));
    }
}

impl Distribution {
    fn of(points: Vec<(f64, u64)>, sum: f64) -> Distribution {
        let points = ascending(points);
        if points.is_empty() {
            return Distribution(None);
        }
        Distribution(Some(Box::new(Values {
            count: total(&points),
            points,
            sum,
            ..Values::NONE
        })))
    }

    fn values(&self) -> &Values {
        self.0.as_deref().unwrap_or(&NONE)
    }

    fn values_mut(&mut self) -> &mut Values {
        self.0.get_or_insert_with(|| Box::new(Values::NONE))
    }

    /// The same, with so many more that had not ended at this age.
    pub fn with_open(mut self, age: f64, count: u64) -> Distribution {
        if count > 0 {
            let measured = self.values_mut();
            measured.add_open(age, age, count);
            sort(&mut measured.open);
        }
        self
    }

    /// The same, with more that had not ended, each at an age of its own, and none of which takes
    /// less than what stands beside that.
    pub fn with_all_open(mut self, ages: impl Iterator<Item = (f64, f64)>) -> Distribution {
        for (age, least) in ages {
            self.values_mut().add_open(age, age.max(least), 1);
        }
        if let Some(measured) = &mut self.0 {
            sort(&mut measured.open);
        }
        self
    }

    /// The same where nothing takes less than this: what is open is not shorter, however young.
    pub fn none_below(mut self, least: f64) -> Distribution {
        if let Some(measured) = &mut self.0 {
            for (age, _) in &mut measured.open {
                *age = age.max(least);
            }
            sort(&mut measured.open);
        }
        self
    }

    /// Those of several together.
    pub fn merged<'a>(all: impl Iterator<Item = &'a Distribution>) -> Distribution {
        let (mut points, mut open, mut sum) = (Vec::new(), Vec::new(), 0.0);
        let mut oldest: Option<f64> = None;
        for one in all.filter_map(|one| one.0.as_deref()) {
            oldest = oldest.into_iter().chain(one.oldest).reduce(f64::max);
            points.extend_from_slice(&one.points);
            open.extend_from_slice(&one.open);
            sum += one.sum;
        }
        Distribution::of(points, sum).beside(open, oldest)
    }

    /// Each value over `unit`, which is above 0.
    pub fn over(&self, unit: f64) -> Distribution {
        let over = |all: &[(f64, u64)]| {
            let each = all.iter().map(|(value, count)| (value / unit, *count));
            each.collect()
        };
        let measured = self.values();
        let ended = Distribution::of(over(&measured.points), measured.sum / unit);
        ended.beside(over(&measured.open), measured.oldest.map(|age| age / unit))
    }

    /// The same with these that had not ended, and no others.
    fn beside(mut self, mut open: Vec<(f64, u64)>, oldest: Option<f64>) -> Distribution {
        if oldest.is_some() {
            sort(&mut open);
            let measured = self.values_mut();
            (measured.open, measured.oldest) = (open, oldest);
        }
        self
    }

    /// How many values; what is open is none.
    pub fn count(&self) -> u64 {
        self.values().count
    }

    /// How many had not ended.
    pub fn open(&self) -> u64 {
        total(&self.values().open)
    }

    /// The greatest age of those.
    pub fn oldest(&self) -> Option<f64> {
        self.values().oldest
    }

    /// Their mean, if there is one.
    pub fn mean(&self) -> Option<f64> {
        let measured = self.values();
        let ages = measured.open.iter().map(|(age, count)| age * *count as f64);
        let count = measured.count + self.open();
        (count > 0).then(|| (measured.sum + ages.sum::<f64>()) / count as f64)
    }

    /// All values together.
    pub fn sum(&self) -> f64 {
        self.values().sum
    }

    /// The smallest value.
    pub fn min(&self) -> Option<f64> {
        self.values().points.first().map(|point| point.0)
    }

    /// The largest.
    pub fn max(&self) -> Option<f64> {
        let measured = self.values();
        let last = [&measured.points, &measured.open].map(|all| all.last().map(|point| point.0));
        last.into_iter().flatten().reduce(f64::max)
    }

    /// The smallest value that `percent` (0 to 100) of all do not exceed; nothing where the values
    /// are too few to tell it from the largest: p50 takes 2, p95 20, p99 100, p99.9 1,000. Nothing
    /// either where more than the share above it are open.
    pub fn percentile(&self, percent: f64) -> Option<f64> {
        // A little less, so that 7 % of 100 are 7 whatever the product rounds to.
        const LESS: f64 = 1.0 - 1e-12;
        let (measured, open) = (self.values(), self.open());
        let count = (measured.count + open) as f64;
        let above = (100.0 - percent) * count;
        if above < 100.0 * open.max(1) as f64 * LESS {
            return None;
        }
        let rank = libm::ceil(percent * count / 100.0 * LESS) as u64;
        let (mut ages, mut passed) = (measured.open.iter().peekable(), 0);
        let mut values = measured.points.iter().peekable();
        loop {
            let is_age = match (values.peek(), ages.peek()) {
                (Some(value), Some(age)) => age.0 < value.0,
                (value, _) => value.is_none(),
            };
            let next = if is_age { ages.next() } else { values.next() }?;
            passed += next.1;
            if passed >= rank {
                return Some(next.0);
            }
        }
    }

    /// Each value, ascending, and the share of all that do not exceed it; what is open is beyond
    /// all of them.
    pub fn cumulative(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let (mut passed, all) = (0, self.count() + self.open());
        self.values().points.iter().map(move |(value, count)| {
            passed += count;
            (*value, passed as f64 / all as f64)
        })
    }
}

/// Each value once, without those that never came.
fn ascending(mut points: Vec<(f64, u64)>) -> Vec<(f64, u64)> {
    sort(&mut points);
    points
}

/// The same, where they stand.
fn sort(points: &mut Vec<(f64, u64)>) {
    points.retain(|(_, count)| *count > 0);
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    points.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0 };
        is_same
    });
}

fn total(points: &[(f64, u64)]) -> u64 {
    points.iter().map(|point| point.1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(samples: impl IntoIterator<Item = u64>, most: usize) -> Distribution {
        let mut collected = Collected::new(most);
        samples.into_iter().for_each(|one| collected.record(one));
        collected.distribution()
    }

    #[test]
    fn few_samples_are_exact() {
        let found = of([1_000_003, 7, 9, 7], 4);
        assert_eq!((found.count(), found.sum()), (4, 1_000_026.0));
        assert_eq!((found.min(), found.max()), (Some(7.0), Some(1_000_003.0)));
        assert_eq!(found.mean(), Some(250_006.5));
        assert_eq!(found.percentile(50.0), Some(7.0));
        assert_eq!(found.percentile(75.0), Some(9.0));
        let steps: Vec<_> = found.cumulative().collect();
        assert_eq!(steps, [(7.0, 0.5), (9.0, 0.75), (1_000_003.0, 1.0)]);
    }

    #[test]
    fn a_percentile_takes_as_many_as_it_needs() {
        for (percent, needs) in [
            (50.0, 2),
            (90.0, 10),
            (95.0, 20),
            (99.0, 100),
            (99.9, 1_000),
        ] {
            let (short, long) = (of(1..needs, 2_000), of(1..=needs, 2_000));
            assert_eq!(short.percentile(percent), None, "{percent} of {needs} - 1");
            assert_eq!(long.percentile(percent), Some((needs - 1) as f64));
        }
        assert_eq!(of([], 4).percentile(50.0), None);
        assert_eq!((of([], 4).mean(), of([], 4).max()), (None, None));
    }

    /// More than are kept: count, sum and extremes stay exact, the rest is 1/64 too high at most.
    #[test]
    fn many_samples_are_counted_by_a_histogram() {
        let all = |most| of((1..=5_000).map(|one| one * 1_001), most);
        let (exact, coarse) = (all(5_000), all(4_999));
        assert_ne!(exact, coarse);
        assert_eq!((exact.count(), exact.sum()), (coarse.count(), coarse.sum()));
        assert_eq!((exact.min(), exact.max()), (coarse.min(), coarse.max()));
        for percent in [50.0, 95.0, 99.0, 99.9] {
            let exact = exact.percentile(percent).expect("enough");
            let coarse = coarse.percentile(percent).expect("enough");
            assert!(
                coarse >= exact && coarse <= exact * (1.0 + 1.0 / 64.0),
                "{percent}"
            );
        }
        assert_eq!(all(0), coarse, "how many were kept before does not matter");
    }

    /// What has not ended counts with its age; a percentile among those is none.
    #[test]
    fn what_is_open_bounds_from_below() {
        let ended = of(1..=198, 200);
        let found = ended.clone().with_open(500.0, 2);
        assert_eq!(
            (found.count(), found.open(), found.oldest()),
            (198, 2, Some(500.0))
        );
        assert_eq!(found.mean(), Some((ended.sum() + 1_000.0) / 200.0));
        assert_eq!((found.min(), found.max()), (Some(1.0), Some(500.0)));
        assert_eq!(found.percentile(99.0), Some(198.0));
        assert_eq!(found.cumulative().last(), Some((198.0, 0.99)));
        let more = found.with_open(600.0, 1);
        assert_eq!((more.percentile(99.0), more.max()), (None, Some(600.0)));
        assert_eq!(more.percentile(95.0), Some(191.0));
        // Young ones are below what has ended.
        let young = of(10..=19, 20).with_open(3.0, 2);
        assert_eq!(
            (young.percentile(50.0), young.min()),
            (Some(13.0), Some(10.0))
        );
        assert_eq!(young.max(), Some(19.0));
        // Nothing has ended at all.
        let hung = of([], 4).with_open(7.0, 3);
        assert_eq!((hung.mean(), hung.max()), (Some(7.0), Some(7.0)));
        assert_eq!((hung.min(), hung.percentile(50.0)), (None, None));
        let both = Distribution::merged([hung.clone(), young].iter());
        assert_eq!((both.open(), both.over(7.0).oldest()), (5, Some(1.0)));
        assert_eq!(of([5], 4).with_open(9.0, 0), of([5], 4));
        let least = of([5], 4)
            .with_open(1.0, 1)
            .with_open(9.0, 1)
            .none_below(4.0);
        assert_eq!((least.mean(), least.oldest()), (Some(6.0), Some(9.0)));
        let least = least.none_below(11.0);
        assert_eq!((least.max(), least.oldest()), (Some(11.0), Some(9.0)));
    }

    /// As if all had been recorded in one; more than are kept are counted by a histogram.
    #[test]
    fn what_is_collected_is_merged() {
        for most in [0, 3, 5, 9] {
            let collect = |samples: &[u64]| {
                let mut collected = Collected::new(most);
                samples.iter().for_each(|one| collected.record(*one));
                collected
            };
            let mut all = collect(&[70_001, 9]);
            all.merge(&collect(&[]));
            all.merge(&collect(&[5, 5_003, 90_007]));
            let wanted = collect(&[70_001, 9, 5, 5_003, 90_007]);
            assert_eq!(all.distribution(), wanted.distribution(), "{most}");
        }
        let open = |least| [7.0, 3.0, 7.0].map(|age| (age, least)).into_iter();
        let one_by_one = of([5], 4).with_open(7.0, 2).with_open(3.0, 1);
        assert_eq!(of([5], 4).with_all_open(open(0.0)), one_by_one);
        let none_below = one_by_one.none_below(5.0);
        assert_eq!(of([5], 4).with_all_open(open(5.0)), none_below);
    }

    #[test]
    fn several_together_are_all_their_values() {
        let parts = [of([7, 9], 9), of([], 9), of([5, 5, 50], 9)];
        assert_eq!(Distribution::merged(parts.iter()), of([7, 9, 5, 5, 50], 9));
        let halves = of([7, 9], 9).over(2.0);
        assert_eq!(
            (halves.min(), halves.max(), halves.mean()),
            (Some(3.5), Some(4.5), Some(4.0))
        );
    }
}
