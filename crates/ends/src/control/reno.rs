//! The congestion window of 4.3BSD Reno to 4.4BSD.
//!
//! Jacobson (1988), *Congestion avoidance and control*; Wright and Stevens (1995), *TCP/IP
//! Illustrated, Volume 2*, sections 25.11 and 29.4; RFC 5681.
//!
//! | Symbol | Here |
//! |---|---|
//! | cwnd, ssthresh | `cwnd`, `ssthresh`, bytes |
//! | snd_wnd | the peer's window, part of `limit` |
//!
//! Each acknowledgement of new data adds one MSS while `cwnd <= ssthresh` (slow start), whatever
//! it acknowledges, else `MSS * MSS / cwnd` and, with the term that BSD added by mistake, `MSS /
//! 8` (congestion avoidance). Quotients round down; at least one byte is added.

use backwater_kernel::Time;

use super::cwnd::{Cwnd, HasCwnd, window_of_cwnd};
use super::hooks::{Ack, Control, Loss};
use crate::spec::TcpSpec;

/// State of Reno: nothing but the window.
#[derive(Clone, Debug)]
pub(crate) struct Reno {
    cwnd: Cwnd,
    eighth: bool,
}

impl Reno {
    /// As a connection begins; `eighth`: with the term that BSD added.
    pub(crate) fn new(spec: &TcpSpec, eighth: bool) -> Reno {
        Reno {
            cwnd: Cwnd::new(spec),
            eighth,
        }
    }
}

impl HasCwnd for Reno {
    fn cwnd(&mut self) -> &mut Cwnd {
        &mut self.cwnd
    }
}

impl Control for Reno {
    #[inline]
    fn on_ack(&mut self, _now: Time, ack: &Ack) {
        if ack.may_grow {
            let cwnd = &mut self.cwnd;
            let more = growth(cwnd.mss, cwnd.bytes, cwnd.threshold, self.eighth);
            cwnd.grow_to(cwnd.bytes + more);
        }
    }

    fn on_mark(&mut self, _now: Time, allowed_bytes: u64) {
        self.cwnd.cut_to(half(self.cwnd.mss, allowed_bytes));
    }

    fn on_loss(&mut self, _now: Time, loss: Loss, allowed_bytes: u64) {
        self.cwnd.fall_to(half(self.cwnd.mss, allowed_bytes));
        // As in BSD each time-out halves anew what there is.
        if let Loss::TimeOut { .. } = loss {
            self.cwnd.collapse();
        }
    }

    fn on_silence(&mut self) {
        self.cwnd.start_over();
    }

    window_of_cwnd!();
}

/// What an acknowledgement of new data adds to the window, bytes.
fn growth(mss: u64, cwnd: u64, ssthresh: u64, eighth: bool) -> u64 {
    if cwnd <= ssthresh {
        return mss;
    }
    let extra = if eighth { mss / 8 } else { 0 };
    (mss * mss / cwnd.max(1) + extra).max(1)
}

/// The threshold after a loss: half of `limit = min(wnd, cwnd)` in whole segments, at least two.
fn half(mss: u64, limit: u64) -> u64 {
    (limit / 2 / mss).max(2) * mss
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::ZERO;
    const GROWS: Ack = Ack {
        expected: 0,
        news_bytes: 2_048,
        flight_bytes: 0,
        sent_end: 0,
        rtt_seconds: 0.1,
        rtt: None,
        is_marked: false,
        may_grow: true,
    };

    /// MSS 1024, a first window of one segment, the term that BSD added.
    fn reno() -> Reno {
        Reno::new(&TcpSpec::bsd(), true)
    }

    #[test]
    fn slow_start_adds_a_segment_and_avoidance_a_share() {
        let mut reno = reno();
        reno.on_ack(NOW, &GROWS);
        assert_eq!(reno.window(), 2 * 1_024);
        reno.on_loss(NOW, Loss::Duplicates, 8 * 1_024);
        assert_eq!((reno.window(), reno.threshold()), (4_096, 4_096));
        reno.on_ack(NOW, &GROWS);
        reno.on_ack(NOW, &GROWS);
        assert_eq!(reno.window(), 5_120 + 1_024 * 1_024 / 5_120 + 128);
        let still = reno.window();
        let in_repair = Ack {
            may_grow: false,
            ..GROWS
        };
        reno.on_ack(NOW, &in_repair);
        assert_eq!(reno.window(), still);
    }

    #[test]
    fn a_mark_halves_and_a_time_out_halves_again() {
        let mut reno = reno();
        reno.set_window(16 * 1_024);
        reno.on_mark(NOW, 16 * 1_024);
        assert_eq!((reno.window(), reno.threshold()), (8_192, 8_192));
        // What could be in flight counts: the receiver takes less here.
        reno.on_mark(NOW, 4 * 1_024);
        assert_eq!((reno.window(), reno.threshold()), (2_048, 2_048));
        reno.set_window(16 * 1_024);
        for is_repeated in [false, true] {
            let allowed = reno.window();
            reno.on_loss(NOW, Loss::TimeOut { is_repeated }, allowed);
            assert_eq!(reno.window(), 1_024);
        }
        assert_eq!(reno.threshold(), 2_048, "as in BSD, again for each");
    }

    #[test]
    fn a_silence_goes_back_to_the_first_window() {
        let mut reno = reno();
        reno.on_mark(NOW, 16 * 1_024);
        reno.set_window(6 * 1_024);
        reno.on_silence();
        assert_eq!((reno.window(), reno.threshold()), (1_024, 8_192));
    }

    /// More than the receiver takes is of no use.
    #[test]
    fn the_window_stops_at_the_receivers() {
        let mut reno = reno();
        reno.set_window(65_000);
        reno.on_ack(NOW, &GROWS);
        assert_eq!(reno.window(), 65_535);
    }
}
