//! Operations step by step, for groups of the ranks of a program.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::channels::Team;
use super::{Collective, Lane};
use crate::spec::messages::{Again, ComputeSpec, Happened, MessageSpec, MessagesSpec};
use backwater_kernel::{Duration, Time};

/// What ranks do one after another, under construction.
pub(super) struct Program {
    start: Time,
    pub first: u32,
    pub lanes: Vec<Lane>,
    /// What each rank computes. (`Computed` names ranks until all lanes are known.)
    pub computes: Vec<Vec<ComputeSpec>>,
    /// What each rank did in the last step in which it took part.
    pub done: Vec<Vec<Happened>>,
    /// How long each rank computes before what it sends next.
    pub think: Vec<Duration>,
}

/// Ranks that do something together.
pub(super) struct Group {
    /// Which they are, of all of the program.
    pub members: Vec<u32>,
    pub bytes: u64,
    /// The lane from one to another, and which of several.
    known: BTreeMap<(u32, u32, u32), usize>,
    /// So many so far.
    pub steps: u32,
}

/// How a list of so many rounds goes on, up to so many.
fn again(list: &MessagesSpec, (listed, rounds): (u32, u32)) -> Again {
    let each = |count: usize| (count / listed.max(1) as usize) as u32;
    let messages = each(list.messages.len());
    let step = |at: u32| list.messages.get(at as usize).map_or(0, |own| own.step);
    Again {
        times: rounds.saturating_sub(listed),
        messages,
        computes: each(list.computes.len()),
        steps: match listed {
            0 | 1 => 0,
            _ => step(messages) - step(0),
        },
    }
}

/// The bytes of one of so many parts.
fn share(bytes: u64, part: u64, parts: u64) -> u64 {
    let end = |part: u64| (u128::from(bytes) * u128::from(part) / u128::from(parts)) as u64;
    end(part + 1) - end(part)
}

impl Group {
    pub fn new(members: Vec<u32>, bytes: u64) -> Group {
        Group {
            members,
            bytes,
            known: BTreeMap::new(),
            steps: 0,
        }
    }

    pub fn ranks(&self) -> u32 {
        self.members.len() as u32
    }

    /// The rank of the program that is this one of the group.
    pub fn member(&self, rank: u32) -> u32 {
        self.members[rank as usize]
    }

    /// Bytes of blocks `from` to `to`, of so many.
    fn blocks(&self, from: u32, to: u32, of: u32) -> u64 {
        let end = |block: u32| (u128::from(self.bytes) * u128::from(block) / u128::from(of)) as u64;
        end(to) - end(from)
    }

    fn block(&self, block: u32) -> u64 {
        self.blocks(block, block + 1, self.ranks())
    }

    /// Parts of a block of at most so many bytes; none of them is empty.
    fn parts(&self, chunk: Option<u64>) -> u64 {
        let ranks = u64::from(self.ranks().max(1));
        let parts = chunk.map_or(1, |chunk| self.bytes.div_ceil(ranks).div_ceil(chunk.max(1)));
        parts.min(self.bytes / ranks).max(1)
    }

    /// Where a rank of the program stands.
    pub fn place(&self, rank: u32) -> u32 {
        let place = self.members.iter().position(|own| *own == rank);
        place.map_or(0, |place| place as u32)
    }

    /// Each rank to the one so many further: the block for it.
    fn exchange(&self, step: u32) -> Vec<(u32, u32, u64)> {
        let ranks = self.ranks();
        (0..ranks)
            .map(|rank| {
                let to = (rank + step) % ranks;
                (rank, to, self.block(to))
            })
            .collect()
    }
}

impl Program {
    /// In which nothing is done so far. Its first flow is number `first`.
    pub fn new(ranks: u32, start: Time, first: u32) -> Program {
        let every = 0..ranks as usize;
        Program {
            start,
            first,
            lanes: Vec::new(),
            computes: every.clone().map(|_| Vec::new()).collect(),
            done: every.clone().map(|_| Vec::new()).collect(),
            think: every.map(|_| Duration::ZERO).collect(),
        }
    }

    /// So many lanes so far.
    pub fn count(&self) -> u32 {
        self.lanes.len() as u32
    }

    /// A rank computes when it has done the last.
    pub fn compute(&mut self, rank: u32, time: Duration) -> Happened {
        let computes = &mut self.computes[rank as usize];
        computes.push(ComputeSpec {
            after: self.done[rank as usize].clone(),
            time,
        });
        Happened::Computed {
            flow: rank,
            compute: computes.len() as u32 - 1,
        }
    }

