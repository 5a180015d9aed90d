//! Asynchronous traffic shaping in the engine: units start at the very instant they may.

use crate::common;

use backwater_kernel::{Duration, Rate, Rings, Time};
use backwater_net::Simulation;
use backwater_net::outcome::LossCause;
use backwater_net::spec::*;
use common::*;

/// A rate at which a cell takes `cells` cell times (to the nearest bit per second).
fn every(cells: u64) -> Option<ReserveSpec> {
    Some(ReserveSpec {
        rate: Rate(RATE.0 / cells),
        interval: None,
        burst_bytes: None,
        offset: Duration::ZERO,
        deadline: None,
    })
}

fn tick(cells: u64) -> Duration {
    Rate(RATE.0 / cells).tick(BYTES as u64)
}

/// `total` units from `start` on, 1 ps apart.
fn burst(start: Time, total: u64) -> TrafficSpec {
    TrafficSpec::Constant {
        start,
        interval: Duration(1),
        random_phase: false,
        total: Some(total),
    }
}

/// A host whose port shapes, and flows to the other end: what each reserves and sends.
fn one_port(max_residence: Option<Duration>, flows: &[(Option<ReserveSpec>, TrafficSpec)]) -> Net {
    let mut net = Net::new(Timing::StoreAndForward, cells(1), at(2000));
    let (a, b) = (net.node("A", NodeKind::Host), net.node("B", NodeKind::Host));
    let link = net.link(a, b);
    net.spec.links[0].channels[0].scheduler = SchedulerSpec::Ats { max_residence };
    for (reserve, traffic) in flows {
        let flow = net.flow(a, &[link], FlowControlSpec::None);
        net.spec.flows[flow].reserve = *reserve;
        net.spec.flows[flow].traffic = traffic.clone();
    }
    net
}

#[test]
fn a_held_unit_starts_at_the_instant_it_is_eligible() {
    let net = one_port(None, &[(every(10), burst(at(3), 4))]);
    let (log, outcome) = observe(&net.spec);
    let expected: Vec<Time> = (0..4).map(|unit| at(3) + tick(10) * unit).collect();
    assert_eq!(log.times(0), expected);
    assert_eq!(outcome.flows[0].delivered_total, 4);
}

#[test]
fn a_burst_passes_at_once_and_the_rest_at_the_rate() {
    let mut reserve = every(10);
    reserve.as_mut().expect("it reserves").burst_bytes = Some(3 * BYTES as u64);
    let net = one_port(None, &[(reserve, burst(Time::ZERO, 5))]);
    let (log, _) = observe(&net.spec);
    let rate = Rate(RATE.0 / 10);
    let tolerance = Duration(rate.tick(3 * BYTES as u64).ps() - tick(10).ps());
    // TAT is 3, then 4 ticks when the fourth and the fifth come.
    let fourth = Time::ZERO + Duration((tick(10) * 3).ps() - tolerance.ps());
    let expected = [at(0), at(1), at(2), fourth, fourth + tick(10)];
    assert_eq!(log.times(0), expected);
}

#[test]
fn a_unit_that_becomes_eligible_while_another_is_sent_starts_behind_it() {
    let datagram = (None, burst(Time(at(10).ps() - halves(1).ps()), 1));
    let net = one_port(None, &[(every(10), burst(Time::ZERO, 2)), datagram]);
    let (log, _) = observe(&net.spec);
    // Eligible at 10 cells, in the middle of the datagram.
    let from = Time(at(10).ps() - halves(1).ps());
    assert_eq!(log.times(1), [from]);
    assert_eq!(log.times(0), [Time::ZERO, from + cell()]);
}

#[test]
fn an_earlier_eligibility_overtakes_the_one_the_port_waits_for() {
    // A: its second unit is held until 100. B comes at 50 and is held from there until 60.
    let flows = [
        (every(100), burst(Time::ZERO, 2)),
        (every(10), burst(at(50), 2)),
    ];
    let (log, _) = observe(&one_port(None, &flows).spec);
    assert_eq!(log.times(0), [Time::ZERO, Time::ZERO + tick(100)]);
    assert_eq!(log.times(1), [at(50), at(50) + tick(10)]);
}

#[test]
fn a_greedy_source_gets_its_rate_and_datagrams_the_rest() {
    let greedy = TrafficSpec::Greedy {
        start: Time::ZERO,
        total: None,
    };
    let alone = one_port(None, &[(every(4), greedy.clone())]);
    let (log, outcome) = observe(&alone.spec);
    assert!(
        log.times(0)
            .windows(2)
            .all(|two| two[1] - two[0] == tick(4))
    );
    assert_eq!(outcome.channels[0].data_units, 500);
    let both = one_port(None, &[(every(4), greedy.clone()), (None, greedy)]);
    let (log, outcome) = observe(&both.spec);
    assert_eq!(outcome.channels[0].data_units, 2001);
    // Late by one datagram at most, and that is not made up for.
    let share = log.times(0).len();
    assert!((400..=500).contains(&share), "{share}");
}

