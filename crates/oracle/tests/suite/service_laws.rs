//! What must hold whatever the traffic, each with something that breaks it.

use crate::common;
use crate::service_common;

use backwater_kernel::{Channels, Duration, Purpose, Rate, Stream, Time};
use backwater_net::spec::*;
use backwater_oracle::{ServiceMix, random_service_spec};
use service_common::{Seen, fast, slow_seen, virtual_clock};

const NETWORKS: u64 = 60;
/// Rounding of times on the wire, to the nearest picosecond each, over a busy period.
const ROUNDING_PS: u64 = 2_000;

/// How a network is run.
type Engine = fn(&NetworkSpec) -> Seen;

fn work_conserving() -> Vec<SchedulerSpec> {
    let mut all = known_to_both();
    all.extend([
        SchedulerSpec::Wf2qPlus,
        SchedulerSpec::Scfq,
        SchedulerSpec::Sfq,
    ]);
    all
}

fn known_to_both() -> Vec<SchedulerSpec> {
    vec![
        SchedulerSpec::RoundRobin,
        SchedulerSpec::Fifo,
        SchedulerSpec::StrictPriority,
        virtual_clock(Stamp::AuxVc, Resync::None),
        virtual_clock(Stamp::AuxVc, Resync::IdleLink),
        virtual_clock(Stamp::VirtualClock, Resync::None),
        SchedulerSpec::Wfq,
        SchedulerSpec::Drr { quantum_bytes: 100 },
        SchedulerSpec::Edf,
    ]
}

const ATS: SchedulerSpec = SchedulerSpec::Ats {
    max_residence: None,
};

/// Complaints of the observer that hold `words`, over random networks.
fn observed(scheduler: SchedulerSpec, words: &str) -> usize {
    let seeds = 20_000..20_000 + NETWORKS;
    let specs = seeds.map(|seed| random_service_spec(seed, scheduler, ServiceMix::ALL));
    let complaints = specs.map(|spec| {
        let broken = common::watched(&spec).broken;
        let about = broken.iter().filter(|what| what.contains(words));
        about.count()
    });
    complaints.sum()
}

#[test]
fn no_channel_idles_while_a_unit_may_go() {
    for scheduler in work_conserving() {
        assert_eq!(observed(scheduler, ""), 0, "{scheduler:?}");
    }
    assert!(observed(ATS, "idles though") > 100);
}

/// The literal rule serves a flow's units out of order; nothing else does.
#[test]
fn units_of_a_flow_keep_their_order() {
    assert_eq!(observed(ATS, "came after"), 0);
    let literal = virtual_clock(Stamp::AuxVc, Resync::Literal);
    assert!(observed(literal, "came after") > 0);
}

fn link(rate: u64, scheduler: SchedulerSpec) -> LinkSpec {
    let channel = ChannelSpec {
        rate: Rate(rate),
        delay: Duration(1000),
        handling: Duration::ZERO,
        timing: Timing::StoreAndForward,
        errors: ErrorSpec::default(),
        scheduler,
    };
    LinkSpec::symmetric([0, 1], channel)
}

/// Flows from one host to another; `flow` says what each sends and reserves.
fn one_link(
    seed: u64,
    scheduler: SchedulerSpec,
    flow: impl Fn(&mut Stream, &mut FlowSpec),
) -> NetworkSpec {
    let mut dice = Stream::new(seed, 0, Purpose::Pattern);
    let node = |name: &str| NodeSpec {
        name: name.into(),
        kind: NodeKind::Host,
        pool: None,
    };
    let mut spec = NetworkSpec {
        rules: CellRules::default(),
        outages: Vec::new(),
        seed,
        stop_at: Time(4_000_000_000),
        warm_up: Time::ZERO,
        nodes: vec![node("a"), node("b")],
        links: vec![link(1_000_000_000, scheduler)],
        flows: Vec::new(),
    };
    for number in 0..2 + dice.below(8) {
        let mut one = FlowSpec {
            name: format!("f{number}"),
            source: 0,
            legs: vec![LegSpec {
                channel: 0,
                parent: None,
                flow_control: FlowControlSpec::None,
                buffer: BufferSpec {
                    limit_units: None,
                    overflow: Overflow::Keep,
                },
            }],
            priority: 2 - dice.below(3) as u8,
            unit_bytes: 53,
            sizes: Vec::new(),
            traffic: TrafficSpec::Silent,
            source_control: SourceControlSpec::None,
            sink: SinkSpec::Infinite,
            partner: None,
            reserve: None,
            envelope: None,
            policer: None,
            on_alarm: OnAlarm::Ignore,
            session: None,
        };
        flow(&mut dice, &mut one);
        spec.flows.push(one);
    }
    spec
}

