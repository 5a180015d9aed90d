//! Where frames for several stations go several ways.

use alloc::vec::Vec;
use core::ops::Range;

/// An entry of the list of hops with this bit is a fork with the number without it, unless it is
/// `NONE`.
pub(crate) const FORK: u32 = 1 << 31;

/// Where ways part, or end.
#[derive(Clone, Copy, Debug)]
struct Fork {
    /// First of its branches, and how many; none where the way ends at a station.
    branches: (u32, u32),
    /// First of the receivers behind it, and how many.
    receivers: (u32, u32),
}

/// The forks of all flows to several stations.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    forks: Vec<Fork>,
    /// Indices of hops, by fork in the order of channels.
    branches: Vec<u32>,
    /// Index of each receiver among the destinations of its flow, in the order of ways.
    receivers: Vec<u32>,
}

/// Paths that are the same up to some hop, from which they go on at an entry of the list.
struct Group {
    paths: Range<usize>,
    depth: usize,
    /// The branch that leads there.
    branch: Option<usize>,
}

impl Trees {
    /// Adds a flow with these paths, which are a tree, to the list of hops.
    pub fn add(&mut self, paths: &[Vec<u32>], hops: &mut Vec<u32>) {
        let mut order: Vec<u32> = (0..paths.len() as u32).collect();
        order.sort_by_key(|receiver| &paths[*receiver as usize]);
        let sorted: Vec<&[u32]> = order.iter().map(|at| &paths[*at as usize][..]).collect();
        let first = self.receivers.len();
        self.receivers.extend(order);
        let mut open = Vec::from([Group {
            paths: 0..paths.len(),
            depth: 0,
            branch: None,
        }]);
        while let Some(mut group) = open.pop() {
            if let Some(branch) = group.branch {
                self.branches[branch] = hops.len() as u32;
            }
            let own = &sorted[group.paths.clone()];
            let (one, last) = (own[0], own[own.len() - 1]);
            while let Some(hop) = one.get(group.depth)
                && last.get(group.depth) == Some(hop)
            {
                hops.push(*hop);
                group.depth += 1;
            }
            hops.push(FORK | self.forks.len() as u32);
            let branches = self.branches.len();
            let mut start = 0;
            for part in own.chunk_by(|a, b| a.get(group.depth) == b.get(group.depth)) {
                let from = group.paths.start + start;
                start += part.len();
                if part[0].len() > group.depth {
                    open.push(Group {
                        paths: from..from + part.len(),
                        depth: group.depth,
                        branch: Some(self.branches.len()),
                    });
                    self.branches.push(0);
                }
            }
            self.forks.push(Fork {
                branches: (branches as u32, (self.branches.len() - branches) as u32),
                receivers: ((first + group.paths.start) as u32, own.len() as u32),
            });
        }
    }

    /// The hops of the branches of a fork, an entry of the list.
    pub fn branches(&self, entry: u32) -> &[u32] {
        let (first, count) = self.forks[(entry & !FORK) as usize].branches;
        &self.branches[first as usize..][..count as usize]
    }

    /// Places of the receivers behind a hop, in the list of all.
    pub fn places(&self, hops: &[u32], hop: u32) -> Range<u32> {
        let behind = hops[hop as usize..].iter();
        let fork = behind.copied().find(|entry| entry & FORK != 0);
        let at = (fork.unwrap_or(0) & !FORK) as usize;
        let (first, count) = self.forks[at].receivers;
        first..first + count
    }

    /// The destination of its flow that stands at a place.
    pub fn receiver(&self, place: u32) -> u32 {
        self.receivers[place as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn a_tree_by_hand() {
        let mut trees = Trees::default();
        let mut hops = vec![77];
        // A trunk of two hops; then one station, and two behind a common hop.
        let paths = [vec![1, 2, 9, 4], vec![1, 2, 3], vec![1, 2, 9, 5]];
        trees.add(&paths, &mut hops);
        let fork = |number: u32| FORK | number;
        assert_eq!(hops[1..4], [1, 2, fork(0)]);
        let branches = trees.branches(hops[3]).to_vec();
        let channels: Vec<u32> = branches.iter().map(|hop| hops[*hop as usize]).collect();
        assert_eq!(channels, [3, 9]);
        let to = |hop: u32| -> Vec<u32> {
            let places = trees.places(&hops, hop);
            places.map(|place| trees.receiver(place)).collect()
        };
        assert_eq!(to(1), [1, 0, 2]);
        assert_eq!(to(3), [1, 0, 2]);
        assert_eq!((to(branches[0]), to(branches[0] + 1)), (vec![1], vec![1]));
        assert_eq!(
            (to(branches[1]), to(branches[1] + 1)),
            (vec![0, 2], vec![0, 2])
        );
        let inner = trees.branches(hops[branches[1] as usize + 1]);
        let channels: Vec<u32> = inner.iter().map(|hop| hops[*hop as usize]).collect();
        assert_eq!(channels, [4, 5]);
        assert!(trees.branches(hops[branches[0] as usize + 1]).is_empty());
    }
}
