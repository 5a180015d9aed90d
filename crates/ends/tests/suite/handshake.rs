//! SYN, FIN and what is lost of them; acknowledgements that wait; echoes of marks.

use crate::common;
use crate::pipe;

use backwater_ends::spec::{AckSpec, Ecn, Reuse};
use backwater_ends::tcp::flags;
use backwater_ends::{Endpoint, Segment, TcpSpec};
use backwater_kernel::{Duration, Probability};
use common::*;
use pipe::{Fault, Network, Pipe};

const SYN_ACK: u8 = flags::SYN | flags::ACK;

fn spec() -> TcpSpec {
    TcpSpec::bsd_full()
}

fn pair(spec: &TcpSpec) -> (Endpoint, Endpoint) {
    let passive = Endpoint::new(spec, clock(), false);
    (endpoint(spec), passive)
}

fn one(end: &mut Endpoint, now: u64, spec: &TcpSpec) -> Segment {
    let segments = drain(end, ms(now), spec);
    assert_eq!(segments.len(), 1, "{segments:?}");
    segments[0]
}

#[test]
fn a_connection_a_transfer() {
    let spec = spec();
    let (mut a, mut b) = pair(&spec);
    for transfer in 0..3 {
        let (now, at) = (transfer * 30, transfer * 1500);
        a.send(ms(now), &spec, 1500);
        let syn = one(&mut a, now, &spec);
        assert_eq!((syn.flags, syn.seq, syn.bytes), (flags::SYN, at, 0));
        // No round-trip time is known: 6 ticks.
        assert_eq!(a.timer(), Some(ms(2_600)));
        b.on_segment(ms(now + 1), &spec, &syn, false);
        let answer = one(&mut b, now + 1, &spec);
        assert_eq!((answer.flags, answer.ack), (SYN_ACK, at));
        a.on_segment(ms(now + 2), &spec, &answer, false);
        // The first window is two segments; FIN goes with the last.
        assert_eq!(a.window_bytes(), 2 * MSS);
        let data = drain(&mut a, ms(now + 2), &spec);
        assert_eq!((data[0].bytes, data[1].bytes), (1024, 476));
        assert_eq!(data[0].flags, flags::ACK);
        assert_eq!(data[1].flags, flags::ACK | flags::PSH | flags::FIN);
        b.on_segment(ms(now + 3), &spec, &data[0], false);
        assert_eq!(drain(&mut b, ms(now + 3), &spec), []);
        b.on_segment(ms(now + 3), &spec, &data[1], false);
        let last = one(&mut b, now + 3, &spec);
        assert_eq!((last.flags, last.ack), (flags::ACK, at + 1500));
        assert!(a.on_segment(ms(now + 4), &spec, &last, false).is_finished);
        assert_eq!((a.timer(), b.timer()), (None, None));
    }
}

#[test]
fn a_lost_syn_goes_again() {
    let spec = spec();
    let (mut a, mut b) = pair(&spec);
    a.send(ms(0), &spec, 5000);
    one(&mut a, 0, &spec);
    // 6 ticks, then 12.
    assert_eq!(fire(&mut a, &spec), ms(2_600));
    let syn = one(&mut a, 2_600, &spec);
    assert_eq!((syn.flags, syn.is_again), (flags::SYN, true));
    assert_eq!(a.timer(), Some(ms(8_600)));
    b.on_segment(ms(2_601), &spec, &syn, false);
    one(&mut b, 2_601, &spec);
    // The SYN-ACK is lost: the SYN goes once more, and is answered once more.
    fire(&mut a, &spec);
    let syn = one(&mut a, 8_600, &spec);
    b.on_segment(ms(8_601), &spec, &syn, false);
    let answer = one(&mut b, 8_601, &spec);
    assert_eq!((answer.flags, answer.is_again), (SYN_ACK, true));
    a.on_segment(ms(8_602), &spec, &answer, false);
    // The window is one segment, and no sample was taken: 24 ticks.
    assert_eq!(one(&mut a, 8_602, &spec).bytes, 1024);
    assert_eq!(a.timer(), Some(ms(20_600)));
    assert_eq!(a.counts().time_outs, 2);
    // A second SYN-ACK changes nothing.
    a.on_segment(ms(8_603), &spec, &answer, false);
    assert_eq!(drain(&mut a, ms(8_603), &spec), []);
}

#[test]
fn a_lost_fin_goes_again() {
    let spec = spec();
    let (mut a, mut b) = pair(&spec);
    a.send(ms(0), &spec, 10);
    let syn = one(&mut a, 0, &spec);
    b.on_segment(ms(1), &spec, &syn, false);
    let answer = one(&mut b, 1, &spec);
    a.on_segment(ms(2), &spec, &answer, false);
    let lost = one(&mut a, 2, &spec);
    assert_ne!(lost.flags & flags::FIN, 0);
    // One sample of the SYN: 3 ticks.
    assert_eq!(fire(&mut a, &spec), ms(1_100));
    let again = one(&mut a, 1_100, &spec);
    assert_eq!((again.flags, again.is_again), (lost.flags, true));
    let received = b.on_segment(ms(1_101), &spec, &again, false);
    assert_eq!(received.delivered_bytes, 10);
    let last = one(&mut b, 1_101, &spec);
    assert!(a.on_segment(ms(1_102), &spec, &last, false).is_finished);
}

