//! How large packets and frames are.

use backwater_net::frames::spec::{
    FRAME_LEAST_BYTES, FRAME_OVERHEAD_BYTES, TAG_BYTES, TCP_IP_BYTES, TransportSpec, UDP_IP_BYTES,
};

use crate::given::frames::network::{Link, MTU};

/// RTP header, bytes.
pub(crate) const RTP_BYTES: u32 = 12;

/// The largest IP packet of the network.
pub(crate) fn mtu(link: &Link) -> u32 {
    link.mtu.unwrap_or(MTU.value)
}

/// The IP packet of a full segment or datagram.
pub(crate) fn packet_bytes(transport: &TransportSpec) -> u32 {
    match transport {
        TransportSpec::Tcp(tcp) => tcp.mss_bytes + TCP_IP_BYTES,
        TransportSpec::Udp {
            payload_bytes,
            has_rtp,
        } => payload_bytes + UDP_IP_BYTES + if *has_rtp { RTP_BYTES } else { 0 },
    }
}

/// A frame around this payload with its headers.
pub(crate) fn frame(bytes: u32, is_tagged: bool) -> u32 {
    let tag = if is_tagged { TAG_BYTES } else { 0 };
    (bytes + FRAME_OVERHEAD_BYTES + tag).max(FRAME_LEAST_BYTES)
}
