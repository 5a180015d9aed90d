//! Rules by hand; what becomes of them over a path is in `tests/suite/bbr.rs`.

use super::*;
use crate::spec::Congestion;

const MSS: u64 = 1_000;

fn at(ms: u64) -> Time {
    Time(ms * MS)
}

fn bbr() -> Bbr3 {
    Bbr3::new(&TcpSpec {
        mss_bytes: MSS as u32,
        congestion: Congestion::Bbr3,
        ..TcpSpec::modern()
    })
}

/// A round trip of 10 ms at 100,000 bytes each, ended by this sample.
fn round(number: u64) -> Sample {
    Sample {
        delivered: 100_000 * (number + 1),
        prior_delivered: 100_000 * number,
        rate: Some(Delivered {
            bytes: 100_000,
            over: Duration(10 * MS),
        }),
        rtt: Some(Duration(10 * MS)),
        acked_bytes: 100_000,
        sent_flight_bytes: 100_000,
        prior_flight_bytes: 200_000,
        flight_bytes: 100_000,
        ..Sample::default()
    }
}

fn run(bbr: &mut Bbr3, from: u64, rounds: u64) -> u64 {
    for number in from..from + rounds {
        bbr.on_sample(at(10 * (number + 1)), &round(number));
    }
    from + rounds
}

#[test]
fn a_full_pipe_ends_the_startup() {
    let mut bbr = bbr();
    assert_eq!(
        bbr.pacing(),
        Some(Rate(80_000_000 * 2_773 / 1_000 * 99 / 100))
    );
    let next = run(&mut bbr, 0, 3);
    assert_eq!(bbr.phase, Phase::Startup);
    run(&mut bbr, next, 1);
    // The product is in flight: there is nothing to drain.
    assert!(bbr.phase.is_of_rate(), "{:?}", bbr.phase);
}

/// Down, cruise, refill for a round trip, up until the rate does not grow, down; two to three
/// seconds from one to the next, or 63 round trips.
#[test]
fn the_cycle_of_phases() {
    let mut bbr = bbr();
    let mut next = run(&mut bbr, 0, 4);
    let mut seen = Vec::new();
    for _ in 0..400 {
        seen.push((bbr.phase, next));
        next = run(&mut bbr, next, 1);
    }
    seen.dedup_by_key(|seen| seen.0);
    let order = [Phase::Cruise, Phase::Refill, Phase::Up, Phase::Down];
    let first = seen
        .iter()
        .position(|seen| seen.0 == Phase::Cruise)
        .expect("it cruises");
    assert!(seen.len() > 12);
    for (nth, (phase, _)) in seen[first..].iter().enumerate() {
        assert_eq!(*phase, order[nth % 4], "{seen:?}");
    }
    let ups: Vec<u64> = seen
        .iter()
        .filter(|seen| seen.0 == Phase::Up)
        .map(|seen| seen.1)
        .collect();
    for pair in ups.windows(2) {
        // Reno would need as many round trips as segments in flight, but 63 are enough.
        assert!((63..=70).contains(&(pair[1] - pair[0])), "{ups:?}");
    }
}

use alloc::vec::Vec;

/// A probe that loses more than 2 %: no more than was in flight before the loss, or 7/10 of the
/// product, from then on; with headroom while it cruises.
#[test]
fn a_probe_that_loses_bounds_what_is_in_flight() {
    let mut bbr = bbr();
    let mut next = run(&mut bbr, 0, 4);
    while bbr.phase != Phase::Up {
        next = run(&mut bbr, next, 1);
    }
    let lossy = |lost: u64| Sample {
        lost_bytes: lost,
        lost,
        lost_segment: Some((120_000, 0)),
        is_repairing: true,
        ..round(next)
    };
    let mut little = bbr.clone();
    little.on_sample(at(10 * next + 10), &lossy(2_000));
    assert_eq!(
        (little.phase, little.bounds.long),
        (Phase::Up, u64::MAX),
        "2 % do no harm"
    );
    bbr.on_sample(at(10 * next + 10), &lossy(20_000));
    assert_eq!(bbr.phase, Phase::Down);
    // 100,000 were in flight before; 2 % of what was with that part of the loss.
    assert_eq!(bbr.bounds.long, 100_000 + 2_000 * 50 / 49);
    assert!(bbr.window() <= bbr.bounds.long);
    assert_eq!(
        bbr.bounds.with_headroom(MSS),
        bbr.bounds.long - bbr.bounds.long / 100 * 15
    );
}

/// A loss while it cruises: 7/10 for now, but not below what was delivered.
#[test]
fn a_loss_bounds_what_is_in_flight_for_now() {
    let mut bounds = Bounds::default();
    let sample = Sample {
        lost_bytes: 1_000,
        ..round(5)
    };
    bounds.on_delivery(&sample);
    bounds.on_loss(&sample);
    bounds.adapt(100_000_000, 200_000, false);
    // Delivered: 80 Mbit/s, 100,000 bytes in a round trip.
    assert_eq!(bounds.rate(), 80_000_000);
    assert_eq!(bounds.window(Phase::Down, MSS), 140_000);
    bounds.reset_short();
    assert_eq!(bounds.window(Phase::Down, MSS), u64::MAX);
    // While it probes, losses are what it waits for.
    bounds.on_loss(&sample);
    bounds.adapt(100_000_000, 200_000, true);
    assert_eq!(bounds.rate(), u64::MAX);
}

/// Losses that were none leave the bounds as they were before the first of them.
#[test]
fn what_was_not_lost_bounds_nothing() {
    let mut bbr = bbr();
    let mut next = run(&mut bbr, 0, 10);
    assert_eq!(bbr.phase, Phase::Cruise);
    let rate = bbr.pacing();
    bbr.on_loss(at(10 * next + 9), Loss::Duplicates, 0);
    for _ in 0..3 {
        let lossy = Sample {
            lost_bytes: 10_000,
            is_repairing: true,
            ..round(next)
        };
        bbr.on_sample(at(10 * next + 10), &lossy);
        next += 1;
    }
    assert!(bbr.bounds.rate() < u64::MAX, "the control would be seen");
    bbr.undo(0, 0);
    assert_eq!(bbr.bounds.rate(), u64::MAX);
    assert_eq!(bbr.bounds.window(Phase::Down, MSS), u64::MAX);
    run(&mut bbr, next, 1);
    assert_eq!(bbr.pacing(), rate);
}

/// Each five seconds half of the product, for 200 ms.
#[test]
fn the_round_trip_is_probed_with_half_of_the_product() {
    let mut bbr = bbr();
    let mut next = run(&mut bbr, 0, 400);
    let mut began = None;
    for _ in 0..300 {
        if bbr.phase == Phase::Rest {
            began = Some(next * 10);
            break;
        }
        next = run(&mut bbr, next, 1);
    }
    let began = began.expect("it probes");
    assert!((5_000..=5_030).contains(&began), "{began}");
    assert_eq!(bbr.window(), 50_000);
    let few = |number| Sample {
        flight_bytes: 50_000,
        ..round(number)
    };
    for number in next..next + 23 {
        bbr.on_sample(at(10 * (number + 1)), &few(number));
    }
    assert_eq!(bbr.phase, Phase::Cruise);
    assert!(bbr.window() > 100_000);
}
