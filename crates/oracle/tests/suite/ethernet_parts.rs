//! A run of frames in several parts is the same run: trace hash, tables, losses, standstills, why
//! and when it ended.

use backwater_kernel::{Duration, Rate, Rings, Stop, Time};
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::{
    ChannelSpec, EthernetSpec, FlowSpec, Forwarding, FrameRules, LinkSpec, MemorySpec, NodeKind,
    NodeSpec, QueueSpec, SchedulerSpec, Spread, SwitchSpec, TrafficSpec, TransportSpec, VideoSpec,
};
use backwater_net::parts;
use backwater_net::probe::Recorder;
use backwater_net::spec::{Measure, SeriesSpec, Subject};
use backwater_oracle::ethernet::{Mix, SCHEDULERS, SCHEMES, SPREADS, random_spec};

use crate::parts_common::{Turns, counts, difference, words};

const NETWORKS: u64 = 200;

/// All kinds of networks, by number.
fn network(number: u64) -> EthernetSpec {
    let mix = Mix::of(SCHEMES[(number % 5) as usize]);
    let has = |every: u64| (number / 5) % every == every - 1;
    let mut spec = random_spec(
        70_000 + number,
        Mix {
            has_tcp: !has(4),
            has_pairs: has(6),
            has_waits: has(5),
            has_datagram_waits: has(5) && number % 2 == 1,
            has_rates: has(12),
            has_multicast: has(5),
            has_losses: has(3),
            has_credits: has(2),
            has_counters: has(4),
            may_wait: has(5),
            has_lanes: has(3),
            has_hashes: number.is_multiple_of(2),
            spread: match has(7) && !has(5) {
                true => SPREADS[number as usize / 7 % SPREADS.len()],
                false => Spread::Flows,
            },
            has_nics: number % 4 == 1 && !has(5),
            has_looks: has(2),
            is_finite: number % 4 == 3,
            has_faults: number % 4 == 2,
            schedulers: if has(3) { &SCHEDULERS } else { &[] },
            ..mix
        },
    );
    if has(4) {
        add_media(&mut spec);
    }
    spec
}

/// Datagrams of kinds that the slow engine has not: every fourth flow of them for whose messages
/// nobody waits is video, the next self-similar.
fn add_media(spec: &mut EthernetSpec) {
    let datagrams = |flow: &&mut FlowSpec| {
        matches!(flow.transport, TransportSpec::Udp { .. }) && flow.traffic.messages().is_none()
    };
    for (index, flow) in spec.flows.iter_mut().filter(datagrams).enumerate() {
        let rate = Rate(spec.links[0].channels[0].rate.0 / 5);
        match index % 4 {
            0 => {
                flow.traffic = TrafficSpec::Video(VideoSpec {
                    start: Time::ZERO,
                    rate,
                    pictures_per_second: 10_000,
                    variation: 0.3,
                    scene: Duration(1_000_000_000),
                    correlation: 0.5,
                    clip: (0.1, 4.0),
                    deadline: Duration(50_000_000),
                });
            }
            1 => {
                flow.traffic = TrafficSpec::SelfSimilar {
                    start: Time::ZERO,
                    rate,
                    sources: 5,
                    peak: rate,
                    shape: 1.5,
                    mean_on: Duration(100_000_000),
                };
            }
            _ => {}
        }
    }
}

/// A series of each measure, of whatever flow, channel and class, averaged and not.
fn series(spec: &EthernetSpec, number: u32) -> Vec<SeriesSpec> {
    let channels = 2 * spec.links.len() as u32;
    let classes = spec.links[0].channels[0].queues.len() as u32;
    let of_class = |at: u32| Subject::Class {
        channel: at * 7 % channels,
        class: (at % classes) as u8,
    };
    let of_channel = |at: u32| Subject::Channel(at * 5 % channels);
    let of_flow = |at: u32| Subject::Flow(at % spec.flows.len() as u32);
    let of_node = |at: u32| Subject::Node(at % spec.nodes.len() as u32);
    let kinds: [(Measure, &dyn Fn(u32) -> Subject); 15] = [
        (Measure::Queue, &of_class),
        (Measure::Stopped, &of_class),
        (Measure::Input, &of_class),
        (Measure::Headroom, &of_class),
        (Measure::Stored, &of_node),
        (Measure::Rate, &of_channel),
        (Measure::Stops, &of_channel),
        (Measure::Marks, &of_channel),
        (Measure::Goodput, &of_flow),
        (Measure::Window, &of_flow),
        (Measure::AllowedRate, &of_flow),
        (Measure::TargetRate, &of_flow),
        (Measure::Alpha, &of_flow),
        (Measure::LinkUse, &of_flow),
        (Measure::Goodput, &|_| Subject::Flows),
    ];
    let windows = [None, Some(Duration(20_000_000))];
    let both = kinds
        .iter()
        .flat_map(|kind| windows.map(|window| (kind, window)));
    let all = both.map(|((measure, of), window)| {
        let of = of(2 * number + u32::from(window.is_some()));
        SeriesSpec {
            name: format!("{measure:?} of {of:?}"),
            measure: *measure,
            of,
            window,
            from: Time::ZERO,
            until: spec.stop_at,
        }
    });
    all.collect()
}

