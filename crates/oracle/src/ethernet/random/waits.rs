//! Messages that wait for messages of other flows.

use backwater_ends::spec::messages::{ComputeSpec, Happened, MessageSpec, MessagesSpec};
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, TrafficSpec};

use super::Dice;

/// Most connections carry messages, each of which may wait for some of the flows before its own;
/// flows of datagrams likewise, if they are to.
pub(super) fn fill(dice: &mut Dice, spec: &mut EthernetSpec, do_datagrams: bool) {
    let mut counts: Vec<u32> = Vec::new();
    for flow in 0..spec.flows.len() {
        let candidate = &spec.flows[flow];
        let is_one = do_datagrams && !candidate.is_multicast();
        let carries = candidate.transport.is_connection() || is_one;
        if !carries || dice.one_in(5) {
            counts.push(0);
            continue;
        }
        let count = dice.between(1, 12) as u32;
        let messages = (0..count).map(|_| MessageSpec {
            bytes: dice.between(1, 12_000),
            after: waits(dice, &spec.flows, &counts),
            think: match dice.one_in(2) {
                true => dice.span(1_000, 200_000),
                false => backwater_kernel::Duration::ZERO,
            },
            step: 0,
        });
        let mut list = MessagesSpec {
            start: backwater_kernel::Time::ZERO,
            messages: messages.collect(),
            ..MessagesSpec::default()
        };
        compute(dice, flow as u32, (&spec.flows, &counts), &mut list);
        if let Some(start) = spec.flows[flow].traffic.start_mut() {
            list.start = *start;
        }
        spec.flows[flow].traffic = TrafficSpec::Messages(list);
        counts.push(count);
    }
}

/// Its host computes now and then, and some of its messages wait for that.
fn compute(
    dice: &mut Dice,
    flow: u32,
    (flows, counts): (&[FlowSpec], &[u32]),
    list: &mut MessagesSpec,
) {
    for _ in 0..dice.between(0, 4) {
        let mut after = waits(dice, flows, counts);
        // It begins when a message has gone, before the one that waits for it.
        let at = dice.between(0, list.messages.len() as u64 - 1) as usize;
        if list.messages[at..]
            .iter()
            .any(|own| own.after.iter().any(is_computed))
        {
            continue;
        }
        if let Some(message) = (at as u32).checked_sub(1) {
            after.push(Happened::Sent { flow, message });
        }
        let compute = list.computes.len() as u32;
        list.computes.push(ComputeSpec {
            after,
            time: dice.span(1_000, 200_000),
        });
        list.messages[at]
            .after
            .push(Happened::Computed { flow, compute });
    }
}

fn is_computed(what: &Happened) -> bool {
    matches!(what, Happened::Computed { .. })
}

/// Up to three of what the source of the next flow sees of the flows before it.
fn waits(dice: &mut Dice, flows: &[FlowSpec], counts: &[u32]) -> Vec<Happened> {
    let source = flows[counts.len()].source;
    let mut after = Vec::new();
    for _ in 0..dice.between(0, 3) {
        let Some(other) = counts.len().checked_sub(1) else {
            break;
        };
        let other = dice.between(0, other as u64) as usize;
        if counts[other] == 0 {
            continue;
        }
        let flow = other as u32;
        let message = dice.between(0, u64::from(counts[other]) - 1) as u32;
        if flows[other].destination == source {
            after.push(Happened::Received { flow, message });
        } else if flows[other].source == source {
            after.push(Happened::Sent { flow, message });
        }
    }
    after
}
