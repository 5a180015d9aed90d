//! Which frames cross which channels, by the paths of all flows.
//!
//! Where several paths are equally short, all of them count: the engine draws one.

use std::collections::{BTreeMap, BTreeSet};

use backwater_ends::TcpSpec;
use backwater_ends::spec::{Reuse, RoceSpec};
use backwater_net::frames::spec::{
    CNP_BYTES, FRAME_LEAST_BYTES, FlowSpec, ROCE_BYTES, RouteSpec, TCP_IP_BYTES, TELEMETRY_BYTES,
    TrafficSpec, TransportSpec,
};

use super::flows::Flows;
use super::headroom::Sizes;
use super::net::Net;
use super::packets::{frame, largest_packet_bytes};
use super::routes::Paths;
use crate::prelude::*;

mod bundles;
mod cycle;
mod found;
mod members;
mod multicast;

pub(crate) use bundles::Bundles;
use cycle::cycle;
pub(crate) use cycle::{TooMany, cycle_from};
pub(crate) use found::{Crossings, Load};
use found::{Loads, merge};
use members::target;

/// Steps from channel to channel that are followed: some ten seconds, and enough for a flow from
/// each of 65,536 hosts of a fat tree.
const MOST_STEPS: u64 = 100_000_000;
/// Nodes looked at in the search for paths that cost as much as one such step.
const NODES_A_STEP: u64 = 20;
/// Blocks of a selective acknowledgement fill what TCP leaves for options.
const SACK_BYTES: u32 = 36;

/// One direction of all flows between two hosts in a class.
struct Demand {
    to: u32,
    class: u8,
    from: u32,
    /// The first of them: its number, or what follows those of all flows with a row.
    flow: usize,
    load: Load,
}

/// Follows all flows; says which have no path, and which paths are loops.
pub(crate) fn follow(
    net: &Net<'_>,
    routes: &[RouteSpec],
    flows: &Flows<'_>,
    mistakes: &mut Diagnostics,
) -> Crossings {
    let mut walk = Walk {
        net,
        found: Crossings::new(Bundles::new(net, routes)),
        steps: 0,
    };
    let mut paths = Paths::new(routes);
    let mut wrong: Vec<(bool, Box<Diagnostic>)> = Vec::new();
    let demands = demands(flows);
    for group in demands.chunk_by(|a, b| (a.to, a.class) == (b.to, b.class)) {
        let to = group[0].to;
        walk.search(&mut paths, to);
        let mistakes = match routes.iter().any(|route| route.destination == to) {
            true => walk.one_by_one(&paths, group, flows),
            false => walk.together(&paths, group, flows),
        };
        let is_back = |flow: usize| {
            flows
                .specs
                .get(flow)
                .is_some_and(|own| own.destination != to)
        };
        wrong.extend(mistakes.into_iter().map(|(flow, d)| (is_back(flow), d)));
        if walk.steps > MOST_STEPS {
            walk.found.is_partial = true;
            break;
        }
    }
    walk.found.is_partial |= flows.groups.iter().any(|group| group.has_more_pairs);
    let trees = (0..)
        .zip(&flows.specs)
        .filter(|(_, flow)| flow.is_multicast());
    for (flow, spec) in trees {
        if walk.found.is_partial {
            break;
        }
        let at = flows.tables[flow as usize].to;
        let found = walk.tree(routes, (flow, spec), at);
        wrong.extend(found.err().map(|diagnostic| (false, diagnostic)));
        walk.found.is_partial |= walk.steps > MOST_STEPS;
    }
    // The path there says more than the path back, and each flow is reported once.
    wrong.sort_by_key(|(is_back, _)| *is_back);
    let told = wrong.into_iter().filter(|_| !net.broken);
    told.for_each(|(_, diagnostic)| mistakes.push(*diagnostic));
    walk.found
}

/// All that hosts send to each other, by destination, class and source.
fn demands(flows: &Flows<'_>) -> Vec<Demand> {
    let mut all: Vec<Demand> = Vec::with_capacity(2 * flows.specs.len());
    members::add(flows, &mut all);
    let flows = flows.specs.iter().enumerate();
    for (flow, spec) in flows.filter(|(_, flow)| !flow.is_multicast()) {
        for (is_forward, class, load) in loads(spec) {
            let (from, to) = match is_forward {
                true => (spec.source, spec.destination),
                false => (spec.destination, spec.source),
            };
            all.push(Demand {
                to,
                class,
                from,
                flow,
                load: Load { last: to, ..load },
            });
        }
    }
    all.sort_by_key(|demand| (demand.to, demand.class, demand.from, demand.flow));
    all.dedup_by(|next, first| {
        let same = (next.to, next.class, next.from) == (first.to, first.class, first.from);
        if same {
            first.load.add(&next.load);
        }
        same
    });
    all
}

