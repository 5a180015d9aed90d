//! The next hops from each node to each station: the shortest, and the scenario's own.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use alloc::{format, vec};

use backwater_kernel::BuildError;

use super::{ends_of, mix};
use crate::hop::unit::NONE;
use crate::spec::frames::{EthernetSpec, NodeKind, RouteSpec, Spread};

/// Hops of all ways of a flow to several stations, one way after the other.
const TREE_HOPS_MAX: usize = 50_000_000;

/// The next hops from each node to each station.
///
/// What leads to one station on a switch leads to the others there, too, but for the last hop, and
/// who has one link has one way out. So rows are for switches and for stations on several links,
/// columns for switches with stations and for stations on several links.
#[derive(Debug)]
pub struct Tables {
    seed: u64,
    /// By node: its only way out and where that leads, for a station that one link joins to a
    /// switch.
    out: Vec<Option<Hop>>,
    /// By node: the last hop to it and where that leaves, for such a station.
    last: Vec<Option<Hop>>,
    /// By node: its row; [`NONE`] for those with a way in `out`.
    rows: Vec<u32>,
    /// By station: the column that leads to it, or to its switch; [`NONE`] for switches.
    columns: Vec<u32>,
    /// By column and row: first channel in `channels`, and how many.
    entries: Vec<(u32, u32)>,
    channels: Vec<u32>,
    row_count: usize,
}

/// A channel between a station and the switch it is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Hop {
    switch: u32,
    channel: u32,
}

impl Tables {
    /// Rows times columns of the tables of a network.
    pub fn size(spec: &EthernetSpec) -> u64 {
        let given = given(spec);
        let (mut rows, mut targets) = (0_u64, BTreeSet::new());
        for (node, way) in (0_u32..).zip(only_ways(spec)) {
            rows += u64::from(way.is_none());
            match way {
                Some(way) if !given.contains(&node) => targets.insert(way.switch),
                _ => !forwards(spec, node) && targets.insert(node),
            };
        }
        rows * targets.len() as u64
    }

    /// All shortest ways, and the scenario's own.
    ///
    /// # Errors
    /// If a route of the scenario names what is not there.
    pub fn new(spec: &EthernetSpec) -> Result<Tables, BuildError> {
        check(spec)?;
        let (nodes, out) = (spec.nodes.len() as u32, only_ways(spec));
        let has_row = |node: u32| out[node as usize].is_none();
        let mut rows = 0..;
        let rows = (0..nodes).map(|node| match has_row(node) {
            true => rows.next().unwrap_or(NONE),
            false => NONE,
        });
        let mut tables = Tables {
            seed: spec.seed,
            last: vec![None; out.len()],
            rows: rows.collect(),
            columns: vec![NONE; out.len()],
            entries: Vec::new(),
            channels: Vec::new(),
            row_count: (0..nodes).filter(|node| has_row(*node)).count(),
            out,
        };
        tables.add_columns(spec);
        for route in &spec.rules.routes {
            if tables.out[route.node as usize].is_none() {
                tables.set(route.node, route.destination, &route.channels);
            }
        }
        Ok(tables)
    }

    /// A column for each station, or for the switch it is on if the scenario has no way of its own
    /// to it.
    fn add_columns(&mut self, spec: &EthernetSpec) {
        let given = given(spec);
        let mut by_switch: BTreeMap<u32, u32> = BTreeMap::new();
        let mut search = Search::new(spec, &self.rows, self.row_count);
        for station in (0..self.rows.len() as u32).filter(|node| !forwards(spec, *node)) {
            let Some(out) = self.out[station as usize] else {
                self.columns[station as usize] = self.add_column(&mut search, station);
                continue;
            };
            let hop = Hop {
                channel: out.channel ^ 1,
                ..out
            };
            if given.contains(&station) {
                self.columns[station as usize] = self.add_column(&mut search, out.switch);
                self.set(out.switch, station, &[hop.channel]);
                continue;
            }
            self.last[station as usize] = Some(hop);
            let column = match by_switch.get(&out.switch) {
                Some(column) => *column,
                None => self.add_column(&mut search, out.switch),
            };
            by_switch.insert(out.switch, column);
            self.columns[station as usize] = column;
        }
    }

