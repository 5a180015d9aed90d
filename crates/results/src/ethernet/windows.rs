//! The most that the window of a connection lets through: the segments that fit into it, each
//! round trip. The trip is that of a full segment and its acknowledgement through an empty network;
//! behind queues it takes longer, and less gets through.

use backwater_ends::TcpSpec;
use backwater_ends::spec::AckSpec;
use backwater_kernel::{Channels, Duration};
use backwater_net::frames::spec::{
    EthernetSpec, FRAME_LEAST_BYTES, Forwarding, NodeKind, TCP_IP_BYTES, WIRE_OVERHEAD_BYTES,
};

use super::fair::frame_bytes;

/// Payload over these channels there and back, bps; infinite if nothing takes any time.
pub(super) fn window_bps(
    spec: &EthernetSpec,
    (tcp, is_tagged): (&TcpSpec, bool),
    there: &[u32],
    back: &[u32],
) -> f64 {
    let (mss, window) = (u64::from(tcp.mss_bytes), u64::from(tcp.window_bytes));
    // Less than a segment is sent only where nothing is under way.
    let whole = window / mss.max(1);
    let payload = if whole == 0 { window } else { whole * mss };
    let full = frame_bytes(tcp.mss_bytes + TCP_IP_BYTES, is_tagged);
    let data = crossing(spec, there, full);
    let ack = crossing(spec, back, frame_bytes(TCP_IP_BYTES, is_tagged));
    // One segment alone is acknowledged when the receiver has waited for a second.
    let kept = match tcp.acks {
        AckSpec::Delayed { after, .. } if whole < 2 => after,
        AckSpec::DelayedTick(tick) if whole < 2 => Duration(tick.ps() / 2),
        _ => Duration::ZERO,
    };
    let trip = data + ack + kept;
    payload as f64 * 8.0 / trip.seconds()
}

/// From the first bit of a frame on the first of these channels to its last at the end.
fn crossing(spec: &EthernetSpec, hops: &[u32], bytes: u32) -> Duration {
    let hop = |(at, id): (usize, &u32)| {
        let channel = spec.links.channel(*id);
        let next = hops.get(at + 1).map(|next| spec.links.channel(*next));
        let (cuts, latency) = match &spec.nodes[spec.links.ends(*id).1 as usize].kind {
            NodeKind::Switch(switch) => {
                let may = switch.forwarding == Forwarding::CutThrough;
                (
                    may && next.is_some_and(|next| next.rate <= channel.rate),
                    switch.latency,
                )
            }
            NodeKind::Station { .. } => (false, Duration::ZERO),
        };
        let first = if cuts { FRAME_LEAST_BYTES } else { bytes };
        let on_wire = channel
            .rate
            .serialization(u64::from(first + WIRE_OVERHEAD_BYTES));
        on_wire + channel.delay + latency
    };
    hops.iter()
        .enumerate()
        .map(hop)
        .fold(Duration::ZERO, |sum, one| sum + one)
}
