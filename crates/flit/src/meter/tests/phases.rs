//! Warm-up, window, drain.

use alloc::vec;

use super::{Carrier, Phase, TERMINALS, measured};
use crate::outcome::FabricOutcome;
use crate::spec::{Injection, TraceEntry, WarmUp};
use crate::traffic::testing::{class, crossbar};
use backwater_kernel::Stop;

use super::super::{Delivered, Meter, Totals};

#[test]
fn a_run_warms_up_measures_and_drains() {
    let spec = measured(WarmUp::Cycles(123), 1_000, 500);
    let found = Carrier::new(&spec).run(10_000, 0.5, |_, noise| 30 + noise);
    let [warming, measuring, draining, done] = found.phases[..] else {
        panic!("{:?}", found.phases);
    };
    assert_eq!(warming, (0, Phase::Warming));
    assert_eq!(measuring, (123, Phase::Measuring));
    assert_eq!(draining, (1_123, Phase::Draining));
    assert_eq!(done.1, Phase::Done(Stop::Measured));
    // The last packet needs at most 37 cycles, and the end is looked for every 64 or less.
    assert!((1_123 + 30..=1_123 + 37 + 64).contains(&done.0), "{done:?}");
    let outcome = found.outcome;
    assert_eq!((outcome.window_start, outcome.window), (123, 1_000));
    assert!(!outcome.warm_up_detected);
    assert_eq!(outcome.unfinished, 0);
    let created: u64 = outcome.terminals.iter().map(|t| t.created).sum();
    let received: u64 = outcome.terminals.iter().map(|t| t.received).sum();
    let places = 1_000.0 * f64::from(TERMINALS);
    assert_eq!(outcome.offered, created as f64 / places);
    assert_eq!(outcome.accepted, received as f64 / places);
    assert_eq!(outcome.latency.count, created);
    assert!((outcome.offered - 0.5).abs() < 4.0 * 0.5 / places.sqrt());
    let least = outcome.terminals.iter().map(|t| t.received).min().unwrap();
    assert_eq!(outcome.accepted_least, least as f64 / 1_000.0);
    assert_eq!(outcome.hops_mean, 2.0);
    assert_eq!(outcome.network_latency.mean, outcome.latency.mean - 1.0);
    assert_eq!(outcome.saturated, None);
}

#[test]
fn without_warm_up_it_measures_at_once_and_without_drain_it_stops_at_the_end() {
    let spec = measured(WarmUp::Cycles(0), 777, 0);
    let found = Carrier::new(&spec).run(10_000, 0.5, |_, _| 20);
    let done = Phase::Done(Stop::TimeReached);
    assert_eq!(found.phases, [(0, Phase::Measuring), (777, done)]);
    assert_eq!((found.outcome.window, found.outcome.cycles), (777, 777));
    assert!(found.outcome.unfinished > 0);
}

#[test]
fn a_drain_that_is_too_short_is_told() {
    let spec = measured(WarmUp::Cycles(100), 1_000, 250);
    let late = |birth, noise| if birth == 900 { 5_000 } else { 30 + noise };
    let found = Carrier::new(&spec).run(10_000, 0.5, late);
    assert_eq!(found.stop(), Stop::DrainEnded);
    assert_eq!(found.outcome.cycles, 1_350);
    let unfinished = found.outcome.unfinished;
    assert!((1..=u64::from(TERMINALS)).contains(&unfinished));
    let words = found.outcome.saturated.unwrap();
    assert!(
        words.starts_with(&std::format!("{unfinished} of ")),
        "{words}"
    );
    assert!(
        words.ends_with("had not arrived 250 cycles after it"),
        "{words}"
    );
}

