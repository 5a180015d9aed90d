//! Sources, sinks and ports, one at a time.

use crate::common;

use backwater_kernel::{Duration, Time};
use backwater_net::spec::*;
use common::*;

fn starts(traffic: TrafficSpec, stop_at: Time) -> Vec<Time> {
    watch(&alone(traffic, stop_at).spec, 0).starts
}

#[test]
fn a_constant_source_keeps_its_interval_and_its_total() {
    let constant = |total| TrafficSpec::Constant {
        start: at(5),
        interval: halves(5),
        random_phase: false,
        total,
    };
    let expected: Vec<Time> = (0..4).map(|n| at(5) + halves(5 * n)).collect();
    assert_eq!(starts(constant(Some(4)), at(100)), expected);
    assert_eq!(starts(constant(None), at(105)).len(), 41);
    assert_eq!(starts(constant(Some(0)), at(105)).len(), 0);
}

#[test]
fn a_constant_source_faster_than_the_link_backs_up() {
    let fast = TrafficSpec::Constant {
        start: Time::ZERO,
        interval: halves(1),
        random_phase: false,
        total: Some(100),
    };
    let outcome = run(&alone(fast, at(200)).spec);
    assert_eq!(outcome.flows[0].delivered_total, 100);
    // After n units offered, half of them have left.
    assert_eq!(outcome.flows[0].source_backlog_max, 50);
    assert_eq!(outcome.flows[0].delay.max, cells(1).ps() + halves(99).ps());
}

#[test]
fn a_greedy_source_sends_back_to_back_and_stops_at_its_total() {
    let traffic = |total| TrafficSpec::Greedy {
        start: at(3),
        total,
    };
    let expected: Vec<Time> = (3..13).map(at).collect();
    assert_eq!(starts(traffic(Some(10)), at(100)), expected);
    assert_eq!(starts(traffic(None), at(100)).len(), 98);
}

/// A mean gap of 50 cells: hardly a unit waits for the one before it.
#[test]
fn a_poisson_source_has_exponential_gaps() {
    let traffic = TrafficSpec::Poisson {
        start: Time::ZERO,
        mean_interval: cells(50),
        min_interval: Duration::ZERO,
        total: Some(50_000),
    };
    let starts = starts(traffic, Time(u64::MAX / 8));
    let mean = starts[starts.len() - 1].ps() as f64 / starts.len() as f64 / cell().ps() as f64;
    assert!((mean / 50.0 - 1.0).abs() < 0.02, "mean gap {mean}");
    let longer = |gap: Duration| {
        let gaps = starts.windows(2).filter(|pair| pair[1] - pair[0] > gap);
        gaps.count() as f64 / starts.len() as f64
    };
    for multiple in [1, 2, 3] {
        let (found, expected) = (longer(cells(50 * multiple)), (-(multiple as f64)).exp());
        assert!((found - expected).abs() < 0.01, "{multiple}: {found}");
    }
}

/// A mean gap of 50 cells, never less than 20: 20 and an exponential of 30.
#[test]
fn a_least_gap_is_kept_and_counted_in_the_mean() {
    let traffic = TrafficSpec::Poisson {
        start: Time::ZERO,
        mean_interval: cells(50),
        min_interval: cells(20),
        total: Some(50_000),
    };
    let starts = starts(traffic, Time(u64::MAX / 8));
    let mean = starts[starts.len() - 1].ps() as f64 / starts.len() as f64 / cell().ps() as f64;
    // Four deviations of the mean: 30 / sqrt(50000) each.
    assert!((mean - 50.0).abs() < 0.54, "mean gap {mean}");
    assert!(starts[0] > at(20));
    let gaps = || starts.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(gaps().all(|gap| gap > cells(20)));
    for multiple in [1, 2, 3] {
        let longer = gaps().filter(|gap| *gap > cells(20 + 30 * multiple));
        let (found, expected) = (longer.count() as f64 / 5e4, (-(multiple as f64)).exp());
        assert!((found - expected).abs() < 0.01, "{multiple}: {found}");
    }
}

/// Trains of 1.5 with a gap of 25 cells and a pause of 37.5 on the mean: a unit every 50 cells.
#[test]
fn trains_keep_their_rate_and_their_gap() {
    let traffic = TrafficSpec::Trains {
        start: at(100),
        mean_units: 1.5,
        gap: cells(25),
        mean_pause: halves(75),
        total: None,
    };
    let starts = starts(traffic, at(2_000_000));
    // The variance of a gap is 2/3 x 37.5^2 x (2 - 2/3), that of the count 40000 x 1250 / 50^2.
    assert!(starts.len().abs_diff(40_000) < 4 * 142, "{}", starts.len());
    assert!(starts[0] > at(125));
    assert!(starts.windows(2).all(|pair| pair[1] - pair[0] >= cells(25)));
    let bare = starts
        .windows(2)
        .filter(|pair| pair[1] - pair[0] == cells(25));
    let share = bare.count() as f64 / starts.len() as f64;
    assert!((share - 1.0 / 3.0).abs() < 0.01, "{share}");
}

