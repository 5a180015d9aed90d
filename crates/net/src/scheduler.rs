//! Which unit leaves the port next? One file a discipline.
//! A line here may touch what its port is told: seats, ranks, sizes; `service` alone the run.
//! The next is a file, its line in `disciplines!` and its arm; CONTRIBUTING.md has an example.
//!
//! A scheduler knows queues (legs) by their seat and is told which are *ready*: they hold a unit
//! and flow control lets it cross. Round robin needs to know no more. The other disciplines
//! ([`Discipline`]) also see each unit come, and may give it a *rank*, such as a time stamp.
//!
//! Units of equal rank go in the order in which they came, those of one instant in the order of
//! seats, which is the order of flows in the scenario; so the order of events within one instant
//! decides nothing, and that of the scenario only what came at once.

mod ats;
pub mod bench;
mod drr;
mod edf;
mod fifo;
mod line;
mod pace;
mod ranked;
mod round_robin;
mod scfq;
mod seats;
mod service;
mod sfq;
mod stamp_tree;
mod stamped;
mod tails;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod trial;
mod virtual_clock;
mod wf2q_plus;
mod wfq;

pub(crate) use line::Line;
pub(crate) use ranked::{Ranked, Share};
pub(crate) use round_robin::{RoundRobin, Seat};

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::{Duration, Rate, Time};

use crate::spec::SchedulerSpec;
use ats::Ats;
use drr::Drr;
use edf::Edf;
use fifo::Fifo;
use scfq::Scfq;
use sfq::Sfq;
use stamped::Stamped;
use virtual_clock::VirtualClock;
use wf2q_plus::Wf2qPlus;
use wfq::Wfq;

/// The scheduler of one port.
pub(crate) enum Scheduler {
    /// Strict priority between groups, round robin inside.
    RoundRobin(RoundRobin),
    /// In order of arrival, without flow control.
    Line(Line),
    /// Any other.
    Ranked(Box<Ranked>),
}

/// What a port does now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Choice {
    /// It serves this leg.
    Leg(u32),
    /// Units wait, but none may leave before this instant.
    Wait(Time),
    /// Nothing is ready.
    Nothing,
}

/// What a discipline knows of its port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Port {
    pub now: Time,
    /// Nothing is in transmission.
    pub wire_is_free: bool,
    /// The wire is free, and no unit waits. (Units of one instant come in the order of channels,
    /// then of sources: the second finds the first waiting.)
    pub is_idle: bool,
    /// Rank of the data unit in transmission.
    pub in_service: Option<u64>,
}

/// What a discipline knows of a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// As `on_arrival` gave it.
    pub rank: u64,
    /// When it joined its queue.
    pub came: Time,
    pub bytes: u32,
}

/// What units leave by: rank, then arrival.
type Turn = u128;

/// The turn of a unit of this rank that came then.
#[inline]
fn turn(rank: u64, came: Time) -> Turn {
    Turn::from(rank) << 64 | Turn::from(came.ps())
}

/// The rank in a turn.
#[inline]
fn rank_of(turn: Turn) -> u64 {
    (turn >> 64) as u64
}

impl Packet {
    #[inline]
    fn turn(&self) -> Turn {
        turn(self.rank, self.came)
    }
}

/// A unit may join its queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admitted {
    pub rank: u64,
    /// The flow was checked at this unit.
    pub check: Option<Check>,
}

/// The meter of a flow against real time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Check {
    /// How far it is ahead of real time; negative if behind.
    pub ahead_ps: i64,
    pub threshold: Duration,
}

/// Ranks of units without a reservation start here: behind all stamps.
const DATAGRAM: u64 = 1 << 63;
/// Stamps end here; what would be later counts as this.
const LAST_STAMP: u64 = DATAGRAM - 1;

impl Admitted {
    /// With this rank, and no check.
    fn ranked(rank: u64) -> Option<Admitted> {
        Some(Admitted { rank, check: None })
    }

    /// Behind all units with a reservation, in order of arrival.
    fn datagram(now: Time) -> Option<Admitted> {
        Admitted::ranked(DATAGRAM | now.ps())
    }
}

/// A discipline among the queues of one priority group of one port.
///
/// Calls come in this order: `on_busy_period` if the port was idle; `on_arrival` for each unit;
/// `ready` when the first unit of a queue may be chosen, and again whenever another unit is first;
/// `not_ready` when it may not any more; `choose`, then `on_start` for the unit that was chosen,
/// followed by `ready` or `not_ready`.
trait Discipline {
    /// The port was idle; a unit comes, to this group or another.
    fn on_busy_period(&mut self) {}
    /// A unit comes; `None` refuses it.
    fn on_arrival(&mut self, port: &Port, seat: u32, bytes: u32) -> Option<Admitted>;
    /// `head` is the first unit of the queue at `seat` and may be chosen.
    fn ready(&mut self, now: Time, seat: u32, head: Packet);
    /// The queue at `seat` may not be chosen; it need not have been ready.
    fn not_ready(&mut self, seat: u32);
    /// The seat to serve now, in a [`Choice`] (which then stands for a seat, not a leg).
    fn choose(&mut self, now: Time) -> Choice;
    /// A unit of the queue at `seat` starts.
    fn on_start(&mut self, seat: u32, unit: Packet);
    /// Is any queue ready?
    fn has_ready(&self) -> bool;
    /// May a ready queue be served at `now`, or are all of them held?
    fn may_start(&self, _now: Time) -> bool {
        self.has_ready()
    }
    /// Units of one queue may have falling ranks, and are then served by rank.
    fn reorders(&self) -> bool {
        false
    }
}

