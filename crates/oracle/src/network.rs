//! The network's state: every cell an object, every list a vector.

use backwater_kernel::{Duration, Purpose, Rate, Time};
use backwater_packet::spec::{
    CreditSpec, EnvelopeSpec, FlowControlSpec, FlowSpec, NetworkSpec, Overflow, PoolSpec, SinkSpec,
    Timing, TrafficSpec,
};

use crate::check::{self, Problem};
use crate::credit;
use crate::envelope::Gate;
use crate::errors::Errors;
use crate::fault::Fault;
use crate::pool::Leaving;
use crate::report::{Rank, Start};
use crate::service::{Arrival, Candidate, Port, Ratio, Seat, Wire};
use crate::session::{Branch, Message, Session};
use crate::source::{self, later};
use crate::warning::Heed;

/// A data unit in a node's memory, stored once for all branches.
pub(crate) struct Cell {
    pub number: u64,
    /// Global indices of the legs that haven't started it yet.
    pub waits_for: Vec<usize>,
    /// The last bit leaves by those that have at this instant.
    pub until: Time,
}

/// A data unit in the queue of a leg at its sending port.
#[derive(Clone, Copy)]
pub(crate) struct Waiting {
    pub number: u64,
    pub bytes: u64,
    pub arrived: Time,
    pub rank: Option<Ratio>,
    /// It may not go before.
    pub ready_at: Time,
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
    /// Sender: units that wait for the channel, in order of arrival.
    pub queue: Vec<Waiting>,
    /// Sender: when each data unit started.
    pub starts: Vec<Time>,
    /// Receiver: cells in memory, in order of arrival.
    pub stored: Vec<Cell>,
    pub drop_limit: Option<u32>,
    pub max_fill: usize,
    pub arrived: u64,
    pub freed: u64,
    /// Receiver: units it knows to be lost on the wire.
    pub known_lost: u64,
    /// `gone` when the last credit unit started.
    pub gone_at_credit: u64,
    /// Receiver: when the last credit unit started, or was last wanted for want of others.
    pub told_at: Time,
    /// Sender: since when units wait without credit, or it asked for some.
    pub blocked_since: Option<Time>,
    /// When a limited sink last took a unit.
    pub last_taken: Option<Time>,
    /// What its flow's session knows of it.
    pub branch: Branch,
}

impl Leg {
    pub fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }

    pub fn fill(&self) -> usize {
        self.stored.len()
    }

    /// Units that take no room any more: freed, or lost.
    pub fn gone(&self) -> u64 {
        self.freed + self.known_lost
    }

    pub fn gone_since_credit(&self) -> u64 {
        self.gone() - self.gone_at_credit
    }
}

/// A control unit of a leg that is to be sent.
#[derive(Clone, Copy)]
pub(crate) struct Ticket {
    pub triggered: Time,
    /// By what ports chose in that instant.
    pub by_choices: bool,
    pub leg: usize,
    pub wish: Wish,
}

/// What a control unit is to say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Credit; the value if it is bound at the trigger.
    Credit(i64),
    /// The sender asks for credit.
    Ask,
    /// The sender states how many units it has sent.
    State,
    /// A warning of so many bytes to the source.
    Warning(u64),
    /// A message of the flow's session.
    Tell(Message),
}

impl Wish {
    /// Its place among those of one leg, and among those of one kind.
    pub fn rank(self) -> (u8, u64) {
        match self {
            Wish::Credit(_) => (0, 0),
            Wish::Ask => (1, 0),
            Wish::State => (2, 0),
            Wish::Warning(bytes) => (3, bytes),
            Wish::Tell(message) => (4, message.number()),
        }
    }
}

pub(crate) struct Channel {
    pub rate: Rate,
    pub timing: Timing,
    pub delay: Duration,
    pub handling: Duration,
    pub free_at: Time,
    /// Those that cross it.
    pub legs: Vec<usize>,
    /// Oldest first.
    pub tickets: Vec<Ticket>,
    pub errors: Errors,
    /// What it transmits until `free_at`.
    pub wire: Wire,
    pub port: Port,
}

/// What a unit on its way carries.
#[derive(Clone, Copy)]
pub(crate) enum Load {
    Data(u64),
    Credit(i64),
    Ask(u64),
    State(u64),
    /// Of so many bytes; it says nothing, errors apart.
    Warning(u64, u64),
    Tell(Message),
}

/// A unit between the start of its transmission and its effect.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    pub effective: Time,
    pub channel: usize,
    pub leg: usize,
    pub load: Load,
    pub is_lost: bool,
}

