//! Which unit leaves the port next? One file a discipline.
//!
//! A scheduler knows queues (legs) by number and is told which are *ready*: they hold a unit
//! and flow control lets it cross. To add one: a file, a variant, an arm in each method.

mod round_robin;

pub(crate) use round_robin::{Place, RoundRobin};

/// The discipline of one port.
pub(crate) enum Scheduler {
    /// Strict priority between groups, round robin inside.
    RoundRobin(RoundRobin),
}

impl Scheduler {
    /// The queue at `place` may be chosen from now on.
    #[inline]
    pub fn ready(&mut self, place: Place) {
        match self {
            Scheduler::RoundRobin(scheduler) => scheduler.ready(place),
        }
    }

    /// The queue at `place` may not be chosen.
    #[inline]
    pub fn not_ready(&mut self, place: Place) {
        match self {
            Scheduler::RoundRobin(scheduler) => scheduler.not_ready(place),
        }
    }

    /// The leg to serve now, if any is ready.
    #[inline]
    pub fn choose(&mut self) -> Option<u32> {
        match self {
            Scheduler::RoundRobin(scheduler) => scheduler.choose(),
        }
    }

    /// Is any queue ready?
    #[inline]
    pub fn has_ready(&self) -> bool {
        match self {
            Scheduler::RoundRobin(scheduler) => scheduler.has_ready(),
        }
    }
}
