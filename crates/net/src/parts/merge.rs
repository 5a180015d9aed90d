//! What the parts found, as if one had found it.

use alloc::vec::Vec;

use backwater_ends::outcome::EndsOutcome;
use backwater_kernel::{DelayOutcome, Distribution, TraceSum};

use crate::network::owners::Owners;
use crate::outcome::{
    AbrOutcome, CellCounts, ChannelOutcome, DestinationOutcome, FlowOutcome, LegOutcome, Outcome,
    SessionAnswer, SessionOutcome,
};

pub(super) fn hash(hashes: impl Iterator<Item = TraceSum>) -> u64 {
    let mut all = TraceSum::default();
    hashes.for_each(|one| all.join(one));
    all.value()
}

/// All but the trace hash and what only the conductor knows.
pub(super) fn merge(mut found: Vec<Outcome>, owners: &Owners) -> Outcome {
    let mut all = found.remove(0);
    for (part, other) in (1_u8..).zip(found) {
        let is = owners.of(part);
        all.events += other.events;
        all.unit_hops += other.unit_hops;
        all.control_hops += other.control_hops;
        all.violations.join(&other.violations);
        for (id, (own, flow)) in all.flows.iter_mut().zip(other.flows).enumerate() {
            if let (Some(own), Some(other)) = (&mut own.session, flow.session) {
                let legs = all.legs.iter().filter(|leg| leg.flow as usize == id);
                add_session(own, other, legs.map(|leg| leg.channel));
            }
            add_flow(own, flow, is.has_source(id));
        }
        for (id, (own, leg)) in all.legs.iter_mut().zip(other.legs).enumerate() {
            add_leg(own, leg, (is.has_sender(id), is.has_receiver(id)));
        }
        for (id, (own, channel)) in all.channels.iter_mut().zip(other.channels).enumerate() {
            add_channel(own, channel, (is.sends_on(id), is.hears(id)));
        }
        for (id, (own, node)) in all.nodes.iter_mut().zip(other.nodes).enumerate() {
            if is.has_node(id) {
                *own = node;
            }
        }
    }
    for session in all
        .flows
        .iter_mut()
        .filter_map(|flow| flow.session.as_mut())
    {
        if session.answered_at.is_none() {
            session.answer = SessionAnswer::Pending;
        }
    }
    all
}

/// The source knows when it asked and when it was answered, ports by themselves that they refused,
/// destinations when it was closed. The first port on `way` that refused is told.
fn add_session(
    own: &mut SessionOutcome,
    other: SessionOutcome,
    mut way: impl Iterator<Item = u32>,
) {
    let before = *own;
    if other.asked_at.is_some() {
        *own = other;
    }
    own.closed_at = before.closed_at.or(other.closed_at);
    let refusal = |channel| {
        let mut all = [before.answer, other.answer].into_iter();
        let is_there = |answer: &SessionAnswer| match answer {
            SessionAnswer::Refused { channel: by, .. } => *by == channel,
            SessionAnswer::Pending | SessionAnswer::Admitted => false,
        };
        all.find(is_there)
    };
    if let Some(first) = way.find_map(refusal) {
        own.answer = first;
    }
}

/// Every unit is counted by one part, where it was. All fields are named: one that is forgotten
/// would be what the first part found.
fn add_flow(own: &mut FlowOutcome, other: FlowOutcome, has_source: bool) {
    let FlowOutcome {
        offered_total,
        delivered_total,
        lost_total,
        inside_total,
        bytes,
        drops,
        delivered,
        delivered_bytes,
        lost,
        accepted,
        retransmitted_total,
        delay,
        source_backlog_max,
        responses,
        shaping,
        alarms_total,
        session: _,
        abr,
        tcp,
        marked,
        trimmed,
        ends,
        alone: _,
        // Of times that are complete when all parts are merged.
        slowdown: _,
        path: _,
        destinations,
    } = other;
    own.offered_total += offered_total;
    own.delivered_total += delivered_total;
    own.lost_total += lost_total;
    own.inside_total += inside_total;
    if let (Some(own), Some(other)) = (&mut own.bytes, bytes) {
        *own = [*own, other].into_iter().sum();
    }
    own.drops.merge(&drops);
    own.delivered += delivered;
    own.delivered_bytes += delivered_bytes;
    own.lost += lost;
    own.accepted += accepted;
    own.retransmitted_total += retransmitted_total;
    take(&mut own.delay, delay);
    own.source_backlog_max = own.source_backlog_max.max(source_backlog_max);
    take_all(&mut own.responses, responses);
    take(&mut own.shaping, shaping);
    own.alarms_total += alarms_total;
    if let (Some(own), Some(other)) = (&mut own.abr, abr) {
        add_abr(own, *other, has_source);
    }
    if has_source {
        own.tcp = tcp;
    }
    own.marked += marked;
    own.trimmed += trimmed;
    add_ends(&mut own.ends, ends, has_source);
    for (own, other) in own.destinations.iter_mut().zip(destinations) {
        add_destination(own, other);
    }
}

