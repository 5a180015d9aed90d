//! Flows get their places, before the run or as it goes on, and what those that ended did is summed
//! up.

use alloc::vec::Vec;

use backwater_kernel::stream::Purpose;
use backwater_kernel::{Stream, Time};

use super::{Endpoint, FlowEnds, Setup, Stations, TcpEndpoint};
use crate::application::connection::Connection;
use crate::application::datagrams::Datagrams;
use crate::application::tally::{EndsSum, Tally};
use crate::queue_pair::QueuePair;
use crate::spec::TcpSpec;
use crate::spec::bytes::TransportSpec;
use crate::tcp::HostClock;

impl Endpoint {
    const fn of_tcp(self) -> Option<u32> {
        match self {
            Endpoint::Tcp(at) => Some(at),
            Endpoint::Roce(_) | Endpoint::Udp(_) => None,
        }
    }

    const fn of_roce(self) -> Option<u32> {
        match self {
            Endpoint::Roce(at) => Some(at),
            Endpoint::Tcp(_) | Endpoint::Udp(_) => None,
        }
    }

    const fn of_udp(self) -> Option<u32> {
        match self {
            Endpoint::Udp(at) => Some(at),
            Endpoint::Tcp(_) | Endpoint::Roce(_) => None,
        }
    }
}

impl Stations {
    /// A flow of this number, one of about so many at a time, has this place from now on: the next
    /// that is free, or that of one with the same protocol that has ended.
    pub fn open_flow(&mut self, (place, number): (u32, u32), ends: &FlowEnds<'_>, flows: usize) {
        let tally = Tally::new(flows);
        let all = Setup {
            is_measuring: self.is_measuring,
            ..self.all
        };
        let before = self.places.get(place as usize).copied();
        let made = match *ends.transport {
            TransportSpec::Tcp(ref tcp) => {
                let clocks = [ends.source, ends.destination]
                    .map(|station| HostClock::of_host(all.seed, station, tcp));
                let [source, destination] = clocks;
                let mut draws = Stream::new(all.seed, number.into(), Purpose::Probing);
                let both = [
                    TcpEndpoint::new(tcp, source, true).drawing_from(draws.next_u64()),
                    TcpEndpoint::new(tcp, destination, false).drawing_from(draws.next_u64()),
                ];
                // What a handshake measured both ends have; paths are many, flavours few.
                let flavour = flavour(
                    &mut self.tcp,
                    &TcpSpec {
                        handshake_rtt: None,
                        ..tcp.clone()
                    },
                );
                let connection =
                    Connection::new(all.seed, number, ends.traffic, flavour, both, tally);
                let before = before.and_then(Endpoint::of_tcp);
                Endpoint::Tcp(put(&mut self.connections, before, connection))
            }
            TransportSpec::Roce(ref roce) => {
                let both = [(); 2].map(|()| QueuePair::new(roce, ends.around_bytes));
                let flavour = flavour(&mut self.roce, roce);
                let pair = Connection::new(all.seed, number, ends.traffic, flavour, both, tally);
                let before = before.and_then(Endpoint::of_roce);
                Endpoint::Roce(put(&mut self.pairs, before, pair))
            }
            TransportSpec::Udp { payload_bytes, .. } => {
                let (traffic, receivers) = (ends.traffic, ends.receivers);
                let made = Datagrams::new(all, number, traffic, payload_bytes, receivers, tally);
                let before = before.and_then(Endpoint::of_udp);
                Endpoint::Udp(put(&mut self.datagrams, before, made))
            }
        };
        match self.places.get_mut(place as usize) {
            Some(place) => *place = made,
            None => self.places.push(made),
        }
    }

    /// Counts what a flow did, which has ended, among others of its kind.
    pub fn sum_up(&self, flow: u32, into: &mut EndsSum) {
        match self.places[flow as usize] {
            Endpoint::Tcp(at) => self.connections[at as usize].sum_up(into),
            Endpoint::Roce(at) => self.pairs[at as usize].sum_up(into),
            Endpoint::Udp(at) => self.datagrams[at as usize].sum_up(into),
        }
    }

    fn tally(&self, flow: u32) -> &Tally {
        match self.places[flow as usize] {
            Endpoint::Tcp(at) => &self.connections[at as usize].tally,
            Endpoint::Roce(at) => &self.pairs[at as usize].tally,
            Endpoint::Udp(at) => &self.datagrams[at as usize].tally,
        }
    }

    /// Of a flow with one transfer: when that began, and what it took if it is complete, ps.
    pub fn transfer(&self, flow: u32) -> (Option<Time>, Option<u64>) {
        self.tally(flow).only()
    }

    /// Transfers of a flow that were complete after the warm-up.
    pub fn measured(&self, flow: u32) -> u64 {
        self.tally(flow).measured()
    }

    /// The last acknowledgement of its transfer is missing; none comes over UDP.
    pub fn is_unacknowledged(&self, flow: u32) -> bool {
        match self.places[flow as usize] {
            Endpoint::Tcp(at) => self.connections[at as usize].is_unacknowledged(),
            Endpoint::Roce(at) => self.pairs[at as usize].is_unacknowledged(),
            Endpoint::Udp(_) => false,
        }
    }
}

/// Puts a flow where one was before, or behind all others; where that is.
fn put<T>(all: &mut Vec<T>, before: Option<u32>, one: T) -> u32 {
    match before {
        Some(at) => {
            all[at as usize] = one;
            at
        }
        None => {
            all.push(one);
            all.len() as u32 - 1
        }
    }
}

/// The number of a flavour of a protocol.
fn flavour<S: Clone + PartialEq>(known: &mut Vec<S>, wanted: &S) -> u32 {
    let at = known.iter().position(|known| known == wanted);
    let at = at.unwrap_or_else(|| {
        known.push(wanted.clone());
        known.len() - 1
    });
    at as u32
}
