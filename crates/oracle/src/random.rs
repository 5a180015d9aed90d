//! Random networks to compare engines on.

mod service;
mod sessions;

pub use service::{Rates, ServiceMix, random_service_spec};
pub use sessions::{random_residence_spec, random_session_spec, random_warning_spec};

use backwater_kernel::{Channels, Duration, Rate, Time};
use backwater_net::spec::{
    Bind, BufferSpec, CellRules, ChannelSpec, CreditRule, CreditSpec, ErrorSpec, FlowControlSpec,
    FlowSpec, LegSpec, LinkSpec, NetworkSpec, NodeKind, NodeSpec, OnAlarm, Overflow, SchedulerSpec,
    SinkSpec, SourceControlSpec, Span, Timing, TrafficSpec,
};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Time of a 53-byte cell at 1 Gbit/s.
const CELL_PS: u64 = 424_000;

pub(crate) struct Dice {
    pub(crate) stream: Xoshiro256PlusPlus,
    /// Times are multiples of half a cell, so that many things coincide.
    pub(crate) on_grid: bool,
    /// A cell's time.
    pub(crate) cell_ps: u64,
}

impl Dice {
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.stream.next_u64() % (high - low + 1)
    }

    pub(crate) fn one_in(&mut self, count: u64) -> bool {
        self.between(1, count) == 1
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.between(0, from.len() as u64 - 1) as usize]
    }

    /// A time between so many tenths of a cell.
    pub(crate) fn span(&mut self, low_tenths: u64, high_tenths: u64) -> Duration {
        if self.on_grid {
            let halves = self.between(low_tenths.div_ceil(5), high_tenths / 5);
            return Duration(halves * self.cell_ps / 2);
        }
        Duration(self.between(
            low_tenths * self.cell_ps / 10,
            high_tenths * self.cell_ps / 10,
        ))
    }
}

/// The same network with every credit-controlled leg under another rule.
pub fn with_rule(spec: &NetworkSpec, rule: CreditRule) -> NetworkSpec {
    let mut changed = spec.clone();
    for leg in changed.flows.iter_mut().flat_map(|flow| &mut flow.legs) {
        if let FlowControlSpec::Credit(control) = &mut leg.flow_control {
            control.rule = rule;
        }
    }
    changed
}

/// The exact control loop of a leg on `channel`: from the start of a data unit to the effect of
/// a credit unit as large that starts as the data unit arrives.
pub fn exact_window(links: &[LinkSpec], channel: u32, unit_bytes: u32) -> Duration {
    exact_loop(links, channel, [unit_bytes; 2])
}

/// The same with a data unit and a credit unit of their own sizes.
pub fn exact_loop(links: &[LinkSpec], channel: u32, [data, credit]: [u32; 2]) -> Duration {
    let one_way = |channel: u32, bytes: u32| {
        let channel = links.channel(channel);
        let received = match channel.timing {
            Timing::StoreAndForward => channel.rate.serialization(u64::from(bytes)),
            Timing::CutThrough => Duration::ZERO,
        };
        received + channel.delay + channel.handling
    };
    one_way(channel, data) + one_way(channel ^ 1, credit)
}

/// A random network: 1-4 switches, 2-8 hosts, 1-8 flows under N23 (now and then one without
/// control), windows exact. The same seed gives the same network.
pub fn random_spec(seed: u64) -> NetworkSpec {
    let mut dice = Dice {
        stream: Xoshiro256PlusPlus::seed_from_u64(seed),
        on_grid: false,
        cell_ps: CELL_PS,
    };
    dice.on_grid = dice.one_in(2);
    let switches = dice.between(1, 4) as u32;
    let hosts = dice.between(2, 8) as u32;
    let links = random_links(&mut dice, switches, hosts);
    let flow_count = dice.between(1, 8);
    let flows = (0..flow_count)
        .map(|number| random_flow(&mut dice, number, switches, hosts, &links))
        .collect();
    let node = |index: u32| {
        let (kind, letter) = if index < switches {
            (NodeKind::Switch, 's')
        } else {
            (NodeKind::Host, 'h')
        };
        NodeSpec {
            pool: None,
            name: format!("{letter}{index}"),
            kind,
        }
    };
    NetworkSpec {
        rules: CellRules::default(),
        outages: Vec::new(),
        seed,
        stop_at: Time(dice.between(300, 900) * CELL_PS),
        warm_up: Time::ZERO,
        nodes: (0..switches + hosts).map(node).collect(),
        links,
        flows,
    }
}

/// A tree of switches (the first nodes); each host hangs on one of them, now and then on two.
fn random_links(dice: &mut Dice, switches: u32, hosts: u32) -> Vec<LinkSpec> {
    let timings = dice.pick::<&[Timing]>(&[
        &[Timing::StoreAndForward],
        &[Timing::CutThrough],
        &[Timing::StoreAndForward, Timing::CutThrough],
    ]);
    let mut ends = Vec::new();
    for switch in 1..switches {
        ends.push((switch, dice.between(0, u64::from(switch) - 1) as u32));
    }
    for host in switches..switches + hosts {
        let first = dice.between(0, u64::from(switches) - 1) as u32;
        ends.push((host, first));
        if switches > 1 && dice.one_in(4) {
            ends.push((host, (first + 1) % switches));
        }
    }
    ends.into_iter()
        .map(|(a, b)| random_link(dice, a, b, timings))
        .collect()
}

