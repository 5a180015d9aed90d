//! What to simulate: plain data. The scenario layer fills it, [`super::Simulation`] compiles it.
//!
//! Words: a *station* sends and receives, a *switch* forwards. A *link* joins two nodes and has
//! two *channels*, one each way (channel `2k` runs from `a` to `b` of link `k`, `2k + 1` back).
//! The queues in front of a channel stand at the node it leaves (output queues), one a class.
//! Classes are priorities 0 to 31; the highest is the most urgent.

use alloc::string::String;
use alloc::vec::Vec;

use backwater_ends::stations::{Setup, Stations};
use backwater_kernel::{Common, Duration, Rate, Time};

mod arrivals;
mod back_pressure;
mod check;
mod credit;
mod flow;
mod memory;
mod messages;
mod nics;
mod plain;
mod rocc;

use super::Kind;
pub use super::{
    Bind, CreditRule, CreditSpec, ErrorSpec, Measure, OutageSpec, Ratio, ReserveSpec,
    SchedulerSpec, SeriesSpec, Spec, Stamp, Subject, VirtualClockSpec,
};
pub use arrivals::{Arrival, ArrivalRecipe, ArrivalSpec, Arrivals};
pub use back_pressure::{
    BackPressureSpec, Binding, BlockedSpec, Choose, CountedFrom, Detect, InputStopsSpec, Message,
    Notify, Obeyed, Select, StoppedSpec, StopsSpec, StormSpec, TimeOutSpec, WatchdogAction,
    WatchdogSpec,
};
pub use backwater_ends::spec::Span;
pub use backwater_ends::spec::bytes::{TrafficSpec, TransportSpec, VideoSpec};
pub use backwater_ends::spec::collectives::{
    Collective, CollectiveSpec, JobSpec, LISTED, PhaseSpec,
};
pub use backwater_ends::spec::messages::{
    Again, ComputeSpec, Happened, MOST_IN_LIST, MessageSpec, MessagesSpec, Waiter, Waiters,
    written_out,
};
pub use check::{largest_bytes, verify};
pub(crate) use credit::Price;
pub use credit::{
    COUNTER_BITS_MAX, ClassCreditRule, ClassCreditSpec, CountersSpec, HASH_LANES_MAX, LaneSpec,
    Owner, Says, Shares, StatementSpec, UpdateSpec,
};
pub use flow::{FlowSpec, GROUP, largest_packet_bytes, packet_bytes};
pub(crate) use memory::in_cells;
pub use memory::{OwnShareSpec, PoolSpec, ShareSpec, SharedSpec};
pub use nics::{NicRule, NicSpec};
pub use rocc::{MaxCut, RATE_BITS_MAX, RoccPointSpec};

/// Most classes of a port.
pub const CLASSES_MAX: usize = 32;
/// Those that a PFC frame can name (IEEE 802.1Q, 36.1.3.2).
pub const PFC_CLASSES: usize = 8;

/// Classes, a bit each.
pub type ClassBits = u32;
/// Bytes of header and frame check sequence around a payload.
pub const FRAME_OVERHEAD_BYTES: u32 = 18;
/// Bytes of a VLAN tag.
pub const TAG_BYTES: u32 = 4;
/// Least frame.
pub const FRAME_LEAST_BYTES: u32 = 64;
/// Preamble, start delimiter and least gap: they take time on the wire and no place in a buffer.
pub const WIRE_OVERHEAD_BYTES: u32 = 20;
/// What so many frames beyond the first add to a burst that stays whole: headers, and what frames
/// have between them.
#[inline]
pub const fn further_bytes(frames: u32, is_tagged: bool) -> u32 {
    let tag = if is_tagged { TAG_BYTES } else { 0 };
    frames * (TCP_IP_BYTES + FRAME_OVERHEAD_BYTES + WIRE_OVERHEAD_BYTES + tag)
}

