//! Properties on random arrivals, each checked by a formulation of its own, and a broken rule
//! that the same check finds out.

use super::*;
use std::vec::Vec;

use backwater_kernel::Rate;
use backwater_kernel::stream::Purpose;

/// The arrivals that a rule lets pass.
pub fn passed(arrivals: &[u64], mut conforms: impl FnMut(Time) -> bool) -> Vec<u64> {
    let through = arrivals.iter().filter(|&&at| conforms(Time(at)));
    through.copied().collect()
}

/// Instant in ps, bytes.
type Unit = (u64, u32);

fn stream(seed: u64) -> Stream {
    Stream::new(seed, 0, Purpose::Traffic)
}

/// Bursts of up to 8 at one instant or close together, then a pause; 1 to 100 bytes.
fn arrivals(seed: u64, mean_gap: u64) -> Vec<Unit> {
    let mut stream = stream(seed);
    let mut now = 0;
    let mut arrivals = Vec::new();
    while arrivals.len() < 600 {
        now += stream.exponential(Duration(4 * mean_gap)).ps();
        for _ in 0..stream.below(8) {
            arrivals.push((now, stream.below(100) as u32 + 1));
            now += stream.below(2) * stream.below(mean_gap);
        }
    }
    arrivals
}

/// What comes out of a gate, when; and what it refused.
fn through(spec: EnvelopeRule, excess: Excess, arrivals: &[Unit]) -> (Vec<Unit>, Vec<Unit>) {
    let mut gate = Gate::new(Rule::new(&spec, stream(7)), excess);
    let (mut out, mut refused) = (Vec::new(), Vec::new());
    let mut timer = None;
    let drain = |gate: &mut Gate, timer: &mut Option<Time>, until: u64, out: &mut Vec<Unit>| {
        while let Some(now) = timer.filter(|now| now.ps() <= until) {
            match gate.release(now) {
                Ok(parcel) => out.push((now.ps(), parcel.bytes)),
                Err(again) => *timer = again,
            }
        }
    };
    for &(at, bytes) in arrivals {
        drain(&mut gate, &mut timer, at, &mut out);
        let parcel = Parcel {
            came: Time(at),
            number: 0,
            bytes,
        };
        match gate.judge(parcel) {
            Verdict::Passes => out.push((at, bytes)),
            Verdict::Refused => refused.push((at, bytes)),
            Verdict::Waits(Some(at)) => timer = Some(at),
            Verdict::Waits(None) => {}
        }
    }
    drain(&mut gate, &mut timer, u64::MAX, &mut out);
    assert_eq!(out.len() + refused.len(), arrivals.len());
    (out, refused)
}

/// No window of `interval`, wherever it begins, has more than `units`.
fn slides(out: &[Unit], units: usize, interval: u64) -> bool {
    out.iter().enumerate().all(|(index, &(from, _))| {
        let rest = &out[index..];
        rest.iter().filter(|unit| unit.0 < from + interval).count() <= units
    })
}

/// No window that ends at `phase`, `phase + interval`, ... has more than `units`.
fn stands(out: &[Unit], units: usize, interval: u64, phase: u64) -> bool {
    let window = |at: u64| (at + interval - phase) / interval;
    out.iter().all(|&(at, _)| {
        let same = out.iter().filter(|unit| window(unit.0) == window(at));
        same.count() <= units
    })
}

/// A bucket that leaks continuously, its level in bits times 10^12 (so that a bit a second is
/// one a picosecond): the level before each unit is at most tolerance times rate.
fn level_keeps(out: &[Unit], rate: u64, tolerance: u64) -> bool {
    let (mut level, mut since) = (0u128, 0);
    out.iter().all(|&(at, bytes)| {
        level = level.saturating_sub((at - since) as u128 * rate as u128);
        since = at;
        let keeps = level <= tolerance as u128 * rate as u128;
        level += bytes as u128 * 8 * 1_000_000_000_000;
        keeps
    })
}

const BOTH: [Excess; 2] = [Excess::Drop, Excess::Delay];

/// The unit could have passed too: then it need not have been refused.
fn with(out: &[Unit], unit: Unit) -> Vec<Unit> {
    let place = out.partition_point(|other| other.0 <= unit.0);
    let mut all = out[..place].to_vec();
    all.push(unit);
    all
}

