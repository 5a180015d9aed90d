//! Units come to a node with a pool, and leave it.

use alloc::vec::Vec;

use backwater_kernel::{EventQueue, Time};

use super::pool::{Output, Pool};
use crate::hop::unit::{Fifo, NONE};
use crate::network::Network;
use crate::outcome::LossCause;
use crate::probe::Probe;
use crate::scheduler::Scheduler;
use crate::simulation::Simulation;
use crate::spec::{NetworkSpec, WhenFull};

impl Network {
    /// Units and bytes in the pool of `node` at `at`; `None` if it has none.
    pub fn pooled(&self, node: u32, at: Time) -> Option<(u64, u64)> {
        let node = self.nodes.get(node as usize)?;
        let pool = self.pools.get(node.pool as usize)?;
        Some(pool.level(at, node.stored.value()))
    }

    /// The pool that holds what waits for `leg_id`, if it pushes out.
    fn pool_behind(&mut self, leg_id: u32) -> Option<&mut Pool> {
        let parent = self.legs[leg_id as usize].sender.parent;
        let node = self.legs.get(parent as usize)?.receiver.node;
        let pool = self.nodes[node as usize].pool;
        self.pools.get_mut(pool as usize)
    }

    /// The leg whose last unit is the last that `output` would send.
    fn victim(&self, output: &Output) -> u32 {
        if let Scheduler::Ranked(ranked) = &self.channels[output.channel as usize].scheduler
            && ranked.tracks_tails
            && !output.has_roots
        {
            return ranked.largest_tail().unwrap_or(NONE);
        }
        let sender = |leg: u32| &self.legs[leg as usize].sender;
        let waiting = output
            .legs
            .iter()
            .copied()
            .filter(|&leg| sender(leg).queue.len > 0);
        let last = if output.is_stamped {
            let turn = |leg: u32| {
                let last = self.units.packet(sender(leg).queue.tail);
                (last.rank, last.came)
            };
            waiting.max_by_key(|&leg| (sender(leg).place.group(), turn(leg), leg))
        } else {
            waiting.max_by_key(|&leg| (sender(leg).queue.len, leg))
        };
        last.unwrap_or(NONE)
    }