#[test]
fn parts_find_what_the_whole_finds() {
    let (mut cut, mut crossings, mut ends) = (0, 0, [0; 3]);
    let (mut several, mut late) = (0, 0);
    for number in 0..NETWORKS {
        let spec = network(number);
        if parts::obstacle(&spec).is_some() {
            continue;
        }
        let recorder = Recorder::new(&series(&spec, number as u32));
        let whole = Simulation::<Rings, _>::with_probe(&spec, recorder.clone());
        let mut whole = whole.expect("a sound network");
        whole.run();
        let expected = whole.outcome();
        let kind = [Stop::TimeReached, Stop::Drained, Stop::Standstill];
        if let Some(at) = kind.iter().position(|stop| *stop == expected.stop) {
            ends[at] += 1;
        }
        let flows = expected.flows.iter();
        let is_late = flows.clone().any(|flow| flow.ends.late > 0);
        let has_several = flows.clone().any(|flow| !flow.destinations.is_empty());
        let seen = whole.probe().series(expected.ended_at);
        let expected = words(&expected);
        for count in counts(&spec) {
            several += u32::from(has_several);
            late += u32::from(is_late);
            let mut turns = Turns::new(&spec, count, &recorder);
            crossings += turns.conductor.crossings();
            turns.run_until(Time::MAX);
            let outcome = turns.outcome();
            let series = turns.probe().series(outcome.ended_at);
            let differs = seen.iter().zip(&series).find(|(one, other)| one != other);
            if let Some((one, _)) = differs {
                panic!("network {number} in {count} parts: {}", one.name);
            }
            let found = words(&outcome);
            assert!(
                found == expected,
                "network {number} in {count} parts: {}",
                difference(&expected, &found)
            );
            cut += 1;
        }
    }
    println!("{cut} runs in parts, {crossings} channels cut, ends {ends:?}");
    println!("{several} with several destinations, {late} with late video");
    assert!(cut > 400 && crossings > 2_000, "{cut} {crossings}");
    assert!(several > 50 && late > 10, "{several} {late}");
    assert!(ends.iter().all(|count| *count > 2), "{ends:?}");
}

/// Wherever the caller looks in between.
#[test]
fn slices_change_nothing() {
    for number in 0..20 {
        let spec = network(number);
        if parts::obstacle(&spec).is_some() {
            continue;
        }
        let mut whole = Simulation::<Rings>::new(&spec).expect("a sound network");
        whole.run();
        let mut turns = Turns::new(&spec, 2, &());
        for slice in 1..10 {
            turns.run_until(Time(spec.stop_at.ps() / 10 * slice + slice));
            let so_far = turns.outcome();
            assert!(so_far.unit_hops <= whole.unit_hops());
        }
        turns.run_until(Time::MAX);
        let (expected, found) = (words(&whole.outcome()), words(&turns.outcome()));
        assert!(
            found == expected,
            "{number}: {}",
            difference(&expected, &found)
        );
    }
}

/// A window that is longer than what starts first takes is noticed.
#[test]
fn windows_that_are_too_long_are_noticed() {
    let mut noticed = 0;
    for number in 0..40 {
        let spec = network(number);
        if parts::obstacle(&spec).is_some() {
            continue;
        }
        let turns = Turns::new(&spec, 2, &());
        let twice = Duration(turns.conductor.lookahead().ps() * 2);
        noticed += u32::from(turns.conductor.crossings() > 0 && turns.notices(twice));
    }
    assert!(noticed > 10, "{noticed}");
}

/// Two hosts and a switch, and a least frame every so often: one starts at the beginning of a
/// window, and takes effect as that ends.
fn two_hosts() -> EthernetSpec {
    let node = |name: &str, kind| NodeSpec {
        name: name.into(),
        kind,
        is_deaf: false,
        watchdog: None,
        promised: 0,
    };
    let host = || NodeKind::Station { storm: None };
    let switch = NodeKind::Switch(SwitchSpec {
        forwarding: Forwarding::StoreAndForward,
        latency: Duration::ZERO,
        memory: MemorySpec::Queues,
        stops: Default::default(),
    });
    let queue = QueueSpec {
        limit_bytes: None,
        high_bytes: u64::MAX,
        low_bytes: 0,
        priority: 0,
        quantum_bytes: 1,
        reserve: None,
        ecn: None,
        rocc: None,
        trim: None,
    };
    let channel = || ChannelSpec {
        counters: None,
        rate: Rate(1_000_000_000),
        delay: Duration(500_000),
        errors: Default::default(),
        scheduler: SchedulerSpec::StrictPriority,
        queues: vec![queue],
        inputs: Vec::new(),
        credits: Vec::new(),
        stopped: Default::default(),
    };
    let link = |a, b| LinkSpec {
        ends: [a, b],
        channels: [channel(), channel()].map(Into::into),
    };
    EthernetSpec {
        seed: 1,
        stop_at: Time(1_000_000_000),
        warm_up: Time::ZERO,
        nodes: vec![node("a", host()), node("s", switch), node("b", host())],
        links: vec![link(0, 1), link(1, 2)],
        rules: FrameRules::shortest(Duration(1_000_000_000)),
        flows: vec![FlowSpec {
            name: "f".into(),
            source: 0,
            destination: 2,
            others: Vec::new(),
            class: 0,
            is_tagged: false,
            transport: TransportSpec::Udp {
                payload_bytes: 18,
                has_rtp: false,
                is_ect: false,
            },
            traffic: TrafficSpec::Constant {
                start: Time(1_000),
                rate: Rate(10_000_000),
                random_phase: false,
            },
        }],
        outages: Vec::new(),
    }
}

/// A picosecond too much is noticed, and what is right is not.
#[test]
fn a_window_that_is_too_long_by_the_least_is_noticed() {
    let turns = || Turns::new(&two_hosts(), 2, &());
    assert_eq!(
        turns().conductor.lookahead(),
        Duration(84 * 8_000 + 500_000)
    );
    assert!(!turns().notices(Duration::ZERO));
    assert!(turns().notices(Duration(1)));
}
