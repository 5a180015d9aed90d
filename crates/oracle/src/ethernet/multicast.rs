//! Frames for several stations: the tree of each flow, and copies where its branches part.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::Time;
use backwater_net::frames::probe::LossCause;
use backwater_net::frames::spec::EthernetSpec;

use super::network::{Frame, Network, Point};
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
            let channel = next[(hash % next.len() as u64) as usize];
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

impl Network {
    /// Channels by which a frame goes on from a node.
    pub fn ways_on(&self, node: usize, frame: &Frame) -> Vec<usize> {
        match &self.trees[frame.flow] {
            Some(tree) => tree.get(&node).into_iter().flatten().copied().collect(),
            None if node == frame.destination => Vec::new(),
            None => vec![self.next_hop(node, frame)],
        }
    }

    /// Stations that a frame may still reach over a channel.
    pub fn behind(&self, channel: usize, frame: &Frame) -> u64 {
        let on = self.ways_on(self.head(channel), frame);
        match on.is_empty() {
            true => 1,
            false => on.iter().map(|channel| self.behind(*channel, frame)).sum(),
        }
    }

    /// Is another copy of a frame that came over an input still there?
    pub fn has_other_copy(&self, frame: &Frame) -> bool {
        let Some(input) = frame.came_over else {
            return false;
        };
        let here = self.came_in(input, frame.class);
        let mut here = here.iter();
        here.any(|other| (other.flow, other.number) == (frame.flow, frame.number))
    }

    /// A frame comes to the queues of its class in front of these channels: each takes a copy, or
    /// drops it.
    pub fn admit_to(&mut self, now: Time, channels: &[usize], frame: Frame) {
        let refusals = channels
            .iter()
            .map(|channel| self.refusal(*channel, &frame));
        let refusals: Vec<Option<LossCause>> = refusals.collect();
        let taken: Vec<usize> = (0..channels.len())
            .filter(|at| refusals[*at].is_none())
            .collect();
        self.count_arrival(&frame, taken.is_empty());
        if let Some(first) = taken.first() {
            self.take_memory(channels[*first], &frame);
        }
        for (channel, refusal) in channels.iter().zip(refusals) {
            match refusal {
                Some(cause) => self.drop_frame(now, *channel, &frame, cause),
                None => self.joins(now, *channel, frame.clone()),
            }
        }
        if let (Some(input), false) = (frame.came_over, taken.is_empty()) {
            self.after_join(now, Point::Input(input, frame.class), &frame);
        }
    }
}
