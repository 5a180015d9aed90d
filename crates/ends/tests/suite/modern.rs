//! SACK, the fine timer, CUBIC's cuts and marks, replayed by hand.

use crate::common;

use backwater_ends::spec::{AckSpec, Congestion, Ecn, Reuse};
use backwater_ends::tcp::flags;
use backwater_ends::{Endpoint, TcpSpec};
use backwater_kernel::Time;
use common::*;

fn spec() -> TcpSpec {
    let mut spec = TcpSpec::linux_3();
    spec.mss_bytes = MSS as u32;
    spec.congestion = Congestion::Reno { eighth: false };
    spec.acks = AckSpec::Every;
    spec
}

fn infinite(spec: &TcpSpec) -> Endpoint {
    let mut end = endpoint(spec);
    end.send(Time::ZERO, spec, u64::MAX / 4);
    end
}

/// An acknowledgement of `segments` with blocks, all in segments; what goes then.
fn sacked(
    end: &mut Endpoint,
    now: Time,
    spec: &TcpSpec,
    segments: u64,
    blocks: &[(u64, u64)],
) -> Vec<u64> {
    let blocks: Vec<_> = blocks.iter().map(|b| (b.0 * MSS, b.1 * MSS)).collect();
    end.on_segment(now, spec, &sack(spec, segments * MSS, &blocks), false);
    numbers(end, now, spec)
}

/// Ten in flight; 0, 2 and 4 are lost, 1, 3 and 5 to 9 arrive in turn.
#[test]
fn sack_repairs_three_losses_in_one_recovery() {
    let spec = spec();
    let mut end = infinite(&spec);
    assert_eq!(numbers(&mut end, ms(0), &spec).len(), 10);
    // Each block makes room for a new segment before the threshold (limited transmit).
    assert_eq!(sacked(&mut end, ms(10), &spec, 0, &[(1, 2)]), [10]);
    assert_eq!(sacked(&mut end, ms(10), &spec, 0, &[(3, 4), (1, 2)]), [11]);
    // The same blocks again are no duplicate.
    assert_eq!(sacked(&mut end, ms(10), &spec, 0, &[(3, 4), (1, 2)]), []);
    // Third: cwnd = ssthresh = 5, 0 goes again. Pipe: 2, 4, 6 to 11 and 0 again.
    assert_eq!(
        sacked(&mut end, ms(10), &spec, 0, &[(5, 6), (3, 4), (1, 2)]),
        [0]
    );
    assert_eq!(
        (end.window_bytes(), end.counts().fast_retransmits),
        (5 * MSS, 1)
    );
    // 6 arrives: two ranges, three segments above 2, which is lost; so is 4 with 7. When 8 has
    // arrived too, 9, 10, 11 and 0 are in the pipe: room for one, 2.
    assert_eq!(
        sacked(&mut end, ms(10), &spec, 0, &[(5, 7), (3, 4), (1, 2)]),
        []
    );
    assert_eq!(
        sacked(&mut end, ms(10), &spec, 0, &[(5, 8), (3, 4), (1, 2)]),
        []
    );
    assert_eq!(
        sacked(&mut end, ms(10), &spec, 0, &[(5, 9), (3, 4), (1, 2)]),
        [2]
    );
    assert_eq!(
        sacked(&mut end, ms(10), &spec, 0, &[(5, 10), (3, 4), (1, 2)]),
        [4]
    );
    assert_eq!(
        sacked(&mut end, ms(20), &spec, 0, &[(5, 11), (3, 4), (1, 2)]),
        [12]
    );
    assert_eq!(
        sacked(&mut end, ms(20), &spec, 0, &[(5, 12), (3, 4), (1, 2)]),
        [13]
    );
    assert_eq!(sacked(&mut end, ms(20), &spec, 2, &[(5, 12), (3, 4)]), [14]);
    assert_eq!(sacked(&mut end, ms(20), &spec, 4, &[(5, 12)]), [15]);
    // All that was sent before the loss was seen: it is over at ssthresh.
    assert_eq!(sacked(&mut end, ms(20), &spec, 12, &[]), [16]);
    assert_eq!(end.window_bytes(), 5 * MSS);
    let counts = end.counts();
    assert_eq!((counts.again_bytes, counts.time_outs), (3 * MSS, 0));
    assert_eq!(counts.fast_retransmits, 1);
}

