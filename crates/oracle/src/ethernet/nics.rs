//! Which of several ports of a station a frame leaves by.

use backwater_net::frames::spec::{EthernetSpec, NicRule};

use super::routes;

/// Is this where the frames of a flow that go one way are made?
pub(super) fn is_source(spec: &EthernetSpec, flow: usize, is_forward: bool, node: usize) -> bool {
    let flow = &spec.flows[flow];
    let source = if is_forward {
        flow.source
    } else {
        flow.destination
    };
    source as usize == node
}

/// Of so many ports on a way, the one of a flow's frame before which so many were made. What is
/// forwarded takes no turns.
pub(super) fn port(
    spec: &EthernetSpec,
    flow: usize,
    is_forward: bool,
    node: usize,
    ports: usize,
    turn: usize,
) -> usize {
    let way = 2 * flow as u64 + u64::from(!is_forward);
    let hash = routes::mix(&[spec.seed, way, node as u64]);
    let drawn = (hash % ports as u64) as usize;
    let rule = spec.rules.nics.iter().find(|nic| nic.node as usize == node);
    match rule.map(|nic| nic.rule) {
        None | Some(NicRule::Hash) => drawn,
        Some(NicRule::Spread) if !is_source(spec, flow, is_forward, node) => drawn,
        Some(NicRule::Spread) => (drawn + turn) % ports,
        Some(NicRule::Rail) => match spec.rules.rails.get(flow) {
            Some(rail) => *rail as usize % ports,
            None => flow % ports,
        },
    }
}