/// What came to kinds that are still to be left, by their distance: kind, bundle and load.
type Waiting = Vec<Loads<(u32, u32)>>;

struct Walk<'a> {
    net: &'a Net<'a>,
    found: Crossings,
    steps: u64,
}

/// What is wrong with a flow.
type Wrong = (usize, Box<Diagnostic>);

impl Walk<'_> {
    /// Paths to a host.
    fn search(&mut self, paths: &mut Paths<'_>, to: u32) {
        let bundles = &self.found.bundles;
        if paths.lead_to(bundles, bundles.kind(to)) {
            self.steps += (bundles.kinds() + bundles.len()) as u64 / NODES_A_STEP;
        }
    }

    /// Shortest paths: nodes in the order of their distance, each once.
    fn together(&mut self, paths: &Paths<'_>, group: &[Demand], flows: &Flows<'_>) -> Vec<Wrong> {
        let mut wrong = Vec::new();
        let mut waiting = Waiting::new();
        for demand in group {
            let (from, class) = (demand.from, demand.class);
            let bundles = &self.found.bundles;
            let next = paths.next(bundles, bundles.kind(from));
            if next.is_empty() {
                let at = target(flows, demand.flow);
                wrong.push((demand.flow, self.unreachable(from, from, demand.to, at)));
            }
            for out in next {
                self.cross(paths, out, class, &demand.load, &mut waiting);
            }
        }
        let class = group[0].class;
        // What leaves nodes of one distance comes to nodes that are nearer by one.
        while let Some(mut level) = waiting.pop() {
            merge(&mut level);
            for inputs in level.chunk_by(|((a, _), _), ((b, _), _)| a == b) {
                let sum = self.sum(inputs);
                let Some((sum, node)) = sum else { continue };
                for out in paths.next(&self.found.bundles, node) {
                    self.steps += inputs.len() as u64;
                    let inputs = inputs.iter().map(|((_, input), load)| (*input, load));
                    self.found.pass_on(out, class, inputs);
                    self.cross(paths, out, class, &sum, &mut waiting);
                }
            }
        }
        wrong
    }

    /// What comes to a node of a kind over all channels of some bundles.
    fn sum(&self, inputs: &[((u32, u32), Load)]) -> Option<(Load, u32)> {
        let own = |((_, bundle), load): &((u32, u32), Load)| {
            load.times(self.found.bundles.entering(*bundle))
        };
        let mut all = inputs.iter().map(own);
        let mut sum = all.next()?;
        all.for_each(|load| sum.add(&load));
        Some((sum, inputs[0].0.0))
    }

    fn cross(
        &mut self,
        paths: &Paths<'_>,
        bundle: u32,
        class: u8,
        load: &Load,
        waiting: &mut Waiting,
    ) {
        self.found.put_on(bundle, class, load);
        let node = self.found.bundles.ends(bundle).1;
        if node != paths.destination {
            let distance = paths.distance(&self.found.bundles, node) as usize;
            if waiting.len() <= distance {
                waiting.resize_with(distance + 1, Vec::new);
            }
            waiting[distance].push(((node, bundle), *load));
        }
    }

    /// Paths that the file gives: each demand on its own, they may lead anywhere.
    fn one_by_one(&mut self, paths: &Paths<'_>, group: &[Demand], flows: &Flows<'_>) -> Vec<Wrong> {
        let mut wrong = Vec::new();
        for demand in group {
            if self.steps > MOST_STEPS {
                break;
            }
            let at = target(flows, demand.flow);
            let found = self.demand(paths, (demand.from, demand.to), demand, at);
            wrong.extend(found.err().map(|diagnostic| (demand.flow, diagnostic)));
        }
        wrong
    }

    fn demand(
        &mut self,
        paths: &Paths<'_>,
        ends: (u32, u32),
        demand: &Demand,
        at: &At,
    ) -> Result<(), Box<Diagnostic>> {
        let load = Load {
            destinations: 1,
            ..demand.load
        };
        for (bundle, next) in self.ways(paths, ends, at)? {
            self.found.put_on(bundle, demand.class, &load);
            for out in next {
                let inputs = std::iter::once((bundle, &load));
                self.found.pass_on(out, demand.class, inputs);
            }
        }
        Ok(())
    }

    /// The bundles that frames from a host to another may take, each with those that they may take
    /// next.
    fn ways(
        &mut self,
        paths: &Paths<'_>,
        (from, to): (u32, u32),
        at: &At,
    ) -> Result<BTreeMap<u32, Vec<u32>>, Box<Diagnostic>> {
        let bundles = &self.found.bundles;
        let mut stack: Vec<u32> = paths.next(bundles, bundles.kind(from));
        if stack.is_empty() {
            return Err(self.unreachable(from, from, to, at));
        }
        let mut after: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        while let Some(bundle) = stack.pop() {
            if after.contains_key(&bundle) {
                continue;
            }
            self.steps += 1;
            let node = bundles.ends(bundle).1;
            let next = match bundles.forwards(node) {
                true if node != paths.destination => paths.next(bundles, node),
                _ => Vec::new(),
            };
            if next.is_empty() && node != paths.destination {
                let stuck = self.net.ends(bundles.first(bundle)).1;
                return Err(self.unreachable(from, stuck, to, at));
            }
            stack.extend(&next);
            after.insert(bundle, next);
        }
        match cycle(&after) {
            None => Ok(after),
            Some(around) => Err(self.endless(&around, to, at)),
        }
    }

    fn unreachable(&self, from: u32, stuck: u32, to: u32, at: &At) -> Box<Diagnostic> {
        let lonely = |node: &u32| self.net.neighbours[*node as usize].is_empty();
        let note = match [from, to].into_iter().find(lonely) {
            Some(node) => format!("`{}` has no link at all", self.net.name(node)),
            None if stuck == from => "the switches at both ends are not joined".into(),
            None => format!("frames get to `{}` and not further", self.net.name(stuck)),
        };
        let mut links = (0..self.net.links.len() as u32).map(|link| self.net.ends(2 * link));
        let are_joined =
            links.any(|(one, other)| self.net.is_switch(one) && self.net.is_switch(other));
        let apart = "no link joins two switches: without spines each rail is a network of its \
                     own; write more of them, or let only hosts of one rail send to each other";
        // Some host could.
        let mut hosts = self.net.hosts().into_iter();
        let through = hosts
            .any(|host| self.net.neighbours[host as usize].len() > 1 && !self.net.forwards(host));
        let (from, to) = (self.net.name(from), self.net.name(to));
        Diagnostic::error(
            "unreachable",
            format!("no path leads from `{from}` to `{to}`"),
        )
        .at(at, format!("`{to}` can't be reached"))
        .note(note)
        .note("paths pass through switches, and through hosts with `forwards = true` only")
        .help_if((!are_joined && self.net.has_rails).then(|| apart.into()))
        .help("add the missing `[[links]]`, or correct `[[routes]]`")
        .help_if(through.then(|| "or let hosts pass on frames: `host.forwards = true`".into()))
        .into()
    }

    fn endless(&self, around: &[u32], to: u32, at: &At) -> Box<Diagnostic> {
        let first = around
            .iter()
            .map(|bundle| self.found.bundles.first(*bundle));
        let names: Vec<String> = first.map(|c| self.net.channel_name(c)).collect();
        let to = self.net.name(to);
        Diagnostic::error("endless-route", format!("frames to `{to}` run in a loop"))
            .at(at, "they may never arrive")
            .note(format!("the loop: {}, and again", names.join(", ")))
            .help("correct `[[routes]]`: each next hop must lead nearer")
            .into()
    }
}