pub(crate) struct Flow {
    pub priority: u8,
    pub unit_bytes: u64,
    pub traffic: TrafficSpec,
    /// When a source with random gaps offers units.
    pub drawn: Vec<Time>,
    /// Sizes of the units handed over so far, in bytes.
    pub sizes: Vec<u64>,
    pub next_size: source::Sizes,
    pub sink: SinkSpec,
    pub roots: Vec<usize>,
    /// Units that have a number.
    pub offered: u64,
    pub envelope: Option<Gate>,
    pub policer: Option<Gate>,
    pub heed: Heed,
    pub session: Option<Session>,
    /// Its application may offer units: it has no session, or that is open.
    pub is_open: bool,
    /// How long its application has stood still, which is behind the clock by so much.
    pub stood_still_ps: u64,
    /// By the clock of its application: it is through with what was before.
    pub not_before: Time,
}

pub(crate) struct Network {
    pub stop_at: Time,
    /// The last instant run.
    pub now: Option<Time>,
    pub instants: u64,
    /// Ports have chosen in this instant.
    pub has_chosen: bool,
    pub flows: Vec<Flow>,
    pub legs: Vec<Leg>,
    pub channels: Vec<Channel>,
    /// To-node of every channel.
    pub to_nodes: Vec<u32>,
    pub on_the_way: Vec<Unit>,
    /// By node.
    pub pools: Vec<Option<PoolSpec>>,
    pub leaving: Vec<Leaving>,
    pub log: Vec<Start>,
    pub ranks: Vec<Rank>,
    /// Legs of set-ups that have come to their ports in this instant.
    pub set_ups: Vec<usize>,
    /// Units that would have waited for too long.
    pub too_late: u64,
    /// Added to every relative value; only negative controls set it.
    pub relative_fault: i64,
    /// A rule that is broken; only negative controls set it.
    pub fault: Option<Fault>,
}

impl Network {
    pub fn new(spec: &NetworkSpec) -> Result<Network, Problem> {
        check::check(spec)?;
        let mut network = Network {
            stop_at: spec.stop_at,
            now: None,
            instants: 0,
            has_chosen: false,
            flows: Vec::new(),
            legs: Vec::new(),
            channels: Vec::new(),
            to_nodes: check::channel_ends(spec)
                .into_iter()
                .map(|(_, to)| to)
                .collect(),
            on_the_way: Vec::new(),
            pools: spec.nodes.iter().map(|node| node.pool).collect(),
            leaving: Vec::new(),
            log: Vec::new(),
            ranks: Vec::new(),
            set_ups: Vec::new(),
            too_late: 0,
            relative_fault: 0,
            fault: None,
        };
        for flow in &spec.flows {
            network.add_flow(spec, flow);
        }
        network.add_channels(spec);
        Ok(network)
    }

