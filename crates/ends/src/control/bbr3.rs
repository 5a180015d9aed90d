//! BBR, version 3: version 1's model with bounds beside it, of what losses showed to be too much.
//!
//! Cardwell, Swett and Beshay, draft-ietf-ccwg-bbr-06. Filters and round trips are those of
//! version 1; `bounds` has what losses teach, `phases` the phases.
//!
//! | Draft | Here |
//! |---|---|
//! | BBR.max_bw, bw | `rates` (two cycles), `rate` |
//! | BBR.min_rtt, probe_rtt_min_delay | `least_rtt`, `probed` |
//! | BBR.extra_acked | `extra` |
//! | BBR.full_bw, full_bw_count, full_bw_now, full_bw_reached | `full` |
//! | bw_shortterm, inflight_shortterm, inflight_longterm | `bounds` |
//! | BBR.ack_phase, bw_probe_wait, rounds_since_probe_up | `probe` |
//! | BBR.prior_cwnd | `prior` |
//!
//! * Startup: pace 2.77, window 2; until three round trips in a row brought less than a quarter
//!   more, or a round trip of a recovery lost more than 2 % in six places. Drain: pace 0.5.
//! * Probing for rate: down (0.9) until there is room; cruise (1) for 2 to 3 s, or as many round
//!   trips as Reno would need to come back; refill (1) for one; up (1.25) until more is lost than
//!   2 %, or the rate does not grow.
//! * Probing for the round trip: every 5 s, half of the product, 200 ms.
//!
//! Losses that were none leave the bounds as they were before, and the phase as it is.
//!
//! **Not modelled**: ECN. Of the segments that an acknowledgement shows to be lost the last counts,
//! and those of one acknowledgement are one place.

mod bounds;
mod phases;
#[cfg(test)]
mod tests;

use backwater_kernel::{Duration, Rate, Time};

use super::bbr::{ONE, Rest, Rounds, WindowedMax, product};
use super::hooks::{Control, Inner, Loss, Offered};
use super::sample::{Delivered, Sample};
use crate::spec::TcpSpec;
use bounds::Bounds;
use phases::{Phase, Probe};

const MS: u64 = 1_000_000_000;
/// BBR.PacingMarginPercent: so many hundredths are left.
const PACED_HUNDREDTHS: u64 = 99;
/// BBR.MinRTTFilterLen.
const LEAST_FOR: Duration = Duration(10_000 * MS);
/// BBR.ProbeRTTInterval.
const PROBE_EVERY: Duration = Duration(5_000 * MS);
/// BBR.MinPipeCwnd, segments.
const LEAST_SEGMENTS: u64 = 4;
/// BBR.ExtraAckedFilterLen, round trips.
const EXTRA_ROUNDS: u64 = 10;
/// The round trip that the first pace is of, until one was measured.
const FIRST_RTT: Duration = Duration(MS);

/// Does the rate still grow?
#[derive(Clone, Copy, Debug, Default)]
struct Full {
    rate: u64,
    count: u32,
    /// Not at the moment.
    is_now: bool,
    /// It was found once.
    is_reached: bool,
}

/// Acknowledgements that come in bunches.
#[derive(Clone, Debug)]
struct Extra {
    most: WindowedMax,
    acked: u64,
    since: Time,
}

/// State of BBR.
#[derive(Clone, Debug)]
pub(crate) struct Bbr3 {
    mss: u64,
    first: u64,
    most: u64,
    cwnd: u64,
    pace: Rate,
    has_rtt: bool,
    phase: Phase,
    rates: WindowedMax,
    rate: u64,
    rounds: Rounds,
    least_rtt: Duration,
    least_at: Time,
    probed: Duration,
    probed_at: Time,
    full: Full,
    bounds: Bounds,
    probe: Probe,
    drains_from: u64,
    extra: Extra,
    rest: Rest,
    prior: u64,
    /// Before the loss that is repaired.
    bounds_before: Bounds,
    is_repairing: bool,
    restarts: bool,
    /// The window was what limited it, in this round trip and in the one before.
    is_limited: [bool; 2],
}

impl Bbr3 {
    /// As a connection begins.
    pub(crate) fn new(spec: &TcpSpec) -> Bbr3 {
        let mss = u64::from(spec.mss_bytes);
        let first = u64::from(spec.initial_window_segments.max(1)) * mss;
        let per_trip = Delivered {
            bytes: first,
            over: FIRST_RTT,
        };
        Bbr3 {
            mss,
            first,
            most: u64::from(spec.window_bytes),
            cwnd: first,
            pace: paced(per_trip.rate().0, Phase::Startup.pacing_gain()),
            has_rtt: false,
            phase: Phase::Startup,
            // This cycle and the one before.
            rates: WindowedMax::new(1),
            rate: 0,
            rounds: Rounds::default(),
            least_rtt: Duration::MAX,
            least_at: Time::ZERO,
            probed: Duration::MAX,
            probed_at: Time::ZERO,
            full: Full::default(),
            bounds: Bounds::default(),
            probe: Probe::default(),
            drains_from: 0,
            extra: Extra {
                most: WindowedMax::new(EXTRA_ROUNDS),
                acked: 0,
                since: Time::ZERO,
            },
            rest: Rest::default(),
            prior: 0,
            bounds_before: Bounds::default(),
            is_repairing: false,
            restarts: false,
            is_limited: [false; 2],
        }
    }

