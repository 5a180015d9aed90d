//! What can be read of the stations of a flow.

use alloc::vec::Vec;

use backwater_kernel::{DelayOutcome, Rate, Time};

use super::{Endpoint, Stations};
use crate::control::Inner;
use crate::outcome::EndsOutcome;

impl Stations {
    /// Data frames of a flow delivered after the warm-up, either way, and birth to delivery of
    /// those that reached the destination, ps.
    pub fn delivered(&self, flow: u32) -> (u64, DelayOutcome) {
        match self.places[flow as usize] {
            Endpoint::Tcp(at) => self.connections[at as usize].delivered(),
            Endpoint::Roce(at) => self.pairs[at as usize].delivered(),
            Endpoint::Udp(at) => self.datagrams[at as usize].delivered(),
        }
    }

    /// Frames that each of several stations got after the warm-up, and birth to delivery of those,
    /// ps; empty where there is one.
    pub fn received(&self, flow: u32) -> Vec<(u64, DelayOutcome)> {
        match self.places[flow as usize] {
            Endpoint::Tcp(_) | Endpoint::Roce(_) => Vec::new(),
            Endpoint::Udp(at) => self.datagrams[at as usize].received(),
        }
    }

    /// What the stations of a flow saw until now.
    pub fn outcome(&self, now: Time, flow: u32) -> EndsOutcome {
        match self.places[flow as usize] {
            Endpoint::Tcp(at) => self.connections[at as usize].outcome(),
            Endpoint::Roce(at) => self.pairs[at as usize].outcome(),
            Endpoint::Udp(at) => self.datagrams[at as usize].outcome(now),
        }
    }

    /// Congestion window of the source's end, bytes; 0 over UDP.
    pub fn window_bytes(&self, flow: u32) -> u64 {
        match self.places[flow as usize] {
            Endpoint::Tcp(at) => self.connections[at as usize].window_bytes(),
            Endpoint::Roce(at) => self.pairs[at as usize].window_bytes(),
            Endpoint::Udp(_) => 0,
        }
    }

    /// Of the source's and of the destination's end: first position not acknowledged, next
    /// position to send, next position expected. `None` over UDP.
    pub fn positions(&self, flow: u32) -> Option<[(u64, u64, u64); 2]> {
        match self.places[flow as usize] {
            Endpoint::Tcp(at) => Some(self.connections[at as usize].positions()),
            Endpoint::Roce(at) => Some(self.pairs[at as usize].positions()),
            Endpoint::Udp(_) => None,
        }
    }

    /// The rate that the source of a connection is allowed (`None`: it goes by its window); that
    /// the source of a queue pair allowed itself as it last did or heard something:
    /// that of its port where nothing limits it.
    pub fn rate(&self, flow: u32) -> Option<Rate> {
        match self.places[flow as usize] {
            Endpoint::Roce(at) => Some(self.pairs[at as usize].ends[0].rate()),
            Endpoint::Tcp(at) => self.connections[at as usize].ends[0].rate(),
            Endpoint::Udp(_) => None,
        }
    }

    /// A number that its control keeps to itself, likewise.
    pub fn inner(&self, flow: u32, of: Inner) -> Option<f64> {
        match self.places[flow as usize] {
            Endpoint::Roce(at) => self.pairs[at as usize].ends[0].inner(of),
            Endpoint::Tcp(at) => self.connections[at as usize].ends[0].inner(of),
            Endpoint::Udp(_) => None,
        }
    }
}
