//! Collective operations of ranks as lists of messages, step by step.
//!
//! In each step some ranks send. What a rank sends waits for all that it sent and received in the
//! last step in which it took part: its messages are sent to their last byte, and those to it are
//! in. (Thakur, Rabenseifner and Gropp, *Optimization of Collective Communication Operations in
//! MPICH*, 2005, for rings, halving and doubling, and binomial trees.) Two trees are as Sanders,
//! Speck and Träff have them, *Two-tree algorithms for full bandwidth broadcast, reduction and
//! scan*, 2009: there a chunk goes on as soon as it is in.

use alloc::vec::Vec;
use alloc::{format, string::String};
use core::ops::Range;

use super::messages::MessagesSpec;
use backwater_kernel::words::counted;
use backwater_kernel::{Duration, Time};

mod channels;
mod jobs;
mod steps;
mod there_and_back;
mod two_trees;

use channels::Team;
pub use channels::{Cut, Order};
#[cfg(test)]
pub(crate) use jobs::program_listed;
pub use jobs::{JobSpec, Part, PhaseSpec, program};
use steps::Program;
pub use there_and_back::Schedule;

/// A collective operation, and how it is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Collective {
    /// All-reduce: blocks go round, first to be reduced, then to be gathered.
    RingAllReduce,
    /// The first half of it.
    RingReduceScatter,
    /// The second half of it.
    RingAllGather,
    /// All-reduce by recursive halving of what is exchanged, then by doubling.
    HalvingDoublingAllReduce,
    /// All-reduce to the first rank along a binomial tree, and back.
    TreeAllReduce,
    /// All-reduce along two binary trees at once, each with half of the bytes in chunks that
    /// follow each other: what is a leaf in one passes on in the other.
    DoubleTreeAllReduce,
    /// From the first rank along a binomial tree.
    TreeBroadcast,
    /// Each rank has a block for each; with one partner in each step.
    PairwiseAllToAll,
    /// The same, all at once.
    AllToAll,
    /// From each rank to the next one, when it has come from the one before.
    Pipeline,
}

impl Collective {
    /// Does it go on in parts of its blocks?
    pub fn has_chunks(self) -> bool {
        match self {
            Collective::RingAllReduce
            | Collective::RingReduceScatter
            | Collective::RingAllGather
            | Collective::DoubleTreeAllReduce => true,
            Collective::HalvingDoublingAllReduce
            | Collective::TreeAllReduce
            | Collective::TreeBroadcast
            | Collective::PairwiseAllToAll
            | Collective::AllToAll
            | Collective::Pipeline => false,
        }
    }

    /// So many blocks, at least, have a byte or more each.
    fn blocks(self, ranks: u32) -> u64 {
        match self {
            Collective::TreeAllReduce | Collective::TreeBroadcast | Collective::Pipeline => 1,
            Collective::DoubleTreeAllReduce => 2,
            Collective::RingAllReduce
            | Collective::RingReduceScatter
            | Collective::RingAllGather
            | Collective::HalvingDoublingAllReduce
            | Collective::PairwiseAllToAll
            | Collective::AllToAll => u64::from(ranks),
        }
    }

    /// What *busbw* is of *algbw*, as a fraction: bytes that each rank has to send at the least,
    /// over the size. (NCCL tests, *Performance reported by NCCL tests*.)
    pub fn bus_factor(self, ranks: u32) -> (u32, u32) {
        let others = ranks.saturating_sub(1);
        match self {
            Collective::RingAllReduce
            | Collective::HalvingDoublingAllReduce
            | Collective::TreeAllReduce
            | Collective::DoubleTreeAllReduce => (2 * others, ranks),
            Collective::RingReduceScatter
            | Collective::RingAllGather
            | Collective::PairwiseAllToAll
            | Collective::AllToAll => (others, ranks),
            Collective::TreeBroadcast | Collective::Pipeline => (1, 1),
        }
    }

    /// As scenarios and results call it.
    pub fn name(self) -> &'static str {
        match self {
            Collective::RingAllReduce => "ring-all-reduce",
            Collective::RingReduceScatter => "ring-reduce-scatter",
            Collective::RingAllGather => "ring-all-gather",
            Collective::HalvingDoublingAllReduce => "halving-doubling-all-reduce",
            Collective::TreeAllReduce => "tree-all-reduce",
            Collective::DoubleTreeAllReduce => "double-tree-all-reduce",
            Collective::TreeBroadcast => "tree-broadcast",
            Collective::PairwiseAllToAll => "pairwise-all-to-all",
            Collective::AllToAll => "all-to-all",
            Collective::Pipeline => "pipeline",
        }
    }
}

