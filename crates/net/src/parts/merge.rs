//! What the parts found, as if one had found it.

use alloc::vec::Vec;

use backwater_ends::outcome::EndsOutcome;
use backwater_kernel::{Balance, DelayOutcome, Distribution, TraceSum};

use super::cut::Cut;
use crate::outcome::{ChannelOutcome, FlowOutcome, Outcome};

pub(super) fn hash(hashes: impl Iterator<Item = TraceSum>) -> u64 {
    let mut all = TraceSum::default();
    hashes.for_each(|one| all.join(one));
    all.value()
}

/// All but the trace hash and what only the conductor knows.
pub(super) fn merge(mut found: Vec<Outcome>, cut: &Cut) -> Outcome {
    let mut all = found.remove(0);
    for (part, other) in (1_u8..).zip(found) {
        all.events += other.events;
        all.unit_hops += other.unit_hops;
        all.control_hops += other.control_hops;
        all.violations.join(&other.violations);
        for ((own, flow), ends) in all.flows.iter_mut().zip(other.flows).zip(&cut.flows) {
            add_flow(own, flow, ends.0 == part);
        }
        for ((own, channel), ends) in all.channels.iter_mut().zip(other.channels).zip(&cut.ends) {
            add_channel(own, channel, (ends.0 == part, ends.1 == part));
        }
        for ((own, node), owner) in all.nodes.iter_mut().zip(other.nodes).zip(&cut.owners) {
            if *owner == part {
                *own = node;
            }
        }
    }
    all
}

/// Every frame is counted by one part, where it was.
fn add_flow(own: &mut FlowOutcome, other: FlowOutcome, has_source: bool) {
    own.offered_total += other.offered_total;
    own.delivered_total += other.delivered_total;
    own.lost_total += other.lost_total;
    own.inside_total += other.inside_total;
    own.bytes = [own.bytes, other.bytes]
        .into_iter()
        .flatten()
        .map(Some)
        .fold(None, |sum: Option<Balance>, one| {
            Some([sum, one].into_iter().flatten().sum())
        });
    own.delivered += other.delivered;
    own.lost += other.lost;
    own.marked += other.marked;
    take(&mut own.delay, other.delay);
    take_all(&mut own.slowdown, other.slowdown);
    add_ends(&mut own.ends, other.ends, has_source);
}

fn add_ends(own: &mut EndsOutcome, other: EndsOutcome, has_source: bool) {
    own.goodput_bytes += other.goodput_bytes;
    own.returned_bytes += other.returned_bytes;
    own.offered_bytes_total += other.offered_bytes_total;
    own.transfers += other.transfers;
    take_all(&mut own.transfer_time, other.transfer_time);
    take_all(&mut own.acknowledged_time, other.acknowledged_time);
    own.transfers_total += other.transfers_total;
    own.first_start = own.first_start.or(other.first_start);
    own.last_transfer = own.last_transfer.max(other.last_transfer);
    if has_source {
        own.unacknowledged_total = other.unacknowledged_total;
    }
    own.tcp = own.tcp.plus(other.tcp);
}

/// Each of them was recorded at one end.
fn take(own: &mut DelayOutcome, other: DelayOutcome) {
    if other.count > 0 {
        *own = other;
    }
}

/// The same of transfers.
fn take_all(own: &mut Distribution, other: Distribution) {
    if other.count() > 0 {
        *own = other;
    }
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
    }
    *own = of_sender;
}
