//! What happens next, of events that wait.

use alloc::vec::Vec;

use backwater_kernel::{Event, EventQueue, Phase, Time};

use super::Inspection;
use crate::Simulation;
use crate::hop::timer::Timer;
use crate::probe::Probe;

/// Something that will happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Upcoming {
    /// When.
    pub at: Time,
    /// What, and of whom.
    pub due: Due,
}

/// What will happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Due {
    /// The next unit on the wire of a channel arrives.
    Arrival(u32),
    /// The last bit of a frame leaves on a channel.
    LastBit(u32),
    /// A channel is free, and chooses what it sends.
    Choice(u32),
    /// The application or the source control of a flow acts.
    Source(u32),
    /// An end of a routed flow acts: the source, or else the destination.
    Station(u32, bool),
    /// A session of a flow opens or closes.
    Session(u32),
    /// The sink of a leg takes a unit.
    Sink(u32),
    /// A leg asks for credit, if it still lacks it.
    Request(u32),
    /// The port behind a channel may tell, or has to, what it freed.
    Update(u32),
    /// A channel states what its classes have sent.
    Statement(u32),
    /// A leg repeats its credit, if it was silent.
    Refresh(u32),
    /// A channel obeys the stop or the resume that it has taken in.
    Response(u32),
    /// A stop of a channel ends by itself, if it was not renewed.
    Expiry(u32),
    /// A stop is said again over a channel.
    Repeat(u32),
    /// A storm goes on over a channel.
    Storm(u32),
    /// The time-out or the watchdog of a class of a channel looks.
    Watchdog(u32, u8),
    /// A port measures, or holds what it has no longer.
    Port(u32),
    /// Ends of flows without rows act.
    Alarm,
    /// Flows of a group without rows begin.
    Arrivals(u32),
    /// A flow without a row has nothing left to do, and its slot is free.
    Ended(u32),
    /// The run looks for queues that wait for each other.
    Lookout,
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    pub(super) fn inspect_events(&self, most: usize, found: &mut Inspection) {
        let mut events: Vec<Event> = Vec::new();
        let classes = self.network.classes.count > 0;
        let sources = &mut found.sources;
        self.events.look(&mut |event| {
            if let Some(flow) = self.of_source(event).filter(|_| !classes) {
                let timer = &mut sources[flow as usize].timer;
                *timer = Some(timer.map_or(event.time(), |known| known.min(event.time())));
            }
            if !self.is_void(event) {
                events.push(event);
            }
        });
        found.events = events.len();
        events.sort_unstable();
        events.truncate(most);
        found.upcoming = events
            .into_iter()
            .map(|event| self.upcoming(event))
            .collect();
    }

    /// Nothing comes of it: an end of a flow has set another timer since.
    fn is_void(&self, event: Event) -> bool {
        let due = match event.phase() {
            Phase::Inject => of_timer(event),
            _ => return false,
        };
        let Due::Station(flow, is_source) = due else {
            return false;
        };
        let Some(place) = self.network.classes.place_if_active(flow) else {
            return true;
        };
        let own = &self.network.classes.flows[place as usize];
        own.armed[usize::from(!is_source)] != event.time()
    }

    /// The circuit whose source it is of.
    fn of_source(&self, event: Event) -> Option<u32> {
        match event.phase() {
            Phase::Control | Phase::Inject => match self.upcoming(event).due {
                Due::Source(flow) | Due::Session(flow) => Some(flow),
                _ => None,
            },
            _ => None,
        }
    }

    fn upcoming(&self, event: Event) -> Upcoming {
        let entity = event.entity();
        let due = match event.phase() {
            Phase::Deliver => {
                let slot = self.network.classes.slots.get(entity as usize);
                Due::Arrival(slot.map_or(entity, |own| own.channel))
            }
            Phase::Arbitrate => Due::Choice(entity),
            Phase::Transmit => Due::LastBit(entity),
            _ => of_timer(event),
        };
        Upcoming {
            at: event.time(),
            due,
        }
    }
}

fn of_timer(event: Event) -> Due {
    let entity = event.entity();
    match Timer::of(event) {
        Timer::Request => Due::Request(entity),
        Timer::Refresh => Due::Refresh(entity),
        Timer::Update => Due::Update(entity),
        Timer::Statement => Due::Statement(entity),
        Timer::EndToEnd
        | Timer::Tcp
        | Timer::Offer
        | Timer::Envelope
        | Timer::Spacing
        | Timer::Policer
        | Timer::Slot => Due::Source(entity),
        Timer::Open | Timer::Close => Due::Session(entity),
        Timer::Release => Due::Sink(entity),
        Timer::Response => Due::Response(entity),
        Timer::Expiry => Due::Expiry(entity),
        Timer::Repeat => Due::Repeat(entity),
        Timer::Storm => Due::Storm(entity),
        Timer::TimeOut | Timer::Watchdog => Due::Watchdog(entity, Timer::class(event)),
        Timer::Interval | Timer::Hold | Timer::Drain | Timer::Rates => Due::Port(entity),
        // A set-up waits at the sending port of a leg.
        Timer::Reserve => Due::Request(entity),
        Timer::Station => Due::Station(entity / 2, entity.is_multiple_of(2)),
        Timer::Alarm => Due::Alarm,
        Timer::Arrival => Due::Arrivals(entity),
        Timer::Ended => Due::Ended(entity),
        Timer::Standstill => Due::Lookout,
    }
}
