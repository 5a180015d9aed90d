//! Strict priority between groups, round robin inside a group (Kung 1993, section 5: "within
//! each group, VCs that have both cells and credit are serviced in round-robin").
//!
//! The order of turns is the order of flows in the scenario: after a queue, the next ready one
//! in cyclic order is served. What became ready first does not matter, so the order of events
//! inside one instant can't decide.

use alloc::vec::Vec;

use backwater_kernel::BitSet;

/// Where a queue stands in its port: priority group (8 bits) and seat (24 bits).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Seat(u32);

impl Seat {
    /// Most queues of one group in one port.
    pub const SEATS: u32 = 1 << 24;

    pub fn new(group: u32, seat: u32) -> Seat {
        debug_assert!(group < 256 && seat < Seat::SEATS);
        Seat(group << 24 | seat)
    }

    #[inline]
    pub fn group(self) -> usize {
        (self.0 >> 24) as usize
    }

    #[inline]
    pub fn seat(self) -> u32 {
        self.0 & (Seat::SEATS - 1)
    }
}

/// Priority groups with round robin inside.
pub(crate) struct RoundRobin {
    /// Group 0: most ports have no other.
    first: Group,
    others: Vec<Group>,
}

struct Group {
    ready: Seats,
    /// Seat after the one served last.
    turn: u32,
    legs: Vec<u32>,
}

/// Ready seats. Most ports have few: then one word is all there is to look at.
enum Seats {
    Few(u64),
    Many(BitSet),
}

impl Seats {
    fn new(count: usize) -> Seats {
        if count <= 64 {
            Seats::Few(0)
        } else {
            Seats::Many(BitSet::new(count))
        }
    }

    #[inline]
    fn insert(&mut self, seat: u32) {
        match self {
            Seats::Few(word) => *word |= 1 << seat,
            Seats::Many(set) => set.insert(seat as usize),
        }
    }

    #[inline]
    fn remove(&mut self, seat: u32) {
        match self {
            Seats::Few(word) => *word &= !(1 << seat),
            Seats::Many(set) => set.remove(seat as usize),
        }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        match self {
            Seats::Few(word) => *word == 0,
            Seats::Many(set) => set.is_empty(),
        }
    }

    /// The first ready seat from `turn` on, round about.
    #[inline]
    fn next(&self, turn: u32) -> Option<u32> {
        match self {
            Seats::Few(word) => {
                let later = word & u64::MAX.checked_shl(turn).unwrap_or(0);
                let among = if later != 0 { later } else { *word };
                (among != 0).then(|| among.trailing_zeros())
            }
            Seats::Many(set) => set.next_cyclic(turn as usize).map(|seat| seat as u32),
        }
    }
}

impl RoundRobin {
    /// `groups[g]` lists the legs of group `g` in their order of turns; group 0 is served first.
    pub fn new(groups: Vec<Vec<u32>>) -> RoundRobin {
        let group = |legs: Vec<u32>| Group {
            ready: Seats::new(legs.len()),
            turn: 0,
            legs,
        };
        let mut groups = groups.into_iter().map(group);
        RoundRobin {
            first: groups.next().unwrap_or_else(|| group(Vec::new())),
            others: groups.collect(),
        }
    }

    #[inline]
    fn group(&mut self, place: Seat) -> &mut Group {
        match place.group() {
            0 => &mut self.first,
            group => &mut self.others[group - 1],
        }
    }

    #[inline]
    pub fn ready(&mut self, place: Seat) {
        self.group(place).ready.insert(place.seat());
    }

    #[inline(always)]
    pub fn not_ready(&mut self, place: Seat) {
        self.group(place).ready.remove(place.seat());
    }

    #[inline(always)]
    pub fn has_ready(&self) -> bool {
        !self.first.ready.is_empty() || self.others.iter().any(|group| !group.ready.is_empty())
    }

    #[inline]
    pub fn choose(&mut self) -> Option<u32> {
        // Most ports have one group with few seats; that much is worth having in line.
        let first = &mut self.first;
        if let Seats::Few(ready) = first.ready
            && ready != 0
        {
            let later = ready & (u64::MAX << (first.turn & 63));
            let among = if first.turn < 64 && later != 0 {
                later
            } else {
                ready
            };
            let seat = among.trailing_zeros();
            first.turn = seat + 1;
            return first.legs.get(seat as usize).copied();
        }
        self.choose_among_groups()
    }

    #[inline(never)]
    fn choose_among_groups(&mut self) -> Option<u32> {
        for group in core::iter::once(&mut self.first).chain(&mut self.others) {
            if let Some(seat) = group.ready.next(group.turn) {
                group.turn = seat + 1;
                return Some(group.legs[seat as usize]);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn serve(scheduler: &mut RoundRobin, times: usize) -> Vec<u32> {
        (0..times).filter_map(|_| scheduler.choose()).collect()
    }

    #[test]
    fn turns_go_round_over_ready_queues_only() {
        let mut scheduler = RoundRobin::new(vec![vec![10, 11, 12, 13]]);
        for seat in [3, 0, 2] {
            scheduler.ready(Seat::new(0, seat));
        }
        assert_eq!(serve(&mut scheduler, 5), [10, 12, 13, 10, 12]);
        scheduler.not_ready(Seat::new(0, 3));
        assert_eq!(serve(&mut scheduler, 3), [10, 12, 10]);
    }

    #[test]
    fn few_and_many_seats_take_the_same_turns() {
        for count in [3usize, 64, 65, 200] {
            let mut scheduler = RoundRobin::new(vec![(0..count as u32).collect()]);
            for seat in 0..count as u32 {
                scheduler.ready(Seat::new(0, seat));
            }
            let twice: Vec<u32> = (0..count as u32).chain(0..count as u32).collect();
            assert_eq!(serve(&mut scheduler, 2 * count), twice);
        }
    }

    #[test]
    fn an_earlier_group_starves_a_later_one() {
        let mut scheduler = RoundRobin::new(vec![vec![1], vec![2]]);
        scheduler.ready(Seat::new(1, 0));
        assert_eq!(serve(&mut scheduler, 2), [2, 2]);
        scheduler.ready(Seat::new(0, 0));
        assert_eq!(serve(&mut scheduler, 2), [1, 1]);
        scheduler.not_ready(Seat::new(0, 0));
        scheduler.not_ready(Seat::new(1, 0));
        assert!(!scheduler.has_ready());
        assert_eq!(scheduler.choose(), None);
    }
}
