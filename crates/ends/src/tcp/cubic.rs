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
//! least half of it is in use, in avoidance when all but less than a segment is.
//!
//! Floats, all through `libm`: the same on every platform. Not modelled: HyStart++, spurious
//! losses and their undoing; time passes in W(t) also while the window is not what limits.

use backwater_kernel::Time;
use libm::{cbrt, floor};

/// The scaling factor, segments per second cubed.
const C: f64 = 0.4;
/// What is left after a loss.
const BETA: f64 = 0.7;

/// State of CUBIC.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cubic {
    w_max: f64,
    k: f64,
    epoch: Option<Time>,
    w_est: f64,
    cwnd_prior: f64,
    /// Part of a byte that `cwnd` can't hold.
    fraction: f64,
}

/// What the window function asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acked {
    /// Bytes acknowledged.
    pub(crate) bytes: u64,
    /// Bytes in flight before that.
    pub(crate) flight_bytes: u64,
    /// Smoothed round-trip time, seconds.
    pub(crate) rtt_seconds: f64,
}

impl Cubic {
    /// The window after an acknowledgement of new data.
    pub(crate) fn grow(
        &mut self,
        now: Time,
        mss: u64,
        cwnd: u64,
        ssthresh: u64,
        acked: &Acked,
    ) -> u64 {
        if cwnd < ssthresh {
            let is_used = acked.flight_bytes * 2 >= cwnd;
            return cwnd + if is_used { acked.bytes.min(mss) } else { 0 };
        }
        if acked.flight_bytes + mss <= cwnd {
            return cwnd;
        }
        let segment = mss as f64;
        let window = (cwnd as f64 + self.fraction) / segment;
        let segments = acked.bytes as f64 / segment;
        let t = now.since(self.begin(now, window)).seconds();
        let target = self.at(t + acked.rtt_seconds).clamp(window, window * 1.5);
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
    pub(crate) fn reduce(&mut self, mss: u64, cwnd: u64, limit: u64) -> u64 {
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
    pub(crate) fn on_time_out(&mut self) {
        self.w_max = 0.0;
        self.epoch = None;
        self.fraction = 0.0;
    }

    /// The window starts anew after a silence: time stood still.
    pub(crate) fn on_silence(&mut self) {
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
    fn grow(cubic: &mut Cubic, from: u64, rtt: Duration, until: Duration) -> f64 {
        let (mut cwnd, mut now) = (from, Time::ZERO);
        while now.0 < until.0 {
            let acked = Acked {
                bytes: MSS,
                flight_bytes: cwnd,
                rtt_seconds: rtt.seconds(),
            };
            cwnd = cubic.grow(now, MSS, cwnd, 0, &acked);
            now += Duration(rtt.0 * MSS / cwnd);
        }
        cwnd as f64 / MSS as f64
    }

    /// With short round trips Reno's estimate leads: 9 / 17 of a segment a round trip up to the
    /// window before the loss, then one.
    #[test]
    fn short_round_trips_follow_reno() {
        let mut cubic = Cubic::default();
        let ssthresh = cubic.reduce(MSS, 100_000, 100_000);
        assert_eq!(ssthresh, 70_000);
        let rtt = Duration(1_000_000_000);
        let window = grow(&mut cubic, ssthresh, rtt, Duration(rtt.0 * 50));
        assert!(
            (window - (70.0 + 50.0 * 9.0 / 17.0)).abs() < 0.5,
            "{window}"
        );
        let mut cubic = Cubic::default();
        cubic.reduce(MSS, 100_000, 100_000);
        let window = grow(&mut cubic, ssthresh, rtt, Duration(rtt.0 * 100));
        let expected = 100.0 + 100.0 - 30.0 * 17.0 / 9.0;
        assert!((window - expected).abs() < 0.7, "{window}");
    }

    /// A window that did not come back to the last maximum gives up 15 % of it.
    #[test]
    fn fast_convergence() {
        let mut cubic = Cubic::default();
        cubic.reduce(MSS, 100_000, 100_000);
        assert_eq!(cubic.w_max, 100.0);
        cubic.reduce(MSS, 80_000, 80_000);
        assert_eq!(cubic.w_max, 80.0 * 0.85);
    }

    /// After a time-out the curve starts at its inflection: W(t) = C t^3 + cwnd.
    #[test]
    fn after_a_time_out_it_starts_flat() {
        let mut cubic = Cubic::default();
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
        let mut cubic = Cubic::default();
        let acked = Acked {
            bytes: MSS,
            flight_bytes: 4 * MSS,
            rtt_seconds: 0.1,
        };
        for ssthresh in [0, u64::MAX] {
            assert_eq!(
                cubic.grow(Time::ZERO, MSS, 10 * MSS, ssthresh, &acked),
                10 * MSS
            );
        }
        assert_eq!(
            cubic.grow(Time::ZERO, MSS, 8 * MSS, u64::MAX, &acked),
            9 * MSS
        );
        let half = Acked {
            bytes: 500,
            ..acked
        };
        assert_eq!(cubic.grow(Time::ZERO, MSS, 8 * MSS, u64::MAX, &half), 8_500);
    }

    /// However far the curve has gone, half of the window is the most for a round trip.
    #[test]
    fn growth_is_bounded() {
        let mut cubic = Cubic::default();
        let acked = Acked {
            bytes: MSS,
            flight_bytes: 11 * MSS,
            rtt_seconds: 0.1,
        };
        let start = cubic.grow(Time::ZERO, MSS, 10 * MSS, 0, &acked);
        let late = Time(100_000_000_000_000);
        let next = cubic.grow(late, MSS, start, 0, &acked);
        assert!((499..=500).contains(&(next - start)), "{start} {next}");
    }
}
