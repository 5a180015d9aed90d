//! Flows of the Ethernet engine that got next to nothing, and what stood in their way.

use ethernet::outcome::EthernetOutcome;
use ethernet::spec::{EthernetSpec, Order};

use super::names;
use crate::number::grouped;
use crate::starved::{got_nothing, others, told};

/// A sentence for each of the first of them.
pub fn sentences(spec: &EthernetSpec, outcome: &EthernetOutcome) -> Vec<String> {
    let flows = (0_u32..).zip(&outcome.flows);
    let starved: Vec<u32> = flows
        .filter(|(_, found)| got_nothing(found.created_total, found.delivered_total))
        .map(|(flow, _)| flow)
        .collect();
    told(&starved, |flow| {
        let found = &outcome.flows[flow as usize];
        format!(
            "{}: {} frames created, {} delivered: {}",
            names::flow(spec, flow),
            grouped(found.created_total),
            grouped(found.delivered_total),
            reason(spec, outcome, flow as usize)
        )
    })
}

fn reason(spec: &EthernetSpec, outcome: &EthernetOutcome, flow: usize) -> String {
    let found = &outcome.flows[flow];
    if found.dropped_total > found.inside_total {
        return format!("{} were dropped", grouped(found.dropped_total));
    }
    let waits = format!("{} wait or are on their way", grouped(found.inside_total));
    let Some(own) = spec.flows.get(flow) else {
        return waits;
    };
    let urgent = spec.flows.iter().filter(|other| other.class > own.class);
    let ports = spec.links.iter().flat_map(|l| [&l.forward, &l.backward]);
    let is_strict = ports
        .into_iter()
        .any(|port| port.order == Order::StrictPriority);
    match urgent.count() {
        count @ 1.. if is_strict => format!(
            "{waits}; {} of a class above {}, and the highest class goes first here",
            others(count, "is", "are"),
            own.class
        ),
        _ => waits,
    }
}
