//! The BSD sender, replayed by hand.

use crate::common;

use backwater_ends::TcpSpec;
use backwater_ends::spec::{Congestion, Recovery, Reuse};
use backwater_kernel::Time;
use common::*;

fn infinite(spec: &TcpSpec) -> backwater_ends::Endpoint {
    let mut end = endpoint(spec);
    end.send(Time::ZERO, spec, u64::MAX / 4);
    end
}

/// In slow start with `segments` in flight, the first of them number 0: acknowledged one by one.
fn opened(spec: &TcpSpec, segments: u64) -> backwater_ends::Endpoint {
    let mut end = infinite(spec);
    numbers(&mut end, Time::ZERO, spec);
    for i in 1..segments {
        acked(&mut end, Time::ZERO, spec, i);
    }
    end
}

#[test]
fn slow_start_doubles() {
    let spec = TcpSpec::bsd();
    let mut end = infinite(&spec);
    assert_eq!(numbers(&mut end, ms(0), &spec), [0]);
    assert_eq!(acked(&mut end, ms(1), &spec, 1), [1, 2]);
    assert_eq!(acked(&mut end, ms(2), &spec, 2), [3, 4]);
    assert_eq!(acked(&mut end, ms(2), &spec, 3), [5, 6]);
    for i in 4..=7 {
        assert_eq!(acked(&mut end, ms(3), &spec, i), [2 * i - 1, 2 * i]);
    }
    assert_eq!(end.window_bytes(), 8 * MSS);
    // 64 KB hold 63 whole segments, and cwnd stops where they do.
    for i in 8..=100 {
        acked(&mut end, ms(4), &spec, i);
    }
    assert_eq!(end.window_bytes(), 65_535);
    assert_eq!(end.positions(), (100 * MSS, 163 * MSS, 0));
}

#[test]
fn short_last_segment_and_end() {
    let spec = TcpSpec::bsd();
    let mut end = endpoint(&spec);
    end.send(ms(0), &spec, 2500);
    let first = drain(&mut end, ms(0), &spec);
    assert_eq!((first.len(), first[0].bytes), (1, 1024));
    let one = end.on_segment(ms(1), &spec, &ack(&spec, 1024), false);
    assert_eq!((one.acked_bytes, one.is_finished), (1024, false));
    let rest = drain(&mut end, ms(1), &spec);
    assert_eq!((rest[0].bytes, rest[1].bytes), (1024, 452));
    let all = end.on_segment(ms(2), &spec, &ack(&spec, 2500), false);
    assert_eq!((all.acked_bytes, all.is_finished), (1476, true));
    let same = end.on_segment(ms(2), &spec, &ack(&spec, 2500), false);
    assert_eq!((same.acked_bytes, same.is_finished), (0, false));
    assert_eq!(end.timer(), None);
    assert_eq!(end.counts().segments, 3);
}

#[test]
fn third_duplicate_halves_and_recovery_deflates() {
    let spec = TcpSpec::bsd();
    // Segments 0 to 9 were acknowledged, 10 to 20 are in flight: cwnd is 11 segments.
    let mut end = opened(&spec, 11);
    assert_eq!(end.window_bytes(), 11 * MSS);
    assert_eq!(end.positions(), (10 * MSS, 21 * MSS, 0));
    assert_eq!(acked(&mut end, ms(1), &spec, 10), []);
    assert_eq!(acked(&mut end, ms(1), &spec, 10), []);
    assert_eq!(end.window_bytes(), 11 * MSS);
    // ssthresh = 5 (11 / 2, whole segments), cwnd = 5 + 3; segment 10 goes again.
    assert_eq!(acked(&mut end, ms(1), &spec, 10), [10]);
    assert_eq!(end.window_bytes(), 8 * MSS);
    assert_eq!(end.counts().fast_retransmits, 1);
    // 11 are in flight: the next duplicates inflate to 9, 10, 11, only the one after sends.
    for _ in 0..3 {
        assert_eq!(acked(&mut end, ms(1), &spec, 10), []);
    }
    assert_eq!(acked(&mut end, ms(1), &spec, 10), [21]);
    assert_eq!(acked(&mut end, ms(1), &spec, 10), [22]);
    assert_eq!(end.window_bytes(), 13 * MSS);
    // All 11 acknowledged: back to ssthresh, and that acknowledgement adds one (5 <= 5).
    assert_eq!(acked(&mut end, ms(2), &spec, 21), [23, 24, 25, 26]);
    assert_eq!(end.window_bytes(), 6 * MSS);
    // Avoidance: 1024 / 6 + 128 = 298 bytes.
    assert_eq!(acked(&mut end, ms(2), &spec, 22), [27]);
    assert_eq!(end.window_bytes(), 6 * MSS + 298);
    assert_eq!(end.counts().again_bytes, MSS);
}

