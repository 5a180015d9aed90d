//! Instants one after another, of which some repeat those before them.

use alloc::vec::Vec;
use core::fmt;

use crate::time::{Duration, Time};

/// When something happened each time, in order. A part that is what lies before it, so much later
/// and so often, takes no room.
#[derive(Clone, Default)]
pub struct Instants {
    kept: Vec<Time>,
    repeats: Vec<Repeat>,
}

/// A part that repeats what lies before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repeat {
    /// The number of its first instant,
    pub from: u64,
    /// and the one behind its last.
    pub until: u64,
    /// Each is the one so many before it,
    pub back: u64,
    /// so much later.
    pub later: Duration,
    /// So many are kept of those before it.
    kept: usize,
}

impl Instants {
    /// How many.
    #[inline]
    pub fn len(&self) -> u64 {
        let (repeated, kept) = self
            .repeats
            .last()
            .map_or((0, 0), |own| (own.until, own.kept));
        repeated + (self.kept.len() - kept) as u64
    }

    /// None so far.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// One more.
    #[inline]
    pub fn push(&mut self, at: Time) {
        self.kept.push(at);
    }

    /// The last so many again, so often, each time so much later.
    ///
    /// # Panics
    ///
    /// If so many have not been added one by one since the last such part.
    pub fn repeat(&mut self, back: u64, times: u64, later: Duration) {
        let from = self.len();
        let last = self.repeats.last().map_or(0, |own| own.until);
        assert!(back <= from - last, "they are kept");
        if back == 0 || times == 0 {
            return;
        }
        self.repeats.push(Repeat {
            from,
            until: from.saturating_add(back.saturating_mul(times)),
            back,
            later,
            kept: self.kept.len(),
        });
    }

    /// The one of this number, from 0.
    #[inline]
    pub fn get(&self, number: u64) -> Option<Time> {
        if self.repeats.is_empty() {
            return self.kept.get(usize::try_from(number).ok()?).copied();
        }
        let behind = self.repeats.partition_point(|own| own.from <= number);
        let Some(repeat) = behind.checked_sub(1).map(|at| self.repeats[at]) else {
            return self.kept.get(number as usize).copied();
        };
        if let Some(more) = number.checked_sub(repeat.until) {
            return self.kept.get(repeat.kept + more as usize).copied();
        }
        let more = number - repeat.from;
        let at = repeat.kept - (repeat.back - more % repeat.back) as usize;
        let times = more / repeat.back + 1;
        Some(self.kept[at] + Duration(repeat.later.ps() * times))
    }

    /// The last one.
    #[inline]
    pub fn last(&self) -> Option<Time> {
        let is_kept = self
            .repeats
            .last()
            .is_none_or(|own| own.kept < self.kept.len());
        match is_kept {
            true => self.kept.last().copied(),
            false => self.get(self.len() - 1),
        }
    }

    /// All, however many.
    pub fn iter(&self) -> impl Iterator<Item = Time> + '_ {
        (0..self.len()).filter_map(|number| self.get(number))
    }

    /// Parts that repeat what lies before them, in order.
    pub fn repeats(&self) -> &[Repeat] {
        &self.repeats
    }

    /// How many are before this instant, if none is earlier than the one ahead of it.
    pub fn count_before(&self, at: Time) -> u64 {
        let (mut from, mut until) = (0, self.len());
        while from < until {
            let middle = from + (until - from) / 2;
            match self.get(middle).is_some_and(|own| own < at) {
                true => from = middle + 1,
                false => until = middle,
            }
        }
        from
    }
}

/// However they are kept.
impl PartialEq for Instants {
    fn eq(&self, other: &Instants) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Instants {}

/// However they are kept.
impl fmt::Debug for Instants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl FromIterator<Time> for Instants {
    fn from_iter<I: IntoIterator<Item = Time>>(all: I) -> Instants {
        Instants {
            kept: all.into_iter().collect(),
            repeats: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    /// Some one by one, some again, and the same written out.
    fn both(parts: &[(u64, u64, u64)]) -> (Instants, Vec<Time>) {
        let (mut short, mut long) = (Instants::default(), Vec::new());
        let mut now = 0;
        for (count, back, times) in parts {
            for _ in 0..*count {
                now += 3 + long.len() as u64 % 5;
                short.push(Time(now));
                long.push(Time(now));
            }
            let period = 100 * back;
            short.repeat(*back, *times, Duration(period));
            for _ in 0..back * times {
                long.push(long[long.len() - *back as usize] + Duration(period));
            }
            now = long.last().map_or(0, |last| last.ps());
        }
        (short, long)
    }

    #[test]
    fn a_part_again_is_what_is_written_out() {
        let all: [&[(u64, u64, u64)]; 6] = [
            &[],
            &[(5, 0, 3)],
            &[(5, 2, 0), (1, 1, 1)],
            &[(7, 3, 4)],
            &[(7, 7, 1), (4, 2, 9), (3, 3, 2)],
            &[(7, 3, 4), (2, 0, 0)],
        ];
        for parts in all {
            let (short, long) = both(parts);
            assert_eq!(short.len(), long.len() as u64);
            assert_eq!(short.is_empty(), long.is_empty());
            assert_eq!(short.last(), long.last().copied());
            assert_eq!(short.iter().collect::<Vec<_>>(), long);
            assert_eq!(short.get(long.len() as u64), None);
            assert_eq!(short, long.iter().copied().collect());
            assert_eq!(format!("{short:?}"), format!("{long:?}"));
            for at in (0..long.last().map_or(0, |last| last.ps() + 2)).map(Time) {
                let before = long.iter().filter(|own| **own < at).count() as u64;
                assert_eq!(short.count_before(at), before);
            }
        }
    }

    /// Negative control: one that is later by a picosecond is no other list.
    #[test]
    fn what_differs_is_not_equal() {
        let (short, mut long) = both(&[(7, 3, 4)]);
        long[12] += Duration(1);
        assert_ne!(short, long.into_iter().collect());
        assert_ne!(short, both(&[(7, 3, 3)]).0);
    }

    /// A part of which there are more than can be gone through.
    #[test]
    fn a_part_may_be_long() {
        let mut all: Instants = [1, 4].map(Time).into_iter().collect();
        all.repeat(2, 1 << 40, Duration(10));
        assert_eq!(all.len(), 2 + (2 << 40));
        assert_eq!(all.get(2 << 40), Some(Time(1 + (10 << 40))));
        assert_eq!(all.last(), Some(Time(4 + (10 << 40))));
        assert_eq!(all.count_before(Time(11)), 2);
    }
}
