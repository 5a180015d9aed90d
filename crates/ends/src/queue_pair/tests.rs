//! Receivers in any order: what is acknowledged, what goes again, what control hears.

use alloc::vec::Vec;

use backwater_kernel::stream::Purpose;
use backwater_kernel::{Duration, Stream};

use super::*;
use crate::spec::PairRecovery;

const US: u64 = 1_000_000;
const PACKET: u64 = 1_000;

fn spec(recovery: PairRecovery) -> RoceSpec {
    RoceSpec {
        mtu_bytes: PACKET as u32,
        recovery,
        timeout: Duration(100 * US),
        ..RoceSpec::plain(Rate(100_000_000_000))
    }
}

/// Two ends, nothing between them.
struct Two {
    spec: RoceSpec,
    source: QueuePair,
    destination: QueuePair,
    now: Time,
}

impl Two {
    fn new(recovery: PairRecovery, packets: u64) -> Two {
        let spec = spec(recovery);
        let mut two = Two {
            source: QueuePair::new(&spec, 62),
            destination: QueuePair::new(&spec, 62),
            now: Time(US),
            spec,
        };
        two.source.send(two.now, &two.spec, packets * PACKET);
        two
    }

    /// Data that the source may send now, each started at once.
    fn sent(&mut self) -> Vec<RocePacket> {
        let mut sent = Vec::new();
        while let Some((Payload::Roce(packet), _)) = self.source.poll(self.now, &self.spec) {
            self.source.on_start(self.now, &self.spec);
            sent.push(packet);
        }
        sent
    }

    /// Data comes in, and what is answered goes back at once.
    fn arrive(&mut self, packet: RocePacket, is_marked: bool) -> Vec<RocePacket> {
        let came = |is_marked| Came {
            is_marked,
            path: &[],
        };
        let (now, spec) = (self.now, self.spec.clone());
        self.destination
            .on_packet(now, &spec, &packet, came(is_marked));
        let mut answers = Vec::new();
        while let Some((Payload::Roce(answer), _)) = self.destination.poll(now, &spec) {
            self.source.on_packet(now, &spec, &answer, came(false));
            answers.push(answer);
        }
        answers
    }
}

/// 2 and 1 before 0: each is named, nothing goes again, and 0 acknowledges all three.
#[test]
fn packets_in_any_order_are_named_and_nothing_goes_again() {
    let mut two = Two::new(PairRecovery::AnyOrder, 3);
    let sent = two.sent();
    assert_eq!(sent.len(), 3);
    two.now = Time(3 * US);
    for (at, place) in [(2, 2_000), (1, 1_000)] {
        let answers = two.arrive(sent[at], false);
        assert_eq!(answers.len(), 1);
        let answer = answers[0];
        assert_eq!(
            (answer.kind, answer.seq, answer.other),
            (PacketKind::Nack, 0, place)
        );
        assert!(two.sent().is_empty());
    }
    assert_eq!(two.source.sender.flight(&two.spec), PACKET);
    let answers = two.arrive(sent[0], false);
    assert_eq!((answers[0].kind, answers[0].seq), (PacketKind::Ack, 3_000));
    assert!(two.source.sender.is_all_acknowledged());
    let counts = two.destination.counts();
    assert_eq!((counts.out_of_order, counts.held_most_bytes), (2, 2_000));
    assert_eq!(two.source.counts().again_bytes, 0);
    assert_eq!(two.source.counts().fast_retransmits, 0);
}

/// With acknowledgements of four packets a mark does not wait for the fourth.
#[test]
fn a_mark_is_told_at_once() {
    for (recovery, answers) in [(PairRecovery::AnyOrder, 1), (PairRecovery::Selective, 0)] {
        let mut two = Two::new(recovery, 8);
        two.spec.acks = crate::spec::AckEvery::Packets(4);
        let sent = two.sent();
        assert!(two.arrive(sent[0], false).is_empty());
        let told = two.arrive(sent[1], true);
        assert_eq!(told.len(), answers, "{recovery:?}");
        assert!(told.iter().all(|answer| answer.flag));
    }
}