fn random_link(dice: &mut Dice, a: u32, b: u32, timings: &[Timing]) -> LinkSpec {
    let forward = random_channel(dice, timings);
    let backward = if dice.one_in(3) {
        random_channel(dice, timings)
    } else {
        forward.clone()
    };
    let (a, b) = if dice.one_in(2) { (a, b) } else { (b, a) };
    LinkSpec {
        ends: [a, b],
        channels: [forward, backward],
    }
}

fn random_channel(dice: &mut Dice, timings: &[Timing]) -> ChannelSpec {
    let rate = if dice.on_grid {
        dice.pick(&[1_000_000_000, 1_000_000_000, 500_000_000, 2_000_000_000])
    } else {
        dice.pick(&[1_000_000_000, 622_000_000, 155_000_000, 2_488_320_000])
    };
    ChannelSpec {
        rate: Rate(rate),
        delay: dice.span(3, 300),
        handling: if dice.one_in(2) {
            dice.span(0, 20)
        } else {
            Duration::ZERO
        },
        timing: dice.pick(timings),
        errors: ErrorSpec::default(),
        scheduler: SchedulerSpec::default(),
    }
}

fn random_flow(
    dice: &mut Dice,
    number: u64,
    switches: u32,
    hosts: u32,
    links: &[LinkSpec],
) -> FlowSpec {
    let source = switches + dice.between(0, u64::from(hosts) - 1) as u32;
    let mut destinations = Vec::new();
    let wanted = if dice.one_in(3) {
        dice.between(2, 3)
    } else {
        1
    };
    for _ in 0..wanted {
        let host = switches + dice.between(0, u64::from(hosts) - 1) as u32;
        let host = if host == source {
            switches + (host - switches + 1) % hosts
        } else {
            host
        };
        if !destinations.contains(&host) {
            destinations.push(host);
        }
    }
    let unit_bytes = if dice.one_in(6) { 106 } else { 53 };
    let controlled = !dice.one_in(12);
    let legs = tree(links, switches, source, &destinations)
        .into_iter()
        .map(|(channel, parent)| LegSpec {
            channel,
            parent,
            flow_control: if controlled {
                FlowControlSpec::Credit(random_credit(dice, links, channel, unit_bytes))
            } else {
                FlowControlSpec::None
            },
            buffer: BufferSpec {
                limit_units: None,
                overflow: Overflow::Keep,
            },
        })
        .collect();
    FlowSpec {
        name: format!("f{number}"),
        source,
        legs,
        priority: 2 - dice.between(0, 2) as u8,
        unit_bytes,
        sizes: Vec::new(),
        traffic: random_traffic(dice),
        source_control: SourceControlSpec::None,
        sink: if dice.one_in(2) {
            SinkSpec::Limited {
                interval: dice.span(5, 100),
            }
        } else {
            SinkSpec::Infinite
        },
        partner: None,
        reserve: None,
        envelope: None,
        policer: None,
        on_alarm: OnAlarm::Ignore,
        session: None,
    }
}

fn random_credit(dice: &mut Dice, links: &[LinkSpec], channel: u32, bytes: u32) -> CreditSpec {
    CreditSpec {
        rule: CreditRule::N23,
        n1: 0,
        n2: dice.between(1, 12) as u32,
        n3: dice.between(0, 40) as u32,
        window: exact_window(links, channel, bytes),
        bind: Bind::Start,
        redundant_every: if dice.one_in(6) {
            Some(dice.between(1, 8) as u32)
        } else {
            None
        },
        refresh_every: None,
        request_after: None,
        resync_every: None,
        message_bytes: None,
    }
}

fn random_traffic(dice: &mut Dice) -> TrafficSpec {
    let start = Time(dice.span(0, 300).ps());
    let total = if dice.one_in(3) {
        Some(dice.between(1, 150))
    } else {
        None
    };
    match dice.between(0, 3) {
        0 | 1 => TrafficSpec::Greedy { start, total },
        2 => TrafficSpec::Constant {
            start,
            interval: dice.span(5, 80),
            random_phase: false,
            total,
        },
        _ => TrafficSpec::OnOff {
            start,
            on: Span::Fixed(dice.span(50, 600)),
            off: Span::Fixed(dice.span(50, 600)),
            on_interval: dice.span(5, 30),
            off_interval: if dice.one_in(2) {
                Some(dice.span(40, 150))
            } else {
                None
            },
        },
    }
}

/// Shortest paths from the source (hosts don't forward), merged: (channel, parent) per leg.
pub(crate) fn tree(
    links: &[LinkSpec],
    switches: u32,
    source: u32,
    to: &[u32],
) -> Vec<(u32, Option<u32>)> {
    let ends: Vec<(u32, u32)> = links
        .iter()
        .flat_map(|link| [(link.ends[0], link.ends[1]), (link.ends[1], link.ends[0])])
        .collect();
    let mut reached = vec![(source, Vec::new())];
    let mut next = 0;
    while next < reached.len() {
        let (node, path): (u32, Vec<u32>) = reached[next].clone();
        next += 1;
        if node != source && node >= switches {
            continue;
        }
        for (channel, &(from, far)) in ends.iter().enumerate() {
            if from == node && !reached.iter().any(|(known, _)| *known == far) {
                let mut longer = path.clone();
                longer.push(channel as u32);
                reached.push((far, longer));
            }
        }
    }
    let mut legs: Vec<(u32, Option<u32>)> = Vec::new();
    for (_, path) in reached.iter().filter(|(node, _)| to.contains(node)) {
        let mut parent = None;
        for &channel in path {
            let known = legs.iter().position(|leg| leg.0 == channel);
            let index = known.unwrap_or_else(|| {
                legs.push((channel, parent));
                legs.len() - 1
            });
            parent = Some(index as u32);
        }
    }
    legs
}
