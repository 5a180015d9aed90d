//! What a run found.

use backwater_net::outcome::SessionOutcome;

use crate::service::Check;

/// The start of transmission of a unit on a channel. Ordered by instant, then channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Start {
    /// When, in picoseconds.
    pub at_ps: u64,
    /// Channel it starts on.
    pub channel: u32,
    /// Flow it belongs to; for a credit unit the flow whose data it admits.
    pub flow: u32,
    /// A control unit (credit, a request for it, a statement of the sender's counter), not data.
    pub control: bool,
    /// Data: index of the unit in its flow, from 0. Control unit: the value bound, with the errors
    /// that hit it.
    pub number: u64,
}

/// A unit got its rank: it joined the queue of a port that serves by rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rank {
    /// When, in picoseconds.
    pub at_ps: u64,
    /// Leg, counted over all flows.
    pub leg: u32,
    /// Index of the unit in its flow.
    pub number: u64,
    /// The rank (a stamp, a finish time), in picoseconds, rounded down.
    pub rank_ps: u64,
}

/// What happened on one leg.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LegReport {
    /// Flow.
    pub flow: u32,
    /// Index in the flow's legs.
    pub leg: u32,
    /// Channel it crosses.
    pub channel: u32,
    /// Most units its receiver ever stored, those taken on arrival included.
    pub max_fill_units: u64,
    /// Units its receiver stored at the end.
    pub final_fill_units: u64,
}

/// What reached one destination of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// Flow.
    pub flow: u32,
    /// Index in the flow's legs of the leaf.
    pub leg: u32,
    /// Destination.
    pub node: u32,
    /// Units that arrived.
    pub arrived_units: u64,
    /// Units the sink took.
    pub consumed_units: u64,
}

/// Everything a run found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Every start, ordered by (instant, channel).
    pub starts: Vec<Start>,
    /// Every leg: flows in order, their legs in order.
    pub legs: Vec<LegReport>,
    /// Every destination: flows in order, their leaves in order of legs.
    pub deliveries: Vec<Delivery>,
    /// Sessions: flow and what became of it.
    pub sessions: Vec<(u32, SessionOutcome)>,
    /// Warnings that reached the source of each flow.
    pub warnings: Vec<u64>,
    /// Units that would have waited for longer than a port lets them.
    pub too_late: u64,
    /// Every rank given, ordered by (instant, leg).
    pub ranks: Vec<Rank>,
    /// Every check of VirtualClock, ordered by (instant, leg).
    pub checks: Vec<Check>,
    /// From this instant on, in picoseconds, an engine whose virtual time is rounded may order
    /// units otherwise: fractions of GPS weren't whole and two ranks were nearly equal, or GPS
    /// ran empty at nearly the instant of an arrival. `None`: all is exact.
    pub close_call_ps: Option<u64>,
}
