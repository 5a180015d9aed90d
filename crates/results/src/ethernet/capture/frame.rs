//! A frame as bytes (IEEE 802.3, 802.1Q, 802.3 annexes 31A, 31B and 31D).
//!
//! Addresses and ports are made from numbers of the scenario: node 258 is 02:00:00:00:01:02
//! (locally administered) and 10.0.1.2; flow 3 runs from port 61003 to port 9 (discard), or 5004
//! where it carries RTP. The frame check sequence is left out, as captures do.

use backwater_ends::tcp::{Segment, flags};
use backwater_net::frames::probe::{Content, FrameView, counters};
use backwater_net::frames::spec::{
    EthernetSpec, FRAME_OVERHEAD_BYTES, FlowSpec, GROUP, TAG_BYTES, TrafficSpec, TransportSpec,
};

use super::internet::{self, Ip, Ports, Rtp};
use super::roce::{self, Pair};

/// Bytes of the frame check sequence.
const FCS_BYTES: u32 = 4;
/// The reserved address of MAC control: no switch forwards it.
const MAC_CONTROL_ADDRESS: [u8; 6] = [0x01, 0x80, 0xc2, 0x00, 0x00, 0x01];
/// Types.
const IPV4: [u8; 2] = [0x08, 0x00];
const MAC_CONTROL: [u8; 2] = [0x88, 0x08];
const VLAN: [u8; 2] = [0x81, 0x00];
/// Opcodes of MAC control.
const PAUSE: [u8; 2] = [0x00, 0x01];
const PFC: [u8; 2] = [0x01, 0x01];
/// Not assigned: stops of destinations are no standard. A class-enable vector and a time as in
/// PFC, then the address of the host.
const STOP_DESTINATION: [u8; 2] = [0x01, 0x02];
const CREDIT: [u8; 2] = [0x01, 0x03];
/// The type of protocols with an identifier of an organisation (IEEE 802, 9.2.4), and that of
/// Ultra Ethernet. What follows is a layout of this project: what the message is, the classes that
/// it speaks of, and a counter of each.
const COUNTERS: [u8; 5] = [0x88, 0xb7, 0xfa, 0x7a, 0xcb];
/// Where datagrams and segments go.
const DISCARD: u16 = 9;
const RTP: u16 = 5004;
/// RoCE v2.
const ROCE: u16 = 4791;
/// Source ports run from here to the last. Dissectors guess a protocol by either port: lower ones
/// are registered by the hundred, and a few above 49,152 too, up to 60,001.
const PORT_FIRST: u32 = 61_000;
const PORTS: u32 = 65_536 - PORT_FIRST;
/// RTP's payload types: H.261, and the first that is free to use.
const H261: u8 = 31;
const DYNAMIC: u8 = 96;

/// What the bytes of a frame need that it doesn't say itself.
#[derive(Clone, Debug)]
pub struct Encoder {
    flows: Vec<Addressed>,
    /// Of groups without rows, each with the number of its first flow.
    members: Vec<(u32, Addressed)>,
}

#[derive(Clone, Copy, Debug)]
struct Addressed {
    window_shift: u32,
    payload_type: u8,
    /// Payload of a full packet: packets of a queue pair are numbered by it.
    mtu_bytes: u32,
}

impl Encoder {
    /// For the frames of this network.
    pub fn new(spec: &EthernetSpec) -> Encoder {
        let flow = |flow: &FlowSpec| Addressed {
            window_shift: match &flow.transport {
                TransportSpec::Tcp(tcp) => window_shift(tcp.window_bytes),
                TransportSpec::Roce(_) | TransportSpec::Udp { .. } => 0,
            },
            mtu_bytes: flow.transport.payload_bytes(),
            payload_type: match flow.traffic {
                TrafficSpec::Video(_) => H261,
                _ => DYNAMIC,
            },
        };
        let mut first = spec.flows.len() as u32;
        let members = spec.rules.arrivals.iter().filter_map(|group| {
            let number = first;
            first += group.count;
            Some((number, flow(group.kinds.first()?)))
        });
        Encoder {
            flows: spec.flows.iter().map(flow).collect(),
            members: members.collect(),
        }
    }

    /// The bytes of a frame up to its payload, and its length. The rest is zeros: payload and what
    /// pads a short frame.
    pub fn bytes(&self, frame: &FrameView) -> (Vec<u8>, u32) {
        let length = frame.bytes.saturating_sub(FCS_BYTES);
        let mut bytes = Vec::with_capacity(128);
        if frame.is_control() {
            bytes.extend(MAC_CONTROL_ADDRESS);
        } else {
            bytes.extend(mac(frame.destination));
        }
        bytes.extend(mac(frame.source));
        if frame.is_tagged {
            bytes.extend(VLAN);
            bytes.extend([frame.class << 5, 0]);
        }
        match frame.content {
            Content::Tcp { .. } | Content::Roce { .. } | Content::Udp { .. } => {
                bytes.extend(IPV4);
                bytes.extend(self.packet(frame));
            }
            Content::Pause { quanta } => {
                bytes.extend(MAC_CONTROL);
                bytes.extend(PAUSE);
                bytes.extend(quanta.to_be_bytes());
            }
            Content::Pfc {
                stops,
                resumes,
                quanta,
            } => {
                bytes.extend(MAC_CONTROL);
                bytes.extend(PFC);
                bytes.extend([0, stops | resumes]);
                for class in 0..8 {
                    let time = if stops >> class & 1 == 1 { quanta } else { 0 };
                    bytes.extend(time.to_be_bytes());
                }
            }
            Content::StopDestination {
                class,
                destination,
                quanta,
            } => {
                bytes.extend(MAC_CONTROL);
                bytes.extend(STOP_DESTINATION);
                bytes.extend([0, 1 << (class & 7)]);
                bytes.extend(quanta.to_be_bytes());
                bytes.extend(mac(destination));
            }
            Content::Credit {
                lane,
                message,
                value,
            } => {
                bytes.extend(MAC_CONTROL);
                bytes.extend(CREDIT);
                bytes.extend(credit_of(message as u8, lane.class().unwrap_or(0)));
                bytes.extend(value.to_be_bytes());
            }
            Content::Counters {
                is_update,
                first,
                classes,
                words,
            } => bytes.extend(message(is_update, (first, classes), &words)),
        }
        (bytes, length)
    }

