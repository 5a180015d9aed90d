//! Memory, back-pressure and faults.

use backwater_kernel::{Channels, Time};
use backwater_net::frames::spec::{
    BackPressureSpec, Binding, BlockedSpec, Choose, ClassBits, CountedFrom, Detect, EcnSpec,
    EthernetSpec, InputSpec, InputStopsSpec, MarkAt, MemorySpec, Message, NodeKind, Notify, Obeyed,
    OwnShareSpec, PoolSpec, Ratio, Select, ShareSpec, SharedSpec, StormSpec, TimeOutSpec,
    WatchdogAction, WatchdogSpec,
};

use super::super::routes;
use super::{Dice, Mix, Scheme};

pub(super) fn fill(dice: &mut Dice, spec: &mut EthernetSpec, mix: Mix) {
    let classes = spec.links[0].channels[0].queues.len();
    let under = match dice.one_in(2) {
        true => u8::MAX.into(),
        false => dice.between(1, (1 << classes.min(8)) - 1) as ClassBits,
    };
    for node in 0..spec.nodes.len() {
        if routes::is_station(spec, node) {
            continue;
        }
        let back_pressure = back_pressure(dice, mix, under);
        let is_shared = mix.has_shared
            && !matches!(mix.scheme, Scheme::Destination | Scheme::Drawn)
            && dice.one_in(4);
        if is_shared {
            share(dice, spec, node, back_pressure);
        } else {
            limit(dice, spec, node, back_pressure, mix);
        }
    }
    if mix.has_watchdogs {
        watchdogs(dice, spec);
    }
    if mix.has_faults {
        faults(dice, spec);
    }
}

fn back_pressure(dice: &mut Dice, mix: Mix, classes: ClassBits) -> Option<BackPressureSpec> {
    let select = match mix.scheme {
        Scheme::Off => return None,
        Scheme::Port => Select::Port,
        Scheme::Class => Select::Class,
        Scheme::Destination => Select::Destination(Choose::AllFound),
        Scheme::Drawn => Select::Destination(Choose::Random {
            frames: dice.between(1, 3) as u32,
        }),
    };
    if mix.has_faults && !mix.has_looks && dice.one_in(12) {
        return None;
    }
    let is_blocking = matches!(mix.scheme, Scheme::Destination | Scheme::Drawn);
    let detect = match mix.has_inputs && !is_blocking && dice.one_in(3) {
        true => Detect::Inputs,
        false => Detect::Outputs,
    };
    let quanta = Message::Quanta {
        quanta: dice.between(10, 300) as u16,
        refresh_percent: dice.pick(&[None, Some(30), Some(50), Some(90)]),
    };
    let message = match mix.has_quanta && dice.one_in(2) {
        true => quanta,
        false => Message::UntilCancelled,
    };
    let time_out = mix.has_time_outs && dice.one_in(4);
    let time_out = time_out.then(|| TimeOutSpec {
        after: dice.span(100_000, 2_000_000),
        grace: dice.span(20_000, 1_000_000),
    });
    let blocked = (mix.has_blocked && is_blocking && !dice.one_in(3)).then(|| {
        let high = dice.between(1_000, 6_000);
        BlockedSpec {
            high_bytes: high,
            low_bytes: dice.between(1, high),
        }
    });
    Some(BackPressureSpec {
        classes,
        select,
        detect,
        notify: match mix.has_looks && dice.one_in(2) {
            true => Notify::All,
            false => dice.pick(&[Notify::All, Notify::Others, Notify::Contributing]),
        },
        message,
        binding: Binding::Start,
        time_out,
        blocked,
    })
}

/// What an input counts of a class.
fn input(dice: &mut Dice) -> InputSpec {
    let high = dice.between(2_000, 15_000);
    InputSpec {
        high_bytes: high,
        low_bytes: dice.between(high / 3, high),
        limit_bytes: (!dice.one_in(3)).then(|| high + dice.between(0, 8_000)),
    }
}

