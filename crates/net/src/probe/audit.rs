//! Promises checked while a run goes on, from outside the mechanisms.
//!
//! At every instant, for whatever was touched: credit + on the wire + stored <= N1 + N2 + N3;
//! credit <= N2 + N3; at most N2 + N3 starts in any window of one control loop; units of a
//! leg arrive in order (but for VirtualClock that resynchronises to the letter, which reorders);
//! no channel idles while something may be sent, and one whose units are all held is due to ask
//! again. Every 1024 instants and at the end, for everything: no channel idles as before; units
//! counted as on the wire are on the wire; memory holds what the slowest branch has still to send.
//! Where nodes have pools: no pool holds more than its limit, and its bytes are those of the units
//! in it. Where flows have sessions: what is reserved on a channel fits its rate.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{Channels, Duration, Place, Time};

use super::{Checks, Crossing, Probe};
use crate::hop::leg::Leg;
use crate::hop::unit::{Fifo, NONE};
use crate::network::Network;
use crate::spec::{
    CreditRule, FlowControlSpec, FlowSpec, NetworkSpec, PoolSpec, Resync, SchedulerSpec,
    SourceControlSpec,
};

/// Instants between two checks of everything.
const FULL_CHECK_EVERY: u64 = 1024;

/// Checks promises; owns what it needs to know.
pub struct Audit {
    limits: Vec<Option<Limit>>,
    last_number: Vec<Option<u64>>,
    /// Units carry rising numbers: not acknowledgements, not a source that sends again, not
    /// behind a port that may reorder them.
    is_numbered: Vec<bool>,
    /// Of each leg.
    channels: Vec<u32>,
    /// Limits of pools, by node.
    pools: Vec<Option<PoolSpec>>,
    /// By channel: the most that may be reserved, bits per second.
    bookable_bps: Vec<u64>,
    touched_legs: Vec<u32>,
    touched_channels: Vec<u32>,
    touched_nodes: Vec<u32>,
    checks: Checks,
}

/// What one leg promised.
struct Limit {
    /// N2 + N3: starts per window.
    window_units: u32,
    window: Duration,
    /// Starts within the last window; absent where the scheme promises no such bound.
    starts: Option<VecDeque<Time>>,
}

impl Audit {
    /// An audit of `network`.
    pub fn new(network: &NetworkSpec) -> Audit {
        let legs = network.flows.iter().flat_map(|flow| &flow.legs);
        let limits: Vec<Option<Limit>> = legs
            .map(|leg| match &leg.flow_control {
                FlowControlSpec::None => None,
                FlowControlSpec::Credit(credit) => {
                    let bounded = matches!(credit.rule, CreditRule::N23);
                    Some(Limit {
                        window_units: credit.n2 + credit.n3,
                        window: credit.window,
                        starts: bounded.then(VecDeque::new),
                    })
                }
            })
            .collect();
        let legs = limits.len();
        let answers = |id: usize| {
            network
                .flows
                .iter()
                .any(|flow| flow.partner == Some(id as u32))
        };
        let is_numbered = network.flows.iter().enumerate().flat_map(|(id, flow)| {
            let again = matches!(flow.source_control, SourceControlSpec::Aimd { .. });
            let in_order = !again && !answers(id) && !is_reordered(network, flow);
            core::iter::repeat_n(in_order, flow.legs.len())
        });
        let legs_of = network.flows.iter().flat_map(|flow| &flow.legs);
        Audit {
            is_numbered: is_numbered.collect(),
            channels: legs_of.map(|leg| leg.channel).collect(),
            limits,
            last_number: vec![None; legs],
            pools: network.nodes.iter().map(|node| node.pool).collect(),
            bookable_bps: bookable_bps(network),
            touched_legs: Vec::new(),
            touched_channels: Vec::new(),
            touched_nodes: Vec::new(),
            checks: Checks::default(),
        }
    }

    /// What it found.
    pub fn checks(&self) -> &Checks {
        &self.checks
    }

    fn require(&mut self, holds: bool, at: Time, leg: u32, what: impl FnOnce() -> String) {
        self.checks.require(holds, at, Place::Leg(leg), what);
    }

