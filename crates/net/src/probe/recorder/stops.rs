//! When a channel has units waiting and no credit to send any of them.

use alloc::vec::Vec;

/// What waits for a channel, and who of them may start.
#[derive(Clone, Default)]
pub(super) struct Stops {
    /// In the order of their legs.
    queues: Vec<Queue>,
    /// Queues with units.
    waiting: u32,
    /// Those of them with credit.
    ready: u32,
}

/// The queue of a leg at its sender.
#[derive(Clone, Copy)]
struct Queue {
    leg: u32,
    waits: bool,
    has_credit: bool,
}

impl Stops {
    /// A queue that follows; legs come in their order.
    pub fn follow(&mut self, leg: u32, has_credit: bool) {
        self.queues.push(Queue {
            leg,
            waits: false,
            has_credit,
        });
    }

    /// So many units wait in the queue of a leg. 1 where the channel is stopped then, else 0.
    pub fn queue(&mut self, leg: u32, units: u32) -> f64 {
        self.change(leg, |queue| queue.waits = units > 0)
    }

    /// The queue of a leg has so much credit.
    pub fn credit(&mut self, leg: u32, credit: i64) -> f64 {
        self.change(leg, |queue| queue.has_credit = credit > 0)
    }

    fn change(&mut self, leg: u32, change: impl FnOnce(&mut Queue)) -> f64 {
        if let Ok(at) = self.queues.binary_search_by_key(&leg, |queue| queue.leg) {
            let queue = &mut self.queues[at];
            self.waiting -= u32::from(queue.waits);
            self.ready -= u32::from(queue.waits && queue.has_credit);
            change(queue);
            self.waiting += u32::from(queue.waits);
            self.ready += u32::from(queue.waits && queue.has_credit);
        }
        f64::from(u8::from(self.waiting > 0 && self.ready == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Stops {
        let queue = |leg| Queue {
            leg,
            waits: false,
            has_credit: true,
        };
        Stops {
            queues: Vec::from([queue(3), queue(8)]),
            ..Stops::default()
        }
    }

    #[test]
    fn a_channel_is_stopped_when_all_that_wait_lack_credit() {
        let mut stops = two();
        assert_eq!(stops.queue(3, 2), 0.0, "it has credit");
        assert_eq!(stops.credit(3, 0), 1.0);
        assert_eq!(stops.queue(8, 1), 0.0, "the other may start");
        assert_eq!(stops.credit(8, -1), 1.0);
        assert_eq!(stops.queue(3, 0), 1.0, "the other still waits");
        assert_eq!(stops.queue(8, 0), 0.0, "nothing waits");
        assert_eq!(stops.credit(8, 5), 0.0);
        assert_eq!(stops.queue(8, 4), 0.0);
    }

    #[test]
    fn other_legs_change_nothing() {
        let mut stops = two();
        stops.queue(3, 1);
        assert_eq!(stops.credit(3, 0), 1.0);
        assert_eq!(stops.queue(5, 7), 1.0);
        assert_eq!(stops.credit(9, 7), 1.0);
    }
}
