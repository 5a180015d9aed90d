//! Any other network: links pull, nodes push each other away.

use super::{Graph, Position, turn};

/// Steps, each smaller than the one before.
const STEPS: u32 = 300;
/// Nodes are not closer than this.
const LEAST: f64 = 0.55;

/// Places for any network.
pub fn layout(graph: &Graph) -> Vec<Position> {
    let count = graph.is_host.len();
    let start = |node: usize| {
        let (cos, sin) = turn(node as f64 * 0.381_966_011_25);
        let radius = (node as f64 + 0.5).sqrt() * 0.7;
        (radius * cos, radius * sin)
    };
    let mut places: Vec<Position> = (0..count).map(start).collect();
    for step in 0..STEPS {
        let most = 0.6 * f64::from(STEPS - step) / f64::from(STEPS);
        let moves: Vec<Position> = (0..count).map(|node| force(graph, &places, node)).collect();
        for (place, (dx, dy)) in places.iter_mut().zip(moves) {
            let length = (dx * dx + dy * dy).sqrt().max(1e-9);
            let scale = (most / length).min(0.2);
            *place = (place.0 + dx * scale, place.1 + dy * scale);
        }
    }
    part(&mut places);
    places
}

fn force(graph: &Graph, places: &[Position], node: usize) -> Position {
    let (x, y) = places[node];
    let (mut dx, mut dy) = (-0.02 * x, -0.02 * y);
    for (other, &(ox, oy)) in places.iter().enumerate() {
        if other != node {
            let square = ((x - ox) * (x - ox) + (y - oy) * (y - oy)).max(1e-4);
            dx += (x - ox) / square;
            dy += (y - oy) / square;
        }
    }
    for &other in &graph.near[node] {
        let (ox, oy) = places[other];
        let length = ((x - ox) * (x - ox) + (y - oy) * (y - oy)).sqrt();
        dx += (ox - x) * length;
        dy += (oy - y) * length;
    }
    (dx, dy)
}

/// Moves nodes apart that are too close, a fixed number of times.
fn part(places: &mut [Position]) {
    for _ in 0..60 {
        for one in 0..places.len() {
            for two in 0..one {
                let (dx, dy) = (places[one].0 - places[two].0, places[one].1 - places[two].1);
                let length = (dx * dx + dy * dy).sqrt();
                if length < LEAST {
                    let (ux, uy) = match length > 1e-9 {
                        true => (dx / length, dy / length),
                        false => (1.0, 0.0),
                    };
                    let push = (LEAST - length) * 0.55;
                    places[one] = (places[one].0 + ux * push, places[one].1 + uy * push);
                    places[two] = (places[two].0 - ux * push, places[two].1 - uy * push);
                }
            }
        }
    }
}
