//! A fixed end-to-end window (Kung 1993, section 8.3).
//!
//! For loss-free paths: a unit that is lost keeps its place in the window until a later one is
//! acknowledged; nothing is sent again.

/// State of one fixed window.
pub(crate) struct Window {
    units: u32,
    sent: u32,
    acknowledged: u32,
}

impl Window {
    pub fn new(units: u32) -> Window {
        Window {
            units,
            sent: 0,
            acknowledged: 0,
        }
    }

    #[inline]
    pub fn may_send(&self) -> bool {
        self.unacknowledged() < self.units
    }

    /// Units sent and not acknowledged.
    #[inline]
    pub fn unacknowledged(&self) -> u32 {
        self.sent.wrapping_sub(self.acknowledged)
    }

    #[inline]
    pub fn on_sent(&mut self) {
        self.sent = self.sent.wrapping_add(1);
    }

    pub fn on_acknowledgement(&mut self, expected: u32) {
        self.acknowledged = expected;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_a_window_is_unacknowledged() {
        let mut window = Window::new(2);
        window.on_sent();
        assert!(window.may_send());
        window.on_sent();
        assert!(!window.may_send());
        window.on_acknowledgement(1);
        assert!(window.may_send());
    }
}
