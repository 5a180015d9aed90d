//! Deficit round robin (Shreedhar, Varghese 1995).

use super::{Candidate, Seat};

/// The active list of each priority group.
pub(crate) struct Groups {
    /// Bytes a round for each leg that reserves.
    quanta: Vec<(usize, u64)>,
    lists: Vec<(u8, Vec<Active>)>,
}

/// A leg that is ready.
struct Active {
    leg: usize,
    deficit: u64,
    /// It has got its quantum in this round.
    has_quantum: bool,
}

impl Groups {
    pub fn new(quantum_bytes: u32, seats: &[Seat]) -> Groups {
        let smallest = |group: u8| {
            let group = seats.iter().filter(|seat| seat.group == group);
            let rates = group.filter_map(|seat| Some(seat.reserve?.rate.0));
            u128::from(rates.min().unwrap_or(1).max(1))
        };
        let quantum = |seat: &Seat| {
            let smallest = smallest(seat.group);
            let rate = seat.reserve?.rate.0;
            let bytes = u128::from(quantum_bytes) * u128::from(rate) / smallest;
            Some((seat.leg, bytes.max(1) as u64))
        };
        Groups::of_quanta(seats.iter().filter_map(quantum).collect(), seats)
    }

    /// With these bytes a round.
    pub fn of_quanta(quanta: Vec<(usize, u64)>, seats: &[Seat]) -> Groups {
        let mut lists: Vec<(u8, Vec<Active>)> = Vec::new();
        for seat in seats {
            if !lists.iter().any(|(group, _)| *group == seat.group) {
                lists.push((seat.group, Vec::new()));
            }
        }
        Groups { quanta, lists }
    }

    fn quantum(&self, leg: usize) -> Option<u64> {
        let known = self.quanta.iter().find(|(known, _)| *known == leg);
        known.map(|(_, bytes)| *bytes)
    }

    /// Legs that are not ready leave, those that have become ready join at the end.
    pub fn settle(&mut self, ready: &[Candidate]) {
        for (group, list) in &mut self.lists {
            let of_group = |leg: usize| {
                let mut all = ready.iter();
                all.any(|one| one.leg == leg && one.group == *group)
            };
            list.retain(|active| of_group(active.leg));
            for one in ready.iter().filter(|one| one.group == *group) {
                let reserves = self.quanta.iter().any(|(leg, _)| *leg == one.leg);
                if reserves && !list.iter().any(|active| active.leg == one.leg) {
                    list.push(Active {
                        leg: one.leg,
                        deficit: 0,
                        has_quantum: false,
                    });
                }
            }
        }
    }

    /// A leg leaves the list.
    pub fn forget(&mut self, leg: usize) {
        for (_, list) in &mut self.lists {
            list.retain(|active| active.leg != leg);
        }
    }

    /// The next leg that reserves, of one group.
    pub fn choose(&mut self, ready: &[Candidate]) -> Option<usize> {
        let group = ready.first()?.group;
        let place = self.lists.iter().position(|(known, _)| *known == group)?;
        loop {
            let front = self.lists[place].1.first()?.leg;
            let quantum = self.quantum(front)?;
            let bytes = ready.iter().find(|one| one.leg == front)?.bytes;
            let list = &mut self.lists[place].1;
            if !list[0].has_quantum {
                list[0].has_quantum = true;
                list[0].deficit += quantum;
            }
            if bytes <= list[0].deficit {
                list[0].deficit -= bytes;
                return Some(front);
            }
            let mut last = list.remove(0);
            last.has_quantum = false;
            list.push(last);
        }
    }
}
