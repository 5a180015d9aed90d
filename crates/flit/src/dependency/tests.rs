//! Which routings can deadlock, and that a cycle named is one.

use alloc::collections::BTreeSet;

use super::*;
use crate::spec::{ClassSpec, FabricSpec, Injection, Pattern, RoutingSpec};
use crate::topology::{edge_list, fat_tree, fly, full, mesh, torus};
use crate::traffic::testing::{class, crossbar};

const LANES: u8 = 8;

fn routing(graph: &Graph, spec: RoutingSpec) -> Routing {
    Routing::new(graph, spec, LANES, 2).unwrap()
}

/// All (held, asked for) pairs of adjacent channels and lanes, over all packets and choices.
fn waits(graph: &Graph, routing: &Routing) -> BTreeSet<((u32, u32), (u32, u32))> {
    let mut pairs = BTreeSet::new();
    for source in 0..graph.inject.len() {
        for destination in 0..graph.eject.len() as u32 {
            for nth in 0..routing.departures() {
                let mut way = Way {
                    destination,
                    ..Way::default()
                };
                routing.depart_nth(&mut way, nth);
                let mut router = graph.inject[source];
                let mut held = None;
                loop {
                    let mut choices = Choices::default();
                    routing.route(router, &mut way, &mut choices);
                    let first = graph.channels.partition_point(|c| c.from < router);
                    let channel = first + usize::from(choices.list[0].port);
                    if graph.channels.get(channel).is_none_or(|c| c.from != router) {
                        break;
                    }
                    let next = (channel as u32, choices.list[0].lanes);
                    if let Some(held) = held {
                        pairs.insert((held, next));
                    }
                    held = Some(next);
                    router = graph.channels[channel].to;
                }
            }
        }
    }
    pairs
}

#[test]
fn restricted_routings_are_acyclic() {
    use RoutingSpec::*;
    let mut cases = vec![
        (fly(2, 4, 1), DestinationTag),
        (fly(3, 3, 1), DestinationTag),
        (fly(3, 3, 1), Table),
        (fat_tree(2, 4, 1), NearestCommonAncestor),
        (fat_tree(3, 3, 1), NearestCommonAncestorRandom),
        (fat_tree(4, 2, 1), Table),
        (full(7, 2, 1), Table),
    ];
    for sides in [&[7][..], &[5, 4], &[3, 3, 3], &[2, 2, 2, 2], &[1, 6]] {
        cases.push((mesh(sides, 1, 1), DimensionOrder));
        cases.push((mesh(sides, 2, 1), Valiant));
        cases.push((mesh(sides, 1, 1), MinimalAdaptive));
        cases.push((mesh(sides, 1, 1), Table));
        cases.push((torus(sides, 1, 1), Dateline));
        cases.push((torus(sides, 1, 1), Valiant));
        cases.push((torus(sides, 1, 1), MinimalAdaptive));
        if sides.len() == 2 {
            cases.push((mesh(sides, 1, 1), O1Turn));
        }
    }
    for (graph, spec) in cases {
        let graph = graph.unwrap();
        let lanes = if graph.shape == crate::spec::Shape::Crossbar {
            1
        } else {
            LANES
        };
        let routing = Routing::new(&graph, spec, lanes, 1).unwrap();
        assert_eq!(
            dependency(&graph, &routing),
            Dependency::Acyclic,
            "{spec:?} {:?}",
            graph.shape
        );
    }
}

#[test]
fn one_class_on_a_torus_has_a_cycle_that_is_real() {
    for sides in [&[4][..], &[5], &[8], &[5, 4], &[6, 3]] {
        let graph = torus(sides, 1, 1).unwrap();
        let routing = routing(&graph, RoutingSpec::Unrestricted);
        let Dependency::Cycle(cycle) = dependency(&graph, &routing) else {
            panic!("no cycle on {sides:?}");
        };
        assert!(sides.contains(&(cycle.len() as u32)), "{cycle:?}");
        let waits = waits(&graph, &routing);
        for (index, held) in cycle.iter().enumerate() {
            let asked = cycle[(index + 1) % cycle.len()];
            assert!(
                waits.contains(&(*held, asked)),
                "{held:?} never waits for {asked:?}"
            );
        }
    }
}

#[test]
fn short_rings_have_no_cycle_even_with_one_class() {
    // At most one hop around: nobody holds a channel of the ring and asks for another.
    for side in [2, 3] {
        let graph = torus(&[side], 1, 1).unwrap();
        let routing = routing(&graph, RoutingSpec::Unrestricted);
        assert_eq!(dependency(&graph, &routing), Dependency::Acyclic);
    }
}

#[test]
fn one_class_of_lanes_for_both_orders_would_have_a_cycle() {
    let graph = mesh(&[3, 3], 1, 1).unwrap();
    let routing = routing(&graph, RoutingSpec::O1Turn);
    assert_eq!(dependency(&graph, &routing), Dependency::Acyclic);
    let merged = check(&graph, &routing, &Packets::all(&graph), &|_| 0);
    assert!(matches!(merged, Dependency::Cycle(_)), "{merged:?}");
}

#[test]
fn one_escape_lane_on_a_torus_would_have_a_cycle() {
    for sides in [&[4][..], &[5, 3]] {
        let graph = torus(sides, 1, 1).unwrap();
        let routing = routing(&graph, RoutingSpec::MinimalAdaptive);
        assert_eq!(dependency(&graph, &routing), Dependency::Acyclic);
        let merged = check(&graph, &routing, &Packets::all(&graph), &|_| 0);
        assert!(matches!(merged, Dependency::Cycle(_)), "{merged:?}");
    }
}

