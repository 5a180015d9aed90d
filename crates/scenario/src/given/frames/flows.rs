//! Flows, one by one or by rule, and what to record of them.

use backwater_derive::{table, word};
use backwater_kernel::Duration;

use super::roce::RoceOverride;
use super::traffic::Traffic;
use crate::given::Named;
use crate::given::tcp::TcpOverride;
use crate::given::topology::PatternsKind;
use crate::given::usual::{Usual, usual};
use crate::language::typed::{Chosen, Placed};

/// A connection, or datagrams one way, between two hosts; or many: with lists of equal length
/// for `from` and `to` one a pair, with one name and a list one for each, or, with `multicast`, one
/// from each of `from`.
#[table("[[flows]]")]
pub(crate) struct Flows {
    /// Its name in reports; many are `name[1]`, `name[2]`, ..
    #[key(is = Name)]
    pub name: Placed<String>,
    /// Host that sends (that opens the connection); or a list. `H{1..2}_{1..8}` stands for sixteen,
    /// `H1_*` for all that are called so, but for the host at the other end.
    #[key(is = References("host"))]
    pub from: Placed<Vec<Named>>,
    /// Host that receives; or a list, likewise.
    #[key(is = References("host"))]
    pub to: Placed<Vec<Named>>,
    /// UDP: one flow from each of `from` to all of `to`. Switches copy its frames where ways part.
    #[key(default = "false")]
    pub multicast: Placed<bool>,
    /// So many of each.
    #[key(is = Whole { min: 1, max: 1_000_000, unit: "flows" }, otherwise = "one of each")]
    pub count: Placed<Option<u32>>,
    /// It begins when all of these have happened at its host: flows to it were received to their
    /// last byte, flows from it were sent. All of them are greedy with a `total`, to one host.
    #[key(is = References("flow"), otherwise = "it waits for none")]
    pub after: Placed<Option<Vec<Named>>>,
    #[key(flatten)]
    pub settings: FlowSettings,
    #[key(flatten)]
    pub sends: Sends,
}

/// What flows have, named or made by rule.
#[table(part)]
pub(crate) struct FlowSettings {
    /// Class of its frames, both ways; higher ones are more urgent.
    #[key(is = Whole { min: 0, max: 31, unit: "" }, default = "0")]
    pub class: Placed<u8>,
    /// At hosts with `nic = "rail"`: which of the links on a shortest path its frames leave by,
    /// both ways, counted from 1 in the order of links, in a circle.
    #[key(is = Whole { min: 1, max: 1_000_000, unit: "" }, otherwise = "the next of its host")]
    pub rail: Placed<Option<u32>>,
    /// Its frames carry a VLAN tag.
    #[key(default = "false")]
    pub tagged: bool,
    /// The protocol.
    #[key(otherwise = "udp for constant, poisson, self-similar, video and multicast; else tcp")]
    pub transport: Placed<Option<Transport>>,
    /// UDP: payload of a full frame.
    #[key(is = Size { min: 1, max: 9188 }, otherwise = "what fits the MTU")]
    pub payload: Placed<Option<u32>>,
    /// UDP: 12 bytes of RTP before the payload.
    #[key(otherwise = "true for video, else false")]
    pub rtp: Placed<Option<bool>>,
    /// UDP: its frames can be marked (`buffer.ecn`, `mark_above`); marks are counted, and nothing
    /// answers them. Over TCP `tcp.ecn` says so.
    #[key(otherwise = "false")]
    pub ecn: Placed<Option<bool>>,
    /// What this flow changes of `[tcp]`.
    #[key(otherwise = "nothing")]
    pub tcp: Placed<Option<TcpOverride>>,
    /// What this flow changes of `[roce]`.
    #[key(otherwise = "nothing")]
    pub roce: Placed<Option<RoceOverride>>,
}

/// What all flows of a table send.
#[table(part)]
pub(crate) struct Sends {
    /// What the application sends.
    #[key(default = "{ kind = \"greedy\" }")]
    pub traffic: Traffic,
}

