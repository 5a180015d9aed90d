//! What is due at one instant, by entity: a bit each, taken out in order.

use alloc::vec::Vec;

use backwater_kernel::{DueSet, Event, Phase};

/// The events of one instant, by phase.
pub(crate) struct Due {
    /// Channels whose first unit arrives; their slots, where units are routed.
    pub deliveries: DueSet,
    /// Channels that choose what to send.
    pub arbitrations: DueSet,
    /// Channels by class whose last bit has left; sorted, unless `is_shuffled`.
    last_bits: Vec<u32>,
    is_shuffled: bool,
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
            last_bits: Vec::new(),
            is_shuffled: false,
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
            self.add_last_bit(event.entity());
        } else {
            self.add_other(event);
        }
    }

    /// Ports that chose at one instant are done in the same order, if their frames are alike.
    #[inline(always)]
    fn add_last_bit(&mut self, channel: u32) {
        self.is_shuffled |= self.last_bits.last().is_some_and(|last| *last > channel);
        self.last_bits.push(channel);
    }

    #[inline(always)]
    pub fn has_last_bits(&self) -> bool {
        !self.last_bits.is_empty()
    }

    /// Takes out the channels whose last bit has left, in order; to be given back, empty.
    #[inline]
    pub fn take_last_bits(&mut self) -> Vec<u32> {
        let mut channels = core::mem::take(&mut self.last_bits);
        if core::mem::take(&mut self.is_shuffled) {
            channels.sort_unstable();
        }
        channels
    }

    /// They come back, for others.
    #[inline]
    pub fn give_back(&mut self, mut last_bits: Vec<u32>) {
        last_bits.clear();
        self.last_bits = last_bits;
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