#[test]
fn avoidance_with_and_without_the_eighth() {
    for (eighth, steps) in [(true, [298, 290, 283]), (false, [170, 166, 161])] {
        let mut spec = TcpSpec::bsd();
        spec.congestion = Congestion::Reno { eighth };
        let mut end = opened(&spec, 11);
        for _ in 0..3 {
            acked(&mut end, ms(1), &spec, 10);
        }
        acked(&mut end, ms(2), &spec, 21);
        let mut window = 6 * MSS;
        for (i, step) in (22..).zip(steps) {
            acked(&mut end, ms(2), &spec, i);
            let extra = if eighth { MSS / 8 } else { 0 };
            assert_eq!(MSS * MSS / window + extra, step);
            window += step;
            assert_eq!(end.window_bytes(), window);
        }
    }
}

#[test]
fn time_outs_back_off_at_ticks() {
    let spec = TcpSpec::bsd();
    let mut end = infinite(&spec);
    // Armed at 0 with 3 s = 6 ticks: ticks at 100, 600, .. 2600 ms. No sample: then 12, 24 ..
    numbers(&mut end, ms(0), &spec);
    assert_eq!(end.timer(), Some(ms(2_600)));
    end.on_timer(ms(2_599), &spec);
    assert_eq!(numbers(&mut end, ms(2_599), &spec), []);
    for expected in [2_600, 8_600, 20_600, 44_600, 92_600] {
        let at = fire(&mut end, &spec);
        assert_eq!(at, ms(expected));
        assert_eq!(numbers(&mut end, at, &spec), [0]);
    }
    // 96 s would be next; 64 s are the most.
    assert_eq!(fire(&mut end, &spec), ms(92_600 + 64_000));
    assert_eq!(end.counts().time_outs, 6);
    assert_eq!(end.window_bytes(), MSS);
}

#[test]
fn round_trips_in_ticks() {
    let spec = TcpSpec::bsd();
    let mut end = infinite(&spec);
    numbers(&mut end, ms(200), &spec);
    // No tick passed: m = 1, srtt = 8, rttvar = 2, RTO = 1 + 2 = 3: at 600, 1100, 1600.
    acked(&mut end, ms(210), &spec, 1);
    assert_eq!(end.timer(), Some(ms(1_600)));
    // Again 1: srtt = 7, rttvar = 3, RTO 0 + 3.
    acked(&mut end, ms(220), &spec, 2);
    assert_eq!(end.timer(), Some(ms(1_600)));
    // Segment 3 was timed at 220. Two ticks passed: m = 3, delta = 2, srtt = 9, rttvar = 3 + 2:
    // RTO = 1 + 5 = 6 ticks after 1200: 1600 .. 4100.
    acked(&mut end, ms(1_200), &spec, 4);
    assert_eq!(end.timer(), Some(ms(4_100)));
}

#[test]
fn karn_keeps_the_back_off() {
    let spec = TcpSpec::bsd();
    let mut end = infinite(&spec);
    numbers(&mut end, ms(0), &spec);
    let at = fire(&mut end, &spec);
    assert_eq!((at, numbers(&mut end, at, &spec)), (ms(2_600), vec![0]));
    // The acknowledgement of what was sent twice gives no sample: 12 ticks stay.
    assert_eq!(acked(&mut end, ms(2_700), &spec, 1), [1, 2]);
    assert_eq!(end.timer(), Some(ms(8_600)));
    // Segment 1 was new: m = 1 makes it 3.
    acked(&mut end, ms(2_800), &spec, 2);
    assert_eq!(end.timer(), Some(ms(4_100)));
}

