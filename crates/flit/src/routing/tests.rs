//! What every routing promises, checked by walking routes.

use alloc::vec;
use alloc::vec::Vec;
use std::collections::VecDeque;

use backwater_kernel::{Purpose, Stream};

use super::*;
use crate::topology::{crossbar, fat_tree, fly, full, mesh, torus};

mod loads;

const LANES: u8 = 8;

/// A routing with its graph and where each router's ports lead.
struct Net {
    graph: Graph,
    routing: Routing,
    first: Vec<usize>,
}

impl Net {
    fn new(graph: Graph, routing: RoutingSpec) -> Net {
        let routing = Routing::new(&graph, routing, LANES, 1).unwrap();
        let mut first = vec![0; graph.routers as usize + 1];
        for channel in &graph.channels {
            first[channel.from as usize + 1] += 1;
        }
        for router in 0..graph.routers as usize {
            first[router + 1] += first[router];
        }
        Net {
            graph,
            routing,
            first,
        }
    }

    fn terminals(&self) -> u32 {
        self.graph.eject.len() as u32
    }

    /// The channel behind a port, or `None` for an ejection port.
    fn channel(&self, router: u32, port: u16) -> Option<usize> {
        let channel = self.first[router as usize] + usize::from(port);
        (channel < self.first[router as usize + 1]).then_some(channel)
    }

    /// The channels a packet takes if `pick` picks among its choices, and the lanes on each.
    fn walk(
        &self,
        source: u32,
        destination: u32,
        nth: u64,
        mut pick: impl FnMut(&Choices) -> Choice,
    ) -> Vec<(usize, u32)> {
        let mut way = Way {
            destination,
            ..Way::default()
        };
        self.routing.depart_nth(&mut way, nth);
        let mut router = self.graph.inject[source as usize];
        let mut path = Vec::new();
        let mut choices = Choices::default();
        loop {
            self.routing.route(router, &mut way, &mut choices);
            let (said, before) = (choices, way);
            self.routing.route(router, &mut way, &mut choices);
            assert_eq!(
                (said, before),
                (choices, way),
                "asked twice at router {router}"
            );
            assert!(choices.len > 0 && choices.as_slice().iter().all(|c| c.lanes != 0));
            let choice = pick(&choices);
            let Some(channel) = self.channel(router, choice.port) else {
                assert_eq!(router, self.graph.eject[destination as usize]);
                let exit = usize::from(choice.port) + self.first[router as usize]
                    - self.first[router as usize + 1];
                let here = |t: &u32| self.graph.eject[*t as usize] == router;
                assert_eq!(
                    (0..self.terminals()).filter(here).nth(exit),
                    Some(destination)
                );
                return path;
            };
            path.push((channel, choice.lanes));
            assert!(
                path.len() < 200,
                "a packet from {source} to {destination} walks in circles"
            );
            router = self.graph.channels[channel].to;
        }
    }

    /// Distances in hops from a router, by breadth-first search.
    fn distances(&self, from: u32) -> Vec<usize> {
        let mut distances = vec![usize::MAX; self.graph.routers as usize];
        distances[from as usize] = 0;
        let mut queue = VecDeque::from([from]);
        while let Some(router) = queue.pop_front() {
            for channel in self.first[router as usize]..self.first[router as usize + 1] {
                let to = self.graph.channels[channel].to;
                if distances[to as usize] == usize::MAX {
                    distances[to as usize] = distances[router as usize] + 1;
                    queue.push_back(to);
                }
            }
        }
        distances
    }
}

