//! Frames in parts: what can't be cut, and what a cut has to know.

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{Channels, Duration};

use super::{Divisible, OUTSIDE};
use crate::classes::routes::Routes;
use crate::hop::unit::NONE;
use crate::network::Network;
use crate::spec::frames::{
    EthernetSpec, FRAME_LEAST_BYTES, FlowSpec, NodeKind, TrafficSpec, TransportSpec, wire_bytes,
};

impl Divisible for EthernetSpec {
    fn obstacle(&self) -> Option<&'static str> {
        if !self.rules.arrivals.is_empty() {
            return Some("flows without a row of their own begin on one thread");
        }
        if self.flows.is_empty() {
            return Some("there are no flows");
        }
        if self.flows.iter().any(FlowSpec::is_outside) {
            return Some(OUTSIDE);
        }
        let storms = |kind: &NodeKind| matches!(kind, NodeKind::Station { storm: Some(_) });
        if self.may_drain() && self.nodes.iter().any(|node| storms(&node.kind)) {
            return Some("a storm of stops keeps the run going while nothing else is left");
        }
        if self.rules.spread.parts_flows() && self.flows.iter().any(FlowSpec::hears_rates) {
            return Some("what switches state and what sources send is numbered together");
        }
        None
    }

    fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Both ends of a flow count up one number, or know when pictures were taken; delays at several
    /// destinations stand in the order in which they came.
    fn ties(&self) -> Vec<(u32, u32)> {
        let mut ties = Vec::new();
        for flow in &self.flows {
            ties.extend(flow.others.iter().map(|other| (flow.destination, *other)));
            let is_connection = flow.transport.is_connection();
            let is_video = matches!(flow.traffic, TrafficSpec::Video(_));
            if is_video || is_connection && self.rules.spread.parts_flows() {
                ties.push((flow.source, flow.destination));
            }
        }
        ties
    }

    fn ends(&self, _network: &Network) -> Vec<(u32, u32)> {
        let ends = |flow: &FlowSpec| (flow.source, flow.destination);
        self.flows.iter().map(ends).collect()
    }

    /// Flows that take it, where that is known.
    fn loads(&self, network: &Network) -> Vec<u64> {
        let mut loads = vec![1_u64; network.channels.len()];
        let Routes::Paths { first, hops, .. } = &network.classes.routes else {
            return loads;
        };
        for (flow, own) in self.flows.iter().enumerate() {
            let ways = match own.transport {
                TransportSpec::Tcp(_) | TransportSpec::Roce(_) => 2,
                TransportSpec::Udp { .. } => 1,
            };
            for way in 0..ways {
                let from = first[2 * flow + way] as usize;
                let path = hops[from..].iter().take_while(|hop| **hop != NONE);
                for hop in path {
                    // Where ways part, there is no channel.
                    if let Some(load) = loads.get_mut(*hop as usize) {
                        *load += 16;
                    }
                }
            }
        }
        loads
    }

    fn least_times(&self, network: &Network) -> Vec<Duration> {
        let update = |id: u32| Some(self.links.channel(id ^ 1).counters?.update.bytes);
        let statement = |id: u32| Some(self.links.channel(id).counters?.statement?.bytes);
        let least = |id: u32| {
            let messages = [update(id), statement(id)].into_iter().flatten();
            messages.fold(FRAME_LEAST_BYTES, u32::min)
        };
        let channels = (0..).zip(&network.channels);
        channels
            .map(|(id, channel)| network.span(id, wire_bytes(least(id)).into()) + channel.latency)
            .collect()
    }

    /// Datagrams that never end rule it out.
    fn may_drain(&self) -> bool {
        !self.flows.iter().any(|flow| {
            let is_udp = !flow.transport.is_connection();
            let is_endless = matches!(
                flow.traffic,
                TrafficSpec::Infinite { bytes: None, .. }
                    | TrafficSpec::Constant { .. }
                    | TrafficSpec::Poisson { .. }
            );
            is_udp && is_endless
        })
    }

    fn stall_after(&self) -> Option<Duration> {
        Some(self.rules.stall_after)
    }
}
