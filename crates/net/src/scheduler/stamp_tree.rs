//! The least of many keys that change one at a time: blocks of eight, and a tournament between
//! them.
//!
//! Each seat has a leaf with its key. Eight of them are a block, a cache line or two. The least of
//! each block plays against that of its neighbour, the winner against the winner of the next two,
//! and so on. Changing a key that is not the least of its block, and does not become it, touches
//! the block alone; else the games on the way to the top are played anew, without a branch. The
//! winner of all is at hand; nothing moves, nothing is allocated.

use alloc::vec;
use alloc::vec::Vec;
use core::hint::select_unpredictable;

/// Keys of a block.
const WIDTH: usize = 8;

/// What seats are compared by: a stamp, or a stamp and what tells equal ones apart.
pub(super) trait Key: Copy + Ord {
    /// The key of a seat that is not there: no other is as large.
    const ABSENT: Self;
    /// The least key above this one if `is_right`, else this one.
    fn on_the(self, is_right: bool) -> Self;
}

impl Key for u64 {
    const ABSENT: u64 = u64::MAX;

    #[inline(always)]
    fn on_the(self, is_right: bool) -> u64 {
        self.saturating_add(u64::from(is_right))
    }
}

impl Key for u128 {
    const ABSENT: u128 = u128::MAX;

    #[inline(always)]
    fn on_the(self, is_right: bool) -> u128 {
        self.saturating_add(u128::from(is_right))
    }
}

/// Keys of seats; the least, and of equal ones the lowest seat, is found at once.
pub(super) struct StampTree<K = u64> {
    blocks: Vec<Block<K>>,
    /// Game `i` is between the winners `2 i` and `2 i + 1`; those of the blocks come last, and
    /// the winner of all is number 1. Number 0 is nobody.
    winners: Vec<Entry<K>>,
}

/// A seat and its key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry<K> {
    key: K,
    seat: u32,
}

#[derive(Clone)]
#[repr(align(64))]
struct Block<K>([K; WIDTH]);

impl<K: Key> StampTree<K> {
    /// No seat of `seats` is there.
    pub fn new(seats: usize) -> StampTree<K> {
        let blocks = seats.div_ceil(WIDTH).max(1);
        // A power of two, so that each game is between lower seats and higher ones.
        let games = blocks.next_power_of_two();
        StampTree {
            blocks: vec![Block([K::ABSENT; WIDTH]); blocks],
            winners: vec![
                Entry {
                    key: K::ABSENT,
                    seat: 0
                };
                2 * games
            ],
        }
    }

    /// The seat is there with `key`, below [`Key::ABSENT`].
    #[inline]
    pub fn insert(&mut self, seat: u32, key: K) {
        debug_assert!(key != K::ABSENT);
        self.set(seat, key);
    }

    /// The seat is not there.
    #[inline]
    pub fn remove(&mut self, seat: u32) {
        self.set(seat, K::ABSENT);
    }

    #[inline]
    fn set(&mut self, seat: u32, key: K) {
        let index = seat as usize / WIDTH;
        let game = self.winners.len() / 2 + index;
        let block = &mut self.blocks[index].0;
        block[seat as usize % WIDTH] = key;
        let old = self.winners[game];
        if (key, seat) < (old.key, old.seat) {
            self.play(game, Entry { key, seat });
        } else if seat == old.seat {
            let winner = least(block, seat & !(WIDTH as u32 - 1));
            self.play(game, winner);
        }
    }

    /// The block at `game` has another winner.
    #[inline]
    fn play(&mut self, mut game: usize, mut winner: Entry<K>) {
        let winners = self.winners.as_mut_slice();
        winners[game] = winner;
        while game > 1 {
            let other = winners[game ^ 1];
            // Of equal ones the left wins: it stands at an even place. Nobody is equal to none.
            let least = winner.key.on_the(game & 1 == 1);
            winner = if_less(other.key, least, other, winner);
            game /= 2;
            winners[game] = winner;
        }
    }

    /// The least key.
    #[inline]
    pub fn least(&self) -> Option<K> {
        self.first().map(|(_, key)| key)
    }

    /// The seat with the least key, and the key.
    #[inline]
    pub fn first(&self) -> Option<(u32, K)> {
        let Entry { key, seat } = self.winners[1];
        (key != K::ABSENT).then_some((seat, key))
    }

    /// Is any seat there?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.first().is_none()
    }

    /// The key of a seat that is there.
    #[inline]
    pub fn get(&self, seat: u32) -> Option<K> {
        let seat = seat as usize;
        let key = self.blocks[seat / WIDTH].0[seat % WIDTH];
        (key != K::ABSENT).then_some(key)
    }
}

/// The least key of a block that begins with the seat `first`, and its seat, without a branch.
#[inline]
fn least<K: Key>(block: &[K; WIDTH], first: u32) -> Entry<K> {
    let at = |slot: usize| Entry {
        key: block[slot],
        seat: first + slot as u32,
    };
    let lesser = |a: Entry<K>, b: Entry<K>| if_less(b.key, a.key, b, a);
    let (ab, cd) = (lesser(at(0), at(1)), lesser(at(2), at(3)));
    let (ef, gh) = (lesser(at(4), at(5)), lesser(at(6), at(7)));
    lesser(lesser(ab, cd), lesser(ef, gh))
}

/// `yes` if `a` is less than `b`, else `no`. No branch could be foretold.
#[inline]
fn if_less<K: Key>(a: K, b: K, yes: Entry<K>, no: Entry<K>) -> Entry<K> {
    Entry {
        key: select_unpredictable(a < b, yes.key, no.key),
        seat: select_unpredictable(a < b, yes.seat, no.seat),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwater_kernel::stream::{Purpose, Stream};

    /// The same by looking at every seat.
    fn first_of<K: Key>(keys: &[Option<K>]) -> Option<(u32, K)> {
        let seats = keys.iter().enumerate();
        let there = seats.filter_map(|(seat, key)| key.map(|key| (key, seat as u32)));
        there.min().map(|(key, seat)| (seat, key))
    }

    /// Random keys come and go, each made of a number below 20, so that many are equal.
    fn check<K: Key + core::fmt::Debug>(key_of: impl Fn(u64) -> K) {
        let mut stream = Stream::new(1, 1, Purpose::Pattern);
        for seats in [1usize, 2, 7, 8, 9, 64, 65, 600] {
            let mut tree = StampTree::new(seats);
            let mut keys = vec![None; seats];
            for _ in 0..2000 {
                let seat = stream.below(seats as u64) as u32;
                let number = stream.below(20);
                keys[seat as usize] = (number >= 5).then(|| key_of(number));
                match keys[seat as usize] {
                    None => tree.remove(seat),
                    Some(key) => tree.insert(seat, key),
                }
                assert_eq!(tree.first(), first_of(&keys), "{seats} seats");
                assert_eq!(tree.least(), first_of(&keys).map(|(_, key)| key));
                assert_eq!(tree.get(seat), keys[seat as usize]);
                assert_eq!(tree.is_empty(), keys.iter().all(Option::is_none));
            }
        }
    }

    #[test]
    fn the_least_key_and_the_lowest_seat_come_first() {
        check(|number| number);
        // Most differ in the lower half alone, or in the upper.
        check(|number| u128::from(number / 8) << 64 | u128::from(number % 8));
    }
}
