//! VirtualClock in the engine (Zhang 1991, section 3): order, protection, metering, bounds.

use crate::common;

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::*;
use common::*;

const PAPER: VirtualClockSpec = VirtualClockSpec {
    stamp: Stamp::AuxVc,
    resync: Resync::None,
    threshold: None,
    alarm_bytes: None,
};
const METER_STAMPS: VirtualClockSpec = VirtualClockSpec {
    stamp: Stamp::VirtualClock,
    ..PAPER
};

fn with(resync: Resync) -> VirtualClockSpec {
    VirtualClockSpec { resync, ..PAPER }
}

/// `part` of `whole` of the link's rate.
fn share(part: u64, whole: u64) -> ReserveSpec {
    ReserveSpec {
        rate: Rate(RATE.0 * part / whole),
        interval: None,
        burst_bytes: None,
        offset: Duration::ZERO,
        deadline: None,
    }
}

/// AI such that AIR is `units`.
fn checked(mut reserve: ReserveSpec, units: u64) -> ReserveSpec {
    reserve.interval = Some(reserve.rate.tick(units * BYTES as u64));
    reserve
}

fn constant(start: Time, interval: Duration, total: Option<u64>) -> TrafficSpec {
    TrafficSpec::Constant {
        start,
        interval,
        random_phase: false,
        total,
    }
}

/// `total` units from `start` on, 1 ps apart.
fn burst(start: Time, total: u64) -> TrafficSpec {
    constant(start, Duration(1), Some(total))
}

fn poisson(mean_interval: Duration) -> TrafficSpec {
    TrafficSpec::Poisson {
        start: Time::ZERO,
        mean_interval,
        min_interval: Duration::ZERO,
        total: None,
    }
}

type Flows = [(Option<ReserveSpec>, TrafficSpec)];

/// A host with the discipline at its port, flows to the other end.
fn one_port(spec: VirtualClockSpec, stop_cells: u64, flows: &Flows) -> Net {
    let mut net = Net::new(Timing::StoreAndForward, cells(1), at(stop_cells));
    let (a, b) = (net.node("A", NodeKind::Host), net.node("B", NodeKind::Host));
    let link = net.link(a, b);
    net.spec.links[0].channels[0].scheduler = SchedulerSpec::VirtualClock(spec);
    for (reserve, traffic) in flows {
        let flow = net.flow(a, &[link], FlowControlSpec::None);
        net.spec.flows[flow].reserve = *reserve;
        net.spec.flows[flow].traffic = traffic.clone();
    }
    net
}

fn order(flows: &Flows) -> String {
    observe(&one_port(PAPER, 100, flows).spec).0.order(0)
}

#[test]
fn bursts_of_equal_rates_interleave_one_to_one() {
    let half = Some(share(1, 2));
    let flows = [(half, burst(Time::ZERO, 5)), (half, burst(Time::ZERO, 5))];
    assert_eq!(order(&flows), "ABABABABAB");
    // The second burst comes while the third unit of the first is sent: it may catch up with
    // real time, not with what the first got when it was alone.
    let later = at(2) + halves(1);
    let flows = [(half, burst(Time::ZERO, 5)), (half, burst(later, 5))];
    assert_eq!(order(&flows), "AAABBABABB");
}

#[test]
fn a_burst_at_twice_the_rate_interleaves_two_to_one() {
    let flows = [
        (Some(share(1, 3)), burst(Time::ZERO, 4)),
        (Some(share(2, 3)), burst(Time::ZERO, 8)),
    ];
    assert_eq!(order(&flows), "BABBABBABBAB");
}

/// The longest wait at the port after `from`, of the units of these legs.
fn longest_wait(log: &PortLog, legs: core::ops::Range<u32>, from: Time) -> Duration {
    let of_leg = |leg| log.of_leg(leg).into_iter().zip(log.waits(leg));
    let late = legs.flat_map(of_leg).filter(|((at, _), _)| *at > from);
    late.map(|(_, wait)| wait).max().expect("units start")
}

