//! Envelopes and policers in a running network.

use crate::common;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::outcome::LossCause;
use backwater_net::probe::UnitKind;
use backwater_net::spec::*;
use common::*;

fn starts(net: &Net) -> Vec<Time> {
    watch(&net.spec, 0).starts
}

/// Starts in cells after the beginning.
fn in_cells(net: &Net) -> Vec<u64> {
    let starts = starts(net);
    assert!(starts.iter().all(|start| start.ps() % cell().ps() == 0));
    starts
        .iter()
        .map(|start| start.ps() / cell().ps())
        .collect()
}

#[test]
fn a_bucket_drops_by_hand() {
    // T 10, tau 15, a unit every 6. TAT - now before each, from unit 0 on: 0, 4, 8, 12, 16 (too
    // much: dropped), 10, 14, 18 (dropped), 12, 16 (dropped), 10, 14, 18 (dropped), 12.
    let expected = [0, 6, 12, 18, 30, 36, 48, 60, 66, 78];
    for net in [
        enveloped(every(6, 0, Some(14)), tenth(15), Excess::Drop, 1000),
        policed(every(6, 0, Some(14)), tenth(15), Excess::Drop, 1000),
    ] {
        assert_eq!(in_cells(&net), expected);
    }
}

#[test]
fn fixed_windows_let_two_windows_worth_through_and_sliding_ones_do_not() {
    let traffic = || every(1, 46, Some(9));
    let net = enveloped(traffic(), fixed(3, 100, Some(50)), Excess::Drop, 1000);
    assert_eq!(in_cells(&net), [46, 47, 48, 50, 51, 52]);
    let net = enveloped(traffic(), sliding(3, 100), Excess::Drop, 1000);
    assert_eq!(in_cells(&net), [46, 47, 48]);
}

#[test]
fn what_is_dropped_is_offered_and_lost_and_told() {
    for (cause, mut net) in [
        (
            LossCause::Envelope,
            enveloped(every(1, 5, Some(10)), sliding(4, 100), Excess::Drop, 1000),
        ),
        (
            LossCause::Policer,
            policed(every(1, 5, Some(10)), sliding(4, 100), Excess::Drop, 1000),
        ),
    ] {
        // A second destination: the source branches.
        let c = net.node("C", NodeKind::Host);
        let other = net.link(0, c);
        let mut leg = net.spec.flows[0].legs[0].clone();
        leg.channel = other;
        net.spec.flows[0].legs.push(leg);
        let (ledger, outcome) = ledger(&net.spec);
        let flow = &outcome.flows[0];
        assert_eq!((flow.offered_total, flow.delivered_total), (20, 8));
        assert_eq!((flow.lost_total, flow.drops.by(cause)), (12, 12));
        assert_eq!(flow.drops.total(), 12);
        assert_eq!(outcome.violations.total(), 0);
        let times: Vec<Time> = ledger.losses.iter().map(|(loss, _)| loss.at).collect();
        assert_eq!(times, (9..15).map(at).collect::<Vec<Time>>());
        let first = ledger.losses[0];
        assert_eq!(first.1, cause);
        assert_eq!((first.0.flow, first.0.leg, first.0.channel), (0, 0, 0));
        assert_eq!((first.0.kind, first.0.bytes), (UnitKind::Data, BYTES));
    }
}

#[test]
fn what_is_delayed_comes_at_the_exact_instant_and_its_wait_is_counted() {
    let tick = Rate(RATE.0 / 10).tick(BYTES as u64);
    for net in [
        enveloped(every(1, 0, Some(5)), tenth(0), Excess::Delay, 1000),
        policed(every(1, 0, Some(5)), tenth(0), Excess::Delay, 1000),
    ] {
        let expected: Vec<Time> = (0..5).map(|k| Time::ZERO + tick * k).collect();
        assert_eq!(starts(&net), expected);
        let outcome = run(&net.spec);
        let flow = &outcome.flows[0];
        assert_eq!((flow.offered_total, flow.delivered_total), (5, 5));
        // Unit k came at k cells and went at k ticks.
        let wait = tick.ps() - cell().ps();
        assert_eq!(flow.shaping.count, 5);
        assert_eq!((flow.shaping.min, flow.shaping.max), (0, 4 * wait));
        assert!((flow.shaping.mean - 2.0 * wait as f64).abs() < 1.0);
        // Delay begins when they are through: an empty link.
        assert_eq!((flow.delay.min, flow.delay.max), (cell().ps(), cell().ps()));
        // A timer for each unit that waited, no more.
        let plain = run(&alone(every(10, 0, Some(5)), at(1000)).spec);
        assert_eq!(outcome.events, plain.events + 4);
    }
}

