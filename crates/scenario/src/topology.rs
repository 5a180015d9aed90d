//! Nodes and links, named in the file or made by rule.

use std::collections::BTreeMap;

use backwater_kernel::{Channels, Duration, Rate};
use backwater_net::spec::{
    ChannelSpec, ErrorSpec, LinkSpec, NodeKind, NodeSpec, SchedulerSpec, Timing,
};

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::generated::{self, Plan};
use crate::given::Named;
use crate::given::packet::PacketFile;
use crate::given::packet::network::{self, Channel, Link, Links, Network};
use crate::given::packet::service::Scheduler;
use crate::numbered::expand;
use crate::patterns::Hosts;
use crate::reader::clip;
use crate::service;
use crate::source::At;
use crate::suggest::{self, Budget};
use crate::typed::Placed;

/// Nodes that a rule may make.
const MOST_NODES: u64 = 2_000_000;
/// Names looked through for a suggestion.
const CANDIDATES: usize = 10_000;

/// The network, with what is needed to find names and ways in it.
#[derive(Default)]
pub(crate) struct Graph {
    pub nodes: Vec<NodeSpec>,
    pub links: Vec<LinkSpec>,
    /// Neighbours of each node, with the channel to each, in the order of links.
    pub neighbours: Vec<Vec<(u32, u32)>>,
    /// The same, switches only: what a way can lead through.
    pub trunks: Vec<Vec<(u32, u32)>>,
    by_name: BTreeMap<String, u32>,
    channels: BTreeMap<(u32, u32), u32>,
    suggestions: Budget,
    /// Links that could not be read: what they join is not known.
    broken: bool,
}

impl Graph {
    pub(crate) fn node(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn channel(&self, from: u32, to: u32) -> Option<u32> {
        self.channels.get(&(from, to)).copied()
    }

    /// The network by rule: switches, links between them, then hosts with theirs.
    fn place(&mut self, plan: Plan, edge: &ChannelSpec, trunk: &ChannelSpec) {
        let link = |a: u32, b: u32, spec: &ChannelSpec| LinkSpec {
            ends: [a, b],
            channels: [spec.clone(), spec.clone()],
        };
        for name in plan.switches {
            self.add_node(name, NodeKind::Switch);
        }
        for (a, b) in plan.trunks {
            self.add_link(link(a as u32, b as u32, trunk));
        }
        for (name, switch) in plan.hosts {
            if let Some(host) = self.add_node(name, NodeKind::Host) {
                self.add_link(link(host, switch as u32, edge));
            }
        }
    }

    pub(crate) fn is_host(&self, node: u32) -> bool {
        self.nodes[node as usize].kind == NodeKind::Host
    }

    pub(crate) fn name(&self, node: u32) -> &str {
        &self.nodes[node as usize].name
    }

    /// Are there links that could not be read?
    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }

    /// The two ends of a channel.
    pub(crate) fn ends(&self, channel: u32) -> (u32, u32) {
        self.links.ends(channel)
    }

    pub(crate) fn channel_spec(&self, channel: u32) -> &ChannelSpec {
        self.links.channel(channel)
    }

    pub(crate) fn channel_name(&self, channel: u32) -> String {
        let (from, to) = self.ends(channel);
        format!("{}->{}", self.name(from), self.name(to))
    }

    /// The node of that name, or the diagnostic that says there is none.
    pub(crate) fn find(&self, name: &str, at: &At) -> Result<u32, Box<Diagnostic>> {
        self.node(name).ok_or_else(|| {
            let looked = if self.suggestions.spend() {
                CANDIDATES
            } else {
                0
            };
            let known = || {
                self.nodes
                    .iter()
                    .take(looked)
                    .map(|node| node.name.as_str())
            };
            Box::new(
                Diagnostic::error("unknown-node", format!("there is no node `{}`", clip(name)))
                    .at(at, "not a host or a switch of this network")
                    .help_if(suggest::did_you_mean(name, known()))
                    .note(format!("nodes: {}", suggest::one_of(known()))),
            )
        })
    }

