//! Which lanes can never send again, given which packets hold which lanes.
//!
//! A lane may send if its front packet has a lane to go to with room, or room to come, and a flit
//! to send, or one to come; or if its header may get one of the lanes it is allowed: a free one,
//! or one whose holder may send. Whatever is under way comes to pass. Everything that follows
//! from this may move, by a fixpoint; the rest never does: each of its lanes waits for others of
//! the rest alone. What may move is taken generously (the holder of a lane may send a flit and
//! then get stuck), so a deadlock that is closing is seen once it has closed, and one that is
//! seen is one.

use alloc::vec;
use alloc::vec::Vec;

use crate::fabric::{Fabric, OutputQueues};
use crate::lane::NONE;
use crate::route::Choices;

/// The lanes that may send, and those that never will.
pub struct Still<'a> {
    pub fabric: &'a Fabric,
    /// By input lane.
    may_send: Vec<bool>,
    /// By input lane: a flit is on its way to it.
    flits: Vec<bool>,
    /// By output lane: a credit or its release is on its way, a flit in its small buffer, or a
    /// header that has got it.
    news: Vec<bool>,
}

impl<'a> Still<'a> {
    pub fn new(fabric: &'a Fabric) -> Still<'a> {
        let mut standstill = Still {
            may_send: vec![false; fabric.input.len()],
            flits: vec![false; fabric.input.len()],
            news: vec![false; fabric.output.len()],
            fabric,
        };
        standstill.note_what_is_under_way();
        let waiters = standstill.waiters();
        let mut open: Vec<u32> = (0..fabric.input.len() as u32).collect();
        while let Some(lane) = open.pop() {
            if standstill.may_send[lane as usize] || !standstill.can_send(lane) {
                continue;
            }
            standstill.may_send[lane as usize] = true;
            standstill.wake(lane, &waiters, &mut open);
        }
        standstill
    }

    /// Does this lane between routers hold a packet for ever?
    pub fn holds(&self, lane: u32) -> bool {
        !self.may_send[lane as usize] && self.fabric.input[lane as usize].front != NONE
    }

    /// Packets in the network of which no flit can ever move, by number.
    pub fn packets(&self) -> Vec<u32> {
        let fabric = self.fabric;
        let numbers = fabric.packets.numbers();
        let (mut inside, mut moves) = (vec![false; numbers], vec![false; numbers]);
        for lane in 0..fabric.input.len() as u32 {
            if fabric.is_source(lane) {
                let front = fabric.input[lane as usize].front;
                if front != NONE && self.may_send[lane as usize] {
                    moves[front as usize] = true;
                }
                continue;
            }
            for id in packets_in(fabric, lane) {
                inside[id as usize] = true;
                moves[id as usize] |= self.may_send[lane as usize];
            }
        }
        for (_, id) in fabric.headers.slots().iter().flatten() {
            moves[*id as usize] = true;
        }
        let stuck = (0..numbers).filter(|id| inside[*id] && !moves[*id]);
        stuck.map(|id| id as u32).collect()
    }

    /// The input lane that an output lane leads to, unless to a terminal.
    pub fn target(&self, output: u32) -> Option<u32> {
        let channel = self.fabric.out_channels[self.fabric.channel(output) as usize];
        let index = output & (self.fabric.layout.stride() - 1);
        (channel.spend != 0).then_some(channel.target + index)
    }

    /// The input lane whose front packet holds an output lane.
    pub fn holder(&self, output: u32) -> Option<u32> {
        let link = self.fabric.output[output as usize].link;
        (link != self.fabric.layout.no_in()).then_some(link)
    }

    /// The output lane of the front packet.
    pub fn link(&self, lane: u32) -> Option<u32> {
        let link = self.fabric.input[lane as usize].link;
        (link != self.fabric.layout.no_out()).then_some(link)
    }

    /// Output lanes that the header at the front of `lane` may take, in the order of choice.
    pub fn allowed(&self, lane: u32) -> Vec<u32> {
        self.fabric.allowed(lane)
    }

    fn note_what_is_under_way(&mut self) {
        let fabric = self.fabric;
        for lane in fabric.arrivals.slots().iter().flatten() {
            self.flits[*lane as usize] = true;
        }
        for (lane, _) in fabric.headers.slots().iter().flatten() {
            self.flits[*lane as usize] = true;
        }
        // A header that has got a lane goes on once it may use it.
        for (lane, output) in fabric.granted.slots().iter().flatten() {
            self.flits[*lane as usize] = true;
            self.news[*output as usize] = true;
        }
        let (credits, releases) = (fabric.credits.slots(), fabric.releases.slots());
        for lane in credits.iter().chain(releases).flatten() {
            self.news[*lane as usize] = true;
        }
        for flit in fabric.queues.iter().flat_map(OutputQueues::flits) {
            self.news[flit.into as usize] = true;
            if let Some(lane) = self.target(flit.into) {
                self.flits[lane as usize] = true;
            }
        }
    }

    /// A header at the front of a lane between routers that has no lane to go to yet.
    fn waits(&self, lane: u32) -> bool {
        let fabric = self.fabric;
        !fabric.is_source(lane)
            && fabric.input[lane as usize].front != NONE
            && self.link(lane).is_none()
    }

    /// Output lanes and the headers that wait for them, in order.
    fn waiters(&self) -> Vec<(u32, u32)> {
        let sources = self.fabric.layout.sources << self.fabric.layout.shift;
        let mut waiters = Vec::new();
        for lane in (0..sources).filter(|lane| self.waits(*lane)) {
            waiters.extend(self.allowed(lane).into_iter().map(|output| (output, lane)));
        }
        waiters.sort_unstable();
        waiters
    }

    /// `lane` may send: what that may help has to be looked at again.
    fn wake(&self, lane: u32, waiters: &[(u32, u32)], open: &mut Vec<u32>) {
        let before = self.fabric.input[lane as usize].before;
        let before = (before != self.fabric.layout.no_out()).then_some(before);
        let link = self.link(lane);
        open.extend(before.and_then(|output| self.holder(output)));
        open.extend(link.and_then(|output| self.target(output)));
        for output in before.into_iter().chain(link) {
            let from = waiters.partition_point(|(of, _)| *of < output);
            let of_it = waiters[from..].iter().take_while(|(of, _)| *of == output);
            open.extend(of_it.map(|(_, waiter)| *waiter));
        }
    }

    /// By what is known so far.
    fn can_send(&self, lane: u32) -> bool {
        let front = self.fabric.input[lane as usize].front;
        if self.flits[lane as usize] {
            return true;
        }
        if front == NONE {
            return false;
        }
        match self.link(lane) {
            Some(output) => self.has_room(output) && self.has_flit(lane),
            None if self.fabric.is_source(lane) => false,
            None => {
                let length = self.fabric.packets.get(front).length;
                let lanes = self.allowed(lane);
                lanes.iter().any(|output| self.can_be_had(*output, length))
            }
        }
    }

    fn has_room(&self, output: u32) -> bool {
        let Some(target) = self.target(output) else {
            return true;
        };
        self.fabric.output[output as usize].credits > 0
            || self.news[output as usize]
            || self.may_send[target as usize]
    }

    fn has_flit(&self, lane: u32) -> bool {
        let state = &self.fabric.input[lane as usize];
        let feeder = || {
            let before = (state.before != self.fabric.layout.no_out()).then_some(state.before);
            before.and_then(|output| self.holder(output))
        };
        state.count[0] > 0 || feeder().is_some_and(|feeder| self.may_send[feeder as usize])
    }

    /// May a header get this output lane, for a packet of so many flits?
    fn can_be_had(&self, output: u32, length: u16) -> bool {
        let fabric = self.fabric;
        let out = fabric.channel(output) as usize;
        let index = output & (fabric.layout.stride() - 1);
        let target = self.target(output);
        let needs_room = fabric.cut_through && target.is_some();
        if needs_room && length > fabric.depth {
            return false;
        }
        let drains = || {
            self.news[output as usize]
                || target.is_some_and(|target| self.may_send[target as usize])
        };
        if fabric.out_channels[out].free >> index & 1 == 1 {
            return !needs_room || fabric.output[output as usize].credits >= length || drains();
        }
        match self.holder(output) {
            Some(holder) => self.may_send[holder as usize],
            None => drains(),
        }
    }
}

impl Fabric {
    /// Output lanes that the header at the front of an input lane between routers may take, in the
    /// order of choice.
    pub fn allowed(&self, lane: u32) -> Vec<u32> {
        let router = self.in_channels[self.channel(lane) as usize].node;
        let mut way = self.packets.get(self.input[lane as usize].front).way;
        let mut choices = Choices::default();
        self.routing.route(router, &mut way, &mut choices);
        let first = self.layout.router_out[router as usize];
        let mut lanes = Vec::new();
        for choice in choices.as_slice() {
            let out = first + u32::from(choice.port);
            let of_it = (0..32).filter(|index| choice.lanes >> index & 1 == 1);
            lanes.extend(of_it.map(|index| (out << self.layout.shift) + index));
        }
        lanes
    }
}

/// Packets whose headers have reached a lane and whose tails have not left it, the front first.
pub fn packets_in(fabric: &Fabric, lane: u32) -> impl Iterator<Item = u32> {
    let last = fabric.input[lane as usize].last;
    let mut next = fabric.input[lane as usize].front;
    core::iter::from_fn(move || {
        let id = next;
        if id == NONE {
            return None;
        }
        next = match id == last {
            true => NONE,
            false => fabric.packets.get(id).next,
        };
        Some(id)
    })
}
