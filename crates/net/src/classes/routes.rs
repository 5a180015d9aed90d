//! Which way frames go: over any graph, by the shortest ways or as the scenario says.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use alloc::{format, vec};

use backwater_kernel::{BuildError, TraceHash};

use crate::classes::trees::{FORK, Trees};
use crate::hop::unit::{NONE, Unit};
use crate::spec::frames::{EthernetSpec, NodeKind, Spread};

/// Hops of all ways of a flow to several stations, one way after the other.
const TREE_HOPS_MAX: usize = 50_000_000;

/// A hash of some words, for choices that must not depend on the order of events.
pub(crate) fn mix(words: &[u64]) -> u64 {
    let mut hash = TraceHash::new();
    words.iter().for_each(|word| hash.add(*word));
    hash.value()
}

/// Ways ready to be followed.
#[derive(Debug)]
pub(crate) enum Routes {
    /// For each way (flow and direction) its channels one after the other, then [`NONE`], or
    /// where ways to several stations part and end, a fork of `trees`. [`Frame::hop`] is an index
    /// here.
    Paths {
        /// By way, its first channel's index.
        first: Vec<u32>,
        /// All of them.
        hops: Vec<u32>,
        /// Where frames are copied.
        trees: Trees,
    },
    /// The next hops from each node to each station. [`Frame::hop`] is a channel.
    Tables(Tables),
}

impl Routes {
    pub fn new(spec: &EthernetSpec) -> Result<Routes, BuildError> {
        let tables = Tables::new(spec)?;
        if spec.spread == Spread::Frames {
            return Ok(Routes::Tables(tables));
        }
        let (mut first, mut hops) = (Vec::new(), Vec::new());
        let mut trees = Trees::default();
        for way in 0..spec.flows.len() as u32 * 2 {
            first.push(hops.len() as u32);
            if spec.flows[way as usize / 2].is_multicast() {
                if way % 2 == 0 {
                    trees.add(&tables.paths(spec, way / 2)?, &mut hops);
                }
                continue;
            }
            tables.follow(spec, way, &mut hops)?;
            hops.push(NONE);
        }
        if hops.len() >= FORK as usize {
            return Err(BuildError(format!(
                "{} hops of all flows are too many",
                hops.len()
            )));
        }
        Ok(Routes::Paths { first, hops, trees })
    }

    /// No way at all.
    pub fn none() -> Routes {
        Routes::Paths {
            first: Vec::new(),
            hops: Vec::new(),
            trees: Trees::default(),
        }
    }

    /// The channels of a way, if all of its frames take the same to one station.
    pub fn only(&self, spec: &EthernetSpec, way: u32) -> Option<Vec<u32>> {
        match self {
            Routes::Paths { .. } => self.path(way).map(<[u32]>::to_vec),
            Routes::Tables(tables) => tables.only(spec, way),
        }
    }

    /// The same where all frames of a flow take one way, whatever it is.
    pub fn path(&self, way: u32) -> Option<&[u32]> {
        let Routes::Paths { first, hops, .. } = self else {
            return None;
        };
        let hops = hops.get(*first.get(way as usize)? as usize..)?;
        let end = hops.iter().position(|hop| *hop >= FORK)?;
        (hops[end] == NONE && end > 0).then(|| &hops[..end])
    }

    /// The hop from the source of `way`, for [`Frame::hop`].
    #[inline]
    pub fn first(&self, way: u32, number: u64, ends: (u32, u32)) -> u32 {
        match self {
            Routes::Paths { first, .. } => first[way as usize],
            Routes::Tables(tables) => tables.of_frame(way, number, ends.0, ends.1),
        }
    }

    /// The channel a frame takes next; [`NONE`] at its station, and a number that is no channel's
    /// where it goes several ways.
    #[inline]
    pub fn channel(&self, frame: &Unit) -> u32 {
        match self {
            Routes::Paths { hops, .. } => hops[frame.hop() as usize],
            Routes::Tables(_) => frame.hop(),
        }
    }
}

/// The next hops from each node to each station.
#[derive(Debug)]
pub struct Tables {
    seed: u64,
    nodes: usize,
    /// Stations, and the place of each among them.
    place: Vec<u32>,
    /// By node and station's place: first channel in `channels`, and how many.
    entries: Vec<(u32, u32)>,
    channels: Vec<u32>,
}

