//! What is due at one instant, by entity: a bit each, taken out in order.

use alloc::vec;
use alloc::vec::Vec;

use kernel::{Event, Phase};

/// The events of one instant, by phase.
pub(crate) struct Due {
    /// Channels whose first unit arrives.
    pub deliveries: DueSet,
    /// Channels that choose what to send.
    pub arbitrations: DueSet,
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
        } else {
            self.add_other(event);
        }
    }

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

/// A set of entities that is filled, then emptied in ascending order.
pub(crate) struct DueSet {
    words: Vec<u64>,
    /// A bit for each word that is not empty.
    summary: Vec<u64>,
}

impl DueSet {
    /// An empty set of entities below `count`.
    pub fn new(count: usize) -> DueSet {
        let words = count.div_ceil(64).max(1);
        DueSet {
            words: vec![0; words],
            summary: vec![0; words.div_ceil(64)],
        }
    }

    #[inline(always)]
    pub fn insert(&mut self, entity: u32) {
        let word = entity as usize / 64;
        self.words[word] |= 1 << (entity % 64);
        self.summary[word / 64] |= 1 << (word % 64);
    }

    /// Takes out the first 64 entities that hold any: their first number, a bit for each.
    #[inline]
    pub fn take_word(&mut self) -> Option<(u32, u64)> {
        let group = self.summary.iter().position(|&words| words != 0)?;
        let word = group * 64 + self.summary[group].trailing_zeros() as usize;
        self.summary[group] &= self.summary[group] - 1;
        let bits = core::mem::take(&mut self.words[word]);
        Some((word as u32 * 64, bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn entities_come_out_once_and_in_order() {
        let mut due = DueSet::new(10_000);
        let mut expected = BTreeSet::new();
        for step in 0..500u32 {
            let entity = step * step * 7 % 10_000;
            due.insert(entity);
            expected.insert(entity);
        }
        let mut found = Vec::new();
        while let Some((first, mut bits)) = due.take_word() {
            while bits != 0 {
                found.push(first + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
        assert!(found.iter().eq(expected.iter()));
        assert_eq!(due.take_word(), None);
    }
}
