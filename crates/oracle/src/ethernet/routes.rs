//! Ways: fewest links, found by looking, and the hash that spreads flows.

use std::collections::BTreeMap;

use backwater_kernel::{Channels, TraceHash};
use backwater_net::frames::spec::{EthernetSpec, NodeKind, Spread};

/// The fingerprint of some words: it orders arrivals and spreads flows and frames.
pub(super) fn mix(words: &[u64]) -> u64 {
    let mut hash = TraceHash::new();
    for word in words {
        hash.add(*word);
    }
    hash.value()
}

/// Node a channel leaves.
#[inline]
pub(super) fn tail(spec: &EthernetSpec, channel: usize) -> usize {
    spec.links.ends(channel as u32).0 as usize
}

/// Node a channel enters.
#[inline]
pub(super) fn head(spec: &EthernetSpec, channel: usize) -> usize {
    tail(spec, channel ^ 1)
}

pub(super) fn is_station(spec: &EthernetSpec, node: usize) -> bool {
    matches!(spec.nodes[node].kind, NodeKind::Station { .. })
}

/// Switches do, and stations that were asked to.
fn forwards(spec: &EthernetSpec, node: usize) -> bool {
    !is_station(spec, node) || spec.rules.forwarders.contains(&(node as u32))
}

/// Next hops by (node, destination).
pub(super) fn next_hops(spec: &EthernetSpec) -> BTreeMap<(usize, usize), Vec<usize>> {
    let mut hops = BTreeMap::new();
    for destination in 0..spec.nodes.len() {
        if is_station(spec, destination) {
            towards(spec, destination, &mut hops);
        }
    }
    for route in &spec.rules.routes {
        let channels = route.channels.iter().map(|channel| *channel as usize);
        let key = (route.node as usize, route.destination as usize);
        hops.insert(key, channels.collect());
    }
    hops
}

fn towards(
    spec: &EthernetSpec,
    destination: usize,
    hops: &mut BTreeMap<(usize, usize), Vec<usize>>,
) {
    let channels = 0..2 * spec.links.len();
    let mut links_left: BTreeMap<usize, usize> = BTreeMap::from([(destination, 0)]);
    let mut distance = 0;
    loop {
        let reached: Vec<usize> = channels
            .clone()
            .filter(|channel| links_left.get(&head(spec, *channel)) == Some(&distance))
            .filter(|channel| distance == 0 || forwards(spec, head(spec, *channel)))
            .map(|channel| tail(spec, channel))
            .filter(|node| !links_left.contains_key(node))
            .collect();
        if reached.is_empty() {
            break;
        }
        distance += 1;
        links_left.extend(reached.into_iter().map(|node| (node, distance)));
    }
    for (node, left) in &links_left {
        let best = channels.clone().filter(|channel| {
            let next = head(spec, *channel);
            let passes = next == destination || forwards(spec, next);
            let is_nearer = links_left
                .get(&next)
                .is_some_and(|there| there + 1 == *left);
            tail(spec, *channel) == *node && passes && is_nearer
        });
        hops.insert((*node, destination), best.collect());
    }
}

/// The port that a frame of a flow, there or back, with this number draws from `node`, of these.
pub(super) fn drawn(
    spec: &EthernetSpec,
    (flow, is_forward, number): (usize, bool, u64),
    node: usize,
    hops: &[usize],
) -> usize {
    let word = flow as u64 * 2 + u64::from(!is_forward);
    let hash = match spec.rules.spread {
        Spread::Flows => mix(&[spec.seed, word, node as u64]),
        Spread::Entropies { count } => {
            let count = u64::from(count);
            let order = mix(&[spec.seed, word, number / count]) % count;
            mix(&[spec.seed, word, node as u64, (number % count) ^ order])
        }
        // What looks at the node draws where that says nothing.
        Spread::Frames | Spread::RoundRobin | Spread::Adaptive | Spread::Flowlets { .. } => {
            mix(&[spec.seed, word, node as u64, number])
        }
    };
    hops[(hash % hops.len() as u64) as usize]
}
