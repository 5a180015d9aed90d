//! A transfer alone: its time by hand, on paths of unlike rates, and what a transport adds to it.

use crate::frames::common::*;
use backwater_ends::TcpSpec;
use backwater_ends::spec::{AckSpec, Reuse};
use backwater_kernel::{Duration, Rings, Time};
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::*;
use backwater_net::outcome::FlowOutcome;

const START: Time = Time(3 * MS);

/// Hosts S and D at the ends of a chain of switches, with links of these rates.
fn chain(mbps: &[u64], forwarding: Forwarding) -> Net {
    let mut net = Net::new(1, None);
    (net.spec.warm_up, net.spec.stop_at) = (Time::ZERO, Time(10 * S));
    let mut at = net.station("S");
    for (index, rate) in mbps.iter().enumerate() {
        let is_last = index + 1 == mbps.len();
        let next = match is_last {
            true => net.station("D"),
            false => net.switch("A"),
        };
        net.link(at, next, *rate);
        at = next;
    }
    for node in &mut net.spec.nodes {
        if let NodeKind::Switch(switch) = &mut node.kind {
            (switch.forwarding, switch.latency) = (forwarding, Duration(300_000));
        }
    }
    net
}

fn infinite(bytes: u64) -> TrafficSpec {
    TrafficSpec::Infinite {
        start: START,
        bytes: Some(bytes),
    }
}

/// The only flow of a network, run to its end.
fn lone(net: &Net) -> FlowOutcome {
    let mut engine = Simulation::<Rings>::new(&net.spec).expect("a sound network");
    engine.run();
    engine.outcome().flows.remove(0)
}

fn udp(mbps: &[u64], forwarding: Forwarding, bytes: u64) -> FlowOutcome {
    let mut net = chain(mbps, forwarding);
    net.udp(0, mbps.len() as u32, 1_000, infinite(bytes));
    lone(&net)
}

/// 2,500 bytes are frames of 1,066, 1,066 and 566 bytes with preamble and gap: 8.528, 8.528 and
/// 4.528 us at 1 Gbps, ten times that at 100 Mbps. A link has 0.5 us, a switch 0.3 us.
#[test]
fn three_frames_by_hand() {
    use Forwarding::{CutThrough, StoreAndForward};
    for (rates, forwarding, ns) in [
        // One link: all three, and propagation.
        (&[1_000][..], StoreAndForward, 21_584 + 500),
        // The first is at the switch after 8.528 + 0.8; then the slow link has all three.
        (&[1_000, 100], StoreAndForward, 9_328 + 215_840 + 500),
        // The last leaves the slow link after all three, and the fast one at once.
        (&[100, 1_000], StoreAndForward, 215_840 + 800 + 4_528 + 500),
        // 84 bytes, then the switch sends.
        (&[1_000, 1_000], CutThrough, 672 + 800 + 21_584 + 500),
        (&[1_000, 100], CutThrough, 672 + 800 + 215_840 + 500),
        // From slow to fast a frame has to be in as a whole.
        (&[100, 1_000], CutThrough, 215_840 + 800 + 4_528 + 500),
    ] {
        let found = udp(rates, forwarding, 2_500);
        let took = found.ends.transfer_time.max();
        assert_eq!(
            found.alone,
            Some(Duration(ns * 1_000)),
            "{rates:?} {forwarding:?}"
        );
        assert_eq!(took, Some((ns * 1_000) as f64), "{rates:?} {forwarding:?}");
        assert_eq!(found.ends.first_start, Some(START));
        assert_eq!(
            (found.slowdown.count(), found.slowdown.max()),
            (1, Some(1.0))
        );
    }
}

#[test]
fn unlike_rates_and_sizes_take_what_the_closed_form_says() {
    let chains: [&[u64]; 6] = [
        &[10],
        &[1_000, 1_000, 1_000],
        &[400, 100, 300, 100, 1_000],
        &[100, 1_000, 333, 2_500, 777],
        &[2_500, 100_000, 40_000, 10_000, 25_000, 1_000],
        &[400_000, 100_000, 400_000],
    ];
    for rates in chains {
        for forwarding in [Forwarding::StoreAndForward, Forwarding::CutThrough] {
            for bytes in [1, 18, 999, 1_000, 1_001, 2_000, 17_345, 60_000] {
                let found = udp(rates, forwarding, bytes);
                let what = format!("{rates:?} {forwarding:?} {bytes}");
                assert_eq!(found.lost_total, 0, "{what}");
                assert_eq!(found.slowdown.max(), Some(1.0), "{what}");
            }
        }
    }
}

