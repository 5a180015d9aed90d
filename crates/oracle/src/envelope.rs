//! What a flow is held to: the source's envelope and the policer at the edge, as the chapter on
//! envelopes defines them.
//!
//! A rule keeps every instant at which a unit passed.

use backwater_kernel::{Purpose, Stream, Time};
use backwater_net::spec::{EnvelopeRule, EnvelopeSpec, Excess};

use crate::clock::later;

/// A rule, and what waits for it.
pub(crate) struct Gate {
    rule: EnvelopeRule,
    pub excess: Excess,
    /// When the first fixed window ends.
    phase_ps: u64,
    /// Instant and bytes.
    passed: Vec<(Time, u64)>,
    /// Bytes of units that wait, and their numbers once they have one.
    pub waiting: Vec<(u64, Option<u64>)>,
}

/// What becomes of a unit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Passes,
    Waits,
    Lost,
}

impl Gate {
    pub fn new(spec: &EnvelopeSpec, seed: u64, flow: u64, purpose: Purpose) -> Gate {
        let phase_ps = match spec.rule {
            EnvelopeRule::FixedWindow {
                phase: Some(phase), ..
            } => phase.ps(),
            EnvelopeRule::FixedWindow { interval, .. } => {
                1 + Stream::new(seed, flow, purpose).below(interval.ps())
            }
            _ => 0,
        };
        Gate {
            rule: spec.rule,
            excess: spec.excess,
            phase_ps,
            passed: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// The first instant from `now` on at which a unit conforms.
    pub fn conforms_at(&self, now: Time) -> Time {
        match self.rule {
            EnvelopeRule::FixedWindow {
                units, interval, ..
            } => {
                let window = |at: Time| match at.ps().checked_sub(self.phase_ps) {
                    None => 0,
                    Some(beyond) => 1 + beyond / interval.ps(),
                };
                let here = window(now);
                let used = self.passed.iter().filter(|(at, _)| window(*at) == here);
                match used.count() < units as usize {
                    true => now,
                    false => Time(self.phase_ps + here * interval.ps()),
                }
            }
            EnvelopeRule::SlidingWindow { units, interval } => {
                let before = self.passed.len().checked_sub(units as usize);
                let oldest = before.map(|place| self.passed[place].0);
                oldest.map_or(now, |at| later(at, interval).max(now))
            }
            EnvelopeRule::Bucket { rate, tolerance } => {
                let theoretical = self.passed.iter().fold(0, |due, (at, bytes)| {
                    due.max(at.ps()) + rate.tick(*bytes).ps()
                });
                now.max(Time(theoretical.saturating_sub(tolerance.ps())))
            }
        }
    }

    pub fn pass(&mut self, now: Time, bytes: u64) {
        self.passed.push((now, bytes));
    }

    /// A unit comes.
    pub fn judge(&mut self, now: Time, bytes: u64, number: Option<u64>) -> Fate {
        if self.waiting.is_empty() && self.conforms_at(now) == now {
            self.pass(now, bytes);
            return Fate::Passes;
        }
        if self.excess == Excess::Drop {
            return Fate::Lost;
        }
        self.waiting.push((bytes, number));
        Fate::Waits
    }

    /// The unit that has waited long enough.
    pub fn release(&mut self, now: Time) -> Option<(u64, Option<u64>)> {
        let first = *self.waiting.first()?;
        if self.conforms_at(now) > now {
            return None;
        }
        self.waiting.remove(0);
        self.pass(now, first.0);
        Some(first)
    }

    /// When something happens here.
    pub fn next(&self, from: Time) -> Option<Time> {
        (!self.waiting.is_empty()).then(|| self.conforms_at(from))
    }
}
