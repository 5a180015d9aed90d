//! Circles of a directed graph.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// For each node, where its arrows lead.
pub type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Nodes that reach each other, in groups of two or more (Tarjan 1972); the largest first.
pub fn circles(arrows: &Arrows) -> Vec<Vec<String>> {
    let mut search = Search::default();
    for node in arrows.keys() {
        search.visit(node, arrows);
    }
    let mut found = search.found;
    found.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    found
}

#[derive(Default)]
struct Search<'a> {
    /// When a node was seen first, and the earliest node of the stack that it reaches.
    seen: BTreeMap<&'a str, (usize, usize)>,
    stack: Vec<&'a str>,
    found: Vec<Vec<String>>,
}

impl<'a> Search<'a> {
    fn visit(&mut self, node: &'a str, arrows: &'a Arrows) -> usize {
        if let Some((_, low)) = self.seen.get(node) {
            return *low;
        }
        let number = self.seen.len();
        let mut low = number;
        self.seen.insert(node, (number, low));
        self.stack.push(node);
        for next in arrows.get(node).into_iter().flatten() {
            let is_new = !self.seen.contains_key(next.as_str());
            if is_new {
                low = low.min(self.visit(next, arrows));
            } else if self.stack.contains(&next.as_str()) {
                low = low.min(self.seen[next.as_str()].0);
            }
        }
        self.seen.insert(node, (number, low));
        if low == number {
            let from = self.stack.iter().position(|other| *other == node);
            let mut circle: Vec<String> = self
                .stack
                .split_off(from.expect("the node is on the stack"))
                .into_iter()
                .map(str::to_owned)
                .collect();
            circle.sort();
            if circle.len() > 1 {
                self.found.push(circle);
            }
            // What is off the stack pulls no other node into its circle.
            return usize::MAX;
        }
        low
    }
}

/// A way round within `circle`: of the shortest from each of its nodes, the longest.
pub fn way_round(circle: &[String], arrows: &Arrows) -> Vec<String> {
    let ways = circle.iter().map(|start| shortest(start, circle, arrows));
    let longer = |one: Vec<String>, other: Vec<String>| {
        if other.len() > one.len() { other } else { one }
    };
    ways.fold(Vec::new(), longer)
}

/// The shortest way from `start` within `circle` back to it.
fn shortest(start: &String, circle: &[String], arrows: &Arrows) -> Vec<String> {
    let mut came_from: BTreeMap<&String, &String> = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(node) = waiting.pop_front() {
        let next = arrows.get(node).into_iter().flatten();
        for next in next.filter(|next| circle.contains(next)) {
            if came_from.contains_key(next) {
                continue;
            }
            came_from.insert(next, node);
            waiting.push_back(next);
        }
        if came_from.contains_key(start) {
            break;
        }
    }
    let mut way = vec![start.clone()];
    let mut at = start;
    while let Some(before) = came_from.get(at) {
        at = before;
        way.push(at.clone());
        if at == start {
            break;
        }
    }
    way.reverse();
    way
}

#[test]
fn circles_are_found() {
    let arrows = |text: &str| {
        let mut arrows = Arrows::new();
        for arrow in text.split_whitespace() {
            let (from, to) = arrow.split_once('>').expect("an arrow");
            let next: &mut BTreeSet<String> = arrows.entry(from.into()).or_default();
            next.insert(to.into());
        }
        arrows
    };
    assert!(circles(&arrows("a>b b>c a>c")).is_empty());
    let two = arrows("a>b b>c c>a b>d d>e e>d d>f f>g");
    assert_eq!(circles(&two), [vec!["a", "b", "c"], vec!["d", "e"]]);
    assert_eq!(way_round(&circles(&two)[0], &two).join(""), "abca");
    let eight = arrows("a>b b>a b>c c>b c>d d>c x>a d>y");
    assert_eq!(circles(&eight), [vec!["a", "b", "c", "d"]]);
    assert_eq!(way_round(&circles(&eight)[0], &eight).join(""), "aba");
}