/// Bytes of time that what has so many takes on the wire. What is shorter than any frame is an
/// ordered set: it stands between frames, without preamble and gap.
#[inline(always)]
pub const fn wire_bytes(bytes: u32) -> u32 {
    match bytes < FRAME_LEAST_BYTES {
        true => bytes,
        false => bytes + WIRE_OVERHEAD_BYTES,
    }
}

/// IPv4 and TCP headers without options; IPv4, UDP and RTP together take as many.
pub const TCP_IP_BYTES: u32 = 40;
/// IPv4 and UDP headers.
pub const UDP_IP_BYTES: u32 = 28;
/// IPv4, UDP, base transport header and invariant CRC of RoCE v2.
pub const ROCE_BYTES: u32 = UDP_IP_BYTES + 12 + 4;
/// The acknowledgement header beside them.
pub const AETH_BYTES: u32 = 4;
/// What a CNP carries instead: reserved.
pub const CNP_BYTES: u32 = 16;
/// The message of a congestion point: IPv4, ICMP, and the headers of the flow it is for as ICMP
/// quotes them (IPv4 and eight bytes).
pub const RATE_BYTES: u32 = 20 + 8 + 20 + 8;
/// Room for what switches write into a packet: five hops of eight bytes, and two.
pub const TELEMETRY_BYTES: u32 = 42;
/// Bits of a pause quantum.
pub const QUANTUM_BITS: u64 = 512;

/// Frames by class.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Frames {}

impl Kind for Frames {
    type Node = NodeSpec;
    type Channel = Common<ChannelSpec>;
    type Flow = FlowSpec;
    type Rules = FrameRules;

    fn node(node: &NodeSpec) -> (&str, bool) {
        (&node.name, matches!(node.kind, NodeKind::Switch(_)))
    }

    fn line(channel: &Common<ChannelSpec>) -> (Rate, Duration) {
        (channel.rate, channel.delay)
    }

    fn flow(flow: &FlowSpec) -> &str {
        &flow.name
    }

    fn rename(flow: &mut FlowSpec, name: &str) {
        flow.name = name.into();
    }
}

/// A network of frames.
pub type EthernetSpec = Spec<Frames>;

/// What holds for a whole network of frames.
#[derive(Clone, PartialEq, Debug)]
pub struct FrameRules {
    /// Ways that are not the shortest. All others are: to each destination every next hop on a
    /// shortest way (fewest links).
    pub routes: Vec<RouteSpec>,
    /// Which of several next hops a frame takes.
    pub spread: Spread,
    /// Which of its links a frame leaves a station by, in the order of stations; all others go
    /// by [`NicRule::Hash`].
    pub nics: Vec<NicSpec>,
    /// By flow with a row: its rail, the place of its port among those of a station that goes by
    /// [`NicRule::Rail`], counted in a circle. The number of the flow where nothing stands.
    pub rails: Vec<u32>,
    /// Stations that ways lead through, in order.
    pub forwarders: Vec<u32>,
    /// Queues that have been stopped for so long without a start are looked at for a deadlock.
    pub stall_after: Duration,
    /// Stations that take frames slower than they come; those of one station in order of time.
    pub drains: Vec<DrainSpec>,
    /// Flows that have no row.
    pub arrivals: Vec<ArrivalSpec>,
    /// Which flows are operations of ranks, and of jobs: nothing follows from it but what results
    /// tell.
    pub collectives: Vec<CollectiveSpec>,
    /// In the order of their flows.
    pub jobs: Vec<JobSpec>,
}

/// From an instant on a station takes frames at a rate of its own, as on the wire: the port in
/// front of it starts the next no sooner than the station has taken the last. Of several links
/// each has this rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrainSpec {
    /// The station.
    pub node: u32,
    /// From here on.
    pub from: Time,
    /// So fast; not at all at 0.
    pub rate: Rate,
}

