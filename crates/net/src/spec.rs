//! What to simulate: plain data. The scenario layer fills it, [`crate::Simulation`] compiles it.
//! A line here may touch specs of `ends` and types of the kernel, and nothing that runs.
//! The next setting is a field beside its like; what contradicts itself is refused in `check`.
//!
//! Words: a *link* joins two nodes and has two *channels*, one each way (channel `2k` runs
//! from `a` to `b` of link `k`, `2k + 1` back). A *flow* (a virtual circuit) follows a tree of
//! channels; one flow on one channel is a *leg* (the paper's VC link).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use backwater_kernel::{Channels, Duration, Link, Rate, Time};

mod credit;
mod envelope;
mod explicit_rate;
pub mod frames;
mod outage;
mod plain;
mod scheduler;
mod series;

use backwater_ends::spec::Congestion;
pub use backwater_ends::spec::shape::{EnvelopeRule, EnvelopeSpec, Excess, SizeShare};
pub use backwater_ends::spec::units::{
    CellApplication, CellTcpSpec, ClientSpec, LimitSpec, RequestsSpec, SinkSpec, TrafficSpec,
};
pub use backwater_ends::spec::{
    AbrSpec, RateFormat, SourceControlSpec, Span, TimeFloor, TurnAround, UiliSpec,
};
pub use credit::{Bind, CREDIT_MAX, CreditRule, CreditSpec};
pub use envelope::{OnAlarm, ReserveSpec, SessionSpec};
pub use explicit_rate::{
    AgingSpec, CapcSpec, CurrentRate, EprcaSpec, EricaSpec, ExplicitRateSpec, MarkSpec, OutageSpec,
    QueueControlSpec, RelativeRateSpec,
};
use outage::check_outages;
pub use scheduler::{Resync, SchedulerSpec, Stamp, VirtualClockSpec};
pub use series::{Measure, SeriesSpec, Subject};

/// What crosses the links of a network, and what is said of it.
pub trait Kind: Clone {
    /// A host or a switch.
    type Node: Clone;
    /// One direction of a link.
    type Channel: Clone;
    /// What has a source and destinations.
    type Flow: Clone;
    /// What holds for the whole network.
    type Rules: Clone;
    /// The name of a node, and whether it is a switch.
    fn node(node: &Self::Node) -> (&str, bool);
    /// Line rate and propagation of a channel.
    fn line(channel: &Self::Channel) -> (Rate, Duration);
    /// The name of a flow.
    fn flow(flow: &Self::Flow) -> &str;
    /// Gives a flow another name.
    fn rename(flow: &mut Self::Flow, name: &str);
}

/// A network, its traffic and how long to run it.
#[derive(Clone, PartialEq, Debug)]
pub struct Spec<K: Kind> {
    /// Root of every random stream.
    pub seed: u64,
    /// The run ends here.
    pub stop_at: Time,
    /// Statistics start here.
    pub warm_up: Time,
    /// Hosts and switches; their index is their id.
    pub nodes: Vec<K::Node>,
    /// Links; link `k` holds channels `2k` and `2k + 1`.
    pub links: Vec<Link<K::Channel>>,
    /// Flows; their index is their id, and the order of round robin.
    pub flows: Vec<K::Flow>,
    /// Channels that are cut for a while.
    pub outages: Vec<OutageSpec>,
    /// What only this kind of network has.
    pub rules: K::Rules,
}

impl<K: Kind> Spec<K> {
    /// Nodes at the two ends of a channel; `None` if there is no such channel.
    pub(crate) fn ends(&self, channel: u32) -> Option<(u32, u32)> {
        let exists = self.links.channels().contains(&channel);
        exists.then(|| self.links.ends(channel))
    }

    /// What it says of each channel.
    pub(crate) fn channels(&self) -> impl Iterator<Item = &K::Channel> {
        self.links.iter().flat_map(|link| &link.channels)
    }

