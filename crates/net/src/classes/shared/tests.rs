//! Shared memory to the byte.

use std::vec;

use super::*;
use crate::spec::frames::{OwnShareSpec, PoolSpec};

/// 10,000 bytes to share besides reserves of 1,000 for each of two inputs and a pool of 600.
fn memory(alpha: (u32, u32), output_alpha: (u32, u32)) -> Shared {
    let ratio = |(numerator, denominator)| Ratio {
        numerator,
        denominator,
    };
    let share = ShareSpec {
        pool: 0,
        reserve_bytes: 1_000,
        headroom_bytes: 400,
        alpha: ratio(alpha),
        output_alpha: ratio(output_alpha),
        resume_offset_bytes: 1_000,
        resume_floor_bytes: 0,
    };
    let spec = SharedSpec::one(12_600, 600, share);
    Shared::new(&spec, &[(0, 0), (2, 0)])
        .expect("reserves fit")
        .0
}

fn input() -> Account {
    Account {
        bytes: 0,
        high_bytes: u64::MAX,
        low_bytes: 0,
        limit_bytes: u64::MAX,
        most_bytes: 0,
        shared_bytes: 0,
        headroom_bytes: 0,
        channel: 0,
        share: 0,
        class: 0,
        is_congested: false,
    }
}

/// Takes a frame in, and counts it at the input.
fn take(memory: &mut Shared, input: &mut Account, is_lossless: bool, bytes: u64) -> bool {
    let queue = (!is_lossless).then_some((0, 0));
    let bytes = memory.taken(bytes);
    let is_in = memory.admit(input, queue, bytes).is_ok();
    input.bytes += if is_in { bytes } else { 0 };
    is_in
}

#[test]
fn an_input_may_hold_its_threshold_and_no_byte_more() {
    for (bytes, fits) in [(1_000 + 5_000, true), (1_000 + 5_001, false)] {
        let mut memory = memory((1, 2), (8, 1));
        assert_eq!(take(&mut memory, &mut input(), false, bytes), fits);
        let used = if fits { 5_000 } else { 0 };
        assert_eq!(memory.pools[0].used_bytes, used);
    }
}

#[test]
fn what_is_free_can_be_used_up() {
    for (bytes, fits) in [(11_000, true), (11_001, false)] {
        let mut memory = memory((8, 1), (8, 1));
        assert_eq!(take(&mut memory, &mut input(), false, bytes), fits);
    }
}

#[test]
fn a_queue_may_hold_its_threshold_but_for_what_is_in_the_reserve() {
    // A quarter of 10,000 bytes.
    for (queue_bytes, fits) in [(500, true), (501, false)] {
        let mut memory = memory((8, 1), (1, 4));
        let found = memory.admit(&mut input(), Some((0, queue_bytes)), 2_000);
        assert_eq!(found.is_ok(), fits);
    }
    let mut memory = memory((8, 1), (1, 4));
    assert!(memory.admit(&mut input(), Some((0, 9_000)), 1_000).is_ok());
    assert!(memory.admit(&mut input(), Some((0, 9_000)), 1_001).is_err());
}

#[test]
fn headroom_ends_at_that_of_the_input_and_at_the_pool() {
    let mut memory = memory((0, 1), (8, 1));
    let (mut one, mut other) = (input(), input());
    assert!(take(&mut memory, &mut one, true, 1_000), "the reserve");
    assert!(!take(&mut memory, &mut one, true, 401));
    assert!(take(&mut memory, &mut one, true, 400));
    assert!(take(&mut memory, &mut other, true, 1_000), "the reserve");
    assert!(!take(&mut memory, &mut other, true, 201));
    assert!(take(&mut memory, &mut other, true, 200));
    assert!(memory.is_above(&one) && memory.is_above(&other));
    // Headroom is freed first, then the shared part, then the reserve.
    memory.leave(&mut one, 300);
    assert_eq!(
        (one.headroom_bytes, memory.pools[0].used_headroom_bytes),
        (100, 300)
    );
    memory.leave(&mut one, 300);
    assert_eq!(
        (one.headroom_bytes, memory.pools[0].used_headroom_bytes),
        (0, 200)
    );
}

#[test]
fn it_is_stopped_above_and_resumed_an_offset_below_its_threshold() {
    // Alpha 1: as much as is free. Used, is it above, is it an offset below?
    let cases = [(5_001, true, false), (5_000, false, false)];
    let more = [(4_501, false, false), (4_500, false, true)];
    for (used, is_above, is_below) in cases.into_iter().chain(more) {
        let mut memory = memory((1, 1), (8, 1));
        let mut input = input();
        assert!(take(&mut memory, &mut input, true, 1_000 + used));
        let found = (memory.is_above(&input), memory.is_below(&input));
        assert_eq!(found, (is_above, is_below), "{used} bytes");
    }
}

