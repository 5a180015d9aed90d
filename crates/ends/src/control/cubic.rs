//! CUBIC, RFC 9438 (Ha, Rhee and Xu 2008).
//!
//! | Symbol | Here |
//! |---|---|
//! | W_max | `w_max`, segments |
//! | K | `k`, seconds |
//! | t | since `epoch`, the start of this congestion avoidance |
//! | W_est, cwnd_prior | `w_est`, `cwnd_prior`, segments |
//! | C = 0.4, beta = 0.7 | constants |
//!
//! `W(t) = C (t - K)^3 + W_max`, `K = cbrt((W_max - cwnd) / C)`. Each acknowledged segment adds
//! `(target - cwnd) / cwnd` with `target = W(t + RTT)` kept within cwnd and 1.5 cwnd; where Reno
//! (`W_est`) would be larger, cwnd follows it. Fast convergence is on. After a time-out the curve
//! starts at its inflection with the window slow start ends at (section 4.8).
//!
//! The window grows only while it is what limits the sender (section 5.8): in slow start when at
//! least half of it is in use (how it ends is in `hystart`), in avoidance when all but less than a
//! segment is.
//!
//! Floats, all through `libm`: the same on every platform. Not modelled: where the curve was before
//! a loss that turns out to be none; time passes in W(t) also while the window is not what limits.

use backwater_kernel::Time;
use libm::{cbrt, floor};

use super::cwnd::{Cwnd, HasCwnd, window_of_cwnd};
use super::hooks::{Ack, Control, Loss};
use super::hystart::{HyStart, Start};
use crate::spec::TcpSpec;

/// The scaling factor, segments per second cubed.
const C: f64 = 0.4;
/// What is left after a loss.
const BETA: f64 = 0.7;

/// State of CUBIC.
#[derive(Clone, Debug)]
pub(crate) struct Cubic {
    cwnd: Cwnd,
    curve: Curve,
    start: HyStart,
}

impl Cubic {
    /// As a connection begins.
    pub(crate) fn new(spec: &TcpSpec) -> Cubic {
        Cubic {
            cwnd: Cwnd::new(spec),
            curve: Curve::default(),
            start: HyStart::new(spec.slow_start, spec.pacing),
        }
    }

    /// The window after an acknowledgement in slow start.
    fn start_on(&mut self, now: Time, ack: &Ack) -> u64 {
        let Cwnd {
            bytes,
            threshold,
            mss,
            ..
        } = self.cwnd;
        match self.start.on_ack(now, ack, bytes, mss) {
            Start::Over => {
                self.cwnd.threshold = bytes;
                bytes
            }
            Start::Grow(more) if ack.flight_bytes * 2 >= bytes => {
                // What a burst of acknowledgements adds does not pass the threshold.
                (bytes + more).min(threshold.max(bytes + more.min(mss)))
            }
            Start::Grow(_) => bytes,
        }
    }

    /// The threshold after a loss or a mark.
    fn reduced(&mut self, allowed_bytes: u64) -> u64 {
        let cwnd = &self.cwnd;
        self.curve.reduce(cwnd.mss, cwnd.bytes, allowed_bytes)
    }
}

impl HasCwnd for Cubic {
    fn cwnd(&mut self) -> &mut Cwnd {
        &mut self.cwnd
    }
}

impl Control for Cubic {
    #[inline]
    fn on_ack(&mut self, now: Time, ack: &Ack) {
        if !ack.may_grow {
            return;
        }
        let cwnd = &mut self.cwnd;
        let next = match cwnd.bytes < cwnd.threshold {
            true => self.start_on(now, ack),
            false => self.curve.grow(now, cwnd.mss, cwnd.bytes, ack),
        };
        self.cwnd.grow_to(next);
    }

    fn on_mark(&mut self, _now: Time, allowed_bytes: u64) {
        let threshold = self.reduced(allowed_bytes);
        self.cwnd.cut_to(threshold);
    }

    /// RFC 5681: the threshold stays when the same segment times out again.
    fn on_loss(&mut self, now: Time, loss: Loss, allowed_bytes: u64) {
        self.start.on_loss(now);
        let is_repeated = loss == Loss::TimeOut { is_repeated: true };
        if !is_repeated {
            let threshold = self.reduced(allowed_bytes);
            self.cwnd.fall_to(threshold);
        }
        if let Loss::TimeOut { .. } = loss {
            self.curve.on_time_out();
            self.cwnd.collapse();
        }
    }

    fn on_silence(&mut self) {
        self.curve.on_silence();
        self.cwnd.start_over();
    }

