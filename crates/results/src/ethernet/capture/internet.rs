//! IPv4, ICMP, TCP, UDP and RTP headers as bytes (RFC 791, 792, 9293, 2018, 768, 3550).
//!
//! Payloads are zeros. They change no checksum, so they are never made.

use backwater_ends::tcp::{Segment, flags};

/// Protocol numbers.
const ICMP: u8 = 1;
const TCP: u8 = 6;
const UDP: u8 = 17;
/// Bytes of headers without options.
const IP_BYTES: usize = 20;
const TCP_BYTES: usize = 20;
const UDP_BYTES: usize = 8;
const RTP_BYTES: usize = 12;
/// Hops a packet may take, as most hosts say.
const TIME_TO_LIVE: u8 = 64;
const DO_NOT_FRAGMENT: u8 = 0x40;
/// Codes of TCP options.
const NOTHING: u8 = 1;
const SACK: u8 = 5;

/// What an IPv4 header says.
#[derive(Clone, Copy, Debug)]
pub struct Ip {
    /// From.
    pub source: [u8; 4],
    /// To.
    pub destination: [u8; 4],
    /// Class, as a class selector.
    pub class: u8,
    /// 0 not ECT, 2 ECT, 3 marked.
    pub ecn: u8,
    /// Identification.
    pub id: u16,
}

/// Ports, from and to.
pub type Ports = (u16, u16);

/// What RTP says.
#[derive(Clone, Copy, Debug)]
pub struct Rtp {
    /// Payload type.
    pub payload_type: u8,
    /// Number of the packet.
    pub sequence: u16,
    /// In 1/90,000 s.
    pub timestamp: u32,
    /// Which stream.
    pub source: u32,
}

/// IPv4 and TCP headers of a segment. The window is written as it is; who scales it does so
/// before.
pub fn tcp(ip: &Ip, ports: Ports, segment: &Segment, window: u16) -> Vec<u8> {
    let blocks = usize::from(segment.sack_blocks).min(segment.sack.len());
    let options = match blocks {
        0 => 0,
        blocks => 4 + 8 * blocks,
    };
    let header = TCP_BYTES + options;
    let mut bytes = ip_header(ip, TCP, header + segment.bytes as usize);
    let has = |flag: u8| segment.flags & flag != 0;
    bytes.extend(ports.0.to_be_bytes());
    bytes.extend(ports.1.to_be_bytes());
    // Positions leave SYN out; on the wire it takes number 0.
    let number = |position: u64| (position as u32).wrapping_add(1);
    let first = match has(flags::SYN) {
        true => segment.seq as u32,
        false => number(segment.seq),
    };
    let ack = match has(flags::ACK) {
        true => number(segment.ack),
        false => 0,
    };
    bytes.extend(first.to_be_bytes());
    bytes.extend(ack.to_be_bytes());
    bytes.push(((header / 4) as u8) << 4);
    bytes.push(segment.flags);
    bytes.extend(window.to_be_bytes());
    bytes.extend([0; 4]);
    if blocks > 0 {
        bytes.extend([NOTHING, NOTHING, SACK, 2 + 8 * blocks as u8]);
        for (first, end) in &segment.sack[..blocks] {
            bytes.extend(number(*first).to_be_bytes());
            bytes.extend(number(*end).to_be_bytes());
        }
    }
    let sum = transport_checksum(ip, TCP, &bytes[IP_BYTES..], segment.bytes as usize);
    bytes[IP_BYTES + 16..IP_BYTES + 18].copy_from_slice(&sum.to_be_bytes());
    bytes
}

/// IPv4, UDP and, where there is one, RTP headers of a datagram.
pub fn udp(ip: &Ip, ports: Ports, rtp: Option<&Rtp>, payload_bytes: usize) -> Vec<u8> {
    let headers = UDP_BYTES + rtp.map_or(0, |_| RTP_BYTES);
    let length = headers + payload_bytes;
    let mut bytes = ip_header(ip, UDP, length);
    bytes.extend(ports.0.to_be_bytes());
    bytes.extend(ports.1.to_be_bytes());
    bytes.extend((length as u16).to_be_bytes());
    bytes.extend([0; 2]);
    if let Some(rtp) = rtp {
        bytes.extend([0x80, rtp.payload_type]);
        bytes.extend(rtp.sequence.to_be_bytes());
        bytes.extend(rtp.timestamp.to_be_bytes());
        bytes.extend(rtp.source.to_be_bytes());
    }
    // Zero would say that there is no checksum.
    let sum = match transport_checksum(ip, UDP, &bytes[IP_BYTES..], payload_bytes) {
        0 => u16::MAX,
        sum => sum,
    };
    bytes[IP_BYTES + 6..IP_BYTES + 8].copy_from_slice(&sum.to_be_bytes());
    bytes
}

/// IPv4 and UDP headers of an IP packet of so many bytes, and what its payload begins with; it has
/// no checksum, as most NICs send RoCE.
pub fn udp_of(ip: &Ip, ports: Ports, payload: &[u8], length: u32) -> Vec<u8> {
    let content = (length as usize).saturating_sub(IP_BYTES);
    let mut bytes = ip_header(ip, UDP, content);
    bytes.extend(ports.0.to_be_bytes());
    bytes.extend(ports.1.to_be_bytes());
    bytes.extend((content as u16).to_be_bytes());
    bytes.extend([0; 2]);
    bytes.extend(payload);
    bytes
}

