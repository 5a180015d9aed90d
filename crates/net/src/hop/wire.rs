//! One direction of a link: the sending port, the wire and what is on it.

use alloc::boxed::Box;
use alloc::collections::VecDeque;

use backwater_kernel::stream::{Probability, Purpose, Stream};
use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Duration, Rate, Time};

use crate::hop::kind::{ControlKind, UnitKind};
use crate::hop::unit::{Fifo, NONE, Units};
use crate::scheduler::{Choice, Port, Ranked, Scheduler};
use crate::spec::frames::ClassBits;
use crate::spec::{ChannelSpec, ErrorSpec, OutageSpec, Timing};

mod outages;
mod patient;
mod repeated;

use outages::Outages;

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
    /// It goes when the port has nothing else to send.
    pub is_patient: bool,
}

/// The sending port and the wire behind it. What every unit touches is the first cache line.
#[repr(C, align(64))]
pub(crate) struct Channel {
    /// Units on the wire, in order of arrival.
    pub wire: Fifo,
    /// Picoseconds of a byte if they are whole (10 Mbps to 800 Gbps in steps of ten); else 0.
    pub byte_ps: u32,
    /// The wire is free again: the last bit of the unit being sent leaves.
    pub free_at: Time,
    /// Propagation, and handling at the node it enters.
    pub latency: Duration,
    /// Place among all channels by the node they enter: where arrivals of one instant are worked
    /// off in that order.
    pub slot: u32,
    /// Node it leaves.
    pub from: u32,
    /// Node it enters.
    pub to: u32,
    /// Classes: of the frame being sent, the account that holds it,
    pub sent_account: u32,
    /// its bytes, none when nothing is sent,
    pub sent_bytes: u32,
    /// Classes with a frame whose destination is not stopped, a bit each.
    pub waiting: ClassBits,
    /// Classes that are stopped or shut, a bit each.
    held: ClassBits,
    /// and its class. The unit being sent, or sent last, is a control unit (or an RM cell):
    /// [`Channel::CONTROL`].
    pub sent_class: u8,
    /// Classes: there is an event for its last bit.
    pub has_event: bool,
    /// Control units wait.
    pub has_control: bool,
    /// Bits of [`Channel::CUTS_THROUGH`] and so on.
    pub kind: u8,
    /// It chooses at the end of this instant, or an `Arbitrate` event waits in the event queue.
    pub arbitration_due: bool,
    /// Classes that are stopped, a bit each.
    stopped: ClassBits,
    /// Classes whose next frame lacks credit, a bit each; all while the station behind takes none.
    shut: ClassBits,
    /// The watchdog has tripped for these classes, a bit each.
    pub tripped: ClassBits,
    pub last_bytes: u32,
    last_serialization: Duration,
    errors: Option<Box<Errors>>,
    pub scheduler: Scheduler,
    pub data_busy: Duration,
    pub data_units: u64,
    pub rate: Rate,
    /// Rank of the data unit that started last, where the scheduler ranks.
    in_service: u64,
    /// The scheduler holds its units until then; an event at this instant asks it again.
    pub held_until: Time,
    control: VecDeque<Ticket>,
    pub control_busy: Duration,
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
    /// Stands for the class of a control unit.
    pub const CONTROL: u8 = u8::MAX;

    /// What arrives can be used from its first bit on (frames: from its first 64 bytes on).
    pub const CUTS_THROUGH: u8 = 1;
    /// The node it enters is a host, which forwards nothing.
    pub const TO_HOST: u8 = 2;
    /// The node it leaves is a host.
    pub const FROM_HOST: u8 = 4;
    /// Its classes are served by a scheduler, not by strict priority.
    pub const SCHEDULED: u8 = 8;
    /// Some of its classes have credit, or the station behind it takes frames at its own pace.
    pub const CREDITS: u8 = 16;
    /// The node it enters is simulated elsewhere.
    pub const CROSSES: u8 = 32;
    /// The probe looks at frames that leave on it.
    pub const WATCHED: u8 = 64;
    /// It may lose units: [`Channel::set_errors`].
    pub const ERRORS: u8 = 128;

