//! What a flow is held to: how much may pass when, and what becomes of the rest. One file a rule.
//!
//! A rule says when the next unit conforms and is told of each unit that passes. A [`Gate`] puts
//! it at one place on the way of a flow's units. To add a rule: a file, a variant, an arm in each
//! method.

mod bucket;
mod fixed_window;
mod sliding_window;
#[cfg(test)]
mod tests;

pub use bucket::Bucket;
pub use fixed_window::FixedWindow;
pub use sliding_window::SlidingWindow;

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;

use backwater_kernel::stream::Stream;
use backwater_kernel::{Duration, Time};

use crate::spec::shape::{EnvelopeRule, EnvelopeSpec, Excess};

/// Longest interval, tolerance and time of a unit: the sum of two and the end of a run must fit
/// the clock.
pub const LONGEST_PS: u64 = 1 << 62;

/// How much may pass when.
pub enum Rule {
    /// Windows that stand still.
    FixedWindow(FixedWindow),
    /// A window that may begin anywhere.
    SlidingWindow(SlidingWindow),
    /// A leaky bucket.
    Bucket(Bucket),
}

impl Rule {
    /// `stream` draws what the scenario leaves to chance.
    pub fn new(spec: &EnvelopeRule, mut stream: Stream) -> Rule {
        match *spec {
            EnvelopeRule::FixedWindow {
                units,
                interval,
                phase,
            } => {
                let mut draw = || Duration(stream.below(interval.ps()) + 1);
                let phase = phase.unwrap_or_else(&mut draw);
                Rule::FixedWindow(FixedWindow::new(units, interval, phase))
            }
            EnvelopeRule::SlidingWindow { units, interval } => {
                Rule::SlidingWindow(SlidingWindow::new(units, interval))
            }
            EnvelopeRule::Bucket { rate, tolerance } => Rule::Bucket(Bucket::new(rate, tolerance)),
        }
    }

    /// The first instant from `now` on at which the next unit conforms, if none passes before.
    pub fn conforms_at(&mut self, now: Time) -> Time {
        match self {
            Rule::FixedWindow(window) => window.conforms_at(now),
            Rule::SlidingWindow(window) => window.conforms_at(now),
            Rule::Bucket(bucket) => bucket.conforms_at(now),
        }
    }

    /// A unit passes; it conforms.
    pub fn pass(&mut self, now: Time, bytes: u32) {
        match self {
            Rule::FixedWindow(window) => window.pass(now),
            Rule::SlidingWindow(window) => window.pass(now),
            Rule::Bucket(bucket) => bucket.pass(now, bytes),
        }
    }
}

/// A unit on its way to the first port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parcel {
    /// When it came to the gate.
    pub came: Time,
    /// Position in its flow, from source control on.
    pub number: u32,
    /// Bytes on the wire.
    pub bytes: u32,
}

/// What becomes of a unit at a gate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It conforms.
    Passes,
    /// It does not, and is dropped.
    Refused,
    /// It waits; when to ask, if nobody waited before it.
    Waits(Option<Time>),
}

/// One rule at one place: the source's envelope, the spacing after a warning, the policer.
pub struct Gate {
    /// How much may pass when.
    pub rule: Rule,
    excess: Excess,
    /// Units that wait until they conform. While any do, a call of `release` is due.
    waiting: VecDeque<Parcel>,
}

impl Gate {
    /// Nothing has come yet.
    pub fn new(rule: Rule, excess: Excess) -> Gate {
        Gate {
            rule,
            excess,
            waiting: VecDeque::new(),
        }
    }

    /// May a unit have to wait here?
    pub fn delays(&self) -> bool {
        self.excess != Excess::Drop
    }

    /// Does the application stand still while its next unit does not conform?
    pub fn freezes(&self) -> bool {
        self.excess == Excess::Freeze
    }

    /// Does a unit wait here?
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// What waits is taken back.
    pub fn empty(&mut self) {
        self.waiting.clear();
    }

    /// A unit comes. What comes behind one that waits, waits too. A source that cannot stand
    /// still, because others wait for it, is held like one that is delayed.
    pub fn judge(&mut self, parcel: Parcel) -> Verdict {
        let now = parcel.came;
        if !self.has_waiting() {
            let at = self.rule.conforms_at(now);
            if at <= now {
                self.rule.pass(now, parcel.bytes);
                return Verdict::Passes;
            }
            if self.delays() {
                self.waiting.push_back(parcel);
                return Verdict::Waits(Some(at));
            }
            return Verdict::Refused;
        }
        self.waiting.push_back(parcel);
        Verdict::Waits(None)
    }

    /// The next unit that has waited long enough.
    ///
    /// # Errors
    ///
    /// When to ask again, if a unit waits.
    pub fn release(&mut self, now: Time) -> Result<Parcel, Option<Time>> {
        let first = *self.waiting.front().ok_or(None)?;
        let at = self.rule.conforms_at(now);
        if at > now {
            return Err(Some(at));
        }
        self.waiting.pop_front();
        self.rule.pass(now, first.bytes);
        Ok(first)
    }
}

/// Refuses what would let nothing pass or what the clock cannot hold.
///
/// # Errors
///
/// What is wrong, to follow the name of the envelope.
pub fn check(spec: &EnvelopeSpec, unit_bytes: u32) -> Result<(), String> {
    match spec.rule {
        EnvelopeRule::FixedWindow {
            units, interval, ..
        }
        | EnvelopeRule::SlidingWindow { units, interval } => {
            let sound = 1..=LONGEST_PS;
            if units == 0 || !sound.contains(&interval.ps()) {
                return Err(
                    "needs units, and an interval above zero that the clock can hold".into(),
                );
            }
        }
        EnvelopeRule::Bucket { rate, tolerance } => {
            let tick = rate.tick(unit_bytes as u64);
            if rate.0 == 0 || tick.ps().max(tolerance.ps()) > LONGEST_PS {
                return Err("needs a rate above zero, and times the clock can hold".into());
            }
        }
    }
    match spec.rule {
        EnvelopeRule::FixedWindow {
            interval,
            phase: Some(phase),
            ..
        } if phase > interval => Err(format!(
            "has a first window of {phase:?}, longer than its interval of {interval:?}"
        )),
        _ => Ok(()),
    }
}
