//! Names of channels and nodes, as the scenario gives them.

use std::collections::BTreeMap;

use ethernet::spec::{ChannelSpec, EthernetSpec};

/// A node's name; its number where the spec has no such node.
pub fn node(spec: &EthernetSpec, node: u32) -> String {
    match spec.nodes.get(node as usize) {
        Some(node) => node.name.clone(),
        None => format!("node {node}"),
    }
}

/// A flow's name; its number where the spec has no such flow.
pub fn flow(spec: &EthernetSpec, flow: u32) -> String {
    match spec.flows.get(flow as usize) {
        Some(flow) => flow.name.clone(),
        None => format!("flow {flow}"),
    }
}

/// `from -> to` of each channel, with the link's number where several join the same two nodes.
pub fn channels(spec: &EthernetSpec) -> Vec<String> {
    let pair = |a: u32, b: u32| (a.min(b), a.max(b));
    let mut seen = BTreeMap::new();
    for link in &spec.links {
        *seen.entry(pair(link.a, link.b)).or_insert(0u32) += 1;
    }
    let mut names = Vec::with_capacity(spec.links.len() * 2);
    for (index, link) in spec.links.iter().enumerate() {
        let several = seen
            .get(&pair(link.a, link.b))
            .is_some_and(|count| *count > 1);
        let number = if several {
            format!(" (link {index})")
        } else {
            String::new()
        };
        for (from, to) in [(link.a, link.b), (link.b, link.a)] {
            names.push(format!(
                "{} -> {}{number}",
                node(spec, from),
                node(spec, to)
            ));
        }
    }
    names
}

/// The name of a channel among those of [`channels`].
pub fn channel(names: &[String], channel: u32) -> String {
    match names.get(channel as usize) {
        Some(name) => name.clone(),
        None => format!("port {channel}"),
    }
}

/// The nodes a channel leaves and enters.
pub fn channel_ends(spec: &EthernetSpec, channel: u32) -> Option<(u32, u32)> {
    let link = spec.links.get(channel as usize / 2)?;
    Some(match channel.is_multiple_of(2) {
        true => (link.a, link.b),
        false => (link.b, link.a),
    })
}

/// What the spec says of a channel.
pub fn channel_spec(spec: &EthernetSpec, channel: u32) -> Option<&ChannelSpec> {
    let link = spec.links.get(channel as usize / 2)?;
    Some(match channel.is_multiple_of(2) {
        true => &link.forward,
        false => &link.backward,
    })
}
