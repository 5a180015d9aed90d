//! Channels: the bytes of an operation are divided among several, each with an order of ranks and
//! connections of its own, which do it side by side. (S. Jeaugey, *Massively scale your deep
//! learning training with NCCL 2.4*, 2019, and the NCCL documentation: `NCCL_MIN_NCHANNELS`.)

use alloc::vec::Vec;

use super::Operation;
use super::steps::{Group, Program};
use crate::spec::messages::Happened;
use backwater_kernel::Duration;

/// How the bytes of an operation are cut into messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Among so many channels,
    pub channels: u32,
    /// in which ranks stand in this order,
    pub order: Order,
    /// and there, in rings and double trees, in parts of a block of at most so many bytes that go
    /// on by themselves; whole where this is nothing.
    pub chunk: Option<u64>,
}

impl Default for Cut {
    fn default() -> Cut {
        Cut {
            channels: 1,
            order: Order::Same,
            chunk: None,
        }
    }
}

/// In which order ranks stand in each channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// As they are given, in all.
    Same,
    /// Each channel begins so much further on, so that their first ranks are spread evenly.
    Rotated,
    /// So many ranks in a row are a node, which in each channel begins with another of them: with
    /// the one with which, in the node before, it ends.
    Rails {
        /// Ranks of a node.
        node: u32,
    },
}

impl Order {
    /// The rank that stands there in a channel, of so many ranks and channels.
    fn rank(self, at: u32, channel: u32, (ranks, channels): (u32, u32)) -> u32 {
        let (at, channel) = (u64::from(at), u64::from(channel));
        let (ranks, channels) = (u64::from(ranks), u64::from(channels.max(1)));
        let rank = match self {
            Order::Same => at,
            Order::Rotated => (at + channel * ranks / channels) % ranks,
            Order::Rails { node } => {
                let node = u64::from(node.max(1));
                let (which, inside) = (at / node, at % node);
                // The node before ends with the one ahead of its first.
                let first = (channel + node - which % node) % node;
                which * node + (first + inside) % node
            }
        };
        rank as u32
    }
}

/// Ranks that do an operation together, channel by channel.
pub(super) struct Team {
    pub channels: Vec<Group>,
}

impl Team {
    pub fn new(members: Vec<u32>, operation: &Operation) -> Team {
        let (cut, ranks) = (operation.cut, members.len() as u32);
        let end = |channel: u32| {
            let part = u128::from(operation.bytes) * u128::from(channel);
            (part / u128::from(cut.channels.max(1))) as u64
        };
        let channels = (0..cut.channels.max(1)).map(|channel| {
            let all = (ranks, cut.channels);
            let places = (0..ranks).map(|at| cut.order.rank(at, channel, all));
            let members = places.map(|place| members[place as usize]);
            Group::new(members.collect(), end(channel + 1) - end(channel))
        });
        Team {
            channels: channels.collect(),
        }
    }

    /// So many so far.
    pub fn steps(&self) -> u32 {
        self.channels.first().map_or(0, |group| group.steps)
    }
}

impl Program {
    /// All channels begin when their ranks have done what they did before; a rank is through when
    /// it is in all.
    pub fn operation(&mut self, operation: &Operation, team: &mut Team) {
        let chunk = operation.cut.chunk;
        let [first, others @ ..] = &mut team.channels[..] else {
            return;
        };
        if others.is_empty() {
            return self.once(operation.kind, chunk, first);
        }
        let members = first.members.clone();
        let of_members = |all: &[Vec<Happened>]| -> Vec<Vec<Happened>> {
            let of = |rank: &u32| all[*rank as usize].clone();
            members.iter().map(of).collect()
        };
        let before = of_members(&self.done);
        let thinks: Vec<Duration> = (members.iter())
            .map(|rank| self.think[*rank as usize])
            .collect();
        let mut done: Vec<Vec<Happened>> = before.iter().map(|_| Vec::new()).collect();
        for group in core::iter::once(first).chain(others) {
            for ((rank, before), think) in members.iter().zip(&before).zip(&thinks) {
                self.done[*rank as usize].clone_from(before);
                self.think[*rank as usize] = *think;
            }
            self.once(operation.kind, chunk, group);
            for (own, found) in done.iter_mut().zip(of_members(&self.done)) {
                own.extend(found);
            }
        }
        for (rank, mut own) in members.into_iter().zip(done) {
            own.sort_unstable();
            own.dedup();
            self.done[rank as usize] = own;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each channel has all ranks once; on rails a ring leaves a node where it comes into the next.
    #[test]
    fn orders_have_all_ranks() {
        for (ranks, channels, node) in [(8, 4, 4), (12, 3, 4), (16, 8, 8), (6, 5, 2)] {
            for order in [Order::Same, Order::Rotated, Order::Rails { node }] {
                for channel in 0..channels {
                    let all = (ranks, channels);
                    let places = (0..ranks).map(|at| order.rank(at, channel, all));
                    let mut places: Vec<u32> = places.collect();
                    if let Order::Rails { .. } = order {
                        let nodes: Vec<&[u32]> = places.chunks(node as usize).collect();
                        for two in nodes.windows(2) {
                            let ends = two[0].last().expect("a node has ranks");
                            assert_eq!(ends % node, two[1][0] % node);
                        }
                        assert_eq!(places[0], channel % node);
                    }
                    places.sort_unstable();
                    assert_eq!(places, (0..ranks).collect::<Vec<u32>>());
                }
            }
        }
        let firsts = |channel| Order::Rotated.rank(0, channel, (8, 4));
        assert_eq!([0, 1, 2, 3].map(firsts), [0, 2, 4, 6]);
    }
}
