//! The scheduler of a port: who has a seat there, in which group, entitled to what.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::{Channels, Rate};

use super::{Line, Ranked, RoundRobin, Scheduler, Seat, Share};
use crate::hop::leg::Leg;
use crate::hop::unit::NONE;
use crate::network::Network;
use crate::spec::{ChannelSpec, FlowSpec, NetworkSpec, WhenFull};

impl Network {
    /// The scheduler of a port, and the seats of its legs.
    pub(crate) fn new_scheduler(
        &mut self,
        spec: &NetworkSpec,
        channel: &ChannelSpec,
        legs: Vec<u32>,
    ) -> Scheduler {
        let groups = groups(self, spec, channel, legs);
        if channel.scheduler.takes_turns() {
            return Scheduler::RoundRobin(RoundRobin::new(groups));
        }
        if channel.scheduler.ignores_priority() && may_line_up(self, spec, &groups) {
            for &leg in groups.iter().flatten() {
                self.legs[leg as usize].sender.seen_by.set_lines();
            }
            return Scheduler::Line(Line::new());
        }
        let rates = rates(self, spec, channel, &groups);
        let mut seats: Vec<Vec<(u32, Share)>> = Vec::with_capacity(groups.len());
        for group in &groups {
            let share = |&leg: &u32| (leg, share(self, spec, leg, rates));
            seats.push(group.iter().map(share).collect());
        }
        for &leg in groups.iter().flatten() {
            self.legs[leg as usize].sender.seen_by.set_ranks();
        }
        let tracks_tails = pushes_out_by_rank(self, spec, channel, &groups);
        let ranked = Ranked::new(&channel.scheduler, channel.rate, seats, tracks_tails);
        Scheduler::Ranked(Box::new(ranked))
    }
}

/// No queue of the port is ever blocked, and none loses a unit that waits.
fn may_line_up(network: &Network, spec: &NetworkSpec, groups: &[Vec<u32>]) -> bool {
    let mut legs = groups.iter().flatten();
    legs.all(|&leg| {
        let sender = &network.legs[leg as usize].sender;
        let (from, _) = spec.ends(sender.channel).unwrap_or_default();
        let pool = spec.nodes[from as usize].pool;
        let pushes_out = pool.is_some_and(|pool| pool.when_full == WhenFull::PushOut);
        sender.control == NONE && !pushes_out
    })
}

/// The node of this port makes room in its pool by pushing out what it would serve last, and
/// ranks tell what that is.
fn pushes_out_by_rank(
    network: &Network,
    spec: &NetworkSpec,
    channel: &ChannelSpec,
    groups: &[Vec<u32>],
) -> bool {
    let first = groups.iter().flatten().next();
    let Some(&leg) = first.filter(|_| channel.scheduler.stamps()) else {
        return false;
    };
    let channel = network.legs[leg as usize].sender.channel;
    let node = spec.links.ends(channel).0;
    let pool = spec.nodes[node as usize].pool;
    pool.is_some_and(|pool| pool.when_full == WhenFull::PushOut)
}

/// Legs in groups by priority, the largest first, each group in the order of flows; they learn
/// their seats.
fn groups(
    network: &mut Network,
    spec: &NetworkSpec,
    channel: &ChannelSpec,
    legs: Vec<u32>,
) -> Vec<Vec<u32>> {
    let ignores_priority = channel.scheduler.ignores_priority();
    let priority = |leg: u32| {
        let flow = network.legs[leg as usize].sender.flow as usize;
        if ignores_priority {
            0
        } else {
            spec.flows[flow].priority
        }
    };
    let mut priorities: Vec<u8> = legs.iter().map(|&leg| priority(leg)).collect();
    priorities.sort_unstable_by(|one, other| other.cmp(one));
    priorities.dedup();
    let mut groups: Vec<Vec<u32>> = alloc::vec![Vec::new(); priorities.len()];
    for &leg in &legs {
        let group = priorities.partition_point(|&other| other > priority(leg));
        groups[group].push(leg);
    }
    for (group, legs) in groups.iter().enumerate() {
        for (seat, &leg) in legs.iter().enumerate() {
            network.legs[leg as usize].sender.place = Seat::new(group as u32, seat as u32);
        }
    }
    groups
}

/// The rate of flows that reserve nothing: 0 where others do or the port shapes, else an equal
/// share.
fn rates(
    network: &Network,
    spec: &NetworkSpec,
    channel: &ChannelSpec,
    groups: &[Vec<u32>],
) -> Rate {
    let legs = || groups.iter().flatten();
    let reserves = |leg: &u32| flow_of(network, spec, *leg).reserve.is_some();
    if channel.scheduler.shapes() || legs().any(reserves) {
        return Rate(0);
    }
    Rate((channel.rate.0 / legs().count().max(1) as u64).max(1))
}

fn flow_of<'a>(network: &Network, spec: &'a NetworkSpec, leg: u32) -> &'a FlowSpec {
    &spec.flows[network.legs[leg as usize].sender.flow as usize]
}

/// What a leg is entitled to; `unreserved` if its flow reserves nothing.
fn share(network: &Network, spec: &NetworkSpec, leg: u32, unreserved: Rate) -> Share {
    let flow = flow_of(network, spec, leg);
    let Leg { sender, .. } = &network.legs[leg as usize];
    let ingress = match sender.parent {
        NONE => NONE,
        parent => network.legs[parent as usize].sender.channel,
    };
    Share::new(flow.reserve, unreserved, flow.unit_bytes, ingress)
}