    /// The host of that name.
    pub(crate) fn find_host(&self, name: &str, at: &At) -> Result<u32, Box<Diagnostic>> {
        let node = self.find(name, at)?;
        if self.is_host(node) {
            return Ok(node);
        }
        let looked = if self.suggestions.spend() {
            CANDIDATES
        } else {
            0
        };
        let hosts = self.nodes.iter().take(looked);
        let hosts = hosts
            .filter(|n| n.kind == NodeKind::Host)
            .map(|n| n.name.as_str());
        Err(
            Diagnostic::error("not-a-host", format!("`{}` is a switch", clip(name)))
                .at(at, "flows start and end at hosts")
                .note(format!("hosts: {}", suggest::one_of(hosts)))
                .into(),
        )
    }

    /// The channel written `from->to`.
    pub(crate) fn find_channel(&self, text: &str, at: &At) -> Result<u32, Box<Diagnostic>> {
        let Some((from, to)) = text.split_once("->") else {
            return Err(Diagnostic::error(
                "bad-channel",
                format!("`{}` is no channel", clip(text)),
            )
            .at(at, "no `->` in it")
            .help("a channel is one direction of a link: `\"S1->S2\"`")
            .into());
        };
        let from = self.find(from.trim(), at)?;
        let to = self.find(to.trim(), at)?;
        self.channel(from, to)
            .ok_or_else(|| Box::new(self.no_link(from, to, at)))
    }

    /// Says that two nodes are not joined, and to what the first is.
    pub(crate) fn no_link(&self, from: u32, to: u32, at: &At) -> Diagnostic {
        let (a, b) = (self.name(from), self.name(to));
        let around = self.neighbours[from as usize]
            .iter()
            .map(|(node, _)| self.name(*node));
        let around = around.collect::<Vec<_>>();
        Diagnostic::error("no-link", format!("no link joins `{a}` and `{b}`"))
            .at(at, format!("needs a link `{a}`-`{b}`"))
            .note(format!(
                "links of `{a}` lead to {}",
                suggest::one_of(around.iter().copied())
            ))
            .help(format!(
                "add `[[links]]` with `between = [\"{a}\", \"{b}\"]`"
            ))
    }

    pub(crate) fn add_node(&mut self, name: String, kind: NodeKind) -> Option<u32> {
        let index = self.nodes.len() as u32;
        if self.by_name.contains_key(&name) {
            return None;
        }
        self.by_name.insert(name.clone(), index);
        self.nodes.push(NodeSpec {
            name,
            kind,
            pool: None,
        });
        self.neighbours.push(Vec::new());
        self.trunks.push(Vec::new());
        Some(index)
    }

    pub(crate) fn add_link(&mut self, link: LinkSpec) {
        let channel = 2 * self.links.len() as u32;
        for (from, to, channel) in [
            (link.ends[0], link.ends[1], channel),
            (link.ends[1], link.ends[0], channel + 1),
        ] {
            self.channels.insert((from, to), channel);
            self.neighbours[from as usize].push((to, channel));
            if !self.is_host(to) {
                self.trunks[from as usize].push((to, channel));
            }
        }
        self.links.push(link);
    }
}

impl Hosts for Graph {
    fn hosts(&self) -> Vec<u32> {
        let nodes = 0..self.nodes.len() as u32;
        nodes.filter(|node| self.is_host(*node)).collect()
    }

    fn switch_of(&self, host: u32) -> Option<u32> {
        let first = self.neighbours[host as usize].first();
        first.map(|(switch, _)| *switch)
    }

    fn find_host(&self, name: &str, at: &At) -> Result<u32, Box<Diagnostic>> {
        self.find_host(name, at)
    }
}