#[test]
fn a_late_burst_hurts_others_only_if_credit_is_saved() {
    // 45 units at once, 1000 cells of silence, 45 again: VirtualClock stands at 450 then. Nine
    // others send at a tenth each, out of phase.
    let worst = |spec| {
        let bursts = TrafficSpec::OnOff {
            start: Time::ZERO,
            on: Span::Fixed(Duration(45)),
            off: Span::Fixed(cells(1000)),
            on_interval: Duration(1),
            off_interval: None,
        };
        let mut flows = vec![(Some(share(1, 10)), bursts)];
        let others = (0..9).map(|nth| constant(at(nth), cells(10), None));
        flows.extend(others.map(|traffic| (Some(share(1, 10)), traffic)));
        let (log, _) = observe(&one_port(spec, 1900, &flows).spec);
        longest_wait(&log, 1..10, at(990))
    };
    let (aux, meter) = (worst(PAPER), worst(METER_STAMPS));
    assert!(meter.ps() >= 5 * aux.ps(), "{aux:?} against {meter:?}");
}

#[test]
fn priority_lowers_the_wait_of_a_flow_that_keeps_to_its_rate() {
    let mean_wait = |offset| {
        let mut flows: Vec<_> = (0..10)
            .map(|_| (Some(share(1, 10)), poisson(Duration(cells(21).ps() / 2))))
            .collect();
        let prior = flows[0].0.as_mut().expect("it reserves");
        prior.offset = offset;
        let (log, _) = observe(&one_port(PAPER, 20_000, &flows).spec);
        let waits = log.waits(0);
        waits.iter().map(|wait| wait.ps()).sum::<u64>() as f64 / waits.len() as f64
    };
    let (without, with) = (mean_wait(Duration::ZERO), mean_wait(cells(500)));
    assert!(with < 0.7 * without, "{with} against {without}");
}

#[test]
fn priority_gains_a_fast_flow_its_offset_once_and_no_rate() {
    // Four flows that reserve a quarter and send twice as much. Once the first has been served
    // ahead of its stamps, the others are behind: it keeps three quarters of its offset.
    let sent = |ticks: u64| {
        let traffic = constant(at(1000), cells(2), None);
        let mut flows = vec![(Some(share(1, 4)), traffic); 4];
        flows[0].0.as_mut().expect("it reserves").offset = cells(4 * ticks);
        let (log, _) = observe(&one_port(PAPER, 9000, &flows).spec);
        let times = log.times(0);
        let late = times.iter().filter(|start| **start >= at(5000)).count();
        (times.len(), late)
    };
    let (without, with) = (sent(0), sent(50));
    let gain = with.0 - without.0;
    assert!((36..=38).contains(&gain), "{with:?}, {without:?}");
    assert!(with.1.abs_diff(without.1) <= 1, "{with:?}, {without:?}");
}

#[test]
fn reserved_units_wait_for_one_datagram_at_most_and_nothing_is_left_unused() {
    let flows = [
        (None, greedy()),
        (
            Some(share(1, 2)),
            constant(at(3) + halves(1), halves(7), None),
        ),
        (None, greedy()),
    ];
    let (log, outcome) = observe(&one_port(PAPER, 1000, &flows).spec);
    assert!(longest_wait(&log, 1..2, Time::ZERO) <= cell());
    assert_eq!(outcome.channels[0].data_units, 1001);
    // Datagrams go in order of arrival, so two greedy flows take turns (after a tie at time 0).
    let (first, second) = (log.times(0).len(), log.times(2).len());
    assert!(first.abs_diff(second) <= 2, "{first}, {second}");
    assert!(first + second > 500);
}

