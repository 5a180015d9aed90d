//! The port of a discipline that sees its units: priority groups, each with a discipline of its
//! own. Group 0 is served first.

use alloc::vec::Vec;

use kernel::{Duration, Rate, Time};

use super::fifo::Fifo;
use super::stamped::Stamped;
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
    /// When the first of them came.
    waiting_since: Time,
}

struct Group {
    discipline: Kind,
    legs: Vec<u32>,
}

enum Kind {
    Fifo(Stamped<Fifo>),
}

/// Calls `$hook` of whatever discipline it is.
macro_rules! of {
    ($kind:expr, $discipline:ident => $call:expr) => {
        match $kind {
            Kind::Fifo($discipline) => $call,
        }
    };
}

impl Kind {
    fn new(spec: &SchedulerSpec, _rate: Rate, shares: &[Share]) -> Kind {
        let seats = shares.len();
        match spec {
            _ => Kind::Fifo(Stamped::new(Fifo, seats)),
        }
    }
}

impl Ranked {
    /// `groups[g]` lists the legs of group `g` in the order of flows, each with its share; the
    /// channel carries `rate`.
    pub fn new(spec: &SchedulerSpec, rate: Rate, groups: Vec<Vec<(u32, Share)>>) -> Ranked {
        let group = |seats: Vec<(u32, Share)>| {
            let shares: Vec<Share> = seats.iter().map(|(_, share)| *share).collect();
            Group {
                discipline: Kind::new(spec, rate, &shares),
                legs: seats.iter().map(|(leg, _)| *leg).collect(),
            }
        };
        Ranked {
            groups: groups.into_iter().map(group).collect(),
            waiting: 0,
            waiting_since: Time::ZERO,
        }
    }

    /// No unit waits that came before `now`.
    #[inline]
    pub fn is_empty_before(&self, now: Time) -> bool {
        self.waiting == 0 || self.waiting_since == now
    }

    /// A unit comes to the queue at `place`; `None` refuses it.
    #[inline]
    pub fn on_arrival(&mut self, port: &Port, place: Place, bytes: u32) -> Option<Admitted> {
        let group = &mut self.groups[place.group()];
        let admitted = of!(&mut group.discipline, d => d.on_arrival(port, place.seat(), bytes))?;
        if self.waiting == 0 {
            self.waiting_since = port.now;
        }
        self.waiting += 1;
        Some(admitted)
    }

    /// `head` is first in the queue at `place` and may be chosen.
    #[inline]
    pub fn ready(&mut self, port: &Port, place: Place, head: Packet) {
        let group = &mut self.groups[place.group()];
        of!(&mut group.discipline, d => d.ready(port, place.seat(), head));
    }

    /// The queue at `place` may not be chosen.
    #[inline]
    pub fn not_ready(&mut self, place: Place) {
        let group = &mut self.groups[place.group()];
        of!(&mut group.discipline, d => d.not_ready(place.seat()));
    }

    /// The leg to serve, or the instant to ask again.
    #[inline]
    pub fn choose(&mut self, port: &Port) -> Choice {
        let mut held = Choice::Nothing;
        for group in &mut self.groups {
            match of!(&mut group.discipline, d => d.choose(port)) {
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

    /// A unit of the queue at `place` starts.
    #[inline]
    pub fn on_start(&mut self, port: &Port, place: Place, unit: Packet) {
        self.waiting -= 1;
        let group = &mut self.groups[place.group()];
        of!(&mut group.discipline, d => d.on_start(port, place.seat(), unit));
    }

    /// A unit that waited in some queue was pushed out.
    pub fn on_removed(&mut self) {
        self.waiting -= 1;
    }

    #[inline]
    pub fn has_ready(&self) -> bool {
        let ready = |group: &Group| of!(&group.discipline, d => d.has_ready());
        self.groups.iter().any(ready)
    }

    /// Units of one queue may have falling ranks, and are then served by rank.
    #[inline]
    pub fn reorders(&self) -> bool {
        let reorders = |group: &Group| of!(&group.discipline, d => d.reorders());
        self.groups.first().is_some_and(reorders)
    }
}
