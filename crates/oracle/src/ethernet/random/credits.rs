//! Credit over channels: of classes that nothing stops, and, where a switch stops each input for
//! itself, over some of its links instead of stops.

use backwater_net::frames::spec::{
    Bind, ClassCreditSpec, CreditRule, CreditSpec, Detect, EthernetSpec, MemorySpec, NodeKind,
    Select,
};

use super::super::routes;
use super::{Dice, Mix};

/// Largest frame of these networks, about.
const FRAME_BYTES: u32 = 1_600;

/// Credit at most switches.
pub(super) fn fill(dice: &mut Dice, spec: &mut EthernetSpec, mix: Mix) {
    let rules = [
        CreditRule::N23,
        CreditRule::N123,
        CreditRule::N123Plus,
        CreditRule::Relative,
        CreditRule::Cumulative,
    ];
    for node in 0..spec.nodes.len() {
        let NodeKind::Switch(switch) = &spec.nodes[node].kind else {
            continue;
        };
        let is_shared = matches!(switch.memory, MemorySpec::Shared(_));
        let stops = switch.back_pressure;
        let stopped = stops.map_or(0, |it| match it.select {
            Select::Port => u8::MAX,
            Select::Class | Select::Destination(_) => it.classes,
        });
        let by_input =
            stops.is_some_and(|it| it.select == Select::Class && it.detect == Detect::Inputs);
        if is_shared || dice.one_in(6) {
            continue;
        }
        let rule = dice.pick(&rules);
        let unit_bytes = dice.pick(&[64, 100, 500, FRAME_BYTES]);
        for channel in 0..2 * spec.links.len() {
            if routes::head(spec, channel) != node {
                continue;
            }
            let own = &mut spec.links[channel / 2].channels[channel % 2];
            for class in 0..own.queues.len() {
                let is_stopped = stopped >> class & 1 != 0;
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
                own.credits.push(has_credit.then(|| ClassCreditSpec {
                    unit_bytes,
                    rule: zones(dice, rule, FRAME_BYTES.div_ceil(unit_bytes)),
                }));
            }
        }
        if mix.has_looks {
            keep_all(spec, node);
        }
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
