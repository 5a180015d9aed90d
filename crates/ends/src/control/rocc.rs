//! RoCC's reaction point (Taheri and others, CoNEXT 2020): the source obeys the rate that a switch
//! states.
//!
//! A message is obeyed if it asks for no more than the present rate, or comes from the congestion
//! point that is obeyed now. So of two points the slower one wins, and another is heard again only
//! when that one has been silent: then the rate doubles each `recovery`, and above line rate the
//! limiter is gone. (The text waits for the flow's queue to be empty, too; at line rate that
//! changes nothing of what is sent.)

#[cfg(test)]
mod tests;

use backwater_kernel::{Rate, Time};

use super::hooks::{Control, Inner, Signal};
use crate::spec::rates::RoccSpec;

/// State of one source.
#[derive(Clone, Debug)]
pub struct Rocc {
    spec: RoccSpec,
    line: Rate,
    limit: Option<Limit>,
}

/// What holds the source back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Limit {
    rate: Rate,
    from: u32,
    /// The rate doubles then.
    until: Time,
}

impl Rocc {
    /// Behind a NIC of this rate.
    pub(crate) fn new(spec: &RoccSpec, line: Rate) -> Rocc {
        Rocc {
            spec: *spec,
            line,
            limit: None,
        }
    }
}

impl Control for Rocc {
    fn on_control(&mut self, now: Time, signal: &Signal) -> Option<Rate> {
        let Signal::Rate { rate, from } = *signal else {
            return None;
        };
        let present = self.limit.map_or(self.line, |limit| limit.rate);
        let is_same = self.limit.is_some_and(|limit| limit.from == from);
        if rate <= present || is_same {
            let until = now + self.spec.recovery;
            self.limit = Some(Limit { rate, from, until });
        }
        Some(rate)
    }

    #[inline]
    fn timer(&self) -> Option<Time> {
        self.limit.map(|limit| limit.until)
    }

    fn on_timer(&mut self, now: Time) -> u32 {
        while let Some(limit) = self.limit.filter(|limit| limit.until <= now) {
            self.limit = (limit.rate <= self.line).then(|| Limit {
                rate: Rate(limit.rate.0.saturating_mul(2)),
                until: limit.until + self.spec.recovery,
                ..limit
            });
        }
        0
    }

    #[inline]
    fn pacing(&self) -> Option<Rate> {
        self.limit.map(|limit| limit.rate.min(self.line))
    }

    fn inner(&self, _now: Time, of: Inner) -> Option<f64> {
        match of {
            Inner::Point => self.limit.map(|limit| f64::from(limit.from)),
            _ => None,
        }
    }
}
