//! Is it beyond saturation?

use alloc::vec;
use alloc::vec::Vec;
use backwater_kernel::{Purpose, Stop, Stream};

use super::super::verdict::{Evidence, saturated};
use super::super::{Meter, Phase, Totals};
use super::{Carrier, measured};
use crate::outcome::FabricOutcome;
use crate::spec::{Injection, WarmUp};
use crate::traffic::testing::{class, crossbar};

/// A window of 40 parts with some 1,000 flits each, of which this share arrives, and noise.
fn evidence(seed: u64, share: f64, noise: f64) -> Evidence {
    let mut stream = Stream::new(seed, 0, Purpose::Pattern);
    let mut part = || {
        let born = 1_000.0 + 30.0 * stream.normal();
        let got = share * born + noise * stream.normal();
        (born as u64, got as u64)
    };
    let parts: Vec<(u64, u64)> = (0..40).map(|_| part()).collect();
    let created = parts.iter().map(|(born, _)| born).sum();
    Evidence {
        created,
        delivered: parts.iter().map(|(_, got)| got).sum(),
        births: created / 4,
        places: 80_000.0,
        parts,
        quarters: [(2_500, 50.0); 4],
        queued: (100, 100),
        unfinished: Some((0, 1_000)),
    }
}

#[test]
fn what_is_offered_and_not_accepted_is_too_much() {
    for seed in 0..50 {
        let words = saturated(&evidence(seed, 0.9, 30.0)).unwrap();
        assert!(words.starts_with("accepted 0.4"), "{words}");
        assert!(words.contains("flits per cycle and terminal: "), "{words}");
        assert_eq!(saturated(&evidence(seed, 1.0, 30.0)), None);
        // A small share may be missing, however sure.
        assert_eq!(saturated(&evidence(seed, 0.99, 0.0)), None);
        assert!(saturated(&evidence(seed, 0.98, 0.0)).is_some());
        // And chance explains more where more varies.
        assert_eq!(saturated(&evidence(seed, 0.97, 300.0)), None);
    }
}

#[test]
fn a_window_without_parts_is_judged_by_its_births() {
    let few = |delivered, births| Evidence {
        created: 1_000,
        delivered,
        births,
        places: 1_000.0,
        ..Evidence::default()
    };
    // 2.5 deviations of 100 births are a quarter.
    assert_eq!(saturated(&few(760, 100)), None);
    assert!(saturated(&few(740, 100)).is_some());
    assert!(saturated(&few(900, 1_000)).is_some());
    assert_eq!(saturated(&Evidence::default()), None);
}

#[test]
fn latency_that_grows_with_the_queues_is_too_much() {
    let growing = |last: f64, after: u64, packets: u64| {
        let mut seen = evidence(1, 1.0, 10.0);
        seen.quarters[3] = (packets, last);
        seen.queued = (100, after);
        saturated(&seen)
    };
    let words = growing(90.0, 2_000, 2_000).unwrap();
    assert!(
        words.contains("50.0 cycles when born in the first quarter"),
        "{words}"
    );
    assert!(
        words.contains("100 flits waited at its start, 2000 at its end"),
        "{words}"
    );
    assert_eq!(growing(74.0, 2_000, 2_000), None);
    assert_eq!(growing(90.0, 100, 2_000), None);
    assert_eq!(growing(90.0, 400, 2_000), None);
    assert_eq!(growing(90.0, 2_000, 19), None);
}

#[test]
fn packets_that_do_not_arrive_are_too_much() {
    let mut seen = evidence(1, 1.0, 10.0);
    seen.unfinished = Some((3, 1_000));
    let words = saturated(&seen).unwrap();
    assert!(words.starts_with("3 of "), "{words}");
    seen.unfinished = None;
    assert_eq!(saturated(&seen), None);
}

#[test]
fn runs_are_judged_by_what_they_show() {
    let spec = measured(WarmUp::Cycles(1_000), 10_000, 5_000);
    let below = Carrier::new(&spec).run(100_000, 0.5, |_, noise| 30 + noise);
    assert_eq!(below.outcome.saturated, None);
    // Each packet waits for all before it: 5 % more are born than leave.
    let beyond = Carrier::new(&spec).run(100_000, 0.5, |birth, noise| 30 + noise + birth / 20);
    let words = beyond.outcome.saturated.unwrap();
    assert!(words.contains("less than offered"), "{words}");
    // A cold start without warm-up is not saturation.
    let cold = measured(WarmUp::Cycles(0), 1_000, 5_000);
    let cold = Carrier::new(&cold).run(100_000, 0.5, |_, noise| 80 + noise);
    assert!(cold.outcome.accepted < 0.95 * cold.outcome.offered);
    assert_eq!(cold.outcome.saturated, None);
}

#[test]
fn endless_supply_and_deadlock_speak_for_themselves() {
    let spec = crossbar(4, vec![class(Injection::Saturation)]);
    let mut outcome = FabricOutcome::default();
    Meter::new(&spec).fill(&mut outcome);
    let words = outcome.saturated.unwrap();
    assert_eq!(words, "the sources always have one more packet");
    let spec = measured(WarmUp::Cycles(0), 1_000, 0);
    let mut meter = Meter::new(&spec);
    assert_eq!(meter.checkpoint(0, &Totals::default()), Phase::Measuring);
    (0..900).for_each(|now| meter.born(now, 0, 0, 1));
    for (stop, told) in [(Stop::Standstill, false), (Stop::Interrupted, true)] {
        let mut outcome = FabricOutcome {
            cycles: 900,
            stop,
            ..FabricOutcome::default()
        };
        meter.fill(&mut outcome);
        assert_eq!(outcome.saturated.is_some(), told);
    }
}
