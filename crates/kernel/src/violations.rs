//! Promises that a run broke.

use alloc::string::String;
use alloc::vec::Vec;

use crate::time::Time;

/// Violations that are kept word for word; the rest is only counted.
const KEPT: usize = 100;

/// A promise broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation<T = Time> {
    /// When, on the clock of the engine: an instant, or a cycle.
    pub at: T,
    /// Where.
    pub place: Place,
    /// Which promise, with numbers.
    pub what: String,
}

/// What a violation concerns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// The network as a whole.
    Network,
    /// A flow (index).
    Flow(u32),
    /// A flow on a channel (index of the leg).
    Leg(u32),
    /// One direction of a link (index).
    Channel(u32),
    /// A flow on a channel, in a network whose flows have no legs.
    FlowOnChannel(u32, u32),
}

/// The promises that were broken, oldest first: the first 100 word for word, and how many in all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violations<T = Time> {
    kept: Vec<Violation<T>>,
    total: u64,
}

impl<T> Default for Violations<T> {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            total: 0,
        }
    }
}

impl<T> Violations<T> {
    /// One more. Its words are made only if they are kept.
    #[cold]
    #[inline(never)]
    pub fn note(&mut self, at: T, place: Place, what: impl FnOnce() -> String) {
        self.total += 1;
        if self.kept.len() < KEPT {
            let what = what();
            self.kept.push(Violation { at, place, what });
        }
    }

    /// Adds what another observer of the same run found: its words stand behind these, also beyond
    /// the first 100.
    pub fn append(&mut self, others: &Self)
    where
        T: Clone,
    {
        self.kept.extend_from_slice(&others.kept);
        self.total += others.total;
    }

    /// Adds what another part of the same run found: the first 100 of both are kept, by instant.
    pub fn join(&mut self, others: &Self)
    where
        T: Clone + Ord,
    {
        self.kept.extend_from_slice(&others.kept);
        self.kept
            .sort_by(|a, b| (&a.at, a.place).cmp(&(&b.at, b.place)));
        self.kept.truncate(KEPT);
        self.total += others.total;
    }

    /// How many in all.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Those kept word for word.
    pub fn kept(&self) -> &[Violation<T>] {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    fn noted(numbers: core::ops::Range<u64>) -> Violations<u64> {
        let mut violations = Violations::default();
        for number in numbers {
            violations.note(number, Place::Leg(7), || format!("number {number}"));
        }
        violations
    }

    #[test]
    fn the_first_hundred_are_kept_and_all_are_counted() {
        let found = noted(0..250);
        assert_eq!((found.kept().len(), found.total()), (100, 250));
        let last = Violation {
            at: 99,
            place: Place::Leg(7),
            what: "number 99".into(),
        };
        assert_eq!(found.kept().last(), Some(&last));
    }

    #[test]
    fn words_that_are_not_kept_are_not_made() {
        let mut found = noted(0..100);
        found.note(100, Place::Network, || unreachable!("nobody reads it"));
        assert_eq!(found.total(), 101);
    }

    #[test]
    fn what_an_audit_found_comes_behind_what_the_engine_found() {
        let mut found = noted(0..120);
        found.append(&noted(500..502));
        assert_eq!((found.kept().len(), found.total()), (102, 122));
        let at = |index: usize| found.kept()[index].at;
        assert_eq!((at(99), at(100), at(101)), (99, 500, 501));
    }
}
