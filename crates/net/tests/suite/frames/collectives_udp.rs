//! Collective operations in datagrams: closed forms on a star, for frames of 1,068 bytes on the
//! wire at 100 Gb/s, and what is lost.

use backwater_ends::spec::collectives::{Collective, Operation};
use backwater_kernel::{Rate, Rings, Time};
use backwater_net::Simulation;
use backwater_net::frames::spec::*;

use super::collectives::{add, end_us, is_near, star};
use crate::frames::common::*;

/// A full frame on the wire: 1,000 bytes of payload, 46 of headers, 20 between frames.
const WIRE_BYTES: u64 = 1_066;
/// Of the frame that closed forms are about, at 100 Gb/s.
const ASKED_BYTES: u64 = 1_068;

fn datagrams() -> TransportSpec {
    TransportSpec::Udp {
        payload_bytes: 1_000,
        has_rtp: false,
        is_ect: false,
    }
}

/// Links so much slower that a frame takes what one of 1,068 bytes takes at 100 Gb/s.
fn slower(ranks: u32) -> Net {
    let mut net = star(ranks);
    for link in 0..ranks as usize {
        for channel in &mut net.spec.links[link].channels {
            channel.rate = Rate(100_000_000_000 / ASKED_BYTES * WIRE_BYTES);
        }
    }
    net
}

fn took(kind: Collective, ranks: u32, bytes: u64) -> (f64, u64) {
    let mut net = slower(ranks);
    add(&mut net, Operation::whole(kind, bytes), ranks, &datagrams());
    end_us(&net)
}

#[test]
fn eight_ranks_take_what_is_printed() {
    let mb = 1_000_000;
    let cases = [
        (Collective::RingAllReduce, 64 * mb, 9_598.48),
        (Collective::HalvingDoublingAllReduce, 64 * mb, 9_581.79),
        (Collective::PairwiseAllToAll, 64 * mb, 4_799.24),
        (Collective::TreeAllReduce, 64 * mb, 32_821.47),
        (Collective::RingAllReduce, 8_000, 30.39),
    ];
    for (kind, bytes, wanted_us) in cases {
        let (found_us, _) = took(kind, 8, bytes);
        assert!(
            is_near(found_us, wanted_us),
            "{kind:?}: {found_us} {wanted_us}"
        );
    }
    // Bits of 64 MB over that time, times 14/8.
    let (found_us, _) = took(Collective::RingAllReduce, 8, 64 * mb);
    let busbw_gbps = 64e6 * 8.0 * 1.75 / (found_us * 1e3);
    assert!(is_near(busbw_gbps, 93.35), "{busbw_gbps}");
}

/// Between two ranks each message may begin at once: ports ask for the rest of it all the same.
#[test]
fn operations_in_which_nothing_waits_end() {
    let step_us = |packets: f64| (packets + 1.0) * 8.0 * ASKED_BYTES as f64 / 100_000.0 + 2.0;
    for (kind, packets) in [
        (Collective::AllToAll, 500.0),
        (Collective::PairwiseAllToAll, 500.0),
        (Collective::RingAllGather, 500.0),
        (Collective::RingReduceScatter, 500.0),
        (Collective::TreeBroadcast, 1_000.0),
        (Collective::Pipeline, 1_000.0),
    ] {
        let (found_us, came) = took(kind, 2, 1_000_000);
        assert_eq!(came, 1_000_000, "{kind:?}");
        let wanted_us = step_us(packets);
        assert!(
            is_near(found_us, wanted_us),
            "{kind:?}: {found_us} {wanted_us}"
        );
    }
    // Many at once from one host go behind each other.
    let (_, came) = took(Collective::AllToAll, 8, 8_000_000);
    assert_eq!(came, 8 * 7 * 1_000_000);
}

/// Blocks of ten full datagrams and a short one, which waits at the switch behind the last of them.
#[test]
fn odd_numbers_of_ranks_take_the_closed_form() {
    let byte_us = 8.0 * ASKED_BYTES as f64 / WIRE_BYTES as f64 / 100_000.0;
    for ranks in 2..=17 {
        let bytes = 10_007 * u64::from(ranks) + 1;
        let (found_us, came) = took(Collective::RingAllReduce, ranks, bytes);
        assert_eq!(came, 2 * (u64::from(ranks) - 1) * bytes);
        // The short one is padded.
        let step_us = (11.0 * WIRE_BYTES as f64 + 84.0) * byte_us + 2.0;
        let wanted_us = 2.0 * f64::from(ranks - 1) * step_us;
        assert!(
            is_near(found_us, wanted_us),
            "{ranks}: {found_us} {wanted_us}"
        );
    }
}

/// A message that lost a datagram never comes, nor what waits for it; the run ends all the same.
#[test]
fn what_is_lost_is_waited_for_in_vain() {
    let run = |loss: f64| {
        let mut net = slower(4);
        let ring = Operation::whole(Collective::RingAllReduce, 400_000);
        add(&mut net, ring, 4, &datagrams());
        for channel in &mut net.spec.links[2].channels {
            channel.errors.data_loss = loss;
        }
        let mut run = Simulation::<Rings>::new(&net.spec).expect("it is sound");
        run.run();
        run.outcome()
    };
    let whole = run(0.0);
    let planned = |outcome: &backwater_net::outcome::Outcome| {
        let flows = outcome.flows.iter();
        let all = flows.map(|flow| flow.ends.messages.as_ref().expect("it has messages"));
        all.map(|own| (own.begun.len(), own.received.len()))
            .collect::<Vec<_>>()
    };
    assert_eq!(planned(&whole), [(6, 6); 4]);
    let lossy = run(0.01);
    assert!(lossy.ended_at < Time(10 * MS), "{:?}", lossy.ended_at);
    let found = planned(&lossy);
    assert!(
        found.iter().any(|(begun, received)| received < begun),
        "{found:?}"
    );
    for (flow, (begun, received)) in lossy.flows.iter().zip(&found) {
        // What was lost is why one that began did not come.
        let lost = flow.lost_total > 0;
        assert_eq!(lost, received < begun, "{found:?}");
    }
}
