//! A ring whose lanes a packet may take in a circle deadlocks; with a dateline it does not:
//! Dally and Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks",
//! 1987.

use crate::common;

use backwater_flit::dependency::{Dependency, dependency};
use backwater_flit::routing::Routing;
use backwater_flit::spec::*;
use backwater_flit::topology;
use backwater_kernel::Stop;
use common::*;

fn ring(routers: u32, routing: RoutingSpec, lanes: u8, classes: Vec<ClassSpec>) -> FabricSpec {
    let graph = topology::torus(&[routers], 1, 1).expect("a ring");
    let mut spec = spec(graph, routing, classes);
    spec.router.lanes = lanes;
    spec.measure.warm_up = WarmUp::Cycles(0);
    spec
}

/// The answer of the analysis before a run.
fn may_deadlock(spec: &FabricSpec) -> bool {
    let routing = Routing::new(&spec.graph, spec.routing, spec.router.lanes, 1).expect("it fits");
    matches!(dependency(&spec.graph, &routing), Dependency::Cycle(_))
}

/// A packet of each of `senders`, two routers up the ring of five and too long for a buffer.
fn around(senders: u32, flits: u16) -> FabricSpec {
    let packets: Vec<_> = (0..senders)
        .map(|at| (0, at, (at + 2) % 5, flits))
        .collect();
    let classes = vec![class(trace(&packets), 1)];
    ring(5, RoutingSpec::Unrestricted, 1, classes)
}

/// Everything about it by hand. Headers enter in cycle 0 and cross to the next router in 1; each
/// then wants the lane that the next packet holds. Four flits follow into the lane of the ring,
/// the last of them in cycle 4, and four more into the lane of injection, the last in cycle 7.
#[test]
fn five_packets_wait_for_each_other() {
    let found = ran(&around(5, 20));
    assert_eq!(found.stop, Stop::Standstill);
    assert_eq!(
        found.cycles,
        found.standstill.as_ref().expect("it").since + 2_001
    );
    assert_eq!((found.delivered_total, found.inside_total), (0, 40));
    assert_eq!(found.stuck_packets, 5);
    let deadlock = found.standstill.expect("it is told");
    assert_eq!((deadlock.since, deadlock.is_circle), (7, true));
    let mut held = deadlock.waits;
    let start = held.iter().position(|packet| packet.source == 0);
    held.rotate_left(start.expect("packet 0 is in the circle"));
    assert_eq!(held.len(), 5);
    let up = |from: u32| {
        let graph = around(5, 1).graph;
        let leads = |channel: &ChannelSpec| (channel.from, channel.to) == (from, (from + 1) % 5);
        graph.channels.iter().position(leads).expect("a ring") as u32
    };
    for (source, packet) in (0..).zip(&held) {
        assert_eq!(
            (packet.source, packet.destination),
            (source, (source + 2) % 5)
        );
        assert_eq!((packet.birth, packet.at), (0, (up(source), 0)));
        assert_eq!(packet.waits_for, (up((source + 1) % 5), 0));
    }
}

/// Negative control: without one of them, or with room for a packet before the header has to
/// wait, all arrive.
#[test]
fn four_packets_or_another_lane_do_not() {
    let mut two_lanes = around(5, 20);
    two_lanes.router.lanes = 2;
    let mut dateline = two_lanes.clone();
    dateline.routing = RoutingSpec::Dateline;
    for spec in [around(4, 20), two_lanes, dateline] {
        let found = ran(&spec);
        assert_eq!(found.stop, Stop::Drained);
        assert_eq!(found.delivered_total, found.created_total);
    }
}

/// Under more traffic than it takes, a ring stops soon or never.
#[test]
fn saturated_rings() {
    let both = [Release::Drained, Release::TailSent].as_slice();
    let all = [
        (RoutingSpec::Unrestricted, 1, both, true),
        (RoutingSpec::Table, 1, both, true),
        (RoutingSpec::Dateline, 2, both, false),
        (RoutingSpec::Dateline, 5, both, false),
        (RoutingSpec::Valiant, 4, both, false),
        (RoutingSpec::MinimalAdaptive, 3, &both[..1], false),
    ];
    for (routing, lanes, releases, deadlocks) in all {
        for (release, routers, flits) in releases.iter().flat_map(|r| [(*r, 8, 20), (*r, 12, 6)]) {
            let classes = vec![class(Injection::Saturation, flits)];
            let mut spec = ring(routers, routing, lanes, classes);
            spec.router.release = release;
            assert_eq!(may_deadlock(&spec), deadlocks);
            for found in runs(&spec, 3) {
                let expected = match deadlocks {
                    true => Stop::Standstill,
                    false => Stop::TimeReached,
                };
                assert_eq!(found.stop, expected, "{routing:?} {lanes} {release:?}");
                assert_eq!(found.standstill.is_some(), deadlocks);
                assert_eq!(found.accepted > 0.1, !deadlocks, "{}", found.accepted);
            }
        }
    }
}

/// In two dimensions too, and with virtual cut-through, which only makes it rarer.
#[test]
fn saturated_tori() {
    for (routing, lanes, deadlocks) in [
        (RoutingSpec::Unrestricted, 1, true),
        (RoutingSpec::Dateline, 2, false),
        (RoutingSpec::MinimalAdaptive, 3, false),
    ] {
        let graph = topology::torus(&[4, 4], 1, 1).expect("a torus");
        let mut spec = spec(graph, routing, vec![class(Injection::Saturation, 4)]);
        spec.router.lanes = lanes;
        spec.router.cut_through = true;
        assert_eq!(may_deadlock(&spec), deadlocks);
        for found in runs(&spec, 3) {
            assert_eq!(found.stop == Stop::Standstill, deadlocks, "{routing:?}");
        }
    }
}

/// An escape is for the header in front. It stays open if no packet waits in a lane behind
/// another: if lanes are released empty, or taken only by packets that they have room for.
#[test]
fn saturated_adaptive_meshes() {
    for (release, cut_through) in [(Release::Drained, false), (Release::TailSent, true)] {
        for flits in [1, 4] {
            let graph = topology::mesh(&[8, 8], 1, 1).expect("a mesh");
            let classes = vec![class(Injection::Saturation, flits)];
            let mut spec = spec(graph, RoutingSpec::MinimalAdaptive, classes);
            spec.router.lanes = 2;
            spec.router.release = release;
            spec.router.cut_through = cut_through;
            spec.sources = Sources::Shared;
            assert!(!may_deadlock(&spec));
            let found = ran(&spec);
            assert_eq!(found.stop, Stop::TimeReached);
            assert!(found.accepted > 0.15, "{}", found.accepted);
        }
    }
}
