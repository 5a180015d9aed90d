//! Nodes and links by name, before what they are made of is known.

use std::collections::BTreeMap;

use crate::diagnostics::Diagnostic;
use crate::given::ethernet::network::{Channel, Links};
use crate::patterns::Hosts;
use crate::reader::clip;
use crate::source::At;
use crate::suggest::{self, Budget};
use crate::typed::Placed;

/// Names looked through for a suggestion.
const CANDIDATES: usize = 10_000;

/// The network.
#[derive(Default)]
pub(crate) struct Net<'r> {
    /// Names of the nodes.
    pub names: Vec<String>,
    /// Does it forward?
    pub is_switch: Vec<bool>,
    /// Links; link `k` has channels `2k` and `2k + 1`.
    pub joins: Vec<Join<'r>>,
    /// Neighbours of each node with the channel to each, in the order of links.
    pub neighbours: Vec<Vec<(u32, u32)>>,
    by_name: BTreeMap<String, u32>,
    channels: BTreeMap<(u32, u32), u32>,
    suggestions: Budget,
    /// Links that could not be read: what they join is not known.
    pub broken: bool,
}

/// A link between two nodes.
#[derive(Clone)]
pub(crate) struct Join<'r> {
    pub a: u32,
    pub b: u32,
    /// `topology.trunk`, if it is one of those.
    pub trunk: Option<&'r Channel>,
    /// Its entry in `[[links]]`.
    pub own: Option<&'r Placed<Links>>,
    /// That entry names `b` first.
    pub turned: bool,
    /// Where a mistake about it is shown.
    pub at: At,
}

impl<'r> Net<'r> {
    pub(crate) fn add_node(&mut self, name: String, is_switch: bool) -> Option<u32> {
        let index = self.names.len() as u32;
        if self.by_name.contains_key(&name) {
            return None;
        }
        self.by_name.insert(name.clone(), index);
        self.names.push(name);
        self.is_switch.push(is_switch);
        self.neighbours.push(Vec::new());
        Some(index)
    }

    pub(crate) fn join(&mut self, join: Join<'r>) {
        let channel = 2 * self.joins.len() as u32;
        for (from, to, channel) in [(join.a, join.b, channel), (join.b, join.a, channel + 1)] {
            self.channels.insert((from, to), channel);
            self.neighbours[from as usize].push((to, channel));
        }
        self.joins.push(join);
    }

    /// Those that forward nothing.
    pub(crate) fn hosts(&self) -> Vec<u32> {
        let nodes = 0..self.names.len() as u32;
        nodes.filter(|node| !self.forwards(*node)).collect()
    }

    pub(crate) fn forwards(&self, node: u32) -> bool {
        self.is_switch[node as usize]
    }

    pub(crate) fn name(&self, node: u32) -> &str {
        &self.names[node as usize]
    }

    pub(crate) fn channel(&self, from: u32, to: u32) -> Option<u32> {
        self.channels.get(&(from, to)).copied()
    }

    /// The node a channel leaves, and the one it enters.
    pub(crate) fn ends(&self, channel: u32) -> (u32, u32) {
        let join = &self.joins[channel as usize / 2];
        match channel.is_multiple_of(2) {
            true => (join.a, join.b),
            false => (join.b, join.a),
        }
    }

    pub(crate) fn channel_name(&self, channel: u32) -> String {
        let (from, to) = self.ends(channel);
        format!("{}->{}", self.name(from), self.name(to))
    }

    /// What the file says of a channel besides `[link]`: of one direction over of the link, over
    /// of all trunks.
    pub(crate) fn settings(&self, channel: u32) -> Channel {
        let join = &self.joins[channel as usize / 2];
        let is_forward = channel.is_multiple_of(2) != join.turned;
        let side = join.own.and_then(|own| match is_forward {
            true => own.forward.as_ref(),
            false => own.backward.as_ref(),
        });
        let layers = [join.trunk, join.own.map(|own| &own.channel), side];
        let layers = layers.into_iter().flatten();
        layers.fold(Channel::default(), |below, layer| layer.over(&below))
    }

    fn looked(&self) -> usize {
        if self.suggestions.spend() {
            CANDIDATES
        } else {
            0
        }
    }

    /// The node of that name, or the diagnostic that says there is none.
    pub(crate) fn find(&self, name: &str, at: &At) -> Result<u32, Box<Diagnostic>> {
        self.by_name.get(name).copied().ok_or_else(|| {
            let looked = self.looked();
            let known = || self.names.iter().take(looked).map(String::as_str);
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
        if !self.forwards(node) {
            return Ok(node);
        }
        let hosts = self.hosts().into_iter().take(self.looked());
        let hosts: Vec<&str> = hosts.map(|node| self.name(node)).collect();
        Err(
            Diagnostic::error("not-a-host", format!("`{}` is a switch", clip(name)))
                .at(at, "flows start and end at hosts")
                .note(format!("hosts: {}", suggest::one_of(hosts.iter().copied())))
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
            .help("a channel is one direction of a link: `\"A->D\"`")
            .into());
        };
        let from = self.find(from.trim(), at)?;
        let to = self.find(to.trim(), at)?;
        self.find_hop(from, to, at)
    }

    /// The channel between two nodes.
    pub(crate) fn find_hop(&self, from: u32, to: u32, at: &At) -> Result<u32, Box<Diagnostic>> {
        self.channel(from, to).ok_or_else(|| {
            let (a, b) = (self.name(from), self.name(to));
            let around = self.neighbours[from as usize].iter();
            let around: Vec<&str> = around.map(|(node, _)| self.name(*node)).collect();
            Box::new(
                Diagnostic::error("no-link", format!("no link joins `{a}` and `{b}`"))
                    .at(at, format!("needs a link `{a}`-`{b}`"))
                    .note(format!(
                        "links of `{a}` lead to {}",
                        suggest::one_of(around.iter().copied())
                    ))
                    .help(format!(
                        "add `[[links]]` with `between = [\"{a}\", \"{b}\"]`"
                    )),
            )
        })
    }
}

impl Hosts for Net<'_> {
    fn hosts(&self) -> Vec<u32> {
        self.hosts()
    }

    fn switch_of(&self, host: u32) -> Option<u32> {
        let first = self.neighbours[host as usize].first();
        first.map(|(switch, _)| *switch)
    }

    fn find_host(&self, name: &str, at: &At) -> Result<u32, Box<Diagnostic>> {
        self.find_host(name, at)
    }
}
