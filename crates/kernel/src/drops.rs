//! Losses, by cause.

use core::marker::PhantomData;

use crate::survey::Survey;

/// Why something was lost: one of `N`.
pub trait Cause<const N: usize>: Copy {
    /// Every cause, in the order of tables.
    const ALL: [Self; N];

    /// Its place among them.
    fn index(self) -> usize;
}

/// How much was lost by each cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drops<C, const N: usize> {
    counts: [u64; N],
    causes: PhantomData<C>,
}

impl<C, const N: usize> Default for Drops<C, N> {
    fn default() -> Self {
        Self {
            counts: [0; N],
            causes: PhantomData,
        }
    }
}

impl<C: Cause<N>, const N: usize> Drops<C, N> {
    /// So much more was lost by `cause`.
    #[inline]
    pub fn add(&mut self, cause: C, count: u64) {
        self.counts[cause.index()] += count;
    }

    /// What was lost, for a run that repeats itself.
    pub fn survey_drops(&mut self, survey: &mut Survey) {
        let Drops { counts, causes: _ } = self;
        counts.iter_mut().for_each(|count| survey.adds(count));
    }

    /// Takes in what `other` counted.
    pub fn merge(&mut self, other: &Self) {
        for (own, more) in self.counts.iter_mut().zip(other.counts) {
            *own += more;
        }
    }

    /// Lost by `cause`.
    pub fn by(&self, cause: C) -> u64 {
        self.counts[cause.index()]
    }

    /// Lost in all.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Each cause with what was lost by it, in the order of tables.
    pub fn each(&self) -> impl Iterator<Item = (C, u64)> + '_ {
        C::ALL.into_iter().zip(self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Why {
        Full,
        Late,
    }

    impl Cause<2> for Why {
        const ALL: [Why; 2] = [Why::Full, Why::Late];

        fn index(self) -> usize {
            self as usize
        }
    }

    #[test]
    fn each_cause_is_counted_by_itself() {
        let mut drops = Drops::default();
        drops.add(Why::Late, 3);
        let mut all = drops;
        all.add(Why::Full, 1);
        all.merge(&drops);
        assert_eq!(
            (all.by(Why::Full), all.by(Why::Late), all.total()),
            (1, 6, 7)
        );
        assert!(all.each().eq([(Why::Full, 1), (Why::Late, 6)]));
    }
}
