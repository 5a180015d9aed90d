//! The account against examples, and against every sequence of frames.

use std::collections::BTreeMap;

use super::*;

/// A host on a link of 0.5 us that gets acknowledgements only.
fn host(mbps: u64, frame_bytes: u32) -> Stop {
    let rate = Rate(mbps * 1_000_000);
    Stop {
        rate,
        sizes: Sizes::two(frame_bytes, frame_bytes),
        ahead: wire_time(rate, 64),
        control: wire_time(rate, 64),
        away: Duration(1_000_000),
        queued: Duration::ZERO,
        response: Duration::ZERO,
    }
}

fn of(inputs: u64, stop: Stop) -> Brought {
    Brought {
        inputs: (0..inputs as u32).collect(),
        stop,
        times: 1,
    }
}

fn needed(inputs: u64, stop: Stop, least: u32) -> u64 {
    let sizes = Sizes::two(stop.sizes.largest, least);
    let stop = Stop { sizes, ..stop };
    let sent = sent_meanwhile(stop.rate, sizes, &[of(inputs, stop)]);
    inputs * stop.bytes() - sent
}

#[test]
fn an_idle_reverse_channel_needs_two_frames() {
    for (mbps, bytes) in [(10, 1_082), (100, 1_518), (1_000, 1_518)] {
        let stop = Stop {
            ahead: Duration::ZERO,
            ..host(mbps, bytes)
        };
        assert_eq!(stop.frames(), 2, "{mbps} Mbps");
    }
}

#[test]
fn a_frame_ahead_of_the_stop_lets_one_more_come() {
    let rate = Rate(100_000_000);
    let busy = Stop {
        ahead: wire_time(rate, 1_518),
        ..host(100, 1_518)
    };
    // 1538 + 84 bytes and 1 us on the wire: into the second frame after the first.
    assert_eq!((host(100, 1_518).frames(), busy.frames()), (2, 3));
    let exact = Stop {
        control: Duration::ZERO,
        away: Duration::ZERO,
        ..busy
    };
    assert_eq!(
        exact.frames(),
        2,
        "the next would start just as the stop takes effect"
    );
    let slow = Stop {
        response: Duration(2 * wire_time(rate, 1_518).0),
        ..busy
    };
    assert_eq!(
        slow.frames(),
        5,
        "a response of two frames lets two more come"
    );
}

#[test]
fn long_cables_need_what_fits_on_them() {
    // 10 km at 100 Gbps: 100 us both ways are 1.25 MB, 813 frames of 1538 bytes on the wire.
    let stop = Stop {
        rate: Rate(100_000_000_000),
        sizes: Sizes::two(1_518, 1_518),
        ahead: Duration::ZERO,
        control: Duration::ZERO,
        away: Duration(100_000_000),
        queued: Duration::ZERO,
        response: Duration::ZERO,
    };
    assert_eq!(stop.frames(), 814);
    assert_eq!(stop.bytes(), 814 * 1_518);
}

#[test]
fn the_papers_buffers_hold_five_merging_hosts() {
    let margin = 70_000 - 56_000;
    let stop = host(10, 1_082);
    assert!(needed(5, stop, 1_082) <= margin);
    assert!(needed(8, stop, 1_082) > margin, "eight lose on purpose");
}

#[test]
fn fifty_kilobytes_need_a_threshold_of_seventy_per_cent() {
    let stop = host(100, 1_518);
    // Files of 100 kB end with a frame of 778 bytes.
    for least in [1_518, 778] {
        assert!(needed(5, stop, least) <= 50_000 - 35_000, "70 %");
        assert!(needed(5, stop, least) > 50_000 - 40_000, "80 %");
    }
}

#[test]
fn a_port_slower_than_its_inputs_sends_nothing_in_time() {
    let fast = [of(2, host(100, 1_518))];
    let one_size = Sizes::two(1_518, 1_518);
    assert_eq!(sent_meanwhile(Rate(10_000_000), one_size, &fast), 0);
    assert_eq!(sent_meanwhile(Rate(100_000_000), one_size, &fast), 1_518);
    let two_sizes = Sizes::two(1_518, 1_500);
    assert_eq!(sent_meanwhile(Rate(100_000_000), two_sizes, &fast), 36);
}