/// All shapes with the routings that go shortest ways on them.
fn minimal() -> Vec<(Graph, RoutingSpec)> {
    use RoutingSpec::*;
    let mut nets = Vec::new();
    for (k, n) in [(2, 1), (2, 4), (3, 3), (4, 2), (5, 2), (7, 1)] {
        nets.push((fly(k, n, 1).unwrap(), DestinationTag));
        nets.push((fly(k, n, 1).unwrap(), Table));
        nets.push((fat_tree(k, n, 1).unwrap(), NearestCommonAncestor));
        nets.push((fat_tree(k, n, 1).unwrap(), NearestCommonAncestorRandom));
        nets.push((fat_tree(k, n, 1).unwrap(), Table));
    }
    for (sides, terminals) in [
        (vec![5], 1),
        (vec![4, 4], 1),
        (vec![3, 1, 4], 2),
        (vec![2, 5], 3),
        (vec![2, 2, 2, 2], 1),
        (vec![1], 3),
    ] {
        let terminals = terminals as u32;
        for routing in [DimensionOrder, MinimalAdaptive, Table] {
            nets.push((mesh(&sides, terminals, 1).unwrap(), routing));
        }
        for routing in [Dateline, Unrestricted, MinimalAdaptive, Table] {
            nets.push((torus(&sides, terminals, 1).unwrap(), routing));
        }
        if sides.len() == 2 {
            nets.push((mesh(&sides, terminals, 1).unwrap(), O1Turn));
        }
    }
    nets.push((full(6, 2, 3).unwrap(), Table));
    nets.push((crossbar(9).unwrap(), Table));
    nets
}

#[test]
fn every_route_is_a_shortest_one() {
    for (graph, routing) in minimal() {
        let net = Net::new(graph, routing);
        let mut stream = Stream::new(1, 2, Purpose::Traffic);
        for source in 0..net.terminals() {
            let distances = net.distances(net.graph.inject[source as usize]);
            for destination in 0..net.terminals() {
                let shortest = distances[net.graph.eject[destination as usize] as usize];
                for nth in 0..net.routing.departures().min(8) {
                    let path = net.walk(source, destination, nth, |choices| {
                        choices.list[stream.below(choices.len.into()) as usize]
                    });
                    assert_eq!(path.len(), shortest, "{routing:?} on {:?}", net.graph.shape);
                }
            }
        }
    }
}

#[test]
fn valiant_goes_by_its_router_and_changes_lanes_there() {
    for graph in [mesh(&[4, 3], 2, 1), torus(&[4, 3], 2, 1)] {
        let net = Net::new(graph.unwrap(), RoutingSpec::Valiant);
        let (departures, routers) = (net.routing.departures(), u64::from(net.graph.routers));
        for nth in 0..departures {
            let via = (nth / (departures / routers)) as u32;
            let (source, destination) = (3, 20);
            let path = net.walk(source, destination, nth, |choices| choices.list[0]);
            let first = path.iter().take_while(|(_, lanes)| *lanes < 16).count();
            assert!(
                path[first..].iter().all(|(_, lanes)| *lanes >= 16),
                "{path:?}"
            );
            let from = net.graph.inject[source as usize];
            let distance = |a: u32, b: u32| net.distances(a)[b as usize];
            let to = net.graph.eject[destination as usize];
            assert_eq!(first, distance(from, via));
            assert_eq!(path.len() - first, distance(via, to));
            let at = path
                .get(first)
                .map_or(to, |(channel, _)| net.graph.channels[*channel].from);
            assert_eq!(at, via);
        }
    }
}

#[test]
fn o1turn_turns_once_and_in_both_orders() {
    let net = Net::new(mesh(&[4, 5], 1, 1).unwrap(), RoutingSpec::O1Turn);
    assert_eq!(net.routing.departures(), 2);
    for (nth, lanes) in [(0, 0x0f), (1, 0xf0)] {
        let path = net.walk(0, 19, nth, |choices| choices.list[0]);
        let along_x = |(channel, _): &(usize, u32)| {
            let channel = net.graph.channels[*channel];
            channel.to.abs_diff(channel.from) == 1
        };
        let x: Vec<bool> = path.iter().map(along_x).collect();
        let x_first = [true, true, true, false, false, false, false];
        let y_first = [false, false, false, false, true, true, true];
        assert_eq!(x, if nth == 0 { x_first } else { y_first });
        assert!(path.iter().all(|(_, used)| *used == lanes));
    }
}

