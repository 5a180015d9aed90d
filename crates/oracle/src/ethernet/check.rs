//! What this engine does not run.

use backwater_net::frames::spec::{EthernetSpec, NodeKind};

use super::network::queue_specs;
use super::{Problem, routes};

pub(super) fn check(spec: &EthernetSpec) -> Result<(), Problem> {
    for (index, node) in spec.nodes.iter().enumerate() {
        let links = spec.links.iter();
        let mut links = links.filter(|link| link.ends.contains(&(index as u32)));
        if matches!(node.kind, NodeKind::Station { .. }) && links.next().is_none() {
            return Err(Problem(format!("host {index} needs a link")));
        }
    }
    let hops = routes::next_hops(spec);
    for (index, flow) in spec.flows.iter().enumerate() {
        let source = flow.source as usize;
        let is_known = |pair| {
            hops.get(&pair)
                .is_some_and(|hops: &Vec<usize>| !hops.is_empty())
        };
        let mut destinations = flow.destinations().map(|to| to as usize);
        if !destinations.all(|to| is_known((source, to)) && is_known((to, source))) {
            return Err(Problem(format!("flow {index} has no way")));
        }
        if usize::from(flow.class) >= queue_specs(spec, 0).len() {
            return Err(Problem(format!("flow {index}: there is no such class")));
        }
    }
    Ok(())
}
