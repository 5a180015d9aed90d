//! Latency at zero load, as printed, against runs with next to no load.

use backwater_flit::Simulation;
use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::{
    Allocator, FabricSpec, Injection, MeasureSpec, Switch, TraceEntry, WarmUp,
};
use backwater_results::fabric::zero_load;
use backwater_results::run_manifest;

use crate::sample::fabric;

fn ran(load: f64, change: impl Fn(&mut FabricSpec)) -> (FabricSpec, FabricOutcome) {
    let mut spec = fabric::spec();
    spec.classes.truncate(1);
    spec.classes[0].injection = Injection::Bernoulli { load };
    spec.measure = MeasureSpec {
        warm_up: WarmUp::Cycles(500),
        window: 100_000,
        drain: 5_000,
        stall: 10_000,
    };
    change(&mut spec);
    let mut simulation = Simulation::new(&spec).expect("it builds");
    simulation.run();
    let outcome = simulation.outcome();
    (spec, outcome)
}

/// By how much the measured mean exceeds the printed one, of it.
fn excess((spec, outcome): &(FabricSpec, FabricOutcome)) -> f64 {
    assert!(outcome.latency.count > 100, "{}", outcome.latency.count);
    let printed = zero_load(&fabric::found(spec, outcome)).expect("something was measured");
    outcome.latency.mean / printed - 1.0
}

fn slow_routers(spec: &mut FabricSpec) {
    spec.router.header_delay = 2;
    spec.router.allocation_delay = 1;
    spec.router.pipeline_delay = 3;
    spec.graph.injection_latency = 2;
    spec.graph.ejection_latency = 4;
}

fn long_way(spec: &mut FabricSpec) {
    for (channel, latency) in spec
        .graph
        .channels
        .iter_mut()
        .zip([1, 2, 3, 4].iter().cycle())
    {
        channel.latency = *latency;
    }
    spec.router.depth = 16;
    spec.router.switch = Switch::Multiplexed {
        allocator: Allocator::Islip { iterations: 1 },
        output_buffer: 1,
        speedup: 1,
    };
}

#[test]
fn next_to_no_load_takes_what_is_printed() {
    let plain = |_: &mut FabricSpec| {};
    let changes: [&dyn Fn(&mut FabricSpec); 3] = [&plain, &slow_routers, &long_way];
    for change in changes {
        let excess = excess(&ran(0.005, change));
        assert!((-0.001..0.01).contains(&excess), "{excess}");
    }
}

#[test]
fn load_takes_longer() {
    let excess = excess(&ran(0.3, |_| {}));
    assert!(excess > 0.05, "{excess}");
}

/// A long packet on the short way and a short one on the long way, which never meet.
#[test]
fn lengths_and_ways_go_together() {
    let packet = |source, destination, length| TraceEntry {
        cycle: 0,
        source,
        destination,
        length,
    };
    let found = ran(0.0, |spec| {
        spec.classes[0].injection =
            Injection::Trace(vec![packet(0, 1, 64), packet(4, 6, 1), packet(8, 9, 20)]);
        spec.graph.channels[4 * 4].latency = 100;
        spec.router.depth = 400;
        spec.measure.warm_up = WarmUp::Cycles(0);
    });
    let printed = zero_load(&fabric::found(&found.0, &found.1));
    assert_eq!(found.1.latency.count, 3);
    assert_eq!(printed, Some(found.1.latency.mean));
}

#[test]
fn what_is_left_of_a_trace_is_told() {
    let packet = |cycle| TraceEntry {
        cycle,
        source: 0,
        destination: 1,
        length: 1,
    };
    let warnings = |last: u64| {
        let (spec, outcome) = ran(0.0, |spec| {
            spec.classes[0].injection = Injection::Trace(vec![packet(5), packet(last)]);
            spec.measure.warm_up = WarmUp::Cycles(0);
            spec.measure.window = 1_000;
        });
        run_manifest(&fabric::info(), &fabric::found(&spec, &outcome)).warnings
    };
    assert!(warnings(999).is_empty());
    let told = "the trace was not played to its end: 1 of its 2 packets come after the run, which \
                ended after 1,000 cycles, the first in cycle 5,000; `run.measure` says how long \
                it lasts";
    assert_eq!(warnings(5_000), [told]);
}
