//! Deadlocks by hand: who waits for whom, while others move or not.

use crate::common;

use backwater_flit::Simulation;
use backwater_flit::outcome::Standstill;
use backwater_flit::probe::TraceProbe;
use backwater_flit::spec::{FabricSpec, Release, RoutingSpec, Switch, TraceEntry};
use backwater_flit::topology;
use backwater_kernel::Stop;
use common::{network, trace};

const STALL: u64 = 300;

/// Eight routers in a ring, two terminals each: terminal `2i` sends a long packet three routers
/// up. Every header takes the channel up before any has gone far.
fn circle(routing: RoutingSpec, lanes: u8) -> FabricSpec {
    let graph = topology::torus(&[8], 2, 1).expect("a ring");
    let up = |router: u32| (0, 2 * router, 2 * ((router + 3) % 8), 16);
    let packets: Vec<_> = (0..8).map(up).collect();
    let mut spec = network(graph, routing, trace(&packets));
    spec.router.lanes = lanes;
    spec.measure.stall = STALL;
    spec
}

/// And terminal `2i + 1` sends a flit to the next router down, every twenty cycles.
fn with_traffic_down(mut spec: FabricSpec) -> FabricSpec {
    let down = (0..400).flat_map(|round| {
        (0..8).map(move |router| TraceEntry {
            cycle: 20 * round,
            source: 2 * router + 1,
            destination: 2 * ((router + 7) % 8) + 1,
            length: 1,
        })
    });
    let mut second = spec.classes[0].clone();
    second.injection = backwater_flit::spec::Injection::Trace(down.collect());
    spec.classes.push(second);
    spec
}

fn run(spec: &FabricSpec) -> (u64, Stop, Option<Standstill>) {
    let mut simulation = Simulation::new(spec).expect("it builds");
    simulation.run();
    let outcome = simulation.outcome();
    let stuck = if outcome.standstill.is_some() { 8 } else { 0 };
    assert_eq!(outcome.stuck_packets, stuck);
    (outcome.cycles, outcome.stop, outcome.standstill)
}

/// Eight packets, each with its header behind the channel that the one before it waits for.
fn assert_names_the_ring(deadlock: &Standstill) {
    assert_eq!(deadlock.waits.len(), 8);
    for (index, held) in deadlock.waits.iter().enumerate() {
        let next = &deadlock.waits[(index + 1) % 8];
        assert_eq!((held.source + 2) % 16, next.source);
        assert_eq!((held.source + 6) % 16, held.destination);
        assert_eq!(held.waits_for, next.at);
        // Two channels a router, the one up first.
        assert_eq!(held.at, (held.source, 0));
        assert_eq!(held.birth, 0);
    }
}

#[test]
fn a_ring_without_datelines_deadlocks_and_names_its_circle() {
    for release in [Release::Drained, Release::TailSent] {
        let mut spec = circle(RoutingSpec::Unrestricted, 1);
        spec.router.release = release;
        let (cycles, stop, deadlock) = run(&spec);
        let deadlock = deadlock.expect("a deadlock");
        assert_eq!(stop, Stop::Standstill);
        assert_names_the_ring(&deadlock);
        assert!(!deadlock.others_move);
        // Two hops, and two flits deep.
        assert!(deadlock.since < 8, "{}", deadlock.since);
        assert_eq!(cycles, deadlock.since + STALL + 1);
    }
}

#[test]
fn a_ring_with_datelines_does_not() {
    let (_, stop, deadlock) = run(&circle(RoutingSpec::Dateline, 2));
    assert_eq!(stop, Stop::Drained);
    assert!(deadlock.is_none());
}

#[test]
fn half_a_ring_deadlocks_while_the_other_half_moves() {
    let multiplexed = Switch::Multiplexed {
        allocator: backwater_flit::spec::Allocator::SeparableInputFirst,
        output_buffer: 2,
        speedup: 1,
    };
    for switch in [Switch::Crossbar, multiplexed] {
        let mut spec = with_traffic_down(circle(RoutingSpec::Unrestricted, 1));
        spec.router.switch = switch;
        let (cycles, stop, deadlock) = run(&spec);
        let deadlock = deadlock.expect("a deadlock");
        assert_eq!(stop, Stop::Standstill);
        assert_names_the_ring(&deadlock);
        assert!(deadlock.others_move);
        // Seen at one look, sure at the next.
        assert_eq!((deadlock.since, cycles), (STALL, 2 * STALL));
    }
}

#[test]
fn all_of_it_moves_with_datelines() {
    let (_, stop, deadlock) = run(&with_traffic_down(circle(RoutingSpec::Dateline, 2)));
    assert_eq!(stop, Stop::Drained);
    assert!(deadlock.is_none());
}

/// Two packets of the eight less: the sixth comes through, and every packet is known to be alive.
#[test]
fn a_circle_with_a_gap_is_none() {
    let mut spec = circle(RoutingSpec::Unrestricted, 1);
    if let backwater_flit::spec::Injection::Trace(packets) = &mut spec.classes[0].injection {
        packets.truncate(6);
    }
    let mut simulation = Simulation::new(&spec).expect("it builds");
    for cycle in 1..100 {
        simulation.run_until(cycle);
        assert_eq!(simulation.deadlocked(), []);
    }
    simulation.run();
    assert_eq!(simulation.outcome().stop, Stop::Drained);
}

/// Packets stand still for longer than the stall, but only because the way is long.
#[test]
fn a_long_way_is_no_deadlock() {
    let mut spec = circle(RoutingSpec::Dateline, 2);
    spec.measure.stall = 5;
    spec.router.header_delay = 100;
    for channel in &mut spec.graph.channels {
        channel.latency = 50;
    }
    let (_, stop, _) = run(&spec);
    assert_eq!(stop, Stop::Drained);
}

/// Known as soon as the circle has closed, and not before.
#[test]
fn packets_are_held_from_their_last_move_on() {
    let spec = circle(RoutingSpec::Unrestricted, 1);
    let mut simulation = Simulation::with_probe(&spec, TraceProbe::default()).expect("it builds");
    let mut known = None;
    for cycle in 1..100 {
        simulation.run_until(cycle);
        let held = simulation.deadlocked();
        if !held.is_empty() {
            assert_eq!(held.len(), 8);
            known.get_or_insert(cycle);
        } else {
            assert!(known.is_none());
        }
    }
    let last = simulation.probe_mut().take().last().map(|at| at.cycle);
    // A credit may still be under way in the cycle after the last move.
    let after = known.expect("a deadlock") - last.expect("moves");
    assert!((1..=2).contains(&after), "{after}");
}
