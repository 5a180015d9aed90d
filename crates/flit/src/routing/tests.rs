//! What every routing promises, checked by walking routes.

use alloc::vec;
use alloc::vec::Vec;
use std::collections::VecDeque;

use kernel::{Purpose, Stream};

use super::*;
use crate::topology::{crossbar, fat_tree, fly, full, mesh, torus};

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
