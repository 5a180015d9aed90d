//! What a network can carry of uniform traffic: every packet crosses the bisection of a k x k
//! mesh with chance 1/2, k channels lead each way, so a terminal can send 4/k; a torus has twice
//! the channels, 8/k; a fly ends at the terminals' own channels, 1. Dally and Towles,
//! "Principles and Practices of Interconnection Networks", 2004, section 3.3.

use crate::common;

use backwater_flit::spec::*;
use backwater_flit::topology;
use common::*;

fn mesh(side: u32, dimensions: usize) -> Graph {
    topology::mesh(&vec![side; dimensions], 1, 1).expect("a mesh")
}

fn torus(side: u32, dimensions: usize) -> Graph {
    topology::torus(&vec![side; dimensions], 1, 1).expect("a torus")
}

fn fly(k: u32, n: u32) -> Graph {
    topology::fly(k, n, 1).expect("a fly")
}

/// Always more packets of two flits; who is oldest goes first.
fn saturated(graph: Graph, routing: RoutingSpec) -> FabricSpec {
    let mut spec = spec(graph, routing, vec![class(Injection::Saturation, 2)]);
    spec.router.lanes = 16;
    spec.router.channel_arbiter = Arbiter::Earliest;
    spec.router.lane_arbiter = Arbiter::Earliest;
    spec.sources = Sources::Shared;
    spec.measure.warm_up = WarmUp::Cycles(500);
    spec.measure.window = 1_000;
    spec
}

/// With many lanes at least the given share of it, and on average never more.
#[test]
fn saturated_networks_carry_their_capacity() {
    let all = [
        (mesh(16, 1), RoutingSpec::DimensionOrder, 4.0 / 16.0, 0.97),
        (mesh(8, 2), RoutingSpec::DimensionOrder, 4.0 / 8.0, 0.95),
        (mesh(8, 2), RoutingSpec::O1Turn, 4.0 / 8.0, 0.95),
        (torus(16, 1), RoutingSpec::Dateline, 8.0 / 16.0, 0.95),
        (torus(16, 1), RoutingSpec::MinimalAdaptive, 8.0 / 16.0, 0.95),
        (torus(10, 2), RoutingSpec::Dateline, 8.0 / 10.0, 0.90),
        (fly(2, 5), RoutingSpec::DestinationTag, 1.0, 0.90),
        (fly(4, 2), RoutingSpec::DestinationTag, 1.0, 0.90),
    ];
    for (graph, routing, capacity, least) in all {
        let what = format!("{:?} {routing:?}", graph.shape);
        let seeds = if graph.routers > 40 { 2 } else { 6 };
        let found = runs(&saturated(graph, routing), seeds);
        let (share, _) = mean(found.iter().map(|run| run.accepted / capacity));
        assert!(share >= least, "{what}: {share}");
        // As if each packet crossed the bisection or not by the toss of a coin.
        let packets: u64 = found.iter().map(|run| run.packets_total).sum();
        let error = 1.0 / (packets as f64).sqrt();
        assert!(share <= 1.0 + ERRORS * error, "{what}: {share} +- {error}");
    }
}

/// With one lane, or with turns in which a source counts as much as all the traffic that passes
/// by, the same networks stay far below.
#[test]
fn one_lane_or_turns_carry_less() {
    let mut one_lane = saturated(mesh(8, 2), RoutingSpec::DimensionOrder);
    one_lane.router.lanes = 1;
    let mut in_turn = saturated(torus(16, 1), RoutingSpec::Dateline);
    in_turn.router.channel_arbiter = Arbiter::RoundRobin;
    in_turn.router.lane_arbiter = Arbiter::RoundRobin;
    for spec in [one_lane, in_turn] {
        assert!(ran(&spec).accepted < 0.8 * 0.5);
    }
}

const LOAD: f64 = 0.3;

/// Share of cycles in which each channel between routers is busy, at a third of the capacity or
/// less: mean over seeds and its error.
fn utilization(graph: &Graph, routing: RoutingSpec, load: f64) -> Vec<(f64, f64)> {
    let injection = Injection::Bernoulli { load };
    let mut spec = spec(graph.clone(), routing, vec![class(injection, 1)]);
    spec.measure.window = 2_000;
    let found = runs(&spec, 12);
    let channels = 0..graph.channels.len();
    channels
        .map(|channel| mean(found.iter().map(|run| run.utilization[channel])))
        .collect()
}

