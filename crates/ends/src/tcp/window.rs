//! The congestion window, whichever rule moves it.

use backwater_kernel::Time;

use super::cubic::{Acked, Cubic};
use super::reno;
use crate::spec::{Congestion, TcpSpec};

/// cwnd, ssthresh and what CUBIC remembers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// Congestion window, bytes.
    pub(crate) cwnd: u64,
    /// Slow start up to here, bytes.
    pub(crate) ssthresh: u64,
    cubic: Cubic,
}

impl Window {
    /// As a connection begins: `initial_window_segments`, no threshold.
    pub(crate) fn new(spec: &TcpSpec) -> Window {
        Window {
            cwnd: Window::initial(spec),
            ssthresh: u64::MAX,
            cubic: Cubic::default(),
        }
    }

    fn initial(spec: &TcpSpec) -> u64 {
        u64::from(spec.initial_window_segments.max(1)) * u64::from(spec.mss_bytes)
    }

    /// New data was acknowledged outside a recovery. More than the receiver's window is of no
    /// use, so cwnd stops there (BSD: `TCP_MAXWIN`).
    pub(crate) fn grow(&mut self, now: Time, spec: &TcpSpec, acked: &Acked) {
        let mss = u64::from(spec.mss_bytes);
        let most = u64::from(spec.window_bytes).max(self.cwnd);
        let next = match spec.congestion {
            Congestion::Reno { eighth } => {
                self.cwnd + reno::growth(mss, self.cwnd, self.ssthresh, eighth)
            }
            Congestion::Cubic => self.cubic.grow(now, mss, self.cwnd, self.ssthresh, acked),
        };
        self.cwnd = next.min(most);
    }

    /// A loss or mark: the threshold falls. `limit` is the smaller of cwnd and the peer's window.
    pub(crate) fn reduce(&mut self, spec: &TcpSpec, limit: u64) {
        let mss = u64::from(spec.mss_bytes);
        self.ssthresh = match spec.congestion {
            Congestion::Reno { .. } => reno::half(mss, limit),
            Congestion::Cubic => self.cubic.reduce(mss, self.cwnd, limit),
        };
    }

    /// A time-out. As in BSD each one halves anew what there is; RFC 5681 (for CUBIC) leaves the
    /// threshold when the same segment times out again.
    pub(crate) fn on_time_out(&mut self, spec: &TcpSpec, limit: u64, is_repeated: bool) {
        if !(is_repeated && spec.congestion == Congestion::Cubic) {
            self.reduce(spec, limit);
        }
        self.cubic.on_time_out();
        self.cwnd = u64::from(spec.mss_bytes);
    }

    /// A silence: back to the first window, the threshold stays.
    pub(crate) fn on_silence(&mut self, spec: &TcpSpec) {
        self.cwnd = self.cwnd.min(Window::initial(spec));
        self.cubic.on_silence();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The curve forgets the maximum before a time-out: a second into avoidance it is 0.4 segments
    /// up, not on its way back to 100.
    #[test]
    fn cubic_starts_flat_after_a_time_out() {
        let spec = TcpSpec::modern();
        let mss = u64::from(spec.mss_bytes);
        let mut window = Window::new(&spec);
        window.cwnd = 100 * mss;
        window.on_time_out(&spec, 100 * mss, false);
        assert_eq!((window.cwnd, window.ssthresh), (mss, 70 * mss));
        window.cwnd = 70 * mss;
        for ms in [0, 1_000] {
            let acked = Acked {
                bytes: mss,
                flight_bytes: 70 * mss,
                rtt_seconds: 0.01,
            };
            window.grow(Time(ms * 1_000_000_000), &spec, &acked);
        }
        assert!(window.cwnd < 70 * mss + mss / 10);
    }
}
