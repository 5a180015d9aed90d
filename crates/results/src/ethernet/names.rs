//! Names of channels and nodes, as the scenario gives them.

use backwater_kernel::Channels;
use std::collections::BTreeMap;

use backwater_net::frames::spec::{ChannelSpec, EthernetSpec, FlowSpec, GROUP};

/// A node's name, or that of the hosts of a multicast; its number where the spec has no such node.
pub fn node(spec: &EthernetSpec, node: u32) -> String {
    if node & GROUP != 0 {
        return format!("hosts of {}", flow(spec, node & !GROUP));
    }
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
        *seen.entry(pair(link.ends[0], link.ends[1])).or_insert(0u32) += 1;
    }
    let mut names = Vec::with_capacity(spec.links.len() * 2);
    for (index, link) in spec.links.iter().enumerate() {
        let several = seen
            .get(&pair(link.ends[0], link.ends[1]))
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

/// The name of a channel among those of [`channels`].
pub fn channel(names: &[String], channel: u32) -> String {
    match names.get(channel as usize) {
        Some(name) => name.clone(),
        None => format!("port {channel}"),
    }
}

/// `A -> S1 -> B`: the nodes on the path of a flow over these channels, with the link's number
/// where several join two of them; its ends where there is no path. `names` are those of
/// [`channels`].
pub fn path(spec: &EthernetSpec, flow: &FlowSpec, hops: &[u32], names: &[String]) -> String {
    let source = node(spec, flow.source);
    if hops.is_empty() {
        let ends: Vec<String> = flow.destinations().map(|to| node(spec, to)).collect();
        return format!("{source} -> {}", ends.join(", "));
    }
    let mut text = source;
    for hop in hops {
        let from = channel_ends(spec, *hop).map_or(0, |ends| ends.0);
        let name = channel(names, *hop);
        // The name of a channel begins with the node it leaves.
        text.push_str(name.strip_prefix(&node(spec, from)).unwrap_or(&name));
    }
    text
}

/// The nodes a channel leaves and enters.
pub fn channel_ends(spec: &EthernetSpec, channel: u32) -> Option<(u32, u32)> {
    let channels = spec.links.channels();
    channels
        .contains(&channel)
        .then(|| spec.links.ends(channel))
}

/// What the spec says of a channel.
pub fn channel_spec(spec: &EthernetSpec, channel: u32) -> Option<&ChannelSpec> {
    let channels = spec.links.channels();
    channels
        .contains(&channel)
        .then(|| spec.links.channel(channel))
}
