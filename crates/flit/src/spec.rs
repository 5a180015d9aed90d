//! What to simulate: plain data. The scenario layer fills it, [`crate::Simulation`] compiles it.
//!
//! Words: a *terminal* is a node where packets are born and consumed, a *router* forwards them.
//! A *channel* carries one flit a cycle, one way; its receiving end holds `lanes` buffers of
//! `depth` flits each (virtual channels). Every terminal has an injection channel into a router
//! and an ejection channel out of one. Time is counted in cycles.

use alloc::string::String;
use alloc::vec::Vec;

/// Largest number of lanes of a channel: a set of lanes is one 32-bit word.
pub const LANES_MAX: u8 = 32;
/// Most flits in a packet.
pub const LENGTH_MAX: u16 = 16_384;
/// Most cycles a flit or a credit may be under way on one channel, router pipeline included.
pub const FLIGHT_MAX: u32 = 4_096;

/// A network, its traffic and how to measure it.
#[derive(Clone, PartialEq, Debug)]
pub struct FabricSpec {
    /// Root of every random number.
    pub seed: u64,
    /// Routers, channels and where terminals sit.
    pub graph: Graph,
    /// Which way packets take.
    pub routing: RoutingSpec,
    /// Lanes, buffers, switch and arbiters; the same in every router.
    pub router: RouterSpec,
    /// How packets enter.
    pub sources: Sources,
    /// What is sent; at least one class. Its index is the class of its packets.
    pub classes: Vec<ClassSpec>,
    /// When to measure and when to stop.
    pub measure: MeasureSpec,
}

/// Routers and the channels between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// The rule it was made by; routing that works by coordinates needs it.
    pub shape: Shape,
    /// How many routers.
    pub routers: u32,
    /// Channels between routers, ordered by `from`. Those of one router are its output ports
    /// 0, 1, ... in this order; its ejection channels follow, by terminal.
    pub channels: Vec<ChannelSpec>,
    /// By terminal: the router its injection channel leads to.
    pub inject: Vec<u32>,
    /// By terminal: the router its ejection channel comes from.
    pub eject: Vec<u32>,
    /// Cycles on an injection channel, at least 1.
    pub injection_latency: u16,
    /// Cycles on an ejection channel, at least 1.
    pub ejection_latency: u16,
    /// By terminal: cycles on its two channels, where it is not the same for all; else empty.
    pub terminal_latency: Vec<u16>,
    /// Names of routers where a file gave them; else empty.
    pub names: Vec<String>,
}

impl Graph {
    /// Cycles on the injection channel of a terminal.
    pub fn injection(&self, terminal: usize) -> u16 {
        let latency = self.terminal_latency.get(terminal);
        latency.copied().unwrap_or(self.injection_latency)
    }

    /// Cycles on the ejection channel of a terminal.
    pub fn ejection(&self, terminal: usize) -> u16 {
        let latency = self.terminal_latency.get(terminal);
        latency.copied().unwrap_or(self.ejection_latency)
    }

    /// Cycles on the channels of terminals, each value at least once.
    pub(crate) fn terminal_latencies(&self) -> impl Iterator<Item = u16> {
        let all = [self.injection_latency, self.ejection_latency];
        all.into_iter().chain(self.terminal_latency.iter().copied())
    }
}

/// A channel from one router to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChannelSpec {
    /// Router that sends.
    pub from: u32,
    /// Router that receives.
    pub to: u32,
    /// Cycles from leaving a buffer at one end to being able to leave the next, at least 1.
    pub latency: u16,
}

/// The rule a graph was made by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// k-ary n-fly: `n` stages of `k^(n-1)` routers, k x k each. Router `s * k^(n-1) + i` is the
    /// `i`-th of stage `s`; output port `j` of a router is its `j`-th.
    Fly {
        /// Radix.
        k: u32,
        /// Stages.
        n: u32,
    },
    /// Mesh with so many routers along each dimension; coordinate 0 runs fastest. Output ports:
    /// dimension 0 up, dimension 0 down, dimension 1 up, ... as far as there are neighbours.
    Mesh {
        /// Routers along each dimension, at least 1 each.
        sides: Vec<u32>,
        /// Terminals at each router.
        terminals: u32,
    },
    /// The same with wrap-around channels; ports as in a mesh, all of them present for sides
    /// above 1 (a side of 2 has both).
    Torus {
        /// Routers along each dimension.
        sides: Vec<u32>,
        /// Terminals at each router.
        terminals: u32,
    },
    /// k-ary n-tree: `n` levels of `k^(n-1)` routers, `k^n` terminals below level 0. Ports: `k`
    /// down (not at level 0, where terminals are), then `k` up (not at the top).
    FatTree {
        /// Down ports of a router.
        k: u32,
        /// Levels.
        n: u32,
    },
    /// Every router has a channel to every other, in order of routers.
    Full {
        /// Routers.
        routers: u32,
        /// Terminals at each router.
        terminals: u32,
    },
    /// One router for all terminals.
    Crossbar,
    /// Read from a file: only table routing.
    Irregular,
}

