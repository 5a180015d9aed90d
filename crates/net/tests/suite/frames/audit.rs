//! The audit finds nothing in sound runs, and what is wrong in others.

use crate::frames::common::{MBPS, MS, Net, US, simple};
use backwater_kernel::{Duration, Rate, Rings, Time};
use backwater_net::frames::Simulation;
use backwater_net::frames::probe::{Audit, Content, FrameView, Gate, LossCause, Probe};
use backwater_net::frames::spec::*;
use backwater_net::outcome::Outcome;
use backwater_net::watched;

/// Two stations at 100 Mbps send to one at 10 Mbps over two switches, in two classes.
fn network(back_pressure: Option<BackPressureSpec>) -> EthernetSpec {
    let mut net = Net::new(2, back_pressure);
    let (s1, s2, d) = (net.station("S1"), net.station("S2"), net.station("D"));
    let (a, b) = (net.switch("A"), net.switch("B"));
    net.link(s1, a, 100);
    net.link(s2, a, 100);
    net.link(a, b, 100);
    net.link(b, d, 10);
    let infinite = || TrafficSpec::Infinite {
        start: Time::ZERO,
        bytes: None,
    };
    net.flow(s1, d, infinite());
    net.flow(s2, d, infinite());
    let high = net.udp(
        s1,
        d,
        500,
        TrafficSpec::Constant {
            start: Time(3 * US),
            rate: Rate(2 * MBPS),
            random_phase: false,
        },
    );
    let mut spec = net.spec;
    spec.flows[high as usize].class = 1;
    spec.stop_at = Time(400 * MS);
    spec.warm_up = Time::ZERO;
    spec
}

fn audited(spec: &EthernetSpec) -> (Audit, Outcome) {
    watched(spec, Audit::new(spec)).expect("it can be run")
}

#[test]
fn sound_runs_keep_every_promise_and_the_audit_changes_none() {
    let with = |select| BackPressureSpec { select, ..simple() };
    let all = [
        None,
        Some(with(Select::Port)),
        Some(with(Select::Class)),
        Some(with(Select::Destination(Choose::AllFound))),
    ];
    for back_pressure in all {
        let spec = network(back_pressure);
        let (audit, outcome) = audited(&spec);
        let broken = audit.checks().violations();
        assert_eq!(broken.total(), 0, "{back_pressure:?}: {broken:?}");
        let mut plain = Simulation::<Rings>::new(&spec).expect("it can be run");
        plain.run();
        let (one, other) = (outcome, plain.outcome());
        assert_eq!(one.trace_hash, other.trace_hash);
        let seen = audit.checks().coverage();
        assert!(
            seen.compared > 10 && seen.compared < seen.instants / 10,
            "{seen:?}"
        );
        assert!(seen.compared_within <= 64, "{seen:?}");
        assert!(
            audit.checks().made() > one.unit_hops * 4,
            "it looked at all of it"
        );
        let drops: u64 = one.flows.iter().map(|flow| flow.lost_total).sum();
        assert_eq!(drops == 0, back_pressure.is_some());
        let stops: u64 = one
            .channels
            .iter()
            .map(|channel| channel.by_class.stops_obeyed)
            .sum();
        assert_eq!(stops > 0, back_pressure.is_some(), "it was put to the test");
    }
}

#[test]
fn a_watchdog_keeps_the_books_in_order() {
    for action in [WatchdogAction::Drop, WatchdogAction::Forward] {
        let mut spec = network(Some(BackPressureSpec {
            select: Select::Class,
            ..simple()
        }));
        for node in &mut spec.nodes {
            node.watchdog = Some(WatchdogSpec {
                detect: Duration(5 * MS),
                restore: Duration(20 * MS),
                action,
            });
            if node.name == "D" {
                node.kind = NodeKind::Station {
                    storm: Some(StormSpec {
                        from: Time(100 * MS),
                        until: Time(200 * MS),
                        classes: Some(1),
                        quanta: 65_535,
                    }),
                };
            }
        }
        let (audit, outcome) = audited(&spec);
        let broken = audit.checks().violations();
        assert_eq!(broken.total(), 0, "{action:?}: {broken:?}");
        let queues = outcome
            .channels
            .iter()
            .flat_map(|channel| &channel.by_class.queues);
        assert!(queues.map(|queue| queue.watchdog_trips).sum::<u64>() > 0);
    }
}

