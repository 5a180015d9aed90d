//! Who sends what to whom.

use alloc::string::String;
use alloc::vec::Vec;

use backwater_ends::spec::bytes::{TrafficSpec, TransportSpec};
use backwater_ends::spec::{Congestion, RateControlSpec, TcpSpec};
use backwater_ends::stations::FlowEnds;

use super::{
    FRAME_OVERHEAD_BYTES, ROCE_BYTES, TAG_BYTES, TCP_IP_BYTES, TELEMETRY_BYTES, UDP_IP_BYTES,
    WIRE_OVERHEAD_BYTES,
};

/// Stations with this bit are none: they are the group of the flow with the number without it,
/// which is where frames for several stations go.
pub const GROUP: u32 = 1 << 31;

/// A flow: one connection, or datagrams one way.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowSpec {
    /// As the scenario calls it.
    pub name: String,
    /// Station that sends (that opens the connection).
    pub source: u32,
    /// Station that receives.
    pub destination: u32,
    /// Over UDP, more stations that receive the same datagrams: a multicast. Switches copy frames
    /// where ways to them part.
    pub others: Vec<u32>,
    /// Class of its frames, both ways.
    pub class: u8,
    /// Its frames carry a VLAN tag.
    pub is_tagged: bool,
    /// The protocol.
    pub transport: TransportSpec,
    /// What the application sends.
    pub traffic: TrafficSpec,
}

/// The IP packet of a full frame, bytes: payload and headers, acknowledgements aside.
pub fn packet_bytes(transport: &TransportSpec) -> u32 {
    let around = match *transport {
        TransportSpec::Tcp(_) | TransportSpec::Udp { has_rtp: true, .. } => TCP_IP_BYTES,
        TransportSpec::Udp { has_rtp: false, .. } => UDP_IP_BYTES,
        TransportSpec::Roce(ref roce) => match roce.has_telemetry {
            true => ROCE_BYTES + TELEMETRY_BYTES,
            false => ROCE_BYTES,
        },
    };
    transport.payload_bytes().saturating_add(around)
}

/// The same of what stays together on its way: a burst, where hosts hand down whole ones.
pub fn largest_packet_bytes(transport: &TransportSpec) -> u32 {
    let further = match transport {
        TransportSpec::Tcp(tcp) => {
            let (payload, further) = tcp.largest();
            payload - tcp.mss_bytes + super::further_bytes(further, true)
        }
        TransportSpec::Roce(_) | TransportSpec::Udp { .. } => 0,
    };
    packet_bytes(transport).saturating_add(further)
}

impl FlowSpec {
    /// What its stations do.
    pub fn ends(&self) -> FlowEnds<'_> {
        FlowEnds {
            source: self.source,
            destination: self.destination,
            receivers: 1 + self.others.len() as u32,
            around_bytes: self.around_bytes(),
            transport: &self.transport,
            traffic: &self.traffic,
        }
    }

    /// Classes of its frames, those of its answers among them.
    pub fn classes(&self) -> impl Iterator<Item = u8> + use<> {
        let answers = match &self.transport {
            TransportSpec::Roce(roce) => [roce.ack_class, roce.cnp_class],
            TransportSpec::Tcp(_) | TransportSpec::Udp { .. } => [None; 2],
        };
        core::iter::once(self.class).chain(answers.into_iter().flatten())
    }

    /// Switches write into its packets what they see.
    pub fn has_telemetry(&self) -> bool {
        match &self.transport {
            TransportSpec::Roce(roce) => roce.has_telemetry,
            TransportSpec::Tcp(_) | TransportSpec::Udp { .. } => false,
        }
    }

    /// Its sources obey rates that switches state, or may.
    pub fn hears_rates(&self) -> bool {
        match &self.transport {
            TransportSpec::Roce(roce) => matches!(
                roce.control,
                RateControlSpec::Rocc(_) | RateControlSpec::Outside(_)
            ),
            TransportSpec::Tcp(_) | TransportSpec::Udp { .. } => false,
        }
    }

    /// Class of what switches tell its sources.
    pub fn message_class(&self) -> u8 {
        match &self.transport {
            TransportSpec::Roce(roce) => roce.cnp_class.unwrap_or(self.class),
            TransportSpec::Tcp(_) | TransportSpec::Udp { .. } => self.class,
        }
    }

    /// What packets of a queue pair have on the wire beside their payload.
    fn around_bytes(&self) -> u32 {
        let tag = if self.is_tagged { TAG_BYTES } else { 0 };
        let telemetry = if self.has_telemetry() {
            TELEMETRY_BYTES
        } else {
            0
        };
        ROCE_BYTES + FRAME_OVERHEAD_BYTES + WIRE_OVERHEAD_BYTES + tag + telemetry
    }

    /// Its source or the control of its connection is written outside this program.
    pub fn is_outside(&self) -> bool {
        let by = |tcp: &TcpSpec| matches!(tcp.congestion, Congestion::Outside(_));
        let is_controlled = match &self.transport {
            TransportSpec::Tcp(tcp) => by(tcp),
            TransportSpec::Roce(roce) => matches!(roce.control, RateControlSpec::Outside(_)),
            TransportSpec::Udp { .. } => false,
        };
        is_controlled || matches!(self.traffic, TrafficSpec::Outside(_))
    }

    /// It has several destinations.
    pub const fn is_multicast(&self) -> bool {
        !self.others.is_empty()
    }

    /// Stations that receive, in the order of the scenario.
    pub fn destinations(&self) -> impl Iterator<Item = u32> {
        core::iter::once(self.destination).chain(self.others.iter().copied())
    }

    /// Where its frames go: a station, or its group. `flow` is its number.
    pub const fn address(&self, flow: u32) -> u32 {
        match self.is_multicast() {
            true => GROUP | flow,
            false => self.destination,
        }
    }
}