/// Only what went a time-out ago goes again: here the first, and not the one that went later.
#[test]
fn a_time_out_repairs_what_is_overdue() {
    let mut two = Two::new(PairRecovery::AnyOrder, 2);
    let sent = two.sent();
    two.now = Time(90 * US);
    two.source.send(two.now, &two.spec, PACKET);
    assert_eq!(two.sent().len(), 1);
    two.arrive(sent[1], false);
    two.now = Time(101 * US);
    assert_eq!(two.source.timer(), Some(two.now));
    two.source.on_timer(two.now, &two.spec);
    let again = two.sent();
    assert_eq!(again.len(), 1);
    assert_eq!((again[0].seq, again[0].is_again), (0, true));
    assert_eq!(two.source.counts().time_outs, 1);
}

/// Bytes that went again for packets that came in a random order, none of them lost.
fn again_bytes(recovery: PairRecovery, seed: u64) -> u64 {
    let mut stream = Stream::new(seed, 0, Purpose::Traffic);
    let mut two = Two::new(recovery, 64);
    let mut under_way = two.sent();
    while !two.source.sender.is_all_acknowledged() {
        if under_way.is_empty() {
            two.now = two.source.timer().expect("a time-out is set");
            two.source.on_timer(two.now, &two.spec);
            under_way = two.sent();
        }
        two.now += Duration(stream.below(US));
        let next = stream.below(under_way.len() as u64) as usize;
        let packet = under_way.swap_remove(next);
        two.arrive(packet, stream.below(4) == 0);
        under_way.extend(two.sent());
    }
    two.source.counts().again_bytes
}

#[test]
fn other_receivers_take_another_order_for_losses() {
    for seed in 0..50 {
        assert_eq!(again_bytes(PairRecovery::AnyOrder, seed), 0, "seed {seed}");
        assert!(
            again_bytes(PairRecovery::Selective, seed) > 0,
            "seed {seed}"
        );
        assert!(again_bytes(PairRecovery::GoBackN, seed) > 0, "seed {seed}");
    }
}

/// Packets that are lost at random all come in the end, whatever else happens to their order; as
/// many bytes are told to control as were sent.
#[test]
fn what_is_lost_goes_again_after_a_time_out() {
    for seed in 0..50 {
        let mut stream = Stream::new(seed, 1, Purpose::Traffic);
        let mut two = Two::new(PairRecovery::AnyOrder, 64);
        let mut under_way = two.sent();
        let mut lost = 0;
        while !two.source.sender.is_all_acknowledged() {
            if under_way.is_empty() {
                two.now = two.source.timer().expect("a time-out is set");
                two.source.on_timer(two.now, &two.spec);
            } else {
                let next = stream.below(under_way.len() as u64) as usize;
                let packet = under_way.swap_remove(next);
                if stream.below(5) == 0 {
                    lost += 1;
                } else {
                    two.arrive(packet, false);
                }
            }
            under_way.extend(two.sent());
        }
        assert!(lost > 0 && two.source.counts().time_outs > 0);
        assert_eq!(two.destination.receiver.expected(), 64 * PACKET);
        assert_eq!(
            two.source.counts().again_bytes,
            lost * PACKET,
            "seed {seed}"
        );
    }
}

/// The packet that fills a gap ends its own round trip, not that of those it makes whole, which
/// came long before.
#[test]
fn a_repaired_packet_has_its_own_round_trip() {
    for recovery in [PairRecovery::Selective, PairRecovery::AnyOrder] {
        let mut two = Two::new(recovery, 3);
        let sent = two.sent();
        let spec = two.spec.clone();
        two.now = Time(11 * US);
        let mut rtts = Vec::new();
        for (at, packet) in [(11, sent[1]), (12, sent[2]), (40, sent[0])] {
            two.now = Time(at * US);
            let answers = {
                let came = Came {
                    is_marked: false,
                    path: &[],
                };
                two.destination.on_packet(two.now, &spec, &packet, came);
                let mut answers = Vec::new();
                while let Some((Payload::Roce(answer), _)) = two.destination.poll(two.now, &spec) {
                    answers.push(answer);
                }
                answers
            };
            for answer in answers {
                rtts.push(two.source.sender.round_trip(two.now, &spec, &answer));
            }
        }
        let expected = [10, 11, 39].map(|us| Some(Duration(us * US)));
        assert_eq!(rtts, expected, "{recovery:?}");
    }
}
