//! Small cases by hand. Rates are a byte every 10 ps (or as said), so times are round numbers.

use super::*;
use crate::scheduler::stamped::Stamped;
use crate::scheduler::testing::{Bench, busy, idle, share};
use crate::scheduler::{DATAGRAM, LAST_STAMP};

const PAPER: VirtualClockSpec = VirtualClockSpec {
    stamp: Stamp::AuxVc,
    resync: Resync::None,
    threshold: None,
    alarm_bytes: None,
};

const RESYNCS: [Resync; 3] = [Resync::Literal, Resync::IdleLink, Resync::None];

fn spec(resync: Resync) -> VirtualClockSpec {
    VirtualClockSpec { resync, ..PAPER }
}

fn checked(tick_ps: u64, check_every: u32) -> Share {
    Share {
        check_every,
        ..share(tick_ps)
    }
}

fn bench(spec: VirtualClockSpec, shares: &[Share]) -> Bench<Stamped<VirtualClock>> {
    Bench::new(Stamped::new(VirtualClock::new(&spec, shares), shares.len()))
}

/// Stamps of units that come to one flow at these instants, a byte each, at a busy port.
fn stamps(spec: VirtualClockSpec, share: Share, arrivals_ps: &[u64]) -> Vec<u64> {
    let mut bench = bench(spec, &[share]);
    let stamp = |&at: &u64| bench.arrive(at, 0, 1).expect("it is admitted");
    arrivals_ps.iter().map(stamp).collect()
}

#[test]
fn equal_rates_take_turns_after_bursts() {
    let mut bench = bench(PAPER, &[share(10), share(10)]);
    for seat in [0, 0, 0, 1, 1, 1] {
        bench.arrive(0, seat, 1);
    }
    assert_eq!(bench.serve_all(0), [0, 1, 0, 1, 0, 1]);
}

#[test]
fn twice_the_rate_is_served_two_to_one() {
    let mut bench = bench(PAPER, &[share(10), share(5)]);
    for seat in [0, 0, 1, 1, 1, 1] {
        bench.arrive(0, seat, 1);
    }
    // Stamps 10, 20 and 5, 10, 15, 20: all came at once, so the flow with the lower seat.
    assert_eq!(bench.serve_all(0), [1, 0, 1, 1, 0, 1]);
}

#[test]
fn equal_stamps_go_in_order_of_arrival() {
    let mut bench = bench(PAPER, &[share(5), share(10)]);
    let stamps = [(0, 1), (5, 0)].map(|(at, seat)| bench.arrive(at, seat, 1));
    assert_eq!(stamps, [Some(10), Some(10)]);
    assert_eq!(bench.serve_all(6), [1, 0]);
}

#[test]
fn the_stamp_is_the_later_of_now_and_the_last_stamp_plus_the_units_own_time() {
    let mut bench = bench(PAPER, &[share(10)]);
    let stamps = [(7, 3), (7, 1), (40, 5), (200, 2), (219, 1), (221, 4)]
        .map(|(at, bytes)| bench.arrive(at, 0, bytes).expect("it is admitted"));
    assert_eq!(stamps, [37, 47, 97, 220, 230, 270]);
}

#[test]
fn virtual_clock_saves_credit_and_auxvc_does_not() {
    let arrivals = [0, 95, 95, 95];
    assert_eq!(stamps(PAPER, share(10), &arrivals), [10, 105, 115, 125]);
    let meter = VirtualClockSpec {
        stamp: Stamp::VirtualClock,
        ..PAPER
    };
    assert_eq!(stamps(meter, share(10), &arrivals), [10, 20, 30, 40]);
}

/// What each check of a flow says, and what follows at its next unit: checks after every third.
fn checks(spec: VirtualClockSpec, arrivals_ps: &[u64]) -> Vec<Option<(i64, u64)>> {
    let mut bench = bench(spec, &[checked(10, 3)]);
    let check = |&at: &u64| {
        let admitted = bench.admit(&busy(at, None), 0, 1);
        let check = admitted.expect("it is admitted").check;
        check.map(|check| (check.ahead_ps, check.threshold.ps()))
    };
    arrivals_ps.iter().map(check).collect()
}

