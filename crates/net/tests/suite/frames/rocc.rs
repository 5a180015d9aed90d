//! RoCC in a network: the fixed points, who is told, and that nothing else is touched.

use backwater_ends::spec::rates::RoccSpec;
use backwater_ends::spec::{RateControlSpec, RoceSpec};
use backwater_kernel::{Duration, Rate, Stop, Time};
use backwater_net::bound::frames::{NoBound, bounds};
use backwater_net::frames::probe::Audit;
use backwater_net::frames::spec::*;
use backwater_net::outcome::Outcome;
use backwater_net::watched;

use crate::frames::common::*;

const GBPS: u64 = 1_000_000_000;

/// A class for data, and a higher one for what speaks of it.
fn net() -> Net {
    Net::new(2, None)
}

/// A link of these Gb/s whose ends state rates, if `point` says so.
fn link(net: &mut Net, a: u32, b: u32, gbps: u64, point: Option<RoccPointSpec>) -> u32 {
    let id = net.link(a, b, gbps * 1_000);
    for channel in &mut net.spec.links[id as usize].channels {
        channel.delay = Duration(1_500_000);
        for queue in &mut channel.queues {
            queue.limit_bytes = None;
        }
        channel.queues[0].rocc = point;
    }
    id
}

fn roce(gbps: u64, recovery: Duration) -> RoceSpec {
    RoceSpec {
        mtu_bytes: 1_000,
        cnp_class: Some(1),
        ack_class: Some(1),
        control: RateControlSpec::Rocc(RoccSpec { recovery }),
        ..RoceSpec::plain(Rate(gbps * GBPS))
    }
}

fn flow(net: &mut Net, (from, to): (u32, u32), roce: &RoceSpec) {
    let traffic = TrafficSpec::Infinite {
        start: Time::ZERO,
        bytes: None,
    };
    net.add(from, to, 0, TransportSpec::Roce(roce.clone()), traffic);
}

/// So many to one.
fn star(hosts: u32, gbps: u64, point: RoccPointSpec) -> Net {
    let mut net = net();
    let switch = net.switch("S");
    let sink = net.station("D");
    link(&mut net, switch, sink, gbps, Some(point));
    for host in 0..hosts {
        let host = net.station(&format!("H{host}"));
        link(&mut net, host, switch, gbps, Some(point));
        flow(
            &mut net,
            (host, sink),
            &roce(gbps, Duration(5 * point.interval.0)),
        );
    }
    net
}

/// With the audit, which finds nothing.
fn run(net: &Net) -> Outcome {
    let (audit, outcome) = watched(&net.spec, Audit::new(&net.spec)).expect("it is sound");
    let broken = audit.checks().violations();
    assert_eq!(broken.total(), 0, "{broken:?}");
    outcome
}

/// Payload of each flow after the warm-up, Gb/s of frames on the wire.
fn rates(net: &Net, outcome: &Outcome) -> Vec<f64> {
    let span = (net.spec.stop_at.ps() - net.spec.warm_up.ps()) as f64 / 1e12;
    let goodput = outcome
        .flows
        .iter()
        .map(|flow| flow.ends.goodput_bytes as f64);
    goodput
        .map(|bytes| bytes * 1_082.0 / 1_000.0 * 8.0 / span / 1e9)
        .collect()
}

#[test]
fn the_queue_rests_at_the_reference_and_rates_are_equal() {
    for (hosts, gbps) in [(2, 40), (10, 40), (3, 10), (10, 100)] {
        let point = RoccPointSpec::of(Rate(gbps * GBPS));
        let mut net = star(hosts, gbps, point);
        net.spec.warm_up = Time(20 * MS);
        net.spec.stop_at = Time(24 * MS);
        let outcome = run(&net);
        let queue_kb = outcome.channels[0].by_class.queues[0].mean_bytes / 1e3;
        let reference = point.reference_bytes as f64 / 1e3;
        assert!(
            (queue_kb / reference - 1.0).abs() < 0.03,
            "{hosts} {gbps}: {queue_kb} kB"
        );
        for rate in rates(&net, &outcome) {
            let share = gbps as f64 / f64::from(hosts);
            assert!(
                (rate / share - 1.0).abs() < 0.02,
                "{hosts} {gbps}: {rate} Gb/s"
            );
        }
    }
}

