//! Delay bounds: by hand where the worst case can be staged, and the reasons why there is none.

use crate::frames::common::*;
use backwater_kernel::{Channels, Duration, Rate, Rings, Time};
use backwater_net::bound::frames::{Bound, NoBound, bounds};
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::*;

/// A byte is a nanosecond.
const MBPS_OF_LINKS: u64 = 8_000;
const BYTE: u64 = 1_000;
/// Payload of a frame of 1,000 bytes, which takes this long:
const PAYLOAD: u32 = 1_000 - 46;
const FRAME: u64 = 1_020 * BYTE;
/// Of 500 bytes.
const SHORT_PAYLOAD: u32 = 500 - 46;
const SHORT: u64 = 520 * BYTE;
const DELAY: u64 = US / 2;

/// A frame each millisecond from `start` on.
pub fn paced(start: u64, payload: u32) -> TrafficSpec {
    TrafficSpec::Constant {
        start: Time(start),
        rate: Rate(u64::from(payload) * 8_000),
        random_phase: false,
    }
}

/// Hosts at one switch, the last of which receives.
struct Star {
    net: Net,
    hosts: Vec<u32>,
}

impl Star {
    fn new(senders: usize, classes: usize, rules: Option<BackPressureSpec>) -> Star {
        let mut net = Net::new(classes, rules);
        let switch = net.switch("S");
        let hosts: Vec<u32> = (0..=senders)
            .map(|host| {
                let host = net.station(&format!("H{host}"));
                net.link(host, switch, MBPS_OF_LINKS);
                host
            })
            .collect();
        net.spec.stop_at = Time(3 * MS);
        net.spec.warm_up = Time::ZERO;
        Star { net, hosts }
    }

    /// From its own host.
    fn flow(&mut self, host: usize, class: u8, payload: u32, start: u64) {
        self.traffic(host, class, payload, paced(start, payload));
    }

    fn traffic(&mut self, host: usize, class: u8, payload_bytes: u32, traffic: TrafficSpec) {
        let (from, to) = (self.hosts[host], self.hosts[self.hosts.len() - 1]);
        let transport = TransportSpec::Udp {
            payload_bytes,
            has_rtp: false,
            is_ect: false,
        };
        self.net.add(from, to, class, transport, traffic);
    }

    /// The channel to the receiver.
    fn out(&self) -> u32 {
        2 * (self.hosts.len() as u32 - 1) + 1
    }

    fn in_turns(&mut self, quanta: &[u32]) {
        for link in &mut self.net.spec.links {
            for channel in &mut link.channels {
                channel.scheduler = SchedulerSpec::Drr { quantum_bytes: 1 };
                for (queue, quantum) in channel.queues.iter_mut().zip(quanta) {
                    queue.quantum_bytes = *quantum;
                }
            }
        }
    }
}

fn found(net: &Net) -> Vec<Result<Bound, NoBound>> {
    bounds(&net.spec)
}

fn known(net: &Net, flow: usize) -> u64 {
    found(net)[flow].expect("it has a bound").delay.ps()
}

/// The longest delay of each flow.
pub fn longest(spec: &EthernetSpec) -> Vec<u64> {
    let simulation: Result<Simulation<Rings, ()>, _> = Simulation::with_probe(spec, ());
    let mut simulation = simulation.expect("a sound network");
    simulation.run();
    let outcome = simulation.outcome();
    let flows = outcome.flows.iter();
    flows.map(|flow| flow.delay.max).collect()
}

#[test]
fn a_flow_alone_never_waits() {
    let mut star = Star::new(1, 1, None);
    star.flow(0, 0, PAYLOAD, 0);
    let found = found(&star.net)[0].expect("it has a bound");
    let delay = Duration(2 * (FRAME + DELAY));
    let expected = Bound {
        delay,
        least: delay,
        ports: 2,
    };
    assert_eq!(found, expected);
    assert_eq!(longest(&star.net.spec), [delay.ps()]);
}