#[test]
fn a_unit_that_would_be_held_too_long_is_dropped() {
    let longest = Some(tick(10) * 2);
    let net = one_port(longest, &[(every(10), burst(Time::ZERO, 6))]);
    let (log, outcome) = observe(&net.spec);
    // Units 1 to 5 come at 1 to 5 ps; unit 3 would wait 3 ticks.
    let numbers: Vec<u64> = log.of_leg(0).iter().map(|(_, number)| *number).collect();
    assert_eq!(numbers, [0, 1, 2]);
    let drops = outcome.flows[0].drops;
    assert_eq!(drops.by(LossCause::Residence), 3);
    assert_eq!(drops.total(), outcome.flows[0].lost_total);
    assert!(log.losses.iter().all(|(lost, _)| lost.value >= 3));
}

#[test]
fn a_greedy_source_before_a_maximum_residence_is_refused() {
    let net = one_port(Some(cells(1)), &[(every(10), greedy())]);
    assert!(Simulation::<Rings>::new(&net.spec).is_err());
}

/// Flows over two hosts and one switch; the way out shapes.
fn behind_a_switch(hosts: &[usize], flows: &[(u64, TrafficSpec)]) -> Net {
    let mut net = Net::new(Timing::StoreAndForward, cells(1), at(2000));
    let (s, out) = (
        net.node("S", NodeKind::Switch),
        net.node("F", NodeKind::Host),
    );
    let last = net.link(s, out);
    net.spec.links[0].channels[0].scheduler = SchedulerSpec::Ats {
        max_residence: None,
    };
    let ports: Vec<(u32, u32)> = (0..2)
        .map(|host| {
            let host = net.node(&format!("H{host}"), NodeKind::Host);
            (host, net.link(host, s))
        })
        .collect();
    for (host, (slowness, traffic)) in hosts.iter().zip(flows) {
        let (host, first) = ports[*host];
        let flow = net.flow(host, &[first, last], FlowControlSpec::None);
        net.spec.flows[flow].reserve = every(*slowness);
        net.spec.flows[flow].traffic = traffic.clone();
    }
    net
}

#[test]
fn flows_over_one_channel_keep_their_order_and_others_do_not_wait() {
    let flows = [(50, burst(Time::ZERO, 2)), (50, burst(at(2), 1))];
    // B's unit comes over A's channel, behind one that is held: so it is held too.
    let (log, _) = observe(&behind_a_switch(&[0, 0], &flows).spec);
    let second = at(2) + tick(50);
    assert_eq!(log.times(1), [at(2), second]);
    assert_eq!(log.times(3), [second + cell()]);
    // Over a channel of its own it goes as it comes.
    let (log, _) = observe(&behind_a_switch(&[0, 1], &flows).spec);
    assert_eq!(log.times(1), [at(2), second]);
    assert_eq!(log.times(3), [at(4)]);
}

#[test]
fn priority_groups_shape_on_their_own() {
    let flows = [(50, burst(Time::ZERO, 2)), (50, burst(at(2), 1))];
    let mut net = behind_a_switch(&[0, 0], &flows);
    net.spec.flows[1].priority = 1;
    let (log, _) = observe(&net.spec);
    assert_eq!(log.times(3), [at(4)], "not held with the other group");
}

/// What the port refuses makes room as it comes: the credit unit for it has the free wire before
/// the data that comes in the same instant.
#[test]
fn credit_for_a_unit_that_is_refused_goes_before_data_of_that_instant() {
    let flows = [(50, burst(Time::ZERO, 2))];
    let mut net = behind_a_switch(&[0], &flows);
    net.spec.links[0].channels[0].scheduler = SchedulerSpec::Ats {
        max_residence: Some(cells(1)),
    };
    // One credit unit for each unit that leaves the switch's memory.
    net.spec.flows[0].legs[0].flow_control = net.n23(1, 8);
    let (to_a, from_c) = (net.spec.flows[0].legs[0].channel ^ 1, 4);
    let host = net.spec.links[2].ends[0];
    let back = net.flow(host, &[from_c, to_a], FlowControlSpec::None);
    net.spec.flows[back].traffic = burst(at(1), 1);
    let (log, outcome) = observe(&net.spec);
    // The second unit comes to the switch at 3 and would wait until 52, and so does that of C.
    assert_eq!(outcome.flows[0].drops.by(LossCause::Residence), 1);
    assert_eq!(log.times(3), [at(4)]);
    // Units that the port takes leave no credit to send then.
    net.spec.flows[0].traffic = burst(Time::ZERO, 1);
    let (log, _) = observe(&net.spec);
    assert_eq!(log.times(3), [at(3)]);
}
