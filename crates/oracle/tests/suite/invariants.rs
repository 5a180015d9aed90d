//! What holds on random networks under random loads and losses, and what breaks it.

use crate::common;

use backwater_kernel::{Duration, Stop, Time};
use backwater_net::spec::*;
use common::*;

/// Probabilities that a control unit is found corrupted and discarded.
const LOSSES: [f64; 3] = [0.05, 0.3, 0.7];

fn credits_lost(runs: &[Watched]) -> u64 {
    let legs = runs.iter().flat_map(|run| &run.outcome.legs);
    legs.map(|leg| leg.credits_lost_total).sum()
}

fn data_lost(runs: &[Watched]) -> u64 {
    let legs = runs.iter().flat_map(|run| &run.outcome.legs);
    legs.map(|leg| leg.lost_total).sum()
}

fn requests(runs: &[Watched]) -> u64 {
    let legs = runs.iter().flat_map(|run| &run.outcome.legs);
    legs.map(|leg| leg.requests_total).sum()
}

/// Runs in which a unit is left behind.
fn left_behind(runs: &[Watched]) -> usize {
    runs.iter()
        .filter(|run| run.outcome.flows.iter().any(|flow| flow.inside_total > 0))
        .count()
}

#[test]
fn every_rule_keeps_its_promises_without_loss() {
    for rule in RULES {
        let runs = sound((0..NETWORKS).map(|seed| under(loaded(seed), rule)));
        let checks: u64 = runs.iter().map(|run| run.checks).sum();
        assert!(checks > 1_000_000, "{rule:?}: only {checks} checks");
        let full = runs.iter().flat_map(|run| &run.outcome.legs);
        let pressed = full.filter(|leg| leg.fill_max_total >= 10).count();
        assert!(pressed > 50, "{rule:?}: only {pressed} legs fill up");
    }
}

#[test]
fn finite_sources_drain_without_loss_under_every_rule() {
    for rule in RULES {
        for run in sound((0..NETWORKS).map(|seed| under(finite(seed), rule))) {
            assert!(run.all_delivered(), "{rule:?}: {:?}", run.outcome.stop);
        }
    }
}

#[test]
fn no_pattern_of_detected_control_loss_overflows() {
    for rule in RULES {
        for loss in LOSSES {
            let specs = |requests: bool| {
                (0..NETWORKS).map(move |seed| {
                    let spec = with_errors(under(loaded(seed), rule), control_loss(loss));
                    if requests { with_requests(spec) } else { spec }
                })
            };
            for asks in [false, true] {
                let runs = sound(specs(asks));
                assert!(credits_lost(&runs) > 1000, "{rule:?} {loss}");
                assert_eq!(requests(&runs) > 0, asks, "{rule:?} {loss}");
            }
        }
    }
}

#[test]
fn losses_of_data_and_control_together_overflow_nothing() {
    let errors = ErrorSpec {
        data_loss: 0.02,
        control_loss: 0.1,
        ..ErrorSpec::default()
    };
    for rule in RULES {
        let spec = |seed| {
            let mut spec = with_requests(with_errors(under(loaded(seed), rule), errors));
            each_credit(&mut spec, |credit| credit.resync_every = Some(4));
            spec
        };
        let runs = sound((0..NETWORKS).map(spec));
        assert!(data_lost(&runs) > 1000, "{rule:?}");
    }
}

#[test]
fn with_requests_all_drain_at_a_loss_of_03() {
    for rule in [
        CreditRule::N23,
        CreditRule::Cumulative,
        CreditRule::N123,
        CreditRule::N123Plus,
    ] {
        let spec = |seed| with_requests(with_errors(under(finite(seed), rule), control_loss(0.3)));
        let runs = sound((0..NETWORKS).map(spec));
        assert!(requests(&runs) > 1000, "{rule:?}");
        for (seed, run) in runs.iter().enumerate() {
            let stop = run.outcome.stop;
            assert!(run.all_delivered(), "{rule:?}, seed {seed}: {stop:?}");
        }
    }
}

/// The control of the test above: without requests, or with relative credit, units stay behind.
#[test]
fn without_requests_or_with_relative_credit_units_stay_behind() {
    let lossy = |seed, rule| with_errors(under(finite(seed), rule), control_loss(0.3));
    for rule in [CreditRule::N23, CreditRule::Cumulative] {
        let runs = sound((0..NETWORKS).map(|seed| lossy(seed, rule)));
        let stuck = left_behind(&runs);
        assert!(stuck > 80, "{rule:?}: only {stuck}");
    }
    let relative = |seed| {
        let mut spec = with_requests(lossy(seed, CreditRule::Relative));
        // Requests go on for ever where nothing is left to grant.
        spec.stop_at = Time(20_000 * CELL_PS);
        spec
    };
    let stuck = left_behind(&sound((0..NETWORKS).map(relative)));
    assert!(stuck > 80, "relative: only {stuck}");
}

