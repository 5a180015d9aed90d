//! A memory that all flows through a node share (Zhang 1991, section 3.1: "The buffer pool at the
//! switch is completely shared. When the pool is exhausted, the VirtualClock algorithm drops the
//! last packet ... from the (longest) queue").
//!
//! Symbols: `units` and `bytes` are what the pool holds; a unit that several branches send counts
//! once. With `Hold::Start` that is what the node has stored. With `Hold::End` units count until
//! their last bit has left: `leaving` lists those that have left the memory but not the port. It
//! is looked through when a unit comes, so leaving takes no event.
//!
//! Push-out puts the unit in, then takes out the last one of the longest queue until the rest
//! fits. So the unit that came may be the one that goes. What waits for a sink is in no queue of
//! a port: a unit that has reached its destination pushes nobody out, and nobody pushes it out.
//!
//! Not in the pool: what waits at the source of its flow, and what a destination takes at once.
//! Not modelled: memory in pieces that units only partly fill.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use backwater_kernel::{BuildError, Channels, EventQueue, Time};

use crate::build::ends;
use crate::outcome::LossCause;
use crate::probe::Probe;
use crate::scheduler::Scheduler;
use crate::simulation::{Freed, Network, Simulation};
use crate::spec::{FlowControlSpec, FlowSpec, Hold, NetworkSpec, PoolSpec, WhenFull};
use crate::unit::{Fifo, NONE};

/// The memory of one node.
pub(crate) struct Pool {
    spec: PoolSpec,
    /// Bytes stored.
    bytes: u64,
    /// Units that have started on their last channel and are still being sent.
    leaving: Vec<Leaving>,
    /// The node's ports, in the order of channels; only where units are pushed out.
    outputs: Vec<Output>,
    max: u64,
}

#[derive(Clone, Copy)]
struct Leaving {
    until: Time,
    bytes: u32,
}

/// A port of a node whose pool pushes out.
struct Output {
    channel: u32,
    /// Units that wait for it.
    waiting: u32,
    /// Legs that leave through it; not those of flows that start here.
    legs: Vec<u32>,
    /// Units are stamped: the largest stamp goes.
    is_stamped: bool,
    /// Flows start here too: what waits of them is in no pool.
    has_roots: bool,
}

impl Pool {
    fn new(spec: PoolSpec) -> Pool {
        Pool {
            spec,
            bytes: 0,
            leaving: Vec::new(),
            outputs: Vec::new(),
            max: 0,
        }
    }

    /// Most units it held when one was admitted.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Units and bytes in it at `now`, of a node that has `stored` units.
    pub fn level(&self, now: Time, stored: u64) -> (u64, u64) {
        let leaving = self.leaving.iter().filter(|unit| unit.until > now);
        leaving.fold((stored, self.bytes), |(units, bytes), unit| {
            (units + 1, bytes + unit.bytes as u64)
        })
    }

    /// So much is within its limits.
    fn fits(&self, (units, bytes): (u64, u64)) -> bool {
        let units_max = self.spec.limit_units.map_or(u64::MAX, u64::from);
        units <= units_max && bytes <= self.spec.limit_bytes.unwrap_or(u64::MAX)
    }

    /// A unit left the memory at `now`.
    #[cold]
    pub fn on_freed(&mut self, now: Time, unit: Freed) {
        self.bytes -= unit.bytes as u64;
        if self.spec.hold == Hold::End && unit.until > now {
            let (until, bytes) = (unit.until, unit.bytes);
            self.leaving.push(Leaving { until, bytes });
        }
    }

    /// A unit that waited for `channel` waits no more, or (`more`) one more does.
    fn count_waiting(&mut self, channel: u32, more: bool) {
        let found = self
            .outputs
            .binary_search_by_key(&channel, |output| output.channel);
        if let Ok(place) = found {
            let waiting = &mut self.outputs[place].waiting;
            *waiting = if more { *waiting + 1 } else { *waiting - 1 };
        }
    }