fn frame(number: u64, class: u8) -> FrameView {
    FrameView {
        flow: 0,
        number,
        source: 0,
        destination: 2,
        receivers: (0, 1),
        class,
        bytes: 1000,
        is_tagged: false,
        is_ect: false,
        is_marked: false,
        born: Time::ZERO,
        content: Content::Udp {
            bytes: 900,
            number,
            has_rtp: false,
        },
    }
}

/// What the audit says first of a story told by hand.
fn first(story: impl Fn(&mut Audit)) -> String {
    let mut audit = Audit::new(&network(None));
    audit.on_frame_created(Time(1), 0, &(&frame(0, 0)).into());
    audit.on_frame_joined(Time(1), 0, &(&frame(0, 0)).into(), 1000);
    audit.on_frame_created(Time(1), 0, &(&frame(1, 0)).into());
    audit.on_frame_joined(Time(1), 0, &(&frame(1, 0)).into(), 2000);
    assert_eq!(audit.checks().violations().total(), 0);
    story(&mut audit);
    let broken = audit.checks().violations().kept();
    broken
        .first()
        .map_or_else(String::new, |first| first.what.clone())
}

#[test]
fn broken_promises_are_seen() {
    let sound = first(|audit| {
        audit.on_frame_start(Time(2), 0, &(&frame(0, 0)).into());
        audit.on_frame_sent(Time(90_000_000), 0, 0, 1000);
        audit.on_frame_start(Time(90_000_000), 0, &(&frame(1, 0)).into());
        audit.on_frame_delivered(Time(90_000_000), &(&frame(0, 0)).into());
    });
    assert_eq!(sound, "");
    type Story = fn(&mut Audit);
    let stories: [(Story, &str); 10] = [
        (
            |a| a.on_frame_start(Time(2), 0, &(&frame(1, 0)).into()),
            "passes one",
        ),
        (
            |a| a.on_frame_start(Time(2), 0, &(&frame(7, 0)).into()),
            "did not wait",
        ),
        (
            |a| a.on_frame_joined(Time(2), 0, &(&frame(2, 0)).into(), 2999),
            "holds 3000, not 2999",
        ),
        (
            |a| a.on_frame_delivered(Time(2), &(&frame(9, 0)).into()),
            "was not there",
        ),
        (
            |a| a.on_frame_created(Time(2), 0, &(&frame(0, 0)).into()),
            "made twice",
        ),
        (|a| a.on_gate(Time(2), 0, Gate::Port, false), "told twice"),
        (
            |a| {
                a.on_gate(Time(2), 0, Gate::Class(0), true);
                a.on_frame_start(Time(3), 0, &(&frame(0, 0)).into());
            },
            "though it is stopped",
        ),
        (
            |a| {
                a.on_frame_joined(Time(2), 0, &(&frame(5, 1)).into(), 1000);
                a.on_frame_start(Time(3), 0, &(&frame(0, 0)).into());
            },
            "before a higher class",
        ),
        (
            |a| {
                a.on_frame_start(Time(2), 0, &(&frame(0, 0)).into());
                a.on_frame_start(Time(3), 0, &(&frame(1, 0)).into());
            },
            "two frames at a time",
        ),
        (
            |a| {
                let content = Content::Pause { quanta: 1 };
                let pause = FrameView {
                    content,
                    ..frame(0, 0)
                };
                a.on_frame_dropped(Time(2), 0, &(&pause).into(), LossCause::QueueFull);
            },
            "is dropped",
        ),
    ];
    for (story, what) in stories {
        let said = first(story);
        assert!(said.contains(what), "{said:?} and not {what:?}");
    }
}
