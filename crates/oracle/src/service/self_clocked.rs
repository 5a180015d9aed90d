//! Fair queueing by the tag of the unit in service: Golestani's SCFQ (INFOCOM 1994), by finish
//! tags; Goyal, Vin and Cheng's SFQ (SIGCOMM 1996), by start tags.
//!
//! Every tag given in a busy period is kept, and looked through.

use super::{Arrival, Candidate, Ratio, Seat, Wire};

/// Which of a unit's two tags it is served by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum By {
    /// SCFQ.
    Finish,
    /// SFQ.
    Start,
}

/// What the port has tagged.
pub(crate) struct Tags {
    by: By,
    given: Vec<Given>,
    /// v of each priority group.
    clocks: Vec<(u8, i128)>,
}

/// Tags of a unit.
struct Given {
    group: u8,
    leg: usize,
    finish: i128,
}

impl Tags {
    pub fn new(by: By, seats: &[Seat]) -> Tags {
        let mut groups: Vec<u8> = seats.iter().map(|seat| seat.group).collect();
        groups.sort_unstable();
        groups.dedup();
        Tags {
            by,
            given: Vec::new(),
            clocks: groups.iter().map(|group| (*group, 0)).collect(),
        }
    }

    /// A unit, also one without a reservation, comes: if the port has nothing to do, a busy
    /// period begins.
    pub fn note_arrival(&mut self, arrival: &Arrival) {
        if !arrival.port_is_empty || !matches!(arrival.wire, Wire::Free) {
            return;
        }
        match self.by {
            // All begins again.
            By::Finish => {
                self.given.clear();
                self.clocks.iter_mut().for_each(|(_, clock)| *clock = 0);
            }
            // v goes on from the largest finish there was.
            By::Start => {
                for (group, clock) in &mut self.clocks {
                    let of_group = self.given.iter().filter(|given| given.group == *group);
                    let largest = of_group.map(|given| given.finish).max();
                    *clock = largest.unwrap_or(0);
                }
            }
        }
    }

    /// The tag by which a unit with a reservation is served.
    pub fn tag(&mut self, seat: &Seat, arrival: Arrival) -> Ratio {
        let of_leg = self.given.iter().filter(|given| given.leg == seat.leg);
        let before = of_leg.map(|given| given.finish).max().unwrap_or(0);
        let start = before.max(self.clock(seat.group));
        let finish = start + seat.tick(arrival.bytes);
        let (group, leg) = (seat.group, seat.leg);
        self.given.push(Given { group, leg, finish });
        Ratio::whole(match self.by {
            By::Finish => finish,
            By::Start => start,
        })
    }

    fn clock(&self, group: u8) -> i128 {
        let mut clocks = self.clocks.iter();
        clocks
            .find(|(known, _)| *known == group)
            .map_or(0, |(_, clock)| *clock)
    }

    /// This unit is in service from now on.
    pub fn serve(&mut self, unit: &Candidate) {
        let Some(rank) = unit.rank else { return };
        let mut clocks = self.clocks.iter_mut();
        if let Some((_, clock)) = clocks.find(|(group, _)| *group == unit.group) {
            *clock = rank.floor();
        }
    }
}
