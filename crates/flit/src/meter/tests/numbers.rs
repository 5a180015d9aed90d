//! What is counted.

use alloc::vec;
use alloc::vec::Vec;
use backwater_kernel::{Delays, Purpose, Stream};

use super::super::course::{Course, Sums};
use super::super::{Delivered, Meter, Phase, Totals};
use super::{Carrier, TERMINALS, measured};
use crate::outcome::{CyclesOutcome, FINE, FabricOutcome};
use crate::spec::{ClassSpec, Injection, WarmUp};
use crate::traffic::testing::{class, crossbar};

fn samples(count: usize, spread: u32) -> Vec<u64> {
    let mut stream = Stream::new(3, 0, Purpose::Pattern);
    (0..count)
        .map(|_| 20 + (stream.next_u64() >> (63 - stream.below(u64::from(spread)))))
        .collect()
}

fn outcome(samples: &[u64]) -> CyclesOutcome {
    let mut cycles = Delays::default();
    samples.iter().for_each(|sample| cycles.record(*sample));
    cycles.outcome()
}

fn exact(sorted: &[u64], percent: f64) -> u64 {
    let rank = (percent * sorted.len() as f64 / 100.0 - 1e-9).ceil() as usize;
    sorted[rank.max(1) - 1]
}

#[test]
fn moments_and_percentiles_are_those_of_the_samples() {
    for spread in [3, 8, 12, 13, 20, 40] {
        let mut sorted = samples(10_007, spread);
        let found = outcome(&sorted);
        sorted.sort_unstable();
        let n = sorted.len() as f64;
        let mean = sorted.iter().sum::<u64>() as f64 / n;
        let squares: f64 = sorted.iter().map(|s| (*s as f64 - mean).powi(2)).sum();
        let deviation = (squares / (n - 1.0)).sqrt();
        assert_eq!(found.count, 10_007);
        assert!((found.mean / mean - 1.0).abs() < 1e-12);
        assert!((found.deviation / deviation - 1.0).abs() < 1e-9);
        assert_eq!((found.min, found.max), (sorted[0], sorted[10_006]));
        for (percentile, percent) in found.percentiles.iter().zip([50.0, 90.0, 99.0, 99.9]) {
            let exact = exact(&sorted, percent);
            let allowed = if exact < 4_096 { 0 } else { exact / 2_048 };
            assert!(
                percentile.abs_diff(exact) <= allowed,
                "{spread}: {percentile} {exact}"
            );
        }
        let beyond = sorted.iter().filter(|s| **s > 4_095).count() as u64;
        assert_eq!(found.histogram.beyond_exact(), beyond);
        assert_eq!(found.histogram.count(), found.count);
        for (value, count) in found.histogram.exact() {
            let same = sorted.iter().filter(|s| **s == value).count();
            assert_eq!(count, same as u64);
        }
    }
}

#[test]
fn the_edge_of_the_exact_ones() {
    let found = outcome(&[4_095, 4_096, 4_095, u64::MAX]);
    assert_eq!((found.min, found.max), (4_095, u64::MAX));
    assert_eq!(found.histogram.exact().collect::<Vec<_>>(), [(4_095, 2)]);
    assert_eq!(found.histogram.beyond_exact(), 2);
    assert_eq!(found.percentiles, [4_095, u64::MAX, u64::MAX, u64::MAX]);
    let nothing = outcome(&[]);
    assert_eq!((nothing.count, nothing.mean, nothing.max), (0, 0.0, 0));
    let one = outcome(&[7]);
    assert_eq!(
        (one.mean, one.deviation, one.percentiles),
        (7.0, 0.0, [7; 4])
    );
}

#[test]
fn parts_merge_into_the_whole() {
    let samples = samples(5_000, 16);
    let mut parts = [Delays::<FINE>::default(), Delays::default()];
    for (i, sample) in samples.iter().enumerate() {
        parts[i % 2].record(*sample);
    }
    let mut merged = Delays::default();
    parts.iter().for_each(|part| merged.merge(part));
    let (merged, whole) = (merged.outcome(), outcome(&samples));
    assert_eq!(merged.histogram, whole.histogram);
    assert_eq!(merged.percentiles, whole.percentiles);
    assert_eq!(merged.mean, whole.mean);
}

