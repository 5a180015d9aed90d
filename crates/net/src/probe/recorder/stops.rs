//! When a channel has units waiting and no credit to send any of them.

use alloc::vec::Vec;

/// What waits for a channel, and who of them may start.
#[derive(Clone, Default)]
pub(super) struct Stops {
    queues: Vec<Queue>,
    /// Queues with units.
    waiting: u32,
    /// Those of them with credit.
    ready: u32,
}

/// The queue of a leg at its sender.
#[derive(Clone, Copy)]
struct Queue {
    waits: bool,
    has_credit: bool,
}

impl Stops {
    /// A queue more.
    pub fn follow(&mut self, has_credit: bool) {
        self.queues.push(Queue {
            waits: false,
            has_credit,
        });
    }

    /// So many units wait in a queue. 1 where the channel is stopped then, else 0.
    pub fn queue(&mut self, queue: u32, units: u32) -> f64 {
        self.change(queue, |queue| queue.waits = units > 0)
    }

    /// A queue has so much credit.
    pub fn credit(&mut self, queue: u32, credit: i64) -> f64 {
        self.change(queue, |queue| queue.has_credit = credit > 0)
    }

    fn change(&mut self, queue: u32, change: impl FnOnce(&mut Queue)) -> f64 {
        let queue = &mut self.queues[queue as usize];
        self.waiting -= u32::from(queue.waits);
        self.ready -= u32::from(queue.waits && queue.has_credit);
        change(queue);
        self.waiting += u32::from(queue.waits);
        self.ready += u32::from(queue.waits && queue.has_credit);
        f64::from(u8::from(self.waiting > 0 && self.ready == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Stops {
        let mut stops = Stops::default();
        stops.follow(true);
        stops.follow(true);
        stops
    }

    #[test]
    fn a_channel_is_stopped_when_all_that_wait_lack_credit() {
        let mut stops = two();
        assert_eq!(stops.queue(0, 2), 0.0, "it has credit");
        assert_eq!(stops.credit(0, 0), 1.0);
        assert_eq!(stops.queue(1, 1), 0.0, "the other may start");
        assert_eq!(stops.credit(1, -1), 1.0);
        assert_eq!(stops.queue(0, 0), 1.0, "the other still waits");
        assert_eq!(stops.queue(1, 0), 0.0, "nothing waits");
        assert_eq!(stops.credit(1, 5), 0.0);
        assert_eq!(stops.queue(1, 4), 0.0);
    }
}