    /// Refuses a run or a delay that is too long for the clock, links that join no two nodes or
    /// take no time, and outages of nothing.
    pub(crate) fn check_links(&self) -> Result<(), String> {
        if self.stop_at.ps() > CLOCK_MAX_PS {
            return Err(format!(
                "a run until {:?} is more than the clock can hold",
                self.stop_at
            ));
        }
        for (id, link) in self.links.iter().enumerate() {
            let [a, b] = link.ends;
            if a.max(b) as usize >= self.nodes.len() || a == b {
                return Err(format!("link {id} does not join two nodes"));
            }
            for (rate, delay) in link.channels.iter().map(K::line) {
                if rate.0 == 0 || !(1..=CLOCK_MAX_PS).contains(&delay.ps()) {
                    return Err(format!(
                        "link {id} needs a rate, and a delay above zero the clock can hold"
                    ));
                }
            }
        }
        check_outages(&self.outages, self.links.len())
    }
}

/// Longest run and longest delay: sums of a few must not overflow the clock.
pub(crate) const CLOCK_MAX_PS: u64 = 1 << 62;
/// Largest cell of an ABR circuit, bytes.
pub const ABR_CELL_MAX_BYTES: u32 = 1 << 16;
/// Most legs of a flow.
pub const FLOW_LEGS_MAX: usize = u16::MAX as usize;

/// Cells of circuits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cells {}

impl Kind for Cells {
    type Node = NodeSpec;
    type Channel = ChannelSpec;
    type Flow = FlowSpec;
    type Rules = CellRules;

    fn node(node: &NodeSpec) -> (&str, bool) {
        (&node.name, matches!(node.kind, NodeKind::Switch))
    }

    fn line(channel: &ChannelSpec) -> (Rate, Duration) {
        (channel.rate, channel.delay)
    }

    fn flow(flow: &FlowSpec) -> &str {
        &flow.name
    }

    fn rename(flow: &mut FlowSpec, name: &str) {
        flow.name = name.into();
    }
}

/// A network of circuits.
pub type NetworkSpec = Spec<Cells>;

/// What holds for a whole network of circuits.
#[derive(Clone, Default, Debug)]
pub struct CellRules {
    /// Ports that tell ABR sources rates: channel and rule, one rule a channel.
    pub rate_ports: Vec<(u32, ExplicitRateSpec)>,
}

/// A host or a switch.
#[derive(Clone, Debug)]
pub struct NodeSpec {
    /// As the scenario calls it.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// Memory that all flows through it share; `None` is without limit.
    pub pool: Option<PoolSpec>,
}

/// A memory shared by all data units of a node (Zhang 1991, section 3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolSpec {
    /// Units it holds; `None` is without limit. One that several branches send counts once.
    pub limit_units: Option<u32>,
    /// Bytes it holds; `None` is without limit.
    pub limit_bytes: Option<u64>,
    /// Who is refused when it is full.
    pub when_full: WhenFull,
    /// How long a unit holds its place.
    pub hold: Hold,
    /// With `limit_units` and [`WhenFull::TailDrop`]: a flow may hold so many times what is free
    /// there, the unit that comes included (Choudhury and Hahne 1998).
    pub alpha: Option<Ratio>,
}

/// A fraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ratio {
    /// Above the line.
    pub numerator: u32,
    /// Below it, not 0.
    pub denominator: u32,
}

/// Who is refused when a pool is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// The unit that arrives.
    TailDrop,
    /// The unit that would be served last in the node's longest queue (a queue is all that waits
    /// for one channel): the largest stamp where units are stamped, else the last of the flow
    /// with most units there. The arriving unit is put in first, so it may be the one. Equal
    /// queues: the lower channel; equal stamps: the one that came last; equal still, or equal
    /// flows: the flow later in the scenario.
    PushOut,
}

/// How long a unit holds its place in a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hold {
    /// Until it starts on the next channel.
    Start,
    /// Until its last bit has left.
    End,
}

/// What a node does with what arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// Sources and sinks of flows.
    Host,
    /// Common memory, output scheduled: every cell is stored once, each branch leaves when its
    /// port chooses it.
    Switch,
}

/// A full-duplex link.
pub type LinkSpec = Link<ChannelSpec>;

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct ChannelSpec {
    /// Bits per second.
    pub rate: Rate,
    /// Propagation, at least 1 ps.
    pub delay: Duration,
    /// Handling of whatever arrives, data and control alike, before it takes effect.
    pub handling: Duration,
    /// When an arriving unit can be used.
    pub timing: Timing,
    /// What goes wrong on the wire.
    pub errors: ErrorSpec,
    /// Which unit the sending port serves next.
    pub scheduler: SchedulerSpec,
}

