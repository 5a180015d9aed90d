//! Random ABR networks to compare engines on.

use backwater_kernel::{Rate, Time};
use backwater_net::spec::{
    AbrSpec, AgingSpec, CapcSpec, CurrentRate, EprcaSpec, EricaSpec, ExplicitRateSpec, LimitSpec,
    MarkSpec, NetworkSpec, NodeKind, OutageSpec, QueueControlSpec, RateFormat, RelativeRateSpec,
    RequestsSpec, SchedulerSpec, Span, TimeFloor, Timing, TrafficSpec, TurnAround, UiliSpec,
};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Builder;
use crate::random::{Dice, tree};

/// Time of a 53-byte cell at [`LINK`].
const CELL_PS: u64 = 10_000_000;
const LINK: u64 = 42_400_000;

/// Which rules ports go by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// ERICA without aging, EFCI and relative rates.
    Mixed,
    /// EPRCA at most of them, those of `Mixed` at the others.
    Eprca,
    /// CAPC at most of them.
    Capc,
    /// ERICA with aging at most of them.
    Aging,
    /// Relative rates with notices of switches at most of them.
    Notices,
}

/// A random network: 2-5 switches in a chain or a star, 1-8 circuits under any policy, ports of
/// several rules, background, outages. The same seed gives the same network.
pub fn random_spec(seed: u64) -> NetworkSpec {
    random_spec_with(seed, Rules::Mixed)
}

/// The same with other rules at ports.
pub fn random_spec_with(seed: u64, rules: Rules) -> NetworkSpec {
    let mut dice = Dice {
        stream: Xoshiro256PlusPlus::seed_from_u64(seed),
        on_grid: false,
        cell_ps: CELL_PS,
    };
    dice.on_grid = dice.one_in(2);
    let cells = dice.between(500, 3000);
    let mut builder = Builder::new(seed, Time(cells * CELL_PS));
    let switches = dice.between(2, 5) as u32;
    let hosts = dice.between(2, 10) as u32;
    links(&mut dice, &mut builder, switches, hosts);
    for _ in 0..dice.between(1, 8) {
        circuit(&mut dice, &mut builder, switches, hosts);
    }
    if dice.one_in(2) {
        for _ in 0..dice.between(1, 3) {
            background(&mut dice, &mut builder, switches, hosts);
        }
    }
    ports(&mut dice, &mut builder, rules);
    if dice.one_in(4) {
        for _ in 0..dice.between(1, 3) {
            let channels = 2 * builder.spec.links.len() as u64;
            let from = dice.span(0, 10 * cells).ps();
            builder.spec.outages.push(OutageSpec {
                channel: dice.between(0, channels - 1) as u32,
                from: Time(from),
                until: Time(from + dice.span(10, 2000).ps()),
            });
        }
    }
    builder.spec
}

fn links(dice: &mut Dice, builder: &mut Builder, switches: u32, hosts: u32) {
    for _ in 0..switches {
        builder.node(NodeKind::Switch);
    }
    for _ in 0..hosts {
        builder.node(NodeKind::Host);
    }
    let is_star = dice.one_in(2);
    for node in 1..switches + hosts {
        let towards = match (node < switches, is_star) {
            (true, true) => 0,
            (true, false) => node - 1,
            (false, _) => dice.between(0, u64::from(switches) - 1) as u32,
        };
        let rate = match dice.on_grid {
            true => dice.pick(&[LINK, LINK, LINK / 2, 2 * LINK]),
            false => dice.pick(&[42_400_000, 25_000_000, 51_840_000, 155_520_000]),
        };
        let most = dice.pick(&[30, 300, 2000]);
        let delay = dice.span(5, most);
        builder.link(node, towards, Rate(rate), delay);
    }
    let is_cut = dice.one_in(6);
    for link in &mut builder.spec.links {
        for channel in &mut link.channels {
            channel.scheduler = dice.pick(&[
                SchedulerSpec::Fifo,
                SchedulerSpec::Fifo,
                SchedulerSpec::RoundRobin,
                SchedulerSpec::StrictPriority,
            ]);
            if is_cut && dice.one_in(2) {
                channel.timing = Timing::CutThrough;
            }
            if dice.one_in(8) {
                channel.handling = dice.span(0, 20);
            }
        }
    }
}

