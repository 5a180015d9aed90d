//! Every flavour over networks that lose, reorder, repeat, delay and mark.

use crate::pipe;

use backwater_ends::TcpSpec;
use backwater_ends::spec::{
    AckSpec, BurstSpec, Congestion, Ecn, Queued, Recovery, Reuse, SlowStart, TimerSpec,
};
use backwater_ends::tcp::TcpCounts;
use backwater_kernel::{Duration, Probability, Purpose, Stream};
use pipe::{Fault, Network, Pipe};

const MS: u64 = 1_000_000_000;

fn pick<T: Clone>(random: &mut Stream, of: &[T]) -> T {
    of[random.below(of.len() as u64) as usize].clone()
}

/// A flavour at random.
fn flavour(random: &mut Stream) -> TcpSpec {
    let mss_bytes = pick(random, &[1, 100, 536, 1024, 1460]);
    let recoveries = [
        Recovery::Tahoe,
        Recovery::Reno,
        Recovery::NewReno,
        Recovery::Sack,
        Recovery::Rack,
    ];
    let timers = [TcpSpec::bsd().timer, TcpSpec::linux_3().timer, brisk()];
    let mut spec = TcpSpec {
        mss_bytes,
        congestion: pick(
            random,
            &[
                Congestion::Reno { eighth: true },
                Congestion::Reno { eighth: false },
                Congestion::Cubic,
            ],
        ),
        recovery: pick(random, &recoveries),
        initial_window_segments: pick(random, &[1, 2, 10]),
        window_bytes: (mss_bytes * pick(random, &[1, 2, 4, 20, 128]) + pick(random, &[0, 7]))
            .div_ceil(2),
        timer: pick(random, &timers),
        acks: pick(
            random,
            &[
                AckSpec::Every,
                AckSpec::DelayedTick(Duration(200 * MS)),
                AckSpec::Delayed {
                    after: Duration(40 * MS),
                    push: true,
                },
                AckSpec::Delayed {
                    after: Duration(40 * MS),
                    push: false,
                },
            ],
        ),
        duplicate_threshold: pick(random, &[0, 1, 3, 3, 3]),
        idle_restart: random.below(2) == 0,
        reuse: pick(
            random,
            &[Reuse::Persistent, Reuse::FreshWindow, Reuse::Handshake],
        ),
        ecn: pick(
            random,
            &[Ecn::Off, Ecn::Classic, Ecn::Dctcp { gain_shift: 4 }],
        ),
        slow_start: pick(
            random,
            &[
                SlowStart::Loss,
                SlowStart::HyStart,
                SlowStart::HyStartPlusPlus,
            ],
        ),
        quick_acks: pick(random, &[0, 3, 16]),
        tail_probe: random.below(2) == 0,
        is_proportional: random.below(2) == 0,
        undo: random.below(2) == 0,
        handshake_rtt: pick(random, &[None, Some(Duration(MS / 50))]),
        pacing: false,
        burst: None,
    };
    spaced(random, &mut spec);
    spec
}

/// Every fourth goes by BBR, some of the others are paced, and some of all go in bursts.
fn spaced(random: &mut Stream, spec: &mut TcpSpec) {
    spec.pacing = random.below(4) == 0;
    if random.below(4) == 0 {
        spec.congestion = pick(random, &[Congestion::Bbr, Congestion::Bbr3]);
        spec.recovery = pick(random, &[Recovery::Sack, Recovery::Rack]);
        spec.slow_start = SlowStart::Loss;
        spec.timer = pick(random, &[TcpSpec::linux_3().timer, brisk()]);
        spec.ecn = Ecn::Off;
    }
    if random.below(3) == 0 {
        spec.burst = Some(BurstSpec {
            most_bytes: spec.mss_bytes * pick(random, &[2, 5, 40]),
            queued: pick(random, &[Queued::Frames, Queued::Whole]),
        });
    }
}

