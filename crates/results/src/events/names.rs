//! Names for flows, nodes and channels that readers know from the scenario.

use backwater_kernel::Channels;

use super::Network;
use crate::groups::group_names;

/// A node's name, or that of the hosts of a multicast; its number where there is no such node.
pub fn node(network: &impl Network, node: u32) -> String {
    if let Some(of) = network.hosts_of(node) {
        return format!("hosts of {}", flow(network, of));
    }
    match network.node(node) {
        Some((name, _)) => name.into(),
        None => format!("node {node}"),
    }
}

/// A flow's name; its number where there is no such flow.
pub fn flow(network: &impl Network, flow: u32) -> String {
    match network.flow(flow) {
        Some(name) => name.into(),
        None => format!("flow {flow}"),
    }
}

/// The names of flows, those of one group as one.
pub fn flow_names(network: &impl Network) -> Vec<String> {
    group_names((0..).map_while(|flow| network.flow(flow)))
}

/// `from -> to` of each channel, with `#2` and so on over the second of several links between the
/// same two nodes.
pub fn channels(network: &impl Network) -> Vec<String> {
    let links = network.links();
    let names = links
        .iter()
        .zip(links.numbers())
        .flat_map(|(link, number)| {
            let ends = link.ends;
            let number = match number {
                0 | 1 => String::new(),
                _ => format!("#{number}"),
            };
            let [a, b] = ends.map(|end| node(network, end));
            [format!("{a} -> {b}{number}"), format!("{b} -> {a}{number}")]
        });
    names.collect()
}

/// The name of a channel among those of [`channels`].
pub fn channel(names: &[String], channel: u32) -> String {
    match names.get(channel as usize) {
        Some(name) => name.clone(),
        None => format!("port {channel}"),
    }
}

/// The nodes a channel leaves and enters.
pub fn channel_ends(network: &impl Network, channel: u32) -> Option<(u32, u32)> {
    let links = network.links();
    let exists = links.channels().contains(&channel);
    exists.then(|| links.ends(channel))
}

/// What is said of a channel.
pub fn channel_spec<N: Network>(network: &N, channel: u32) -> Option<&N::Channel> {
    let links = network.links();
    let exists = links.channels().contains(&channel);
    exists.then(|| links.channel(channel))
}