#[test]
fn every_third_unit_is_checked_and_what_it_is_behind_is_forgotten() {
    // VirtualClock 30 at 5; then 40, 50, 60 at 100: 40 behind, set to 100; then 130 at 100.
    let arrivals = [0, 0, 5, 50, 60, 100, 100, 100, 100];
    let ahead = |ahead_ps| Some((ahead_ps, 30));
    let expected = [(2, ahead(25)), (5, ahead(-40)), (8, ahead(30))];
    let found = checks(PAPER, &arrivals);
    for (unit, check) in found.iter().enumerate() {
        let expected = expected.iter().find(|(at, _)| *at == unit);
        assert_eq!(*check, expected.and_then(|(_, check)| *check), "{unit}");
    }
}

#[test]
fn the_threshold_is_air_ticks_unless_given() {
    let given = VirtualClockSpec {
        threshold: Some(Duration(7)),
        ..PAPER
    };
    assert_eq!(checks(given, &[0, 0, 0])[2], Some((30, 7)));
    assert_eq!(checks(PAPER, &[0, 0, 0])[2], Some((30, 30)));
}

#[test]
fn a_flow_without_an_interval_is_never_checked() {
    let mut bench = bench(PAPER, &[share(10)]);
    let mut is_checked = |_| {
        let admitted = bench.admit(&busy(0, None), 0, 1);
        admitted.expect("it is admitted").check.is_some()
    };
    assert!(!(0..100).any(&mut is_checked));
}

#[test]
fn priority_counts_real_time_earlier_and_never_below_zero() {
    let prior = Share {
        offset: Duration(100),
        check_every: 2,
        ..share(10)
    };
    let mut bench = bench(PAPER, &[prior]);
    let mut admit = |at| {
        let admitted = bench.admit(&busy(at, None), 0, 1).expect("it is admitted");
        (admitted.rank, admitted.check.map(|check| check.ahead_ps))
    };
    assert_eq!(admit(30), (10, None));
    // max(50, 10) + 10; VirtualClock 20 against 50.
    assert_eq!(admit(150), (60, Some(-30)));
    // VirtualClock was set to 50: 60 and 70 against 100.
    assert_eq!(admit(160), (70, None));
    assert_eq!(admit(200), (110, Some(-30)));
}

#[test]
fn a_flow_with_priority_goes_first_until_it_runs_ahead() {
    let prior = Share {
        offset: Duration(25),
        ..share(10)
    };
    let mut bench = bench(PAPER, &[share(10), prior]);
    for _ in 0..5 {
        bench.arrive(100, 0, 1);
        bench.arrive(100, 1, 1);
    }
    // Stamps 110 ... 150 and 85 ... 125.
    assert_eq!(bench.serve_all(100), [1, 1, 1, 0, 1, 0, 1, 0, 0, 0]);
}

#[test]
fn datagrams_go_when_nothing_reserved_waits() {
    let mut bench = bench(PAPER, &[share(0), share(1_000_000), share(0)]);
    assert_eq!(bench.arrive(5, 2, 1), Some(DATAGRAM | 5));
    assert_eq!(bench.arrive(6, 0, 1), Some(DATAGRAM | 6));
    bench.arrive(7, 1, 1);
    bench.arrive(7, 1, 1);
    assert_eq!(bench.serve_all(8), [1, 1, 2, 0]);
}

#[test]
fn the_last_stamp_is_before_every_datagram() {
    let mut slow = share(1);
    slow.rate = backwater_kernel::Rate(1);
    let mut bench = bench(PAPER, &[slow, share(0)]);
    let before = LAST_STAMP / 3;
    // 500,000 bytes at 1 bit/s: 4 x 10^18 ps, of 9.2 x 10^18.
    let stamps = [1, 2, 3].map(|_| bench.arrive(before, 0, 500_000));
    assert_eq!(stamps[0], Some(before + 4_000_000_000_000_000_000));
    assert_eq!(stamps[1..], [Some(LAST_STAMP); 2]);
    assert_eq!(bench.arrive(0, 1, 1), Some(DATAGRAM));
    assert_eq!(bench.serve_all(before), [0, 0, 0, 1]);
}

/// The rank of a byte that finds the port in this state, whatever waits there.
fn rank(clock: &mut VirtualClock, port: &Port) -> u64 {
    clock.rank(port, 0, 1).expect("it is admitted").rank
}

/// Three units make VirtualClock fall behind auxVC: 30 against 220, and the check sets it to
/// 205. The stamps of the third and the fourth, which find the port in these states.
fn around_a_check(resync: Resync, third: Port, fourth: Port) -> (u64, u64) {
    let mut clock = VirtualClock::new(&spec(resync), &[checked(10, 3)]);
    assert_eq!(rank(&mut clock, &busy(0, None)), 10);
    assert_eq!(rank(&mut clock, &busy(200, None)), 210);
    (rank(&mut clock, &third), rank(&mut clock, &fourth))
}

