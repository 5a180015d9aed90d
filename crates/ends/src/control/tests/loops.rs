//! Closed loops over one queue: what the schemes are known to settle at.

use alloc::vec::Vec;

use backwater_kernel::{Duration, Rate, Time};

use super::bottleneck::{Bottleneck, Seen};
use crate::control::RateControl;
use crate::spec::rates::{DcqcnProfile, DcqcnSpec, HpccSpec};
use crate::spec::{Notify, RateControlSpec};

const US: u64 = 1_000_000;
const GBPS: u64 = 1_000_000_000;

/// Links of 1 us, packets of 1,000 B and 48 B of headers.
fn net(gbps: u64) -> Bottleneck {
    Bottleneck {
        nic: Rate(gbps * GBPS),
        link: Rate(gbps * GBPS),
        there: Duration(US),
        back: Duration(3 * US),
        payload: 1_000,
        frame: 1_048,
        marking: None,
        notify: Notify::Echo,
    }
}

fn run(net: &Bottleneck, spec: &RateControlSpec, flows: u64, ms: [u64; 2]) -> Seen {
    let make = || RateControl::new(spec, net.nic);
    let mut controls: Vec<RateControl> = (0..flows).map(|_| make()).collect();
    let starts: Vec<Time> = (0..flows).map(|flow| Time(flow * 1_009)).collect();
    let [from, until] = ms.map(|ms| Time(ms * 1_000 * US));
    net.run(&mut controls, &starts, from, until)
}

/// All from line rate at once, nothing that stops them.
fn dcqcn(profile: DcqcnProfile, spec: DcqcnSpec, gbps: u64, flows: u64, ms: [u64; 2]) -> Seen {
    let line = Rate(gbps * GBPS);
    let net = Bottleneck {
        marking: Some(profile.marking(line)),
        notify: spec.notify,
        ..net(gbps)
    };
    run(&net, &RateControlSpec::Dcqcn(spec), flows, ms)
}

fn is_near(found: f64, expected: f64, share: f64) -> bool {
    (found - expected).abs() <= share * expected
}

#[test]
fn dcqcn_of_the_artifact() {
    let profile = DcqcnProfile::Artifact;
    for (flows, queue) in [(2, 207e3), (16, 337e3)] {
        let spec = profile.spec(Rate(100 * GBPS));
        let seen = dcqcn(profile, spec, 100, flows, [50, 90]);
        assert!(is_near(seen.queue, queue, 0.1), "{flows}: {}", seen.queue);
        assert!(seen.total() >= 0.985 * 100e9 && seen.jain() >= 0.996);
    }
}

#[test]
fn dcqcn_of_the_paper() {
    let profile = DcqcnProfile::Paper;
    for (flows, packets) in [(2, 26.0), (10, 153.0)] {
        let spec = profile.spec(Rate(40 * GBPS));
        let seen = dcqcn(profile, spec, 40, flows, [100, 200]);
        let found = seen.queue / 1_048.0;
        assert!(is_near(found, packets, 0.1), "{flows}: {found}");
        assert!(seen.total() >= 0.998 * 40e9);
        // A notification each 50 us at most.
        let most = 200_000 / 50 + 1;
        assert!(seen.notifications.iter().all(|told| *told <= most));
    }
}

/// Two to one at 40 Gb/s; how the destination tells decides the queue.
#[test]
fn dcqcn_of_its_authors_simulator() {
    let profile = DcqcnProfile::Ns3Rdma;
    let at_once = profile.spec(Rate(40 * GBPS));
    let ticks = DcqcnSpec {
        notify: Notify::Tick(Duration(50 * US)),
        ..at_once
    };
    for (spec, queue, used) in [(at_once, 35e3, 0.999), (ticks, 19e3, 0.99)] {
        let seen = dcqcn(profile, spec, 40, 2, [50, 150]);
        assert!(is_near(seen.queue, queue, 0.1), "{}", seen.queue);
        assert!(seen.total() >= used * 40e9, "{}", seen.total());
    }
}

/// A round trip of 12 us, packets with 90 B of headers.
#[test]
fn hpcc_keeps_one_link_at_its_share() {
    let net = Bottleneck {
        there: Duration(2 * US),
        back: Duration(9_748_000),
        frame: 1_090,
        ..net(100)
    };
    let spec = HpccSpec::artifact(net.nic, Duration(12 * US));
    // eta and one R_AI: 40 Mb/s of 100 Gb/s.
    let alone = run(&net, &RateControlSpec::Hpcc(spec), 1, [5, 25]);
    assert!((alone.total() / 100e9 - 0.9504).abs() < 1e-4);
    for flows in [2, 16] {
        let seen = run(&net, &RateControlSpec::Hpcc(spec), flows, [5, 25]);
        let load = seen.total() / 100e9;
        assert!((0.945..=0.955).contains(&load), "{flows}: {load}");
        assert!(seen.queue < 3_000.0, "{flows}: {}", seen.queue);
    }
}

/// Many increases ask for more than eta leaves: then a queue stands, by the closed form.
#[test]
fn hpcc_has_a_standing_queue_where_increases_are_large() {
    let base = Duration(12 * US);
    let net = Bottleneck {
        there: Duration(2 * US),
        back: Duration(9_748_000),
        frame: 1_090,
        ..net(100)
    };
    let flows = 4;
    let spec = HpccSpec {
        additive: Rate(5 * GBPS),
        ..HpccSpec::artifact(net.nic, base)
    };
    let seen = run(&net, &RateControlSpec::Hpcc(spec), flows, [10, 30]);
    let line = net.link.0 as f64;
    let share = flows as f64 * spec.additive.0 as f64 / line;
    let expected = line * base.seconds() / 8.0 * (spec.target_use / (1.0 - share) - 1.0);
    assert!(
        is_near(seen.queue, expected, 0.15),
        "{} for {expected}",
        seen.queue
    );
}