#[test]
fn time_out_goes_back_n() {
    let spec = TcpSpec::bsd();
    let mut end = opened(&spec, 8);
    assert_eq!(end.positions(), (7 * MSS, 15 * MSS, 0));
    let at = fire(&mut end, &spec);
    assert_eq!(numbers(&mut end, at, &spec), [7]);
    assert_eq!(end.window_bytes(), MSS);
    // ssthresh = 4: slow start to 5, then avoidance; 8 and 9 are sent again.
    assert_eq!(acked(&mut end, at, &spec, 8), [8, 9]);
    // The receiver had 9 to 12: everything to 13 is acknowledged, sending goes on there.
    assert_eq!(acked(&mut end, at, &spec, 13), [13, 14, 15]);
    assert_eq!(end.counts().again_bytes, 5 * MSS);
    assert_eq!(acked(&mut end, at, &spec, 14).len(), 2);
    assert_eq!(acked(&mut end, at, &spec, 15).len(), 2);
    assert_eq!(end.window_bytes(), 5 * MSS);
    acked(&mut end, at, &spec, 16);
    assert_eq!(end.window_bytes(), 5 * MSS + MSS / 5 + MSS / 8);
}

#[test]
fn tahoe_starts_over() {
    let mut spec = TcpSpec::bsd();
    spec.recovery = Recovery::Tahoe;
    let mut end = opened(&spec, 8);
    acked(&mut end, ms(1), &spec, 7);
    acked(&mut end, ms(1), &spec, 7);
    assert_eq!(acked(&mut end, ms(1), &spec, 7), [7]);
    assert_eq!(end.window_bytes(), MSS);
    assert_eq!(acked(&mut end, ms(1), &spec, 7), []);
    assert_eq!(acked(&mut end, ms(2), &spec, 15), [15, 16]);
}

#[test]
fn newreno_repairs_a_loss_each_round() {
    let mut spec = TcpSpec::bsd();
    spec.recovery = Recovery::NewReno;
    // 7 to 14 in flight; 7 and 9 are lost.
    let mut end = opened(&spec, 8);
    for _ in 0..3 {
        acked(&mut end, ms(1), &spec, 7);
    }
    // cwnd = 4 + 3; three more duplicates: 10, room for 15 and 16.
    assert_eq!(end.window_bytes(), 7 * MSS);
    assert_eq!(acked(&mut end, ms(1), &spec, 7), []);
    assert_eq!(acked(&mut end, ms(1), &spec, 7), [15]);
    assert_eq!(acked(&mut end, ms(1), &spec, 7), [16]);
    // 8 follows 7: partial, 9 goes again; cwnd = 10 - 2 + 1, 8 of 9 in flight: 17.
    assert_eq!(acked(&mut end, ms(2), &spec, 9), [9, 17]);
    assert_eq!(end.window_bytes(), 9 * MSS);
    // Past 15 it is over: min(ssthresh 4, flight 1 + 1) = 2.
    assert_eq!(acked(&mut end, ms(3), &spec, 17), [18]);
    assert_eq!(end.window_bytes(), 2 * MSS);
    assert_eq!(end.counts().fast_retransmits, 1);
}

/// RFC 6582, section 3.2, step 2: duplicates of the very end of a recovery, or of what was sent
/// before a time-out, start none.
#[test]
fn newreno_leaves_old_duplicates_alone() {
    let mut spec = TcpSpec::bsd();
    spec.recovery = Recovery::NewReno;
    let duplicates = |end: &mut backwater_ends::Endpoint, segments| {
        for _ in 0..4 {
            acked(end, ms(1), &spec, segments);
        }
        end.counts().fast_retransmits
    };
    let mut end = opened(&spec, 8);
    assert_eq!(duplicates(&mut end, 7), 1);
    acked(&mut end, ms(1), &spec, 15);
    assert_eq!(duplicates(&mut end, 15), 1);
    acked(&mut end, ms(1), &spec, 16);
    assert_eq!(duplicates(&mut end, 16), 2);
    let mut end = opened(&spec, 8);
    let at = fire(&mut end, &spec);
    numbers(&mut end, at, &spec);
    assert_eq!(duplicates(&mut end, 14), 0);
    acked(&mut end, ms(1), &spec, 15);
    assert_eq!(duplicates(&mut end, 15), 0);
    acked(&mut end, ms(1), &spec, 16);
    assert_eq!(duplicates(&mut end, 16), 1);
}