/// Rounds of what is done again and again that are listed: what waits in the second one waits
/// alike in all that follow.
pub const LISTED: u32 = 2;

/// What a group of ranks does once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// What is done.
    pub kind: Collective,
    /// Bytes that each rank has; where blocks are scattered, gathered or exchanged, of all blocks.
    pub bytes: u64,
    /// How they are cut into messages.
    pub cut: Cut,
}

impl Operation {
    /// On one channel, and blocks go whole.
    pub fn whole(kind: Collective, bytes: u64) -> Operation {
        let cut = Cut::default();
        Operation { kind, bytes, cut }
    }

    /// Messages of one operation, at most.
    pub fn messages(&self, ranks: u32) -> u64 {
        let channels = u64::from(self.cut.channels.max(1));
        let chunks = match self.cut.chunk.filter(|_| self.kind.has_chunks()) {
            None => 1,
            Some(chunk) => {
                let block = self.bytes.div_ceil(channels);
                let block = block.div_ceil(self.kind.blocks(ranks).max(1));
                block.div_ceil(chunk.max(1)).max(1)
            }
        };
        let ranks = u64::from(ranks);
        let others = ranks.saturating_sub(1);
        let steps = u64::from(u64::BITS - others.leading_zeros());
        let each = match self.kind {
            Collective::RingAllReduce => 2 * others * ranks,
            Collective::RingReduceScatter
            | Collective::RingAllGather
            | Collective::PairwiseAllToAll
            | Collective::AllToAll => others * ranks,
            Collective::HalvingDoublingAllReduce => 2 * steps * ranks,
            Collective::TreeAllReduce => 2 * others,
            Collective::DoubleTreeAllReduce => 4 * others,
            Collective::TreeBroadcast | Collective::Pipeline => others,
        };
        each.saturating_mul(chunks).saturating_mul(channels)
    }

    /// Refuses what can't be done: by fewer than two ranks, with a block that has no bytes, or with
    /// nodes that are not all of one size.
    ///
    /// # Errors
    ///
    /// Says which.
    pub fn check(&self, ranks: u32) -> Result<(), String> {
        if ranks < 2 {
            let count = counted(ranks, "rank");
            return Err(format!("{count}: at least 2 are needed"));
        }
        if let Order::Rails { node } = self.cut.order
            && !ranks.is_multiple_of(node.max(1))
        {
            return Err(format!(
                "{ranks} ranks in nodes of {node}: some would have fewer"
            ));
        }
        let blocks = self.kind.blocks(ranks) * u64::from(self.cut.channels.max(1));
        match self.bytes < blocks {
            true => Err(format!(
                "{} bytes in {blocks} blocks: some would have none",
                self.bytes
            )),
            false => Ok(()),
        }
    }
}

/// What one rank sends to another.
#[derive(Clone, PartialEq, Debug)]
pub struct Lane {
    /// From this rank
    pub from: u32,
    /// to this one,
    pub to: u32,
    /// this.
    pub list: MessagesSpec,
}

/// An operation that some groups of hosts do at the same time, each for itself, and do again.
/// The network knows nothing of it: results tell of it.
#[derive(Clone, PartialEq, Debug)]
pub struct CollectiveSpec {
    /// As results call it.
    pub name: String,
    /// What is done.
    pub operation: Operation,
    /// Hosts by rank, group after group.
    pub hosts: Vec<u32>,
    /// Of each group so many.
    pub ranks: u32,
    /// How often it is done.
    pub times: u32,
    /// Steps each time.
    pub steps: u32,
    /// Its messages are those of these flows.
    pub flows: Range<u32>,
}

/// The lanes of an operation of so many ranks, done so many times, each after a think time, and how
/// many steps it has. What they wait for names flows, of which the first lane's is `first`.
///
/// # Errors
///
/// If there are fewer than two ranks, or a block would have no bytes.
pub fn lanes(
    operation: Operation,
    ranks: u32,
    work: (u32, Duration),
    at: (Time, u32),
) -> Result<(Vec<Lane>, u32), String> {
    lanes_listed(operation, ranks, work, at, LISTED)
}

/// The same, of which no more than so many rounds are listed.
pub(crate) fn lanes_listed(
    operation: Operation,
    ranks: u32,
    (times, think): (u32, Duration),
    (start, first): (Time, u32),
    listed: u32,
) -> Result<(Vec<Lane>, u32), String> {
    operation.check(ranks)?;
    let mut made = Program::new(ranks, start, first);
    let mut team = Team::new((0..ranks).collect(), &operation);
    let listed = times.min(listed);
    for _ in 0..listed {
        made.think.fill(think);
        made.operation(&operation, &mut team);
    }
    let steps = team.steps() / listed.max(1);
    Ok((made.finish((listed, times)), steps))
}
