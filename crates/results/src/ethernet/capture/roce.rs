//! RoCE v2 packets as bytes: UDP to port 4791, base transport header, acknowledgement header
//! (InfiniBand Architecture Specification 1.4, 9.2 to 9.5; Annex A17). The invariant CRC is zeros.

use backwater_ends::queue_pair::{PacketKind, RocePacket};

use backwater_net::frames::spec::ROCE_BYTES;

use super::internet::{Ip, Ports, icmp, udp_of};

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

/// ICMP for experiments (RFC 4727).
const EXPERIMENT: u8 = 253;
/// Bit/s of a unit of the rate in a message, which has eight bits behind it.
const RATE_UNIT: u128 = 10_000_000;

/// The message of a congestion point, whole: ICMP with the rate, and as ICMP quotes it the head of
/// a packet of data of the flow. Its source is the flow's other end, for which the switch stands.
fn rate(ip: &Ip, ports: Ports, pair: Pair, packet: &RocePacket) -> Vec<u8> {
    let there = Ip {
        source: ip.destination,
        destination: ip.source,
        ..*ip
    };
    let quoted = udp_of(&there, ports, &[], ROCE_BYTES + pair.mtu_bytes);
    let units = (u128::from(packet.seq) << 8) / RATE_UNIT;
    let units = u32::try_from(units).unwrap_or(u32::MAX);
    icmp(ip, EXPERIMENT, units, &quoted)
}

/// The IP packet, up to the payload; `length` is that of the whole packet.
pub fn packet(ip: &Ip, ports: Ports, pair: Pair, packet: &RocePacket, length: u32) -> Vec<u8> {
    let operation = match packet.kind {
        PacketKind::Rate => return rate(ip, ports, pair, packet),
        PacketKind::Data if packet.flag => SEND_LAST,
        PacketKind::Data => SEND_MIDDLE,
        PacketKind::Ack | PacketKind::Nack | PacketKind::Trimmed => ACKNOWLEDGE,
        PacketKind::Notification => CNP,
    };
    let number =
        |position: u64| (position.div_ceil(pair.mtu_bytes.max(1).into()) as u32) & 0xff_ffff;
    // An acknowledgement names the last packet that is in, a refusal the one that is missing.
    let named = match packet.kind {
        PacketKind::Ack => number(packet.seq).wrapping_sub(1) & 0xff_ffff,
        PacketKind::Trimmed => number(packet.other),
        PacketKind::Data | PacketKind::Nack | PacketKind::Notification | PacketKind::Rate => {
            number(packet.seq)
        }
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
        PacketKind::Nack | PacketKind::Trimmed => Some(SEQUENCE_ERROR),
        PacketKind::Data | PacketKind::Notification | PacketKind::Rate => None,
    };
    if let Some(syndrome) = syndrome {
        header.extend([syndrome, 0, 0, 0]);
    }
    udp_of(ip, ports, &header, length)
}
