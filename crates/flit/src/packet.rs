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
    /// Channels its header has crossed.
    pub hops: u16,
    /// Class.
    pub class: u8,
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
