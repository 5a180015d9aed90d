//! Circuits in parts: what can't be cut, and what a cut has to know.

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{Channels, Duration};

use super::{Divisible, OUTSIDE};
use crate::hop::wire::Channel;
use crate::network::Network;
use crate::spec::{FlowControlSpec, FlowSpec, LegSpec, NetworkSpec, TrafficSpec};

impl Divisible for NetworkSpec {
    fn obstacle(&self) -> Option<&'static str> {
        if self.flows.is_empty() {
            return Some("there are no flows");
        }
        let is_outside = self.flows.iter().any(FlowSpec::is_outside);
        is_outside.then_some(OUTSIDE)
    }

    fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// What one account is kept of: the destinations of a flow, whose delays stand in the order in
    /// which they came; a client and its server, and hosts of TCP; a flow's destination and where
    /// the answers start.
    fn ties(&self) -> Vec<(u32, u32)> {
        let mut ties = Vec::new();
        for flow in &self.flows {
            let ends = self.destinations(flow);
            ties.extend(ends.windows(2).map(|pair| (pair[0], pair[1])));
            let partner = flow.partner.and_then(|id| self.flows.get(id as usize));
            let Some(partner) = partner else {
                continue;
            };
            let back = self.destinations(partner);
            ties.extend(ends.first().map(|end| (*end, partner.source)));
            ties.extend(back.first().map(|end| (*end, flow.source)));
            if let TrafficSpec::Client(_) | TrafficSpec::Requests(_) | TrafficSpec::Tcp(_) =
                flow.traffic
            {
                ties.push((flow.source, partner.source));
            }
        }
        ties
    }

    fn ends(&self, network: &Network) -> Vec<(u32, u32)> {
        let flows = 0..self.flows.len() as u32;
        flows.map(|flow| network.ends(flow)).collect()
    }

    /// Circuits that cross it, and those whose credit does.
    fn loads(&self, network: &Network) -> Vec<u64> {
        let mut loads = vec![1_u64; network.channels.len()];
        for leg in self.flows.iter().flat_map(|flow| &flow.legs) {
            loads[leg.channel as usize] += 16;
            if leg.flow_control != FlowControlSpec::None {
                loads[(leg.channel ^ 1) as usize] += 4;
            }
        }
        loads
    }

    fn least_times(&self, network: &Network) -> Vec<Duration> {
        let mut least = vec![u32::MAX; network.channels.len()];
        for flow in &self.flows {
            let sizes = flow.sizes.iter().map(|size| size.bytes);
            let messages = flow.legs.iter().filter_map(message_bytes);
            let warnings = flow.legs.iter().filter_map(|leg| self.warning_bytes(leg));
            let session = flow.session.map(|session| session.message_bytes);
            let all = sizes.chain(messages).chain(warnings).chain(session);
            let bytes = all.fold(flow.unit_bytes, u32::min);
            // What answers a unit goes the other way.
            for channel in flow
                .legs
                .iter()
                .flat_map(|leg| [leg.channel, leg.channel ^ 1])
            {
                let least = &mut least[channel as usize];
                *least = bytes.min(*least);
            }
        }
        let channels = network.channels.iter().zip(least);
        channels
            .map(
                |(channel, bytes)| match (bytes, channel.is(Channel::CUTS_THROUGH)) {
                    // Nothing crosses it.
                    (u32::MAX, _) => Duration(u64::MAX / 4),
                    (_, true) => channel.latency,
                    (_, false) => channel.rate.serialization(bytes.into()) + channel.latency,
                },
            )
            .collect()
    }

    /// TCP leaves timers behind. Else a run of circuits ends with its events.
    fn may_drain(&self) -> bool {
        let is_tcp = |flow: &FlowSpec| matches!(flow.traffic, TrafficSpec::Tcp(_));
        self.flows.iter().any(is_tcp)
    }

    fn stall_after(&self) -> Option<Duration> {
        None
    }
}

impl NetworkSpec {
    fn destinations(&self, flow: &FlowSpec) -> Vec<u32> {
        let mut is_leaf = vec![true; flow.legs.len()];
        for parent in flow.legs.iter().filter_map(|leg| leg.parent) {
            if let Some(is_leaf) = is_leaf.get_mut(parent as usize) {
                *is_leaf = false;
            }
        }
        let leaves = flow
            .legs
            .iter()
            .zip(is_leaf)
            .filter(|(_, is_leaf)| *is_leaf);
        let ends = leaves.filter_map(|(leg, _)| self.ends(leg.channel));
        ends.map(|(_, to)| to).collect()
    }

    /// Of a warning that the port of a leg sends back.
    fn warning_bytes(&self, leg: &LegSpec) -> Option<u32> {
        self.links.channel(leg.channel).scheduler.alarm_bytes()
    }
}

/// Of what flow control says on a leg, if it has a size of its own.
fn message_bytes(leg: &LegSpec) -> Option<u32> {
    match leg.flow_control {
        FlowControlSpec::Credit(credit) => credit.message_bytes,
        FlowControlSpec::None => None,
    }
}
