//! What a run found: plain data for the results layer.

use alloc::vec::Vec;

use backwater_kernel::{Balance, Cause, DelayOutcome, Stop, Time, Violations};

mod abr;
pub mod frames;
mod ports;
mod recovery;
mod standstill;

pub use abr::{AbrOutcome, BurstOutcome, CellCounts, RatePortOutcome};
pub use backwater_ends::outcome::CellTcpOutcome;
pub use ports::{FlowPorts, PathGroup, PathOutcome, PortOutcome, PortsOutcome};
pub use recovery::{FlowRecovery, OutageOutcome, RecoveryOutcome};
pub use standstill::{MissingCredit, Reason, Standstill, Wait};

/// Everything counted in a run. Totals (`*_total`) cover the whole run and balance exactly;
/// the rest covers the time after the warm-up.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How far the run got.
    pub ended_at: Time,
    /// Why it ended.
    pub stop: Stop,
    /// Fingerprint of everything that was sent, when and by whom.
    pub trace_hash: u64,
    /// Events handled.
    pub events: u64,
    /// Units (data and control) that crossed a channel.
    pub unit_hops: u64,
    /// By flow.
    pub flows: Vec<FlowOutcome>,
    /// By leg, in the order of flows and their legs.
    pub legs: Vec<LegOutcome>,
    /// By channel.
    pub channels: Vec<ChannelOutcome>,
    /// By node.
    pub nodes: Vec<NodeOutcome>,
    /// Promises broken.
    pub violations: Violations,
    /// What can't move at the end, and why.
    pub standstill: Option<Standstill>,
}

/// One flow.
#[derive(Clone, Debug, Default)]
pub struct FlowOutcome {
    /// Units offered at the source, times the destinations of each.
    pub offered_total: u64,
    /// Units delivered, over all destinations.
    pub delivered_total: u64,
    /// Units lost or dropped, over all destinations they would have reached.
    pub lost_total: u64,
    /// The same by cause; they add up to `lost_total`.
    pub drops: Drops,
    /// Units still queued or in flight at the end, over all destinations.
    pub inside_total: u64,
    /// Units delivered after the warm-up, over all destinations.
    pub delivered: u64,
    /// Bytes of those on the wire.
    pub delivered_bytes: u64,
    /// Units the destination accepted in order, after the warm-up (end-to-end windows only).
    pub accepted: u64,
    /// Units sent again by the source.
    pub retransmitted_total: u64,
    /// Offered to delivered, ps.
    pub delay: DelayOutcome,
    /// Largest backlog at the source.
    pub source_backlog_max: u64,
    /// Responses completed, for request-response flows: first request sent to last unit in,
    /// ps.
    pub responses: DelayOutcome,
    /// Time that units waited in the source's envelope, the edge's policer and the spacing after
    /// a warning, after the warm-up. Delay starts when they are through.
    pub shaping: DelayOutcome,
    /// Warnings that reached the source, whole run.
    pub alarms_total: u64,
    /// What became of its set-up, for flows with a session.
    pub session: Option<SessionOutcome>,
    /// RM cells and rates, for ABR flows. They are not among the units counted above.
    pub abr: Option<alloc::boxed::Box<AbrOutcome>>,
    /// Its TCP connection, where it opens one.
    pub tcp: Option<CellTcpOutcome>,
}

impl Outcome {
    /// Of all flows.
    pub fn balance(&self) -> Balance {
        self.flows.iter().map(FlowOutcome::balance).sum()
    }
}

impl FlowOutcome {
    /// In units, over all destinations.
    pub fn balance(&self) -> Balance {
        Balance {
            offered: self.offered_total,
            delivered: self.delivered_total,
            dropped: self.lost_total,
            queued: 0,
            inside: self.inside_total,
        }
    }
}

/// Units lost, by cause.
pub type Drops = backwater_kernel::Drops<LossCause, 7>;

/// Why a unit was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossCause {
    /// An error on the wire.
    Wire,
    /// The buffer of its leg was full.
    Buffer,
    /// The node's pool was full and it had just come.
    Pool,
    /// It was pushed out of a full pool.
    PushOut,
    /// It did not conform to its source's envelope.
    Envelope,
    /// It did not conform to the policer at the edge.
    Policer,
    /// It would have been held longer than asynchronous traffic shaping allows.
    Residence,
}

