//! The fast Ethernet engine starts every frame at the same instant as the slow, obvious one; drops,
//! deliveries and counts agree too.

mod ethernet_common;

use std::ops::Range;

use ethernet::spec::*;
use ethernet_common::difference;
use oracle::ethernet::{Mix, SCHEMES, Scheme, random_spec};

const NETWORKS: u64 = 21;

/// Datagrams, output queues, stops until cancelled.
fn plain(scheme: Scheme) -> Mix {
    Mix {
        has_inputs: false,
        has_shared: false,
        has_faults: false,
        has_watchdogs: false,
        has_time_outs: false,
        has_blocked: false,
        has_quanta: false,
        has_tcp: false,
        ..Mix::of(scheme)
    }
}

/// Starts compared in networks of these seeds; all must agree.
fn agree(seeds: Range<u64>, mix: Mix) -> usize {
    let compared = |seed| match difference(&random_spec(seed, mix)) {
        Ok(report) => report.starts.len(),
        Err(text) => panic!("seed {seed}, {mix:?}: {text}"),
    };
    seeds.map(compared).sum()
}

/// The same under some schemes, each on networks of its own.
fn under(schemes: &[Scheme], first: u64, change: impl Fn(&mut Mix)) {
    let mut total = 0;
    for (scheme, index) in schemes.iter().zip(0..) {
        let mut mix = plain(*scheme);
        change(&mut mix);
        let first = first + 1_000 * index;
        total += agree(first..first + NETWORKS, mix);
    }
    assert!(total > 10_000, "only {total} starts compared");
}

#[test]
fn they_agree_on_datagrams() {
    under(&SCHEMES, 0, |_| {});
}

#[test]
fn they_agree_on_connections() {
    under(&SCHEMES, 100, |mix| mix.has_tcp = true);
}

#[test]
fn they_agree_on_inputs() {
    under(&[Scheme::Port, Scheme::Class], 200, |mix| {
        mix.has_inputs = true
    });
}

#[test]
fn they_agree_on_shared_memory() {
    under(&[Scheme::Off], 300, |mix| mix.has_shared = true);
}

#[test]
fn they_agree_on_quanta() {
    under(&SCHEMES, 400, |mix| mix.has_quanta = true);
}

#[test]
fn they_agree_on_deaf_nodes_and_storms() {
    under(&SCHEMES, 500, |mix| mix.has_faults = true);
}

#[test]
fn they_agree_on_blocked_shares() {
    let schemes = [Scheme::Destination, Scheme::Drawn];
    under(&schemes, 600, |mix| mix.has_blocked = true);
}

#[test]
fn they_agree_on_time_outs() {
    under(&[Scheme::Port, Scheme::Class], 700, |mix| {
        mix.has_time_outs = true
    });
}

#[test]
fn they_agree_on_lossless_shared_memory() {
    under(&[Scheme::Port, Scheme::Class], 900, |mix| {
        mix.has_shared = true
    });
}

/// The comparison sees a threshold that is wrong by a frame's overhead.
#[test]
fn a_threshold_a_little_too_high_is_seen() {
    let mut seen = 0;
    for seed in 0..NETWORKS {
        let spec = random_spec(seed, plain(Scheme::Port));
        let report = ethernet_common::slow(&spec);
        let mut other = spec.clone();
        for link in &mut other.links {
            for channel in [&mut link.forward, &mut link.backward] {
                let queues = channel.queues.iter_mut();
                queues.for_each(|queue: &mut QueueSpec| {
                    queue.high_bytes = queue.high_bytes.saturating_add(200);
                });
            }
        }
        let (log, _) = ethernet_common::fast(&other);
        seen += u32::from(report.starts != log.starts);
    }
    assert!(seen > 5, "only {seen} of {NETWORKS} differ");
}
