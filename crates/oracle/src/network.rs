//! The network's state: every cell an object, every list a vector.

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::{CreditSpec, PoolSpec, SinkSpec, Timing, TrafficSpec};

use crate::clock::later;
use crate::envelope::Gate;
use crate::errors::Errors;
use crate::fault::Fault;
use crate::report::{Rank, Start};
use crate::service::{Arrival, Candidate, Port, Ratio, Wire};
use crate::session::{Branch, Session};
use crate::sizes::Sizes;
use crate::unit::{Load, Ticket, Unit};
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

pub(crate) struct CircuitFlow {
    pub priority: u8,
    pub unit_bytes: u64,
    pub traffic: TrafficSpec,
    /// When a source with random gaps offers units.
    pub drawn: Vec<Time>,
    /// Sizes of the units handed over so far, in bytes.
    pub sizes: Vec<u64>,
    pub next_size: Sizes,
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

/// A unit that has started on its last channel.
#[derive(Clone, Copy)]
pub(crate) struct Leaving {
    pub node: u32,
    pub until: Time,
    pub bytes: u64,
}

pub(crate) struct Network {
    pub stop_at: Time,
    /// The last instant run.
    pub now: Option<Time>,
    pub instants: u64,
    /// Ports have chosen in this instant.
    pub has_chosen: bool,
    pub flows: Vec<CircuitFlow>,
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
    /// Time a data or credit unit of this leg takes on a channel.
    pub fn on_wire(&self, leg: usize, channel: usize, load: Load) -> Duration {
        let flow = &self.flows[self.legs[leg].flow];
        let bytes = match load {
            Load::Data(number) => flow.sizes[number as usize],
            Load::Warning(bytes, _) => bytes,
            Load::Tell(_) => flow.message_bytes(),
            _ => {
                let own = self.legs[leg].control.and_then(|own| own.message_bytes);
                own.map_or(flow.unit_bytes, u64::from)
            }
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
}
