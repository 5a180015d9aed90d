//! One flow over one fast link; warnings come when the test says so.

use super::*;
use crate::probe::Probe;
use crate::simulation::Simulation;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::Rings;

use crate::probe::Crossing;
use crate::spec::*;

/// A unit of 125 bytes takes 1 us at this rate.
const MEGA_UNIT: u64 = 1_000_000_000;
/// A microsecond.
const US: u64 = 1_000_000;

#[derive(Default)]
struct Starts(Vec<u64>);

impl Probe for Starts {
    fn on_start(&mut self, crossing: Crossing) {
        self.0.push(crossing.at.ps() / US);
    }
}

fn greedy() -> TrafficSpec {
    TrafficSpec::Greedy {
        start: Time::ZERO,
        total: None,
    }
}

fn every(us: u64) -> TrafficSpec {
    TrafficSpec::Constant {
        start: Time::ZERO,
        interval: Duration(us * US),
        random_phase: false,
        total: None,
    }
}

/// The flow reserves a unit every 100 us.
fn network(traffic: TrafficSpec, on_alarm: OnAlarm) -> NetworkSpec {
    let channel = ChannelSpec {
        rate: Rate(MEGA_UNIT),
        delay: Duration(1),
        handling: Duration::ZERO,
        timing: Timing::CutThrough,
        errors: ErrorSpec::default(),
        scheduler: SchedulerSpec::default(),
    };
    let node = || NodeSpec {
        name: "host".into(),
        kind: NodeKind::Host,
        pool: None,
    };
    let leg = LegSpec {
        channel: 0,
        parent: None,
        flow_control: FlowControlSpec::None,
        buffer: BufferSpec {
            limit_units: None,
            overflow: Overflow::Keep,
        },
    };
    let flow = FlowSpec {
        name: "flow".into(),
        source: 0,
        legs: vec![leg],
        priority: 0,
        unit_bytes: 125,
        sizes: Vec::new(),
        traffic,
        source_control: SourceControlSpec::None,
        sink: SinkSpec::Infinite,
        partner: None,
        reserve: Some(ReserveSpec {
            rate: Rate(MEGA_UNIT / 100),
            interval: None,
            burst_bytes: None,
            offset: Duration::ZERO,
            deadline: None,
        }),
        envelope: None,
        policer: None,
        on_alarm,
        session: None,
    };
    NetworkSpec {
        rules: CellRules::default(),
        outages: Vec::new(),
        seed: 1,
        stop_at: Time(1000 * US + 1),
        warm_up: Time::ZERO,
        nodes: vec![node(), node()],
        links: vec![LinkSpec::symmetric([0, 1], channel)],
        flows: vec![flow],
    }
}

fn warn<P: Probe>(simulation: &mut Simulation<Rings, P>, at_us: u64) {
    let at = Time(at_us * US);
    simulation.run_until(at);
    simulation.now = at;
    simulation.on_alarm(0);
}

/// Starts in us when warnings come at `alarms` (in us, after the units of that instant).
fn starts(traffic: TrafficSpec, on_alarm: OnAlarm, alarms: &[u64]) -> Vec<u64> {
    let spec = network(traffic, on_alarm);
    let mut simulation =
        Simulation::<Rings, Starts>::with_probe(&spec, Starts::default()).expect("it is sound");
    for &at in alarms {
        warn(&mut simulation, at);
    }
    simulation.run();
    let outcome = simulation.outcome();
    assert_eq!(outcome.violations.total(), 0);
    assert_eq!(outcome.flows[0].alarms_total, alarms.len() as u64);
    simulation.into_probe().0
}

#[test]
fn a_source_that_obeys_sends_at_its_reserved_rate() {
    // The first unit after the warning goes at once, the others 100 us apart.
    let found = starts(every(10), OnAlarm::Obey, &[305]);
    assert_eq!(found[..31], (0..=30).map(|k| 10 * k).collect::<Vec<u64>>());
    assert_eq!(found[31..], [310, 410, 510, 610, 710, 810, 910]);
}

#[test]
fn a_slower_source_sends_at_a_share_of_what_it_sent() {
    // 40 units in 399 us, half of that from then on: one every 19.95 us. So 20 units in the 400 us
    // to the second warning, and one every 40 us after it.
    let halve = OnAlarm::SlowDown { factor: 0.5 };
    let found = starts(every(10), halve, &[399]);
    assert_eq!(found[39..45], [390, 400, 419, 439, 459, 479]);
    let found = starts(every(10), halve, &[399, 799]);
    let after: Vec<u64> = found.iter().copied().filter(|&at| at >= 799).collect();
    assert_eq!(after, [799, 839, 879, 919, 959, 999]);
}

#[test]
fn it_never_slows_down_below_what_it_reserved() {
    let brake = OnAlarm::SlowDown { factor: 1e-6 };
    let found = starts(every(10), brake, &[305, 306, 307, 308]);
    assert_eq!(found[31..], [310, 410, 510, 610, 710, 810, 910]);
}

#[test]
fn a_later_warning_never_speeds_it_up() {
    // A unit in the 1 us between the warnings: 0.9 of that would be one every 1.1 us.
    let slower = OnAlarm::SlowDown { factor: 0.9 };
    let once = starts(every(10), slower, &[299]);
    let twice = starts(every(10), slower, &[299, 300]);
    assert!(once.len() < 100);
    assert_eq!(once, twice);
}

#[test]
fn a_greedy_source_is_spaced_too() {
    let found = starts(greedy(), OnAlarm::Obey, &[205]);
    assert_eq!(found[..206], (0..=205).collect::<Vec<u64>>());
    // The port has one unit already; the next passes at once, then one every 100 us.
    assert_eq!(found[206..], [206, 207, 306, 406, 506, 606, 706, 806, 906]);
}

#[test]
fn a_source_that_ignores_warnings_counts_them() {
    let found = starts(every(10), OnAlarm::Ignore, &[305, 405, 405]);
    assert_eq!(found, (0..=100).map(|k| 10 * k).collect::<Vec<u64>>());
}

#[test]
fn waits_behind_the_spacing_are_counted() {
    let spec = network(every(10), OnAlarm::Obey);
    let mut simulation = Simulation::<Rings>::new(&spec).expect("it is sound");
    warn(&mut simulation, 305);
    simulation.run();
    let shaping = simulation.outcome().flows[0].shaping.clone();
    // Unit k after the warning comes 10 k later and goes 100 k later.
    assert_eq!((shaping.count, shaping.min, shaping.max), (7, 0, 540 * US));
}
