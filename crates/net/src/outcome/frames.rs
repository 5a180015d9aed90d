//! What a run found: plain data for the results layer.

use alloc::vec::Vec;

pub use backwater_ends::outcome::EndsOutcome;
use backwater_kernel::{Balance, Duration, Stop, Time, Violations};

/// Everything counted in a run. Totals (`*_total`) cover the whole run and balance exactly:
/// created = delivered + dropped + inside, in frames and in bytes. The rest covers the time after
/// the warm-up.
#[derive(Clone, Debug)]
pub struct EthernetOutcome {
    /// How far the run got.
    pub ended_at: Time,
    /// Why it ended.
    pub stop: Stop,
    /// Fingerprint of every frame that started on a channel, when and where.
    pub trace_hash: u64,
    /// Events handled.
    pub events: u64,
    /// Frames (data and control) that crossed a queue and a channel, whole run.
    pub frame_hops: u64,
    /// Control frames among them.
    pub control_hops: u64,
    /// By flow.
    pub flows: Vec<FlowOutcome>,
    /// By channel.
    pub channels: Vec<ChannelOutcome>,
    /// By node.
    pub nodes: Vec<NodeOutcome>,
    /// Promises broken.
    pub violations: Violations,
    /// What ended the run, if queues wait for each other in a circle, or all that waits waits for
    /// one that never moves.
    pub standstill: Option<Standstill>,
}

/// Queues that can't move: a circle, or else a chain, the last of which is stopped by a node that
/// does not let go (a storm, a lost resume).
pub type Standstill = backwater_kernel::Standstill<Wait>;

/// A queue that can't move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// Channel in front of which it stands.
    pub channel: u32,
    /// Its class.
    pub class: u8,
    /// The stop concerns frames to this station only.
    pub destination: Option<u32>,
    /// Frames that wait under the stop.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Flow of the first of them.
    pub first_flow: u32,
    /// Stopped since.
    pub since: Time,
}

/// One flow, both directions together where it is a connection.
#[derive(Clone, Debug, Default)]
pub struct FlowOutcome {
    /// Frames handed to the ports of its stations.
    pub created_total: u64,
    /// Bytes of those frames.
    pub created_bytes_total: u64,
    /// Frames that reached their station.
    pub delivered_total: u64,
    /// Bytes of those.
    pub delivered_bytes_total: u64,
    /// Frames dropped.
    pub dropped_total: u64,
    /// Bytes of those.
    pub dropped_bytes_total: u64,
    /// Frames in queues and on wires at the end.
    pub inside_total: u64,
    /// Bytes of those.
    pub inside_bytes_total: u64,
    /// Frames dropped after the warm-up.
    pub dropped: u64,
    /// Frames that arrived with a mark of a switch, whole run.
    pub marked: u64,
    /// What its two stations saw.
    pub ends: EndsOutcome,
}

impl EthernetOutcome {
    /// Of all flows, in frames and in bytes.
    pub fn balances(&self) -> [Balance; 2] {
        let of = |unit: usize| self.flows.iter().map(|flow| flow.balances()[unit]).sum();
        [of(0), of(1)]
    }
}

impl FlowOutcome {
    /// In frames and in bytes.
    pub const fn balances(&self) -> [Balance; 2] {
        let frames = Balance {
            offered: self.created_total,
            delivered: self.delivered_total,
            dropped: self.dropped_total,
            queued: 0,
            inside: self.inside_total,
        };
        let bytes = Balance {
            offered: self.created_bytes_total,
            delivered: self.delivered_bytes_total,
            dropped: self.dropped_bytes_total,
            queued: 0,
            inside: self.inside_bytes_total,
        };
        [frames, bytes]
    }
}

/// One channel.
#[derive(Clone, Debug, Default)]
pub struct ChannelOutcome {
    /// Share of the time after the warm-up in which it carried data frames (with preamble and
    /// gap).
    pub data_share: f64,
    /// The same of control frames.
    pub control_share: f64,
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
    /// Input port at the node it enters: most bytes that came in and had not left, all classes.
    pub input_most_bytes: u64,
    /// Most bytes in headroom there (shared memory) or above the high threshold.
    pub headroom_most_bytes: u64,
    /// Queues, by class.
    pub queues: Vec<QueueOutcome>,
}

/// One output queue.
#[derive(Clone, Debug, Default)]
pub struct QueueOutcome {
    /// Frames that joined, whole run.
    pub joined_total: u64,
    /// Frames sent, after the warm-up.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Frames dropped here, whole run, by cause.
    pub drops: Drops,
    /// Most bytes it held, whole run.
    pub most_bytes: u64,
    /// Mean bytes over the time after the warm-up.
    pub mean_bytes: f64,
    /// Share of the time after the warm-up in which it was stopped (any destination).
    pub stopped_share: f64,
    /// Longest stop, whole run.
    pub longest_stop: Duration,
    /// Times it became congested, whole run.
    pub congestions: u64,
    /// Frames marked.
    pub marked: u64,
    /// Times the watchdog tripped, whole run.
    pub watchdog_trips: u64,
}

/// Frames dropped, by cause.
pub type Drops = backwater_kernel::Drops<Cause, 5>;

/// Why a frame was dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The output queue was full.
    QueueFull,
    /// The input's limit or headroom was used up.
    InputFull,
    /// The shared memory or its share was used up.
    MemoryFull,
    /// A tripped watchdog dropped it.
    Watchdog,
    /// It was lost on the wire: an error, or the channel was cut. (Control frames too.)
    Wire,
}

impl backwater_kernel::Cause<5> for Cause {
    const ALL: [Cause; 5] = [
        Cause::QueueFull,
        Cause::InputFull,
        Cause::MemoryFull,
        Cause::Watchdog,
        Cause::Wire,
    ];

    fn index(self) -> usize {
        self as usize
    }
}

/// One node.
#[derive(Clone, Debug, Default)]
pub struct NodeOutcome {
    /// Switches that count their inputs (shared memory, detection there): most bytes it held, all
    /// queues, whole run; else 0.
    pub most_bytes: u64,
    /// Times its congested queues gave up on a neighbour that did not respond.
    pub time_outs: u64,
}
