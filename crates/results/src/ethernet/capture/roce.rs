//! RoCE v2 packets as bytes: UDP to port 4791, base transport header, acknowledgement header
//! (InfiniBand Architecture Specification 1.4, 9.2 to 9.5; Annex A17). The invariant CRC is zeros.

use backwater_ends::queue_pair::{PacketKind, RocePacket};

use super::internet::{Ip, Ports, udp_of};

/// Operations of reliable connections.
const SEND_MIDDLE: u8 = 0x01;
const SEND_LAST: u8 = 0x02;
const ACKNOWLEDGE: u8 = 0x11;
const CNP: u8 = 0x81;
/// The default partition.
const PARTITION: [u8; 2] = [0xff, 0xff];
/// The receiver asks for an acknowledgement.
const ASKS: u32 = 1 << 31;
/// A positive acknowledgement that limits nothing, and a packet sequence error.
const POSITIVE: u8 = 0x1f;
const SEQUENCE_ERROR: u8 = 0x60;

/// A queue pair, as the other end addresses it.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Its number.
    pub number: u32,
    /// Payload of a full packet: packets are numbered by it.
    pub mtu_bytes: u32,
}

/// The IP packet, up to the payload; `length` is that of the whole packet.
pub fn packet(ip: &Ip, ports: Ports, pair: Pair, packet: &RocePacket, length: u32) -> Vec<u8> {
    let operation = match packet.kind {
        PacketKind::Data if packet.flag => SEND_LAST,
        PacketKind::Data => SEND_MIDDLE,
        PacketKind::Ack | PacketKind::Nack => ACKNOWLEDGE,
        PacketKind::Notification => CNP,
    };
    let number =
        |position: u64| (position.div_ceil(pair.mtu_bytes.max(1).into()) as u32) & 0xff_ffff;
    // An acknowledgement names the last packet that is in, a refusal the one that is missing.
    let named = match packet.kind {
        PacketKind::Ack => number(packet.seq).wrapping_sub(1) & 0xff_ffff,
        PacketKind::Data | PacketKind::Nack | PacketKind::Notification => number(packet.seq),
    };
    let asks = match packet.kind {
        PacketKind::Data if packet.flag => ASKS,
        _ => 0,
    };
    let mut header = vec![operation, 0];
    header.extend(PARTITION);
    header.extend((pair.number & 0xff_ffff).to_be_bytes());
    header.extend((asks | named).to_be_bytes());
    let syndrome = match packet.kind {
        PacketKind::Ack => Some(POSITIVE),
        PacketKind::Nack => Some(SEQUENCE_ERROR),
        PacketKind::Data | PacketKind::Notification => None,
    };
    if let Some(syndrome) = syndrome {
        header.extend([syndrome, 0, 0, 0]);
    }
    udp_of(ip, ports, &header, length)
}
