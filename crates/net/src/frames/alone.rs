//! How long a transfer takes that has the network to itself: what its time is held against.
//!
//! All its frames are in the port of their source at its start, leave it back to back at line rate
//! and wait for nobody but each other. So this is the least time in which the path can carry it;
//! what a transport adds when it is alone, such as a handshake or a slow start, is no part of it.
//! With n full frames and a last one, frame k starts on hop i at
//!
//! ```text
//! s_i(k) = max(s_(i-1)(k) + reach_(i-1), s_i(k-1) + wire_i)
//! ```
//!
//! where `reach` is the time on the wire (of 64 bytes, where the switch behind cuts through) with
//! propagation and latency. Full frames are alike, so on hop i they keep a distance of the longest
//! `wire` of hops 1 to i, and only the first and the last need to be followed.

use alloc::vec;
use alloc::vec::Vec;

use backwater_ends::application::Payload;
use backwater_ends::outcome::Alone;
use backwater_ends::queue_pair::RocePacket;
use backwater_ends::spec::{RoceSpec, Span};
use backwater_ends::{Segment, TcpSpec};
use backwater_kernel::Duration;

use crate::classes::routes::{Routes, ends_of};
use crate::hop::sizes::frame_bytes;
use crate::hop::wire::Channel;
use crate::network::Network;
use crate::spec::frames::{
    EthernetSpec, FRAME_LEAST_BYTES, FlowSpec, TrafficSpec, TransportSpec, WIRE_OVERHEAD_BYTES,
};

/// By flow, ascending: what a message of each size takes.
pub(crate) type MessagesAlone = Vec<(u32, Vec<Alone>)>;

/// What transfers of each flow take, and messages of those whose messages wait for others.
pub(crate) fn all(
    spec: &EthernetSpec,
    network: &Network,
) -> (Vec<Option<Duration>>, MessagesAlone) {
    (times(spec, network), of_messages(spec, network))
}

/// Of each flow whose transfers are all alike; nothing for the others, for those to several
/// stations and for those whose frames take several paths that differ or narrow them.
fn times(spec: &EthernetSpec, network: &Network) -> Vec<Option<Duration>> {
    let flows = (0..).zip(&spec.flows);
    flows
        .map(|(id, flow)| time(spec, network, (id, flow)).map(Duration))
        .collect()
}

fn time(spec: &EthernetSpec, network: &Network, (id, flow): (u32, &FlowSpec)) -> Option<u64> {
    let carry = |way: u32, bytes: u64| {
        let frames = Frames::of(flow, bytes)?;
        let took_ps = match network.classes.routes.only(spec, way) {
            Some(path) => network.carry_ps(&path, &frames),
            None => match network.classes.routes.around(way) {
                Some(paths) => network.carry_around_ps(&paths, &frames)?,
                None => {
                    let alike = network.one_of_alike(ends_of(spec, way))?.0;
                    network.carry_spread_ps(&alike, &frames)
                }
            },
        };
        u64::try_from(took_ps).ok()
    };
    match flow.traffic {
        _ if flow.is_multicast() => None,
        TrafficSpec::Infinite {
            bytes: Some(bytes), ..
        }
        | TrafficSpec::Files { bytes, .. } => carry(2 * id, bytes),
        TrafficSpec::Requests {
            request_bytes,
            response_bytes,
            service: Span::Fixed(service),
            ..
        } => {
            let there = carry(2 * id, request_bytes)?;
            let back = carry(2 * id + 1, response_bytes)?;
            there.checked_add(service.ps())?.checked_add(back)
        }
        TrafficSpec::Messages(ref list) => {
            let first = list.messages.first()?.bytes;
            let are_alike = list.messages.iter().all(|own| own.bytes == first);
            are_alike.then(|| carry(2 * id, first))?
        }
        TrafficSpec::Infinite { bytes: None, .. }
        | TrafficSpec::Requests { .. }
        | TrafficSpec::Constant { .. }
        | TrafficSpec::Poisson { .. }
        | TrafficSpec::SelfSimilar { .. }
        | TrafficSpec::Video(_)
        | TrafficSpec::Outside(_) => None,
    }
}

