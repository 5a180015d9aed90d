//! The phases, and when one ends.

use backwater_kernel::{Duration, Time};

use super::bounds::cut;
use super::{Bbr3, MS};
use crate::control::sample::Sample;

/// As many round trips as Reno takes at most to come back to a window.
const RENO_ROUNDS: u64 = 63;
/// Of Drain, round trips at most.
const DRAIN_ROUNDS: u64 = 3;

/// Where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    /// ProbeRTT.
    Rest,
}

impl Phase {
    /// Thousandths of the rate.
    pub(super) fn pacing_gain(self) -> u64 {
        match self {
            // 4 ln 2.
            Phase::Startup => 2_773,
            Phase::Drain => 500,
            Phase::Down => 900,
            Phase::Cruise | Phase::Refill | Phase::Rest => 1_000,
            Phase::Up => 1_250,
        }
    }

    /// Thousandths of the product.
    pub(super) fn window_gain(self) -> u64 {
        match self {
            Phase::Startup | Phase::Drain | Phase::Down | Phase::Cruise | Phase::Refill => 2_000,
            Phase::Up => 2_250,
            Phase::Rest => 500,
        }
    }

    /// IsInAProbeBWState.
    pub(super) fn is_of_rate(self) -> bool {
        match self {
            Phase::Down | Phase::Cruise | Phase::Refill | Phase::Up => true,
            Phase::Startup | Phase::Drain | Phase::Rest => false,
        }
    }

    /// IsProbingBW.
    pub(super) fn probes(self) -> bool {
        match self {
            Phase::Startup | Phase::Refill | Phase::Up => true,
            Phase::Drain | Phase::Down | Phase::Cruise | Phase::Rest => false,
        }
    }
}

/// BBR.ack_phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Feedback {
    #[default]
    None,
    Refilling,
    Starting,
    Given,
    Stopping,
}

/// What is known of probing for rate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probe {
    /// BBR.cycle_count.
    pub(super) cycles: u64,
    /// BBR.rounds_since_probe_up.
    pub(super) rounds: u64,
    feedback: Feedback,
    began: Time,
    wait: Duration,
    /// BBR.is_bw_probe_sample.
    is_sample: bool,
    was_too_high: bool,
    was_careful: bool,
    /// BBR.bw_probe_up_rounds, probe_up_acked_per_inc and bw_probe_up_acked.
    up_rounds: u32,
    per_segment: u64,
    acked: u64,
}

impl Probe {
    /// What comes in a round trip from now is no longer of a probe.
    pub(super) fn stop(&mut self) {
        self.feedback = Feedback::Stopping;
    }
}

impl Bbr3 {
    /// An acknowledgement shows losses.
    pub(super) fn note_loss(&mut self, now: Time, sample: &Sample) {
        self.bounds.on_loss(sample);
        let Some((flight, lost_before)) = sample.lost_segment else {
            return;
        };
        if !self.probe.is_sample {
            return;
        }
        let lost = sample.lost - lost_before;
        if !is_too_much(lost, flight) {
            return;
        }
        // At which part of what was lost at once was it 2 %?
        let before = flight.saturating_sub(sample.lost_bytes);
        let allowed = (before / 50).saturating_sub(lost - sample.lost_bytes);
        self.too_much(now, sample, before + allowed * 50 / 49);
    }

    /// HandleInflightTooHigh: losses show that so much in flight is too much.
    fn too_much(&mut self, now: Time, sample: &Sample, flight: u64) {
        self.probe.was_too_high = true;
        self.probe.is_sample = false;
        if !sample.is_app_limited {
            self.bounds.long = flight.max(cut(self.target()));
        }
        if self.phase == Phase::Up {
            self.go_down(now, sample);
        }
    }

    /// CheckStartupDone.
    pub(super) fn check_startup(&mut self, sample: &Sample, ends_round: bool) {
        if self.phase != Phase::Startup {
            return;
        }
        if ends_round && sample.is_repairing && self.bounds.has_high_loss() {
            self.full.is_reached = true;
            self.bounds.long = self.product(self.rate, 1_000).max(self.bounds.latest.1);
        }
        if self.full.is_reached {
            self.phase = Phase::Drain;
            self.drains_from = self.rounds.count;
        }
    }

    pub(super) fn check_drain(&mut self, now: Time, sample: &Sample) {
        if self.phase != Phase::Drain {
            return;
        }
        let is_drained = sample.flight_bytes <= self.inflight(self.rate);
        if is_drained || self.rounds.count > self.drains_from + DRAIN_ROUNDS {
            self.go_down(now, sample);
        }
    }