impl Tables {
    /// All shortest ways, and the scenario's own.
    ///
    /// # Errors
    /// If a route of the scenario names what is not there.
    pub fn new(spec: &EthernetSpec) -> Result<Tables, BuildError> {
        let nodes = spec.nodes.len();
        let mut place = vec![NONE; nodes];
        let mut stations = Vec::new();
        for (node, what) in spec.nodes.iter().enumerate() {
            if matches!(what.kind, NodeKind::Station { .. }) {
                place[node] = stations.len() as u32;
                stations.push(node as u32);
            }
        }
        let mut tables = Tables {
            seed: spec.seed,
            nodes,
            place,
            entries: vec![(0, 0); nodes * stations.len()],
            channels: Vec::new(),
        };
        let leaving = Leaving::new(spec);
        tables.add_all(spec, &leaving, &stations);
        for route in &spec.routes {
            let known = |node: u32| (node as usize) < nodes;
            let from = |channel: u32| spec.ends(channel).map(|(from, _)| from);
            let sound = known(route.node)
                && known(route.destination)
                && tables.place[route.destination as usize] != NONE
                && !route.channels.is_empty()
                && route.channels.iter().all(|c| from(*c) == Some(route.node));
            if !sound {
                return Err(BuildError(format!(
                    "the route from node {} to station {} names what is not there",
                    route.node, route.destination
                )));
            }
            tables.set(route.node, route.destination, &route.channels);
        }
        Ok(tables)
    }

    fn entry(&self, node: u32, station: u32) -> usize {
        self.place[station as usize] as usize * self.nodes + node as usize
    }

    fn set(&mut self, node: u32, station: u32, channels: &[u32]) {
        let entry = self.entry(node, station);
        self.entries[entry] = (self.channels.len() as u32, channels.len() as u32);
        self.channels.extend_from_slice(channels);
    }

    /// The next hops, in the order of channels or as the scenario has them.
    pub fn next_hops(&self, node: u32, station: u32) -> &[u32] {
        let (first, count) = self.entries[self.entry(node, station)];
        &self.channels[first as usize..][..count as usize]
    }

    /// The shortest ways to all stations. What leads to one station on a switch leads to the
    /// others there, too, but for the last hop.
    fn add_all(&mut self, spec: &EthernetSpec, leaving: &Leaving, stations: &[u32]) {
        // By switch, the first station on it.
        let mut first = vec![NONE; self.nodes];
        for &station in stations {
            let switch = match leaving.of(station) {
                [(_, next)] if self.place[*next as usize] == NONE => *next,
                _ => {
                    self.add_shortest(spec, leaving, station);
                    continue;
                }
            };
            let known = &mut first[switch as usize];
            if *known == NONE {
                *known = station;
                self.add_shortest(spec, leaving, station);
            } else {
                self.add_beside(leaving, *known, switch, station);
            }
        }
    }

    /// The ways to a station that is joined to `switch` alone, as `known` is, to which they stand
    /// already.
    fn add_beside(&mut self, leaving: &Leaving, known: u32, switch: u32, station: u32) {
        let [from, to] = [known, station].map(|station| self.entry(0, station));
        self.entries.copy_within(from..from + self.nodes, to);
        for (node, next) in [(known, switch), (switch, station)] {
            let hop = leaving.of(node).iter().find(|(_, to)| *to == next);
            let hop = hop.map(|(channel, _)| *channel);
            self.set(node, station, hop.as_slice());
        }
        self.set(station, station, &[]);
    }

    /// From a station outwards, level by level.
    fn add_shortest(&mut self, spec: &EthernetSpec, leaving: &Leaving, station: u32) {
        let mut distance = vec![u32::MAX; self.nodes];
        distance[station as usize] = 0;
        let mut reached = vec![station];
        let mut at = 0;
        while let Some(node) = reached.get(at).copied() {
            at += 1;
            let forwards = matches!(spec.nodes[node as usize].kind, NodeKind::Switch(_));
            if node != station && !forwards {
                continue;
            }
            for &(_, next) in leaving.of(node) {
                if distance[next as usize] == u32::MAX {
                    distance[next as usize] = distance[node as usize] + 1;
                    reached.push(next);
                }
            }
        }
        for node in reached {
            let nearer = |next: u32| {
                let is_last = next == station;
                let forwards = matches!(spec.nodes[next as usize].kind, NodeKind::Switch(_));
                (is_last || forwards)
                    && distance[next as usize].saturating_add(1) == distance[node as usize]
            };
            let entry = self.entry(node, station);
            let first = self.channels.len() as u32;
            let hops = leaving.of(node).iter().filter(|(_, next)| nearer(*next));
            self.channels.extend(hops.map(|(channel, _)| *channel));
            self.entries[entry] = (first, self.channels.len() as u32 - first);
        }
    }

    /// Adds the channels of a way (twice its flow, one more for the way back) to `hops`, from its
    /// source on, as all of its frames go unless they are spread.
    ///
    /// # Errors
    /// If there is no way.
    pub fn follow(
        &self,
        spec: &EthernetSpec,
        way: u32,
        hops: &mut Vec<u32>,
    ) -> Result<(), BuildError> {
        self.follow_to(spec, way, ends_of(spec, way), hops)
    }