    window_of_cwnd!();
}

/// The window function, and where on it the connection is.
#[derive(Clone, Copy, Debug, Default)]
struct Curve {
    w_max: f64,
    k: f64,
    epoch: Option<Time>,
    w_est: f64,
    cwnd_prior: f64,
    /// Part of a byte that `cwnd` can't hold.
    fraction: f64,
}

impl Curve {
    /// The window after an acknowledgement of new data in avoidance.
    fn grow(&mut self, now: Time, mss: u64, cwnd: u64, ack: &Ack) -> u64 {
        if ack.flight_bytes + mss <= cwnd {
            return cwnd;
        }
        let segment = mss as f64;
        let window = (cwnd as f64 + self.fraction) / segment;
        let segments = ack.news_bytes as f64 / segment;
        let t = now.since(self.begin(now, window)).seconds();
        let target = self.at(t + ack.rtt_seconds).clamp(window, window * 1.5);
        let mut next = window + (target - window) / window * segments;
        let alpha = if self.w_est >= self.cwnd_prior {
            1.0
        } else {
            3.0 * (1.0 - BETA) / (1.0 + BETA)
        };
        self.w_est += alpha * segments / window;
        if self.at(t) < self.w_est {
            next = self.w_est.max(window);
        }
        let bytes = next * segment;
        let whole = floor(bytes);
        self.fraction = bytes - whole;
        whole as u64
    }

    /// When this congestion avoidance began; now, if it does now.
    fn begin(&mut self, now: Time, window: f64) -> Time {
        if let Some(epoch) = self.epoch {
            return epoch;
        }
        self.epoch = Some(now);
        self.w_est = window;
        if window < self.w_max {
            self.k = cbrt((self.w_max - window) / C);
        } else {
            self.k = 0.0;
            self.w_max = window;
        }
        now
    }

    /// W(t).
    fn at(&self, t: f64) -> f64 {
        let from_k = t - self.k;
        C * from_k * from_k * from_k + self.w_max
    }

    /// The threshold after a loss or a mark.
    fn reduce(&mut self, mss: u64, cwnd: u64, limit: u64) -> u64 {
        let window = cwnd as f64 / mss as f64;
        // Fast convergence: a window that did not reach the last maximum leaves room for others.
        self.w_max = if window < self.w_max {
            window * (1.0 + BETA) / 2.0
        } else {
            window
        };
        self.cwnd_prior = window;
        self.epoch = None;
        self.fraction = 0.0;
        // In integers: 0.7 is not a float.
        (limit * 7 / 10).max(2 * mss)
    }

    /// After a time-out the curve starts where slow start ends.
    fn on_time_out(&mut self) {
        self.w_max = 0.0;
        self.epoch = None;
        self.fraction = 0.0;
    }

