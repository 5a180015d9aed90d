//! Who hears of the rate of a queue, and by which frame.

use std::collections::BTreeSet;

use backwater_ends::application::Payload;
use backwater_ends::queue_pair::{PacketKind, RocePacket};
use backwater_ends::spec::RateControlSpec;
use backwater_kernel::{Rate, Time};
use backwater_net::frames::spec::{FlowSpec, TransportSpec};

use super::network::Frame;

/// Headers of Ethernet, IP and ICMP, and what ICMP quotes.
const MESSAGE_BYTES: u64 = 18 + 20 + 8 + 28;
const TAG_BYTES: u64 = 4;

/// Flows with data that waits, and whose source obeys; and which way the data goes.
pub(super) fn listeners(waiting: &[Frame], flows: &[FlowSpec]) -> Vec<(usize, bool)> {
    let mut ways = BTreeSet::new();
    for frame in waiting {
        let is_data = match &frame.payload {
            Payload::Roce(packet) => packet.kind == PacketKind::Data,
            Payload::Tcp(_) | Payload::Udp { .. } => false,
        };
        if is_data && obeys(&flows[frame.flow]) {
            ways.insert((frame.flow, !frame.is_forward));
        }
    }
    let ways = ways.into_iter();
    ways.map(|(flow, is_back)| (flow, !is_back)).collect()
}

/// The frame against data of a flow that waits for `channel` in `class`.
pub(super) fn message(
    now: Time,
    spec: &FlowSpec,
    (flow, is_forward, number): (usize, bool, u64),
    (channel, class, rate): (usize, usize, Rate),
) -> Frame {
    let class_of_notes = match &spec.transport {
        TransportSpec::Roce(roce) => roce.cnp_class,
        TransportSpec::Tcp(_) | TransportSpec::Udp { .. } => None,
    };
    let packet = RocePacket {
        kind: PacketKind::Rate,
        seq: rate.0,
        other: (channel * 32 + class) as u64,
        ..RocePacket::default()
    };
    let destination = match is_forward {
        true => spec.source,
        false => spec.destination,
    };
    Frame {
        flow,
        is_forward: !is_forward,
        number,
        turn: 0,
        destination: destination as usize,
        class: usize::from(class_of_notes.unwrap_or(spec.class)),
        bytes: MESSAGE_BYTES + if spec.is_tagged { TAG_BYTES } else { 0 },
        is_ect: false,
        is_marked: false,
        born: now,
        payload: Payload::Roce(packet),
        path: Vec::new(),
        came_over: None,
        joined: 0,
        arrived: now,
        rank: None,
        ready_at: now,
    }
}

fn obeys(flow: &FlowSpec) -> bool {
    match &flow.transport {
        TransportSpec::Roce(roce) => matches!(roce.control, RateControlSpec::Rocc(_)),
        TransportSpec::Tcp(_) | TransportSpec::Udp { .. } => false,
    }
}