    /// UpdateProbeBWCyclePhase.
    pub(super) fn update_phase(&mut self, now: Time, sample: &Sample) {
        if !self.full.is_reached || self.adapt_long_term(sample) {
            return;
        }
        let goes_down = self.phase == Phase::Up && self.is_time_to_go_down(sample);
        match self.phase {
            Phase::Down if self.is_time_to_probe(now) => self.refill(sample),
            Phase::Down if self.has_room(sample) => self.phase = Phase::Cruise,
            Phase::Cruise if self.is_time_to_probe(now) => self.refill(sample),
            Phase::Refill if self.rounds.is_start => {
                self.probe.is_sample = true;
                self.go_up(sample);
            }
            Phase::Up if goes_down => {
                self.probe.was_too_high = false;
                self.go_down(now, sample);
            }
            Phase::Startup
            | Phase::Drain
            | Phase::Down
            | Phase::Cruise
            | Phase::Refill
            | Phase::Up
            | Phase::Rest => {}
        }
    }

    /// AdaptLongTermModel; whether that has changed the phase.
    fn adapt_long_term(&mut self, sample: &Sample) -> bool {
        let is_start = self.rounds.is_start;
        if self.probe.feedback == Feedback::Starting && is_start {
            self.probe.feedback = Feedback::Given;
        }
        if self.probe.feedback == Feedback::Stopping && is_start {
            self.probe.is_sample = false;
            self.probe.feedback = Feedback::None;
            if self.phase.is_of_rate() && !sample.is_app_limited {
                self.probe.cycles += 1;
            }
            if self.phase.is_of_rate() && self.probe.was_careful && !self.probe.was_too_high {
                self.refill(sample);
                return true;
            }
        }
        let lost = sample.lost - sample.prior_lost;
        if !is_too_much(lost, sample.sent_flight_bytes) {
            self.bounds.raise_to(sample.sent_flight_bytes);
            if self.phase == Phase::Up {
                self.probe_upward(sample);
            }
        }
        false
    }

    fn is_time_to_probe(&self, now: Time) -> bool {
        let reno = (self.target() / self.mss).min(RENO_ROUNDS);
        now > self.probe.began + self.probe.wait || self.probe.rounds >= reno
    }

    /// IsTimeToCruise.
    fn has_room(&self, sample: &Sample) -> bool {
        let room = self.bounds.with_headroom(self.mss).max(self.least_window());
        sample.flight_bytes <= room && sample.flight_bytes <= self.inflight(self.rates.max())
    }

    fn is_time_to_go_down(&mut self, sample: &Sample) -> bool {
        let long = self.bounds.long;
        if self.probe.was_too_high && sample.flight_bytes >= long {
            self.probe.was_careful = true;
            return true;
        }
        if self.is_window_limited() && self.cwnd >= long {
            let rate = sample.rate.map_or(0, |delivered| delivered.rate().0);
            self.reset_full(rate);
            return false;
        }
        self.full.is_now
    }

    /// StartProbeBW_DOWN.
    pub(super) fn go_down(&mut self, now: Time, sample: &Sample) {
        self.bounds.reset_signals();
        self.probe.per_segment = u64::MAX;
        self.probe.rounds = sample.draw & 1;
        let part = (sample.draw >> 1) % 1_000;
        self.probe.wait = Duration((2_000 + part) * MS);
        self.probe.began = now;
        self.probe.stop();
        self.rounds.restart(sample.delivered);
        self.phase = Phase::Down;
    }

    fn refill(&mut self, sample: &Sample) {
        self.bounds.reset_short();
        self.probe.up_rounds = 0;
        self.probe.acked = 0;
        self.probe.was_careful = false;
        self.probe.feedback = Feedback::Refilling;
        self.rounds.restart(sample.delivered);
        self.phase = Phase::Refill;
    }

    fn go_up(&mut self, sample: &Sample) {
        self.probe.feedback = Feedback::Starting;
        self.rounds.restart(sample.delivered);
        self.reset_full(sample.rate.map_or(0, |delivered| delivered.rate().0));
        self.phase = Phase::Up;
        self.raise_slope();
    }

    /// RaiseInflightLongtermSlope: it grows by twice as much each round trip.
    fn raise_slope(&mut self) {
        let slower = self.cwnd >> self.probe.up_rounds;
        self.probe.up_rounds = (self.probe.up_rounds + 1).min(30);
        self.probe.per_segment = slower.max(self.mss);
    }

    /// ProbeInflightLongtermUpward.
    fn probe_upward(&mut self, sample: &Sample) {
        if self.bounds.long == u64::MAX || !self.is_window_limited() || self.cwnd < self.bounds.long
        {
            return;
        }
        let probe = &mut self.probe;
        probe.acked += sample.acked_bytes;
        let segments = probe.acked / probe.per_segment;
        probe.acked -= segments * probe.per_segment;
        self.bounds.long += segments * self.mss;
        if self.rounds.is_start {
            self.raise_slope();
        }
    }
}

/// IsInflightTooHigh: more than 2 % (BBR.LossThresh).
fn is_too_much(lost: u64, flight: u64) -> bool {
    u128::from(lost) * 50 > u128::from(flight)
}
