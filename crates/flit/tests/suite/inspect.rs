//! What is seen of flits between two cycles: a case by hand, and that no flit is missing in others.

use crate::common;

use backwater_flit::inspect::{Buffer, Inspection, Place, Wait};
use backwater_flit::spec::{FabricSpec, Injection, Release, RoutingSpec, Sources};
use backwater_flit::{Simulation, topology};
use common::{BUFFERED, MULTIPLEXED, network, ring, two_into_one};

fn buffer(seen: &Inspection, channel: u32) -> (usize, &Buffer) {
    let place = Place::Buffer { vc: (channel, 0) };
    let found = seen.buffers.iter().position(|own| own.place == place);
    let at = found.expect("every VC between routers has one");
    (at, &seen.buffers[at])
}

#[test]
fn a_header_waits_for_the_vc_that_another_packet_holds() {
    let mut run = Simulation::new(&two_into_one()).expect("it builds");
    run.run_until(6);
    let seen = run.inspect();
    let (ahead, first) = buffer(&seen, 0);
    let (behind, second) = buffer(&seen, 1);
    let packets = |own: &Buffer| -> Vec<(u32, u16)> {
        own.packets
            .iter()
            .map(|(tag, flits)| (tag.source, *flits))
            .collect()
    };
    assert_eq!(packets(first), [(0, 1)]);
    assert_eq!(first.wait, Wait::Turn((9, 0)));
    // Two flits of terminal 1 have come, and their way out is taken.
    assert_eq!(packets(second), [(1, 2)]);
    assert_eq!(second.wait, Wait::Lane(vec![(9, 0)]));
    assert_eq!(second.waits_for, [ahead]);
    assert_eq!((second.credits, second.depth), (0, 2));
    // The other two stand before the channel and have no credit.
    let (_, before) = buffer(&seen, 5);
    assert_eq!(packets(before), [(1, 2)]);
    assert_eq!(before.wait, Wait::Credit((1, 0)));
    assert_eq!(before.waits_for, [behind]);
    // Eight and four were born; four of the first have gone to their terminal.
    assert_eq!(seen.flits, [12, 10, 0]);
    assert_eq!(seen.at_terminals, 4);
}

fn specs() -> Vec<FabricSpec> {
    let mut specs = vec![ring(), two_into_one()];
    let uniform = |load| Injection::Bernoulli { load };
    for (at, switch) in [MULTIPLEXED, BUFFERED].into_iter().enumerate() {
        let graph = topology::mesh(&[3, 3], 1, 1).expect("a mesh");
        let mut spec = network(graph, RoutingSpec::DimensionOrder, uniform(0.5));
        spec.router.switch = switch;
        spec.router.credit_delay = 1 + 2 * at as u16;
        spec.router.release = [Release::TailSent, Release::Drained][at];
        spec.sources = [Sources::Shared, Sources::PerLane][at];
        specs.push(spec);
    }
    let graph = topology::torus(&[4, 4], 1, 1).expect("a torus");
    let mut far = network(graph, RoutingSpec::Dateline, uniform(0.4));
    far.graph
        .channels
        .iter_mut()
        .for_each(|channel| channel.latency = 4);
    far.router.pipeline_delay = 2;
    far.router.header_delay = 1;
    far.router.depth = 6;
    specs.push(far);
    let adaptive = topology::mesh(&[4, 4], 1, 1).expect("a mesh");
    specs.push(network(
        adaptive,
        RoutingSpec::MinimalAdaptive,
        uniform(0.5),
    ));
    specs
}

/// Flits that were born and have not been delivered, as they are seen; and those of them that have
/// not left their sources.
fn shown(seen: &Inspection) -> [u64; 2] {
    let is_source = |own: &&Buffer| matches!(own.place, Place::Source { .. });
    let at_sources: u64 = seen
        .buffers
        .iter()
        .filter(is_source)
        .map(Buffer::flits)
        .sum();
    let shared = seen.shared.iter().flatten();
    let shared: u64 = shared.map(|tag| u64::from(tag.length)).sum();
    let all: u64 = seen.buffers.iter().map(Buffer::flits).sum();
    let ways = seen.buffers.iter();
    let ways: u64 = ways.map(|own| u64::from(own.on_wire + own.switched)).sum();
    [all + shared + ways + seen.at_terminals, at_sources + shared]
}

#[test]
fn no_flit_is_missing_in_any_cycle() {
    let (mut most, mut found_out) = (0, 0);
    for (at, spec) in specs().iter().enumerate() {
        let mut run = Simulation::new(spec).expect("it builds");
        for cycle in 1..400 {
            run.run_until(cycle);
            let mut seen = run.inspect();
            let [created, injected, delivered] = seen.flits;
            let expected = [created - delivered, created - injected];
            assert_eq!(shown(&seen), expected, "network {at}, cycle {cycle}");
            most = most.max(expected[0]);
            // Negative control: a packet that is left out is missed.
            let mut holding = seen.buffers.iter_mut().filter(|own| own.flits() > 0);
            if let Some(own) = holding.next() {
                own.packets.clear();
                found_out += 1;
                assert_ne!(shown(&seen)[0], expected[0], "network {at}, cycle {cycle}");
            }
        }
    }
    assert!(
        most > 100 && found_out > 1_000,
        "{most} flits, {found_out} times"
    );
}

#[test]
fn looking_and_stepping_change_nothing() {
    for spec in specs() {
        let mut steps = Simulation::new(&spec).expect("it builds");
        let mut whole = Simulation::new(&spec).expect("it builds");
        for cycle in 1..300 {
            steps.run_until(cycle);
            let _ = steps.inspect();
        }
        whole.run_until(299);
        assert_eq!(steps.outcome().trace_hash, whole.outcome().trace_hash);
    }
}
