//! What a run found: plain data for the results layer.
//! A line here may touch types of the kernel and of `ends`, and no state of a network.
//! The next finding is a field beside its like, filled by `finish` of `circuits` and of `frames`.
//!
//! One set of words for cells by circuit and frames by class. A *unit* is a cell or a frame. What
//! only one kind of network counts says so, and is empty in the other.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::{Balance, DelayOutcome, Distribution, Duration, Stop, Time, Violations};

mod abr;
mod losses;
mod ports;
mod recovery;
mod standstill;

pub use abr::{AbrOutcome, BurstOutcome, CellCounts, RatePortOutcome};
pub use backwater_ends::outcome::{Alone, CellTcpOutcome, EndsOutcome, MessagesOutcome};
pub use losses::{Drops, LossCause};
pub use ports::{FlowPorts, PathGroup, PathOutcome, PortOutcome, PortsOutcome};
pub use recovery::{FlowRecovery, OutageOutcome, RecoveryOutcome};
pub use standstill::{MissingCredit, Reason, Standstill, StuckQueue, Wait, WaitPlace};

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
    /// Units (data and control) that crossed a channel, whole run.
    pub unit_hops: u64,
    /// Control units among them.
    pub control_hops: u64,
    /// By flow.
    pub flows: Vec<FlowOutcome>,
    /// Of flows of frames without a row, by group and size.
    pub members: Vec<MembersOutcome>,
    /// Of circuits, by leg, in the order of flows and their legs.
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

/// One flow: a circuit over all its destinations, or both directions of a flow of frames.
#[derive(Clone, Debug, Default)]
pub struct FlowOutcome {
    /// Units offered at the source, times the destinations of each; frames handed to the ports of
    /// its hosts, times the same.
    pub offered_total: u64,
    /// Units delivered.
    pub delivered_total: u64,
    /// Units lost or dropped.
    pub lost_total: u64,
    /// Units still queued or in flight at the end.
    pub inside_total: u64,
    /// The same four in bytes, of frames.
    pub bytes: Option<Balance>,
    /// Units of a circuit lost, by cause; they add up to `lost_total`. What frames were lost by is
    /// counted by queue.
    pub drops: Drops,
    /// Units delivered after the warm-up.
    pub delivered: u64,
    /// Bytes of those on the wire, of circuits.
    pub delivered_bytes: u64,
    /// Units lost or dropped after the warm-up.
    pub lost: u64,
    /// Units the destination accepted in order, after the warm-up (end-to-end windows only).
    pub accepted: u64,
    /// Units sent again by the source of a circuit.
    pub retransmitted_total: u64,
    /// Offered to delivered, ps; of frames, those that reached the destination.
    pub delay: DelayOutcome,
    /// Largest backlog at the source of a circuit.
    pub source_backlog_max: u64,
    /// Responses completed, for circuits with requests: first request sent to last unit in, ps.
    /// Requests not answered at the end of the run are open.
    pub responses: Distribution,
    /// Time that units waited in the source's envelope, the edge's policer and the spacing after
    /// a warning, after the warm-up. Delay starts when they are through.
    pub shaping: DelayOutcome,
    /// Warnings that reached the source, whole run.
    pub alarms_total: u64,
    /// What became of its set-up, for flows with a session.
    pub session: Option<SessionOutcome>,
    /// RM cells and rates, for ABR flows. They are not among the units counted above.
    pub abr: Option<Box<AbrOutcome>>,
    /// Its TCP connection, where a circuit opens one.
    pub tcp: Option<Box<CellTcpOutcome>>,
    /// Frames that arrived with a mark of a switch, whole run.
    pub marked: u64,
    /// Frames that switches trimmed, whole run; `bytes` has what was cut off among those dropped.
    pub trimmed: u64,
    /// What the two hosts of a flow of frames saw.
    pub ends: EndsOutcome,
    /// The least time in which its path can carry a transfer of frames: all leave the source back
    /// to back at line rate and wait for nobody else. Nothing where transfers differ, where the
    /// frames of one take several paths or where they go to several stations.
    pub alone: Option<Duration>,
    /// Time of each of its transfers over that.
    pub slowdown: Distribution,
    /// Channels that its frames take to its destination; none where that is not one path.
    pub path: Vec<u32>,
    /// Where frames go to several stations: of each, in the order of the specification.
    pub destinations: Vec<DestinationOutcome>,
}

/// Flows of a group that have no row, of about one size: what they did together.
#[derive(Clone, Debug, Default)]
pub struct MembersOutcome {
    /// The group, as the specification lists them.
    pub group: u32,
    /// Flows that began.
    pub flows: u64,
    /// Payload of the smallest.
    pub least_bytes: u64,
    /// Payload of the largest.
    pub most_bytes: u64,
    /// As if they were one flow.
    pub found: FlowOutcome,
}

/// Frames of a flow for one of several stations.
#[derive(Clone, Debug, Default)]
pub struct DestinationOutcome {
    /// Frames handed to the port of the source.
    pub offered_total: u64,
    /// Frames delivered.
    pub delivered_total: u64,
    /// Frames dropped on their way here, or before their ways parted.
    pub lost_total: u64,
    /// Frames still on their way at the end.
    pub inside_total: u64,
    /// Frames delivered after the warm-up.
    pub delivered: u64,
    /// Offered to delivered, ps, of those.
    pub delay: DelayOutcome,
}

