//! The tree over which the frames of a flow to several stations go.

use std::collections::{BTreeMap, BTreeSet};

use backwater_net::frames::spec::EthernetSpec;

use super::nics;
use super::routes::{self, head, tail};

/// For each node of a tree, the channels by which it goes on.
pub(super) type Tree = BTreeMap<usize, BTreeSet<usize>>;

/// The tree of a flow; `None` if it has one destination.
pub(super) fn tree(
    spec: &EthernetSpec,
    hops: &BTreeMap<(usize, usize), Vec<usize>>,
    flow: usize,
) -> Option<Tree> {
    let own = &spec.flows[flow];
    if own.others.is_empty() {
        return None;
    }
    let mut tree = Tree::new();
    let mut reached = BTreeSet::from([own.source as usize]);
    for to in own.destinations() {
        let mut way = Vec::new();
        let mut node = own.source as usize;
        while node != to as usize {
            let next = &hops[&(node, to as usize)];
            let hash = routes::mix(&[spec.seed, flow as u64 * 2, node as u64]);
            let port = || nics::port(spec, flow, true, node, next.len(), 0);
            let channel = match routes::is_station(spec, node) {
                true => next[port()],
                false => next[(hash % next.len() as u64) as usize],
            };
            way.push(channel);
            node = head(spec, channel);
        }
        // From the last node on that the tree has reached.
        while let Some(channel) = way.pop() {
            let (from, into) = (tail(spec, channel), head(spec, channel));
            if reached.contains(&into) {
                break;
            }
            tree.entry(from).or_default().insert(channel);
            if reached.contains(&from) {
                break;
            }
        }
        let nodes = tree.values().flatten().map(|channel| head(spec, *channel));
        reached.extend(nodes);
    }
    Some(tree)
}
