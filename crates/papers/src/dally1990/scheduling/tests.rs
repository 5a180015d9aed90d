use backwater_flit::outcome::FabricOutcome;
use backwater_kernel::Delays;

use super::*;
use crate::Bounds;

#[test]
fn a_peak_is_what_stands_out() {
    let mut bins = vec![100; 60];
    assert_eq!(height_over(&bins, 30), 1.0);
    bins[30] = 150;
    assert_eq!(height_over(&bins, 30), 1.5);
    assert!(height_over(&bins, 31) < 0.9, "beside a peak is none");
    bins[31] = 120;
    assert_eq!(height_over(&bins, 30), 1.25, "both bins beside it count");
    let slope: Vec<u64> = (0..60).collect();
    assert!(height_over(&slope, 30) < 1.0, "a slope has none");
}

/// So many packets of each latency.
fn latency(packets: impl Iterator<Item = (u64, u64)>) -> CyclesOutcome {
    let mut latencies = Delays::default();
    for (cycles, packets) in packets {
        (0..packets).for_each(|_| latencies.record(cycles));
    }
    latencies.outcome()
}

#[test]
fn seeds_are_added_bin_by_bin() {
    let seeds = [
        latency([(1, 5), (3, 1)].into_iter()),
        latency([(3, 4), (4, 2)].into_iter()),
    ];
    assert_eq!(pool(seeds.iter()), [0, 5, 0, 5, 2]);
    let outcomes = seeds.map(|latency| FabricOutcome {
        latency,
        ..FabricOutcome::default()
    });
    assert_eq!(pooled(&point(outcomes)), [0, 5, 0, 5, 2]);
}

/// A seed with `first` packets at its smallest latency of `min`, 100 at each later one, and
/// `peak` 20 and 40 cycles after the smallest.
fn seed(min: u64, first: u64, peak: u64, deviation: f64) -> FabricOutcome {
    let packets = |after: u64| match after {
        0 => first,
        20 | 40 => peak,
        _ => 100,
    };
    let bins = (0..=70).map(|after| (min + after, packets(after)));
    FabricOutcome {
        latency: CyclesOutcome {
            deviation,
            ..latency(bins)
        },
        ..FabricOutcome::default()
    }
}

fn point(outcomes: impl IntoIterator<Item = FabricOutcome>) -> Point {
    Point {
        outcomes: outcomes.into_iter().collect(),
    }
}

#[test]
fn shares_are_those_of_the_least_latency() {
    // 68 bins of 100 packets, two peaks of 150, 400 and 900 at the minimum.
    let both = point([seed(38, 400, 150, 1.0), seed(38, 900, 150, 1.0)]);
    assert_eq!(share_at_minimum(&both), [400.0 / 7_500.0, 900.0 / 8_000.0]);
    assert_eq!(smallest(&both), 38);
}

fn outside(measured: Vec<Measured>) -> Vec<String> {
    let is_outside = |one: &Measured| {
        let inside = |Bounds { low, high }| (low..=high).contains(&one.value);
        !one.bounds.is_none_or(inside)
    };
    measured
        .into_iter()
        .filter(is_outside)
        .map(|one| one.name)
        .collect()
}

#[test]
fn the_printed_share_fits_three_stages_alone() {
    let random = point([seed(38, 300, 100, 1.0), seed(38, 320, 100, 1.0)]);
    let oldest = point([seed(38, 600, 150, 1.0), seed(38, 640, 150, 1.0)]);
    let six = point([seed(26, 200, 150, 1.0), seed(26, 210, 150, 1.0)]);
    let three = point([seed(23, 2_300, 150, 1.0), seed(23, 2_500, 150, 1.0)]);
    assert_eq!(outside(shares([&random, &oldest], &six, &three)), [""; 0]);
    let wrong = outside(shares([&oldest, &random], &three, &six));
    let wanted = [
        "deadline_over_random",
        "deadline_over_random_low",
        "no_header_delay_minimum",
        "no_header_delay_deadline",
        "three_stages_minimum",
        "three_stages_deadline",
    ];
    assert_eq!(wrong, wanted);
}

#[test]
fn peaks_are_judged_by_height_and_interval() {
    let random = point((0..5).map(|_| seed(38, 300, 101, 30.0)));
    let of = |heights: [u64; 5]| point(heights.map(|peak| seed(38, 300, peak, 20.0)));
    let sharp = of([150, 152, 148, 151, 149]);
    let measured = peaks([&random, &sharp]);
    let value = |name: &str| measured.iter().find(|one| one.name == name);
    let at = value("deadline_peak_at_minimum_plus_20").expect("measured");
    assert_eq!((at.value, at.seeds), (1.5, Some(5)));
    let sharper = value("sharper_at_40").expect("measured").value;
    assert!((sharper - 1.5 / 1.01).abs() < 1e-12);
    assert_eq!(outside(measured), [""; 0]);
    // Mean 1.08, but a seed may have none: chance.
    let by_chance = outside(peaks([&random, &of([150, 98, 97, 98, 97])]));
    assert_eq!(
        by_chance,
        ["deadline_peak_low_at_20", "deadline_peak_low_at_40"]
    );
    let flat = outside(peaks([&random, &of([102; 5])]));
    let wanted = [
        "deadline_peak_at_minimum_plus_20",
        "deadline_peak_at_minimum_plus_40",
    ];
    assert_eq!(flat, wanted);
    let wide = point((0..5).map(|_| seed(38, 300, 150, 29.5)));
    let deviation = outside(peaks([&random, &wide]));
    assert_eq!(deviation, ["deviation_deadline_over_random"]);
}