#[test]
fn dateline_class_is_chosen_on_entering_a_dimension() {
    let net = Net::new(torus(&[7, 6], 1, 1).unwrap(), RoutingSpec::Dateline);
    for source in 0..42 {
        for destination in 0..42 {
            for nth in 0..net.routing.departures() {
                let path = net.walk(source, destination, nth, |choices| choices.list[0]);
                for (channel, lanes) in path {
                    let channel = net.graph.channels[channel];
                    let along_x = channel.from / 7 == channel.to / 7;
                    let below = match along_x {
                        true => destination % 7 < source % 7,
                        false => destination / 7 < source / 7,
                    };
                    assert_eq!(lanes, if below { 0xf0 } else { 0x0f });
                }
            }
        }
    }
}

#[test]
fn half_way_around_both_directions_are_drawn_equally() {
    let net = Net::new(torus(&[4, 4], 1, 1).unwrap(), RoutingSpec::Dateline);
    let mut counts = [0; 4];
    let mut stream = Stream::new(3, 4, Purpose::Traffic);
    for _ in 0..4_000 {
        let mut way = Way {
            destination: 10,
            ..Way::default()
        };
        net.routing.depart(&mut way, stream.next_u64());
        let mut choices = Choices::default();
        net.routing.route(0, &mut way, &mut choices);
        let x_up = usize::from(choices.list[0].port == 0);
        net.routing.route(2, &mut way, &mut choices);
        let y_up = usize::from(choices.list[0].port == 2);
        counts[2 * x_up + y_up] += 1;
    }
    // Four standard deviations of a binomial with p = 1/4.
    assert!(
        counts.iter().all(|count: &u32| count.abs_diff(1_000) < 110),
        "{counts:?}"
    );
}

#[test]
fn adaptive_choices_bring_a_packet_nearer_and_escape_comes_last() {
    for (graph, escapes) in [(mesh(&[4, 4], 1, 1), 1), (torus(&[4, 4], 1, 1), 2)] {
        let net = Net::new(graph.unwrap(), RoutingSpec::MinimalAdaptive);
        assert!(net.routing.is_adaptive());
        let adaptive = 0xff & !((1 << escapes) - 1);
        for to in 0..16 {
            let distances = net.distances(to);
            for at in (0..16).filter(|at| *at != to) {
                let mut way = Way {
                    destination: to,
                    ..Way::default()
                };
                net.routing.depart_nth(&mut way, 0);
                let mut choices = Choices::default();
                net.routing.route(at, &mut way, &mut choices);
                let nearer = |port: u16| {
                    let channel = net.channel(at, port).unwrap();
                    let next = net.graph.channels[channel].to;
                    distances[next as usize] < distances[at as usize]
                };
                let (equal, rest) = choices.as_slice().split_at(choices.equal.into());
                let ports: Vec<u16> = equal.iter().map(|choice| choice.port).collect();
                let all = net.first[at as usize]..net.first[at as usize + 1];
                let all: Vec<u16> = (0..all.len() as u16).filter(|port| nearer(*port)).collect();
                let mut sorted = ports.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, all, "every channel that leads nearer, once");
                assert!(equal.iter().all(|choice| choice.lanes == adaptive));
                assert_eq!(rest.len(), 1);
                assert!(rest[0].lanes.is_power_of_two() && rest[0].lanes & adaptive == 0);
            }
        }
    }
}

/// A random strongly connected graph: a ring and some more channels.
fn random_graph(stream: &mut Stream, latency_most: u64) -> Graph {
    use std::fmt::Write;
    let routers = 2 + stream.below(14);
    let mut text = std::string::String::new();
    let mut channels = std::collections::BTreeSet::new();
    for router in 0..routers {
        channels.insert((router, (router + 1) % routers));
    }
    for _ in 0..stream.below(3 * routers) {
        channels.insert((stream.below(routers), stream.below(routers)));
    }
    for (from, to) in channels.into_iter().filter(|(from, to)| from != to) {
        writeln!(text, "{from} -> {to} {}", 1 + stream.below(latency_most)).unwrap();
    }
    crate::topology::edge_list(&text, 1, 1).unwrap()
}

