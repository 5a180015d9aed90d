//! First in, first out, where no queue of the port can be blocked: one line for all, in order of
//! arrival. (Where flow control may block a queue, the others pass it, and `Fifo` ranks.)
//!
//! Units of one instant stand in the order of flows, as everywhere.

use alloc::collections::VecDeque;

use backwater_kernel::Time;

/// The line of one port: who waits, by leg.
pub(crate) struct Line {
    waiting: VecDeque<LinePlace>,
}

#[derive(Clone, Copy)]
struct LinePlace {
    since: Time,
    leg: u32,
}

impl Line {
    pub fn new() -> Line {
        let waiting = VecDeque::new();
        Line { waiting }
    }

    /// A unit joined the queue of `leg`. (Legs of a channel are in the order of flows.)
    #[inline]
    pub fn join(&mut self, now: Time, leg: u32) {
        let place = LinePlace { since: now, leg };
        let comes_later = |place: &LinePlace| place.since == now && place.leg > leg;
        if !self.waiting.back().is_some_and(comes_later) {
            return self.waiting.push_back(place);
        }
        let later = self
            .waiting
            .iter()
            .rev()
            .take_while(|place| comes_later(place));
        let at = self.waiting.len() - later.count();
        self.waiting.insert(at, place);
    }

    /// Whose turn it is; the unit starts.
    #[inline]
    pub fn take(&mut self) -> Option<u32> {
        Some(self.waiting.pop_front()?.leg)
    }

    /// Nobody waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn arrivals_of_one_instant_stand_in_the_order_of_flows() {
        let mut line = Line::new();
        for (at, leg) in [(1, 7), (2, 9), (2, 3), (2, 5), (2, 3), (3, 1)] {
            line.join(Time(at), leg);
        }
        let order: Vec<u32> = core::iter::from_fn(|| line.take()).collect();
        assert_eq!(order, [7, 3, 3, 5, 9, 1]);
        assert!(line.is_empty());
    }
}
