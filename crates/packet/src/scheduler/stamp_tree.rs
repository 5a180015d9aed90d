//! The least of many keys that change one at a time: a tree of blocks of eight.
//!
//! Each seat has a leaf with its key; each block of eight keys has its least key in the level
//! above. A block is one cache line. Changing a key of a million takes seven blocks at most, and
//! stops where the least of a block does not change; nothing moves, nothing is allocated.

use alloc::vec;
use alloc::vec::Vec;

/// Keys of a block.
const WIDTH: usize = 8;
/// The key of a seat that is not there.
const ABSENT: u64 = u64::MAX;

/// Keys of seats; the least, and of equal ones the lowest seat, is found at once.
pub(super) struct StampTree {
    /// Leaves first; every level is padded to whole blocks.
    levels: Vec<Vec<[u64; WIDTH]>>,
}

impl StampTree {
    /// No seat of `seats` is there.
    pub fn new(seats: usize) -> StampTree {
        let mut levels = Vec::new();
        let mut blocks = seats.div_ceil(WIDTH).max(1);
        loop {
            levels.push(vec![[ABSENT; WIDTH]; blocks]);
            if blocks == 1 {
                return StampTree { levels };
            }
            blocks = blocks.div_ceil(WIDTH);
        }
    }

    /// The seat is there with `key`, below `u64::MAX`.
    #[inline]
    pub fn insert(&mut self, seat: u32, key: u64) {
        debug_assert!(key != ABSENT);
        self.set(seat, key);
    }

    /// The seat is not there.
    #[inline]
    pub fn remove(&mut self, seat: u32) {
        self.set(seat, ABSENT);
    }

    #[inline]
    fn set(&mut self, seat: u32, key: u64) {
        let (mut place, mut key) = (seat as usize, key);
        for level in &mut self.levels {
            let block = &mut level[place / WIDTH];
            let slot = &mut block[place % WIDTH];
            if *slot == key {
                return;
            }
            *slot = key;
            key = least(block);
            place /= WIDTH;
        }
    }

    /// The least key.
    #[inline]
    pub fn least(&self) -> Option<u64> {
        let top = self.levels.last()?;
        let key = least(&top[0]);
        (key != ABSENT).then_some(key)
    }

    /// The seat with the least key, and the key.
    #[inline]
    pub fn first(&self) -> Option<(u32, u64)> {
        let key = self.least()?;
        let place = self.levels.iter().rev().fold(0, |place, level| {
            let block = &level[place];
            place * WIDTH + position(block, key)
        });
        Some((place as u32, key))
    }

    /// Is any seat there?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.least().is_none()
    }

    /// The key of a seat that is there.
    #[cfg(test)]
    fn get(&self, seat: u32) -> Option<u64> {
        let key = self.levels[0][seat as usize / WIDTH][seat as usize % WIDTH];
        (key != ABSENT).then_some(key)
    }
}

/// The least key of a block, without a branch.
#[inline]
fn least(block: &[u64; WIDTH]) -> u64 {
    let [a, b, c, d, e, f, g, h] = *block;
    (a.min(b).min(c.min(d))).min(e.min(f).min(g.min(h)))
}

/// Where `key` stands first in a block that has it.
#[inline]
fn position(block: &[u64; WIDTH], key: u64) -> usize {
    let bits = block.iter().enumerate().fold(0u32, |bits, (slot, &other)| {
        bits | u32::from(other == key) << slot
    });
    bits.trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::stream::{Purpose, Stream};

    /// The same by looking at every seat.
    fn first_of(keys: &[Option<u64>]) -> Option<(u32, u64)> {
        let seats = keys.iter().enumerate();
        let there = seats.filter_map(|(seat, key)| key.map(|key| (key, seat as u32)));
        there.min().map(|(key, seat)| (seat, key))
    }

    #[test]
    fn the_least_key_and_the_lowest_seat_come_first() {
        let mut stream = Stream::new(1, 1, Purpose::Pattern);
        for seats in [1usize, 2, 7, 8, 9, 64, 65, 600] {
            let mut tree = StampTree::new(seats);
            let mut keys = vec![None; seats];
            for _ in 0..2000 {
                let seat = stream.below(seats as u64) as u32;
                // Few keys, so that many are equal.
                let key = stream.below(20);
                if key < 5 {
                    tree.remove(seat);
                    keys[seat as usize] = None;
                } else {
                    tree.insert(seat, key);
                    keys[seat as usize] = Some(key);
                }
                assert_eq!(tree.first(), first_of(&keys), "{seats} seats");
                assert_eq!(tree.get(seat), keys[seat as usize]);
                assert_eq!(tree.is_empty(), keys.iter().all(Option::is_none));
            }
        }
    }
}
