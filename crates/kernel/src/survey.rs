//! A survey of all that a simulation keeps, for runs that repeat themselves.
//!
//! What decides what happens next is read as words, with instants relative to now and positions
//! relative to where they count from: where two surveys have the same words, what follows is the
//! same. What is only counted is read beside that: of it, a period adds as much as the one before.
//! The same code then puts what was surveyed so many periods later.

use alloc::vec;
use alloc::vec::Vec;

use crate::instants::Instants;
use crate::time::{Duration, Time};

/// What was read at an instant; or, in a leap, what is to be added.
#[derive(Debug, Default)]
pub struct Survey {
    /// When.
    pub now: Time,
    words: Vec<u64>,
    sums: Vec<u128>,
    /// Counts by value: of the first, and of those that follow.
    buckets: Vec<(usize, Vec<u64>)>,
    base: u64,
    obstacle: Option<&'static str>,
    leap: Option<Leap>,
}

/// So many periods at once.
#[derive(Debug)]
struct Leap {
    before: Vec<u128>,
    after: Vec<u128>,
    buckets: Vec<(usize, Vec<u64>)>,
    /// What was recorded one by one within the period, by owner.
    samples: Vec<Vec<u64>>,
    owner: usize,
    at: usize,
    at_buckets: usize,
    period: Duration,
    times: u64,
    shift: u64,
}

impl Leap {
    /// The next of what is counted, at both ends of the period.
    fn next_sums(&mut self) -> (u128, u128) {
        let both = (self.before[self.at], self.after[self.at]);
        self.at += 1;
        both
    }

    fn by(&self) -> Duration {
        Duration(self.period.ps() * self.times)
    }
}

impl Survey {
    /// Nothing read so far, at this instant.
    pub fn at(now: Time) -> Survey {
        Survey {
            now,
            ..Survey::default()
        }
    }

    /// Puts what it goes over so many periods later: those between two surveys that are alike, in
    /// which each owner recorded these samples.
    ///
    /// `None` if they are not alike.
    pub fn leap(
        before: &Survey,
        after: &Survey,
        times: u64,
        samples: Vec<Vec<u64>>,
    ) -> Option<Survey> {
        let fits = before.sums.len() == after.sums.len();
        let leap = (fits && before.is_like(after)).then(|| Leap {
            before: before.sums.clone(),
            after: after.sums.clone(),
            buckets: before.buckets.clone(),
            samples,
            owner: 0,
            at: 0,
            at_buckets: 0,
            period: after.now.since(before.now),
            times,
            shift: 0,
        })?;
        Some(Survey {
            leap: Some(leap),
            ..Survey::at(after.now)
        })
    }

    /// Does the same follow both?
    pub fn is_like(&self, other: &Survey) -> bool {
        self.obstacle.is_none() && other.obstacle.is_none() && self.words == other.words
    }

    /// Something stands in the way that no survey covers.
    pub fn rule_out(&mut self, why: &'static str) {
        self.obstacle.get_or_insert(why);
    }

