//! What there is: frames, queues, channels, switches.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use backwater_ends::application::Payload;
use backwater_ends::control::Telemetry;
use backwater_ends::stations::Stations;
use backwater_kernel::{Channels, Duration, Purpose, Stream, Time};
use backwater_net::frames::probe::{Content, Gate, LossCause};
use backwater_net::frames::spec::{
    BackPressureSpec, Detect, EthernetSpec, MemorySpec, NodeKind, QueueSpec, SwitchSpec,
};

use super::loops::{self, Counted, Loop};
use super::losses::Losses;
use super::ports;
use super::sources::Source;
use super::standstill::Standstill;
use super::stating::Stating;
use super::trees::{Tree, tree};
use crate::service::{Port, Ratio};

use super::{ChannelCounts, Delivery, Drop, FlowCounts, Start, nics, routes};

/// Bytes of a control frame, and with its preamble and gap.
pub(super) const CONTROL_BYTES: u64 = 64;
pub(super) const WIRE_BYTES: u64 = 20;

/// A frame of data.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub flow: usize,
    pub is_forward: bool,
    pub number: u64,
    /// As many of its way were made before.
    pub turn: u64,
    pub destination: usize,
    pub class: usize,
    pub bytes: u64,
    pub is_ect: bool,
    pub is_marked: bool,
    pub born: Time,
    pub payload: Payload,
    /// What switches wrote into it.
    pub path: Vec<Telemetry>,
    /// Channel it came over to where it is; `None` at the station that made it.
    pub came_over: Option<usize>,
    /// Its place in the order of all joins.
    pub joined: u64,
    /// When it joined the queue it is in,
    pub arrived: Time,
    /// the rank it has there
    pub rank: Option<Ratio>,
    /// and when it may go.
    pub ready_at: Time,
}

/// A control frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control {
    pub content: Content,
    /// A stop that ends only by a resume.
    pub is_endless: bool,
    /// What it says is decided as it starts.
    pub is_open: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Load {
    Data(Frame),
    Control(Control),
}

/// Takes effect at the far end of a channel.
#[derive(Clone, Debug)]
pub(super) struct Flying {
    pub at: Time,
    pub channel: usize,
    pub load: Load,
    /// It will not arrive.
    pub is_lost: bool,
}

/// Of one class, in front of a channel.
#[derive(Default, Debug)]
pub(super) struct Queue {
    /// In order of joining.
    pub waiting: Vec<Frame>,
    pub sending: Option<Frame>,
    /// Stopped as a class with frames waiting since.
    pub held_since: Option<Time>,
    /// The place after the lane that went last, where lanes of flows go in turns.
    pub turn: usize,
    /// The watchdog tripped.
    pub tripped: Option<Time>,
    /// A stop of this class took effect last.
    pub last_stop: Option<Time>,
}

impl Queue {
    /// All that counts, in order of joining.
    pub fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.sending.iter().chain(&self.waiting)
    }

    pub fn bytes(&self) -> u64 {
        self.frames().map(|frame| frame.bytes).sum()
    }
}

#[derive(Default)]
pub(super) struct Channel {
    /// The wire is busy to here.
    pub busy_until: Option<Time>,
    pub control: VecDeque<Control>,
    pub queues: Vec<Queue>,
    /// What serves its classes, unless that is strict priority.
    pub port: Option<Port>,
    /// Stops in force on what leaves here, with their end.
    pub gates: BTreeMap<Gate, Option<Time>>,
    /// The same, with the time since which they have held without a break,
    pub closed: BTreeMap<Gate, Time>,
    /// and the one from which on they count.
    pub rests: BTreeMap<Gate, Time>,
    /// Control frames that came over this channel and whose response time runs.
    pub responses: Vec<(Time, Control)>,
    /// What the neighbour was told last to stop.
    pub told: BTreeSet<Gate>,
    /// What the control frame on the wire speaks of, if it was handed over to the MAC.
    pub on_wire: Option<Gate>,
    /// Data goes before the next control frame.
    pub yields: bool,
    /// When which topics are stated again, and those for which it is time.
    pub refreshes: Vec<(Time, Gate)>,
    pub due: BTreeSet<Gate>,
    /// The next stop of a storm.
    pub storm: Option<Time>,
    /// The station behind it has taken the last frame.
    pub taken_at: Option<Time>,
    pub counts: ChannelCounts,
}