impl Cause<7> for LossCause {
    const ALL: [LossCause; 7] = [
        LossCause::Wire,
        LossCause::Buffer,
        LossCause::Pool,
        LossCause::PushOut,
        LossCause::Envelope,
        LossCause::Policer,
        LossCause::Residence,
    ];

    fn index(self) -> usize {
        self as usize
    }
}

/// What became of a flow's set-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionOutcome {
    /// When the source asked; `None`: the run ended before.
    pub asked_at: Option<Time>,
    /// When the answer reached the source.
    pub answered_at: Option<Time>,
    /// The answer.
    pub answer: SessionAnswer,
    /// When the tear-down reached the destination.
    pub closed_at: Option<Time>,
}

/// The answer to a set-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionAnswer {
    /// None yet.
    Pending,
    /// Every port reserved its rate.
    Admitted,
    /// The port of `channel` could not: it lacks `missing` of the rate.
    Refused {
        /// Channel (index).
        channel: u32,
        /// What is reserved there with this flow, less what can be.
        missing: backwater_kernel::Rate,
    },
}

/// One flow on one channel.
#[derive(Clone, Debug, Default)]
pub struct LegOutcome {
    /// Flow (index).
    pub flow: u32,
    /// Channel (index).
    pub channel: u32,
    /// Leg before it (index in [`Outcome::legs`]).
    pub parent: Option<u32>,
    /// Data units started, whole run.
    pub sent_total: u64,
    /// Data units lost on the wire, whole run.
    pub lost_total: u64,
    /// Data units dropped at the receiver as they arrived, whole run.
    pub dropped_total: u64,
    /// Checks of VirtualClock at the sending port that found the flow further ahead of real time
    /// than its threshold, whole run; each is a warning to the source where those are sent.
    pub alarms_total: u64,
    /// Data units dropped from the queue at the sender, whole run.
    pub dropped_waiting_total: u64,
    /// Units the receiver had to hold beyond its limit, at worst.
    pub overfill_max: u32,
    /// Control units that arrived at the sender, whole run.
    pub credits_received_total: u64,
    /// Control units lost on the wire, whole run.
    pub credits_lost_total: u64,
    /// Requests for credit sent, whole run.
    pub requests_total: u64,
    /// Receiver's buffer now.
    pub fill: u32,
    /// Sender's credit now (`None` when not controlled).
    pub credit: Option<i64>,
    /// Receiver's buffer, largest over the whole run.
    pub fill_max_total: u32,
    /// Receiver's buffer after the warm-up: smallest, largest, time average.
    pub fill_min: u32,
    /// Largest after the warm-up.
    pub fill_max: u32,
    /// Time average after the warm-up.
    pub fill_mean: f64,
    /// Data units started after the warm-up.
    pub sent: u64,
    /// Data units that reached the receiver after the warm-up.
    pub arrived: u64,
    /// Mean time of a unit in the receiving node after the warm-up, by Little's law from
    /// `fill_mean` and `arrived`. (A `wait` series samples the time itself.)
    pub wait_mean_ps: f64,
}

/// One direction of a link.
#[derive(Clone, Debug, Default)]
pub struct ChannelOutcome {
    /// Share of time after the warm-up spent sending data.
    pub data_utilization: f64,
    /// Share of time after the warm-up spent sending control units.
    pub control_utilization: f64,
    /// Data units started after the warm-up.
    pub data_units: u64,
    /// Control units after the warm-up.
    pub control_units: u64,
    /// Where it tells ABR sources rates.
    pub rate: Option<RatePortOutcome>,
}

/// One node.
#[derive(Clone, Debug, Default)]
pub struct NodeOutcome {
    /// Data units in its memory (a multicast unit counts once), largest, whole run.
    pub stored_max_total: u64,
    /// Largest after the warm-up.
    pub stored_max: u64,
    /// Time average after the warm-up.
    pub stored_mean: f64,
    /// Data units in its pool when one was admitted, that one included, largest, whole run; 0
    /// without a pool.
    pub pool_max_total: u64,
}
