//! Numbers everything so that the hot loops walk through memory in order.
//!
//! Output channels are numbered by the router that sends, routers so that in a network without
//! cycles everything a channel leads to comes before it; injection channels come last. Input
//! channels are numbered by the router that receives, in the same order of routers; source lanes
//! come last. A level is a set of routers of which none leads to another; each begins at a
//! multiple of 64 channels, the block that is scanned at once.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::lane::NONE;
use crate::spec::{FabricSpec, Graph};

/// Channels scanned at once.
pub(crate) const BLOCK: u32 = 64;

/// How the network is numbered.
#[derive(Debug)]
pub(crate) struct Layout {
    /// A lane's number is its channel's, shifted by this, and its index.
    pub shift: u32,
    /// All lanes of a channel, a bit each.
    pub all_lanes: u32,
    /// By router: its first output channel.
    pub router_out: Vec<u32>,
    /// By router: its first input channel.
    pub router_in: Vec<u32>,
    /// Output channels, gaps included; the next one is the channel nobody uses.
    pub outs: u32,
    /// Output channel of terminal 0's injection.
    pub inject: u32,
    /// Input channels, gaps and source lanes included; the next one nobody uses.
    pub ins: u32,
    /// Input channel of terminal 0's source lanes.
    pub sources: u32,
    /// By output channel: its number in the spec, or [`NONE`] for a gap.
    pub spec_out: Vec<u32>,
    /// By channel of the spec: the input channel at its far end; [`NONE`] for ejection.
    pub target: Vec<u32>,
    /// By channel of the spec: its output channel.
    pub out_of: Vec<u32>,
    /// Output and input channels of each level of routers, from the sinks up.
    pub levels: Vec<(Range<u32>, Range<u32>)>,
    /// Whether the channels form no cycle.
    pub acyclic: bool,
}

impl Layout {
    pub fn new(spec: &FabricSpec) -> Layout {
        let graph = &spec.graph;
        let (order, acyclic) = sinks_first(graph);
        let terminals = graph.inject.len();
        let inputs = inputs_of(graph);
        let (mut outs, mut ins) = (0_u32, 0_u32);
        let mut layout = Layout {
            shift: u32::from(spec.router.lanes)
                .next_power_of_two()
                .trailing_zeros(),
            all_lanes: u32::MAX >> (32 - u32::from(spec.router.lanes)),
            router_out: vec![NONE; graph.routers as usize],
            router_in: vec![NONE; graph.routers as usize],
            outs: 0,
            inject: 0,
            ins: 0,
            sources: 0,
            spec_out: Vec::new(),
            target: vec![NONE; graph.channels.len() + 2 * terminals],
            out_of: vec![NONE; graph.channels.len() + 2 * terminals],
            levels: Vec::new(),
            acyclic,
        };
        let outputs = outputs_of(graph);
        for level in &order {
            let first = (outs, ins);
            for &router in level {
                layout.router_out[router as usize] = outs;
                for &channel in outputs.of(router) {
                    layout.out_of[channel as usize] = outs;
                    outs += 1;
                }
                layout.router_in[router as usize] = ins;
                for &channel in inputs.of(router) {
                    layout.target[channel as usize] = ins;
                    ins += 1;
                }
            }
            (outs, ins) = (outs.next_multiple_of(BLOCK), ins.next_multiple_of(BLOCK));
            layout.levels.push((first.0..outs, first.1..ins));
        }
        layout.inject = outs;
        layout.sources = ins;
        for terminal in 0..terminals {
            layout.out_of[graph.channels.len() + terminal] = outs + terminal as u32;
        }
        layout.outs = (outs + terminals as u32).next_multiple_of(BLOCK);
        layout.ins = (ins + terminals as u32).next_multiple_of(BLOCK);
        layout.spec_out = vec![NONE; layout.outs as usize];
        for (channel, &out) in layout.out_of.iter().enumerate() {
            layout.spec_out[out as usize] = channel as u32;
        }
        layout
    }

    /// Lanes between two channels' lane 0.
    pub fn stride(&self) -> u32 {
        1 << self.shift
    }

    /// The output lane nobody uses.
    pub fn no_out(&self) -> u32 {
        self.outs << self.shift
    }

    /// The input lane nobody uses.
    pub fn no_in(&self) -> u32 {
        self.ins << self.shift
    }
}

/// Lists of numbers by router, end to end.
struct ByRouter {
    first: Vec<u32>,
    items: Vec<u32>,
}

impl ByRouter {
    /// `pairs` of router and number; numbers of a router stay in order.
    fn new(routers: u32, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> ByRouter {
        let mut first = vec![0_u32; routers as usize + 1];
        for (router, _) in pairs.clone() {
            first[router as usize + 1] += 1;
        }
        for router in 0..routers as usize {
            first[router + 1] += first[router];
        }
        let mut next = first.clone();
        let mut items = vec![0; first[routers as usize] as usize];
        for (router, item) in pairs {
            items[next[router as usize] as usize] = item;
            next[router as usize] += 1;
        }
        ByRouter { first, items }
    }

    fn of(&self, router: u32) -> &[u32] {
        let range = self.first[router as usize]..self.first[router as usize + 1];
        &self.items[range.start as usize..range.end as usize]
    }
}

/// Channels out of each router: to other routers, then ejection.
fn outputs_of(graph: &Graph) -> ByRouter {
    let ejection = graph.channels.len() + graph.inject.len();
    let between = graph.channels.iter().enumerate();
    let between = between.map(|(index, channel)| (channel.from, index as u32));
    let out = graph.eject.iter().enumerate();
    let out = out.map(move |(terminal, router)| (*router, (ejection + terminal) as u32));
    ByRouter::new(graph.routers, between.chain(out))
}

/// Channels into each router: from other routers, then injection.
fn inputs_of(graph: &Graph) -> ByRouter {
    let injection = graph.channels.len();
    let between = graph.channels.iter().enumerate();
    let between = between.map(|(index, channel)| (channel.to, index as u32));
    let inn = graph.inject.iter().enumerate();
    let inn = inn.map(move |(terminal, router)| (*router, (injection + terminal) as u32));
    ByRouter::new(graph.routers, between.chain(inn))
}

/// Routers in levels, each leading only to earlier ones; with cycles one level holds them all.
fn sinks_first(graph: &Graph) -> (Vec<Vec<u32>>, bool) {
    let into = ByRouter::new(
        graph.routers,
        graph
            .channels
            .iter()
            .map(|channel| (channel.to, channel.from)),
    );
    let mut open = vec![0_u32; graph.routers as usize];
    for channel in &graph.channels {
        open[channel.from as usize] += 1;
    }
    let is_sink = |router: &u32| open[*router as usize] == 0;
    let mut level: Vec<u32> = (0..graph.routers).filter(is_sink).collect();
    let mut levels = Vec::new();
    let mut placed = 0;
    while !level.is_empty() {
        placed += level.len();
        let mut next = Vec::new();
        for &router in &level {
            for &before in into.of(router) {
                open[before as usize] -= 1;
                if open[before as usize] == 0 {
                    next.push(before);
                }
            }
        }
        next.sort_unstable();
        levels.push(level);
        level = next;
    }
    if placed == graph.routers as usize {
        (levels, true)
    } else {
        (vec![(0..graph.routers).collect()], false)
    }
}
