//! Nodes and links by name, of cells and of frames alike: who is joined to whom.

use std::collections::BTreeMap;

use crate::language::suggest::{self, Budget};
use crate::network::wildcard;
use crate::prelude::*;
use backwater_kernel::channel_name;
use backwater_kernel::words::counted;

/// Names looked through for a suggestion.
const CANDIDATES: usize = 10_000;

/// A node as an engine has it.
pub(crate) trait Node {
    fn new(name: String, is_host: bool) -> Self;
    fn name(&self) -> &str;
    /// A host forwards nothing.
    fn is_host(&self) -> bool;
}

/// A link as an engine has it.
pub(crate) trait Link {
    /// How the language is written for this engine.
    const EXAMPLES: Examples;

    fn ends(&self) -> [u32; 2];
    /// Takes the place of a link between the same nodes that was made by rule.
    fn replace(self, made: &mut Self);
}

/// What messages show of the language.
pub(crate) struct Examples {
    /// A channel.
    pub channel: &'static str,
    /// What a node by name takes.
    pub named: &'static str,
    /// What a node by rule takes.
    pub ruled: &'static str,
    /// What to do where a link is too slow.
    pub faster: &'static str,
}

/// The entry of `[[links]]` for each link that has one: its index in the file, and whether it names
/// the link's second node first.
pub(crate) type Entries = BTreeMap<u32, (usize, bool)>;

/// The nodes and links of a network, with what is needed to find names and ways in it.
pub(crate) struct Wires<N, L> {
    pub nodes: Vec<N>,
    /// Link `k` has channels `2k` and `2k + 1`.
    pub links: Vec<L>,
    /// Neighbours of each node, with the channel to each, in the order of links.
    pub neighbours: Vec<Vec<(u32, u32)>>,
    /// The same, switches only: what a way can lead through.
    pub trunks: Vec<Vec<(u32, u32)>>,
    by_name: BTreeMap<String, u32>,
    channels: BTreeMap<(u32, u32), u32>,
    suggestions: Budget,
    /// Names with `*` that are compared with those of all hosts.
    wildcards: Budget,
    pub entries: Entries,
    /// Links that could not be read: what they join is not known.
    pub broken: bool,
    /// Its switches are leaves of rails.
    pub has_rails: bool,
    /// A file numbers its nodes as they stand here.
    pub is_numbered: bool,
}

impl<N, L> Default for Wires<N, L> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            links: Vec::new(),
            neighbours: Vec::new(),
            trunks: Vec::new(),
            by_name: BTreeMap::new(),
            channels: BTreeMap::new(),
            suggestions: Budget::default(),
            wildcards: Budget::of(1_000),
            entries: Entries::new(),
            broken: false,
            has_rails: false,
            is_numbered: false,
        }
    }
}

impl<N: Node, L: Link> Wires<N, L> {
    /// The node, unless the name is taken.
    pub(crate) fn add_node(&mut self, name: String, is_host: bool) -> Option<u32> {
        let index = self.nodes.len() as u32;
        if self.by_name.contains_key(&name) {
            return None;
        }
        self.by_name.insert(name.clone(), index);
        self.nodes.push(N::new(name, is_host));
        self.neighbours.push(Vec::new());
        self.trunks.push(Vec::new());
        Some(index)
    }

    pub(crate) fn add_link(&mut self, link: L) {
        let channel = 2 * self.links.len() as u32;
        let [a, b] = link.ends();
        for (from, to, channel) in [(a, b, channel), (b, a, channel + 1)] {
            self.channels.entry((from, to)).or_insert(channel);
            self.neighbours[from as usize].push((to, channel));
            if !self.is_host(to) {
                self.trunks[from as usize].push((to, channel));
            }
        }
        self.links.push(link);
    }

    /// The nodes of `[network]`.
    pub(crate) fn add_named(
        &mut self,
        hosts: &[Named],
        switches: &[Named],
        mistakes: &mut Diagnostics,
    ) {
        let mut first: BTreeMap<&str, &At> = BTreeMap::new();
        let hosts = hosts.iter().map(|host| (host, true));
        let switches = switches.iter().map(|switch| (switch, false));
        for ((name, at), is_host) in hosts.chain(switches) {
            if self.add_node(name.clone(), is_host).is_some() {
                first.insert(name, at);
                continue;
            }
            let mut diagnostic =
                Diagnostic::error("duplicate-name", format!("two nodes are called `{name}`"))
                    .at(at, "the second");
            if let Some(first) = first.get(name.as_str()) {
                diagnostic = diagnostic.at(first, "the first");
            }
            mistakes.push(diagnostic.help("give each node its own name"));
        }
    }

