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

/// A lane, from the credits at its sending end to the buffer at its receiving end.
#[derive(Debug)]
pub struct LaneBook {
    /// Flits that have crossed and not left, in order.
    pub flits: VecDeque<Flit>,
    /// Packets whose headers have gone in and whose tails have not come out, in order.
    pub passing: VecDeque<u32>,
    /// The packet whose header has gone in and whose tail has not.
    pub open: Option<u32>,
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
            passing: VecDeque::new(),
            open: None,
            free_from: 0,
            credits: depth,
            returning: VecDeque::new(),
            buffered: 0,
        }
    }

    /// A flit goes in; was there room?
    pub fn spend(&mut self, cycle: u64) -> bool {
        while self.returning.front().is_some_and(|due| *due <= cycle) {
            self.returning.pop_front();
            self.credits += 1;
        }
        let had = self.credits > 0;
        self.credits = self.credits.saturating_sub(1);
        had
    }

    /// A place becomes free and counts from `due` on.
    pub fn give_back(&mut self, due: u64) {
        self.returning.push_back(due);
    }

    /// Credits that count in `cycle`, and those that do not yet.
    pub fn credits(&self, cycle: u64) -> (u64, u64) {
        let back = self.returning.iter().filter(|due| **due <= cycle).count() as u64;
        (self.credits + back, self.returning.len() as u64 - back)
    }

    /// Flits that can leave in `cycle`, and those under way.
    pub fn stored(&self, cycle: u64) -> (u64, u64) {
        let here = self.flits.partition_point(|flit| flit.from <= cycle);
        (here as u64, (self.flits.len() - here) as u64)
    }

    /// The packet at the front in `cycle`.
    pub fn front(&self, cycle: u64) -> Option<u32> {
        let packet = *self.passing.front()?;
        let under_way = |flit: &Flit| flit.packet == packet && flit.index == 0;
        let header = self.flits.iter().find(|flit| under_way(flit));
        header
            .is_none_or(|flit| flit.from <= cycle)
            .then_some(packet)
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

/// A packet alive.
#[derive(Debug)]
pub struct PacketBook {
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

impl PacketBook {
    pub fn new(tag: Tag) -> PacketBook {
        PacketBook {
            tag,
            hops: Vec::new(),
            entered: 0,
            due: None,
        }
    }

    /// Flits that have gone into the lane at place `hop` of its way.
    pub fn gone(&self, hop: usize) -> u16 {
        self.hops.get(hop).map_or(0, |next| next.flits)
    }
}
