//! BBR, version 1: the source keeps a model of its path, the bottleneck's rate and the round trip
//! without queues, and sends at the one with about twice their product in flight.
//!
//! Cardwell, Cheng, Hassas Yeganeh and Jacobson, draft-cardwell-iccrg-bbr-congestion-control-00;
//! Cardwell and others, "BBR: congestion-based congestion control", ACM Queue 14(5), 2016. Where
//! the draft is silent it is as Linux 4.20 and later are: what a rate that is policed does
//! (`long_term`), how acknowledgements that come in bunches are allowed for (`aggregation`), a
//! pace 1 % below the estimate, probing for a round trip of which only losses or a full path make
//! an end, and that a loss which was none says nothing of a full pipe or a policer.
//!
//! | Draft | Here |
//! |---|---|
//! | BBR.BtlBw, BBR.BtlBwFilter | `rates`: the largest sample of ten round trips |
//! | BBR.RTprop, BBR.rtprop_stamp | `least_rtt`, `least_at` |
//! | BBR.round_count, next_round_delivered, round_start | `rounds` |
//! | BBR.filled_pipe, full_bw, full_bw_count | `full` |
//! | BBR.cycle_index, cycle_stamp | `cycle`, `cycle_at` |
//! | BBR.pacing_gain, cwnd_gain | `gains`, thousandths |
//! | BBR.send_quantum | `quantum` |
//! | BBR.prior_cwnd, packet_conservation | `prior`, `conserves` |
//! | BBR.probe_rtt_done_stamp, probe_rtt_round_done | `rest` |
//!
//! * Startup: both gains 2/ln 2, so the rate doubles each round trip; until three in a row
//!   brought less than a quarter more.
//! * Drain: the inverse, until no more than the product is in flight.
//! * ProbeBW: eight phases of a least round trip each, gains 5/4, 3/4 and six times 1. It begins
//!   with any but the second, at random.
//! * ProbeRTT: where the least round trip was not met again for 10 s, four segments in flight for
//!   200 ms and a round trip.
//!
//! Time, rates and windows are whole numbers: picoseconds, bit/s, bytes. **Not modelled**: marks
//! (version 1 does not hear them).

mod aggregation;
mod filters;
mod long_term;
#[cfg(test)]
mod tests;

use backwater_kernel::{Duration, Rate, Time};

use super::hooks::{Control, Inner, Loss, Offered};
use super::sample::{Delivered, Sample};
use crate::spec::TcpSpec;
use aggregation::Aggregation;
pub(super) use filters::{Rest, Rounds, WindowedMax, product};
use long_term::LongTerm;

const MS: u64 = 1_000_000_000;
/// Gains in thousandths.
pub(super) const ONE: u64 = 1_000;
/// 2 / ln 2.
const HIGH: u64 = 2_885;
/// Its inverse.
const DRAIN: u64 = 347;
/// Of the window while it probes.
const TWICE: u64 = 2_000;
/// Of the rate, phase by phase.
const CYCLE: [u64; 8] = [1_250, 750, ONE, ONE, ONE, ONE, ONE, ONE];
/// BBRBtlBwFilterLen, round trips.
const RATE_ROUNDS: u64 = 10;
/// RTpropFilterLen.
const LEAST_FOR: Duration = Duration(10_000 * MS);
/// BBRMinPipeCwnd, segments.
const LEAST_SEGMENTS: u64 = 4;
/// It is paced at so many hundredths of the estimate.
const PACED_HUNDREDTHS: u64 = 99;
/// The round trip that the first pace is of, until one was measured.
const FIRST_RTT: Duration = Duration(MS);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// Is the pipe full? Three round trips without a quarter more say so.
#[derive(Clone, Copy, Debug, Default)]
struct Full {
    rate: u64,
    count: u32,
    is_reached: bool,
}

