//! Paths: the shortest, and those that the file gives.

use std::collections::{BTreeMap, VecDeque};

use backwater_ends::spec::Recovery;
use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{EthernetSpec, RouteSpec, Spread, TransportSpec};

use super::crossings::Crossings;
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
    network: &EthernetSpec,
    flows: &Flows<'_>,
    crossings: &Crossings,
    mistakes: &mut Diagnostics,
) {
    let is_known = network.rules.routes.is_empty() && !crossings.is_partial;
    if is_known || network.rules.spread == Spread::Frames || mistakes.errors() > 0 {
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

/// Segments that overtake each other are taken for lost by a TCP that waits for few duplicates.
pub(crate) fn reordering(
    file: &EthernetFile,
    (net, network): (&Net<'_>, &EthernetSpec),
    flows: &Flows<'_>,
    mistakes: &mut Diagnostics,
) {
    if network.rules.spread != Spread::Frames {
        return;
    }
    let mut known: Option<Paths<'_>> = None;
    let mut searches = 0;
    for (flow, table) in flows.each() {
        let TransportSpec::Tcp(tcp) = &flow.transport else {
            continue;
        };
        let threshold = tcp.duplicate_threshold;
        let learns = tcp.recovery == Recovery::Rack;
        if learns || !(1..SPREAD_DUPLICATES).contains(&threshold) {
            continue;
        }
        if !known
            .as_mut()
            .is_some_and(|paths| paths.lead_to(flow.destination))
        {
            searches += 1;
            known = Some(Paths::new(net, &network.rules.routes, flow.destination));
        }
        let Some(paths) = known.as_mut().filter(|_| searches <= SEARCHES_MOST) else {
            return;
        };
        if !paths.part(flow.source) {
            continue;
        }
        let name = clip(&flow.name);
        Diagnostic::warning(
            "reordering",
            "TCP takes frames that overtake each other for lost",
        )
        .at(&file.switch.spread.at, "draws a path for each frame")
        .at(
            table.to,
            format!("the frames of `{name}` have several paths"),
        )
        .note(format!(
            "it sends again what {threshold} duplicate acknowledgements say is missing; behind a \
                 longer queue more segments than that are overtaken"
        ))
        .help(format!(
            "wait for more of them: `tcp.duplicate_threshold = {SPREAD_DUPLICATES}`"
        ))
        .help("or let it learn how late frames come: `tcp.recovery = \"rack\"`")
        .help("or keep each flow to one path: `spread = \"flows\"`")
        .tell(mistakes);
        return;
    }
}

/// Follows a multicast.
fn tree(network: &EthernetSpec, tables: &Tables, flow: u32, at: &At, mistakes: &mut Diagnostics) {
    if let Err(wrong) = tables.paths(network, flow) {
        let name = &network.flows[flow as usize].name;
        Diagnostic::error("unreachable", format!("`{name}` has no tree"))
            .at(at, wrong.0)
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
            let hop = |(name, at): &Named| net.find_hop(node, net.find(name, at)?, at);
            let Some(mut hops) = mistakes.kept_all(route.via.iter().map(hop)) else {
                continue;
            };
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

/// Next hops from every node to one host.
pub(crate) struct Paths<'a> {
    net: &'a Net<'a>,
    given: &'a [RouteSpec],
    /// The node from which distances are measured: the switch to which alone the host is joined,
    /// or the host itself.
    root: u32,
    /// Links to the root; `u32::MAX` where there is no path.
    distance: Vec<u32>,
    /// By node, next hops that were asked for.
    known: Vec<Option<Vec<u32>>>,
    pub destination: u32,
}

/// The node over which all paths to a host lead; the host itself, unless it has one link.
fn root(net: &Net<'_>, destination: u32) -> u32 {
    match net.neighbours[destination as usize][..] {
        [(switch, _)] if net.forwards(switch) => switch,
        _ => destination,
    }
}

impl<'a> Paths<'a> {
    pub(crate) fn new(net: &'a Net<'a>, given: &'a [RouteSpec], destination: u32) -> Self {
        let root = root(net, destination);
        let mut distance = vec![u32::MAX; net.nodes.len()];
        distance[root as usize] = 0;
        let mut queue = VecDeque::from([root]);
        while let Some(node) = queue.pop_front() {
            if node != root && !net.forwards(node) {
                continue;
            }
            for (next, _) in &net.neighbours[node as usize] {
                if distance[*next as usize] == u32::MAX {
                    distance[*next as usize] = distance[node as usize] + 1;
                    queue.push_back(*next);
                }
            }
        }
        Self {
            net,
            given,
            root,
            distance,
            known: vec![None; net.nodes.len()],
            destination,
        }
    }

    /// Leads to another host, if that takes no new search: paths to hosts of one switch differ in
    /// the last hop alone, unless the file gives some.
    pub(crate) fn lead_to(&mut self, destination: u32) -> bool {
        if destination == self.destination {
            return true;
        }
        if !self.given.is_empty() || root(self.net, destination) != self.root {
            return false;
        }
        for node in [self.root, self.destination, destination] {
            self.known[node as usize] = None;
        }
        self.destination = destination;
        true
    }

    /// Links from a node other than the host to where paths to it meet; `u32::MAX` where there is
    /// no path.
    pub(crate) fn distance(&self, node: u32) -> u32 {
        self.distance[node as usize]
    }

    /// The channels that frames take from here, in ascending order; none at the host itself.
    pub(crate) fn next(&mut self, node: u32) -> &[u32] {
        if self.known[node as usize].is_none() {
            self.known[node as usize] = Some(self.find(node));
        }
        self.known[node as usize].as_deref().unwrap_or_default()
    }

    /// Whether frames from a host may take several paths.
    fn part(&mut self, from: u32) -> bool {
        let mut node = from;
        // A path that the file gives may lead in a circle.
        for _ in 0..=self.net.nodes.len() {
            let net = self.net;
            match self.next(node)[..] {
                [only] => node = net.ends(only).1,
                [] => return false,
                [..] => return true,
            }
            if node == self.destination {
                return false;
            }
        }
        false
    }

    fn find(&self, node: u32) -> Vec<u32> {
        let place = (node, self.destination);
        let given = self.given;
        if let Ok(index) = given.binary_search_by_key(&place, |r| (r.node, r.destination)) {
            return given[index].channels.clone();
        }
        if node == self.destination {
            return Vec::new();
        }
        let distance = |node: u32| self.distance[node as usize];
        let leads_on = |next: u32| match node == self.root {
            true => next == self.destination,
            false => {
                distance(next).checked_add(1) == Some(distance(node))
                    && (next == self.root || self.net.forwards(next))
            }
        };
        let around = self.net.neighbours[node as usize].iter();
        let hops = around.filter(|(next, _)| leads_on(*next));
        let mut hops: Vec<u32> = hops.map(|(_, channel)| *channel).collect();
        hops.sort_unstable();
        hops
    }
}
