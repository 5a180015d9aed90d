//! One direction of a link: the sending port, the wire and what is on it.

use alloc::collections::VecDeque;

use kernel::stream::{Probability, Purpose, Stream};
use kernel::{Duration, Rate, Time};

use crate::probe::UnitKind;
use crate::scheduler::Scheduler;
use crate::spec::{ChannelSpec, ErrorSpec, Timing};

/// What is on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A data unit; the flight's `what` is its place in the pool.
    Data,
    /// A data unit that won't arrive.
    LostData,
    /// Credit for a leg (`what`), from its receiver to its sender.
    Credit,
    /// A leg's sender asks its receiver for credit.
    Request,
    /// A leg's sender states how many units it has sent.
    Sync,
    /// A control unit that its CRC will reject; `what` is the leg.
    LostControl,
}

impl Kind {
    /// As probes call it.
    pub fn unit_kind(self) -> UnitKind {
        match self {
            Kind::Data | Kind::LostData => UnitKind::Data,
            Kind::Credit | Kind::LostControl => UnitKind::Credit,
            Kind::Request => UnitKind::Request,
            Kind::Sync => UnitKind::Sync,
        }
    }
}

/// A unit on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    /// When it takes effect at the far end.
    pub effect_at: Time,
    pub what: u32,
    pub kind: Kind,
}

/// A control unit that waits for its port.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Ticket {
    pub leg: u32,
    pub kind: TicketKind,
    /// Value bound at the trigger; used only by `Bind::Trigger`.
    pub value: u64,
}

/// Which control unit a ticket asks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(crate) enum TicketKind {
    Credit,
    Request,
    Sync,
}

/// The sending port and the wire behind it.
pub(crate) struct Channel {
    /// The wire is free again.
    pub free_at: Time,
    /// An `Arbitrate` event waits in the event queue.
    pub arbitration_due: bool,
    pub cut_through: bool,
    /// Propagation and handling.
    pub latency: Duration,
    last_bytes: u32,
    last_serialization: Duration,
    pub scheduler: Scheduler,
    pub control: VecDeque<Ticket>,
    /// Units on the wire, first in first out.
    pub flights: VecDeque<Flight>,
    /// Values of the control units among them, in the same order.
    pub values: VecDeque<u64>,
    pub errors: Option<Errors>,
    pub rate: Rate,
    pub to: u32,
    pub data_busy: Duration,
    pub control_busy: Duration,
    last_is_control: bool,
    pub data_units: u64,
    pub control_units: u64,
}

/// Random errors of one channel.
pub(crate) struct Errors {
    pub data_loss: Probability,
    pub control_loss: Probability,
    pub corruption: Probability,
    pub data: Stream,
    pub control: Stream,
    pub bits: Stream,
    pub from: Time,
}

impl Channel {
    pub fn new(spec: &ChannelSpec, seed: u64, id: u32, to: u32, scheduler: Scheduler) -> Channel {
        Channel {
            free_at: Time::ZERO,
            arbitration_due: false,
            cut_through: spec.timing == Timing::CutThrough,
            latency: spec.delay + spec.handling,
            last_bytes: 0,
            last_serialization: Duration(1),
            scheduler,
            control: VecDeque::new(),
            flights: VecDeque::new(),
            values: VecDeque::new(),
            errors: Errors::new(&spec.errors, seed, id),
            rate: spec.rate,
            to,
            data_busy: Duration::ZERO,
            control_busy: Duration::ZERO,
            last_is_control: false,
            data_units: 0,
            control_units: 0,
        }
    }

    /// Time `bytes` take on the wire. Units of one size follow each other, so the last answer
    /// usually holds.
    #[inline]
    pub fn serialization(&mut self, bytes: u32) -> Duration {
        if bytes != self.last_bytes {
            self.last_serialization = self.rate.serialization(bytes as u64);
            self.last_bytes = bytes;
        }
        self.last_serialization
    }

    /// Puts a unit on the wire at `now`; true when it is the only one there.
    #[inline]
    pub fn launch(&mut self, now: Time, kind: Kind, what: u32, bytes: u32) -> bool {
        let serialization = self.serialization(bytes);
        self.free_at = now + serialization;
        let usable_from = if self.cut_through { now } else { self.free_at };
        let effect_at = usable_from + self.latency;
        self.flights.push_back(Flight {
            effect_at,
            what,
            kind,
        });
        self.flights.len() == 1
    }

    /// Something waits for the wire.
    #[inline]
    pub fn has_work(&self) -> bool {
        self.scheduler.has_ready() || !self.control.is_empty()
    }

    /// When the unit put on the wire last takes effect.
    #[inline]
    pub fn last_effect(&self) -> Time {
        let usable_from = if self.cut_through {
            Time(self.free_at.ps() - self.last_serialization.ps())
        } else {
            self.free_at
        };
        usable_from + self.latency
    }

    #[inline]
    pub fn count_data(&mut self, now: Time) {
        self.data_busy = self.data_busy + (self.free_at - now);
        self.data_units += 1;
        self.last_is_control = false;
    }

    pub fn count_control(&mut self, now: Time) {
        self.control_busy = self.control_busy + (self.free_at - now);
        self.control_units += 1;
        self.last_is_control = true;
    }

    /// Statistics start at `at`; what is on the wire then counts from there.
    pub fn end_warm_up(&mut self, at: Time) {
        let (data, control) = self.unfinished(at);
        (self.data_busy, self.control_busy) = (data, control);
        (self.data_units, self.control_units) = (0, 0);
    }

    /// Time still to be spent at `at` on the unit that started last, as data and as control.
    pub fn unfinished(&self, at: Time) -> (Duration, Duration) {
        let rest = self.free_at.since(at);
        if self.last_is_control {
            (Duration::ZERO, rest)
        } else {
            (rest, Duration::ZERO)
        }
    }

    /// What becomes of a data unit that starts now.
    #[inline]
    pub fn draw_data_error(&mut self, now: Time) -> Kind {
        let Some(errors) = &mut self.errors else {
            return Kind::Data;
        };
        if now < errors.from {
            return Kind::Data;
        }
        if errors.data.chance(errors.data_loss) {
            Kind::LostData
        } else {
            Kind::Data
        }
    }

    /// What becomes of a control unit that starts now.
    pub fn draw_control_error(&mut self, now: Time, kind: Kind, value: u64) -> (Kind, u64) {
        let Some(errors) = &mut self.errors else {
            return (kind, value);
        };
        if now < errors.from {
            return (kind, value);
        }
        if errors.control.chance(errors.control_loss) {
            return (Kind::LostControl, value);
        }
        if errors.bits.chance(errors.corruption) {
            return (kind, value ^ errors.bits.below(256));
        }
        (kind, value)
    }
}

impl Errors {
    fn new(spec: &ErrorSpec, seed: u64, channel: u32) -> Option<Errors> {
        let probability = |p: f64| Probability::new(p).unwrap_or(Probability::NEVER);
        if *spec == ErrorSpec::default() {
            return None;
        }
        let channel = channel as u64;
        Some(Errors {
            data_loss: probability(spec.data_loss),
            control_loss: probability(spec.control_loss),
            corruption: probability(spec.control_corruption),
            data: Stream::new(seed, channel, Purpose::DataLoss),
            control: Stream::new(seed, channel, Purpose::ControlLoss),
            bits: Stream::new(seed, channel, Purpose::Corruption),
            from: spec.from,
        })
    }
}
