//! What channels did over time, made ready to be drawn: the map of the network and its ports.
//!
//! [`bins`] is what a run records, [`layout`] says where nodes are, and this puts both together
//! as data to draw. Large networks are folded: hosts of one switch become one node.

pub mod bins;
pub mod layout;
mod networks;
mod ports;

use std::collections::BTreeMap;

use bins::{Bins, Slot};
use layout::{Graph, Known, Position, layout};

use crate::drawn::{Arc, Map, Node, OverTime, Units};
use crate::model::{Block, Report};

pub use networks::{flits, network};

/// Nodes from which on hosts are folded.
const FOLD_FROM: usize = 120;
/// Nodes, after folding, that are drawn at most.
const NODES_MOST: usize = 400;
/// Flows named at a channel.
const FLOWS_NAMED: usize = 10;

/// A network as it is, before it is drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Network {
    pub names: Vec<String>,
    pub is_host: Vec<bool>,
    pub places: Vec<Option<Position>>,
    /// The node each channel leaves and enters.
    pub channels: Vec<(usize, usize)>,
    /// By channel: flows that cross it.
    pub flows: Vec<Vec<String>>,
    /// Channels in a circle that can't move, and what waits there.
    pub stuck: Vec<(usize, String)>,
}

/// All that is drawn of `network` over time, if it was recorded.
fn over_time(network: &Network, bins: &Bins, units: Units) -> Option<OverTime> {
    let bins = bins.closed();
    let rows = bins.rows();
    let last = rows.len().checked_sub(1)?;
    let ends = (0..=last).map(|row| bins.row_end(row) as f64 * units.time_scale);
    let backlog = |row: &Vec<Slot>| -> u64 { row.iter().map(|slot| slot.queued).sum() };
    let fullest = rows.iter().map(backlog).max().unwrap_or(0);
    let first = rows.iter().position(|row| backlog(row) == fullest);
    Some(OverTime {
        ends: ends.collect(),
        start: match network.stuck.is_empty() {
            true => first.unwrap_or(0),
            false => last,
        },
        map: map(network, &bins, &units),
        map_left_out: map_left_out(network),
        ports: ports::ports(network, &bins),
        units,
    })
}

fn is_too_large(nodes: usize) -> bool {
    nodes > NODES_MOST
}

/// Why there is no map; empty if there is one.
fn map_left_out(network: &Network) -> String {
    let nodes = fold(network).1.len();
    match is_too_large(nodes) {
        true => format!(
            "There is no map: it would have {nodes} nodes, and at most {NODES_MOST} can be told \
             apart."
        ),
        false => String::new(),
    }
}

/// A map of `network`, if it is small enough to be drawn.
fn map(network: &Network, bins: &Bins, units: &Units) -> Option<Map> {
    let (group, names, folded) = fold(network);
    let nodes = names.len();
    if is_too_large(nodes) || nodes == 0 {
        return None;
    }
    let mut is_host = vec![false; nodes];
    let mut places = vec![None; nodes];
    for (node, &into) in group.iter().enumerate() {
        is_host[into] = network.is_host[node];
        places[into] = network.places[node];
    }
    let mut between: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (channel, &(from, to)) in network.channels.iter().enumerate() {
        between
            .entry((group[from], group[to]))
            .or_default()
            .push(channel);
    }
    let edges = between
        .keys()
        .copied()
        .filter(|(from, to)| from != to)
        .collect();
    let known = match places.iter().any(Option::is_some) {
        true => Known::Places(places),
        false => Known::Nothing,
    };
    let places = layout(&Graph::new(is_host.clone(), edges), &known);
    let nodes = names.into_iter().zip(is_host).zip(places);
    let nodes = nodes.map(|((name, is_host), place)| Node {
        name,
        is_host,
        place,
    });
    let arcs = between.into_iter().filter(|((from, to), _)| from != to);
    Some(Map {
        nodes: nodes.collect(),
        arcs: arcs
            .map(|(ends, channels)| arc(network, bins, units, ends, channels))
            .collect(),
        folded,
    })
}

