//! The port of a discipline that sees its units: priority groups, each with a discipline of its
//! own. Group 0 is served first.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Rate, Time};

use super::tails::Tails;
use super::{Admitted, Choice, Discipline, Kind, Packet, Port, Seat};
use crate::spec::{ReserveSpec, SchedulerSpec};

/// What a queue is entitled to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    /// The rate its flow reserves here; 0 bps for a flow of datagrams.
    pub rate: Rate,
    /// Size of its units, the largest.
    pub unit_bytes: u32,
    /// Units between two checks; 0 is never.
    pub check_every: u32,
    /// Real time counts as so much earlier.
    pub offset: Duration,
    /// How long a unit may take here.
    pub deadline: Duration,
    /// What may come at once beyond the rate, as time at that rate, one unit not counted.
    pub tolerance: Duration,
    /// The channel its units come from; `u32::MAX` at the source.
    pub ingress: u32,
}

impl Share {
    /// Of a queue whose flow or class reserves this; `unreserved` is its rate if that is nothing.
    pub fn new(
        reserve: Option<ReserveSpec>,
        unreserved: Rate,
        unit_bytes: u32,
        ingress: u32,
    ) -> Share {
        let rate = reserve.map_or(unreserved, |reserve| reserve.rate);
        let unit = rate.tick(u64::from(unit_bytes));
        let burst = reserve.and_then(|reserve| reserve.burst_bytes);
        let burst = burst.map_or(unit, |bytes| rate.tick(bytes));
        Share {
            rate,
            unit_bytes,
            check_every: reserve
                .and_then(|reserve| reserve.interval)
                .map_or(0, |interval| units_of(rate, interval, unit_bytes)),
            offset: reserve.map_or(Duration::ZERO, |reserve| reserve.offset),
            deadline: reserve.and_then(|reserve| reserve.deadline).unwrap_or(unit),
            tolerance: Duration(burst.ps().saturating_sub(unit.ps())),
            ingress,
        }
    }
}

/// AIR: whole units that `rate` carries in `interval`, at least one.
fn units_of(rate: Rate, interval: Duration, unit_bytes: u32) -> u32 {
    let units = rate.bits_in(interval) / (8 * unit_bytes.max(1) as u128);
    units.clamp(1, u32::MAX as u128) as u32
}

/// Priority groups of a port.
pub(crate) struct Ranked {
    groups: Vec<Group>,
    /// Units that wait, all groups.
    waiting: u32,
    /// Size of a warning to a source that its flow runs too fast; `None` sends none.
    pub alarm_bytes: Option<u32>,
    /// Units of one queue may have falling ranks, and are then served by rank.
    pub reorders: bool,
    /// It is told of the ends of queues.
    pub tracks_tails: bool,
    /// What a unit counts for beyond its bytes: of frames, preamble and gap.
    pub overhead_bytes: u32,
}

struct Group {
    discipline: Kind,
    legs: Vec<u32>,
    /// The ends of its queues, at nodes that push units out.
    tails: Option<Tails>,
}

impl Ranked {
    /// `groups[g]` lists the legs of group `g` in the order of flows, each with its share; the
    /// channel carries `rate`. `tracks_tails` where units are pushed out by rank.
    pub fn new(
        spec: &SchedulerSpec,
        rate: Rate,
        groups: Vec<Vec<(u32, Share)>>,
        tracks_tails: bool,
    ) -> Ranked {
        let alarm_bytes = spec.alarm_bytes();
        let groups = groups.into_iter().map(|seats| (*spec, seats)).collect();
        Ranked {
            alarm_bytes,
            ..Ranked::of_groups(rate, groups, tracks_tails)
        }
    }