/// Bytes of an input port and class in a shared memory.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Share {
    /// In the reserve and in the shared part.
    pub held: u64,
    pub headroom: u64,
}

/// Where congestion is seen: a (channel, class).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Point {
    /// The queue in front of the channel.
    Output(usize, usize),
    /// What came over the channel.
    Input(usize, usize),
    /// The stopped frames in the queue.
    Blocked(usize, usize),
}

impl Point {
    pub fn channel(self) -> usize {
        match self {
            Point::Output(channel, _) | Point::Input(channel, _) | Point::Blocked(channel, _) => {
                channel
            }
        }
    }

    pub fn class(self) -> usize {
        match self {
            Point::Output(_, class) | Point::Input(_, class) | Point::Blocked(_, class) => class,
        }
    }
}

/// What a congested point has asked for.
#[derive(Clone, Debug)]
pub(super) struct Congestion {
    pub since: Time,
    /// Channels towards the neighbours that are told.
    pub neighbours: BTreeSet<usize>,
    /// What they are told to close.
    pub gates: BTreeSet<Gate>,
    /// Stops asked for, by channel towards the neighbour, and since when.
    pub asked: BTreeMap<(usize, Gate), Time>,
    pub drew_again: bool,
    pub timed_out: bool,
}

pub(super) struct Network {
    pub spec: EthernetSpec,
    /// Channels that leave each node.
    leaving: Vec<Vec<usize>>,
    pub hops: BTreeMap<(usize, usize), Vec<usize>>,
    /// By flow, where it has several destinations.
    pub trees: Vec<Option<Tree>>,
    pub now: Option<Time>,
    pub channels: Vec<Channel>,
    pub flying: Vec<Flying>,
    pub congested: BTreeMap<Point, Congestion>,
    /// Data that came over a channel: (channel, class, destination) to the last time.
    pub last_came: BTreeMap<(usize, usize, usize), Time>,
    pub shares: BTreeMap<(usize, usize), Share>,
    pub sources: Vec<Source>,
    /// Flows that run elsewhere.
    pub elsewhere: Stations,
    /// By flow and end: a packet of a queue pair was handed over, and none since.
    pub pairs_wait: Vec<[bool; 2]>,
    /// What switches wrote into the packet that came to its station last.
    pub brought: Vec<Telemetry>,
    /// Who states rates, by channel and class.
    pub stating: BTreeMap<(usize, usize), Stating>,
    /// Bytes on the wire that each channel has sent.
    pub sent_bytes: Vec<u64>,
    /// What has credit of its own, by channel and place,
    pub lanes: loops::Lanes,
    /// and that credit.
    pub loops: BTreeMap<(usize, usize), Loop>,
    pub counted: Vec<Option<Counted>>,
    /// What the wires lose, by channel.
    pub losses: Vec<Losses>,
    /// Random streams by channel and class.
    pub marking: BTreeMap<(usize, usize), Stream>,
    pub selection: BTreeMap<(usize, usize), Stream>,
    pub chosen: Chosen,
    pub joins: u64,
    pub starts: Vec<Start>,
    pub drops: Vec<Drop>,
    pub deliveries: Vec<Delivery>,
    pub flows: Vec<FlowCounts>,
    /// By flow, frames made at its source and at its destination.
    pub made: Vec<[u64; 2]>,
    pub time_outs: Vec<u64>,
    /// When a standstill was looked for last, and how many frames of data had started.
    pub last_look: Time,
    pub started_before: usize,
    pub standstill: Option<Standstill>,
}

/// What nodes remember of the ports they chose.
#[derive(Default)]
pub(super) struct Chosen {
    /// How often a node took one of these hops in turn.
    pub turns: BTreeMap<(usize, Vec<usize>), u64>,
    /// By node and way, when its last frame came, and which port that took.
    pub flowlets: BTreeMap<(usize, usize, bool), (Time, usize)>,
}

