//! Worked out by hand.

use super::super::{Start, run};
use super::*;

/// Starts of data on a channel, ns.
fn starts_on(starts: &[Start], channel: u32) -> Vec<u64> {
    let data = starts.iter().filter(|it| it.control.is_none());
    data.filter(|it| it.channel == channel)
        .map(|it| it.at_ps / NS)
        .collect()
}

/// A frame of 1,000 bytes takes 1,020 byte times of 8 ns at 1 Gb/s (8,160 ns), and 100 ns on
/// the way; stored, then forwarded at 100 Mb/s in 81,600 ns.
#[test]
fn store_and_forward_from_fast_to_slow() {
    let mut spec = star(&[1_000, 100]);
    spec.flows = vec![datagrams(1, 2, 0, Some(3 * 954))];
    let report = run(&spec).expect("it can be run");
    assert_eq!(starts_on(&report.starts, 0), [0, 8_160, 16_320]);
    assert_eq!(starts_on(&report.starts, 3), [8_260, 89_860, 171_460]);
    let delivered: Vec<u64> = report.deliveries.iter().map(|it| it.at_ps / NS).collect();
    assert_eq!(delivered, [89_960, 171_560, 253_160]);
    assert_eq!(report.channels[3].most_bytes, [3_000]);
}

/// From slow to fast a frame is stored whatever the switch can do; between equals it leaves
/// after 84 byte times (672 ns at 1 Gb/s), the way and the latency.
#[test]
fn cut_through_needs_a_channel_that_is_not_faster() {
    let mut spec = star(&[1_000, 1_000, 100]);
    let NodeKind::Switch(switch) = &mut spec.nodes[0].kind else {
        panic!("a switch");
    };
    switch.forwarding = Forwarding::CutThrough;
    switch.latency = Duration(50 * NS);
    spec.flows = vec![datagrams(1, 2, 0, Some(954)), datagrams(3, 1, 0, Some(954))];
    let report = run(&spec).expect("it can be run");
    assert_eq!(starts_on(&report.starts, 3), [672 + 100 + 50]);
    assert_eq!(starts_on(&report.starts, 1), [81_600 + 100 + 50]);
}
