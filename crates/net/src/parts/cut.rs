//! Which node belongs to which part.
//!
//! A part grows from a node at the edge of what is left, by the neighbour to which most of its
//! traffic goes, until it has its share of the work. So parts are about equal, and what crosses is
//! little. Channels that are much faster than others are not cut if it can be helped: windows are
//! as long as the fastest channel between two parts.

use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use backwater_kernel::Duration;

use crate::classes::routes::Routes;
use crate::hop::unit::NONE;
use crate::network::Network;
use crate::spec::frames::{EthernetSpec, FRAME_LEAST_BYTES, TransportSpec, WIRE_OVERHEAD_BYTES};

/// Owners of all nodes.
pub(super) struct Cut {
    pub parts: usize,
    /// By node.
    pub owners: Vec<u8>,
    /// By channel, of both its ends.
    pub ends: Vec<(u8, u8)>,
    /// By flow, of its source and its destination.
    pub flows: Vec<(u8, u8)>,
    pub crossings: usize,
    /// What starts on a channel between two parts takes effect after this at the earliest.
    pub lookahead: Duration,
}

impl Cut {
    pub fn new(spec: &EthernetSpec, network: &Network, parts: usize) -> Cut {
        let loads = loads(spec, network);
        let graph = Graph::new(network, &loads);
        let owners = graph.owners(parts);
        let owner = |node: u32| owners[node as usize];
        let channels = network.channels.iter();
        let ends: Vec<(u8, u8)> = channels
            .map(|channel| (owner(channel.from), owner(channel.to)))
            .collect();
        let crossing = (0..).zip(&ends).filter(|(_, (from, to))| from != to);
        let crossing: Vec<u32> = crossing.map(|(id, _)| id).collect();
        let least = crossing.iter().map(|id| least_time(network, *id)).min();
        let flows = network.classes.flows.iter();
        Cut {
            parts,
            flows: flows
                .map(|flow| (owner(flow.source), owner(flow.destination)))
                .collect(),
            ends,
            crossings: crossing.len(),
            lookahead: least.unwrap_or(Duration(u64::MAX / 4)).max(Duration(1)),
            owners,
        }
    }
}

/// What a frame takes at least from its start until it takes effect.
fn least_time(network: &Network, channel: u32) -> Duration {
    let least = u64::from(FRAME_LEAST_BYTES + WIRE_OVERHEAD_BYTES);
    network.span(channel, least) + network.channels[channel as usize].latency
}

/// By channel: flows that take it, where that is known.
fn loads(spec: &EthernetSpec, network: &Network) -> Vec<u64> {
    let mut loads = vec![1_u64; network.channels.len()];
    let Routes::Paths { first, hops, .. } = &network.classes.routes else {
        return loads;
    };
    for (flow, own) in spec.flows.iter().enumerate() {
        let ways = match own.transport {
            TransportSpec::Tcp(_) => 2,
            TransportSpec::Udp { .. } => 1,
        };
        for way in 0..ways {
            let from = first[2 * flow + way] as usize;
            let path = hops[from..].iter().take_while(|hop| **hop != NONE);
            path.for_each(|hop| loads[*hop as usize] += 16);
        }
    }
    loads
}

/// Nodes, and what goes between them.
struct Graph {
    /// By node.
    work: Vec<u64>,
    /// By node: neighbours, and what goes between them.
    links: Vec<Vec<(u32, u64)>>,
}

impl Graph {
    fn new(network: &Network, loads: &[u64]) -> Graph {
        let nodes = network.classes.nodes.len();
        let mut graph = Graph {
            work: vec![1; nodes],
            links: vec![Vec::new(); nodes],
        };
        let longest = network.channels.iter().map(|one| one.latency.ps()).max();
        let longest = longest.unwrap_or(0);
        for (channel, load) in network.channels.iter().zip(loads) {
            let (from, to) = (channel.from as usize, channel.to as usize);
            graph.work[from] += load;
            graph.work[to] += load;
            // A cut through a channel ten times as fast as the slowest costs ten times as much.
            let haste = (longest / channel.latency.ps().max(1)).clamp(1, 1_000);
            let price = load.saturating_mul(haste);
            graph.links[from].push((to as u32, price));
            graph.links[to].push((from as u32, price));
        }
        graph
    }

    /// By node: its part.
    fn owners(&self, parts: usize) -> Vec<u8> {
        let last = parts as u8 - 1;
        let mut owners = vec![last; self.work.len()];
        let mut left: u64 = self.work.iter().sum();
        for part in 0..last {
            let share = left / (parts as u64 - u64::from(part));
            left -= self.grow(&mut owners, (part, last), share);
        }
        owners
    }

    /// Takes nodes from those that belong to `last` until the part has its share of the work;
    /// what it has then.
    fn grow(&self, owners: &mut [u8], (part, last): (u8, u8), share: u64) -> u64 {
        let mut gains: Vec<i64> = self
            .links
            .iter()
            .map(|links| -(links.iter().map(|(_, price)| *price).sum::<u64>() as i64))
            .collect();
        let mut heap = BinaryHeap::new();
        let mut has = 0;
        loop {
            let next = heap.pop();
            let node = match next {
                Some((gain, Reverse(node))) => {
                    let is_free = owners[node as usize] == last;
                    if !is_free || gains[node as usize] != gain {
                        continue;
                    }
                    node
                }
                // Nothing is next to it: the first node that is left.
                None => match owners.iter().position(|owner| *owner == last) {
                    Some(node) => node as u32,
                    None => return has,
                },
            };
            let work = self.work[node as usize];
            // More than its share only if that comes closer to it.
            if has > 0 && has + work > share && has + work - share > share.saturating_sub(has) {
                return has;
            }
            owners[node as usize] = part;
            has += work;
            if has >= share {
                return has;
            }
            for (other, price) in &self.links[node as usize] {
                if owners[*other as usize] == last {
                    gains[*other as usize] += 2 * *price as i64;
                    heap.push((gains[*other as usize], Reverse(*other)));
                }
            }
        }
    }
}