#[test]
fn an_escape_waits_for_escapes_beyond_adaptive_lanes() {
    // On a 1 x 4 mesh a packet may leave its escape for the adaptive lane of the next channel
    // and ask for the escape after that.
    let graph = mesh(&[4], 1, 1).unwrap();
    let routing = routing(&graph, RoutingSpec::MinimalAdaptive);
    let class_of = |lanes| u32::from(routing.class_of(0, lanes).unwrap_or(0));
    let packets = Packets::all(&graph);
    let mut walker = Walker::new(&graph, &routing, &packets, &class_of).unwrap();
    walker.walk_escapes().unwrap();
    let up: Vec<u32> = (0..6)
        .filter(|c| graph.channels[*c as usize].to > graph.channels[*c as usize].from)
        .collect();
    let [a, b, c] = up[..] else { panic!("{up:?}") };
    assert_eq!(walker.edges[2 * a as usize], [2 * b, 2 * c]);
    assert_eq!(walker.edges[2 * b as usize], [2 * c]);
}

/// Two flows of three channels of a ring each wait for one another only where they meet twice.
#[test]
fn only_packets_that_are_sent_close_a_cycle() {
    let graph = torus(&[6], 1, 1).unwrap();
    let built = routing(&graph, RoutingSpec::Unrestricted);
    let ask = |flows: &[(u32, u32)]| {
        let mut rows = vec![vec![0.0; 6]; 6];
        for (from, to) in flows {
            rows[*from as usize][*to as usize] = 1.0;
        }
        let traffic = ClassSpec {
            pattern: Pattern::Matrix(rows),
            ..class(Injection::Saturation)
        };
        let spec = FabricSpec {
            graph: graph.clone(),
            routing: RoutingSpec::Unrestricted,
            ..crossbar(6, vec![traffic])
        };
        let packets = Packets {
            pairs: Pairs::of(&spec, 0).unwrap(),
            ..Packets::all(&graph)
        };
        dependency_of(&graph, &built, &packets)
    };
    assert_eq!(ask(&[(0, 2), (1, 3)]), Dependency::Acyclic);
    assert_eq!(ask(&[(0, 2), (2, 4)]), Dependency::Acyclic);
    let around = ask(&[(0, 2), (1, 3), (2, 4), (3, 5), (4, 0), (5, 1)]);
    assert!(matches!(around, Dependency::Cycle(_)), "{around:?}");
}

#[test]
fn a_group_is_asked_by_what_its_own_classes_send() {
    let graph = torus(&[6], 1, 1).unwrap();
    let built = routing(&graph, RoutingSpec::Unrestricted);
    let one_way = |to: u32, injection: Injection, lane_group: u8| ClassSpec {
        pattern: Pattern::Hotspot {
            targets: vec![(to, 1)],
            share: 1.0,
        },
        lane_group,
        ..class(injection)
    };
    let mut spec = FabricSpec {
        graph: graph.clone(),
        routing: RoutingSpec::Unrestricted,
        ..crossbar(
            6,
            vec![
                one_way(0, Injection::Bernoulli { load: 0.1 }, 0),
                one_way(3, Injection::Saturation, 1),
            ],
        )
    };
    let ask = |spec: &FabricSpec, group: u8| {
        let packets = Packets {
            group,
            pairs: Pairs::of(spec, group).unwrap(),
            ..Packets::all(&graph)
        };
        dependency_of(&graph, &built, &packets)
    };
    // All that goes to one terminal ends there.
    assert_eq!(ask(&spec, 0), Dependency::Acyclic);
    assert_eq!(ask(&spec, 1), Dependency::Acyclic);
    // Answers go from there to all, and meet nothing that comes in.
    spec.classes[0].injection = Injection::RequestReply {
        outstanding: 4,
        think: 0,
        reply_class: 1,
    };
    spec.classes[1].injection = Injection::Replies;
    assert_eq!(ask(&spec, 1), Dependency::Acyclic);
    spec.classes[0].pattern = Pattern::Uniform { include_self: true };
    let Dependency::Cycle(cycle) = ask(&spec, 1) else {
        panic!("answers to all from all");
    };
    assert!(
        cycle.iter().all(|(_, lanes)| *lanes == 0b1111_0000),
        "{cycle:?}"
    );
    // What is never sent closes nothing.
    spec.classes.truncate(1);
    spec.classes[0].injection = Injection::Bernoulli { load: 0.0 };
    assert_eq!(ask(&spec, 0), Dependency::Acyclic);
}

#[test]
fn tables_on_files() {
    let check = |text: &str| {
        let graph = edge_list(text, 1, 1).unwrap();
        dependency(&graph, &routing(&graph, RoutingSpec::Table))
    };
    assert_eq!(check("a b\nb c\nb d\nd e"), Dependency::Acyclic);
    let Dependency::Cycle(cycle) = check("a -> b\nb -> c\nc -> a") else {
        panic!()
    };
    assert_eq!(cycle, [(0, 0b1111), (1, 0b1111), (2, 0b1111)]);
}

#[test]
fn large_networks_are_not_checked() {
    let graph = mesh(&[100, 100], 1, 1).unwrap();
    let dependency = dependency(&graph, &routing(&graph, RoutingSpec::DimensionOrder));
    assert!(
        matches!(dependency, Dependency::NotChecked(_)),
        "{dependency:?}"
    );
}

#[test]
fn cycles_are_found_wherever_there_are_any() {
    let successors = [vec![1, 2], vec![3], vec![3], vec![4], vec![5], vec![]];
    assert_eq!(cycle::find(&successors), None);
    let mut back = successors.clone();
    back[5].push(3);
    assert_eq!(cycle::find(&back), Some(vec![3, 4, 5]));
    assert_eq!(cycle::find(&[vec![], vec![1]]), Some(vec![1]));
}
