//! Standstills: chains and circles of queues that wait, and what lets them go.

use crate::frames::common::*;
use backwater_kernel::{Duration, Rate, Stop, Time};
use backwater_net::frames::probe::{Gate, Probe};
use backwater_net::frames::spec::*;
use backwater_net::outcome::Standstill;
use backwater_net::watched;

/// When the last stop of each channel took effect.
#[derive(Default)]
struct Stops(Vec<(u32, Time)>);

impl Probe for Stops {
    fn on_gate(&mut self, at: Time, channel: u32, _: Gate, is_stopped: bool) {
        if is_stopped {
            self.0.retain(|(own, _)| *own != channel);
            self.0.push((channel, at));
        }
    }
}

/// The standstill of a run, if there is one, and the last stops.
fn run(spec: &EthernetSpec) -> (Option<Standstill>, Stops) {
    let (probe, outcome) = watched(spec, Stops::default()).expect("a sound network");
    let expected = match outcome.standstill {
        Some(_) => Stop::Standstill,
        None => Stop::TimeReached,
    };
    assert_eq!(outcome.stop, expected);
    (outcome.standstill, probe)
}

impl Stops {
    fn of(&self, channel: u32) -> Time {
        let own = self.0.iter().find(|(own, _)| *own == channel);
        own.map_or(Time::ZERO, |(_, at)| *at)
    }
}

/// S (channel 0) sends to D over switch A (channel 2), all at 100 Mbps. From 10 ms to `until` D
/// stops class 0, so that A stops S when its queue is full.
fn chain(until: u64) -> EthernetSpec {
    let rules = BackPressureSpec {
        select: Select::Class,
        ..simple()
    };
    let mut net = Net::new(2, Some(rules));
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 100);
    net.udp(s, d, 954, endless());
    net.spec.nodes[d as usize].kind = NodeKind::Station {
        storm: Some(StormSpec {
            from: Time(10 * MS),
            until: Time(until),
            classes: Some(1),
            quanta: 65_535,
        }),
    };
    net.spec.stop_at = Time(S);
    net.spec.warm_up = Time::ZERO;
    net.spec
}

#[test]
fn queues_that_wait_for_one_that_is_never_let_go_are_a_chain() {
    let (found, stops) = run(&chain(2 * S));
    let found = found.expect("a standstill");
    assert!(!found.is_circle && !found.others_move);
    let queue = |at: usize| found.waits[at].queue().expect("of a class");
    let of = |at: usize| (queue(at).channel, found.waits[at].since);
    assert_eq!(found.waits.len(), 2);
    assert_eq!(of(0), (0, Some(stops.of(0))));
    // Its first stop counts, however often it is said again.
    assert_eq!(of(1), (2, Some(Time(10 * MS + 84 * 80_000 + US / 2))));
    assert_eq!(found.since, stops.of(0));
    // It is looked for every 200 ms: at 200 ms the stop of S is younger than that.
    assert_eq!(found.found_at, Time(400 * MS));
    // One frame more than 400,000 bytes, and one that was under way as the stop came.
    assert_eq!((found.waits[1].units, queue(1).bytes), (402, 402_000));
    assert_eq!((found.waits[0].units, found.waits[0].flow), (1, 0));
    assert_eq!((queue(0).class, queue(0).destination), (0, None));
}

#[test]
fn a_chain_that_something_can_let_go_is_no_standstill() {
    let stands = |spec: &EthernetSpec| run(spec).0.is_some();
    // A storm that ends before the run.
    assert!(stands(&chain(S)));
    assert!(!stands(&chain(S - 1)));
    // A watchdog, even one that takes longer than the run.
    for node in 0..3 {
        let mut spec = chain(2 * S);
        spec.nodes[node].watchdog = Some(WatchdogSpec {
            detect: Duration(10 * S),
            restore: Duration(S),
            action: WatchdogAction::Forward,
        });
        assert!(!stands(&spec), "a watchdog at {node}");
    }
    // A time-out.
    let mut spec = chain(2 * S);
    if let NodeKind::Switch(switch) = &mut spec.nodes[1].kind
        && let Some(rules) = &mut switch.stops.common
    {
        rules.time_out = Some(TimeOutSpec {
            after: Duration(10 * S),
            grace: Duration(1),
        });
    }
    assert!(!stands(&spec));
    // Another class that moves.
    let mut spec = chain(2 * S);
    let mut moves = spec.flows[0].clone();
    moves.class = 1;
    moves.traffic = TrafficSpec::Constant {
        start: Time::ZERO,
        rate: Rate(MBPS),
        random_phase: false,
    };
    spec.flows.push(moves);
    assert!(!stands(&spec));
    // It stands still as soon as that one has ended.
    spec.flows[1].traffic = TrafficSpec::Infinite {
        start: Time(500 * MS),
        bytes: Some(954),
    };
    assert_eq!(run(&spec).0.map(|it| it.found_at), Some(Time(400 * MS)));
    spec.flows[1].traffic = TrafficSpec::Infinite {
        start: Time(300 * MS),
        bytes: Some(954),
    };
    assert_eq!(run(&spec).0.map(|it| it.found_at), Some(Time(600 * MS)));
}

/// Two switches tell all neighbours, and both ends of the trunk between them (channels 0 and 1)
/// get twice what it carries.
fn circle(notify: Notify) -> EthernetSpec {
    let rules = BackPressureSpec { notify, ..simple() };
    let mut net = Net::new(1, Some(rules));
    let (a, b) = (net.switch("A"), net.switch("B"));
    net.link(a, b, 100);
    let mut stations = Vec::new();
    for at in [a, a, b, b] {
        let station = net.station(&format!("S{}", stations.len()));
        net.link(at, station, 100);
        stations.push(station);
    }
    for (from, to) in [(0, 2), (1, 3), (2, 0), (3, 1)] {
        net.udp(stations[from], stations[to], 954, endless());
    }
    net.spec.stop_at = Time(S);
    net.spec.warm_up = Time::ZERO;
    net.spec
}

#[test]
fn two_queues_that_stop_each_other_are_a_circle() {
    let (found, stops) = run(&circle(Notify::All));
    let found = found.expect("a deadlock");
    assert!(found.is_circle && !found.others_move);
    let waits: Vec<_> = found
        .waits
        .iter()
        .map(|it| (it.queue().expect("of a class").channel, it.since))
        .collect();
    assert_eq!(waits, [(0, Some(stops.of(0))), (1, Some(stops.of(1)))]);
    assert_eq!(found.since, stops.of(0).max(stops.of(1)));
    assert_eq!(found.found_at, Time(400 * MS));
    // A watchdog that never trips does not part a circle, but one that may does.
    let mut spec = circle(Notify::All);
    spec.nodes[0].watchdog = Some(WatchdogSpec {
        detect: Duration(10 * S),
        restore: Duration(S),
        action: WatchdogAction::Forward,
    });
    assert!(run(&spec).0.is_some_and(|it| it.is_circle));
    if let Some(watchdog) = &mut spec.nodes[0].watchdog {
        watchdog.detect = Duration(100 * MS);
    }
    assert_eq!(run(&spec).0, None);
    assert_eq!(run(&circle(Notify::Others)).0, None);
}
