//! WF2Q+ (Bennett, Zhang 1997): of the first units of flows whose start V has reached, the one
//! with the smallest finish goes.
//!
//! V and every start and finish are whole picoseconds; V moves with real time.

use backwater_kernel::Time;

use super::{Candidate, Seat};

/// The system of each priority group.
pub(crate) struct Systems {
    seats: Vec<Seat>,
    systems: Vec<System>,
}

struct System {
    group: u8,
    /// V.
    clock: i128,
    /// When V was so.
    at: Time,
    flows: Vec<Wf2qFlow>,
}

/// A leg that reserves.
struct Wf2qFlow {
    leg: usize,
    /// S and F of its first unit, while it is busy.
    first: Option<(i128, i128)>,
    /// F of the last unit that was sent.
    sent: i128,
    /// The unit with `first` has just gone.
    has_gone: bool,
}

impl Systems {
    pub fn new(seats: &[Seat]) -> Systems {
        let mut groups: Vec<u8> = seats.iter().map(|seat| seat.group).collect();
        groups.sort_unstable();
        groups.dedup();
        let system = |group: u8| {
            let of_group = seats.iter().filter(|seat| seat.group == group);
            let reserve = of_group.filter(|seat| seat.reserve.is_some());
            System {
                group,
                clock: 0,
                at: Time::ZERO,
                flows: reserve.map(|seat| Wf2qFlow::silent(seat.leg)).collect(),
            }
        };
        Systems {
            seats: seats.to_vec(),
            systems: groups.into_iter().map(system).collect(),
        }
    }

    /// These legs may send, and no others: units become first of their queues.
    pub fn settle(&mut self, ready: &[Candidate], now: Time) {
        let seats = &self.seats;
        for system in &mut self.systems {
            system.run_to(now);
            let clock = system.clock;
            for flow in &mut system.flows {
                let seat = seats.iter().find(|seat| seat.leg == flow.leg);
                let unit = ready.iter().find(|unit| unit.leg == flow.leg);
                flow.settle(seat.zip(unit), clock);
            }
        }
    }

    /// A leg is not busy any more, whatever comes in this instant.
    pub fn forget(&mut self, leg: usize) {
        let flows = self.systems.iter_mut().flat_map(|system| &mut system.flows);
        flows
            .filter(|flow| flow.leg == leg)
            .for_each(|flow| flow.first = None);
    }

    /// The leg that goes, of one group. Datagrams are left to others.
    pub fn choose(&mut self, ready: &[Candidate], now: Time) -> Option<usize> {
        let group = ready.first()?.group;
        let mut systems = self.systems.iter_mut();
        let system = systems.find(|system| system.group == group)?;
        system.run_to(now);
        let starts = system.flows.iter().filter_map(|flow| flow.first);
        if let Some(least) = starts.map(|(start, _)| start).min() {
            system.clock = system.clock.max(least);
        }
        let clock = system.clock;
        let arrived = |leg: usize| {
            let unit = ready.iter().find(|unit| unit.leg == leg);
            unit.map(|unit| unit.arrived)
        };
        let may_go = |flow: &&mut Wf2qFlow| flow.first.is_some_and(|(start, _)| start <= clock);
        let finish = |flow: &&mut Wf2qFlow| flow.first.map(|(_, finish)| finish);
        let candidates = system.flows.iter_mut().filter(may_go);
        let key = |flow: &&mut Wf2qFlow| (finish(flow), arrived(flow.leg), flow.leg);
        let flow = candidates.min_by_key(key)?;
        flow.has_gone = true;
        Some(flow.leg)
    }
}

impl System {
    /// V(t + tau) = V(t) + tau, as long as no start is beyond it.
    fn run_to(&mut self, now: Time) {
        self.clock += i128::from(now.ps()) - i128::from(self.at.ps());
        self.at = now;
    }
}

impl Wf2qFlow {
    fn silent(leg: usize) -> Wf2qFlow {
        Wf2qFlow {
            leg,
            first: None,
            sent: 0,
            has_gone: false,
        }
    }

    /// `unit` is first of the queue and may go; `None`: none is.
    fn settle(&mut self, unit: Option<(&Seat, &Candidate)>, clock: i128) {
        if let (true, Some((_, finish))) = (self.has_gone, self.first) {
            self.sent = finish;
        }
        let Some((seat, unit)) = unit else {
            (self.first, self.has_gone) = (None, false);
            return;
        };
        // Another unit may have become first in the place of one that has not gone.
        let start = match self.first {
            Some((start, _)) if !self.has_gone => start,
            Some(_) => self.sent,
            None => self.sent.max(clock),
        };
        self.first = Some((start, start + seat.tick(unit.bytes)));
        self.has_gone = false;
    }
}
