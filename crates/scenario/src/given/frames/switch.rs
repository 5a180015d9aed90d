//! Switches and hosts: queues, memory, what differs in single ones.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::frames::spec;

use super::flow_control::Headroom;
use super::memory::Shared;
use super::rates::Rocc;
use super::scheduler::Service;
use crate::given::Named;
use crate::given::usual::{Usual, usual};
use crate::language::kinds::{OrShare, OrWord};
use crate::language::typed::{Chosen, Placed};

/// Bytes of a queue at 10 Mbps: the paper's.
pub(crate) const SLOW: Usual<u64> = usual!(70 kB);
/// Bytes of a queue at 100 Mbps.
pub(crate) const MIDDLE: Usual<u64> = usual!(500 kB);
/// Bytes of a queue at 1 Gbps and above.
pub(crate) const FAST: Usual<u64> = usual!(1000 kB);

/// What every switch does.
#[table("[switch]")]
pub(crate) struct Switch {
    /// When an arriving frame can leave.
    #[key(default = "\"store-and-forward\"")]
    pub forwarding: Forwarding,
    /// From when an arriving frame can leave (`forwarding`) to its being in the output queue.
    #[key(is = Clock { min_ps: 0 }, default = "\"0 s\"")]
    pub latency: Duration,
    /// Classes, and so queues, of every port.
    #[key(is = Whole { min: 1, max: 32, unit: "classes" })]
    #[key(otherwise = "as many as the highest class named needs")]
    pub classes: Option<u8>,
    /// Which of several shortest paths a frame takes.
    #[key(default = "\"flows\"")]
    pub spread: Placed<Spread>,
    /// With `spread = "entropies"`: how many a flow has, a power of two.
    #[key(is = Whole { min: 2, max: 65_536, unit: "entropies" }, otherwise = "128")]
    pub entropies: Placed<Option<u32>>,
    /// With `spread = "flowlets"`: when no frame of a flow came for so long, the next one draws a
    /// path anew; at 0 each frame does. Where it is longer than paths differ, frames stay in order.
    #[key(is = Clock { min_ps: 0 }, otherwise = "\"500 us\"")]
    #[key(cite = "LetFlow, Vanini et al., NSDI 2017")]
    pub flowlet_gap: Placed<Option<Duration>>,
    #[key(flatten)]
    pub response: Response,
}

/// What every host does.
#[table("[host]")]
pub(crate) struct Host {
    /// Which of its links a frame leaves a host by, where several lead on a shortest path.
    #[key(default = "\"hash\"")]
    pub nic: Placed<Nic>,
    /// Hosts pass on what comes over one link and is for others, over another: servers that are
    /// joined to each other, GPUs that reach other rails through their neighbours. Each stores a
    /// frame until its last bit is in, and has memory without limit.
    #[key(default = "false")]
    pub forwards: Placed<bool>,
    #[key(flatten)]
    pub response: Response,
}

/// How fast a node answers control frames.
#[table(part, layered)]
pub(crate) struct Response {
    /// From the last bit of a control frame that arrives to its taking effect.
    /// `"ieee"`: the longest that IEEE 802.3 (31B.3.7) lets a port of its rate take, in quanta of
    /// 512 bit times: 1 up to 100 Mbps, 2 at 1 Gbps, 67 at 10, 80 at 25, 118 at 40, 147 at 50,
    /// 394 at 100, 453 at 200, 905 at 400 and 800 Gbps.
    #[key(is = Or("ieee", Clock { min_ps: 0 }), default = "\"0 s\"")]
    pub response: Placed<Option<OrWord<Duration>>>,
    /// What a port takes to come to rest, from the end of the frame in progress: the time of a stop
    /// starts after that.
    #[key(is = Clock { min_ps: 0 }, default = "\"0 s\"")]
    pub pipeline: Option<Duration>,
}

