//! When a warm-up is over.

use alloc::vec::Vec;
use backwater_kernel::{Purpose, Stream};

use super::super::course::Sums;
use super::super::warm_up::has_settled;
use super::{Carrier, Phase, measured};
use crate::spec::WarmUp;

/// Cycles of a stretch in these courses.
const STRETCH: usize = 20;

/// A course of 1,000 flits a cycle offered, of which `share` of the cycle  is delivered
/// with `latency`, with some noise.
fn course(
    seed: u64,
    stretches: usize,
    share: impl Fn(f64) -> f64,
    latency: impl Fn(f64) -> f64,
) -> Vec<Sums> {
    let mut stream = Stream::new(seed, 0, Purpose::Pattern);
    let mut stretch = |i: usize| {
        let now = (i * STRETCH) as f64;
        let packets = 1_000.0 * share(now) + 16.0 * stream.normal();
        let latency = latency(now) + 2.0 * stream.normal();
        Sums {
            created: 20_000,
            delivered: 20 * packets.max(0.0) as u64,
            packets: packets.max(0.0) as u64,
            latency: (packets.max(0.0) * latency.max(1.0)) as u128,
        }
    };
    (0..stretches).map(&mut stretch).collect()
}

/// Cycles after which a course is first taken as settled, as it is looked at again and again.
fn settled_after(course: &[Sums], by_latency: bool) -> Option<usize> {
    let at = (1..=course.len()).find(|n| has_settled(&course[..*n], by_latency));
    at.map(|n| n * STRETCH)
}

#[test]
fn a_flat_course_settles_soon() {
    for seed in 0..20 {
        let flat = course(seed, 500, |_| 1.0, |_| 60.0);
        let at = settled_after(&flat, true).unwrap();
        assert!((2_000..=8_000).contains(&at), "{at}");
        // Of a large network, with little noise.
        let large: Vec<Sums> = flat.iter().map(|sums| scaled(*sums, 20_000)).collect();
        assert_eq!(settled_after(&large, true), Some(2_000));
    }
}

/// With a hundredth of the distance from 20,000 flits and 60 cycles.
fn scaled(sums: Sums, middle: u64) -> Sums {
    let delivered = middle + sums.delivered / 100 - middle / 100;
    Sums {
        delivered,
        packets: delivered / 20,
        latency: u128::from(delivered / 20) * 60,
        ..sums
    }
}

/// Throughput that falls to its level over some 4,000 cycles, as with 16 lanes at saturation.
#[test]
fn a_slow_warm_up_is_waited_for() {
    for sign in [1.0, -1.0] {
        let share = |now: f64| 0.6 + sign * 0.15 * (-now / 1_300.0).exp();
        for seed in 0..20 {
            let slow = course(seed, 1_000, share, |now| 60.0 + now / 3.0);
            let at = settled_after(&slow, false).unwrap();
            assert!((4_000..=16_000).contains(&at), "{at}");
            assert!((share(at as f64) / 0.6 - 1.0).abs() < 0.012);
            // The same where latency would count: queues only grow, so it does not.
            assert_eq!(settled_after(&slow, true), Some(at));
            // Negative control: 500 cycles on, it is far from settled.
            assert!((share(500.0) / 0.6 - 1.0).abs() > 0.15);
        }
    }
}

#[test]
fn latency_may_settle_later_than_throughput() {
    for seed in 0..20 {
        let latency = |now: f64| 300.0 - 200.0 * (-now / 2_000.0).exp();
        let found = course(seed, 1_000, |_| 1.0, latency);
        let at = settled_after(&found, true).unwrap();
        assert!((8_000..=16_000).contains(&at), "{at}");
        assert!(settled_after(&found, false).unwrap() <= 8_000);
    }
}

#[test]
fn what_never_settles_is_not_taken_as_settled() {
    for seed in 0..20 {
        let throughput = course(seed, 500, |now| 0.3 + now / 40_000.0, |_| 60.0);
        assert_eq!(settled_after(&throughput, false), None);
        let latency = course(seed, 500, |_| 1.0, |now| 60.0 + now / 20.0);
        assert_eq!(settled_after(&latency, true), None);
    }
}

#[test]
fn a_course_without_packets_is_settled() {
    let nothing = [Sums::default(); 120];
    assert_eq!(settled_after(&nothing, true), Some(2_000));
    let packet = Sums {
        created: 5,
        delivered: 5,
        packets: 1,
        latency: 40,
    };
    let some: Vec<Sums> = (0..400)
        .map(|i| if i % 10 == 9 { packet } else { Sums::default() })
        .collect();
    assert!(settled_after(&some, true).is_some());
}

#[test]
fn a_run_measures_once_it_has_settled() {
    let spec = measured(WarmUp::Auto { most: 50_000 }, 1_000, 500);
    let ramp = |birth: u64, noise| 40 + noise + 3_000_u64.saturating_sub(birth) / 10;
    let found = Carrier::new(&spec).run(100_000, 0.5, ramp);
    let measuring = found
        .phases
        .iter()
        .find(|(_, phase)| *phase == Phase::Measuring);
    let at = measuring.unwrap().0;
    assert!((3_500..=15_000).contains(&at), "{at}");
    assert!(found.outcome.warm_up_detected);
    assert_eq!(found.outcome.window_start, at);
    assert!((found.outcome.latency.mean - 43.5).abs() < 0.5);
}

#[test]
fn a_run_that_does_not_settle_measures_in_the_end() {
    let spec = measured(WarmUp::Auto { most: 8_030 }, 1_000, 0);
    let found = Carrier::new(&spec).run(100_000, 0.5, |birth, _| 20 + birth / 50);
    assert_eq!(found.phases[1], (8_030, Phase::Measuring));
    assert!(!found.outcome.warm_up_detected);
    let never = measured(WarmUp::Auto { most: 0 }, 1_000, 0);
    let found = Carrier::new(&never).run(100_000, 0.5, |_, _| 20);
    assert_eq!(found.phases[0], (0, Phase::Measuring));
}
