//! Defects of PAUSE that other simulators have had, each a small case worked out by hand.

use crate::ethernet_common;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::frames::probe::{Content, Gate};
use backwater_net::frames::spec::*;
use ethernet_common::watch::*;

const NS: u64 = 1_000;
const US: u64 = 1_000_000;

fn node(name: String, kind: NodeKind) -> NodeSpec {
    NodeSpec {
        name,
        kind,
        is_deaf: false,
        watchdog: None,
        promised: 0,
    }
}

fn switch(message: Option<Message>) -> NodeKind {
    NodeKind::Switch(SwitchSpec {
        forwarding: Forwarding::StoreAndForward,
        latency: Duration::ZERO,
        memory: MemorySpec::Queues,
        stops: message.map(stops).into(),
    })
}

fn stops(message: Message) -> BackPressureSpec {
    BackPressureSpec {
        classes: 1,
        select: Select::Port,
        detect: Detect::Outputs,
        notify: Notify::All,
        message,
        binding: Default::default(),
        time_out: None,
        blocked: None,
    }
}

/// A link whose queues hold 20,000 bytes, stop at 8,000 and resume at 6,000.
fn link(a: u32, b: u32, mbps: u64) -> LinkSpec {
    let channel = ChannelSpec {
        counters: None,
        rate: Rate(mbps * 1_000_000),
        delay: Duration(100 * NS),
        errors: Default::default(),
        scheduler: SchedulerSpec::StrictPriority,
        queues: vec![QueueSpec {
            limit_bytes: Some(20_000),
            high_bytes: 8_000,
            low_bytes: 6_000,
            priority: 0,
            quantum_bytes: 1_518,
            reserve: None,
            ecn: None,
            rocc: None,
            trim: None,
        }],
        inputs: Vec::new(),
        credits: Vec::new(),
        stopped: Default::default(),
    };
    LinkSpec::symmetric([a, b], channel.into())
}

/// Stations `1..=n` around switch 0, link `k` from station `k + 1`, with these rates in Mb/s.
fn star(rates: &[u64], message: Option<Message>, stop_us: u64) -> EthernetSpec {
    let mut nodes = vec![node("w".into(), switch(message))];
    let mut links = Vec::new();
    for (index, mbps) in rates.iter().enumerate() {
        let kind = NodeKind::Station { storm: None };
        nodes.push(node(format!("s{}", index + 1), kind));
        let mut link = link(index as u32 + 1, 0, *mbps);
        link.channels[0].queues[0].limit_bytes = None;
        links.push(link);
    }
    EthernetSpec {
        seed: 1,
        stop_at: Time(stop_us * US),
        warm_up: Time::ZERO,
        nodes,
        links,
        rules: FrameRules::shortest(Duration(u64::MAX / 4)),
        flows: Vec::new(),
        outages: Vec::new(),
    }
}

/// Frames of 1,000 bytes without end.
fn endless(source: u32, destination: u32) -> FlowSpec {
    FlowSpec {
        name: format!("{source} to {destination}"),
        source,
        destination,
        others: Vec::new(),
        class: 0,
        is_tagged: false,
        transport: TransportSpec::Udp {
            payload_bytes: 954,
            has_rtp: false,
            is_ect: false,
        },
        traffic: TrafficSpec::Infinite {
            start: Time::ZERO,
            bytes: None,
        },
    }
}

fn storm(spec: &mut EthernetSpec, station: u32, from_ns: u64, quanta: u16) {
    spec.nodes[station as usize].kind = NodeKind::Station {
        storm: Some(StormSpec {
            from: Time(from_ns * NS),
            until: Time(from_ns * NS + 1),
            classes: None,
            quanta,
        }),
    };
}

/// When frames start on a channel, ns; control frames, or data.
fn starts(events: &Events, channel: u32, is_control: bool) -> Vec<u64> {
    let all = events.iter().filter_map(|(at, event)| match event {
        Event::Start(on, frame) if *on == channel && frame.is_control() == is_control => {
            Some(at / NS)
        }
        _ => None,
    });
    all.collect()
}

/// Station 2 pauses the switch for long; the switch, congested by that, still pauses station 1.
#[test]
fn a_paused_port_still_sends_pause() {
    let mut spec = star(&[100, 100], Some(Message::UntilCancelled), 4_000);
    // Both ways, and both stations pause the switch at once.
    spec.flows = vec![endless(1, 2), endless(2, 1)];
    storm(&mut spec, 1, 0, 20_000);
    storm(&mut spec, 2, 0, 20_000);
    let events = events_of(&spec);
    for channel in [1, 3] {
        let stops = starts(&events, channel, true);
        assert!(!stops.is_empty(), "channel {channel} says nothing");
        // It is paused itself all the time: from 6.72 us and 0.1 us on, for 102 ms.
        let closed = events.iter().any(|(at, event)| {
            matches!(event, Event::Gate(it, Gate::Port, true) if *it == channel)
                && *at <= stops[0] * NS
        });
        assert!(closed, "channel {channel} is not paused");
        assert_eq!(starts(&events, channel, false), [] as [u64; 0]);
    }
    assert_eq!(loses_nothing(&events, 1), Ok(()));
    // Negative control: a deaf station goes on, and frames are lost.
    spec.nodes[1].is_deaf = true;
    assert!(loses_nothing(&events_of(&spec), 1).is_err());
}