/// Memory of every switch. Buffers count frames with header and FCS, without preamble and gap; 1
/// kB is 1000 bytes.
#[table(
    "[buffer]",
    at_most_one(per_queue, shared),
    at_most_one(per_input, shared),
    at_most_one(mark_above, ecn)
)]
pub(crate) struct Buffer {
    /// Bytes of each output queue (of a port and class).
    #[key(
        is = Size { min: 1, max: 1 << 50 },
        otherwise = "by the rate of the port: {SLOW} at 10 Mbps, {MIDDLE} at 100 Mbps, {FAST} at 1 \
                     Gbps and above; without limit where inputs are counted",
        cite = "Nouredine, Tobagi 1999, section 3"
    )]
    pub per_queue: Placed<Option<u64>>,
    /// Where inputs are counted (`detect = "inputs"`): bytes that may have come in over a port in
    /// a class and not have left.
    #[key(is = Size { min: 1, max: 1 << 50 })]
    #[key(otherwise = "by the rate of the port, as `per_queue`")]
    pub per_input: Option<u64>,
    /// Marks congestion (ECN) on every frame that joins a queue with more than this.
    #[key(is = Size { min: 1, max: 1 << 50 }, otherwise = "nothing is marked")]
    pub mark_above: Option<u64>,
    /// Marks congestion with a probability that grows with the queue.
    #[key(otherwise = "nothing is marked")]
    pub ecn: Option<Ecn>,
    /// Queues state rates to sources (RoCC): `{}` for the published values.
    #[key(otherwise = "nothing is stated")]
    pub rocc: Placed<Option<Rocc>>,
    /// What becomes of a frame that finds its queue full. A word alone stands for `{ kind = .. }`.
    #[key(short = "kind", otherwise = "it is dropped")]
    pub when_full: Placed<Option<Chosen<WhenFull>>>,
    /// One memory for all queues of a switch.
    #[key(otherwise = "each queue has its own")]
    pub shared: Option<Shared>,
}

/// Marks of congestion on frames of flows with `tcp.ecn`, over RoCE, or over UDP with `ecn`, by
/// what the queue holds.
#[table("buffer.ecn")]
pub(crate) struct Ecn {
    /// Of frames that find this much or less in the queue none is marked.
    #[key(is = Size { min: 1, max: 1 << 50 })]
    pub min: Placed<u64>,
    /// Of frames that find this much or more in the queue all are marked.
    #[key(is = Size { min: 1, max: 1 << 50 })]
    pub max: Placed<u64>,
    /// Just below `max`; it grows from 0 at `min` in a line.
    #[key(is = Probability, default = "1.0")]
    pub probability: f64,
    /// When a frame is marked.
    #[key(default = "\"join\"")]
    pub at: MarkAt,
}

/// What becomes of a frame that finds its queue full.
#[table("buffer.when_full", by(kind, "What becomes of it."))]
pub(crate) enum WhenFull {
    /// It is dropped (tail drop).
    Drop,
    /// Packet trimming: data of RoCE loses its payload. A header of 64 bytes goes on, before the
    /// data if its class does, and the receiver asks for the packet at once. Frames of TCP and
    /// UDP, acknowledgements and what has no more than 64 bytes are dropped.
    #[word(cite = "Handley and others 2017 (NDP); Ultra Ethernet 1.0")]
    Trim {
        /// In which class headers go. Its queue has a `limit` as others have; a header that finds
        /// it full is dropped. Its own frames are not trimmed.
        #[key(is = Whole { min: 0, max: 31, unit: "" })]
        #[key(otherwise = "the highest; one above those that are named, without `switch.classes`")]
        class: Placed<Option<u8>>,
    },
}

/// Words of `at`: When a frame is marked.
#[word]
pub(crate) enum MarkAt {
    /// As it joins the queue, by what that holds without it.
    Join,
    /// As its first bit leaves, by what stays behind (as DCQCN's switches do).
    Leave,
}