#[test]
fn the_literal_rule_resynchronises_as_the_check_is_made() {
    let around = |third| around_a_check(Resync::Literal, third, busy(205, None));
    // auxVC is 220 after the third unit. Free wire: back to 205, and 10 more for the fourth.
    assert_eq!(around(idle(205)), (220, 215));
    // A larger stamp on the wire, a datagram; then an equal one and a control unit.
    assert_eq!(around(busy(205, Some(221))), (220, 215));
    assert_eq!(around(busy(205, Some(DATAGRAM))), (220, 215));
    assert_eq!(around(busy(205, Some(220))), (220, 230));
    assert_eq!(around(busy(205, None)), (220, 230));
}

#[test]
fn the_literal_rule_reorders_a_flow_and_its_queue_is_kept_by_stamp() {
    let mut bench = bench(spec(Resync::Literal), &[checked(10, 3)]);
    bench.arrive(0, 0, 1);
    bench.arrive(200, 0, 2);
    bench.admit(&busy(205, Some(999)), 0, 3);
    bench.arrive(206, 0, 4);
    // Stamps 10, 220, 250; then auxVC = VirtualClock = 205, and 246 for the fourth.
    let mut sizes = Vec::new();
    while let Some((seat, unit)) = bench.serve_unit(300) {
        assert_eq!(seat, 0);
        sizes.push((unit.bytes, unit.rank));
    }
    assert_eq!(sizes, [(1, 10), (2, 220), (4, 246), (3, 250)]);
}

#[test]
fn the_idle_rule_waits_for_the_next_unit_and_an_idle_port() {
    let around = |third, fourth| around_a_check(Resync::IdleLink, third, fourth);
    assert_eq!(around(idle(205), idle(205)), (220, 215));
    assert_eq!(around(busy(205, Some(999)), idle(205)), (220, 215));
    assert_eq!(around(idle(205), busy(205, Some(999))), (220, 230));
    // A free wire is not enough while older units wait.
    let waiting = Port {
        is_idle: false,
        ..idle(205)
    };
    assert_eq!(around(idle(205), waiting), (220, 230));
}

#[test]
fn the_idle_rule_has_one_unit_to_find_the_port_idle() {
    let mut clock = VirtualClock::new(&spec(Resync::IdleLink), &[checked(10, 3)]);
    let ranks = [0, 200, 205, 205].map(|at| rank(&mut clock, &busy(at, None)));
    assert_eq!(ranks, [10, 210, 220, 230]);
    // The fifth finds the port idle, but the check was two units ago.
    assert_eq!(rank(&mut clock, &idle(205)), 240);
}

#[test]
fn without_resynchronisation_auxvc_goes_its_own_way() {
    assert_eq!(
        around_a_check(Resync::None, idle(205), idle(205)),
        (220, 230)
    );
}

/// Stamps of a flow that comes in random bursts to a port in random states; an idle port holds
/// nothing of the flow, so only stamps of one busy period must rise. True if they do.
fn keeps_order(resync: Resync, seed: u64) -> bool {
    use backwater_kernel::stream::{Purpose, Stream};
    let mut stream = Stream::new(seed, 0, Purpose::Pattern);
    let mut clock = VirtualClock::new(&spec(resync), &[checked(10, 4)]);
    let (mut now_ps, mut last) = (0, 0);
    for _ in 0..200 {
        now_ps += stream.below(40);
        let port = match stream.below(4) {
            0 => idle(now_ps),
            1 => busy(now_ps, None),
            _ => busy(now_ps, Some(now_ps + stream.below(200))),
        };
        if port.is_idle {
            last = 0;
        }
        let stamp = rank(&mut clock, &port);
        if stamp < last {
            return false;
        }
        last = stamp;
    }
    true
}

#[test]
fn only_the_literal_rule_takes_stamps_back_in_a_busy_period() {
    assert!((0..100).all(|seed| keeps_order(Resync::IdleLink, seed)));
    assert!((0..100).all(|seed| keeps_order(Resync::None, seed)));
    assert!(!(0..100).all(|seed| keeps_order(Resync::Literal, seed)));
}

#[test]
fn only_queues_under_the_literal_rule_are_kept_by_stamp() {
    for resync in RESYNCS {
        let clock = VirtualClock::new(&spec(resync), &[share(10)]);
        assert_eq!(clock.reorders(), resync == Resync::Literal);
    }
}
