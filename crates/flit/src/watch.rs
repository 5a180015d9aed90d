//! Notes what the fabric does, for a probe.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use crate::fabric::Fabric;
use crate::lane::FRESH;
use crate::packet::Packet;

/// A packet, as probes know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tag {
    /// Its number among the packets alive; numbers are used again.
    pub number: u32,
    /// Terminal it comes from.
    pub source: u32,
    /// Terminal it goes to.
    pub destination: u32,
    /// Cycle in which it was born.
    pub birth: u64,
    /// Its class.
    pub class: u8,
    /// Flits.
    pub length: u16,
}

impl Tag {
    pub(crate) fn of(number: u32, packet: &Packet) -> Tag {
        Tag {
            number,
            source: packet.source,
            destination: packet.way.destination,
            birth: packet.birth,
            class: packet.class,
            length: packet.length,
        }
    }
}

/// A flit leaves a buffer for a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crossing {
    /// In this cycle.
    pub cycle: u64,
    /// Channel: those between routers, then injection, then ejection, both by terminal.
    pub channel: u32,
    /// Lane of the channel.
    pub lane: u8,
    /// Number of the flit in its packet, the header 0.
    pub flit: u16,
    /// Its packet.
    pub packet: Tag,
}

/// What happened in a cycle.
#[derive(Debug)]
pub(crate) struct Watch {
    pub births: Vec<Tag>,
    pub passages: Vec<Passage>,
    /// By output channel: what its small buffer holds.
    buffered: Vec<VecDeque<Crossing>>,
}

/// A flit on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Passage {
    /// Through a switch into the small buffer of a channel.
    Switch(Crossing),
    /// Over a channel.
    Channel(Crossing),
}

impl Watch {
    pub fn new(fabric: &Fabric) -> Box<Watch> {
        Box::new(Watch {
            births: Vec::new(),
            passages: Vec::new(),
            buffered: vec![VecDeque::new(); fabric.layout.outs as usize],
        })
    }
}

impl Fabric {
    /// Packet `id` is born.
    pub(crate) fn watch_birth(&mut self, id: u32) {
        let tag = Tag::of(id, self.packets.get(id));
        if let Some(watch) = &mut self.watch {
            watch.births.push(tag);
        }
    }

    /// The flits that were chosen are about to cross.
    pub(crate) fn watch_chosen(&mut self) {
        let Some(mut watch) = self.watch.take() else {
            return;
        };
        let crossings = self.chosen.iter().map(|&into| {
            let from = self.output[into as usize].link;
            Passage::Channel(self.next_flit(from, into))
        });
        watch.passages.extend(crossings);
        self.watch = Some(watch);
    }

    /// The next flit of `from` is about to go through the switch.
    pub(crate) fn watch_switch(&mut self, from: u32, into: u32) {
        let crossing = self.next_flit(from, into);
        let out = self.channel(into) as usize;
        let is_buffered = self.queues.is_some();
        if let Some(watch) = &mut self.watch {
            if is_buffered {
                watch.buffered[out].push_back(crossing);
                watch.passages.push(Passage::Switch(crossing));
            } else {
                watch.passages.push(Passage::Channel(crossing));
            }
        }
    }

    /// A channel is about to send the first flit of its small buffer.
    pub(crate) fn watch_buffered(&mut self, out: u32) {
        let cycle = self.now;
        if let Some(watch) = &mut self.watch
            && let Some(crossing) = watch.buffered[out as usize].pop_front()
        {
            let crossing = Crossing { cycle, ..crossing };
            watch.passages.push(Passage::Channel(crossing));
        }
    }

    /// The next flit of an input lane, on its way into an output lane.
    fn next_flit(&self, from: u32, into: u32) -> Crossing {
        let id = self.input[from as usize].front;
        let packet = self.packets.get(id);
        let left = self.input[from as usize].left & !FRESH;
        Crossing {
            cycle: self.now,
            channel: self.layout.spec_out[self.channel(into) as usize],
            lane: (into & (self.layout.stride() - 1)) as u8,
            flit: packet.length - left,
            packet: Tag::of(id, packet),
        }
    }
}
