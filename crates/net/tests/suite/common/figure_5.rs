//! Figure 5 of Kalyanaraman et al. 1998: five sources, two switches, both directions.

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::*;

pub const MS: u64 = 1_000_000_000;
pub const MBPS: u64 = 1_000_000;
const LINK: Rate = Rate(155_520_000);

pub fn abr(uili: UiliSpec, icr: Rate) -> AbrSpec {
    AbrSpec {
        pcr: LINK,
        mcr: Rate(0),
        icr,
        nrm: 32,
        mrm: 2,
        trm: Duration(100 * MS),
        rif: 1.0,
        rdf: 1.0 / 512.0,
        crm: 128,
        cdf: 0.5,
        tcr: Rate(4240),
        is_eager: true,
        counts_backward: true,
        turn_around: TurnAround::Queue,
        format: RateFormat::Exact,
        uili,
    }
}

pub fn count() -> UiliSpec {
    UiliSpec::Count {
        headroom: Rate(MBPS),
        tdf: 0.125,
        pr5: false,
        slack: 1e-3,
    }
}

pub fn erica() -> ExplicitRateSpec {
    ExplicitRateSpec::Erica(EricaSpec {
        interval: Duration(MS),
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
    })
}

pub fn node(name: String, kind: NodeKind) -> NodeSpec {
    NodeSpec {
        name,
        kind,
        pool: None,
    }
}

pub fn link(a: u32, b: u32) -> LinkSpec {
    let channel = ChannelSpec {
        rate: LINK,
        delay: Duration(5 * MS),
        handling: Duration(0),
        timing: Timing::StoreAndForward,
        errors: ErrorSpec::default(),
        scheduler: SchedulerSpec::Fifo,
    };
    let (forward, backward) = (channel.clone(), channel);
    LinkSpec {
        ends: [a, b],
        channels: [forward, backward],
    }
}

pub fn flow(name: String, source: u32, channels: [u32; 3], partner: u32, abr: AbrSpec) -> FlowSpec {
    let leg = |k: usize| LegSpec {
        channel: channels[k],
        parent: (k as u32).checked_sub(1),
        flow_control: FlowControlSpec::None,
        buffer: BufferSpec {
            limit_units: None,
            overflow: Overflow::Drop,
        },
    };
    FlowSpec {
        name,
        source,
        legs: (0..3).map(leg).collect(),
        priority: 0,
        unit_bytes: 53,
        sizes: Vec::new(),
        traffic: TrafficSpec::Bottlenecked {
            start: Time(0),
            limits: vec![
                LimitSpec {
                    from: Time(0),
                    rate: Some(Rate(10 * MBPS)),
                },
                LimitSpec {
                    from: Time(200 * MS),
                    rate: None,
                },
            ],
        },
        source_control: SourceControlSpec::Abr(abr),
        sink: SinkSpec::Infinite,
        partner: Some(partner),
        reserve: None,
        envelope: None,
        policer: None,
        on_alarm: OnAlarm::Ignore,
        session: None,
    }
}

/// Figure 5: sources 0 to 4 on switch 5, destinations 7 to 11 on switch 6; both directions.
pub fn figure_5(abr: AbrSpec) -> NetworkSpec {
    let mut nodes: Vec<NodeSpec> = (1..=5)
        .map(|k| node(format!("S{k}"), NodeKind::Host))
        .collect();
    nodes.extend(["X", "Y"].map(|name| node(name.into(), NodeKind::Switch)));
    nodes.extend((1..=5).map(|k| node(format!("D{k}"), NodeKind::Host)));
    let mut links: Vec<LinkSpec> = (0..5).map(|k| link(k, 5)).collect();
    links.push(link(5, 6));
    links.extend((0..5).map(|k| link(6, 7 + k)));
    let mut flows = Vec::new();
    for k in 0..5 {
        let there = [2 * k, 10, 12 + 2 * k];
        let back = [13 + 2 * k, 11, 2 * k + 1];
        flows.push(flow(format!("VC{k}"), k, there, 2 * k + 1, abr));
        flows.push(flow(format!("VC{k} back"), 7 + k, back, 2 * k, abr));
    }
    let from_switch = |channel: &u32| ![0, 2, 4, 6, 8, 13, 15, 17, 19, 21].contains(channel);
    NetworkSpec {
        seed: 1,
        stop_at: Time(400 * MS),
        warm_up: Time(0),
        nodes,
        links,
        flows,
        rules: CellRules {
            rate_ports: (0..22)
                .filter(from_switch)
                .map(|channel| (channel, erica()))
                .collect(),
        },
        outages: Vec::new(),
    }
}