    /// What that is.
    pub fn obstacle(&self) -> Option<&'static str> {
        self.obstacle
    }

    /// A number for all that decides what follows: surveys that are alike have the same.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = crate::hash::TraceHash::new();
        self.words.iter().for_each(|word| hash.add(*word));
        hash.value()
    }

    /// How long it is, in words.
    pub fn length(&self) -> usize {
        self.words.len()
    }

    /// It decides what follows, and is the same at the end of a period.
    #[inline]
    pub fn fixed(&mut self, word: u64) {
        self.words.push(word);
    }

    /// The same of something that is or is not.
    #[inline]
    pub fn flag(&mut self, holds: bool) {
        self.fixed(u64::from(holds));
    }

    /// An instant that decides what follows, however long ago it was; [`Time::MAX`] is never.
    #[inline]
    pub fn instant(&mut self, at: &mut Time) {
        if *at == Time::MAX {
            return self.fixed(u64::MAX);
        }
        self.words.push(at.ps().wrapping_sub(self.now.ps()));
        self.later(at);
    }

    /// The same of an instant in picoseconds.
    #[inline]
    pub fn instant_ps(&mut self, ps: &mut u64) {
        let mut at = Time(*ps);
        self.instant(&mut at);
        *ps = at.ps();
    }

    /// An instant that decides what follows as long as it has not come.
    #[inline]
    pub fn ahead(&mut self, at: &mut Time) {
        match *at {
            Time::MAX => self.fixed(u64::MAX),
            _ => {
                self.words.push(at.ps().saturating_sub(self.now.ps()));
                self.later(at);
            }
        }
    }

    /// One that may not be.
    pub fn instant_if(&mut self, at: &mut Option<Time>) {
        self.flag(at.is_some());
        if let Some(at) = at {
            self.instant(at);
        }
    }

    #[inline]
    fn later(&mut self, at: &mut Time) {
        if let Some(leap) = &self.leap {
            *at += leap.by();
        }
    }

    /// It decides nothing: each period adds as much.
    #[inline]
    pub fn adds(&mut self, count: &mut u64) {
        let mut wide = u128::from(*count);
        self.adds_wide(&mut wide);
        *count = wide as u64;
    }

    /// The same, modulo 2^128.
    #[inline]
    pub fn adds_wide(&mut self, sum: &mut u128) {
        match &mut self.leap {
            None => self.sums.push(*sum),
            Some(leap) => {
                let (before, after) = leap.next_sums();
                let more = after.wrapping_sub(before);
                *sum = sum.wrapping_add(more.wrapping_mul(u128::from(leap.times)));
            }
        }
    }

    /// It decides nothing: when something happened last; in each period, if in one.
    #[inline]
    pub fn noted(&mut self, at: &mut Time) {
        match &mut self.leap {
            None => self.sums.push(u128::from(at.ps())),
            Some(leap) => {
                let (before, after) = leap.next_sums();
                if before != after {
                    *at += leap.by();
                }
            }
        }
    }

    /// The same of what may not have happened.
    pub fn noted_if(&mut self, at: &mut Option<Time>) {
        let mut when = at.unwrap_or(Time::MAX);
        self.noted(&mut when);
        *at = at.map(|_| when);
    }

    /// When something happened each time; in each period as in the one before.
    pub fn listed(&mut self, times: &mut Instants) {
        match &mut self.leap {
            None => self.sums.push(u128::from(times.len())),
            Some(leap) => {
                let (before, after) = leap.next_sums();
                times.repeat((after - before) as u64, leap.times, leap.period);
            }
        }
    }

    /// Values one after another, while they are no more than so many, of a sum of them: in each
    /// period the same.
    pub fn kept(&mut self, values: &mut Vec<u64>, count: u64, most: usize) {
        let Some(leap) = &mut self.leap else {
            self.sums.push(u128::from(count));
            return;
        };
        let (before, after) = leap.next_sums();
        let (before, after) = (before as usize, after as usize);
        let all = after as u64 + (after - before) as u64 * leap.times;
        if values.len() != after || before == after {
            return;
        }
        match all <= most as u64 {
            true => {
                let period = values[before..after].to_vec();
                (0..leap.times).for_each(|_| values.extend_from_slice(&period));
            }
            false => *values = Vec::new(),
        }
    }

    /// How often each value came, from this one on: each period adds as much.
    pub fn by_value(&mut self, first: usize, counts: &mut [u64]) {
        let Some(leap) = &mut self.leap else {
            self.buckets.push((first, counts.to_vec()));
            return;
        };
        let (first_before, before) = &leap.buckets[leap.at_buckets];
        leap.at_buckets += 1;
        for (value, count) in (first..).zip(counts) {
            let place = value.checked_sub(*first_before);
            let had = place.and_then(|place| before.get(place)).copied();
            *count += (*count - had.unwrap_or(0)) * leap.times;
        }
    }

    /// What follows is of this one of those that record samples.
    pub fn owned_by(&mut self, owner: usize) {
        if let Some(leap) = &mut self.leap {
            leap.owner = owner;
        }
    }

    /// In a leap, what it recorded in the period, and how often that is to be again.
    pub fn samples(&mut self) -> Option<(Vec<u64>, u64)> {
        let leap = self.leap.as_mut()?;
        let samples = leap.samples.get_mut(leap.owner);
        Some((samples.map(core::mem::take).unwrap_or_default(), leap.times))
    }

    /// Positions that follow count from here.
    #[inline]
    pub fn count_from(&mut self, base: u64) {
        self.base = base;
        match &mut self.leap {
            None => self.sums.push(u128::from(base)),
            Some(leap) => {
                let (before, after) = leap.next_sums();
                leap.shift = (after as u64)
                    .wrapping_sub(before as u64)
                    .wrapping_mul(leap.times);
            }
        }
    }

    /// A position that decides what follows.
    #[inline]
    pub fn position(&mut self, at: &mut u64) {
        self.words.push(at.wrapping_sub(self.base));
        if let Some(leap) = &self.leap {
            *at = at.wrapping_add(leap.shift);
        }
    }

    /// The same, where all below the base is alike.
    #[inline]
    pub fn position_ahead(&mut self, at: &mut u64) {
        self.words.push(at.saturating_sub(self.base));
        if let Some(leap) = &self.leap {
            *at = at.wrapping_add(leap.shift);
        }
    }

    /// Positions that count from here, and by how much they move.
    pub fn frame_of_reference(&self) -> (u64, u64) {
        (self.base, self.leap.as_ref().map_or(0, |leap| leap.shift))
    }

    /// Goes back to one.
    pub fn refer_to(&mut self, (base, shift): (u64, u64)) {
        self.base = base;
        if let Some(leap) = &mut self.leap {
            leap.shift = shift;
        }
    }

    /// In a leap, how often the period is to be again, and by how much later all is.
    pub fn leaps(&self) -> Option<(u64, Duration)> {
        let leap = self.leap.as_ref()?;
        Some((leap.times, leap.by()))
    }

    /// Of something counted in what decides (such as what of a list is done), how far it went on
    /// in a period; the place is the same in both surveys.
    pub fn progress(&mut self, done: u64) -> u64 {
        match &mut self.leap {
            None => {
                self.sums.push(u128::from(done));
                0
            }
            Some(leap) => {
                let (before, after) = leap.next_sums();
                (after as u64 - before as u64) * leap.times
            }
        }
    }
}