/// An ICMP message of code 0 with one word, and what it quotes.
pub fn icmp(ip: &Ip, kind: u8, word: u32, quoted: &[u8]) -> Vec<u8> {
    let mut bytes = ip_header(ip, ICMP, 8 + quoted.len());
    bytes.extend([kind, 0, 0, 0]);
    bytes.extend(word.to_be_bytes());
    bytes.extend(quoted);
    let sum = checksum(&bytes[IP_BYTES..], 0);
    bytes[IP_BYTES + 2..IP_BYTES + 4].copy_from_slice(&sum.to_be_bytes());
    bytes
}

fn ip_header(ip: &Ip, protocol: u8, content_bytes: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(128);
    bytes.extend([0x45, (ip.class << 5) | ip.ecn]);
    bytes.extend(((IP_BYTES + content_bytes) as u16).to_be_bytes());
    bytes.extend(ip.id.to_be_bytes());
    bytes.extend([DO_NOT_FRAGMENT, 0, TIME_TO_LIVE, protocol, 0, 0]);
    bytes.extend(ip.source);
    bytes.extend(ip.destination);
    let sum = checksum(&bytes, 0);
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    bytes
}

/// Over the pseudo header, `header` and so many zeros.
fn transport_checksum(ip: &Ip, protocol: u8, header: &[u8], payload_bytes: usize) -> u16 {
    let mut pseudo = Vec::with_capacity(12);
    pseudo.extend(ip.source);
    pseudo.extend(ip.destination);
    pseudo.extend([0, protocol]);
    pseudo.extend(((header.len() + payload_bytes) as u16).to_be_bytes());
    checksum(header, sum_of(&pseudo))
}

/// The Internet checksum (RFC 1071): the complement of the ones' complement sum of all 16-bit
/// words, `start` among them.
fn checksum(bytes: &[u8], start: u64) -> u16 {
    let mut sum = start + sum_of(bytes);
    while sum > u64::from(u16::MAX) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

fn sum_of(bytes: &[u8]) -> u64 {
    let word = |pair: &[u8]| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0));
    bytes.chunks(2).map(word).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const IP: Ip = Ip {
        source: [10, 0, 0, 1],
        destination: [10, 0, 0, 2],
        class: 0,
        ecn: 0,
        id: 0,
    };

    #[test]
    fn the_checksum_is_that_of_rfc_1071() {
        // The example of its section 3: the sum is ddf2.
        assert_eq!(
            checksum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7], 0),
            !0xddf2
        );
        assert_eq!(
            checksum(&[0xff], 0),
            0x00ff,
            "an odd byte stands in front of a zero"
        );
    }

    #[test]
    fn what_is_checked_sums_to_nothing() {
        for payload in [0, 1, 1460] {
            let datagram = udp(&IP, (1024, 9), None, payload);
            assert_eq!(checksum(&datagram[..20], 0), 0, "header of {payload}");
            assert_eq!(transport_checksum(&IP, UDP, &datagram[20..], payload), 0);
            let segment = Segment {
                bytes: payload as u32,
                sack_blocks: 2,
                sack: [(5, 7), (9, u64::MAX), (0, 0)],
                ..Segment::default()
            };
            let bytes = tcp(&IP, (1024, 9), &segment, 1000);
            assert_eq!(bytes.len(), 20 + 20 + 20, "two blocks take 20 bytes");
            assert_eq!(transport_checksum(&IP, TCP, &bytes[20..], payload), 0);
            let mut broken = bytes[20..].to_vec();
            broken[4] ^= 1;
            assert_ne!(transport_checksum(&IP, TCP, &broken, payload), 0);
        }
    }

    #[test]
    fn a_checksum_of_zero_is_written_as_its_twin() {
        // Of 65,536 source ports one gives zero.
        let found = (0..=u16::MAX)
            .map(|port| udp(&IP, (port, 9), None, 0))
            .find(|bytes| bytes[26..28] == [255, 255]);
        let datagram = found.expect("one of them");
        assert_eq!(transport_checksum(&IP, UDP, &datagram[20..], 0), 0);
    }

    #[test]
    fn numbers_wrap_and_syn_comes_before_the_first() {
        let at = |seq: u64, flags: u8| {
            let segment = Segment {
                seq,
                ack: seq,
                flags,
                ..Segment::default()
            };
            let bytes = tcp(&IP, (1, 2), &segment, 0);
            let word = |from: usize| u32::from_be_bytes(bytes[from..from + 4].try_into().unwrap());
            (word(24), word(28))
        };
        assert_eq!(at(0, flags::SYN), (0, 0));
        assert_eq!(at(0, flags::SYN | flags::ACK), (0, 1));
        assert_eq!(at((1 << 32) - 1, flags::ACK), (0, 0));
        assert_eq!(at((1 << 32) + 9, flags::ACK), (10, 10));
    }
}
