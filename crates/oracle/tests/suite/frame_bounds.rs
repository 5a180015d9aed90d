//! Delay bounds of frames: what the engine computes is what looking at every picosecond gives.

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::bound::frames::bounds;
use backwater_net::frames::spec::{
    ChannelSpec, EthernetSpec, FlowSpec, Forwarding, FrameRules, LinkSpec, MemorySpec, NodeKind,
    NodeSpec, QueueSpec, SchedulerSpec, SwitchSpec, TrafficSpec, TransportSpec,
};
use backwater_oracle::ethernet::delay_bounds;

/// Bytes of all frames, 46 of them around the payload.
const FRAME: u32 = 100;
const CLASSES: u64 = 3;

struct Dice(Stream);

impl Dice {
    /// Both ends included.
    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.0.below(high - low + 1)
    }

    fn channel(&mut self, in_turns: bool) -> ChannelSpec {
        let mut queue = || QueueSpec {
            limit_bytes: None,
            high_bytes: 0,
            low_bytes: 0,
            priority: 0,
            quantum_bytes: 50 * self.between(2, 8) as u32,
            reserve: None,
            ecn: None,
            rocc: None,
            trim: None,
        };
        ChannelSpec {
            counters: None,
            queues: (0..CLASSES).map(|_| queue()).collect(),
            // A byte takes 1 to 3 ps.
            rate: Rate(8_000_000_000_000 / self.between(1, 3)),
            delay: Duration(self.between(1, 50)),
            errors: Default::default(),
            scheduler: match in_turns {
                true => SchedulerSpec::Drr { quantum_bytes: 1 },
                false => SchedulerSpec::StrictPriority,
            },
            inputs: Vec::new(),
            credits: Vec::new(),
            stopped: Default::default(),
        }
    }
}

/// A row of switches with hosts.
fn row(seed: u64) -> EthernetSpec {
    let dice = &mut Dice(Stream::new(seed, 0, Purpose::Topology));
    let switches = dice.between(1, 3) as u32;
    let hosts = dice.between(3, 6) as u32;
    let node = |kind| NodeSpec {
        name: String::new(),
        kind,
        is_deaf: false,
        watchdog: None,
        promised: 0,
    };
    let (mut nodes, mut links) = (Vec::new(), Vec::new());
    for switch in 0..switches {
        nodes.push(node(NodeKind::Switch(SwitchSpec {
            forwarding: match dice.between(0, 1) {
                0 => Forwarding::StoreAndForward,
                _ => Forwarding::CutThrough,
            },
            latency: Duration(dice.between(0, 30)),
            memory: MemorySpec::Queues,
            stops: Default::default(),
        })));
        if switch > 0 {
            let channel = dice.channel(seed % 2 == 1);
            links.push(LinkSpec::symmetric([switch - 1, switch], channel.into()));
        }
    }
    for host in 0..hosts {
        nodes.push(node(NodeKind::Station { storm: None }));
        let switch = dice.between(0, u64::from(switches) - 1) as u32;
        let (ends, channel) = ([switches + host, switch], dice.channel(seed % 2 == 1));
        links.push(LinkSpec::symmetric(ends, channel.into()));
    }
    let flow = |dice: &mut Dice| {
        let from = dice.between(0, u64::from(hosts) - 1) as u32;
        let to = from + dice.between(1, u64::from(hosts) - 1) as u32;
        FlowSpec {
            name: String::new(),
            source: switches + from,
            destination: switches + to % hosts,
            others: Vec::new(),
            class: dice.between(0, CLASSES - 1) as u8,
            is_tagged: false,
            transport: TransportSpec::Udp {
                payload_bytes: FRAME - 46,
                has_rtp: false,
                is_ect: false,
            },
            traffic: TrafficSpec::Constant {
                start: Time::ZERO,
                // A frame each 700 to 5,000 ps, not a whole number of them.
                rate: Rate(u64::from(FRAME - 46) * 8_000_000_000_000 / dice.between(700, 5_000)),
                random_phase: true,
            },
        }
    };
    EthernetSpec {
        seed,
        stop_at: Time(1),
        warm_up: Time::ZERO,
        nodes,
        links,
        rules: FrameRules::shortest(Duration(1)),
        flows: (0..dice.between(2, 8)).map(|_| flow(dice)).collect(),
        outages: Vec::new(),
    }
}

/// The same, with more destinations for half of the flows.
fn row_of_multicasts(seed: u64) -> EthernetSpec {
    let mut spec = row(seed);
    let nodes = (0_u32..).zip(&spec.nodes);
    let hosts = nodes.filter(|(_, node)| matches!(node.kind, NodeKind::Station { .. }));
    let hosts: Vec<u32> = hosts.map(|(host, _)| host).collect();
    for flow in spec.flows.iter_mut().step_by(2) {
        let others = hosts.iter().copied();
        flow.others = others
            .filter(|host| *host != flow.source && *host != flow.destination)
            .take(2)
            .collect();
    }
    spec
}

/// The same, where a row of hosts goes on from one of them.
fn row_of_hosts(seed: u64) -> EthernetSpec {
    let mut spec = row(seed);
    let dice = &mut Dice(Stream::new(seed, 1, Purpose::Topology));
    let mut last = spec.flows[0].destination;
    for flow in 0..spec.flows.len().min(3) {
        let node = spec.nodes[last as usize].clone();
        spec.rules.forwarders.push(last);
        spec.nodes.push(node);
        let next = spec.nodes.len() as u32 - 1;
        let channel = dice.channel(seed % 2 == 1);
        spec.links
            .push(LinkSpec::symmetric([last, next], channel.into()));
        spec.flows[flow].destination = next;
        last = next;
    }
    spec
}

#[test]
fn both_find_the_same_bounds_behind_hosts_that_forward() {
    agree(row_of_hosts);
}

#[test]
fn both_find_the_same_bounds() {
    agree(row);
}

#[test]
fn both_find_the_same_bounds_of_multicasts() {
    agree(row_of_multicasts);
}

fn agree(network: impl Fn(u64) -> EthernetSpec) {
    let (mut same, mut without) = (0, 0);
    for seed in 0..60 {
        let spec = network(seed);
        let slow = delay_bounds(&spec, u64::from(FRAME));
        for (flow, (fast, slow)) in bounds(&spec).into_iter().zip(slow).enumerate() {
            match (fast, slow) {
                (Ok(bound), Some(slow)) => {
                    assert_eq!(bound.delay.ps(), slow, "seed {seed}, flow {flow}");
                    same += 1;
                }
                // Busy for longer than the slow one looks.
                (Ok(_) | Err(_), None) => without += 1,
                (Err(reason), Some(_)) => panic!("seed {seed}, flow {flow}: {reason:?}"),
            }
        }
    }
    assert!(same > 100 && without < same, "{same} and {without}");
}