fn add_destination(own: &mut DestinationOutcome, other: DestinationOutcome) {
    let DestinationOutcome {
        offered_total,
        delivered_total,
        lost_total,
        inside_total,
        delivered,
        delay,
    } = other;
    own.offered_total += offered_total;
    own.delivered_total += delivered_total;
    own.lost_total += lost_total;
    own.inside_total += inside_total;
    own.delivered += delivered;
    take(&mut own.delay, delay);
}

/// What is not counted where cells are is known to the source.
fn add_abr(own: &mut AbrOutcome, other: AbrOutcome, has_source: bool) {
    let forward = sum(own.forward, other.forward);
    let backward = sum(own.backward, other.backward);
    if has_source {
        *own = other;
    }
    (own.forward, own.backward) = (forward, backward);
}

fn sum(one: CellCounts, other: CellCounts) -> CellCounts {
    CellCounts {
        sent: one.sent + other.sent,
        received: one.received + other.received,
        lost: one.lost + other.lost,
        inside: one.inside + other.inside,
    }
}

fn add_ends(own: &mut EndsOutcome, other: EndsOutcome, has_source: bool) {
    let EndsOutcome {
        goodput_bytes,
        returned_bytes,
        offered_bytes_total,
        transfers,
        transfer_time,
        acknowledged_time,
        transfers_total,
        transfers_begun,
        latest_start,
        transfers_planned: _,
        are_acknowledged: _,
        first_start,
        last_transfer,
        unacknowledged_total,
        late,
        due,
        tcp,
        messages,
    } = other;
    own.goodput_bytes += goodput_bytes;
    own.returned_bytes += returned_bytes;
    own.offered_bytes_total += offered_bytes_total;
    own.transfers += transfers;
    take_all(&mut own.transfer_time, transfer_time);
    take_all(&mut own.acknowledged_time, acknowledged_time);
    own.transfers_total += transfers_total;
    own.transfers_begun += transfers_begun;
    own.latest_start = own.latest_start.max(latest_start);
    own.first_start = own.first_start.or(first_start);
    own.last_transfer = own.last_transfer.max(last_transfer);
    if has_source {
        own.unacknowledged_total = unacknowledged_total;
    }
    own.late += late;
    own.due += due;
    own.tcp = own.tcp.plus(tcp);
    if let (Some(own), Some(other)) = (&mut own.messages, messages) {
        own.add(*other);
    }
}

/// Each of them was recorded at one end.
fn take(own: &mut DelayOutcome, other: DelayOutcome) {
    if other.count > 0 {
        *own = other;
    }
}

/// The same of transfers.
fn take_all(own: &mut Distribution, other: Distribution) {
    if other.count() + other.open() > 0 {
        *own = other;
    }
}

/// The two ends of a leg may be in two parts.
fn add_leg(own: &mut LegOutcome, other: LegOutcome, (sends, hears): (bool, bool)) {
    // Either end learns of what is lost on its way there.
    let credits_lost_total = own.credits_lost_total + other.credits_lost_total;
    let (sender, receiver) = match (sends, hears) {
        (false, false) => return,
        (true, true) => (other.clone(), other),
        (true, false) => (other, core::mem::take(own)),
        (false, true) => (core::mem::take(own), other),
    };
    *own = LegOutcome {
        sent_total: sender.sent_total,
        alarms_total: sender.alarms_total,
        dropped_waiting_total: sender.dropped_waiting_total,
        credits_received_total: sender.credits_received_total,
        credits_lost_total,
        requests_total: sender.requests_total,
        credit: sender.credit,
        sent: sender.sent,
        blocked: sender.blocked,
        ..receiver
    };
}

/// A channel belongs to the part that sends on it; what came over it, to the one it leads to.
fn add_channel(own: &mut ChannelOutcome, other: ChannelOutcome, (sends, hears): (bool, bool)) {
    let (mut of_sender, of_other) = match sends {
        true => (other, core::mem::take(own)),
        false => (core::mem::take(own), other),
    };
    let (into, from) = (&mut of_sender.by_class, of_other.by_class);
    let takes = match sends {
        true => !hears,
        false => hears,
    };
    if takes {
        into.input_most_bytes = from.input_most_bytes;
        into.headroom_most_bytes = from.headroom_most_bytes;
    }
    into.control_lost_total += from.control_lost_total;
    for (queue, other) in into.queues.iter_mut().zip(from.queues) {
        queue.drops.merge(&other.drops);
        if let (Some(credit), Some(other), true) = (&mut queue.credit, other.credit, takes) {
            (credit.freed, credit.lost) = (other.freed, other.lost);
        }
        for (lane, other) in queue.lanes.iter_mut().zip(&other.lanes).filter(|_| takes) {
            (lane.credit.freed, lane.credit.lost) = (other.credit.freed, other.credit.lost);
        }
    }
    *own = of_sender;
}