#[test]
fn waits_count_after_the_warm_up() {
    let mut net = enveloped(every(1, 0, Some(5)), sliding(1, 10), Excess::Delay, 1000);
    net.spec.warm_up = at(15);
    let shaping = run(&net.spec).flows[0].shaping.clone();
    // Units 2, 3 and 4, through at 20, 30 and 40.
    assert_eq!(shaping.count, 3);
    assert_eq!((shaping.min, shaping.max), (cells(18).ps(), cells(36).ps()));
}

#[test]
fn units_that_still_wait_at_the_end_are_not_offered_yet() {
    let net = enveloped(every(1, 0, None), sliding(1, 10), Excess::Delay, 95);
    let outcome = run(&net.spec);
    assert_eq!(outcome.flows[0].offered_total, 10);
    assert_eq!(outcome.violations.total(), 0);
}

#[test]
fn an_application_that_stands_still_goes_on_from_there() {
    // At 8 the unit has to wait for 10, the next comes 4 later, and so on.
    let net = enveloped(every(4, 0, Some(8)), sliding(2, 10), Excess::Freeze, 1000);
    assert_eq!(in_cells(&net), [0, 4, 10, 14, 20, 24, 30, 34]);
    let outcome = run(&net.spec);
    assert_eq!(outcome.flows[0].shaping.count, 0);
    assert_eq!(outcome.flows[0].offered_total, 8);
    // Held back by delay, the application keeps its own pace instead.
    let net = enveloped(every(4, 0, Some(8)), sliding(2, 10), Excess::Delay, 1000);
    assert_eq!(in_cells(&net), [0, 4, 10, 14, 20, 24, 30, 34]);
    let net = enveloped(every(4, 0, Some(3)), sliding(1, 10), Excess::Delay, 1000);
    assert_eq!(run(&net.spec).flows[0].shaping.max, cells(12).ps());
}

/// On its own clock it sends at 0, 10, 20, then pauses until 80. Each unit but the first of a
/// burst comes 5 too early: its clock is 5, 10, 15, 20 behind.
#[test]
fn bursts_and_pauses_keep_their_lengths_while_the_application_stands_still() {
    let bursts = TrafficSpec::OnOff {
        start: Time::ZERO,
        on: Span::Fixed(cells(30)),
        off: Span::Fixed(cells(50)),
        on_interval: cells(10),
        off_interval: None,
    };
    let net = enveloped(bursts, sliding(1, 15), Excess::Freeze, 200);
    assert_eq!(in_cells(&net), [0, 15, 30, 90, 105, 120, 180, 195]);
}

#[test]
fn a_greedy_source_is_held_whatever_the_excess() {
    let endless = |total| TrafficSpec::Greedy {
        start: at(5),
        total,
    };
    for excess in MODES {
        let net = enveloped(endless(Some(7)), sliding(2, 10), excess, 1000);
        assert_eq!(in_cells(&net), [5, 6, 15, 16, 25, 26, 35], "{excess:?}");
        let net = enveloped(endless(None), sliding(2, 10), excess, 100);
        let outcome = run(&net.spec);
        let flow = &outcome.flows[0];
        assert_eq!(flow.lost_total, 0, "{excess:?}");
        assert_eq!(flow.offered_total, 20, "{excess:?}");
        assert_eq!(flow.shaping.count, 0, "{excess:?}");
        // Born when they start.
        assert_eq!(flow.delay.max, cell().ps(), "{excess:?}");
        assert!(
            outcome.events < 100,
            "{excess:?}: {} events",
            outcome.events
        );
    }
    for excess in [Excess::Drop, Excess::Delay] {
        let net = policed(endless(Some(7)), sliding(2, 10), excess, 1000);
        assert_eq!(in_cells(&net), [5, 6, 15, 16, 25, 26, 35], "{excess:?}");
        let mut net = policed(endless(None), sliding(2, 10), excess, 100);
        net.spec.flows[0].envelope = held_to(tenth(100), Excess::Drop);
        // The bucket lets 11 through at once, then one in 10: slower than the window's two.
        let starts = starts(&net);
        let by = |end: u64| starts.iter().filter(|start| **start < at(end)).count();
        assert_eq!([by(15), by(25), by(35)], [2, 4, 6], "{excess:?}");
        assert_eq!(run(&net.spec).flows[0].lost_total, 0, "{excess:?}");
    }
}