impl Report {
    /// The page with what is drawn over time before its first section.
    #[must_use]
    pub fn with_over_time(mut self, drawn: Option<OverTime>) -> Report {
        let Some(drawn) = drawn else {
            return self;
        };
        let is_heading = |block: &Block| matches!(block, Block::Heading { .. });
        let first = self.blocks.iter().position(is_heading);
        let at = first.unwrap_or(self.blocks.len());
        self.blocks.insert(at, Block::OverTime(Box::new(drawn)));
        self
    }
}

fn arc(
    network: &Network,
    bins: &Bins,
    units: &Units,
    (from, to): (usize, usize),
    channels: Vec<usize>,
) -> Arc {
    let mut flows: Vec<String> = Vec::new();
    let mut all = 0;
    for &channel in &channels {
        for name in network.flows.get(channel).into_iter().flatten() {
            if !flows.contains(name) {
                all += 1;
                if flows.len() < FLOWS_NAMED {
                    flows.push(name.clone());
                }
            }
        }
    }
    let stuck = network.stuck_at(&channels);
    let mut start = 0;
    let (mut load, mut stopped, mut queued) = (Vec::new(), Vec::new(), Vec::new());
    for (index, row) in bins.rows().iter().enumerate() {
        let width = bins.row_end(index) - start;
        start = bins.row_end(index);
        let of = |value: fn(&Slot) -> u64| channels.iter().map(move |at| value(&row[*at]));
        let busy: u64 = of(|slot| slot.busy).sum();
        load.push(part(
            busy,
            width * units.busy_per_step * channels.len() as u64,
        ));
        stopped.push(part(of(|slot| slot.stopped).max().unwrap_or(0), width));
        queued.push(of(|slot| slot.queued).sum());
    }
    Arc {
        from,
        to,
        stuck,
        channels,
        flows,
        flows_all: all,
        load,
        stopped,
        queued,
    }
}

impl Network {
    /// What can't move at any of these channels; empty if all does.
    fn stuck_at(&self, channels: &[usize]) -> String {
        let stuck = self.stuck.iter();
        let stuck = stuck.filter(|(channel, _)| channels.contains(channel));
        let mut stuck: Vec<&str> = stuck.map(|(_, what)| what.as_str()).collect();
        stuck.dedup();
        stuck.join("; ")
    }
}

/// Parts of 200, to the nearest; something is never nothing.
fn part(of: u64, whole: u64) -> u8 {
    let parts = (u128::from(of) * 400 + u128::from(whole)) / (2 * u128::from(whole.max(1)));
    (parts.min(200) as u8).max(u8::from(of > 0))
}

/// By node the one it is drawn as; names of those; and what was done.
fn fold(network: &Network) -> (Vec<usize>, Vec<String>, String) {
    let count = network.names.len();
    if count <= FOLD_FROM {
        return ((0..count).collect(), network.names.clone(), String::new());
    }
    let mut beside = vec![None; count];
    for &(from, to) in &network.channels {
        if network.is_host[from] && !network.is_host[to] {
            beside[from] = Some(to);
        }
    }
    let mut group = vec![0; count];
    let mut names = Vec::new();
    let mut at: BTreeMap<usize, (usize, u32)> = BTreeMap::new();
    for node in 0..count {
        match beside[node] {
            Some(switch) => {
                let next = names.len();
                let (into, hosts) = at.entry(switch).or_insert((next, 0));
                *hosts += 1;
                group[node] = *into;
                match *hosts {
                    1 => names.push(network.names[node].clone()),
                    hosts => names[*into] = format!("{hosts} hosts"),
                }
            }
            None => {
                group[node] = names.len();
                names.push(network.names[node].clone());
            }
        }
    }
    let hosts: u32 = at.values().map(|(_, hosts)| hosts).sum();
    let words = format!(
        "The {hosts} hosts are drawn as {} groups, those of one switch together: the mean of \
         their loads, the largest of their stops, the sum of their queues.",
        at.len()
    );
    (group, names, words)
}

#[cfg(test)]
mod tests;
