//! Warnings at exact instants.

use super::*;
use crate::outcome::Outcome;
use crate::probe::{Crossing, UnitKind};
use crate::spec::*;
use alloc::vec;
use alloc::vec::Vec;
use backwater_kernel::{Duration, Rate, Rings, Time};

/// One byte a nanosecond.
const RATE: Rate = Rate(8_000_000_000);

fn ns(count: u64) -> Time {
    Time(1000 * count)
}

/// A chain of `hops` links of 100 ns; a flow of 10 units of 50 bytes from its first node to its
/// last, and one the other way that never ends.
fn chain(hops: u32, errors: ErrorSpec) -> NetworkSpec {
    let node = |id: u32| NodeSpec {
        name: alloc::format!("{id}"),
        kind: NodeKind::Switch,
        pool: None,
    };
    let channel = || ChannelSpec {
        rate: RATE,
        delay: Duration(100_000),
        handling: Duration::ZERO,
        timing: Timing::StoreAndForward,
        errors,
        scheduler: SchedulerSpec::default(),
    };
    let link = |a: u32| LinkSpec {
        ends: [a, a + 1],
        channels: [channel(), channel()],
    };
    let there = (0..hops).map(|hop| 2 * hop).collect();
    let back = (0..hops).rev().map(|hop| 2 * hop + 1).collect();
    NetworkSpec {
        rules: CellRules::default(),
        outages: Vec::new(),
        seed: 1,
        stop_at: ns(3000),
        warm_up: Time::ZERO,
        nodes: (0..=hops).map(node).collect(),
        links: (0..hops).map(link).collect(),
        flows: vec![flow(0, there, Some(10)), flow(hops, back, None)],
    }
}

fn flow(source: u32, channels: Vec<u32>, total: Option<u64>) -> FlowSpec {
    let leg = |(index, &channel): (usize, &u32)| LegSpec {
        channel,
        parent: index.checked_sub(1).map(|parent| parent as u32),
        flow_control: FlowControlSpec::None,
        buffer: BufferSpec {
            limit_units: None,
            overflow: Overflow::Drop,
        },
    };
    let start = Time::ZERO;
    FlowSpec {
        name: "flow".into(),
        source,
        legs: channels.iter().enumerate().map(leg).collect(),
        priority: 0,
        unit_bytes: 50,
        sizes: Vec::new(),
        traffic: TrafficSpec::Greedy { start, total },
        source_control: SourceControlSpec::None,
        sink: SinkSpec::Infinite,
        partner: None,
        reserve: None,
        envelope: None,
        policer: None,
        on_alarm: OnAlarm::Ignore,
        session: None,
    }
}

/// Warnings as they start, arrive and are lost: instants and legs.
#[derive(Default)]
struct Warnings {
    starts: Vec<(Time, u32, u32)>,
    arrivals: Vec<(Time, u32)>,
    losses: Vec<(Time, u32)>,
}

impl Probe for Warnings {
    fn on_start(&mut self, crossing: Crossing) {
        if crossing.kind == UnitKind::Control(ControlKind::Alarm) {
            let (at, channel, bytes) = (crossing.at, crossing.channel, crossing.bytes);
            self.starts.push((at, channel, bytes));
        }
    }
    fn on_arrival(&mut self, crossing: Crossing) {
        if crossing.kind == UnitKind::Control(ControlKind::Alarm) {
            self.arrivals.push((crossing.at, crossing.leg));
        }
    }
    fn on_loss(&mut self, crossing: Crossing, _cause: crate::outcome::LossCause) {
        assert_eq!(crossing.kind, UnitKind::Control(ControlKind::Alarm));
        self.losses.push((crossing.at, crossing.leg));
    }
}

/// Raises a warning of 20 bytes at the port of `leg` as the run begins.
fn warn(spec: &NetworkSpec, leg: u32) -> (Outcome, Warnings) {
    let warnings = Warnings::default();
    let mut simulation = Simulation::<Rings, _>::with_probe(spec, warnings).expect("it is sound");
    simulation.raise_alarm(leg, 20);
    simulation.run();
    let outcome = simulation.outcome();
    assert_eq!(outcome.violations.total(), 0);
    (outcome, simulation.into_probe())
}

/// From the third port over two links, which the flow back does not use yet.
#[test]
fn a_warning_goes_back_hop_by_hop() {
    let (outcome, seen) = warn(&chain(3, ErrorSpec::default()), 2);
    assert_eq!(outcome.flows[0].alarms_total, 1);
    assert_eq!(outcome.flows[1].alarms_total, 0);
    // Channel 3 runs back over the second link.
    assert_eq!(seen.starts, [(ns(0), 3, 20), (ns(120), 1, 20)]);
    assert_eq!(seen.arrivals, [(ns(120), 1), (ns(240), 0)]);
}

#[test]
fn a_warning_waits_for_the_unit_on_the_wire_and_no_other() {
    let mut spec = chain(3, ErrorSpec::default());
    // The other flow sends from the start at the node where the warning is raised.
    spec.flows[1].source = 2;
    spec.flows[1].legs.remove(0);
    spec.flows[1].legs[0].parent = None;
    spec.flows[1].legs[1].parent = Some(0);
    let mut simulation =
        Simulation::<Rings, _>::with_probe(&spec, Warnings::default()).expect("it is sound");
    simulation.run_until(ns(1000));
    simulation.raise_alarm(2, 20);
    simulation.run();
    // Units of the other flow start here every 50 ns, and at the next node at 1150, 1220 and so
    // on. The warning starts as soon as the unit of 1000 has left, is there at 1170, and starts
    // as soon as that of 1150 has left; the other flow's units wait.
    let starts = &simulation.probe().starts;
    assert_eq!(starts[..], [(ns(1050), 3, 20), (ns(1200), 1, 20)]);
    assert_eq!(simulation.outcome().flows[0].alarms_total, 1);
}

#[test]
fn the_source_warns_itself_without_a_message() {
    let (outcome, seen) = warn(&chain(3, ErrorSpec::default()), 0);
    assert_eq!(outcome.flows[0].alarms_total, 0);
    assert!(seen.starts.is_empty());
}

#[test]
fn a_lost_warning_is_lost() {
    let errors = ErrorSpec {
        control_loss: 1.0,
        ..ErrorSpec::default()
    };
    let (outcome, seen) = warn(&chain(3, errors), 2);
    assert_eq!(outcome.flows[0].alarms_total, 0);
    assert_eq!(seen.losses, [(ns(120), 1)]);
    // What it says can't be corrupted: it says nothing.
    let errors = ErrorSpec {
        control_corruption: 1.0,
        ..ErrorSpec::default()
    };
    assert_eq!(warn(&chain(3, errors), 2).0.flows[0].alarms_total, 1);
}

#[test]
fn a_message_is_its_value() {
    use Message::*;
    for (value, message) in [SetUp, Acceptance, Refusal, TearDown]
        .into_iter()
        .enumerate()
    {
        assert_eq!(Message::of(value as u64), message);
        assert_eq!(message as u64, value as u64);
    }
    assert!(!SetUp.goes_back() && !TearDown.goes_back());
}
