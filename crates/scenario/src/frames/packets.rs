//! How large packets and frames are.

use backwater_net::frames::spec::{FRAME_LEAST_BYTES, FRAME_OVERHEAD_BYTES, TAG_BYTES};
pub(crate) use backwater_net::frames::spec::{largest_packet_bytes, packet_bytes};

use crate::given::frames::network::{Link, MTU};

/// RTP header, bytes.
pub(crate) const RTP_BYTES: u32 = 12;

/// The largest IP packet of the network.
pub(crate) fn mtu(link: &Link) -> u32 {
    link.mtu.unwrap_or(MTU.value)
}

/// A frame around this payload with its headers.
pub(crate) fn frame(bytes: u32, is_tagged: bool) -> u32 {
    let tag = if is_tagged { TAG_BYTES } else { 0 };
    (bytes + FRAME_OVERHEAD_BYTES + tag).max(FRAME_LEAST_BYTES)
}