fn reserve(rate: u64) -> ReserveSpec {
    ReserveSpec {
        rate: Rate(rate),
        interval: None,
        burst_bytes: None,
        offset: Duration::ZERO,
        deadline: None,
    }
}

/// Bursts, Poisson sources and datagrams, all sent long before the end.
fn mixed(dice: &mut Stream, flow: &mut FlowSpec) {
    if dice.below(4) > 0 {
        flow.reserve = Some(reserve(20_000_000 * (1 + dice.below(10))));
    }
    let start = Time(dice.below(100) * 424_000);
    let total = Some(20 + dice.below(60));
    flow.traffic = if dice.below(2) == 0 {
        TrafficSpec::Constant {
            start,
            interval: Duration(100_000 * (1 + dice.below(30))),
            random_phase: false,
            total,
        }
    } else {
        TrafficSpec::Poisson {
            start,
            mean_interval: Duration(500_000 * (1 + dice.below(8))),
            min_interval: Duration::ZERO,
            total,
        }
    };
}

/// Starts of data on the link, and the sum of their instants: arrivals being the same, sums of
/// waits differ by as much.
fn sum_of_starts(engine: Engine, spec: &NetworkSpec) -> (usize, u64) {
    let starts = engine(spec).starts;
    (starts.len(), starts.iter().map(|start| start.at_ps).sum())
}

fn seeds_with_other_sums(
    engine: Engine,
    scheduler: SchedulerSpec,
    flow: impl Fn(&mut Stream, &mut FlowSpec) + Copy,
) -> usize {
    let differs = |seed: &u64| {
        let fifo = one_link(*seed, SchedulerSpec::Fifo, flow);
        let other = one_link(*seed, scheduler, flow);
        sum_of_starts(engine, &fifo) != sum_of_starts(engine, &other)
    };
    (0..NETWORKS).filter(differs).count()
}

/// Flows of different sizes.
fn uneven(dice: &mut Stream, flow: &mut FlowSpec) {
    mixed(dice, flow);
    flow.unit_bytes = 53 * (1 + dice.below(4) as u32);
}

fn waits_are_conserved(engine: Engine, schedulers: Vec<SchedulerSpec>) {
    for scheduler in schedulers {
        let count = seeds_with_other_sums(engine, scheduler, mixed);
        assert_eq!(count, 0, "{scheduler:?}");
    }
    let vc = virtual_clock(Stamp::AuxVc, Resync::None);
    assert!(seeds_with_other_sums(engine, ATS, mixed) > 30);
    assert!(seeds_with_other_sums(engine, vc, uneven) > 30);
}

#[test]
fn waits_of_equal_units_are_conserved_in_the_slow_engine() {
    waits_are_conserved(slow_seen, known_to_both());
}

#[test]
fn waits_of_equal_units_are_conserved() {
    waits_are_conserved(fast, work_conserving());
}

/// A random network without credit, groups, sizes and offsets.
fn plain(seed: u64, scheduler: SchedulerSpec) -> NetworkSpec {
    let mix = ServiceMix {
        credit: false,
        priorities: false,
        sizes: false,
        ..ServiceMix::ALL
    };
    let mut spec = random_service_spec(seed, scheduler, mix);
    for reserve in spec
        .flows
        .iter_mut()
        .filter_map(|flow| flow.reserve.as_mut())
    {
        reserve.offset = Duration::ZERO;
    }
    spec
}

