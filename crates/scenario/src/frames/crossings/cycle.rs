//! Cycles in graphs.

use std::collections::{BTreeMap, BTreeSet};

/// A cycle in a graph, if there is one.
pub(crate) fn cycle(after: &BTreeMap<u32, Vec<u32>>) -> Option<Vec<u32>> {
    let next = |place: u32| Some(after.get(&place).cloned().unwrap_or_default());
    cycle_from(after.keys().copied(), next).ok()?
}

/// The search was given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooMany;

/// A cycle that is found from some places on, if there is one, where `next` tells what comes after
/// a place, or that it has told enough.
pub(crate) fn cycle_from(
    starts: impl Iterator<Item = u32>,
    mut next: impl FnMut(u32) -> Option<Vec<u32>>,
) -> Result<Option<Vec<u32>>, TooMany> {
    let mut done: BTreeSet<u32> = BTreeSet::new();
    for start in starts {
        if done.contains(&start) {
            continue;
        }
        let mut path = vec![(start, next(start).ok_or(TooMany)?.into_iter())];
        let mut on_path: BTreeSet<u32> = BTreeSet::from([start]);
        while let Some((place, after)) = path.last_mut() {
            match after.next() {
                None => {
                    done.insert(*place);
                    on_path.remove(place);
                    path.pop();
                }
                Some(next) if on_path.contains(&next) => {
                    let around = path.iter().map(|(place, _)| *place);
                    return Ok(Some(around.skip_while(|place| *place != next).collect()));
                }
                Some(place) if !done.contains(&place) => {
                    path.push((place, next(place).ok_or(TooMany)?.into_iter()));
                    on_path.insert(place);
                }
                Some(_) => {}
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(u32, u32)]) -> BTreeMap<u32, Vec<u32>> {
        let mut graph: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (from, to) in edges {
            graph.entry(*from).or_default().push(*to);
        }
        graph
    }

    #[test]
    fn cycles_are_found_and_joins_are_none() {
        assert_eq!(cycle(&graph(&[])), None);
        let diamond = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)];
        assert_eq!(cycle(&graph(&diamond)), None);
        let closed = [diamond.as_slice(), &[(4, 1)]].concat();
        assert_eq!(cycle(&graph(&closed)), Some(vec![1, 3, 4]));
        assert_eq!(cycle(&graph(&[(7, 7)])), Some(vec![7]));
        assert_eq!(cycle(&graph(&[(0, 1), (5, 6), (6, 5)])), Some(vec![5, 6]));
    }
}
