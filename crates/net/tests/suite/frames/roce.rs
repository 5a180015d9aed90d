//! Queue pairs under a rate control: what a switch's queue, the rates and the ends come to.

use backwater_ends::spec::rates::DcqcnProfile;
use backwater_ends::spec::{RateControlSpec, RoceSpec};
use backwater_kernel::{Duration, Rate, Rings, Time};
use backwater_net::Simulation;
use backwater_net::frames::spec::*;
use backwater_net::outcome::Outcome;

use crate::frames::common::*;

const GBPS: u64 = 1_000_000_000;

/// Hosts of this rate around a switch, one receives from all others.
fn star(hosts: u32, gbps: u64, marking: Option<EcnSpec>) -> Net {
    let mut net = Net::new(1, None);
    let switch = net.switch("S");
    for host in 0..=hosts {
        let host = net.station(&format!("H{host}"));
        let link = net.link(host, switch, gbps * 1_000);
        let link = &mut net.spec.links[link as usize];
        for channel in &mut link.channels {
            channel.delay = Duration(US);
            channel.queues[0].limit_bytes = None;
            channel.queues[0].ecn = marking;
        }
    }
    net
}

/// All to the last host.
fn to_one(net: &mut Net, hosts: u32, roce: &RoceSpec, bytes: Option<u64>) {
    for host in 0..hosts {
        let start = Time::ZERO;
        let traffic = TrafficSpec::Infinite { start, bytes };
        let transport = TransportSpec::Roce(roce.clone());
        net.add(1 + host, 1 + hosts, 0, transport, traffic);
    }
}

fn dcqcn(profile: DcqcnProfile, line: Rate) -> (RoceSpec, EcnSpec) {
    let marking = profile.marking(line);
    let control = RateControlSpec::Dcqcn(profile.spec(line));
    let ecn = EcnSpec {
        low_bytes: marking.least_bytes,
        high_bytes: marking.most_bytes,
        probability: marking.probability,
        at: MarkAt::Leave,
    };
    let roce = RoceSpec {
        mtu_bytes: 1_000,
        notify: control.notify(),
        is_ect: true,
        control,
        ..RoceSpec::plain(line)
    };
    (roce, ecn)
}

struct Found {
    queue_kb: f64,
    used: f64,
    jain: f64,
    last_ms: f64,
}

fn found(net: &Net) -> Found {
    let mut run = Simulation::<Rings>::new(&net.spec).expect("it is sound");
    run.run();
    let outcome: Outcome = run.outcome();
    let last = outcome.channels.len() - 1;
    let port = &outcome.channels[last];
    let rates: Vec<f64> = outcome
        .flows
        .iter()
        .map(|f| f.ends.goodput_bytes as f64)
        .collect();
    let sum: f64 = rates.iter().sum();
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    let ends = outcome
        .flows
        .iter()
        .map(|flow| flow.ends.last_transfer.ps());
    Found {
        queue_kb: port.by_class.queues[0].mean_bytes / 1e3,
        used: port.data_share,
        jain: sum * sum / squares / rates.len() as f64,
        last_ms: ends.max().unwrap_or(0) as f64 / 1e9,
    }
}

#[test]
fn print() {
    for (profile, gbps, from, to) in [
        (DcqcnProfile::Artifact, 100, 50, 200),
        (DcqcnProfile::Paper, 40, 100, 400),
    ] {
        for hosts in [2, 4, 8, 16] {
            for seed in 1..=1 {
                let line = Rate(gbps * GBPS);
                let (roce, ecn) = dcqcn(profile, line);
                let mut net = star(hosts, gbps, Some(ecn));
                to_one(&mut net, hosts, &roce, None);
                net.spec.seed = seed;
                net.spec.warm_up = Time(from * MS);
                net.spec.stop_at = Time(to * MS);
                let found = found(&net);
                println!(
                    "{profile:?} {hosts} {seed}: {:.1} kB {:.4} {:.4}",
                    found.queue_kb, found.used, found.jain
                );
            }
        }
    }
    let line = Rate(100 * GBPS);
    let (roce, ecn) = dcqcn(DcqcnProfile::Artifact, line);
    let mut net = star(8, 100, Some(ecn));
    to_one(&mut net, 8, &roce, Some(2_000_000));
    net.spec.warm_up = Time::ZERO;
    net.spec.stop_at = Time(20 * MS);
    println!("8 x 2 MB: {:.3} ms", found(&net).last_ms);
}
