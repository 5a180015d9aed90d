//! What channels did over time, as it is drawn: the network, and its ports in rows. Plain data.

mod labels;
pub mod page;
pub mod picture;
pub mod strip;

use crate::model::OtherUnit;
use crate::number::significant;

/// How values of a map are read.
#[derive(Clone, Debug, Default)]
pub struct Units {
    /// Unit of time.
    pub time: &'static str,
    /// How many of it are one step of the run's clock.
    pub time_scale: f64,
    /// Another to switch to.
    pub other_time: Option<OtherUnit>,
    /// Unit of queues.
    pub queue: &'static str,
    /// How many of it are one unit of a queue as it is counted.
    pub queue_scale: f64,
    /// What a stop is here,
    pub stop: &'static str,
    /// whether it was measured, not only seen at looks,
    pub stops_are_exact: bool,
    /// and how whoever is at the far end has a part in it: `stopped by`.
    pub by: &'static str,
    /// What a queue is here.
    pub buffer: &'static str,
    /// Sending time that a full bin holds, a step of the clock.
    pub busy_per_step: u64,
}

impl Units {
    /// A queue as it is read: `1 cell`, `490 kB`.
    fn queue_of(&self, queued: u64, digits: u8) -> String {
        let size = queued as f64 * self.queue_scale;
        let unit = match (size == 1.0, self.queue) {
            (true, "cells") => "cell",
            (true, "flits") => "flit",
            (_, unit) => unit,
        };
        format!("{} {unit}", significant(size, digits))
    }
}

/// A node as it is drawn.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name, or how many hosts it stands for.
    pub name: String,
    /// A host, or several.
    pub is_host: bool,
    /// Where.
    pub place: (f64, f64),
}

/// All channels from one node to another, as they are drawn.
#[derive(Clone, Debug)]
pub struct Arc {
    /// Node it leaves.
    pub from: usize,
    /// Node it enters.
    pub to: usize,
    /// Channels it stands for.
    pub channels: Vec<usize>,
    /// Flows that cross it, some of them,
    pub flows: Vec<String>,
    /// and how many there are.
    pub flows_all: usize,
    /// What waits here for ever; empty if it moves.
    pub stuck: String,
    /// By bin: share of the time spent sending, mean of its channels; share stopped, the largest;
    /// and what waited, in all. Shares in parts of 200.
    pub load: Vec<u8>,
    /// See above.
    pub stopped: Vec<u8>,
    /// See above.
    pub queued: Vec<u64>,
}

/// A network as it is drawn.
#[derive(Clone, Debug)]
pub struct Map {
    /// Nodes.
    pub nodes: Vec<Node>,
    /// From each node to each neighbour.
    pub arcs: Vec<Arc>,
    /// What was folded; empty for nothing.
    pub folded: String,
}

/// A port over time.
#[derive(Clone, Debug)]
pub struct Port {
    /// The node it belongs to.
    pub from: String,
    /// The node at the far end.
    pub to: String,
    /// The how manieth from the one to the other it is, from 1.
    pub number: usize,
    /// A host's port.
    pub is_host: bool,
    /// What waits here for ever; empty if it moves.
    pub stuck: String,
    /// By bin: share of the time stopped, in parts of 200,
    pub stopped: Vec<u8>,
    /// and the largest queue that was seen.
    pub queued: Vec<u64>,
}

/// Ports in rows.
#[derive(Clone, Debug, Default)]
pub struct Ports {
    /// All that are in a row.
    pub ports: Vec<Port>,
    /// Those that were stopped longest, the first stopped first; by place in `ports`.
    pub stops: Vec<usize>,
    /// Those with the largest queues, the largest first, hosts last.
    pub queues: Vec<usize>,
    /// How many were stopped at all,
    pub stops_all: usize,
    /// and how many had something in their queue.
    pub queues_all: usize,
}

/// A run as it is drawn over time.
#[derive(Clone, Debug)]
pub struct OverTime {
    /// End of each bin, in the unit of time.
    pub ends: Vec<f64>,
    /// The bin that is shown first: the last where something can't move any more, else the one
    /// with the largest backlog, the first of several.
    pub start: usize,
    /// How to read it.
    pub units: Units,
    /// The network, if it is small enough.
    pub map: Option<Map>,
    /// Why it is not drawn; empty if it is.
    pub map_left_out: String,
    /// Its ports.
    pub ports: Ports,
}

impl Map {
    /// The largest queue of a switch; of a host if switches have none.
    pub fn queue_most(&self) -> u64 {
        let arcs = self.arcs.iter();
        largest(arcs.map(|arc| (self.nodes[arc.from].is_host, &*arc.queued)))
    }

    /// Does it open with stops? Where something can't move, where a link was stopped for a tenth of
    /// the run, or links for a hundredth in the mean of those that carried anything; else all would
    /// be grey, and it opens with loads.
    pub fn opens_with_stops(&self) -> bool {
        let mean = |shares: &[u8]| {
            let sum: u64 = shares.iter().map(|share| u64::from(*share)).sum();
            sum as f64 / (shares.len().max(1) as f64 * 200.0)
        };
        let used = self
            .arcs
            .iter()
            .filter(|arc| arc.load.iter().any(|share| *share > 0));
        let stopped: Vec<f64> = used.map(|arc| mean(&arc.stopped)).collect();
        let sum: f64 = stopped.iter().sum();
        self.arcs.iter().any(|arc| !arc.stuck.is_empty())
            || stopped.iter().any(|share| *share >= 0.1)
            || (sum > 0.0 && sum >= 0.01 * stopped.len() as f64)
    }

    /// By node: the mean load of the channels that leave it, from 0 to 1, in a bin.
    pub fn node_loads(&self, bin: usize) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.nodes.len()];
        for arc in &self.arcs {
            let channels = arc.channels.len() as f64;
            let sum = &mut sums[arc.from];
            sum.0 += f64::from(arc.load[bin]) / 200.0 * channels;
            sum.1 += channels;
        }
        let mean =
            |(load, channels): (f64, f64)| if channels > 0.0 { load / channels } else { 0.0 };
        sums.into_iter().map(mean).collect()
    }

    /// Something was stopped at some time.
    pub fn has_stops(&self) -> bool {
        self.arcs
            .iter()
            .any(|arc| arc.stopped.iter().any(|share| *share > 0))
    }
}

impl Ports {
    /// As [`Map::queue_most`].
    pub fn queue_most(&self) -> u64 {
        let ports = self.ports.iter();
        largest(ports.map(|port| (port.is_host, &*port.queued)))
    }
}

impl Port {
    /// Both ends, and which of several it is.
    pub fn name(&self) -> String {
        let (from, to) = (&self.from, &self.to);
        match self.number {
            1 => format!("{from} → {to}"),
            number => format!("{from} → {to} ({number})"),
        }
    }
}

/// The largest queue of switches; of hosts if those have none.
fn largest<'a>(queues: impl Iterator<Item = (bool, &'a [u64])>) -> u64 {
    let mut most = [0, 0];
    for (is_host, queued) in queues {
        let longest = queued.iter().copied().max().unwrap_or(0);
        let most = &mut most[usize::from(is_host)];
        *most = longest.max(*most);
    }
    match most {
        [0, hosts] => hosts.max(1),
        [switches, _] => switches,
    }
}