    fn least_window(&self) -> u64 {
        LEAST_SEGMENTS * self.mss
    }

    fn product(&self, rate: u64, gain: u64) -> u64 {
        match self.least_rtt {
            Duration::MAX => self.first,
            least => product(Rate(rate), least, gain),
        }
    }

    /// QuantizationBudget.
    fn budgeted(&self, bytes: u64) -> u64 {
        let budget = 3 * super::quantum(self.pace, self.mss);
        let bytes = bytes.max(budget).max(self.least_window());
        bytes
            + if self.phase == Phase::Up {
                2 * self.mss
            } else {
                0
            }
    }

    /// What should be in flight at most without a queue.
    fn inflight(&self, rate: u64) -> u64 {
        self.budgeted(self.product(rate, ONE))
    }

    /// TargetInflight.
    fn target(&self) -> u64 {
        self.product(self.rate, ONE).min(self.cwnd)
    }

    fn note_limits(&mut self, sample: &Sample) {
        if self.rounds.is_start {
            self.is_limited = [false, self.is_limited[0]];
        }
        self.is_limited[0] |= sample.prior_flight_bytes + self.mss >= self.cwnd;
    }

    fn is_window_limited(&self) -> bool {
        self.is_limited[0] || self.is_limited[1]
    }

    /// UpdateMaxBw.
    fn update_rates(&mut self, sample: &Sample) {
        let Some(delivered) = sample.rate else {
            self.rounds.is_start = false;
            return;
        };
        if self.rounds.on_sample(sample) {
            self.probe.rounds += 1;
        }
        let rate = delivered.rate().0;
        if rate >= self.rates.max() || !sample.is_app_limited {
            self.rates.add(self.probe.cycles, rate);
        }
    }

    fn update_extra(&mut self, now: Time, sample: &Sample) {
        let extra = &mut self.extra;
        let mut expected = product(Rate(self.rate), now.since(extra.since), ONE);
        if extra.acked <= expected {
            extra.acked = 0;
            extra.since = now;
            expected = 0;
        }
        extra.acked += sample.acked_bytes;
        let beyond = (extra.acked - expected.min(extra.acked)).min(self.cwnd);
        // In the startup a round trip is remembered, no more.
        if !self.full.is_reached && self.rounds.is_start {
            extra.most = WindowedMax::new(EXTRA_ROUNDS);
        }
        extra.most.add(self.rounds.count, beyond);
    }

    fn reset_full(&mut self, rate: u64) {
        self.full = Full {
            rate,
            is_reached: self.full.is_reached,
            ..Full::default()
        };
    }

    fn check_full(&mut self, sample: &Sample) {
        if self.full.is_now || !self.rounds.is_start || sample.is_app_limited {
            return;
        }
        let rate = sample.rate.map_or(0, |delivered| delivered.rate().0);
        if u128::from(rate) * 4 >= u128::from(self.full.rate) * 5 {
            self.reset_full(rate);
            return;
        }
        self.full.count += 1;
        self.full.is_now = self.full.count >= 3;
        self.full.is_reached |= self.full.is_now;
    }

    /// UpdateMinRTT; is it time to probe for it?
    fn update_least_rtt(&mut self, now: Time, sample: &Sample) -> bool {
        let is_due = now > self.probed_at + PROBE_EVERY;
        if let Some(rtt) = sample.rtt
            && (rtt < self.probed || is_due)
        {
            self.probed = rtt;
            self.probed_at = now;
        }
        if self.probed < self.least_rtt || now > self.least_at + LEAST_FOR {
            self.least_rtt = self.probed;
            self.least_at = self.probed_at;
        }
        is_due
    }

    fn check_rest(&mut self, now: Time, sample: &Sample, is_due: bool) {
        if self.phase != Phase::Rest && is_due && !self.restarts {
            self.save_window();
            self.phase = Phase::Rest;
            self.rest = Rest::default();
            self.probe.stop();
            self.rounds.restart(sample.delivered);
        }
        if self.phase == Phase::Rest {
            self.rest(now, sample);
        }
        self.restarts &= sample.acked_bytes == 0;
    }

    fn rest(&mut self, now: Time, sample: &Sample) {
        let is_few = sample.flight_bytes <= self.rest_window();
        let rounds = &mut self.rounds;
        if self.rest.on_sample(now, is_few, rounds, sample) {
            self.end_rest(now, sample);
        }
    }

