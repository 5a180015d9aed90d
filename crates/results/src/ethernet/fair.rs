//! Max-min fair shares of the flows of a run of the Ethernet engine.
//!
//! Shares are of bits on the wire, frames with preamble and gap; they are shown as payload, as
//! goodput is. Acknowledgements are background on the way back. Connections want no more than their
//! window lets through.

use std::collections::BTreeSet;

use backwater_ends::spec::{AckEvery, AckSpec};
use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{
    AETH_BYTES, EthernetSpec, FRAME_LEAST_BYTES, FRAME_OVERHEAD_BYTES, FlowSpec, ROCE_BYTES,
    TAG_BYTES, TCP_IP_BYTES, TrafficSpec, TransportSpec, WIRE_OVERHEAD_BYTES, packet_bytes,
};

use super::Frames;
use super::groups::{goodputs, lasting};
use super::windows::window_bps;
use crate::events::{Fairness, line_rates, names, per_second};
use crate::fairness::{Claim, FairRow, FairShares, Limit, WINDOW, WINDOW_NOTE, max_min};

impl Fairness for EthernetSpec {
    /// The shares of all flows whose way is known.
    fn shares(run: &Frames<'_>) -> FairShares {
        let groups_count = groups_count(run.network);
        let rows = rows(run, groups_count);
        let notes = notes(run.network, groups_count, &rows);
        FairShares {
            rows,
            counted_as: "goodput",
            notes,
            ..FairShares::default()
        }
    }

    /// The share of each flow if all classes were one, bps of payload.
    fn among_equals(run: &Frames<'_>) -> Vec<Option<f64>> {
        let classes = run.network.flows.windows(2);
        let mut classes = classes.map(|pair| pair[0].class == pair[1].class);
        let are_equal = !groups_count(run.network) || classes.all(|is_same| is_same);
        match are_equal {
            true => run.shares().rows.iter().map(|row| row.share).collect(),
            false => rows(run, false).into_iter().map(|row| row.share).collect(),
        }
    }

    fn rates(run: &Frames<'_>) -> Vec<f64> {
        goodputs(run)
    }

    fn goodputs(run: &Frames<'_>) -> Vec<f64> {
        let lasting: Option<Vec<f64>> = lasting(run).into_iter().collect();
        lasting.unwrap_or_default()
    }
}

/// Do urgent classes fill the network first?
fn groups_count(spec: &EthernetSpec) -> bool {
    let both = spec.links.iter().flat_map(|link| &link.channels);
    let mut schedulers = both.map(|own| own.scheduler.is_strict());
    schedulers.all(|is_strict| is_strict)
}

/// A row for each flow; `groups_count` if urgent classes fill the network first.
fn rows(run: &Frames<'_>, groups_count: bool) -> Vec<FairRow> {
    let tables = Tables::new(run.network).ok();
    let (mut claims, mut rows, mut claim_of) = (Vec::new(), Vec::new(), Vec::new());
    let mut by_window = Vec::new();
    for (index, (flow, goodput)) in run.network.flows.iter().zip(goodputs(run)).enumerate() {
        let way = |back: u32| {
            let way = index as u32 * 2 + back;
            let tables = tables.as_ref()?;
            only_way(tables, run.network, way)
        };
        // To several hosts: the mean of them.
        let goodput = goodput / flow.destinations().count() as f64;
        let group = match groups_count {
            true => 7 - u32::from(flow.class.min(7)),
            false => 0,
        };
        let mut row = FairRow {
            name: flow.name.clone(),
            measured: goodput,
            ..FairRow::default()
        };
        claim_of.push(claims.len());
        let mut window = f64::INFINITY;
        let flow_outcome = run.outcome.flows.get(index);
        let returned =
            flow_outcome.map_or(0, |flow_outcome| flow_outcome.ends.returned_bytes) as f64 * 8.0;
        let returned = per_second(returned, run.seconds());
        match way(0).zip(way(1)) {
            // What those take of each link is told of all of them together.
            _ if !run.network.rules.arrivals.is_empty() => row.remark = "beside a group",
            None => row.remark = "several paths",
            Some(ways) => {
                if let TransportSpec::Tcp(tcp) = &flow.transport {
                    let carried = (tcp, flow.is_tagged);
                    window = window_bps(run.network, carried, &ways.0, &ways.1);
                }
                let (own, remark) = own_claims(flow, ways, group, (goodput, returned), window);
                claims.extend(own);
                row.remark = remark;
            }
        }
        by_window.push(wanted(flow).is_ok_and(|payload| window < payload));
        rows.push(row);
    }
    let capacity: Vec<f64> = line_rates(run.network).collect();
    let shares = max_min(&capacity, &claims);
    let flows = claim_of.into_iter().zip(by_window).zip(&run.network.flows);
    for (row, ((claim, by_window), flow)) in rows.iter_mut().zip(flows) {
        if row.remark.is_empty() {
            let rate = shares.rates[claim];
            (row.share, row.wire_share) = (Some(rate / wire_factor(flow)), Some(rate));
            row.limit = match shares.limits[claim] {
                Limit::Demand if by_window => WINDOW.into(),
                _ => shares.limit(claim, |channel| run.port(channel)),
            };
        }
    }
    rows
}

