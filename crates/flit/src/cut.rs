//! Which router belongs to which shard.

use alloc::vec;
use alloc::vec::Vec;

use crate::layout::Layout;
use crate::spec::{Graph, Shape};

/// Belongs to no shard: a gap in the numbering.
const NOBODY: u8 = u8::MAX;

/// Owners of both ends of all channels. A terminal belongs to the router it sends to, its
/// ejection channel to the router it hears from.
#[derive(Debug)]
pub(crate) struct Cut {
    pub parts: usize,
    /// By output channel, injection included.
    outs: Vec<u8>,
    /// By input channel, source lanes included.
    ins: Vec<u8>,
}

impl Cut {
    pub fn new(graph: &Graph, layout: &Layout, parts: usize) -> Cut {
        let owners = owners(graph, parts);
        let mut cut = Cut {
            parts,
            outs: vec![NOBODY; layout.outs as usize + 1],
            ins: vec![NOBODY; layout.ins as usize + 1],
        };
        let (between, terminals) = (graph.channels.len(), graph.inject.len());
        for (index, channel) in graph.channels.iter().enumerate() {
            cut.outs[layout.out_of[index] as usize] = owners[channel.from as usize];
            cut.ins[layout.target[index] as usize] = owners[channel.to as usize];
        }
        for terminal in 0..terminals {
            let index = between + terminal;
            let owner = owners[graph.inject[terminal] as usize];
            cut.outs[layout.out_of[index] as usize] = owner;
            cut.ins[layout.target[index] as usize] = owner;
            cut.ins[layout.sources as usize + terminal] = owner;
            let ejection = layout.out_of[index + terminals];
            cut.outs[ejection as usize] = owners[graph.eject[terminal] as usize];
        }
        cut
    }

    /// The shard at the sending end, if any.
    pub fn owner_out(&self, channel: u32) -> Option<usize> {
        self.owner(self.outs[channel as usize])
    }

    /// The shard at the receiving end, if any.
    pub fn owner_in(&self, channel: u32) -> Option<usize> {
        self.owner(self.ins[channel as usize])
    }

    fn owner(&self, owner: u8) -> Option<usize> {
        (owner != NOBODY).then_some(usize::from(owner))
    }
}

/// By router: its shard. Stages of a fly and levels of a tree are all cut alike, so that few
/// channels cross; else routers are cut in the order of their numbers: a grid along its last
/// dimension. Shards have about as many channels each.
fn owners(graph: &Graph, parts: usize) -> Vec<u8> {
    let row = match graph.shape {
        Shape::Fly { n, .. } | Shape::FatTree { n, .. } => graph.routers / n.max(1),
        _ => graph.routers,
    };
    let row = row.max(1) as usize;
    let mut weights = vec![0_u64; row];
    for channel in &graph.channels {
        weights[channel.from as usize % row] += 1;
        weights[channel.to as usize % row] += 1;
    }
    for router in graph.inject.iter().chain(&graph.eject) {
        weights[*router as usize % row] += 1;
    }
    let all = weights.iter().sum::<u64>().max(1);
    let mut before = 0;
    let places: Vec<u8> = weights
        .iter()
        .map(|weight| {
            // The middle of the router decides. Below 2^64: weights add up to at most 2^33.
            let middle = 2 * before + weight;
            before += weight;
            (middle * parts as u64 / (2 * all)).min(parts as u64 - 1) as u8
        })
        .collect();
    (0..graph.routers as usize)
        .map(|router| places[router % row])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology;

    fn crossing(graph: &Graph, owners: &[u8]) -> usize {
        let crosses = |channel: &&crate::spec::ChannelSpec| {
            owners[channel.from as usize] != owners[channel.to as usize]
        };
        graph.channels.iter().filter(crosses).count()
    }

    #[test]
    fn cuts_are_even_and_cross_few_channels() {
        let cases = [
            (topology::mesh(&[8, 8], 1, 1), 16),
            (topology::torus(&[8, 8], 1, 1), 32),
            (topology::fly(2, 6, 1), 32),
            (topology::fat_tree(2, 5, 1), 32),
        ];
        for (graph, expected) in cases {
            let graph = graph.expect("it can be built");
            let owners = owners(&graph, 2);
            let first = owners.iter().filter(|owner| **owner == 0).count();
            assert_eq!(2 * first, owners.len(), "{:?}", graph.shape);
            assert_eq!(crossing(&graph, &owners), expected, "{:?}", graph.shape);
        }
    }

    #[test]
    fn every_shard_gets_something() {
        let graph = topology::mesh(&[5, 7], 2, 1).expect("it can be built");
        for parts in 1..=7 {
            let owners = owners(&graph, parts);
            assert!(owners.is_sorted());
            for part in 0..parts {
                let routers = owners.iter().filter(|owner| usize::from(**owner) == part);
                assert!(
                    routers.count().abs_diff(35 / parts) <= 3,
                    "{part} of {parts}"
                );
            }
        }
    }
}
