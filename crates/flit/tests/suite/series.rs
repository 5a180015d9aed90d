//! Series of a line of two routers, by hand.

use crate::common;

use backwater_flit::Simulation;
use backwater_flit::series::{Measure, Recorder, SeriesSpec};
use backwater_flit::spec::RoutingSpec;
use backwater_kernel::Series;
use common::*;

const WINDOW: u64 = 20;

fn recorded(packets: &[(u64, u32, u32, u16)], measures: &[Measure], until: u64) -> Vec<Series> {
    let graph = irregular(2, &[(0, 1), (1, 0)], &[(0, 0), (1, 1)]);
    let mut spec = network(graph, RoutingSpec::Table, trace(packets));
    spec.router.depth = 8;
    let wanted = measures.iter().map(|measure| SeriesSpec {
        name: "x".into(),
        measure: measure.clone(),
        window: WINDOW,
    });
    let wanted: Vec<SeriesSpec> = wanted.collect();
    let recorder = Recorder::new(&spec.graph, &wanted);
    let simulation = Simulation::with_probe(&spec, recorder);
    let mut simulation = simulation.expect("a line");
    simulation.run_until(until);
    simulation.probe().series(until)
}

/// Packets of 4 and 2 flits one after another over channel 0, later one of 3 over channel 1. The
/// first takes a cycle a channel and one for each flit behind its header, 6 cycles. The second,
/// born a cycle later, waits 3 cycles for the tail of the first, and takes 7.
const PACKETS: [(u64, u32, u32, u16); 3] = [(10, 0, 1, 4), (11, 0, 1, 2), (50, 1, 0, 3)];

#[test]
fn windows_hold_what_happened_in_them() {
    let measures = [
        Measure::Accepted,
        Measure::Latency,
        Measure::Queue,
        Measure::Load(vec![0]),
        Measure::Load(vec![0, 1]),
    ];
    let found = recorded(&PACKETS, &measures, 70);
    let values: Vec<&[f64]> = found.iter().map(|series| &*series.y).collect();
    assert_eq!(values[0], [6.0 / 40.0, 0.0, 3.0 / 40.0]);
    assert_eq!(values[1], [6.5, 5.0]);
    assert_eq!(values[2], [3.0 / 20.0, 0.0, 0.0]);
    assert_eq!(values[3], [6.0 / 20.0, 0.0, 0.0]);
    assert_eq!(values[4], [6.0 / 20.0, 0.0, 3.0 / 20.0]);
    for (series, middles) in found.iter().zip([3, 2, 3, 3, 3]) {
        assert_eq!(series.x.len(), middles, "{}", series.unit);
    }
    // A window in which nothing arrives has no latency.
    assert_eq!(found[1].x, [10, 50]);
    assert_eq!(found[0].x, [10, 30, 50]);
}

#[test]
fn a_packet_that_waits_through_a_window_counts_in_all_of_it() {
    // The second waits until the 30 flits of the first have left: from cycle 1 to 30.
    let found = recorded(&[(0, 0, 1, 30), (1, 0, 1, 1)], &[Measure::Queue], 80);
    assert_eq!(found[0].y, [19.0 / 20.0, 10.0 / 20.0, 0.0, 0.0]);
}

#[test]
fn a_recorder_changes_nothing() {
    let spec = ring();
    let mut plain = Simulation::new(&spec).expect("a ring");
    let wanted = [SeriesSpec {
        name: "load".into(),
        measure: Measure::Load((0..16).collect()),
        window: 50,
    }];
    let recorder = Recorder::new(&spec.graph, &wanted);
    let mut watched = Simulation::with_probe(&spec, recorder).expect("a ring");
    plain.run_until(3_000);
    watched.run_until(3_000);
    assert_eq!(plain.outcome().trace_hash, watched.outcome().trace_hash);
    let series = watched.probe().series(3_000);
    assert_eq!(series[0].y.len(), 60);
    assert!(series[0].y.iter().all(|load| (0.0..=1.0).contains(load)));
    assert_eq!(watched.probe().stored().0, 59);
}