/// A greedy flow behind a window of 6, acknowledged after 24 cells.
fn windowed(change: impl Fn(&mut FlowSpec)) -> Net {
    let mut net = conversation(5, 9_999);
    net.spec.flows[0].source_control = SourceControlSpec::Window { units: 6 };
    change(&mut net.spec.flows[0]);
    net
}

#[test]
fn an_envelope_before_a_window_of_acknowledgements_is_kept() {
    for excess in MODES {
        let net = windowed(|flow| flow.envelope = held_to(sliding(3, 100), excess));
        let starts = starts(&net);
        assert_eq!(starts.len(), 300, "{excess:?}");
        assert!(starts.windows(4).all(|four| four[3] - four[0] >= cells(98)));
        let outcome = run(&net.spec);
        assert_eq!(
            (outcome.flows[0].lost_total, outcome.violations.total()),
            (0, 0)
        );
    }
}

#[test]
fn a_policer_behind_a_window_drops_or_delays() {
    let net = windowed(|flow| flow.policer = held_to(sliding(3, 100), Excess::Delay));
    let outcome = run(&net.spec);
    let flow = &outcome.flows[0];
    assert_eq!(starts(&net).len(), 300);
    assert_eq!((flow.lost_total, flow.inside_total), (0, 0));
    assert!(flow.shaping.count == 300 && flow.shaping.max > cells(50).ps());
    // What is dropped is never acknowledged, but the units behind it are.
    let net = windowed(|flow| flow.policer = held_to(sliding(3, 20), Excess::Drop));
    let outcome = run(&net.spec);
    let flow = &outcome.flows[0];
    assert!(flow.drops.by(LossCause::Policer) > 100);
    assert!(flow.delivered_total > 1000);
    assert_eq!(outcome.violations.total(), 0);
}

#[test]
fn acknowledgements_are_policed_too() {
    let mut net = conversation(5, 10_000);
    net.spec.flows[0].source_control = SourceControlSpec::Window { units: 6 };
    net.spec.flows[1].policer = held_to(sliding(1, 50), Excess::Delay);
    let outcome = run(&net.spec);
    let acknowledgements = outcome.flows[1].offered_total;
    assert!(
        (195..=200).contains(&acknowledgements),
        "{acknowledgements}"
    );
    // Each acknowledgement brings one unit more, whatever it says.
    assert!(outcome.flows[0].offered_total <= acknowledgements + 7);
}

/// What never binds changes nothing: not a start differs.
#[test]
fn an_envelope_that_never_binds_changes_nothing() {
    let poisson = TrafficSpec::Poisson {
        start: Time::ZERO,
        mean_interval: cells(2),
        min_interval: Duration::ZERO,
        total: None,
    };
    for traffic in [every(3, 0, None), poisson, greedy()] {
        let plain = run(&alone(traffic.clone(), at(3000)).spec);
        for excess in MODES {
            let mut net = enveloped(traffic.clone(), sliding(5000, 1), excess, 3000);
            if excess != Excess::Freeze {
                net.spec.flows[0].policer = held_to(fixed(5000, 10, None), excess);
            }
            let found = run(&net.spec);
            assert_eq!(found.trace_hash, plain.trace_hash, "{excess:?}");
            assert_eq!(found.events, plain.events, "{excess:?}");
            let (found, plain) = (&found.flows[0], &plain.flows[0]);
            assert_eq!(found.offered_total, plain.offered_total, "{excess:?}");
            assert_eq!(found.delay.max, plain.delay.max, "{excess:?}");
        }
        let found = run(&enveloped(traffic, sliding(1, 50), Excess::Drop, 3000).spec);
        assert_ne!(found.trace_hash, plain.trace_hash, "one that binds");
    }
}

#[test]
fn phases_are_drawn_for_each_flow_and_each_place() {
    let first_end = |net: &Net| {
        // A window's three pass at once, then nothing until it ends.
        let starts = in_cells(net);
        starts[3..][0]
    };
    let mut ends = Vec::new();
    for seed in 1..=20 {
        let mut net = enveloped(every(1, 0, None), fixed(3, 100, None), Excess::Drop, 200);
        net.spec.seed = seed;
        ends.push(first_end(&net));
        let mut net = policed(every(1, 0, None), fixed(3, 100, None), Excess::Drop, 200);
        net.spec.seed = seed;
        ends.push(first_end(&net));
    }
    assert!(ends.iter().all(|&end| end <= 100));
    ends.sort_unstable();
    ends.dedup();
    assert!(ends.len() > 20, "{ends:?}");
}
