//! How long frames are.

use backwater_ends::application::Payload;

use backwater_ends::queue_pair::{PacketKind, RocePacket};

use crate::spec::frames::{
    AETH_BYTES, CNP_BYTES, FRAME_LEAST_BYTES, FRAME_OVERHEAD_BYTES, RATE_BYTES, ROCE_BYTES,
    TAG_BYTES, TCP_IP_BYTES, TELEMETRY_BYTES, UDP_IP_BYTES, further_bytes,
};

/// RTP's header.
const RTP_BYTES: u32 = 12;
/// A SACK option without its blocks, padded (RFC 2018).
const SACK_BYTES: u32 = 4;
/// Each of its blocks.
const SACK_BLOCK_BYTES: u32 = 8;

/// Bytes of the frame around a payload, frame check sequence included, preamble and gap not.
/// `has_rtp` concerns datagrams only.
#[inline(always)]
pub fn frame_bytes(payload: &Payload, has_rtp: bool, is_tagged: bool) -> u32 {
    let packet = match payload {
        Payload::Tcp(segment) => {
            let options = match segment.sack_blocks {
                0 => 0,
                blocks => SACK_BYTES + SACK_BLOCK_BYTES * u32::from(blocks),
            };
            let further = further_bytes(segment.further.into(), is_tagged);
            segment.bytes + TCP_IP_BYTES + options + further
        }
        Payload::Roce(packet) => roce_bytes(packet),
        Payload::Udp { bytes, .. } => bytes + UDP_IP_BYTES + if has_rtp { RTP_BYTES } else { 0 },
    };
    let tag = if is_tagged { TAG_BYTES } else { 0 };
    (packet + FRAME_OVERHEAD_BYTES + tag).max(FRAME_LEAST_BYTES)
}

/// Bytes of a packet of a queue pair, with IPv4.
fn roce_bytes(packet: &RocePacket) -> u32 {
    let telemetry = match packet.has_telemetry {
        true => TELEMETRY_BYTES,
        false => 0,
    };
    let after = match packet.kind {
        // What is left of it fills the least frame.
        PacketKind::Data if packet.is_trimmed => 0,
        PacketKind::Data => packet.bytes,
        PacketKind::Ack | PacketKind::Nack | PacketKind::Trimmed => AETH_BYTES,
        PacketKind::Notification => CNP_BYTES,
        PacketKind::Rate => return RATE_BYTES,
    };
    ROCE_BYTES + telemetry + after
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwater_ends::Segment;

    fn tcp(bytes: u32, sack_blocks: u8) -> Payload {
        Payload::Tcp(Segment {
            bytes,
            sack_blocks,
            ..Segment::default()
        })
    }

    fn udp(bytes: u32) -> Payload {
        Payload::Udp { bytes, number: 0 }
    }

    fn roce(kind: PacketKind, bytes: u32, has_telemetry: bool) -> Payload {
        Payload::Roce(RocePacket {
            kind,
            bytes,
            has_telemetry,
            ..RocePacket::default()
        })
    }

    #[test]
    fn frames_by_hand() {
        // (payload, RTP, tag) -> bytes
        let table = [
            (tcp(1460, 0), false, false, 1518),
            (tcp(1460, 0), false, true, 1522),
            (tcp(1024, 0), false, false, 1082),
            (tcp(0, 0), false, false, 64),
            (tcp(0, 0), false, true, 64),
            (tcp(6, 0), false, false, 64),
            (tcp(7, 0), false, false, 65),
            (tcp(3, 0), false, true, 65),
            (tcp(0, 1), false, false, 70),
            (tcp(0, 2), false, false, 78),
            (tcp(0, 3), false, true, 90),
            (tcp(100, 0), true, false, 158),
            (roce(PacketKind::Data, 1_024, false), false, false, 1_086),
            (roce(PacketKind::Data, 1_000, true), false, true, 1_108),
            (roce(PacketKind::Data, 1, false), false, false, 64),
            (roce(PacketKind::Ack, 1_024, false), false, false, 66),
            (roce(PacketKind::Nack, 1_024, true), false, false, 108),
            (roce(PacketKind::Notification, 0, false), false, false, 78),
            (roce(PacketKind::Rate, 0, false), false, false, 74),
            (udp(1000), false, false, 1046),
            (udp(1000), true, false, 1058),
            (udp(1472), false, true, 1522),
            (udp(18), false, false, 64),
            (udp(19), false, false, 65),
            (udp(6), true, false, 64),
            (udp(7), true, false, 65),
        ];
        for (payload, has_rtp, is_tagged, bytes) in table {
            let found = frame_bytes(&payload, has_rtp, is_tagged);
            assert_eq!(found, bytes, "{payload:?} {has_rtp} {is_tagged}");
        }
    }
}
