//! How fast a lane is: its places go around once per flight of a flit and of the credit for it,
//! and a packet has to wait until its lane is released.

use crate::common;

use backwater_flit::Simulation;
use backwater_flit::spec::*;
use common::*;

/// Two routers and a channel from one to the other; it has number 0.
fn line(latency: u16) -> Graph {
    let mut graph = irregular(2, &[(0, 1)], &[(0, 1), (0, 1)]);
    graph.channels[0].latency = latency;
    graph
}

fn over(latency: u16, classes: Vec<ClassSpec>) -> FabricSpec {
    let mut spec = spec(line(latency), RoutingSpec::Table, classes);
    spec.router.lanes = 1;
    spec
}

/// Depth, latency of the channel, pipeline delay, credit delay.
const LANES: [(u16, u16, u16, u16); 12] = [
    (1, 1, 0, 0),
    (1, 1, 0, 1),
    (1, 1, 1, 1),
    (1, 3, 0, 2),
    (2, 3, 0, 2),
    (2, 2, 2, 4),
    (3, 2, 0, 1),
    (3, 1, 1, 1),
    (4, 9, 0, 3),
    (5, 4, 3, 4),
    (7, 4, 3, 1),
    (9, 4, 3, 1),
];

fn set(spec: &mut FabricSpec, lane: (u16, u16, u16, u16)) {
    let (depth, _, pipeline_delay, credit_delay) = lane;
    spec.router.depth = depth;
    spec.router.pipeline_delay = pipeline_delay;
    spec.router.credit_delay = credit_delay;
}

/// `depth` flits leave one after another, the next so many a round trip later.
#[test]
fn a_short_lane_sends_its_depth_once_per_round_trip() {
    for lane in LANES {
        let (depth, latency, pipeline_delay, credit_delay) = lane;
        let flight = latency + pipeline_delay;
        let round = u64::from(depth.max(flight + credit_delay));
        for length in [1, 2, 7, 30, 101] {
            let mut spec = over(latency, vec![class(trace(&[(0, 0, 1, length)]), 1)]);
            set(&mut spec, lane);
            spec.measure.warm_up = WarmUp::Cycles(0);
            let (tail, depth) = (u64::from(length) - 1, u64::from(depth));
            let last_sent = 1 + tail / depth * round + tail % depth;
            let ejected = u64::from(flight + pipeline_delay) + 1;
            assert_eq!(
                ran(&spec).latency.min,
                last_sent + ejected,
                "{lane:?} {length}"
            );
        }
    }
}

/// Lanes side by side add up, until the channel is full.
#[test]
fn a_channel_carries_depth_times_lanes_per_round_trip() {
    for lane in LANES {
        for lanes in [1, 2, 3, 8] {
            let (depth, latency, pipeline_delay, credit_delay) = lane;
            let packets = vec![(0, 0, 1, LENGTH_MAX); lanes.into()];
            let mut spec = over(latency, vec![class(trace(&packets), 1)]);
            set(&mut spec, lane);
            spec.router.lanes = lanes;
            spec.sources = Sources::Shared;
            let round = u64::from(latency + pipeline_delay + credit_delay);
            let in_a_round = (u64::from(depth) * u64::from(lanes)).min(round);
            let mut simulation = Simulation::new(&spec).expect("it builds");
            simulation.run_until(20 * round);
            let before = simulation.flit_hops();
            simulation.run_until(80 * round);
            // Injection and ejection keep the same pace.
            let crossed = simulation.flit_hops() - before;
            assert_eq!(crossed, 3 * 60 * in_a_round, "{lane:?}, {lanes} lanes");
            // No packet ends in the window, but the channel is busy in it.
            spec.measure.warm_up = WarmUp::Cycles(20 * round);
            spec.measure.window = 60 * round;
            let share = in_a_round as f64 / round as f64;
            let found = ran(&spec).utilization[0];
            assert!((found - share).abs() < 1e-9, "{lane:?}: {found}, {share}");
        }
    }
}

/// With [`Release::Drained`] the next header follows when the tail has crossed and left, and its
/// credit is back; with [`Release::TailSent`] at once.
#[test]
fn a_lane_is_idle_until_it_is_released() {
    for (latency, pipeline_delay, credit_delay) in [(1, 0, 1), (1, 0, 0), (4, 0, 2), (2, 3, 5)] {
        for (length, header_delay) in [(1, 0), (1, 2), (4, 0), (9, 1)] {
            let packets = vec![(0, 0, 1, length); 1_000];
            let mut spec = over(latency, vec![class(trace(&packets), 1)]);
            set(&mut spec, (40, latency, pipeline_delay, credit_delay));
            spec.router.header_delay = header_delay;
            let flight = latency + pipeline_delay;
            let idle = flight + header_delay + credit_delay.max(1) - 1;
            let drained = u64::from(length + idle);
            spec.measure.warm_up = WarmUp::Cycles(20 * drained);
            spec.measure.window = 40 * drained;
            let share = f64::from(length) / drained as f64;
            let found = ran(&spec).utilization[0];
            assert!(
                (found - share).abs() < 1e-9,
                "{:?}: {found}, {share}",
                spec.router
            );
            // A header waits in front for its delay, and the packets behind it with it.
            spec.router.release = Release::TailSent;
            let sent = u64::from(length + header_delay);
            spec.measure.warm_up = WarmUp::Cycles(20 * sent);
            spec.measure.window = 40 * sent;
            let share = f64::from(length) / sent as f64;
            let found = ran(&spec).utilization[0];
            assert!(
                (found - share).abs() < 1e-9,
                "{:?}: {found}, {share}",
                spec.router
            );
        }
    }
}
