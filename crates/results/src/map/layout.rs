//! Where nodes are drawn: the same place on any machine.
//!
//! Only sums, products and square roots: no function whose last bit a platform may choose.

mod force;
mod layers;
mod line;

/// A place on the map; neighbours are about 1 apart.
pub type Position = (f64, f64);

/// What is drawn.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// By node: it is a host, not a switch.
    pub is_host: Vec<bool>,
    /// Pairs of nodes that are joined.
    pub edges: Vec<(usize, usize)>,
    /// By node: neighbours, each once, ascending.
    pub near: Vec<Vec<usize>>,
}

/// Places that follow from how the network was made.
#[derive(Clone, PartialEq, Debug)]
pub enum Known {
    /// Nothing is known.
    Nothing,
    /// By node: its place, where it has one; hosts sit beside their switch.
    Places(Vec<Option<Position>>),
}

impl Graph {
    /// Of these nodes and edges.
    pub fn new(is_host: Vec<bool>, edges: Vec<(usize, usize)>) -> Graph {
        let mut near = vec![Vec::new(); is_host.len()];
        for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
            near[a].push(b);
            near[b].push(a);
        }
        for list in &mut near {
            list.sort_unstable();
            list.dedup();
        }
        Graph {
            is_host,
            edges,
            near,
        }
    }

    fn switches(&self) -> Vec<usize> {
        (0..self.is_host.len())
            .filter(|node| !self.is_host[*node])
            .collect()
    }

    fn near_switches(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let near = self.near[node].iter().copied();
        near.filter(|other| !self.is_host[*other])
    }

    /// Hosts with one link, which leads to this switch.
    fn hosts_at(&self, switch: usize) -> Vec<usize> {
        let near = self.near[switch].iter().copied();
        near.filter(|node| self.is_host[*node] && self.near[*node].len() == 1)
            .collect()
    }
}

/// Places for all nodes.
pub fn layout(graph: &Graph, known: &Known) -> Vec<Position> {
    if let Known::Places(places) = known {
        return beside(graph, places);
    }
    line::layout(graph)
        .or_else(|| layers::layout(graph))
        .unwrap_or_else(|| force::layout(graph))
}

/// Hosts without a place sit below and right of their switch.
fn beside(graph: &Graph, places: &[Option<Position>]) -> Vec<Position> {
    let mut taken = vec![0_u32; places.len()];
    let each = places.iter().enumerate().map(|(node, place)| {
        place.unwrap_or_else(|| {
            let at = graph.near[node].first().copied().unwrap_or(node);
            let (x, y) = places[at].unwrap_or_default();
            let index = f64::from(taken[at]);
            taken[at] += 1;
            (x + 0.36 - 0.30 * index, y + 0.36)
        })
    });
    each.collect()
}

/// Cosine and sine of a part of a full turn, by their series.
fn turn(part: f64) -> (f64, f64) {
    let angle = (part - part.floor() - 0.5) * std::f64::consts::TAU;
    let (mut cos, mut sin, mut term) = (0.0, 0.0, 1.0);
    for power in 0_u32..40 {
        match power % 4 {
            0 => cos += term,
            1 => sin += term,
            2 => cos -= term,
            _ => sin -= term,
        }
        term *= angle / f64::from(power + 1);
    }
    (-cos, -sin)
}

#[cfg(test)]
mod tests;
