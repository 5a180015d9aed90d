//! A packet alone in a network takes a cycle for each channel and each flit behind its header,
//! and every delay as often as it meets it: on every shape, with every routing.

use crate::common;

use backwater_flit::spec::*;
use backwater_flit::{Simulation, topology};
use backwater_kernel::Stop;
use common::*;

/// What packets meet on their way.
#[derive(Clone, Copy)]
struct Delays {
    switch: Switch,
    header: u16,
    pipeline: u16,
    credit: u16,
    injection: u16,
    ejection: u16,
}

const DELAYS: [Delays; 4] = [
    Delays {
        switch: Switch::Crossbar,
        header: 0,
        pipeline: 0,
        credit: 1,
        injection: 1,
        ejection: 1,
    },
    Delays {
        switch: MULTIPLEXED,
        header: 2,
        pipeline: 1,
        credit: 3,
        injection: 2,
        ejection: 4,
    },
    Delays {
        switch: Switch::Crossbar,
        header: 1,
        pipeline: 3,
        credit: 2,
        injection: 3,
        ejection: 1,
    },
    Delays {
        switch: BUFFERED,
        header: 0,
        pipeline: 2,
        credit: 1,
        injection: 1,
        ejection: 2,
    },
];

impl Delays {
    /// Cycles from birth to the arrival of the tail, by way of `channels` between routers that
    /// take `wires` cycles together.
    fn latency(self, channels: u64, wires: u64, length: u16) -> u64 {
        let router = u64::from(self.header + self.pipeline + self.in_buffer());
        let ends = u64::from(self.injection) + u64::from(self.ejection);
        ends + wires + (channels + 1) * router + u64::from(length) - 1
    }

    /// Cycles between switch and channel.
    fn in_buffer(self) -> u16 {
        u16::from(self.switch == BUFFERED)
    }

    /// Applies them. A lane holds what the switch upstream sends during the flight of a flit and
    /// of the credit for it, so that it never delays a lone packet. Where it stops flits while
    /// their header waits in front of it, they catch up.
    fn set(self, spec: &mut FabricSpec) {
        let graph = &mut spec.graph;
        (graph.injection_latency, graph.ejection_latency) = (self.injection, self.ejection);
        let between = graph.channels.iter().map(|channel| channel.latency);
        let longest = between.max().unwrap_or(0) + self.pipeline + self.in_buffer();
        let router = &mut spec.router;
        router.switch = self.switch;
        router.header_delay = self.header;
        router.pipeline_delay = self.pipeline;
        router.credit_delay = self.credit;
        router.depth = longest.max(self.injection) + self.credit;
    }
}

/// Latency and channels crossed of one packet alone.
fn lone(spec: &FabricSpec, source: u32, destination: u32, length: u16) -> (u64, u64) {
    let mut spec = spec.clone();
    spec.classes = vec![class(trace(&[(0, source, destination, length)]), 1)];
    spec.measure.warm_up = WarmUp::Cycles(0);
    let found = ran(&spec);
    assert_eq!(
        (found.latency.count, found.delivered_total),
        (1, length.into())
    );
    assert_eq!(found.flit_hops as f64, found.hops_mean * f64::from(length));
    (found.latency.min, found.hops_mean as u64)
}

fn router_of(spec: &FabricSpec, terminal: u32) -> u32 {
    spec.graph.inject[terminal as usize]
}

/// Sends a packet between any two terminals and compares it with how many channels between
/// routers it has to cross, by `crossed(source, destination)`, all of latency `wire`.
fn assert_exact(graph: Graph, routing: RoutingSpec, wire: u16, crossed: impl Fn(u32, u32) -> u64) {
    let terminals = graph.inject.len() as u32;
    let mut spec = spec(graph, routing, Vec::new());
    for delays in DELAYS {
        delays.set(&mut spec);
        for pair in 0..terminals * terminals {
            let (source, destination) = (pair / terminals, pair % terminals);
            let length = [1, 5][pair as usize % 2];
            let channels = crossed(source, destination);
            let latency = delays.latency(channels, channels * u64::from(wire), length);
            assert_eq!(
                lone(&spec, source, destination, length),
                (latency, channels + 2),
                "{:?} {routing:?}: {source} to {destination}, {:?}",
                spec.graph.shape,
                spec.router
            );
        }
    }
}

