//! Small networks, worked out by hand, and random ones.

mod hand;
mod survey;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::frames::spec::{
    ChannelSpec, EthernetSpec, FlowSpec, Forwarding, FrameRules, LinkSpec, MemorySpec, NodeKind,
    NodeSpec, QueueSpec, SchedulerSpec, SwitchSpec, TrafficSpec, TransportSpec,
};

/// A nanosecond and a microsecond, in picoseconds.
const NS: u64 = 1_000;
const US: u64 = 1_000_000;

/// Stations 1, 2 and so on around switch 0; link `k` leads from station `k + 1`, and its rate is
/// the `k`-th.
fn star(rates_mbps: &[u64]) -> EthernetSpec {
    let node = |name: String, kind| NodeSpec {
        name,
        kind,
        is_deaf: false,
        watchdog: None,
        promised: 0,
    };
    let switch = SwitchSpec {
        forwarding: Forwarding::StoreAndForward,
        latency: Duration::ZERO,
        memory: MemorySpec::Queues,
        stops: Default::default(),
    };
    let mut nodes = vec![node("w".into(), NodeKind::Switch(switch))];
    let mut links = Vec::new();
    for (index, mbps) in rates_mbps.iter().enumerate() {
        let name = format!("s{}", index + 1);
        nodes.push(node(name, NodeKind::Station { storm: None }));
        let channel = ChannelSpec {
            counters: None,
            rate: Rate(mbps * 1_000_000),
            delay: Duration(100 * NS),
            errors: Default::default(),
            scheduler: SchedulerSpec::StrictPriority,
            queues: vec![QueueSpec {
                limit_bytes: None,
                high_bytes: u64::MAX,
                low_bytes: 0,
                priority: 0,
                quantum_bytes: 1_000,
                reserve: None,
                ecn: None,
                rocc: None,
                trim: None,
            }],
            inputs: Vec::new(),
            credits: Vec::new(),
            stopped: Default::default(),
        };
        links.push(LinkSpec::symmetric([index as u32 + 1, 0], channel.into()));
    }
    EthernetSpec {
        seed: 1,
        stop_at: Time(10_000 * US),
        warm_up: Time::ZERO,
        nodes,
        links,
        rules: FrameRules::shortest(Duration(u64::MAX / 4)),
        flows: Vec::new(),
        outages: Vec::new(),
    }
}

/// So many payload bytes in frames of 1,000 bytes (954 of payload), from `start`.
fn datagrams(source: u32, destination: u32, start: u64, bytes: Option<u64>) -> FlowSpec {
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
            start: Time(start),
            bytes,
        },
    }
}
