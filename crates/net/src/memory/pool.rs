//! A memory that all flows through a node share (Zhang 1991, section 3.1: "The buffer pool at the
//! switch is completely shared. When the pool is exhausted, the VirtualClock algorithm drops the
//! last packet ... from the (longest) queue").
//!
//! Symbols: `units` and `bytes` are what the pool holds; a unit that several branches send counts
//! once. With `Hold::Start` that is what the node has stored. With `Hold::End` units count until
//! their last bit has left: `leaving` lists those that have left the memory but not the port. It
//! is looked through when a unit comes, so leaving takes no event.
//!
//! With `alpha` a flow may hold that many times what is free, so that it can't fill the memory
//! alone, and what it may hold falls as others come (Choudhury and Hahne 1998). What it holds is
//! what waits; a unit on its way out counts in the pool only.
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

use backwater_kernel::{BuildError, Channels, Time};

use crate::spec::{FlowControlSpec, FlowSpec, Hold, NetworkSpec, PoolSpec, WhenFull};

/// The memory of one node.
pub(crate) struct Pool {
    pub(super) spec: PoolSpec,
    /// Bytes stored.
    pub(super) bytes: u64,
    /// Units that have started on their last channel and are still being sent.
    pub(super) leaving: Vec<Leaving>,
    /// The node's ports, in the order of channels; only where units are pushed out.
    pub(super) outputs: Vec<Output>,
    pub(super) max: u64,
}

#[derive(Clone, Copy)]
pub(super) struct Leaving {
    pub(super) until: Time,
    pub(super) bytes: u32,
}

/// A port of a node whose pool pushes out.
pub(super) struct Output {
    pub(super) channel: u32,
    /// Units that wait for it.
    pub(super) waiting: u32,
    /// Legs that leave through it; not those of flows that start here.
    pub(super) legs: Vec<u32>,
    /// Units are stamped: the largest stamp goes.
    pub(super) is_stamped: bool,
    /// Flows start here too: what waits of them is in no pool.
    pub(super) has_roots: bool,
}

impl Pool {
    pub(super) fn new(spec: PoolSpec) -> Pool {
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
    pub(super) fn fits(&self, (units, bytes): (u64, u64)) -> bool {
        let units_max = self.spec.limit_units.map_or(u64::MAX, u64::from);
        units <= units_max && bytes <= self.spec.limit_bytes.unwrap_or(u64::MAX)
    }

    /// May a flow that holds `own` units have one more, of `held` by all?
    pub(super) fn may_hold(&self, own: u64, held: u64) -> bool {
        let (Some(alpha), Some(limit)) = (self.spec.alpha, self.spec.limit_units) else {
            return true;
        };
        let free = u64::from(limit).saturating_sub(held);
        let threshold = u128::from(free) * u128::from(alpha.numerator);
        u128::from(own + 1) * u128::from(alpha.denominator) <= threshold
    }

    /// A unit left the memory at `now`; its last bit leaves at `until`.
    #[cold]
    pub fn on_freed(&mut self, now: Time, bytes: u32, until: Time) {
        self.bytes -= bytes as u64;
        if self.spec.hold == Hold::End && until > now {
            self.leaving.push(Leaving { until, bytes });
        }
    }

    /// A unit that waited for `channel` waits no more, or (`more`) one more does.
    pub(super) fn count_waiting(&mut self, channel: u32, more: bool) {
        let found = self
            .outputs
            .binary_search_by_key(&channel, |output| output.channel);
        if let Ok(place) = found {
            let waiting = &mut self.outputs[place].waiting;
            *waiting = if more { *waiting + 1 } else { *waiting - 1 };
        }
    }

    /// The port for which most units wait; the lower channel of equals.
    pub(super) fn longest(&self) -> Option<&Output> {
        let queues = self.outputs.iter().filter(|output| output.waiting > 0);
        queues.max_by_key(|output| (output.waiting, Reverse(output.channel)))
    }
}

impl Pool {
    pub(super) fn add_leg(&mut self, spec: &NetworkSpec, channel: u32, leg_id: u32) {
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
            let node = spec
                .ends(leg.channel)
                .and_then(|(_, to)| spec.nodes.get(to as usize));
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
    let is_meaningless = pool.alpha.is_some_and(|alpha| {
        alpha.denominator == 0 || pool.limit_units.is_none() || pool.when_full != WhenFull::TailDrop
    });
    if is_meaningless {
        return Err("a threshold by what is free needs a limit in units and tail drop".into());
    }
    if is_too_small || pool.limit_units == Some(0) {
        return Err(format!("it can't hold a unit of {largest} bytes"));
    }
    Ok(())
}