impl FrameRules {
    /// Shortest ways, one for all frames of a flow.
    pub const fn shortest(stall_after: Duration) -> FrameRules {
        FrameRules {
            routes: Vec::new(),
            spread: Spread::Flows,
            nics: Vec::new(),
            rails: Vec::new(),
            forwarders: Vec::new(),
            stall_after,
            drains: Vec::new(),
            arrivals: Vec::new(),
            collectives: Vec::new(),
            jobs: Vec::new(),
        }
    }

    /// Does the station ever take frames slower than they come?
    pub fn is_slow(&self, node: u32) -> bool {
        self.drains.iter().any(|drain| drain.node == node)
    }
}

impl EthernetSpec {
    /// Its stations, which have done nothing.
    pub fn stations(&self) -> Stations {
        let all = Setup {
            seed: self.seed,
            is_measuring: self.warm_up == Time::ZERO,
            keeps_order: self.rules.keeps_order(),
        };
        Stations::new(all, self.flows.iter().map(FlowSpec::ends))
    }
}

/// A station or a switch.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeSpec {
    /// As the scenario calls it.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// It ignores all stops: a device without flow control, or a broken one.
    pub is_deaf: bool,
    /// What it does about a stop that does not end.
    pub watchdog: Option<WatchdogSpec>,
    /// Classes of which it promises to lose nothing, a bit each: a frame of them that is dropped
    /// here, whatever the cause, breaks a promise (a violation of the run).
    pub promised: ClassBits,
}

/// What a node is.
#[derive(Clone, PartialEq, Debug)]
pub enum NodeKind {
    /// Sources and sinks of flows; has memory without limit, and forwards nothing but where
    /// [`FrameRules::forwarders`] says so.
    Station {
        /// It sends stop frames whatever happens: a broken or overwhelmed receiver.
        storm: Option<StormSpec>,
    },
    /// Forwards; output queues.
    Switch(SwitchSpec),
}

/// A switch.
#[derive(Clone, PartialEq, Debug)]
pub struct SwitchSpec {
    /// When an arriving frame can leave.
    pub forwarding: Forwarding,
    /// From then to its being in the queue.
    pub latency: Duration,
    /// Who has which memory.
    pub memory: MemorySpec,
    /// When and whom it stops.
    pub stops: StopsSpec,
}

/// When an arriving frame can leave a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forwarding {
    /// When its last bit is in.
    StoreAndForward,
    /// When its first 64 bytes are in, where it came at least as fast as it leaves; else when
    /// its last bit is in.
    CutThrough,
}

/// Who has which memory of a switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemorySpec {
    /// Each output queue its own ([`QueueSpec::limit_bytes`]), with tail drop. Input counters
    /// ([`ChannelSpec::inputs`]) only detect and limit.
    Queues,
    /// All queues share one.
    Shared(SharedSpec),
}

/// A full-duplex link.
pub type LinkSpec = backwater_kernel::Link<Common<ChannelSpec>>;

/// One direction of a link, the output queues in front of it and the input counters behind it.
#[derive(Clone, PartialEq, Debug)]
pub struct ChannelSpec {
    /// Bits per second.
    pub rate: Rate,
    /// Propagation, at least 1 ps.
    pub delay: Duration,
    /// What goes wrong on the wire. Of control frames, `control_loss` (their FCS tells; none
    /// arrives with another value).
    pub errors: ErrorSpec,
    /// Which class goes first: see [`QueueSpec`] for what each may have.
    ///
    /// [`SchedulerSpec::StrictPriority`] serves the highest class that may send.
    /// [`SchedulerSpec::Fifo`] serves in order of arrival, whatever the class. The others work
    /// among classes of one [`QueueSpec::priority`], the largest first, as they do among flows;
    /// what is equal otherwise goes from the highest class down. Frames count as long as they are
    /// on the wire, preamble and gap included; but for deficit round robin, which counts as
    /// buffers do and goes by [`QueueSpec::quantum_bytes`] instead of its own.
    pub scheduler: SchedulerSpec,
    /// Output queues at the node it leaves, by class: 1 to 8 of them, the same for every channel
    /// of the network.
    pub queues: Vec<QueueSpec>,
    /// Counters at the node it enters, by class, of a switch with [`MemorySpec::Queues`]: what they
    /// hold is limited, and may stop whoever sends. Empty where inputs count nothing.
    pub inputs: Vec<InputSpec>,
    /// Credit over this channel, by class; empty, or as many as there are queues. It ends at a
    /// switch, and a class that it controls is not stopped there.
    pub credits: Vec<Option<ClassCreditSpec>>,
    /// Where classes of it have [`ClassCreditRule::Counters`]: how its ports keep them.
    pub counters: Option<CountersSpec>,
    /// How the node it leaves takes stops that come for it.
    pub stopped: StoppedSpec,
}

