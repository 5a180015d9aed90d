//! Names for channels and nodes that readers know from the scenario.

use backwater_kernel::Channels;
use backwater_net::spec::NetworkSpec;

/// A node's name; its number where the spec has no such node.
pub fn node(spec: &NetworkSpec, node: u32) -> String {
    match spec.nodes.get(node as usize) {
        Some(node) => node.name.clone(),
        None => format!("node {node}"),
    }
}

/// `from -> to` of each channel, with the link's number where several join the same two nodes.
pub fn channels(spec: &NetworkSpec) -> Vec<String> {
    let ends = |a: u32, b: u32| (a.min(b), a.max(b));
    let mut names = Vec::with_capacity(spec.links.len() * 2);
    let mut seen = std::collections::BTreeMap::new();
    for link in &spec.links {
        *seen.entry(ends(link.ends[0], link.ends[1])).or_insert(0u32) += 1;
    }
    for (index, link) in spec.links.iter().enumerate() {
        let several = seen
            .get(&ends(link.ends[0], link.ends[1]))
            .is_some_and(|count| *count > 1);
        let number = if several {
            format!(" (link {index})")
        } else {
            String::new()
        };
        for (from, to) in [(link.ends[0], link.ends[1]), (link.ends[1], link.ends[0])] {
            names.push(format!(
                "{} -> {}{number}",
                node(spec, from),
                node(spec, to)
            ));
        }
    }
    names
}

/// A flow's name; its number where the spec has no such flow.
pub fn flow(spec: &NetworkSpec, flow: u32) -> String {
    match spec.flows.get(flow as usize) {
        Some(flow) => flow.name.clone(),
        None => format!("flow {flow}"),
    }
}

/// The name of a channel among those of [`channels`].
pub fn channel(names: &[String], channel: u32) -> String {
    match names.get(channel as usize) {
        Some(name) => name.clone(),
        None => format!("port {channel}"),
    }
}

/// The node a channel ends at.
pub fn channel_end(spec: &NetworkSpec, channel: u32) -> Option<u32> {
    let channels = spec.links.channels();
    channels
        .contains(&channel)
        .then(|| spec.links.ends(channel).1)
}

/// Destinations of a flow: where legs without legs after them end.
pub fn destinations(spec: &NetworkSpec, flow: usize) -> Vec<String> {
    let Some(flow) = spec.flows.get(flow) else {
        return Vec::new();
    };
    let mut goes_on = vec![false; flow.legs.len()];
    for parent in flow.legs.iter().filter_map(|leg| leg.parent) {
        if let Some(leg) = goes_on.get_mut(parent as usize) {
            *leg = true;
        }
    }
    (0..flow.legs.len())
        .filter(|&leg| !goes_on[leg])
        .map(|leg| match channel_end(spec, flow.legs[leg].channel) {
            Some(end) => node(spec, end),
            None => "?".into(),
        })
        .collect()
}
