//! Ways through the network: fewest hops, ties decided by the order of links, or by a hash that
//! spreads flows over all shortest ways, as [`backwater_net::frames::routes`] does for frames.
//!
//! Hosts forward nothing, so a search passes through switches only; a host is reached from its
//! neighbour that the search met first.

use std::collections::{BTreeMap, VecDeque};

use backwater_kernel::TraceHash;

use crate::circuits::topology::Graph;
use crate::language::tree::quoted;
use crate::prelude::*;

/// A tree of channels: each with the index of the one before it.
pub(crate) type Tree = Vec<(u32, Option<u32>)>;

/// Searches from one node after another.
pub(crate) struct Router<'a> {
    graph: &'a Graph,
    /// Seed of the hash that decides between shortest ways; `None` takes the first.
    spread: Option<u64>,
    /// Where the last search began.
    root: Option<u32>,
    /// Order in which the search met each switch, from 1; 0 is never.
    rank: Vec<u32>,
    /// Channel by which it was met.
    via: Vec<u32>,
    /// Links from the root to each node that was met.
    distance: Vec<u32>,
}

impl<'a> Router<'a> {
    pub(crate) fn new(graph: &'a Graph, spread: Option<u64>) -> Self {
        let size = graph.nodes.len();
        Self {
            graph,
            spread,
            root: None,
            rank: vec![0; size],
            via: vec![u32::MAX; size],
            distance: vec![0; size],
        }
    }

    /// Where a search for ways from `source` begins: hosts with one link share their switch's.
    pub(crate) fn root_of(graph: &Graph, source: u32) -> u32 {
        match graph.neighbours[source as usize].as_slice() {
            [(only, _)] if !graph.is_host(*only) => *only,
            _ => source,
        }
    }

    fn search(&mut self, root: u32) {
        if self.root == Some(root) {
            return;
        }
        self.root = Some(root);
        self.rank.fill(0);
        self.rank[root as usize] = 1;
        self.distance[root as usize] = 0;
        let mut met = 1;
        let mut queue = VecDeque::from([root]);
        while let Some(node) = queue.pop_front() {
            for (next, channel) in &self.graph.trunks[node as usize] {
                if self.rank[*next as usize] == 0 {
                    met += 1;
                    self.rank[*next as usize] = met;
                    self.via[*next as usize] = *channel;
                    self.distance[*next as usize] = self.distance[node as usize] + 1;
                    queue.push_back(*next);
                }
            }
        }
    }

    /// The tree of a flow from `source` to all of `destinations`, or the first that can't be
    /// reached.
    pub(crate) fn tree(
        &mut self,
        flow: usize,
        source: u32,
        destinations: &[u32],
    ) -> Result<Tree, u32> {
        let root = Self::root_of(self.graph, source);
        self.search(root);
        let mut tree = Tree::new();
        let mut placed: BTreeMap<u32, u32> = BTreeMap::new();
        for destination in destinations {
            let way = self
                .way(flow, (source, root), *destination, &placed)
                .ok_or(*destination)?;
            add(&mut tree, &mut placed, &way);
        }
        Ok(tree)
    }

    /// The channels from `source` to `destination`, from the last that is placed already.
    fn way(
        &self,
        flow: usize,
        (source, root): (u32, u32),
        destination: u32,
        placed: &BTreeMap<u32, u32>,
    ) -> Option<Vec<u32>> {
        if let Some(channel) = self.graph.channel(source, destination) {
            return Some(vec![channel]);
        }
        let last = self.last(flow, destination)?;
        let mut way = vec![last];
        let mut node = self.graph.ends(last).0;
        while node != root
            && !way
                .last()
                .is_some_and(|channel| placed.contains_key(channel))
        {
            let channel = self.before(flow, node);
            way.push(channel);
            node = self.graph.ends(channel).0;
        }
        if node == root && root != source {
            way.push(self.graph.channel(source, root)?);
        }
        way.reverse();
        Some(way)
    }

    /// The last channel to a destination.
    fn last(&self, flow: usize, destination: u32) -> Option<u32> {
        let switches = self.graph.neighbours[destination as usize]
            .iter()
            .filter(|(node, _)| !self.graph.is_host(*node) && self.rank[*node as usize] > 0);
        let first = switches
            .clone()
            .min_by_key(|(node, _)| self.rank[*node as usize])?;
        let least = self.distance[first.0 as usize];
        let nearest = switches.filter(|(node, _)| self.distance[*node as usize] == least);
        let nearest: Vec<u32> = nearest.map(|(_, channel)| channel ^ 1).collect();
        Some(self.choose(flow, destination, first.1 ^ 1, &nearest))
    }

