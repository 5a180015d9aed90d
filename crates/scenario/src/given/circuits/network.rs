//! Nodes and links.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Rate, Time};

use super::explicit_rate::ExplicitRate;
use super::service::Scheduler;
use crate::given::Named;
use crate::given::outages::Outages;
use crate::given::topology::TopologyKind;
use crate::language::typed::{Chosen, Placed};

/// What every link has, both ways, unless `[[links]]` or `topology.trunk` says otherwise.
#[table("[link]", layered)]
pub(crate) struct Link {
    /// Line rate, each way.
    pub rate: Option<Rate>,
    /// Propagation: from the first bit sent to the first bit received.
    #[key(is = Time { min_ps: 1 })]
    pub delay: Option<Duration>,
    /// Time the receiving node takes before anything that arrived, data or control, has an
    /// effect.
    #[key(is = Time { min_ps: 0 }, default = "\"0 s\"")]
    #[key(cite = "Kung 1993, section 4.1: part of the round trip R")]
    pub handling: Option<Duration>,
    /// When an arriving unit can be used.
    #[key(default = "\"store-and-forward\"")]
    pub timing: Option<Timing>,
    /// Probability that a data unit is lost on the wire.
    #[key(is = Probability, default = "0.0")]
    pub data_loss: Option<f64>,
    /// Probability that a control unit is corrupted, found by its CRC and discarded.
    #[key(is = Probability, default = "0.0", cite = "Kung 1993, section 4.5")]
    pub control_loss: Option<f64>,
    /// Probability that a control unit's value is corrupted and nobody notices: its low 8 bits
    /// become random.
    #[key(is = Probability, default = "0.0")]
    pub control_corruption: Placed<Option<f64>>,
    /// Losses and corruption happen from this instant on.
    #[key(is = Time { min_ps: 0 }, default = "\"0 s\"")]
    pub errors_from: Option<Time>,
    /// Which unit leaves the sending port next, instead of `[scheduler]`.
    #[key(otherwise = "as the table above it says")]
    pub scheduler: Placed<Option<Scheduler>>,
    /// What the sending port tells the sources of ABR circuits; of channels that leave switches.
    #[key(otherwise = "nothing")]
    pub explicit_rate: Placed<Option<Chosen<ExplicitRate>>>,
}

/// A full-duplex link between two nodes. It has two channels, named `A->B` and `B->A`.
#[table("[[links]]")]
pub(crate) struct Links {
    /// The two nodes it joins, by name.
    #[key(is = ReferenceList("node"))]
    pub between: Placed<Vec<Named>>,
    /// Repeats the link; `{i}` in the names of its nodes is the number.
    #[key(is = Whole { min: 1, max: 1_000_000, unit: "links" }, otherwise = "one link")]
    pub count: Option<u64>,
    #[key(flatten, as_above)]
    pub link: Link,
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
#[table("links.forward")]
pub(crate) struct Channel {
    #[key(flatten, as_above)]
    pub link: Link,
}

/// The nodes by name; `[[links]]` joins them.
#[table("[network]")]
pub(crate) struct Network {
    /// Nodes where flows start and end. They forward nothing. `D{1..5}` stands for `D1` to `D5`.
    #[key(is = Names)]
    pub hosts: Vec<Named>,
    /// Nodes that forward: common memory, output scheduled.
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
    /// What differs on links between switches.
    #[key(otherwise = "the same as `[link]`")]
    pub trunk: Option<Channel>,
}

/// What every switch does.
#[table("[switch]")]
pub(crate) struct Switch {
    /// Which of several shortest paths a flow without a `path` takes.
    #[key(default = "\"first\"")]
    pub spread: Spread,
}

/// Words of `spread`: Which of several shortest paths a flow takes.
#[word]
pub(crate) enum Spread {
    /// The one that the order of links puts first: all flows between two nodes the same.
    First,
    /// One by a hash of seed, flow and node (ECMP). The paths of a multicast are a tree.
    Flows,
}

impl Spread {
    /// The seed of the hash that picks paths, if one does.
    pub(crate) const fn seed(self, run: u64) -> Option<u64> {
        match self {
            Spread::First => None,
            Spread::Flows => Some(run),
        }
    }
}

/// Words of `timing`: When an arriving unit can be used.
#[word(of = backwater_net::spec::Timing)]
pub(crate) enum Timing {
    /// When its last bit is in.
    StoreAndForward,
    /// When its first bit is in.
    CutThrough,
}
