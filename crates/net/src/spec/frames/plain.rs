//! Networks of frames written in code: these fill in what a plain network leaves alone.

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{Duration, Rate, Time};

use super::{
    BackPressureSpec, Binding, ChannelSpec, ClassBits, Detect, ErrorSpec, EthernetSpec, FlowSpec,
    Forwarding, FrameRules, InputSpec, LinkSpec, MemorySpec, Message, NodeKind, NodeSpec, Notify,
    QueueSpec, SchedulerSpec, Select, StoppedSpec, SwitchSpec, TrafficSpec, TransportSpec,
};

/// Payload of a full frame of UDP over IPv4, bytes.
const DATAGRAM_BYTES: u32 = 1472;
/// A queue that has been stopped for so long is looked at for a deadlock.
const STALL: Duration = Duration(100_000_000_000);

impl EthernetSpec {
    /// Nothing yet, to run until `stop_at` and to be measured from the start. Frames go by
    /// shortest ways, all of a flow by one.
    pub fn new(stop_at: Time) -> EthernetSpec {
        EthernetSpec {
            seed: 1,
            stop_at,
            warm_up: Time::ZERO,
            nodes: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
            outages: Vec::new(),
            rules: FrameRules::shortest(STALL),
        }
    }

    /// Adds a station, and tells its number. It has one link.
    pub fn station(&mut self, name: &str) -> u32 {
        self.node(name, NodeKind::Station { storm: None })
    }

    /// Adds a switch that stores and forwards, with a memory for each output queue, and tells its
    /// number.
    pub fn switch(&mut self, name: &str, back_pressure: Option<BackPressureSpec>) -> u32 {
        let switch = SwitchSpec {
            forwarding: Forwarding::StoreAndForward,
            latency: Duration::ZERO,
            memory: MemorySpec::Queues,
            stops: back_pressure.into(),
        };
        self.node(name, NodeKind::Switch(switch))
    }

    fn node(&mut self, name: &str, kind: NodeKind) -> u32 {
        self.nodes.push(NodeSpec {
            name: name.into(),
            kind,
            is_deaf: false,
            watchdog: None,
            promised: 0,
        });
        self.nodes.len() as u32 - 1
    }

    /// Adds a link that is the same both ways, and tells its channel from the first of its ends to
    /// the second; the one back is the next. Counters of inputs are kept at switches only, where a
    /// channel has them.
    pub fn link(&mut self, ends: [u32; 2], channel: ChannelSpec) -> u32 {
        let is_switch = |node: u32| match self.nodes.get(node as usize).map(|node| &node.kind) {
            Some(NodeKind::Switch(switch)) => switch.stops.common.is_some(),
            Some(NodeKind::Station { .. }) | None => false,
        };
        let [a, b] = ends;
        let channels = [b, a].map(|into| {
            let inputs = match is_switch(into) {
                true => channel.inputs.clone(),
                false => Vec::new(),
            };
            let channel = channel.clone();
            ChannelSpec { inputs, ..channel }.into()
        });
        self.links.push(LinkSpec { ends, channels });
        2 * (self.links.len() as u32 - 1)
    }
}

impl ChannelSpec {
    /// Without errors, the highest class first, with a queue of so many bytes for each of
    /// `classes`.
    pub fn new(rate: Rate, delay: Duration, classes: u8, queue_bytes: u64) -> ChannelSpec {
        ChannelSpec {
            rate,
            delay,
            errors: ErrorSpec::default(),
            scheduler: SchedulerSpec::StrictPriority,
            queues: vec![QueueSpec::new(queue_bytes); classes.into()],
            inputs: Vec::new(),
            credits: Vec::new(),
            counters: None,
            stopped: StoppedSpec::default(),
        }
    }

    /// The same with a counter at the input for each class: the sender is stopped where more than
    /// `high_bytes` came in and have not left, and resumed below `low_bytes`; `headroom_bytes` are
    /// for what is under way then.
    pub fn stopping(self, high_bytes: u64, low_bytes: u64, headroom_bytes: u64) -> ChannelSpec {
        let input = InputSpec {
            high_bytes,
            low_bytes,
            limit_bytes: Some(high_bytes + headroom_bytes),
        };
        ChannelSpec {
            inputs: vec![input; self.queues.len()],
            ..self
        }
    }
}

impl QueueSpec {
    /// A queue of so many bytes that neither stops nor marks.
    pub const fn new(limit_bytes: u64) -> QueueSpec {
        QueueSpec {
            limit_bytes: Some(limit_bytes),
            high_bytes: limit_bytes,
            low_bytes: limit_bytes,
            priority: 0,
            quantum_bytes: 1518,
            reserve: None,
            ecn: None,
            rocc: None,
            trim: None,
        }
    }
}

impl BackPressureSpec {
    /// Priority flow control of these classes, a bit each, by counters at inputs: stops of the
    /// longest time, sent again at half of it.
    pub const fn pfc(classes: ClassBits) -> BackPressureSpec {
        BackPressureSpec {
            classes,
            select: Select::Class,
            detect: Detect::Inputs,
            notify: Notify::Others,
            message: Message::Quanta {
                quanta: u16::MAX,
                refresh_percent: Some(50),
            },
            binding: Binding::Start,
            time_out: None,
            blocked: None,
        }
    }
}

impl FlowSpec {
    /// Full datagrams of UDP in class 0 as fast as the port takes them.
    pub fn udp(name: &str, source: u32, destination: u32) -> FlowSpec {
        FlowSpec {
            name: name.into(),
            source,
            destination,
            others: Vec::new(),
            class: 0,
            is_tagged: false,
            transport: TransportSpec::Udp {
                payload_bytes: DATAGRAM_BYTES,
                has_rtp: false,
                is_ect: false,
            },
            traffic: TrafficSpec::Infinite {
                start: Time::ZERO,
                bytes: None,
            },
        }
    }
}