    /// IP and what it carries, up to the payload.
    fn packet(&self, frame: &FrameView) -> Vec<u8> {
        let groups = self.members.iter().rev();
        let group = || groups.clone().find(|(first, _)| *first <= frame.flow);
        let flow = self.flows.get(frame.flow as usize).copied();
        let flow = flow.or_else(|| group().map(|(_, flow)| *flow));
        let flow = flow.unwrap_or(Addressed {
            window_shift: 0,
            payload_type: DYNAMIC,
            mtu_bytes: 1,
        });
        let ip = Ip {
            source: address(frame.source),
            destination: address(frame.destination),
            class: frame.class & 7,
            ecn: match (frame.is_marked, frame.is_ect) {
                (true, _) => 3,
                (false, true) => 2,
                (false, false) => 0,
            },
            id: frame.number as u16,
        };
        match frame.content {
            Content::Tcp {
                segment,
                is_forward,
            } => {
                let (client, server) = ports(frame.flow, DISCARD);
                let ports = match is_forward {
                    true => (client, server),
                    false => (server, client),
                };
                internet::tcp(&ip, ports, &segment, window(&segment, flow.window_shift))
            }
            Content::Roce { packet, is_forward } => {
                let pair = Pair {
                    number: frame.flow << 1 | u32::from(!is_forward),
                    mtu_bytes: flow.mtu_bytes,
                };
                // The source port stands for the flow (entropy), whichever the direction.
                let ports = (ports(frame.flow, ROCE).0, ROCE);
                let packet_bytes = frame.bytes - frame_around(frame.is_tagged);
                roce::packet(&ip, ports, pair, &packet, packet_bytes)
            }
            Content::Udp {
                bytes,
                number,
                has_rtp,
            } => {
                let rtp = has_rtp.then(|| Rtp {
                    payload_type: flow.payload_type,
                    sequence: number as u16,
                    // 90,000 ticks in 10^12 ps.
                    timestamp: (u128::from(frame.born.ps()) * 9 / 100_000_000) as u32,
                    source: frame.flow,
                });
                let server = if has_rtp { RTP } else { DISCARD };
                internet::udp(&ip, ports(frame.flow, server), rtp.as_ref(), bytes as usize)
            }
            Content::Pause { .. }
            | Content::Pfc { .. }
            | Content::StopDestination { .. }
            | Content::Credit { .. }
            | Content::Counters { .. } => Vec::new(),
        }
    }
}

/// What is around the IP packet of a frame.
fn frame_around(is_tagged: bool) -> u32 {
    FRAME_OVERHEAD_BYTES + if is_tagged { TAG_BYTES } else { 0 }
}

/// Which message about credit, and its class: the vector has a bit for each of eight classes;
/// others are named.
fn credit_of(message: u8, class: u8) -> [u8; 2] {
    match class {
        0..8 => [message, 1 << class],
        _ => [0x80 | message, class],
    }
}

/// A message about counters.
fn message(is_update: bool, (first, classes): (Option<u32>, u32), words: &[u64; 6]) -> Vec<u8> {
    let mut bytes = COUNTERS.to_vec();
    // Of lanes: which 32 of them.
    let group = first.map_or(0, |first| (first / 32) as u8);
    bytes.extend([group, 1 + u8::from(is_update)]);
    bytes.extend(classes.to_be_bytes());
    let values = counters(classes, words).flat_map(|(_, value)| (value as u32).to_be_bytes());
    bytes.extend(values);
    bytes
}

/// The address of a node on its links; of a group of hosts that of its IP address (RFC 1112).
pub fn mac(node: u32) -> [u8; 6] {
    let [_, high, middle, low] = node.to_be_bytes();
    match node & GROUP {
        0 => [0x02, 0, 0, high, middle, low],
        _ => [0x01, 0, 0x5e, high & 0x7f, middle, low],
    }
}

/// The IPv4 address of a node, or of a group of hosts; groups are those of one source (RFC 4607).
pub fn address(node: u32) -> [u8; 4] {
    let [_, high, middle, low] = node.to_be_bytes();
    let net = if node & GROUP == 0 { 10 } else { 232 };
    [net, high, middle, low]
}

/// Ports at the source and at the destination of a flow. Where flows are more than ports, the
/// second tells them apart, out of the same range.
fn ports(flow: u32, server: u16) -> Ports {
    let port = |number: u32| (PORT_FIRST + number % PORTS) as u16;
    let server = match flow / PORTS {
        0 => server,
        round => port(round - 1),
    };
    (port(flow), server)
}

/// The least scale (RFC 7323) with which a window fits its field; 14 at most.
fn window_shift(window_bytes: u32) -> u32 {
    (u32::BITS - window_bytes.leading_zeros())
        .saturating_sub(16)
        .min(14)
}

/// SYN does not scale.
fn window(segment: &Segment, shift: u32) -> u16 {
    let shift = match segment.flags & flags::SYN {
        0 => shift,
        _ => 0,
    };
    u16::try_from(segment.window >> shift).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests;