/// The same of a flow without a row, whose ways are known at its place.
pub(crate) fn of_member(network: &Network, place: u32, flow: &FlowSpec) -> Option<Duration> {
    let TrafficSpec::Infinite {
        bytes: Some(bytes), ..
    } = flow.traffic
    else {
        return None;
    };
    let frames = Frames::of(flow, bytes)?;
    let took_ps = match network.classes.routes.path(2 * place) {
        Some(path) => network.carry_ps(path, &frames),
        None if network.classes.turns.is_some() => {
            let paths = network.classes.routes.around(2 * place)?;
            network.carry_around_ps(&paths, &frames)?
        }
        None => {
            let (path, is_only) = network.one_of_alike((flow.source, flow.destination))?;
            match is_only {
                true => network.carry_ps(&path, &frames),
                false => network.carry_spread_ps(&path, &frames),
            }
        }
    };
    u64::try_from(took_ps).ok().map(Duration)
}

/// What a handshake measured before a flow without a row, where its kind leaves that to the path: a
/// SYN there and its answer back with nothing else in the network; of several ways as short, one.
pub(crate) fn handshake(network: &Network, flow: &FlowSpec) -> Option<Duration> {
    let TransportSpec::Tcp(tcp) = &flow.transport else {
        return None;
    };
    let asked = tcp.handshake_rtt.filter(|rtt| *rtt == Duration::ZERO);
    let tables = asked.and(network.classes.routes.tables())?;
    let syn = Payload::Tcp(Segment::default());
    let bytes = u64::from(frame_bytes(&syn, false, flow.is_tagged));
    let frames = Frames {
        full: 0,
        full_bytes: bytes,
        last_bytes: bytes,
    };
    let took_ps = |from: u32, to: u32| {
        let (mut node, mut path) = (from, Vec::new());
        while node != to && path.len() < network.classes.nodes.len() {
            let hop = *tables.next_hops(node, to).first()?;
            path.push(hop);
            node = network.channels[hop as usize].to;
        }
        u64::try_from(network.carry_ps(&path, &frames)).ok()
    };
    let (there, back) = (flow.source, flow.destination);
    Some(Duration(took_ps(there, back)? + took_ps(back, there)?))
}