/// Which way packets take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoutingSpec {
    /// Fly: digit `i` of the destination chooses the output of stage `i`.
    DestinationTag,
    /// Mesh: dimension 0 first.
    DimensionOrder,
    /// Torus: dimension order; lanes in two classes, chosen on entering a dimension by whether
    /// the destination's coordinate is smaller. None closes a cycle over the wrap-around channel.
    Dateline,
    /// Torus: dimension order without classes. It can deadlock.
    Unrestricted,
    /// Two-dimensional mesh: x first or y first, drawn for each packet; one class of lanes each.
    O1Turn,
    /// Mesh or torus: by way of a random router, dimension order each time; a class of lanes
    /// for each half (times two on the torus).
    Valiant,
    /// Mesh or torus: any minimal channel, adaptively; lane class 0 is the escape by dimension
    /// order (dateline on the torus: classes 0 and 1), the rest is free.
    MinimalAdaptive,
    /// Fat tree: up to a nearest common ancestor, adaptively, then down.
    NearestCommonAncestor,
    /// The same with the up port drawn at random for each packet.
    NearestCommonAncestorRandom,
    /// Any graph: a shortest path from a table (lowest port first among equals).
    Table,
}

impl RoutingSpec {
    /// How packets go by it.
    pub fn words(self) -> &'static str {
        match self {
            RoutingSpec::DestinationTag => "digit by digit of the destination",
            RoutingSpec::DimensionOrder => "dimension by dimension",
            RoutingSpec::Dateline => "dimension by dimension, with datelines",
            RoutingSpec::Unrestricted => "dimension by dimension, without datelines",
            RoutingSpec::O1Turn => "x first or y first, drawn for each packet",
            RoutingSpec::Valiant => "via a random router",
            RoutingSpec::MinimalAdaptive => {
                "adaptively on shortest paths, with escape virtual channels"
            }
            RoutingSpec::NearestCommonAncestor => "adaptively up to a common ancestor, then down",
            RoutingSpec::NearestCommonAncestorRandom => {
                "at random up to a common ancestor, then down"
            }
            RoutingSpec::Table => "on shortest paths from a table",
        }
    }
}

/// What every router has.
#[derive(Clone, PartialEq, Debug)]
pub struct RouterSpec {
    /// Lanes of each channel, 1 to [`LANES_MAX`].
    pub lanes: u8,
    /// Flits that a lane holds, at least 1.
    pub depth: u16,
    /// How flits get from inputs to outputs.
    pub switch: Switch,
    /// When a lane is free for the next packet.
    pub release: Release,
    /// Does a header need room for its whole packet (virtual cut-through)?
    pub cut_through: bool,
    /// Cycles a header spends in a router before it competes for a lane: 0 lets it move the cycle
    /// after it came, as any flit.
    pub header_delay: u16,
    /// Cycles from a header's getting a lane in a router to its first chance to move. The lane is
    /// taken meanwhile.
    pub allocation_delay: u16,
    /// Cycles every flit spends in a router beyond one for its channel: switch and wire stages.
    pub pipeline_delay: u16,
    /// A flit that leaves a buffer in cycle `t` makes room for one that leaves the buffer before
    /// it in cycle `t + credit_delay`. 0 needs a network without cycles of channels.
    pub credit_delay: u16,
    /// Who crosses a channel (crossbar), or wins an input and an output (multiplexed).
    pub channel_arbiter: Arbiter,
    /// Which of the waiting headers gets a free lane.
    pub lane_arbiter: Arbiter,
    /// Which of the free lanes it gets.
    pub lane_choice: LaneChoice,
}

/// How flits get from inputs to outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switch {
    /// Every lane has its own input (Dally, Figure 6A): only output channels are contended for.
    Crossbar,
    /// The lanes of a channel share one input (Dally, Figure 6B).
    Multiplexed {
        /// How inputs and outputs are matched.
        allocator: Allocator,
        /// Flits of buffer between switch and channel; 0 for none.
        output_buffer: u16,
        /// Times the switch works in a cycle; above 1 it needs an output buffer.
        speedup: u8,
    },
}

/// How a multiplexed switch matches inputs and outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Allocator {
    /// Each input proposes one lane, each output takes one input.
    SeparableInputFirst,
    /// Each output offers itself to one of the inputs that want it, each input takes one offer.
    SeparableOutputFirst,
    /// The latter with McKeown's rule: arbiters move on only when their choice in the first
    /// iteration was taken.
    Islip {
        /// Rounds among what is left, at least 1.
        iterations: u8,
    },
}

/// When a lane is free for the next packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Release {
    /// When the tail has left the lane's buffer, known at the sender a credit delay later.
    Drained,
    /// When the tail has been sent into it: packets may queue in one buffer.
    TailSent,
}

