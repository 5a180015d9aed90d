//! When packets are born, and how long they are.

use alloc::vec;
use alloc::vec::Vec;

use super::{births, deviations, moments};
use crate::spec::{ClassSpec, FabricSpec, Injection, Size, Sources};
use crate::traffic::Generator;
use crate::traffic::testing::{class, crossbar};

const CYCLES: u64 = 40_000;

fn sized(injection: Injection, size: Size) -> ClassSpec {
    ClassSpec {
        size,
        ..class(injection)
    }
}

/// Births of each of 16 terminals (one source each).
fn runs(injection: Injection, size: Size) -> Vec<Vec<u64>> {
    let spec = crossbar(16, vec![sized(injection, size)]);
    let mut generator = Generator::new(&spec).unwrap();
    let mut run = |process| {
        let found = births(&mut generator, process, CYCLES);
        found.into_iter().map(|(now, _)| now).collect()
    };
    (0..16).map(&mut run).collect()
}

fn gaps(run: &[u64]) -> impl Iterator<Item = f64> + '_ {
    run.windows(2).map(|two| (two[1] - two[0]) as f64)
}

fn count(runs: &[Vec<u64>]) -> u64 {
    runs.iter().map(|run| run.len() as u64).sum()
}

#[test]
fn bernoulli_has_the_load_and_the_gaps_of_independent_cycles() {
    for (load, length) in [(0.5, 1), (0.9, 4), (0.05, 3), (0.3, 20)] {
        let runs = runs(Injection::Bernoulli { load }, Size::Fixed(length));
        let p = load / f64::from(length);
        let off = deviations(count(&runs), 16 * CYCLES, p);
        assert!(off < 4.0, "{off} deviations at {load}");
        let (n, mean, variance) = moments(runs.iter().flat_map(|run| gaps(run)));
        let true_variance = (1.0 - p) / (p * p);
        assert!((mean - 1.0 / p).abs() < 4.0 * (true_variance / n).sqrt() + 0.01 / p);
        // The fourth moment of a geometric distribution: kurtosis 9 + p^2 / (1 - p).
        let spread = true_variance * ((8.0 + p * p / (1.0 - p)) / n).sqrt();
        assert!((variance - true_variance).abs() < 4.0 * spread + 0.02 * true_variance);
        // Negative control: a load 5 % higher would be found out.
        let wrong = deviations(count(&runs), 16 * CYCLES, p * 1.05);
        assert!(wrong > 4.0, "{wrong} deviations at {load}");
    }
}

#[test]
fn bernoulli_gaps_have_the_right_shares() {
    let p = 0.2;
    let runs = runs(Injection::Bernoulli { load: p }, Size::Fixed(1));
    let all: Vec<f64> = runs.iter().flat_map(|run| gaps(run)).collect();
    let share_of = |gap: f64| all.iter().filter(|found| **found == gap).count() as u64;
    for gap in 1..12 {
        let chance = p * (1.0 - p).powi(gap - 1);
        let off = deviations(share_of(f64::from(gap)), all.len() as u64, chance);
        assert!(off < 4.0, "gap {gap}: {off} deviations");
    }
    // The first one may be in cycle 0 as in any other.
    let firsts = (0..2_000).map(|seed| {
        let spec = FabricSpec {
            seed,
            ..crossbar(1, vec![class(Injection::Bernoulli { load: p })])
        };
        Generator::new(&spec).unwrap().first(0).unwrap()
    });
    let at_once = firsts.filter(|first| *first == 0).count() as u64;
    assert!(deviations(at_once, 2_000, p) < 4.0);
}

#[test]
fn full_load_of_single_flits_is_every_cycle_and_no_load_is_none() {
    for injection in [
        Injection::Bernoulli { load: 1.0 },
        Injection::Constant { load: 1.0 },
        Injection::OnOff {
            load: 1.0,
            peak: 1.0,
            burst: 10.0,
        },
    ] {
        let runs = runs(injection, Size::Fixed(1));
        assert!(runs.iter().all(|run| run.iter().copied().eq(0..CYCLES)));
    }
    for injection in [
        Injection::Bernoulli { load: 0.0 },
        Injection::Constant { load: 0.0 },
        Injection::OnOff {
            load: 0.0,
            peak: 0.5,
            burst: 10.0,
        },
        Injection::Bernoulli { load: 1e-300 },
        Injection::Constant { load: 1e-300 },
    ] {
        assert_eq!(count(&runs(injection, Size::Fixed(1))), 0);
    }
}

#[test]
fn constant_traffic_is_as_even_as_whole_cycles_allow() {
    let runs = runs(Injection::Constant { load: 0.3 }, Size::Fixed(7));
    let even = 7.0 / 0.3;
    for run in &runs {
        assert!(gaps(run).all(|gap| gap == 23.0 || gap == 24.0));
        let (first, last) = (run[0] as f64, run[run.len() - 1] as f64);
        assert!((last - first - even * (run.len() - 1) as f64).abs() < 1.01);
    }
    let phases: Vec<u64> = runs.iter().map(|run| run[0]).collect();
    assert!(phases.iter().all(|phase| *phase < 24));
    assert!(phases.iter().any(|phase| *phase < 12) && phases.iter().any(|phase| *phase >= 12));
}