/// Ten segments and no more; 0 and 8 are lost. Nothing says that 8 is, but nothing
/// else is left to send (rule 3 of NextSeg).
#[test]
fn sack_sends_what_may_be_lost_when_nothing_else_is_left() {
    let spec = spec();
    let mut end = endpoint(&spec);
    end.send(ms(0), &spec, 10 * MSS);
    numbers(&mut end, ms(0), &spec);
    assert_eq!(sacked(&mut end, ms(10), &spec, 0, &[(1, 2)]), []);
    assert_eq!(sacked(&mut end, ms(10), &spec, 0, &[(1, 3)]), []);
    assert_eq!(sacked(&mut end, ms(10), &spec, 0, &[(1, 4)]), [0]);
    assert_eq!(sacked(&mut end, ms(10), &spec, 0, &[(1, 8)]), []);
    assert_eq!(sacked(&mut end, ms(10), &spec, 0, &[(9, 10), (1, 8)]), [8]);
    let received = end.on_segment(ms(20), &spec, &ack(&spec, 10 * MSS), false);
    assert!(received.is_finished);
    assert_eq!((end.counts().time_outs, end.timer()), (0, None));
}

#[test]
fn after_a_time_out_what_arrived_is_left_out() {
    let spec = spec();
    let mut end = infinite(&spec);
    numbers(&mut end, ms(0), &spec);
    sacked(&mut end, ms(10), &spec, 0, &[(2, 4)]);
    let at = fire(&mut end, &spec);
    assert_eq!(at, ms(1_000));
    assert_eq!(numbers(&mut end, at, &spec), [0]);
    assert_eq!(acked(&mut end, at, &spec, 1), [1, 4]);
    assert_eq!(end.counts().again_bytes, 3 * MSS);
    // No second recovery for what was sent before the time-out.
    for i in 4..10 {
        sacked(&mut end, at, &spec, 1, &[(2, i + 1)]);
    }
    assert_eq!(end.counts().fast_retransmits, 0);
}

#[test]
fn the_fine_timer_follows_rfc_6298() {
    let mut spec = spec();
    spec.timer.min_rto = backwater_kernel::Duration(1);
    let mut end = infinite(&spec);
    numbers(&mut end, ms(0), &spec);
    assert_eq!(end.timer(), Some(ms(1_000)));
    // R = 80 ms: srtt = 80, rttvar = 40, RTO = 240.
    acked(&mut end, ms(80), &spec, 1);
    assert_eq!(end.timer(), Some(ms(80 + 240)));
    // Segment 10, sent at 80, after 120 ms: rttvar = 30 + 40 / 4 = 40, srtt = 70 + 15 = 85.
    acked(&mut end, ms(200), &spec, 11);
    assert_eq!(end.timer(), Some(ms(200 + 245)));
    // Twice as long after each time-out.
    assert_eq!(fire(&mut end, &spec), ms(445));
    assert_eq!(end.timer(), Some(ms(445 + 490)));
    assert_eq!(fire(&mut end, &spec), ms(935));
    assert_eq!(end.timer(), Some(ms(935 + 980)));
}

#[test]
fn least_and_largest_time_out() {
    let spec = spec();
    let mut end = infinite(&spec);
    numbers(&mut end, ms(0), &spec);
    acked(&mut end, ms(1), &spec, 1);
    assert_eq!(end.timer(), Some(ms(201)));
    let mut last = ms(201);
    for i in 0..14 {
        let at = fire(&mut end, &spec);
        assert_eq!(at, last);
        last = Time(at.0 + ((400 * MS) << i).min(120_000 * MS));
    }
}

#[test]
fn silence_by_a_fine_clock() {
    let spec = spec();
    let mut end = endpoint(&spec);
    let mut sent = 0;
    for (now, restarts) in [(0, false), (200, false), (401, true)] {
        end.send(ms(now), &spec, 20 * MSS);
        let before = end.window_bytes();
        assert_eq!(restarts, sent > 0 && before == 10 * MSS, "at {now} ms");
        while end.positions().0 < sent + 20 * MSS {
            drain(&mut end, ms(now), &spec);
            let (_, next, _) = end.positions();
            end.on_segment(ms(now), &spec, &ack(&spec, next), false);
        }
        sent += 20 * MSS;
        assert!(end.window_bytes() > 10 * MSS);
    }
}

