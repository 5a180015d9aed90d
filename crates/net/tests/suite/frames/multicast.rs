//! Frames for several stations, by hand: copies, what counts once and what for each, drops by
//! branch.

use crate::frames::common::*;
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::bound::frames::bounds;
use backwater_net::frames::probe::{Frame, LossCause, Probe};
use backwater_net::frames::spec::*;
use backwater_net::outcome::Outcome;
use backwater_net::watched;

#[derive(Default)]
struct Log {
    /// Time in ps, channel.
    starts: Vec<(u64, u32)>,
    /// Time in ps, station.
    delivered: Vec<(u64, u32)>,
    /// Channel, cause, stations that miss it.
    drops: Vec<(u32, LossCause, u32)>,
}

impl Probe for Log {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        if !frame.is_control() {
            self.starts.push((at.0, channel));
        }
    }

    fn on_frame_delivered(&mut self, at: Time, frame: &Frame<'_>) {
        let frame = frame.view();
        self.delivered.push((at.0, frame.destination));
    }

    fn on_frame_dropped(&mut self, _: Time, channel: u32, frame: &Frame<'_>, cause: LossCause) {
        let frame = frame.view();
        self.drops.push((channel, cause, frame.receivers.1));
    }
}

fn run(spec: &EthernetSpec) -> (Log, Outcome) {
    let (probe, outcome) = watched(spec, Log::default()).expect("a sound network");
    assert_eq!(outcome.violations.total(), 0, "{:?}", outcome.violations);
    (probe, outcome)
}

/// `S - A - B - {C, D}` and `A - E`, a frame of 1,000 bytes from S to C, D and E; 100 Mbps but
/// for the link to D, which has 10.
///
/// Channels: 0 from S to A, 2 from A to B, 4 from A to E, 6 from B to C, 8 from B to D.
fn tree(back_pressure: Option<BackPressureSpec>, frames: u64) -> EthernetSpec {
    let mut net = Net::new(1, back_pressure);
    let (s, a, b) = (net.station("S"), net.switch("A"), net.switch("B"));
    let (c, d, e) = (net.station("C"), net.station("D"), net.station("E"));
    net.link(s, a, 100);
    net.link(a, b, 100);
    net.link(a, e, 100);
    net.link(b, c, 100);
    net.link(b, d, 10);
    let endless = TrafficSpec::Infinite {
        start: Time::ZERO,
        bytes: Some(frames * 954),
    };
    let flow = net.udp(s, d, 954, endless);
    net.spec.flows[flow as usize].others = vec![c, e];
    net.spec.stop_at = Time(S);
    net.spec.warm_up = Time::ZERO;
    net.spec
}

const WIRE: u64 = 1020 * 80_000;
const DELAY: u64 = US / 2;

#[test]
fn a_copy_leaves_each_port_where_ways_part() {
    let (log, outcome) = run(&tree(None, 1));
    let (at_a, at_b) = (WIRE + DELAY, 2 * (WIRE + DELAY));
    let starts = [(0, 0), (at_a, 2), (at_a, 4), (at_b, 6), (at_b, 8)];
    assert_eq!(log.starts, starts);
    let third = 3 * (WIRE + DELAY);
    let slow = at_b + 10 * WIRE + DELAY;
    assert_eq!(log.delivered, [(at_b, 5), (third, 3), (slow, 4)]);
    let flow = &outcome.flows[0];
    let found = (flow.offered_total, flow.delivered_total, flow.lost_total);
    assert_eq!(found, (3, 3, 0));
    assert_eq!(flow.bytes.expect("counted").offered, 3_000);
    assert_eq!(flow.ends.goodput_bytes, 3 * 954);
    assert_eq!(flow.ends.offered_bytes_total, 3 * 954);
    // In the order of the scenario: D, C, E.
    let delays: Vec<u64> = flow.destinations.iter().map(|own| own.delay.max).collect();
    assert_eq!(delays, [slow, third, at_b]);
}

/// Way to where the tree has been already: the frame is not sent there twice.
#[test]
fn ways_that_meet_again_are_one() {
    let mut net = Net::new(1, None);
    let (s, a) = (net.station("S"), net.switch("A"));
    let (b, c, e) = (net.switch("B"), net.switch("C"), net.switch("E"));
    let (x, y) = (net.station("X"), net.station("Y"));
    net.link(s, a, 100);
    for (from, to) in [(a, b), (a, c), (b, e), (c, e), (e, x), (e, y)] {
        net.link(from, to, 100);
    }
    // To X by B, to Y by C; both pass E.
    let route = |destination, channel| RouteSpec {
        node: a,
        destination,
        channels: vec![channel],
    };
    net.spec.rules.routes = vec![route(x, 2), route(y, 4)];
    let flow = net.udp(s, x, 954, endless());
    net.spec.flows[flow as usize].others = vec![y];
    if let TrafficSpec::Infinite { bytes, .. } = &mut net.spec.flows[0].traffic {
        *bytes = Some(954);
    }
    net.spec.warm_up = Time::ZERO;
    let (log, _) = run(&net.spec);
    let channels: Vec<u32> = log.starts.iter().map(|start| start.1).collect();
    assert_eq!(channels, [0, 2, 6, 10, 12]);
}

