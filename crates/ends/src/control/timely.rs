//! TIMELY (Mittal and others, SIGCOMM 2015) and patched TIMELY (Zhu and others, CoNEXT 2016): the
//! source computes its rate from how its round-trip time changes.
//!
//! | Symbol | Here |
//! |---|---|
//! | R, delta | `rate`, `spec.additive` |
//! | a, beta | `spec.weight`, `spec.decrease` |
//! | T_low, T_high, minRTT | `spec.low`, `spec.high`, `spec.least_rtt` |
//!
//! Each completed segment gives a sample: `diff = (1 - a) diff + a (rtt - rtt')`,
//! `g = diff / minRTT`, the rules in `Timely::answer`. The first sample is only remembered. Spans
//! are in ps; operations come in the order written; a rate rounds down.

#[cfg(test)]
mod tests;

use backwater_kernel::{Duration, Rate, Time};

use super::hooks::{Ack, Control, Inner};
use crate::spec::rates::{Segment, TimelyForm, TimelySpec};

/// No update takes more.
const LEAST_FACTOR: f64 = 0.5;

/// State of one source.
#[derive(Clone, Debug)]
pub struct Timely {
    spec: TimelySpec,
    line: Rate,
    rate: Rate,
    /// Smoothed difference, ps.
    diff: f64,
    last_rtt: Option<Duration>,
    /// Increases in a row.
    in_row: u32,
    /// What was sent when the last sample was taken.
    round_end: Option<u64>,
    /// Bytes acknowledged since.
    acked: u64,
}

/// What a sample does.
enum Answer {
    Rise { is_counted: bool },
    Times(f64),
    Becomes(f64),
}

impl Timely {
    /// Behind a NIC of this rate.
    pub(crate) fn new(spec: &TimelySpec, line: Rate) -> Timely {
        Timely {
            spec: *spec,
            line,
            rate: line,
            diff: 0.0,
            last_rtt: None,
            in_row: 0,
            round_end: None,
            acked: 0,
        }
    }

    /// Does this acknowledgement complete a segment?
    fn completes(&mut self, ack: &Ack) -> bool {
        self.acked += ack.news_bytes;
        let is_full = match self.spec.segment {
            Segment::RoundTrip => self.round_end.is_none_or(|end| ack.expected > end),
            Segment::Bytes(bytes) => self.acked >= bytes,
        };
        if is_full {
            self.acked = 0;
            self.round_end = self.round_end.max(Some(ack.sent_end));
        }
        is_full
    }

    fn gradient(&self) -> f64 {
        self.diff / self.spec.least_rtt.0.max(1) as f64
    }

    fn answer(&self, rtt: Duration) -> Answer {
        let spec = &self.spec;
        let gradient = self.gradient();
        if rtt < spec.low {
            let is_counted = spec.counts_low;
            return Answer::Rise { is_counted };
        }
        let sample = rtt.0 as f64;
        if rtt > spec.high {
            return Answer::Times(1.0 - spec.decrease * (1.0 - spec.high.0 as f64 / sample));
        }
        match spec.form {
            TimelyForm::Gradient if gradient <= 0.0 => Answer::Rise { is_counted: true },
            TimelyForm::Gradient => {
                let factor: f64 = 1.0 - spec.decrease * gradient;
                Answer::Times(factor.max(0.0))
            }
            TimelyForm::Patched {
                decrease,
                reference,
            } => {
                let weight = (2.0 * gradient + 0.5).clamp(0.0, 1.0);
                let reference = reference.0.max(1) as f64;
                let error = (sample - reference) / reference;
                let factor: f64 = 1.0 - decrease * weight * error;
                let kept = self.rate.0 as f64 * factor.max(LEAST_FACTOR);
                Answer::Becomes((1.0 - weight) * spec.additive.0 as f64 + kept)
            }
        }
    }

    fn on_sample(&mut self, rtt: Duration) {
        let Some(last) = self.last_rtt.replace(rtt) else {
            return;
        };
        let new = rtt.0 as f64 - last.0 as f64;
        self.diff = (1.0 - self.spec.weight) * self.diff + self.spec.weight * new;
        let before = self.rate;
        let rate = match self.answer(rtt) {
            Answer::Rise { is_counted } => {
                let is_hyper = is_counted && self.in_row >= self.spec.hyper_after;
                self.in_row = if is_counted { self.in_row + 1 } else { 0 };
                let more = match is_hyper {
                    true => self.spec.hyper,
                    false => self.spec.additive,
                };
                Rate(before.0.saturating_add(more.0))
            }
            Answer::Times(factor) => {
                self.in_row = 0;
                Rate((before.0 as f64 * factor) as u64)
            }
            Answer::Becomes(rate) => Rate(rate as u64),
        };
        self.rate = rate.max(self.spec.least).min(self.line);
    }
}

impl Control for Timely {
    fn on_ack(&mut self, _now: Time, ack: &Ack) {
        if let (true, Some(rtt)) = (self.completes(ack), ack.rtt) {
            self.on_sample(rtt);
        }
    }

    #[inline]
    fn pacing(&self) -> Option<Rate> {
        Some(self.rate)
    }

    #[inline]
    fn rescales(&self) -> bool {
        self.spec.rescales
    }

    fn inner(&self, _now: Time, of: Inner) -> Option<f64> {
        match of {
            Inner::Gradient => Some(self.gradient()),
            _ => None,
        }
    }
}
