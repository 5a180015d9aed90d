//! What the file says of the memory of each switch: `[buffer.shared]`, over that each `[[memory]]`
//! that names it, and the parts that `[[pools]]` take.

use std::collections::BTreeSet;

use backwater_net::frames::spec::{OwnShareSpec, PoolSpec, Ratio, ShareSpec, SharedSpec};

use super::controls::{Mask, mask};
use super::net::Net;
use crate::given::Named;
use crate::given::frames::EthernetFile;
use crate::given::frames::memory::{Memory, Pools, Share, Shared};
use crate::language::suggest;
use crate::network::wildcard;
use crate::prelude::*;

/// Bytes less than its threshold at which an input is resumed.
const RESUME_OFFSET: u64 = 3_000;

/// All that the file says of shared memory.
pub(crate) struct Memories<'a> {
    given: &'a Shared,
    pools: Vec<&'a Pools>,
    entries: Vec<Entry<'a>>,
}

/// One `[[memory]]`.
struct Entry<'a> {
    own: &'a Memory,
    /// `None` names all.
    nodes: Option<BTreeSet<u32>>,
    ports: Option<BTreeSet<u32>>,
    classes: Option<Mask>,
    /// In which pool its inputs count.
    pool: Option<u8>,
}

impl Entry<'_> {
    fn names_node(&self, node: u32) -> bool {
        self.nodes.as_ref().is_none_or(|own| own.contains(&node))
    }

    fn names(&self, (from, node): (u32, u32), class: u8) -> bool {
        self.names_node(node)
            && self.ports.as_ref().is_none_or(|own| own.contains(&from))
            && self.classes.is_none_or(|own| own & 1 << class != 0)
    }
}

/// What an input has, and where its headroom is said.
pub(crate) struct OfInput {
    /// Which pool it counts in.
    pub pool: u8,
    share: Share,
}

impl OfInput {
    /// Headroom, if the file says how much, and where it does or could.
    pub fn headroom(&self) -> (Option<u64>, &At) {
        (*self.share.headroom, &self.share.headroom.at)
    }

    fn spec(&self, headroom_bytes: u64) -> ShareSpec {
        let ratio = |given: Option<(u32, u32)>| {
            let (numerator, denominator) = given.unwrap_or((1, 8));
            Ratio {
                numerator,
                denominator,
            }
        };
        let share = &self.share;
        ShareSpec {
            pool: self.pool,
            reserve_bytes: share.reserve.unwrap_or_default(),
            headroom_bytes: share.headroom.unwrap_or(headroom_bytes),
            alpha: ratio(share.alpha),
            output_alpha: ratio(share.output_alpha),
            resume_offset_bytes: share.resume_offset.unwrap_or(RESUME_OFFSET),
            resume_floor_bytes: share.resume_floor.unwrap_or_default(),
        }
    }
}

impl<'a> Memories<'a> {
    /// Reads them; none where switches share no memory.
    pub(crate) fn read(
        file: &'a EthernetFile,
        net: &Net<'_>,
        mistakes: &mut Diagnostics,
    ) -> Option<Self> {
        let Some(given) = &file.buffer.shared else {
            let memory = file.memory.iter().map(|own| ("memory", &own.at));
            let pools = file.pools.iter().map(|own| ("pools", &own.at));
            for (table, at) in memory.chain(pools) {
                Diagnostic::no_meaning(table, "alone")
                    .at(at, "tells what differs in shared memory")
                    .help("add `[buffer.shared]` with its `bytes`, or leave this out")
                    .tell(mistakes);
            }
            return None;
        };
        let pools: Vec<&Pools> = file.pools.iter().map(|own| &own.value).collect();
        twice(&pools, mistakes);
        let entries = file.memory.iter().map(|own| {
            let entry = entry(&own.value, net, &pools, mistakes);
            check(&entry, net, &own.at, mistakes);
            entry
        });
        let entries: Vec<Entry<'_>> = entries.collect();
        empty(&pools, &entries, mistakes);
        Some(Self {
            given,
            entries,
            pools,
        })
    }

    /// What an input and class has.
    pub(crate) fn of_input(&self, net: &Net<'_>, input: u32, class: u8) -> OfInput {
        let ends = net.ends(input);
        let mut of_input = OfInput {
            pool: 0,
            share: Share::default().over(&self.given.share),
        };
        for entry in self.entries.iter().filter(|own| own.names(ends, class)) {
            of_input.share = entry.own.share.over(&of_input.share);
            of_input.pool = entry.pool.unwrap_or(of_input.pool);
        }
        of_input
    }

