//! Nodes and links, named in the file or made by rule.

use std::collections::BTreeMap;

use kernel::{Duration, Rate, Time};
use packet::spec::{ChannelSpec, ErrorSpec, LinkSpec, NodeKind, NodeSpec, SchedulerSpec, Timing};

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::flows::expand;
use crate::generated;
use crate::reader::clip;
use crate::record::Record;
use crate::service;
use crate::source::At;
use crate::suggest::{self, Budget};

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
        let link = &self.links[channel as usize / 2];
        if channel.is_multiple_of(2) {
            (link.a, link.b)
        } else {
            (link.b, link.a)
        }
    }

    pub(crate) fn channel_spec(&self, channel: u32) -> &ChannelSpec {
        let link = &self.links[channel as usize / 2];
        if channel.is_multiple_of(2) {
            &link.forward
        } else {
            &link.backward
        }
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
                    .at(at.clone(), "not a host or a switch of this network")
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
        Err(Box::new(
            Diagnostic::error("not-a-host", format!("`{}` is a switch", clip(name)))
                .at(at.clone(), "flows start and end at hosts")
                .note(format!("hosts: {}", suggest::one_of(hosts))),
        ))
    }

    /// The channel written `from->to`.
    pub(crate) fn find_channel(&self, text: &str, at: &At) -> Result<u32, Box<Diagnostic>> {
        let Some((from, to)) = text.split_once("->") else {
            return Err(Box::new(
                Diagnostic::error("bad-channel", format!("`{}` is no channel", clip(text)))
                    .at(at.clone(), "no `->` in it")
                    .help("a channel is one direction of a link: `\"S1->S2\"`"),
            ));
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
            .at(at.clone(), format!("needs a link `{a}`-`{b}`"))
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
        for (from, to, channel) in [(link.a, link.b, channel), (link.b, link.a, channel + 1)] {
            self.channels.insert((from, to), channel);
            self.neighbours[from as usize].push((to, channel));
            if !self.is_host(to) {
                self.trunks[from as usize].push((to, channel));
            }
        }
        self.links.push(link);
    }
}

/// Builds the network of the file.
pub(crate) fn build(root: &Record, mistakes: &mut Diagnostics) -> Graph {
    let mut graph = Graph::default();
    let plain = root.record("link").map(|link| channel(root, &[link]));
    let plain = plain.unwrap_or_else(placeholder);
    match (root.record("network"), root.record("topology")) {
        (Some(network), None) => named_nodes(&mut graph, network, mistakes),
        (None, Some(topology)) => generated::build(&mut graph, topology, root, mistakes),
        (Some(network), Some(topology)) => mistakes.push(
            Diagnostic::error(
                "contradiction",
                "both `[network]` and `[topology]` make the nodes",
            )
            .at(topology.at.clone(), "nodes by rule")
            .at(network.at.clone(), "nodes by name")
            .help("keep one of them"),
        ),
        (None, None) if root.mentions("network") || root.mentions("topology") => {}
        (None, None) => mistakes.push(
            Diagnostic::error("missing-key", "the file has no nodes")
                .at(root.at.clone(), "no `[network]` and no `[topology]`")
                .help("name the nodes: `[network]` with `hosts = [\"A\", \"B\"]` and `switches`")
                .help("or make them: `[topology]` with `kind = \"line\"` and `switches = 2`"),
        ),
    }
    let generated = graph.links.len();
    let mut placed: BTreeMap<u32, At> = BTreeMap::new();
    for record in root.records("links") {
        add_named_link(
            &mut graph,
            record,
            root,
            generated,
            &mut placed,
            &plain,
            mistakes,
        );
    }
    graph
}

fn named_nodes(graph: &mut Graph, network: &Record, mistakes: &mut Diagnostics) {
    let mut first: BTreeMap<&str, &At> = BTreeMap::new();
    for (key, kind) in [("hosts", NodeKind::Host), ("switches", NodeKind::Switch)] {
        for (name, at) in network.list(key) {
            if graph.add_node(name.clone(), kind).is_some() {
                first.insert(name, at);
            } else {
                let mut diagnostic =
                    Diagnostic::error("duplicate-name", format!("two nodes are called `{name}`"))
                        .at(at.clone(), "the second");
                if let Some(first) = first.get(name.as_str()) {
                    diagnostic = diagnostic.at((*first).clone(), "the first");
                }
                mistakes.push(diagnostic.help("give each node its own name"));
            }
        }
    }
}

#[allow(clippy::too_many_arguments)]
fn add_named_link(
    graph: &mut Graph,
    record: &Record,
    root: &Record,
    generated: usize,
    placed: &mut BTreeMap<u32, At>,
    plain: &ChannelSpec,
    mistakes: &mut Diagnostics,
) {
    for number in 1..=record.whole("count").unwrap_or(1) {
        let number = record.whole("count").map(|_| number);
        add_one_link(
            graph, record, number, root, generated, placed, plain, mistakes,
        );
    }
}