impl Scheduler {
    /// That of a port without legs.
    pub fn none() -> Scheduler {
        Scheduler::RoundRobin(RoundRobin::new(Vec::new()))
    }

    /// The queue at `place` may not be chosen.
    #[inline(always)]
    pub fn not_ready(&mut self, place: Seat) {
        match self {
            Scheduler::RoundRobin(scheduler) => scheduler.not_ready(place),
            // Who starts has left the line.
            Scheduler::Line(_) => {}
            Scheduler::Ranked(scheduler) => scheduler.not_ready(place),
        }
    }

    /// Is any queue ready?
    #[inline(always)]
    pub fn has_ready(&self) -> bool {
        match self {
            Scheduler::RoundRobin(scheduler) => scheduler.has_ready(),
            Scheduler::Line(line) => !line.is_empty(),
            Scheduler::Ranked(scheduler) => scheduler.has_ready(),
        }
    }

    /// May a ready queue be served at `now`, or are all of them held?
    pub fn may_start(&self, now: Time) -> bool {
        match self {
            Scheduler::RoundRobin(scheduler) => scheduler.has_ready(),
            Scheduler::Line(line) => !line.is_empty(),
            Scheduler::Ranked(scheduler) => scheduler.may_start(now),
        }
    }
}

/// An enum of disciplines that is a discipline: it hands every call on to the one it holds.
macro_rules! disciplines {
    ($($name:ident($state:ty),)*) => {
        /// Any discipline that sees units come.
        enum Kind { $($name($state),)* }

        disciplines! { @calls [$($name)*]
            on_busy_period(&mut self) -> ();
            on_arrival(&mut self, port: &Port, seat: u32, bytes: u32) -> Option<Admitted>;
            ready(&mut self, now: Time, seat: u32, head: Packet) -> ();
            not_ready(&mut self, seat: u32) -> ();
            choose(&mut self, now: Time) -> Choice;
            on_start(&mut self, seat: u32, unit: Packet) -> ();
            has_ready(&self) -> bool;
            may_start(&self, now: Time) -> bool;
            reorders(&self) -> bool;
        }
    };
    (@calls $names:tt $($call:ident($($by:tt)*) -> $out:ty;)*) => {
        impl Discipline for Kind {
            $(disciplines! { @call $names $call($($by)*) -> $out })*
        }
    };
    (@call $names:tt $call:ident(&mut $this:ident $(, $arg:ident: $type:ty)*) -> $out:ty) => {
        #[inline(always)]
        fn $call(&mut $this $(, $arg: $type)*) -> $out {
            disciplines!(@of $this $names $call($($arg),*))
        }
    };
    (@call $names:tt $call:ident(&$this:ident $(, $arg:ident: $type:ty)*) -> $out:ty) => {
        #[inline(always)]
        fn $call(&$this $(, $arg: $type)*) -> $out {
            disciplines!(@of $this $names $call($($arg),*))
        }
    };
    (@of $this:ident [$($name:ident)*] $call:ident $args:tt) => {
        match $this { $(Kind::$name(it) => it.$call $args,)* }
    };
}

disciplines! {
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

impl Kind {
    /// For a port of `rate` among whose queues these are of one group.
    fn new(spec: &SchedulerSpec, rate: Rate, shares: &[Share]) -> Kind {
        let seats = shares.len();
        match spec {
            // Strict priority is first in, first out in each group. Round robin sees no units come
            // and has a port of its own.
            SchedulerSpec::Fifo | SchedulerSpec::StrictPriority | SchedulerSpec::RoundRobin => {
                Kind::Fifo(Stamped::new(Fifo, seats))
            }
            SchedulerSpec::VirtualClock(spec) => {
                Kind::VirtualClock(Stamped::new(VirtualClock::new(spec, shares), seats))
            }
            SchedulerSpec::Edf => Kind::Edf(Stamped::new(Edf::new(shares), seats)),
            SchedulerSpec::Ats { max_residence } => Kind::Ats(Ats::new(*max_residence, shares)),
            SchedulerSpec::Wfq => Kind::Wfq(Stamped::new(Wfq::new(rate, shares), seats)),
            SchedulerSpec::Wf2qPlus => Kind::Wf2qPlus(Wf2qPlus::new(shares)),
            SchedulerSpec::Scfq => Kind::Scfq(Stamped::new(Scfq::new(shares), seats)),
            SchedulerSpec::Sfq => Kind::Sfq(Stamped::new(Sfq::new(shares), seats)),
            SchedulerSpec::Drr { quantum_bytes } => Kind::Drr(Drr::new(*quantum_bytes, shares)),
        }
    }
}
