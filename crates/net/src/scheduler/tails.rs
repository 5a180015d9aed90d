//! The last units of queues by rank, for nodes that push out the unit they would serve last.

use super::stamp_tree::StampTree;
use super::{Packet, Turn};

/// Largest turn there can be: the tree's keys end below `u128::MAX`.
const LAST_TURN: Turn = Turn::MAX - 1;

/// The turn at the end of each queue of a group. Turns of a queue do not fall, so no unit of the
/// group has a later one than the latest of these.
pub(super) struct Tails {
    /// Turns and seats upside down: the least key is the latest turn, and of equal ones the
    /// lowest place is the last seat.
    tree: StampTree<Turn>,
    seats: u32,
}

impl Tails {
    /// All queues are empty.
    pub fn new(seats: usize) -> Tails {
        Tails {
            tree: StampTree::new(seats),
            seats: seats as u32,
        }
    }

    /// The last unit of the queue at `seat` is this one.
    #[inline]
    pub fn set(&mut self, seat: u32, last: Packet) {
        let key = LAST_TURN - last.turn();
        self.tree.insert(self.seats - 1 - seat, key);
    }

    /// The queue at `seat` is empty.
    #[inline]
    pub fn remove(&mut self, seat: u32) {
        self.tree.remove(self.seats - 1 - seat);
    }

    /// The queue that ends with the largest rank; of equal ones the unit that came last, then that
    /// of the last seat.
    #[inline]
    pub fn largest(&self) -> Option<u32> {
        self.tree.first().map(|(place, _)| self.seats - 1 - place)
    }
}

#[cfg(test)]
mod tests {
    use backwater_kernel::Time;

    use super::*;
    use crate::scheduler::DATAGRAM;

    fn unit(rank: u64, came: u64) -> Packet {
        Packet {
            rank,
            came: Time(came),
            bytes: 1,
        }
    }

    #[test]
    fn the_largest_rank_then_the_last_that_came_then_the_last_seat_come_first() {
        let mut tails = Tails::new(11);
        assert_eq!(tails.largest(), None);
        for (seat, rank, came) in [(0, 0, 0), (10, 0, 0), (3, 7, 0), (9, 7, 0), (5, 6, 9)] {
            tails.set(seat, unit(rank, came));
        }
        tails.set(4, unit(7, 1));
        let mut order = [0; 6];
        for place in &mut order {
            *place = tails.largest().expect("a queue is not empty");
            tails.remove(*place);
        }
        assert_eq!(order, [4, 9, 3, 5, 10, 0]);
        assert_eq!(tails.largest(), None);
    }

    #[test]
    fn a_queue_moves_with_its_last_unit_and_datagrams_are_behind_all() {
        let mut tails = Tails::new(2);
        tails.set(0, unit(100, 0));
        tails.set(1, unit(50, 0));
        assert_eq!(tails.largest(), Some(0));
        tails.set(0, unit(20, 0));
        assert_eq!(tails.largest(), Some(1));
        tails.set(0, unit(DATAGRAM | 1, 0));
        assert_eq!(tails.largest(), Some(0));
    }
}