#[test]
fn the_passive_end_waits_for_the_syn_and_starts_anew() {
    let spec = spec();
    let (mut a, mut b) = pair(&spec);
    b.send(ms(0), &spec, 100_000);
    assert_eq!(drain(&mut b, ms(0), &spec), []);
    a.send(ms(0), &spec, 10);
    let syn = one(&mut a, 0, &spec);
    b.on_segment(ms(1), &spec, &syn, false);
    // SYN-ACK and the first window.
    assert_eq!(drain(&mut b, ms(1), &spec).len(), 3);
    b.on_segment(ms(2), &spec, &ack(&spec, 1024), false);
    b.on_segment(ms(2), &spec, &ack(&spec, 2048), false);
    assert_eq!(b.window_bytes(), 4 * MSS);
    drain(&mut b, ms(2), &spec);
    // The same SYN again: answered, nothing starts anew.
    b.on_segment(ms(3), &spec, &syn, false);
    assert_eq!(one(&mut b, 3, &spec).flags, SYN_ACK);
    assert_eq!(b.window_bytes(), 4 * MSS);
    let mut first = data(&spec, 0, 10);
    first.flags |= flags::FIN;
    first.ack = 2048;
    b.on_segment(ms(4), &spec, &first, false);
    drain(&mut b, ms(4), &spec);
    // Late: of a connection that has passed on.
    b.on_segment(ms(5), &spec, &syn, false);
    assert_eq!(drain(&mut b, ms(5), &spec), []);
    // A new one: what is outstanding goes again, with a fresh window.
    let mut next = syn;
    next.seq = 10;
    b.on_segment(ms(6), &spec, &next, false);
    assert_eq!(b.window_bytes(), 2 * MSS);
    let segments = drain(&mut b, ms(6), &spec);
    assert_eq!(segments[0].flags, SYN_ACK);
    assert_eq!((segments[1].seq, segments[1].is_again), (2048, true));
    assert_eq!(segments.len(), 3);
}

#[test]
fn an_old_answer_opens_nothing() {
    let spec = spec();
    let (mut a, mut b) = pair(&spec);
    a.send(ms(0), &spec, 10);
    let syn = one(&mut a, 0, &spec);
    b.on_segment(ms(1), &spec, &syn, false);
    let old = one(&mut b, 1, &spec);
    a.on_segment(ms(2), &spec, &old, false);
    drain(&mut a, ms(2), &spec);
    a.on_segment(ms(3), &spec, &ack(&spec, 10), false);
    a.send(ms(4), &spec, 10);
    assert_eq!(one(&mut a, 4, &spec).flags, flags::SYN);
    a.on_segment(ms(5), &spec, &old, false);
    assert_eq!(drain(&mut a, ms(5), &spec), []);
    let mut fresh = old;
    fresh.ack = 10;
    a.on_segment(ms(6), &spec, &fresh, false);
    assert_eq!(one(&mut a, 6, &spec).bytes, 10);
}

/// What one connection had to echo is no matter of the next.
#[test]
fn a_new_connection_echoes_nothing_old() {
    let mut spec = spec();
    spec.ecn = Ecn::Classic;
    let mut end = Endpoint::new(&spec, clock(), false);
    for (at, mark, echo) in [(0, true, flags::ECE), (10, false, 0)] {
        let mut syn = data(&spec, at, 0);
        syn.flags = flags::SYN;
        end.on_segment(ms(1), &spec, &syn, false);
        one(&mut end, 1, &spec);
        let mut last = data(&spec, at, 10);
        last.flags |= flags::FIN;
        end.on_segment(ms(2), &spec, &last, mark);
        assert_eq!(one(&mut end, 2, &spec).flags, flags::ACK | echo);
    }
}

#[test]
fn connections_survive_a_bad_network() {
    for seed in 0..50 {
        let network = Network {
            delay: Duration(MS),
            jitter: Duration(5 * MS),
            loss: Probability::new(0.3).unwrap(),
            twice: Probability::new(0.1).unwrap(),
            mark: Probability::NEVER,
        };
        let mut pipe = Pipe::new(spec(), network, Fault::None, seed);
        for transfer in 1..=5 {
            pipe.send(0, 3000).unwrap();
            pipe.run_until_finished(0, transfer).unwrap();
            pipe.send(1, 5000).unwrap();
            pipe.run_until_finished(1, transfer).unwrap();
        }
        pipe.run_dry().unwrap();
        assert!(pipe.syns >= 10 && pipe.fins >= 10);
    }
}