/// What single queues may have of their own.
#[table(part, layered, at_most_one(mark_above, ecn))]
#[derive(Default)]
pub(crate) struct QueueSettings {
    /// Bytes each of these queues holds.
    #[key(is = Size { min: 1, max: 1 << 50 }, otherwise = "as the table above it says")]
    pub limit: Option<u64>,
    /// Congested when it holds more than this after an arrival.
    #[key(is = Threshold, otherwise = "as the table above it says")]
    pub xoff: Placed<Option<OrShare<u64>>>,
    /// No longer congested when it holds less than this after a departure.
    #[key(is = Threshold, otherwise = "as the table above it says")]
    pub xon: Placed<Option<OrShare<u64>>>,
    /// Marks congestion (ECN) on every frame that joins a queue with more than this.
    #[key(is = Size { min: 1, max: 1 << 50 }, otherwise = "as the table above it says")]
    pub mark_above: Option<u64>,
    /// Marks congestion with a probability that grows with the queue.
    #[key(otherwise = "as the table above it says")]
    pub ecn: Option<Ecn>,
    /// Queues state rates to sources (RoCC): `{}` for the published values.
    #[key(otherwise = "as the table above it says")]
    pub rocc: Placed<Option<Rocc>>,
    /// What becomes of a frame that finds its queue full. A word alone stands for `{ kind = .. }`.
    #[key(short = "kind", otherwise = "as the table above it says")]
    pub when_full: Placed<Option<Chosen<WhenFull>>>,
}

/// What differs in the queues of one class.
#[table("[[classes]]")]
pub(crate) struct Classes {
    /// Which.
    #[key(is = Whole { min: 0, max: 31, unit: "" })]
    pub class: Placed<u8>,
    #[key(flatten, as_above)]
    pub queues: QueueSettings,
    #[key(flatten)]
    pub service: Service,
    /// Whether a lossless class must have enough headroom.
    #[key(otherwise = "as the table above it says")]
    pub headroom: Placed<Option<Headroom>>,
    /// The nodes of which `headroom` of this class speaks.
    #[key(is = References("node"), otherwise = "all")]
    pub headroom_at: Placed<Vec<Named>>,
}

/// What differs in single nodes.
#[table("[[nodes]]")]
pub(crate) struct Nodes {
    /// Name of the node; or a list.
    #[key(is = References("node"))]
    pub name: Placed<Vec<Named>>,
    /// The node goes on sending when it is stopped: a device without flow control, or a broken one.
    #[key(default = "false")]
    pub ignores_stops: Placed<bool>,
    /// What one credit is good for on links into this switch, where credit is counted in cells that
    /// are not fixed (`cbfc`, `grains`): the receiver's memory says so, and who sends to it counts
    /// as it does. The other way the cell is that of the switch at the other end.
    #[key(is = Size { min: 16, max: 4_096 }, otherwise = "`cell` of the flow control of each link")]
    pub credit_cell: Placed<Option<u32>>,
    /// Which of its links a frame leaves this host by.
    #[key(otherwise = "as `host.nic` says")]
    pub nic: Placed<Option<Nic>>,
    /// Whether this host passes on what is for others.
    #[key(otherwise = "as `host.forwards` says")]
    pub forwards: Placed<Option<bool>>,
    #[key(flatten, as_above)]
    pub response: Response,
    /// What it does about a stop that does not end.
    #[key(otherwise = "as `[watchdog]` says for switches; nothing at hosts")]
    pub watchdog: Placed<Option<Watchdog>>,
    /// A host that sends stops whatever happens: a broken or overwhelmed receiver.
    #[key(otherwise = "none")]
    pub storm: Placed<Option<Storm>>,
    /// At what pace a host takes frames, step by step: a slow receiver. The port in front of it
    /// holds them, whatever the flow control.
    #[key(otherwise = "as fast as they come")]
    pub drain: Vec<Placed<Drain>>,
}