    /// An idle channel between two nodes, without errors.
    pub fn idle(
        rate: Rate,
        latency: Duration,
        (from, to): (u32, u32),
        scheduler: Scheduler,
    ) -> Channel {
        Channel {
            wire: Fifo::EMPTY,
            byte_ps: byte_ps(rate),
            free_at: Time::ZERO,
            latency,
            slot: 0,
            from,
            to,
            sent_account: NONE,
            sent_bytes: 0,
            waiting: 0,
            held: 0,
            sent_class: 0,
            has_event: false,
            has_control: false,
            kind: 0,
            arbitration_due: false,
            stopped: 0,
            shut: 0,
            tripped: 0,
            last_bytes: 0,
            last_serialization: Duration(1),
            errors: None,
            scheduler,
            data_busy: Duration::ZERO,
            data_units: 0,
            rate,
            in_service: 0,
            held_until: Time::ZERO,
            control: VecDeque::new(),
            control_busy: Duration::ZERO,
            control_units: 0,
        }
    }

    pub fn new(
        spec: &ChannelSpec,
        outages: &[OutageSpec],
        seed: u64,
        (id, ends): (u32, (u32, u32)),
        scheduler: Scheduler,
    ) -> Channel {
        let latency = spec.delay + spec.handling;
        let mut channel = Channel {
            kind: match spec.timing {
                Timing::CutThrough => Channel::CUTS_THROUGH,
                Timing::StoreAndForward => 0,
            },
            ..Channel::idle(spec.rate, latency, ends, scheduler)
        };
        channel.set_errors(Errors::new(&spec.errors, outages, seed, (id, spec.delay)));
        channel
    }

    /// What its units may meet on the way.
    pub fn set_errors(&mut self, errors: Option<Errors>) {
        if let Some(errors) = errors {
            self.kind |= Channel::ERRORS;
            self.errors = Some(Box::new(errors));
        }
    }

