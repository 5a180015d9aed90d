//! Nodes and links by name, before what they are made of is known.

use backwater_kernel::{Duration, Rate};
use backwater_net::frames::spec::NicRule;

use crate::given::frames::EthernetFile;
use crate::given::frames::network::{Channel, Wire};
use crate::network::wires::{self, Examples, Node, Wires};
use crate::prelude::*;

/// The network of frames.
pub(crate) type Net<'r> = Wires<Place, Join<'r>>;

/// A node.
pub(crate) struct Place {
    name: String,
    is_host: bool,
    /// Paths lead through it: a switch, or a host that is asked to forward.
    forwards: bool,
    /// What a file says that a frame takes through it.
    pub(super) latency: Option<Duration>,
}

impl Node for Place {
    fn new(name: String, is_host: bool) -> Self {
        Self {
            name,
            is_host,
            forwards: !is_host,
            latency: None,
        }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn is_host(&self) -> bool {
        self.is_host
    }
}

/// What a file says of a link.
#[derive(Clone, Copy)]
pub(crate) struct Listed {
    pub rate: Option<Rate>,
    pub delay: Option<Duration>,
    pub loss: f64,
}

impl Listed {
    fn channel(self) -> Channel {
        Channel {
            wire: Wire {
                rate: self.rate,
                delay: self.delay,
                data_loss: Some(self.loss).filter(|loss| *loss > 0.0),
                ..Wire::default()
            },
            ..Channel::default()
        }
    }
}

/// A link between two nodes.
#[derive(Clone)]
pub(crate) struct Join<'r> {
    pub a: u32,
    pub b: u32,
    /// What a file says of it, if it is from one.
    pub listed: Option<Listed>,
    /// `topology.trunk`, if it is one of those.
    pub trunk: Option<&'r Channel>,
    /// Where a mistake about it is shown.
    pub at: At,
}

impl wires::Link for Join<'_> {
    const EXAMPLES: Examples = Examples {
        channel: "A->D",
        named: "name them: `[network]` with `hosts = [\"S\", \"D\"]` and `switches`",
        ruled: "or make them: `[topology]` with `kind = \"star\"` and `hosts_per_switch = 4`",
        faster: "for links beside each other write `parallel`, for those that differ `number`",
    };

    fn ends(&self) -> [u32; 2] {
        [self.a, self.b]
    }

    fn replace(self, made: &mut Self) {
        made.at = self.at;
    }
}

impl Net<'_> {
    pub(crate) fn is_switch(&self, node: u32) -> bool {
        !self.is_host(node)
    }

    /// Do paths lead through a node?
    pub(crate) fn forwards(&self, node: u32) -> bool {
        self.nodes[node as usize].forwards
    }

    /// Paths lead through a host, or no longer.
    pub(super) fn lead_through(&mut self, host: u32, forwards: bool) {
        self.nodes[host as usize].forwards = forwards;
    }

    /// Hosts that paths lead through, in order.
    pub(super) fn forwarders(&self) -> Vec<u32> {
        let hosts = self.hosts().into_iter();
        hosts.filter(|host| self.forwards(*host)).collect()
    }

    /// How a node chooses among its links, as the file says.
    pub(crate) fn nic(&self, file: &EthernetFile, node: u32) -> NicRule {
        if self.is_switch(node) {
            return NicRule::Hash;
        }
        let is_it = |(name, _): &Named| name == self.name(node);
        let nodes = &mut file.nodes.iter();
        let differs = nodes.find(|entry| entry.name.iter().any(is_it));
        let differs = differs.and_then(|entry| *entry.nic);
        differs.unwrap_or(*file.host.nic).into()
    }

    /// What is said of a channel besides `[link]`: of one direction over of the link, over of all
    /// trunks, over a file that lists links.
    pub(crate) fn settings(&self, file: &EthernetFile, channel: u32) -> Channel {
        let entry = self.entry(&file.links, channel);
        let side = entry.and_then(|(own, is_forward)| match is_forward {
            true => own.forward.as_ref(),
            false => own.backward.as_ref(),
        });
        let join = &self.links[channel as usize / 2];
        let listed = join.listed.map(Listed::channel);
        let layers = [
            listed.as_ref(),
            join.trunk,
            entry.map(|(own, _)| &own.channel),
            side,
        ];
        let layers = layers.into_iter().flatten();
        layers.fold(Channel::default(), |below, layer| layer.over(&below))
    }

    /// Its hosts by number: as a topology from a file numbers its nodes, else in their order.
    pub(crate) fn numbered_hosts(&self) -> NumberedHosts {
        let nodes = 0..self.nodes.len() as u32;
        NumberedHosts(match self.is_numbered {
            true => nodes
                .map(|node| Some(node).filter(|node| self.is_host(*node)))
                .collect(),
            false => self.hosts().into_iter().map(Some).collect(),
        })
    }
}

/// Hosts by the numbers that files have for them.
pub(crate) struct NumberedHosts(Vec<Option<u32>>);

impl NumberedHosts {
    pub(crate) fn find(&self, number: u32) -> Result<u32, String> {
        let host = self.0.get(number as usize).copied().flatten();
        host.ok_or_else(|| {
            let last = self.0.iter().rposition(Option::is_some).unwrap_or_default();
            match self.0.iter().flatten().count() == last + 1 {
                true => format!("no host has the number `{number}`: they are 0 to {last}"),
                false => format!("node {number} is no host"),
            }
        })
    }
}