/// Steps from one router to another, along dimensions of so many routers.
fn apart(from: u32, to: u32, sides: &[u32], wraps: bool) -> u64 {
    let (mut from, mut to, mut steps) = (from, to, 0);
    for side in sides {
        let straight = (from % side).abs_diff(to % side);
        steps += if wraps {
            straight.min(side - straight)
        } else {
            straight
        };
        (from, to) = (from / side, to / side);
    }
    steps.into()
}

#[test]
fn fly() {
    for (k, n, wire) in [(2, 3, 1), (3, 2, 4), (4, 1, 1)] {
        let graph = topology::fly(k, n, wire).expect("a fly");
        let stages = u64::from(n) - 1;
        assert_exact(graph, RoutingSpec::DestinationTag, wire, |_, _| stages);
    }
    let graph = topology::fly(2, 3, 2).expect("a fly");
    assert_exact(graph, RoutingSpec::Table, 2, |_, _| 2);
}

#[test]
fn mesh() {
    let routings = [
        RoutingSpec::DimensionOrder,
        RoutingSpec::O1Turn,
        RoutingSpec::MinimalAdaptive,
        RoutingSpec::Table,
    ];
    for (index, routing) in routings.into_iter().enumerate() {
        let (sides, wire) = ([4, 3], 1 + index as u16);
        let graph = topology::mesh(&sides, 1, wire).expect("a mesh");
        assert_exact(graph, routing, wire, |a, b| apart(a, b, &sides, false));
    }
    let graph = topology::mesh(&[2, 2, 2], 2, 1).expect("a mesh");
    assert_exact(graph, RoutingSpec::DimensionOrder, 1, |a, b| {
        apart(a / 2, b / 2, &[2, 2, 2], false)
    });
}

#[test]
fn torus() {
    let routings = [
        RoutingSpec::Dateline,
        RoutingSpec::Unrestricted,
        RoutingSpec::MinimalAdaptive,
        RoutingSpec::Table,
    ];
    for (index, routing) in routings.into_iter().enumerate() {
        let (sides, wire) = ([4, 3], 1 + index as u16);
        let graph = topology::torus(&sides, 1, wire).expect("a torus");
        assert_exact(graph, routing, wire, |a, b| apart(a, b, &sides, true));
    }
}

#[test]
fn fat_tree() {
    let routings = [
        RoutingSpec::NearestCommonAncestor,
        RoutingSpec::NearestCommonAncestorRandom,
        RoutingSpec::Table,
    ];
    for (k, n) in [(2_u32, 3), (3, 2)] {
        // Up as many levels as there are places to drop until the terminals' numbers agree.
        let up_and_down = |a: u32, b: u32| {
            let agree = |level: &u32| a / k.pow(level + 1) == b / k.pow(level + 1);
            2 * u64::from((0..n).find(agree).expect("all meet at the top"))
        };
        for routing in routings {
            let graph = topology::fat_tree(k, n, 2).expect("a tree");
            assert_exact(graph, routing, 2, up_and_down);
        }
    }
}

#[test]
fn full_and_crossbar() {
    let graph = topology::full(5, 2, 3).expect("a full graph");
    assert_exact(graph, RoutingSpec::Table, 3, |a, b| {
        u64::from(a / 2 != b / 2)
    });
    let graph = topology::crossbar(6).expect("a crossbar");
    assert_exact(graph, RoutingSpec::Table, 1, |_, _| 0);
}