    /// Classes: a frame is being sent, or was and nobody has asked since.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.sent_bytes != 0
    }

    /// What is sent, or was sent last, is a control unit (or an RM cell).
    #[inline]
    pub fn sends_control(&self) -> bool {
        self.sent_class == Channel::CONTROL
    }

    /// The last bit of its frame has left, and nobody has taken note.
    #[inline]
    pub fn is_to_rest(&self, now: Time) -> bool {
        self.is_busy() && !self.has_event && self.free_at <= now
    }

    #[inline]
    pub fn is(&self, bit: u8) -> bool {
        self.kind & bit != 0
    }

    /// Classes that may send, a bit each.
    #[inline]
    pub fn ready_classes(&self) -> ClassBits {
        self.waiting & !self.held
    }

    /// Classes that are stopped or shut, a bit each.
    #[inline]
    pub fn held(&self) -> ClassBits {
        self.held
    }

    #[inline]
    pub fn stopped(&self) -> ClassBits {
        self.stopped
    }

    #[inline]
    pub fn shut(&self) -> ClassBits {
        self.shut
    }

    pub fn set_stopped(&mut self, classes: ClassBits) {
        self.stopped = classes;
        self.held = classes | self.shut;
    }

    #[inline]
    pub fn set_shut(&mut self, classes: ClassBits) {
        self.shut = classes;
        self.held = classes | self.stopped;
    }

    /// A control unit waits from now on.
    pub fn push_control(&mut self, ticket: Ticket) {
        self.has_control = true;
        self.control.push_back(ticket);
    }

    /// The control units that wait, in order.
    pub fn controls(&self) -> impl Iterator<Item = UnitKind> {
        self.control
            .iter()
            .map(|ticket| UnitKind::Control(ticket.kind))
    }

    /// The control unit that waits longest.
    #[inline]
    pub fn pop_control(&mut self) -> Option<Ticket> {
        if !self.has_control {
            return None;
        }
        let first = self.control.pop_front();
        self.has_control = !self.control.is_empty();
        first
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

    /// How long bytes of frames take, with preamble and gap if they are counted.
    #[inline]
    pub fn span(&self, bytes: u64) -> Duration {
        match self.byte_ps {
            0 => self.rate.serialization(bytes),
            ps => Duration(bytes * u64::from(ps)),
        }
    }

    /// Puts a unit on the wire at `now`; when it takes effect.
    #[inline]
    pub fn launch(&mut self, units: &mut Units, now: Time, place: u32) -> Time {
        let unit = units.get_mut(place);
        let serialization = self.serialization(unit.bytes);
        self.free_at = now + serialization;
        let usable_from = match self.is(Channel::CUTS_THROUGH) {
            true => now,
            false => self.free_at,
        };
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
            in_service: (!wire_is_free && !self.sends_control()).then_some(self.in_service),
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
        self.scheduler.has_ready() || self.has_control
    }

    #[inline]
    pub fn count_data(&mut self, now: Time) {
        self.data_busy = self.data_busy + (self.free_at - now);
        self.data_units += 1;
        self.sent_class = 0;
    }

    pub fn count_control(&mut self, now: Time) {
        self.control_busy = self.control_busy + (self.free_at - now);
        self.control_units += 1;
        self.sent_class = Channel::CONTROL;
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
        if self.sends_control() {
            (Duration::ZERO, rest)
        } else {
            (rest, Duration::ZERO)
        }
    }

    /// Is a data unit of `bytes` lost that starts now, on a channel with errors?
    #[cold]
    pub fn loses_data(&mut self, now: Time, bytes: u32) -> bool {
        let sending = self.serialization(bytes);
        self.draw_data_error(now, sending)
    }

    fn draw_data_error(&mut self, now: Time, sending: Duration) -> bool {
        if self.is_cut(now, sending) {
            return true;
        }
        let errors = self.errors.as_mut().filter(|errors| now >= errors.from);
        errors.is_some_and(|errors| errors.data.chance(errors.data_loss))
    }

    /// Is a frame lost that starts now, on a channel with errors? Control frames (stops and
    /// resumes) are corrupted with a probability of their own; their FCS tells.
    #[cold]
    pub fn loses_frame(&mut self, now: Time, sending: Duration, is_control: bool) -> bool {
        match is_control {
            true => self.draw_control_loss(now, sending),
            false => self.draw_data_error(now, sending),
        }
    }

    fn draw_control_loss(&mut self, now: Time, sending: Duration) -> bool {
        if self.is_cut(now, sending) {
            return true;
        }
        let errors = self.errors.as_mut().filter(|errors| now >= errors.from);
        errors.is_some_and(|errors| errors.control.chance(errors.control_loss))
    }

    /// Is a unit that starts now, and takes `sending` to send, lost because the channel is cut?
    /// Then no number is drawn for it.
    fn is_cut(&mut self, now: Time, sending: Duration) -> bool {
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
        if self.errors.is_none() {
            return Some(value);
        }
        let sending = self.serialization(bytes);
        if self.draw_control_loss(now, sending) {
            return None;
        }
        let Some(errors) = self.errors.as_mut().filter(|errors| now >= errors.from) else {
            return Some(value);
        };
        if errors.bits.chance(errors.corruption) {
            return Some(value ^ errors.bits.below(256));
        }
        Some(value)
    }
}

/// Picoseconds of a byte at this rate if they are whole and fit; else 0.
fn byte_ps(rate: Rate) -> u32 {
    let second = 8 * PS_PER_SECOND;
    match second.is_multiple_of(rate.0) {
        true => u32::try_from(second / rate.0).unwrap_or(0),
        false => 0,
    }
}

impl Errors {
    /// Those of a channel with this propagation; `None` if it has none.
    pub fn new(
        spec: &ErrorSpec,
        outages: &[OutageSpec],
        seed: u64,
        (channel_id, delay): (u32, Duration),
    ) -> Option<Errors> {
        let probability = |p: f64| Probability::new(p).unwrap_or(Probability::NEVER);
        let outages = Outages::new(outages, channel_id, delay);
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