/// Two different hosts and the way between them.
fn path(dice: &mut Dice, builder: &Builder, switches: u32, hosts: u32) -> Vec<u32> {
    let from = dice.between(0, u64::from(hosts) - 1) as u32;
    let step = dice.between(1, u64::from(hosts) - 1) as u32;
    let to = switches + (from + step) % hosts;
    let legs = tree(&builder.spec.links, switches, switches + from, &[to]);
    legs.into_iter().map(|(channel, _)| channel).collect()
}

fn circuit(dice: &mut Dice, builder: &mut Builder, switches: u32, hosts: u32) {
    let path = path(dice, builder, switches, hosts);
    let first = &builder.spec.links[path[0] as usize / 2];
    let pcr = match dice.one_in(4) {
        true => Rate(dice.between(1_000_000, 200_000_000)),
        false => first.channels[0].rate,
    };
    let abr = random_abr(dice, pcr);
    let mut traffic = application(dice, pcr);
    let mut back = match dice.one_in(2) {
        true => TrafficSpec::Silent,
        false => application(dice, pcr),
    };
    if dice.one_in(5) {
        traffic = TrafficSpec::Requests(RequestsSpec {
            start: Time(dice.span(0, 500).ps()),
            requests: dice.between(1, 3) as u32,
            request_units: dice.between(1, 40) as u32,
            response_units: dice.between(1, 100) as u32,
            inter_request: Span::Fixed(dice.span(0, 300)),
            inter_cycle: Span::Fixed(dice.span(0, 500)),
            service: Span::Fixed(dice.span(0, 100)),
            cycles: dice.one_in(3).then_some(dice.between(1, 20)),
        });
        back = TrafficSpec::Server;
    }
    let (forth, back) = builder.circuit(&path, abr, traffic, back);
    for flow in [forth, back] {
        builder.spec.flows[flow as usize].priority = 2 - dice.between(0, 2) as u8;
    }
}

fn random_abr(dice: &mut Dice, pcr: Rate) -> AbrSpec {
    let icr = Rate(dice.between(pcr.0 / 50, pcr.0));
    let mut abr = Builder::abr(pcr, policy(dice, pcr));
    abr.icr = icr;
    if dice.one_in(3) {
        abr.mcr = Rate(dice.between(0, icr.0));
    }
    abr.nrm = dice.pick(&[2, 3, 4, 8, 16, 32, 32]);
    abr.mrm = dice.between(1, 4) as u32;
    let most = dice.pick(&[20, 2000, 50_000]);
    abr.trm = dice.span(5, most);
    abr.rif = dice.pick(&[1.0, 1.0, 0.0625, 0.25, 0.013]);
    abr.rdf = dice.pick(&[1.0 / 512.0, 1.0 / 16.0, 0.3]);
    abr.crm = dice.between(1, 20) as u32;
    abr.cdf = dice.pick(&[0.0, 0.0625, 0.5]);
    abr.tcr = match dice.between(0, 3) {
        0 => Rate(4_240),
        1 => Rate(dice.between(50_000, 2_000_000)),
        _ => Rate(0),
    };
    abr.is_eager = !dice.one_in(3);
    abr.counts_backward = !dice.one_in(4);
    if dice.one_in(4) {
        abr.turn_around = TurnAround::Latest;
    }
    if dice.one_in(4) {
        abr.format = RateFormat::Bits16;
    }
    abr
}

