//! Flows that have no row: the slots of those that are active, and what those that ended did.
//!
//! A flow's number is what decides anything about it: its ways, its random streams, its turn among
//! others at one instant, its fingerprint. So a run is the same as if each had a row. Its *place*
//! is where its state is kept: that of a row is its number, and places behind rows are slots, which
//! pass from a flow that has ended to one that begins. A frame carries the number, so none can come
//! to a flow that took the slot of its own.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use backwater_kernel::Time;

use crate::hop::unit::NONE;
use crate::spec::frames::{Arrival, ArrivalSpec, Arrivals, EthernetSpec};

mod bin;
mod places;

pub(crate) use bin::{Bin, Ended};
use places::Places;

/// All groups without rows.
#[derive(Default)]
pub(crate) struct Members {
    pub groups: Vec<Group>,
    /// By place behind those of rows.
    pub slots: Vec<Slot>,
    places: Places,
    alarms: Alarms,
}

/// When ends of flows act. In the queue of events there is one for all of them: that of a flow that
/// has ended can be taken back here, where most wait for a time-out that never comes.
struct Alarms {
    all: BTreeSet<(Time, u32)>,
    /// The next event there.
    next: Time,
}

impl Default for Alarms {
    fn default() -> Alarms {
        Alarms {
            all: BTreeSet::new(),
            next: Time::MAX,
        }
    }
}

/// A group without rows.
pub(crate) struct Group {
    pub spec: ArrivalSpec,
    source: Box<dyn Arrivals + Send>,
    /// The one that begins next.
    next: Option<Arrival>,
    /// Number of the first.
    first: u32,
    /// So many have begun, or are about to.
    opened: u32,
    /// Places that flows have left.
    free: Vec<u32>,
    /// What those that ended did, by size, ascending.
    pub bins: Vec<Bin>,
}

/// A flow that is active, or the last that was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub group: u32,
    /// [`NONE`] once it has ended.
    pub number: u32,
    pub start: Time,
    pub bytes: u64,
}

/// A flow that begins: its number, and the place that is free for it, if one is.
pub(crate) struct Opening {
    pub number: u32,
    pub place: Option<u32>,
    pub arrival: Arrival,
}

impl Members {
    pub fn new(spec: &EthernetSpec) -> Members {
        let mut first = spec.flows.len() as u32;
        let groups = spec.rules.arrivals.iter().map(|own| {
            let number = first;
            first += own.count;
            Group {
                spec: own.clone(),
                source: own.arrivals.make(),
                next: None,
                first: number,
                opened: 0,
                free: Vec::new(),
                bins: Vec::new(),
            }
        });
        Members {
            groups: groups.collect(),
            ..Members::default()
        }
    }

    /// Is one to begin?
    pub fn awaits(&self) -> bool {
        self.groups.iter().any(|group| group.next.is_some())
    }

    /// The place of a flow that is active.
    #[inline]
    pub fn place(&self, number: u32) -> Option<u32> {
        self.places.find(number)
    }

    /// The number of the flow that has this slot, if it is active.
    pub fn number(&self, slot: u32) -> Option<u32> {
        let slot = self.slots.get(slot as usize)?;
        (slot.number != NONE).then_some(slot.number)
    }

    /// A flow has this place from now on.
    pub fn settle(&mut self, (place, rows): (u32, u32), slot: Slot) {
        self.places.insert(slot.number, place);
        match self.slots.get_mut((place - rows) as usize) {
            Some(own) => *own = slot,
            None => self.slots.push(slot),
        }
    }

    /// The flow at this place has ended.
    pub fn leave(&mut self, (place, rows): (u32, u32)) -> Slot {
        let slot = &mut self.slots[(place - rows) as usize];
        let left = *slot;
        slot.number = NONE;
        self.places.remove(left.number);
        self.groups[left.group as usize].free.push(place);
        left
    }

    /// The end from which a way starts acts at an instant, instead of another. The instant for
    /// which an event is needed, if it is.
    pub fn set_alarm(&mut self, way: u32, before: Time, at: Time) -> Option<Time> {
        self.alarms.all.remove(&(before, way));
        self.alarms.all.insert((at, way));
        let is_first = at < self.alarms.next;
        is_first.then(|| {
            self.alarms.next = at;
            at
        })
    }

    /// The end of an ended flow acts no more.
    pub fn stop_alarm(&mut self, way: u32, at: Time) {
        self.alarms.all.remove(&(at, way));
    }

    /// The event of an instant has come: a way whose end acts now.
    pub fn take_alarm(&mut self, now: Time) -> Option<u32> {
        let (at, way) = *self.alarms.all.first()?;
        (at <= now).then(|| {
            self.alarms.all.pop_first();
            way
        })
    }

    /// All that act now have been taken. The instant for which an event is needed, if any is.
    pub fn next_alarm(&mut self) -> Option<Time> {
        let next = self.alarms.all.first().map(|(at, _)| *at);
        self.alarms.next = next.unwrap_or(Time::MAX);
        next
    }

    /// The slots of flows that are active, with their places.
    pub fn active(&self, rows: u32) -> impl Iterator<Item = (u32, &Slot)> {
        let all = (rows..).zip(&self.slots);
        all.filter(|(_, slot)| slot.number != NONE)
    }
}

impl Group {
    /// Reads who begins next.
    ///
    /// # Errors
    /// If nobody can tell: none follow.
    pub fn read(&mut self) -> Result<(), alloc::string::String> {
        self.next = None;
        self.next = self.source.next()?;
        Ok(())
    }

    /// When the next begin.
    pub fn next_at(&self) -> Option<Time> {
        self.next.map(|next| next.at)
    }

    /// The one that begins next; `None` where more come than there were to be.
    pub fn begin(&mut self) -> Option<Opening> {
        let arrival = self.next?;
        if self.opened == self.spec.count {
            return None;
        }
        let number = self.first + self.opened;
        self.opened += 1;
        Some(Opening {
            number,
            place: self.free.pop(),
            arrival,
        })
    }

    /// None of those that are left begins.
    pub fn end(&mut self) {
        self.next = None;
    }
}
