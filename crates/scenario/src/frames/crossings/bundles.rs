//! Channels that no shortest way tells apart.
//!
//! What crosses one channel from a switch of one kind to one of another crosses all such: a fat
//! tree has as many bundles as hosts, pods and switches with hosts, not as channels. Where the file
//! gives ways, each channel is a bundle of its own, and each node a kind.

use backwater_net::frames::routes::Alike;
use backwater_net::frames::spec::RouteSpec;

use crate::frames::net::Net;

/// The network by kinds of nodes and bundles of channels.
pub(crate) struct Bundles {
    /// By node.
    kinds: Vec<u32>,
    /// By kind: it is that of hosts.
    is_host: Vec<bool>,
    /// By kind: paths lead through it.
    forwards: Vec<bool>,
    /// By kind: the bundles that leave it, by where they lead.
    leaving: Vec<Vec<(u32, u32)>>,
    /// By channel.
    of: Vec<u32>,
    all: Vec<Bundle>,
}

/// Channels between nodes of two kinds.
#[derive(Clone, Copy)]
struct Bundle {
    /// The kind it leaves, and the one it enters.
    ends: (u32, u32),
    /// The first of its channels.
    first: u32,
    /// So many of them leave a node, and so many enter one.
    widths: (u32, u32),
}

impl Bundles {
    pub(crate) fn new(net: &Net<'_>, routes: &[RouteSpec]) -> Self {
        let nodes = net.nodes.len();
        let around = |node: u32| net.neighbours[node as usize].iter().map(|(next, _)| *next);
        let is_own = |node: u32| net.is_host(node) || around(node).any(|next| net.is_host(next));
        let are_shared = routes.is_empty();
        let alike = match are_shared {
            true => Alike::new(nodes, is_own, around),
            false => Alike::none(nodes),
        };
        let mut is_host = vec![false; alike.counts.len()];
        let mut forwards = is_host.clone();
        for (node, kind) in (0..).zip(&alike.kinds) {
            is_host[*kind as usize] = net.is_host(node);
            forwards[*kind as usize] = net.forwards(node);
        }
        let channels = (0..2 * net.links.len() as u32).map(|channel| {
            let (from, to) = net.ends(channel);
            let kind = |node: u32| alike.kinds[node as usize];
            (kind(from), kind(to), channel)
        });
        let mut channels: Vec<(u32, u32, u32)> = channels.collect();
        channels.sort_unstable();
        let count = |kind: u32| alike.counts[kind as usize].max(1);
        let mut bundles = Self {
            leaving: vec![Vec::new(); alike.counts.len()],
            of: vec![0; channels.len()],
            all: Vec::new(),
            is_host,
            forwards,
            kinds: Vec::new(),
        };
        for own in channels.chunk_by(|a, b| are_shared && (a.0, a.1) == (b.0, b.1)) {
            let ((from, to, first), many) = (own[0], own.len() as u32);
            let number = bundles.all.len() as u32;
            bundles.leaving[from as usize].push((to, number));
            own.iter().for_each(|it| bundles.of[it.2 as usize] = number);
            bundles.all.push(Bundle {
                ends: (from, to),
                first,
                widths: (many / count(from), many / count(to)),
            });
        }
        bundles.kinds = alike.kinds;
        bundles.in_order()
    }

    /// Numbered in the order of their first channels.
    fn in_order(mut self) -> Self {
        let mut order: Vec<u32> = (0..self.all.len() as u32).collect();
        order.sort_unstable_by_key(|bundle| self.first(*bundle));
        let mut numbers = vec![0; order.len()];
        for (number, bundle) in (0..).zip(&order) {
            numbers[*bundle as usize] = number;
        }
        let renumber = |bundle: &mut u32| *bundle = numbers[*bundle as usize];
        self.of.iter_mut().for_each(renumber);
        let leaving = self.leaving.iter_mut().flatten();
        leaving.for_each(|(_, bundle)| renumber(bundle));
        self.all = order.iter().map(|old| self.all[*old as usize]).collect();
        self
    }

    pub(crate) fn kind(&self, node: u32) -> u32 {
        self.kinds[node as usize]
    }

    pub(crate) fn kinds(&self) -> usize {
        self.is_host.len()
    }

    pub(crate) fn is_host(&self, kind: u32) -> bool {
        self.is_host[kind as usize]
    }

    /// Do paths lead through nodes of a kind?
    pub(crate) fn forwards(&self, kind: u32) -> bool {
        self.forwards[kind as usize]
    }

    /// The bundles that leave a kind, with where they lead, in the order of that.
    pub(crate) fn leaving(&self, kind: u32) -> &[(u32, u32)] {
        &self.leaving[kind as usize]
    }

    /// The bundle of a channel.
    pub(crate) fn of(&self, channel: u32) -> u32 {
        self.of[channel as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The kind a bundle leaves, and the one it enters.
    pub(crate) fn ends(&self, bundle: u32) -> (u32, u32) {
        self.all[bundle as usize].ends
    }

    /// The first of the channels of a bundle.
    pub(super) fn first(&self, bundle: u32) -> u32 {
        self.all[bundle as usize].first
    }

    /// So many channels of a bundle enter a node.
    pub(super) fn entering(&self, bundle: u32) -> u32 {
        self.all[bundle as usize].widths.1
    }

    /// So many of them leave a node: frames have these to choose from.
    pub(crate) fn choices(&self, bundle: u32) -> u32 {
        self.all[bundle as usize].widths.0
    }

    /// All channels, with their bundles.
    pub(super) fn channels(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..).zip(self.of.iter().copied())
    }
}
