//! Weighted fair queueing: GPS, the fluid system, is simulated beside the port, and units go in
//! the order in which it would finish them.
//!
//! V grows at C / (reserved rates of the flows that GPS has something of). V, F and the instants
//! at which GPS finishes flows are exact fractions ([`Ratio`]). An engine that rounds V down to
//! the picosecond at each change is equal as long as all of them are whole; where not, ranks that
//! are nearly equal may go either way. [`Groups::close_call`] says from when on.

use backwater_kernel::{Rate, Time};

use super::{Arrival, Candidate, Ratio, Seat, Wire};

/// Ranks closer than this may go either way once a number was not whole, in ps.
const CLOSE_PS: i128 = 2_000;

/// GPS for each priority group.
pub(crate) struct Groups {
    rate: Rate,
    systems: Vec<(u8, Gps)>,
    /// The first instant at which rounding may have decided something.
    pub close_call: Option<Time>,
}

/// The fluid system.
struct Gps {
    /// C.
    rate: Rate,
    /// V.
    clock: Ratio,
    /// When V was so.
    at: Ratio,
    /// F of the last unit of each leg since GPS was empty.
    finishes: Vec<Finish>,
    /// All numbers were whole since it was empty.
    is_exact: bool,
    /// GPS ran empty at nearly the instant of an arrival.
    is_close: bool,
}

struct Finish {
    leg: usize,
    rate: u64,
    at: Ratio,
}

impl Groups {
    pub fn new(rate: Rate) -> Groups {
        Groups {
            rate,
            systems: Vec::new(),
            close_call: None,
        }
    }

    fn system(&mut self, group: u8) -> &mut Gps {
        if !self.systems.iter().any(|(known, _)| *known == group) {
            let empty = Gps {
                rate: self.rate,
                clock: Ratio::ZERO,
                at: Ratio::ZERO,
                finishes: Vec::new(),
                is_exact: true,
                is_close: false,
            };
            self.systems.push((group, empty));
        }
        let mut systems = self.systems.iter_mut();
        let found = systems.find(|(known, _)| *known == group);
        &mut found.expect("it is there now").1
    }

    /// F of a unit that arrives.
    pub fn finish(&mut self, seat: &Seat, arrival: Arrival) -> Ratio {
        let gps = self.system(seat.group);
        let is_idle = arrival.port_is_empty && matches!(arrival.wire, Wire::Free);
        gps.advance(Ratio::time(arrival.now), is_idle);
        let finish = gps.take(seat, arrival.bytes);
        if gps.is_close {
            self.close_call.get_or_insert(arrival.now);
        }
        finish
    }

    /// Is a choice among these so close that rounding may decide it?
    pub fn watch_ties(&mut self, group: &[Candidate], now: Time) {
        let Some(first) = group.iter().filter_map(|one| one.rank).min() else {
            return;
        };
        let near = |rank: &Ratio| rank.distance(first) < Ratio::whole(CLOSE_PS);
        let contenders = group.iter().filter_map(|one| one.rank).filter(near);
        if contenders.count() > 1 && !self.system(group[0].group).is_exact {
            self.close_call.get_or_insert(now);
        }
    }
}

impl Gps {
    /// Serves what it has until `now`. When it has nothing V stands still, and starts anew once
    /// the port is idle too.
    fn advance(&mut self, now: Ratio, is_idle: bool) {
        loop {
            let clock = self.clock;
            let backlogged = || self.finishes.iter().filter(|one| one.at > clock);
            let Some(first) = backlogged().map(|one| one.at).min() else {
                let busy_before = !self.finishes.is_empty();
                self.note_end(busy_before, self.at, now);
                self.at = now;
                if is_idle {
                    self.finishes.clear();
                    self.is_exact = true;
                    self.clock = Ratio::ZERO;
                }
                return;
            };
            let shared: u64 = backlogged().map(|one| one.rate).sum();
            let lasts = first.minus(clock).times(shared, self.rate.0);
            let end = self.at.plus(lasts);
            if end > now {
                let last = backlogged().map(|one| one.at).max() == Some(first);
                self.note_end(last, end, now);
                let passed = now.minus(self.at);
                self.clock = clock.plus(passed.times(self.rate.0, shared));
                self.at = now;
                self.is_exact &= self.clock.is_whole();
                return;
            }
            self.clock = first;
            self.at = end;
            self.is_exact &= end.is_whole();
        }
    }

    /// A busy period ends at `end`: so near to an arrival that rounding may move it past?
    fn note_end(&mut self, ends: bool, end: Ratio, now: Ratio) {
        let near = end.distance(now) < Ratio::whole(CLOSE_PS);
        self.is_close |= ends && near && !self.is_exact;
    }

    fn take(&mut self, seat: &Seat, bytes: u64) -> Ratio {
        let known = self.finishes.iter().find(|one| one.leg == seat.leg);
        let before = known.map_or(Ratio::ZERO, |one| one.at);
        let at = self.clock.max(before).plus(Ratio::whole(seat.tick(bytes)));
        self.finishes.retain(|one| one.leg != seat.leg);
        self.finishes.push(Finish {
            leg: seat.leg,
            rate: seat.reserve.map_or(1, |reserve| reserve.rate.0),
            at,
        });
        at
    }
}