#[test]
fn checks_say_how_far_a_flow_is_ahead_and_alarms_are_counted() {
    let reserve = checked(share(1, 10), 4);
    let tick = reserve.rate.tick(BYTES as u64).ps();
    let run = |threshold| {
        let flows = [
            (Some(reserve), constant(Time::ZERO, cells(5), Some(40))),
            (
                Some(reserve),
                constant(Time::ZERO, Duration(tick), Some(40)),
            ),
        ];
        let spec = VirtualClockSpec { threshold, ..PAPER };
        observe(&one_port(spec, 1000, &flows).spec)
    };
    let (log, outcome) = run(None);
    let ahead = |leg: u32| {
        let its = log.checks.iter().filter(move |check| check.0 == leg);
        its.map(|(_, ahead_ps, threshold)| (*ahead_ps, threshold.ps()))
    };
    // Twice the rate: unit 4k comes at 5 (4k - 1) cells. Then the rate itself.
    let expected = (1..=10u64).map(|k| 4 * k * tick - 5 * (4 * k - 1) * cell().ps());
    assert!(ahead(0).eq(expected.map(|ahead_ps| (ahead_ps as i64, 4 * tick))));
    assert!(ahead(1).eq([(tick as i64, 4 * tick); 10]));
    // 25 cells ahead at the first check, 45 at the second; 40 are allowed.
    let alarms = |outcome: &backwater_net::outcome::Outcome| {
        [0, 1].map(|leg| outcome.legs[leg].alarms_total)
    };
    assert_eq!(alarms(&outcome), [9, 0]);
    assert_eq!(alarms(&run(Some(cells(100))).1), [6, 0]);
    // As far ahead as is allowed is not too far.
    let first = Duration(4 * tick - 15 * cell().ps());
    assert_eq!(alarms(&run(Some(first)).1), [9, 0]);
    assert_eq!(alarms(&run(Some(Duration(first.ps() - 1))).1), [10, 0]);
}

/// A's burst of 10 completes a check while a datagram is sent, then come 10 more; B comes too.
fn burst_over_a_check(resync: Resync) -> Net {
    let half = share(1, 2);
    let start = at(100);
    let flows = [
        (Some(checked(half, 10)), burst(start + Duration(10), 20)),
        (Some(half), burst(start + Duration(10), 10)),
        (None, burst(start, 1)),
    ];
    let mut net = one_port(with(resync), 300, &flows);
    // A's clock starts with a unit of its own, so that it lags behind at the check.
    net.spec.flows[0].traffic = TrafficSpec::OnOff {
        start: Time(10),
        on: Span::Fixed(Duration(20)),
        off: Span::Fixed(cells(100)),
        on_interval: Duration(1),
        off_interval: None,
    };
    net
}

/// Units of stamped legs that leave later than stamp + Lmax / C.
fn late(log: &PortLog, net: &Net) -> usize {
    let flows = &net.spec.flows;
    let longest = flows.iter().map(|flow| flow.unit_bytes).max();
    let longest = RATE.serialization(longest.expect("there are flows") as u64);
    let reserves =
        |start: &&backwater_net::probe::Crossing| flows[start.flow as usize].reserve.is_some();
    let is_late = |start: &&backwater_net::probe::Crossing| {
        let (_, stamp) = log.ranks[&(start.leg, start.value as u32)];
        start.at + RATE.serialization(start.bytes as u64) > Time(stamp) + longest
    };
    log.starts.iter().filter(reserves).filter(is_late).count()
}

#[test]
fn the_literal_rule_reorders_a_flow_and_makes_others_late() {
    let numbers = |resync| {
        let net = burst_over_a_check(resync);
        let (log, _) = observe(&net.spec);
        let late = late(&log, &net);
        let numbers = log.of_leg(0).into_iter().map(|(_, number)| number);
        (numbers.is_sorted(), late)
    };
    assert_eq!(numbers(Resync::None), (true, 0));
    assert_eq!(numbers(Resync::IdleLink), (true, 0));
    let (is_sorted, late) = numbers(Resync::Literal);
    assert!(!is_sorted && late > 0, "{late} late");
}

/// Flows of many sizes that reserve the whole port, in bursts; every fourth sends twice what it
/// reserves; datagrams fill what is left.
fn crowd(spec: VirtualClockSpec, seed: u64) -> Net {
    let mut stream = Stream::new(seed, 0, Purpose::Pattern);
    let mut flows = Vec::new();
    for nth in 0..8 {
        let reserve = checked(share(1, 8), 10 + nth);
        let bytes = 53 * (1 + stream.below(6));
        let every = reserve.rate.tick(bytes).ps();
        let every = if nth % 4 == 0 { every / 2 } else { every };
        let traffic = TrafficSpec::OnOff {
            start: Time(stream.below(every)),
            on: Span::Exponential(Duration(every)),
            off: Span::Exponential(Duration(9 * every)),
            on_interval: Duration(every / 10),
            off_interval: None,
        };
        flows.push((Some(reserve), traffic, bytes));
    }
    flows.push((None, greedy(), 53 * (1 + stream.below(6))));
    let mut net = one_port(spec, 4000, &[]);
    net.spec.seed = seed;
    for (reserve, traffic, bytes) in flows {
        let flow = net.flow(0, &[0], FlowControlSpec::None);
        let flow = &mut net.spec.flows[flow];
        (flow.reserve, flow.traffic, flow.unit_bytes) = (reserve, traffic, bytes as u32);
    }
    net
}

