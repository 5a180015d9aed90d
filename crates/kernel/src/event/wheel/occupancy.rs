//! Which slots of the wheel have a chain.

use alloc::boxed::Box;
use alloc::vec;

/// Slots of one word.
const WORD: usize = u64::BITS as usize;

/// A ring of bits, made for the next one being near: the wheel's slots are cut so that it is, and a
/// search passes 64 slots a step, so there are no summaries to keep up.
pub struct Occupancy {
    words: Box<[u64]>,
}

impl Occupancy {
    /// No slot of `slots` (a power of two, at least 128) is occupied.
    pub fn new(slots: usize) -> Occupancy {
        Occupancy {
            words: vec![0; slots / WORD].into_boxed_slice(),
        }
    }

    /// The slot has a chain.
    #[inline]
    pub fn insert(&mut self, slot: usize) {
        self.words[slot / WORD] |= 1 << (slot % WORD);
    }

    /// The slot has none.
    #[inline]
    pub fn remove(&mut self, slot: usize) {
        self.words[slot / WORD] &= !(1 << (slot % WORD));
    }

    /// The 64 slots from `from` on (around the ring), lowest bit first. Put together from two words
    /// without asking whether the first is enough: that branch would be guessed wrong too often.
    #[inline]
    pub fn window(&self, from: usize) -> u64 {
        let (word, bit) = (from / WORD, from % WORD);
        let after = (word + 1) & (self.words.len() - 1);
        self.words[word] >> bit | self.words[after] << 1 << (WORD - 1 - bit)
    }

    /// How many slots after `from` (itself included, around the ring) the next occupied one is.
    pub fn distance_from(&self, from: usize) -> Option<usize> {
        let window = self.window(from);
        if window != 0 {
            return Some(window.trailing_zeros() as usize);
        }
        let (before, after) = self.words.split_at(from / WORD + 1);
        let around = after.iter().chain(before).position(|word| *word != 0)?;
        let word = (from / WORD + 1 + around) & (self.words.len() - 1);
        let slot = word * WORD + self.words[word].trailing_zeros() as usize;
        Some(slot.wrapping_sub(from) & (self.words.len() * WORD - 1))
    }
}