/// What a flow sends forward (`true`) or back, and its class.
type Way = (bool, u8, Load);

/// What a queue pair sends forward, and what comes back: as much as its window lets it, if it has
/// one. Answers in a class of their own go both ways, since reads are answered, too; the rates that
/// switches state go back in that of notifications, and are no larger.
fn of_pair(flow: &FlowSpec, roce: &RoceSpec, full: u32) -> Vec<Way> {
    let load = |largest: u32, most_frames: u64| Load {
        sizes: Sizes::any(largest, FRAME_LEAST_BYTES),
        most: most_frames.saturating_mul(u64::from(largest)),
        most_frames,
        destinations: 1,
        last: 0,
    };
    let most_frames = match roce.window_bytes {
        u64::MAX => u64::MAX,
        window => window.div_ceil(u64::from(roce.mtu_bytes.max(1))) + 1,
    };
    let answer = frame(ROCE_BYTES + CNP_BYTES + TELEMETRY_BYTES, flow.is_tagged);
    // Responses are data, too.
    let back = full.max(answer);
    let mut all = vec![
        (true, flow.class, load(full, most_frames)),
        (false, flow.class, load(back, most_frames)),
    ];
    let classes = [roce.ack_class, roce.cnp_class].into_iter().flatten();
    let classes: BTreeSet<u8> = classes.filter(|own| *own != flow.class).collect();
    for class in classes {
        // Rates come by time, whatever a window allows.
        let states = flow.hears_rates() && class == flow.message_class();
        let frames = if states { u64::MAX } else { most_frames };
        all.extend([true, false].map(|way| (way, class, load(answer, frames))));
    }
    all
}