/// Builds the network of the file.
pub(crate) fn build(file: &PacketFile, at: &At, mistakes: &mut Diagnostics) -> Graph {
    let mut graph = Graph::default();
    let base = Base::of(file);
    match (&*file.network, &*file.topology) {
        (Some(network), None) => named_nodes(&mut graph, network, mistakes),
        (None, Some(topology)) => {
            let at = &file.topology.at;
            if let Some(plan) = generated::plan(&topology.kind, at, MOST_NODES, mistakes) {
                let own: Vec<&Link> = topology.trunk.iter().map(|own| &own.link).collect();
                graph.place(plan, &base.channel(&[]), &base.channel(&own));
            }
        }
        (Some(_), Some(_)) => Diagnostic::error(
            "contradiction",
            "both `[network]` and `[topology]` make the nodes",
        )
        .at(&file.topology.at, "nodes by rule")
        .at(&file.network.at, "nodes by name")
        .help("keep one of them")
        .tell(mistakes),
        (None, None) if file.network.is_mentioned() || file.topology.is_mentioned() => {}
        (None, None) => Diagnostic::error("missing-key", "the file has no nodes")
            .at(at, "no `[network]` and no `[topology]`")
            .help("name the nodes: `[network]` with `hosts = [\"A\", \"B\"]` and `switches`")
            .help("or make them: `[topology]` with `kind = \"line\"` and `switches = 2`")
            .tell(mistakes),
    }
    let mut named = NamedLinks {
        generated: graph.links.len(),
        graph: &mut graph,
        base,
        placed: BTreeMap::new(),
    };
    for links in &file.links {
        named.add(links, mistakes);
    }
    graph
}

fn named_nodes(graph: &mut Graph, network: &Network, mistakes: &mut Diagnostics) {
    let mut first: BTreeMap<&str, &At> = BTreeMap::new();
    let hosts = network.hosts.iter().map(|host| (host, NodeKind::Host));
    let switches = network
        .switches
        .iter()
        .map(|switch| (switch, NodeKind::Switch));
    for ((name, at), kind) in hosts.chain(switches) {
        if graph.add_node(name.clone(), kind).is_some() {
            first.insert(name, at);
        } else {
            let mut diagnostic =
                Diagnostic::error("duplicate-name", format!("two nodes are called `{name}`"))
                    .at(at, "the second");
            if let Some(first) = first.get(name.as_str()) {
                diagnostic = diagnostic.at(first, "the first");
            }
            mistakes.push(diagnostic.help("give each node its own name"));
        }
    }
}

/// What channels have where nothing else is said.
struct Base<'a> {
    /// `[link]`, if it was read.
    link: Option<&'a Link>,
    /// `[scheduler]`.
    scheduler: Option<&'a Scheduler>,
}

impl<'a> Base<'a> {
    fn of(file: &'a PacketFile) -> Self {
        Self {
            link: file.link.sure(),
            scheduler: file.scheduler.as_ref(),
        }
    }

    /// A channel, with what these tables change, the last winning.
    fn channel(&self, changes: &[&Link]) -> ChannelSpec {
        let Some(link) = self.link else {
            return placeholder();
        };
        let merged = changes
            .iter()
            .fold(link.clone(), |below, own| own.over(&below));
        channel(&merged, self.scheduler)
    }
}

/// Adds the links of `[[links]]`, or puts them in the place of generated ones.
struct NamedLinks<'a> {
    graph: &'a mut Graph,
    base: Base<'a>,
    /// So many links are made by rule.
    generated: usize,
    /// Where the others stand, by index.
    placed: BTreeMap<u32, At>,
}

