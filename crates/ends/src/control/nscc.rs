//! NSCC, the congestion control of Ultra Ethernet's senders: a window by two bits of each
//! acknowledgement, "marked" and "its delay is above the target".
//!
//! | marked | delay | window |
//! |---|---|---|
//! | no | >= q | + fi bytes for each byte, by the window (fair increase) |
//! | no | < q | + alpha (q - delay) for each byte, by the window (proportional increase) |
//! | yes | >= q | times 1 - gamma (D - q) / D, once a round trip, while the mean D is above q |
//! | yes | < q | stays: only the path is changed |
//!
//! Where a whole window met no queue it grows by a part of each byte instead (fast increase).
//! What increases have gained enters the window every few packets or once a round trip, and eta
//! with it. *Quick adapt*: where a period ends in which something was trimmed, or with an
//! acknowledgement that is late by a multiple of q, and little has got through, the window is what
//! got through.
//!
//! Source: the program of the Ultra Ethernet Consortium's members (uet-htsim, 2025-08; its README:
//! not the standard). Windows are of payload here, of whole packets there.

#[cfg(test)]
mod tests;

use backwater_kernel::{Duration, Time};

use super::hooks::{Ack, Control, Inner, Loss};
use crate::spec::rates::{NsccGains, NsccSpec};

/// A delay below counts as no queue at all.
const NO_QUEUE: Duration = Duration(1_000_000);
/// Delays beyond so many round trips do not count as what they are for the mean.
const OUTLIER: u64 = 5;
/// Weight of such delays.
const OUTLIER_WEIGHT: f64 = 0.0125;
/// A late acknowledgement without a mark: the mean goes to this part of a round trip.
const UNMARKED: f64 = 0.25;

/// State of one source.
#[derive(Clone, Debug)]
pub struct Nscc {
    spec: NsccSpec,
    gains: NsccGains,
    cwnd: f64,
    base_rtt: Duration,
    most: f64,
    /// Mean of queueing delays, ps.
    mean_delay: f64,
    last_cut: Option<Time>,
    /// Gained, and not in the window yet: bytes by bytes of window.
    gained: f64,
    /// Bytes acknowledged since the window took what was gained.
    since_adjust: u64,
    last_adjust: Time,
    /// Bytes acknowledged without a queue, one after another.
    without_queue: u64,
    is_fast: bool,
    quick: Quick,
}

/// Quick adapt.
#[derive(Clone, Debug, Default)]
struct Quick {
    /// End of the period; none before the first acknowledgement.
    ends_at: Option<Time>,
    /// Bytes that got through in it.
    achieved: u64,
    /// Something was trimmed since it last acted.
    is_asked: bool,
    /// Bytes in flight as it last acted, and what of them came back since.
    to_ignore: u64,
    ignored: u64,
}

impl Nscc {
    pub(crate) fn new(spec: &NsccSpec) -> Nscc {
        let mut nscc = Nscc {
            spec: *spec,
            gains: spec.gains(),
            cwnd: 0.0,
            base_rtt: spec.base_rtt,
            most: 0.0,
            mean_delay: 0.0,
            last_cut: None,
            gained: 0.0,
            since_adjust: 0,
            last_adjust: Time::ZERO,
            without_queue: 0,
            is_fast: false,
            quick: Quick::default(),
        };
        nscc.set_base(spec.base_rtt);
        nscc.cwnd = nscc.most;
        nscc
    }

    fn set_base(&mut self, rtt: Duration) {
        self.base_rtt = rtt;
        let most = self.spec.most_window * self.spec.payload_in(rtt);
        self.most = most.max(self.packet());
    }

    fn packet(&self) -> f64 {
        f64::from(self.spec.payload_bytes)
    }

    fn bound(&mut self) {
        self.cwnd = self.cwnd.max(self.packet()).min(self.most);
    }

    /// The mean of delays, with one more.
    fn note_delay(&mut self, delay: Duration, is_marked: bool) {
        let (weight, sample) = if !is_marked && delay > self.gains.target {
            (self.spec.weight, self.base_rtt.0 as f64 * UNMARKED)
        } else if delay > self.base_rtt * OUTLIER {
            (OUTLIER_WEIGHT, delay.0 as f64)
        } else {
            (self.spec.weight, delay.0 as f64)
        };
        self.mean_delay += weight * (sample - self.mean_delay);
    }

    /// The queueing delay that an acknowledgement tells of.
    fn delay_of(&mut self, ack: &Ack) -> Duration {
        let Some(rtt) = ack.rtt else {
            return Duration(self.mean_delay as u64);
        };
        if rtt < self.base_rtt {
            self.set_base(rtt);
        }
        let delay = Duration(rtt.0 - self.base_rtt.0);
        self.note_delay(delay, ack.is_marked);
        delay
    }