impl Network {
    pub fn new(spec: &EthernetSpec) -> Network {
        let channels = (0..2 * spec.links.len()).map(|id| Channel {
            queues: queue_specs(spec, id)
                .iter()
                .map(|_| Queue::default())
                .collect(),
            counts: ChannelCounts::new(queue_specs(spec, id).len()),
            storm: first_storm(spec, id),
            port: ports::port(spec, id),
            ..Channel::default()
        });
        let mut streams = [BTreeMap::new(), BTreeMap::new()];
        for (list, purpose) in streams
            .iter_mut()
            .zip([Purpose::Marking, Purpose::Selection])
        {
            for channel in 0..2 * spec.links.len() {
                for class in 0..queue_specs(spec, channel).len() {
                    let entity = named(channel, class);
                    list.insert((channel, class), Stream::new(spec.seed, entity, purpose));
                }
            }
        }
        let [marking, selection] = streams;
        let hops = routes::next_hops(spec);
        let trees = Vec::from_iter((0..spec.flows.len()).map(|flow| tree(spec, &hops, flow)));
        let lanes = loops::lanes(spec, &hops, &trees);
        Network {
            leaving: (0..spec.nodes.len())
                .map(|node| channels_from(spec, node).collect())
                .collect(),
            trees,
            hops,
            now: None,
            channels: channels.collect(),
            flying: Vec::new(),
            congested: BTreeMap::new(),
            last_came: BTreeMap::new(),
            shares: BTreeMap::new(),
            sources: (0..spec.flows.len())
                .map(|flow| Source::new(spec, flow))
                .collect(),
            elsewhere: spec.stations(),
            pairs_wait: vec![[false; 2]; spec.flows.len()],
            brought: Vec::new(),
            stating: stating(spec),
            sent_bytes: vec![0; 2 * spec.links.len()],
            loops: loops::loops(spec, &lanes),
            lanes,
            counted: loops::counted(spec),
            losses: (0..2 * spec.links.len())
                .map(|channel| Losses::new(spec, channel))
                .collect(),
            marking,
            selection,
            chosen: Chosen::default(),
            joins: 0,
            starts: Vec::new(),
            drops: Vec::new(),
            deliveries: Vec::new(),
            flows: vec![FlowCounts::default(); spec.flows.len()],
            made: vec![[0; 2]; spec.flows.len()],
            time_outs: vec![0; spec.nodes.len()],
            last_look: Time::ZERO,
            started_before: 0,
            standstill: None,
            spec: spec.clone(),
        }
    }

    /// Node a channel leaves.
    pub fn tail(&self, channel: usize) -> usize {
        routes::tail(&self.spec, channel)
    }

    /// Node a channel enters.
    pub fn head(&self, channel: usize) -> usize {
        routes::head(&self.spec, channel)
    }

    /// Channels that leave a node.
    pub fn leaving(&self, node: usize) -> impl Iterator<Item = usize> {
        self.leaving[node].iter().copied()
    }

    pub fn switch(&self, node: usize) -> Option<&SwitchSpec> {
        match &self.spec.nodes[node].kind {
            NodeKind::Switch(switch) => Some(switch),
            NodeKind::Station { .. } => None,
        }
    }

    /// What a switch does about what came over a channel: as that input alone, or as all do.
    pub fn stops_of_input(&self, channel: usize) -> Option<BackPressureSpec> {
        let stops = &self.switch(self.head(channel))?.stops;
        let mut inputs = stops.own.iter();
        match inputs.find(|input| input.channel as usize == channel) {
            Some(input) => input.rules,
            None => stops.common.filter(|it| it.detect == Detect::Inputs),
        }
    }

    /// What a switch does about what its output queues hold.
    pub fn stops_of_outputs(&self, node: usize) -> Option<BackPressureSpec> {
        let common = self.switch(node)?.stops.common;
        common.filter(|it| it.detect == Detect::Outputs)
    }

    /// The rules by which whoever sends over a channel is told to stop.
    pub fn stops_over(&self, channel: usize) -> Option<BackPressureSpec> {
        let of_input = self.stops_of_input(channel);
        of_input.or_else(|| self.stops_of_outputs(self.head(channel)))
    }

    pub fn shared(&self, node: usize) -> Option<backwater_net::frames::spec::SharedSpec> {
        match &self.switch(node)?.memory {
            MemorySpec::Shared(shared) => Some(shared.clone()),
            MemorySpec::Queues => None,
        }
    }

