//! Who sends what to whom.

use alloc::string::String;

use backwater_ends::spec::bytes::{TrafficSpec, TransportSpec};
use backwater_ends::stations::FlowEnds;

/// A flow: one connection, or datagrams one way.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowSpec {
    /// As the scenario calls it.
    pub name: String,
    /// Station that sends (that opens the connection).
    pub source: u32,
    /// Station that receives.
    pub destination: u32,
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
    /// What its two stations do.
    pub const fn ends(&self) -> FlowEnds<'_> {
        FlowEnds {
            source: self.source,
            destination: self.destination,
            transport: self.transport,
            traffic: &self.traffic,
        }
    }
}