/// Each output queue has its own memory.
fn limit(
    dice: &mut Dice,
    spec: &mut EthernetSpec,
    node: usize,
    back_pressure: Option<BackPressureSpec>,
    mix: Mix,
) {
    let detects_inputs = back_pressure.is_some_and(|it| it.detect == Detect::Inputs);
    for id in 0..2 * spec.links.len() {
        let (leaves, enters) = (
            routes::tail(spec, id) == node,
            routes::head(spec, id) == node,
        );
        let channel = match id % 2 {
            0 => &mut spec.links[id / 2].channels[0],
            _ => &mut spec.links[id / 2].channels[1],
        };
        for queue in channel.queues.iter_mut().filter(|_| leaves) {
            let limit = dice.between(6_000, 25_000);
            let high = match mix.has_looks {
                true => dice.between(1_500, limit / 2),
                false => dice.between(limit / 4, limit - 1_600),
            };
            queue.limit_bytes = Some(limit);
            queue.high_bytes = high;
            queue.low_bytes = match mix.has_looks {
                true => dice.between(1, high / 4),
                false => dice.between(high / 3, high),
            };
            if dice.one_in(3) {
                let low = match dice.one_in(3) {
                    true => 0,
                    false => dice.between(0, limit / 2),
                };
                queue.ecn = Some(EcnSpec {
                    low_bytes: low,
                    high_bytes: dice.between(low + 1, limit),
                    probability: dice.pick(&[0.0, 0.1, 0.5, 1.0]),
                    at: MarkAt::Join,
                });
            }
        }
        let classes = channel.queues.len();
        if enters && detects_inputs {
            channel.inputs = (0..classes).map(|_| input(dice)).collect();
        }
    }
    set(spec, node, MemorySpec::Queues, back_pressure);
}

/// Inputs with stops of their own, or without any, at most switches that don't stop for outputs.
pub(super) fn own_stops(dice: &mut Dice, spec: &mut EthernetSpec, mix: Mix) {
    for channel in 0..2 * spec.links.len() as u32 {
        let node = routes::head(spec, channel as usize);
        let side = spec.links.channel_mut(channel);
        let NodeKind::Switch(switch) = &mut spec.nodes[node].kind else {
            continue;
        };
        let is_shared = matches!(switch.memory, MemorySpec::Shared(_));
        if is_shared || switch.stops.at_outputs().is_some() || dice.one_in(3) {
            continue;
        }
        let scheme = dice.pick(&[Scheme::Off, Scheme::Port, Scheme::Class]);
        let classes = dice.between(1, u64::from(u8::MAX)) as ClassBits;
        let rules = back_pressure(dice, Mix { scheme, ..mix }, classes);
        let rules = rules.map(|rules| BackPressureSpec {
            detect: Detect::Inputs,
            ..rules
        });
        switch.stops.own.push(InputStopsSpec { channel, rules });
        let classes = side.queues.len();
        side.inputs = (0..classes).map(|_| input(dice)).collect();
    }
}

/// All queues share the memory of the switch.
fn share(
    dice: &mut Dice,
    spec: &mut EthernetSpec,
    node: usize,
    back_pressure: Option<BackPressureSpec>,
) {
    let channels = 0..2 * spec.links.len();
    let ports: Vec<usize> = channels
        .filter(|id| routes::tail(spec, *id) == node)
        .collect();
    let classes = spec.links[0].channels[0].queues.len();
    let headroom = dice.between(2_000, 10_000);
    let pools = if dice.one_in(4) { 2 } else { 1 };
    let common = one_share(dice, headroom, 1);
    let mut shared = SharedSpec {
        cell_bytes: dice.pick(&[1, 1, 80, 208, 256]),
        pools: Vec::new(),
        share: common,
        own: Vec::new(),
    };
    let all = ports
        .iter()
        .flat_map(|id| (0..classes).map(|c| (*id ^ 1, c)));
    let differs = dice.one_in(3) || pools > 1;
    for (channel, class) in all.clone().filter(|_| differs) {
        if dice.one_in(2) {
            shared.own.push(OwnShareSpec {
                channel: channel as u32,
                class: class as u8,
                share: one_share(dice, headroom, pools),
            });
        }
    }
    for pool in 0..pools {
        let shares = all
            .clone()
            .map(|(channel, class)| *shared.share(channel as u32, class as u8));
        let shares: Vec<ShareSpec> = shares.filter(|share| share.pool == pool).collect();
        let reserved: u64 = shares.iter().map(|share| share.reserve_bytes).sum();
        let headroom = match dice.one_in(2) {
            true => headroom * ports.len() as u64,
            false => headroom * 3 / 2,
        };
        shared.pools.push(PoolSpec {
            bytes: reserved + headroom + dice.between(10_000, 50_000),
            headroom_bytes: headroom,
            safe_inputs: None,
        });
    }
    let back_pressure = back_pressure.map(|it| BackPressureSpec {
        detect: Detect::Inputs,
        time_out: None,
        ..it
    });
    set(spec, node, MemorySpec::Shared(shared), back_pressure);
}

