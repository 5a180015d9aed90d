//! Strict priority between groups, round robin inside a group (Kung 1993, section 5: "within
//! each group, VCs that have both cells and credit are serviced in round-robin").
//!
//! The order of turns is the order of flows in the scenario: after a queue, the next ready one
//! in cyclic order is served. What became ready first does not matter, so the order of events
//! inside one instant can't decide.

use alloc::vec::Vec;

use kernel::BitSet;

/// Where a queue stands in its port: priority group and seat.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub group: u32,
    pub seat: u32,
}

/// Priority groups with round robin inside.
pub(crate) struct RoundRobin {
    groups: Vec<Group>,
}

struct Group {
    ready: BitSet,
    /// Seat after the one served last.
    turn: u32,
    legs: Vec<u32>,
}

impl RoundRobin {
    /// `groups[g]` lists the legs of group `g` in their order of turns; group 0 is served first.
    pub fn new(groups: Vec<Vec<u32>>) -> RoundRobin {
        let groups = groups
            .into_iter()
            .map(|legs| Group {
                ready: BitSet::new(legs.len()),
                turn: 0,
                legs,
            })
            .collect();
        RoundRobin { groups }
    }

    #[inline]
    pub fn ready(&mut self, place: Place) {
        self.groups[place.group as usize]
            .ready
            .insert(place.seat as usize);
    }

    #[inline]
    pub fn not_ready(&mut self, place: Place) {
        self.groups[place.group as usize]
            .ready
            .remove(place.seat as usize);
    }

    #[inline]
    pub fn has_ready(&self) -> bool {
        self.groups.iter().any(|group| !group.ready.is_empty())
    }

    #[inline]
    pub fn choose(&mut self) -> Option<u32> {
        for group in &mut self.groups {
            if let Some(seat) = group.ready.next_cyclic(group.turn as usize) {
                group.turn = seat as u32 + 1;
                return Some(group.legs[seat]);
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
            scheduler.ready(Place { group: 0, seat });
        }
        assert_eq!(serve(&mut scheduler, 5), [10, 12, 13, 10, 12]);
        scheduler.not_ready(Place { group: 0, seat: 3 });
        assert_eq!(serve(&mut scheduler, 3), [10, 12, 10]);
    }

    #[test]
    fn an_earlier_group_starves_a_later_one() {
        let mut scheduler = RoundRobin::new(vec![vec![1], vec![2]]);
        scheduler.ready(Place { group: 1, seat: 0 });
        assert_eq!(serve(&mut scheduler, 2), [2, 2]);
        scheduler.ready(Place { group: 0, seat: 0 });
        assert_eq!(serve(&mut scheduler, 2), [1, 1]);
        scheduler.not_ready(Place { group: 0, seat: 0 });
        scheduler.not_ready(Place { group: 1, seat: 0 });
        assert!(!scheduler.has_ready());
        assert_eq!(scheduler.choose(), None);
    }
}
