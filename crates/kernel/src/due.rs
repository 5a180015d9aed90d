//! Entities that something is due for, a bit each, taken out in order.

use alloc::vec;
use alloc::vec::Vec;

/// A set of entities that is filled, then emptied in ascending order. It mostly holds one.
#[derive(Clone, Debug)]
pub struct DueSet {
    /// The only entity in it; [`NOBODY`], or [`SEVERAL`], which stand in the words.
    only: u32,
    words: Vec<u64>,
    /// A bit for each of the first words that is not empty: most networks have no more.
    low: u64,
    /// The same of each further 64 words.
    high: Vec<u64>,
}

/// Words that `low` speaks of.
const LOW: usize = 64;
/// The set is empty.
const NOBODY: u32 = u32::MAX;
/// It holds several entities.
const SEVERAL: u32 = u32::MAX - 1;

impl DueSet {
    /// An empty set of entities below `count`.
    pub fn new(count: usize) -> DueSet {
        let words = count.div_ceil(64).max(1);
        DueSet {
            only: NOBODY,
            words: vec![0; words],
            low: 0,
            high: vec![0; words.saturating_sub(LOW).div_ceil(64)],
        }
    }

    /// Puts `entity` in.
    #[inline(always)]
    pub fn insert(&mut self, entity: u32) {
        if self.only == SEVERAL {
            return self.set_bit(entity);
        }
        if self.only == NOBODY {
            self.only = entity;
            return;
        }
        self.set_bit(self.only);
        self.only = SEVERAL;
        self.set_bit(entity);
    }

    #[inline(always)]
    fn set_bit(&mut self, entity: u32) {
        let word = entity as usize / 64;
        self.words[word] |= 1 << (entity % 64);
        if word < LOW {
            self.low |= 1 << word;
        } else {
            self.high[word / 64 - 1] |= 1 << (word % 64);
        }
    }

    /// Takes out the first entities that it holds: the first number, and a bit for each, that for
    /// the first number lowest.
    #[inline]
    pub fn take_word(&mut self) -> Option<(u32, u64)> {
        let only = self.only;
        if only == NOBODY {
            return None;
        }
        if only != SEVERAL {
            self.only = NOBODY;
            return Some((only, 1));
        }
        self.take_of_several()
    }

    /// It holds nobody.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.only == NOBODY
    }

    #[inline]
    fn take_of_several(&mut self) -> Option<(u32, u64)> {
        let word = if self.low != 0 {
            let word = self.low.trailing_zeros() as usize;
            self.low &= self.low - 1;
            if self.low == 0 && self.high.is_empty() {
                self.only = NOBODY;
            }
            word
        } else if let Some(group) = self.high.iter().position(|&words| words != 0) {
            let word = self.high[group].trailing_zeros() as usize;
            self.high[group] &= self.high[group] - 1;
            (group + 1) * 64 + word
        } else {
            self.only = NOBODY;
            return None;
        };
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
