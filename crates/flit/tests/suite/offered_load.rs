//! The load that is asked for is offered, and below saturation accepted, whatever makes it.

use crate::common;

use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::*;
use backwater_flit::topology;
use common::*;

fn offering(injection: Injection, size: Size, sources: Sources) -> FabricSpec {
    let graph = topology::full(4, 2, 1).expect("a full graph");
    let mut classes = vec![class(injection, 1)];
    classes[0].size = size;
    let mut spec = spec(graph, RoutingSpec::Table, classes);
    spec.sources = sources;
    spec.measure.warm_up = WarmUp::Cycles(0);
    spec
}

fn sizes() -> [Size; 3] {
    [
        Size::Fixed(3),
        Size::Bimodal {
            short: 1,
            long: 9,
            long_per_million: 250_000,
        },
        Size::Weighted(vec![(1, 2), (2, 1), (8, 1)]),
    ]
}

const SOURCES: [Sources; 3] = [Sources::One, Sources::Shared, Sources::PerLane];

/// By terminal: flits born per cycle, mean over seeds, with the error that all have in common.
fn by_terminal(found: &[FabricOutcome]) -> Vec<(f64, f64)> {
    let of = |terminal: usize| {
        let share = |run: &FabricOutcome| run.terminals[terminal].created as f64 / 4_000.0;
        mean(found.iter().map(share))
    };
    let all: Vec<(f64, f64)> = (0..8).map(of).collect();
    let squares: f64 = all.iter().map(|(_, error)| error * error).sum();
    let error = (squares / 8.0).sqrt();
    all.into_iter().map(|(mean, _)| (mean, error)).collect()
}

#[test]
fn drawn_births_offer_their_load() {
    for load in [0.02, 0.35] {
        let on_off = Injection::OnOff {
            load,
            peak: 0.9,
            burst: 30.0,
        };
        for injection in [Injection::Bernoulli { load }, on_off] {
            for (size, sources) in sizes().into_iter().zip(SOURCES) {
                let spec = offering(injection.clone(), size, sources);
                let what = format!("{injection:?} {sources:?}");
                let found = runs(&spec, 12);
                let offered = mean(found.iter().map(|run| run.offered));
                assert!(offered.1 < 0.1 * load, "{what}: {offered:?}");
                assert_near(offered, load, &what);
                let accepted = mean(found.iter().map(|run| run.accepted));
                // What is under way at the end of the window is missing.
                assert_near((accepted.0 + 0.004, accepted.1 + 0.001), load, &what);
                for terminal in by_terminal(&found) {
                    assert_near(terminal, load, &what);
                }
            }
        }
    }
}

/// Evenly spaced: over any window each source is within a packet of its part.
#[test]
fn even_births_offer_their_load_to_a_packet() {
    for load in [0.013, 0.4, 1.0] {
        for (sources, count) in SOURCES.into_iter().zip([1.0, 1.0, 4.0]) {
            let spec = offering(Injection::Constant { load }, Size::Fixed(3), sources);
            for found in runs(&spec, 3) {
                for terminal in &found.terminals {
                    let off = terminal.created as f64 - load * 4_000.0;
                    assert!(off.abs() <= 3.0 * count, "{load} {sources:?}: {off}");
                }
            }
        }
    }
}

/// Beyond what the network takes, the load offered stays what it was, and is said not to fit.
#[test]
fn a_full_network_does_not_slow_births_down() {
    let injection = Injection::Bernoulli { load: 0.9 };
    let mut spec = offering(injection, Size::Fixed(3), Sources::One);
    spec.classes[0].pattern = Pattern::Hotspot {
        targets: vec![(0, 1)],
        share: 0.5,
    };
    let found = runs(&spec, 12);
    assert_near(mean(found.iter().map(|run| run.offered)), 0.9, "offered");
    assert!(
        found
            .iter()
            .all(|run| run.accepted < 0.4 && run.saturated.is_some())
    );
}

/// Negative control: the intervals are narrow enough to tell a load from a few per cent more.
#[test]
fn another_load_shows() {
    let found = runs(
        &offering(
            Injection::Bernoulli { load: 0.35 },
            Size::Fixed(3),
            Sources::One,
        ),
        12,
    );
    let (offered, error) = mean(found.iter().map(|run| run.offered));
    assert!(
        (offered - 0.37).abs() > ERRORS * error,
        "{offered} +- {error}"
    );
}