#[test]
fn a_switch_that_cuts_through_has_64_bytes_on_the_wire() {
    let mut star = Star::new(1, 1, None);
    star.flow(0, 0, PAYLOAD, 0);
    let NodeKind::Switch(switch) = &mut star.net.spec.nodes[0].kind else {
        panic!("the first node is the switch");
    };
    (switch.forwarding, switch.latency) = (Forwarding::CutThrough, Duration(US));
    let delay = 84 * BYTE + FRAME + US + 2 * DELAY;
    assert_eq!(known(&star.net, 0), delay);
    assert_eq!(longest(&star.net.spec), [delay]);
}

/// `flows` frames that come to one port at once.
fn meeting(flows: usize) -> Star {
    let mut star = Star::new(flows, 1, None);
    for host in 0..flows {
        star.flow(host, 0, PAYLOAD, 0);
    }
    star
}

#[test]
fn frames_that_meet_wait_for_each_other() {
    for flows in 2..=7 {
        let star = meeting(flows);
        let delay = 2 * (FRAME + DELAY) + (flows as u64 - 1) * FRAME;
        let bounds: Vec<u64> = (0..flows).map(|flow| known(&star.net, flow)).collect();
        assert_eq!(bounds, vec![delay; flows]);
        let seen = longest(&star.net.spec).into_iter().max();
        assert_eq!(seen, Some(delay), "the bound is reached");
    }
}

#[test]
fn a_bound_shorter_by_a_frame_would_be_broken() {
    let star = meeting(4);
    let shorter = known(&star.net, 0) - FRAME;
    assert!(longest(&star.net.spec).iter().any(|seen| *seen > shorter));
}

#[test]
fn a_link_brings_one_frame_after_the_other() {
    // Two switches: four flows meet at the first; at the second they come one by one.
    let mut net = Net::new(1, None);
    let (near, far) = (net.switch("S1"), net.switch("S2"));
    let hosts: Vec<u32> = (0..4)
        .map(|host| net.station(&format!("H{host}")))
        .collect();
    for host in &hosts {
        net.link(*host, near, MBPS_OF_LINKS);
    }
    net.link(near, far, MBPS_OF_LINKS);
    let to = net.station("D");
    net.link(far, to, MBPS_OF_LINKS);
    for host in hosts {
        net.udp(host, to, PAYLOAD, paced(0, PAYLOAD));
    }
    (net.spec.stop_at, net.spec.warm_up) = (Time(3 * MS), Time::ZERO);
    let delay = 3 * (FRAME + DELAY) + 3 * FRAME;
    assert_eq!(known(&net, 0), delay);
    assert_eq!(longest(&net.spec).into_iter().max(), Some(delay));
}

#[test]
fn a_frame_of_a_lower_class_is_in_the_way() {
    let mut star = Star::new(3, 3, None);
    // The long frame comes a picosecond before the two others.
    star.flow(0, 0, PAYLOAD, 0);
    star.flow(1, 1, SHORT_PAYLOAD, FRAME - SHORT + 1);
    star.flow(2, 2, SHORT_PAYLOAD, FRAME - SHORT + 1);
    let alone = 2 * (SHORT + DELAY);
    assert_eq!(known(&star.net, 2), alone + FRAME - 1);
    assert_eq!(known(&star.net, 1), alone + FRAME - 1 + SHORT);
    assert_eq!(known(&star.net, 0), 2 * (FRAME + DELAY) + 2 * SHORT);
    let seen = longest(&star.net.spec);
    assert_eq!(seen[1..], [known(&star.net, 1), known(&star.net, 2)]);
    // The lowest waits for both if all come at once.
    for (flow, start) in star
        .net
        .spec
        .flows
        .iter_mut()
        .zip([0, FRAME - SHORT, FRAME - SHORT])
    {
        let TransportSpec::Udp { payload_bytes, .. } = flow.transport else {
            panic!("all are over UDP");
        };
        flow.traffic = paced(start, payload_bytes);
    }
    assert_eq!(longest(&star.net.spec)[0], known(&star.net, 0));
}

