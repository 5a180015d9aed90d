//! Networks written in code: these fill in what a plain network leaves alone.

use alloc::string::String;
use alloc::vec::Vec;

use backwater_kernel::{Duration, Rate, Time};

use super::{
    Bind, BufferSpec, CellRules, ChannelSpec, CreditRule, CreditSpec, ErrorSpec, FlowControlSpec,
    FlowSpec, LegSpec, LinkSpec, NetworkSpec, NodeKind, NodeSpec, OnAlarm, Overflow, SchedulerSpec,
    SinkSpec, SourceControlSpec, Timing, TrafficSpec,
};

/// Bytes of an ATM cell.
const CELL_BYTES: u32 = 53;

impl NetworkSpec {
    /// Nothing yet, to run until `stop_at` and to be measured from the start.
    pub fn new(stop_at: Time) -> NetworkSpec {
        NetworkSpec {
            seed: 1,
            stop_at,
            warm_up: Time::ZERO,
            nodes: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
            rules: CellRules::default(),
            outages: Vec::new(),
        }
    }

    /// Adds a node without a limit of memory, and tells its number.
    pub fn node(&mut self, name: &str, kind: NodeKind) -> u32 {
        self.nodes.push(NodeSpec {
            name: name.into(),
            kind,
            pool: None,
        });
        self.nodes.len() as u32 - 1
    }

    /// Adds a link that is the same both ways, and tells its channel from the first of its ends to
    /// the second.
    pub fn link(&mut self, ends: [u32; 2], channel: ChannelSpec) -> u32 {
        self.links.push(LinkSpec::symmetric(ends, channel));
        2 * (self.links.len() as u32 - 1)
    }
}

impl ChannelSpec {
    /// Without errors, store and forward, queues in turn.
    pub fn new(rate: Rate, delay: Duration) -> ChannelSpec {
        ChannelSpec {
            rate,
            delay,
            handling: Duration::ZERO,
            timing: Timing::StoreAndForward,
            errors: ErrorSpec::default(),
            scheduler: SchedulerSpec::default(),
        }
    }

    /// The control loop of a link that is such a channel both ways, for units of so many bytes:
    /// from the start of a unit until the credit that it sets free takes effect.
    pub fn control_loop(&self, bytes: u32) -> Duration {
        let wire = match self.timing {
            Timing::StoreAndForward => self.rate.serialization(bytes.into()),
            Timing::CutThrough => Duration::ZERO,
        };
        (wire + self.delay + self.handling) * 2
    }
}

impl FlowSpec {
    /// ATM cells of a source that always has one to send, along these channels, each with what
    /// controls it. A buffer under credit has just the room that its credit promises.
    pub fn new(name: &str, source: u32, path: &[(u32, FlowControlSpec)]) -> FlowSpec {
        let legs = path
            .iter()
            .zip(0..)
            .map(|(&(channel, flow_control), index)| LegSpec {
                channel,
                parent: u32::checked_sub(index, 1),
                flow_control,
                buffer: BufferSpec {
                    limit_units: match &flow_control {
                        FlowControlSpec::None => None,
                        FlowControlSpec::Credit(credit) => Some(credit.n1 + credit.n2 + credit.n3),
                    },
                    overflow: Overflow::Drop,
                },
            });
        FlowSpec {
            name: String::from(name),
            source,
            legs: legs.collect(),
            priority: 0,
            unit_bytes: CELL_BYTES,
            sizes: Vec::new(),
            traffic: TrafficSpec::Greedy {
                start: Time::ZERO,
                total: None,
            },
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
}

impl CreditSpec {
    /// N23, whose value is taken from the buffer as a credit unit starts. `window` is the control
    /// loop of its link.
    pub fn n23(n2: u32, n3: u32, window: Duration) -> CreditSpec {
        CreditSpec {
            rule: CreditRule::N23,
            n1: 0,
            n2,
            n3,
            window,
            bind: Bind::Start,
            redundant_every: None,
            refresh_every: None,
            request_after: None,
            resync_every: None,
            message_bytes: None,
        }
    }
}
