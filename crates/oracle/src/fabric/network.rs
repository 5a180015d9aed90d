//! What there is: packets, flits, buffers, channels.

use std::collections::{BTreeMap, VecDeque};

use backwater_flit::route::{NOWHERE, Way};
use backwater_flit::routing::Routing;
use backwater_flit::spec::{FabricSpec, Release, Sources, Switch};
use backwater_flit::traffic::{Born, Generator};
use backwater_kernel::{BuildError, Purpose, Stream};

use super::arbiter::Key;
use super::{Delivery, Move, order};

pub(super) struct Packet {
    pub source: u32,
    pub destination: u32,
    pub class: u8,
    pub length: u16,
    pub birth: u64,
    pub entered: Option<u64>,
    pub hops: u32,
    pub way: Way,
    pub key: Key,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Flit {
    pub packet: usize,
    pub index: u16,
}

/// A flit in a buffer, where it could be used from cycle `usable` on.
#[derive(Clone, Copy)]
pub(super) struct Stored {
    pub flit: Flit,
    pub usable: u64,
}

/// A buffer that packets wait in: a lane of a channel into a router, or a source lane.
#[derive(Default)]
pub(super) struct InLane {
    pub buffer: VecDeque<Stored>,
    /// The packet at the front is there since this cycle, or since its header came.
    pub front_since: u64,
    /// Output (index in the node's outputs) and lane that the front packet holds.
    pub target: Option<(usize, usize)>,
    /// It may be sent there from this cycle on.
    pub moves_from: u64,
    /// What the packet before held.
    pub last_target: Option<(usize, usize)>,
}

/// The lanes of one channel at its receiving end, or the source lanes of a terminal.
pub(super) struct Input {
    /// `None`: source lanes.
    pub channel: Option<usize>,
    pub lanes: Vec<InLane>,
    /// Of a multiplexed switch: next lane and next output in turn.
    pub lane_pointer: usize,
    pub output_pointer: usize,
}

/// A router, or the sending side of a terminal.
pub(super) struct Node {
    pub is_terminal: bool,
    pub inputs: Vec<Input>,
    /// Channels, by output port.
    pub outputs: Vec<usize>,
}

/// What the sender knows of a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OutLane {
    /// The packet that has it.
    pub holder: Option<usize>,
    /// Without a holder it is free from this cycle on.
    pub free_from: u64,
    /// `None`: they never run out.
    pub credits: Option<u32>,
}

#[derive(Clone, Copy)]
pub(super) struct Flying {
    /// First cycle in which it can leave the next buffer, or cycle of its delivery.
    pub usable: u64,
    pub lane: usize,
    pub flit: Flit,
}

/// Where a channel ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Router { node: usize, port: usize },
    Terminal(u32),
}

pub(super) struct Channel {
    pub end: End,
    pub flight: u64,
    pub lanes: Vec<OutLane>,
    /// Between switch and channel.
    pub output_buffer: VecDeque<(usize, Flit)>,
    pub flying: VecDeque<Flying>,
    /// Cycle from which on it can be used, and lane.
    pub credits_coming: Vec<(u64, usize)>,
    /// By lane: the flit to come out at the end next; `None` between packets.
    pub expects: Vec<Option<Flit>>,
    pub last_sent: Option<u64>,
    /// In turn: the next header (index of its input lane) of those that ask for the same lanes,
    /// by these, to get one; the next lane to cross, the next input of a multiplexed switch.
    pub header_pointers: BTreeMap<u32, usize>,
    pub lane_pointer: usize,
    pub input_pointer: usize,
}

pub(super) struct Source {
    pub queue: VecDeque<usize>,
    pub draws: Stream,
}

/// An answer to a delivery, to be born.
pub(super) struct Answer {
    pub cycle: u64,
    pub source: usize,
    pub born: Born,
}

pub(super) struct Network {
    pub spec: FabricSpec,
    pub routing: Routing,
    pub generator: Generator,
    pub packets: Vec<Packet>,
    /// Routers, then terminals.
    pub nodes: Vec<Node>,
    pub channels: Vec<Channel>,
    pub sources: Vec<Source>,
    /// By process: cycle of its next birth.
    pub due: Vec<Option<u64>>,
    pub answers: Vec<Answer>,
    /// Nodes in the order in which they move flits: no channel leads from an earlier to a later
    /// one, if that can be.
    pub turn: Vec<usize>,
    /// Work the outputs of each node off backwards, to show that it changes nothing.
    pub outputs_backwards: bool,
    pub arbitration: Stream,
    pub deliveries: Vec<Delivery>,
    pub log: Option<Vec<Move>>,
    pub flit_hops: u64,
    pub created: u64,
    pub delivered: u64,
    pub last_move: Option<u64>,
    /// The first law broken within this cycle.
    pub broken: Option<String>,
}

pub(super) fn wrong<T>(what: impl Into<String>) -> Result<T, BuildError> {
    Err(BuildError(what.into()))
}

impl Network {
    pub fn new(spec: &FabricSpec) -> Result<Network, BuildError> {
        order::check(spec)?;
        let groups = spec.classes.iter().map(|class| class.lane_group).max();
        let groups = groups.unwrap_or(0).saturating_add(1);
        let routing = Routing::new(&spec.graph, spec.routing, spec.router.lanes, groups)?;
        let mut generator = Generator::new(spec)?;
        let due = (0..generator.processes())
            .map(|process| generator.first(process))
            .collect();
        let (nodes, channels) = built(spec);
        let source = |index: usize| Source {
            queue: VecDeque::new(),
            draws: Stream::new(spec.seed, index as u64, Purpose::Routing),
        };
        let sources = spec.graph.inject.len() * sources_per_terminal(spec);
        Ok(Network {
            spec: spec.clone(),
            routing,
            generator,
            packets: Vec::new(),
            nodes,
            channels,
            sources: (0..sources).map(source).collect(),
            due,
            answers: Vec::new(),
            turn: order::of_moves(spec)?,
            outputs_backwards: false,
            arbitration: Stream::new(spec.seed, 0, Purpose::Arbitration),
            deliveries: Vec::new(),
            log: None,
            flit_hops: 0,
            created: 0,
            delivered: 0,
            last_move: None,
            broken: None,
        })
    }