/// By way of any router: the packet shows which by how far it went, and its latency fits.
#[test]
fn valiant() {
    for wraps in [false, true] {
        let sides = [4, 2];
        let graph = if wraps {
            topology::torus(&sides, 1, 2)
        } else {
            topology::mesh(&sides, 1, 2)
        };
        let mut spec = spec(graph.expect("a grid"), RoutingSpec::Valiant, Vec::new());
        for (seed, delays) in DELAYS.into_iter().enumerate() {
            spec.seed = seed as u64;
            delays.set(&mut spec);
            let (mut crossed, mut possible) = (Vec::new(), Vec::new());
            for (a, b) in (0..64).map(|pair| (pair / 8, pair % 8)) {
                let (latency, hops) = lone(&spec, a, b, 5);
                let channels = hops - 2;
                assert_eq!(latency, delays.latency(channels, 2 * channels, 5));
                let by = |via| apart(a, via, &sides, wraps) + apart(via, b, &sides, wraps);
                assert!((0..8).any(|via| by(via) == channels), "{a} {b} {channels}");
                crossed.push(channels as f64);
                possible.push((0..8).map(by).sum::<u64>() as f64 / 8.0);
            }
            // On average as far as over all routers.
            let differences = crossed.iter().zip(&possible).map(|(a, b)| a - b);
            assert_near(mean(differences), 0.0, "channels crossed");
        }
    }
}

/// Latencies that differ: the table's way, found again by trying all that is nearer.
#[test]
fn irregular_graphs() {
    let ends = [
        (0, 1),
        (1, 0),
        (1, 2),
        (2, 1),
        (2, 3),
        (3, 2),
        (3, 0),
        (0, 3),
        (1, 3),
        (4, 2),
        (2, 4),
        (0, 4),
        (4, 1),
    ];
    let homes = [(0, 0), (1, 2), (2, 1), (3, 3), (4, 4), (4, 0)];
    for turn in 0..6_u32 {
        let mut graph = irregular(5, &ends, &homes);
        for (index, channel) in (0..).zip(&mut graph.channels) {
            channel.latency = 1 + (7 * index * (turn + 1) + turn) as u16 % 9;
        }
        let delays = DELAYS[turn as usize % DELAYS.len()];
        let mut spec = spec(graph, RoutingSpec::Table, Vec::new());
        delays.set(&mut spec);
        let far = distances(&spec.graph);
        for (a, b) in (0..36).map(|pair| (pair / 6, pair % 6)) {
            let (from, to) = (router_of(&spec, a), spec.graph.eject[b as usize]);
            let channels = walk(&spec.graph, &far, from, to);
            let wires = far[from as usize][to as usize];
            for length in [1, 5] {
                let latency = delays.latency(channels, wires, length);
                assert_eq!(lone(&spec, a, b, length), (latency, channels + 2));
            }
        }
    }
}

/// Least sum of latencies between any two routers.
fn distances(graph: &Graph) -> Vec<Vec<u64>> {
    let count = graph.routers as usize;
    let mut far = vec![vec![1_000_000; count]; count];
    (0..count).for_each(|router| far[router][router] = 0);
    for _ in 0..count {
        for channel in &graph.channels {
            let (from, to) = (channel.from as usize, channel.to as usize);
            let beyond = far[to].clone();
            for (least, rest) in far[from].iter_mut().zip(beyond) {
                *least = (*least).min(u64::from(channel.latency) + rest);
            }
        }
    }
    far
}

/// Channels to the end, taking the first that leads nearer as fast as can be.
fn walk(graph: &Graph, far: &[Vec<u64>], from: u32, to: u32) -> u64 {
    if from == to {
        return 0;
    }
    let left = |router: u32| far[router as usize][to as usize];
    let leads = |channel: &&ChannelSpec| {
        channel.from == from && left(from) == u64::from(channel.latency) + left(channel.to)
    };
    let next = graph.channels.iter().find(leads).expect("a way there");
    1 + walk(graph, far, next.to, to)
}

/// One after another in one run, a network that has been used is as good as new.
#[test]
fn a_network_at_rest_is_a_fresh_network() {
    let sides = [3, 3];
    let graph = topology::torus(&sides, 1, 1).expect("a torus");
    let mut spec = spec(graph, RoutingSpec::MinimalAdaptive, Vec::new());
    for delays in DELAYS {
        delays.set(&mut spec);
        let pairs = (0..81_u32).map(|pair| (pair * 7 % 81 / 9, pair * 7 % 9));
        let packet = |(index, (a, b)): (u64, (u32, u32))| (100 * index, a, b, 5);
        let packets: Vec<_> = (0..).zip(pairs).map(packet).collect();
        spec.classes = vec![class(trace(&packets), 1)];
        spec.measure.warm_up = WarmUp::Cycles(0);
        spec.measure.window = 100_000;
        let latency = |&(_, a, b, _): &(u64, u32, u32, u16)| {
            let channels = apart(a, b, &sides, true);
            delays.latency(channels, channels, 5)
        };
        let mut expected: Vec<u64> = packets.iter().map(latency).collect();
        expected.sort_unstable();
        let found = ran(&spec).latency.histogram;
        let found: Vec<u64> = found
            .exact()
            .flat_map(|(value, count)| vec![value; count as usize])
            .collect();
        assert_eq!(found, expected);
    }
}

