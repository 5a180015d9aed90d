//! A made-up run of the Ethernet engine: two hosts, two switches, a host.

use backwater_ends::TcpSpec;
use backwater_ends::tcp::TcpCounts;
use backwater_kernel::{
    Balance, Collected, DelayOutcome, Delays, Distribution, Duration, Place, Rate, Stop, Time,
    Violations,
};
use backwater_net::frames::spec::{
    ChannelSpec, EthernetSpec, FlowSpec, Forwarding, FrameRules, LinkSpec, MemorySpec, NodeKind,
    NodeSpec, QueueSpec, SchedulerSpec, SwitchSpec, TrafficSpec, TransportSpec, VideoSpec,
};
use backwater_net::outcome::{
    ChannelOutcome, ClassesOutcome, Drops, EndsOutcome, FlowOutcome, LossCause, NodeOutcome,
    Outcome, QueueOutcome, Reason, Standstill, StuckQueue, Wait, WaitPlace,
};
use backwater_results::{Findings, RunInfo, run_summary};

use super::HOSTILE;

const S: u64 = 1_000_000_000_000;
const MS: u64 = 1_000_000_000;
const US: u64 = 1_000_000;

/// What `summary.json` says.
pub fn summary(info: &RunInfo, spec: &EthernetSpec, outcome: &Outcome) -> serde_json::Value {
    run_summary(info, &Findings::new(spec, outcome.clone(), Duration::ZERO)).into()
}

fn channel(mbps: u64) -> ChannelSpec {
    let queue = QueueSpec {
        limit_bytes: Some(70_000),
        high_bytes: 56_000,
        low_bytes: 49_000,
        priority: 0,
        quantum_bytes: 1518,
        reserve: None,
        ecn: None,
        rocc: None,
        trim: None,
    };
    ChannelSpec {
        counters: None,
        rate: Rate(mbps * 1_000_000),
        delay: Duration(500_000),
        errors: Default::default(),
        scheduler: SchedulerSpec::StrictPriority,
        queues: vec![queue; 2],
        inputs: Vec::new(),
        credits: Vec::new(),
        stopped: Default::default(),
    }
}

fn node(name: &str, kind: NodeKind) -> NodeSpec {
    NodeSpec {
        name: name.into(),
        kind,
        is_deaf: false,
        watchdog: None,
        promised: 0,
    }
}

fn flow(name: &str, source: u32, transport: TransportSpec, traffic: TrafficSpec) -> FlowSpec {
    FlowSpec {
        name: name.into(),
        source,
        destination: 4,
        others: Vec::new(),
        class: 0,
        is_tagged: false,
        transport,
        traffic,
    }
}

/// Two flows of files in a group, one video, over a line of two switches.
pub fn spec() -> EthernetSpec {
    let host = || NodeKind::Station { storm: None };
    let switch = || {
        NodeKind::Switch(SwitchSpec {
            forwarding: Forwarding::StoreAndForward,
            latency: Duration::ZERO,
            memory: MemorySpec::Queues,
            stops: Default::default(),
        })
    };
    let link = |a, b, mbps| LinkSpec {
        ends: [a, b],
        channels: [channel(mbps), channel(mbps)].map(Into::into),
    };
    let files = || TrafficSpec::Infinite {
        start: Time::ZERO,
        bytes: None,
    };
    let tcp = TransportSpec::Tcp(TcpSpec::bsd());
    let udp = TransportSpec::Udp {
        payload_bytes: 1000,
        has_rtp: true,
        is_ect: false,
    };
    let video = TrafficSpec::Video(VideoSpec {
        start: Time::ZERO,
        rate: Rate(1_500_000),
        pictures_per_second: 30,
        variation: 0.45,
        scene: Duration(4 * S),
        correlation: 0.8,
        clip: (0.1, 5.0),
        deadline: Duration(100 * MS),
    });
    EthernetSpec {
        seed: 1999,
        stop_at: Time(11 * S),
        warm_up: Time(S),
        nodes: vec![
            node("S1", host()),
            node("S2", host()),
            node("A", switch()),
            node("B", switch()),
            node("D", host()),
        ],
        links: vec![
            link(0, 2, 100),
            link(1, 2, 100),
            link(2, 3, 100),
            link(3, 4, 10),
        ],
        rules: FrameRules::shortest(Duration(200 * MS)),
        flows: vec![
            flow("file[1]", 0, tcp.clone(), files()),
            flow("file[2]", 0, tcp, files()),
            flow(HOSTILE, 1, udp, video),
        ],
        outages: Vec::new(),
    }
}

fn times(values: &[u64]) -> DelayOutcome {
    let mut times = Delays::default();
    values.iter().for_each(|value| times.record(*value));
    times.outcome()
}

fn spread(values: &[u64]) -> Distribution {
    let mut spread = Collected::new(9);
    values.iter().for_each(|value| spread.record(*value));
    spread.distribution()
}