/// When an arriving unit can be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timing {
    /// When its last bit is in.
    StoreAndForward,
    /// When its first bit is in.
    CutThrough,
}

/// Errors of one channel, each unit on its own.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ErrorSpec {
    /// Probability that a data unit is lost.
    pub data_loss: f64,
    /// Probability that a control unit is corrupted, found by its CRC and discarded.
    pub control_loss: f64,
    /// Probability that a control unit's value is corrupted and nobody notices: its low 8 bits
    /// become random.
    pub control_corruption: f64,
    /// Errors happen from this instant on.
    pub from: Time,
}

/// A virtual circuit.
#[derive(Clone, Debug)]
pub struct FlowSpec {
    /// As the scenario calls it.
    pub name: String,
    /// Node the flow starts at.
    pub source: u32,
    /// The tree of channels, parents before children. Leaves end at destinations.
    pub legs: Vec<LegSpec>,
    /// Group for service order: the largest is served first, as 802.1Q has it.
    pub priority: u8,
    /// Bytes of a data unit on the wire; of its control units too. With `sizes`, the largest.
    pub unit_bytes: u32,
    /// Sizes drawn at random for each unit; empty: all have `unit_bytes`.
    pub sizes: Vec<SizeShare>,
    /// What the application wants to send.
    pub traffic: TrafficSpec,
    /// When the source may send it.
    pub source_control: SourceControlSpec,
    /// How the destinations consume.
    pub sink: SinkSpec,
    /// The flow that carries the answers back (acknowledgements, responses), if any.
    pub partner: Option<u32>,
    /// What it reserves at every port on its way; `None` makes its units datagrams.
    pub reserve: Option<ReserveSpec>,
    /// What its source holds itself to: between the application and source control.
    pub envelope: Option<EnvelopeSpec>,
    /// What the edge of the network holds it to: behind source control, before the first port.
    pub policer: Option<EnvelopeSpec>,
    /// What its source makes of a warning.
    pub on_alarm: OnAlarm,
    /// Set-up and tear-down while the network runs; `None` is there from the start.
    pub session: Option<SessionSpec>,
}

impl FlowSpec {
    /// Does the port pull its units, one whenever its queue runs empty?
    pub(crate) fn is_pulled(&self) -> bool {
        matches!(self.traffic, TrafficSpec::Greedy { .. })
            && self.source_control == SourceControlSpec::None
    }

    /// Its source or its control is written outside this program.
    pub(crate) fn is_outside(&self) -> bool {
        let control = &self.source_control;
        match &self.traffic {
            TrafficSpec::Outside(_) => true,
            TrafficSpec::Tcp(tcp) => matches!(tcp.tcp.congestion, Congestion::Outside(_)),
            _ => matches!(control, SourceControlSpec::Outside { .. }),
        }
    }

    /// Its ABR parameters, if it has any.
    pub fn abr(&self) -> Option<&AbrSpec> {
        match &self.source_control {
            SourceControlSpec::Abr(abr) => Some(abr),
            _ => None,
        }
    }
}

/// One flow on one channel.
#[derive(Clone, Debug)]
pub struct LegSpec {
    /// Channel it crosses.
    pub channel: u32,
    /// Index (in `FlowSpec::legs`) of the leg before it; `None` at the source.
    pub parent: Option<u32>,
    /// May it cross now?
    pub flow_control: FlowControlSpec,
    /// The receiving node's memory for this flow.
    pub buffer: BufferSpec,
}

/// The receiver's memory for one leg.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferSpec {
    /// Units it holds; `None` is without limit.
    pub limit_units: Option<u32>,
    /// What happens past the limit.
    pub overflow: Overflow,
}

/// What happens to a unit that finds its buffer full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overflow {
    /// It is dropped; in a flow-controlled (lossless) leg that is a violation.
    Drop,
    /// It is kept and counted, to measure by how much a buffer is too small.
    Keep,
}

/// May a unit cross this link now?
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FlowControlSpec {
    /// Always.
    None,
    /// While the sender holds credit.
    Credit(CreditSpec),
}