    /// Whether quick adapt acts, or what came back was sent before it did.
    fn adapts(&mut self, now: Time, is_passed_over: bool, is_late: bool, flight: u64) -> bool {
        if !self.spec.quick {
            return false;
        }
        let mut acts = false;
        if self.quick.ignored < self.quick.to_ignore && is_passed_over {
            acts = true;
        } else if self.quick.ends_at.is_none_or(|at| now > at) {
            let little = self.most * self.spec.quick_share;
            let is_bad = self.quick.is_asked || is_late;
            if self.quick.ends_at.is_some() && is_bad && (self.quick.achieved as f64) < little {
                self.cwnd = (self.quick.achieved as f64).max(self.packet());
                self.quick.to_ignore = flight;
                self.quick.ignored = 0;
                self.quick.is_asked = false;
                acts = true;
            }
            self.quick.achieved = 0;
            self.quick.ends_at = Some(now + self.base_rtt + self.gains.target);
        }
        if acts {
            self.gained = 0.0;
            self.since_adjust = 0;
        }
        acts
    }

    fn increase(&mut self, bytes: u64, delay: Duration) {
        let n = bytes as f64;
        if delay >= self.gains.target {
            self.gained += self.gains.fair * n;
            return;
        }
        self.is_fast &= delay < NO_QUEUE;
        match delay < NO_QUEUE {
            true => self.without_queue += bytes,
            false => self.without_queue = 0,
        }
        self.is_fast |= self.without_queue as f64 > self.cwnd;
        if self.is_fast {
            self.cwnd += self.gains.fast * n;
        } else {
            let below = (self.gains.target.0 - delay.0) as f64;
            self.gained += self.gains.alpha * n * below;
        }
    }

    fn decrease(&mut self, now: Time) {
        self.is_fast = false;
        self.without_queue = 0;
        let target = self.gains.target.0 as f64;
        let may = self.last_cut.is_none_or(|at| now.since(at) > self.base_rtt);
        if self.mean_delay > target && may {
            let above: f64 = (self.mean_delay - target) / self.mean_delay;
            let factor: f64 = 1.0 - self.spec.decrease * above;
            self.cwnd *= factor.max(1.0 - self.spec.largest_cut);
            self.last_cut = Some(now);
        }
    }

    /// The window takes what was gained.
    fn adjust(&mut self, now: Time) {
        let period = now.since(self.last_adjust);
        let packets = u64::from(self.spec.adjust_packets) * u64::from(self.spec.payload_bytes);
        if self.since_adjust <= packets && period <= self.base_rtt {
            return;
        }
        self.cwnd += self.gained / self.cwnd;
        if period >= self.base_rtt {
            self.cwnd += self.gains.eta;
            self.last_adjust = now;
        }
        self.gained = 0.0;
        self.since_adjust = 0;
    }
}

impl Control for Nscc {
    fn on_ack(&mut self, now: Time, ack: &Ack) {
        self.quick.achieved += ack.news_bytes;
        self.quick.ignored += ack.news_bytes;
        self.since_adjust += ack.news_bytes;
        let delay = self.delay_of(ack);
        let is_late = delay.0 as f64 > self.spec.quick_delay * self.gains.target.0 as f64;
        if self.adapts(now, ack.is_marked, is_late, ack.flight_bytes) {
            return;
        }
        match (ack.is_marked, delay >= self.gains.target) {
            (false, _) => self.increase(ack.news_bytes, delay),
            (true, true) => self.decrease(now),
            (true, false) => {}
        }
        self.bound();
        self.adjust(now);
        self.bound();
    }

    fn on_loss(&mut self, now: Time, loss: Loss, flight_bytes: u64) {
        let bytes = match loss {
            Loss::Trimmed { bytes } => bytes,
            // One packet, whatever it took to find out.
            Loss::Duplicates | Loss::TimeOut { .. } => self.spec.payload_bytes,
        };
        if let Loss::Trimmed { .. } = loss {
            self.quick.ignored += u64::from(bytes);
            self.note_delay(self.spec.network_rtt, true);
            self.quick.is_asked = true;
            if self.adapts(now, true, true, flight_bytes) {
                return;
            }
        }
        self.cwnd -= f64::from(bytes);
        self.bound();
    }

    fn window(&self) -> u64 {
        self.cwnd as u64
    }

    fn inner(&self, _now: Time, of: Inner) -> Option<f64> {
        match of {
            Inner::TargetDelay => Some(self.gains.target.seconds()),
            Inner::Window => Some(self.cwnd),
            _ => None,
        }
    }
}
