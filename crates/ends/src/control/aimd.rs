//! Additive increase, multiplicative decrease, go-back-N (after Chiu and Jain, 1989, and the
//! congestion avoidance of 1988): the end-to-end contrast of Kung 1993, section 8.3.
//!
//! One coarse time-out, no fast retransmit, no slow start: a whole TCP is another scheme.

use backwater_kernel::{Duration, Time};

use super::hooks::{Ack, Control, Item, Next, Position};

/// One unit of window in the fixed-point arithmetic: windows decide, so they are integers.
const ONE: u64 = 1 << 16;

/// State of one AIMD source.
pub struct Aimd {
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
}

impl Aimd {
    pub(crate) fn new(
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
        }
    }

    fn outstanding(&self) -> u32 {
        self.next.wrapping_sub(self.base)
    }
}

impl Control for Aimd {
    #[inline]
    fn next(&mut self, _now: Time, has_data: bool) -> Next {
        let has_room = (self.outstanding() as u64) < self.window();
        match has_data && has_room {
            true => Next::Now(Item::Data),
            false => Next::Wait,
        }
    }

    fn on_sent(&mut self, now: Time, _is_last: bool) {
        if self.outstanding() == 0 {
            self.deadline = now + self.timeout;
        }
        self.next = self.next.wrapping_add(1);
    }

    fn on_ack(&mut self, now: Time, ack: &Ack) {
        let expected = ack.expected as u32;
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

    fn window(&self) -> u64 {
        self.window / ONE
    }

    fn timer(&self) -> Option<Time> {
        (self.outstanding() > 0).then_some(self.deadline)
    }

    fn on_timer(&mut self, now: Time) -> u32 {
        let again = self.outstanding();
        if again == 0 || now < self.deadline {
            return 0;
        }
        self.window = (self.window * self.decrease / ONE).max(ONE);
        self.next = self.base;
        self.deadline = now + self.timeout;
        again
    }

    fn position(&self) -> Option<Position> {
        Some(Position {
            base: self.base,
            next: self.next,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acknowledge(aimd: &mut Aimd, now: Time, expected: u64) {
        let ack = Ack {
            expected,
            ..Ack::default()
        };
        aimd.on_ack(now, &ack);
    }

    fn send_all(aimd: &mut Aimd, now: Time) -> u32 {
        let mut sent = 0;
        while aimd.next(now, true) == Next::Now(Item::Data) {
            aimd.on_sent(now, false);
            sent += 1;
        }
        sent
    }

    #[test]
    fn grows_by_one_a_window_and_halves_on_time_out() {
        let mut aimd = Aimd::new(4, 100, 1.0, 0.5, Duration(1000));
        assert_eq!(aimd.timer(), None, "nothing to wait for");
        assert_eq!(send_all(&mut aimd, Time(0)), 4);
        assert_eq!(aimd.timer(), Some(Time(1000)));
        acknowledge(&mut aimd, Time(10), 4);
        assert_eq!(aimd.timer(), None, "all is acknowledged");
        assert_eq!(send_all(&mut aimd, Time(10)), 5);
        assert_eq!(aimd.on_timer(Time(1000)), 0, "early");
        assert_eq!(aimd.timer(), Some(Time(1010)));
        assert_eq!(aimd.on_timer(Time(1010)), 5);
        assert_eq!(aimd.position(), Some(Position { base: 4, next: 4 }));
        assert_eq!(send_all(&mut aimd, Time(1010)), 2);
        assert_eq!(aimd.timer(), Some(Time(2010)));
    }

    #[test]
    fn an_old_acknowledgement_is_no_news() {
        let mut aimd = Aimd::new(4, 100, 1.0, 0.5, Duration(1000));
        send_all(&mut aimd, Time(0));
        acknowledge(&mut aimd, Time(10), 3);
        acknowledge(&mut aimd, Time(500), 2);
        assert_eq!(aimd.position(), Some(Position { base: 3, next: 4 }));
        assert_eq!(aimd.timer(), Some(Time(1010)));
        // What was sent before a time-out may still be acknowledged after it.
        aimd.on_timer(Time(1010));
        acknowledge(&mut aimd, Time(1020), 4);
        assert_eq!(aimd.position(), Some(Position { base: 4, next: 4 }));
    }
}