    /// The lanes; what a rank computes is with the first lane from it. Of so many rounds in all so
    /// many were done.
    pub fn finish(mut self, (listed, rounds): (u32, u32)) -> Vec<Lane> {
        let mut first_of: Vec<Option<u32>> = self.computes.iter().map(|_| None).collect();
        for (at, lane) in (self.first..).zip(&self.lanes) {
            first_of[lane.from as usize].get_or_insert(at);
        }
        for (rank, computes) in self.computes.into_iter().enumerate() {
            if let Some(flow) = first_of[rank] {
                self.lanes[(flow - self.first) as usize].list.computes = computes;
            }
        }
        for lane in &mut self.lanes {
            let messages = lane.list.messages.iter_mut().map(|one| &mut one.after);
            let computes = lane.list.computes.iter_mut().map(|one| &mut one.after);
            for what in messages.chain(computes).flatten() {
                if let Happened::Computed { flow, .. } = what {
                    *flow = first_of[*flow as usize].unwrap_or(self.first);
                }
            }
            lane.list.again = again(&lane.list, (listed, rounds));
        }
        self.lanes
    }

    /// An operation on one channel, with parts of a block of at most so many bytes.
    pub fn once(&mut self, kind: Collective, chunk: Option<u64>, group: &mut Group) {
        match kind {
            Collective::RingAllReduce => self.ring(group, chunk, &[0, 1]),
            Collective::RingReduceScatter => self.ring(group, chunk, &[0]),
            Collective::RingAllGather => self.ring(group, chunk, &[1]),
            Collective::HalvingDoublingAllReduce => self.halving_doubling(group),
            Collective::TreeAllReduce => {
                self.tree(group, false);
                self.tree(group, true);
            }
            Collective::DoubleTreeAllReduce => {
                self.two_trees(group, chunk.unwrap_or(group.bytes));
            }
            Collective::TreeBroadcast => self.tree(group, true),
            Collective::PairwiseAllToAll => {
                for step in 1..group.ranks() {
                    let sends = group.exchange(step);
                    self.step(group, &sends);
                }
            }
            Collective::AllToAll => {
                let steps = 1..group.ranks();
                let sends: Vec<_> = steps.flat_map(|step| group.exchange(step)).collect();
                self.step(group, &sends);
            }
            Collective::Pipeline => {
                for rank in 1..group.ranks() {
                    self.step(group, &[(rank - 1, rank, group.bytes)]);
                }
            }
        }
    }

    /// Once along the ranks, each of which computes before it sends on.
    pub fn stages(&mut self, team: &mut Team, time: Duration) {
        let members = team.channels[0].members.clone();
        for (stage, rank) in (0..).zip(&members) {
            let computed = Vec::from([self.compute(*rank, time)]);
            let Some(next) = members.get(stage + 1) else {
                self.done[*rank as usize] = computed;
                continue;
            };
            let (mut sent, mut received) = (Vec::new(), Vec::new());
            for group in &mut team.channels {
                self.done[*rank as usize].clone_from(&computed);
                let ends = [rank, next].map(|rank| group.place(*rank));
                self.step(group, &[(ends[0], ends[1], group.bytes)]);
                sent.append(&mut self.done[*rank as usize]);
                received.append(&mut self.done[*next as usize]);
            }
            self.done[*rank as usize] = sent;
            self.done[*next as usize] = received;
        }
    }

    /// Round once or twice: each rank passes on the block it got in the step before; in the first
    /// step of a round the one so far ahead of its own. Parts of blocks go on by themselves.
    fn ring(&mut self, group: &mut Group, chunk: Option<u64>, ahead: &[u32]) {
        let ranks = group.ranks();
        let before = (group.members.iter()).map(|rank| self.done[*rank as usize].clone());
        let mut before = vec![before.collect::<Vec<_>>(); group.parts(chunk) as usize];
        for (round, ahead) in ahead.iter().enumerate() {
            for step in 0..ranks - 1 {
                let parts = before.len() as u64;
                for (part, before) in (0..).zip(&mut before) {
                    let sends: Vec<_> = (0..ranks)
                        .map(|rank| {
                            let block = group.block((rank + ahead + ranks - step) % ranks);
                            (rank, (rank + 1) % ranks, share(block, part, parts))
                        })
                        .collect();
                    self.sends(group, &sends, before, |_, rank| rank as usize);
                }
                if round == 0 && step == 0 {
                    self.forget_thinking(group);
                }
                group.steps += 1;
            }
        }
        for rank in 0..ranks {
            let parts = before.iter().flat_map(|part| &part[rank as usize]);
            self.done[group.member(rank) as usize] = parts.copied().collect();
        }
    }