#[test]
fn stretches_double_and_lose_nothing() {
    let mut course = Course::new();
    let mut sums = Sums::default();
    let mut total = 0;
    for now in 1..=100_003_u64 {
        sums.created += now % 7;
        sums.delivered += 2;
        total += now % 7;
        if now == course.next() {
            assert!(course.advance(now, &sums));
        } else {
            assert!(!course.advance(now, &sums));
        }
    }
    assert!((200..400).contains(&course.stretches().len()));
    let points = course.points(100_003, &sums, 2);
    assert!(points.windows(2).all(|two| two[0].cycle < two[1].cycle));
    assert_eq!(points.last().unwrap().cycle, 100_002);
    let mut before = 0;
    let mut created = 0.0;
    for point in &points {
        let cycles = point.cycle + 1 - before;
        before = point.cycle + 1;
        created += point.offered * cycles as f64 * 2.0;
        assert!((point.accepted - 1.0).abs() < 1e-12);
    }
    assert!((created - total as f64).abs() < 1e-3);
}

#[test]
fn a_course_tells_the_whole_run() {
    let spec = measured(WarmUp::Cycles(2_000), 30_000, 1_000);
    // One in six seeds gives no interval.
    let carrier = Carrier {
        stream: Stream::new(8, 0, Purpose::Pattern),
        ..Carrier::new(&spec)
    };
    let found = carrier.run(100_000, 0.5, |_, noise| 30 + noise).outcome;
    assert!((150..=401).contains(&found.course.len()));
    assert_eq!(found.course.last().unwrap().cycle, found.cycles - 1);
    let settled = &found.course[1..found.course.len() - 1];
    assert!(
        settled
            .iter()
            .all(|point| (point.latency - 33.5).abs() < 1.0)
    );
    assert!(
        settled
            .iter()
            .all(|point| (point.accepted - 0.5).abs() < 0.1)
    );
    let half_width = found.accepted_half_width.unwrap();
    // 40 parts of 750 cycles: the number of births has this deviation.
    let deviation = 0.5 / (30_000.0 * f64::from(TERMINALS)).sqrt();
    assert!(
        (1.0..3.5).contains(&(half_width / deviation)),
        "{half_width} {deviation}"
    );
}

/// One packet of each class is delivered in time, one late, one never.
fn late(drain: u64) -> FabricOutcome {
    let of = |deadline| ClassSpec {
        deadline,
        ..class(Injection::Bernoulli { load: 0.5 })
    };
    let mut spec = crossbar(2, vec![of(Some(50)), of(None)]);
    spec.measure.window = 100;
    spec.measure.drain = drain;
    let mut meter = Meter::new(&spec);
    let totals = Totals::default();
    assert_eq!(meter.checkpoint(0, &totals), Phase::Measuring);
    for class in [0, 1] {
        (0..3).for_each(|_| meter.born(10, 0, class, 3));
        for latency in [50, 51] {
            meter.delivered(&Delivered {
                source: 0,
                destination: 1,
                class,
                length: 3,
                birth: 10,
                entered: 12,
                hops: 3,
                flight: 5,
                now: 10 + latency,
            });
        }
    }
    let mut now = 0;
    while !matches!(meter.phase(), Phase::Done(_)) {
        now = meter.next_checkpoint();
        meter.checkpoint(now, &totals);
    }
    let mut outcome = FabricOutcome {
        cycles: now,
        ..FabricOutcome::default()
    };
    meter.fill(&mut outcome);
    outcome
}

#[test]
fn deadlines_are_missed_by_late_packets_and_by_those_that_never_come() {
    let found = late(200);
    let late_of: Vec<u64> = found.classes.iter().map(|class| class.late).collect();
    assert_eq!(late_of, [2, 0]);
    assert_eq!(found.unfinished, 2);
    // With a short drain, one that has not arrived may still be in time.
    assert_eq!(late(20).classes[0].late, 1);
    assert_eq!(found.packets_total, 4);
    // The two that never come are 290 cycles old at the end of the drain.
    let latency = &found.latency;
    assert_eq!((latency.count, latency.open), (4, 2));
    assert_eq!(
        (latency.mean, latency.max),
        ((4.0 * 50.5 + 2.0 * 290.0) / 6.0, 290)
    );
    // The median of all six, not of the four that arrived.
    assert_eq!(latency.told(), [Some(51), None, None, None]);
    assert_eq!(
        (
            found.classes[0].latency.count,
            found.classes[1].created_total
        ),
        (2, 9)
    );
    assert_eq!(
        (found.terminals[0].created, found.terminals[1].received),
        (18, 12)
    );
    assert_eq!((found.hops_mean, found.network_latency.mean), (3.0, 48.5));
    assert_eq!(found.passage_mean, 7.0, "two flits after the header");
}
