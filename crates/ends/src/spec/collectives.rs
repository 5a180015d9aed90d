//! Collective operations of ranks as lists of messages, step by step.
//!
//! In each step some ranks send. What a rank sends waits for all that it sent and received in the
//! last step in which it took part: its messages are sent to their last byte, and those to it are
//! in. (Thakur, Rabenseifner and Gropp, *Optimization of Collective Communication Operations in
//! MPICH*, 2005, for rings, halving and doubling, and binomial trees.)

use alloc::vec::Vec;
use alloc::{format, string::String};

use super::messages::{Happened, MessageSpec};
use backwater_kernel::Duration;
use backwater_kernel::words::counted;

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
    /// Messages of one operation, at most.
    pub fn messages(self, ranks: u32) -> u64 {
        let ranks = u64::from(ranks);
        let others = ranks.saturating_sub(1);
        let steps = u64::from(u64::BITS - others.leading_zeros());
        match self {
            Collective::RingAllReduce => 2 * others * ranks,
            Collective::RingReduceScatter
            | Collective::RingAllGather
            | Collective::PairwiseAllToAll
            | Collective::AllToAll => others * ranks,
            Collective::HalvingDoublingAllReduce => 2 * steps * ranks,
            Collective::TreeAllReduce => 2 * others,
            Collective::TreeBroadcast | Collective::Pipeline => others,
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
    /// in this order.
    pub messages: Vec<MessageSpec>,
}

/// The lanes of an operation of at least two ranks on so many bytes (each rank's, or, where one
/// array is scattered, gathered or exchanged in blocks, the whole of it), done so many times, each
/// after a think time. What they wait for names flows, of which the first lane's is `first`.
///
/// # Errors
///
/// If there are fewer than two ranks, or a block would have no bytes.
pub fn lanes(
    operation: Collective,
    (ranks, bytes): (u32, u64),
    (times, think): (u32, Duration),
    first: u32,
) -> Result<Vec<Lane>, String> {
    if ranks < 2 {
        let count = counted(ranks, "rank");
        return Err(format!("{count}: at least 2 are needed"));
    }
    let blocks = match operation {
        Collective::TreeAllReduce | Collective::TreeBroadcast | Collective::Pipeline => 1,
        _ => u64::from(ranks),
    };
    if bytes < blocks {
        return Err(format!(
            "{bytes} bytes in {blocks} blocks: some would have none"
        ));
    }
    let mut made = Steps::new(ranks, bytes, first);
    for _ in 0..times {
        made.think.fill(think);
        made.operation(operation);
    }
    Ok(made.lanes)
}

/// Lanes under construction.
struct Steps {
    ranks: u32,
    bytes: u64,
    first: u32,
    lanes: Vec<Lane>,
    /// The lane from a rank to another, sorted by both.
    known: Vec<((u32, u32), usize)>,
    /// What each rank did in the last step in which it took part.
    done: Vec<Vec<Happened>>,
    /// How long each rank computes before what it sends next.
    think: Vec<Duration>,
}

impl Steps {
    fn new(ranks: u32, bytes: u64, first: u32) -> Steps {
        let every = 0..ranks as usize;
        Steps {
            ranks,
            bytes,
            first,
            lanes: Vec::new(),
            known: Vec::new(),
            done: every.clone().map(|_| Vec::new()).collect(),
            think: every.map(|_| Duration::ZERO).collect(),
        }
    }

    fn operation(&mut self, operation: Collective) {
        match operation {
            Collective::RingAllReduce => {
                self.ring(0);
                self.ring(1);
            }
            Collective::RingReduceScatter => self.ring(0),
            Collective::RingAllGather => self.ring(1),
            Collective::HalvingDoublingAllReduce => self.halving_doubling(),
            Collective::TreeAllReduce => {
                self.tree(false);
                self.tree(true);
            }
            Collective::TreeBroadcast => self.tree(true),
            Collective::PairwiseAllToAll => {
                for step in 1..self.ranks {
                    let sends = self.exchange(step);
                    self.step(&sends);
                }
            }
            Collective::AllToAll => {
                let steps = 1..self.ranks;
                let sends: Vec<_> = steps.flat_map(|step| self.exchange(step)).collect();
                self.step(&sends);
            }
            Collective::Pipeline => {
                for rank in 1..self.ranks {
                    self.step(&[(rank - 1, rank, self.bytes)]);
                }
            }
        }
    }

    /// Bytes of blocks `from` to `to`, of as many as there are ranks.
    fn blocks(&self, from: u32, to: u32, of: u32) -> u64 {
        let end = |block: u32| (u128::from(self.bytes) * u128::from(block) / u128::from(of)) as u64;
        end(to) - end(from)
    }

    fn block(&self, block: u32) -> u64 {
        self.blocks(block, block + 1, self.ranks)
    }

    /// Once round: each rank passes on the block it got in the step before; in the first step the
    /// one `ahead` of its own.
    fn ring(&mut self, ahead: u32) {
        let ranks = self.ranks;
        for step in 0..ranks - 1 {
            let sends: Vec<_> = (0..ranks)
                .map(|rank| {
                    let block = (rank + ahead + ranks - step) % ranks;
                    (rank, (rank + 1) % ranks, self.block(block))
                })
                .collect();
            self.step(&sends);
        }
    }

    /// Each rank to the one so many further: the block for it.
    fn exchange(&self, step: u32) -> Vec<(u32, u32, u64)> {
        let ranks = self.ranks;
        (0..ranks)
            .map(|rank| {
                let to = (rank + step) % ranks;
                (rank, to, self.block(to))
            })
            .collect()
    }

    /// Reduction along a binomial tree to rank 0, or back.
    fn tree(&mut self, is_down: bool) {
        let steps = u32::BITS - (self.ranks - 1).leading_zeros();
        for step in 0..steps {
            let distance = 1 << if is_down { steps - 1 - step } else { step };
            let children = (distance..self.ranks).step_by(2 * distance as usize);
            let sends: Vec<_> = children
                .map(|child| match is_down {
                    true => (child - distance, child, self.bytes),
                    false => (child, child - distance, self.bytes),
                })
                .collect();
            self.step(&sends);
        }
    }

    /// Of a power of two ranks; of the others, each hands all it has to its neighbour before, and
    /// gets all after.
    fn halving_doubling(&mut self) {
        let count = 1 << self.ranks.ilog2();
        let pairs = self.ranks - count;
        let before: Vec<_> = (0..pairs)
            .map(|pair| (2 * pair, 2 * pair + 1, self.bytes))
            .collect();
        let after: Vec<_> = before
            .iter()
            .map(|(a, b, bytes)| (*b, *a, *bytes))
            .collect();
        // Those that take part, by number.
        let rank = |number: u32| match number < pairs {
            true => 2 * number + 1,
            false => number + pairs,
        };
        self.step(&before);
        let mut distances = Vec::new();
        let mut distance = count / 2;
        while distance > 0 {
            distances.push(distance);
            distance /= 2;
        }
        for distance in &distances {
            self.halves(count, *distance, &rank, |partner| partner);
        }
        for distance in distances.iter().rev() {
            self.halves(count, *distance, &rank, |partner| partner ^ distance);
        }
        self.step(&after);
    }

    /// Each sends its partner at this distance the half in which the one told is.
    fn halves(
        &mut self,
        count: u32,
        distance: u32,
        rank: &impl Fn(u32) -> u32,
        half_of: impl Fn(u32) -> u32,
    ) {
        let sends: Vec<_> = (0..count)
            .map(|number| {
                let partner = number ^ distance;
                let from = half_of(partner) / distance * distance;
                let bytes = self.blocks(from, from + distance, count);
                (rank(number), rank(partner), bytes)
            })
            .collect();
        self.step(&sends);
    }

    /// Messages that go in one step: from, to, bytes.
    fn step(&mut self, sends: &[(u32, u32, u64)]) {
        let mut done: Vec<(u32, Happened)> = Vec::new();
        for (from, to, bytes) in sends {
            let lane = self.lane(*from, *to);
            let flow = self.first + lane as u32;
            let messages = &mut self.lanes[lane].messages;
            let message = messages.len() as u32;
            messages.push(MessageSpec {
                bytes: *bytes,
                after: self.done[*from as usize].clone(),
                think: self.think[*from as usize],
            });
            done.push((*from, Happened::Sent { flow, message }));
            done.push((*to, Happened::Received { flow, message }));
        }
        for (from, ..) in sends {
            self.think[*from as usize] = Duration::ZERO;
        }
        for (rank, _) in &done {
            self.done[*rank as usize].clear();
        }
        for (rank, what) in done {
            self.done[rank as usize].push(what);
        }
    }

    fn lane(&mut self, from: u32, to: u32) -> usize {
        let at = self.known.partition_point(|(ends, _)| *ends < (from, to));
        if let Some((ends, lane)) = self.known.get(at)
            && *ends == (from, to)
        {
            return *lane;
        }
        let lane = self.lanes.len();
        self.lanes.push(Lane {
            from,
            to,
            messages: Vec::new(),
        });
        self.known.insert(at, ((from, to), lane));
        lane
    }
}
