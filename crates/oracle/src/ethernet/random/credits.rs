//! Credit over channels: of classes that nothing stops, and, where a switch stops each input for
//! itself, over some of its links instead of stops.

use backwater_net::frames::spec::{
    Bind, ClassCreditRule, ClassCreditSpec, CountersSpec, CreditRule, CreditSpec, Detect,
    EthernetSpec, LaneSpec, MemorySpec, NodeKind, Owner, Says, Select, Shares, StatementSpec,
    UpdateSpec,
};

use super::super::routes;
use super::{Dice, Mix};

/// Largest frame of these networks, about.
const FRAME_BYTES: u32 = 1_600;

const RULES: [CreditRule; 5] = [
    CreditRule::N23,
    CreditRule::N123,
    CreditRule::N123Plus,
    CreditRule::Relative,
    CreditRule::Cumulative,
];

/// Credit at most switches.
pub(super) fn fill(dice: &mut Dice, spec: &mut EthernetSpec, mix: Mix) {
    for node in 0..spec.nodes.len() {
        let NodeKind::Switch(switch) = &spec.nodes[node].kind else {
            continue;
        };
        let is_shared = matches!(switch.memory, MemorySpec::Shared(_));
        let stops = switch.stops.clone();
        if is_shared || dice.one_in(6) {
            continue;
        }
        let rule = dice.pick(&RULES);
        let unit_bytes = dice.pick(&[64, 100, 500, FRAME_BYTES]);
        let counts = mix.has_counters && !dice.one_in(3);
        let overheads: &[i32] = if counts { &[-4, 0, 0, 20] } else { &[0] };
        let overhead_bytes = match overheads {
            [only] => *only,
            several => dice.pick(several),
        };
        for channel in 0..2 * spec.links.len() {
            if routes::head(spec, channel) != node {
                continue;
            }
            let own = &mut spec.links[channel / 2].channels[channel % 2];
            own.counters = counts.then(|| counters(dice, most_cost(unit_bytes), mix.may_wait));
            let stops = stops.over(channel as u32);
            let by_input =
                stops.is_some_and(|it| it.select == Select::Class && it.detect == Detect::Inputs);
            for class in 0..own.queues.len() {
                let is_stopped = stops.is_some_and(|it| it.holds(class as u8));
                let has_credit = match is_stopped {
                    true => by_input && dice.one_in(3),
                    false => !dice.one_in(4),
                };
                if let Some(input) = own
                    .inputs
                    .get_mut(class)
                    .filter(|_| has_credit && is_stopped)
                {
                    (input.high_bytes, input.low_bytes) = (u64::MAX, 0);
                }
                let kept = own.counters;
                let owner = match mix.has_lanes {
                    true if mix.has_hashes && !dice.one_in(3) => {
                        Owner::Hash(dice.pick(&[1, 2, 2, 3, 4, 100]))
                    }
                    true => {
                        dice.pick(&[Owner::Class, Owner::Destination, Owner::Flow, Owner::Flow])
                    }
                    false => Owner::Class,
                };
                own.credits.push(has_credit.then(|| ClassCreditSpec {
                    owner,
                    unit_bytes,
                    overhead_bytes,
                    rule: scheme(dice, kept.as_ref(), owner, rule, unit_bytes),
                }));
            }
        }
        if mix.has_looks {
            keep_all(spec, node);
        }
    }
}

/// What the largest frame costs under counters, at most.
fn most_cost(unit_bytes: u32) -> u32 {
    (FRAME_BYTES + 20).div_ceil(unit_bytes)
}

fn scheme(
    dice: &mut Dice,
    kept: Option<&CountersSpec>,
    owner: Owner,
    rule: CreditRule,
    unit_bytes: u32,
) -> ClassCreditRule {
    match kept {
        Some(kept) => {
            let mut lane = lane(dice, kept, most_cost(unit_bytes));
            // However many there are.
            if owner != Owner::Class {
                lane.reserve_units = 0;
            }
            ClassCreditRule::Counters(lane)
        }
        None => ClassCreditRule::Zones(zones(dice, rule, FRAME_BYTES.div_ceil(unit_bytes))),
    }
}