/// A window for the whole file leaves nothing to add; a slow start and a handshake take round
/// trips, which the time alone leaves out.
#[test]
fn what_tcp_adds_when_it_is_alone() {
    let mut wide = TcpSpec::linux_3();
    wide.initial_window_segments = 100;
    let shaking = TcpSpec {
        reuse: Reuse::Handshake,
        ..wide.clone()
    };
    let slow = TcpSpec {
        initial_window_segments: 10,
        ..wide.clone()
    };
    let file = |tcp: TcpSpec, bytes: u64| {
        let mut net = chain(&[10_000, 1_000, 10_000], Forwarding::StoreAndForward);
        net.add(0, 3, 0, TransportSpec::Tcp(tcp), infinite(bytes));
        let found = lone(&net);
        let alone = found.alone.expect("one path").ps() as f64;
        (
            found.ends.transfer_time.max().expect("complete") - alone,
            found.slowdown,
        )
    };
    let bytes = 100 * 1_460;
    let (added, slowdown) = file(wide, bytes);
    assert_eq!((added, slowdown.max()), (0.0, Some(1.0)));
    // SYN and SYN-ACK are 84 bytes on the wire, over three links and two switches each.
    let (added, _) = file(shaking, bytes);
    let way = 2.0 * 67_200.0 + 672_000.0 + 3.0 * 500_000.0 + 2.0 * 300_000.0;
    assert_eq!(added, 2.0 * way);
    // Ten segments, then as many as are acknowledged: the slow link idles for a part of a round.
    let (added, slowdown) = file(slow.clone(), bytes);
    assert!(
        added == 0.0 && slowdown.max() == Some(1.0),
        "ten segments fill this short path"
    );
    let mut net = chain(&[10_000, 1_000, 10_000], Forwarding::StoreAndForward);
    for link in &mut net.spec.links {
        link.channels
            .iter_mut()
            .for_each(|own| own.delay = Duration(100 * US));
    }
    net.add(0, 3, 0, TransportSpec::Tcp(slow), infinite(bytes));
    let slowdown = lone(&net).slowdown.max().expect("complete");
    assert!(slowdown > 1.8 && slowdown < 3.5, "{slowdown}");
}

/// Request there, service, response back. (The service is long enough for the acknowledgement
/// of the request to be gone, which would hold up a response by its 84 bytes.)
#[test]
fn requests_count_both_ways_and_a_fixed_service() {
    let mut tcp = TcpSpec::modern();
    (tcp.initial_window_segments, tcp.acks) = (100, AckSpec::Every);
    let requests = |service: Span| TrafficSpec::Requests {
        start: START,
        request_bytes: 300,
        response_bytes: 20_000,
        service,
        think: Span::Fixed(Duration(MS)),
        count: Some(3),
    };
    let run = |service: Span| {
        let mut net = chain(&[1_000, 100], Forwarding::StoreAndForward);
        net.add(0, 2, 0, TransportSpec::Tcp(tcp.clone()), requests(service));
        lone(&net)
    };
    let found = run(Span::Fixed(Duration(20 * US)));
    assert_eq!(found.slowdown.count(), 3);
    assert_eq!(
        (found.slowdown.min(), found.slowdown.max()),
        (Some(1.0), Some(1.0))
    );
    let random = run(Span::Exponential(Duration(77_000)));
    assert_eq!((random.ends.transfers, random.alone), (3, None));
    assert_eq!(random.slowdown.count(), 0);
}