    fn add_flow(&mut self, network: &NetworkSpec, spec: &FlowSpec) {
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
                queue: Vec::new(),
                starts: Vec::new(),
                stored: Vec::new(),
                drop_limit: leg.buffer.limit_units.filter(|_| drops),
                max_fill: 0,
                arrived: 0,
                freed: 0,
                known_lost: 0,
                gone_at_credit: 0,
                told_at: Time::ZERO,
                blocked_since: None,
                last_taken: None,
                branch: Branch::default(),
            });
        }
        let number = self.flows.len() as u64;
        let gate = |spec: &Option<EnvelopeSpec>, purpose| {
            let spec = spec.as_ref();
            spec.map(|spec| Gate::new(spec, network.seed, number, purpose))
        };
        self.flows.push(Flow {
            priority: spec.priority,
            unit_bytes: u64::from(spec.unit_bytes),
            traffic: spec.traffic.clone(),
            sizes: Vec::new(),
            next_size: source::Sizes::new(network.seed, self.flows.len() as u64, spec),
            drawn: source::draw(network, self.flows.len() as u64, &spec.traffic),
            sink: spec.sink,
            roots,
            offered: 0,
            envelope: gate(&spec.envelope, Purpose::Envelope),
            policer: gate(&spec.policer, Purpose::Policer),
            heed: Heed::new(spec),
            session: spec
                .session
                .map(|session| Session::new(session, spec.reserve)),
            is_open: spec.session.is_none(),
            stood_still_ps: 0,
            not_before: Time::ZERO,
        });
    }

    /// Time a data or credit unit of this leg takes on a channel.
    pub fn on_wire(&self, leg: usize, channel: usize, load: Load) -> Duration {
        let flow = &self.flows[self.legs[leg].flow];
        let bytes = match load {
            Load::Data(number) => flow.sizes[number as usize],
            Load::Warning(bytes, _) => bytes,
            Load::Tell(_) => flow.message_bytes(),
            _ => flow.unit_bytes,
        };
        self.channels[channel].rate.serialization(bytes)
    }

    /// When a unit that starts now takes effect at the far node.
    pub fn effective(&self, leg: usize, channel: usize, load: Load, now: Time) -> Time {
        let wire = &self.channels[channel];
        let received = match wire.timing {
            Timing::StoreAndForward => later(now, self.on_wire(leg, channel, load)),
            Timing::CutThrough => now,
        };
        later(later(received, wire.delay), wire.handling)
    }

    /// Where in its queue the unit is that this leg would send next.
    pub fn head(&self, leg: usize) -> Option<usize> {
        let state = &self.legs[leg];
        let queue = &state.queue;
        if self.channels[state.channel].port.sorts_within_a_leg() {
            return (0..queue.len()).min_by_key(|place| (queue[*place].rank, *place));
        }
        (!queue.is_empty()).then_some(0)
    }

    /// May this leg start a unit now, as far as queue and credit go?
    pub fn eligible(&self, leg: usize, now: Time) -> bool {
        let state = &self.legs[leg];
        let has_credit = state.control.is_none() || state.credit >= 1;
        has_credit
            && self
                .head(leg)
                .is_some_and(|place| state.queue[place].ready_at <= now)
    }

    /// The first units of all legs of a channel that are ready.
    pub fn ready(&self, channel: usize, now: Time) -> Vec<Candidate> {
        let candidate = |leg: usize| {
            let first = self.legs[leg].queue[self.head(leg)?];
            Some(Candidate {
                leg,
                group: self.flows[self.legs[leg].flow].priority,
                arrived: first.arrived,
                bytes: first.bytes,
                rank: first.rank,
            })
        };
        let legs = self.channels[channel].legs.iter().copied();
        legs.filter(|leg| self.eligible(*leg, now))
            .filter_map(candidate)
            .collect()
    }

    /// A unit joins the queue of a leg at its sending port.
    pub fn queue_up(&mut self, leg: usize, number: u64, now: Time) {
        let state = &self.legs[leg];
        let (index, flow) = (state.channel, state.flow);
        let came_over = state.parent.map(|parent| self.legs[parent].channel);
        let mut here = self.channels[index].legs.iter();
        let port_is_empty = here.all(|other| self.legs[*other].queue.is_empty());
        let bytes = self.flows[flow].sizes[number as usize];
        let channel = &mut self.channels[index];
        let wire = if channel.free_at <= now {
            Wire::Free
        } else {
            channel.wire
        };
        let checks = channel.port.checks().len();
        let place = channel.port.arrive(Arrival {
            leg,
            came_over,
            now,
            bytes,
            wire,
            port_is_empty,
            fault: self.fault,
        });
        self.warn(leg, checks, now);
        let Some(place) = place else {
            return self.lose_late(leg, number, now);
        };
        if let Some(rank) = place.rank {
            self.ranks.push(Rank {
                at_ps: now.ps(),
                leg: leg as u32,
                number,
                rank_ps: rank.floor() as u64,
            });
        }
        self.legs[leg].queue.push(Waiting {
            number,
            bytes,
            arrived: now,
            rank: place.rank,
            ready_at: place.ready_at,
        });
    }

    /// A unit would have waited for `leg` for too long.
    fn lose_late(&mut self, leg: usize, number: u64, now: Time) {
        self.too_late += 1;
        if let Some(parent) = self.legs[leg].parent {
            self.leave(parent, leg, number, now, now);
        }
    }

    fn add_channels(&mut self, spec: &NetworkSpec) {
        for (index, channel) in check::channels(spec).into_iter().enumerate() {
            let here = (0..self.legs.len()).filter(|leg| self.legs[*leg].channel == index);
            let legs: Vec<usize> = here.collect();
            let seat = |leg: usize| {
                let flow = self.legs[leg].flow;
                Seat {
                    leg,
                    group: self.flows[flow].priority,
                    reserve: spec.flows[flow].reserve,
                    unit_bytes: self.flows[flow].unit_bytes,
                }
            };
            let seats = legs.iter().copied().map(seat).collect();
            self.channels.push(Channel {
                rate: channel.rate,
                timing: channel.timing,
                delay: channel.delay,
                handling: channel.handling,
                free_at: Time::ZERO,
                legs,
                tickets: Vec::new(),
                errors: Errors::new(spec.seed, index, channel.errors),
                wire: Wire::Free,
                port: Port::new(&channel.scheduler, channel.rate, seats),
            });
        }
    }
}
