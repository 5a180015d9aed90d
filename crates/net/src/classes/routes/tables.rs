//! The next hops from each node to each station: the shortest, and the scenario's own.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use alloc::{format, vec};

use backwater_kernel::BuildError;

use self::search::{Leaving, Search, channels};
use super::spreading::{OPEN, entropy};
use super::{ends_of, mix};
use crate::hop::unit::NONE;
use crate::spec::frames::{EthernetSpec, NicRule, RouteSpec, Spread};

mod ports;
mod search;

/// Hops of all ways of a flow to several stations, one way after the other.
const TREE_HOPS_MAX: usize = 50_000_000;

/// The next hops from each node to each station.
///
/// What leads to one station on a switch leads to the others there, too, but for the last hop, and
/// who has one link has one way out. So rows are for switches and for stations on several links,
/// columns for switches with stations and for stations on several links. What leads somewhere from
/// a switch leads there from all switches that no shortest way tells apart: each has the same
/// choices, of channels of its own.
#[derive(Debug)]
pub struct Tables {
    seed: u64,
    spread: Spread,
    /// By node: its only way out and where that leads, for a station that one link joins to a
    /// switch.
    out: Vec<Option<Hop>>,
    /// By node: the last hop to it and where that leaves, for such a station.
    last: Vec<Option<Hop>>,
    /// By node: its row; [`NONE`] for those with a way in `out`.
    rows: Vec<u32>,
    /// By station: the column that leads to it, or to its switch; [`NONE`] for switches.
    columns: Vec<u32>,
    /// By row: its kind.
    kinds: Vec<u32>,
    /// By column and kind: which of the sets of a row of this kind.
    choices: Vec<u32>,
    /// By row, the hops that lead somewhere, first those that lead nowhere: the first channel in
    /// `channels`, and how many.
    sets: Vec<Vec<(u32, u32)>>,
    channels: Vec<u32>,
    kind_count: usize,
    /// Stations that do not go by a hash where they have several links, in order.
    nics: Vec<(u32, NicRule)>,
    /// By flow with a row, its rail.
    rails: Vec<u32>,
}

/// A channel between a station and the switch it is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Hop {
    switch: u32,
    channel: u32,
}

impl Tables {
    /// Kinds of rows times columns of the tables of a network.
    pub fn size(spec: &EthernetSpec) -> u64 {
        let (out, given) = (only_ways(spec), given(spec));
        let (rows, count) = number_rows(&out);
        let kinds = search::kinds(spec, (&rows, count), &out).counts.len();
        let mut targets = BTreeSet::new();
        for (node, way) in (0_u32..).zip(&out) {
            match way {
                Some(way) if !given.contains(&node) => targets.insert(way.switch),
                _ => !spec.is_switch(node) && targets.insert(node),
            };
        }
        kinds as u64 * targets.len() as u64
    }

    /// All shortest ways, and the scenario's own.
    ///
    /// # Errors
    /// If a route of the scenario names what is not there.
    pub fn new(spec: &EthernetSpec) -> Result<Tables, BuildError> {
        check(spec)?;
        let out = only_ways(spec);
        let (rows, count) = number_rows(&out);
        let mut search = Search::new(spec, (&rows, count), &out);
        let mut tables = Tables {
            seed: spec.seed,
            spread: spec.rules.spread,
            last: vec![None; out.len()],
            rows,
            columns: vec![NONE; out.len()],
            kinds: search.alike.kinds.clone(),
            choices: Vec::new(),
            sets: vec![vec![(0, 0)]; count],
            channels: Vec::new(),
            kind_count: search.alike.counts.len(),
            nics: ports::nics(spec, &out),
            rails: spec.rules.rails.clone(),
            out,
        };
        tables.add_columns(spec, &mut search);
        for route in &spec.rules.routes {
            if tables.out[route.node as usize].is_none() {
                tables.set(route.node, route.destination, &route.channels);
            }
        }
        Ok(tables)
    }