/// Sums of parts of what is repeated over and over.
pub(crate) struct Cycle {
    /// Of the first so many, one more than there are.
    sums: Vec<u128>,
    at: usize,
}

impl Cycle {
    pub fn of(samples: &[u64]) -> Cycle {
        let mut sums = vec![0];
        sums.extend(samples.iter().scan(0_u128, |sum, sample| {
            *sum += u128::from(*sample);
            Some(*sum)
        }));
        Cycle { sums, at: 0 }
    }

    /// The sum of the next so many.
    pub fn take(&mut self, count: u64) -> u128 {
        let length = self.sums.len() - 1;
        let end = self.at as u64 + count;
        let (rounds, at) = (end / length as u64, (end % length as u64) as usize);
        let sum = u128::from(rounds) * self.sums[length] + self.sums[at] - self.sums[self.at];
        self.at = at;
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Collected, Delays};

    /// What something with a clock, a count, a list and delays keeps.
    #[derive(Clone, PartialEq, Debug)]
    struct Thing {
        due: Time,
        count: u64,
        list: Instants,
        last: Time,
        delays: Delays,
        kept: Collected,
    }

    impl Thing {
        fn new() -> Thing {
            Thing {
                due: Time(5),
                count: 0,
                list: Instants::default(),
                last: Time::ZERO,
                delays: Delays::default(),
                kept: Collected::new(100),
            }
        }

        fn period(&mut self) -> Vec<u64> {
            let samples = [7, 900, 7, 12_345];
            for sample in samples {
                self.delays.record(sample);
                self.kept.record(sample);
            }
            self.count += 3;
            self.list.push(self.due);
            self.list.push(self.due + Duration(2));
            self.last = self.due;
            self.due += Duration(10);
            samples.to_vec()
        }

        fn go_over(&mut self, survey: &mut Survey) {
            survey.instant(&mut self.due);
            survey.adds(&mut self.count);
            survey.listed(&mut self.list);
            survey.noted(&mut self.last);
            self.delays.survey_delays(survey);
            self.kept.survey_collected(survey);
        }

        fn read(&mut self, now: Time) -> Survey {
            let mut survey = Survey::at(now);
            self.go_over(&mut survey);
            survey
        }
    }

    /// After any number of periods, as if each had been gone through: also where what is kept one
    /// by one becomes too much, and batches are joined.
    #[test]
    fn a_leap_is_that_many_periods() {
        for times in [0, 1, 2, 19, 24, 25, 400, 5_000] {
            let mut thing = Thing::new();
            thing.period();
            let before = thing.read(Time(12));
            let samples = thing.period();
            let after = thing.read(Time(22));
            let mut whole = thing.clone();
            (0..times).for_each(|_| drop(whole.period()));
            let mut leap = Survey::leap(&before, &after, times, vec![samples]).expect("alike");
            thing.go_over(&mut leap);
            assert_eq!(thing, whole, "{times}");
        }
    }

    /// Negative control: what is due at another distance is not alike, nor what was refused.
    #[test]
    fn what_differs_is_no_period() {
        let mut thing = Thing::new();
        let before = thing.read(Time(0));
        thing.period();
        assert!(!before.is_like(&thing.read(Time(11))));
        assert_ne!(before.fingerprint(), thing.read(Time(11)).fingerprint());
        assert!(Survey::leap(&before, &thing.read(Time(11)), 1, Vec::new()).is_none());
        let mut refused = thing.read(Time(10));
        assert!(before.is_like(&refused));
        refused.rule_out("something");
        assert!(!before.is_like(&refused));
    }

    #[test]
    fn positions_count_from_their_base() {
        let read = |base: u64, at: u64, leap: Option<Survey>| {
            let mut survey = leap.unwrap_or_default();
            survey.count_from(base);
            let mut at = at;
            survey.position(&mut at);
            (survey, at)
        };
        let (before, _) = read(100, 130, None);
        let (after, _) = read(150, 180, None);
        let leap = Survey::leap(&before, &after, 3, Vec::new());
        assert_eq!(read(150, 180, leap).1, 330);
        let (other, _) = read(150, 181, None);
        assert!(!before.is_like(&other));
    }
}