    /// The window starts anew after a silence: time stood still.
    fn on_silence(&mut self) {
        self.epoch = None;
        self.fraction = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwater_kernel::Duration;

    const MSS: u64 = 1000;

    /// Acknowledgements of full segments, evenly over each round trip; cwnd in segments after.
    fn grow(cubic: &mut Curve, from: u64, rtt: Duration, until: Duration) -> f64 {
        let (mut cwnd, mut now) = (from, Time::ZERO);
        while now.0 < until.0 {
            let acked = Ack {
                news_bytes: MSS,
                flight_bytes: cwnd,
                rtt_seconds: rtt.seconds(),
                ..Ack::default()
            };
            cwnd = cubic.grow(now, MSS, cwnd, &acked);
            now += Duration(rtt.0 * MSS / cwnd);
        }
        cwnd as f64 / MSS as f64
    }

    /// With short round trips Reno's estimate leads: 9 / 17 of a segment a round trip up to the
    /// window before the loss, then one.
    #[test]
    fn short_round_trips_follow_reno() {
        let mut cubic = Curve::default();
        let ssthresh = cubic.reduce(MSS, 100_000, 100_000);
        assert_eq!(ssthresh, 70_000);
        let rtt = Duration(1_000_000_000);
        let window = grow(&mut cubic, ssthresh, rtt, Duration(rtt.0 * 50));
        assert!(
            (window - (70.0 + 50.0 * 9.0 / 17.0)).abs() < 0.5,
            "{window}"
        );
        let mut cubic = Curve::default();
        cubic.reduce(MSS, 100_000, 100_000);
        let window = grow(&mut cubic, ssthresh, rtt, Duration(rtt.0 * 100));
        let expected = 100.0 + 100.0 - 30.0 * 17.0 / 9.0;
        assert!((window - expected).abs() < 0.7, "{window}");
    }

    /// A window that did not come back to the last maximum gives up 15 % of it.
    #[test]
    fn fast_convergence() {
        let mut cubic = Curve::default();
        cubic.reduce(MSS, 100_000, 100_000);
        assert_eq!(cubic.w_max, 100.0);
        cubic.reduce(MSS, 80_000, 80_000);
        assert_eq!(cubic.w_max, 80.0 * 0.85);
    }

    /// After a time-out the curve starts at its inflection: W(t) = C t^3 + cwnd.
    #[test]
    fn after_a_time_out_it_starts_flat() {
        let mut cubic = Curve::default();
        cubic.reduce(MSS, 100_000, 100_000);
        cubic.on_time_out();
        let rtt = Duration(100_000_000_000);
        let window = grow(&mut cubic, 70_000, rtt, Duration(rtt.0 * 80));
        assert_eq!(cubic.k, 0.0);
        let expected = 70.0 + C * 512.0;
        assert!((window / expected - 1.0).abs() < 0.006, "{window}");
    }

    /// A sender with less to send than it may does not grow.
    #[test]
    fn an_unused_window_stays() {
        let mss = u64::from(TcpSpec::linux_3().mss_bytes);
        let after = |window: u64, threshold, news_bytes| {
            let mut cubic = Cubic::new(&TcpSpec::linux_3());
            cubic.cwnd.threshold = threshold;
            cubic.set_window(window);
            let ack = Ack {
                news_bytes,
                flight_bytes: 4 * mss,
                rtt_seconds: 0.1,
                may_grow: true,
                ..Ack::default()
            };
            cubic.on_ack(Time::ZERO, &ack);
            cubic.window() - window
        };
        for threshold in [0, u64::MAX] {
            assert_eq!(after(10 * mss, threshold, mss), 0);
        }
        assert_eq!(after(8 * mss, u64::MAX, mss), mss);
        assert_eq!(after(8 * mss, u64::MAX, mss / 2), mss / 2);
    }

    /// However far the curve has gone, half of the window is the most for a round trip.
    #[test]
    fn growth_is_bounded() {
        let mut cubic = Curve::default();
        let acked = Ack {
            news_bytes: MSS,
            flight_bytes: 11 * MSS,
            rtt_seconds: 0.1,
            ..Ack::default()
        };
        let start = cubic.grow(Time::ZERO, MSS, 10 * MSS, &acked);
        let late = Time(100_000_000_000_000);
        let next = cubic.grow(late, MSS, start, &acked);
        assert!((499..=500).contains(&(next - start)), "{start} {next}");
    }

    /// The curve forgets the maximum before a time-out: a second into avoidance it is 0.4 segments
    /// up, not on its way back to 100.
    #[test]
    fn the_window_starts_flat_after_a_time_out() {
        let spec = TcpSpec::linux_3();
        let mss = u64::from(spec.mss_bytes);
        let mut cubic = Cubic::new(&spec);
        cubic.set_window(100 * mss);
        let is_repeated = false;
        cubic.on_loss(Time::ZERO, Loss::TimeOut { is_repeated }, 100 * mss);
        assert_eq!((cubic.window(), cubic.threshold()), (mss, 70 * mss));
        let is_repeated = true;
        cubic.on_loss(Time::ZERO, Loss::TimeOut { is_repeated }, mss);
        assert_eq!(cubic.threshold(), 70 * mss, "the same segment again");
        cubic.set_window(70 * mss);
        for ms in [0, 1_000] {
            let ack = Ack {
                news_bytes: mss,
                flight_bytes: 70 * mss,
                rtt_seconds: 0.01,
                may_grow: true,
                ..Ack::default()
            };
            cubic.on_ack(Time(ms * 1_000_000_000), &ack);
        }
        assert!(cubic.window() < 70 * mss + mss / 10);
    }

    #[test]
    fn a_mark_or_a_loss_leaves_seven_tenths() {
        let spec = TcpSpec::linux_3();
        let mss = u64::from(spec.mss_bytes);
        let mut cubic = Cubic::new(&spec);
        cubic.set_window(100 * mss);
        cubic.on_mark(Time::ZERO, 100 * mss);
        assert_eq!((cubic.window(), cubic.threshold()), (70 * mss, 70 * mss));
        cubic.on_loss(Time::ZERO, Loss::Duplicates, 70 * mss);
        assert_eq!((cubic.window(), cubic.threshold()), (49 * mss, 49 * mss));
        cubic.on_silence();
        assert_eq!((cubic.window(), cubic.threshold()), (10 * mss, 49 * mss));
    }
}