#[test]
fn the_lowest_class_may_be_without_bound_and_harms_none_but_itself() {
    let mut star = Star::new(2, 2, None);
    star.traffic(0, 0, PAYLOAD, endless());
    star.flow(1, 1, SHORT_PAYLOAD, 0);
    let out = star.out();
    assert_eq!(known(&star.net, 1), 2 * (SHORT + DELAY) + FRAME - 1);
    assert_eq!(found(&star.net)[0], Err(NoBound::Greedy));
    // In its own class it harms whoever shares a port.
    star.net.spec.flows[1].class = 0;
    let rival = NoBound::Rival {
        channel: out,
        flow: 0,
    };
    assert_eq!(found(&star.net)[1], Err(rival));
}

#[test]
fn turns_let_three_frames_of_another_class_go_first() {
    // The other class may send two frames a turn; its last has just started as they come.
    let mut star = Star::new(4, 2, None);
    star.in_turns(&[2_000, 500]);
    star.flow(0, 0, PAYLOAD, 0);
    star.flow(1, 0, PAYLOAD, 1);
    star.flow(2, 0, PAYLOAD, 1);
    star.flow(3, 1, SHORT_PAYLOAD, FRAME - SHORT + 2);
    let bound = known(&star.net, 3);
    assert_eq!(bound, 2 * (SHORT + DELAY) + 3 * FRAME);
    assert_eq!(longest(&star.net.spec)[3], bound - 2);
}

#[test]
fn in_order_of_arrival_all_classes_wait_for_each_other() {
    let mut star = Star::new(3, 3, None);
    for link in &mut star.net.spec.links {
        for channel in &mut link.channels {
            channel.scheduler = SchedulerSpec::Fifo;
        }
    }
    star.flow(0, 0, PAYLOAD, 0);
    star.flow(1, 1, PAYLOAD, 0);
    // It comes a picosecond later: the highest class does not help.
    star.flow(2, 2, PAYLOAD, 1);
    let bound = 2 * (FRAME + DELAY) + 2 * FRAME;
    assert_eq!(known(&star.net, 2), bound);
    assert_eq!(longest(&star.net.spec)[2], bound - 1);
    star.net.spec.flows[0].traffic = endless();
    let rival = NoBound::Rival {
        channel: star.out(),
        flow: 0,
    };
    assert_eq!(found(&star.net)[2], Err(rival));
}

#[test]
fn as_much_as_a_port_sends_has_no_bound() {
    let mut star = Star::new(2, 1, None);
    let half = |payload: u32| TrafficSpec::Constant {
        start: Time::ZERO,
        rate: Rate(MBPS_OF_LINKS * MBPS / 2 * u64::from(payload) / 1_020),
        random_phase: false,
    };
    star.traffic(0, 0, PAYLOAD, half(PAYLOAD));
    star.traffic(1, 0, PAYLOAD, half(PAYLOAD - 10));
    assert!(found(&star.net)[0].is_ok());
    star.net.spec.flows[1].traffic = half(PAYLOAD);
    let channel = star.out();
    assert_eq!(found(&star.net)[0], Err(NoBound::Overload { channel }));
}

#[test]
fn a_queue_without_room_for_all_may_drop() {
    let mut star = meeting(3);
    let out = star.out();
    star.net.spec.links.channel_mut(out).queues[0].limit_bytes = Some(3_000);
    assert!(found(&star.net)[0].is_ok());
    star.net.spec.links.channel_mut(out).queues[0].limit_bytes = Some(2_999);
    let drops = NoBound::Drops {
        channel: out,
        needed: 3_000,
        limit: 2_999,
    };
    assert_eq!(found(&star.net), vec![Err(drops); 3]);
}

#[test]
fn what_may_stop_a_class_leaves_no_bound() {
    let mut star = Star::new(3, 1, Some(simple()));
    for host in 0..3 {
        star.flow(host, 0, PAYLOAD, 0);
    }
    let out = star.out();
    star.net.spec.links.channel_mut(out).queues[0].high_bytes = 3_000;
    assert!(found(&star.net)[0].is_ok(), "never more than 3,000 bytes");
    star.net.spec.links.channel_mut(out).queues[0].high_bytes = 2_999;
    let stops: Vec<_> = (0..3)
        .map(|host| Err(NoBound::Stop { channel: 2 * host }))
        .collect();
    assert_eq!(found(&star.net), stops);
}

