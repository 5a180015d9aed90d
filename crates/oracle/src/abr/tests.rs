//! The oracle against numbers known from elsewhere.

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::{
    ExplicitRateSpec, LimitSpec, NetworkSpec, RateFormat, TrafficSpec, UiliSpec,
};

use super::math::written;
use super::{Builder, Report, run};

const LINK: Rate = Rate(155_520_000);
const MS: u64 = 1_000_000_000;
const COUNT: UiliSpec = UiliSpec::Count {
    headroom: Rate(1_000_000),
    tdf: 0.125,
    pr5: false,
    slack: 0.001,
};

/// Figure 5: five circuits over two switches, 5 ms a link, each bottlenecked at 10 Mbps for
/// 200 ms.
fn figure_5(uili: UiliSpec, stop_ms: u64) -> NetworkSpec {
    let mut abr = Builder::abr(LINK, uili);
    abr.icr = Rate(1_000_000);
    let mut builder = Builder::new(1, Time(stop_ms * MS));
    let traffic = TrafficSpec::Bottlenecked {
        start: Time::ZERO,
        limits: vec![
            LimitSpec {
                from: Time::ZERO,
                rate: Some(Rate(10_000_000)),
            },
            LimitSpec {
                from: Time(200 * MS),
                rate: None,
            },
        ],
    };
    builder.dumbbell(5, LINK, Duration(5 * MS), abr, &traffic);
    builder.rates_at_switches(ExplicitRateSpec::Erica(Builder::erica()));
    builder.spec
}

fn mbps(report: &Report, flow: u32, at_ms: f64) -> f64 {
    let before = |change: &&super::RateChange| {
        change.flow == flow && change.at_ps as f64 <= at_ms * MS as f64
    };
    let last = report.rates.iter().rev().find(before);
    last.map_or(f64::NAN, |change| change.acr_bps as f64 / 1e6)
}

/// Least and largest ACR of a flow between two instants, in Mbps.
fn range(report: &Report, flow: u32, from_ms: u64, to_ms: u64) -> (f64, f64) {
    let start = mbps(report, flow, from_ms as f64);
    let (mut least, mut most) = (start, start);
    for change in report.rates.iter().filter(|change| change.flow == flow) {
        if change.at_ps < from_ms * MS || change.at_ps > to_ms * MS {
            continue;
        }
        let acr = change.acr_bps as f64 / 1e6;
        least = least.min(acr);
        most = most.max(acr);
    }
    (least, most)
}

#[test]
fn figure_6a_without_a_policy() {
    let report = run(&figure_5(UiliSpec::None, 230)).expect("sound");
    for flow in [0, 2, 4, 6, 8] {
        let acr = mbps(&report, flow, 199.0);
        assert!((acr - 139.97).abs() < 0.01, "flow {flow}: {acr} Mbps");
    }
    // Fluid estimate 12,840 cells, another model 13,559.
    let queue = report.queue_max[0];
    assert!((13_000..14_000).contains(&queue), "{queue} cells");
}

#[test]
fn figure_6d_count_based_reaches_its_goal_at_41_ms() {
    let report = run(&figure_5(COUNT, 230)).expect("sound");
    for flow in [0, 2, 4, 6, 8] {
        assert!((mbps(&report, flow, 31.0) - 27.99).abs() < 0.01);
        assert!(mbps(&report, flow, 38.0) > 12.1);
        assert!(mbps(&report, flow, 42.0) < 11.1);
        let (least, most) = range(&report, flow, 45, 200);
        assert!(least > 10.99 && most < 11.01, "{least} to {most}");
    }
    assert!(report.queue_max[0] < 10, "{} cells", report.queue_max[0]);
}

/// Seven reductions by an eighth lead from 28 to 11 Mbps, six don't.
#[test]
fn count_takes_seven_forward_cells() {
    let report = run(&figure_5(COUNT, 60)).expect("sound");
    let mut of_flow = report.rates.iter().filter(|change| change.flow == 0);
    assert_eq!(of_flow.next().map(|one| one.acr_bps / 1000), Some(27_993));
    let rest: Vec<u64> = of_flow.map(|change| change.acr_bps / 1000).collect();
    assert_eq!(rest.len(), 7, "{rest:?}");
    assert_eq!(rest[6], 11_000);
}

#[test]
fn figure_6_the_other_policies() {
    let august = |tdf_per_second| UiliSpec::August1995 {
        tof: 2.0,
        tdf_per_second,
        rule_5b: true,
    };
    let baseline = UiliSpec::Baseline {
        tdf: 0.875,
        rule_5b: true,
    };
    let time = UiliSpec::Time {
        constant: Duration(60 * MS),
        floor: backwater_net::spec::TimeFloor::Sum,
        headroom: Rate(1_000_000),
        rule_5b: true,
        hold: None,
    };
    let adtf = UiliSpec::TimeOut {
        adtf: Duration(500 * MS),
    };
    // Findings of another model: ACR from 100 to 200 ms.
    for (policy, least, most) in [
        (august(16384.0), 1.0, 28.0),
        (august(128.0), 19.1, 28.0),
        (baseline, 11.0, 28.0),
        (time, 11.0, 28.0),
        (adtf, 140.0, 140.0),
    ] {
        let report = run(&figure_5(policy, 200)).expect("sound");
        let (low, high) = range(&report, 0, 100, 200);
        assert!((low - least).abs() < 0.05, "{policy:?}: from {low}");
        assert!((high - most).abs() < 0.05, "{policy:?}: to {high}");
    }
}

#[test]
fn sixteen_bit_rates_round_down() {
    let cells = |rate: u64| written(rate * 424, 424, RateFormat::Bits16) / 424;
    assert_eq!(cells(0), 0);
    assert_eq!(cells(1), 1);
    assert_eq!(cells(1023), 1023);
    assert_eq!(cells(1025), 1024);
    assert_eq!(cells(366_792), 366_592);
    assert_eq!(written(423, 424, RateFormat::Bits16), 0);
    assert_eq!(written(424_000, 424, RateFormat::Exact), 424_000);
    // 512 values in each octave.
    let values: std::collections::BTreeSet<u64> = (4096..8192).map(cells).collect();
    assert_eq!(values.len(), 512);
}

#[test]
fn random_networks_try_everything() {
    let (mut starts, mut changes, mut lost, mut cycles, mut on_grid) = (0, 0, 0, 0, 0);
    for seed in 0..40 {
        let spec = super::random_spec(seed);
        on_grid += super::random::is_on_grid(&spec) as u32;
        let report = run(&spec).expect("the oracle can run it");
        starts += report.starts.len();
        changes += report.rates.len();
        lost += report.lost;
        cycles += report.cycles;
    }
    assert!(starts > 200_000, "{starts} starts");
    assert!(changes > 4_000, "{changes} changes of ACR");
    assert!(lost > 100, "{lost} cells lost");
    assert!(cycles > 15, "{cycles} cycles of requests");
    assert!((12..29).contains(&on_grid), "{on_grid} on a grid");
}
