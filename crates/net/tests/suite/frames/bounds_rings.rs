//! Delay bounds where an input stores some frames and cuts others through, and where ports depend
//! on each other in a ring.

use crate::frames::bounds::{longest, paced};
use crate::frames::bounds_shares::CLOCK;
use crate::frames::common::*;
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::bound::frames::{NoBound, bounds, why_none};
use backwater_net::frames::spec::*;

const PAYLOAD: u32 = 1_472;
/// Of a frame of that at 1 Gbps.
const WIRE: u64 = 12_304_000;

/// `a` sends to A and B at once, and to A alone; `c` to A. The link to B is faster than that from
/// `a`, so the first frame is stored, and the header of the second comes right behind its last bit.
fn stored_and_cut(scheduler: SchedulerSpec, classes: usize) -> EthernetSpec {
    let mut net = Net::new(classes, None);
    let switch = net.switch("S");
    let [a, c, near, fast] = ["a", "c", "A", "B"].map(|name| {
        let host = net.station(name);
        net.link(host, switch, if name == "B" { 10_000 } else { 1_000 });
        host
    });
    let class = classes as u8 - 1;
    let transport = TransportSpec::Udp {
        payload_bytes: PAYLOAD,
        has_rtp: false,
        is_ect: false,
    };
    let many = net.add(a, near, class, transport.clone(), paced(0, PAYLOAD));
    net.spec.flows[many as usize].others = vec![fast];
    net.add(a, near, class, transport.clone(), paced(0, PAYLOAD));
    net.add(
        c,
        near,
        class,
        transport.clone(),
        paced(12_400_000, PAYLOAD),
    );
    if classes > 1 {
        net.add(fast, near, 0, transport, paced(24_000_000, PAYLOAD));
    }
    let NodeKind::Switch(own) = &mut net.spec.nodes[switch as usize].kind else {
        panic!("the first node is the switch");
    };
    own.forwarding = Forwarding::CutThrough;
    for link in &mut net.spec.links {
        for channel in &mut link.channels {
            (channel.delay, channel.scheduler) = (Duration(1), scheduler);
        }
    }
    (net.spec.stop_at, net.spec.warm_up) = (Time(3 * MS), Time::ZERO);
    net.spec
}

#[test]
fn one_that_is_cut_through_may_come_right_behind_one_that_is_stored() {
    for scheduler in [
        SchedulerSpec::StrictPriority,
        SchedulerSpec::Fifo,
        SchedulerSpec::Drr { quantum_bytes: 1 },
        SchedulerSpec::Wfq,
        CLOCK,
        SchedulerSpec::Scfq,
        SchedulerSpec::Sfq,
    ] {
        for classes in [1, 2] {
            let spec = stored_and_cut(scheduler, classes);
            let (seen, found) = (longest(&spec), bounds(&spec));
            for (flow, (seen, bound)) in seen.iter().zip(&found).enumerate() {
                let bound = bound.expect("a bound").delay.ps();
                assert!(*seen <= bound, "{scheduler:?} {flow}: {seen} of {bound}");
            }
            // Without that one frame the bound would be broken.
            let late = found[2].expect("a bound").delay.ps();
            if classes == 1 {
                assert!(
                    seen[2] > late - WIRE,
                    "{scheduler:?}: {} of {late}",
                    seen[2]
                );
            }
        }
    }
}

/// Hosts at a ring of switches, from each of which `flows` go to the one `hops` further on; all
/// together they load each link to this part of a hundred.
fn ring(switches: u32, hops: u32, flows: u32, percent: u64) -> EthernetSpec {
    let mut net = Net::new(1, None);
    let row: Vec<u32> = (0..switches)
        .map(|at| net.switch(&format!("S{at}")))
        .collect();
    for at in 0..switches {
        net.link(row[at as usize], row[((at + 1) % switches) as usize], 1_000);
    }
    let mut hosts = Vec::new();
    for at in 0..switches {
        let host = net.station(&format!("H{at}"));
        net.link(host, row[at as usize], 1_000);
        hosts.push(host);
    }
    let bps = 10 * MBPS * percent * u64::from(PAYLOAD) / 1_538 / u64::from(hops * flows);
    for at in 0..switches {
        for _ in 0..flows {
            let traffic = TrafficSpec::Constant {
                start: Time::ZERO,
                rate: Rate(bps),
                random_phase: false,
            };
            let to = hosts[((at + hops) % switches) as usize];
            net.udp(hosts[at as usize], to, PAYLOAD, traffic);
        }
    }
    for link in &mut net.spec.links {
        for channel in &mut link.channels {
            channel.queues[0].limit_bytes = None;
        }
    }
    net.spec
}

#[test]
fn flows_of_a_ring_are_without_bound_each_for_its_own_reason() {
    for (percent, flows, is_circle) in [(97, 8, true), (101, 2, false)] {
        let spec = ring(9, 4, flows, percent);
        for (flow, found) in bounds(&spec).into_iter().enumerate() {
            // Its first port between switches.
            let channel = 2 * (flow as u32 / flows);
            let own = match is_circle {
                true => NoBound::Circle { channel },
                false => NoBound::Overload { channel },
            };
            assert_eq!(found, Err(own), "{percent} %, flow {flow}");
        }
    }
    assert!(bounds(&ring(9, 4, 2, 60)).iter().all(Result::is_ok));
}

#[test]
fn a_flow_that_waits_for_others_says_what_the_first_of_them_lacks() {
    let mut net = Net::new(1, None);
    let row = ["R", "S", "T"].map(|name| net.switch(name));
    net.link(row[0], row[1], 1_000);
    net.link(row[1], row[2], 1_000);
    let hosts = [0, 0, 1, 2, 2].map(|at: usize| {
        let host = net.station("H");
        net.link(host, row[at], 1_000);
        host
    });
    net.udp(hosts[0], hosts[2], PAYLOAD, endless());
    net.udp(hosts[1], hosts[3], PAYLOAD, paced(0, PAYLOAD));
    net.udp(hosts[2], hosts[4], PAYLOAD, paced(0, PAYLOAD));
    let found = bounds(&net.spec);
    let why = |flow| {
        let names = (|port| format!("port {port}"), |flow| format!("f{flow}"));
        why_none(&found, flow, names.0, names.1).expect("no bound")
    };
    assert_eq!(why(0), "it sends as fast as it can");
    assert_eq!(
        why(1),
        "on port 0 it may wait for f0, which has no bound: it sends as fast as it can"
    );
    assert_eq!(
        why(2),
        "on port 2 it may wait for f1, which has no bound, as f0 has none: it sends as fast as it \
         can"
    );
    assert!(found[0].is_err_and(|reason| reason.is_of_source()));
    assert!(!found[1].is_err_and(|reason| reason.is_of_source()));
}