/// The timer starts anew; the segment that was timed is not, once something goes again.
#[test]
fn fast_retransmit_and_the_timer() {
    for recovery in [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno] {
        let mut spec = TcpSpec::bsd();
        spec.recovery = recovery;
        let mut end = opened(&spec, 8);
        assert_eq!(end.timer(), Some(ms(1_100)));
        for _ in 0..3 {
            acked(&mut end, ms(700), &spec, 7);
        }
        assert_eq!(end.timer(), Some(ms(2_100)));
        // A sample of 5 ticks would make 6 or more of it.
        acked(&mut end, ms(2_000), &spec, 15);
        assert_eq!(end.timer(), Some(ms(3_100)));
    }
}

#[test]
fn another_window_is_no_duplicate() {
    let spec = TcpSpec::bsd();
    let mut end = opened(&spec, 8);
    for i in 0..5 {
        let mut segment = ack(&spec, 7 * MSS);
        segment.window -= i;
        end.on_segment(ms(1), &spec, &segment, false);
    }
    assert_eq!(end.counts().fast_retransmits, 0);
    let mut segment = ack(&spec, 7 * MSS);
    segment.bytes = 10;
    for _ in 0..5 {
        end.on_segment(ms(1), &spec, &segment, false);
    }
    assert_eq!(end.counts().fast_retransmits, 0);
}

#[test]
fn threshold_zero_waits_for_the_timer() {
    let mut spec = TcpSpec::bsd();
    spec.duplicate_threshold = 0;
    let mut end = opened(&spec, 8);
    for _ in 0..20 {
        assert_eq!(acked(&mut end, ms(1), &spec, 7), []);
    }
    assert_eq!(end.counts().fast_retransmits, 0);
    let at = fire(&mut end, &spec);
    assert_eq!(numbers(&mut end, at, &spec), [7]);
}

#[test]
fn silence_restarts_the_window() {
    for (restart, expected) in [(true, 1), (false, 10)] {
        let mut spec = TcpSpec::bsd();
        spec.reuse = Reuse::Persistent;
        spec.idle_restart = restart;
        let mut end = endpoint(&spec);
        end.send(ms(0), &spec, 8 * MSS);
        numbers(&mut end, ms(0), &spec);
        for i in 1..=8 {
            acked(&mut end, ms(0), &spec, i);
        }
        // RTO is 3 ticks: those at 100, 600 and 1100. Two are not a silence.
        end.send(ms(1_099), &spec, 1);
        assert_eq!(end.window_bytes(), 9 * MSS);
        drain(&mut end, ms(1_099), &spec);
        end.on_segment(ms(1_099), &spec, &ack(&spec, 8 * MSS + 1), false);
        end.send(ms(2_100), &spec, 20 * MSS);
        assert_eq!(end.window_bytes(), expected * MSS);
    }
}

#[test]
fn fresh_window_keeps_the_round_trip() {
    let spec = TcpSpec::bsd();
    let mut end = endpoint(&spec);
    end.send(ms(0), &spec, 8 * MSS);
    numbers(&mut end, ms(0), &spec);
    for i in 1..=8 {
        acked(&mut end, ms(0), &spec, i);
    }
    assert_eq!(end.window_bytes(), 9 * MSS);
    end.send(ms(1), &spec, 8 * MSS);
    assert_eq!(end.window_bytes(), MSS);
    assert_eq!(numbers(&mut end, ms(1), &spec), [8]);
    // 3 ticks, not the 6 of the first time.
    assert_eq!(end.timer(), Some(ms(1_100)));
    // The threshold is gone as well: slow start.
    assert_eq!(acked(&mut end, ms(1), &spec, 9), [9, 10]);
    // More for the same transfer changes nothing.
    end.send(ms(1), &spec, 8 * MSS);
    assert_eq!(end.window_bytes(), 2 * MSS);
    assert_eq!(acked(&mut end, ms(1), &spec, 10), [11, 12]);
}

/// Nothing of the first transfer could be timed (Karn), and its back-off does not outlive it.
#[test]
fn fresh_window_forgets_back_off() {
    let spec = TcpSpec::bsd();
    let mut end = endpoint(&spec);
    end.send(ms(0), &spec, MSS);
    numbers(&mut end, ms(0), &spec);
    assert_eq!(fire(&mut end, &spec), ms(2_600));
    assert_eq!(numbers(&mut end, ms(2_600), &spec), [0]);
    acked(&mut end, ms(2_650), &spec, 1);
    end.send(ms(2_700), &spec, MSS);
    assert_eq!(numbers(&mut end, ms(2_700), &spec), [1]);
    assert_eq!(end.timer(), Some(ms(5_600)));
}