/// What a flow wants on its ways there and back, and why it has no share, if it has none.
/// `measured` is goodput there and back, bps; its window lets no more than `window` through.
fn own_claims(
    flow: &FlowSpec,
    (there, back): (Vec<u32>, Vec<u32>),
    group: u32,
    measured: (f64, f64),
    window: f64,
) -> (Vec<Claim>, &'static str) {
    let claim = |channels: &[u32], demand: f64| Claim {
        loads: channels.iter().map(|channel| (*channel, 1.0)).collect(),
        demand,
        group,
        ..Claim::default()
    };
    let factor = wire_factor(flow);
    let payload = match wanted(flow) {
        Ok(payload) => payload,
        Err(remark) => {
            let there = claim(&there, measured.0 * factor);
            let back = claim(&back, measured.1 * factor);
            return (vec![there, back], remark);
        }
    };
    let mut demand = claim(&there, payload.min(window) * factor);
    let part = acknowledgements(flow);
    if part > 0.0 {
        demand.echoes = back.iter().map(|channel| (*channel, part)).collect();
    }
    (vec![demand], "")
}

fn notes(spec: &EthernetSpec, groups_count: bool, rows: &[FairRow]) -> Vec<String> {
    let mut notes = Vec::new();
    let first = spec.flows.first().map(|flow| flow.class);
    if !groups_count && spec.flows.iter().any(|flow| Some(flow.class) != first) {
        notes.push(
            "a scheduler shares some port among classes: what they may have there does not count"
                .into(),
        );
    }
    let spread = rows
        .iter()
        .filter(|row| row.remark == "several paths")
        .count();
    if spread > 0 {
        let text = "flows spread over several paths frame by frame have no share, and those of \
                    the others leave them out";
        notes.push(text.into());
    }
    if rows.iter().any(|row| row.limit == WINDOW) {
        notes.push(WINDOW_NOTE.into());
    }
    notes
}

/// The channels of a way; `None` where frames of one flow go several ways.
fn only_way(tables: &Tables, spec: &EthernetSpec, way: u32) -> Option<Vec<u32>> {
    if spec.flows.get(way as usize / 2)?.is_multicast() {
        let paths = match way % 2 {
            0 => tables.paths(spec, way / 2).ok()?,
            _ => Vec::new(),
        };
        let all: BTreeSet<u32> = paths.into_iter().flatten().collect();
        return Some(all.into_iter().collect());
    }
    let mut channels = Vec::new();
    tables.follow(spec, way, &mut channels).ok()?;
    let flow = spec.flows.get(way as usize / 2)?;
    let ends = match way % 2 {
        0 => (flow.source, flow.destination),
        _ => (flow.destination, flow.source),
    };
    if tables.goes_round(ends) {
        return None;
    }
    if spec.rules.spread.parts_flows() {
        let to = ends.1;
        let is_only = |channel: &u32| {
            let from = names::channel_ends(spec, *channel).map(|ends| ends.0);
            from.is_some_and(|node| tables.next_hops(node, to).len() == 1)
        };
        channels.iter().all(is_only).then_some(())?;
    }
    Some(channels)
}

/// Payload that a flow wants all the time, bps; else why it has no share.
fn wanted(flow: &FlowSpec) -> Result<f64, &'static str> {
    Ok(match &flow.traffic {
        TrafficSpec::Infinite { bytes: Some(_), .. } => return Err("finite transfer"),
        TrafficSpec::Infinite { .. } | TrafficSpec::Files { .. } => f64::INFINITY,
        TrafficSpec::Requests { .. } | TrafficSpec::Messages(_) | TrafficSpec::Outside(_) => {
            return Err("closed loop");
        }
        TrafficSpec::Constant { rate, .. }
        | TrafficSpec::Poisson { rate, .. }
        | TrafficSpec::SelfSimilar { rate, .. } => rate.0 as f64,
        TrafficSpec::Video(video) => video.rate.0 as f64,
    })
}

/// Bytes of the frame around a packet.
pub(super) fn frame_bytes(packet_bytes: u32, is_tagged: bool) -> u32 {
    let tag = if is_tagged { TAG_BYTES } else { 0 };
    (packet_bytes + FRAME_OVERHEAD_BYTES + tag).max(FRAME_LEAST_BYTES)
}

/// Bytes on the wire of a packet, with frame, preamble and gap.
fn wire_bytes(flow: &FlowSpec, packet_bytes: u32) -> f64 {
    f64::from(frame_bytes(packet_bytes, flow.is_tagged) + WIRE_OVERHEAD_BYTES)
}

/// Bits on the wire to a bit of payload, in full frames.
fn wire_factor(flow: &FlowSpec) -> f64 {
    let payload = flow.transport.payload_bytes();
    let packet = packet_bytes(&flow.transport);
    wire_bytes(flow, packet) / f64::from(payload.max(1))
}

/// Bits of acknowledgements to a bit of full frames.
fn acknowledgements(flow: &FlowSpec) -> f64 {
    let (frames, ack) = match &flow.transport {
        TransportSpec::Tcp(tcp) => match tcp.acks {
            AckSpec::Every => (1.0, TCP_IP_BYTES),
            AckSpec::DelayedTick(_) | AckSpec::Delayed { .. } => (2.0, TCP_IP_BYTES),
        },
        TransportSpec::Roce(roce) => match roce.acks {
            AckEvery::Packets(packets) => (f64::from(packets), ROCE_BYTES + AETH_BYTES),
            AckEvery::Message => return 0.0,
        },
        TransportSpec::Udp { .. } => return 0.0,
    };
    let full = wire_bytes(flow, packet_bytes(&flow.transport));
    wire_bytes(flow, ack) / (frames * full)
}