    /// A column for each station, or for the switch it is on if the scenario has no way of its own
    /// to it.
    fn add_columns(&mut self, spec: &EthernetSpec, search: &mut Search) {
        let given = given(spec);
        let mut by_switch: BTreeMap<u32, u32> = BTreeMap::new();
        let mut last = Vec::new();
        for station in (0..self.rows.len() as u32).filter(|node| !spec.is_switch(*node)) {
            let Some(out) = self.out[station as usize] else {
                self.columns[station as usize] = self.add_column(search, station);
                continue;
            };
            let hop = Hop {
                channel: out.channel ^ 1,
                ..out
            };
            if given.contains(&station) {
                self.columns[station as usize] = self.add_column(search, out.switch);
                last.push((station, hop));
                continue;
            }
            self.last[station as usize] = Some(hop);
            let column = match by_switch.get(&out.switch) {
                Some(column) => *column,
                None => self.add_column(search, out.switch),
            };
            by_switch.insert(out.switch, column);
            self.columns[station as usize] = column;
        }
        // Ways of its own for a row come behind those that are found of its kind.
        for (station, hop) in last {
            self.set(hop.switch, station, &[hop.channel]);
        }
    }

    /// From `target` outwards, level by level: a new column.
    fn add_column(&mut self, search: &mut Search, target: u32) -> u32 {
        let column = self.choices.len() / self.kind_count;
        self.choices.resize((column + 1) * self.kind_count, 0);
        search.from(self.rows[target as usize]);
        let mut nearer = Vec::new();
        // All but the target, which comes first.
        for at in 1..search.reached.len() {
            let kind = search.reached[at];
            search.nearer(kind, &mut nearer);
            let (choice, is_new) = search.choice(kind, &nearer);
            for row in search.rows_of(kind).filter(|_| is_new) {
                let first = self.channels.len();
                self.channels.extend(search.hops(row, &nearer));
                let count = self.channels.len() - first;
                self.sets[row as usize].push((first as u32, count as u32));
            }
            self.choices[column * self.kind_count + kind as usize] = choice;
        }
        column as u32
    }

    /// Where the choice of a row on the way to a station stands.
    fn entry(&self, row: u32, station: u32) -> usize {
        let (column, kind) = (self.columns[station as usize], self.kinds[row as usize]);
        column as usize * self.kind_count + kind as usize
    }

    /// Gives a row a way of its own, where each is of its own kind.
    fn set(&mut self, node: u32, station: u32, channels: &[u32]) {
        let row = self.rows[node as usize];
        let (entry, sets) = (self.entry(row, station), &mut self.sets[row as usize]);
        self.choices[entry] = sets.len() as u32;
        sets.push((self.channels.len() as u32, channels.len() as u32));
        self.channels.extend_from_slice(channels);
    }

    /// The next hops, in the order of channels or as the scenario has them.
    pub fn next_hops(&self, node: u32, station: u32) -> &[u32] {
        if node == station {
            return &[];
        }
        if let Some(out) = &self.out[node as usize] {
            let leads = out.switch == station || !self.next_hops(out.switch, station).is_empty();
            return match leads {
                true => core::slice::from_ref(&out.channel),
                false => &[],
            };
        }
        match &self.last[station as usize] {
            Some(last) if last.switch == node => core::slice::from_ref(&last.channel),
            _ => self.several(node, station).1,
        }
    }

    /// The next hops from a node that has no only way, to a station behind others; and where they
    /// begin, below [`Tables::places`]: of one node the same hops begin at the same place.
    pub(super) fn several(&self, node: u32, station: u32) -> (usize, &[u32]) {
        let row = self.rows[node as usize];
        let choice = self.choices[self.entry(row, station)];
        let (first, count) = self.sets[row as usize][choice as usize];
        let hops = &self.channels[first as usize..][..count as usize];
        (first as usize, hops)
    }