    /// From `target` outwards, level by level: a new column.
    fn add_column(&mut self, search: &mut Search, target: u32) -> u32 {
        let column = self.entries.len() / self.row_count;
        self.entries.resize((column + 1) * self.row_count, (0, 0));
        search.from(self.rows[target as usize]);
        // All but the target, which comes first.
        for &row in &search.reached[1..] {
            let nearer = search.distance[row as usize] - 1;
            let hops = search.between.of(row).iter();
            let hops = hops.filter(|(_, next)| search.passable[*next as usize] == nearer);
            let first = self.channels.len();
            self.channels.extend(hops.map(|(channel, _)| *channel));
            // Many columns have the same hops in a row: those that lead upwards.
            let known = &mut search.known[row as usize];
            let (from, count) = (known.0 as usize, known.1 as usize);
            let (before, new) = self.channels.split_at(first);
            if before.get(from..from + count) == Some(new) {
                self.channels.truncate(first);
            } else {
                *known = (first as u32, new.len() as u32);
            }
            self.entries[column * self.row_count + row as usize] = *known;
        }
        column as u32
    }

    fn entry(&self, node: u32, station: u32) -> usize {
        let (column, row) = (self.columns[station as usize], self.rows[node as usize]);
        column as usize * self.row_count + row as usize
    }

    fn set(&mut self, node: u32, station: u32, channels: &[u32]) {
        let entry = self.entry(node, station);
        self.entries[entry] = (self.channels.len() as u32, channels.len() as u32);
        self.channels.extend_from_slice(channels);
    }

