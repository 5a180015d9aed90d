//! What losses teach: how much may be in flight in the long run, and how much for now.
//!
//! | Draft | Here |
//! |---|---|
//! | BBR.inflight_longterm | `long` |
//! | BBR.bw_shortterm, inflight_shortterm | `short_rate`, `short` |
//! | BBR.bw_latest, inflight_latest | `latest` |
//! | BBR.is_loss_in_round, loss_round_delivered | `has_loss`, `round_end` |
//! | BBR.Headroom, BBR.Beta | 15 %, 7/10 |

use super::Phase;
use crate::control::sample::{Delivered, Sample};

/// No bound.
const FREE: u64 = u64::MAX;

/// The bounds, and what the round trip brought so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) long: u64,
    short: u64,
    short_rate: u64,
    /// The largest rate, and the most that was delivered while a segment was under way.
    pub(super) latest: (u64, u64),
    has_loss: bool,
    round_end: u64,
    /// Acknowledgements of this round trip that showed losses, and what they lost.
    places: u32,
    lost: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            long: FREE,
            short: FREE,
            short_rate: FREE,
            latest: (0, 0),
            has_loss: false,
            round_end: 0,
            places: 0,
            lost: 0,
        }
    }
}

/// 7/10 of it: BBR.Beta.
pub(super) fn cut(value: u64) -> u64 {
    (u128::from(value) * 7 / 10) as u64
}

fn of(sample: &Sample) -> (u64, u64) {
    let rate = |delivered: Delivered| (delivered.rate().0, delivered.bytes);
    sample.rate.map_or((0, 0), rate)
}

impl Bounds {
    /// UpdateLatestDeliverySignals; whether a round trip of losses ends.
    pub(super) fn on_delivery(&mut self, sample: &Sample) -> bool {
        let (rate, bytes) = of(sample);
        self.latest = (self.latest.0.max(rate), self.latest.1.max(bytes));
        let ends = sample.rate.is_some() && sample.prior_delivered >= self.round_end;
        if ends {
            self.round_end = sample.delivered;
        }
        ends
    }

    /// AdvanceLatestDeliverySignals.
    pub(super) fn next_round(&mut self, sample: &Sample) {
        self.latest = of(sample);
        self.places = 0;
        self.lost = 0;
    }

    /// NoteLoss.
    pub(super) fn on_loss(&mut self, sample: &Sample) {
        if !self.has_loss {
            self.round_end = sample.delivered;
        }
        self.has_loss = true;
        self.places += 1;
        self.lost += sample.lost_bytes;
    }

    /// A round trip lost more than 2 %, in six places.
    pub(super) fn has_high_loss(&self) -> bool {
        let all = self.latest.1 + self.lost;
        self.places >= 6 && u128::from(self.lost) * 50 > u128::from(all)
    }

    /// AdaptLowerBoundsFromCongestion, once a round trip.
    pub(super) fn adapt(&mut self, most_rate: u64, cwnd: u64, probes: bool) {
        if self.has_loss && !probes {
            let rate = if self.short_rate == FREE {
                most_rate
            } else {
                self.short_rate
            };
            let bytes = if self.short == FREE { cwnd } else { self.short };
            self.short_rate = self.latest.0.max(cut(rate));
            self.short = self.latest.1.max(cut(bytes));
        }
        self.has_loss = false;
    }

    /// ResetCongestionSignals.
    pub(super) fn reset_signals(&mut self) {
        self.has_loss = false;
        self.latest = (0, 0);
    }

    /// ResetShortTermModel.
    pub(super) fn reset_short(&mut self) {
        self.short = FREE;
        self.short_rate = FREE;
    }

    /// Losses since then were none: at least what was allowed before.
    pub(super) fn restore(&mut self, before: &Bounds) {
        self.has_loss = false;
        self.long = self.long.max(before.long);
        self.short = self.short.max(before.short);
        self.short_rate = self.short_rate.max(before.short_rate);
    }

    /// The rate is no more than this.
    pub(super) fn rate(&self) -> u64 {
        self.short_rate
    }

    /// No losses: that much was in flight and did no harm.
    pub(super) fn raise_to(&mut self, flight: u64) {
        if self.long != FREE {
            self.long = self.long.max(flight);
        }
    }

    /// InflightWithHeadroom, but for the least.
    pub(super) fn with_headroom(&self, mss: u64) -> u64 {
        match self.long {
            FREE => FREE,
            long => long - mss.max(long / 100 * 15).min(long),
        }
    }

    /// BoundCwndForModel.
    pub(super) fn window(&self, phase: Phase, mss: u64) -> u64 {
        let long = match phase {
            Phase::Startup | Phase::Drain => FREE,
            Phase::Down | Phase::Refill | Phase::Up => self.long,
            Phase::Cruise | Phase::Rest => self.with_headroom(mss),
        };
        long.min(self.short)
    }
}
