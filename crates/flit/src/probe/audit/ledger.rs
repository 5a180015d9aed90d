//! One lane, one channel, one packet, as the books know them.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::probe::{Crossing, Tag};

/// A flit on its way to a buffer or in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flit {
    /// Number of its packet.
    pub packet: u32,
    /// Its number in the packet.
    pub index: u16,
    /// First cycle in which it can leave.
    pub from: u64,
}

/// A packet in a lane of its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visit {
    /// Its number.
    pub packet: u32,
    /// Which lane of its way this is.
    pub hop: u32,
}

/// A lane, from the credits at its sending end to the buffer at its receiving end.
#[derive(Debug)]
pub struct LaneBook {
    /// Flits that have crossed and not left, in order.
    pub flits: VecDeque<Flit>,
    /// Of these, from the first on, those known to have arrived; see [`LaneBook::settle`].
    here: usize,
    /// Packets whose headers have gone in and whose tails have not come out, in order.
    pub passing: VecDeque<Visit>,
    /// The packet whose header has gone in and whose tail has not.
    pub open: Option<Visit>,
    /// First cycle in which it may be given to another packet; the last of all while one has it.
    pub free_from: u64,
    /// Flits that may yet go in.
    credits: u64,
    /// Cycles from which freed places count.
    returning: VecDeque<u64>,
    /// Flits that have its credit and wait in the channel's small buffer.
    pub buffered: u64,
}

impl LaneBook {
    pub fn new(depth: u64) -> LaneBook {
        LaneBook {
            flits: VecDeque::new(),
            here: 0,
            passing: VecDeque::new(),
            open: None,
            free_from: 0,
            credits: depth,
            returning: VecDeque::new(),
            buffered: 0,
        }
    }

    /// Notes what has come by the start of `cycle`: flits and credits, both due in order.
    #[inline]
    pub fn settle(&mut self, cycle: u64) {
        self.settle_credits(cycle);
        self.settle_flits(cycle);
    }

    #[inline]
    pub fn settle_credits(&mut self, cycle: u64) {
        while self.returning.front().is_some_and(|due| *due <= cycle) {
            self.returning.pop_front();
            self.credits += 1;
        }
    }

    #[inline]
    pub fn settle_flits(&mut self, cycle: u64) {
        let arrived = |flit: &Flit| flit.from <= cycle;
        while self.flits.get(self.here).is_some_and(arrived) {
            self.here += 1;
        }
    }

    /// A flit goes in; was there room?
    #[inline]
    pub fn spend(&mut self, cycle: u64) -> bool {
        self.settle_credits(cycle);
        let had = self.credits > 0;
        self.credits = self.credits.saturating_sub(1);
        had
    }

    /// A place becomes free and counts from `due` on.
    #[inline]
    pub fn give_back(&mut self, due: u64) {
        self.returning.push_back(due);
    }

    /// The flit at place `at` leaves.
    #[inline]
    pub fn take(&mut self, at: usize) -> Option<Flit> {
        self.here -= usize::from(at < self.here);
        match at {
            0 => self.flits.pop_front(),
            at => self.flits.remove(at),
        }
    }

    /// The tail of `packet` has left.
    #[inline]
    pub fn pass(&mut self, packet: u32) {
        match self.passing.front() {
            Some(first) if first.packet == packet => {
                self.passing.pop_front();
            }
            _ => self.passing.retain(|visit| visit.packet != packet),
        }
    }

    /// Once settled: credits that count, and those that do not yet.
    #[inline]
    pub fn credits(&self) -> (u64, u64) {
        (self.credits, self.returning.len() as u64)
    }

    /// Once settled: flits that can leave, and those under way.
    #[inline]
    pub fn stored(&self) -> (u64, u64) {
        (self.here as u64, (self.flits.len() - self.here) as u64)
    }

    /// Once settled: the packet at the front. Its flits come first; so its header is the first
    /// of all unless it has left.
    #[inline]
    pub fn front(&self) -> Option<Visit> {
        let first = *self.passing.front()?;
        let comes = |flit: &Flit| flit.packet == first.packet && flit.index == 0;
        let is_coming = self.here == 0 && self.flits.front().is_some_and(comes);
        (!is_coming).then_some(first)
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