/// State of BBR.
#[derive(Clone, Debug)]
pub(crate) struct Bbr {
    mss: u64,
    /// The first window, and the receiver's, which is the most.
    first: u64,
    most: u64,
    cwnd: u64,
    pace: Rate,
    has_rtt: bool,
    mode: Mode,
    gains: (u64, u64),
    rates: WindowedMax,
    rounds: Rounds,
    least_rtt: Duration,
    least_at: Time,
    full: Full,
    cycle: usize,
    cycle_at: Time,
    rest: Rest,
    prior: u64,
    conserves: bool,
    is_repairing: bool,
    /// A loss was found; what is in flight is known as the sample of this acknowledgement comes.
    begins_repair: bool,
    restarts: bool,
    long_term: LongTerm,
    aggregation: Aggregation,
}

impl Bbr {
    /// As a connection begins.
    pub(crate) fn new(spec: &TcpSpec) -> Bbr {
        let mss = u64::from(spec.mss_bytes);
        let first = u64::from(spec.initial_window_segments.max(1)) * mss;
        let per_trip = Delivered {
            bytes: first,
            over: FIRST_RTT,
        };
        Bbr {
            mss,
            first,
            most: u64::from(spec.window_bytes),
            cwnd: first,
            pace: paced(per_trip.rate(), HIGH),
            has_rtt: false,
            mode: Mode::Startup,
            gains: (HIGH, HIGH),
            rates: WindowedMax::new(RATE_ROUNDS),
            rounds: Rounds::default(),
            least_rtt: Duration::MAX,
            least_at: Time::ZERO,
            full: Full::default(),
            cycle: 0,
            cycle_at: Time::ZERO,
            rest: Rest::default(),
            prior: 0,
            conserves: false,
            is_repairing: false,
            begins_repair: false,
            restarts: false,
            long_term: LongTerm::default(),
            aggregation: Aggregation::default(),
        }
    }

    fn least_window(&self) -> u64 {
        LEAST_SEGMENTS * self.mss
    }

    /// The rate that it goes by.
    fn rate(&self) -> Rate {
        self.long_term.rate().unwrap_or(Rate(self.rates.max()))
    }

    /// What a host hands down at once: a millisecond of its pace, within limits.
    fn quantum(&self) -> u64 {
        super::quantum(self.pace, self.mss)
    }

    /// What should be in flight at a gain, with what hosts and switches hold back at once.
    fn inflight(&self, rate: Rate, gain: u64) -> u64 {
        self.budgeted(self.product(rate, gain))
    }

    fn product(&self, rate: Rate, gain: u64) -> u64 {
        match self.least_rtt {
            Duration::MAX => self.first,
            least => product(rate, least, gain).next_multiple_of(self.mss),
        }
    }

    fn budgeted(&self, bytes: u64) -> u64 {
        let bytes = (bytes + 3 * self.quantum()).next_multiple_of(2 * self.mss);
        let probes = self.mode == Mode::ProbeBw && self.cycle == 0;
        bytes + if probes { 2 * self.mss } else { 0 }
    }

    /// What will be in flight when the next segment has its turn, if nothing else goes.
    fn flight_at_turn(&self, now: Time, sample: &Sample, flight: u64) -> u64 {
        let ahead = if self.gains.0 > ONE {
            self.quantum()
        } else {
            0
        };
        let until = sample.free_at.since(now);
        (flight + ahead).saturating_sub(product(self.rate(), until, ONE))
    }

    fn update_rate(&mut self, now: Time, sample: &Sample) {
        let Some(delivered) = sample.rate else {
            self.rounds.is_start = false;
            return;
        };
        if self.rounds.on_sample(sample) {
            self.conserves = false;
        }
        let ended = self
            .long_term
            .on_sample(now, &self.rounds, sample, self.mode == Mode::ProbeBw);
        if ended {
            self.begin_probing(now, sample.draw);
        }
        let rate = delivered.rate().0;
        if !sample.is_app_limited || rate >= self.rates.max() {
            self.rates.add(self.rounds.count, rate);
        }
    }

    fn begin_probing(&mut self, now: Time, draw: u64) {
        self.mode = Mode::ProbeBw;
        // Any phase but that which drains what the one before it probed with.
        let drawn = CYCLE.len() - 1 - (draw % (CYCLE.len() as u64 - 1)) as usize;
        self.cycle = drawn;
        self.next_phase(now);
    }

