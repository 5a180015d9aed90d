//! Random small graphs and how to route on them.

use backwater_flit::spec::{ChannelSpec, Graph, RoutingSpec, Shape};
use backwater_flit::topology;
use backwater_kernel::BuildError;

use super::Dice;

/// A graph and the routings that may work on it.
pub(super) fn drawn(dice: &mut Dice) -> Result<(Graph, Vec<RoutingSpec>), BuildError> {
    let latency = dice.pick(&[1, 1, 2, 3]);
    let few = dice.between(1, 2) as u32;
    let mut side = |low: u64, high: u64| dice.between(low, high) as u32;
    let sides = [side(2, 4), side(2, 3)];
    let (ring, small) = (side(2, 6), side(2, 3));
    let (built, mut routings) = match side(0, 9) {
        0 => (topology::torus(&[ring], few, latency), torus()),
        1 => (topology::torus(&sides, 1, latency), torus()),
        2 => (topology::mesh(&sides, few, latency), mesh()),
        3 => (topology::mesh(&[2, 2, small], 1, latency), mesh()),
        4 => (
            topology::fly(small, side(1, 2), latency),
            vec![RoutingSpec::DestinationTag; 3],
        ),
        5 => (
            topology::fly(2, 3, latency),
            vec![RoutingSpec::DestinationTag; 3],
        ),
        6 => (topology::fat_tree(2, side(1, 3), latency), tree()),
        7 => (topology::full(ring, few, latency), Vec::new()),
        8 => (topology::crossbar(ring), Vec::new()),
        _ => {
            let acyclic = dice.one_in(2);
            let graph = if acyclic {
                layered(dice)
            } else {
                connected(dice)
            };
            (Ok(graph), Vec::new())
        }
    };
    routings.push(RoutingSpec::Table);
    let mut graph = built?;
    if dice.one_in(3) {
        for channel in &mut graph.channels {
            channel.latency = dice.between(1, 4) as u16;
        }
    }
    graph.injection_latency = dice.pick(&[1, 1, 1, 2]);
    graph.ejection_latency = dice.pick(&[1, 1, 1, 3]);
    if dice.one_in(6) {
        let terminals = graph.inject.len();
        graph.terminal_latency = (0..terminals).map(|_| dice.pick(&[1, 2, 5])).collect();
    }
    Ok((graph, routings))
}

fn torus() -> Vec<RoutingSpec> {
    vec![
        RoutingSpec::Dateline,
        RoutingSpec::Dateline,
        RoutingSpec::Unrestricted,
        RoutingSpec::Valiant,
        RoutingSpec::MinimalAdaptive,
        RoutingSpec::MinimalAdaptive,
    ]
}

fn mesh() -> Vec<RoutingSpec> {
    vec![
        RoutingSpec::DimensionOrder,
        RoutingSpec::O1Turn,
        RoutingSpec::Valiant,
        RoutingSpec::MinimalAdaptive,
        RoutingSpec::MinimalAdaptive,
    ]
}

fn tree() -> Vec<RoutingSpec> {
    vec![
        RoutingSpec::NearestCommonAncestor,
        RoutingSpec::NearestCommonAncestor,
        RoutingSpec::NearestCommonAncestorRandom,
    ]
}

fn irregular(routers: u32, mut ends: Vec<(u32, u32)>, inject: Vec<u32>, eject: Vec<u32>) -> Graph {
    ends.sort_unstable();
    let channel = |(from, to): (u32, u32)| ChannelSpec {
        from,
        to,
        latency: 1,
    };
    Graph {
        shape: Shape::Irregular,
        routers,
        channels: ends.into_iter().map(channel).collect(),
        inject,
        eject,
        injection_latency: 1,
        ejection_latency: 1,
        terminal_latency: Vec::new(),
        names: Vec::new(),
    }
}

/// A random tree of channels both ways, a few more channels (parallel ones too), terminals
/// anywhere.
fn connected(dice: &mut Dice) -> Graph {
    let routers = dice.between(2, 7) as u32;
    let mut any = |below: u32| dice.between(0, u64::from(below) - 1) as u32;
    let mut ends = Vec::new();
    for router in 1..routers {
        let other = any(router);
        ends.extend([(router, other), (other, router)]);
    }
    for _ in 0..any(5) {
        let (from, to) = (any(routers), any(routers));
        if from != to {
            ends.push((from, to));
        }
    }
    let terminals = 2 + any(6);
    let inject = (0..terminals).map(|_| any(routers)).collect();
    let eject = (0..terminals).map(|_| any(routers)).collect();
    irregular(routers, ends, inject, eject)
}

/// Layers of routers, each with channels to all of the next layer and some beyond it; packets
/// enter at the first and leave at the last: no cycles.
fn layered(dice: &mut Dice) -> Graph {
    let layers = dice.between(2, 4);
    let mut first_of = vec![0];
    for layer in 0..layers as usize {
        first_of.push(first_of[layer] + dice.between(1, 3) as u32);
    }
    let members = |layer: usize| first_of[layer]..first_of[layer + 1];
    let routers = first_of[layers as usize];
    let last = members(layers as usize - 1);
    let mut ends = Vec::new();
    for layer in 1..layers as usize {
        for to in members(layer) {
            ends.extend(members(layer - 1).map(|from| (from, to)));
            for from in 0..first_of[layer - 1] {
                if dice.one_in(4) {
                    ends.push((from, to));
                }
            }
        }
    }
    let terminals = dice.between(2, 7);
    let first = u64::from(first_of[1]);
    let inject = (0..terminals).map(|_| dice.between(0, first - 1) as u32);
    let inject = inject.collect();
    let (low, high) = (u64::from(last.start), u64::from(last.end) - 1);
    let eject = (0..terminals).map(|_| dice.between(low, high) as u32);
    let eject = eject.collect();
    irregular(routers, ends, inject, eject)
}