    fn forget_thinking(&mut self, group: &Group) {
        for rank in &group.members {
            self.think[*rank as usize] = Duration::ZERO;
        }
    }

    /// Reduction along a binomial tree to rank 0, or back.
    fn tree(&mut self, group: &mut Group, is_down: bool) {
        let (ranks, bytes) = (group.ranks(), group.bytes);
        let steps = u32::BITS - (ranks - 1).leading_zeros();
        for step in 0..steps {
            let distance = 1 << if is_down { steps - 1 - step } else { step };
            let children = (distance..ranks).step_by(2 * distance as usize);
            let sends: Vec<_> = children
                .map(|child| match is_down {
                    true => (child - distance, child, bytes),
                    false => (child, child - distance, bytes),
                })
                .collect();
            self.step(group, &sends);
        }
    }

    /// Of a power of two ranks; of the others, each hands all it has to its neighbour before, and
    /// gets all after.
    fn halving_doubling(&mut self, group: &mut Group) {
        let count = 1 << group.ranks().ilog2();
        let pairs = group.ranks() - count;
        let before: Vec<_> = (0..pairs)
            .map(|pair| (2 * pair, 2 * pair + 1, group.bytes))
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
        self.step(group, &before);
        let mut distances = Vec::new();
        let mut distance = count / 2;
        while distance > 0 {
            distances.push(distance);
            distance /= 2;
        }
        for distance in &distances {
            self.halves(group, (count, *distance), &rank, |partner| partner);
        }
        for distance in distances.iter().rev() {
            self.halves(group, (count, *distance), &rank, |partner| {
                partner ^ distance
            });
        }
        self.step(group, &after);
    }

    /// Each sends its partner at this distance the half in which the one told is.
    fn halves(
        &mut self,
        group: &mut Group,
        (count, distance): (u32, u32),
        rank: &impl Fn(u32) -> u32,
        half_of: impl Fn(u32) -> u32,
    ) {
        let sends: Vec<_> = (0..count)
            .map(|number| {
                let partner = number ^ distance;
                let from = half_of(partner) / distance * distance;
                let bytes = group.blocks(from, from + distance, count);
                (rank(number), rank(partner), bytes)
            })
            .collect();
        self.step(group, &sends);
    }

    /// Messages that go in one step: from, to, bytes.
    fn step(&mut self, group: &mut Group, sends: &[(u32, u32, u64)]) {
        let mut done = core::mem::take(&mut self.done);
        self.sends(group, sends, &mut done, |group, rank| {
            group.member(rank) as usize
        });
        self.done = done;
        for (from, ..) in sends {
            self.think[group.member(*from) as usize] = Duration::ZERO;
        }
        group.steps += u32::from(!sends.is_empty());
    }

    /// The same, of one part of what goes then: after what each rank did of it in the step before,
    /// which stands at a place of its own.
    fn sends(
        &mut self,
        group: &mut Group,
        sends: &[(u32, u32, u64)],
        before: &mut [Vec<Happened>],
        place: impl Fn(&Group, u32) -> usize,
    ) {
        let mut done: Vec<(usize, Happened)> = Vec::new();
        for (from, to, bytes) in sends {
            let message = MessageSpec {
                bytes: *bytes,
                after: before[place(group, *from)].clone(),
                think: self.think[group.member(*from) as usize],
                step: group.steps,
            };
            let (sent, received) = self.send(group, (*from, *to, 0), message);
            done.push((place(group, *from), sent));
            done.push((place(group, *to), received));
        }
        for (place, _) in &done {
            before[*place].clear();
        }
        for (place, what) in done {
            before[place].push(what);
        }
    }

    /// A message from one of a group to another, on one of several connections; that it was sent,
    /// and that it was received.
    pub fn send(
        &mut self,
        group: &mut Group,
        lane: (u32, u32, u32),
        message: MessageSpec,
    ) -> (Happened, Happened) {
        let lane = self.lane(group, lane);
        let flow = self.first + lane as u32;
        let messages = &mut self.lanes[lane].list.messages;
        let number = messages.len() as u32;
        messages.push(message);
        let message = number;
        let sent = Happened::Sent { flow, message };
        (sent, Happened::Received { flow, message })
    }

    /// The lane from one of a group to another.
    pub fn lane(&mut self, group: &mut Group, wanted: (u32, u32, u32)) -> usize {
        if let Some(lane) = group.known.get(&wanted) {
            return *lane;
        }
        let lane = self.lanes.len();
        self.lanes.push(Lane {
            from: group.member(wanted.0),
            to: group.member(wanted.1),
            list: MessagesSpec {
                start: self.start,
                ..MessagesSpec::default()
            },
        });
        group.known.insert(wanted, lane);
        lane
    }
}
