//! The language as data, for programs that write scenarios: tests that make random ones hold
//! themselves to these tables, so a key is tried as soon as it is declared.

pub use crate::language::table::{Choice, Default, Group, Key, Section, Selector};

use backwater_kernel::{Channels, Link, channel_name};
use backwater_net::{frames::spec as frames, spec as cells};

use crate::language::units;
use crate::{Engine, Scenario, given};

/// What a file may hold, by the word for the engine that runs it.
pub fn roots() -> [(&'static str, &'static Section); 3] {
    given::ROOTS
}

/// What a file that describes a comparison may hold.
pub fn comparison() -> &'static Section {
    given::COMPARISON
}

/// A section and all below it, each once.
pub fn sections_below(root: &'static Section) -> Vec<&'static Section> {
    root.below()
}

/// The units in which times, rates, sizes and lengths may be written.
pub fn units() -> Vec<&'static str> {
    let all = [
        units::TIMES,
        units::RATES,
        units::SIZES,
        units::LENGTHS,
        units::COUNTS,
    ];
    all.concat().iter().map(|unit| unit.0).collect()
}

/// What a scenario calls its parts: what other keys of it may refer to.
#[derive(Clone, Default, Debug)]
pub struct Names {
    /// Hosts.
    pub hosts: Vec<String>,
    /// All nodes, hosts included.
    pub nodes: Vec<String>,
    /// Channels, as `from->to`.
    pub channels: Vec<String>,
    /// Flows.
    pub flows: Vec<String>,
    /// Classes of packets of the flit engine.
    pub classes: Vec<String>,
    /// Terminals of the flit engine.
    pub terminals: usize,
}

impl Names {
    /// Those of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let mut names = Self::default();
        match &scenario.engine {
            Engine::Packet(packet) => {
                let network = &packet.network;
                let nodes = network.nodes.iter();
                let nodes = nodes.map(|node| (&node.name, node.kind == cells::NodeKind::Host));
                names.add_network(nodes, &network.links);
                names.flows = network.flows.iter().map(|flow| flow.name.clone()).collect();
            }
            Engine::Ethernet(ethernet) => {
                let network = &ethernet.network;
                let is_host = |kind| matches!(kind, &frames::NodeKind::Station { .. });
                let nodes = network.nodes.iter();
                let nodes = nodes.map(|node| (&node.name, is_host(&node.kind)));
                names.add_network(nodes, &network.links);
                names.flows = network.flows.iter().map(|flow| flow.name.clone()).collect();
            }
            Engine::Flit(fabric) => {
                names.classes = fabric
                    .classes
                    .iter()
                    .map(|class| class.name.clone())
                    .collect();
                names.terminals = fabric.graph.inject.len();
            }
        }
        names
    }

    /// Nodes, with whether they are hosts, and the channels between them.
    fn add_network<'a, C>(
        &mut self,
        nodes: impl Iterator<Item = (&'a String, bool)>,
        links: &[Link<C>],
    ) {
        for (name, is_host) in nodes {
            self.nodes.push(name.clone());
            self.hosts.extend(is_host.then(|| name.clone()));
        }
        let name = |node: u32| self.nodes[node as usize].as_str();
        let numbers = links.numbers();
        let channels = links.channels().map(|channel| {
            let (from, to) = links.ends(channel);
            channel_name(name(from), name(to), numbers[channel as usize / 2])
        });
        self.channels = channels.collect();
    }
}
