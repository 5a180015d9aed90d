//! Cycles in a graph.

use alloc::vec;
use alloc::vec::Vec;

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
}

/// A cycle, given the successors of every node: none shorter goes through its first node.
pub(super) fn find(successors: &[Vec<u32>]) -> Option<Vec<u32>> {
    let mut marks = vec![Mark::New; successors.len()];
    for root in 0..successors.len() as u32 {
        if marks[root as usize] != Mark::New {
            continue;
        }
        // The nodes under way, each with how many of its successors were visited.
        let mut path = vec![(root, 0)];
        marks[root as usize] = Mark::Open;
        while let Some((node, visited)) = path.last_mut() {
            let Some(next) = successors[*node as usize].get(*visited).copied() else {
                marks[*node as usize] = Mark::Done;
                path.pop();
                continue;
            };
            *visited += 1;
            match marks[next as usize] {
                Mark::New => {
                    marks[next as usize] = Mark::Open;
                    path.push((next, 0));
                }
                Mark::Open => return Some(shortest_through(successors, next)),
                Mark::Done => {}
            }
        }
    }
    None
}

/// The shortest cycle through a node that is on one.
fn shortest_through(successors: &[Vec<u32>], start: u32) -> Vec<u32> {
    let mut came_from: Vec<Option<u32>> = vec![None; successors.len()];
    let mut queue = vec![start];
    let mut head = 0;
    while came_from[start as usize].is_none() && head < queue.len() {
        let node = queue[head];
        head += 1;
        for next in &successors[node as usize] {
            if came_from[*next as usize].is_none() {
                came_from[*next as usize] = Some(node);
                queue.push(*next);
            }
        }
    }
    let mut cycle = vec![start];
    let mut node = came_from[start as usize];
    while let Some(before) = node.filter(|before| *before != start) {
        cycle.push(before);
        node = came_from[before as usize];
    }
    cycle[1..].reverse();
    cycle
}
