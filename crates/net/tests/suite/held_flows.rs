//! Sizes of units, envelopes under every kind of traffic and source control, what is refused.

use crate::common;

use backwater_kernel::{Duration, Heap, Rate, Rings, Time};
use backwater_net::probe::Audit;
use backwater_net::spec::*;
use backwater_net::{Simulation, watched};
use common::*;

#[test]
fn units_have_the_sizes_their_flow_draws() {
    for traffic in [every(2, 0, Some(4000)), greedy()] {
        let mut net = alone(traffic, at(9000));
        net.spec.flows[0].sizes = mix();
        net.spec.warm_up = at(1000);
        let (ledger, outcome) = ledger(&net.spec);
        let units = ledger.sizes.len() as f64;
        for (bytes, share) in MIX {
            let found = ledger.sizes.iter().filter(|unit| unit.1 == bytes).count();
            assert!(
                (found as f64 / units - share).abs() < 0.03,
                "{bytes}: {found}"
            );
        }
        let flow = &outcome.flows[0];
        let mean = flow.delivered_bytes as f64 / flow.delivered as f64;
        assert!((mean / 38.25 - 1.0).abs() < 0.02, "{mean}");
        assert_eq!(outcome.violations.total(), 0);
    }
}

#[test]
fn a_bucket_counts_bytes() {
    let mut net = enveloped(greedy(), tenth(0), Excess::Delay, 100_000);
    net.spec.flows[0].sizes = mix();
    let flow = run(&net.spec).flows[0].clone();
    // A tenth of the link, in bytes: the mean unit is 38.25 of 53.
    let expected = 10_000.0 * 53.0;
    let found = flow.delivered_bytes as f64;
    assert!(
        (found / expected - 1.0).abs() < 0.01,
        "{found}, not {expected}"
    );
}

#[test]
fn what_is_sent_again_has_its_size() {
    for envelope in [None, held_to(sliding(40, 50), Excess::Delay)] {
        let mut net = conversation(10, 20_000);
        let flow = &mut net.spec.flows[0];
        flow.source_control = SourceControlSpec::Aimd {
            initial_units: 4,
            maximum_units: 1000,
            increase_units: 1.0,
            decrease: 0.5,
            timeout: cells(400),
        };
        flow.sizes = mix();
        flow.envelope = envelope;
        flow.policer = held_to(tenth(50), Excess::Drop);
        let (ledger, outcome) = ledger(&net.spec);
        assert!(outcome.flows[0].retransmitted_total > 50);
        assert!(outcome.flows[0].accepted > 500);
        assert_eq!(outcome.violations.total(), 0);
        let again = |number: u64| ledger.sizes.iter().filter(move |unit| unit.0 == number);
        let twice = (0..500).filter(|&number| again(number).count() > 1);
        assert!(twice.count() > 20);
        for &(number, bytes) in &ledger.sizes {
            assert!(again(number).all(|unit| unit.1 == bytes), "unit {number}");
        }
    }
}