    /// Those that forward nothing.
    pub(crate) fn hosts(&self) -> Vec<u32> {
        let nodes = 0..self.nodes.len() as u32;
        nodes.filter(|node| self.is_host(*node)).collect()
    }

    pub(crate) fn is_host(&self, node: u32) -> bool {
        self.nodes[node as usize].is_host()
    }

    pub(crate) fn name(&self, node: u32) -> &str {
        self.nodes[node as usize].name()
    }

    pub(crate) fn node(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// The channel from one node to another, over the first of the links between them.
    pub(crate) fn channel(&self, from: u32, to: u32) -> Option<u32> {
        self.channels.get(&(from, to)).copied()
    }

    /// All of these, over each link between the two.
    pub(crate) fn channels(&self, from: u32, to: u32) -> impl Iterator<Item = u32> {
        let around = self.neighbours[from as usize].iter();
        let there = around.filter(move |(next, _)| *next == to);
        there.map(|(_, channel)| *channel)
    }

    /// The node a channel leaves, and the one it enters.
    pub(crate) fn ends(&self, channel: u32) -> (u32, u32) {
        let [a, b] = self.links[channel as usize / 2].ends();
        match channel.is_multiple_of(2) {
            true => (a, b),
            false => (b, a),
        }
    }

    pub(crate) fn channel_name(&self, channel: u32) -> String {
        let (from, to) = self.ends(channel);
        let place = self.channels(from, to).position(|own| own == channel);
        let number = place.map_or(1, |place| place as u32 + 1);
        channel_name(self.name(from), self.name(to), number)
    }

    /// The entry of `[[links]]` for the link of a channel, and whether the channel is that from its
    /// first node to its second.
    pub(crate) fn entry<'f, T>(&self, entries: &'f [T], channel: u32) -> Option<(&'f T, bool)> {
        let (index, turned) = self.entries.get(&(channel / 2))?;
        Some((&entries[*index], channel.is_multiple_of(2) != *turned))
    }

    /// Channels by name, "a, b or c".
    pub(crate) fn channel_names(&self, channels: impl Iterator<Item = u32>) -> String {
        suggest::one_of(channels.map(|channel| self.channel_name(channel)))
    }

    /// The names of the first nodes, for messages; none where many were looked through before.
    fn candidates(&self) -> impl Iterator<Item = &N> + Clone {
        let looked = if self.suggestions.spend() {
            CANDIDATES
        } else {
            0
        };
        self.nodes.iter().take(looked)
    }

    /// The node of that name, or the diagnostic that says there is none.
    pub(crate) fn find(&self, name: &str, at: &At) -> Result<u32, Box<Diagnostic>> {
        self.node(name).ok_or_else(|| {
            let known = self.candidates().map(N::name);
            let wrong = format!("there is no node `{}`", clip(name));
            let wrong = Diagnostic::error("unknown-node", wrong)
                .at(at, "not a host or a switch of this network");
            // Where many were looked through before, nobody looks again.
            if known.clone().next().is_none() && !self.nodes.is_empty() {
                return wrong.into();
            }
            wrong
                .help_if(suggest::did_you_mean(name, known.clone()))
                .note(format!("nodes: {}", suggest::one_of(known)))
                .into()
        })
    }

    /// The host of that name.
    pub(crate) fn find_host(&self, name: &str, at: &At) -> Result<u32, Box<Diagnostic>> {
        let node = self.find(name, at)?;
        if self.is_host(node) {
            return Ok(node);
        }
        let hosts = self.candidates().filter(|node| node.is_host()).map(N::name);
        Diagnostic::error("not-a-host", format!("`{}` is a switch", clip(name)))
            .at(at, "flows start and end at hosts")
            .note(format!("hosts: {}", suggest::one_of(hosts)))
            .refused()
    }

    /// The host of that name, or all those that a name with `*` in it stands for, in their order.
    pub(crate) fn find_hosts(&self, name: &str, at: &At) -> Result<Vec<u32>, Box<Diagnostic>> {
        if self.node(name).is_some() || !wildcard::is_many(name) {
            return Ok(vec![self.find_host(name, at)?]);
        }
        let mut hosts = match self.wildcards.spend() {
            true => self.hosts(),
            false => Vec::new(),
        };
        hosts.retain(|host| wildcard::stands_for(name, self.name(*host)));
        if !hosts.is_empty() {
            return Ok(hosts);
        }
        let known = self.candidates().filter(|node| node.is_host()).map(N::name);
        let message = format!("no host is called like `{}`", clip(name));
        Diagnostic::error("unknown-node", message)
            .at(at, "`*` stands for any letters, or none")
            .note(format!("hosts: {}", suggest::one_of(known)))
            .refused()
    }