fn channel(spec: &NetworkSpec, id: u32) -> &ChannelSpec {
    spec.links.channel(id)
}

fn crosses(flow: &FlowSpec, id: u32) -> bool {
    flow.legs.iter().any(|leg| leg.channel == id)
}

/// No channel has more reserved than it carries.
fn fits(spec: &NetworkSpec) -> bool {
    spec.links.channels().all(|id| {
        let here = spec.flows.iter().filter(|flow| crosses(flow, id));
        let rates = here.filter_map(|flow| Some(flow.reserve?.rate.0));
        rates.sum::<u64>() <= channel(spec, id).rate.0
    })
}

/// Flow and channel of every leg.
fn legs(spec: &NetworkSpec) -> Vec<(u32, u32)> {
    let of_flow = |(id, flow): (usize, &FlowSpec)| {
        let legs: Vec<(u32, u32)> = flow
            .legs
            .iter()
            .map(|leg| (id as u32, leg.channel))
            .collect();
        legs
    };
    spec.flows.iter().enumerate().flat_map(of_flow).collect()
}

/// Stamped units that left, and those of them that left later than stamp + Lmax / C.
fn late(engine: Engine, spec: &NetworkSpec) -> (usize, usize) {
    let seen = engine(spec);
    let legs = legs(spec);
    let (mut left, mut late) = (0, 0);
    for rank in &seen.ranks {
        let (flow, id) = legs[rank.leg as usize];
        let unit = |start: &&backwater_oracle::Start| {
            (start.flow, start.channel, start.number) == (flow, id, rank.number)
        };
        let Some(start) = seen.starts.iter().find(unit) else {
            continue;
        };
        let rate = channel(spec, id).rate;
        let here = spec.flows.iter().filter(|flow| crosses(flow, id));
        let largest = here.map(|flow| flow.unit_bytes).max().unwrap_or(0);
        let time = |bytes: u32| rate.serialization(u64::from(bytes)).ps();
        let departure = start.at_ps + time(spec.flows[flow as usize].unit_bytes);
        left += 1;
        late += (departure > rank.rank_ps + time(largest) + ROUNDING_PS) as usize;
    }
    (left, late)
}

