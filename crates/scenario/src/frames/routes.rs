//! Paths: the shortest, and those that the file gives.

use std::collections::BTreeMap;

use backwater_ends::spec::{PairRecovery, Recovery};
use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, NicRule, RouteSpec, TransportSpec};

use super::crossings::{Bundles, Crossings};
use super::flows::Flows;
use super::net::Net;
use crate::given::frames::EthernetFile;
use crate::prelude::*;

/// Duplicate acknowledgements that frames spread one by one provoke seldom, where switches hold
/// some hundred frames.
const SPREAD_DUPLICATES: u32 = 30;
/// Hosts to which paths are looked for.
const SEARCHES_MOST: u32 = 1_000;

/// Follows each flow there and back, as the engine does, where that has not been done already:
/// the file gives paths, or there were too many to follow all.
pub(crate) fn follow(
    (net, network): (&Net<'_>, &EthernetSpec),
    flows: &Flows<'_>,
    crossings: &Crossings,
    mistakes: &mut Diagnostics,
) {
    let is_known = network.rules.routes.is_empty() && !crossings.is_partial;
    // A frame for several hosts leaves its host by one link: which is for the engine to say.
    let leaves_by_several =
        |flow: &FlowSpec| flow.is_multicast() && net.neighbours[flow.source as usize].len() > 1;
    let is_known = is_known && !network.flows.iter().any(leaves_by_several);
    if is_known || network.rules.spread.parts_flows() || mistakes.errors() > 0 {
        return;
    }
    let Ok(tables) = Tables::new(network) else {
        return;
    };
    let mut hops = Vec::new();
    for (index, table) in (0_u32..).zip(&flows.tables) {
        if network.flows[index as usize].is_multicast() {
            tree(network, &tables, index, table.to, mistakes);
            continue;
        }
        for path in [2 * index, 2 * index + 1] {
            hops.clear();
            if tables.follow(network, path, &mut hops).is_ok() {
                continue;
            }
            let flow = &network.flows[index as usize];
            let name = |node: u32| &network.nodes[node as usize].name;
            let (source, end) = (name(flow.source), name(flow.destination));
            let (what, from, to) = match path % 2 {
                0 => ("its path does not arrive", source, end),
                _ => ("the path back does not arrive", end, source),
            };
            let message = format!("no path leads from `{from}` to `{to}`");
            Diagnostic::error("unreachable", message)
                .at(table.to, what)
                .note("every flow has a path back, whether it sends anything there or not")
                .help("correct `[[routes]]`: each next hop must lead nearer")
                .tell(mistakes);
        }
    }
}

/// The warning of a flow that takes frames that overtake each other for lost, without its places.
fn overtaken(transport: &TransportSpec) -> Option<Diagnostic> {
    let warning = |what| Diagnostic::warning("reordering", what);
    match transport {
        TransportSpec::Udp { .. } => None,
        TransportSpec::Tcp(tcp) => {
            let threshold = tcp.duplicate_threshold;
            let learns = tcp.recovery == Recovery::Rack;
            let is_hasty = !learns && (1..SPREAD_DUPLICATES).contains(&threshold);
            let warning = warning("TCP takes frames that overtake each other for lost")
                .note(format!(
                    "it sends again what {threshold} duplicate acknowledgements say is missing; \
                     behind a longer queue more segments than that are overtaken"
                ))
                .help(format!(
                    "wait for more of them: `tcp.duplicate_threshold = {SPREAD_DUPLICATES}`"
                ))
                .help("or let it learn how late frames come: `tcp.recovery = \"rack\"`");
            is_hasty.then_some(warning)
        }
        TransportSpec::Roce(roce) if roce.recovery == PairRecovery::AnyOrder => None,
        TransportSpec::Roce(_) => {
            let what = "a queue pair takes packets that overtake each other for lost";
            let warning = warning(what)
                .note("a packet that comes before one sent earlier says that this one is lost")
                .help("`roce.recovery = \"any-order\"` takes them as they come")
                .help(
                    "`roce.recovery = \"selective\"` sends again only what is missing, which is \
                     less, and not nothing",
                );
            Some(warning)
        }
    }
}

/// Where switches draw a path for each frame, and who takes that for losses.
pub(crate) fn reordering(
    file: &EthernetFile,
    (net, network): (&Net<'_>, &EthernetSpec),
    flows: &Flows<'_>,
    mistakes: &mut Diagnostics,
) {
    if !network.rules.spread.parts_flows() {
        return reordering_at_hosts(network, flows, mistakes);
    }
    let bundles = Bundles::new(net, &network.rules.routes);
    let mut paths = Paths::new(&network.rules.routes);
    let mut searches = 0;
    for (flow, table) in flows.each() {
        let Some(warning) = overtaken(&flow.transport) else {
            continue;
        };
        let to = bundles.kind(flow.destination);
        searches += u32::from(paths.lead_to(&bundles, to));
        if searches > SEARCHES_MOST {
            return;
        }
        if !paths.part(&bundles, bundles.kind(flow.source)) {
            continue;
        }
        let name = clip(&flow.name);
        let label = format!("the frames of `{name}` have several paths");
        warning
            .at(
                &file.switch.spread.at,
                "the frames of a flow take several paths",
            )
            .at(table.to, label)
            .help("or keep each flow to one path: `spread = \"flows\"`")
            .tell(mistakes);
        return;
    }
}

/// The same where a host sends the frames of a flow round its links.
fn reordering_at_hosts(network: &EthernetSpec, flows: &Flows<'_>, mistakes: &mut Diagnostics) {
    if !network.rules.spreads_at_hosts() {
        return;
    }
    for (flow, table) in flows.each() {
        if network.rules.nic(flow.source) != NicRule::Spread {
            continue;
        }
        let Some(warning) = overtaken(&flow.transport) else {
            continue;
        };
        let (name, host) = (clip(&flow.name), &network.nodes[flow.source as usize].name);
        let label = format!("the frames of `{name}` go round the links of `{host}`");
        warning
            .at(table.to, label)
            .help("or keep each flow to one link: `host.nic = \"hash\"`")
            .tell(mistakes);
        return;
    }
}

/// Follows a multicast.
fn tree(network: &EthernetSpec, tables: &Tables, flow: u32, at: &At, mistakes: &mut Diagnostics) {
    if let Err(wrong) = tables.paths(network, flow) {
        let name = &network.flows[flow as usize].name;
        let what = wrong.0.split_once(": ").map_or(&*wrong.0, |own| own.1);
        Diagnostic::error("unreachable", format!("`{name}` has no tree"))
            .at(at, what)
            .note("a frame for several hosts leaves its host by one link; switches copy it")
            .help("correct `[[routes]]`, or name fewer hosts")
            .tell(mistakes);
    }
}

/// The entries of `[[routes]]`.
pub(crate) fn given(
    file: &EthernetFile,
    net: &Net<'_>,
    mistakes: &mut Diagnostics,
) -> Vec<RouteSpec> {
    let mut routes: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for route in &file.routes {
        let nodes = route.node.iter();
        let nodes = mistakes.kept_all(nodes.map(|(name, at)| net.find(name, at)));
        let to = net.all_hosts(&route.to, mistakes);
        let (Some(nodes), Some(to)) = (nodes, to) else {
            continue;
        };
        for node in nodes {
            let hop = |(name, at): &Named| {
                let next = net.find(name, at)?;
                net.find_hop(node, next, at)?;
                Ok(net.channels(node, next).collect::<Vec<u32>>())
            };
            let Some(hops) = mistakes.kept_all(route.via.iter().map(hop)) else {
                continue;
            };
            let mut hops = hops.concat();
            hops.sort_unstable();
            hops.dedup();
            for destination in &to {
                let place = (node, *destination);
                if !hops.is_empty() && routes.insert(place, hops.clone()).is_some() {
                    mistakes.push(twice(&route.node.at, net, place));
                }
            }
        }
    }
    let routes = routes.into_iter();
    routes
        .map(|((node, destination), channels)| RouteSpec {
            node,
            destination,
            channels,
        })
        .collect()
}

fn twice(at: &At, net: &Net<'_>, place: (u32, u32)) -> Diagnostic {
    let (node, to) = (net.name(place.0), net.name(place.1));
    Diagnostic::error(
        "contradiction",
        format!("the path from `{node}` to `{to}` is given twice"),
    )
    .at(at, "the second")
    .help("name all next hops in one `via`")
}

/// Next hops from every node to one host, by kinds and bundles.
pub(crate) struct Paths<'a> {
    given: &'a [RouteSpec],
    /// The kind from which distances are measured: what forwards and alone is joined to the host,
    /// or the host itself.
    root: u32,
    /// Of what forwards, links to the root; `u32::MAX` where there is no path.
    distance: Vec<u32>,
    /// Those with a distance.
    reached: Vec<u32>,
    pub destination: u32,
}

/// The kind over which all paths to a host lead; the host itself, unless it has one link.
fn root(bundles: &Bundles, destination: u32) -> u32 {
    match bundles.leaving(destination) {
        [(next, bundle)] if bundles.forwards(*next) && bundles.choices(*bundle) == 1 => *next,
        _ => destination,
    }
}

impl<'a> Paths<'a> {
    /// Paths that lead nowhere yet.
    pub(crate) fn new(given: &'a [RouteSpec]) -> Self {
        Self {
            given,
            root: u32::MAX,
            distance: Vec::new(),
            reached: Vec::new(),
            destination: u32::MAX,
        }
    }

    /// Leads to another host; whether that took a search. Paths to hosts of one switch differ in
    /// the last hop alone, unless the file gives some.
    pub(crate) fn lead_to(&mut self, bundles: &Bundles, destination: u32) -> bool {
        if destination == self.destination {
            return false;
        }
        self.destination = destination;
        let root = root(bundles, destination);
        if self.given.is_empty() && root == self.root {
            return false;
        }
        self.root = root;
        self.distance.resize(bundles.kinds(), u32::MAX);
        for kind in self.reached.drain(..) {
            self.distance[kind as usize] = u32::MAX;
        }
        self.distance[root as usize] = 0;
        self.reached.push(root);
        let mut at = 0;
        while let Some(kind) = self.reached.get(at).copied() {
            at += 1;
            let further = self.distance[kind as usize] + 1;
            for (next, _) in bundles.leaving(kind) {
                if self.distance[*next as usize] == u32::MAX && bundles.forwards(*next) {
                    self.distance[*next as usize] = further;
                    self.reached.push(*next);
                }
            }
        }
        true
    }

    /// Links from a kind other than the host's to where paths to it meet; `u32::MAX` where there is
    /// no path.
    pub(crate) fn distance(&self, bundles: &Bundles, kind: u32) -> u32 {
        if self.leads(bundles, kind) {
            return self.distance[kind as usize];
        }
        // It forwards nothing: it is as far as what it is joined to, and a link more.
        let around = bundles.leaving(kind).iter();
        let around = around.map(|(next, _)| match self.leads(bundles, *next) {
            true => self.distance[*next as usize].saturating_add(1),
            false => u32::MAX,
        });
        around.min().unwrap_or(u32::MAX)
    }

    /// Can a path lead through nodes of a kind, or end there?
    fn leads(&self, bundles: &Bundles, kind: u32) -> bool {
        kind == self.root || bundles.forwards(kind)
    }

    /// Whether frames from a host may take several paths.
    fn part(&self, bundles: &Bundles, from: u32) -> bool {
        let mut kind = from;
        // A path that the file gives may lead in a circle.
        for _ in 0..=bundles.kinds() {
            match self.next(bundles, kind)[..] {
                [only] if bundles.choices(only) == 1 => kind = bundles.ends(only).1,
                [] => return false,
                [..] => return true,
            }
            if kind == self.destination {
                return false;
            }
        }
        false
    }

    /// The bundles that frames take from here, in ascending order; none at the host itself.
    pub(crate) fn next(&self, bundles: &Bundles, kind: u32) -> Vec<u32> {
        let place = (kind, self.destination);
        let given = self.given;
        if let Ok(index) = given.binary_search_by_key(&place, |r| (r.node, r.destination)) {
            return given[index].channels.clone();
        }
        if kind == self.destination {
            return Vec::new();
        }
        let far = self.distance(bundles, kind);
        let leads_on = |next: u32| match kind == self.root {
            true => next == self.destination,
            false => {
                self.leads(bundles, next)
                    && self.distance[next as usize].checked_add(1) == Some(far)
            }
        };
        let around = bundles.leaving(kind).iter();
        let hops = around.filter(|(next, _)| leads_on(*next));
        let mut hops: Vec<u32> = hops.map(|(_, bundle)| *bundle).collect();
        hops.sort_unstable();
        hops
    }
}
