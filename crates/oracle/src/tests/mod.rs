//! Tests of the oracle itself.

mod hand;
mod law;
mod random;
mod service;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::{
    Bind, BufferSpec, CellRules, ChannelSpec, CreditRule, CreditSpec, ErrorSpec, FlowControlSpec,
    FlowSpec, LegSpec, LinkSpec, NetworkSpec, NodeKind, NodeSpec, OnAlarm, Overflow, SchedulerSpec,
    SinkSpec, SourceControlSpec, Timing, TrafficSpec,
};

use crate::network::Network;
use crate::{Report, Start, exact_window};

/// A cell: one byte at 800 Gbit/s.
pub(super) const CELL_PS: u64 = 10;

pub(super) fn channel(delay_ps: u64, timing: Timing) -> ChannelSpec {
    ChannelSpec {
        rate: Rate(800_000_000_000),
        delay: Duration(delay_ps),
        handling: Duration::ZERO,
        timing,
        errors: ErrorSpec::default(),
        scheduler: SchedulerSpec::default(),
    }
}

/// A link `a` - `b` with this delay each way, head timing.
pub(super) fn link(a: u32, b: u32, delay_ps: u64) -> LinkSpec {
    let one_way = channel(delay_ps, Timing::CutThrough);
    LinkSpec::symmetric([a, b], one_way)
}

pub(super) fn network(node_count: u32, links: Vec<LinkSpec>, stop_at_ps: u64) -> NetworkSpec {
    let node = |index| NodeSpec {
        pool: None,
        name: format!("n{index}"),
        kind: NodeKind::Host,
    };
    NetworkSpec {
        rules: CellRules::default(),
        outages: Vec::new(),
        seed: 0,
        stop_at: Time(stop_at_ps),
        warm_up: Time::ZERO,
        nodes: (0..node_count).map(node).collect(),
        links,
        flows: Vec::new(),
    }
}

/// Adds a greedy flow with an infinite sink over `(channel, parent)`, N23 on every leg.
pub(super) fn add_flow<'a>(
    spec: &'a mut NetworkSpec,
    source: u32,
    tree: &[(u32, Option<u32>)],
    n2: u32,
    n3: u32,
) -> &'a mut FlowSpec {
    let leg = |&(channel, parent): &(u32, Option<u32>)| LegSpec {
        channel,
        parent,
        flow_control: FlowControlSpec::Credit(CreditSpec {
            rule: CreditRule::N23,
            n1: 0,
            n2,
            n3,
            window: exact_window(&spec.links, channel, 1),
            bind: Bind::Start,
            redundant_every: None,
            refresh_every: None,
            request_after: None,
            resync_every: None,
            message_bytes: None,
        }),
        buffer: BufferSpec {
            limit_units: None,
            overflow: Overflow::Keep,
        },
    };
    let legs = tree.iter().map(leg).collect();
    spec.flows.push(FlowSpec {
        name: String::new(),
        source,
        legs,
        priority: 0,
        unit_bytes: 1,
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
    });
    spec.flows.last_mut().expect("just added")
}

/// Changes every credit scheme of a flow.
pub(super) fn each_credit(flow: &mut FlowSpec, change: impl Fn(&mut CreditSpec)) {
    for leg in &mut flow.legs {
        if let FlowControlSpec::Credit(credit) = &mut leg.flow_control {
            change(credit);
        }
    }
}

pub(super) fn run(spec: &NetworkSpec) -> Report {
    crate::run(spec).expect("the network is sound")
}

/// Data starts on a channel: (instant, flow, unit).
pub(super) fn data(starts: &[Start], channel: u32) -> Vec<(u64, u32, u64)> {
    let wanted = |start: &&Start| start.channel == channel && !start.control;
    starts
        .iter()
        .filter(wanted)
        .map(|start| (start.at_ps, start.flow, start.number))
        .collect()
}

/// Credit starts on a channel: (instant, flow, value).
pub(super) fn credits(starts: &[Start], channel: u32) -> Vec<(u64, u32, i64)> {
    let wanted = |start: &&Start| start.channel == channel && start.control;
    let triple = |start: &Start| (start.at_ps, start.flow, start.number as i64);
    starts.iter().filter(wanted).map(triple).collect()
}

pub(super) fn network_of(spec: &NetworkSpec) -> Network {
    Network::new(spec).expect("the network is sound")
}
