//! How runs end, and what they say about it.

use crate::common;

use backwater_kernel::{Duration, Rings, Stop, Time};
use backwater_net::Simulation;
use backwater_net::spec::*;
use common::*;

/// Ten units over one link, cut-through, ten cells of delay: started at 0 to 9, there at 19.
fn ten_units(n2: u32, n3: u32) -> Net {
    let mut net = Net::new(Timing::CutThrough, cells(10), at(1000));
    let (a, b) = (net.node("A", NodeKind::Host), net.node("B", NodeKind::Host));
    let link = net.link(a, b);
    let control = net.n23(n2, n3);
    net.flow(a, &[link], control);
    net.spec.flows[0].traffic = TrafficSpec::Greedy {
        start: Time::ZERO,
        total: Some(10),
    };
    net
}

#[test]
fn a_finite_run_drains() {
    let outcome = run(&ten_units(4, 20).spec);
    assert_eq!(outcome.stop, Stop::Drained);
    // Units 0 to 3 and 4 to 7 are worth a credit cell each, sent at 13 and 17, there at 23 and
    // 27; two units stay unreported, started within the last loop: 24 - 2.
    assert_eq!(outcome.legs[0].credits_received_total, 2);
    assert_eq!(outcome.legs[0].credit, Some(22));
    assert_eq!(outcome.ended_at, at(27));
    assert_eq!(outcome.flows[0].delivered_total, 10);
    assert_eq!(outcome.flows[0].inside_total, 0);
}

#[test]
fn lost_credit_leaves_it_stuck_and_says_since_when() {
    let mut net = ten_units(2, 2);
    net.spec.links[0].channels[1].errors.control_loss = 1.0;
    let outcome = run(&net.spec);
    // Four units go out at 0 to 3; credit cells leave at 11 and 13 and are lost.
    assert_eq!(outcome.stop, Stop::Standstill);
    assert_eq!(outcome.legs[0].credits_lost_total, 2);
    assert_eq!(outcome.flows[0].delivered_total, 4);
}

/// A pulled source offers units as the port takes them: one waits, the rest is the application's.
#[test]
fn a_stuck_run_counts_what_waits() {
    let mut net = ten_units(2, 2);
    net.spec.links[0].channels[1].errors.control_loss = 1.0;
    net.spec.flows[0].traffic = TrafficSpec::Constant {
        start: Time::ZERO,
        interval: cells(1),
        random_phase: false,
        total: Some(10),
    };
    let flow = &run(&net.spec).flows[0];
    assert_eq!((flow.offered_total, flow.inside_total), (10, 6));
}

#[test]
fn requests_keep_a_blocked_run_alive() {
    let mut net = ten_units(2, 2);
    net.spec.links[0].channels[1].errors.control_loss = 1.0;
    let leg = &mut net.spec.flows[0].legs[0];
    let FlowControlSpec::Credit(credit) = &mut leg.flow_control else {
        panic!("it is controlled");
    };
    credit.request_after = Some(cells(50));
    let outcome = run(&net.spec);
    assert_eq!(outcome.stop, Stop::TimeReached);
    assert_eq!(outcome.ended_at, at(1000));
    // Blocked at 3, it asks at 53, 103, ..., 953.
    assert_eq!(outcome.legs[0].requests_total, 19);
}

#[test]
fn a_run_cut_short_is_interrupted_and_can_go_on() {
    let net = ten_units(4, 20);
    let mut simulation = Simulation::<Rings>::new(&net.spec).expect("it is sound");
    assert!(simulation.run_until(at(12)));
    let half = simulation.outcome();
    assert_eq!(half.stop, Stop::Interrupted);
    assert_eq!(half.ended_at, at(12));
    // At 12 units 0, 1 and 2 have arrived.
    assert_eq!(half.flows[0].delivered_total, 3);
    assert_eq!(half.flows[0].inside_total, 7);
    assert!(!simulation.run_until(Time::MAX));
    let whole = format!("{:?}", run(&net.spec));
    assert_eq!(format!("{:?}", simulation.outcome()), whole);
}

#[test]
fn time_is_reached_where_something_is_left_to_do() {
    let mut net = ten_units(4, 20);
    net.spec.stop_at = at(15);
    let outcome = run(&net.spec);
    assert_eq!(outcome.stop, Stop::TimeReached);
    assert_eq!(outcome.ended_at, at(15));
    assert_eq!(outcome.flows[0].delivered_total, 6);
}

#[test]
fn a_run_that_ends_before_its_warm_up_has_measured_nothing() {
    let mut net = ten_units(4, 20);
    net.spec.warm_up = at(500);
    let outcome = run(&net.spec);
    assert_eq!(outcome.stop, Stop::Drained);
    assert_eq!(outcome.flows[0].delivered_total, 10);
    assert_eq!(outcome.flows[0].delivered, 0);
    assert_eq!(outcome.flows[0].delay.count, 0);
    assert_eq!(outcome.legs[0].sent, 0);
    assert_eq!(outcome.channels[0].data_share, 0.0);
    assert_eq!(outcome.channels[1].control_share, 0.0);
}

/// Asking before the warm-up is over does not spoil what is measured after it.
#[test]
fn looking_early_changes_no_statistics() {
    let mut net = figure_14(at(3000));
    net.spec.warm_up = at(1000);
    let mut simulation = Simulation::<Rings>::new(&net.spec).expect("it is sound");
    simulation.run_until(at(400));
    let early = simulation.outcome();
    assert_eq!(early.stop, Stop::Interrupted);
    assert_eq!(early.channels[6].data_share, 0.0);
    simulation.run();
    let whole = format!("{:?}", run(&net.spec));
    assert_eq!(format!("{:?}", simulation.outcome()), whole);
}

/// A slice that ends after so many events stops between instants; what follows is the same run.
#[test]
fn slices_by_events_change_nothing() {
    let net = ten_units(4, 20);
    let whole = format!("{:?}", run(&net.spec));
    for events in [1, 2, 7, 1_000] {
        let mut simulation = Simulation::<Rings>::new(&net.spec).expect("sound");
        let mut slices = 1;
        while simulation.run_some(Time::MAX, events).is_none() {
            slices += 1;
            assert!(simulation.now() < Time::MAX);
        }
        assert_eq!(format!("{:?}", simulation.outcome()), whole, "{events}");
        assert_eq!(slices > 1, events < 1_000, "{events}: {slices} slices");
    }
}

/// Four units, then nothing but a wait for the credit that they bring back: 20 of 23 cells, as
/// often as the time has room for it.
#[test]
fn the_wait_for_credit_alone_is_measured() {
    let blocked = |n3: u32, warm_up: u64| {
        let mut net = ten_units(4, n3);
        net.spec.flows[0].traffic = TrafficSpec::Greedy {
            start: Time::ZERO,
            total: None,
        };
        net.spec.warm_up = at(warm_up);
        run(&net.spec).legs[0].blocked
    };
    // 1,000 are 43 of these rounds and 11 cells, of which the last 8 waited.
    assert_eq!(blocked(0, 0), cells(43 * 20 + 8));
    assert_eq!(blocked(0, 230), cells(33 * 20 + 8));
    assert_eq!(blocked(20, 0), Duration::ZERO, "credit never runs out");
}
