//! One direction of a link: the sending port, the wire and what is on it.

use alloc::boxed::Box;
use alloc::collections::VecDeque;

use backwater_kernel::stream::{Probability, Purpose, Stream};
use backwater_kernel::{Duration, Rate, Time};

use crate::hop::kind::ControlKind;
use crate::hop::unit::{Fifo, Units};
use crate::scheduler::{Choice, Port, Ranked, Scheduler};
use crate::spec::{ChannelSpec, ErrorSpec, OutageSpec, Timing};

mod outages;

use outages::Outages;
pub(crate) use outages::check as check_outages;

/// A control unit that waits for its port.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Ticket {
    pub leg: u32,
    pub kind: ControlKind,
    /// Value bound at the trigger, for `Bind::Trigger`; which message of a session it is; what
    /// a notice says.
    pub value: u64,
    /// Size on the wire.
    pub bytes: u32,
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
    /// Rank of the data unit that started last, where the scheduler ranks.
    in_service: u64,
    /// The scheduler holds its units until then; an event at this instant asks it again.
    pub held_until: Time,
    pub control: VecDeque<Ticket>,
    /// Units on the wire, threaded through the pool.
    pub wire: Fifo,
    pub errors: Option<Box<Errors>>,
    pub rate: Rate,
    pub data_busy: Duration,
    pub control_busy: Duration,
    last_is_control: bool,
    pub data_units: u64,
    pub control_units: u64,
}

/// Random errors of one channel, and when it is cut.
pub(crate) struct Errors {
    pub data_loss: Probability,
    pub control_loss: Probability,
    pub corruption: Probability,
    pub data: Stream,
    pub control: Stream,
    pub bits: Stream,
    pub from: Time,
    outages: Option<Outages>,
}

impl Channel {
    pub fn new(
        spec: &ChannelSpec,
        outages: &[OutageSpec],
        seed: u64,
        id: u32,
        scheduler: Scheduler,
    ) -> Channel {
        Channel {
            free_at: Time::ZERO,
            arbitration_due: false,
            cut_through: spec.timing == Timing::CutThrough,
            latency: spec.delay + spec.handling,
            last_bytes: 0,
            last_serialization: Duration(1),
            scheduler,
            in_service: 0,
            held_until: Time::ZERO,
            control: VecDeque::new(),
            wire: Fifo::EMPTY,
            errors: Errors::new(spec, outages, seed, id).map(Box::new),
            rate: spec.rate,
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

    /// Puts a unit on the wire at `now`; when it takes effect.
    #[inline]
    pub fn launch(&mut self, units: &mut Units, now: Time, place: u32) -> Time {
        let unit = units.get_mut(place);
        let serialization = self.serialization(unit.bytes);
        self.free_at = now + serialization;
        let usable_from = if self.cut_through { now } else { self.free_at };
        let effect_at = usable_from + self.latency;
        unit.arrived = effect_at;
        self.wire.push(units, place);
        effect_at
    }

    /// What the port serves now.
    #[inline]
    pub fn choose(&mut self, now: Time) -> Choice {
        let leg = match &mut self.scheduler {
            Scheduler::RoundRobin(scheduler) => scheduler.choose(),
            Scheduler::Line(line) => line.take(),
            Scheduler::Ranked(ranked) => return ranked.choose(now),
        };
        leg.map_or(Choice::Nothing, Choice::Leg)
    }

    /// The state of the port, and the discipline that wants to know it.
    pub fn ranked(&mut self, now: Time) -> (Port, Option<&mut Ranked>) {
        let wire_is_free = self.free_at <= now;
        let mut port = Port {
            now,
            wire_is_free,
            is_idle: wire_is_free,
            in_service: (!wire_is_free && !self.last_is_control).then_some(self.in_service),
        };
        match &mut self.scheduler {
            Scheduler::RoundRobin(_) | Scheduler::Line(_) => (port, None),
            Scheduler::Ranked(ranked) => {
                port.is_idle &= ranked.is_empty();
                (port, Some(ranked))
            }
        }
    }

    /// A data unit of this rank is about to start.
    pub fn serve_rank(&mut self, rank: u64) {
        self.in_service = rank;
    }

    /// Something waits for the wire.
    #[inline(always)]
    pub fn has_work(&self) -> bool {
        self.scheduler.has_ready() || !self.control.is_empty()
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

    /// Is a data unit of `bytes` that starts now lost?
    #[inline]
    pub fn loses_data(&mut self, now: Time, bytes: u32) -> bool {
        self.errors.is_some() && self.draw_data_error(now, bytes)
    }

    #[inline(never)]
    fn draw_data_error(&mut self, now: Time, bytes: u32) -> bool {
        if self.is_cut(now, bytes) {
            return true;
        }
        let errors = self.errors.as_mut().filter(|errors| now >= errors.from);
        errors.is_some_and(|errors| errors.data.chance(errors.data_loss))
    }

    /// Is a unit of `bytes` that starts now lost because the channel is cut? Then no number is
    /// drawn for it.
    fn is_cut(&mut self, now: Time, bytes: u32) -> bool {
        let sending = self.serialization(bytes);
        let errors = self.errors.as_mut();
        let outages = errors.and_then(|errors| errors.outages.as_mut());
        outages.is_some_and(|outages| outages.cut(now, sending))
    }

    /// Is an RM cell that starts now lost? It stands among data, and errors hit it as they hit
    /// control units.
    #[cold]
    pub fn loses_rm(&mut self, now: Time, bytes: u32) -> bool {
        self.draw_control_error(now, bytes, 0).is_none()
    }

    /// The value with which a control unit of `bytes` arrives that starts now with `value`;
    /// `None` if it is lost.
    pub fn draw_control_error(&mut self, now: Time, bytes: u32, value: u64) -> Option<u64> {
        if self.is_cut(now, bytes) {
            return None;
        }
        let Some(errors) = self.errors.as_mut().filter(|errors| now >= errors.from) else {
            return Some(value);
        };
        if errors.control.chance(errors.control_loss) {
            return None;
        }
        if errors.bits.chance(errors.corruption) {
            return Some(value ^ errors.bits.below(256));
        }
        Some(value)
    }
}

impl Errors {
    fn new(
        channel: &ChannelSpec,
        outages: &[OutageSpec],
        seed: u64,
        channel_id: u32,
    ) -> Option<Errors> {
        let probability = |p: f64| Probability::new(p).unwrap_or(Probability::NEVER);
        let spec = &channel.errors;
        let outages = Outages::new(outages, channel_id, channel.delay);
        if *spec == ErrorSpec::default() && outages.is_none() {
            return None;
        }
        let channel = channel_id as u64;
        Some(Errors {
            data_loss: probability(spec.data_loss),
            control_loss: probability(spec.control_loss),
            corruption: probability(spec.control_corruption),
            data: Stream::new(seed, channel, Purpose::DataLoss),
            control: Stream::new(seed, channel, Purpose::ControlLoss),
            bits: Stream::new(seed, channel, Purpose::Corruption),
            from: spec.from,
            outages,
        })
    }
}