/// All channels of the right sum, and each within chance of what is expected of it.
fn assert_all(found: &[(f64, f64)], expected: &[f64], what: &str) {
    let (mut sum, mut squares) = (0.0, 0.0);
    for (channel, (found, expected)) in found.iter().zip(expected).enumerate() {
        // Over a hundred channels, a few of which are further off than usual.
        let within = (found.0, 1.5 * found.1);
        assert_near(within, *expected, &format!("{what}, channel {channel}"));
        sum += found.0 - expected;
        squares += found.1 * found.1;
    }
    assert!(sum.abs() <= ERRORS * squares.sqrt(), "{what}: {sum} in all");
}

/// Where a mesh of side k is cut after a of its k columns, a packet crosses upwards with chance
/// a (k - a) / k^2, and each of the channels there serves k terminals.
#[test]
fn every_channel_of_a_mesh_carries_its_part() {
    for (side, dimensions) in [(8, 1), (4, 2), (6, 2)] {
        let graph = mesh(side, dimensions);
        let load = LOAD * 4.0 / f64::from(side);
        let expected: Vec<f64> = graph
            .channels
            .iter()
            .map(|channel| {
                let (low, high) = (channel.from.min(channel.to), channel.from.max(channel.to));
                let step = high - low;
                let below = f64::from(low / step % side + 1);
                load * below * (f64::from(side) - below) / f64::from(side)
            })
            .collect();
        // The middle is busiest: load over capacity.
        let most = expected.iter().copied().fold(0.0, f64::max);
        assert!((most - LOAD).abs() < 1e-9);
        let found = utilization(&graph, RoutingSpec::DimensionOrder, load);
        assert_all(&found, &expected, &format!("{:?}", graph.shape));
    }
}

/// All alike: load over capacity.
#[test]
fn every_channel_of_a_torus_or_a_fly_carries_the_same() {
    for (graph, routing, capacity) in [
        (torus(8, 1), RoutingSpec::Dateline, 8.0 / 8.0),
        (torus(8, 1), RoutingSpec::Unrestricted, 8.0 / 8.0),
        (torus(10, 2), RoutingSpec::Dateline, 8.0 / 10.0),
        (fly(2, 4), RoutingSpec::DestinationTag, 1.0),
        (fly(3, 3), RoutingSpec::DestinationTag, 1.0),
    ] {
        let expected = vec![LOAD; graph.channels.len()];
        let found = utilization(&graph, routing, LOAD * capacity);
        assert_all(&found, &expected, &format!("{:?}", graph.shape));
    }
}

/// By way of a random router every channel carries twice as much, whatever the pattern.
#[test]
fn valiant_halves_the_capacity_for_any_pattern() {
    let graph = torus(8, 1);
    for pattern in [Pattern::Uniform { include_self: true }, Pattern::Tornado] {
        let injection = Injection::Bernoulli { load: LOAD / 2.0 };
        let mut classes = vec![class(injection, 1)];
        classes[0].pattern = pattern;
        let mut spec = spec(graph.clone(), RoutingSpec::Valiant, classes);
        spec.measure.window = 2_000;
        let found = runs(&spec, 12);
        let channels = 0..graph.channels.len();
        let found: Vec<_> = channels
            .map(|channel| mean(found.iter().map(|run| run.utilization[channel])))
            .collect();
        assert_all(&found, &[LOAD; 16], "Valiant on a ring");
    }
}

/// Negative control: tornado traffic on the same ring without the detour loads one direction with
/// three times its load, and leaves the other idle.
#[test]
fn tornado_loads_one_direction() {
    let mut spec = spec(torus(8, 1), RoutingSpec::Dateline, Vec::new());
    spec.classes = vec![class(Injection::Bernoulli { load: 0.2 }, 1)];
    spec.classes[0].pattern = Pattern::Tornado;
    let found = runs(&spec, 12);
    for (index, channel) in spec.graph.channels.iter().enumerate() {
        let up = channel.to == (channel.from + 1) % 8;
        let expected = if up { 0.6 } else { 0.0 };
        let found = mean(found.iter().map(|run| run.utilization[index]));
        assert_near(found, expected, &format!("channel {index}"));
    }
}

/// Half of the lanes of a ring are for packets that cross its dateline. Lanes that are given in
/// one half pass over nobody who waits for one in the other.
#[test]
fn classes_of_lanes_have_turns_of_their_own() {
    let injection = Injection::Saturation;
    let mut spec = spec(
        torus(7, 1),
        RoutingSpec::Dateline,
        vec![class(injection, 4)],
    );
    spec.classes[0].pattern = Pattern::Tornado;
    spec.router.lanes = 2;
    spec.router.depth = 8;
    spec.measure.window = 20_000;
    let found = ran(&spec);
    let inject = spec.graph.channels.len()..spec.graph.channels.len() + 7;
    for (terminal, share) in found.utilization[inject].iter().enumerate() {
        assert!(*share > 0.01, "terminal {terminal}: {share}");
    }
}
