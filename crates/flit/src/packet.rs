//! Packets: one record each in a pool, touched by headers and tails only.

use alloc::vec::Vec;

use crate::lane::NONE;
use crate::route::Way;

/// A packet under way or waiting at its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// When it was born.
    pub birth: u64,
    /// When its header left the source.
    pub entered: u64,
    /// Urgency: priority class, then birth plus deadline; smaller goes first.
    pub key: u64,
    /// Terminal it comes from.
    pub source: u32,
    /// What routing knows of it.
    pub way: Way,
    /// The packet behind it in the lane that holds its header.
    pub next: u32,
    /// Flits.
    pub length: u16,
    /// Channels its header has crossed, and the cycles these take.
    pub hops: u16,
    pub flight: u32,
    /// Class.
    pub class: u8,
}

impl Packet {
    /// Its header crosses one more channel, in so many cycles.
    #[inline]
    pub fn cross(&mut self, flight: u16) {
        self.hops += 1;
        self.flight += u32::from(flight);
    }
}

const NO_PACKET: Packet = Packet {
    birth: 0,
    entered: 0,
    key: 0,
    source: 0,
    way: Way {
        destination: 0,
        via: 0,
        plan: 0,
        group: 0,
    },
    next: NONE,
    length: 0,
    hops: 0,
    flight: 0,
    class: 0,
};

/// Number in joined pools of packet `id` of pool `index`: the same whenever they are joined.
pub(crate) fn joined(id: u32, index: usize, pools: usize) -> u32 {
    match id {
        NONE => NONE,
        id => id * pools as u32 + index as u32,
    }
}

/// Packets by number; numbers are used again.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    packets: Vec<Packet>,
    free: Vec<u32>,
}

impl Pool {
    /// Stores a packet.
    pub fn add(&mut self, packet: Packet) -> u32 {
        if let Some(id) = self.free.pop() {
            self.packets[id as usize] = packet;
            return id;
        }
        self.packets.push(packet);
        self.packets.len() as u32 - 1
    }

    /// Ends a packet's life.
    pub fn remove(&mut self, id: u32) -> Packet {
        self.free.push(id);
        let packet = &mut self.packets[id as usize];
        packet.next = NONE;
        *packet
    }

    /// Holds the packets of several pools from now on, number `id` of pool `i` as
    /// [`joined`]`(id, i, pools)`. None of them can be removed.
    pub fn join(&mut self, pools: &[&Pool]) {
        self.free.clear();
        self.packets.clear();
        let most = pools.iter().map(|pool| pool.packets.len()).max();
        for id in 0..most.unwrap_or(0) {
            for (index, pool) in pools.iter().enumerate() {
                // A number that only other pools use.
                let mut packet = *pool.packets.get(id).unwrap_or(&NO_PACKET);
                packet.next = joined(packet.next, index, pools.len());
                self.packets.push(packet);
            }
        }
    }

    /// Packets alive.
    pub fn len(&self) -> usize {
        self.packets.len() - self.free.len()
    }

    /// All numbers in use are below this.
    pub fn numbers(&self) -> usize {
        self.packets.len()
    }

    #[inline]
    pub fn get(&self, id: u32) -> &Packet {
        &self.packets[id as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, id: u32) -> &mut Packet {
        &mut self.packets[id as usize]
    }
}