fn receiver(acks: AckSpec, ecn: Ecn) -> (TcpSpec, Endpoint) {
    let mut spec = TcpSpec::bsd();
    spec.acks = acks;
    spec.ecn = ecn;
    spec.reuse = Reuse::Persistent;
    let end = Endpoint::new(&spec, clock(), false);
    (spec, end)
}

/// Segment `i` arrives; the positions (in segments) acknowledged then.
fn arrives(end: &mut Endpoint, now: u64, spec: &TcpSpec, i: u64) -> Vec<u64> {
    end.on_segment(ms(now), spec, &data(spec, i * MSS, 1024), false);
    let segments = drain(end, ms(now), spec);
    segments.iter().map(|s| s.ack / MSS).collect()
}

#[test]
fn delayed_acknowledgements() {
    let ways = [
        (AckSpec::DelayedTick(Duration(200 * MS)), 250, 650),
        (
            AckSpec::Delayed {
                after: Duration(40 * MS),
                push: true,
            },
            140,
            641,
        ),
        (
            AckSpec::Delayed {
                after: Duration(40 * MS),
                push: false,
            },
            140,
            641,
        ),
    ];
    for (acks, first, second) in ways {
        let (spec, mut end) = receiver(acks, Ecn::Off);
        assert_eq!(arrives(&mut end, 100, &spec, 0), []);
        // Fast ticks are at 50, 250, 450 ms.
        assert_eq!(fire(&mut end, &spec), ms(first));
        assert_eq!(one(&mut end, first, &spec).ack, MSS);
        assert_eq!(end.timer(), None);
        // The second full segment is acknowledged with the first.
        assert_eq!(arrives(&mut end, 500, &spec, 1), []);
        assert_eq!(arrives(&mut end, 510, &spec, 2), [3]);
        assert_eq!(end.timer(), None);
        // Out of order, filling the gap, seen before: at once.
        assert_eq!(arrives(&mut end, 520, &spec, 4), [3]);
        assert_eq!(arrives(&mut end, 520, &spec, 5), [3]);
        assert_eq!(arrives(&mut end, 520, &spec, 3), [6]);
        assert_eq!(arrives(&mut end, 520, &spec, 3), [6]);
        assert_eq!(end.counts().duplicates, 1);
        // Data of its own takes the acknowledgement along.
        assert_eq!(arrives(&mut end, 601, &spec, 6), []);
        assert_eq!(end.timer(), Some(ms(second)));
        end.send(ms(602), &spec, 10);
        let segment = one(&mut end, 602, &spec);
        assert_eq!((segment.bytes, segment.ack), (10, 7 * MSS));
        assert!(end.timer() > Some(ms(second)));
    }
}

#[test]
fn every_segment_at_once() {
    let (spec, mut end) = receiver(AckSpec::Every, Ecn::Off);
    for i in 0..5 {
        assert_eq!(arrives(&mut end, 1, &spec, i), [i + 1]);
    }
}

#[test]
fn classic_echo_lasts_until_cwr() {
    let (spec, mut end) = receiver(AckSpec::Every, Ecn::Classic);
    let echoes = [
        (false, false, false),
        (true, false, true),
        (false, false, true),
    ];
    let more = [
        (false, true, false),
        (false, false, false),
        (true, true, true),
    ];
    for (i, (mark, cwr, echo)) in echoes.into_iter().chain(more).enumerate() {
        let mut segment = data(&spec, i as u64 * MSS, 1024);
        segment.flags |= if cwr { flags::CWR } else { 0 };
        end.on_segment(ms(1), &spec, &segment, mark);
        let sent = one(&mut end, 1, &spec);
        assert_eq!(sent.flags & flags::ECE != 0, echo, "segment {i}");
    }
}

#[test]
fn dctcp_echo_says_which() {
    let ecn = Ecn::Dctcp { gain_shift: 4 };
    let (spec, mut end) = receiver(
        AckSpec::Delayed {
            after: Duration(40 * MS),
            push: true,
        },
        ecn,
    );
    // Not marked, marked: the first is acknowledged alone, the second waits for the third.
    let mut sent = Vec::new();
    for (i, mark) in [false, true, true, true, false].into_iter().enumerate() {
        end.on_segment(ms(1), &spec, &data(&spec, i as u64 * MSS, 1024), mark);
        let segments = drain(&mut end, ms(1), &spec);
        sent.extend(
            segments
                .iter()
                .map(|s| (i, s.ack / MSS, s.flags & flags::ECE != 0)),
        );
    }
    assert_eq!(sent, [(1, 1, false), (2, 3, true), (4, 4, true)]);
    fire(&mut end, &spec);
    let last = one(&mut end, 41, &spec);
    assert_eq!((last.ack, last.flags & flags::ECE), (5 * MSS, 0));
}
