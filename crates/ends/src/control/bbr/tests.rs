//! Rules by hand; phases over a path are in `tests/suite/bbr.rs`.

use alloc::vec::Vec;

use super::*;
use crate::control::CongestionControl;
use crate::spec::Congestion;

const MSS: u64 = 1_000;

fn at(ms: u64) -> Time {
    Time(ms * MS)
}

fn bbr() -> Bbr {
    Bbr::new(&TcpSpec {
        mss_bytes: MSS as u32,
        congestion: Congestion::Bbr,
        ..TcpSpec::modern()
    })
}

/// A round trip of 10 ms at 10,000 bytes each, ended by this sample.
fn round(number: u64) -> Sample {
    Sample {
        delivered: 10_000 * (number + 1),
        prior_delivered: 10_000 * number,
        rate: Some(Delivered {
            bytes: 10_000,
            over: Duration(10 * MS),
        }),
        rtt: Some(Duration(10 * MS)),
        acked_bytes: 10_000,
        prior_flight_bytes: 20_000,
        flight_bytes: 10_000,
        ..Sample::default()
    }
}

fn run(bbr: &mut Bbr, from: u64, rounds: u64) -> u64 {
    for number in from..from + rounds {
        let sample = Sample {
            free_at: at(10 * (number + 1)),
            ..round(number)
        };
        bbr.on_sample(at(10 * (number + 1)), &sample);
    }
    from + rounds
}

#[test]
fn it_begins_with_the_first_window_in_a_round_trip_and_a_high_gain() {
    let mut bbr = bbr();
    // Ten segments in a millisecond until a round trip is known.
    let first = 80_000_000 * 2_885 / 1_000 * 99 / 100;
    assert_eq!((bbr.pacing(), bbr.window()), (Some(Rate(first)), 10 * MSS));
    bbr.on_sample(at(10), &round(0));
    // Ten in 10 ms now, which is what is delivered too.
    assert_eq!(bbr.pacing(), Some(Rate(first / 10)));
    assert_eq!(bbr.inner(at(10), Inner::Bandwidth), Some(8e6));
    assert_eq!(bbr.inner(at(10), Inner::LeastRtt), Some(0.01));
}

/// Three round trips that bring no more, then the queue drains, then it probes: the cycle in
/// order, with its window of twice the product and three bursts.
#[test]
fn a_full_pipe_ends_the_startup_and_the_cycle_begins() {
    let mut bbr = bbr();
    let mut next = run(&mut bbr, 0, 1);
    assert_eq!(bbr.mode, Mode::Startup);
    next = run(&mut bbr, next, 2);
    assert_eq!(bbr.mode, Mode::Startup);
    next = run(&mut bbr, next, 1);
    // No more than the product is in flight: nothing to drain.
    assert_eq!(bbr.mode, Mode::ProbeBw);
    let first = bbr.cycle;
    assert_ne!(first, 1, "any phase but that which drains");
    let mut seen = Vec::new();
    for _ in 0..40 {
        seen.push((bbr.cycle, bbr.gains.0));
        next = run(&mut bbr, next, 1);
    }
    seen.dedup();
    assert!(seen.len() > 8);
    for (nth, (phase, gain)) in seen.iter().enumerate() {
        assert_eq!((*phase, *gain), ((first + nth) % 8, CYCLE[*phase]));
    }
    assert_eq!(bbr.product(Rate(8_000_000), TWICE), 20_000);
    // At 8 Mbit/s two segments are handed down at once.
    assert_eq!(bbr.quantum(), 2 * MSS);
    bbr.cycle = 3;
    assert_eq!(bbr.inflight(Rate(8_000_000), TWICE), 26_000);
    bbr.cycle = 0;
    assert_eq!(bbr.inflight(Rate(8_000_000), TWICE), 28_000);
}