fn one_share(dice: &mut Dice, headroom_bytes: u64, pools: u8) -> ShareSpec {
    let ratio = |dice: &mut Dice| Ratio {
        numerator: dice.pick(&[1, 1, 2, 8]),
        denominator: dice.pick(&[1, 4, 16]),
    };
    ShareSpec {
        pool: dice.between(0, u64::from(pools) - 1) as u8,
        reserve_bytes: dice.pick(&[0, 1_000, 2_000]),
        headroom_bytes,
        alpha: ratio(dice),
        output_alpha: ratio(dice),
        resume_offset_bytes: dice.pick(&[0, 1_000, 3_000]),
        resume_floor_bytes: dice.pick(&[0, 0, 2_500]),
    }
}

fn set(
    spec: &mut EthernetSpec,
    node: usize,
    memory: MemorySpec,
    back_pressure: Option<BackPressureSpec>,
) {
    if let NodeKind::Switch(switch) = &mut spec.nodes[node].kind {
        switch.memory = memory;
        switch.stops.common = back_pressure;
    }
}

fn faults(dice: &mut Dice, spec: &mut EthernetSpec) {
    let stop_at = spec.stop_at.ps();
    let classes = spec.links[0].channels[0].queues.len() as u64;
    for node in &mut spec.nodes {
        node.is_deaf = dice.one_in(20);
        let NodeKind::Station { storm } = &mut node.kind else {
            continue;
        };
        if dice.one_in(20) {
            let from = dice.between(0, stop_at / 2);
            *storm = Some(StormSpec {
                from: Time(from),
                until: Time(from + dice.between(0, stop_at / 2)),
                classes: match dice.one_in(2) {
                    true => Some(1 << dice.between(0, classes.min(8) - 1)),
                    false => None,
                },
                quanta: dice.between(20, 500) as u16,
            });
        }
    }
}

fn watchdogs(dice: &mut Dice, spec: &mut EthernetSpec) {
    for node in &mut spec.nodes {
        if dice.one_in(3) {
            node.watchdog = Some(WatchdogSpec {
                detect: dice.span(50_000, 1_000_000),
                restore: dice.span(20_000, 500_000),
                action: dice.pick(&[WatchdogAction::Drop, WatchdogAction::Forward]),
            });
        }
    }
}

/// How ports take stops.
pub(super) fn stopped(dice: &mut Dice, spec: &mut EthernetSpec, mix: Mix) {
    for channel in spec.links.iter_mut().flat_map(|link| &mut link.channels) {
        if mix.has_faults && !mix.has_looks && dice.one_in(6) {
            channel.stopped.by = Obeyed {
                port: dice.one_in(2),
                classes: dice.between(0, 255) as ClassBits,
                destinations: dice.between(0, 255) as ClassBits,
            };
        }
        if mix.has_quanta && dice.one_in(2) {
            channel.stopped.counted_from = CountedFrom::FrameEnd;
        }
        if mix.has_quanta && dice.one_in(4) {
            channel.stopped.pipeline = dice.span(0, 20_000);
        }
    }
    let has_handover = mix.has_quanta && dice.one_in(3);
    for node in &mut spec.nodes {
        if let NodeKind::Switch(switch) = &mut node.kind
            && let Some(rules) = &mut switch.stops.common
            && has_handover
        {
            rules.binding = Binding::Handover;
        }
    }
}
