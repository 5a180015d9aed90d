//! Swift (Kumar and others, SIGCOMM 2020): the source's window goes by delay.
//!
//! | Symbol | Here |
//! |---|---|
//! | cwnd, in packets | `cwnd` |
//! | ai, beta, max_mdf | `spec.additive`, `decrease`, `largest_cut` |
//! | fs, its alpha and beta | `scaled`, `slope`, `offset` |
//!
//! `target = base + hops x h + fs`, `fs = clamp(alpha / sqrt(cwnd) + beta, 0, range)`: small
//! windows aim at more delay, which is what makes windows equal. Delay below the target adds
//! `ai x acked / cwnd` packets (a window below one: `ai x acked`); else, at most once a round
//! trip, the window is multiplied by `1 - beta (delay - target) / delay`. A window below one packet
//! paces one each `rtt / cwnd`.
//!
//! The root is of integers, so every machine gets the same; spans are in ps, operations in the
//! order written. First version: one window, by the delay of the whole round trip (the paper has a
//! second one for the delay of the end).

#[cfg(test)]
mod tests;

use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Duration, Rate, Time};

use super::hooks::{Ack, Control, Inner, Loss};
use crate::spec::rates::SwiftSpec;

/// Time-outs in a row after which the window is the least.
const TIME_OUTS: u32 = 5;
/// Binary places of the root.
const ROOT_BITS: u32 = 24;

/// State of one source.
#[derive(Clone, Debug)]
pub struct Swift {
    spec: SwiftSpec,
    cwnd: f64,
    rtt: Duration,
    last_cut: Option<Time>,
    /// Time-outs since anything was acknowledged.
    time_outs: u32,
    /// fs = slope / sqrt(cwnd) + offset, ps.
    slope: f64,
    offset: f64,
}

impl Swift {
    pub(crate) fn new(spec: &SwiftSpec) -> Swift {
        let inverse = |window: f64| 1.0 / root(window);
        let (most, least) = (inverse(spec.range_from), inverse(spec.range_to));
        let slope = spec.range.0 as f64 / (most - least);
        Swift {
            spec: *spec,
            cwnd: spec.first_window,
            rtt: Duration::ZERO,
            last_cut: None,
            time_outs: 0,
            slope,
            offset: -(slope * least),
        }
    }

    /// The delay that is aimed at.
    fn target(&self) -> Duration {
        let added = (self.slope / root(self.cwnd) + self.offset).max(0.0);
        let added = Duration((added as u64).min(self.spec.range.0));
        self.spec.base + self.spec.per_hop * u64::from(self.spec.hops) + added
    }

    fn bound(&mut self, cwnd: f64) {
        self.cwnd = cwnd.clamp(self.spec.least_window, self.spec.most_window);
    }

    /// Has a round trip passed since the last cut?
    fn may_cut(&self, now: Time) -> bool {
        self.last_cut.is_none_or(|at| now.since(at) >= self.rtt)
    }

    fn cut(&mut self, now: Time, factor: f64) {
        let before = self.cwnd;
        self.bound(before * factor);
        if self.cwnd < before {
            self.last_cut = Some(now);
        }
    }
}

/// The square root of a number of packets.
fn root(packets: f64) -> f64 {
    let one = (1_u64 << ROOT_BITS) as f64;
    let squared = (packets * one * one) as u128;
    squared.isqrt() as f64 / one
}

impl Control for Swift {
    fn on_ack(&mut self, now: Time, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        self.rtt = rtt;
        if ack.news_bytes > 0 {
            self.time_outs = 0;
        }
        let target = self.target();
        if rtt < target {
            let acked = ack.news_bytes as f64 / f64::from(self.spec.payload_bytes.max(1));
            let more = match self.cwnd >= 1.0 {
                true => self.spec.additive * acked / self.cwnd,
                false => self.spec.additive * acked,
            };
            self.bound(self.cwnd + more);
        } else if self.may_cut(now) {
            let above: f64 = (rtt.0 - target.0) as f64 / rtt.0.max(1) as f64;
            let factor: f64 = 1.0 - self.spec.decrease * above;
            self.cut(now, factor.max(1.0 - self.spec.largest_cut));
        }
    }

    fn on_loss(&mut self, now: Time, loss: Loss, _allowed_bytes: u64) {
        if let Loss::TimeOut { .. } = loss {
            self.time_outs = self.time_outs.saturating_add(1);
        }
        if self.time_outs >= TIME_OUTS {
            self.cut(now, 0.0);
        } else if self.may_cut(now) {
            self.cut(now, 1.0 - self.spec.largest_cut);
        }
    }

    /// Below one packet there is one in flight, paced.
    fn pacing(&self) -> Option<Rate> {
        if self.cwnd >= 1.0 || self.rtt == Duration::ZERO {
            return None;
        }
        let bits = f64::from(self.spec.packet_bytes) * 8.0;
        let rate = bits * self.cwnd * PS_PER_SECOND as f64 / self.rtt.0 as f64;
        Some(Rate((rate as u64).max(1)))
    }

    fn window(&self) -> u64 {
        let bytes = self.cwnd * f64::from(self.spec.payload_bytes);
        (bytes as u64).max(self.spec.payload_bytes.into())
    }

    fn inner(&self, _now: Time, of: Inner) -> Option<f64> {
        match of {
            Inner::TargetDelay => Some(self.target().seconds()),
            Inner::Window => Some(self.cwnd),
            _ => None,
        }
    }
}