/// What a flow sends forward and back.
fn loads(flow: &FlowSpec) -> Vec<Way> {
    let load = |sizes: Sizes, most_frames: u64| Load {
        sizes,
        most: most_frames.saturating_mul(u64::from(sizes.largest)),
        most_frames,
        destinations: 1,
        last: 0,
    };
    let full = frame(largest_packet_bytes(&flow.transport), flow.is_tagged);
    let tcp = match &flow.transport {
        TransportSpec::Tcp(tcp) => tcp,
        TransportSpec::Roce(roce) => return of_pair(flow, roce, full),
        TransportSpec::Udp { .. } => {
            let is_even = !matches!(flow.traffic, TrafficSpec::Video(_));
            let least = if is_even { full } else { FRAME_LEAST_BYTES };
            return vec![(true, flow.class, load(Sizes::any(full, least), u64::MAX))];
        }
    };
    // Beside the window's, a connection that ends and the next that begins; and two probes, since
    // one goes again only after what went behind the one before it was acknowledged.
    let ends = if tcp.reuse == Reuse::Handshake { 2 } else { 0 };
    let others = ends + if tcp.tail_probe { 2 } else { 0 };
    let segments = u64::from(tcp.window_bytes.div_ceil(tcp.mss_bytes));
    let acks = Sizes::any(acknowledgement(flow, tcp), FRAME_LEAST_BYTES);
    let data = |bytes: Option<u64>| {
        let mss_bytes = u64::from(tcp.mss_bytes);
        let largest = bytes.map_or(full, |bytes| data_frame(flow, bytes.min(mss_bytes)));
        let tail = bytes.map(|bytes| bytes % mss_bytes);
        let tail = tail.filter(|tail| *tail > 0);
        Sizes::two(largest, tail.map_or(largest, |tail| data_frame(flow, tail)))
    };
    let in_flight = |sizes: Sizes| load(sizes, segments + others);
    let one_way = |mut sizes: Sizes| {
        if tcp.reuse == Reuse::Handshake {
            sizes.add(Sizes::two(FRAME_LEAST_BYTES, FRAME_LEAST_BYTES));
        }
        vec![
            (true, flow.class, in_flight(sizes)),
            (false, flow.class, in_flight(acks)),
        ]
    };
    match &flow.traffic {
        TrafficSpec::Requests {
            request_bytes,
            response_bytes,
            ..
        } => {
            let ways = [(true, *request_bytes), (false, *response_bytes)];
            let ways = ways.map(|(way, bytes)| {
                let mut sizes = data(Some(bytes));
                sizes.add(acks);
                (way, flow.class, in_flight(sizes))
            });
            ways.to_vec()
        }
        TrafficSpec::Files { bytes, .. } => one_way(data(Some(*bytes))),
        TrafficSpec::Infinite { bytes, .. } => one_way(data(*bytes)),
        TrafficSpec::Constant { .. }
        | TrafficSpec::Poisson { .. }
        | TrafficSpec::SelfSimilar { .. }
        | TrafficSpec::Video(_)
        | TrafficSpec::Messages(_)
        | TrafficSpec::Outside(_) => vec![
            (true, flow.class, load(Sizes::two(full, full), u64::MAX)),
            (false, flow.class, in_flight(acks)),
        ],
    }
}

fn data_frame(flow: &FlowSpec, bytes: u64) -> u32 {
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX / 2);
    frame(bytes + TCP_IP_BYTES, flow.is_tagged)
}

fn acknowledgement(flow: &FlowSpec, tcp: &TcpSpec) -> u32 {
    let options = match tcp.recovery.has_sack() {
        true => SACK_BYTES,
        false => 0,
    };
    frame(TCP_IP_BYTES + options, flow.is_tagged)
}
