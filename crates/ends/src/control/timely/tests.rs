//! By hand, against a slow one in random runs, and patched TIMELY's fixed point in a closed loop.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::Stream;
use backwater_kernel::stream::Purpose;

use super::*;
use crate::control::RateControl;
use crate::control::tests::bottleneck::Bottleneck;
use crate::spec::Notify;

const US: u64 = 1_000_000;
const LINE: Rate = Rate(10_000_000_000);

fn us(us: u64) -> Duration {
    Duration(us * US)
}

/// A whole segment, acknowledged after so long.
fn sample(timely: &mut Timely, rtt: Duration) {
    let ack = Ack {
        expected: timely.round_end.unwrap_or_default() + 1,
        sent_end: timely.round_end.unwrap_or_default() + 1,
        news_bytes: 64_000,
        rtt: Some(rtt),
        ..Ack::default()
    };
    timely.on_ack(Time(0), &ack);
}

#[test]
fn the_four_rules_by_hand() {
    let spec = TimelySpec::paper();
    let mut timely = Timely::new(&spec, LINE);
    timely.rate = Rate(1_000_000_000);
    sample(&mut timely, us(100));
    assert_eq!(timely.rate, Rate(1_000_000_000), "only remembered");
    sample(&mut timely, us(40));
    assert_eq!(timely.rate, Rate(1_010_000_000), "below the low threshold");
    sample(&mut timely, us(1_000));
    assert_eq!(timely.rate, Rate(606_000_000), "1 - 0.8 (1 - 500 / 1000)");
    // The gradient is above 1 / beta: it may fall to the least at once.
    sample(&mut timely, us(400));
    timely.diff = 4.0 * US as f64;
    timely.rate = Rate(1_000_000_000);
    // diff = 0.125 x 4 us = 0.5 us; g = 0.025.
    sample(&mut timely, us(400));
    assert_eq!(timely.rate, Rate(980_000_000));
    timely.diff = 0.0;
    for n in 1..=7 {
        let before = timely.rate.0;
        sample(&mut timely, us(400));
        let step = if n <= 5 { 10_000_000 } else { 50_000_000 };
        assert_eq!(timely.rate.0 - before, step, "increase {n}");
    }
}

/// The other program counts increases below the low threshold, too.
#[test]
fn increases_below_the_low_threshold_count_where_told() {
    for (spec, last) in [(TimelySpec::paper(), 10), (TimelySpec::artifact(LINE), 50)] {
        let mut timely = Timely::new(&spec, LINE);
        timely.rate = Rate(2_000_000_000);
        sample(&mut timely, us(40));
        for _ in 0..5 {
            sample(&mut timely, us(40));
        }
        let before = timely.rate.0;
        sample(&mut timely, us(40));
        assert_eq!(timely.rate.0 - before, last * 1_000_000);
    }
}