#[test]
fn a_full_queue_drops_its_copy_and_the_others_go_on() {
    let mut spec = tree(None, 10);
    // Room for one frame in front of D.
    spec.links[4].channels[0].queues[0].limit_bytes = Some(1_500);
    let (log, outcome) = run(&spec);
    // Each frame for D takes as long as ten come.
    assert_eq!(log.drops, vec![(8, LossCause::QueueFull, 1); 9]);
    let by_station = |of: fn(&backwater_net::outcome::DestinationOutcome) -> u64| {
        let all = outcome.flows[0].destinations.iter();
        all.map(of).collect::<Vec<u64>>()
    };
    assert_eq!(by_station(|own| own.delivered_total), [1, 10, 10]);
    assert_eq!(by_station(|own| own.lost_total), [9, 0, 0]);
    assert_eq!(outcome.flows[0].lost_total, 9);
    // In front of B all that is behind it is lost.
    spec.links[1].channels[0].queues[0].limit_bytes = Some(900);
    let (log, outcome) = run(&spec);
    assert_eq!(log.drops, vec![(2, LossCause::QueueFull, 2); 10]);
    assert_eq!(outcome.flows[0].lost_total, 20);
    assert_eq!(outcome.flows[0].destinations[2].delivered_total, 10);
}

/// What came over an input counts there once, until the slowest copy has left.
#[test]
fn the_input_counts_a_frame_once_and_stops_for_the_slowest() {
    let rules = BackPressureSpec {
        select: Select::Class,
        detect: Detect::Inputs,
        ..simple()
    };
    let mut spec = tree(Some(rules), 6);
    for link in &mut spec.links {
        for channel in &mut link.channels {
            channel.queues[0].limit_bytes = None;
            channel.inputs = vec![InputSpec {
                high_bytes: 2_500,
                low_bytes: 1_500,
                limit_bytes: None,
            }];
        }
    }
    let (log, outcome) = run(&spec);
    assert_eq!(outcome.flows[0].delivered_total, 18);
    // The third frame at B passes the threshold, the fourth is on its way; counted for each port
    // it would be the second.
    let most = outcome.channels[2].by_class.input_most_bytes;
    assert_eq!(most, 4_000);
    let headroom = outcome.channels[2].by_class.headroom_most_bytes;
    assert_eq!(headroom, 1_500, "above the threshold of 2500");
    let into_b: Vec<u64> = log
        .starts
        .iter()
        .filter(|s| s.1 == 2)
        .map(|s| s.0)
        .collect();
    let stopped = into_b
        .windows(2)
        .filter(|pair| pair[1] - pair[0] > WIRE)
        .count();
    assert!(stopped > 0, "{into_b:?}");
    // A goes on when two of four have left to D.
    let resumed = 2 * (WIRE + DELAY) + 3 * 10 * WIRE;
    let control = 84 * 80_000 + DELAY;
    assert!(
        into_b.contains(&(resumed + control)),
        "{into_b:?}, {resumed}"
    );
}

/// Where one of several ways is faster than the link before it, no copy cuts through.
#[test]
fn a_copy_cuts_through_where_all_may() {
    let mut spec = tree(None, 1);
    for node in &mut spec.nodes {
        if let NodeKind::Switch(switch) = &mut node.kind {
            switch.forwarding = Forwarding::CutThrough;
        }
    }
    let header = 84 * 80_000 + DELAY;
    let (log, outcome) = run(&spec);
    assert_eq!(log.starts[1..3], [(header, 2), (header, 4)]);
    assert_eq!(log.starts[3..], [(2 * header, 6), (2 * header, 8)]);
    let alone = outcome.flows[0].destinations[0].delay.max;
    assert_eq!(alone, 2 * header + 10 * WIRE + DELAY);
    spec.links[2].channels[0].rate = Rate(1_000 * MBPS);
    assert_eq!(
        run(&spec).0.starts[1..3],
        [(WIRE + DELAY, 2), (WIRE + DELAY, 4)]
    );
}

/// The bound is that of the farthest destination; it is reached, and one for each port where a
/// frame is copied would be wrong.
#[test]
fn the_bound_is_of_the_farthest() {
    let mut spec = tree(None, 1);
    spec.flows[0].traffic = TrafficSpec::Constant {
        start: Time::ZERO,
        rate: Rate(MBPS),
        random_phase: false,
    };
    let found = bounds(&spec)[0].expect("there is one");
    let farthest = 2 * (WIRE + DELAY) + 10 * WIRE + DELAY;
    assert_eq!(found.delay, Duration(farthest));
    assert_eq!(found.least, Duration(2 * (WIRE + DELAY)));
    assert_eq!(run(&spec).1.flows[0].delay.max, farthest);
}

#[test]
fn what_has_no_tree_is_refused() {
    let refused = |change: fn(&mut EthernetSpec)| {
        let mut spec = tree(None, 1);
        change(&mut spec);
        let found = watched(&spec, Log::default());
        found.err().expect("it is refused").0
    };
    let tcp = refused(|spec| {
        spec.flows[0].transport = TransportSpec::Tcp(backwater_ends::TcpSpec::bsd());
    });
    assert!(tcp.contains("acknowledges"), "{tcp}");
    let spread = refused(|spec| spec.rules.spread = Spread::Frames);
    assert!(spread.contains("one tree"), "{spread}");
    let twice = refused(|spec| spec.flows[0].others.push(3));
    assert!(twice.contains("twice"), "{twice}");
    let own = refused(|spec| spec.flows[0].others.push(0));
    assert!(own.contains("itself"), "{own}");
}