#[test]
fn table_takes_the_lowest_port_of_a_shortest_path() {
    let mut stream = Stream::new(5, 6, Purpose::Traffic);
    for round in 0..200 {
        let latency_most = if round < 100 { 1 } else { 9 };
        let net = Net::new(random_graph(&mut stream, latency_most), RoutingSpec::Table);
        let count = net.graph.routers as usize;
        // Floyd and Warshall.
        let mut cycles = vec![vec![u32::MAX / 2; count]; count];
        for (at, row) in cycles.iter_mut().enumerate() {
            row[at] = 0;
        }
        for channel in &net.graph.channels {
            cycles[channel.from as usize][channel.to as usize] = channel.latency.into();
        }
        for by in 0..count {
            for from in 0..count {
                for to in 0..count {
                    let around = cycles[from][by] + cycles[by][to];
                    cycles[from][to] = cycles[from][to].min(around);
                }
            }
        }
        for from in 0..net.graph.routers {
            for to in 0..net.graph.routers {
                let path = net.walk(from, to, 0, |choices| choices.list[0]);
                let left = |at: u32| cycles[at as usize][to as usize];
                for (taken, _) in path {
                    let here = net.graph.channels[taken].from;
                    let shortest = (net.first[here as usize]..).find(|index| {
                        let channel = net.graph.channels[*index];
                        left(here) == u32::from(channel.latency) + left(channel.to)
                    });
                    assert_eq!(shortest, Some(taken), "from {from} to {to} at {here}");
                }
            }
        }
    }
}

#[test]
fn groups_and_classes_share_no_lane() {
    let graph = torus(&[4, 4], 1, 1).unwrap();
    for (spec, lanes, groups) in [
        (RoutingSpec::Dateline, 8, 2),
        (RoutingSpec::Dateline, 7, 3),
        (RoutingSpec::Valiant, 32, 4),
        (RoutingSpec::MinimalAdaptive, 9, 2),
        (RoutingSpec::Unrestricted, 1, 1),
    ] {
        let routing = Routing::new(&graph, spec, lanes, groups).unwrap();
        let mut all = 0u32;
        for group in 0..groups {
            let mut of_group = 0;
            for class in 0..routing.classes() {
                let set = routing.class_lanes(group, class);
                assert!(set != 0 && all & set == 0);
                assert_eq!(routing.class_of(group, set), Some(class));
                all |= set;
                of_group |= set;
            }
            let way = Way {
                group,
                ..Way::default()
            };
            assert_eq!(routing.injection_lanes(&way), of_group);
        }
        assert_eq!(all, u32::MAX >> (32 - lanes));
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    use RoutingSpec::*;
    let mesh_2 = mesh(&[4, 4], 1, 1).unwrap();
    let mesh_3 = mesh(&[2, 2, 2], 1, 1).unwrap();
    let ring = torus(&[4], 1, 1).unwrap();
    let cube = torus(&[2; 12], 1, 1).unwrap();
    let tree = fat_tree(17, 2, 1).unwrap();
    let one_way = crate::topology::edge_list("a -> b", 1, 1).unwrap();
    let cases = [
        (&mesh_2, DestinationTag, 1, 1, "a fly"),
        (&mesh_2, Dateline, 2, 1, "a torus"),
        (&mesh_3, O1Turn, 2, 1, "two dimensions"),
        (&ring, DimensionOrder, 1, 1, "a mesh"),
        (&ring, NearestCommonAncestor, 1, 1, "a fat tree"),
        (&ring, Dateline, 1, 1, "2 VCs for each"),
        (&ring, Dateline, 3, 2, "2 VCs for each"),
        (&ring, Dateline, 33, 1, "at most 32"),
        (&ring, Unrestricted, 1, 0, "1 or more"),
        (&ring, MinimalAdaptive, 2, 1, "3 VCs for each"),
        (&cube, Dateline, 2, 1, "at most 11"),
        (&tree, NearestCommonAncestor, 1, 1, "at most 16"),
        (&one_way, Table, 1, 1, "no path from router b to a"),
    ];
    for (graph, spec, lanes, groups, what) in cases {
        let error = Routing::new(graph, spec, lanes, groups).unwrap_err();
        assert!(error.0.contains(what), "{error}");
    }
    assert!(Routing::new(&tree, NearestCommonAncestorRandom, 1, 1).is_ok());
    let eight = torus(&[2; 8], 1, 1).unwrap();
    let error = Routing::new(&eight, MinimalAdaptive, 4, 1).unwrap_err();
    assert!(error.0.contains("17 choices"), "{error}");
}