fn sliding(units: u32) -> EnvelopeRule {
    EnvelopeRule::SlidingWindow {
        units,
        interval: Duration(1000),
    }
}

fn fixed(units: u32, phase: u64) -> EnvelopeRule {
    EnvelopeRule::FixedWindow {
        units,
        interval: Duration(1000),
        phase: Some(Duration(phase)),
    }
}

#[test]
fn a_sliding_window_holds_wherever_one_looks() {
    for seed in 0..20 {
        let arrivals = arrivals(seed, 150);
        for excess in BOTH {
            let (out, refused) = through(sliding(5), excess, &arrivals);
            assert!(slides(&out, 5, 1000), "seed {seed}");
            for unit in refused {
                assert!(!slides(&with(&out, unit), 5, 1000), "seed {seed}: {unit:?}");
            }
            // Negative controls: windows that stand still, and one unit too many.
            let (out, _) = through(fixed(5, 300), excess, &arrivals);
            assert!(!slides(&out, 5, 1000), "seed {seed}");
            let (out, _) = through(sliding(6), excess, &arrivals);
            assert!(!slides(&out, 5, 1000), "seed {seed}");
        }
    }
}

#[test]
fn fixed_windows_hold_where_they_stand() {
    for seed in 0..20 {
        let arrivals = arrivals(seed, 150);
        for excess in BOTH {
            let (out, refused) = through(fixed(5, 300), excess, &arrivals);
            assert!(stands(&out, 5, 1000, 300), "seed {seed}");
            for unit in refused {
                assert!(!stands(&with(&out, unit), 5, 1000, 300), "seed {seed}");
            }
            let (out, _) = through(fixed(5, 800), excess, &arrivals);
            assert!(!stands(&out, 5, 1000, 300), "seed {seed}: another phase");
        }
    }
}

#[test]
fn a_bucket_keeps_its_level() {
    let bucket = |rate: u64, tolerance: u64| EnvelopeRule::Bucket {
        rate: Rate(rate),
        tolerance: Duration(tolerance),
    };
    // A byte in 3 ps exactly would be 8 x 10^12 / 3: the second rate rounds every unit.
    for (rate, is_exact) in [(2_000_000_000_000, true), (2_666_666_666_667, false)] {
        for seed in 0..20 {
            let arrivals = arrivals(seed, 100);
            for excess in BOTH {
                let (out, refused) = through(bucket(rate, 700), excess, &arrivals);
                assert!(level_keeps(&out, rate, 700), "seed {seed}");
                for unit in refused.iter().filter(|_| is_exact) {
                    assert!(!level_keeps(&with(&out, *unit), rate, 700), "seed {seed}");
                }
                let (out, _) = through(bucket(rate * 21 / 20, 700), excess, &arrivals);
                assert!(!level_keeps(&out, rate, 700), "seed {seed}: too fast");
                let (out, _) = through(bucket(rate, 800), excess, &arrivals);
                assert!(!level_keeps(&out, rate, 700), "seed {seed}: too deep");
            }
        }
    }
}

#[test]
fn a_delay_ends_when_it_must_and_not_before() {
    // Two units in any 1000: the third of a burst waits for the first to age, and so on.
    let burst = [(0, 1), (10, 1), (20, 1), (20, 1), (30, 1)];
    let (out, _) = through(sliding(2), Excess::Delay, &burst);
    let times: Vec<u64> = out.iter().map(|unit| unit.0).collect();
    assert_eq!(times, [0, 10, 1000, 1010, 2000]);
    let (out, _) = through(fixed(2, 15), Excess::Delay, &burst);
    let times: Vec<u64> = out.iter().map(|unit| unit.0).collect();
    assert_eq!(times, [0, 10, 20, 20, 1015]);
}

#[test]
fn random_phases_fill_the_first_interval() {
    let spec = EnvelopeRule::FixedWindow {
        units: 1,
        interval: Duration(4),
        phase: None,
    };
    let mut ends = [0; 6];
    for seed in 0..4000 {
        let mut rule = Rule::new(&spec, stream(seed));
        rule.pass(Time::ZERO, 1);
        ends[rule.conforms_at(Time::ZERO).ps() as usize] += 1;
    }
    assert_eq!((ends[0], ends[5]), (0, 0));
    // Four deviations of a count of 1000.
    assert!(
        ends[1..5]
            .iter()
            .all(|&count: &i32| (count - 1000).abs() < 110)
    );
}