#[test]
fn an_input_that_holds_nothing_shared_is_resumed_whatever_the_threshold() {
    let mut memory = memory((0, 1), (8, 1));
    let mut input = input();
    assert!(take(&mut memory, &mut input, true, 1_000));
    assert!(memory.is_below(&input));
    assert!(take(&mut memory, &mut input, true, 1));
    assert!(!memory.is_below(&input), "it is in the headroom");
}

#[test]
fn a_frame_takes_whole_cells() {
    let share = memory((65_536, 1), (8, 1)).shares[0];
    let mut spec = SharedSpec::one(12_600, 600, share);
    spec.cell_bytes = 256;
    let (mut memory, _) = Shared::new(&spec, &[(0, 0), (2, 0)]).expect("reserves fit");
    for (bytes, taken) in [(1, 256), (256, 256), (257, 512), (1_518, 1_536)] {
        assert_eq!(memory.taken(bytes), taken);
    }
    // 43 cells of 256 bytes are 11,008: 8 more than its reserve and what is shared.
    let mut input = input();
    for frame in 0..43 {
        let is_in = take(&mut memory, &mut input, false, 200);
        assert_eq!(is_in, frame < 42, "frame {frame}");
    }
    let taken = memory.taken(200);
    memory.leave(&mut input, taken);
    assert_eq!(memory.pools[0].used_bytes, 41 * 256 - 1_000);
}

#[test]
fn each_input_has_its_own_share_of_its_own_pool() {
    let common = memory((1, 2), (8, 1)).shares[0];
    let of_pool = |headroom_bytes| PoolSpec {
        bytes: 5_000 + headroom_bytes,
        headroom_bytes,
        safe_inputs: None,
    };
    let spec = SharedSpec {
        cell_bytes: 1,
        pools: vec![of_pool(0), of_pool(300)],
        share: common,
        own: vec![OwnShareSpec {
            channel: 2,
            class: 0,
            share: ShareSpec {
                pool: 1,
                reserve_bytes: 500,
                ..common
            },
        }],
    };
    let (mut memory, kinds) = Shared::new(&spec, &[(0, 0), (2, 0), (4, 0)]).expect("it fits");
    assert_eq!(kinds, [0, 1, 0]);
    let [mut one, mut other] = [0, 1].map(|share| Account { share, ..input() });
    // Half of 3,000 and a reserve of 1,000; half of 4,500 and a reserve of 500.
    assert!(!take(&mut memory, &mut one, false, 2_501));
    assert!(take(&mut memory, &mut one, false, 2_500));
    assert!(!take(&mut memory, &mut other, false, 2_751));
    assert!(take(&mut memory, &mut other, false, 2_750));
    assert!(!take(&mut memory, &mut one, true, 1), "no headroom there");
    assert!(take(&mut memory, &mut other, true, 300));
    assert!(!take(&mut memory, &mut other, true, 1));
}

#[test]
fn reserves_of_a_pool_must_fit_it() {
    let share = memory((1, 1), (1, 1)).shares[0];
    let fits = |bytes| Shared::new(&SharedSpec::one(bytes, 600, share), &[(0, 0), (2, 0)]);
    assert!(fits(2_600).is_some() && fits(2_599).is_none());
}

#[test]
fn it_is_resumed_at_its_floor_whatever_its_threshold() {
    for (floor, is_below) in [(1_200, true), (1_199, false)] {
        let mut memory = memory((1, 100), (8, 1));
        memory.shares[0].resume_floor_bytes = floor;
        let mut input = input();
        assert!(take(&mut memory, &mut input, true, 1_000));
        assert!(take(&mut memory, &mut input, true, 50));
        assert!(take(&mut memory, &mut input, true, 200));
        assert!(!memory.is_below(&input), "it is in the headroom");
        memory.leave(&mut input, 50);
        assert_eq!((input.bytes, input.headroom_bytes), (1_250, 150));
        input.bytes -= 50;
        memory.leave(&mut input, 150);
        // As if it held so much of the shared part.
        (input.bytes, input.shared_bytes) = (1_200, 200);
        assert_eq!(memory.is_below(&input), is_below, "{floor}");
    }
}

#[test]
fn headroom_is_promised_to_so_many_inputs_at_once() {
    for (safe, is_promised) in [(None, false), (Some(1), false), (Some(2), true)] {
        let mut memory = memory((0, 1), (8, 1));
        memory.pools[0].safe_inputs = safe;
        let (mut one, mut other) = (input(), input());
        assert!(take(&mut memory, &mut one, true, 1_000));
        assert!(take(&mut memory, &mut one, true, 400));
        assert_eq!(memory.pools[0].inputs_in_headroom, 1);
        assert!(take(&mut memory, &mut other, true, 1_000));
        assert!(!take(&mut memory, &mut other, true, 201), "the pool");
        assert_eq!(memory.has_promised(&other), is_promised);
        memory.leave(&mut one, 400);
        assert_eq!(memory.pools[0].inputs_in_headroom, 0);
    }
}
