//! Hosts below, then their switches, then the switches of these: trees, leaf and spine.

use std::collections::VecDeque;

use super::{Graph, Position};

/// Sweeps that order the layers.
const SWEEPS: usize = 8;

/// Places, if every link joins one layer to the next.
pub fn layout(graph: &Graph) -> Option<Vec<Position>> {
    let layer = heights(graph)?;
    let fits = |(a, b): &(usize, usize)| layer[*a].abs_diff(layer[*b]) == 1;
    if !graph.edges.iter().all(fits) {
        return None;
    }
    let top = layer.iter().copied().max()?;
    let mut rows = vec![Vec::new(); top + 1];
    for (node, layer) in layer.iter().enumerate() {
        rows[*layer].push(node);
    }
    Some(place(graph, &mut rows))
}

/// By node: links to the nearest host; `None` if one has none.
fn heights(graph: &Graph) -> Option<Vec<usize>> {
    let mut height = vec![usize::MAX; graph.is_host.len()];
    let mut next = VecDeque::new();
    for node in (0..height.len()).filter(|node| graph.is_host[*node]) {
        height[node] = 0;
        next.push_back(node);
    }
    while let Some(node) = next.pop_front() {
        for &other in &graph.near[node] {
            if height[other] == usize::MAX {
                height[other] = height[node] + 1;
                next.push_back(other);
            }
        }
    }
    height
        .iter()
        .all(|height| *height != usize::MAX)
        .then_some(height)
}

/// Every node near the middle of its neighbours in the row beside, without crossing others.
fn place(graph: &Graph, rows: &mut [Vec<usize>]) -> Vec<Position> {
    let widest = rows.iter().map(Vec::len).max().unwrap_or(1) as f64;
    let mut x = vec![0.0; graph.is_host.len()];
    let spread = |row: &[usize], x: &mut [f64]| {
        for (index, &node) in row.iter().enumerate() {
            x[node] = (index as f64 + 0.5) * widest / row.len() as f64;
        }
    };
    rows.iter().for_each(|row| spread(row, &mut x));
    for sweep in 0..SWEEPS {
        for step in 1..rows.len() {
            let (own, other) = match sweep % 2 {
                0 => (rows.len() - 1 - step, rows.len() - step),
                _ => (step, step - 1),
            };
            let mean = |node: usize, x: &[f64]| {
                let beside = graph.near[node]
                    .iter()
                    .filter(|near| rows[other].contains(near));
                let (sum, count) = beside.fold((0.0, 0.0), |all, at| (all.0 + x[*at], all.1 + 1.0));
                if count > 0.0 { sum / count } else { x[node] }
            };
            let mut keyed: Vec<(f64, usize)> = rows[own]
                .iter()
                .map(|node| (mean(*node, &x), *node))
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[own] = keyed.into_iter().map(|(_, node)| node).collect();
            spread(&rows[own], &mut x);
        }
    }
    let gap = (widest * 0.09).clamp(1.3, 4.0);
    let mut places = vec![(0.0, 0.0); x.len()];
    for (height, row) in rows.iter().enumerate() {
        for &node in row {
            places[node] = (x[node] * 0.9, -(height as f64) * gap);
        }
    }
    places
}
