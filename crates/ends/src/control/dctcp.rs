//! DCTCP (RFC 8257; Alizadeh and others 2010): marks are answered in proportion, losses as the
//! scheme below it answers them.
//!
//! | RFC 8257, section 3.3 | Here |
//! |---|---|
//! | DCTCP.BytesAcked, BytesMarked | `acked`, `marked` |
//! | DCTCP.WindowEnd | `window_end` |
//! | DCTCP.Alpha, g = 2^-shift | `alpha`, `gain` |
//!
//! Once a window, `alpha = alpha (1 - g) + g M` with M the marked share of the bytes acknowledged
//! in it; alpha is 1 at first. A mark cuts to `cwnd (1 - alpha / 2)`, at least two segments.

use backwater_kernel::Time;

use super::cwnd::HasCwnd;
use super::hooks::{Ack, Control, Loss};

/// State of DCTCP over `Base`, which grows the window.
#[derive(Clone, Debug)]
pub(crate) struct Dctcp<Base> {
    base: Base,
    gain: f64,
    /// Estimated share of marked bytes.
    alpha: f64,
    acked: u64,
    marked: u64,
    window_end: u64,
}

impl<Base: HasCwnd> Dctcp<Base> {
    /// As a connection begins whose next byte is at `start`.
    pub(crate) fn new(base: Base, gain_shift: u8, start: u64) -> Dctcp<Base> {
        Dctcp {
            base,
            gain: 1.0 / (1_u64 << gain_shift.min(63)) as f64,
            alpha: 1.0,
            acked: 0,
            marked: 0,
            window_end: start,
        }
    }

    /// The window a mark cuts to.
    fn cut(&mut self) -> u64 {
        let cwnd = self.base.cwnd();
        let less = (cwnd.bytes as f64 * self.alpha / 2.0) as u64;
        (cwnd.bytes - less.min(cwnd.bytes)).max(2 * cwnd.mss)
    }
}

impl<Base: HasCwnd> Control for Dctcp<Base> {
    #[inline]
    fn on_ack(&mut self, now: Time, ack: &Ack) {
        self.base.on_ack(now, ack);
        self.acked += ack.news_bytes;
        self.marked += if ack.is_marked { ack.news_bytes } else { 0 };
        if ack.expected <= self.window_end {
            return;
        }
        let share = self.marked as f64 / self.acked.max(1) as f64;
        self.alpha = self.alpha * (1.0 - self.gain) + self.gain * share;
        self.window_end = ack.sent_end;
        self.acked = 0;
        self.marked = 0;
    }

    fn on_mark(&mut self, now: Time, allowed_bytes: u64) {
        let (before, cut) = (self.base.window(), self.cut());
        // What it remembers of its last maximum is for the next loss too.
        self.base.on_mark(now, allowed_bytes);
        self.base.set_window(before);
        self.base.cwnd().cut_to(cut);
    }

    fn on_loss(&mut self, now: Time, loss: Loss, allowed_bytes: u64) {
        self.base.on_loss(now, loss, allowed_bytes);
    }

    fn on_silence(&mut self) {
        self.base.on_silence();
    }

    #[inline]
    fn window(&self) -> u64 {
        self.base.window()
    }

    #[inline]
    fn threshold(&self) -> u64 {
        self.base.threshold()
    }

    #[inline]
    fn set_window(&mut self, bytes: u64) {
        self.base.set_window(bytes);
    }

    fn undo(&mut self, window: u64, threshold: u64) {
        self.base.undo(window, threshold);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::cubic::Cubic;
    use crate::control::reno::Reno;
    use crate::spec::TcpSpec;

    const MSS: u64 = 1_000;

    fn spec() -> TcpSpec {
        TcpSpec {
            mss_bytes: MSS as u32,
            ..TcpSpec::dctcp()
        }
    }

    fn dctcp() -> Dctcp<Reno> {
        Dctcp::new(Reno::new(&spec(), false), 4, 0)
    }

    fn acknowledge(dctcp: &mut Dctcp<Reno>, expected: u64, sent_end: u64, is_marked: bool) {
        let ack = Ack {
            expected,
            news_bytes: 1_000,
            sent_end,
            is_marked,
            ..Ack::default()
        };
        dctcp.on_ack(Time::ZERO, &ack);
    }

    /// The recursion by hand: windows of 10 kB, a share of marks each.
    #[test]
    fn alpha_is_averaged_once_a_window() {
        let mut dctcp = dctcp();
        // The first acknowledgement ends the empty first window; nothing was marked.
        acknowledge(&mut dctcp, 1_000, 10_000, false);
        assert_eq!(dctcp.alpha, 0.9375);
        let mut una = 1_000;
        let mut expected = 0.9375;
        for marked in [0, 3, 10, 5] {
            let end = dctcp.window_end;
            let mut i = 0;
            while una <= end {
                una += 1_000;
                acknowledge(&mut dctcp, una, end + 10_000, i < marked);
                i += 1;
            }
            expected = expected * 0.9375 + 0.0625 * f64::from(marked) / f64::from(i);
            assert_eq!(dctcp.alpha, expected);
        }
    }

    #[test]
    fn a_mark_cuts_by_half_of_alpha() {
        let mut dctcp = dctcp();
        let mut after = |alpha, window| {
            dctcp.alpha = alpha;
            dctcp.set_window(window);
            dctcp.on_mark(Time::ZERO, window);
            (dctcp.window(), dctcp.threshold())
        };
        assert_eq!(after(1.0, 20_000), (10_000, 10_000));
        assert_eq!(after(0.25, 20_000), (17_500, 17_500));
        assert_eq!(after(0.25, 2_100), (2_000, 2_000), "two segments are left");
        assert_eq!(after(0.25, 1_000), (1_000, 2_000), "a cut does not raise");
    }

    /// A loss is no mark: Reno's half, CUBIC's seven tenths.
    #[test]
    fn a_loss_is_the_bases() {
        let mut reno = dctcp();
        let mut cubic = Dctcp::new(Cubic::new(&spec()), 4, 0);
        reno.alpha = 0.25;
        reno.on_loss(Time::ZERO, Loss::Duplicates, 20_000);
        cubic.on_loss(Time::ZERO, Loss::Duplicates, 20_000);
        assert_eq!((reno.window(), cubic.window()), (10_000, 14_000));
    }
}