/// Queues of a switch drop nothing: those that wait for each other wait for good.
fn keep_all(spec: &mut EthernetSpec, node: usize) {
    for channel in 0..2 * spec.links.len() {
        if routes::tail(spec, channel) == node {
            let queues = &mut spec.links[channel / 2].channels[channel % 2].queues;
            queues.iter_mut().for_each(|queue| queue.limit_bytes = None);
        }
    }
}

/// A frame costs `most` at most.
fn zones(dice: &mut Dice, rule: CreditRule, most: u32) -> CreditSpec {
    let n2 = dice.between(1, u64::from(2 * most)) as u32;
    let some = |dice: &mut Dice, low, high| Some(dice.span(low, high));
    CreditSpec {
        rule,
        n1: match rule.has_zone1() {
            true => most * dice.between(1, 6) as u32,
            false => 0,
        },
        n2,
        n3: most * dice.between(1, 8) as u32,
        window: dice.span(20_000, 200_000),
        bind: dice.pick(&[Bind::Start, Bind::Start, Bind::Trigger]),
        redundant_every: dice.one_in(4).then(|| dice.between(1, 5) as u32),
        refresh_every: dice
            .one_in(3)
            .then_some(())
            .and_then(|()| some(dice, 50_000, 400_000)),
        request_after: dice
            .one_in(3)
            .then_some(())
            .and_then(|()| some(dice, 50_000, 400_000)),
        resync_every: dice
            .one_in(3)
            .then(|| dice.between(1, u64::from(6 * most)) as u32),
        message_bytes: None,
    }
}

/// A frame costs `most` at most.
fn counters(dice: &mut Dice, most: u32, may_wait: bool) -> CountersSpec {
    let bits = dice.between(10, 15) as u8;
    let says = match dice.between(0, 2) {
        0 => Says::Freed { bits },
        1 => Says::Limit { bits },
        _ => Says::Grains {
            units: dice.between(1, u64::from(2 * most)) as u32,
        },
    };
    let statement = !dice.one_in(3);
    let mut spec = CountersSpec {
        update: UpdateSpec {
            says,
            bytes: dice.pick(&[8, 20, 64, 100]),
            classes: dice.between(1, 3) as u8,
            spacing: dice.span(0, 100_000),
            at_least_every: (!dice.one_in(3)).then(|| dice.span(50_000, 400_000)),
            waits_for_idle: false,
        },
        statement: statement.then(|| StatementSpec {
            every: dice.span(50_000, 400_000),
            bits: dice.between(10, 20) as u8,
            bytes: dice.pick(&[8, 64]),
            classes: dice.between(1, 3) as u8,
            waits_for_idle: false,
        }),
        floor_units: match dice.one_in(4) {
            true => most * dice.between(1, 2) as u32,
            false => 0,
        },
        port_units: dice.one_in(3).then(|| most * dice.between(12, 24) as u32),
    };
    if may_wait {
        spec.update.waits_for_idle = spec.update.at_least_every.is_some() && !dice.one_in(3);
        if let Some(own) = &mut spec.statement {
            own.waits_for_idle = !dice.one_in(3);
        }
    }
    spec
}

/// A class of a port; what all reserve is less than what the port has.
fn lane(dice: &mut Dice, counters: &CountersSpec, most: u32) -> LaneSpec {
    let grain = match counters.update.says {
        Says::Grains { units } => units,
        Says::Freed { .. } | Says::Limit { .. } => 0,
    };
    // More than this might be taken for less: half of what the least counter holds.
    let own = (grain + most * dice.between(2, 8) as u32).min(511);
    LaneSpec {
        limit_units: counters.port_units.unwrap_or(own.max(grain + most)),
        reserve_units: match counters.port_units {
            Some(_) => most,
            None => 0,
        },
        shares: match dice.between(0, 2) {
            0 => Shares::Nothing,
            1 => Shares::Units(dice.one_in(2).then(|| most * 2)),
            _ => Shares::OfFree(dice.between(0, 3) as i8 - 2),
        },
    }
}