/// A0 to A4 at 10 Gb/s behind S0, B0 to B5 behind S1, 40 Gb/s between: D0 crosses both bottlenecks.
#[test]
fn two_bottlenecks_give_what_max_min_gives() {
    let mut net = net();
    let (left, right) = (net.switch("S0"), net.switch("S1"));
    let point = |gbps: u64| Some(RoccPointSpec::of(Rate(gbps * GBPS)));
    let between = RoccPointSpec {
        most: Rate(40 * GBPS),
        ..RoccPointSpec::of(Rate(40 * GBPS))
    };
    link(&mut net, left, right, 40, Some(between));
    let side = |net: &mut Net, switch, name: &str| {
        let host = net.station(name);
        link(net, host, switch, 10, point(10));
        host
    };
    let a: Vec<u32> = (0..5)
        .map(|i| side(&mut net, left, &format!("A{i}")))
        .collect();
    let b: Vec<u32> = (0..6)
        .map(|i| side(&mut net, right, &format!("B{i}")))
        .collect();
    let roce = roce(10, Duration(500 * US));
    (0..5).for_each(|i| flow(&mut net, (a[i], b[i]), &roce));
    flow(&mut net, (b[5], b[0]), &roce);
    net.spec.warm_up = Time(30 * MS);
    net.spec.stop_at = Time(40 * MS);
    let outcome = run(&net);
    let rates = rates(&net, &outcome);
    for (rate, expected) in rates.iter().zip([5.0, 8.75, 8.75, 8.75, 8.75, 5.0]) {
        assert!((rate / expected - 1.0).abs() < 0.02, "{rates:?}");
    }
}

/// What ends, ends: the timers of congestion points keep nothing going.
#[test]
fn a_network_with_congestion_points_drains() {
    let mut net = star(4, 40, RoccPointSpec::of(Rate(40 * GBPS)));
    for flow in &mut net.spec.flows {
        flow.traffic = TrafficSpec::Infinite {
            start: Time::ZERO,
            bytes: Some(2_000_000),
        };
    }
    net.spec.warm_up = Time::ZERO;
    let outcome = run(&net);
    assert_eq!(outcome.stop, Stop::Drained);
    assert!(outcome.ended_at < Time(20 * MS), "{:?}", outcome.ended_at);
    for flow in &outcome.flows {
        assert_eq!(flow.ends.goodput_bytes, 2_000_000);
        assert_eq!((flow.lost_total, flow.inside_total), (0, 0));
        assert_eq!(flow.offered_total, flow.delivered_total);
    }
}

/// Who does not listen is not told, and takes what it takes: the others share what is left.
#[test]
fn datagrams_are_told_nothing() {
    let mut net = star(2, 40, RoccPointSpec::of(Rate(40 * GBPS)));
    let host = net.station("U");
    link(&mut net, host, 0, 40, None);
    let at = net.udp(host, 1, 1_000, constant(10_000.0));
    net.spec.warm_up = Time(20 * MS);
    net.spec.stop_at = Time(24 * MS);
    let outcome = run(&net);
    let queue_kb = outcome.channels[0].by_class.queues[0].mean_bytes / 1e3;
    assert!((queue_kb / 150.0 - 1.0).abs() < 0.04, "{queue_kb} kB");
    let datagrams = &outcome.flows[at as usize];
    assert_eq!(
        datagrams.offered_total,
        datagrams.delivered_total + datagrams.inside_total
    );
    let rates = rates(&net, &outcome);
    let left = (40.0 - 10.0 * 1_066.0 / 1_000.0) / 2.0;
    for rate in &rates[..2] {
        assert!((rate / left - 1.0).abs() < 0.02, "{rates:?}");
    }
}

/// Where messages find no room, they are lost, and counted as that.
#[test]
fn messages_that_find_no_room_are_lost() {
    let mut net = star(2, 40, RoccPointSpec::of(Rate(40 * GBPS)));
    for link in &mut net.spec.links[1..] {
        // Toward the sources.
        link.channels[1].queues[1].limit_bytes = Some(70);
    }
    net.spec.warm_up = Time::ZERO;
    net.spec.stop_at = Time(2 * MS);
    let outcome = run(&net);
    let lost: u64 = outcome.flows.iter().map(|flow| flow.lost_total).sum();
    assert!(lost > 50, "{lost}");
}