#[allow(clippy::too_many_arguments)]
fn add_one_link(
    graph: &mut Graph,
    record: &Record,
    number: Option<u64>,
    root: &Record,
    generated: usize,
    placed: &mut BTreeMap<u32, At>,
    plain: &ChannelSpec,
    mistakes: &mut Diagnostics,
) {
    let Some((a, b)) = link_ends(graph, record, number, mistakes) else {
        graph.broken = true;
        return;
    };
    let link = link_spec(a, b, record, root, plain);
    let at = record.at("between");
    let Some(channel) = graph.channel(a, b) else {
        placed.insert(graph.links.len() as u32, at);
        graph.add_link(link);
        return;
    };
    let index = channel / 2;
    if let Some(first) = placed.get(&index) {
        let names = format!("`{}` and `{}`", graph.name(a), graph.name(b));
        mistakes.push(
            Diagnostic::error("duplicate-link", format!("two links join {names}"))
                .at(at, "the second")
                .at(first.clone(), "the first")
                .help("at most one link joins a pair; raise its rate, or put a switch between"),
        );
    } else if (index as usize) < generated {
        placed.insert(index, at);
        graph.links[index as usize] = link.turned_to(graph.links[index as usize].a);
    }
}

trait Turn {
    fn turned_to(self, a: u32) -> Self;
}

impl Turn for LinkSpec {
    /// The same link, seen from `a`.
    fn turned_to(self, a: u32) -> Self {
        if self.a == a {
            return self;
        }
        Self {
            a: self.b,
            b: self.a,
            forward: self.backward,
            backward: self.forward,
        }
    }
}

fn link_ends(
    graph: &Graph,
    record: &Record,
    number: Option<u64>,
    mistakes: &mut Diagnostics,
) -> Option<(u32, u32)> {
    let field = record.field("between")?;
    let [(first, first_at), (second, second_at)] = record.list("between") else {
        mistakes.push(
            Diagnostic::error("bad-link", "a link joins two nodes")
                .at(
                    field.at.clone(),
                    format!("this names {}", record.list("between").len()),
                )
                .help("write it like this: `between = [\"A\", \"S1\"]`"),
        );
        return None;
    };
    let a = graph
        .find(&expand(first, number), first_at)
        .map_err(|d| mistakes.push(*d))
        .ok();
    let b = graph
        .find(&expand(second, number), second_at)
        .map_err(|d| mistakes.push(*d))
        .ok();
    if a.is_some() && a == b {
        mistakes.push(
            Diagnostic::error("bad-link", format!("`{}` is linked to itself", clip(first)))
                .at(field.at.clone(), "twice the same node")
                .help("a link joins two different nodes"),
        );
        return None;
    }
    Some((a?, b?))
}

fn link_spec(a: u32, b: u32, record: &Record, root: &Record, plain: &ChannelSpec) -> LinkSpec {
    let Some(link) = root.record("link") else {
        return LinkSpec {
            a,
            b,
            forward: plain.clone(),
            backward: plain.clone(),
        };
    };
    let side = |key: &str| match record.record(key) {
        Some(own) => channel(root, &[link, record, own]),
        None => channel(root, &[link, record]),
    };
    LinkSpec {
        a,
        b,
        forward: side("forward"),
        backward: side("backward"),
    }
}

/// A channel from its layers, the last winning.
pub(crate) fn channel(root: &Record, layers: &[&Record]) -> ChannelSpec {
    let last = |key: &str| {
        layers
            .iter()
            .rev()
            .copied()
            .find(|layer| layer.field(key).is_some())
    };
    let span = |key: &str| {
        last(key)
            .and_then(|l| l.duration(key))
            .unwrap_or(Duration(0))
    };
    let chance = |key: &str| last(key).and_then(|l| l.decimal(key)).unwrap_or(0.0);
    ChannelSpec {
        rate: last("rate")
            .and_then(|layer| layer.rate("rate"))
            .unwrap_or(Rate(1)),
        delay: span("delay").max(Duration(1)),
        handling: span("handling"),
        timing: match last("timing").map(|layer| layer.word("timing")) {
            Some("cut-through") => Timing::CutThrough,
            _ => Timing::StoreAndForward,
        },
        errors: ErrorSpec {
            data_loss: chance("data_loss"),
            control_loss: chance("control_loss"),
            control_corruption: chance("control_corruption"),
            from: Time::ZERO + span("errors_from"),
        },
        scheduler: service::scheduler(root, layers),
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
