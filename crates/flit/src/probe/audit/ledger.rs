//! One lane, one channel, one packet, as the books know them.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::num::NonZeroU32;

use crate::lane::Ring;
use crate::probe::{Crossing, Tag};

/// A packet in a lane of its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visit {
    /// Its number.
    pub packet: u32,
    /// Which lane of its way comes after this one.
    next: NonZeroU32,
}

impl Visit {
    /// Packet number `packet` in lane `hop` of its way.
    #[inline]
    pub fn new(packet: u32, hop: usize) -> Visit {
        let next = NonZeroU32::MIN.saturating_add(hop as u32);
        Visit { packet, next }
    }

    /// Which lane of its way this is.
    #[inline]
    pub fn hop(&self) -> usize {
        self.next.get() as usize - 1
    }
}

/// A lane, from the credits at its sending end to the buffer at its receiving end. Its flits are
/// counts: the packets that pass go in one after another, and each packet's flits in order.
#[derive(Debug)]
#[repr(align(64))]
pub struct LaneBook {
    /// The first packet whose header has gone in and whose tail has not come out.
    pub first: Option<Visit>,
    /// Others like it, in order.
    behind: Vec<Visit>,
    /// The packet whose header has gone in and whose tail has not.
    pub open: Option<Visit>,
    /// First cycle in which it may be given to another packet; the last of all while one has it.
    pub free_from: u64,
    /// Flits that may yet go in.
    pub credits: u16,
    /// Places that have become free and do not count yet.
    pub returning: u16,
    /// Flits that can leave.
    pub here: u16,
    /// Flits under way over the channel.
    pub coming: u16,
    /// Flits that have its credit and wait in the channel's small buffer.
    pub buffered: u16,
}

impl LaneBook {
    pub fn new(depth: u16) -> LaneBook {
        LaneBook {
            first: None,
            behind: Vec::new(),
            open: None,
            free_from: 0,
            credits: depth,
            returning: 0,
            here: 0,
            coming: 0,
            buffered: 0,
        }
    }

    /// Flits that have crossed and not left.
    #[inline]
    pub fn flits(&self) -> u64 {
        u64::from(self.here) + u64::from(self.coming)
    }

    /// A flit goes in; was there room?
    #[inline]
    pub fn spend(&mut self) -> bool {
        let had = self.credits > 0;
        self.credits = self.credits.saturating_sub(1);
        had
    }

    /// A place counts as free again.
    #[inline]
    pub fn credit(&mut self) {
        self.returning = self.returning.saturating_sub(1);
        self.credits = self.credits.saturating_add(1);
    }

    /// The first of the flits under way has come.
    #[inline]
    pub fn arrive(&mut self) {
        if self.coming > 0 {
            self.coming -= 1;
            self.here = self.here.saturating_add(1);
        }
    }

    /// The header of a packet goes in.
    #[inline]
    pub fn begin(&mut self, visit: Visit) {
        match self.first {
            None => self.first = Some(visit),
            Some(_) => self.behind.push(visit),
        }
    }

    /// The tail of `packet` has left.
    #[inline]
    pub fn pass(&mut self, packet: u32) {
        self.behind.retain(|visit| visit.packet != packet);
        if self.first.is_some_and(|first| first.packet == packet) {
            let is_last = self.behind.is_empty();
            self.first = (!is_last).then(|| self.behind.remove(0));
        }
    }
}

/// What is due at lanes, by place and cycle.
#[derive(Debug)]
pub struct Due {
    ring: Ring<Vec<u32>>,
    /// Cycles that it reaches ahead.
    reach: u64,
    /// All up to here has been taken.
    taken: u64,
}

impl Due {
    /// For what is due at most so many cycles ahead.
    pub fn new(ahead: u64) -> Due {
        let ring = Ring::new(ahead as u32);
        Due {
            reach: ring.slots().len() as u64,
            ring,
            taken: 0,
        }
    }

    /// Something is due at this place by the start of `cycle`, which has not been taken.
    #[inline]
    pub fn push(&mut self, cycle: u64, place: usize) {
        self.ring.at(cycle).push(place as u32);
    }

    /// Everything that is due by the start of `cycle`.
    #[inline]
    pub fn take(&mut self, cycle: u64, mut each: impl FnMut(usize)) {
        // Nothing lies further ahead than the ring reaches.
        let last = cycle.min(self.taken + self.reach);
        for due in self.taken + 1..=last {
            for place in self.ring.at(due).drain(..) {
                each(place as usize);
            }
        }
        self.taken = cycle;
    }

    /// When the first thing for this place is due.
    pub fn first(&mut self, place: usize) -> Option<u64> {
        let mut cycles = self.taken + 1..=self.taken + self.reach;
        cycles.find(|due| self.ring.at(*due).contains(&(place as u32)))
    }
}

/// A channel.
#[derive(Clone, Debug, Default)]
pub struct ChannelBook {
    /// The cycle after the last one in which a flit crossed it.
    pub free_from: u64,
    /// Flits in the small buffer before it, in order.
    pub buffer: VecDeque<Crossing>,
    /// The last cycle in which flits left its lanes, and how many did.
    pub left: (u64, u32),
}

/// A packet: one alive, or what is left of the last that had its number.
#[derive(Debug)]
pub struct PacketBook {
    pub is_alive: bool,
    pub tag: Tag,
    /// The lanes its header has gone into, in order.
    pub hops: Vec<Hop>,
    /// Its place in the order in which headers left their sources.
    pub entered: u64,
    /// When its tail is due at the terminal.
    pub due: Option<u64>,
}

/// A lane of a packet's way.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    pub channel: u32,
    pub lane: u8,
    /// Flits that have gone into it.
    pub flits: u16,
}

impl Hop {
    /// Is it this lane?
    #[inline]
    pub fn is_at(&self, channel: u32, lane: u8) -> bool {
        (self.channel, self.lane) == (channel, lane)
    }
}

impl PacketBook {
    /// Nobody's.
    pub fn new() -> PacketBook {
        PacketBook {
            is_alive: false,
            tag: Tag {
                number: 0,
                source: 0,
                destination: 0,
                birth: 0,
                class: 0,
                length: 0,
            },
            hops: Vec::new(),
            entered: 0,
            due: None,
        }
    }

    /// A packet is born.
    pub fn begin(&mut self, tag: Tag) {
        self.is_alive = true;
        self.tag = tag;
        self.hops.clear();
        self.entered = 0;
        self.due = None;
    }

    /// Flits that have gone into the lane at place `hop` of its way.
    pub fn gone(&self, hop: usize) -> u16 {
        self.hops.get(hop).map_or(0, |next| next.flits)
    }
}