/// A segment is so many bytes, or a round trip.
#[test]
fn a_segment_gives_one_sample() {
    let bytes = TimelySpec {
        segment: Segment::Bytes(3_000),
        ..TimelySpec::paper()
    };
    let round = TimelySpec {
        segment: Segment::RoundTrip,
        ..bytes
    };
    for (spec, samples) in [(bytes, 4), (round, 2)] {
        let mut timely = Timely::new(&spec, LINE);
        timely.rate = Rate(1_000_000_000);
        for n in 1..=12 {
            let ack = Ack {
                expected: n * 1_000,
                sent_end: n * 1_000 + 10_000,
                news_bytes: 1_000,
                rtt: Some(us(30)),
                ..Ack::default()
            };
            timely.on_ack(Time(0), &ack);
        }
        let steps = (timely.rate.0 - 1_000_000_000) / 10_000_000;
        assert_eq!(steps, samples - 1, "{:?}", spec.segment);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    None,
    OldWeight,
    KeepsRow,
    WideWeight,
}

/// The rules as printed, in seconds and bit/s.
fn slow(spec: &TimelySpec, samples: &[u64], start: f64, fault: Fault) -> f64 {
    let (mut rate, mut diff, mut row) = (start, 0.0, 0);
    let [low, high, least] = [spec.low, spec.high, spec.least_rtt].map(|span| span.0 as f64);
    let add = spec.additive.0 as f64;
    for two in samples.windows(2) {
        let [last, rtt] = [two[0], two[1]].map(|ps| ps as f64);
        let a = match fault {
            Fault::OldWeight => 1.0 - spec.weight,
            _ => spec.weight,
        };
        diff = (1.0 - a) * diff + a * (rtt - last);
        let g = diff / least;
        let counted = rtt >= low || spec.counts_low;
        let mut next_row = 0;
        if rtt > high {
            rate = (rate * (1.0 - spec.decrease * (1.0 - high / rtt))).floor();
        } else if let (
            true,
            TimelyForm::Patched {
                decrease,
                reference,
            },
        ) = (rtt >= low, spec.form)
        {
            let reference = reference.0 as f64;
            let half = if fault == Fault::WideWeight { 1.0 } else { 2.0 };
            let w = if g <= -1.0 / (2.0 * half) {
                0.0
            } else if g >= 1.0 / (2.0 * half) {
                1.0
            } else {
                half * g + 0.5
            };
            let kept = 1.0 - decrease * w * ((rtt - reference) / reference);
            rate = ((1.0 - w) * add + rate * if kept < 0.5 { 0.5 } else { kept }).floor();
            next_row = row;
        } else if rtt < low || g <= 0.0 {
            let more = if counted && row >= spec.hyper_after {
                spec.hyper.0 as f64
            } else {
                add
            };
            rate += more;
            next_row = if counted { row + 1 } else { 0 };
        } else {
            let factor = 1.0 - spec.decrease * g;
            rate = (rate * if factor < 0.0 { 0.0 } else { factor }).floor();
        }
        row = if fault == Fault::KeepsRow {
            row.max(next_row)
        } else {
            next_row
        };
        rate = rate.max(spec.least.0 as f64).min(LINE.0 as f64);
    }
    rate
}

fn is_same(seed: u64, fault: Fault) -> bool {
    let mut stream = Stream::new(seed, 0, Purpose::Traffic);
    let all = [
        TimelySpec::paper(),
        TimelySpec::artifact(LINE),
        TimelySpec::patched(),
    ];
    let spec = TimelySpec {
        segment: Segment::RoundTrip,
        weight: [0.875, 0.125][stream.below(2) as usize],
        ..all[stream.below(3) as usize]
    };
    let mut timely = Timely::new(&spec, LINE);
    timely.rate = Rate(5_000_000_000);
    let (mut samples, mut rtt) = (Vec::new(), 60 * US);
    for _ in 0..200 {
        rtt = match stream.below(20) {
            0 => stream.below(900 * US) + 20 * US,
            _ => (rtt + stream.below(8 * US))
                .saturating_sub(4 * US + stream.below(US))
                .max(20 * US),
        };
        samples.push(rtt);
        sample(&mut timely, Duration(rtt));
        if timely.rate.0 as f64 != slow(&spec, &samples, 5e9, fault) {
            return false;
        }
    }
    true
}

#[test]
fn agrees_with_the_slow_one() {
    for seed in 0..60 {
        assert!(is_same(seed, Fault::None), "seed {seed}");
    }
    for fault in [Fault::OldWeight, Fault::KeepsRow, Fault::WideWeight] {
        let seen = (0..30).filter(|seed| !is_same(*seed, fault)).count();
        assert!(seen >= 5, "{fault:?}: {seen}");
    }
}

/// `rtt = T_ref (1 + N add / (beta C))`: the queue that patched TIMELY settles at, rates equal.
/// From line rate at once it would be far away for long.
#[test]
fn patched_timely_has_the_queue_of_its_closed_form() {
    let net = Bottleneck {
        nic: LINE,
        link: LINE,
        there: us(5),
        back: us(15),
        payload: 1_000,
        frame: 1_048,
        marking: None,
        notify: Notify::Echo,
    };
    // 20 us and twice the packet's time on the wire.
    let base = 21.6768;
    for flows in [2_u64, 4, 10, 20] {
        let start = || {
            let mut timely = Timely::new(&TimelySpec::patched(), LINE);
            timely.rate = Rate(LINE.0 / flows);
            RateControl::Timely(Box::new(timely))
        };
        let mut controls: Vec<RateControl> = (0..flows).map(|_| start()).collect();
        let starts: Vec<Time> = (0..flows).map(|flow| Time(flow * US)).collect();
        let seen = net.run(
            &mut controls,
            &starts,
            Time(150_000 * US),
            Time(200_000 * US),
        );
        let rtt = 50.0 * (1.0 + flows as f64 * 10e6 / (0.008 * 10e9));
        let queue = 1.25e3 * (rtt - base);
        let found = 1.25e3 * (seen.rtt / 1e6 - base);
        assert!(
            (found - queue).abs() < 0.005 * queue,
            "{flows}: {found} for {queue}"
        );
        assert!(seen.jain() > 0.999, "{flows}: {}", seen.jain());
    }
}