    fn check_start(&mut self, at: Time, leg: u32) {
        let Some(limit) = &mut self.limits[leg as usize] else {
            return;
        };
        let Some(starts) = &mut limit.starts else {
            return;
        };
        while starts
            .front()
            .is_some_and(|&start| start + limit.window <= at)
        {
            starts.pop_front();
        }
        starts.push_back(at);
        let (count, allowed) = (starts.len(), limit.window_units);
        self.require(count <= allowed as usize, at, leg, || {
            format!("{count} starts within one control loop, {allowed} allowed")
        });
    }

    fn check_leg(&mut self, at: Time, id: u32, network: &Network) {
        let leg = &network.legs[id as usize];
        let control = leg.sender.control;
        if control == NONE {
            return;
        }
        let window_units = self.limits[id as usize]
            .as_ref()
            .map_or(0, |limit| limit.window_units);
        let settings = network.credits[control as usize].settings;
        let allowed = network.settings[settings as usize].buffer_units as i64;
        let wire = network.on_the_wire(id) as i64;
        let (credit, fill) = (
            leg.sender.credit.max(0) as i64,
            leg.receiver.fill.value() as i64,
        );
        self.require(credit + wire + fill <= allowed, at, id, || {
            format!("credit {credit} + on the wire {wire} + stored {fill} exceed {allowed}")
        });
        self.require(credit <= window_units as i64, at, id, || {
            format!("credit {credit} exceeds N2 + N3 = {window_units}")
        });
    }

    fn check_channel(&mut self, at: Time, id: u32, network: &Network) {
        let channel = &network.channels[id as usize];
        let is_busy = channel.free_at > at;
        let may_start = channel.scheduler.may_start(at) || channel.has_control;
        self.require(is_busy || !may_start, at, 0, || {
            format!("channel {id} idles while something may be sent")
        });
        let is_held = channel.has_work() && !may_start;
        let is_due = channel.held_until > at;
        self.require(is_busy || !is_held || is_due, at, 0, || {
            format!("channel {id} holds units and is not due to ask for them again")
        });
        if let Some(reserved) = network.reserved(id) {
            let bookable = self.bookable_bps[id as usize];
            self.require(reserved.0 <= bookable, at, 0, || {
                format!("{reserved:?} reserved on channel {id}, {bookable} bit/s may be")
            });
        }
    }

    fn check_pool(&mut self, at: Time, id: u32, network: &Network) {
        let pool = self.pools[id as usize];
        let (Some(pool), Some((units, bytes))) = (pool, network.pooled(id, at)) else {
            return;
        };
        let units_fit = pool.limit_units.is_none_or(|limit| units <= limit as u64);
        let bytes_fit = pool.limit_bytes.is_none_or(|limit| bytes <= limit);
        self.require(units_fit && bytes_fit, at, 0, || {
            format!("the pool of node {id} holds {units} units, {bytes} bytes: beyond its limit")
        });
    }

    fn check_everything(&mut self, at: Time, network: &Network) {
        self.checks.compare();
        for id in 0..network.channels.len() {
            self.check_channel(at, id as u32, network);
        }
        let mut wire = vec![0u64; network.legs.len()];
        for channel in &network.channels {
            for unit in channel
                .wire
                .iter(&network.units)
                .filter(|unit| unit.kind.is_queued())
            {
                wire[unit.leg as usize] += 1;
            }
        }
        let mut stored_bytes = vec![0u64; network.nodes.len()];
        for (id, leg) in network.legs.iter().enumerate() {
            let counted = network.on_the_wire(id as u32);
            let seen = wire[id];
            self.require(counted == seen, at, id as u32, || {
                format!("{counted} units counted on the wire, {seen} found")
            });
            let (stored, bytes) = stored(network, leg);
            if let Some(sum) = stored_bytes.get_mut(leg.receiver.node as usize) {
                *sum += bytes;
            }
            let fill = leg.receiver.fill.value();
            self.require(fill == stored, at, id as u32, || {
                format!("memory counts {fill} units, its slowest branch has {stored} to send")
            });
        }
        for (id, bytes) in stored_bytes.into_iter().enumerate() {
            // At the end of time nothing is leaving: what is left is stored.
            if let Some((_, counted)) = network.pooled(id as u32, Time::MAX) {
                self.require(counted == bytes, at, 0, || {
                    format!("the pool of node {id} counts {counted} bytes, {bytes} are there")
                });
            }
        }
    }
}