/// Over random networks whose reservations fit; `change` is made after that.
fn late_in_all(
    engine: Engine,
    scheduler: SchedulerSpec,
    change: impl Fn(&mut NetworkSpec),
) -> (usize, usize) {
    let specs = (30_000..30_000 + NETWORKS).map(|seed| plain(seed, scheduler));
    let counts = specs.filter(fits).map(|mut spec| {
        change(&mut spec);
        late(engine, &spec)
    });
    counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

fn overbook(spec: &mut NetworkSpec) {
    for reserve in spec
        .flows
        .iter_mut()
        .filter_map(|flow| flow.reserve.as_mut())
    {
        reserve.rate = Rate(reserve.rate.0 * 3);
    }
}

fn stamps_are_kept(engine: Engine) {
    for resync in [Resync::None, Resync::IdleLink] {
        let scheduler = virtual_clock(Stamp::AuxVc, resync);
        let (left, late) = late_in_all(engine, scheduler, |_| ());
        assert!(left > 10_000, "only {left} units");
        assert_eq!(late, 0, "{resync:?}");
        let (_, late) = late_in_all(engine, scheduler, overbook);
        assert!(late > 100, "{resync:?}, overbooked: {late}");
    }
    let saving = virtual_clock(Stamp::VirtualClock, Resync::None);
    let (_, late) = late_in_all(engine, saving, |_| ());
    assert!(late > 10, "stamps that save credit: {late}");
}

#[test]
fn no_unit_leaves_the_slow_engine_after_its_stamp() {
    stamps_are_kept(slow_seen);
}

#[test]
fn no_unit_leaves_after_its_stamp() {
    stamps_are_kept(fast);
}

/// Stamps that aren't the theoretical arrival time that the GCRA expects the next unit at.
fn other_than_gcra(engine: Engine, scheduler: SchedulerSpec) -> usize {
    let mut others = 0;
    for seed in 40_000..40_000 + NETWORKS {
        let spec = plain(seed, scheduler);
        let ranks = engine(&spec).ranks;
        for (id, (flow, _)) in legs(&spec).into_iter().enumerate() {
            let flow = &spec.flows[flow as usize];
            let Some(reserve) = flow.reserve else {
                continue;
            };
            let tick = reserve.rate.tick(u64::from(flow.unit_bytes)).ps();
            let mut expected = 0;
            for rank in ranks.iter().filter(|rank| rank.leg == id as u32) {
                expected = rank.at_ps.max(expected) + tick;
                others += (rank.rank_ps != expected) as usize;
            }
        }
    }
    others
}

fn stamps_are_theoretical_arrival_times(engine: Engine) {
    let others = |stamp, resync| other_than_gcra(engine, virtual_clock(stamp, resync));
    assert_eq!(others(Stamp::AuxVc, Resync::None), 0);
    assert!(others(Stamp::AuxVc, Resync::IdleLink) > 10);
    assert!(others(Stamp::VirtualClock, Resync::None) > 100);
}

#[test]
fn stamps_of_the_slow_engine_are_theoretical_arrival_times() {
    stamps_are_theoretical_arrival_times(slow_seen);
}

#[test]
fn stamps_are_those_of_the_gcra() {
    stamps_are_theoretical_arrival_times(fast);
}

/// AIR. AI is 50 us.
const UNITS: u32 = 10;

/// Bursts of twice the reserved rate and more, under this envelope.
fn held_to(rule: Option<EnvelopeRule>) -> impl Fn(&mut Stream, &mut FlowSpec) {
    move |dice, flow| {
        let interval = Duration(50_000_000);
        let rate = u64::from(flow.unit_bytes * 8 * UNITS) * 20_000;
        flow.reserve = Some(ReserveSpec {
            interval: Some(interval),
            ..reserve(rate)
        });
        flow.envelope = rule.map(|rule| EnvelopeSpec {
            rule,
            excess: if dice.below(2) == 0 {
                Excess::Drop
            } else {
                Excess::Delay
            },
        });
        let mean = |units: u64| Span::Exponential(Duration(5_000_000 * units));
        flow.traffic = TrafficSpec::OnOff {
            start: Time(dice.below(50_000_000)),
            on: mean(1 + dice.below(10)),
            off: mean(1 + dice.below(10)),
            on_interval: Duration(500_000 + dice.below(1_500_000)),
            off_interval: None,
        };
    }
}

/// Checks, and the largest advance of VirtualClock over real time in thousandths of T.
fn furthest_ahead(rule: Option<EnvelopeRule>) -> (usize, i64) {
    let (mut checks, mut furthest) = (0, 0);
    for seed in 0..20 {
        let scheduler = virtual_clock(Stamp::AuxVc, Resync::None);
        let seen = fast(&one_link(seed, scheduler, held_to(rule)));
        checks += seen.checks.len();
        for check in seen.checks {
            // AIR times Vtick.
            assert_eq!(check.threshold_ps, 50_000_000);
            furthest = furthest.max((check.ahead_ps * 1000).div_euclid(50_000_000));
        }
    }
    (checks, furthest)
}

#[test]
fn envelopes_keep_virtual_clock_near_real_time() {
    let interval = Duration(50_000_000);
    let (checks, furthest) = furthest_ahead(Some(EnvelopeRule::SlidingWindow {
        units: UNITS,
        interval,
    }));
    assert!(checks > 1000 && furthest <= 1000, "{checks}, {furthest}");
    let (checks, furthest) = furthest_ahead(Some(EnvelopeRule::FixedWindow {
        units: UNITS,
        interval,
        phase: None,
    }));
    assert!(checks > 1000 && furthest <= 2000, "{checks}, {furthest}");
    // A window on either side of a border may be full.
    assert!(furthest > 1000, "{furthest}");
    let (_, furthest) = furthest_ahead(None);
    assert!(furthest > 2000, "{furthest}");
}