/// An output queue. A frame counts until its last bit has left.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QueueSpec {
    /// Bytes it holds; `None` is without limit (stations, shared memory).
    pub limit_bytes: Option<u64>,
    /// Congested when it holds more after an arrival (detection at outputs).
    pub high_bytes: u64,
    /// No longer when it holds less after a departure.
    pub low_bytes: u64,
    /// Among classes that a scheduler serves otherwise than by strict priority: those of a larger
    /// one go first.
    pub priority: u8,
    /// Deficit round robin: bytes a round.
    pub quantum_bytes: u32,
    /// What the class reserves here, for schedulers that go by that; its frames are checked
    /// against nothing (no `interval`). Where no class of a port reserves anything, each has an
    /// equal share.
    pub reserve: Option<ReserveSpec>,
    /// Marks of congestion; `None` marks nothing.
    pub ecn: Option<EcnSpec>,
    /// It computes a fair rate and states it to the sources of its frames; `None` states nothing.
    pub rocc: Option<RoccPointSpec>,
    /// Data of queue pairs that finds it full goes on as a header of 64 bytes, in this class;
    /// `None` drops it.
    pub trim: Option<u8>,
}

/// Marks on frames that can be marked, by what the queue holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EcnSpec {
    /// Up to here none.
    pub low_bytes: u64,
    /// From here on all.
    pub high_bytes: u64,
    /// Probability just below `high_bytes`; it grows from 0 at `low_bytes` in a line.
    pub probability: f64,
    /// When a frame is marked.
    pub at: MarkAt,
}

/// When a frame is marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MarkAt {
    /// As it joins the queue, by what that holds without it.
    #[default]
    Join,
    /// As its first bit leaves, by what stays behind.
    Leave,
}

/// What a switch counts for one class at an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InputSpec {
    /// The sender is stopped when more than this came in and has not left.
    pub high_bytes: u64,
    /// It is resumed when it is less than this.
    pub low_bytes: u64,
    /// Past this frames are dropped: `high_bytes` and the headroom. `None` is without limit.
    pub limit_bytes: Option<u64>,
}

/// The next hops from a node to a destination.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RouteSpec {
    /// At this node,
    pub node: u32,
    /// frames to this station
    pub destination: u32,
    /// take one of these channels.
    pub channels: Vec<u32>,
}

/// Which of several next hops a frame takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spread {
    /// The same for all frames of a flow (a hash of seed, flow, direction and node).
    Flows,
    /// Each frame on its own, at random: order is lost, here and below.
    Frames,
    /// Each frame by a hash of its entropy, of which a flow has so many and goes through all of
    /// them, in an order drawn anew each time.
    Entropies {
        /// A power of two.
        count: u32,
    },
    /// Each frame by the next in turn of those that lead to its station, whatever its flow.
    RoundRobin,
    /// Each frame by the one with the fewest bytes queued as it comes.
    Adaptive,
    /// Frames by that of the last of their flow, until there is none for so long: then by one drawn
    /// anew.
    Flowlets {
        /// At 0 each frame is drawn.
        gap: Duration,
    },
}

impl Spread {
    /// Do the frames of a flow take several ways?
    pub fn parts_flows(self) -> bool {
        self != Spread::Flows
    }
}