/// Every sequence of frames, held against the formula: the most that frames started before the
/// stop takes effect can bring, after a first one.
#[test]
fn no_mixture_of_frames_brings_more() {
    fn most(sizes: &[u32], rate: Rate, left: u64, known: &mut BTreeMap<u64, u64>) -> u64 {
        if left == 0 {
            return 0;
        }
        if let Some(bytes) = known.get(&left) {
            return *bytes;
        }
        let each = sizes.iter().map(|bytes| {
            let after = left.saturating_sub(wire_time(rate, *bytes).0);
            u64::from(*bytes) + most(sizes, rate, after, known)
        });
        let bytes = each.max().unwrap_or(0);
        known.insert(left, bytes);
        bytes
    }
    let sets: [&[u32]; 5] = [
        &[1_518],
        &[1_518, 1_000, 118],
        &[1_200, 1_518],
        &[64, 90],
        &[600],
    ];
    for sizes in sets {
        let (largest, least) = (sizes.iter().max().unwrap(), sizes.iter().min().unwrap());
        for nanoseconds in (0..400).step_by(3) {
            let stop = Stop {
                rate: Rate(100_000_000_000),
                sizes: Sizes::two(*largest, *least),
                ahead: Duration(nanoseconds * 1_000),
                control: Duration::ZERO,
                away: Duration::ZERO,
                queued: Duration::ZERO,
                response: Duration::ZERO,
            };
            let seen =
                u64::from(*largest) + most(sizes, stop.rate, stop.ahead.0, &mut BTreeMap::new());
            assert!(seen <= stop.bytes(), "{sizes:?}, {nanoseconds} ns");
            assert!(
                sizes.len() > 1 || seen == stop.bytes(),
                "{sizes:?}, {nanoseconds} ns"
            );
        }
    }
}

/// 10 ns to and fro at 100 Gbps, and a full frame ahead of the stop: 97.6 ns of a frame of 1200
/// bytes fit before a last one starts.
#[test]
fn a_smaller_frame_between_lets_a_full_one_follow() {
    let rate = Rate(100_000_000_000);
    let stop = Stop {
        rate,
        sizes: Sizes::two(1_518, 1_518),
        ahead: Duration::ZERO,
        control: wire_time(rate, 64),
        away: Duration(100_000),
        queued: Duration::ZERO,
        response: Duration::ZERO,
    };
    let mixed = Stop {
        sizes: Sizes::two(1_518, 1_200),
        ..stop
    };
    assert_eq!((stop.bytes(), stop.left_over()), (2 * 1_518, 0));
    assert!(mixed.bytes() >= 1_518 + 1_200 + 1_518);
    assert_eq!(mixed.bytes(), 2 * 1_518 + mixed.left_over());
}

/// A byte takes a picosecond.
const FAST: Rate = Rate(8_000_000_000_000);
/// A control frame with preamble and gap.
const CONTROL: u64 = 84;

fn wire(bytes: u32) -> u64 {
    u64::from(bytes + WIRE_OVERHEAD_BYTES)
}

/// Frames of one size of each kind, ahead of the stop and on the way to the queue.
fn told(sizes: &[u32], back: &[u32], queued: u64, away: u64) -> Stop {
    let [largest, least] = [sizes.iter().max(), sizes.iter().min()].map(|it| *it.unwrap());
    let ahead = back.iter().map(|bytes| wire(*bytes)).max();
    Stop {
        rate: FAST,
        sizes: Sizes::two(largest, least),
        ahead: Duration(ahead.unwrap_or(0).max(CONTROL)),
        queued: Duration(queued * CONTROL),
        control: Duration(CONTROL),
        away: Duration(away),
        response: Duration::ZERO,
    }
}

/// Most bytes that come from the passing of the threshold on, over all sequences on both channels:
/// when each stop takes effect, and every frame that starts before.
fn worst(sizes: &[u32], back: &[u32], queued: u64, away: u64) -> u64 {
    /// Most that starts from `at` on and before `until`, the port idle now and then.
    fn most(sizes: &[u32], at: u64, until: u64, known: &mut BTreeMap<u64, u64>) -> u64 {
        if at >= until {
            return 0;
        }
        if let Some(bytes) = known.get(&at) {
            return *bytes;
        }
        let each = sizes
            .iter()
            .flat_map(|bytes| [0, 1, 7].map(|idle| (*bytes, at + idle)));
        let each = each.filter(|(_, at)| *at < until).collect::<Vec<_>>();
        let mut bytes = 0;
        for (own, at) in each {
            bytes = bytes.max(u64::from(own) + most(sizes, at + wire(own), until, known));
        }
        known.insert(at, bytes);
        bytes
    }
    let mut found = 0;
    let control = [CONTROL as u32 - WIRE_OVERHEAD_BYTES];
    for ahead in back.iter().chain(&control) {
        // So much of it has been sent when the stop is made; and so many others wait.
        for sent in 0..wire(*ahead) {
            for before in 0..=queued {
                let effect = wire(*ahead) - sent + (before + 1) * CONTROL + away;
                let later = most(sizes, 0, effect, &mut BTreeMap::new());
                let first = sizes.iter().max().unwrap();
                found = found.max(u64::from(*first) + later);
            }
        }
    }
    found
}

