//! Collective operations on a star: closed forms of when they are over.

use backwater_ends::spec::RoceSpec;
use backwater_ends::spec::collectives::{Collective, lanes};
use backwater_ends::spec::messages::MessagesSpec;
use backwater_kernel::{Duration, Rate, Rings, Time};
use backwater_net::Simulation;
use backwater_net::frames::spec::*;

use crate::frames::common::*;

const GBPS: u64 = 1_000_000_000;
const MB: u64 = 1_000_000;

/// Hosts at 100 Gbps around a switch, 1 us away from it.
fn star(ranks: u32) -> Net {
    let mut net = Net::new(1, None);
    let switch = net.switch("S");
    for host in 0..ranks {
        let host = net.station(&format!("H{host}"));
        let link = net.link(host, switch, 100_000);
        for channel in &mut net.spec.links[link as usize].channels {
            channel.delay = Duration(US);
            channel.queues[0].limit_bytes = None;
        }
    }
    net.spec.stop_at = Time(1_000 * MS);
    net
}

/// So that a full packet is 1,068 bytes on the wire.
fn roce() -> RoceSpec {
    RoceSpec {
        mtu_bytes: 1_000,
        ..RoceSpec::plain(Rate(100 * GBPS))
    }
}

fn add(net: &mut Net, operation: Collective, ranks: u32, bytes: u64) {
    let lanes = lanes(operation, (ranks, bytes), (1, Duration::ZERO), 0).expect("it is sound");
    for lane in lanes {
        let list = MessagesSpec {
            start: Time::ZERO,
            messages: lane.messages,
        };
        let transport = TransportSpec::Roce(roce());
        net.add(1 + lane.from, 1 + lane.to, 0, transport, TrafficSpec::Messages(list));
    }
}

/// When the last message is in, us, and bytes that came.
fn end_us(net: &Net) -> (f64, u64) {
    let mut run = Simulation::<Rings>::new(&net.spec).expect("it is sound");
    run.run();
    let outcome = run.outcome();
    let flows = || outcome.flows.iter().map(|flow| &flow.ends);
    for ends in flows() {
        assert_eq!(ends.transfers_planned, Some(ends.transfers_total));
    }
    let last = flows().map(|ends| ends.last_transfer.ps()).max();
    (last.unwrap_or(0) as f64 / 1e6, flows().map(|ends| ends.goodput_bytes).sum())
}

fn took(operation: Collective, ranks: u32, bytes: u64) -> (f64, u64) {
    let mut net = star(ranks);
    add(&mut net, operation, ranks, bytes);
    end_us(&net)
}

#[test]
fn print_them() {
    for (operation, wanted) in [
        (Collective::RingAllReduce, 9_598.48),
        (Collective::HalvingDoublingAllReduce, 9_581.79),
        (Collective::PairwiseAllToAll, 4_799.24),
        (Collective::TreeAllReduce, 32_821.47),
    ] {
        println!("{operation:?} {:?} {wanted}", took(operation, 8, 64 * MB));
    }
    println!("{:?} 30.39", took(Collective::RingAllReduce, 8, 8_000));
}
