use alloc::collections::{BTreeMap, VecDeque};

use super::*;
use crate::classes::routes::mix;

type Graph = Vec<Vec<u32>>;

fn graph(places: usize, links: &[(u32, u32)]) -> Graph {
    let mut graph = vec![Vec::new(); places];
    for (a, b) in links {
        graph[*a as usize].push(*b);
        graph[*b as usize].push(*a);
    }
    graph
}

fn alike(graph: &Graph, own: &[u32]) -> Alike {
    let around = |place: u32| graph[place as usize].iter().copied();
    Alike::new(graph.len(), |place| own.contains(&place), around)
}

fn distances(graph: &Graph, from: u32) -> Vec<u32> {
    let mut distance = vec![u32::MAX; graph.len()];
    distance[from as usize] = 0;
    let mut queue = VecDeque::from([from]);
    while let Some(place) = queue.pop_front() {
        for next in &graph[place as usize] {
            if distance[*next as usize] == u32::MAX {
                distance[*next as usize] = distance[place as usize] + 1;
                queue.push_back(*next);
            }
        }
    }
    distance
}

/// Are all places of a kind as far from each place of its own, and joined to as many of each kind?
fn holds(graph: &Graph, own: &[u32], kinds: &[u32]) -> bool {
    let joined = |place: u32| {
        let mut around: Vec<u32> = graph[place as usize]
            .iter()
            .map(|p| kinds[*p as usize])
            .collect();
        around.sort_unstable();
        let far: Vec<u32> = own
            .iter()
            .map(|own| distances(graph, *own)[place as usize])
            .collect();
        (around, far)
    };
    let mut first: BTreeMap<u32, u32> = BTreeMap::new();
    (0..).zip(kinds).all(|(place, kind)| {
        let known = *first.entry(*kind).or_insert(place);
        joined(known) == joined(place)
    })
}

/// Edges, aggregation switches and cores of a fat tree of four ports.
fn fat_tree() -> Graph {
    let mut links = Vec::new();
    for pod in 0..4 {
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            links.push((2 * pod + j, 8 + 2 * pod + i));
            links.push((8 + 2 * pod + i, 16 + 2 * i + j));
        }
    }
    graph(20, &links)
}

#[test]
fn pods_and_cores_of_a_fat_tree_are_kinds() {
    let edges: Vec<u32> = (0..8).collect();
    let found = alike(&fat_tree(), &edges);
    let kinds = [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 12, 12,
    ];
    assert_eq!(found.kinds, kinds);
    assert_eq!(found.counts, [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4]);
}

#[test]
fn kinds_hold_on_any_graph() {
    let mut merged = 0;
    for seed in 0..400 {
        let draw = |what: u64, below: u64| mix(&[seed, what]) % below;
        let places = 3 + draw(0, 12);
        let links = (0..draw(1, 24)).map(|link| {
            let from = draw(100 + link, places);
            let to = draw(200 + link, places - 1);
            (from as u32, (to + u64::from(to >= from)) as u32)
        });
        let links: Vec<(u32, u32)> = links.collect();
        let own: Vec<u32> = (0..places as u32)
            .filter(|p| draw(300 + u64::from(*p), 3) == 0)
            .collect();
        let graph = graph(places as usize, &links);
        let found = alike(&graph, &own);
        assert!(holds(&graph, &own, &found.kinds), "seed {seed}: {found:?}");
        merged += usize::from(found.counts.iter().any(|count| *count > 1));
    }
    assert!(merged > 100, "{merged}");
}

/// Negative control.
#[test]
fn a_kind_too_few_is_found_out() {
    let edges: Vec<u32> = (0..8).collect();
    let mut kinds = alike(&fat_tree(), &edges).kinds;
    assert!(holds(&fat_tree(), &edges, &kinds));
    kinds[10] = 8;
    assert!(!holds(&fat_tree(), &edges, &kinds));
}

/// Ends of a line tell apart what is between them, one a round: more than there are rounds for.
#[test]
fn a_long_line_is_left_as_it_is() {
    let places = 4 * MOST_ROUNDS;
    let links: Vec<(u32, u32)> = (1..places as u32).map(|place| (place - 1, place)).collect();
    let found = alike(&graph(places, &links), &[0]);
    assert_eq!(found, Alike::none(places));
}
