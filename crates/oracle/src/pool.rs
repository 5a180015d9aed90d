//! Memory that a node shares among all flows: Zhang 1991, section 3.1, as the chapter on sessions
//! and pools puts it.
//!
//! What a pool holds is counted anew for each unit that comes.

use std::cmp::Reverse;

use backwater_kernel::Time;
use backwater_net::spec::{Hold, PoolSpec, SchedulerSpec, SinkSpec, WhenFull};

use crate::network::{Leaving, Network};

/// What a unit that comes finds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// It may come in.
    Enough,
    /// It may not.
    None,
    /// It comes in, and others may have to go.
    Made,
}

impl Network {
    fn node_of(&self, leg: usize) -> u32 {
        self.to_nodes[self.legs[leg].channel]
    }

    fn bytes_of(&self, leg: usize, number: u64) -> u64 {
        self.flows[self.legs[leg].flow].sizes[number as usize]
    }

    /// Units and bytes that the pool of `node` holds.
    fn held(&self, node: u32, now: Time) -> (u64, u64) {
        let legs = (0..self.legs.len()).filter(|leg| self.node_of(*leg) == node);
        let stored = legs.flat_map(|leg| {
            let cells = self.legs[leg].stored.iter();
            cells.map(move |cell| self.bytes_of(leg, cell.number))
        });
        let is_here = |unit: &&Leaving| unit.node == node && unit.until > now;
        let leaving = self.leaving.iter().filter(is_here).map(|unit| unit.bytes);
        let all: Vec<u64> = stored.chain(leaving).collect();
        (all.len() as u64, all.iter().sum())
    }

    /// Is there room for a unit that has come over `leg`?
    pub fn room(&self, leg: usize, number: u64, now: Time) -> Room {
        let (node, state) = (self.node_of(leg), &self.legs[leg]);
        let is_taken = state.is_leaf() && self.flows[state.flow].sink == SinkSpec::Infinite;
        let Some(pool) = self.pools[node as usize].filter(|_| !is_taken) else {
            return Room::Enough;
        };
        if pool.when_full == WhenFull::PushOut && !state.is_leaf() {
            return Room::Made;
        }
        let (units, bytes) = self.held(node, now);
        let own = state.stored.len() as f64;
        let is_within = pool.alpha.is_none_or(|alpha| {
            let free = pool.limit_units.map_or(0.0, f64::from) - units as f64;
            let times = f64::from(alpha.numerator) / f64::from(alpha.denominator);
            own + 1.0 <= times * free
        });
        match is_within && fits(&pool, units + 1, bytes + self.bytes_of(leg, number)) {
            true => Room::Enough,
            false => Room::None,
        }
    }

    /// A unit has come over `leg`: others go until the rest fits.
    pub fn push_out(&mut self, leg: usize, now: Time) {
        let node = self.node_of(leg);
        let Some(pool) = self.pools[node as usize] else {
            return;
        };
        loop {
            let (units, bytes) = self.held(node, now);
            if fits(&pool, units, bytes) {
                return;
            }
            let waits = |leg: &usize| {
                let state = &self.legs[*leg];
                let parent = state.parent.map(|parent| self.node_of(parent));
                parent == Some(node) && !state.queue.is_empty()
            };
            let waiting: Vec<usize> = (0..self.legs.len()).filter(waits).collect();
            let length = |channel: usize| -> usize {
                let here = waiting
                    .iter()
                    .filter(|leg| self.legs[**leg].channel == channel);
                here.map(|leg| self.legs[*leg].queue.len()).sum()
            };
            let longest = |leg: &&usize| {
                let channel = self.legs[**leg].channel;
                (length(channel), std::cmp::Reverse(channel))
            };
            let Some(longest) = waiting.iter().max_by_key(longest) else {
                return;
            };
            let channel = self.legs[*longest].channel;
            let here = waiting
                .iter()
                .filter(|leg| self.legs[**leg].channel == channel);
            let last = here.copied().max_by(|one, other| self.later(*one, *other));
            let Some(last) = last else { return };
            self.lose_last(last, now);
        }
    }

    /// Of two legs at one port: whose last unit goes first?
    fn later(&self, one: usize, other: usize) -> std::cmp::Ordering {
        let port = &self.channels[self.legs[one].channel].port;
        if !port.spec.stamps() {
            let length = |leg: usize| (self.legs[leg].queue.len(), leg);
            return length(one).cmp(&length(other));
        }
        let key = |leg: usize| {
            let unit = self.legs[leg].queue[self.last(leg)];
            let group = match port.spec {
                SchedulerSpec::Fifo => Reverse(0),
                _ => Reverse(self.flows[self.legs[leg].flow].priority),
            };
            (group, unit.rank.is_none(), unit.rank, unit.arrived, leg)
        };
        key(one).cmp(&key(other))
    }

    /// Where the unit is in the queue of `leg` that would go last.
    fn last(&self, leg: usize) -> usize {
        let state = &self.legs[leg];
        let places = 0..state.queue.len();
        let last = match self.channels[state.channel].port.sorts_within_a_leg() {
            true => places.max_by_key(|place| (state.queue[*place].rank, *place)),
            false => places.last(),
        };
        last.expect("units wait")
    }

    /// The last unit that waits for `leg` is lost.
    fn lose_last(&mut self, leg: usize, now: Time) {
        let place = self.last(leg);
        let unit = self.legs[leg].queue.remove(place);
        if self.legs[leg].queue.is_empty() {
            let channel = self.legs[leg].channel;
            self.channels[channel].port.note_empty(leg);
        }
        if let Some(parent) = self.legs[leg].parent {
            self.leave(parent, leg, unit.number, now, now);
        }
    }

    /// A cell of `leg` has left the memory; its last bit leaves at `until`.
    pub fn note_leaving(&mut self, leg: usize, number: u64, until: Time) {
        let node = self.node_of(leg);
        let holds = |pool: &PoolSpec| pool.hold == Hold::End;
        if self.pools[node as usize].as_ref().is_some_and(holds) {
            let bytes = self.bytes_of(leg, number);
            self.leaving.push(Leaving { node, until, bytes });
        }
    }
}

fn fits(pool: &PoolSpec, units: u64, bytes: u64) -> bool {
    let in_units = pool
        .limit_units
        .is_none_or(|limit| units <= u64::from(limit));
    in_units && pool.limit_bytes.is_none_or(|limit| bytes <= limit)
}