    /// The same with a discipline of its own for each group, without warnings.
    pub fn of_groups(
        rate: Rate,
        groups: Vec<(SchedulerSpec, Vec<(u32, Share)>)>,
        tracks_tails: bool,
    ) -> Ranked {
        let group = |(spec, seats): (SchedulerSpec, Vec<(u32, Share)>)| {
            let shares: Vec<Share> = seats.iter().map(|(_, share)| *share).collect();
            Group {
                discipline: Kind::new(&spec, rate, &shares),
                legs: seats.iter().map(|(leg, _)| *leg).collect(),
                tails: tracks_tails.then(|| Tails::new(seats.len())),
            }
        };
        let groups: Vec<Group> = groups.into_iter().map(group).collect();
        let reorders = |group: &Group| group.discipline.reorders();
        Ranked {
            reorders: groups.iter().any(reorders),
            tracks_tails,
            groups,
            waiting: 0,
            alarm_bytes: None,
            overhead_bytes: 0,
        }
    }

    /// No unit waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// A unit comes to the queue at `place`; `None` refuses it.
    #[inline]
    pub fn on_arrival(&mut self, port: &Port, place: Seat, bytes: u32) -> Option<Admitted> {
        if port.is_idle {
            for group in &mut self.groups {
                group.discipline.on_busy_period();
            }
        }
        let group = &mut self.groups[place.group()];
        let admitted = group.discipline.on_arrival(port, place.seat(), bytes)?;
        self.waiting += 1;
        Some(admitted)
    }

    /// `head` is first in the queue at `place` and may be chosen.
    #[inline]
    pub fn ready(&mut self, now: Time, place: Seat, head: Packet) {
        let group = &mut self.groups[place.group()];
        group.discipline.ready(now, place.seat(), head);
    }

    /// The queue at `place` may not be chosen.
    #[inline(never)]
    pub fn not_ready(&mut self, place: Seat) {
        let group = &mut self.groups[place.group()];
        group.discipline.not_ready(place.seat());
    }

    /// The leg to serve, or the instant to ask again.
    #[inline(never)]
    pub fn choose(&mut self, now: Time) -> Choice {
        let mut held = Choice::Nothing;
        for group in &mut self.groups {
            match group.discipline.choose(now) {
                Choice::Leg(seat) => return Choice::Leg(group.legs[seat as usize]),
                Choice::Wait(until) => {
                    held = match held {
                        Choice::Wait(other) => Choice::Wait(other.min(until)),
                        _ => Choice::Wait(until),
                    };
                }
                Choice::Nothing => {}
            }
        }
        held
    }

    /// A unit of the queue at `place` starts; `next` is first now and may be chosen.
    #[inline]
    pub fn on_start(&mut self, now: Time, place: Seat, unit: Packet, next: Option<Packet>) {
        self.waiting -= 1;
        let (group, seat) = (&mut self.groups[place.group()], place.seat());
        group.discipline.on_start(seat, unit);
        if let Some(head) = next {
            group.discipline.ready(now, seat, head);
        }
    }

    /// A unit that waited in some queue was pushed out, or dropped.
    pub fn on_removed(&mut self) {
        self.waiting -= 1;
    }

    /// The queue at `place` ends with this unit now: it came, or the one behind it was pushed out.
    pub fn on_tail(&mut self, place: Seat, last: Packet) {
        if let Some(tails) = &mut self.groups[place.group()].tails {
            tails.set(place.seat(), last);
        }
    }

    /// The queue at `place` is empty now: its last unit started or was pushed out.
    pub fn on_empty(&mut self, place: Seat) {
        if let Some(tails) = &mut self.groups[place.group()].tails {
            tails.remove(place.seat());
        }
    }

    /// The leg whose last unit would be served last of all that wait: in the group served last,
    /// the largest rank; of equal ones the last that came, then that of the later flow. `None` if
    /// nothing waits or ends are not tracked.
    pub fn largest_tail(&self) -> Option<u32> {
        let largest = |group: &Group| {
            let seat = group.tails.as_ref()?.largest()?;
            Some(group.legs[seat as usize])
        };
        self.groups.iter().rev().find_map(largest)
    }

    #[inline(never)]
    pub fn has_ready(&self) -> bool {
        let ready = |group: &Group| group.discipline.has_ready();
        self.groups.iter().any(ready)
    }

    /// May a ready queue be served at `now`, or are all of them held?
    pub fn may_start(&self, now: Time) -> bool {
        let may_start = |group: &Group| group.discipline.may_start(now);
        self.groups.iter().any(may_start)
    }
}

#[cfg(test)]
mod tests;
