//! What the wire loses: frames, stops and resumes, and whole stretches of time.

use crate::frames::common::*;
use backwater_kernel::{Duration, Stop, Time};
use backwater_net::frames::probe::{Audit, LossCause};
use backwater_net::frames::spec::*;
use backwater_net::outcome::Outcome;
use backwater_net::watched;

/// A frame of 1,000 bytes at 100 Mbps, preamble and gap included.
const FRAME: u64 = 1020 * 80_000;
/// Propagation of every link.
const AWAY: u64 = US / 2;

fn run(net: &Net) -> Outcome {
    let audit = Audit::new(&net.spec);
    let (probe, outcome) = watched(&net.spec, audit).expect("a sound network");
    assert_eq!(outcome.violations.total(), 0, "{:?}", outcome.violations);
    let seen = probe.checks().violations();
    assert_eq!(seen.total(), 0, "{seen:?}");
    outcome
}

/// S sends frames of 1,000 bytes over A to D; `links` are S to A and A to D.
fn pair(rules: Option<BackPressureSpec>, mbps: [u64; 2], traffic: TrafficSpec) -> Net {
    let mut net = Net::new(1, rules);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, mbps[0]);
    net.link(a, d, mbps[1]);
    net.udp(s, d, 954, traffic);
    net.spec.stop_at = Time(20 * MS);
    net.spec.warm_up = Time::ZERO;
    net
}

/// Frames delivered and lost of three that start one after the other, if channel 0 is cut.
fn delivered(from: u64, until: u64) -> (u64, u64) {
    let traffic = TrafficSpec::Infinite {
        start: Time::ZERO,
        bytes: Some(3 * 954),
    };
    let mut net = pair(None, [100, 100], traffic);
    net.spec.outages = vec![OutageSpec {
        channel: 0,
        from: Time(from),
        until: Time(until),
    }];
    let outcome = run(&net);
    let wire = outcome.channels[0].by_class.queues[0]
        .drops
        .by(LossCause::Wire);
    assert_eq!(outcome.flows[0].lost_total, wire);
    (outcome.flows[0].delivered_total, wire)
}

#[test]
fn a_frame_is_lost_if_its_channel_is_cut_while_any_of_it_is_on_the_way() {
    // The second frame starts at FRAME, and its last bit is there at 2 FRAME + AWAY.
    let (start, there) = (FRAME, 2 * FRAME + AWAY);
    assert_eq!(
        delivered(there, there + 1),
        (2, 1),
        "the third is on the way"
    );
    assert_eq!(delivered(there - 1, there), (1, 2), "so is the second");
    assert_eq!(
        delivered(0, start),
        (2, 1),
        "it starts as the link works again"
    );
    assert_eq!(delivered(0, start + 1), (1, 2));
    assert_eq!(delivered(3 * FRAME + AWAY, 4 * FRAME), (3, 0));
}

/// Stopped above five frames at A, which sends a tenth as fast.
fn stopped(message: Message) -> Net {
    let rules = BackPressureSpec {
        message,
        ..simple()
    };
    let mut net = pair(Some(rules), [100, 10], endless());
    let queue = &mut net.spec.links[1].channels[0].queues[0];
    (queue.high_bytes, queue.low_bytes) = (5_000, 4_000);
    net
}

/// Control frames from A to S are lost from `from` on.
fn lose_control(net: &mut Net, from: u64) {
    net.spec.links[0].channels[1].errors = ErrorSpec {
        control_loss: 1.0,
        from: Time(from),
        ..ErrorSpec::default()
    };
}

#[test]
fn after_a_lost_resume_nothing_moves_unless_the_stop_expires() {
    let mut net = stopped(Message::UntilCancelled);
    net.spec.stop_at = Time(1_000 * MS);
    assert_eq!(run(&net).stop, Stop::TimeReached);
    lose_control(&mut net, MS);
    let outcome = run(&net);
    assert_eq!(outcome.stop, Stop::Standstill);
    assert_eq!(outcome.channels[1].by_class.control_lost_total, 1);
    let quanta = Message::Quanta {
        quanta: 1_000,
        refresh_percent: None,
    };
    let mut net = stopped(quanta);
    lose_control(&mut net, MS);
    let outcome = run(&net);
    assert_eq!(outcome.stop, Stop::TimeReached);
    assert!(outcome.channels[1].by_class.control_lost_total > 1);
}

#[test]
fn after_lost_stops_the_queue_overflows() {
    let mut net = stopped(Message::UntilCancelled);
    assert_eq!(
        run(&net).channels[2].by_class.queues[0]
            .drops
            .by(LossCause::QueueFull),
        0
    );
    lose_control(&mut net, 0);
    let outcome = run(&net);
    assert_eq!(outcome.channels[0].by_class.stops_obeyed, 0);
    assert!(
        outcome.channels[2].by_class.queues[0]
            .drops
            .by(LossCause::QueueFull)
            > 100
    );
}

#[test]
fn so_many_are_lost_as_the_probability_says_and_connections_send_them_again() {
    let mut net = Net::new(1, None);
    let (s, a, d) = (net.station("S"), net.switch("A"), net.station("D"));
    net.link(s, a, 100);
    net.link(a, d, 100);
    net.flow(s, d, files(200_000));
    net.spec.stop_at = Time(60 * S);
    net.spec.warm_up = Time::ZERO;
    net.spec.links[1].channels[0].errors.data_loss = 0.02;
    let outcome = run(&net);
    let queue = &outcome.channels[2].by_class.queues[0];
    let share = queue.drops.by(LossCause::Wire) as f64 / queue.sent as f64;
    let deviation = (0.02 * 0.98 / queue.sent as f64).sqrt();
    assert!(
        (share - 0.02).abs() < 4.0 * deviation,
        "{share} of {}",
        queue.sent
    );
    assert!(outcome.flows[0].delivered_total > 1_000);
    let whole = Duration(outcome.ended_at.0);
    assert_eq!(whole, Duration(60 * S));
}