/// Does a port on the way serve units of one flow by stamps that may fall?
fn is_reordered(network: &NetworkSpec, flow: &FlowSpec) -> bool {
    let may_fall = |scheduler: SchedulerSpec| match scheduler {
        SchedulerSpec::VirtualClock(spec) => spec.resync == Resync::Literal,
        _ => false,
    };
    flow.legs.iter().any(|leg| {
        let channel = network.links.channel(leg.channel);
        may_fall(channel.scheduler)
    })
}

/// Units and bytes that the receiver of a leg holds, seen from the queues they wait in. (A branch
/// may have lost units that others still have to send: entries of one copy count once.)
fn stored(network: &Network, leg: &Leg) -> (u32, u64) {
    let receiver = &leg.receiver;
    let first = receiver.first_child as usize;
    let sum = |queue: &Fifo| {
        let bytes = queue.iter(&network.units).map(|unit| unit.bytes as u64);
        (queue.len, bytes.sum())
    };
    let queue = |child: u32| &network.legs[child as usize].sender.queue;
    match receiver.children {
        0 if receiver.first_child == NONE => (0, 0),
        0 => sum(&network.sinks[first].waiting),
        1 => sum(queue(receiver.first_child)),
        count => {
            let children = &network.children[first..first + count as usize];
            let entries = children
                .iter()
                .flat_map(|&child| queue(child).iter(&network.units));
            let mut copies: Vec<(u32, u32)> =
                entries.map(|unit| (unit.shared, unit.bytes)).collect();
            copies.sort_unstable();
            copies.dedup();
            let bytes = copies.iter().map(|&(_, bytes)| bytes as u64);
            (copies.len() as u32, bytes.sum())
        }
    }
}

/// A channel's rate; more where flows without a session have more from the start.
fn bookable_bps(network: &NetworkSpec) -> Vec<u64> {
    let links = network.links.iter();
    let rates = links.flat_map(|link| [link.channels[0].rate.0, link.channels[1].rate.0]);
    let mut standing = vec![0u64; 2 * network.links.len()];
    for flow in network.flows.iter().filter(|flow| flow.session.is_none()) {
        let rate = flow.reserve.map_or(0, |reserve| reserve.rate.0);
        for leg in &flow.legs {
            let sum = &mut standing[leg.channel as usize];
            *sum = sum.saturating_add(rate);
        }
    }
    rates
        .zip(standing)
        .map(|(rate, sum)| rate.max(sum))
        .collect()
}

impl Probe for Audit {
    fn on_start(&mut self, crossing: Crossing) {
        self.touched_channels.push(crossing.channel);
        if crossing.kind.is_queued() {
            self.touched_legs.push(crossing.leg);
            self.check_start(crossing.at, crossing.leg);
        }
    }

    fn on_arrival(&mut self, crossing: Crossing) {
        self.touched_legs.push(crossing.leg);
        self.touched_channels.push(crossing.channel ^ 1);
        if crossing.kind.is_queued() {
            let last = self.last_number[crossing.leg as usize].replace(crossing.value);
            if let (Some(last), true) = (last, self.is_numbered[crossing.leg as usize]) {
                self.require(last < crossing.value, crossing.at, crossing.leg, || {
                    format!("unit {} arrived after unit {last}", crossing.value)
                });
            }
        }
    }

    fn on_rank(&mut self, _at: Time, leg: u32, _number: u32, _rank: u64) {
        self.touched_channels.push(self.channels[leg as usize]);
    }

    fn on_stored(&mut self, _at: Time, node: u32, _stored: u64) {
        if self.pools[node as usize].is_some() {
            self.touched_nodes.push(node);
        }
    }

    fn after_instant(&mut self, at: Time, network: &Network) {
        let mut legs = core::mem::take(&mut self.touched_legs);
        for leg in legs.drain(..) {
            self.check_leg(at, leg, network);
        }
        self.touched_legs = legs;
        let mut channels = core::mem::take(&mut self.touched_channels);
        for channel in channels.drain(..) {
            self.check_channel(at, channel, network);
        }
        self.touched_channels = channels;
        let mut nodes = core::mem::take(&mut self.touched_nodes);
        for node in nodes.drain(..) {
            self.check_pool(at, node, network);
        }
        self.touched_nodes = nodes;
        if self.checks.end_instant().is_multiple_of(FULL_CHECK_EVERY) {
            self.check_everything(at, network);
        }
    }

    fn on_end(&mut self, at: Time, network: &Network) {
        if self.checks.since_compared() > 0 {
            self.check_everything(at, network);
        }
    }
}