    pub(super) fn places(&self) -> usize {
        self.channels.len()
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// Which of several next hops frames take.
    pub(crate) fn spread(&self) -> Spread {
        self.spread
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
            let mut inner = path.iter().rev().skip(1).map(|hop| ends(*hop).1);
            if let Some(station) = inner.find(|node| !spec.is_switch(*node)) {
                return Err(BuildError(format!(
                    "flow {flow}: stations copy nothing, as node {station} would have to"
                )));
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
        self.walk_by(way, (from, self.of_flow(way, from, to)), to, to_of, hops)
    }

    /// The same from a node on, over this channel.
    fn walk_by(
        &self,
        way: u32,
        (from, first): (u32, u32),
        to: u32,
        to_of: impl Fn(u32) -> Option<u32>,
        hops: &mut Vec<u32>,
    ) -> bool {
        let (mut node, mut channel) = (from, first);
        for _ in 0..=self.rows.len() {
            if node == to {
                return true;
            }
            match to_of(channel) {
                Some(next) => node = next,
                None => break,
            }
            hops.push(channel);
            channel = self.of_flow(way, node, to);
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
        let keeps = !spec.rules.spread.parts_flows() || hops.iter().all(is_only);
        (keeps && self.ports(ends_of(spec, way)) <= 1).then_some(hops)
    }

    fn choose(&self, node: u32, to: u32, hash: impl FnOnce() -> u64) -> u32 {
        match self.next_hops(node, to) {
            [] => NONE,
            [only] => *only,
            several => several[(hash() % several.len() as u64) as usize],
        }
    }

    fn of_flow(&self, way: u32, node: u32, to: u32) -> u32 {
        if self.nic(node) == NicRule::Rail {
            return self.of_rail(way, node, to);
        }
        self.choose(node, to, || mix(&[self.seed, way.into(), node.into()]))
    }

    /// The hop of a frame behind a channel into `node`; [`NONE`] at its station `to`, [`OPEN`]
    /// where the node chooses.
    pub(crate) fn after(&self, way: u32, number: u64, node: u32, to: u32) -> u32 {
        if node == to {
            return NONE;
        }
        let entropy = entropy(self.spread, (self.seed, way), number);
        match (self.next_hops(node, to), entropy) {
            ([] | [_], _) | (_, Some(_)) => self.of_entropy((way, node), to, entropy),
            (_, None) => OPEN,
        }
    }

    /// The hop that a frame draws from `node`, whatever that says of others.
    pub(crate) fn of_frame(&self, way: u32, number: u64, node: u32, to: u32) -> u32 {
        let entropy = entropy(self.spread, (self.seed, way), number);
        self.of_entropy((way, node), to, entropy.or(Some(number)))
    }

    fn of_entropy(&self, (way, node): (u32, u32), to: u32, entropy: Option<u64>) -> u32 {
        let entropy = entropy.unwrap_or(0);
        self.choose(node, to, || {
            mix(&[self.seed, way.into(), node.into(), entropy])
        })
    }
}

/// Stations to which some ways are given.
fn given(spec: &EthernetSpec) -> BTreeSet<u32> {
    let routes = spec.rules.routes.iter();
    routes.map(|route| route.destination).collect()
}

/// By node: its only way out, for a station that one link joins to what forwards.
fn only_ways(spec: &EthernetSpec) -> Vec<Option<Hop>> {
    let leaving = Leaving::new(spec.nodes.len(), channels(spec));
    let way = |node: u32| match *leaving.of(node) {
        [(channel, switch)] if !spec.forwards(node) && spec.forwards(switch) => {
            Some(Hop { switch, channel })
        }
        _ => None,
    };
    (0..spec.nodes.len() as u32).map(way).collect()
}

/// By node, the row of each that has no only way out, and how many they are.
fn number_rows(out: &[Option<Hop>]) -> (Vec<u32>, usize) {
    let mut count = 0;
    let number = |way: &Option<Hop>| match way {
        Some(_) => NONE,
        None => {
            count += 1;
            count - 1
        }
    };
    let rows = out.iter().map(number).collect();
    (rows, count as usize)
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
            || spec.is_switch(route.destination)
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

#[cfg(test)]
mod tests;