/// Negative control: with one place less than it needs, a lane stops a long packet.
#[test]
fn a_place_less_shows() {
    let graph = topology::mesh(&[4], 1, 2).expect("a mesh");
    for delays in DELAYS {
        let mut spec = spec(graph.clone(), RoutingSpec::DimensionOrder, Vec::new());
        delays.set(&mut spec);
        let enough = delays.latency(3, 6, 40);
        assert_eq!(lone(&spec, 0, 3, 40).0, enough);
        spec.router.depth -= 1;
        assert!(lone(&spec, 0, 3, 40).0 > enough, "{:?}", spec.router);
    }
    let simulation = Simulation::new(&spec(graph, RoutingSpec::Dateline, Vec::new()));
    assert!(simulation.is_err(), "a mesh has no datelines");
}

#[test]
fn a_trace_ends_with_its_last_flit() {
    // Two channels of a cycle each, one between them, and seven flits behind the header.
    for (window, stop) in [(100_000, Stop::Drained), (10, Stop::Measured)] {
        let mut spec = row(&[(5, 0, 1, 1), (9, 0, 1, 8)]);
        (spec.router.depth, spec.measure.window) = (8, window);
        (spec.measure.drain, spec.router.lanes) = (1_000, 1);
        let found = ran(&spec);
        assert_eq!((found.cycles, found.stop), (9 + 3 + 7 + 1, stop));
    }
}

/// With fewer places than a round trip of credit takes, what a run tells as the time of its packets
/// alone holds their waits for credit.
#[test]
fn a_lone_packet_waits_for_credit_where_lanes_are_short() {
    let graph = topology::mesh(&[4, 2], 1, 2).expect("a mesh");
    let mut spec = spec(graph, RoutingSpec::DimensionOrder, Vec::new());
    let mut longer = 0;
    for delays in DELAYS {
        delays.set(&mut spec);
        spec.graph.injection_latency = 3;
        for depth in 1..4 {
            spec.router.depth = depth;
            for (destination, length) in [(0, 9), (1, 1), (3, 2), (7, 4), (7, 11)] {
                spec.classes = vec![class(trace(&[(0, 0, destination, length)]), 1)];
                spec.measure.warm_up = WarmUp::Cycles(0);
                let found = ran(&spec);
                let routers = found.hops_mean - 1.0;
                let of_router = f64::from(delays.header + delays.in_buffer());
                let alone = found.passage_mean + routers * of_router;
                assert_eq!(found.latency.mean, alone, "depth {depth}, {length} flits");
                assert!(!found.credit_left_out);
                // Negative control: without waits it would be less.
                let hops = found.hops_mean as u64 - 2;
                let wires = 3 - u64::from(delays.injection) + 2 * hops;
                longer += u32::from(alone > delays.latency(hops, wires, length) as f64);
            }
        }
    }
    assert!(longer > 20, "{longer}");
}

/// Where channels differ in latency it is said that waits are left out, if there may be any.
#[test]
fn unlike_channels_leave_waits_for_credit_out() {
    let mut graph = irregular(3, &[(0, 1), (1, 2), (2, 0)], &[(0, 0), (2, 2)]);
    graph.channels[1].latency = 5;
    let traffic = vec![class(trace(&[(0, 0, 1, 8)]), 1)];
    let mut spec = spec(graph, RoutingSpec::Table, traffic);
    spec.measure.warm_up = WarmUp::Cycles(0);
    assert!(ran(&spec).credit_left_out);
    spec.router.depth = 8;
    assert!(!ran(&spec).credit_left_out);
}
