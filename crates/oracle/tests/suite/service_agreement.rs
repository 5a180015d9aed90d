//! Ports that serve by reservation: the fast engine starts every unit at the same instant as the
//! slow, obvious one.

use crate::service_common;

use backwater_kernel::{Duration, Rate};
use backwater_net::spec::{
    EnvelopeRule, EnvelopeSpec, Excess, FlowSpec, Hold, NetworkSpec, NodeKind, PoolSpec, Ratio,
    Resync, SchedulerSpec, Stamp, TrafficSpec, WhenFull,
};
use backwater_oracle::{Rates, Report, ServiceMix, Start, first_difference, random_service_spec};
use service_common::{fast, slow, virtual_clock};

/// Random networks for each discipline.
const NETWORKS: u64 = 150;

/// The starts before the instant from which on rounding may decide.
fn decided(starts: &[Start], report: &Report) -> Vec<Start> {
    let until = report.close_call_ps.unwrap_or(u64::MAX);
    let before = |start: &&Start| start.at_ps < until;
    starts.iter().filter(before).copied().collect()
}

/// Starts compared, all the same, and starts there were.
fn compared(spec: &NetworkSpec) -> (usize, usize) {
    let report = slow(spec);
    let (left, right) = (
        decided(&report.starts, &report),
        decided(&fast(spec).starts, &report),
    );
    if let Some(difference) = first_difference(&left, &right) {
        let scheduler = spec.links[0].channels[0].scheduler;
        panic!("{scheduler:?}, seed {}: {difference}", spec.seed);
    }
    (left.len(), report.starts.len())
}

