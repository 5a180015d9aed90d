//! The last units of queues by rank, for nodes that push out the unit they would serve last.

use super::stamp_tree::StampTree;

/// Largest rank there can be: the tree's keys end below `u64::MAX`.
const LAST_RANK: u64 = u64::MAX - 1;

/// The rank at the end of each queue of a group. Ranks of a queue do not fall, so no unit of the
/// group has a larger one than the largest of these.
pub(super) struct Tails {
    /// Ranks and seats upside down: the least key is the largest rank, and of equal ones the
    /// lowest place is the last seat.
    tree: StampTree,
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

    /// The last unit of the queue at `seat` has this rank.
    #[inline]
    pub fn set(&mut self, seat: u32, rank: u64) {
        self.tree.insert(self.seats - 1 - seat, LAST_RANK - rank);
    }

    /// The queue at `seat` is empty.
    #[inline]
    pub fn remove(&mut self, seat: u32) {
        self.tree.remove(self.seats - 1 - seat);
    }

    /// The queue that ends with the largest rank; of equal ones that of the last seat.
    #[inline]
    pub fn largest(&self) -> Option<u32> {
        self.tree.first().map(|(place, _)| self.seats - 1 - place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::DATAGRAM;

    #[test]
    fn the_largest_rank_and_the_last_seat_come_first() {
        let mut tails = Tails::new(11);
        assert_eq!(tails.largest(), None);
        for (seat, rank) in [(0, 0), (10, 0), (3, 7), (9, 7), (5, 6)] {
            tails.set(seat, rank);
        }
        let mut order = [0; 5];
        for place in &mut order {
            *place = tails.largest().expect("a queue is not empty");
            tails.remove(*place);
        }
        assert_eq!(order, [9, 3, 5, 10, 0]);
        assert_eq!(tails.largest(), None);
    }

    #[test]
    fn a_queue_moves_with_its_last_unit_and_datagrams_are_behind_all() {
        let mut tails = Tails::new(2);
        tails.set(0, 100);
        tails.set(1, 50);
        assert_eq!(tails.largest(), Some(0));
        tails.set(0, 20);
        assert_eq!(tails.largest(), Some(1));
        tails.set(0, DATAGRAM | 1);
        assert_eq!(tails.largest(), Some(0));
    }
}