#[test]
fn a_random_phase_moves_a_constant_source_as_a_whole() {
    let constant = |random_phase| TrafficSpec::Constant {
        start: at(5),
        interval: cells(40),
        random_phase,
        total: Some(10),
    };
    let mut first = Vec::new();
    for seed in 0..400 {
        let mut net = alone(constant(true), at(1000));
        net.spec.seed = seed;
        let starts = watch(&net.spec, 0).starts;
        assert!(starts.windows(2).all(|pair| pair[1] - pair[0] == cells(40)));
        assert_eq!(starts.len(), 10);
        first.push((starts[0] - at(5)).ps());
    }
    assert!(first.iter().all(|&phase| phase < cells(40).ps()));
    let mean = first.iter().sum::<u64>() as f64 / 400.0 / cells(40).ps() as f64;
    // Four deviations: sqrt(1/12) / 20.
    assert!((mean - 0.5).abs() < 0.058, "{mean}");
    assert_eq!(starts(constant(false), at(1000))[0], at(5));
}

#[test]
fn fixed_bursts_and_pauses_alternate() {
    let traffic = TrafficSpec::OnOff {
        start: at(10),
        on: Span::Fixed(cells(6)),
        off: Span::Fixed(cells(20)),
        on_interval: cells(2),
        off_interval: Some(cells(8)),
    };
    let expected = [10, 12, 14, 16, 24, 32, 36, 38, 40, 42, 50, 58, 62].map(at);
    assert_eq!(starts(traffic, at(62)), expected);
}

#[test]
fn exponential_bursts_use_their_share_of_the_link() {
    for (on, off, share) in [(50, 50, 0.5), (50, 100, 1.0 / 3.0)] {
        let traffic = TrafficSpec::OnOff {
            start: Time::ZERO,
            on: Span::Exponential(cells(on)),
            off: Span::Exponential(cells(off)),
            on_interval: cells(1),
            off_interval: None,
        };
        let sent = starts(traffic, at(1_000_000)).len() as f64 / 1e6;
        // A burst sends at its beginning, however short it is: half a cell more each.
        let expected = share + 0.5 / (on + off) as f64;
        assert!((sent / expected - 1.0).abs() < 0.03, "{on}/{off}: {sent}");
    }
}

#[test]
fn a_limited_sink_takes_units_at_its_pace() {
    let mut net = alone(greedy(), at(1000));
    net.spec.flows[0].sink = SinkSpec::Limited { interval: cells(4) };
    let outcome = run(&net.spec);
    // Units 0, 1, ... arrive at 1, 2, ... and are taken at 1, 5, ..., 997.
    assert_eq!(outcome.flows[0].delivered_total, 250);
    assert_eq!(outcome.legs[0].fill, 1000 - 250);
}

#[test]
fn a_stalling_sink_takes_units_while_it_runs() {
    let mut net = alone(greedy(), at(1000));
    net.spec.flows[0].sink = SinkSpec::Stalling {
        interval: cells(1),
        run: Span::Fixed(cells(30)),
        stall: Span::Fixed(cells(70)),
    };
    // It runs during [0, 30), [100, 130), ..., [900, 930) and again at 1000; the first unit is
    // there at 1.
    assert_eq!(run(&net.spec).flows[0].delivered_total, 29 + 9 * 30 + 1);
}

/// Two circuits into one output; what each sends over it in 900 cell times.
fn compete(priorities: [u8; 2], first: TrafficSpec) -> [u64; 2] {
    let mut net = Net::new(Timing::CutThrough, cells(5), at(999));
    net.spec.warm_up = at(100);
    let [a, b, f] = ["A", "B", "F"].map(|name| net.node(name, NodeKind::Host));
    let s = net.node("S", NodeKind::Switch);
    let (in_a, in_b, out) = (net.link(a, s), net.link(b, s), net.link(s, f));
    let control = net.n23(10, 40);
    for ((host, entry), priority) in [(a, in_a), (b, in_b)].into_iter().zip(priorities) {
        let flow = net.flow(host, &[entry, out], control);
        net.spec.flows[flow].priority = priority;
    }
    net.spec.flows[0].traffic = first;
    let outcome = run(&net.spec);
    assert_eq!(outcome.violations.total(), 0);
    [outcome.legs[1].sent, outcome.legs[3].sent]
}

#[test]
fn a_greedy_circuit_of_higher_priority_starves_a_lower_one() {
    assert_eq!(compete([1, 0], greedy()), [900, 0]);
    assert_eq!(compete([0, 1], greedy()), [0, 900]);
    assert_eq!(compete([3, 3], greedy()), [450, 450]);
}

#[test]
fn a_lower_priority_takes_exactly_what_is_left() {
    let constant = TrafficSpec::Constant {
        start: Time::ZERO,
        interval: cells(4),
        random_phase: false,
        total: None,
    };
    assert_eq!(compete([1, 0], constant), [225, 675]);
}