#[test]
fn n23_and_n123_heal_lost_data_with_requests() {
    for rule in [CreditRule::N23, CreditRule::N123, CreditRule::N123Plus] {
        let spec = |seed| with_requests(with_errors(under(finite(seed), rule), data_loss(0.01)));
        let runs = sound((0..NETWORKS).map(spec));
        assert!(data_lost(&runs) > 300, "{rule:?}: {}", data_lost(&runs));
        for (seed, run) in runs.iter().enumerate() {
            assert_eq!(run.outcome.stop, Stop::Drained, "{rule:?}, seed {seed}");
        }
    }
}

/// A cumulative sender states its counter at least once a window of credit; then requests find
/// the receiver informed.
fn cumulative_with_lost_data(seed: u64, resync: bool) -> NetworkSpec {
    let spec = under(finite(seed), CreditRule::Cumulative);
    let mut spec = with_requests(with_errors(spec, data_loss(0.03)));
    spec.stop_at = Time(40_000 * CELL_PS);
    each_credit(&mut spec, |credit| {
        credit.resync_every = resync.then_some((credit.n2 + credit.n3).min(8));
    });
    spec
}

#[test]
fn cumulative_credit_heals_lost_data_when_the_sender_states_its_counter() {
    let healed = sound((0..NETWORKS).map(|seed| cumulative_with_lost_data(seed, true)));
    assert!(data_lost(&healed) > 1000);
    for (seed, run) in healed.iter().enumerate() {
        assert_eq!(run.outcome.stop, Stop::Drained, "seed {seed}");
    }
    let leaking = sound((0..NETWORKS).map(|seed| cumulative_with_lost_data(seed, false)));
    let stuck = left_behind(&leaking);
    assert!(stuck > 20, "only {stuck} stay behind without");
}

/// What a multicast unit waits for: the slowest branch. The fast branch alone would drain.
#[test]
fn multicast_memory_is_free_when_the_slowest_branch_has_sent() {
    let branching = |spec: &NetworkSpec| {
        let twins = |flow: &FlowSpec, id: u32| {
            flow.legs
                .iter()
                .filter(|leg| leg.parent == Some(id))
                .count()
                > 1
        };
        let mut flows = spec.flows.iter();
        flows.any(|flow| (0..flow.legs.len() as u32).any(|id| twins(flow, id)))
    };
    let specs = (0..2 * NETWORKS).map(loaded).filter(branching);
    let runs = sound(specs.map(sealed));
    assert!(runs.len() > 60, "only {} branch", runs.len());
}

/// What breaks the promises is found: windows three cells short, N1 far too small, corruption
/// that nobody notices.
#[test]
fn broken_schemes_are_caught_on_random_networks() {
    // Overflows that the engine reports, and runs that the observer finds fault with by itself.
    let broken = |spec: &dyn Fn(u64) -> NetworkSpec| {
        let runs: Vec<Watched> = (0..NETWORKS).map(|seed| watched(&spec(seed))).collect();
        let reported = runs.iter().filter(|run| run.outcome.violations.total() > 0);
        let of_observer = |what: &String| what.starts_with("observer");
        let observed = runs.iter().filter(|run| run.broken.iter().any(of_observer));
        reported.count().min(observed.count())
    };
    let short_window = |seed| {
        let mut spec = under(loaded(seed), CreditRule::N23);
        each_credit(&mut spec, |credit| {
            let short = credit.window.ps().saturating_sub(3 * CELL_PS);
            credit.window = Duration(short.max(1));
        });
        spec
    };
    let no_zone = |seed| {
        let mut spec = under(loaded(seed), CreditRule::N123);
        each_credit(&mut spec, |credit| credit.n1 = 0);
        sealed(spec)
    };
    let corrupted = |seed| {
        let errors = ErrorSpec {
            control_corruption: 0.3,
            ..ErrorSpec::default()
        };
        with_errors(under(loaded(seed), CreditRule::N23), errors)
    };
    let counts = [broken(&short_window), broken(&no_zone), broken(&corrupted)];
    assert!(counts.iter().all(|&count| count > 40), "{counts:?}");
}
