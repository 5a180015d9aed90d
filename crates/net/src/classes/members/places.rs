//! The places of flows, by number: a table that is as large as the flows in it are many.

use alloc::vec;
use alloc::vec::Vec;

use crate::hop::unit::NONE;

/// Entries at first; a power of two.
const FEWEST: usize = 64;

/// Numbers and places, each at the entry that its hash names or behind it, with no gap between.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// None, or a power of two, at most half full. [`NONE`] is no number.
    entries: Vec<(u32, u32)>,
    count: usize,
}

impl Places {
    #[inline]
    fn home(&self, number: u32) -> usize {
        // Fibonacci hashing: numbers of one time are neighbours, and are far apart here.
        let spread = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        spread as usize & (self.entries.len() - 1)
    }

    /// The entry of a number, or the free one at which it would be.
    #[inline]
    fn entry(&self, number: u32) -> usize {
        let mut at = self.home(number);
        while self.entries[at].0 != number && self.entries[at].0 != NONE {
            at = (at + 1) & (self.entries.len() - 1);
        }
        at
    }

    #[inline]
    pub fn find(&self, number: u32) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        let (known, place) = self.entries[self.entry(number)];
        (known == number).then_some(place)
    }

    /// Adds a number that is not in it.
    pub fn insert(&mut self, number: u32, place: u32) {
        if 2 * (self.count + 1) > self.entries.len() {
            let more = (2 * self.entries.len()).max(FEWEST);
            let all = core::mem::replace(&mut self.entries, vec![(NONE, NONE); more]);
            for (number, place) in all.into_iter().filter(|(number, _)| *number != NONE) {
                let at = self.entry(number);
                self.entries[at] = (number, place);
            }
        }
        let at = self.entry(number);
        debug_assert!(self.entries[at].0 == NONE, "a number has one place");
        self.entries[at] = (number, place);
        self.count += 1;
    }

    /// Takes a number out, if it is in it; those behind it move up.
    pub fn remove(&mut self, number: u32) {
        if self.find(number).is_none() {
            return;
        }
        let (mut gap, last) = (self.entry(number), self.entries.len() - 1);
        let mut at = gap;
        loop {
            at = (at + 1) & last;
            let next = self.entries[at].0;
            if next == NONE {
                break;
            }
            // It may not go before the entry that its hash names.
            let home = self.home(next);
            if at.wrapping_sub(home) & last >= at.wrapping_sub(gap) & last {
                self.entries[gap] = self.entries[at];
                gap = at;
            }
        }
        self.entries[gap] = (NONE, NONE);
        self.count -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;

    /// Against an ordered map, with few entries, so that most collide.
    #[test]
    fn what_was_put_in_is_found() {
        let (mut places, mut wanted) = (Places::default(), BTreeMap::new());
        let mut state = 1_u64;
        for step in 0..20_000_u32 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let number = (state >> 40) as u32 % 150;
            match wanted.remove(&number) {
                Some(_) => places.remove(number),
                None => {
                    wanted.insert(number, step);
                    places.insert(number, step);
                }
            }
            places.remove(1_000);
            for number in [number, (number * 7) % 150] {
                assert_eq!(places.find(number), wanted.get(&number).copied());
            }
        }
        assert!(places.entries.len() <= 512);
        assert_eq!(places.count, wanted.len());
    }
}
