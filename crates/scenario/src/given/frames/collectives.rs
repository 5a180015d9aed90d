//! Collective operations of hosts.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Time};

use super::flows::FlowSettings;
use crate::given::Named;
use crate::language::typed::Placed;

/// A collective operation of some hosts, the ranks: messages that wait for others. Each pair of
/// ranks that exchanges something has a flow: `name[1]`, `name[2]`, ..
#[table("[[collectives]]")]
pub(crate) struct Collectives {
    /// What their names start with.
    #[key(is = Name)]
    pub name: Placed<String>,
    #[key(flatten)]
    pub work: Work,
    #[key(flatten)]
    pub settings: FlowSettings,
}

/// What the ranks do, whoever carries their messages.
#[table(part)]
pub(crate) struct Work {
    /// What is done, and how. A rank's next step begins when all it sent in the step before has
    /// gone to its port, and all that came to it in that step is in.
    pub kind: Placed<CollectivesKind>,
    /// Hosts, in the order of their ranks.
    #[key(is = References("host"), otherwise = "all")]
    pub ranks: Placed<Option<Vec<Named>>>,
    /// Bytes that each rank has; where blocks are scattered, gathered or exchanged, of all blocks
    /// together.
    #[key(is = Size { min: 1, max: 1 << 50 })]
    pub size: Placed<u64>,
    #[key(flatten)]
    pub cutting: Cutting,
    /// How often it is done.
    #[key(is = Whole { min: 1, max: 1_000_000, unit: "operations" }, default = "1")]
    pub times: Placed<u32>,
    /// Each rank computes so long before it sends the first message of each operation.
    #[key(is = Clock { min_ps: 0 }, default = "\"0 s\"")]
    pub think: Placed<Duration>,
    /// No rank begins before.
    #[key(is = Clock { min_ps: 0 }, default = "\"0 s\"")]
    pub start: Placed<Time>,
}

/// How the bytes of an operation are cut into messages.
#[table(part)]
pub(crate) struct Cutting {
    /// Rings and double trees: bytes of a block that go on by themselves.
    #[key(
        is = Size { min: 1, max: 1 << 50 },
        otherwise = "512 kB for double trees, whole blocks for rings"
    )]
    pub chunk: Placed<Option<u64>>,
    /// The bytes are divided among so many that do the operation side by side, as the channels of
    /// NCCL, each with flows of its own.
    #[key(is = Whole { min: 1, max: 256, unit: "channels" }, default = "1")]
    pub channels: Placed<u32>,
    /// In which order ranks stand in each of them.
    #[key(default = "\"same\"")]
    pub order: Placed<Order>,
    /// With `order = "rails"`: so many ranks in a row are a node.
    #[key(is = Whole { min: 2, max: 65_536, unit: "ranks" }, otherwise = "none: without rails")]
    pub ranks_per_node: Placed<Option<u32>>,
}

/// Words of `order`: How ranks stand in each channel.
#[word]
pub(crate) enum Order {
    /// As `ranks` has them, in all.
    Same,
    /// Each channel begins with another rank: trees have other roots, halving and doubling other
    /// pairs.
    Rotated,
    /// Each channel goes through the ranks of a node in turn, begins with another of them, and
    /// leaves a node at the rank that has the place of the one where it comes into the next: what
    /// goes between nodes stays on one rail.
    Rails,
}

/// Words of `kind`: What the ranks do together.
#[word]
pub(crate) enum CollectivesKind {
    /// All-reduce: blocks go round once to be reduced and once to be gathered.
    #[word(cite = "Thakur, Rabenseifner, Gropp 2005")]
    RingAllReduce,
    /// Reduce-scatter: blocks go round once.
    RingReduceScatter,
    /// All-gather: blocks go round once.
    RingAllGather,
    /// All-reduce: halves, quarters, .. are exchanged and reduced, then gathered.
    #[word(cite = "Thakur, Rabenseifner, Gropp 2005")]
    HalvingDoublingAllReduce,
    /// All-reduce: all bytes along a binomial tree to the first rank, and back.
    TreeAllReduce,
    /// All-reduce: halves of the bytes along two binary trees at once, in chunks.
    #[word(cite = "Sanders, Speck, Träff 2009")]
    DoubleTreeAllReduce,
    /// All bytes along a binomial tree from the first rank.
    TreeBroadcast,
    /// All-to-all: a block from each rank to each other, with one partner in each step.
    PairwiseAllToAll,
    /// All-to-all: a block from each rank to each other, all at once.
    AllToAll,
    /// All bytes from each rank to the next, when they have come from the one before.
    Pipeline,
}
