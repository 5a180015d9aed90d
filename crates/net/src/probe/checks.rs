//! What an audit counts: promises checked, promises broken, and how much it has looked at.

use alloc::string::String;

use backwater_kernel::{Place, Time, Violations};

/// How much of a run an audit has looked at.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Coverage {
    /// Instants. What was touched was checked in each.
    pub instants: u64,
    /// Of these, those at whose end everything was checked.
    pub compared: u64,
    /// The most instants from one such check to the next.
    pub compared_within: u64,
}

/// The books of an audit.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    coverage: Coverage,
    /// Instants up to the last check of everything.
    compared_last: u64,
    made: u64,
    violations: Violations,
}

impl Checks {
    /// Checks made.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Promises broken: the first of them, and how many in all.
    pub fn violations(&self) -> &Violations {
        &self.violations
    }

    /// What was looked at.
    pub fn coverage(&self) -> Coverage {
        Coverage {
            compared_within: self.coverage.compared_within.max(self.since_compared()),
            ..self.coverage
        }
    }

    #[inline(always)]
    pub(super) fn require(
        &mut self,
        holds: bool,
        at: Time,
        place: Place,
        what: impl FnOnce() -> String,
    ) {
        self.made += 1;
        if !holds {
            self.violations.note(at, place, what);
        }
    }

    /// An instant is over. So many there were.
    pub(super) fn end_instant(&mut self) -> u64 {
        self.coverage.instants += 1;
        self.coverage.instants
    }

    /// Instants since everything was checked.
    pub(super) fn since_compared(&self) -> u64 {
        self.coverage.instants - self.compared_last
    }

    /// Everything is checked now.
    pub(super) fn compare(&mut self) {
        self.coverage.compared += 1;
        let since = self.since_compared();
        self.coverage.compared_within = self.coverage.compared_within.max(since);
        self.compared_last = self.coverage.instants;
    }
}