/// Of each flow whose messages wait for others, what one takes of each size of them.
fn of_messages(spec: &EthernetSpec, network: &Network) -> MessagesAlone {
    let mut all = Vec::new();
    for (id, flow) in (0..).zip(&spec.flows) {
        let Some(list) = flow.traffic.messages() else {
            continue;
        };
        let mut sizes: Vec<u64> = list.messages.iter().map(|own| own.bytes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        if let Some(paths) = network.classes.routes.around(2 * id) {
            let alone = network.messages_around(flow, &paths, sizes);
            all.push((id, alone));
            continue;
        }
        let only = network.classes.routes.only(spec, 2 * id);
        let is_spread = only.is_none();
        let alike = || Some(network.one_of_alike(ends_of(spec, 2 * id))?.0);
        let path = only.or_else(alike);
        let alone = path.map(|path| network.messages_alone(flow, (&path, is_spread), sizes));
        all.push((id, alone.unwrap_or_default()));
    }
    all
}

/// What a transfer is cut into.
struct Frames {
    /// So many full frames
    full: u64,
    /// of so many bytes each,
    full_bytes: u64,
    /// and a last one.
    last_bytes: u64,
}

impl Frames {
    fn of(flow: &FlowSpec, bytes: u64) -> Option<Frames> {
        let (most, has_rtp) = match flow.transport {
            TransportSpec::Tcp(TcpSpec { mss_bytes, .. }) => (mss_bytes, false),
            TransportSpec::Roce(RoceSpec { mtu_bytes, .. }) => (mtu_bytes, false),
            TransportSpec::Udp {
                payload_bytes,
                has_rtp,
                ..
            } => (payload_bytes, has_rtp),
        };
        let frame = |payload: u64| {
            let bytes = payload as u32;
            let payload = match flow.transport {
                TransportSpec::Tcp(_) => Payload::Tcp(Segment {
                    bytes,
                    ..Segment::default()
                }),
                TransportSpec::Roce(ref roce) => Payload::Roce(RocePacket {
                    bytes,
                    has_telemetry: roce.has_telemetry,
                    ..RocePacket::default()
                }),
                TransportSpec::Udp { .. } => Payload::Udp { bytes, number: 0 },
            };
            u64::from(frame_bytes(&payload, has_rtp, flow.is_tagged))
        };
        let most = u64::from(most);
        let full = bytes.checked_sub(1)?.checked_div(most)?;
        Some(Frames {
            full,
            full_bytes: frame(most),
            last_bytes: frame(bytes - full * most),
        })
    }
}

impl Network {
    fn messages_alone(
        &self,
        flow: &FlowSpec,
        (path, is_spread): (&[u32], bool),
        sizes: Vec<u64>,
    ) -> Vec<Alone> {
        let alone = |bytes: u64| {
            let frames = Frames::of(flow, bytes)?;
            let on_port = |bytes: u64| {
                let bytes = bytes + u64::from(WIRE_OVERHEAD_BYTES);
                u128::from(self.span(path[0], bytes).ps())
            };
            let full = u128::from(frames.full) * on_port(frames.full_bytes);
            let took_ps = match is_spread {
                true => self.carry_spread_ps(path, &frames),
                false => self.carry_ps(path, &frames),
            };
            Some(Alone {
                bytes,
                time: Duration(u64::try_from(took_ps).ok()?),
                on_port: Duration(u64::try_from(full + on_port(frames.last_bytes)).ok()?),
            })
        };
        sizes.into_iter().filter_map(alone).collect()
    }

    /// The same of a flow whose frames go round these paths. Of the ports of its host it takes its
    /// share at each.
    fn messages_around(&self, flow: &FlowSpec, paths: &[&[u32]], sizes: Vec<u64>) -> Vec<Alone> {
        let alone = |bytes: u64| {
            let frames = Frames::of(flow, bytes)?;
            let on_wire = u128::from(frames.full) * u128::from(frames.full_bytes)
                + u128::from(frames.last_bytes)
                + (u128::from(frames.full) + 1) * u128::from(WIRE_OVERHEAD_BYTES);
            let each = u64::try_from(on_wire / paths.len().max(1) as u128).ok()?;
            let took_ps = self.carry_around_ps(paths, &frames)?;
            Some(Alone {
                bytes,
                time: Duration(u64::try_from(took_ps).ok()?),
                on_port: self.span(paths[0][0], each),
            })
        };
        sizes.into_iter().filter_map(alone).collect()
    }

    /// Where frames are spread over several paths, one of them, if all are alike and none of the
    /// links they are spread over is slower than the first: then no frame waits there. True if
    /// there is only that one.
    fn one_of_alike(&self, (from, to): (u32, u32)) -> Option<(Vec<u32>, bool)> {
        let Routes::Tables(tables) = &self.classes.routes else {
            return None;
        };
        if tables.next_hops(from, to).len() > 1 {
            return None;
        }
        let (mut nodes, mut path) = (vec![from], Vec::<u32>::new());
        let mut is_only = true;
        while nodes != [to] && path.len() < self.classes.nodes.len() {
            let hops = nodes.iter().flat_map(|node| tables.next_hops(*node, to));
            let hops: Vec<u32> = hops.copied().collect();
            let looks = |hop: &u32| {
                let channel = &self.channels[*hop as usize];
                let cuts = channel.is(Channel::CUTS_THROUGH);
                (channel.rate, channel.latency, cuts)
            };
            path.push(*hops.first()?);
            let one = looks(path.last()?);
            is_only &= hops.len() == 1;
            let is_slower = one.0 < looks(&path[0]).0;
            if hops.iter().any(|hop| looks(hop) != one) || hops.len() > 1 && is_slower {
                return None;
            }
            nodes = (hops.iter().map(|hop| self.channels[*hop as usize].to)).collect();
            nodes.sort_unstable();
            nodes.dedup();
        }
        (nodes == [to]).then_some((path, is_only))
    }

    /// The same as [`Self::carry_ps`] over one of several paths that are alike, at the least: a
    /// small last frame may overtake the full one before it, so it is both without that and alone
    /// from its start on.
    fn carry_spread_ps(&self, path: &[u32], frames: &Frames) -> u128 {
        if frames.full == 0 || frames.last_bytes == frames.full_bytes {
            return self.carry_ps(path, frames);
        }
        let of = |full: u64, last_bytes: u64| Frames {
            full,
            last_bytes,
            ..*frames
        };
        let full = self.carry_ps(path, &of(frames.full - 1, frames.full_bytes));
        let on_wire = frames.full_bytes + u64::from(WIRE_OVERHEAD_BYTES);
        let before = self.span(path[0], on_wire).ps();
        let last = self.carry_ps(path, &of(0, frames.last_bytes));
        full.max(u128::from(before) * u128::from(frames.full) + last)
    }

    /// The same where frames go round these paths in turn, each behind those before it on its own
    /// path: as long as the longest of as many transfers. Nothing where paths share a channel, on
    /// which frames wait for those of another, or where first links are of several rates: those of
    /// a fast one wait for their turn.
    fn carry_around_ps(&self, paths: &[&[u32]], frames: &Frames) -> Option<u128> {
        let mut all: Vec<u32> = paths.iter().flat_map(|path| path.iter().copied()).collect();
        let hops = all.len();
        all.sort_unstable();
        all.dedup();
        let rate = |path: &&[u32]| self.channels[path[0] as usize].rate;
        if all.len() < hops
            || paths
                .windows(2)
                .any(|pair| rate(&pair[0]) != rate(&pair[1]))
        {
            return None;
        }
        let count = paths.len() as u64;
        let times = (0..).zip(paths).map(|(at, path)| {
            // Of all full frames, and of the last one, those whose turn this is.
            let has_last = frames.full % count == at;
            let full = (frames.full + count - 1 - at) / count;
            match (has_last, full) {
                (false, 0) => 0,
                (false, _) => {
                    let all_full = Frames {
                        full: full - 1,
                        last_bytes: frames.full_bytes,
                        ..*frames
                    };
                    self.carry_ps(path, &all_full)
                }
                (true, _) => self.carry_ps(path, &Frames { full, ..*frames }),
            }
        });
        times.max()
    }

    /// From the first bit of a transfer to its last bit at the end of a path, ps.
    fn carry_ps(&self, path: &[u32], frames: &Frames) -> u128 {
        let on_wire = |hop: u32, bytes: u64| {
            let bytes = bytes + u64::from(WIRE_OVERHEAD_BYTES);
            u128::from(self.span(hop, bytes).ps())
        };
        let full = u128::from(frames.full);
        // Starts of the first frame and of the last on a hop, and the distance of full frames.
        let (mut first, mut last, mut apart) = (0, 0, 0);
        for (at, hop) in path.iter().enumerate() {
            let channel = &self.channels[*hop as usize];
            let whole = on_wire(*hop, frames.full_bytes);
            apart = whole.max(apart);
            if full > 0 {
                last = last.max(first + (full - 1) * apart + whole);
            }
            let next = path.get(at + 1).map(|next| &self.channels[*next as usize]);
            let cuts = channel.is(Channel::CUTS_THROUGH)
                && next.is_some_and(|next| next.rate <= channel.rate);
            let latency = u128::from(channel.latency.ps());
            let reach = |bytes: u64| match cuts {
                true => on_wire(*hop, FRAME_LEAST_BYTES.into()) + latency,
                false => on_wire(*hop, bytes) + latency,
            };
            first += reach(frames.full_bytes);
            last += reach(frames.last_bytes);
        }
        last
    }
}
