//! The port of a discipline that sees its units: priority groups, each with a discipline of its
//! own. Group 0 is served first.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Rate, Time};

use super::ats::Ats;
use super::drr::Drr;
use super::edf::Edf;
use super::fifo::Fifo;
use super::scfq::Scfq;
use super::sfq::Sfq;
use super::stamped::Stamped;
use super::tails::Tails;
use super::virtual_clock::VirtualClock;
use super::wf2q_plus::Wf2qPlus;
use super::wfq::Wfq;
use super::{Admitted, Choice, Discipline, Packet, Place, Port};
use crate::spec::SchedulerSpec;

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
}

struct Group {
    discipline: Kind,
    legs: Vec<u32>,
    /// The ends of its queues, at nodes that push units out.
    tails: Option<Tails>,
}

enum Kind {
    Fifo(Stamped<Fifo>),
    VirtualClock(Stamped<VirtualClock>),
    Edf(Stamped<Edf>),
    Ats(Ats),
    Wfq(Stamped<Wfq>),
    Wf2qPlus(Wf2qPlus),
    Scfq(Stamped<Scfq>),
    Sfq(Stamped<Sfq>),
    Drr(Drr),
}

/// Calls `$hook` of whatever discipline it is.
macro_rules! of {
    ($kind:expr, $discipline:ident => $call:expr) => {
        match $kind {
            Kind::Fifo($discipline) => $call,
            Kind::VirtualClock($discipline) => $call,
            Kind::Edf($discipline) => $call,
            Kind::Ats($discipline) => $call,
            Kind::Wfq($discipline) => $call,
            Kind::Wf2qPlus($discipline) => $call,
            Kind::Scfq($discipline) => $call,
            Kind::Sfq($discipline) => $call,
            Kind::Drr($discipline) => $call,
        }
    };
}

impl Kind {
    fn new(spec: &SchedulerSpec, rate: Rate, shares: &[Share]) -> Kind {
        let seats = shares.len();
        match spec {
            SchedulerSpec::VirtualClock(spec) => {
                Kind::VirtualClock(Stamped::new(VirtualClock::new(spec, shares), seats))
            }
            SchedulerSpec::Edf => Kind::Edf(Stamped::new(Edf::new(shares), seats)),
            SchedulerSpec::Ats { max_residence } => Kind::Ats(Ats::new(*max_residence, shares)),
            // Strict priority is first in, first out in each group.
            SchedulerSpec::Wfq => Kind::Wfq(Stamped::new(Wfq::new(rate, shares), seats)),
            SchedulerSpec::Wf2qPlus => Kind::Wf2qPlus(Wf2qPlus::new(shares)),
            SchedulerSpec::Scfq => Kind::Scfq(Stamped::new(Scfq::new(shares), seats)),
            SchedulerSpec::Sfq => Kind::Sfq(Stamped::new(Sfq::new(shares), seats)),
            SchedulerSpec::Drr { quantum_bytes } => Kind::Drr(Drr::new(*quantum_bytes, shares)),
            _ => Kind::Fifo(Stamped::new(Fifo, seats)),
        }
    }
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
        let alarm_bytes = match spec {
            SchedulerSpec::VirtualClock(spec) => spec.alarm_bytes,
            _ => None,
        };
        let group = |seats: Vec<(u32, Share)>| {
            let shares: Vec<Share> = seats.iter().map(|(_, share)| *share).collect();
            Group {
                discipline: Kind::new(spec, rate, &shares),
                legs: seats.iter().map(|(leg, _)| *leg).collect(),
                tails: tracks_tails.then(|| Tails::new(seats.len())),
            }
        };
        let groups: Vec<Group> = groups.into_iter().map(group).collect();
        let reorders = |group: &Group| of!(&group.discipline, d => d.reorders());
        Ranked {
            reorders: groups.iter().any(reorders),
            tracks_tails,
            groups,
            waiting: 0,
            alarm_bytes,
        }
    }

    /// No unit waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// A unit comes to the queue at `place`; `None` refuses it.
    #[inline]
    pub fn on_arrival(&mut self, port: &Port, place: Place, bytes: u32) -> Option<Admitted> {
        if port.is_idle {
            for group in &mut self.groups {
                of!(&mut group.discipline, d => d.on_busy_period());
            }
        }
        let group = &mut self.groups[place.group()];
        let admitted = of!(&mut group.discipline, d => d.on_arrival(port, place.seat(), bytes))?;
        self.waiting += 1;
        Some(admitted)
    }

    /// `head` is first in the queue at `place` and may be chosen.
    #[inline]
    pub fn ready(&mut self, now: Time, place: Place, head: Packet) {
        let group = &mut self.groups[place.group()];
        of!(&mut group.discipline, d => d.ready(now, place.seat(), head));
    }

    /// The queue at `place` may not be chosen.
    #[inline(never)]
    pub fn not_ready(&mut self, place: Place) {
        let group = &mut self.groups[place.group()];
        of!(&mut group.discipline, d => d.not_ready(place.seat()));
    }

    /// The leg to serve, or the instant to ask again.
    #[inline(never)]
    pub fn choose(&mut self, now: Time) -> Choice {
        let mut held = Choice::Nothing;
        for group in &mut self.groups {
            match of!(&mut group.discipline, d => d.choose(now)) {
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
    pub fn on_start(&mut self, now: Time, place: Place, unit: Packet, next: Option<Packet>) {
        self.waiting -= 1;
        let (group, seat) = (&mut self.groups[place.group()], place.seat());
        of!(&mut group.discipline, d => {
            d.on_start(seat, unit);
            if let Some(head) = next {
                d.ready(now, seat, head);
            }
        });
    }

    /// A unit that waited in some queue was pushed out.
    pub fn on_removed(&mut self) {
        self.waiting -= 1;
    }

    /// The queue at `place` ends with this unit now: it came, or the one behind it was pushed out.
    pub fn on_tail(&mut self, place: Place, last: Packet) {
        if let Some(tails) = &mut self.groups[place.group()].tails {
            tails.set(place.seat(), last);
        }
    }

    /// The queue at `place` is empty now: its last unit started or was pushed out.
    pub fn on_empty(&mut self, place: Place) {
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
        let ready = |group: &Group| of!(&group.discipline, d => d.has_ready());
        self.groups.iter().any(ready)
    }

    /// May a ready queue be served at `now`, or are all of them held?
    pub fn may_start(&self, now: Time) -> bool {
        let may_start = |group: &Group| of!(&group.discipline, d => d.may_start(now));
        self.groups.iter().any(may_start)
    }
}

#[cfg(test)]
mod tests;