#[test]
fn storms_and_credit_leave_no_bound() {
    let mut star = meeting(1);
    let (first, out) = (0, star.out());
    star.net.spec.nodes[2].kind = NodeKind::Station {
        storm: Some(StormSpec {
            from: Time(MS),
            until: Time(2 * MS),
            classes: None,
            quanta: 9,
        }),
    };
    assert_eq!(found(&star.net), [Err(NoBound::Storm { channel: out })]);
    star.net.spec.nodes[2].kind = NodeKind::Station { storm: None };
    star.net.spec.links.channel_mut(first).credits = vec![Some(ClassCreditSpec {
        owner: Owner::Class,
        unit_bytes: 1_000,
        overhead_bytes: 0,
        rule: ClassCreditRule::Zones(CreditSpec::n23(1, 1, Duration(US))),
    })];
    assert_eq!(found(&star.net), [Err(NoBound::Credit { channel: first })]);
}

/// Five switches in a ring, with so many hosts each; all send to a host at the switch four hops
/// on, clockwise.
fn ring(hosts: usize, mbps: f64) -> Net {
    const SWITCHES: usize = 5;
    let mut net = Net::new(1, None);
    let switches: Vec<u32> = (0..SWITCHES)
        .map(|at| net.switch(&format!("S{at}")))
        .collect();
    let next = |at: usize| (at + 1) % SWITCHES;
    let ring: Vec<u32> = (0..SWITCHES)
        .map(|at| net.link(switches[at], switches[next(at)], MBPS_OF_LINKS))
        .collect();
    for host in 0..hosts * SWITCHES {
        let id = net.station(&format!("H{host}"));
        assert_eq!(id as usize, SWITCHES + host);
        net.link(id, switches[host % SWITCHES], MBPS_OF_LINKS);
    }
    for host in 0..hosts * SWITCHES {
        let to = (host + 4) % (hosts * SWITCHES);
        let destination = (SWITCHES + to) as u32;
        for at in (0..SWITCHES).filter(|at| *at != to % SWITCHES) {
            net.spec.rules.routes.push(RouteSpec {
                node: switches[at],
                destination,
                channels: vec![2 * ring[at]],
            });
        }
        let source = (SWITCHES + host) as u32;
        net.udp(source, destination, PAYLOAD, constant(mbps));
    }
    (net.spec.stop_at, net.spec.warm_up) = (Time(5 * MS), Time::ZERO);
    net
}

#[test]
fn ports_in_a_circle_have_bounds_while_they_hold_for_all() {
    let calm = ring(2, 300.0);
    let seen = longest(&calm.spec);
    for (flow, seen) in seen.into_iter().enumerate() {
        assert!(seen <= known(&calm, flow), "{seen}");
    }
    // Of 8,000 Mb/s, 4 flows with 1,020 bytes for 954 of payload.
    let busy = found(&ring(1, 1_830.0));
    let why: Vec<NoBound> = busy.into_iter().filter_map(Result::err).collect();
    assert_eq!(why.len(), 5);
    let is_circle = |why: &NoBound| matches!(why, NoBound::Circle { .. });
    assert!(why.iter().any(is_circle), "{why:?}");
}

#[test]
fn frames_that_take_different_ways_have_no_bound() {
    let mut net = ring(1, 100.0);
    net.spec.rules.spread = Spread::Frames;
    assert!(found(&net)[0].is_ok(), "there is one way");
    // To its host four hops on there is another way, back over one link.
    let route = net
        .spec
        .rules
        .routes
        .iter_mut()
        .find(|route| (route.node, route.destination) == (0, 9));
    let route = route.expect("it is a hop of the first flow");
    route.channels.push(9);
    assert_eq!(found(&net)[0], Err(NoBound::Spread));
}