/// A step of a host that takes frames slower than its link brings them.
#[table("nodes.drain")]
pub(crate) struct Drain {
    /// When the step begins.
    #[key(is = Time { min_ps: 0 })]
    pub from: Placed<Time>,
    /// What it takes then, as on the wire: `"0 %"` is nothing, `"100 %"` all that comes.
    #[key(is = Pace)]
    pub rate: Placed<OrShare<Rate>>,
}

/// Stop frames without reason.
#[table("nodes.storm")]
pub(crate) struct Storm {
    /// The first stop is sent here.
    #[key(is = Clock { min_ps: 0 }, default = "\"0 s\"")]
    pub from: Time,
    /// No stop is sent from here on.
    #[key(is = Clock { min_ps: 1 }, otherwise = "the end of the run")]
    pub until: Option<Time>,
    /// Classes stopped (PFC).
    #[key(is = Wholes(Whole { min: 0, max: 7, unit: "" }), otherwise = "PAUSE: all")]
    pub classes: Placed<Option<Vec<u8>>>,
    /// How long each stop lasts; the next comes after half of that.
    #[key(is = Whole { min: 1, max: 65_535, unit: "quanta of 512 bit times" }, default = "65535")]
    pub quanta: u16,
}

/// What every switch does about a stop that does not end.
#[table("[watchdog]")]
pub(crate) struct Watchdog {
    /// A class stopped with frames waiting and without a start for so long trips it.
    #[key(is = Clock { min_ps: 1 }, default = "\"200 ms\"")]
    pub detect: Duration,
    /// A watchdog that has tripped ends when no stop frame has come for so long.
    #[key(is = Clock { min_ps: 1 }, default = "\"200 ms\"")]
    pub restore: Duration,
    /// What it does until then.
    #[key(default = "\"drop\"")]
    pub action: Placed<WatchdogAction>,
}

/// Words of `action`: What it does until then.
#[word(of = spec::WatchdogAction)]
pub(crate) enum WatchdogAction {
    /// Drops what waits and what comes for that class of the port.
    Drop,
    /// Sends in spite of the stop.
    Forward,
}

/// Words of `forwarding`: When an arriving frame can leave.
#[word(of = spec::Forwarding)]
pub(crate) enum Forwarding {
    /// When its last bit is in.
    StoreAndForward,
    /// When its first 64 bytes are in, 84 byte times with preamble and gap, where it came at least
    /// as fast as it leaves.
    CutThrough,
}

/// Words of `nic`: Which of its links a frame leaves a host by.
#[word(of = spec::NicRule)]
pub(crate) enum Nic {
    /// All frames of a flow by the same, drawn by a hash; what comes back has a draw of its own.
    Hash,
    /// All frames of a flow by that of its rail, and so what comes back: `flows.rail`, else the
    /// flows of a host take its links in turn.
    Rail,
    /// The frames of a flow go round all of them in turn, and may overtake each other.
    Spread,
}

/// Words of `spread`: Which of several shortest paths a frame takes.
#[word]
pub(crate) enum Spread {
    /// All frames of a flow the same one, by a hash.
    Flows,
    /// Each frame one at random: frames may arrive out of order, here and with all words below.
    Frames,
    /// Each frame by a hash of an entropy that its source gives it: a flow goes through all of its
    /// `entropies` in turn, in an order drawn anew each time (oblivious spraying).
    Entropies,
    /// Each frame the next in turn of the ports that lead to its host, whatever its flow.
    RoundRobin,
    /// Each frame the port with the fewest bytes queued as it comes, of all classes; of several
    /// such one at random.
    Adaptive,
    /// Frames follow the last of their flow, until none came for `flowlet_gap`: then by one drawn
    /// anew.
    Flowlets,
}

impl Spread {
    /// Do the frames of a flow take several paths?
    pub fn parts_flows(self) -> bool {
        self != Spread::Flows
    }
}