#[test]
fn an_empty_window_and_a_run_cut_short_have_numbers() {
    let spec = measured(WarmUp::Cycles(10), 0, 0);
    let found = Carrier::new(&spec).run(1_000, 0.5, |_, _| 20);
    assert_eq!(found.stop(), Stop::TimeReached);
    assert_eq!((found.outcome.window, found.outcome.offered), (0, 0.0));
    let spec = measured(WarmUp::Cycles(500), 10_000, 0);
    let early = Carrier::new(&spec).run(300, 0.5, |_, _| 20).outcome;
    assert_eq!((early.window_start, early.window), (300, 0));
    assert_eq!((early.offered, early.accepted_least), (0.0, 0.0));
    let cut = Carrier::new(&spec).run(1_500, 0.5, |_, _| 20).outcome;
    assert_eq!((cut.window_start, cut.window), (500, 1_000));
    assert!((cut.offered - 0.5).abs() < 0.02 && (cut.accepted - 0.5).abs() < 0.02);
    assert_eq!(cut.saturated, None);
}

#[test]
fn the_last_cycles_of_time_are_no_trouble() {
    let spec = measured(WarmUp::Cycles(u64::MAX), u64::MAX, u64::MAX);
    let mut meter = Meter::new(&spec);
    let totals = Totals::default();
    for now in [0, 1 << 40, u64::MAX - 1, u64::MAX] {
        meter.checkpoint(now, &totals);
        assert!(meter.next_checkpoint() > now || now == u64::MAX);
    }
    let mut outcome = FabricOutcome {
        cycles: u64::MAX,
        ..FabricOutcome::default()
    };
    meter.fill(&mut outcome);
    assert!(outcome.course.len() <= 401);
}

fn entry(cycle: u64) -> TraceEntry {
    TraceEntry {
        cycle,
        source: 0,
        destination: 1,
        length: 4,
    }
}

/// Replays a trace whose packets take 100 cycles; all cycles, one by one.
fn replayed(warm_up: u64, window: u64) -> FabricOutcome {
    let list = Injection::Trace(vec![entry(0), entry(200), entry(5_000)]);
    let mut spec = crossbar(2, vec![class(list)]);
    spec.measure.warm_up = WarmUp::Cycles(warm_up);
    spec.measure.window = window;
    let mut meter = Meter::new(&spec);
    let births = [0, 200, 5_000];
    let mut outcome = FabricOutcome::default();
    for now in 0..20_000_u64 {
        if now >= meter.next_checkpoint() {
            let inside = births
                .iter()
                .filter(|at| (**at + 1..=**at + 100).contains(&now));
            let totals = Totals {
                queued: 0,
                inside: 4 * inside.count() as u64,
            };
            if let Phase::Done(stop) = meter.checkpoint(now, &totals) {
                (outcome.cycles, outcome.stop) = (now, stop);
                break;
            }
        }
        if now >= 100 && births.contains(&(now - 100)) {
            meter.delivered(&Delivered {
                source: 0,
                destination: 1,
                class: 0,
                length: 4,
                birth: now - 100,
                entered: now - 99,
                hops: 2,
                flight: 2,
                now,
            });
        }
        if births.contains(&now) {
            meter.born(now, 0, 0, 4);
        }
    }
    meter.fill(&mut outcome);
    outcome
}

#[test]
fn a_trace_is_over_when_its_last_packet_is() {
    let whole = replayed(0, 100_000);
    assert_eq!(whole.stop, Stop::Drained);
    assert!(
        (5_100..5_100 + 128).contains(&whole.cycles),
        "{}",
        whole.cycles
    );
    assert_eq!((whole.window, whole.latency.count), (whole.cycles, 3));
    assert_eq!((whole.latency.mean, whole.unfinished), (100.0, 0));
    // Terminal 0 is sent nothing, so it is not the one that got least.
    assert_eq!(whole.accepted_least, 12.0 / whole.window as f64);
    // A window within the trace ends it as any other run.
    let part = replayed(150, 1_000);
    assert_eq!((part.stop, part.latency.count), (Stop::Measured, 1));
}