impl DestinationOutcome {
    /// In frames.
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

impl Outcome {
    /// Of each flow with a row, and of those without, by group and size.
    pub fn all_flows(&self) -> impl Iterator<Item = &FlowOutcome> + Clone {
        let members = self.members.iter().map(|own| &own.found);
        self.flows.iter().chain(members)
    }

    /// Flows with a row, and those without that began.
    pub fn flow_count(&self) -> u64 {
        let members = self.members.iter().map(|own| own.flows);
        self.flows.len() as u64 + members.sum::<u64>()
    }

    /// Of all flows, in units.
    pub fn balance(&self) -> Balance {
        self.all_flows().map(FlowOutcome::balance).sum()
    }

    /// Of all flows, in units, and in bytes where those are counted.
    pub fn balances(&self) -> [Balance; 2] {
        let bytes = self.all_flows().filter_map(|flow| flow.bytes).sum();
        [self.balance(), bytes]
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
    /// Time after the warm-up for which units waited here and only credit was missing.
    pub blocked: Duration,
    /// Mean time of a unit in the receiving node after the warm-up, by Little's law from
    /// `fill_mean` and `arrived`. (A `wait` series samples the time itself.)
    pub wait_mean_ps: f64,
}

/// One direction of a link.
#[derive(Clone, Debug, Default)]
pub struct ChannelOutcome {
    /// Share of the time after the warm-up in which it carried data, with what stands around a
    /// frame on the wire.
    pub data_share: f64,
    /// The same of control units.
    pub control_share: f64,
    /// Data units started after the warm-up.
    pub data_units: u64,
    /// Control units after the warm-up.
    pub control_units: u64,
    /// Where it tells ABR sources rates.
    pub rate: Option<Box<RatePortOutcome>>,
    /// Stops, and queues by class.
    pub by_class: ClassesOutcome,
}

/// A channel whose queues are shared by class. Empty in front of circuits.
#[derive(Clone, Debug, Default)]
pub struct ClassesOutcome {
    /// Stop frames sent, whole run (refreshes included).
    pub stops_sent: u64,
    /// Resume frames sent.
    pub resumes_sent: u64,
    /// Credit frames sent, whole run.
    pub credits_sent: u64,
    /// Refreshes among the stops.
    pub refreshes_sent: u64,
    /// Control frames lost on the wire, whole run.
    pub control_lost_total: u64,
    /// Stops that took effect here, on what leaves over this channel.
    pub stops_obeyed: u64,
    /// Stops for what leaves over this channel that were ignored: of what is not under flow control
    /// here.
    pub stops_ignored: u64,
    /// Input port at the node it enters: most bytes that came in and had not left, of each class
    /// when it held most, added up.
    pub input_most_bytes: u64,
    /// Most bytes in headroom there (shared memory) or above the high threshold.
    pub headroom_most_bytes: u64,
    /// Queues, by class.
    pub queues: Vec<QueueOutcome>,
}

/// The output queue of a class.
#[derive(Clone, Debug, Default)]
pub struct QueueOutcome {
    /// Frames that joined, whole run.
    pub joined_total: u64,
    /// Frames sent, after the warm-up.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Share of the time after the warm-up in which its frames were on the wire, with preamble and
    /// gap.
    pub data_share: f64,
    /// Frames dropped here, whole run, by cause.
    pub drops: Drops,
    /// Most bytes it held, whole run.
    pub most_bytes: u64,
    /// Mean bytes over the time after the warm-up.
    pub mean_bytes: f64,
    /// Share of the time after the warm-up in which it was stopped (any destination).
    pub stopped_share: f64,
    /// How long each stop lasted, ps, whole run; one under way with the time so far.
    pub stops: Distribution,
    /// Times it became congested, whole run.
    pub congestions: u64,
    /// Frames marked.
    pub marked: u64,
    /// Frames that found it full and were trimmed, whole run.
    pub trimmed: u64,
    /// Times the watchdog tripped, whole run.
    pub watchdog_trips: u64,
    /// Its credit over this channel; none without, or where each lane has its own.
    pub credit: Option<Box<CreditOutcome>>,
    /// Lanes with credit of their own, by owner.
    pub lanes: Vec<LaneOutcome>,
}

/// Frames of a class with credit of their own over a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LaneOutcome {
    /// The way that has it: twice its flow, and one more for the way back; none if a station has,
    /// or several ways.
    pub way: Option<u32>,
    /// What the ways that share it are hashed to.
    pub number: Option<u32>,
    /// Where its frames go; of ways that share it, the first.
    pub destination: u32,
    /// Its credit.
    pub credit: CreditOutcome,
}

/// Credit of a class, or a lane, over a channel at the end of the run, in its units. Counts are of
/// the whole
/// run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CreditOutcome {
    /// Most units that may be spent and not known to be freed.
    pub limit: u64,
    /// What the sender has spent: the units of all frames that started.
    pub consumed: u64,
    /// What the receiver has freed of that, what is known to be lost included.
    pub freed: u64,
    /// Units that were found lost on the wire.
    pub lost: u64,
    /// What is missing of the limit now, as the sender knows.
    pub used: u64,
    /// The most that ever was.
    pub most_used: u64,
    /// Messages of credit that the sender got.
    pub messages: u64,
}

/// One node. The memory of circuits is counted in units, that of classes in bytes.
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
    /// Switches that count their inputs (shared memory, detection there): most bytes it held, all
    /// queues, whole run; else 0.
    pub most_bytes: u64,
    /// Times its congested queues gave up on a neighbour that did not respond.
    pub time_outs: u64,
}