    /// The channel by which a flow comes to a switch. It depends on the switch, not on where the
    /// flow goes from there, so the ways to several destinations are a tree.
    fn before(&self, flow: usize, node: u32) -> u32 {
        let first = self.via[node as usize];
        if self.spread.is_none() {
            return first;
        }
        let is_nearer = |other: u32| {
            self.rank[other as usize] > 0
                && self.distance[other as usize] + 1 == self.distance[node as usize]
        };
        let nearer = self.graph.neighbours[node as usize].iter();
        let nearer = nearer.filter(|(other, _)| is_nearer(*other));
        let nearer: Vec<u32> = nearer.map(|(_, channel)| channel ^ 1).collect();
        self.choose(flow, node, first, &nearer)
    }

    /// One of several channels to a node: the `first`, or by a hash of seed, flow and node.
    fn choose(&self, flow: usize, node: u32, first: u32, several: &[u32]) -> u32 {
        let (Some(seed), [_, _, ..]) = (self.spread, several) else {
            return first;
        };
        let mut hash = TraceHash::new();
        for word in [seed, 2 * flow as u64, node.into()] {
            hash.add(word);
        }
        several[(hash.value() % several.len() as u64) as usize]
    }
}

fn add(tree: &mut Tree, placed: &mut BTreeMap<u32, u32>, way: &[u32]) {
    let mut parent = None;
    for channel in way {
        let index = *placed.entry(*channel).or_insert_with(|| {
            tree.push((*channel, parent));
            tree.len() as u32 - 1
        });
        parent = Some(index);
    }
}

/// The way back along the same links.
pub(crate) fn back(way: &Tree) -> Tree {
    let channels = way.iter().rev().map(|(channel, _)| channel ^ 1).enumerate();
    channels
        .map(|(index, channel)| (channel, (index as u32).checked_sub(1)))
        .collect()
}

/// The nodes along a way, as `path` lists them.
pub(crate) fn nodes_of(graph: &Graph, source: u32, way: &Tree) -> String {
    let nodes = way
        .iter()
        .map(|(channel, _)| graph.name(graph.ends(*channel).1));
    let names: Vec<String> = [graph.name(source)]
        .into_iter()
        .chain(nodes)
        .map(quoted)
        .collect();
    format!("path = [{}]", names.join(", "))
}

/// The tree along the nodes of an explicit `path`.
pub(crate) fn along(
    graph: &Graph,
    (path, place): (&[(String, At)], &At),
    source: u32,
    destination: u32,
) -> Result<Tree, Box<Diagnostic>> {
    let mut nodes = Vec::with_capacity(path.len());
    let mut met: BTreeMap<u32, usize> = BTreeMap::new();
    for (name, at) in path {
        let node = graph.find(name, at)?;
        if let Some(first) = met.insert(node, nodes.len()) {
            return Diagnostic::error("bad-path", format!("the path passes `{name}` twice"))
                .at(at, "again")
                .at(&path[first].1, "the first time")
                .refused();
        }
        nodes.push(node);
    }
    check_ends(graph, (path, place), &nodes, source, destination)?;
    let mut tree = Tree::new();
    for (index, pair) in nodes.windows(2).enumerate() {
        let at = &path[index + 1].1;
        let channel = graph.find_hop(pair[0], pair[1], at)?;
        let parent = (index as u32).checked_sub(1);
        if index > 0 && graph.is_host(pair[0]) {
            return Diagnostic::error("bad-path", format!("`{}` is a host", path[index].0))
                .at(&path[index].1, "hosts forward nothing")
                .help("lead the path through switches only")
                .refused();
        }
        tree.push((channel, parent));
    }
    Ok(tree)
}

fn check_ends(
    graph: &Graph,
    (path, place): (&[(String, At)], &At),
    nodes: &[u32],
    source: u32,
    destination: u32,
) -> Result<(), Box<Diagnostic>> {
    let wrong = |at: &At, found: &str, end: &str, expected: u32| {
        let expected = graph.name(expected);
        let message = format!("the path must {end} at `{expected}`");
        Diagnostic::error("bad-path", message)
            .at(at, format!("it does at `{found}`"))
            .help(format!(
                "put `\"{expected}\"` here; the path names both ends"
            ))
            .refused()
    };
    match (path, nodes) {
        ([first, .., last], [a, .., b]) => {
            if *a != source {
                return wrong(&first.1, &first.0, "start", source);
            }
            if *b != destination {
                return wrong(&last.1, &last.0, "end", destination);
            }
            Ok(())
        }
        _ => Diagnostic::error("bad-path", "a path has two nodes or more")
            .at(place, "not a path")
            .help("leave `path` out for the shortest one")
            .refused(),
    }
}