    fn next_phase(&mut self, now: Time) {
        self.cycle = (self.cycle + 1) % CYCLE.len();
        self.cycle_at = now;
    }

    fn update_phase(&mut self, now: Time, sample: &Sample) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let is_long = now.since(self.cycle_at) > self.least_rtt;
        let gain = self.gains.0;
        let flight = || self.flight_at_turn(now, sample, sample.prior_flight_bytes);
        let rate = Rate(self.rates.max());
        let is_over = match gain.cmp(&ONE) {
            core::cmp::Ordering::Equal => is_long,
            core::cmp::Ordering::Greater => {
                is_long && (sample.lost_bytes > 0 || flight() >= self.inflight(rate, gain))
            }
            core::cmp::Ordering::Less => is_long || flight() <= self.inflight(rate, ONE),
        };
        if is_over {
            self.next_phase(now);
        }
    }

    fn check_full(&mut self, sample: &Sample) {
        if self.full.is_reached || !self.rounds.is_start || sample.is_app_limited {
            return;
        }
        let rate = self.rates.max();
        if u128::from(rate) * 4 >= u128::from(self.full.rate) * 5 {
            self.full.rate = rate;
            self.full.count = 0;
            return;
        }
        self.full.count += 1;
        self.full.is_reached = self.full.count >= 3;
    }

    fn check_drain(&mut self, now: Time, sample: &Sample) {
        if self.mode == Mode::Startup && self.full.is_reached {
            self.mode = Mode::Drain;
        }
        let full = self.inflight(Rate(self.rates.max()), ONE);
        if self.mode == Mode::Drain && self.flight_at_turn(now, sample, sample.flight_bytes) <= full
        {
            self.begin_probing(now, sample.draw);
        }
    }

    fn update_least_rtt(&mut self, now: Time, sample: &Sample) {
        let is_old = now > self.least_at + LEAST_FOR;
        if let Some(rtt) = sample.rtt
            && (rtt < self.least_rtt || is_old)
        {
            self.least_rtt = rtt;
            self.least_at = now;
        }
        if is_old && !self.restarts && self.mode != Mode::ProbeRtt {
            self.save_window();
            self.mode = Mode::ProbeRtt;
            self.rest = Rest::default();
        }
        if self.mode == Mode::ProbeRtt {
            self.rest(now, sample);
        }
        self.restarts &= sample.acked_bytes == 0;
    }

    fn rest(&mut self, now: Time, sample: &Sample) {
        let is_few = sample.flight_bytes <= self.least_window();
        let rounds = &mut self.rounds;
        if self.rest.on_sample(now, is_few, rounds, sample) {
            self.end_rest(now, sample.draw);
        }
    }

    fn end_rest(&mut self, now: Time, draw: u64) {
        self.least_at = now;
        self.cwnd = self.cwnd.max(self.prior);
        self.rest = Rest::default();
        match self.full.is_reached {
            true => self.begin_probing(now, draw),
            false => self.mode = Mode::Startup,
        }
    }

    fn update_gains(&mut self) {
        self.gains = match self.mode {
            Mode::Startup => (HIGH, HIGH),
            Mode::Drain => (DRAIN, HIGH),
            Mode::ProbeBw if self.long_term.rate().is_some() => (ONE, TWICE),
            Mode::ProbeBw => (CYCLE[self.cycle], TWICE),
            Mode::ProbeRtt => (ONE, ONE),
        };
    }

    /// Before a window is known to be full, the pace does not fall.
    fn set_pace(&mut self, sample: &Sample) {
        if !self.has_rtt
            && let Some(rtt) = sample.rtt
        {
            self.has_rtt = true;
            let per_trip = Delivered {
                bytes: self.first,
                over: rtt,
            };
            self.pace = paced(per_trip.rate(), HIGH);
        }
        let pace = paced(self.rate(), self.gains.0);
        if pace.0 > 0 && (self.full.is_reached || pace > self.pace) {
            self.pace = pace;
        }
    }

    fn save_window(&mut self) {
        self.prior = match self.is_repairing || self.mode == Mode::ProbeRtt {
            true => self.prior.max(self.cwnd),
            false => self.cwnd,
        };
    }

    fn set_cwnd(&mut self, sample: &Sample) {
        let acked = sample.acked_bytes;
        if acked > 0 && !self.repair(sample) {
            let mut target = self.product(self.rate(), self.gains.1);
            if self.full.is_reached {
                target += self.aggregation.extra(self.rate());
            }
            let target = self.budgeted(target);
            if self.full.is_reached {
                self.cwnd = (self.cwnd + acked).min(target);
            } else if self.cwnd < target || sample.delivered < self.first {
                self.cwnd += acked;
            }
            self.cwnd = self.cwnd.max(self.least_window());
        }
        self.cwnd = self.cwnd.min(self.most);
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(self.least_window());
        }
    }

    /// What a loss does to the window, while it is repaired; was that all?
    fn repair(&mut self, sample: &Sample) -> bool {
        let (acked, flight) = (sample.acked_bytes, sample.flight_bytes);
        if sample.lost_bytes > 0 {
            self.cwnd = self.cwnd.saturating_sub(sample.lost_bytes).max(self.mss);
        }
        if self.is_repairing && !sample.is_repairing {
            self.is_repairing = false;
            self.conserves = false;
            self.cwnd = self.cwnd.max(self.prior);
        }
        if core::mem::take(&mut self.begins_repair) {
            self.conserves = true;
            self.cwnd = flight + acked;
            self.rounds.restart(sample.delivered);
        }
        if self.conserves {
            self.cwnd = self.cwnd.max(flight + acked);
        }
        self.conserves
    }
}

