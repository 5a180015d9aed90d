//! What a workload asks of hosts, drawn or listed.

use std::collections::BTreeMap;
use std::ops::Range;

use backwater_kernel::Time;
use backwater_net::frames::spec::TransportSpec;

use super::flow_list::Arrival;
use super::offers::{self, Listed, Matrix, Offer, Way};
use super::workloads::Rates;
use crate::prelude::*;

/// What a workload asks of hosts.
#[derive(Default)]
pub(crate) struct Asked {
    /// By host: payload that it is to send, and that comes to it, bits a second; and while.
    pub(super) sent: Vec<(u32, f64, (Time, Time))>,
    pub(super) received: Vec<(u32, f64, (Time, Time))>,
    /// From each of some hosts to each of others: the product; nothing where flows are listed.
    pub(super) pairs: Option<((Rates, Rates), (Time, Time))>,
    pub(super) mean_bytes: f64,
    /// Share of its link that a host is to send.
    pub(super) share: f64,
    pub(super) at: Option<At>,
}

impl Asked {
    /// The same on the wire, with the acknowledgements that it brings.
    pub(crate) fn offers(
        &self,
        framed: (&TransportSpec, bool),
        sizes: &[u64],
    ) -> impl Iterator<Item = Offer> {
        let (data, acks) = offers::per_payload(framed, (sizes, self.mean_bytes.max(1.0)));
        let offer = move |way: Way, factor: f64| {
            move |(host, bits, span): &(u32, f64, (Time, Time))| {
                Some(Offer {
                    place: *host,
                    way,
                    before: None,
                    span: *span,
                    bits_per_second: bits * factor,
                    at: self.at.clone()?,
                })
            }
        };
        let sent = self.sent.iter().filter_map(offer(Way::Out, data));
        // What a host has no room for on its link comes to nobody.
        let carried = 1.0 / (self.share * data).max(1.0);
        let received = self
            .received
            .iter()
            .filter_map(offer(Way::In, data * carried));
        let acked = self.received.iter().filter_map(offer(Way::Out, acks));
        let learned = self.sent.iter().filter_map(offer(Way::In, acks));
        sent.chain(received).chain(acked).chain(learned)
    }

    /// From which hosts to which, on the wire; acknowledgements go the other way.
    pub(crate) fn matrices(
        &self,
        framed: (&TransportSpec, bool),
        sizes: &[u64],
    ) -> impl Iterator<Item = Matrix> {
        let (data, acks) = offers::per_payload(framed, (sizes, self.mean_bytes.max(1.0)));
        // What a host has no room for on its link comes to no switch.
        let carried = 1.0 / (self.share * data).max(1.0);
        let scaled = |rates: &Rates, factor: f64| {
            let rates = rates.iter();
            rates.map(|(host, bits)| (*host, bits * factor)).collect()
        };
        let pairs = self.pairs.iter().zip(&self.at);
        pairs.flat_map(move |(((from, to), span), at)| {
            let matrix = |from: &Rates, to: &Rates, factor: f64| Matrix {
                from: scaled(from, factor),
                to: to.clone(),
                span: *span,
                at: at.clone(),
            };
            [
                matrix(from, to, data * carried),
                matrix(to, from, acks * carried),
            ]
        })
    }

    /// The flows, where they are listed.
    pub(crate) fn listing(
        &self,
        framed: (&TransportSpec, bool),
        sizes: &[u64],
        flows: Range<usize>,
    ) -> Option<Listed> {
        let (expansion, _) = offers::per_payload(framed, (sizes, self.mean_bytes.max(1.0)));
        let at = self.at.clone().filter(|_| self.pairs.is_none())?;
        Some(Listed {
            flows,
            expansion,
            at,
        })
    }
}

/// Of flows that are listed, added in the order in which they begin: what each host sends and gets.
#[derive(Default)]
pub(crate) struct Sums {
    sent: BTreeMap<u32, Sum>,
    received: BTreeMap<u32, Sum>,
    bytes: f64,
    flows: u64,
}

/// The flows of a host: when the first and the last began, their bytes, and those but for the last.
#[derive(Clone, Copy)]
struct Sum {
    first: Time,
    last: Time,
    before: u64,
    bytes: u64,
}

impl Sum {
    fn add(all: &mut BTreeMap<u32, Sum>, host: u32, flow: &Arrival) {
        let sum = all.entry(host).or_insert(Sum {
            first: flow.at,
            last: flow.at,
            before: 0,
            bytes: 0,
        });
        (sum.last, sum.before) = (flow.at, sum.bytes);
        sum.bytes = sum.bytes.saturating_add(flow.bytes);
    }

    /// The mean rate from the first flow to the last, or to the end of the run if that is less.
    /// Flows that begin together are a burst, and have no rate.
    fn rate(&self, stop_at: Time) -> f64 {
        let rate = |bytes: u64, to: Time| match to.ps().saturating_sub(self.first.ps()) {
            0 => 0.0,
            ps => bytes as f64 * 8e12 / ps as f64,
        };
        rate(self.before, self.last).min(rate(self.bytes, stop_at))
    }
}

impl Sums {
    pub(crate) fn add(&mut self, flow: &Arrival) {
        Sum::add(&mut self.sent, flow.from, flow);
        Sum::add(&mut self.received, flow.to, flow);
        self.bytes += flow.bytes as f64;
        self.flows += 1;
    }

    /// Hosts that send.
    pub(crate) fn sources(&self) -> impl Iterator<Item = u32> + '_ {
        self.sent.keys().copied()
    }

    /// Bytes of all flows.
    pub(crate) const fn bytes(&self) -> f64 {
        self.bytes
    }

    /// What they ask of links.
    pub(crate) fn asked(&self, stop_at: Time, at: &At) -> Asked {
        let by = |sums: &BTreeMap<u32, Sum>| {
            let sums = sums.iter();
            let rates = sums.map(|(host, sum)| (*host, sum.rate(stop_at), (sum.first, stop_at)));
            rates.collect()
        };
        Asked {
            sent: by(&self.sent),
            received: by(&self.received),
            pairs: None,
            mean_bytes: self.bytes / self.flows.max(1) as f64,
            share: 0.0,
            at: Some(at.clone()),
        }
    }
}