#[test]
fn a_loss_keeps_what_is_in_flight_for_a_round_trip() {
    let mut bbr = bbr();
    let next = run(&mut bbr, 0, 20);
    let before = bbr.window();
    bbr.on_loss(at(201), Loss::Duplicates, 0);
    let lossy = Sample {
        prior_delivered: 10_000 * next - 5_000,
        delivered: 10_000 * next + 1_000,
        acked_bytes: 1_000,
        lost_bytes: 2_000,
        flight_bytes: 12_000,
        is_repairing: true,
        ..round(next)
    };
    bbr.on_sample(at(201), &lossy);
    assert_eq!(bbr.window(), 13_000, "what is in flight and what has come");
    let later = Sample {
        prior_delivered: 10_000 * next,
        flight_bytes: 12_500,
        lost_bytes: 0,
        ..lossy
    };
    bbr.on_sample(at(202), &later);
    assert_eq!(bbr.window(), 13_500);
    // A round trip later it may grow again; after the repair it is what it was.
    let trip_on = Sample {
        prior_delivered: lossy.delivered,
        delivered: lossy.delivered + 9_000,
        ..later
    };
    bbr.on_sample(at(211), &trip_on);
    assert!(!bbr.conserves);
    let over = Sample {
        is_repairing: false,
        ..trip_on
    };
    bbr.on_sample(at(212), &over);
    // Less the two segments that the first phase has beside.
    assert!(
        bbr.window() + 2 * MSS >= before,
        "{} of {before}",
        bbr.window()
    );
}

#[test]
fn a_time_out_leaves_one_segment() {
    let mut bbr = bbr();
    run(&mut bbr, 0, 20);
    let before = bbr.window();
    bbr.on_loss(at(400), Loss::TimeOut { is_repeated: false }, 0);
    assert_eq!(bbr.window(), MSS);
    assert_eq!(bbr.prior, before);
}

/// A loss that was none: the window is what it was, and neither full pipe nor policer is believed.
#[test]
fn what_was_not_lost_is_undone() {
    let mut bbr = bbr();
    let next = run(&mut bbr, 0, 3);
    let before = bbr.window();
    assert_eq!(bbr.full.count, 2);
    bbr.on_loss(at(10 * next), Loss::Duplicates, 0);
    bbr.undo(0, 0);
    assert_eq!((bbr.full.rate, bbr.full.count), (0, 0));
    // Not the 10,000 in flight and what has come, as after a loss.
    bbr.on_sample(at(10 * next + 1), &round(next));
    assert!(!bbr.conserves);
    assert!(bbr.window() >= before, "{} of {before}", bbr.window());
}

/// Ten seconds without a smaller round trip: four segments, for 200 ms from when no more are in
/// flight.
#[test]
fn the_round_trip_is_probed() {
    let mut bbr = bbr();
    let mut next = run(&mut bbr, 0, 1_000);
    assert_eq!(bbr.mode, Mode::ProbeBw);
    next = run(&mut bbr, next, 2);
    assert_eq!((bbr.mode, bbr.window()), (Mode::ProbeRtt, 4 * MSS));
    assert!(!bbr.rest.counts(), "10 segments are in flight still");
    let few = |number| Sample {
        flight_bytes: 4_000,
        ..round(number)
    };
    let begins = 10 * (next + 1);
    for number in next..next + 21 {
        bbr.on_sample(at(10 * (number + 1)), &few(number));
        assert_eq!(bbr.mode, Mode::ProbeRtt);
    }
    bbr.on_sample(at(begins + 210), &few(next + 21));
    assert_eq!(bbr.mode, Mode::ProbeBw);
    assert!(bbr.window() > 4 * MSS);
}

/// BBR is the largest there is of, and stands in a box.
#[test]
fn a_connection_holds_it_in_a_box() {
    let spec = TcpSpec {
        congestion: Congestion::Bbr,
        ..TcpSpec::modern()
    };
    assert!(matches!(
        CongestionControl::new(&spec, 0),
        CongestionControl::Bbr(_)
    ));
}
