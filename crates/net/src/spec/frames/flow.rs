//! Who sends what to whom.

use alloc::string::String;
use alloc::vec::Vec;

use backwater_ends::spec::bytes::{TrafficSpec, TransportSpec};
use backwater_ends::spec::{Congestion, TcpSpec};
use backwater_ends::stations::FlowEnds;

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

impl FlowSpec {
    /// What its stations do.
    pub const fn ends(&self) -> FlowEnds<'_> {
        FlowEnds {
            source: self.source,
            destination: self.destination,
            receivers: 1 + self.others.len() as u32,
            transport: &self.transport,
            traffic: &self.traffic,
        }
    }

    /// Its source or the control of its connection is written outside this program.
    pub fn is_outside(&self) -> bool {
        let by = |tcp: &TcpSpec| matches!(tcp.congestion, Congestion::Outside(_));
        let is_controlled = matches!(&self.transport, TransportSpec::Tcp(tcp) if by(tcp));
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
