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
    /// Double trees: bytes that go on together.
    #[key(is = Size { min: 1, max: 1 << 50 }, otherwise = "512 kB")]
    pub chunk: Placed<Option<u64>>,
    /// How often it is done.
    #[key(is = Whole { min: 1, max: 1_000_000, unit: "operations" }, default = "1")]
    pub times: Placed<u32>,
    /// Each rank computes so long before it sends the first message of each operation.
    #[key(is = Clock { min_ps: 0 }, default = "\"0 s\"")]
    pub think: Placed<Duration>,
    /// No rank begins before.
    #[key(is = Clock { min_ps: 0 }, default = "\"0 s\"")]
    pub start: Placed<Time>,
    #[key(flatten)]
    pub settings: FlowSettings,
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
