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

    /// Takes the first occupied slot from `from` on (around the ring) out; how many slots after
    /// `from` it is.
    #[inline]
    pub fn take_from(&mut self, from: usize) -> Option<usize> {
        let (word, bit) = (from / WORD, from % WORD);
        let here = self.words[word];
        let distance = (here >> bit).trailing_zeros() as usize;
        if distance < WORD {
            self.words[word] = here ^ (1 << (bit + distance));
            return Some(distance);
        }
        let after = (word + 1) & (self.words.len() - 1);
        let next = self.words[after];
        if next != 0 && after != 0 {
            self.words[after] = next & (next - 1);
            return Some(WORD - bit + next.trailing_zeros() as usize);
        }
        self.take_far(from, after)
    }

    #[cold]
    #[inline(never)]
    fn take_far(&mut self, from: usize, after: usize) -> Option<usize> {
        let found = self
            .search(after, self.words.len())
            .or_else(|| self.search(0, after))?;
        self.words[found / WORD] ^= 1 << (found % WORD);
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
