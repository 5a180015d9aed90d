//! Nodes and links.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Rate, Time};

use super::flow_control::FlowControl;
use super::scheduler::Scheduler;
use super::switch::QueueSettings;
use crate::given::Named;
use crate::given::outages::Outages;
use crate::given::topology::TopologyKind;
use crate::given::usual::{Usual, usual};
use crate::language::typed::{Chosen, Placed};

/// Largest IP packet.
pub(crate) const MTU: Usual<u32> = usual!(1500);
/// Propagation over 100 m of cable.
pub(crate) const DELAY: Usual<Duration> = usual!(500 ns);

/// What every link has, both ways, unless `[[links]]` or `topology.trunk` says otherwise.
#[table("[link]")]
pub(crate) struct Link {
    #[key(flatten)]
    pub wire: Wire,
    /// Largest IP packet: 1500, or up to 9216 with jumbo frames. Larger segments and datagrams
    /// are warned of; segments fill it where it is given.
    #[key(is = Whole { min: 576, max: 9216, unit: "bytes" }, otherwise = "{MTU}")]
    pub mtu: Option<u32>,
}

/// How fast a link is and how long.
#[table(part, layered, at_most_one(delay, cable))]
#[derive(Default)]
pub(crate) struct Wire {
    /// Bits per second on the wire.
    pub rate: Option<Rate>,
    /// Propagation, one way; less than 1 ps counts as 1 ps.
    #[key(is = Clock { min_ps: 0 }, otherwise = "from `cable`, or {DELAY}")]
    pub delay: Option<Duration>,
    /// The delay as a length of cable, at 5 ns/m.
    #[key(is = Cable, otherwise = "from `delay`")]
    pub cable: Option<Duration>,
    /// Probability that a data frame is lost on the wire.
    #[key(is = Probability, default = "0.0")]
    pub data_loss: Option<f64>,
    /// Probability that a control frame (PAUSE, PFC) is corrupted: its FCS tells, and it is
    /// discarded.
    #[key(is = Probability, default = "0.0")]
    pub control_loss: Option<f64>,
    /// Losses happen from this instant on.
    #[key(is = Time { min_ps: 0 }, default = "\"0 s\"")]
    pub errors_from: Option<Time>,
}

/// A full-duplex link between two nodes. It has two channels, named `A->B` and `B->A` (`A->B#2`
/// over the second link between the two); the queues in front of each stand at the node it leaves.
#[table("[[links]]", at_most_one(parallel, number))]
pub(crate) struct Links {
    /// The two nodes it joins, by name; `S{1..5}` for one of them joins all five.
    #[key(is = ReferenceList("node"))]
    pub between: Placed<Vec<Named>>,
    /// So many links beside each other.
    #[key(is = Whole { min: 1, max: 1000, unit: "links" })]
    #[key(otherwise = "one, or as many as `[topology]` made")]
    pub parallel: Placed<Option<u32>>,
    /// Which of the links between the two this is about, from 1 on; what an entry with `parallel`
    /// says of it holds no more.
    #[key(is = Whole { min: 1, max: 1000, unit: "" }, otherwise = "all of them")]
    pub number: Placed<Option<u32>>,
    #[key(flatten, as_above)]
    pub channel: Channel,
    /// When the link is cut.
    #[key(otherwise = "never")]
    pub outages: Vec<Placed<Outages>>,
    /// What differs from the first node to the second.
    #[key(otherwise = "the same as the link")]
    pub forward: Option<Channel>,
    /// What differs from the second to the first.
    #[key(otherwise = "the same as the link")]
    pub backward: Option<Channel>,
}

/// What differs in one direction of a link. `links.backward` and `topology.trunk`, for all links
/// between switches, have the same keys.
#[table("links.forward", layered)]
#[derive(Default)]
pub(crate) struct Channel {
    #[key(flatten, as_above)]
    pub wire: Wire,
    /// Which class of the sending port goes next, instead of `[scheduler]`.
    #[key(otherwise = "as the table above it says")]
    pub scheduler: Option<Scheduler>,
    /// What holds back who sends over these links into switches, instead of `[flow_control]`:
    /// credit, stops for what came over the link (`pause`, `pfc`), or nothing. Beside credit of
    /// some classes, stops of `[flow_control]` stay for the others.
    #[key(otherwise = "as the table above it says")]
    pub flow_control: Placed<Option<FlowControl>>,
    #[key(flatten, as_above)]
    pub queues: QueueSettings,
}

/// The nodes by name; `[[links]]` joins them. With one switch, hosts that no link names are
/// joined to it.
#[table("[network]")]
pub(crate) struct Network {
    /// Nodes where flows start and end. They forward if `host.forwards` says so; of several links
    /// `host.nic` chooses. `D{1..5}` stands for `D1` to `D5`.
    #[key(is = Names)]
    pub hosts: Placed<Vec<Named>>,
    /// Nodes that forward.
    #[key(is = Names, default = "[]")]
    pub switches: Vec<Named>,
}

/// Nodes and links by rule. Switches are `S1`, `S2`, .. (`S1_1` in a mesh: row, column); the
/// hosts of a switch carry its number: `H1_1`, `H1_2`, .. (`H1_1_1` in a mesh). `[[links]]` may
/// add links or override generated ones.
#[table("[topology]")]
pub(crate) struct Topology {
    #[key(flatten)]
    pub kind: Chosen<TopologyKind>,
    /// Copies of the network of switches, side by side: every host has its links to each of them.
    /// Their switches are `P1_S1`, `P2_S1`, ..
    #[key(is = Whole { min: 1, max: 64, unit: "planes" }, default = "1")]
    pub planes: Placed<u32>,
    /// Switches that each host is linked to in a plane: 2 is a pair of leaves (dual ToR). Of the
    /// switches with hosts, so many in a row share theirs.
    #[key(is = Whole { min: 1, max: 64, unit: "links" }, default = "1")]
    pub host_links: Placed<u32>,
    /// Of a rail-optimised network: what a host is.
    #[key(default = "\"interfaces\"")]
    pub hosts: Placed<HostsAre>,
    /// What differs on links between switches.
    #[key(otherwise = "the same as `[link]`")]
    pub trunk: Option<Channel>,
}

/// Words of `hosts`: What a host of a rail-optimised network is.
#[word]
pub(crate) enum HostsAre {
    /// Each interface of a server: `H1_1`, `H1_2`, .. (server, rail).
    Interfaces,
    /// A server, with a link to a leaf of each rail: `H1`, `H2`, ..
    Servers,
}

/// Next hops from a node to hosts. All other paths are the shortest (fewest links); of several
/// next hops `switch.spread` chooses.
#[table("[[routes]]")]
pub(crate) struct Routes {
    /// At this node, or these,
    #[key(is = References("node"))]
    pub node: Placed<Vec<Named>>,
    /// frames to this host, or these,
    #[key(is = References("host"))]
    pub to: Vec<Named>,
    /// go to this neighbour, or one of these.
    #[key(is = References("node"))]
    pub via: Vec<Named>,
}