fn brisk() -> TimerSpec {
    TimerSpec {
        tick: Some(Duration(10 * MS)),
        initial_rto: Duration(100 * MS),
        min_rto: Duration(20 * MS),
        max_rto: Duration(1_000 * MS),
    }
}

fn network(random: &mut Stream) -> Network {
    let chance = |p| Probability::new(p).unwrap();
    Network {
        delay: Duration(pick(random, &[MS / 100, MS, 30 * MS])),
        jitter: Duration(pick(random, &[0, MS / 50, 20 * MS])),
        loss: chance(pick(random, &[0.0, 0.01, 0.05, 0.3])),
        twice: chance(pick(random, &[0.0, 0.05])),
        mark: chance(pick(random, &[0.0, 0.1, 1.0])),
    }
}

/// Files, or requests with responses, or data both ways at once.
fn run(seed: u64, fault: Fault) -> Result<[TcpCounts; 2], String> {
    let mut random = Stream::new(seed, 0, Purpose::Traffic);
    let spec = flavour(&mut random);
    let network = network(&mut random);
    let mut pipe = Pipe::new(spec.clone(), network, fault, seed);
    let tell = |error: String| format!("{error} (seed {seed}, {spec:?}, {network:?})");
    let kind = random.below(3);
    for transfer in 1..=3 {
        let mut bytes = || 1 + random.below(80 * u64::from(spec.mss_bytes));
        let (there, back) = (bytes(), bytes());
        pipe.send(0, there).map_err(tell)?;
        if kind == 2 {
            // In a handshake these wait for the SYN.
            pipe.send(1, back).map_err(tell)?;
            pipe.send(0, 1).map_err(tell)?;
        }
        pipe.run_until_finished(0, transfer).map_err(tell)?;
        if kind == 1 {
            pipe.send(1, back).map_err(tell)?;
        }
        if kind > 0 {
            pipe.run_until_finished(1, transfer).map_err(tell)?;
        }
        let pause = Duration(random.below(3_000 * MS));
        pipe.wait(pause).map_err(tell)?;
    }
    pipe.run_dry().map_err(tell)?;
    let counts = [pipe.ends[0].counts(), pipe.ends[1].counts()];
    // A round trip and a delayed acknowledgement together take less than a tick of 500 ms. A SYN
    // that meets data of the passive end makes it start over.
    let is_cut_short = kind == 2 && spec.reuse == Reuse::Handshake;
    let is_calm = network.loss.is_never() && network.jitter == Duration::ZERO && !is_cut_short;
    if is_calm && network.twice.is_never() && spec.timer == TcpSpec::bsd().timer {
        for count in counts {
            if (count.again_bytes, count.time_outs, count.duplicates) != (0, 0, 0) {
                return Err(tell(format!("sent again without need: {count:?}")));
            }
        }
    }
    Ok(counts)
}

#[test]
fn every_byte_arrives_once_and_in_order() {
    let mut sum = TcpCounts::default();
    for seed in 0..2_000 {
        let counts = run(seed, Fault::None).unwrap_or_else(|error| panic!("{error}"));
        for count in counts {
            sum.segments += count.segments;
            sum.again_bytes += count.again_bytes;
            sum.time_outs += count.time_outs;
            sum.fast_retransmits += count.fast_retransmits;
            sum.duplicates += count.duplicates;
            sum.ecn_cuts += count.ecn_cuts;
        }
    }
    // Nothing of what can happen was left out.
    assert!(sum.segments > 200_000, "{sum:?}");
    assert!(
        sum.time_outs > 2_000 && sum.fast_retransmits > 2_000,
        "{sum:?}"
    );
    assert!(sum.duplicates > 2_000 && sum.ecn_cuts > 2_000, "{sum:?}");
}

/// The checker sees what is wrong, whatever the flavour.
#[test]
fn defects_are_caught() {
    for fault in [Fault::AckAhead, Fault::SkipsByte, Fault::OffByOne] {
        for seed in 0..40 {
            run(seed, fault).expect_err("a defect went unseen");
        }
    }
}