fn policy(dice: &mut Dice, pcr: Rate) -> UiliSpec {
    let headroom = Rate(dice.between(0, pcr.0 / 10));
    let rule_5b = dice.one_in(2);
    let slack = dice.pick(&[0.0, 0.001, 0.1]);
    let tof = dice.pick(&[1.0, 2.0, 2.5]);
    match dice.between(0, 8) {
        0 => UiliSpec::None,
        1 => UiliSpec::February1995 {
            tof: dice.between(1, 4) as u32,
            rdf_cells: dice.pick(&[16.0, 256.0, 1000.5]),
        },
        2 => UiliSpec::April1995 {
            tof,
            rdf_cells: dice.pick(&[16.0, 256.0, 1000.5]),
            floor_icr: dice.one_in(2),
        },
        3 => UiliSpec::August1995 {
            tof,
            tdf_per_second: dice.pick(&[128.0, 1000.0, 16384.0]),
            rule_5b,
        },
        4 => UiliSpec::Baseline {
            tdf: dice.pick(&[0.125, 0.875]),
            rule_5b,
        },
        5 => UiliSpec::Count {
            headroom,
            tdf: dice.pick(&[0.125, 0.125, 0.3, 0.0]),
            pr5: dice.one_in(2),
            slack,
        },
        6 => UiliSpec::Time {
            constant: dice.span(500, 5000),
            floor: match dice.one_in(2) {
                true => TimeFloor::Sum,
                false => TimeFloor::Product { tof },
            },
            headroom,
            rule_5b,
            hold: dice.one_in(2).then_some(slack),
        },
        7 => UiliSpec::Joint {
            tdf: 0.0625,
            rule_5b,
        },
        _ => UiliSpec::TimeOut {
            adtf: dice.span(100, 3000),
        },
    }
}

fn application(dice: &mut Dice, pcr: Rate) -> TrafficSpec {
    let start = Time(dice.span(0, 1000).ps());
    match dice.between(0, 6) {
        0..=2 => TrafficSpec::Greedy {
            start,
            total: dice.one_in(4).then_some(dice.between(1, 2000)),
        },
        3 | 4 => {
            let mut at = dice.span(0, 2000).ps();
            let mut limits = Vec::new();
            for _ in 0..dice.between(1, 4) {
                let rate = Rate(dice.between(pcr.0 / 100, pcr.0));
                limits.push(LimitSpec {
                    from: Time(at),
                    rate: (!dice.one_in(4)).then_some(rate),
                });
                at += dice.span(10, 5000).ps();
            }
            TrafficSpec::Bottlenecked { start, limits }
        }
        _ => units(dice, start, 10, 300),
    }
}

/// Single units, with gaps of so many tenths of a cell.
fn units(dice: &mut Dice, start: Time, least: u64, most: u64) -> TrafficSpec {
    match dice.between(0, 2) {
        0 => TrafficSpec::Constant {
            start,
            interval: dice.span(least, most),
            random_phase: false,
            total: dice.one_in(4).then_some(dice.between(1, 500)),
        },
        1 => {
            let min_interval = dice.span(0, 10);
            TrafficSpec::Poisson {
                start,
                mean_interval: min_interval + dice.span(least, most),
                min_interval,
                total: None,
            }
        }
        _ => TrafficSpec::OnOff {
            start,
            on: Span::Fixed(dice.span(50, 6000)),
            off: Span::Fixed(dice.span(50, 6000)),
            on_interval: dice.span(least, most),
            off_interval: None,
        },
    }
}

fn background(dice: &mut Dice, builder: &mut Builder, switches: u32, hosts: u32) {
    let path = path(dice, builder, switches, hosts);
    let start = Time(dice.span(0, 2000).ps());
    let traffic = match dice.one_in(8) {
        true => TrafficSpec::Greedy {
            start,
            total: Some(dice.between(1, 1000)),
        },
        false => {
            let least = dice.pick(&[5, 15, 40]);
            units(dice, start, least, 100)
        }
    };
    let flow = builder.flow(&path, traffic);
    let flow = &mut builder.spec.flows[flow as usize];
    flow.priority = 2 - dice.between(0, 2) as u8;
    flow.unit_bytes = dice.pick(&[53, 53, 106, 1000]);
}

fn ports(dice: &mut Dice, builder: &mut Builder, rules: Rules) {
    for (index, link) in builder.spec.links.iter().enumerate() {
        for (channel, from) in [(2 * index, link.ends[0]), (2 * index + 1, link.ends[1])] {
            let is_switch = builder.spec.nodes[from as usize].kind == NodeKind::Switch;
            if !is_switch || dice.one_in(8) {
                continue;
            }
            let other = rules != Rules::Mixed && !dice.one_in(5);
            let rule = match dice.between(0, 4) {
                _ if other => special(dice, rules),
                0 => ExplicitRateSpec::Efci(mark(dice)),
                1 => ExplicitRateSpec::RelativeRate(RelativeRateSpec {
                    congestion: mark(dice),
                    no_increase: mark(dice),
                    marks_backward: dice.one_in(2),
                    backward_notice_every: None,
                }),
                _ => ExplicitRateSpec::Erica(erica(dice)),
            };
            builder.spec.rules.rate_ports.push((channel as u32, rule));
        }
    }
}

