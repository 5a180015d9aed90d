//! Events and their total order.
//!
//! Ties at one instant decide results silently in most simulators. Here events are ordered by
//! `(time, phase, entity, sequence)`, whoever inserted them and in whatever order.

mod heap;
mod rings;
mod wheel;

pub use heap::Heap;
pub use rings::Rings;
pub use wheel::Wheel;

use core::cmp::Ordering;

use crate::time::{Duration, Time};

/// What kind of thing happens; at one instant the phases run in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Phase {
    /// Units arrive at the far end of their channel.
    Deliver = 0,
    /// Timers of flow control (requests, refresh).
    Control = 1,
    /// Sinks take units out of their buffers.
    Release = 2,
    /// Sources offer units.
    Inject = 3,
    /// Ports choose what to send, after everything that arrived at the instant.
    Arbitrate = 4,
    /// Control units provoked by this instant's choices reach idle ports.
    Transmit = 5,
    /// Probes look; nothing changes.
    Observe = 6,
}

impl Phase {
    /// The phase with this number.
    #[inline]
    pub const fn from_index(index: u8) -> Phase {
        match index {
            0 => Phase::Deliver,
            1 => Phase::Control,
            2 => Phase::Release,
            3 => Phase::Inject,
            4 => Phase::Arbitrate,
            5 => Phase::Transmit,
            _ => Phase::Observe,
        }
    }
}

/// One thing to do: when, which phase, for which entity. 16 bytes, no payload: the entity
/// knows what it waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Event {
    time: Time,
    /// phase (8 bits), entity (32 bits), sequence (24 bits)
    order: u64,
}

impl Event {
    /// An event of `entity`; `sequence` (24 bits) tells apart events of one entity that
    /// share instant and phase.
    #[inline]
    pub const fn new(time: Time, phase: Phase, entity: u32, sequence: u32) -> Event {
        let order =
            ((phase as u64) << 56) | ((entity as u64) << 24) | (sequence as u64 & 0xff_ffff);
        Event { time, order }
    }

    /// When it happens.
    #[inline]
    pub const fn time(self) -> Time {
        self.time
    }

    /// The same so much later.
    pub fn postponed(self, by: Duration) -> Event {
        Event {
            time: self.time + by,
            ..self
        }
    }

    /// What tells it from others of its instant.
    pub const fn order(self) -> u64 {
        self.order
    }

    /// In which phase of its instant.
    #[inline]
    pub const fn phase(self) -> Phase {
        Phase::from_index((self.order >> 56) as u8)
    }

    /// Does it happen in this phase?
    #[inline]
    pub const fn is(self, phase: Phase) -> bool {
        self.order >> 56 == phase as u64
    }

    /// To whom.
    #[inline]
    pub const fn entity(self) -> u32 {
        (self.order >> 24) as u32
    }

    /// Which of several at one instant, phase and entity.
    #[inline]
    pub const fn sequence(self) -> u32 {
        self.order as u32 & 0xff_ffff
    }

    /// The total order as one number: compared without a branch.
    #[inline]
    const fn key(self) -> u128 {
        (self.time.0 as u128) << 64 | self.order as u128
    }
}

impl Ord for Event {
    #[inline]
    fn cmp(&self, other: &Event) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Event {
    #[inline]
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What happens at the next instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// One event.
    One(Event),
    /// Several, at this instant.
    Several(Time),
}

/// A queue that gives events back instant by instant.
pub trait EventQueue: Default {
    /// Adds an event; it must not lie before the last instant taken out.
    fn push(&mut self, event: Event);
    /// The instant of the next event. (`&mut`: a wheel may have to turn to find it.)
    fn next_time(&mut self) -> Option<Time>;
    /// Takes out everything that happens at the next instant, if that is not after `until`, and
    /// hands it to `each`, in no order: who cares sorts a few. The instant.
    fn take_instant(&mut self, until: Time, each: impl FnMut(Event)) -> Option<Time>;
    /// The same, but an event that is alone at its instant is given back, not handed to `each`.
    #[inline]
    fn take_next(&mut self, until: Time, each: impl FnMut(Event)) -> Option<Taken> {
        take_next_of(self, until, each)
    }
    /// Shows every event that waits, in no order; it goes on waiting.
    fn look(&self, each: &mut dyn FnMut(Event));
    /// Events waiting.
    fn len(&self) -> usize;
    /// Nothing waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// [`EventQueue::take_next`] by [`EventQueue::take_instant`].
#[inline]
fn take_next_of(
    queue: &mut impl EventQueue,
    until: Time,
    mut each: impl FnMut(Event),
) -> Option<Taken> {
    let (mut last, mut several) = (None, false);
    let instant = queue.take_instant(until, |event| {
        if let Some(before) = last.replace(event) {
            several = true;
            each(before);
        }
    })?;
    match last {
        Some(only) if !several => return Some(Taken::One(only)),
        last => last.into_iter().for_each(each),
    }
    Some(Taken::Several(instant))
}

/// A queue that gives events back one by one too, in their total order.
pub trait InOrder: EventQueue {
    /// Takes the next event out.
    fn pop(&mut self) -> Option<Event>;
}