/// A rate at a gain, less the margin that keeps the queue short.
fn paced(rate: Rate, gain: u64) -> Rate {
    let wide = u128::from(rate.0) * u128::from(gain) * u128::from(PACED_HUNDREDTHS);
    Rate(u64::try_from(wide / (100 * u128::from(ONE))).unwrap_or(u64::MAX))
}

impl Control for Bbr {
    fn on_sample(&mut self, now: Time, sample: &Sample) {
        self.update_rate(now, sample);
        let (rate, is_start) = (self.rate(), self.rounds.is_start);
        self.aggregation
            .on_sample(now, rate, is_start, sample, self.cwnd);
        self.update_phase(now, sample);
        self.check_full(sample);
        self.check_drain(now, sample);
        self.update_least_rtt(now, sample);
        self.update_gains();
        self.set_pace(sample);
        self.set_cwnd(sample);
    }

    fn on_offered(&mut self, _now: Time, _offered: Offered) {
        self.restarts = true;
        if self.mode == Mode::ProbeBw {
            self.pace = paced(self.rate(), ONE);
        }
    }

    fn on_loss(&mut self, _now: Time, loss: Loss, _allowed_bytes: u64) {
        self.save_window();
        self.is_repairing = true;
        match loss {
            Loss::Duplicates | Loss::Trimmed { .. } => self.begins_repair = true,
            Loss::TimeOut { .. } => {
                self.conserves = false;
                self.cwnd = self.mss;
                self.full.rate = 0;
                self.rounds.is_start = true;
            }
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
        self.begins_repair = false;
        self.full = Full {
            is_reached: self.full.is_reached,
            ..Full::default()
        };
        self.long_term = LongTerm::default();
    }

    fn inner(&self, _now: Time, of: Inner) -> Option<f64> {
        match of {
            Inner::Bandwidth => Some(self.rate().0 as f64),
            Inner::LeastRtt => (self.least_rtt != Duration::MAX).then(|| self.least_rtt.seconds()),
            Inner::PacingGain => Some(self.gains.0 as f64 / ONE as f64),
            Inner::Phase => Some(match self.mode {
                Mode::Startup => 1.0,
                Mode::Drain => 2.0,
                Mode::ProbeBw => 3.0,
                Mode::ProbeRtt => 4.0,
            }),
            _ => None,
        }
    }
}