fn special(dice: &mut Dice, rules: Rules) -> ExplicitRateSpec {
    match rules {
        Rules::Mixed => ExplicitRateSpec::Erica(erica(dice)),
        Rules::Eprca => ExplicitRateSpec::Eprca(EprcaSpec {
            weight: dice.pick(&[0.0625, 0.0625, 0.3, 1.0]),
            down_pressure: dice.pick(&[0.875, 0.875, 0.5, 1.0]),
            reduction: dice.pick(&[0.9375, 0.9375, 0.7]),
            major_reduction: dice.pick(&[0.25, 0.25, 0.6]),
            congestion: MarkSpec {
                high_cells: dice.between(0, 2) as u32,
                low_cells: 0,
            },
            very_cells: dice.between(2, 8) as u32,
        }),
        Rules::Capc => ExplicitRateSpec::Capc(CapcSpec {
            interval: dice.span(50, 1000),
            target: dice.pick(&[0.9, 0.95, 1.0]),
            rise: dice.pick(&[0.1, 0.1, 0.03, 1.0]),
            rise_most: dice.pick(&[1.5, 1.05]),
            fall: dice.pick(&[0.8, 0.8, 0.2, 2.0]),
            fall_least: dice.pick(&[0.5, 0.5, 0.9]),
            congestion_cells: dice.between(0, 3) as u32,
        }),
        Rules::Aging => {
            let mut erica = erica(dice);
            erica.aging = Some(AgingSpec {
                alpha: dice.pick(&[0.1, 0.1, 0.02, 0.5]),
                delta: dice.pick(&[1.5, 1.5, 1.1, 3.0]),
                floor: Rate(dice.between(100_000, 10_000_000)),
                weight: dice.pick(&[0.25, 0.1, 0.75, 1.0]),
            });
            ExplicitRateSpec::Erica(erica)
        }
        Rules::Notices => ExplicitRateSpec::RelativeRate(RelativeRateSpec {
            congestion: short_mark(dice),
            no_increase: short_mark(dice),
            marks_backward: dice.one_in(2),
            backward_notice_every: Some(match dice.between(0, 3) {
                0 => dice.span(5, 20),
                _ => dice.span(20, 1000),
            }),
        }),
    }
}

/// Of a queue of a few cells.
fn short_mark(dice: &mut Dice) -> MarkSpec {
    let low_cells = dice.between(0, 2) as u32;
    MarkSpec {
        high_cells: low_cells + dice.between(0, 3) as u32,
        low_cells,
    }
}

fn mark(dice: &mut Dice) -> MarkSpec {
    let most = dice.pick(&[5, 30]);
    let low_cells = dice.between(0, most) as u32;
    MarkSpec {
        high_cells: low_cells + dice.between(0, most) as u32,
        low_cells,
    }
}

fn erica(dice: &mut Dice) -> EricaSpec {
    let mut erica = Builder::erica();
    erica.interval = dice.span(100, 2000);
    erica.interval_cells = dice.pick(&[0, 1, 20, 50, 100]);
    erica.target = dice.pick(&[0.9, 0.95, 1.0]);
    erica.delta = dice.pick(&[0.0, 0.1, 0.1]);
    erica.limit_jump = dice.one_in(2);
    erica.one_feedback = dice.one_in(2);
    erica.up_to_link = dice.one_in(3);
    erica.activity_decay = dice.pick(&[0.0, 0.5, 0.9]);
    if dice.one_in(3) {
        erica.ccr = CurrentRate::Measured;
    }
    if dice.one_in(3) {
        erica.queue = Some(QueueControlSpec {
            delay: dice.span(50, 1000),
            a: 1.15,
            b: 1.05,
            least: 0.5,
        });
    }
    erica
}

/// Are the spans of time on a grid, so that many things coincide?
#[cfg(test)]
pub(super) fn is_on_grid(spec: &NetworkSpec) -> bool {
    let half = CELL_PS / 2;
    let mut links = spec.links.iter();
    links.all(|link| link.channels[0].delay.ps().is_multiple_of(half))
}