/// Variance over mean of the births in stretches of 1,000 cycles.
fn dispersion(runs: &[Vec<u64>]) -> f64 {
    let stretches = runs.iter().flat_map(|run| {
        (0..CYCLES / 1_000).map(move |i| {
            let inside = |now: &&u64| **now / 1_000 == i;
            run.iter().filter(inside).count() as f64
        })
    });
    let (_, mean, variance) = moments(stretches);
    variance / mean
}

#[test]
fn bursts_have_the_mean_load_and_come_in_bursts() {
    let on_off = Injection::OnOff {
        load: 0.2,
        peak: 0.8,
        burst: 100.0,
    };
    let bursty = runs(on_off, Size::Fixed(1));
    let load = count(&bursty) as f64 / (16 * CYCLES) as f64;
    // Standard deviation of the share of time in bursts: alternating geometric times of 100 and
    // 300 cycles, 2 * 0.25 * 0.75 * 75 cycles of correlation.
    let deviation = 0.8 * (2.0 * 0.25 * 0.75 * 75.0 / (16 * CYCLES) as f64).sqrt();
    assert!((load - 0.2).abs() < 4.0 * deviation + 0.002, "{load}");
    // In a burst nearly all gaps are those of the peak.
    let short: Vec<f64> = bursty.iter().flat_map(|run| gaps(run)).collect();
    let next = short.iter().filter(|gap| **gap == 1.0).count() as f64 / short.len() as f64;
    assert!((next - 0.8 * 0.99).abs() < 0.01, "{next}");
    let smooth = runs(Injection::Bernoulli { load: 0.2 }, Size::Fixed(1));
    assert!(dispersion(&bursty) > 10.0 * dispersion(&smooth));
    assert!((dispersion(&smooth) - 0.8).abs() < 0.2);
}

#[test]
fn bursts_with_hardly_a_pause_keep_the_mean_load() {
    let on_off = Injection::OnOff {
        load: 0.45,
        peak: 0.5,
        burst: 5.0,
    };
    let load = count(&runs(on_off, Size::Fixed(1))) as f64 / (16 * CYCLES) as f64;
    assert!((load - 0.45).abs() < 0.005, "{load}");
}

#[test]
fn sources_of_lanes_share_the_load() {
    let spec = FabricSpec {
        sources: Sources::PerLane,
        ..crossbar(4, vec![class(Injection::Bernoulli { load: 0.4 })])
    };
    let mut generator = Generator::new(&spec).unwrap();
    assert_eq!(
        (generator.processes(), generator.sources_per_terminal()),
        (16, 4)
    );
    let counts = (0..16).map(|process| births(&mut generator, process, CYCLES).len() as u64);
    let counts: Vec<u64> = counts.collect();
    for &count in &counts {
        assert!(deviations(count, CYCLES, 0.1) < 4.0);
    }
    assert!(deviations(counts.iter().sum(), CYCLES * 16, 0.1) < 4.0);
}

#[test]
fn lengths_have_their_shares() {
    let bimodal = Size::Bimodal {
        short: 2,
        long: 10,
        long_per_million: 250_000,
    };
    let weighted = Size::Weighted(vec![(1, 3), (9, 0), (16, 1)]);
    for (size, long, share, mean) in [(bimodal, 10, 0.25, 4.0), (weighted, 16, 0.25, 4.75)] {
        assert_eq!(super::super::size::mean(&size), mean);
        let spec = crossbar(1, vec![sized(Injection::Bernoulli { load: 0.8 }, size)]);
        let mut generator = Generator::new(&spec).unwrap();
        let found = births(&mut generator, 0, 200_000);
        let longs = found.iter().filter(|(_, born)| born.length == long).count() as u64;
        assert!(deviations(longs, found.len() as u64, share) < 4.0);
        assert!(found.iter().all(|(_, born)| born.length != 9));
        let flits: u64 = found.iter().map(|(_, born)| u64::from(born.length)).sum();
        assert!((flits as f64 / 200_000.0 - 0.8).abs() < 0.02);
    }
}

#[test]
fn a_class_more_moves_no_other_and_a_seed_moves_all() {
    let traffic = || class(Injection::Bernoulli { load: 0.3 });
    let spec = crossbar(8, vec![traffic()]);
    let mut alone = Generator::new(&spec).unwrap();
    let mut two = Generator::new(&crossbar(8, vec![traffic(), traffic()])).unwrap();
    let mut other = Generator::new(&FabricSpec { seed: 2, ..spec }).unwrap();
    for source in 0..8 {
        let found = births(&mut alone, source, 1_000);
        assert_eq!(found, births(&mut two, 2 * source, 1_000));
        assert_ne!(found, births(&mut other, source, 1_000));
        let second = births(&mut two, 2 * source + 1, 1_000);
        assert!(second.iter().all(|(_, born)| born.class == 1));
        assert!(!second.iter().map(|b| b.0).eq(found.iter().map(|b| b.0)));
    }
}
