//! What tables of the file ask of links, on the wire.

use std::ops::Range;

use backwater_ends::spec::{AckEvery, AckSpec};
use backwater_kernel::Time;
use backwater_net::frames::spec::{
    FRAME_LEAST_BYTES, TCP_IP_BYTES, TransportSpec, WIRE_OVERHEAD_BYTES,
};

use super::packets::{frame, packet_bytes};
use crate::prelude::*;

/// One way of a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Way {
    /// The host sends.
    Out,
    /// The host gets.
    In,
    /// Between switches.
    Between,
}

/// A mean rate on one way of a link.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    /// The host, or the channel between switches.
    pub place: u32,
    pub way: Way,
    /// The channel before it on the way, of one between switches: no more comes over that than it
    /// carries, of all flows together.
    pub before: Option<u32>,
    /// From here on, up to there.
    pub span: (Time, Time),
    /// On the wire.
    pub bits_per_second: f64,
    /// Where the file says so.
    pub at: At,
}

/// Bits a second on the wire from each of some hosts to each of others: the product of what stands
/// beside them; nothing to itself.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub from: Vec<(u32, f64)>,
    pub to: Vec<(u32, f64)>,
    pub span: (Time, Time),
    pub at: At,
}

/// Flows that a workload lists.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    /// Their numbers.
    pub flows: Range<usize>,
    /// Bits on the wire for each bit of payload.
    pub expansion: f64,
    pub at: At,
}

/// What flows of these sizes are on the wire, and what is acknowledged: bits for each bit of
/// payload, where a flow has `mean_bytes` of it.
pub(crate) fn per_payload(
    (transport, is_tagged): (&TransportSpec, bool),
    (sizes, mean_bytes): (&[u64], f64),
) -> (f64, f64) {
    let (most, acked) = match transport {
        TransportSpec::Udp { payload_bytes, .. } => (*payload_bytes, None),
        TransportSpec::Roce(roce) => match roce.acks {
            AckEvery::Packets(packets) => (roce.mtu_bytes, Some(u64::from(packets))),
            AckEvery::Message => (roce.mtu_bytes, Some(u64::MAX)),
        },
        TransportSpec::Tcp(tcp) => match tcp.acks {
            AckSpec::Every => (tcp.mss_bytes, Some(1)),
            _ => (tcp.mss_bytes, Some(2)),
        },
    };
    let headers = packet_bytes(transport) - most;
    let on_wire =
        |payload: u32| f64::from(frame(payload + headers, is_tagged) + WIRE_OVERHEAD_BYTES);
    let most = most.max(1);
    let full = on_wire(most) / f64::from(most);
    let ack =
        f64::from(frame(TCP_IP_BYTES, is_tagged).max(FRAME_LEAST_BYTES) + WIRE_OVERHEAD_BYTES);
    // What the last frame of a flow has above its share of a full one, and the acknowledgements:
    // a mean of bounded numbers, so few flows say it. The mean size of a heavy tail they don't.
    let (mut extra, mut acks) = (0.0, 0.0);
    for size in sizes {
        let (whole, rest) = (size / u64::from(most), (size % u64::from(most)) as u32);
        if rest > 0 {
            extra += on_wire(rest) - full * f64::from(rest);
        }
        if let Some(each) = acked {
            let segments = whole + u64::from(rest > 0);
            acks += segments.div_ceil(each) as f64 - *size as f64 / f64::from(most) / each as f64;
        }
    }
    let flows = sizes.len().max(1) as f64;
    let each = acked.map_or(0.0, |each| 1.0 / (f64::from(most) * each as f64));
    let acks = ack * (each + acks / flows / mean_bytes);
    (
        full + extra / flows / mean_bytes,
        if acked.is_some() { acks } else { 0.0 },
    )
}