/// Many flows by rule, named `name[1]`, `name[2]`, ... Random ones depend on `run.seed`.
#[table("[[patterns]]")]
pub(crate) struct Patterns {
    /// What their names start with.
    #[key(is = Name)]
    pub name: Placed<String>,
    #[key(flatten)]
    pub kind: Chosen<PatternsKind>,
    /// Hosts that it is between, as though there were no others; `H1_*` stands for all those
    /// called so.
    #[key(is = References("host"), otherwise = "all")]
    pub from: Placed<Option<Vec<Named>>>,
    #[key(flatten)]
    pub settings: FlowSettings,
    #[key(flatten)]
    pub sends: Sends,
}

/// Windows of a series that does not say how long they are.
pub(crate) const WINDOWS: Usual<u64> = usual!(100);

/// A time series to record, for the report's plots.
#[table("[[series]]")]
pub(crate) struct Series {
    /// Its name in the report.
    pub name: String,
    #[key(flatten)]
    pub measure: Chosen<SeriesKind>,
    /// Average over windows of this length.
    #[key(is = Clock { min_ps: 1 }, otherwise = "a {WINDOWS}th of the run")]
    pub window: Option<Duration>,
}

/// What the measure of [[series]] sets.
#[table(part, by(measure, "What is recorded."))]
pub(crate) enum SeriesKind {
    /// Bytes in the output queue of a class.
    Queue {
        /// Where: a channel, as `from->to`, or several: `A->*`, `*->B` or `all`. A buffer is of a
        /// switch, `A` or `all`.
        #[key(is = Reference("channel"))]
        on: Placed<String>,
        /// Of which class.
        #[key(is = Whole { min: 0, max: 31, unit: "" }, default = "0")]
        class: Placed<u8>,
    },
    /// Share of the time in which that queue is stopped.
    Stopped {
        on: Placed<String>,
        class: Placed<u8>,
    },
    /// Bytes of a class that came in over a channel and have not left the switch, where inputs are
    /// counted: with `detect = "inputs"` or shared memory.
    Input {
        on: Placed<String>,
        class: Placed<u8>,
    },
    /// Bytes of a class that came in over a channel and stand above the threshold that stops, or in
    /// the headroom of shared memory, where inputs are counted.
    Headroom {
        on: Placed<String>,
        class: Placed<u8>,
    },
    /// Bytes in all output queues of a switch.
    Buffer { on: Placed<String> },
    /// The rate that the output queue of a class states to sources (RoCC).
    Stated {
        on: Placed<String>,
        class: Placed<u8>,
    },
    /// What a channel sends: bits of frames per second.
    Rate { on: Placed<String> },
    /// Stop frames that a channel sends per second.
    Stops { on: Placed<String> },
    /// ECN-marked frames that a channel sends per second.
    Marks { on: Placed<String> },
    /// Payload the destination gets, in order and once.
    Goodput {
        /// Whose: a flow, or several: the name that they share, or `all`.
        #[key(is = Reference("flow"))]
        flow: Placed<String>,
    },
    /// The congestion window of a flow's sender, bytes.
    Window { flow: Placed<String> },
    /// The rate that control allows: a queue pair (RoCE), a connection that goes by delivery (BBR).
    Allowed { flow: Placed<String> },
    /// RoCE: the rate that the control recovers to (DCQCN), or starts from (HPCC).
    Target { flow: Placed<String> },
    /// RoCE: DCQCN's estimate of how much is marked, 0 to 1.
    Alpha { flow: Placed<String> },
    /// RoCE: HPCC's use of the busiest link of the path.
    LinkUse { flow: Placed<String> },
    /// RoCE: TIMELY's change of the round-trip time in a round trip.
    Gradient { flow: Placed<String> },
    /// RoCE: the delay that Swift or NSCC aims at.
    TargetDelay { flow: Placed<String> },
    /// TCP: BBR's estimate of the bottleneck's rate, payload.
    Bandwidth { flow: Placed<String> },
    /// TCP: BBR's estimate of the round trip without queues.
    LeastRtt { flow: Placed<String> },
    /// TCP: what BBR multiplies its estimate of the rate by to send.
    PacingGain { flow: Placed<String> },
    /// TCP: where BBR stands: 1 startup, 2 drain, 3 probes for rate, 4 probes for the round trip.
    Phase { flow: Placed<String> },
}

/// Words of `transport`: The protocol.
#[word]
pub(crate) enum Transport {
    /// A TCP connection, as `[tcp]` says.
    Tcp,
    /// A reliable connection between two queue pairs (RoCE v2), as `[roce]` says.
    Roce,
    /// Datagrams one way.
    Udp,
}