    /// The last word on a whole switch, and where it stands.
    fn of_node<T: Copy + 'a>(
        &self,
        node: u32,
        common: (T, &'a At),
        own: impl Fn(&'a Memory) -> &'a Placed<Option<T>>,
    ) -> (T, &'a At) {
        let named = self.entries.iter().filter(|entry| entry.names_node(node));
        let said = named.filter_map(|entry| {
            let word = own(entry.own);
            word.value.map(|value| (value, &word.at))
        });
        said.last().unwrap_or(common)
    }

    /// All memory of a switch, and where that is said.
    pub(crate) fn bytes(&self, node: u32) -> (u64, &'a At) {
        let common = (*self.given.bytes, &self.given.bytes.at);
        self.of_node(node, common, |own| &own.bytes)
    }

    /// The headroom of all inputs of a pool, if the file says how much, and where it does or could.
    pub(crate) fn headroom(&self, node: u32, pool: u8) -> (Option<u64>, &'a At) {
        if let Some(own) = self.named(pool) {
            return (*own.headroom, &own.headroom.at);
        }
        let mut entries = self.entries.iter().rev();
        let last = entries.find(|own| own.names_node(node) && own.own.pool.is_some());
        let said = last.map_or(&self.given.pool, |own| &own.own.pool);
        (**said, &said.at)
    }

    /// Where the file says how much memory a pool has.
    pub(crate) fn said(&self, node: u32, pool: u8) -> &'a At {
        match self.named(pool) {
            Some(own) => &own.bytes.at,
            None => self.bytes(node).1,
        }
    }

    /// What messages call a pool.
    pub(crate) fn pool_name(&self, pool: u8) -> Option<&str> {
        self.named(pool).map(|own| own.name.as_str())
    }

    /// All but the first have a name.
    fn named(&self, pool: u8) -> Option<&'a Pools> {
        let at = usize::from(pool).checked_sub(1)?;
        self.pools.get(at).copied()
    }

    /// How many pools each switch has.
    pub(crate) fn pools(&self) -> u8 {
        self.pools.len() as u8 + 1
    }

    /// Bytes of a cell at a switch.
    pub(crate) fn cell_bytes(&self, node: u32) -> u32 {
        let common = (self.given.cell.unwrap_or(1), &self.given.bytes.at);
        self.of_node(node, common, |own| &own.cell).0
    }

    /// The memory of a switch with these inputs; what the file leaves open is so much headroom for
    /// each of them, and so much for all of each pool.
    pub(crate) fn spec(
        &self,
        net: &Net<'_>,
        (node, inputs): (u32, &[(u32, u8)]),
        headroom_bytes: u64,
        of_pool: impl Fn(u8) -> u64,
    ) -> SharedSpec {
        let common = OfInput {
            pool: 0,
            share: Share::default().over(&self.given.share),
        };
        let common = common.spec(headroom_bytes);
        let shares = inputs.iter().map(|(channel, class)| OwnShareSpec {
            channel: *channel,
            class: *class,
            share: self.of_input(net, *channel, *class).spec(headroom_bytes),
        });
        let pools = (0..self.pools()).map(|pool| {
            let bytes = match self.named(pool) {
                Some(own) => *own.bytes,
                None => self.left(node),
            };
            PoolSpec {
                bytes,
                headroom_bytes: self.headroom(node, pool).0.unwrap_or_else(|| of_pool(pool)),
                safe_inputs: None,
            }
        });
        SharedSpec {
            cell_bytes: self.cell_bytes(node),
            pools: pools.collect(),
            share: common,
            own: shares.filter(|own| own.share != common).collect(),
        }
    }

    /// What the pools with names leave of the memory of a switch.
    fn left(&self, node: u32) -> u64 {
        let named = self.pools.iter().map(|own| *own.bytes);
        let named = named.fold(0, u64::saturating_add);
        self.bytes(node).0.saturating_sub(named)
    }

    /// The pools with names are more than the memory of a switch.
    pub(crate) fn is_too_small(&self, node: u32) -> bool {
        let named = self.pools.iter().map(|own| *own.bytes);
        named.fold(0, u64::saturating_add) > self.bytes(node).0
    }
}

/// Two pools of one name.
fn twice(pools: &[&Pools], mistakes: &mut Diagnostics) {
    for (index, own) in pools.iter().enumerate() {
        let mut before = pools[..index].iter();
        if let Some(first) = before.find(|first| *first.name == *own.name) {
            Diagnostic::error("contradiction", format!("two pools `{}`", *own.name))
                .twice(&own.name.at, &first.name.at)
                .help("give each pool a name of its own")
                .tell(mistakes);
        }
    }
}