    fn end_rest(&mut self, now: Time, sample: &Sample) {
        self.probed_at = now;
        self.cwnd = self.cwnd.max(self.prior);
        self.rest = Rest::default();
        self.bounds.reset_short();
        if self.full.is_reached {
            self.go_down(now, sample);
            self.phase = Phase::Cruise;
        } else {
            self.phase = Phase::Startup;
        }
    }

    fn rest_window(&self) -> u64 {
        self.product(self.rate, ONE / 2).max(self.least_window())
    }

    /// Before the path is known to be full, the pace does not fall.
    fn set_pace(&mut self, sample: &Sample) {
        let gain = self.phase.pacing_gain();
        if !self.has_rtt
            && let Some(rtt) = sample.rtt
        {
            self.has_rtt = true;
            let per_trip = Delivered {
                bytes: self.first,
                over: rtt,
            };
            self.pace = paced(per_trip.rate().0, gain);
        }
        let pace = paced(self.rate, gain);
        if pace.0 > 0 && (self.full.is_reached || pace > self.pace) {
            self.pace = pace;
        }
    }

    fn save_window(&mut self) {
        self.prior = match self.is_repairing || self.phase == Phase::Rest {
            true => self.prior.max(self.cwnd),
            false => self.cwnd,
        };
    }

    fn set_cwnd(&mut self, sample: &Sample) {
        if self.is_repairing && !sample.is_repairing {
            self.is_repairing = false;
            self.cwnd = self.cwnd.max(self.prior);
        }
        let most = self.product(self.rate, self.phase.window_gain()) + self.extra.most.max();
        let most = self.budgeted(most);
        let grown = self.cwnd.saturating_add(sample.acked_bytes);
        if self.full.is_reached {
            self.cwnd = grown.min(most);
        } else if self.cwnd < most || sample.delivered < self.first {
            self.cwnd = grown;
        }
        self.cwnd = self.cwnd.max(self.least_window());
        if self.phase == Phase::Rest {
            self.cwnd = self.cwnd.min(self.rest_window());
        }
        let cap = self
            .bounds
            .window(self.phase, self.mss)
            .max(self.least_window());
        self.cwnd = self.cwnd.min(cap).min(self.most);
    }
}

/// A rate at a gain, less the margin that keeps the queue short.
fn paced(rate: u64, gain: u64) -> Rate {
    let wide = u128::from(rate) * u128::from(gain) * u128::from(PACED_HUNDREDTHS);
    Rate(u64::try_from(wide / (100 * u128::from(ONE))).unwrap_or(u64::MAX))
}

impl Control for Bbr3 {
    fn on_sample(&mut self, now: Time, sample: &Sample) {
        let ends_round = self.bounds.on_delivery(sample);
        self.note_limits(sample);
        self.update_rates(sample);
        if sample.lost_bytes > 0 {
            self.note_loss(now, sample);
        }
        if ends_round {
            let probes = self.phase.probes();
            self.bounds.adapt(self.rates.max(), self.cwnd, probes);
        }
        self.update_extra(now, sample);
        self.check_full(sample);
        self.check_startup(sample, ends_round);
        self.check_drain(now, sample);
        self.update_phase(now, sample);
        let is_due = self.update_least_rtt(now, sample);
        self.check_rest(now, sample, is_due);
        if ends_round {
            self.bounds.next_round(sample);
        }
        self.rate = self.rates.max().min(self.bounds.rate());
        self.set_pace(sample);
        self.set_cwnd(sample);
    }

    fn on_offered(&mut self, now: Time, _offered: Offered) {
        self.restarts = true;
        self.extra.since = now;
        if self.phase.is_of_rate() {
            self.pace = paced(self.rate, ONE);
        }
    }

    fn on_loss(&mut self, _now: Time, loss: Loss, _allowed_bytes: u64) {
        self.save_window();
        if !self.is_repairing {
            self.bounds_before = self.bounds;
        }
        self.is_repairing = true;
        if let Loss::TimeOut { .. } = loss {
            self.cwnd = self.mss;
        }
    }

    #[inline]
    fn pacing(&self) -> Option<Rate> {
        Some(self.pace)
    }

    #[inline]
    fn window(&self) -> u64 {
        self.cwnd
    }

    #[inline]
    fn set_window(&mut self, bytes: u64) {
        self.cwnd = bytes;
    }

    fn undo(&mut self, _window: u64, _threshold: u64) {
        self.reset_full(0);
        self.bounds.restore(&self.bounds_before);
    }

    fn inner(&self, _now: Time, of: Inner) -> Option<f64> {
        match of {
            Inner::Bandwidth => Some(self.rate as f64),
            Inner::LeastRtt => (self.least_rtt != Duration::MAX).then(|| self.least_rtt.seconds()),
            Inner::PacingGain => Some(self.phase.pacing_gain() as f64 / ONE as f64),
            Inner::Phase => Some(match self.phase {
                Phase::Startup => 1.0,
                Phase::Drain => 2.0,
                Phase::Down | Phase::Cruise | Phase::Refill | Phase::Up => 3.0,
                Phase::Rest => 4.0,
            }),
            _ => None,
        }
    }
}