/// Compares `NETWORKS` random networks; starts compared and starts there were.
fn agree(first: u64, mix: ServiceMix, scheduler: impl Fn(u64) -> SchedulerSpec) -> (usize, usize) {
    let specs =
        (first..first + NETWORKS).map(|seed| random_service_spec(seed, scheduler(seed), mix));
    let counts = specs.map(|spec| compared(&spec));
    counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

fn all_agree(first: u64, scheduler: impl Fn(u64) -> SchedulerSpec) {
    let (count, there) = agree(first, ServiceMix::ALL, scheduler);
    assert_eq!(count, there);
    assert!(count > 40_000, "only {count} starts compared");
}

#[test]
fn first_in_first_out() {
    all_agree(0, |_| SchedulerSpec::Fifo);
}

#[test]
fn strict_priority() {
    all_agree(1000, |_| SchedulerSpec::StrictPriority);
}

#[test]
fn virtual_clock_without_resync() {
    all_agree(2000, |_| virtual_clock(Stamp::AuxVc, Resync::None));
}

#[test]
fn virtual_clock_with_resync_on_an_idle_link() {
    all_agree(3000, |_| virtual_clock(Stamp::AuxVc, Resync::IdleLink));
}

#[test]
fn virtual_clock_as_it_is_written() {
    all_agree(4000, |_| virtual_clock(Stamp::AuxVc, Resync::Literal));
}

#[test]
fn stamps_of_virtual_clock_itself() {
    let resync = [Resync::None, Resync::IdleLink, Resync::Literal];
    all_agree(5000, |seed| {
        virtual_clock(Stamp::VirtualClock, resync[seed as usize % 3])
    });
}

#[test]
fn deficit_round_robin() {
    let quanta = [53, 500, 1000, 40, 5];
    all_agree(6000, |seed| SchedulerSpec::Drr {
        quantum_bytes: quanta[seed as usize % quanta.len()],
    });
}

#[test]
fn earliest_deadline_first() {
    all_agree(7000, |_| SchedulerSpec::Edf);
}

#[test]
fn asynchronous_traffic_shaping() {
    all_agree(8000, |_| SchedulerSpec::Ats {
        max_residence: None,
    });
}

#[test]
fn worst_case_fair_queueing() {
    all_agree(13_000, |_| SchedulerSpec::Wf2qPlus);
}

#[test]
fn self_clocked_fair_queueing() {
    all_agree(14_000, |_| SchedulerSpec::Scfq);
}

#[test]
fn start_time_fair_queueing() {
    all_agree(15_000, |_| SchedulerSpec::Sfq);
}

/// Times and rates at which fluid sharing is mostly a matter of whole numbers.
#[test]
fn weighted_fair_queueing_in_whole_numbers() {
    let mix = ServiceMix {
        rates: Rates::Twelfths,
        ..ServiceMix::ALL
    };
    let (count, there) = agree(9000, mix, |_| SchedulerSpec::Wfq);
    assert!(
        count * 4 > there && count > 15_000,
        "{count} of {there} compared"
    );
}

#[test]
fn weighted_fair_queueing_until_a_close_call() {
    let (count, there) = agree(10_000, ServiceMix::ALL, |_| SchedulerSpec::Wfq);
    assert!(
        count * 4 > there && count > 15_000,
        "{count} of {there} compared"
    );
}

/// Not the order alone: every stamp, every check and every alarm.
#[test]
fn stamps_and_checks_are_the_same() {
    let (mut stamps, mut alarms) = (0, 0);
    for seed in 11_000..11_000 + NETWORKS {
        let resync = [Resync::None, Resync::IdleLink, Resync::Literal][seed as usize % 3];
        let scheduler = virtual_clock(Stamp::AuxVc, resync);
        let spec = random_service_spec(seed, scheduler, ServiceMix::ALL);
        let (report, seen) = (slow(&spec), fast(&spec));
        assert_eq!(report.ranks, seen.ranks, "seed {seed}");
        assert_eq!(report.checks, seen.checks, "seed {seed}");
        stamps += report.ranks.len();
        alarms += report
            .checks
            .iter()
            .filter(|check| check.is_alarm())
            .count();
    }
    assert!(stamps > 50_000, "only {stamps} stamps");
    assert!(alarms > 500, "only {alarms} alarms");
}

/// Every tag.
#[test]
fn tags_are_the_same() {
    let mut tags = 0;
    for seed in 16_000..16_000 + NETWORKS {
        let scheduler = [SchedulerSpec::Scfq, SchedulerSpec::Sfq][seed as usize % 2];
        let spec = random_service_spec(seed, scheduler, ServiceMix::ALL);
        let report = slow(&spec);
        assert_eq!(report.ranks, fast(&spec).ranks, "seed {seed}");
        tags += report.ranks.len();
    }
    assert!(tags > 50_000, "only {tags} tags");
}

const TAGGED: [SchedulerSpec; 3] = [
    SchedulerSpec::Wf2qPlus,
    SchedulerSpec::Scfq,
    SchedulerSpec::Sfq,
];

/// Most networks show which of three kin serves, many a tenth more for every second flow.
#[test]
fn another_kind_of_fair_queueing_is_seen() {
    for (which, scheduler) in TAGGED.into_iter().enumerate() {
        let (mut of_kind, mut of_rate) = (0, 0);
        for seed in 17_000..17_060 {
            let spec = random_service_spec(seed, scheduler, ServiceMix::ALL);
            let starts = slow(&spec).starts;
            let mut other = spec.clone();
            for link in &mut other.links {
                let kin = TAGGED[(which + 1) % 3];
                (link.channels[0].scheduler, link.channels[1].scheduler) = (kin, kin);
            }
            of_kind += u32::from(starts != fast(&other).starts);
            let mut other = spec.clone();
            let reserves = other.flows.iter_mut().step_by(2);
            for reserve in reserves.filter_map(|flow| flow.reserve.as_mut()) {
                reserve.rate = Rate(reserve.rate.0 / 10 * 11);
            }
            of_rate += u32::from(starts != fast(&other).starts);
        }
        let seen = format!("{scheduler:?}, of 60: {of_kind} and {of_rate}");
        assert!(of_kind > 30 && of_rate > 12, "{seen}");
    }
}

/// Tags show a kilobit a second more.
#[test]
fn a_little_more_for_a_flow_is_seen_in_its_tags() {
    for scheduler in &TAGGED[1..] {
        let differs = |seed: &u64| {
            let spec = random_service_spec(*seed, *scheduler, ServiceMix::ALL);
            let mut other = spec.clone();
            let mut reserves = other
                .flows
                .iter_mut()
                .filter_map(|flow| flow.reserve.as_mut());
            if let Some(reserve) = reserves.next() {
                reserve.rate.0 += 1000;
            }
            slow(&spec).ranks != fast(&other).ranks
        };
        let count = (18_000..18_040).filter(differs).count();
        assert!(count > 25, "{scheduler:?}: {count} of 40");
    }
}

/// The comparison sees a flow that reserves a tenth more at every port.
#[test]
fn a_tenth_more_for_one_flow_is_seen() {
    let scheduler = virtual_clock(Stamp::AuxVc, Resync::None);
    let differs = |seed: &u64| {
        let spec = random_service_spec(*seed, scheduler, ServiceMix::ALL);
        let mut other = spec.clone();
        let mut reserves = other
            .flows
            .iter_mut()
            .filter_map(|flow| flow.reserve.as_mut());
        let Some(reserve) = reserves.next() else {
            return false;
        };
        reserve.rate = Rate(reserve.rate.0 / 10 * 11);
        slow(&spec).ranks != fast(&other).ranks
            && first_difference(&slow(&spec).starts, &fast(&other).starts).is_some()
    };
    let count = (12_000..12_100).filter(differs).count();
    assert!(count > 12, "only {count} of 100 differ");
}

/// A network without credit whose switches have pools of a few units.
fn pooled(seed: u64, scheduler: SchedulerSpec) -> NetworkSpec {
    let mix = ServiceMix {
        credit: false,
        ..ServiceMix::ALL
    };
    let mut spec = random_service_spec(seed, scheduler, mix);
    let nodes = spec.nodes.iter_mut().enumerate();
    for (id, node) in nodes.filter(|(_, node)| node.kind == NodeKind::Switch) {
        let draw = seed * 7 + id as u64 * 5;
        let alphas = [None, Some((1, 1)), Some((1, 2)), Some((3, 1))];
        let alpha = alphas[(draw / 3 % 4) as usize].map(|(numerator, denominator)| Ratio {
            numerator,
            denominator,
        });
        node.pool = Some(PoolSpec {
            limit_units: (!draw.is_multiple_of(4)).then_some(1 + (draw % 6) as u32),
            limit_bytes: draw.is_multiple_of(3).then_some(1500 + draw % 1000),
            when_full: match draw % 3 {
                0 => WhenFull::TailDrop,
                _ => WhenFull::PushOut,
            },
            hold: match draw % 2 {
                0 => Hold::Start,
                _ => Hold::End,
            },
            alpha: alpha.filter(|_| draw.is_multiple_of(3) && !draw.is_multiple_of(4)),
        });
    }
    spec
}

fn every_discipline() -> [SchedulerSpec; 12] {
    [
        SchedulerSpec::RoundRobin,
        SchedulerSpec::Fifo,
        SchedulerSpec::StrictPriority,
        virtual_clock(Stamp::AuxVc, Resync::None),
        virtual_clock(Stamp::AuxVc, Resync::IdleLink),
        virtual_clock(Stamp::AuxVc, Resync::Literal),
        SchedulerSpec::Wf2qPlus,
        SchedulerSpec::Scfq,
        SchedulerSpec::Sfq,
        SchedulerSpec::Drr { quantum_bytes: 500 },
        SchedulerSpec::Edf,
        SchedulerSpec::Ats {
            max_residence: None,
        },
    ]
}

#[test]
fn pools_drop_and_push_out_the_same_units() {
    let mut starts = 0;
    for (kind, scheduler) in every_discipline().into_iter().enumerate() {
        let first = 20_000 + 100 * kind as u64;
        for seed in first..first + 40 {
            starts += compared(&pooled(seed, scheduler)).0;
        }
    }
    assert!(starts > 80_000, "only {starts} starts compared");
}

/// A place more, the other time that a place is held, the other unit that goes.
#[test]
fn changes_of_a_pool_are_seen() {
    let seen = |change: fn(&mut PoolSpec)| {
        let differs = |seed: &u64| {
            let scheduler = every_discipline()[*seed as usize % 12];
            let spec = pooled(*seed, scheduler);
            let mut other = spec.clone();
            let pools = other.nodes.iter_mut().filter_map(|node| node.pool.as_mut());
            pools.for_each(change);
            slow(&spec).starts != fast(&other).starts
        };
        (22_000..22_060).filter(differs).count()
    };
    let of_limit = seen(|pool| {
        pool.limit_units = pool.limit_units.map(|units| units + 1);
        pool.limit_bytes = pool.limit_bytes.map(|bytes| bytes + 53);
    });
    let of_hold = seen(|pool| {
        pool.hold = match pool.hold {
            Hold::Start => Hold::End,
            Hold::End => Hold::Start,
        }
    });
    let of_kind = seen(|pool| {
        pool.when_full = match pool.when_full {
            WhenFull::TailDrop => WhenFull::PushOut,
            WhenFull::PushOut => WhenFull::TailDrop,
        };
        pool.alpha = None;
    });
    let of_alpha = seen(|pool| pool.alpha = None);
    assert!(of_alpha > 3, "of 60: {of_alpha}");
    let counts = [of_limit, of_hold, of_kind];
    assert!(counts.iter().all(|&count| count > 30), "of 60: {counts:?}");
}

/// How far apart a source's units are, about.
fn pace(traffic: &TrafficSpec, tick: Duration) -> Duration {
    match *traffic {
        TrafficSpec::Constant { interval, .. } => interval,
        TrafficSpec::Poisson { mean_interval, .. } => mean_interval,
        TrafficSpec::OnOff { on_interval, .. } => on_interval * 2,
        _ => tick,
    }
}

/// A network in which most flows are held to an envelope, a policer or both.
fn shaped(seed: u64, scheduler: SchedulerSpec) -> NetworkSpec {
    let mut spec = random_service_spec(seed, scheduler, ServiceMix::ALL);
    let rate = |flow: &FlowSpec| flow.reserve.map_or(Rate(50_000_000), |one| one.rate);
    for (id, flow) in spec.flows.iter_mut().enumerate() {
        let tick = rate(flow).tick(u64::from(flow.unit_bytes));
        let mean = pace(&flow.traffic, tick);
        let gate = |draw: u64, freezes: bool| {
            let units = 1 + (draw % 4) as u32;
            let interval = Duration(mean.ps() * u64::from(units) * (4 + draw % 5) / 5);
            let phase = Duration(interval.ps() * (1 + draw % 3) / 4);
            EnvelopeSpec {
                rule: match draw % 3 {
                    0 => EnvelopeRule::FixedWindow {
                        units,
                        interval,
                        phase: draw.is_multiple_of(2).then_some(phase),
                    },
                    1 => EnvelopeRule::SlidingWindow { units, interval },
                    _ => EnvelopeRule::Bucket {
                        rate: rate_of(flow.unit_bytes, mean, 3 + draw / 3 % 4),
                        tolerance: Duration(mean.ps() * (draw / 3 % 3)),
                    },
                },
                excess: match draw / 4 % 3 {
                    0 => Excess::Drop,
                    1 if freezes => Excess::Freeze,
                    _ => Excess::Delay,
                },
            }
        };
        let draw = seed * 31 + id as u64 * 17;
        flow.envelope = (!draw.is_multiple_of(5)).then(|| gate(draw, true));
        flow.policer = (!draw.is_multiple_of(3)).then(|| gate(draw / 3, false));
    }
    spec
}

/// So many fifths of a unit in `mean`.
fn rate_of(unit_bytes: u32, mean: Duration, fifths: u64) -> Rate {
    let bits = u128::from(unit_bytes) * 8 * u128::from(fifths);
    let per_second = bits * 1_000_000_000_000 / 5 / u128::from(mean.ps().max(1));
    Rate(per_second.max(1) as u64)
}

#[test]
fn envelopes_and_policers_let_the_same_units_pass() {
    let mut starts = 0;
    for (kind, scheduler) in every_discipline().into_iter().enumerate() {
        let first = 24_000 + 100 * kind as u64;
        for seed in first..first + 30 {
            starts += compared(&shaped(seed, scheduler)).0;
        }
    }
    assert!(starts > 50_000, "only {starts} starts compared");
}

/// A unit more in a window, a thousandth of a rate, a picosecond of an interval.
#[test]
fn changes_of_envelopes_are_seen() {
    let seen = |change: fn(&mut EnvelopeRule)| {
        let differs = |seed: &u64| {
            let scheduler = every_discipline()[*seed as usize % 12];
            let spec = shaped(*seed, scheduler);
            let mut other = spec.clone();
            for flow in &mut other.flows {
                let gates = flow.envelope.iter_mut().chain(&mut flow.policer);
                gates.for_each(|gate| change(&mut gate.rule));
            }
            slow(&spec).starts != fast(&other).starts
        };
        (26_000..26_040).filter(differs).count()
    };
    let of_units = seen(|rule| match rule {
        EnvelopeRule::FixedWindow { units, .. } | EnvelopeRule::SlidingWindow { units, .. } => {
            *units += 1;
        }
        EnvelopeRule::Bucket { .. } => {}
    });
    let of_rate = seen(|rule| {
        if let EnvelopeRule::Bucket { rate, .. } = rule {
            rate.0 -= rate.0 / 1000;
        }
    });
    let of_interval = seen(|rule| match rule {
        EnvelopeRule::FixedWindow { interval, .. }
        | EnvelopeRule::SlidingWindow { interval, .. } => *interval = *interval + Duration(1),
        EnvelopeRule::Bucket { .. } => {}
    });
    let counts = [of_units, of_rate, of_interval];
    assert!(counts.iter().all(|&count| count > 20), "of 40: {counts:?}");
}