    /// The next hops, in the order of channels or as the scenario has them.
    pub fn next_hops(&self, node: u32, station: u32) -> &[u32] {
        if node == station {
            return &[];
        }
        if let Some(out) = &self.out[node as usize] {
            return match self.next_hops(out.switch, station) {
                [] => &[],
                _ => core::slice::from_ref(&out.channel),
            };
        }
        match &self.last[station as usize] {
            Some(last) if last.switch == node => core::slice::from_ref(&last.channel),
            _ => {
                let (first, count) = self.entries[self.entry(node, station)];
                &self.channels[first as usize..][..count as usize]
            }
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
        let flow_spec = &spec.flows[flow as usize];
        // Channel by which the tree enters a node.
        let mut entered: BTreeMap<u32, u32> = BTreeMap::new();
        let mut paths = Vec::new();
        let mut total = 0;
        for to in flow_spec.destinations() {
            let mut path = Vec::new();
            self.follow_to(spec, 2 * flow, (flow_spec.source, to), &mut path)?;
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

    pub(super) fn follow_to(
        &self,
        spec: &EthernetSpec,
        way: u32,
        (from, to): (u32, u32),
        hops: &mut Vec<u32>,
    ) -> Result<(), BuildError> {
        let to_of = |channel: u32| spec.ends(channel).map(|ends| ends.1);
        match self.walk((way, from, to), to_of, hops) {
            true => Ok(()),
            false => Err(BuildError(format!(
                "flow {} finds no way from node {from} to station {to}",
                way / 2
            ))),
        }
    }

    /// The same, where channels lead as this says; false if there is no way.
    pub(super) fn walk(
        &self,
        (way, from, to): (u32, u32, u32),
        to_of: impl Fn(u32) -> Option<u32>,
        hops: &mut Vec<u32>,
    ) -> bool {
        let mut node = from;
        for _ in 0..=self.rows.len() {
            if node == to {
                return true;
            }
            let channel = self.of_flow(way, node, to);
            match to_of(channel) {
                Some(next) => node = next,
                None => break,
            }
            hops.push(channel);
        }
        false
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
        let keeps = spec.rules.spread == Spread::Flows || hops.iter().all(is_only);
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

    pub(super) fn of_frame(&self, way: u32, number: u64, node: u32, to: u32) -> u32 {
        self.choose(node, to, || {
            mix(&[self.seed, way.into(), node.into(), number])
        })
    }
}

/// A switch is at this place.
fn forwards(spec: &EthernetSpec, node: u32) -> bool {
    let node = spec.nodes.get(node as usize);
    node.is_some_and(|node| matches!(node.kind, NodeKind::Switch(_)))
}

/// Stations to which some ways are given.
fn given(spec: &EthernetSpec) -> BTreeSet<u32> {
    let routes = spec.rules.routes.iter();
    routes.map(|route| route.destination).collect()
}

/// By node: its only way out, for a station that one link joins to a switch.
fn only_ways(spec: &EthernetSpec) -> Vec<Option<Hop>> {
    let leaving = Leaving::new(spec.nodes.len(), channels(spec));
    let way = |node: u32| match *leaving.of(node) {
        [(channel, switch)] if !forwards(spec, node) && forwards(spec, switch) => {
            Some(Hop { switch, channel })
        }
        _ => None,
    };
    (0..spec.nodes.len() as u32).map(way).collect()
}

/// Are the ways of the scenario from nodes to stations that there are, over channels that leave
/// there?
fn check(spec: &EthernetSpec) -> Result<(), BuildError> {
    let from = |channel: u32| spec.ends(channel).map(|(from, _)| from);
    let is_wrong = |route: &&RouteSpec| {
        let known = |node: u32| (node as usize) < spec.nodes.len();
        let are_known = known(route.node) && known(route.destination);
        let mut channels = route.channels.iter();
        !are_known
            || forwards(spec, route.destination)
            || route.channels.is_empty()
            || channels.any(|channel| from(*channel) != Some(route.node))
    };
    match spec.rules.routes.iter().find(is_wrong) {
        None => Ok(()),
        Some(route) => Err(BuildError(format!(
            "the route from node {} to station {} names what is not there",
            route.node, route.destination
        ))),
    }
}

/// Distances from a row, and what is used from one search to the next.
struct Search {
    /// The channels between rows.
    between: Leaving,
    /// By row: it is that of a switch.
    forwards: Vec<bool>,
    /// By row.
    distance: Vec<u32>,
    /// The same of rows that ways may lead through or to.
    passable: Vec<u32>,
    /// In the order of their distance.
    reached: Vec<u32>,
    /// By row: the hops found last, and how many.
    known: Vec<(u32, u32)>,
}

impl Search {
    fn new(spec: &EthernetSpec, rows: &[u32], count: usize) -> Search {
        let row = |node: u32| Some(rows[node as usize]).filter(|row| *row != NONE);
        let channels = channels(spec);
        let between =
            channels.filter_map(|(from, channel, to)| Some((row(from)?, channel, row(to)?)));
        let mut forward = vec![false; count];
        for node in (0..rows.len() as u32).filter(|node| forwards(spec, *node)) {
            forward[rows[node as usize] as usize] = true;
        }
        Search {
            between: Leaving::new(count, between),
            forwards: forward,
            distance: vec![u32::MAX; count],
            passable: vec![u32::MAX; count],
            reached: Vec::new(),
            known: vec![(0, 0); count],
        }
    }

    /// Searches outwards from `target`. Stations are no way through.
    fn from(&mut self, target: u32) {
        for row in self.reached.drain(..) {
            self.distance[row as usize] = u32::MAX;
            self.passable[row as usize] = u32::MAX;
        }
        self.distance[target as usize] = 0;
        self.passable[target as usize] = 0;
        self.reached.push(target);
        let mut at = 0;
        while let Some(row) = self.reached.get(at).copied() {
            at += 1;
            let Some(further) = self.passable[row as usize].checked_add(1) else {
                continue;
            };
            for &(_, next) in self.between.of(row) {
                if self.distance[next as usize] == u32::MAX {
                    self.distance[next as usize] = further;
                    if self.forwards[next as usize] {
                        self.passable[next as usize] = further;
                    }
                    self.reached.push(next);
                }
            }
        }
    }
}

/// All channels: where they leave, their number, where they lead.
fn channels(spec: &EthernetSpec) -> impl Iterator<Item = (u32, u32, u32)> {
    let all = 0..spec.links.len() as u32 * 2;
    all.filter_map(|channel| spec.ends(channel).map(|(from, to)| (from, channel, to)))
}

/// Channels by where they leave, and where they lead, in their order.
struct Leaving {
    first: Vec<u32>,
    channels: Vec<(u32, u32)>,
}

impl Leaving {
    /// Those of so many places.
    fn new(places: usize, channels: impl Iterator<Item = (u32, u32, u32)>) -> Leaving {
        let mut leaving: Vec<(u32, u32, u32)> = channels.collect();
        leaving.sort_unstable();
        let mut first = vec![0_u32; places + 1];
        for (from, ..) in &leaving {
            first[*from as usize + 1] += 1;
        }
        for place in 0..places {
            first[place + 1] += first[place];
        }
        let channels = leaving.iter().map(|(_, channel, to)| (*channel, *to));
        Leaving {
            first,
            channels: channels.collect(),
        }
    }

    fn of(&self, place: u32) -> &[(u32, u32)] {
        let (from, to) = (self.first[place as usize], self.first[place as usize + 1]);
        &self.channels[from as usize..to as usize]
    }
}

#[cfg(test)]
mod tests;