#[test]
fn cubic_cuts_to_seven_tenths() {
    let mut spec = spec();
    spec.congestion = Congestion::Cubic;
    let mut end = infinite(&spec);
    numbers(&mut end, ms(0), &spec);
    for i in 2..=4 {
        sacked(&mut end, ms(10), &spec, 0, &[(1, i)]);
    }
    assert_eq!(end.window_bytes(), 10 * MSS * 7 / 10);
    fire(&mut end, &spec);
    // 7 tenths of 7 segments are 4.9; a second time-out of the same segment leaves that.
    let at = fire(&mut end, &spec);
    numbers(&mut end, at, &spec);
    assert_eq!(end.window_bytes(), MSS);
    for i in 4..8 {
        acked(&mut end, at, &spec, i);
    }
    assert_eq!(end.window_bytes(), 5 * MSS);
    acked(&mut end, at, &spec, 8);
    assert!(end.window_bytes() < 5 * MSS + MSS / 2);
    // The curve starts flat: a second later it is 0.4 segments up, or 5.1 by Reno's estimate,
    // and not on its way back to 7.
    acked(&mut end, Time(at.0 + 1_000 * MS), &spec, 9);
    assert!(end.window_bytes() < 5 * MSS + MSS / 2);
}

/// The echo of a mark of before a time-out cuts no further.
#[test]
fn a_time_out_answers_marks_too() {
    let mut spec = spec();
    spec.ecn = Ecn::Classic;
    let mut end = infinite(&spec);
    numbers(&mut end, ms(0), &spec);
    let at = fire(&mut end, &spec);
    numbers(&mut end, at, &spec);
    let mut segment = ack(&spec, 3 * MSS);
    segment.flags |= flags::ECE;
    end.on_segment(at, &spec, &segment, false);
    assert_eq!(end.counts().ecn_cuts, 0);
}

/// An echo halves once a round trip; CWR goes with the next new data.
#[test]
fn classic_marks_cut_once_a_round_trip() {
    let mut spec = spec();
    spec.ecn = Ecn::Classic;
    let mut end = infinite(&spec);
    numbers(&mut end, ms(0), &spec);
    let mut cwrs = Vec::new();
    for i in 1..=22 {
        let mut segment = ack(&spec, i * MSS);
        segment.flags |= flags::ECE;
        end.on_segment(ms(10), &spec, &segment, false);
        for sent in drain(&mut end, ms(10), &spec) {
            if sent.flags & flags::CWR != 0 {
                cwrs.push(sent.seq / MSS);
            }
        }
        // Segment 10 says CWR, 15 the next time: what is acknowledged before tells of old marks.
        let expected = if i < 11 { 5 } else { 2 };
        assert_eq!(end.window_bytes(), expected * MSS, "{i} acknowledged");
    }
    assert_eq!(cwrs, [10, 15, 17, 19, 21, 23]);
    assert_eq!(end.counts().ecn_cuts as usize, cwrs.len());
}

/// Without marks alpha decays, and one then cuts by half of it.
#[test]
fn dctcp_cuts_in_proportion() {
    let mut spec = spec();
    spec.ecn = Ecn::Dctcp { gain_shift: 4 };
    let mut end = infinite(&spec);
    numbers(&mut end, ms(0), &spec);
    // Windows end at 0, 10, 30, 70: four without a mark, alpha = (15 / 16)^4.
    for i in 1..=71 {
        acked(&mut end, ms(10), &spec, i);
    }
    assert_eq!(end.window_bytes(), 81 * MSS);
    let mut segment = ack(&spec, 72 * MSS);
    segment.flags |= flags::ECE;
    end.on_segment(ms(20), &spec, &segment, false);
    let alpha = (15.0_f64 / 16.0).powi(4);
    let less = (81.0 * 1024.0 * alpha / 2.0) as u64;
    assert_eq!(end.window_bytes(), 81 * MSS - less);
    assert_eq!(end.counts().ecn_cuts, 1);
}

#[test]
fn marks_mean_nothing_without_ecn() {
    let mut spec = spec();
    spec.reuse = Reuse::FreshWindow;
    let mut end = infinite(&spec);
    numbers(&mut end, ms(0), &spec);
    let mut segment = ack(&spec, MSS);
    segment.flags |= flags::ECE;
    end.on_segment(ms(10), &spec, &segment, true);
    assert_eq!((end.window_bytes(), end.counts().ecn_cuts), (11 * MSS, 0));
}

/// Kept by the thousand: a few cache lines.
#[test]
fn an_end_is_small() {
    let bytes = size_of::<Endpoint>();
    assert!(bytes <= 576, "{bytes}");
}
