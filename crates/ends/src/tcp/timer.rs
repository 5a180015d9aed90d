//! When a sender gives up waiting: ticks, round-trip times, retransmission time-outs.
//!
//! Jacobson (1988), *Congestion avoidance and control*; Karn and Partridge (1987); Wright and
//! Stevens (1995), *TCP/IP Illustrated, Volume 2*, chapter 25 (ticks); RFC 6298 (fine timer).
//!
//! **Ticks** ([`crate::spec::TimerSpec::tick`]). The slow timer of a host ticks at `phase + k *
//! tick`, k = 0, 1, .. A time-out of n ticks armed at any instant fires at the n-th tick strictly
//! after it, that is after n - 1 to n ticks. A round trip is measured as one more than the ticks
//! that passed. The estimators are integers: `srtt` is in eighths of a tick, `rttvar` in quarters:
//!
//! * first sample m: `srtt = 8 m`, `rttvar = 2 m`;
//! * later: `delta = m - 1 - srtt / 8`, `srtt += delta`, `rttvar += |delta| - rttvar / 4`, both at
//!   least 1 (the quotients round down);
//! * time-out = `srtt / 8 + rttvar`, doubled for each time it ran out, within least and largest.
//!
//! **Fine** (no tick). RFC 6298 in picoseconds: `srtt` and `rttvar` as they are, time-out = `srtt +
//! 4 rttvar`, at least the least, then doubled. One sample at a time here too.
//!
//! Samples of segments sent again are not taken, and back-off ends with the next sample (Karn).
//! Not modelled: BSD's giving up its estimate after four time-outs in a row, or the connection
//! after twelve.

use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Duration, Rate, Time};

use super::HostClock;
use crate::spec::TimerSpec;

/// Doublings of a time-out, at most.
const BACKOFF_MAX: u8 = 30;

/// Ticks at or before `now`.
pub(crate) fn ticks_before(phase: Duration, tick: Duration, now: Time) -> u64 {
    match now.0.checked_sub(phase.0) {
        Some(ps) => ps / tick.0.max(1) + 1,
        None => 0,
    }
}

/// The `n`-th tick strictly after `now`.
pub(crate) fn nth_tick(phase: Duration, tick: Duration, now: Time, n: u64) -> Time {
    let index = ticks_before(phase, tick, now) + n.max(1) - 1;
    Time(phase.0.saturating_add(index.saturating_mul(tick.0.max(1))))
}

/// Estimate of the round-trip time, and the segment that is being timed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoundTrip {
    /// Smoothed, eighths of a tick or ps; 0 before the first sample.
    srtt: u64,
    /// Mean deviation, quarters of a tick or ps.
    rttvar: u64,
    /// Time-outs since the last sample.
    backoff: u8,
    is_timing: bool,
    /// First position of the segment that is timed, and when it was sent.
    timed: (u64, Time),
}

impl RoundTrip {
    /// A segment goes out for the first time: it is timed if none is.
    pub(crate) fn begin(&mut self, now: Time, seq: u64) {
        if !self.is_timing {
            self.is_timing = true;
            self.timed = (seq, now);
        }
    }

    /// Something is sent again: the sample would say nothing.
    pub(crate) fn cancel(&mut self) {
        self.is_timing = false;
    }

    /// Everything below `ack` has arrived: the round-trip time, if that ends one.
    pub(crate) fn on_ack(
        &mut self,
        now: Time,
        spec: &TimerSpec,
        clock: &HostClock,
        ack: u64,
    ) -> Option<Duration> {
        if !self.is_timing || ack <= self.timed.0 {
            return None;
        }
        self.is_timing = false;
        Some(self.sample(now, spec, clock, self.timed.1))
    }

    /// What was sent at `sent_at` was answered now: how long that took by the host's clock.
    pub(crate) fn sample(
        &mut self,
        now: Time,
        spec: &TimerSpec,
        clock: &HostClock,
        sent_at: Time,
    ) -> Duration {
        self.backoff = 0;
        match spec.tick {
            Some(tick) => {
                let passed = ticks_before(clock.slow_phase, tick, now)
                    - ticks_before(clock.slow_phase, tick, sent_at);
                self.sample_ticks(passed + 1);
                Duration(tick.0.saturating_mul(passed))
            }
            None => {
                let took = now.since(sent_at);
                self.sample_fine(took.0.max(1));
                took
            }
        }
    }

    /// A round trip took that long, as a handshake before the first data found.
    pub(crate) fn known(&mut self, took: Duration, spec: &TimerSpec) {
        match spec.tick {
            Some(tick) => self.sample_ticks(took.0 / tick.0.max(1) + 1),
            None => self.sample_fine(took.0.max(1)),
        }
    }