#[test]
fn every_unit_leaves_by_its_stamp_and_a_longest_unit() {
    let late = |spec: VirtualClockSpec| -> usize {
        let count = |seed| {
            let net = crowd(spec, seed);
            let (log, _) = observe(&net.spec);
            assert!(log.starts.iter().filter(|start| start.flow < 8).count() > 500);
            late(&log, &net)
        };
        (0..20).map(count).sum()
    };
    assert_eq!(late(PAPER), 0);
    assert_eq!(late(with(Resync::IdleLink)), 0);
    // Stamps that save credit promise what others were promised.
    assert!(late(METER_STAMPS) > 0);
}

/// A flow that keeps to its rate crosses three switches; at each, one flow comes in that sends
/// twice what it reserves, and datagrams, which leave behind the next.
fn chain(scheduler: SchedulerSpec) -> Net {
    let mut net = Net::new(Timing::StoreAndForward, cells(3), at(5000));
    let source = net.node("A", NodeKind::Host);
    let switches = [0, 1, 2].map(|nth| net.node(&format!("S{nth}"), NodeKind::Switch));
    let out = net.node("B", NodeKind::Host);
    let mut way = vec![net.link(source, switches[0])];
    way.extend([0, 1].map(|nth| net.link(switches[nth], switches[nth + 1])));
    way.push(net.link(switches[2], out));
    let mut cross = Vec::new();
    for nth in 0..3 {
        let (from, to) = (net.node("X", NodeKind::Host), net.node("Y", NodeKind::Host));
        let enter = net.link(from, switches[nth]);
        let mut legs = vec![enter, way[nth + 1]];
        if nth < 2 {
            legs.push(net.link(switches[nth + 1], to));
        }
        cross.push((from, legs));
    }
    let flow = net.flow(source, &way, FlowControlSpec::None);
    let slow = share(1, 5);
    net.spec.flows[flow].reserve = Some(slow);
    let tick = slow.rate.tick(BYTES as u64);
    net.spec.flows[flow].traffic = constant(Time::ZERO, tick, None);
    for (from, legs) in cross {
        for (reserve, interval) in [(Some(share(4, 5)), halves(2)), (None, halves(1))] {
            let flow = net.flow(from, &legs, FlowControlSpec::None);
            net.spec.flows[flow].reserve = reserve;
            net.spec.flows[flow].traffic = poisson(interval);
            net.spec.flows[flow].unit_bytes = 2 * BYTES;
        }
    }
    for link in &mut net.spec.links {
        link.channels[0].scheduler = scheduler;
    }
    net
}

#[test]
fn a_flow_that_keeps_to_its_rate_meets_the_delay_bound_over_four_ports() {
    // (sigma + (K - 1) l) / rho + the sum of Lmax / C + prop; the first link carries it alone.
    let tick = share(1, 5).rate.tick(BYTES as u64).ps();
    let wire = [1u64, 2, 2, 2].map(|units| RATE.serialization(units * BYTES as u64).ps());
    let bound = 4 * tick + wire.iter().sum::<u64>() + 4 * cells(3).ps();
    let longest = |scheduler| {
        let (_, outcome) = observe(&chain(scheduler).spec);
        outcome.flows[0].delay.max
    };
    for resync in [Resync::None, Resync::IdleLink] {
        let found = longest(SchedulerSpec::VirtualClock(with(resync)));
        assert!(found <= bound, "{resync:?}: {found}, bound {bound}");
        assert!(found > bound / 2, "the network is loaded: {found}, {bound}");
    }
    assert!(longest(SchedulerSpec::Fifo) > 5 * bound);
}