    pub fn rate_of(&self, channel: usize) -> backwater_kernel::Rate {
        channel_spec(&self.spec, channel).rate
    }

    pub fn queue_spec(&self, channel: usize, class: usize) -> QueueSpec {
        queue_specs(&self.spec, channel)[class]
    }

    pub fn queue(&self, channel: usize, class: usize) -> &Queue {
        &self.channels[channel].queues[class]
    }

    /// All that came over a channel in a class and has not left, in order of joining.
    pub fn came_in(&self, channel: usize, class: usize) -> Vec<&Frame> {
        let leaving = self.leaving(self.head(channel));
        let mut frames: Vec<&Frame> = leaving
            .flat_map(|out| self.queue(out, class).frames())
            .filter(|frame| frame.came_over == Some(channel))
            .collect();
        frames.sort_by_key(|frame| frame.joined);
        // Of copies the first counts.
        let mut known = BTreeSet::new();
        frames.retain(|frame| known.insert((frame.flow, frame.number)));
        frames
    }

    /// The channel a frame takes from `node`.
    pub fn next_hop(&self, node: usize, frame: &Frame) -> usize {
        let hops = &self.hops[&(node, frame.destination)];
        let is_own = nics::is_source(&self.spec, frame.flow, frame.is_forward, node);
        let draws = self.spec.rules.spread.parts_flows() && !is_own;
        if routes::is_station(&self.spec, node) && !draws {
            let turn = frame.turn as usize;
            return hops[nics::port(
                &self.spec,
                frame.flow,
                frame.is_forward,
                node,
                hops.len(),
                turn,
            )];
        }
        let draw = (frame.flow, frame.is_forward, frame.number);
        routes::drawn(&self.spec, draw, node, hops)
    }

    /// How long a stop of so many quanta lasts for what leaves on `channel`.
    pub fn quanta(&self, channel: usize, quanta: u16) -> Duration {
        self.rate_of(channel)
            .serialization(u64::from(quanta) * 512 / 8)
    }

    pub fn drop_frame(&mut self, now: Time, channel: usize, frame: &Frame, cause: LossCause) {
        self.channels[channel].counts.drops[frame.class].add(cause, 1);
        let missed = self.behind(channel, frame);
        self.flows[frame.flow].dropped += missed;
        self.flows[frame.flow].dropped_bytes += missed * frame.bytes;
        self.drops.push(Drop {
            at_ps: now.ps(),
            channel: channel as u32,
            flow: frame.flow as u32,
            number: frame.number,
            cause,
        });
    }
}

pub(super) fn channel_spec(
    spec: &EthernetSpec,
    channel: usize,
) -> &backwater_net::frames::spec::ChannelSpec {
    spec.links.channel(channel as u32)
}

pub(super) fn queue_specs(spec: &EthernetSpec, channel: usize) -> &[QueueSpec] {
    &channel_spec(spec, channel).queues
}

fn stating(spec: &EthernetSpec) -> BTreeMap<(usize, usize), Stating> {
    let mut all = BTreeMap::new();
    for channel in 0..2 * spec.links.len() {
        if routes::is_station(spec, routes::tail(spec, channel)) {
            continue;
        }
        for (class, queue) in queue_specs(spec, channel).iter().enumerate() {
            if let Some(rocc) = queue.rocc {
                all.insert((channel, class), Stating::new(rocc));
            }
        }
    }
    all
}

fn first_storm(spec: &EthernetSpec, channel: usize) -> Option<Time> {
    match &spec.nodes[routes::tail(spec, channel)].kind {
        NodeKind::Station { storm: Some(storm) } if storm.from < storm.until => Some(storm.from),
        _ => None,
    }
}

/// Channels that leave a node.
fn channels_from(spec: &EthernetSpec, node: usize) -> impl Iterator<Item = usize> {
    let all = 0..2 * spec.links.len();
    all.filter(move |channel| routes::tail(spec, *channel) == node)
}

/// A queue as its random streams are named: those of eight classes in a row, others apart.
fn named(channel: usize, class: usize) -> u64 {
    match class < 8 {
        true => (8 * channel + class) as u64,
        false => (1 << 40) + (32 * channel + class) as u64,
    }
}
