//! HPCC (Li and others, SIGCOMM 2019): the source computes its rate from what every switch writes
//! on its packets.
//!
//! | Symbol | Here |
//! |---|---|
//! | W = R T | `window` |
//! | Rc, R | `Hop::reference`, `rate` |
//! | U, u | `Hop::load`, `used` |
//! | eta, T, R_AI | `spec.target_use`, `base_rtt`, `additive` |
//! | lastSeq | `round_end` |
//!
//! For each hop between two acknowledgements, `dt` apart by the switch's clock,
//! `u = (bits sent / dt) / B + (min(q, q') / T) / B`. Of the busiest hop, with tau its dt and at
//! most T, `U = (U (T - tau) + u tau) / T`, and `R = Rc / (U / eta) + R_AI`, or `Rc + R_AI` while
//! U is below eta for the first `max_stage` round trips. Rc follows R once a round trip, so
//! acknowledgements within one do not compound. Spans are in ps, rates in bit/s, each operation in
//! the order written; a rate rounds down.

#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Rate, Time};

use super::hooks::{Ack, Control, Inner, Telemetry};
use crate::spec::rates::{Counters, HpccSpec};

/// Bits in a switch's clock of nanoseconds, where counters are narrow.
const CLOCK_BITS: u32 = 24;
/// Bits in its count of what was sent, and what one is worth at 25 Gb/s.
const SENT: (u32, u64) = (20, 128);
/// The same of what is queued.
const QUEUED: (u32, u64) = (17, 80);
/// The NIC that these were made for.
const NARROW_RATE: u64 = 25_000_000_000;

/// What the source keeps of one hop.
#[derive(Clone, Copy, Debug)]
struct Hop {
    last: Telemetry,
    /// Smoothed use.
    load: f64,
    /// Rate that the next is computed from.
    reference: Rate,
    /// Round trips of additive increase so far.
    stage: u32,
}

/// What does not change.
#[derive(Clone, Debug)]
struct Rules {
    spec: HpccSpec,
    line: Rate,
}

/// State of one source.
#[derive(Clone, Debug)]
pub struct Hpcc {
    rules: Rules,
    rate: Rate,
    /// Of all hops together.
    whole: Hop,
    /// As the last acknowledgement had them.
    hops: Vec<Hop>,
    /// What was sent when the reference was last set; `None` before the first acknowledgement.
    round_end: Option<u64>,
    heard_at: Time,
}

impl Rules {
    /// Of what a narrow count is worth here.
    fn scale(&self) -> u64 {
        (self.line.0 / NARROW_RATE).max(1)
    }

    /// What a hop wrote, as it can be carried.
    fn written(&self, it: &Telemetry) -> Telemetry {
        if self.spec.counters == Counters::Exact {
            return *it;
        }
        let queued_unit = QUEUED.1 * self.scale();
        let sent_unit = SENT.1 * self.scale();
        let most = (1 << QUEUED.0) - 1;
        Telemetry {
            at: Time(it.at.0 / 1_000 % (1 << CLOCK_BITS) * 1_000),
            sent_bytes: it.sent_bytes / sent_unit % (1 << SENT.0) * sent_unit,
            queued_bytes: (it.queued_bytes / queued_unit).min(most) * queued_unit,
            rate: it.rate,
        }
    }

    /// Between two of a hop: ps, and bytes sent.
    fn between(&self, before: &Telemetry, now: &Telemetry) -> (u64, u64) {
        let around = |new: u64, old: u64, all: u64| match (new.checked_sub(old), self.spec.counters)
        {
            (Some(more), _) => more,
            // An older packet came later.
            (None, Counters::Exact) => 0,
            (None, Counters::Narrow) => all - (old - new),
        };
        let sent = (SENT.1 * self.scale()) << SENT.0;
        (
            around(now.at.0, before.at.0, 1_000 << CLOCK_BITS),
            around(now.sent_bytes, before.sent_bytes, sent),
        )
    }

    /// u of a hop and how long it was measured, ps; `None` if no time has passed.
    fn used(&self, before: &Telemetry, now: &Telemetry) -> Option<(f64, u64)> {
        let (ps, bytes) = self.between(before, now);
        if ps == 0 || now.rate.0 == 0 {
            return None;
        }
        let per_second = PS_PER_SECOND as f64;
        let line = now.rate.0 as f64;
        let sent = (bytes * 8) as f64 * per_second / ps as f64 / line;
        let queue = (now.queued_bytes.min(before.queued_bytes) * 8) as f64;
        let span = self.spec.base_rtt.0.max(1) as f64;
        Some((sent + queue * per_second / span / line, ps))
    }

    /// U after u was measured for so long.
    fn smoothed(&self, load: f64, (used, ps): (f64, u64)) -> f64 {
        let span = self.spec.base_rtt.0.max(1);
        let tau = ps.min(span);
        (load * (span - tau) as f64 + used * tau as f64) / span as f64
    }