/// Two files of equal size through one port: the first to come is as fast as alone, the other waits
/// for it, frame by frame.
#[test]
fn two_share_a_port() {
    let mut net = Net::new(1, None);
    (net.spec.warm_up, net.spec.stop_at) = (Time::ZERO, Time(10 * S));
    let (s, t) = (net.station("S"), net.station("T"));
    let (a, d) = (net.switch("A"), net.station("D"));
    for (from, to) in [(s, a), (t, a), (a, d)] {
        net.link(from, to, 1_000);
    }
    for source in [s, t] {
        net.udp(source, d, 1_000, infinite(10_000));
    }
    let mut engine = Simulation::<Rings>::new(&net.spec).expect("a sound network");
    engine.run();
    let flows = engine.outcome().flows;
    // 8.528 us each: 9.028 to the switch, ten more frames and 0.5 alone, twenty with the other.
    let alone = 9_028.0 + 85_280.0 + 500.0;
    let last = 9_028.0 + 170_560.0 + 500.0;
    let mut times = [0, 1].map(|at: usize| flows[at].ends.transfer_time.max().expect("in"));
    times.sort_by(f64::total_cmp);
    assert_eq!(times, [last - 8_528.0, last].map(|ns| ns * 1e3));
    let mut slowdowns = [0, 1].map(|at: usize| flows[at].slowdown.max().expect("in"));
    slowdowns.sort_by(f64::total_cmp);
    assert_eq!(slowdowns[1], last / alone);
    assert!(
        flows
            .iter()
            .all(|flow| flow.alone == Some(Duration(94_808_000)))
    );
}

/// A file for two stations is in twice, and has no one path to compare with.
#[test]
fn without_one_path_there_is_no_slowdown() {
    let mut net = Net::new(1, None);
    (net.spec.warm_up, net.spec.stop_at) = (Time::ZERO, Time(10 * S));
    let (s, a, b) = (net.station("S"), net.switch("A"), net.switch("B"));
    let (d, e) = (net.station("D"), net.station("E"));
    for (from, to) in [(s, a), (a, b), (a, b), (b, d), (b, e)] {
        net.link(from, to, 1_000);
    }
    net.udp(s, d, 1_000, infinite(10_000));
    assert_eq!(lone(&net).slowdown.max(), Some(1.0));
    net.spec.flows[0].others.push(e);
    let copied = lone(&net);
    assert_eq!((copied.ends.transfers, copied.ends.transfers_total), (2, 2));
    assert_eq!((copied.alone, copied.slowdown.count()), (None, 0));
}

/// Two ways of one kind between switches: frames that are spread over them take no longer than the
/// first link lets them, so the time alone is that of one way; a small last frame may overtake, and
/// no transfer takes less all the same. A slower link among the two, or both slower than the first
/// link, and the time is not known.
#[test]
fn spread_frames_have_a_time_alone_where_ways_are_alike() {
    let found = |mbps: [u64; 2], bytes: u64| {
        let mut net = Net::new(1, None);
        (net.spec.warm_up, net.spec.stop_at) = (Time::ZERO, Time(10 * S));
        let (source, first) = (net.station("S"), net.switch("A"));
        let ways = [net.switch("W1"), net.switch("W2")];
        let (last, destination) = (net.switch("B"), net.station("D"));
        net.link(source, first, 1_000);
        for (way, rate) in ways.into_iter().zip(mbps) {
            net.link(first, way, rate);
            net.link(way, last, rate);
        }
        net.link(last, destination, 1_000);
        net.spec.rules.spread = Spread::Frames;
        net.udp(source, destination, 1_000, infinite(bytes));
        lone(&net)
    };
    for mbps in [[1_000, 1_000], [4_000, 4_000]] {
        for bytes in [700, 20_000] {
            let slowdown = found(mbps, bytes).slowdown.max();
            assert_eq!(slowdown, Some(1.0), "{mbps:?} {bytes}");
        }
        // With headers, preamble and gap, at 8 ns a byte on the last link.
        for (last, wire) in [(18, 84.0 * 8e3), (600, 666.0 * 8e3)] {
            for full in 1..40 {
                let found = found(mbps, full * 1_000 + last);
                let took = found.ends.transfer_time.max().expect("it is complete");
                let more = took - found.alone.expect("alike").ps() as f64;
                assert!(
                    (0.0..=wire).contains(&more),
                    "{mbps:?} {full} {last}: {more}"
                );
            }
        }
    }
    for mbps in [[1_000, 2_000], [500, 500]] {
        assert_eq!(found(mbps, 20_000).alone, None, "{mbps:?}");
    }
}
