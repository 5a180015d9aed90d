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

use super::Divisible;
use crate::network::Network;
use crate::network::owners::Owners;

/// How a network is cut.
pub(super) struct Cut {
    pub parts: usize,
    pub owners: Owners,
    pub crossings: usize,
    /// What starts on a channel between two parts takes effect after this at the earliest.
    pub lookahead: Duration,
}

impl Cut {
    pub fn new(spec: &impl Divisible, network: &Network, parts: usize) -> Cut {
        let graph = Graph::new(spec, network);
        let nodes = graph.owners(parts);
        let owner = |node: u32| nodes[node as usize];
        let channels = network.channels.iter();
        let channels: Vec<(u8, u8)> = channels
            .map(|channel| (owner(channel.from), owner(channel.to)))
            .collect();
        let times = spec.least_times(network);
        let crossing = channels
            .iter()
            .zip(times)
            .filter(|((from, to), _)| from != to);
        let crossing: Vec<Duration> = crossing.map(|(_, least)| least).collect();
        let least = crossing.iter().copied().min();
        let ends = spec.ends(network).into_iter();
        Cut {
            parts,
            crossings: crossing.len(),
            lookahead: least.unwrap_or(Duration(u64::MAX / 4)).max(Duration(1)),
            owners: Owners {
                flows: ends.map(|(from, to)| (owner(from), owner(to))).collect(),
                legs: network.legs.iter().map(|leg| leg.sender.channel).collect(),
                channels,
                nodes,
            },
        }
    }
}

/// Nodes that have to be in one part are a group: by node its group, and how many there are.
pub(super) fn groups(nodes: usize, ties: &[(u32, u32)]) -> (Vec<u32>, usize) {
    // By node, one of its group with a number that is not larger.
    let mut before: Vec<u32> = (0..nodes as u32).collect();
    let first = |before: &mut Vec<u32>, node: u32| {
        let mut node = node;
        while before[node as usize] != node {
            let next = before[before[node as usize] as usize];
            before[node as usize] = next;
            node = next;
        }
        node
    };
    let exists = |(a, b): &&(u32, u32)| (*a as usize) < nodes && (*b as usize) < nodes;
    for (a, b) in ties.iter().filter(exists) {
        let ends = (first(&mut before, *a), first(&mut before, *b));
        before[ends.0.max(ends.1) as usize] = ends.0.min(ends.1);
    }
    let (mut of_node, mut count) = (vec![0; nodes], 0);
    for node in 0..nodes as u32 {
        let lead = first(&mut before, node);
        of_node[node as usize] = match lead == node {
            true => {
                count += 1;
                count - 1
            }
            false => of_node[lead as usize],
        };
    }
    (of_node, count as usize)
}

/// Groups of nodes, and what goes between them.
struct Graph {
    /// By node.
    groups: Vec<u32>,
    /// By group.
    work: Vec<u64>,
    /// By group: neighbours, and what goes between them.
    links: Vec<Vec<(u32, u64)>>,
}

impl Graph {
    fn new(spec: &impl Divisible, network: &Network) -> Graph {
        let (groups, count) = groups(spec.nodes(), &spec.ties());
        let mut graph = Graph {
            work: vec![0; count],
            links: vec![Vec::new(); count],
            groups,
        };
        for group in &graph.groups {
            graph.work[*group as usize] += 1;
        }
        let longest = network.channels.iter().map(|one| one.latency.ps()).max();
        let longest = longest.unwrap_or(0);
        for (channel, load) in network.channels.iter().zip(spec.loads(network)) {
            let [from, to] = [channel.from, channel.to].map(|node| graph.groups[node as usize]);
            graph.work[from as usize] += load;
            graph.work[to as usize] += load;
            // A cut through a channel ten times as fast as the slowest costs ten times as much.
            let haste = (longest / channel.latency.ps().max(1)).clamp(1, 1_000);
            let price = load.saturating_mul(haste);
            if from != to {
                graph.links[from as usize].push((to, price));
                graph.links[to as usize].push((from, price));
            }
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
        self.groups
            .iter()
            .map(|group| owners[*group as usize])
            .collect()
    }

    /// Takes groups from those that belong to `last` until the part has its share of the work;
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
                // Nothing is next to it: the first group that is left.
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
