//! Which slots of the wheel have a chain.

use alloc::boxed::Box;
use alloc::vec;

/// Slots of one word.
const WORD: usize = u64::BITS as usize;
/// Slots a wheel may have: the summary is an array so that its index needs no check.
pub const MOST_SLOTS: usize = WORD * WORD * WORD;

/// A ring of bits, made for the next one being near.
///
/// The summary may claim that a word has bits when it has none: taking a bit out then touches one
/// word, and the claim is corrected by the first search that falls for it.
pub struct Occupancy {
    words: Box<[u64]>,
    summary: [u64; WORD],
}

impl Occupancy {
    /// No slot of `slots` (a power of two, at least 64) is occupied.
    pub fn new(slots: usize) -> Occupancy {
        Occupancy {
            words: vec![0; slots / WORD].into_boxed_slice(),
            summary: [0; WORD],
        }
    }

    /// The slot has a chain.
    #[inline]
    pub fn insert(&mut self, slot: usize) {
        let word = slot / WORD;
        self.words[word] |= 1 << (slot % WORD);
        self.summary[word / WORD % WORD] |= 1 << (word % WORD);
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
    pub fn distance_from(&mut self, from: usize) -> Option<usize> {
        let window = self.window(from);
        if window != 0 {
            return Some(window.trailing_zeros() as usize);
        }
        let after = from / WORD + 1;
        let found = self
            .search(after, self.words.len())
            .or_else(|| self.search(0, after))?;
        Some(found.wrapping_sub(from) & (self.words.len() * WORD - 1))
    }

    /// The first occupied slot in words `from..to`.
    fn search(&mut self, from: usize, to: usize) -> Option<usize> {
        let mut word = from;
        while word < to {
            let claims = self.summary[word / WORD] >> (word % WORD);
            if claims == 0 {
                word = (word / WORD + 1) * WORD;
                continue;
            }
            word += claims.trailing_zeros() as usize;
            if word >= to {
                return None;
            }
            let bits = self.words[word];
            if bits != 0 {
                return Some(word * WORD + bits.trailing_zeros() as usize);
            }
            self.summary[word / WORD] &= !(1 << (word % WORD));
        }
        None
    }
}