/// Pools in which nothing counts.
fn empty(pools: &[&Pools], entries: &[Entry<'_>], mistakes: &mut Diagnostics) {
    for (id, own) in (1..).zip(pools) {
        if entries.iter().any(|entry| entry.pool == Some(id)) || mistakes.errors() > 0 {
            continue;
        }
        let name = own.name.as_str();
        Diagnostic::error("no-meaning", format!("no input counts in pool `{name}`"))
            .at(&own.name.at, "its memory is for nobody")
            .help(format!(
                "name its inputs in a `[[memory]]` with `in_pool = \"{name}\"`, or leave it out"
            ))
            .tell(mistakes);
    }
}

fn entry<'a>(
    own: &'a Memory,
    net: &Net<'_>,
    pools: &[&Pools],
    mistakes: &mut Diagnostics,
) -> Entry<'a> {
    let pool = own.in_pool.as_ref().and_then(|name| {
        let at_pool = pools.iter().position(|pool| *pool.name == *name);
        if at_pool.is_none() {
            let names = pools.iter().map(|pool| pool.name.as_str());
            Diagnostic::error("unknown-name", format!("there is no pool `{name}`"))
                .at(&own.in_pool.at, "not a name of `[[pools]]`")
                .help_if(suggest::did_you_mean(name, names.clone()))
                .note(format!("pools: {}", suggest::one_of(names)))
                .help("name one of `[[pools]]`, or add it there")
                .tell(mistakes);
        }
        at_pool.map(|at| at as u8 + 1)
    });
    Entry {
        own,
        nodes: places(&own.nodes, net, |node| net.is_switch(node), mistakes),
        ports: places(&own.ports, net, |_| true, mistakes),
        classes: own.classes.as_deref().map(mask),
        pool,
    }
}

/// Nodes by name, where `*` stands for any letters.
fn places(
    named: &Placed<Vec<Named>>,
    net: &Net<'_>,
    may_be: impl Fn(u32) -> bool,
    mistakes: &mut Diagnostics,
) -> Option<BTreeSet<u32>> {
    if !named.is_given {
        return None;
    }
    let mut nodes = BTreeSet::new();
    for (name, at) in named.iter() {
        if !wildcard::is_many(name) {
            let node = mistakes.kept(net.find(name, at));
            if let Some(host) = node.filter(|node| !may_be(*node)) {
                let name = net.name(host);
                Diagnostic::error("no-meaning", format!("`{name}` is a host"))
                    .at(at, "switches alone have shared memory")
                    .help("name a switch; `ports` names what is at the other end")
                    .tell(mistakes);
            }
            nodes.extend(node);
            continue;
        }
        let all = 0..net.nodes.len() as u32;
        let like = all.filter(|node| may_be(*node) && wildcard::stands_for(name, net.name(*node)));
        let before = nodes.len();
        nodes.extend(like);
        if nodes.len() == before {
            Diagnostic::error("unknown-node", format!("no node is called like `{name}`"))
                .at(at, "`*` stands for any letters, or none")
                .help("name nodes of this network")
                .tell(mistakes);
        }
    }
    Some(nodes)
}

/// What a `[[memory]]` says must be of something.
fn check(entry: &Entry<'_>, net: &Net<'_>, at: &At, mistakes: &mut Diagnostics) {
    let given = entry.own;
    let is_part = given.ports.is_given || given.classes.value.is_some();
    let whole = [
        ("bytes", given.bytes.place()),
        ("pool", given.pool.place()),
        ("cell", given.cell.place()),
    ];
    for (key, at) in whole {
        if let Some(at) = at.filter(|_| is_part) {
            Diagnostic::no_meaning(key, "for some ports or classes")
                .at(at, "is of a whole switch")
                .help("say it in a `[[memory]]` with `nodes` alone")
                .tell(mistakes);
        }
    }
    let channels = 0..2 * net.links.len() as u32;
    let mut into = channels.map(|channel| net.ends(channel));
    let is_one = |(from, node): (u32, u32)| {
        let ports = entry.ports.as_ref();
        net.is_switch(node) && entry.names_node(node) && ports.is_none_or(|own| own.contains(&from))
    };
    if !into.any(is_one) && mistakes.errors() == 0 {
        Diagnostic::error("no-meaning", "no switch has such a port")
            .at(at, "names nothing")
            .note("`nodes` are switches, `ports` the nodes at the other ends of their links")
            .help("name a neighbour of a switch, or leave `ports` out")
            .tell(mistakes);
    }
}
