//! What a specification says of itself, whatever crosses its links.

use backwater_kernel::{Duration, Link, Rate, Time};
use backwater_net::spec::{Kind, Spec};

/// A specification of circuits or of frames.
pub trait Described: Sized {
    /// One direction of a link.
    type Channel;
    /// Links; link `k` holds channels `2k` and `2k + 1`.
    fn links(&self) -> &[Link<Self::Channel>];
    /// Line rate and propagation of a channel.
    fn line(channel: &Self::Channel) -> (Rate, Duration);
    /// The name of a node, if there is one, and whether it is a switch.
    fn node(&self, node: u32) -> Option<(&str, bool)>;
    /// The name of a flow, if there is one.
    fn flow(&self, flow: u32) -> Option<&str>;
    /// Statistics start here.
    fn warm_up(&self) -> Time;
    /// Root of every random stream.
    fn seed(&self) -> u64;
    /// The network with this flow alone, of another name.
    fn only(&self, flow: u32, name: &str) -> Self;
}

impl<K: Kind> Described for Spec<K> {
    type Channel = K::Channel;

    fn links(&self) -> &[Link<K::Channel>] {
        &self.links
    }

    fn line(channel: &K::Channel) -> (Rate, Duration) {
        K::line(channel)
    }

    fn node(&self, node: u32) -> Option<(&str, bool)> {
        self.nodes.get(node as usize).map(K::node)
    }

    fn flow(&self, flow: u32) -> Option<&str> {
        self.flows.get(flow as usize).map(K::flow)
    }

    fn warm_up(&self) -> Time {
        self.warm_up
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn only(&self, flow: u32, name: &str) -> Self {
        let mut alone = self.flows[flow as usize].clone();
        K::rename(&mut alone, name);
        Self {
            flows: vec![alone],
            ..self.clone()
        }
    }
}
