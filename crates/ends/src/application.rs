//! What hosts send and what becomes of it: one file a kind.
//!
//! | Traffic, in bytes | Over TCP or a queue pair | In datagrams |
//! |---|---|---|
//! | infinite | `transfers` | `datagrams`, one each time the port asks |
//! | files, requests | `transfers` | |
//! | messages that wait for others | `messages` | |
//! | constant, Poisson | | `gaps`, `datagrams` |
//! | self-similar | | `datagrams/self_similar` |
//! | video | | `datagrams/video`, and `datagrams/playout` at the receiver |
//!
//! Both ends of TCP or of queue pairs are in `connection`; where segments go in cells, in
//! `over_cells`. Traffic in
//! units (cells, packets) is in `units`.

use crate::Segment;
use crate::queue_pair::RocePacket;

pub(crate) mod connection;
pub(crate) mod datagrams;
mod gaps;
pub(crate) mod messages;
pub(crate) mod offering;
pub mod over_cells;
pub(crate) mod tally;
pub(crate) mod transfers;
pub mod units;

/// An instant that never comes, in picoseconds.
pub(crate) const NEVER_PS: u64 = u64::MAX;

/// What a station hands to its port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Payload {
    /// A TCP segment.
    Tcp(Segment),
    /// A packet of a queue pair.
    Roce(RocePacket),
    /// A datagram.
    Udp {
        /// Payload bytes, without RTP.
        bytes: u32,
        /// Its number in the flow, from 0.
        number: u64,
    },
}

/// A frame for the port of a station.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outgoing {
    /// Flow it belongs to.
    pub flow: u32,
    /// From the flow's source to its destination, or back.
    pub is_forward: bool,
    /// Its class, if that is not the flow's.
    pub class: Option<u8>,
    /// What it carries.
    pub payload: Payload,
}