impl NamedLinks<'_> {
    fn add(&mut self, links: &Links, mistakes: &mut Diagnostics) {
        let side = |own: &Option<Channel>| {
            let own = own.as_ref().map(|own| &own.link);
            let changes: Vec<&Link> = [&links.link].into_iter().chain(own).collect();
            self.base.channel(&changes)
        };
        let (forward, backward) = (side(&links.forward), side(&links.backward));
        for number in 1..=links.count.unwrap_or(1) {
            let number = links.count.map(|_| number);
            let Some((a, b)) = link_ends(self.graph, &links.between, number, mistakes) else {
                self.graph.broken = true;
                continue;
            };
            let link = LinkSpec {
                ends: [a, b],
                channels: [forward.clone(), backward.clone()],
            };
            self.put(link, &links.between.at, mistakes);
        }
    }

    fn put(&mut self, link: LinkSpec, at: &At, mistakes: &mut Diagnostics) {
        let graph = &mut *self.graph;
        let Some(channel) = graph.channel(link.ends[0], link.ends[1]) else {
            self.placed.insert(graph.links.len() as u32, at.clone());
            graph.add_link(link);
            return;
        };
        let index = channel / 2;
        if let Some(first) = self.placed.get(&index) {
            let names = format!(
                "`{}` and `{}`",
                graph.name(link.ends[0]),
                graph.name(link.ends[1])
            );
            Diagnostic::error("duplicate-link", format!("two links join {names}"))
                .at(at, "the second")
                .at(first, "the first")
                .help("at most one link joins a pair; raise its rate, or put a switch between")
                .tell(mistakes);
        } else if (index as usize) < self.generated {
            self.placed.insert(index, at.clone());
            let place = &mut graph.links[index as usize];
            let is_turned = link.ends != place.ends;
            *place = if is_turned { link.turned() } else { link };
        }
    }
}

fn link_ends(
    graph: &Graph,
    between: &Placed<Vec<Named>>,
    number: Option<u64>,
    mistakes: &mut Diagnostics,
) -> Option<(u32, u32)> {
    let ends = between.sure()?;
    let [(first, first_at), (second, second_at)] = ends.as_slice() else {
        Diagnostic::error("bad-link", "a link joins two nodes")
            .at(&between.at, format!("this names {}", ends.len()))
            .help("write it like this: `between = [\"A\", \"S1\"]`")
            .tell(mistakes);
        return None;
    };
    let mut find = |name: &str, at: &At| mistakes.kept(graph.find(&expand(name, number), at));
    let (a, b) = (find(first, first_at), find(second, second_at));
    if a.is_some() && a == b {
        Diagnostic::error("bad-link", format!("`{}` is linked to itself", clip(first)))
            .at(&between.at, "twice the same node")
            .help("a link joins two different nodes")
            .tell(mistakes);
        return None;
    }
    Some((a?, b?))
}

/// A channel of a whole table; what is faulty in it is as in a placeholder.
fn channel(link: &Link, common: Option<&Scheduler>) -> ChannelSpec {
    let spare = placeholder();
    ChannelSpec {
        rate: link.rate.unwrap_or(spare.rate),
        delay: link.delay.unwrap_or(spare.delay),
        handling: link.handling.unwrap_or(spare.handling),
        timing: link.timing.map_or(spare.timing, Timing::from),
        errors: ErrorSpec {
            data_loss: link.data_loss.unwrap_or(spare.errors.data_loss),
            control_loss: link.control_loss.unwrap_or(spare.errors.control_loss),
            control_corruption: link
                .control_corruption
                .unwrap_or(spare.errors.control_corruption),
            from: link.errors_from.unwrap_or(spare.errors.from),
        },
        scheduler: service::scheduler(link.scheduler.as_ref().or(common)),
    }
}

impl From<network::Timing> for Timing {
    fn from(word: network::Timing) -> Self {
        match word {
            network::Timing::StoreAndForward => Self::StoreAndForward,
            network::Timing::CutThrough => Self::CutThrough,
        }
    }
}

/// Stands for a link while its table is missing, which is an error of its own.
pub(crate) fn placeholder() -> ChannelSpec {
    ChannelSpec {
        rate: Rate(1_000_000),
        delay: Duration(1),
        handling: Duration(0),
        timing: Timing::StoreAndForward,
        errors: ErrorSpec::default(),
        scheduler: SchedulerSpec::default(),
    }
}
