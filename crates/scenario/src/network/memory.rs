//! How much memory a run takes, from its scenario: the network, its statistics and the results
//! that are written of it. Queues that grow come on top.
//!
//! The constants were fitted to the largest memory that whole runs of large networks held, and
//! rounded up; they are meant to refuse what would not fit, not to be exact.

use backwater_flit::spec::FabricSpec;
use backwater_kernel::Channels;
use backwater_net::frames::lane_counts;
use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{EthernetSpec, Owner, TrafficSpec, TransportSpec};
use backwater_net::spec::NetworkSpec;

use crate::Engine;
use crate::network::generated::Size;

/// Of one leg with its statistics and its share of the results, bytes.
const LEG_BYTES: u64 = 2_800;
/// Of one node or channel of the packet engine.
const NODE_BYTES: u64 = 400;
/// Of a channel of the cycle engine; virtual channels on top.
const CHANNEL_BYTES: u64 = 128;
/// Of a virtual channel.
const VC_BYTES: u64 = 48;
/// Of a terminal.
const TERMINAL_BYTES: u64 = 200;
/// What the network is of all, where each part has its own: of frames, and of circuits.
const FRAMES_PERCENT: u64 = 60;
const CIRCUITS_PERCENT: u64 = 25;
/// An audit keeps books of its own: so many times the memory of the network.
const AUDIT_COPIES: u64 = 4;
/// Of a node of the Ethernet engine.
const HOST_BYTES: u64 = 600;
/// Of one of its channels, queues on top, before anything is known of what crosses it;
const PORT_BYTES: u64 = 2_000;
/// and what is seen and told of it, whatever its classes: with them 15 kB.
const SEEN_BYTES: u64 = 13_000;
/// Of a queue of a class.
const QUEUE_BYTES: u64 = 1_300;
/// Of a lane with credit: its loop, its counters and what is told of them.
const LANE_BYTES: u64 = 500;
/// Of a flow and what is told of it, frames on top.
pub(crate) const FLOW_BYTES: u64 = 20_000;
/// What a message that waits for others takes, with what it waits for and what is told of it.
pub(crate) const MESSAGE_BYTES: u64 = 250;
/// Of each time that an operation or a job is done: what is told of it.
const ROUND_BYTES: u64 = 1_400;
/// Of a frame.
pub(crate) const FRAME_BYTES: u64 = 64;
/// Of next hops: each switch has some to each other one with hosts.
const HOP_BYTES: u64 = 16;
/// Under way of a queue pair that nothing limits: a round trip of 100 us at 100 Gbps.
const PAIR_BYTES: u64 = 1_250_000;

/// Of the packet engine: so many legs, nodes and channels.
pub(crate) fn of_legs(legs: u64, nodes: u64) -> u64 {
    let legs = legs.saturating_mul(LEG_BYTES);
    legs.saturating_add(nodes.saturating_mul(NODE_BYTES))
}

/// Of the cycle engine, what its traffic lists excluded; injection and ejection count as channels.
pub(crate) fn of_fabric(channels: u64, vcs: u8, terminals: u64) -> u64 {
    let each = u64::from(vcs) * VC_BYTES + CHANNEL_BYTES;
    let channels = channels.saturating_mul(each);
    channels.saturating_add(terminals.saturating_mul(TERMINAL_BYTES))
}

/// Of a network of the packet engine that a rule makes, without what crosses it.
pub(crate) fn of_graph(size: &Size) -> u64 {
    of_legs(0, size.nodes.saturating_add(size.links.saturating_mul(2)))
}

/// Of a network of the Ethernet engine that a rule makes, with one class.
pub(crate) fn of_net(size: &Size) -> u64 {
    let hops = size.switches.saturating_mul(size.with_hosts);
    let channels = size.links.saturating_mul(2 * (PORT_BYTES + QUEUE_BYTES));
    let nodes = size.nodes.saturating_mul(HOST_BYTES);
    hops.saturating_mul(HOP_BYTES)
        .saturating_add(channels)
        .saturating_add(nodes)
}