    /// The hosts of all these names; every name that is none of theirs is told.
    pub(crate) fn all_hosts(
        &self,
        names: &[Named],
        mistakes: &mut Diagnostics,
    ) -> Option<Vec<u32>> {
        let found = names.iter().map(|(name, at)| self.find_hosts(name, at));
        let found: Vec<Vec<u32>> = mistakes.kept_all(found)?;
        Some(found.concat())
    }

    /// The channel written `from->to`.
    pub(crate) fn find_channel(&self, text: &str, at: &At) -> Result<u32, Box<Diagnostic>> {
        let Some((from, to)) = text.split_once("->") else {
            let example = L::EXAMPLES.channel;
            return Diagnostic::error("bad-channel", format!("`{}` is no channel", clip(text)))
                .at(at, "no `->` in it")
                .help(format!(
                    "a channel is one direction of a link: `\"{example}\"`"
                ))
                .refused();
        };
        let from = self.find(from.trim(), at)?;
        // A node may be called so.
        let numbered = to
            .rsplit_once('#')
            .filter(|_| self.node(to.trim()).is_none());
        let number = numbered.and_then(|(_, number)| number.trim().parse::<usize>().ok());
        let (to, number) = match (numbered, number) {
            (Some((to, _)), Some(number)) => (to, number),
            _ => (to, 1),
        };
        let to = self.find(to.trim(), at)?;
        let first = self.find_hop(from, to, at)?;
        if number == 1 {
            return Ok(first);
        }
        let of_number = self.channels(from, to).nth(number.wrapping_sub(1));
        of_number.ok_or_else(|| {
            let several =
                suggest::one_of(self.channels(from, to).map(|own| self.channel_name(own)));
            let message = format!("there is no link {number} between these nodes");
            Diagnostic::error("no-link", message)
                .at(at, "links between two nodes count from 1")
                .note(format!("channels there: {several}"))
                .help("have more of them: `links.parallel`")
                .into()
        })
    }

    /// The channel between two nodes, or that they are not joined, and to what the first is.
    pub(crate) fn find_hop(&self, from: u32, to: u32, at: &At) -> Result<u32, Box<Diagnostic>> {
        self.channel(from, to).ok_or_else(|| {
            let (a, b) = (self.name(from), self.name(to));
            let around = self.neighbours[from as usize].iter();
            let around = suggest::one_of(around.map(|(node, _)| self.name(*node)));
            Diagnostic::error("no-link", format!("no link joins `{a}` and `{b}`"))
                .at(at, format!("needs a link `{a}`-`{b}`"))
                .note(format!("links of `{a}` lead to {around}"))
                .help(format!(
                    "add `[[links]]` with `between = [\"{a}\", \"{b}\"]`"
                ))
                .into()
        })
    }
}

/// Says that a link at this place names so many nodes, which are not two.
pub(crate) fn not_two(at: &At, named: usize) -> Diagnostic {
    Diagnostic::error("bad-link", "a link joins two nodes")
        .at(at, format!("this names {named}"))
        .help("name the two nodes at its ends")
}

/// Says that a link joins a node to itself.
pub(crate) fn linked_to_itself(at: &At, name: &str) -> Diagnostic {
    let message = format!("`{}` is linked to itself", clip(name));
    Diagnostic::error("bad-link", message)
        .at(at, "twice the same node")
        .help("a link joins two different nodes")
}