#[test]
fn no_sequence_on_both_channels_brings_more() {
    let sizes: [&[u32]; 4] = [&[64], &[150], &[64, 150], &[90, 100]];
    let backs: [&[u32]; 3] = [&[], &[64], &[200]];
    let mut short = 0;
    for sizes in sizes {
        for back in backs {
            for (queued, away) in [(0, 1), (0, 90), (2, 33), (1, 170)] {
                let stop = told(sizes, back, queued, away);
                let seen = worst(sizes, back, queued, away);
                let case = format!("{sizes:?}, {back:?}, {queued}, {away}");
                assert!(seen <= stop.bytes(), "{case}: {seen} of {}", stop.bytes());
                assert!(
                    sizes.len() > 1 || seen == stop.bytes(),
                    "{case}: not needed"
                );
                // What the account would be without the frame ahead.
                let ahead = Duration::ZERO;
                short += u32::from(Stop { ahead, ..stop }.bytes() < seen);
            }
        }
    }
    assert!(short > 0, "the frame ahead makes no difference");
}

/// Two inputs at every distance, into a port that nothing stops and that has just begun a frame, or
/// is about to end one: the most that it ever holds above the threshold.
#[test]
fn a_free_port_has_sent_what_the_account_says() {
    for sizes in [&[150][..], &[64, 150], &[140, 150]] {
        for away in [1, 60, 150] {
            let stop = told(sizes, &[], 0, away);
            let inputs = of(2, stop);
            let least = *sizes.iter().min().unwrap();
            let needs = 2 * stop.bytes()
                - sent_meanwhile(FAST, Sizes::two(150, least), std::slice::from_ref(&inputs));
            let mut seen = 0;
            for pair in sequences(sizes, stop.span().0) {
                for apart in 0..wire(150) {
                    for left in 1..=wire(150) {
                        seen = seen.max(peak(&pair, apart, left, least));
                    }
                }
            }
            assert!(seen <= needs, "{sizes:?}, {away}: {seen} of {needs}");
            assert!(
                sizes.len() > 1 || seen == needs,
                "{sizes:?}, {away}: {seen} of {needs}"
            );
        }
    }
}

/// What each of two inputs sends: all pairs of sequences that start within the span.
fn sequences(sizes: &[u32], span: u64) -> Vec<[Vec<u32>; 2]> {
    let mut all: Vec<Vec<u32>> = Vec::new();
    let mut open: Vec<(Vec<u32>, u64)> = sizes.iter().map(|own| (vec![*own], 0)).collect();
    while let Some((own, at)) = open.pop() {
        if at >= span {
            all.push(own);
            continue;
        }
        for next in sizes {
            let mut longer = own.clone();
            longer.push(*next);
            open.push((longer, at + wire(*next)));
        }
    }
    let pairs = all
        .iter()
        .flat_map(|one| all.iter().map(move |other| [one.clone(), other.clone()]));
    pairs.collect()
}

/// Most bytes at once: the first frame of one input comes at 0, of the other at `apart`; the port
/// ends a frame of the least size `left` later, and others after that. Last bits leave first.
fn peak([one, other]: &[Vec<u32>; 2], apart: u64, left: u64, least: u32) -> u64 {
    let mut arrivals: Vec<(u64, u32)> = Vec::new();
    for (frames, mut at) in [(one, 0), (other, apart)] {
        for (number, bytes) in frames.iter().enumerate() {
            at += if number == 0 { 0 } else { wire(*bytes) };
            arrivals.push((at, *bytes));
        }
    }
    arrivals.sort_unstable();
    let (mut came, mut most) = (0, 0_u64);
    for (at, bytes) in arrivals {
        came += u64::from(bytes);
        // One frame at least has left by then, and was of the least size.
        let gone = if at >= left { u64::from(least) } else { 0 };
        most = most.max(came - gone.min(came));
    }
    most
}
