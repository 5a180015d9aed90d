//! The network's state: every cell an object, every list a vector.

use kernel::{Duration, Rate, Time};
use packet::spec::{
    CreditSpec, FlowControlSpec, FlowSpec, NetworkSpec, Overflow, SinkSpec, Timing, TrafficSpec,
};

use crate::check::{self, Problem};
use crate::credit;
use crate::report::Start;
use crate::source::later;

/// A data unit in a node's memory, stored once for all branches.
pub(crate) struct Cell {
    pub number: u64,
    /// Global indices of the legs that haven't started it yet.
    pub waits_for: Vec<usize>,
}

/// One flow on one channel: the sender's and the receiver's side.
pub(crate) struct Leg {
    pub flow: usize,
    pub index_in_flow: usize,
    pub channel: usize,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    pub control: Option<CreditSpec>,
    /// Sender: credit in units.
    pub credit: i64,
    /// Sender: when each data unit started.
    pub starts: Vec<Time>,
    /// Receiver: cells in memory, in order of arrival.
    pub stored: Vec<Cell>,
    pub drop_limit: Option<u32>,
    pub max_fill: usize,
    pub arrived: u64,
    pub freed: u64,
    /// `freed` when the last credit unit started.
    pub freed_at_credit: u64,
    /// When a limited sink last took a unit.
    pub last_taken: Option<Time>,
}

impl Leg {
    pub fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }

    pub fn fill(&self) -> usize {
        self.stored.len()
    }

    pub fn freed_since_credit(&self) -> u64 {
        self.freed - self.freed_at_credit
    }
}

/// A receiver's wish to send a credit unit for a leg.
pub(crate) struct Request {
    pub triggered: Time,
    pub leg: usize,
    /// The value if it is bound at the trigger.
    pub value: i64,
}

pub(crate) struct Channel {
    pub rate: Rate,
    pub timing: Timing,
    pub delay: Duration,
    pub handling: Duration,
    pub free_at: Time,
    /// Oldest first.
    pub requests: Vec<Request>,
    /// Data legs in the order they were served.
    pub served: Vec<usize>,
}

/// What a unit on its way carries.
#[derive(Clone, Copy)]
pub(crate) enum Load {
    Data(u64),
    Credit(i64),
}

/// A unit between the start of its transmission and its effect.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    pub effective: Time,
    pub channel: usize,
    pub leg: usize,
    pub load: Load,
}

pub(crate) struct Flow {
    pub priority: u8,
    pub unit_bytes: u64,
    pub traffic: TrafficSpec,
    pub sink: SinkSpec,
    pub roots: Vec<usize>,
    pub offered: u64,
    /// Units at the source that some root leg hasn't started (not for greedy sources).
    pub stored: Vec<Cell>,
}

pub(crate) struct Network {
    pub stop_at: Time,
    /// The last instant run.
    pub now: Option<Time>,
    pub instants: u64,
    pub flows: Vec<Flow>,
    pub legs: Vec<Leg>,
    pub channels: Vec<Channel>,
    /// To-node of every channel.
    pub to_nodes: Vec<u32>,
    pub on_the_way: Vec<Unit>,
    pub log: Vec<Start>,
    /// Added to every relative value; only negative controls set it.
    pub relative_fault: i64,
}

impl Network {
    pub fn new(spec: &NetworkSpec) -> Result<Network, Problem> {
        check::check(spec)?;
        let mut network = Network {
            stop_at: spec.stop_at,
            now: None,
            instants: 0,
            flows: Vec::new(),
            legs: Vec::new(),
            channels: channels(spec),
            to_nodes: check::channel_ends(spec)
                .into_iter()
                .map(|(_, to)| to)
                .collect(),
            on_the_way: Vec::new(),
            log: Vec::new(),
            relative_fault: 0,
        };
        for flow in &spec.flows {
            network.add_flow(flow);
        }
        Ok(network)
    }

    fn add_flow(&mut self, spec: &FlowSpec) {
        let first = self.legs.len();
        let mut roots = Vec::new();
        for (number, leg) in spec.legs.iter().enumerate() {
            let index = first + number;
            let parent = leg.parent.map(|parent| first + parent as usize);
            match parent {
                Some(parent) => self.legs[parent].children.push(index),
                None => roots.push(index),
            }
            let control = match leg.flow_control {
                FlowControlSpec::None => None,
                FlowControlSpec::Credit(control) => Some(control),
            };
            let drops = leg.buffer.overflow == Overflow::Drop;
            self.legs.push(Leg {
                flow: self.flows.len(),
                index_in_flow: number,
                channel: leg.channel as usize,
                parent,
                children: Vec::new(),
                control,
                credit: control.as_ref().map_or(0, credit::initial),
                starts: Vec::new(),
                stored: Vec::new(),
                drop_limit: leg.buffer.limit_units.filter(|_| drops),
                max_fill: 0,
                arrived: 0,
                freed: 0,
                freed_at_credit: 0,
                last_taken: None,
            });
        }
        self.flows.push(Flow {
            priority: spec.priority,
            unit_bytes: u64::from(spec.unit_bytes),
            traffic: spec.traffic.clone(),
            sink: spec.sink,
            roots,
            offered: 0,
            stored: Vec::new(),
        });
    }

    /// Time a data or credit unit of this leg takes on a channel.
    pub fn on_wire(&self, leg: usize, channel: usize) -> Duration {
        let bytes = self.flows[self.legs[leg].flow].unit_bytes;
        self.channels[channel].rate.serialization(bytes)
    }

    /// When a unit that starts now takes effect at the far node.
    pub fn effective(&self, leg: usize, channel: usize, now: Time) -> Time {
        let wire = &self.channels[channel];
        let received = match wire.timing {
            Timing::StoreAndForward => later(now, self.on_wire(leg, channel)),
            Timing::CutThrough => now,
        };
        later(later(received, wire.delay), wire.handling)
    }

    /// Number of the unit this leg would send next, if one is queued.
    pub fn head(&self, leg: usize, now: Time) -> Option<u64> {
        let state = &self.legs[leg];
        let flow = &self.flows[state.flow];
        if let (None, TrafficSpec::Greedy { start, total }) = (state.parent, &flow.traffic) {
            let next = state.starts.len() as u64;
            return (now >= *start && total.is_none_or(|total| next < total)).then_some(next);
        }
        let stored = match state.parent {
            Some(parent) => &self.legs[parent].stored,
            None => &flow.stored,
        };
        let cell = stored.iter().find(|cell| cell.waits_for.contains(&leg))?;
        Some(cell.number)
    }

    /// May this leg start a unit now, as far as queue and credit go?
    pub fn eligible(&self, leg: usize, now: Time) -> bool {
        let state = &self.legs[leg];
        (state.control.is_none() || state.credit >= 1) && self.head(leg, now).is_some()
    }
}

fn channels(spec: &NetworkSpec) -> Vec<Channel> {
    let channel = |channel: &packet::spec::ChannelSpec| Channel {
        rate: channel.rate,
        timing: channel.timing,
        delay: channel.delay,
        handling: channel.handling,
        free_at: Time::ZERO,
        requests: Vec::new(),
        served: Vec::new(),
    };
    check::channels(spec).into_iter().map(channel).collect()
}
