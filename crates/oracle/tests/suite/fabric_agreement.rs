//! The cycle engine against its reference: the same flits in every cycle, the same deliveries.

use crate::fabric_common;

use backwater_flit::Simulation;
use backwater_flit::spec::{FabricSpec, LaneChoice, Sources, Switch};
use backwater_oracle::fabric::{Delivery, Fabric, random_spec, run_logged};
use fabric_common::{MULTIPLEXED, line, network, queueing};

const CYCLES: u64 = 400;
/// Cycles from one look at the engine's deliveries to the next.
const LOOK: u64 = 20;
/// Random networks to compare on: a second's worth, or with optimisation many more.
const SEEDS: u64 = if cfg!(debug_assertions) { 120 } else { 1_000 };

fn reference(spec: &FabricSpec) -> Fabric {
    run_logged(spec, CYCLES).expect("the laws hold")
}

/// The sum that the engine keeps over its deliveries up to a cycle.
fn fingerprint(deliveries: &[Delivery], until: u64) -> u64 {
    let known = deliveries.iter().filter(|at| at.delivered <= until);
    known.fold(0, |sum, at| sum.wrapping_add(at.fingerprint()))
}

/// The first cycle in which the two part, and what the reference did then.
fn parting(spec: &FabricSpec) -> Option<String> {
    let reference = reference(spec);
    let mut engine = Simulation::new(spec).expect("it builds");
    let mut crossed = 0;
    for cycle in 0..CYCLES {
        engine.run_until(cycle + 1);
        let moves = reference.moves.iter().filter(|at| at.cycle == cycle);
        crossed += moves.clone().count() as u64;
        let looks = cycle % LOOK == LOOK - 1;
        let same =
            !looks || engine.outcome().trace_hash == fingerprint(&reference.deliveries, cycle);
        if engine.flit_hops() != crossed || !same {
            let moves: Vec<String> = moves.map(ToString::to_string).collect();
            return Some(format!(
                "after cycle {cycle} the engine has {} flit-hops, the reference {crossed}; \
                 deliveries agree: {same}\n{}",
                engine.flit_hops(),
                moves.join("\n")
            ));
        }
    }
    None
}

/// Three packets in one buffer, each behind the tail of another.
#[test]
fn engine_and_reference_agree_on_packets_that_queue_in_one_lane() {
    for (sources, delay) in [(Sources::One, 1), (Sources::One, 0), (Sources::Shared, 1)] {
        let mut spec = queueing();
        spec.sources = sources;
        spec.router.header_delay = delay;
        assert_eq!(parting(&spec), None);
    }
}

/// Routers in a row without a way back.
#[test]
fn engine_and_reference_agree_on_a_line() {
    let packets: Vec<(u64, u32, u32, u16)> = (0..6).map(|cycle| (cycle, 0, 1, 3)).collect();
    for switch in [Switch::Crossbar, MULTIPLEXED] {
        for credit_delay in 0..3 {
            let mut spec = network(line(4), &packets);
            spec.router.switch = switch;
            spec.router.credit_delay = credit_delay;
            assert_eq!(parting(&spec), None);
        }
    }
}

#[test]
fn engine_and_reference_agree_on_random_networks() {
    for seed in 0..SEEDS {
        let spec = random_spec(seed, true).expect("a spec that builds");
        if let Some(text) = parting(&spec) {
            panic!("seed {seed}: {text}\n{:?} {:?}", spec.routing, spec.router);
        }
    }
}

/// Negative control: the engine on another network than the reference.
#[test]
fn a_change_of_any_kind_shows() {
    let changes: [fn(&mut FabricSpec); 5] = [
        |spec| spec.router.header_delay += 1,
        |spec| spec.router.allocation_delay += 1,
        |spec| spec.router.pipeline_delay += 1,
        |spec| spec.graph.ejection_latency += 1,
        |spec| spec.seed += 1,
    ];
    for change in changes {
        assert!((0..5).filter(|seed| differs(*seed, change)).count() >= 3);
    }
    // Which of equal lanes it is changes nothing by itself, only what queues behind it.
    let other_choice: fn(&mut FabricSpec) = |spec| {
        spec.router.lane_choice = match spec.router.lane_choice {
            LaneChoice::Lowest => LaneChoice::RoundRobin,
            LaneChoice::RoundRobin => LaneChoice::Lowest,
        }
    };
    let shows = |seed: &u64| differs(*seed, other_choice);
    assert!((0..20).filter(shows).count() >= 4);
}

fn differs(seed: u64, change: fn(&mut FabricSpec)) -> bool {
    let mut spec = random_spec(seed, true).expect("a spec that builds");
    let expected = fingerprint(&reference(&spec).deliveries, CYCLES - 1);
    change(&mut spec);
    let mut engine = Simulation::new(&spec).expect("it builds");
    engine.run_until(CYCLES);
    engine.outcome().trace_hash != expected
}
