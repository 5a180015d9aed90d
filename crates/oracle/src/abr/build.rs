//! Networks of hosts, switches and circuits, put together by hand.

use backwater_kernel::{Channels, Duration, Rate, Time};
use backwater_net::spec::{
    AbrSpec, BufferSpec, CellRules, ChannelSpec, CurrentRate, EricaSpec, ErrorSpec,
    ExplicitRateSpec, FlowControlSpec, FlowSpec, LegSpec, LinkSpec, NetworkSpec, NodeKind,
    NodeSpec, OnAlarm, Overflow, RateFormat, SchedulerSpec, SinkSpec, SourceControlSpec, Timing,
    TrafficSpec, TurnAround, UiliSpec,
};

/// Builds a network. Channel `2k` of link `k` leads away from the node named first.
#[derive(Clone, Debug)]
pub struct Builder {
    /// What is built so far.
    pub spec: NetworkSpec,
}

impl Builder {
    /// Nothing yet.
    pub fn new(seed: u64, stop_at: Time) -> Builder {
        Builder {
            spec: NetworkSpec {
                seed,
                stop_at,
                warm_up: Time::ZERO,
                nodes: Vec::new(),
                links: Vec::new(),
                flows: Vec::new(),
                rules: CellRules::default(),
                outages: Vec::new(),
            },
        }
    }

    /// A new node.
    pub fn node(&mut self, kind: NodeKind) -> u32 {
        let index = self.spec.nodes.len() as u32;
        self.spec.nodes.push(NodeSpec {
            name: format!("n{index}"),
            kind,
            pool: None,
        });
        index
    }

    /// A new link; its first channel.
    pub fn link(&mut self, a: u32, b: u32, rate: Rate, delay: Duration) -> u32 {
        let channel = ChannelSpec {
            rate,
            delay,
            handling: Duration::ZERO,
            timing: Timing::StoreAndForward,
            errors: ErrorSpec::default(),
            scheduler: SchedulerSpec::Fifo,
        };
        self.spec.links.push(LinkSpec::symmetric([a, b], channel));
        2 * (self.spec.links.len() as u32 - 1)
    }

    /// Every channel that leaves a switch tells rates by this rule.
    pub fn rates_at_switches(&mut self, rule: ExplicitRateSpec) {
        for (index, link) in self.spec.links.iter().enumerate() {
            for (channel, from) in [(2 * index, link.ends[0]), (2 * index + 1, link.ends[1])] {
                if self.spec.nodes[from as usize].kind == NodeKind::Switch {
                    self.spec.rules.rate_ports.push((channel as u32, rule));
                }
            }
        }
    }

    /// A flow along a path of channels.
    pub fn flow(&mut self, path: &[u32], traffic: TrafficSpec) -> u32 {
        let index = self.spec.flows.len() as u32;
        let source = self.spec.links.ends(path[0]).0;
        let leg = |(place, channel): (usize, &u32)| LegSpec {
            channel: *channel,
            parent: (place as u32).checked_sub(1),
            flow_control: FlowControlSpec::None,
            buffer: BufferSpec {
                limit_units: None,
                overflow: Overflow::Keep,
            },
        };
        self.spec.flows.push(FlowSpec {
            name: format!("f{index}"),
            source,
            legs: path.iter().enumerate().map(leg).collect(),
            priority: 1,
            unit_bytes: 53,
            sizes: Vec::new(),
            traffic,
            source_control: SourceControlSpec::None,
            sink: SinkSpec::Infinite,
            partner: None,
            reserve: None,
            envelope: None,
            policer: None,
            on_alarm: OnAlarm::Ignore,
            session: None,
        });
        index
    }

    /// A circuit along a path, and its other direction: their flows.
    pub fn circuit(
        &mut self,
        path: &[u32],
        abr: AbrSpec,
        traffic: TrafficSpec,
        back: TrafficSpec,
    ) -> (u32, u32) {
        let way_back: Vec<u32> = path.iter().rev().map(|channel| channel ^ 1).collect();
        let forth = self.flow(path, traffic);
        let back = self.flow(&way_back, back);
        for (flow, partner) in [(forth, back), (back, forth)] {
            let flow = &mut self.spec.flows[flow as usize];
            flow.source_control = SourceControlSpec::Abr(abr);
            flow.partner = Some(partner);
        }
        (forth, back)
    }

    /// `count` circuits over one bottleneck between two switches, hosts of their own at both
    /// ends, all links alike. The bottleneck is channel 0.
    pub fn dumbbell(
        &mut self,
        count: u32,
        rate: Rate,
        delay: Duration,
        abr: AbrSpec,
        traffic: &TrafficSpec,
    ) {
        let [left, right] = [NodeKind::Switch; 2].map(|kind| self.node(kind));
        let middle = self.link(left, right, rate, delay);
        for _ in 0..count {
            let [from, to] = [NodeKind::Host; 2].map(|kind| self.node(kind));
            let first = self.link(from, left, rate, delay);
            let last = self.link(right, to, rate, delay);
            let path = [first, middle, last];
            self.circuit(&path, abr, traffic.clone(), TrafficSpec::Silent);
        }
    }

    /// The parameters of Kalyanaraman 1998, section 7, with ICR 10 Mbps and no policy.
    pub fn abr(pcr: Rate, uili: UiliSpec) -> AbrSpec {
        AbrSpec {
            pcr,
            mcr: Rate(0),
            icr: Rate(10_000_000.min(pcr.0)),
            nrm: 32,
            mrm: 2,
            trm: Duration(100_000_000_000),
            rif: 1.0,
            rdf: 1.0 / 512.0,
            crm: 1000,
            cdf: 0.0,
            tcr: Rate(0),
            is_eager: true,
            counts_backward: true,
            turn_around: TurnAround::Queue,
            format: RateFormat::Exact,
            uili,
        }
    }

    /// ERICA as the paper sets it: 90 %, 1 ms or 100 cells, delta 0.1.
    pub fn erica() -> EricaSpec {
        EricaSpec {
            interval: Duration(1_000_000_000),
            interval_cells: 100,
            target: 0.9,
            delta: 0.1,
            limit_jump: true,
            ccr: CurrentRate::Field,
            one_feedback: true,
            up_to_link: false,
            activity_decay: 0.0,
            queue: None,
            aging: None,
        }
    }
}