    /// One cycle, phase by phase.
    pub fn cycle(&mut self, now: u64) -> Result<(), BuildError> {
        self.deliver(now);
        self.births(now)?;
        self.collect_credits(now);
        self.allocate_lanes(now)?;
        self.move_flits(now);
        self.arrivals(now);
        self.check(now)
    }

    pub fn channels_between_routers(&self) -> usize {
        self.spec.graph.channels.len()
    }

    pub fn new_packet(&mut self, source: usize, born: Born, now: u64) -> usize {
        let class = &self.spec.classes[usize::from(born.class)];
        let terminal = (source / sources_per_terminal(&self.spec)) as u32;
        let mut way = Way {
            destination: born.destination,
            via: NOWHERE,
            plan: 0,
            group: class.lane_group,
        };
        let draw = self.sources[source].draws.next_u64();
        self.routing.depart(&mut way, draw);
        self.packets.push(Packet {
            source: terminal,
            destination: born.destination,
            class: born.class,
            length: born.length,
            birth: now,
            entered: None,
            hops: 0,
            way,
            key: (
                u8::MAX - class.priority,
                now + u64::from(class.deadline.unwrap_or(0)),
            ),
        });
        self.created += u64::from(born.length);
        self.packets.len() - 1
    }

    pub fn is_tail(&self, flit: Flit) -> bool {
        flit.index + 1 == self.packets[flit.packet].length
    }
}

pub(super) fn sources_per_terminal(spec: &FabricSpec) -> usize {
    match spec.sources {
        Sources::One | Sources::Shared => 1,
        Sources::PerLane => usize::from(spec.router.lanes),
    }
}

pub(super) fn output_buffer(spec: &FabricSpec) -> usize {
    match spec.router.switch {
        Switch::Crossbar => 0,
        Switch::Multiplexed { output_buffer, .. } => usize::from(output_buffer),
    }
}

pub(super) fn is_drained(spec: &FabricSpec) -> bool {
    spec.router.release == Release::Drained
}

fn built(spec: &FabricSpec) -> (Vec<Node>, Vec<Channel>) {
    let graph = &spec.graph;
    let (routers, terminals) = (graph.routers as usize, graph.inject.len());
    let between = graph.channels.len();
    let mut nodes: Vec<Node> = (0..routers + terminals)
        .map(|index| Node {
            is_terminal: index >= routers,
            inputs: Vec::new(),
            outputs: Vec::new(),
        })
        .collect();
    let mut channels = Vec::new();
    let pipeline = u64::from(spec.router.pipeline_delay);
    for channel in &graph.channels {
        let flight = u64::from(channel.latency) + pipeline;
        nodes[channel.from as usize].outputs.push(channels.len());
        let end = input_added(spec, &mut nodes, channel.to, channels.len());
        channels.push(new_channel(spec, end, flight));
    }
    for (terminal, router) in graph.inject.iter().enumerate() {
        let node = &mut nodes[routers + terminal];
        node.outputs.push(between + terminal);
        let lanes = match spec.sources {
            Sources::One => 1,
            Sources::Shared | Sources::PerLane => spec.router.lanes,
        };
        node.inputs.push(new_input(None, lanes));
        let end = input_added(spec, &mut nodes, *router, channels.len());
        let own = graph.terminal_latency.get(terminal);
        let flight = *own.unwrap_or(&graph.injection_latency);
        channels.push(new_channel(spec, end, flight.into()));
    }
    for (terminal, router) in graph.eject.iter().enumerate() {
        nodes[*router as usize].outputs.push(channels.len());
        let own = graph.terminal_latency.get(terminal);
        let flight = u64::from(*own.unwrap_or(&graph.ejection_latency)) + pipeline;
        channels.push(new_channel(spec, End::Terminal(terminal as u32), flight));
    }
    (nodes, channels)
}

/// Gives `router` an input for `channel`; channels come in order, so ports do.
fn input_added(spec: &FabricSpec, nodes: &mut [Node], router: u32, channel: usize) -> End {
    let node = router as usize;
    let inputs = &mut nodes[node].inputs;
    inputs.push(new_input(Some(channel), spec.router.lanes));
    let port = inputs.len() - 1;
    End::Router { node, port }
}

fn new_input(channel: Option<usize>, lanes: u8) -> Input {
    Input {
        channel,
        lanes: (0..lanes).map(|_| InLane::default()).collect(),
        lane_pointer: 0,
        output_pointer: 0,
    }
}

fn new_channel(spec: &FabricSpec, end: End, flight: u64) -> Channel {
    let credits = match end {
        End::Router { .. } => Some(u32::from(spec.router.depth)),
        End::Terminal(_) => None,
    };
    let lane = OutLane {
        holder: None,
        free_from: 0,
        credits,
    };
    Channel {
        end,
        flight,
        lanes: vec![lane; usize::from(spec.router.lanes)],
        output_buffer: VecDeque::new(),
        flying: VecDeque::new(),
        credits_coming: Vec::new(),
        expects: vec![None; usize::from(spec.router.lanes)],
        last_sent: None,
        header_pointers: BTreeMap::new(),
        lane_pointer: 0,
        input_pointer: 0,
    }
}
