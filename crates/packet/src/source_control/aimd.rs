//! Additive increase, multiplicative decrease, go-back-N (after Chiu and Jain, 1989, and the
//! congestion avoidance of 1988): the end-to-end contrast of Kung 1993, section 8.3.
//!
//! One coarse time-out, no fast retransmit, no slow start: a whole TCP is another scheme.

use backwater_kernel::{Duration, Time};

/// One unit of window in the fixed-point arithmetic: windows decide, so they are integers.
const ONE: u64 = 1 << 16;

/// State of one AIMD source.
pub(crate) struct Aimd {
    window: u64,
    maximum: u64,
    increase: u64,
    decrease: u64,
    timeout: Duration,
    /// First unit not acknowledged.
    base: u32,
    /// Next unit to send.
    next: u32,
    deadline: Time,
    timer_set: bool,
}

impl Aimd {
    pub fn new(
        initial_units: u32,
        maximum_units: u32,
        increase_units: f64,
        decrease: f64,
        timeout: Duration,
    ) -> Aimd {
        Aimd {
            window: initial_units.max(1) as u64 * ONE,
            maximum: maximum_units.max(1) as u64 * ONE,
            increase: (increase_units * ONE as f64) as u64,
            decrease: (decrease * ONE as f64) as u64,
            timeout,
            base: 0,
            next: 0,
            deadline: Time::MAX,
            timer_set: false,
        }
    }

    fn outstanding(&self) -> u32 {
        self.next.wrapping_sub(self.base)
    }

    /// The unit to send next.
    pub fn next_number(&self) -> u32 {
        self.next
    }

    /// The first unit that is not acknowledged.
    pub fn base(&self) -> u32 {
        self.base
    }

    #[inline]
    pub fn may_send(&self) -> bool {
        (self.outstanding() as u64) < self.window / ONE
    }

    pub fn on_sent(&mut self, now: Time) -> Option<Time> {
        if self.outstanding() == 0 {
            self.deadline = now + self.timeout;
        }
        self.next = self.next.wrapping_add(1);
        if self.timer_set {
            return None;
        }
        self.timer_set = true;
        Some(self.deadline)
    }

    pub fn on_acknowledgement(&mut self, now: Time, expected: u32) {
        let news = expected.wrapping_sub(self.base);
        // An acknowledgement of something older than `base`, or sent again by now, is no news.
        if news == 0 || news > u32::MAX / 2 {
            return;
        }
        self.base = expected;
        if self.outstanding() > u32::MAX / 2 {
            self.next = expected;
        }
        let growth = self.increase * ONE * news as u64 / self.window;
        self.window = (self.window + growth).min(self.maximum);
        self.deadline = now + self.timeout;
    }

    /// The timer fired: units to send again (0 if it was early), and when it must fire next.
    pub fn on_timer(&mut self, now: Time) -> (u32, Option<Time>) {
        self.timer_set = false;
        if self.outstanding() == 0 {
            return (0, None);
        }
        let mut again = 0;
        if now >= self.deadline {
            again = self.outstanding();
            self.window = (self.window * self.decrease / ONE).max(ONE);
            self.next = self.base;
            self.deadline = now + self.timeout;
        }
        self.timer_set = true;
        (again, Some(self.deadline))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_by_one_a_window_and_halves_on_time_out() {
        let mut aimd = Aimd::new(4, 100, 1.0, 0.5, Duration(1000));
        assert_eq!(aimd.on_sent(Time(0)), Some(Time(1000)));
        for _ in 1..4 {
            assert_eq!(aimd.on_sent(Time(0)), None);
        }
        assert!(!aimd.may_send());
        aimd.on_acknowledgement(Time(10), 4);
        let sent = (0..10).take_while(|_| aimd.may_send() && aimd.on_sent(Time(10)).is_none());
        assert_eq!(sent.count(), 5);
        assert_eq!(aimd.on_timer(Time(1000)), (0, Some(Time(1010))));
        assert_eq!(aimd.on_timer(Time(1010)), (5, Some(Time(2010))));
        assert_eq!(aimd.next_number(), 4);
        assert!(aimd.may_send());
        aimd.on_sent(Time(1010));
        aimd.on_sent(Time(1010));
        assert!(!aimd.may_send());
    }
}