/// Congestion points below PFC: the messages of a switch are nobody's input.
#[test]
fn under_priority_flow_control_nothing_is_lost() {
    let pfc = BackPressureSpec::pfc(1);
    let mut net = star(10, 40, RoccPointSpec::of(Rate(40 * GBPS)));
    for node in &mut net.spec.nodes {
        if let NodeKind::Switch(switch) = &mut node.kind {
            switch.stops.common = Some(pfc);
        }
    }
    for link in &mut net.spec.links[1..] {
        let input = InputSpec {
            high_bytes: 50_000,
            low_bytes: 48_000,
            limit_bytes: Some(150_000),
        };
        link.channels[0].inputs = vec![input; 2];
    }
    net.spec.warm_up = Time::ZERO;
    net.spec.stop_at = Time(4 * MS);
    let outcome = run(&net);
    let lost: u64 = outcome.flows.iter().map(|flow| flow.lost_total).sum();
    assert_eq!(lost, 0);
    let most = outcome.channels[0].by_class.queues[0].most_bytes;
    assert!((150_000..700_000).contains(&most), "{most}");
}

/// Four hosts at one switch, two switches on the way to the sink, of which frames and answers of a
/// flow take one each: of what the other one states, nothing else is on its way.
fn two_ways(spread: Spread) -> Net {
    let mut net = net();
    let (near, far) = (net.switch("L0"), net.switch("L1"));
    let point = RoccPointSpec {
        reference_bytes: 10_000,
        ..RoccPointSpec::of(Rate(10 * GBPS))
    };
    for name in ["S0", "S1"] {
        let spine = net.switch(name);
        link(&mut net, near, spine, 40, None);
        link(&mut net, spine, far, 10, Some(point));
    }
    let sink = net.station("D");
    link(&mut net, far, sink, 40, None);
    for host in 0..8 {
        let host = net.station(&format!("H{host}"));
        link(&mut net, host, near, 10, None);
        flow(&mut net, (host, sink), &roce(10, Duration(500 * US)));
    }
    net.spec.rules.spread = spread;
    net.spec.warm_up = Time::ZERO;
    net.spec.stop_at = Time(3 * MS);
    net
}

/// Does each flow send, and less than its port could?
fn all_obey(net: &Net, outcome: &Outcome) {
    for rate in rates(net, outcome) {
        assert!((0.01..8.0).contains(&rate), "{rate} Gb/s");
    }
}

/// What a switch states takes lanes of its own where flows or stations have credit for themselves,
/// also on ways that nothing else of the flow takes.
#[test]
fn messages_have_credit_of_flows_and_stations() {
    for spread in [Spread::Flows, Spread::Frames] {
        for owner in [Owner::Class, Owner::Destination, Owner::Flow] {
            let mut net = two_ways(spread);
            let credit = ClassCreditSpec {
                owner,
                unit_bytes: 1_200,
                overhead_bytes: 0,
                rule: ClassCreditRule::Zones(CreditSpec::n23(4, 40, Duration(4 * US))),
            };
            // Between switches, of which the first four are.
            for link in net
                .spec
                .links
                .iter_mut()
                .filter(|it| it.ends.iter().all(|node| *node < 4))
            {
                for channel in &mut link.channels {
                    channel.credits = vec![Some(credit); 2];
                }
            }
            let outcome = run(&net);
            all_obey(&net, &outcome);
            let lost: u64 = outcome.flows.iter().map(|flow| flow.lost_total).sum();
            assert_eq!(lost, 0, "{spread:?} {owner:?}");
        }
    }
}

/// The same where stations are stopped one by one.
#[test]
fn messages_go_where_stations_are_stopped() {
    for spread in [Spread::Flows, Spread::Frames] {
        let mut net = two_ways(spread);
        let rules = BackPressureSpec {
            select: Select::Destination(Choose::AllFound),
            ..simple()
        };
        for node in &mut net.spec.nodes {
            if let NodeKind::Switch(switch) = &mut node.kind {
                switch.stops.common = Some(rules);
            }
        }
        for link in &mut net.spec.links {
            for queue in link.channels.iter_mut().flat_map(|it| &mut it.queues) {
                (queue.high_bytes, queue.low_bytes) = (60_000, 50_000);
            }
        }
        let outcome = run(&net);
        all_obey(&net, &outcome);
        let stops: u64 = outcome
            .channels
            .iter()
            .map(|own| own.by_class.stops_sent)
            .sum();
        assert!(stops > 0, "{spread:?}");
    }
}

/// What switches state goes ways of its own: no bound knows it, not of what is paced either.
#[test]
fn where_switches_state_rates_nothing_is_bounded() {
    let mut net = star(2, 40, RoccPointSpec::of(Rate(40 * GBPS)));
    for flow in &mut net.spec.flows {
        if let TransportSpec::Roce(roce) = &mut flow.transport {
            (roce.ack_class, roce.cnp_class) = (None, None);
        }
    }
    assert_eq!(bounds(&net.spec), [Err(NoBound::SourceControl); 2]);
}
