//! A fixed end-to-end window (Kung 1993, section 8.3).
//!
//! For loss-free paths: a unit that is lost keeps its place in the window until a later one is
//! acknowledged; nothing is sent again.

use backwater_kernel::Time;

use super::hooks::{Ack, Control, Item, Next};

/// State of one fixed window.
pub struct Window {
    units: u32,
    sent: u32,
    acknowledged: u32,
}

impl Window {
    pub(crate) fn new(units: u32) -> Window {
        Window {
            units,
            sent: 0,
            acknowledged: 0,
        }
    }

    /// Units sent and not acknowledged.
    #[inline]
    fn unacknowledged(&self) -> u32 {
        self.sent.wrapping_sub(self.acknowledged)
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.unacknowledged() >= self.units
    }
}

impl Control for Window {
    #[inline]
    fn next(&mut self, _now: Time, has_data: bool) -> Next {
        match has_data && !self.is_full() {
            true => Next::Now(Item::Data),
            false => Next::Wait,
        }
    }

    #[inline]
    fn on_sent(&mut self, _now: Time, _is_last: bool) {
        self.sent = self.sent.wrapping_add(1);
    }

    fn on_ack(&mut self, _now: Time, ack: &Ack) {
        self.acknowledged = ack.expected as u32;
    }

    fn window(&self) -> u64 {
        self.units.into()
    }

    fn awaits_ack(&self) -> Option<u32> {
        self.is_full().then(|| self.unacknowledged())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::ZERO;

    #[test]
    fn at_most_a_window_is_unacknowledged() {
        let mut window = Window::new(2);
        assert_eq!(window.next(NOW, false), Next::Wait);
        for _ in 0..2 {
            assert_eq!(window.next(NOW, true), Next::Now(Item::Data));
            assert_eq!(window.awaits_ack(), None);
            window.on_sent(NOW, false);
        }
        assert_eq!(window.next(NOW, true), Next::Wait);
        assert_eq!(window.awaits_ack(), Some(2));
        let ack = Ack {
            expected: 1,
            ..Ack::default()
        };
        window.on_ack(NOW, &ack);
        assert_eq!(window.next(NOW, true), Next::Now(Item::Data));
    }
}