    /// The port for which most units wait; the lower channel of equals.
    fn longest(&self) -> Option<&Output> {
        let queues = self.outputs.iter().filter(|output| output.waiting > 0);
        queues.max_by_key(|output| (output.waiting, Reverse(output.channel)))
    }
}

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
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A unit has come over `leg_id` to a node with a pool.
    #[cold]
    pub(crate) fn arrive_in_pool(&mut self, channel_id: u32, leg_id: u32, place: u32) {
        let now = self.now;
        let network = &mut self.network;
        let receiver = &network.legs[leg_id as usize].receiver;
        let (node_id, is_leaf) = (receiver.node, receiver.is_leaf());
        let bytes = network.units.get(place).bytes as u64;
        let node = &network.nodes[node_id as usize];
        let (pool_id, stored) = (node.pool as usize, node.stored.value());
        let pool = &mut network.pools[pool_id];
        pool.leaving.retain(|unit| unit.until > now);
        let (units_held, bytes_held) = pool.level(now, stored);
        let pushes_out = pool.spec.when_full == WhenFull::PushOut && !is_leaf;
        if !pushes_out && !pool.fits((units_held + 1, bytes_held + bytes)) {
            return self.drop_unit(channel_id, leg_id, place, LossCause::Pool);
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

/// Gives nodes their pools, and pools that push out their ports.
pub(crate) fn add_pools(network: &mut Network, spec: &NetworkSpec) {
    for (id, node) in spec.nodes.iter().enumerate() {
        if let Some(pool) = node.pool {
            network.nodes[id].pool = network.pools.len() as u32;
            network.pools.push(Pool::new(pool));
        }
    }
    for leg_id in 0..network.legs.len() as u32 {
        let channel = network.legs[leg_id as usize].sender.channel;
        let Some(pool) = network.pool_behind(leg_id) else {
            continue;
        };
        if pool.spec.when_full == WhenFull::PushOut {
            pool.add_leg(spec, channel, leg_id);
            network.legs[leg_id as usize].sender.is_watched = true;
        }
    }
    for leg in &network.legs {
        let outputs = network.pools.iter_mut().flat_map(|pool| &mut pool.outputs);
        let mut here = outputs.filter(|output| output.channel == leg.sender.channel);
        if leg.sender.is_root()
            && let Some(output) = here.next()
        {
            output.has_roots = true;
        }
    }
}

impl Pool {
    fn add_leg(&mut self, spec: &NetworkSpec, channel: u32, leg_id: u32) {
        let found = self
            .outputs
            .binary_search_by_key(&channel, |output| output.channel);
        let place = found.unwrap_or_else(|place| {
            let scheduler = spec.links.channel(channel).scheduler;
            let output = Output {
                channel,
                waiting: 0,
                legs: Vec::new(),
                is_stamped: scheduler.stamps(),
                has_roots: false,
            };
            self.outputs.insert(place, output);
            place
        });
        self.outputs[place].legs.push(leg_id);
    }
}

/// Refuses pools that can't work.
pub(crate) fn check(spec: &NetworkSpec) -> Result<(), BuildError> {
    for flow in &spec.flows {
        for leg in &flow.legs {
            let node = ends(spec, leg.channel).and_then(|(_, to)| spec.nodes.get(to as usize));
            let Some((node, Some(pool))) = node.map(|node| (node, node.pool)) else {
                continue;
            };
            if let Err(what) = check_leg(flow, leg.flow_control, &pool) {
                let (flow, node) = (&flow.name, &node.name);
                return Err(BuildError(format!(
                    "flow `{flow}`, pool of `{node}`: {what}"
                )));
            }
        }
    }
    Ok(())
}

fn check_leg(flow: &FlowSpec, control: FlowControlSpec, pool: &PoolSpec) -> Result<(), String> {
    if control != FlowControlSpec::None {
        return Err("credit reserves memory by circuit, and a pool shares it".into());
    }
    let sizes = flow.sizes.iter().map(|size| size.bytes);
    let largest = sizes.fold(flow.unit_bytes, u32::max);
    let is_too_small = pool.limit_bytes.is_some_and(|bytes| bytes < largest as u64);
    if is_too_small || pool.limit_units == Some(0) {
        return Err(format!("it can't hold a unit of {largest} bytes"));
    }
    Ok(())
}
