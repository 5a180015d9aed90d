//! A network as it is drawn, and what its channels did over time: plain data.

pub mod page;
pub mod picture;

/// How values of a map are read.
#[derive(Clone, Debug)]
pub struct Units {
    /// Unit of time.
    pub time: &'static str,
    /// How many of it are one step of the run's clock.
    pub time_scale: f64,
    /// Unit of queues.
    pub queue: &'static str,
    /// How many of it are one unit of a queue as it is counted.
    pub queue_scale: f64,
    /// What a stop is here.
    pub stop: &'static str,
    /// What a queue is here.
    pub buffer: &'static str,
    /// Sending time that a full bin holds, a step of the clock.
    pub busy_per_step: u64,
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
    /// End of each bin, in the unit of time.
    pub ends: Vec<f64>,
    /// How to read it.
    pub units: Units,
    /// What was folded; empty for nothing.
    pub folded: String,
}

impl Map {
    /// The bin that is shown first: the last where something can't move any more.
    pub fn first_shown(&self) -> usize {
        match self.arcs.iter().any(|arc| !arc.stuck.is_empty()) {
            true => self.ends.len().saturating_sub(1),
            false => self.fullest(),
        }
    }

    /// The bin with the largest backlog, the first of several.
    pub fn fullest(&self) -> usize {
        let total = |bin: usize| -> u64 { self.arcs.iter().map(|arc| arc.queued[bin]).sum() };
        let bins = 0..self.ends.len();
        let fullest = bins.clone().map(total).max().unwrap_or(0);
        bins.into_iter()
            .find(|bin| total(*bin) == fullest)
            .unwrap_or(0)
    }

    /// The largest queue of a switch; of a host if switches have none.
    pub fn queue_most(&self) -> u64 {
        let most = |hosts: bool| {
            let arcs = self
                .arcs
                .iter()
                .filter(|arc| self.nodes[arc.from].is_host == hosts);
            arcs.flat_map(|arc| &arc.queued).copied().max().unwrap_or(0)
        };
        match most(false) {
            0 => most(true).max(1),
            most => most,
        }
    }

    /// Something was stopped at some time.
    pub fn has_stops(&self) -> bool {
        self.arcs
            .iter()
            .any(|arc| arc.stopped.iter().any(|share| *share > 0))
    }
}
