//! All-reduce along two binary trees at once.
//!
//! Ranks stand in order below a tree in which every second one is a leaf; the other tree is the
//! same in reverse order, or, of an odd number of ranks, shifted by one. So a rank that passes on
//! in one is a leaf in the other, but for the roots, and each has to send and to receive no more
//! than twice the bytes. A chunk goes up when it has come from all below, and down when it has come
//! from above. Each way of each tree has connections of its own.

use alloc::vec::Vec;

use super::steps::{Group, Program};
use crate::spec::messages::{Happened, MessageSpec};
use backwater_kernel::Duration;

/// One of the trees.
struct Tree {
    /// 0 or 1.
    number: u32,
    /// Of each rank, the one above.
    parents: Vec<Option<u32>>,
    /// Ranks, each behind all those below it.
    upwards: Vec<u32>,
}

impl Tree {
    fn of(number: u32, ranks: u32) -> Tree {
        // Where a rank stands in the other order, and back.
        let turned = |rank: u32| match (number, ranks % 2) {
            (0, _) => rank,
            (_, 0) => ranks - 1 - rank,
            _ => (rank + ranks - 1) % ranks,
        };
        let back = |rank: u32| match (number, ranks % 2) {
            (0, _) => rank,
            (_, 0) => ranks - 1 - rank,
            _ => (rank + 1) % ranks,
        };
        let parents: Vec<Option<u32>> = (0..ranks)
            .map(|rank| parent(turned(rank), ranks).map(back))
            .collect();
        let depth = |rank: u32| {
            let mut way = core::iter::successors(Some(rank), |rank| parents[*rank as usize]);
            way.by_ref().count()
        };
        let mut upwards: Vec<u32> = (0..ranks).collect();
        upwards.sort_by_key(|rank| (core::cmp::Reverse(depth(*rank)), *rank));
        Tree {
            number,
            parents,
            upwards,
        }
    }
}

/// The one above in a tree of so many in which odd ones are leaves: of two numbers that differ in
/// bits up to the lowest one that is set, the one that is there.
fn parent(rank: u32, ranks: u32) -> Option<u32> {
    let bit = rank & rank.wrapping_neg();
    let without = rank.checked_sub(bit).filter(|_| bit > 0)?;
    let above = without | bit << 1;
    Some(if above < ranks { above } else { without })
}

impl Program {
    pub(super) fn two_trees(&mut self, group: &mut Group, chunk: u64) {
        let (ranks, bytes) = (group.ranks(), group.bytes);
        let mut done: Vec<Vec<Happened>> = (0..ranks).map(|_| Vec::new()).collect();
        for (number, half) in [(0, bytes - bytes / 2), (1, bytes / 2)] {
            let tree = Tree::of(number, ranks);
            let chunks = half.div_ceil(chunk);
            for at in 0..chunks {
                let bytes = chunk.min(half - at * chunk);
                let is_last = at + 1 == chunks;
                let happened = self.chunk(group, &tree, (bytes, at == 0));
                for (rank, what) in happened.into_iter().filter(|_| is_last) {
                    done[rank as usize].push(what);
                }
            }
        }
        for (rank, done) in (0..).zip(done) {
            let rank = group.member(rank) as usize;
            (self.done[rank], self.think[rank]) = (done, Duration::ZERO);
        }
        group.steps += 2;
    }

    /// A chunk up and down a tree; the first one waits for what its ranks did before. What ranks
    /// sent and received.
    fn chunk(
        &mut self,
        group: &mut Group,
        tree: &Tree,
        (bytes, is_first): (u64, bool),
    ) -> Vec<(u32, Happened)> {
        let count = tree.parents.len();
        let mut all = Vec::new();
        // What came from below, and what from above.
        let mut below: Vec<Vec<Happened>> = (0..count).map(|_| Vec::new()).collect();
        let mut above: Vec<Option<Happened>> = (0..count).map(|_| None).collect();
        let mut send = |from: u32, to: u32, after: Vec<Happened>, step: u32| {
            let rank = group.member(from) as usize;
            let mut message = MessageSpec {
                bytes,
                after,
                think: Duration::ZERO,
                step: group.steps + step,
            };
            if is_first {
                message.think = self.think[rank];
                message.after.extend(&self.done[rank]);
            }
            let lane = (from, to, 2 * tree.number + step);
            let (sent, received) = self.send(group, lane, message);
            all.extend([(from, sent), (to, received)]);
            received
        };
        for rank in &tree.upwards {
            if let Some(parent) = tree.parents[*rank as usize] {
                let received = send(*rank, parent, below[*rank as usize].clone(), 0);
                below[parent as usize].push(received);
            }
        }
        for rank in tree.upwards.iter().rev() {
            if let Some(parent) = tree.parents[*rank as usize] {
                let after = match above[parent as usize] {
                    Some(received) => Vec::from([received]),
                    None => below[parent as usize].clone(),
                };
                above[*rank as usize] = Some(send(parent, *rank, after, 1));
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both are trees of all ranks, and no rank has two below it in both.
    #[test]
    fn ranks_pass_on_in_one_tree() {
        for ranks in 2..70 {
            let trees = [0, 1].map(|number| Tree::of(number, ranks));
            let mut below = [0, 1].map(|_| (0..ranks).map(|_| 0).collect::<Vec<u32>>());
            for (tree, below) in trees.iter().zip(&mut below) {
                let parents = tree.parents.iter().flatten();
                assert_eq!(parents.clone().count() as u32, ranks - 1);
                parents.for_each(|parent| below[*parent as usize] += 1);
                assert!(below.iter().all(|count| *count <= 2), "{ranks}");
                // The root is behind all others.
                let last = tree.upwards.last().expect("there are ranks");
                assert_eq!(tree.parents[*last as usize], None);
            }
            let both = below[0].iter().zip(&below[1]);
            assert!(both.clone().all(|(one, other)| one + other <= 3), "{ranks}");
            let busy = both.filter(|(one, other)| **one > 1 && **other > 1).count();
            assert_eq!(busy, 0, "{ranks}");
        }
    }
}