/// Every rule and mode at both places, with and without control and sizes: units in order, none
/// lost but where it is counted, the same run from either queue.
#[test]
fn every_combination_conserves_units() {
    let poisson = TrafficSpec::Poisson {
        start: Time::ZERO,
        mean_interval: cells(4),
        min_interval: cells(1),
        total: None,
    };
    let trains = TrafficSpec::Trains {
        start: Time::ZERO,
        mean_units: 5.0,
        gap: cells(1),
        mean_pause: cells(10),
        total: Some(400),
    };
    let mut refused = 0;
    for traffic in [poisson, trains, greedy(), every(3, 0, None)] {
        for rule in [sliding(4, 40), fixed(4, 40, None), tenth(25)] {
            for excess in MODES {
                for control in [
                    SourceControlSpec::None,
                    SourceControlSpec::Window { units: 9 },
                ] {
                    let mut net = conversation(3, 2000);
                    let flow = &mut net.spec.flows[0];
                    flow.traffic = traffic.clone();
                    flow.envelope = held_to(rule, excess);
                    flow.policer = held_to(sliding(3, 35), Excess::Drop);
                    if excess == Excess::Delay {
                        flow.policer = held_to(tenth(7), excess);
                        flow.sizes = mix();
                    }
                    if control == SourceControlSpec::None {
                        flow.partner = None;
                    }
                    flow.source_control = control;
                    refused += conserves(&net.spec);
                }
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}

/// Units refused, after a look at everything else.
fn conserves(spec: &NetworkSpec) -> u64 {
    let audit = Audit::new(spec);
    let (probe, outcome) = watched(spec, audit).expect("it is sound");
    assert_eq!(outcome.violations.total(), 0);
    assert_eq!(probe.checks().violations().total(), 0);
    let flow = &outcome.flows[0];
    let accounted = flow.delivered_total + flow.lost_total + flow.inside_total;
    assert_eq!(flow.offered_total, accounted);
    assert_eq!(flow.drops.total(), flow.lost_total);
    assert!(flow.delivered_total > 50, "{}", flow.delivered_total);
    let mut other = Simulation::<Heap>::new(spec).expect("it is sound");
    other.run();
    assert_eq!(other.outcome().trace_hash, outcome.trace_hash);
    flow.lost_total
}

#[test]
fn requests_and_responses_pass_envelopes_unit_by_unit() {
    let mut net = conversation(4, 100_000);
    net.spec.flows[0].traffic = TrafficSpec::Client(ClientSpec {
        start: Time::ZERO,
        request_units: 3,
        lookups: 2,
        lookup_units: 3,
        file_median_bytes: 6000,
        file_sigma: 1.5,
        block_bytes: 8192,
        header_bytes: 160,
        payload_bytes: 48,
        outstanding: 4,
        lookup_service: Span::Exponential(cells(440)),
        read_service: Span::Exponential(cells(2200)),
        think: Span::Exponential(cells(440)),
    });
    net.spec.flows[1].traffic = TrafficSpec::Server;
    for excess in [Excess::Delay, Excess::Freeze] {
        net.spec.flows[0].envelope = held_to(sliding(1, 100), excess);
        net.spec.flows[1].envelope = held_to(sliding(2, 20), excess);
        let outcome = run(&net.spec);
        assert_eq!(outcome.violations.total(), 0);
        assert!(responses_of(&outcome, 1).count > 10, "{excess:?}");
        // The last unit of a request waits for two others.
        assert!(
            outcome.flows[0].shaping.max >= cells(200).ps(),
            "{excess:?}"
        );
        assert!(outcome.flows[1].shaping.max > cells(500).ps(), "{excess:?}");
    }
}

#[test]
fn what_contradicts_itself_is_refused() {
    let sound = || alone(every(10, 0, None), at(100));
    let refused = |what: &str, change: &dyn Fn(&mut FlowSpec)| {
        let mut net = sound();
        change(&mut net.spec.flows[0]);
        let built = Simulation::<Rings>::new(&net.spec);
        let error = built.err().unwrap_or_else(|| panic!("{what} was taken"));
        assert!(error.0.contains(what), "{what}: {error}");
    };
    assert!(Simulation::<Rings>::new(&sound().spec).is_ok());
    let drop = |rule| held_to(rule, Excess::Drop);
    refused("above zero", &|flow| flow.envelope = drop(sliding(0, 10)));
    refused("above zero", &|flow| flow.policer = drop(sliding(1, 0)));
    refused("above zero", &|flow| {
        flow.envelope = drop(fixed(0, 10, None))
    });
    refused("first window", &|flow| {
        flow.envelope = drop(fixed(1, 10, Some(11)))
    });
    let bucket = |rate, tolerance| EnvelopeRule::Bucket {
        rate: Rate(rate),
        tolerance: Duration(tolerance),
    };
    refused("a rate", &|flow| flow.envelope = drop(bucket(0, 0)));
    refused("clock", &|flow| flow.envelope = drop(bucket(1, u64::MAX)));
    refused("stand still", &|flow| {
        flow.policer = held_to(sliding(1, 10), Excess::Freeze);
    });
    let sizes = |sizes: &[(u32, f64)]| -> Vec<SizeShare> {
        let share = |&(bytes, share)| SizeShare { bytes, share };
        sizes.iter().map(share).collect()
    };
    refused("one byte", &|flow| {
        flow.sizes = sizes(&[(0, 1.0), (53, 1.0)])
    });
    refused("shares", &|flow| flow.sizes = sizes(&[(53, 0.0)]));
    refused("shares", &|flow| {
        flow.sizes = sizes(&[(53, -1.0), (20, 3.0)])
    });
    refused("shares", &|flow| flow.sizes = sizes(&[(53, f64::NAN)]));
    refused("largest", &|flow| flow.sizes = sizes(&[(20, 1.0)]));
    refused("reserves", &|flow| flow.on_alarm = OnAlarm::Obey);
    let reserve = ReserveSpec {
        rate: Rate(1000),
        interval: None,
        burst_bytes: None,
        offset: Duration::ZERO,
        deadline: None,
    };
    refused("factor", &|flow| {
        flow.reserve = Some(reserve);
        flow.on_alarm = OnAlarm::SlowDown { factor: 1.0 };
    });
}

#[test]
fn traffic_that_contradicts_itself_is_refused() {
    let poisson = |mean: u64, least: u64| TrafficSpec::Poisson {
        start: Time::ZERO,
        mean_interval: cells(mean),
        min_interval: cells(least),
        total: None,
    };
    let trains = |mean_units: f64, gap: u64| TrafficSpec::Trains {
        start: Time::ZERO,
        mean_units,
        gap: cells(gap),
        mean_pause: cells(1),
        total: None,
    };
    let is_sound = |traffic| {
        let net = alone(traffic, at(100));
        Simulation::<Rings>::new(&net.spec).is_ok()
    };
    assert!(is_sound(poisson(5, 4)) && is_sound(trains(1.0, 1)));
    assert!(!is_sound(poisson(5, 5)) && !is_sound(poisson(5, 6)));
    assert!(!is_sound(poisson(0, 0)));
    for length in [0.99, -1.0, f64::NAN, f64::INFINITY] {
        assert!(!is_sound(trains(length, 1)), "{length}");
    }
    assert!(!is_sound(trains(2.0, 0)));
}