    /// Smoothed round-trip time; zero before the first sample.
    pub(crate) fn smoothed(&self, spec: &TimerSpec) -> Duration {
        match spec.tick {
            Some(tick) => Duration(self.srtt.saturating_mul(tick.0) / 8),
            None => Duration(self.srtt),
        }
    }

    fn sample_ticks(&mut self, ticks: u64) {
        if self.srtt == 0 {
            self.srtt = ticks << 3;
            self.rttvar = ticks << 1;
            return;
        }
        let delta = ticks as i64 - 1 - (self.srtt >> 3) as i64;
        self.srtt = (self.srtt as i64 + delta).max(1) as u64;
        let drift = delta.abs() - (self.rttvar >> 2) as i64;
        self.rttvar = (self.rttvar as i64 + drift).max(1) as u64;
    }

    fn sample_fine(&mut self, ps: u64) {
        if self.srtt == 0 {
            self.srtt = ps;
            self.rttvar = ps / 2;
            return;
        }
        self.rttvar = self.rttvar - self.rttvar / 4 + self.srtt.abs_diff(ps) / 4;
        self.srtt = (self.srtt - self.srtt / 8 + ps / 8).max(1);
    }

    /// It ran out: the next one is twice as long.
    pub(crate) fn back_off(&mut self) {
        self.is_timing = false;
        self.backoff = (self.backoff + 1).min(BACKOFF_MAX);
    }

    /// Did it run out since the last sample?
    pub(crate) fn is_backed_off(&self) -> bool {
        self.backoff > 0
    }

    /// A new transfer does not take over how often the last one had to wait.
    pub(crate) fn forget_backoff(&mut self) {
        self.is_timing = false;
        self.backoff = 0;
    }

    /// The time-out as it stands, in ticks or ps.
    pub(crate) fn time_out(&self, spec: &TimerSpec) -> u64 {
        let Some(tick) = spec.tick else {
            let base = if self.srtt == 0 {
                spec.initial_rto.0
            } else {
                let rto = self.srtt.saturating_add(self.rttvar.saturating_mul(4));
                rto.max(spec.min_rto.0)
            };
            return base.saturating_mul(1 << self.backoff).min(spec.max_rto.0);
        };
        let in_ticks = |span: Duration| span.0.div_ceil(tick.0.max(1)).max(1);
        let base = match self.srtt {
            0 => in_ticks(spec.initial_rto),
            srtt => (srtt >> 3) + self.rttvar,
        };
        let rto = base.saturating_mul(1 << self.backoff);
        rto.max(in_ticks(spec.min_rto)).min(in_ticks(spec.max_rto))
    }

    /// When a timer armed now runs out.
    pub(crate) fn deadline(&self, now: Time, spec: &TimerSpec, clock: &HostClock) -> Time {
        let rto = self.time_out(spec);
        match spec.tick {
            Some(tick) => nth_tick(clock.slow_phase, tick, now, rto),
            None => Time(now.0.saturating_add(rto)),
        }
    }

    /// Has it been silent since `last` for a time-out?
    pub(crate) fn is_silent(
        &self,
        now: Time,
        spec: &TimerSpec,
        clock: &HostClock,
        last: Time,
    ) -> bool {
        match spec.tick {
            Some(tick) => {
                let passed = ticks_before(clock.slow_phase, tick, now)
                    - ticks_before(clock.slow_phase, tick, last);
                passed >= self.time_out(spec)
            }
            None => now.since(last).0 > self.time_out(spec),
        }
    }

    /// The rate that carries so many bytes in a smoothed round trip; `None` before the first
    /// sample.
    pub(crate) fn rate_of(&self, spec: &TimerSpec, bytes: u128) -> Option<Rate> {
        let span = match spec.tick {
            Some(tick) => u128::from(self.srtt) * u128::from(tick.0) / 8,
            None => u128::from(self.srtt),
        };
        let bits = bytes * 8 * u128::from(PS_PER_SECOND);
        let rate = bits.checked_div(span)?;
        Some(Rate(u64::try_from(rate).unwrap_or(u64::MAX)))
    }

    /// Smoothed round-trip time, seconds; 0 before the first sample.
    pub(crate) fn smoothed_seconds(&self, spec: &TimerSpec) -> f64 {
        let unit_ps = match spec.tick {
            Some(tick) => tick.0 as f64 / 8.0,
            None => 1.0,
        };
        self.srtt as f64 * unit_ps / PS_PER_SECOND as f64
    }
}
