//! Small networks for tests.

use backwater_ends::TcpSpec;
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::frames::spec::*;

pub const MBPS: u64 = 1_000_000;
pub const US: u64 = 1_000_000;
pub const MS: u64 = 1_000_000_000;
pub const S: u64 = 1_000_000_000_000;

/// A network that grows.
pub struct Net {
    pub spec: EthernetSpec,
    classes: usize,
    back_pressure: Option<BackPressureSpec>,
}

/// The paper's scheme: stopped until cancelled, all neighbours but the port's own.
pub fn simple() -> BackPressureSpec {
    BackPressureSpec {
        classes: 0xff,
        select: Select::Port,
        detect: Detect::Outputs,
        notify: Notify::Others,
        message: Message::UntilCancelled,
        binding: Default::default(),
        time_out: None,
        blocked: None,
    }
}

/// 70 kB at 10 Mbps, 500 kB at 100 Mbps, 1 MB above.
pub fn buffer_bytes(rate: Rate) -> u64 {
    match rate.0 {
        0..=10_000_000 => 70_000,
        10_000_001..=100_000_000 => 500_000,
        _ => 1_000_000,
    }
}

impl Net {
    pub fn new(classes: usize, back_pressure: Option<BackPressureSpec>) -> Net {
        Net {
            spec: EthernetSpec {
                seed: 1,
                stop_at: Time(60 * S),
                warm_up: Time(10 * S),
                nodes: Vec::new(),
                links: Vec::new(),
                rules: FrameRules::shortest(Duration(200 * MS)),
                flows: Vec::new(),
                outages: Vec::new(),
            },
            classes,
            back_pressure,
        }
    }

    pub fn station(&mut self, name: &str) -> u32 {
        self.node(name, NodeKind::Station { storm: None })
    }

    pub fn switch(&mut self, name: &str) -> u32 {
        let switch = SwitchSpec {
            forwarding: Forwarding::StoreAndForward,
            latency: Duration::ZERO,
            memory: MemorySpec::Queues,
            stops: self.back_pressure.into(),
        };
        self.node(name, NodeKind::Switch(switch))
    }

    fn node(&mut self, name: &str, kind: NodeKind) -> u32 {
        self.spec.nodes.push(NodeSpec {
            name: name.into(),
            kind,
            is_deaf: false,
            watchdog: None,
            promised: 0,
        });
        self.spec.nodes.len() as u32 - 1
    }

    /// Queues as the paper has them, thresholds at 80 and 70 %.
    pub fn link(&mut self, a: u32, b: u32, mbps: u64) -> u32 {
        let rate = Rate(mbps * MBPS);
        let limit = buffer_bytes(rate);
        let channel = ChannelSpec {
            counters: None,
            rate,
            delay: Duration(US / 2),
            errors: Default::default(),
            scheduler: SchedulerSpec::StrictPriority,
            queues: vec![
                QueueSpec {
                    limit_bytes: Some(limit),
                    high_bytes: limit / 10 * 8,
                    low_bytes: limit / 10 * 7,
                    priority: 0,
                    quantum_bytes: 1518,
                    reserve: None,
                    ecn: None,
                    rocc: None,
                    trim: None,
                };
                self.classes
            ],
            inputs: Vec::new(),
            credits: Vec::new(),
            stopped: Default::default(),
        };
        self.spec
            .links
            .push(LinkSpec::symmetric([a, b], channel.into()));
        self.spec.links.len() as u32 - 1
    }

    pub fn flow(&mut self, source: u32, destination: u32, traffic: TrafficSpec) -> u32 {
        self.add(
            source,
            destination,
            0,
            TransportSpec::Tcp(TcpSpec::bsd()),
            traffic,
        )
    }

    pub fn udp(&mut self, source: u32, destination: u32, payload: u32, t: TrafficSpec) -> u32 {
        let transport = TransportSpec::Udp {
            payload_bytes: payload,
            has_rtp: false,
            is_ect: false,
        };
        self.add(source, destination, 0, transport, t)
    }

    pub fn add(
        &mut self,
        source: u32,
        destination: u32,
        class: u8,
        transport: TransportSpec,
        traffic: TrafficSpec,
    ) -> u32 {
        self.spec.flows.push(FlowSpec {
            name: format!("f{}", self.spec.flows.len()),
            source,
            destination,
            others: Vec::new(),
            class,
            is_tagged: false,
            transport,
            traffic,
        });
        self.spec.flows.len() as u32 - 1
    }
}

/// Files with the paper's think time.
pub fn files(bytes: u64) -> TrafficSpec {
    TrafficSpec::Files {
        start: Time::ZERO,
        bytes,
        think: Span::Uniform(Duration(10 * MS)),
        count: None,
    }
}

/// A source without end.
pub fn endless() -> TrafficSpec {
    TrafficSpec::Infinite {
        start: Time::ZERO,
        bytes: None,
    }
}

/// A constant rate of payload.
pub fn constant(mbps: f64) -> TrafficSpec {
    TrafficSpec::Constant {
        start: Time::ZERO,
        rate: Rate((mbps * 1e6) as u64),
        random_phase: true,
    }
}