    /// The channels to each destination of a flow, in the order of the scenario. Together they
    /// are a tree: a way that meets the tree again, after it has parted, goes on from there.
    ///
    /// # Errors
    /// If there is no way to one of them, or all are too long.
    pub fn paths(&self, spec: &EthernetSpec, flow: u32) -> Result<Vec<Vec<u32>>, BuildError> {
        let own = &spec.flows[flow as usize];
        // Channel by which the tree enters a node.
        let mut entered: BTreeMap<u32, u32> = BTreeMap::new();
        let mut paths = Vec::new();
        let mut total = 0;
        for to in own.destinations() {
            let mut path = Vec::new();
            self.follow_to(spec, 2 * flow, (own.source, to), &mut path)?;
            let ends = |channel: u32| spec.ends(channel).unwrap_or((NONE, NONE));
            let meets = path
                .iter()
                .rposition(|hop| entered.contains_key(&ends(*hop).1));
            if let Some(last) = meets {
                let mut whole = Vec::new();
                let mut node = ends(path[last]).1;
                while let Some(hop) = entered.get(&node) {
                    whole.push(*hop);
                    node = ends(*hop).0;
                }
                whole.reverse();
                whole.extend_from_slice(&path[last + 1..]);
                path = whole;
            }
            for hop in &path {
                entered.insert(ends(*hop).1, *hop);
            }
            total += path.len();
            let first: Option<&Vec<u32>> = paths.first();
            if first.is_some_and(|first| first.first() != path.first()) {
                return Err(BuildError(format!(
                    "flow {flow}: its source sends over more than one link"
                )));
            }
            if total > TREE_HOPS_MAX {
                return Err(BuildError(format!(
                    "flow {flow}: the ways to all of its destinations are too long"
                )));
            }
            paths.push(path);
        }
        Ok(paths)
    }

    fn follow_to(
        &self,
        spec: &EthernetSpec,
        way: u32,
        (from, to): (u32, u32),
        hops: &mut Vec<u32>,
    ) -> Result<(), BuildError> {
        let mut node = from;
        for _ in 0..=self.nodes {
            if node == to {
                return Ok(());
            }
            let channel = self.of_flow(way, node, to);
            match spec.ends(channel) {
                Some((_, next)) => node = next,
                None => break,
            }
            hops.push(channel);
        }
        Err(BuildError(format!(
            "flow {} finds no way from node {from} to station {to}",
            way / 2
        )))
    }

    /// The channels of a way, if there is one, and where frames are spread no more than one.
    pub fn only(&self, spec: &EthernetSpec, way: u32) -> Option<Vec<u32>> {
        let to = ends_of(spec, way).1;
        let mut hops = Vec::new();
        self.follow(spec, way, &mut hops).ok()?;
        let is_only = |hop: &u32| {
            let from = spec.ends(*hop).map(|ends| ends.0);
            from.is_some_and(|node| self.next_hops(node, to).len() == 1)
        };
        let keeps = spec.spread == Spread::Flows || hops.iter().all(is_only);
        keeps.then_some(hops)
    }

    fn choose(&self, node: u32, to: u32, hash: impl FnOnce() -> u64) -> u32 {
        match self.next_hops(node, to) {
            [] => NONE,
            [only] => *only,
            several => several[(hash() % several.len() as u64) as usize],
        }
    }

    fn of_flow(&self, way: u32, node: u32, to: u32) -> u32 {
        self.choose(node, to, || mix(&[self.seed, way.into(), node.into()]))
    }

    /// The hop of a frame behind a channel into `node`; [`NONE`] at its station `to`.
    pub(crate) fn after(&self, way: u32, number: u64, node: u32, to: u32) -> u32 {
        match node == to {
            true => NONE,
            false => self.of_frame(way, number, node, to),
        }
    }

    fn of_frame(&self, way: u32, number: u64, node: u32, to: u32) -> u32 {
        self.choose(node, to, || {
            mix(&[self.seed, way.into(), node.into(), number])
        })
    }
}

/// The stations of a way: where it starts and where it ends.
pub(crate) fn ends_of(spec: &EthernetSpec, way: u32) -> (u32, u32) {
    let flow = &spec.flows[way as usize / 2];
    match way % 2 {
        0 => (flow.source, flow.destination),
        _ => (flow.destination, flow.source),
    }
}

/// The channels that leave each node, and where they lead, in the order of channels.
struct Leaving {
    first: Vec<u32>,
    channels: Vec<(u32, u32)>,
}

impl Leaving {
    fn new(spec: &EthernetSpec) -> Leaving {
        let all = 0..spec.links.len() as u32 * 2;
        let mut leaving: Vec<(u32, u32, u32)> = all
            .filter_map(|channel| spec.ends(channel).map(|(from, to)| (from, channel, to)))
            .collect();
        leaving.sort_unstable();
        let mut first = vec![0_u32; spec.nodes.len() + 1];
        for (from, ..) in &leaving {
            first[*from as usize + 1] += 1;
        }
        for node in 0..spec.nodes.len() {
            first[node + 1] += first[node];
        }
        let channels = leaving.iter().map(|(_, channel, to)| (*channel, *to));
        Leaving {
            first,
            channels: channels.collect(),
        }
    }

    fn of(&self, node: u32) -> &[(u32, u32)] {
        let (from, to) = (self.first[node as usize], self.first[node as usize + 1]);
        &self.channels[from as usize..to as usize]
    }
}

#[cfg(test)]
mod tests;