/// Of the Ethernet engine: flows, and the network.
pub(crate) fn of_frames(spec: &EthernetSpec) -> (u64, u64) {
    let channels = 2 * spec.links.len() as u64;
    let classes = spec
        .links
        .first()
        .map_or(1, |link| link.channels[0].queues.len() as u64);
    let flows = spec.flows.iter().map(|flow| match &flow.transport {
        TransportSpec::Tcp(tcp) => {
            let most = most_bytes(&flow.traffic).min(tcp.window_bytes.into());
            FLOW_BYTES + most / u64::from(tcp.mss_bytes.max(1)) * FRAME_BYTES
        }
        TransportSpec::Roce(roce) => {
            // Without a window of their own as much as the network holds; a round trip is usual.
            let most = most_bytes(&flow.traffic)
                .min(roce.window_bytes)
                .min(PAIR_BYTES);
            FLOW_BYTES + most / u64::from(roce.mtu_bytes.max(1)) * FRAME_BYTES
        }
        TransportSpec::Udp { .. } => FLOW_BYTES + flow.others.len() as u64 * FLOW_BYTES,
    });
    let groups = spec.rules.arrivals.iter();
    let active = groups.map(|group| u64::from(group.active) * FLOW_BYTES);
    let operations = spec.rules.collectives.iter().map(|own| own.times);
    let iterations = spec.rules.jobs.iter().map(|own| own.iterations);
    let rounds = operations.chain(iterations).map(u64::from).sum::<u64>() * ROUND_BYTES;
    let flows = flows.sum::<u64>() + active.sum::<u64>() + rounds;
    let nodes = spec.nodes.len() as u64 * HOST_BYTES;
    let hops = Tables::size(spec).saturating_mul(HOP_BYTES);
    let channels = channels * (PORT_BYTES + SEEN_BYTES + classes * QUEUE_BYTES);
    let lanes = lanes(spec).saturating_mul(LANE_BYTES);
    let network = hops.saturating_add(nodes + channels);
    (flows, network.saturating_add(lanes))
}

/// Lanes with credit: of classes, and of flows and hosts, however many cross a link.
fn lanes(spec: &EthernetSpec) -> u64 {
    let channels = || spec.links.channels().map(|id| spec.links.channel(id));
    let credits = || channels().flat_map(|channel| channel.credits.iter().flatten());
    let of_classes = credits().filter(|own| own.owner == Owner::Class).count() as u64;
    let is_sorted = credits().any(|own| own.owner != Owner::Class);
    let counts = is_sorted.then(|| lane_counts(spec).ok()).flatten();
    let of_others = counts.map_or(0, |counts| counts.into_iter().map(u64::from).sum());
    of_classes + of_others
}

/// Bytes that a connection may have under way: one transfer at a time.
fn most_bytes(traffic: &TrafficSpec) -> u64 {
    match *traffic {
        TrafficSpec::Infinite { bytes, .. } => bytes.unwrap_or(u64::MAX),
        TrafficSpec::Files { bytes, .. } => bytes,
        TrafficSpec::Requests {
            request_bytes,
            response_bytes,
            ..
        } => request_bytes.max(response_bytes),
        _ => u64::MAX,
    }
}

/// Bytes that a run of this takes, queues that grow excluded.
pub fn needed_bytes(engine: &Engine) -> u64 {
    match engine {
        Engine::Packet(packet) => circuits_bytes(&packet.network, 1),
        Engine::Flit(spec) => fabric_bytes(spec, 1, false),
        Engine::Ethernet(scenario) => frames_bytes(&scenario.network, 1),
    }
}

/// Bytes that a run of frames takes in so many parts.
pub fn frames_bytes(spec: &EthernetSpec, parts: usize) -> u64 {
    let (flows, network) = of_frames(spec);
    in_parts(flows.saturating_add(network), FRAMES_PERCENT, parts)
}

/// Each further part has the network again, which is so much of all, but no results.
fn in_parts(one: u64, percent: u64, parts: usize) -> u64 {
    let further = (parts.saturating_sub(1) as u64).saturating_mul(percent);
    one.saturating_add((one / 100).saturating_mul(further))
}

/// Bytes that a run of circuits takes in so many parts.
pub fn circuits_bytes(network: &NetworkSpec, parts: usize) -> u64 {
    let legs = network.flows.iter().map(|flow| flow.legs.len() as u64);
    let nodes = network.nodes.len() + 2 * network.links.len();
    in_parts(of_legs(legs.sum(), nodes as u64), CIRCUITS_PERCENT, parts)
}

/// Bytes that a run of the cycle engine takes on so many threads, or with an audit.
pub fn fabric_bytes(spec: &FabricSpec, threads: usize, audit: bool) -> u64 {
    let terminals = spec.graph.inject.len() as u64;
    let channels = spec.graph.channels.len() as u64 + 2 * terminals;
    let one = of_fabric(channels, spec.router.lanes, terminals);
    let copies = match (threads as u64, audit) {
        (_, true) => AUDIT_COPIES,
        (0 | 1, _) => 1,
        // A part on each thread has tables of the whole, and one more is for looking.
        (threads, _) => threads + 1,
    };
    one.saturating_mul(copies)
}
