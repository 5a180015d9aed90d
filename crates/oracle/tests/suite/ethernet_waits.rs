//! Messages that wait for others begin when they do in the slow engine, over TCP, queue pairs and
//! in datagrams.

use backwater_kernel::Duration;
use backwater_net::frames::spec::*;
use backwater_oracle::ethernet::{Mix, Report, SCHEMES, Scheme};

use crate::ethernet_agreement::{bites, plain, seen, under};

fn waits(mix: &mut Mix) {
    (mix.has_tcp, mix.has_waits) = (true, true);
}

#[test]
fn they_agree_on_messages_that_wait() {
    under(&SCHEMES, 31_000, waits);
    under(&[Scheme::Off, Scheme::Class], 34_000, |mix| {
        waits(mix);
        mix.has_pairs = true;
    });
    under(&SCHEMES, 37_000, |mix| {
        waits(mix);
        (mix.has_datagram_waits, mix.has_losses) = (true, true);
    });
}

/// The comparison sees one that waits a nanosecond more, one that waits for nothing, and computing
/// that takes twice as long.
#[test]
fn waits_that_are_a_little_wrong_are_seen() {
    let mut mix = plain(Scheme::Off);
    waits(&mut mix);
    mix.has_pairs = true;
    fn lists(spec: &mut EthernetSpec) -> impl Iterator<Item = &mut MessagesSpec> {
        let traffic = spec.flows.iter_mut().map(|flow| &mut flow.traffic);
        traffic.filter_map(|traffic| match traffic {
            TrafficSpec::Messages(list) => Some(list),
            _ => None,
        })
    }
    let has_waits = |spec: &EthernetSpec, report: &Report| {
        let mut spec = spec.clone();
        let waits = lists(&mut spec).flat_map(|list| list.messages.clone());
        waits.filter(|message| !message.after.is_empty()).count() > 3 && report.starts.len() > 300
    };
    bites(seen(31_000, mix, has_waits, |spec| {
        for list in lists(spec) {
            list.messages[0].think = Duration(list.messages[0].think.ps() + 1_000);
        }
    }));
    let computes = |spec: &EthernetSpec, report: &Report| {
        let mut spec = spec.clone();
        let first = lists(&mut spec).filter_map(|list| list.computes.first().cloned());
        first.count() > 3 && report.starts.len() > 300
    };
    bites(seen(31_000, mix, computes, |spec| {
        for compute in lists(spec).flat_map(|list| &mut list.computes) {
            compute.time = Duration(2 * compute.time.ps());
        }
    }));
    // A frame later that a message of datagrams is whole.
    mix.has_datagram_waits = true;
    bites(seen(37_000, mix, has_waits, |spec| {
        for flow in &mut spec.flows {
            let TransportSpec::Udp { payload_bytes, .. } = flow.transport else {
                continue;
            };
            if let TrafficSpec::Messages(list) = &mut flow.traffic {
                list.messages[0].bytes += u64::from(payload_bytes);
            }
        }
    }));
    bites(seen(31_000, mix, has_waits, |spec| {
        for message in lists(spec).flat_map(|list| &mut list.messages) {
            message.after.clear();
        }
    }));
}