/// Who goes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arbiter {
    /// All equally likely.
    Random,
    /// In turn.
    RoundRobin,
    /// The smallest key: higher priority class first, then birth plus deadline of its class
    /// (oldest first where no class has one); among equals the lowest lane.
    Earliest,
}

/// Which of the free lanes of a channel that a header may take it gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneChoice {
    /// The lowest.
    Lowest,
    /// The next one, round about, after the lane that the last packet from the same input lane
    /// got; the lowest if that was a lane of another channel.
    RoundRobin,
}

/// How packets enter at a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sources {
    /// One source: packets enter one after another, each on one lane.
    One,
    /// One queue; its packets take whatever lanes are free, side by side.
    Shared,
    /// An independent source for each lane, each with an equal part of the load.
    PerLane,
}

/// A class of packets.
#[derive(Clone, PartialEq, Debug)]
pub struct ClassSpec {
    /// As the scenario calls it.
    pub name: String,
    /// Where they go.
    pub pattern: Pattern,
    /// When they are born.
    pub injection: Injection,
    /// How long they are.
    pub size: Size,
    /// The largest is served first by [`Arbiter::Earliest`].
    pub priority: u8,
    /// Cycles from birth within which it should arrive; counted when missed.
    pub deadline: Option<u32>,
    /// Group of lanes: classes of different groups never share a lane. Groups are numbered
    /// from 0 without gaps.
    pub lane_group: u8,
}

/// Where packets go. Bit patterns need a power of two of terminals.
#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    /// Every terminal equally likely.
    Uniform {
        /// The source itself too.
        include_self: bool,
    },
    /// All bits inverted.
    BitComplement,
    /// Bits in reverse order.
    BitReverse,
    /// Bits rotated left by one.
    Shuffle,
    /// Halves of the bits exchanged (x and y of a square).
    Transpose,
    /// Nearly half the way around in each dimension; by terminal number in other shapes.
    Tornado,
    /// The next one in each dimension.
    Neighbour,
    /// These terminals by weight (the rest of the share goes uniformly everywhere).
    Hotspot {
        /// Terminal and weight.
        targets: Vec<(u32, u32)>,
        /// Share of packets that go to `targets`, `0..=1`.
        share: f64,
    },
    /// A random permutation drawn from the seed.
    Permutation,
    /// Weight of each destination (inner) for each source (outer).
    Matrix(Vec<Vec<f64>>),
}

/// When packets are born. Loads are in flits per cycle and terminal.
#[derive(Clone, PartialEq, Debug)]
pub enum Injection {
    /// Each cycle a packet with the same probability.
    Bernoulli {
        /// Offered load, `0..=1`.
        load: f64,
    },
    /// Evenly spaced, with a random phase for each source.
    Constant {
        /// Offered load.
        load: f64,
    },
    /// Bernoulli at `peak` during bursts of geometric length, nothing between them.
    OnOff {
        /// Mean offered load.
        load: f64,
        /// Load during a burst, at least `load`.
        peak: f64,
        /// Mean burst in cycles.
        burst: f64,
    },
    /// Always one more packet than the network takes.
    Saturation,
    /// Request and reply: at most so many requests of a terminal unanswered.
    RequestReply {
        /// Requests under way.
        outstanding: u32,
        /// Cycles from a reply to the next request.
        think: u32,
        /// Class of the replies; its own injection is [`Injection::Replies`].
        reply_class: u8,
    },
    /// Nothing of its own: answers the requests of another class.
    Replies,
    /// These packets at these cycles.
    Trace(Vec<TraceEntry>),
}

/// A packet of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceEntry {
    /// Born in this cycle; ascending.
    pub cycle: u64,
    /// At this terminal.
    pub source: u32,
    /// For this one.
    pub destination: u32,
    /// Flits.
    pub length: u16,
}

/// How long packets are, in flits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Size {
    /// All the same.
    Fixed(u16),
    /// Short or long.
    Bimodal {
        /// Flits of a short one.
        short: u16,
        /// Flits of a long one.
        long: u16,
        /// Of 1,000,000 packets so many are long.
        long_per_million: u32,
    },
    /// Length and weight.
    Weighted(Vec<(u16, u32)>),
}

/// When to measure and when to stop.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MeasureSpec {
    /// Before measuring.
    pub warm_up: WarmUp,
    /// Cycles in which measured packets are born and throughput is counted.
    pub window: u64,
    /// After the window at most so many cycles for the measured packets to arrive; 0 stops at
    /// the end of the window.
    pub drain: u64,
    /// Without a move for so many cycles while flits are in the network, it is deadlocked. About
    /// as often it is searched for packets that can never move again while others do.
    pub stall: u64,
}

/// Cycles before measuring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WarmUp {
    /// So many.
    Cycles(u64),
    /// Until throughput and latency have settled, by MSER-5; at most so many.
    Auto {
        /// Give up waiting, and measure.
        most: u64,
    },
}
