//! What is due at one instant, by entity: a bit each, taken out in order.

use alloc::vec::Vec;

use backwater_kernel::{DueSet, Event, Phase};

/// The events of one instant, by phase.
pub(crate) struct Due {
    /// Channels whose first unit arrives; their slots, where units are routed.
    pub deliveries: DueSet,
    /// Channels that choose what to send.
    pub arbitrations: DueSet,
    /// Channels by class whose last bit has left.
    pub last_bits: DueSet,
    /// Timers, sinks and sources; sorted, the next one last, unless `is_mixed`.
    others: Vec<Event>,
    is_mixed: bool,
}

impl Due {
    /// Nothing is due in a network of so many channels.
    pub fn new(channels: usize) -> Due {
        Due {
            deliveries: DueSet::new(channels),
            arbitrations: DueSet::new(channels),
            last_bits: DueSet::new(channels),
            others: Vec::new(),
            is_mixed: false,
        }
    }

    #[inline(always)]
    pub fn add(&mut self, event: Event) {
        if event.is(Phase::Deliver) {
            self.deliveries.insert(event.entity());
        } else if event.is(Phase::Arbitrate) {
            self.arbitrations.insert(event.entity());
        } else if event.is(Phase::Transmit) {
            self.last_bits.insert(event.entity());
        } else {
            self.add_other(event);
        }
    }

    #[inline(never)]
    fn add_other(&mut self, event: Event) {
        self.is_mixed = !self.others.is_empty();
        self.others.push(event);
    }

    /// Takes out the next timer, sink or source.
    #[inline]
    pub fn take_other(&mut self) -> Option<Event> {
        if self.is_mixed {
            self.others.sort_unstable_by(|a, b| b.cmp(a));
            self.is_mixed = false;
        }
        self.others.pop()
    }
}