    /// The rate that follows from a hop's use, or from that of all, and the stage after it.
    fn step(&self, hop: &Hop) -> (Rate, u32) {
        let share = hop.load / self.spec.target_use;
        let sets = share >= 1.0 || hop.stage >= self.spec.max_stage;
        let base = match sets {
            true => (hop.reference.0 as f64 / share) as u64,
            false => hop.reference.0,
        };
        let rate = Rate(base.saturating_add(self.spec.additive.0));
        let rate = rate.max(self.spec.least).min(self.line);
        (rate, if sets { 0 } else { hop.stage + 1 })
    }
}

impl Hpcc {
    /// Behind a NIC of this rate.
    pub(crate) fn new(spec: &HpccSpec, line: Rate) -> Hpcc {
        Hpcc {
            rules: Rules { spec: *spec, line },
            rate: line,
            whole: Hop::new(Telemetry::default(), spec, line),
            hops: Vec::new(),
            round_end: None,
            heard_at: Time::ZERO,
        }
    }

    /// Is this the same path, heard of lately enough?
    fn is_known(&self, now: Time, path: &[Telemetry]) -> bool {
        let is_late = || {
            let since = now.since(self.heard_at).0;
            self.rules.spec.counters == Counters::Narrow && since >= 1_000 << CLOCK_BITS
        };
        let is_same = || {
            let mut both = self.hops.iter().zip(path);
            both.all(|(hop, new)| hop.last.rate == new.rate)
        };
        self.hops.len() == path.len() && is_same() && !is_late()
    }

    fn store(&mut self, path: &[Telemetry]) {
        for (at, new) in path.iter().enumerate() {
            let written = self.rules.written(new);
            match self.hops.get_mut(at) {
                Some(hop) => hop.last = written,
                None => {
                    let hop = Hop::new(written, &self.rules.spec, self.rules.line);
                    self.hops.push(hop);
                }
            }
        }
        self.hops.truncate(path.len());
    }

    /// Takes what was written into the uses: did any time pass?
    fn measure(&mut self, path: &[Telemetry]) -> bool {
        let mut busiest: Option<(f64, u64)> = None;
        for (hop, new) in self.hops.iter_mut().zip(path) {
            let new = self.rules.written(new);
            let Some(found) = self.rules.used(&hop.last, &new) else {
                continue;
            };
            hop.load = self.rules.smoothed(hop.load, found);
            hop.last = new;
            if busiest.is_none_or(|(most, _)| found.0 > most) {
                busiest = Some(found);
            }
        }
        if let Some(found) = busiest {
            self.whole.load = self.rules.smoothed(self.whole.load, found);
        }
        busiest.is_some()
    }

    fn react(&mut self, ends_round: bool) {
        let hops = match self.rules.spec.by_hop {
            true => &mut self.hops[..],
            false => core::slice::from_mut(&mut self.whole),
        };
        self.rate = self.rules.line;
        for hop in hops {
            let (rate, stage) = self.rules.step(hop);
            self.rate = self.rate.min(rate);
            if ends_round {
                (hop.reference, hop.stage) = (rate, stage);
            }
        }
    }
}

impl Hop {
    fn new(last: Telemetry, spec: &HpccSpec, line: Rate) -> Hop {
        Hop {
            last,
            load: spec.first_use,
            reference: line,
            stage: 0,
        }
    }
}

impl Control for Hpcc {
    fn on_telemetry(&mut self, now: Time, ack: &Ack, path: &[Telemetry]) {
        if path.is_empty() {
            return;
        }
        let is_known = self.round_end.is_some() && self.is_known(now, path);
        self.heard_at = now;
        let ends_round = self.round_end.is_none_or(|end| ack.expected > end);
        if !is_known {
            self.store(path);
        } else if (ends_round || self.rules.spec.reacts_fast) && self.measure(path) {
            self.react(ends_round);
        }
        if ends_round {
            self.round_end = self.round_end.max(Some(ack.sent_end));
        }
    }

    #[inline]
    fn pacing(&self) -> Option<Rate> {
        Some(self.rate)
    }

    #[inline]
    fn window(&self) -> u64 {
        let bytes = self.rate.bits_in(self.rules.spec.base_rtt) / 8;
        u64::try_from(bytes).unwrap_or(u64::MAX).max(1)
    }

    #[inline]
    fn rescales(&self) -> bool {
        self.rules.spec.rescales
    }

    fn inner(&self, _now: Time, of: Inner) -> Option<f64> {
        match of {
            Inner::Use => Some(self.whole.load),
            Inner::Reference => Some(self.whole.reference.0 as f64),
            Inner::Window => Some(self.window() as f64),
            _ => None,
        }
    }
}