    /// Gives nodes their pools, and pools that push out their ports.
    pub(crate) fn add_pools(&mut self, spec: &NetworkSpec) {
        for (id, node) in spec.nodes.iter().enumerate() {
            if let Some(pool) = node.pool {
                self.nodes[id].pool = self.pools.len() as u32;
                self.pools.push(Pool::new(pool));
            }
        }
        for leg_id in 0..self.legs.len() as u32 {
            let channel = self.legs[leg_id as usize].sender.channel;
            let Some(pool) = self.pool_behind(leg_id) else {
                continue;
            };
            if pool.spec.when_full == WhenFull::PushOut {
                pool.add_leg(spec, channel, leg_id);
                self.legs[leg_id as usize].sender.is_watched = true;
            }
        }
        for leg in &self.legs {
            let outputs = self.pools.iter_mut().flat_map(|pool| &mut pool.outputs);
            let mut here = outputs.filter(|output| output.channel == leg.sender.channel);
            if leg.sender.is_root()
                && let Some(output) = here.next()
            {
                output.has_roots = true;
            }
        }
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A unit has come over `leg_id` to a node with a pool.
    #[cold]
    pub(crate) fn arrive_in_pool(&mut self, channel_id: u32, leg_id: u32, place: u32) {
        let now = self.now;
        let network = &mut self.network;
        let receiver = &network.legs[leg_id as usize].receiver;
        let (node_id, is_leaf) = (receiver.node, receiver.is_leaf());
        let own = u64::from(receiver.fill.value());
        let bytes = network.units.get(place).bytes as u64;
        let node = &network.nodes[node_id as usize];
        let (pool_id, stored) = (node.pool as usize, node.stored.value());
        let pool = &mut network.pools[pool_id];
        pool.leaving.retain(|unit| unit.until > now);
        let (units_held, bytes_held) = pool.level(now, stored);
        let pushes_out = pool.spec.when_full == WhenFull::PushOut && !is_leaf;
        let refusal = match pool.fits((units_held + 1, bytes_held + bytes)) {
            false => Some(LossCause::Pool),
            true if !pool.may_hold(own, units_held) => Some(LossCause::Threshold),
            true => None,
        };
        if let Some(cause) = refusal.filter(|_| !pushes_out) {
            return self.drop_unit(channel_id, leg_id, place, cause);
        }
        pool.bytes += bytes;
        if pushes_out {
            self.store_and_note(leg_id, place);
            self.push_out(node_id, pool_id);
        } else {
            self.store_in_pool(leg_id, place);
        }
        let stored = self.network.nodes[node_id as usize].stored.value();
        let pool = &mut self.network.pools[pool_id];
        pool.max = pool.max.max(pool.level(now, stored).0);
    }

    /// [`Simulation::store`], out of line: that is in line where nodes have no pool.
    #[inline(never)]
    fn store_in_pool(&mut self, leg_id: u32, place: u32) {
        self.store(leg_id, place);
    }

    /// Stores the unit; its queues are longer, and each of its entries knows the one before it.
    fn store_and_note(&mut self, leg_id: u32, place: u32) {
        let flow_id = self.network.legs[leg_id as usize].sender.flow;
        let count = self.network.branches(flow_id, leg_id);
        let queue = |index| {
            let branch = self.network.branch(flow_id, leg_id, index);
            (branch, self.network.legs[branch as usize].sender.queue)
        };
        if count == 1 {
            let (branch, before) = queue(0);
            self.store_in_pool(leg_id, place);
            self.note_longer(branch, before);
        } else {
            let queues: Vec<_> = (0..count).map(queue).collect();
            self.store_in_pool(leg_id, place);
            for (branch, before) in queues {
                self.note_longer(branch, before);
            }
        }
        // What a port refused holds no memory; nothing else is freed before ports choose.
        self.free_units();
    }

    /// A unit joined the queue of `leg_id`, which was `before`, unless the port refused it.
    fn note_longer(&mut self, leg_id: u32, before: Fifo) {
        let sender = &self.network.legs[leg_id as usize].sender;
        let (channel, queue) = (sender.channel, sender.queue);
        if queue.len == before.len {
            return;
        }
        if before.len > 0 && queue.tail != before.tail {
            self.network.units.set_before(queue.tail, before.tail);
        }
        if let Some(pool) = self.network.pool_behind(leg_id) {
            pool.count_waiting(channel, true);
        }
    }

    /// Takes units out of the longest queue until the rest fits.
    fn push_out(&mut self, node_id: u32, pool_id: usize) {
        loop {
            let stored = self.network.nodes[node_id as usize].stored.value();
            let pool = &self.network.pools[pool_id];
            if pool.fits(pool.level(self.now, stored)) {
                return;
            }
            let Some(output) = pool.longest() else {
                return;
            };
            let (channel, leg) = (output.channel, self.network.victim(output));
            self.network.pools[pool_id].count_waiting(channel, false);
            self.push_out_last(channel, leg);
        }
    }

    /// The last unit that waits for `leg_id` is lost.
    fn push_out_last(&mut self, channel_id: u32, leg_id: u32) {
        let network = &mut self.network;
        let sender = &mut network.legs[leg_id as usize].sender;
        let hint = network.units.before(sender.queue.tail);
        let place = sender.queue.pop_last(&mut network.units, hint);
        let (left, seat) = (sender.queue.len, sender.place);
        let scheduler = &mut network.channels[channel_id as usize].scheduler;
        if left == 0 {
            scheduler.not_ready(seat);
        }
        if let Scheduler::Ranked(ranked) = scheduler {
            ranked.on_removed();
        }
        self.note_tail(leg_id);
        self.probe.on_queue(self.now, leg_id, left);
        if let Some(freed) = self.lose_waiting(leg_id, place, LossCause::PushOut) {
            self.free_unit(freed);
        }
        self.send_tear_down_if_due(leg_id);
    }

    /// A unit that waited for `leg_id` has started.
    pub(crate) fn leave_port(&mut self, leg_id: u32) {
        let channel = self.network.legs[leg_id as usize].sender.channel;
        if let Some(pool) = self.network.pool_behind(leg_id) {
            pool.count_waiting(channel, false);
        }
    }
}