/// A resume ends a pause of 33 ms long before its time; without one it lasts its time.
#[test]
fn a_resume_ends_a_pause_early() {
    let message = Message::Quanta {
        quanta: 65_000,
        refresh_percent: None,
    };
    let mut spec = star(&[1_000, 100], Some(message), 10_000);
    spec.flows = vec![endless(1, 2)];
    let events = events_of(&spec);
    let pause = starts(&events, 1, true);
    let said = |nth: usize| {
        let mut control = events.iter().filter_map(|(_, event)| match event {
            Event::Start(1, frame) if frame.is_control() => Some(frame.content),
            _ => None,
        });
        control.nth(nth)
    };
    assert_eq!(said(0), Some(Content::Pause { quanta: 65_000 }));
    assert_eq!(said(1), Some(Content::Pause { quanta: 0 }));
    let data = starts(&events, 0, false);
    // The resume is in force 672 ns on the wire and 100 ns of way after its start.
    let next = data.iter().find(|at| **at > pause[1]).expect("it goes on");
    assert_eq!(*next, pause[1] + 772);
    assert!(pause.len() > 20, "{} control frames", pause.len());
    // Negative control: without congestion, no resume. A single pause of 1,000 quanta (512 us)
    // is obeyed to its end.
    let mut spec = star(&[1_000, 1_000], None, 2_000);
    spec.flows = vec![endless(1, 2)];
    storm(&mut spec, 2, 0, 1_000);
    let data = starts(&events_of(&spec), 3, false);
    assert_eq!(data[0], 672 + 100 + 512_000);
}

/// The frame at the head of a paused queue is the first to leave after it, and all do.
#[test]
fn a_frame_in_the_queue_is_never_swallowed() {
    let mut spec = star(&[100, 100], None, 3_000);
    spec.flows = vec![endless(1, 2)];
    spec.flows[0].traffic = TrafficSpec::Infinite {
        start: Time::ZERO,
        bytes: Some(10 * 954),
    };
    for from_ns in (0..400_000).step_by(20_011) {
        storm(&mut spec, 2, from_ns, 100);
        let events = events_of(&spec);
        let numbers: Vec<u64> = events
            .iter()
            .filter_map(|(_, event)| match event {
                Event::Delivered(frame) => Some(frame.number),
                _ => None,
            })
            .collect();
        assert_eq!(
            numbers,
            (0..10).collect::<Vec<u64>>(),
            "pause at {from_ns} ns"
        );
        assert_eq!(drained(&events), Ok(()));
    }
}

/// A pause that takes effect while the port is in the gap after a frame (the last 12 byte times,
/// 960 ns at 100 Mb/s) holds the next frame; one that takes effect as that frame starts, too.
#[test]
fn a_pause_in_the_gap_is_obeyed() {
    let mut spec = star(&[100, 100], None, 3_000);
    spec.flows = vec![endless(1, 2)];
    // Frames of 1,000 bytes start on channel 3 at 81.7 us and 163.3 us. A pause takes effect
    // 6,820 ns after its start; 100 quanta are 512 us.
    for effect in [162_340, 162_800, 163_299, 163_300] {
        storm(&mut spec, 2, effect - 6_820, 100);
        let data = starts(&events_of(&spec), 3, false);
        assert_eq!(
            data[..2],
            [81_700, effect + 512_000],
            "effect at {effect} ns"
        );
    }
    // Negative control: a nanosecond later the frame is under way, and completes.
    storm(&mut spec, 2, 163_301 - 6_820, 100);
    let data = starts(&events_of(&spec), 3, false);
    assert_eq!(data[..3], [81_700, 163_300, 163_301 + 512_000]);
}

/// Two equal senders, in step to the picosecond, share the drops of a full queue.
#[test]
fn ties_favour_nobody() {
    let dropped = |events: &Events, flow: u32| {
        let of_flow = |event: &Event| matches!(event, Event::Drop(_, it, _) if it.flow == flow);
        events.iter().filter(|(_, event)| of_flow(event)).count()
    };
    let mut spec = star(&[100, 100, 100], None, 400_000);
    spec.flows = vec![endless(1, 3), endless(2, 3)];
    let events = events_of(&spec);
    let (first, second) = (dropped(&events, 0), dropped(&events, 1));
    let share = 100 * first / (first + second);
    assert!(
        first + second > 2_000 && (40..=60).contains(&share),
        "{first} and {second}"
    );
    // Negative control: half a frame's time later there are no ties, and one loses all.
    spec.flows[1].traffic = TrafficSpec::Infinite {
        start: Time(40 * US),
        bytes: None,
    };
    let events = events_of(&spec);
    let (first, second) = (dropped(&events, 0), dropped(&events, 1));
    let share = 100 * first / (first + second);
    assert!(!(10..=90).contains(&share), "{first} and {second}");
}