/// What makes the nodes of a file.
pub(crate) enum Makers<'a, B, R> {
    /// `[network]`, by name.
    Names(&'a B),
    /// `[topology]`, by rule.
    Rule(&'a R),
}

impl<'a, B, R> Makers<'a, B, R> {
    /// The one that the file has; `at` is where the file stands.
    pub(crate) fn of(
        network: &'a Placed<Option<B>>,
        topology: &'a Placed<Option<R>>,
        at: &At,
        examples: &Examples,
        mistakes: &mut Diagnostics,
    ) -> Option<Self> {
        match (&network.value, &topology.value) {
            (Some(names), None) => return Some(Self::Names(names)),
            (None, Some(rule)) => return Some(Self::Rule(rule)),
            (Some(_), Some(_)) => {
                let what = "both `[network]` and `[topology]` make the nodes";
                Diagnostic::error("contradiction", what)
                    .at(&topology.at, "nodes by rule")
                    .at(&network.at, "nodes by name")
                    .help("keep one of them")
                    .tell(mistakes);
            }
            (None, None) if network.is_mentioned() || topology.is_mentioned() => {}
            (None, None) => Diagnostic::error("missing-key", "the file has no nodes")
                .at(at, "no `[network]` and no `[topology]`")
                .help(examples.named)
                .help(examples.ruled)
                .tell(mistakes),
        }
        None
    }
}

/// The nodes could not be made, which was told: that names stand for nothing only follows from it.
pub(crate) fn not_made(mistakes: &mut Diagnostics) {
    const FOLLOW: [&str; 5] = [
        "unknown-node",
        "no-link",
        "unreachable",
        "bad-pattern",
        "unconnected",
    ];
    FOLLOW.iter().for_each(|code| mistakes.leave_out(code));
}

/// Adds the links of `[[links]]`, or puts them in the place of those made by rule.
pub(crate) struct NamedLinks {
    /// So many links are made by rule.
    made: usize,
    /// Where the others stand, by index; and whether that entry speaks of this one alone.
    placed: BTreeMap<u32, (At, bool)>,
}

/// Which of the links between two nodes an entry speaks of.
#[derive(Clone, Copy, Default)]
pub(crate) enum Beside {
    /// All that a rule made, or the only one.
    #[default]
    All,
    /// So many.
    Count(u32),
    /// The one of this number, from 1 on.
    Number(u32),
}

impl NamedLinks {
    /// Beside all the links there are.
    pub(crate) fn beside<N, L>(wires: &Wires<N, L>) -> Self {
        Self {
            made: wires.links.len(),
            placed: BTreeMap::new(),
        }
    }

    /// Adds those that stand at `at`, in the entry of this index.
    pub(crate) fn add<N: Node, L: Link>(
        &mut self,
        wires: &mut Wires<N, L>,
        (link, beside): (impl Fn() -> L, Beside),
        (entry, at): (usize, &At),
        mistakes: &mut Diagnostics,
    ) {
        let [a, b] = link().ends();
        let known: Vec<u32> = wires.channels(a, b).collect();
        let numbers = match beside {
            Beside::All => 0..known.len().max(1),
            Beside::Count(count) => 0..count as usize,
            Beside::Number(number) => number.saturating_sub(1) as usize..number as usize,
        };
        if numbers.start > known.len() {
            let (a, b, links) = (wires.name(a), wires.name(b), counted(known.len(), "link"));
            let message = format!(
                "there is no link {} to be link {}",
                numbers.start, numbers.end
            );
            Diagnostic::error("bad-link", message)
                .at(at, format!("{links} before this between `{a}` and `{b}`"))
                .note("links between two nodes are numbered from 1, without gaps")
                .help("write the ones before it first, or `parallel` for all of them")
                .tell(mistakes);
            return;
        }
        let is_alone = matches!(beside, Beside::Number(_));
        for number in numbers {
            let Some(channel) = known.get(number) else {
                let index = wires.links.len() as u32;
                self.placed.insert(index, (at.clone(), is_alone));
                wires.entries.insert(index, (entry, false));
                wires.add_link(link());
                continue;
            };
            if !self.place(wires, (*channel, link()), (entry, at), is_alone, mistakes) {
                return;
            }
        }
    }

    /// An entry speaks of a link that there is; false if another does, which is told.
    fn place<N: Node, L: Link>(
        &mut self,
        wires: &mut Wires<N, L>,
        (channel, link): (u32, L),
        (entry, at): (usize, &At),
        is_alone: bool,
        mistakes: &mut Diagnostics,
    ) -> bool {
        let [a, b] = link.ends();
        let index = channel / 2;
        let first = self.placed.get(&index);
        if let Some((first, _)) = first.filter(|(_, own)| *own || !is_alone) {
            let names = format!("`{}` and `{}`", wires.name(a), wires.name(b));
            Diagnostic::error("duplicate-link", format!("two links join {names}"))
                .twice(at, first)
                .help(L::EXAMPLES.faster)
                .tell(mistakes);
            return false;
        }
        if (index as usize) < self.made || first.is_some() {
            self.placed.insert(index, (at.clone(), is_alone));
            let turned = !channel.is_multiple_of(2);
            wires.entries.insert(index, (entry, turned));
            link.replace(&mut wires.links[index as usize]);
        }
        true
    }
}