fn found(goodput_bytes: u64, dropped: u64) -> FlowOutcome {
    FlowOutcome {
        offered_total: 1000,
        delivered_total: 990 - dropped,
        lost_total: dropped,
        inside_total: 10,
        bytes: Some(Balance {
            offered: 1_000_000,
            delivered: 990_000 - dropped * 1000,
            dropped: dropped * 1000,
            queued: 0,
            inside: 10_000,
        }),
        delivered: 900,
        lost: dropped,
        delay: times(&[100 * US, 200 * US, 300 * US, 2 * MS]),
        ends: EndsOutcome {
            goodput_bytes,
            offered_bytes_total: goodput_bytes,
            ..EndsOutcome::default()
        },
        ..FlowOutcome::default()
    }
}

fn queue(sent: u64, stopped_share: f64, drops: Drops) -> QueueOutcome {
    QueueOutcome {
        joined_total: sent,
        sent,
        sent_bytes: sent * 1000,
        data_share: (sent * 1020 * 8) as f64 / 1e8,
        drops,
        most_bytes: 60_000,
        mean_bytes: 40_000.0,
        stopped_share,
        stops: spread(if stopped_share > 0.0 {
            &[2 * MS, 8 * MS]
        } else {
            &[]
        }),
        ..QueueOutcome::default()
    }
}

/// What was found there: drops in front of D, stops in front of A and B.
pub fn outcome() -> Outcome {
    let mut flows = vec![
        found(5_000_000, 7),
        found(4_000_000, 3),
        found(1_875_000, 0),
    ];
    for flow in &mut flows[..2] {
        flow.ends.transfers = 50;
        flow.ends.transfer_time = spread(&[40 * MS, 60 * MS]);
        flow.ends.acknowledged_time = spread(&[41 * MS, 61 * MS]);
        flow.alone = Some(Duration(20 * MS));
        flow.slowdown = flow.ends.transfer_time.over((20 * MS) as f64);
        flow.ends.transfers_begun = 51;
        (flow.ends.transfers_total, flow.ends.last_transfer) = (51, Time(10_900 * MS));
        flow.ends.tcp = TcpCounts {
            segments: 900,
            sent_bytes: 1_000_000,
            again_bytes: 10_000,
            ..TcpCounts::default()
        };
    }
    flows[1].ends.unacknowledged_total = 1;
    (flows[2].ends.due, flows[2].ends.late) = (400, 20);
    let channel = |queue: QueueOutcome, data_share: f64| ChannelOutcome {
        data_share,
        by_class: ClassesOutcome {
            queues: vec![queue, QueueOutcome::default()],
            ..ClassesOutcome::default()
        },
        ..ChannelOutcome::default()
    };
    let none = Drops::default();
    let mut drops = none;
    drops.add(LossCause::QueueFull, 9);
    drops.add(LossCause::Watchdog, 1);
    let mut channels = vec![
        channel(queue(2000, 0.25, none), 0.2),
        channel(queue(900, 0.0, none), 0.01),
        channel(queue(1000, 0.125, none), 0.1),
        channel(queue(500, 0.0, none), 0.01),
        channel(queue(3000, 0.0, none), 0.3),
        channel(queue(1400, 0.0, none), 0.02),
        channel(queue(3000, 0.0, drops), 0.97),
        channel(queue(1400, 0.0, none), 0.1),
    ];
    (
        channels[1].by_class.stops_sent,
        channels[1].by_class.resumes_sent,
    ) = (12, 11);
    channels[1].by_class.refreshes_sent = 2;
    channels[0].by_class.stops_obeyed = 12;
    Outcome {
        ended_at: Time(11 * S),
        stop: Stop::TimeReached,
        trace_hash: 0xc0ff_ee01_2345_6789,
        events: 12_345,
        unit_hops: 13_200,
        control_hops: 23,
        flows,
        members: Vec::new(),
        legs: Vec::new(),
        channels,
        nodes: vec![NodeOutcome::default(); 5],
        violations: Violations::default(),
        standstill: None,
    }
}

/// The same, ended by two queues that wait for each other.
pub fn standing() -> Outcome {
    let wait = |channel, first_flow| Wait {
        flow: first_flow,
        place: WaitPlace::Queue(StuckQueue {
            channel,
            class: 0,
            destination: None,
            lane: None,
            bytes: 12_000,
        }),
        units: 12,
        since: Some(Time(210 * MS)),
        reason: Reason::Shut,
    };
    Outcome {
        stop: Stop::Standstill,
        standstill: Some(Standstill {
            since: Time(210 * MS),
            found_at: Time(400 * MS),
            is_circle: true,
            others_move: false,
            waits: vec![wait(4, 0), wait(5, 2)],
        }),
        ..outcome()
    }
}

/// A run with something wrong everywhere.
pub fn broken() -> Outcome {
    let mut outcome = standing();
    outcome.flows[0].delivered_total += 1;
    for _ in 0..250 {
        let (at, place) = (Time(5 * MS), Place::Channel(6));
        let what = || format!("a frame vanished {HOSTILE}");
        outcome.violations.note(at, place, what);
    }
    outcome
}

/// About that run.
pub fn info() -> RunInfo {
    RunInfo {
        name: "Two switches".into(),
        description: "A made-up run.".into(),
        command: "backwater run x.toml".into(),
        version: "0.1.0".into(),
        wall_seconds: Some(0.01),
        ..RunInfo::default()
    }
}
