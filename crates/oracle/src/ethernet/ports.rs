//! Ports that serve their classes otherwise than by strict priority: the disciplines of
//! [`crate::service`], with a leg for each class, the highest first.

use backwater_kernel::Channels;
use backwater_net::frames::spec::{EthernetSpec, SchedulerSpec, largest_bytes};

use crate::service::{Port, Seat};

/// Preamble and gap.
const WIRE_BYTES: u64 = 20;

/// The port of a channel; `None` under strict priority.
pub(super) fn port(spec: &EthernetSpec, channel: usize) -> Option<Port> {
    let own = spec.links.channel(channel as u32);
    let is_drr = matches!(own.scheduler, SchedulerSpec::Drr { .. });
    if own.scheduler == SchedulerSpec::StrictPriority {
        return None;
    }
    let last = own.queues.len() - 1;
    let seat = |leg: usize| {
        let queue = &own.queues[last - leg];
        Seat {
            leg,
            group: queue.priority,
            reserve: queue.reserve.filter(|_| !is_drr),
            unit_bytes: u64::from(largest_bytes(spec)[last - leg]) + WIRE_BYTES,
        }
    };
    let seats: Vec<Seat> = (0..=last).map(seat).collect();
    let quantum = |leg: usize| (leg, u64::from(own.queues[last - leg].quantum_bytes));
    Some(match is_drr {
        true => Port::of_quanta(own.rate, seats, (0..=last).map(quantum).collect()),
        false => Port::new(&own.scheduler, own.rate, seats),
    })
}
