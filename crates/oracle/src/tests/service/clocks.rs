//! VirtualClock.

use super::*;

#[test]
fn bursts_of_equal_flows_alternate() {
    let mut case = Case::new(VIRTUAL_CLOCK);
    for _ in 0..2 {
        case.flow(100, Some(FULL / 2), &burst(0, 4));
    }
    assert_eq!(case.order(), "ABABABAB");
    let report = case.run();
    assert_eq!(ranks(&report, 0), [200, 400, 600, 800]);
    assert_eq!(ranks(&report, 1), [200, 400, 600, 800]);
}

#[test]
fn a_flow_twice_as_fast_gets_two_of_three() {
    let mut case = Case::new(VIRTUAL_CLOCK);
    case.flow(100, Some(FULL / 4), &burst(0, 3));
    case.flow(100, Some(FULL / 2), &burst(0, 6));
    // A 400, 800, 1200; B 200, 400, ... 1200.
    assert_eq!(case.order(), "BABBABBAB");
}

#[test]
fn the_other_burst_may_come_shortly_after() {
    let mut case = Case::new(VIRTUAL_CLOCK);
    case.flow(100, Some(FULL / 4), &burst(0, 3));
    case.flow(100, Some(FULL / 2), &burst(10, 6));
    // The first of A has gone; A 800, 1200 against B 210, 410, 610, 810, 1010, 1210.
    assert_eq!(case.order(), "ABBBABBAB");
}

/// TAT of the GCRA with T = 10 for arrivals at 0, 12, 18, 20.
#[test]
fn the_stamp_is_the_theoretical_arrival_time_of_the_next_unit() {
    let mut case = Case::new(VIRTUAL_CLOCK);
    case.flow(10, Some(FULL), &[0, 12, 18, 20]);
    assert_eq!(ranks(&case.run(), 0), [10, 22, 32, 42]);
}

#[test]
fn virtual_clock_stamps_save_credit() {
    let stamps = |stamp| {
        let mut case = Case::new(virtual_clock(stamp, Resync::None));
        case.flow(10, Some(FULL / 2), &[5, 100, 101, 102]);
        ranks(&case.run(), 0)
    };
    assert_eq!(stamps(Stamp::AuxVc), [25, 120, 140, 160]);
    assert_eq!(stamps(Stamp::VirtualClock), [25, 45, 65, 85]);
}

#[test]
fn the_offset_moves_real_time_but_not_below_zero() {
    let mut case = Case::new(VIRTUAL_CLOCK);
    let flow = case.flow(10, Some(FULL / 2), &[100, 101, 1000]);
    flow.reserve.as_mut().expect("it reserves").offset = Duration(500);
    assert_eq!(ranks(&case.run(), 0), [20, 40, 520]);
}

/// A reserves a tenth, 3 units an interval; B is so slow that its stamps are above all of A.
fn checked(resync: Resync, a: &[u64], b: &[u64]) -> Report {
    let mut case = Case::new(virtual_clock(Stamp::AuxVc, resync));
    let flow = case.flow(100, Some(FULL / 10), a);
    flow.reserve.as_mut().expect("it reserves").interval = Some(Duration(3999));
    case.flow(100, Some(FULL / 1000), b);
    case.run()
}

fn aheads(report: &Report) -> Vec<(u64, i64, bool)> {
    let line = |check: &crate::Check| (check.at_ps, check.ahead_ps, check.is_alarm());
    report.checks.iter().map(line).collect()
}

#[test]
fn every_third_unit_is_checked() {
    let mut times = burst(0, 6);
    times.extend(burst(50_000, 4));
    let report = checked(Resync::None, &times, &[]);
    // VirtualClock 3000 at 2, 6000 at 5, 9000 at 50,002, where it is set to now.
    assert_eq!(
        aheads(&report),
        [(2, 2998, false), (5, 5995, true), (50_002, -41_002, false)]
    );
    assert_eq!(report.checks[0].threshold_ps, 3000);
}

#[test]
fn a_clock_behind_is_set_to_now() {
    let mut times = burst(10_000, 3);
    times.extend(burst(20_000, 3));
    times.extend(burst(20_010, 3));
    let report = checked(Resync::None, &times, &[]);
    // 10,000 + 3000; + 3000 is 16,000, behind 20,002: from there + 3000.
    let ahead = [2998, -4002, 20_002 + 3000 - 20_012];
    let found = aheads(&report);
    assert_eq!(found.iter().map(|check| check.1).collect::<Vec<_>>(), ahead);
}

#[test]
fn resync_waits_for_an_idle_link() {
    let start = burst(10_000, 3);
    let late = [start.clone(), burst(20_000, 3), vec![20_500]].concat();
    let last = |resync, b: &[u64]| *ranks(&checked(resync, &late, b), 0).last().expect("seven");
    // Stamps 21,000 to 23,000, VirtualClock 20,002; the link is free from 20,300 on.
    assert_eq!(last(Resync::None, &[]), 24_000);
    assert_eq!(last(Resync::IdleLink, &[]), 21_500);
    // At the check the wire holds the unit with stamp 21,000.
    assert_eq!(last(Resync::Literal, &[]), 24_000);
    // The wire is taken until 20,550.
    assert_eq!(last(Resync::IdleLink, &[20_450]), 24_000);
    // Something came just before, in the same instant: B is a later flow, so it doesn't count.
    assert_eq!(last(Resync::IdleLink, &[20_500]), 21_500);
}

#[test]
fn the_mark_of_a_check_holds_for_one_unit() {
    let early = [burst(10_000, 3), burst(20_000, 3), vec![20_100, 20_500]].concat();
    let report = checked(Resync::IdleLink, &early, &[]);
    // The unit at 20,100 finds the wire taken and clears the mark.
    assert_eq!(ranks(&report, 0)[6..], [24_000, 25_000]);
}

#[test]
fn the_literal_rule_reorders_a_flow() {
    let times = [burst(10_000, 3), burst(20_000, 4)].concat();
    let numbers = |resync| {
        let report = checked(resync, &times, &[19_950]);
        let of_a = |start: &(u64, u32, u64)| (start.1 == 0).then_some(start.2);
        let numbers: Vec<u64> = data(&report.starts, 0).iter().filter_map(of_a).collect();
        (numbers, ranks(&report, 0)[3..].to_vec())
    };
    // B is on the wire from 19,950 to 20,050 with a larger stamp when A is checked at 20,002.
    let (order, stamps) = numbers(Resync::Literal);
    assert_eq!(stamps, [21_000, 22_000, 23_000, 21_003]);
    assert_eq!(order, [0, 1, 2, 3, 6, 4, 5]);
    for resync in [Resync::None, Resync::IdleLink] {
        let (order, stamps) = numbers(resync);
        assert_eq!(stamps, [21_000, 22_000, 23_000, 24_000]);
        assert_eq!(order, [0, 1, 2, 3, 4, 5, 6]);
    }
}

#[test]
fn datagrams_wait_for_all_that_is_stamped() {
    let mut case = Case::new(VIRTUAL_CLOCK);
    case.flow(100, None, &[0, 1, 250]);
    case.flow(100, Some(FULL / 8), &burst(20, 2));
    case.flow(100, None, &[1, 2]);
    // Of the two that came at 1, flow A's goes first.
    assert_eq!(case.order(), "ABBACCA");
    assert_eq!(case.run().ranks.len(), 2);
}

#[test]
fn without_reservations_all_have_an_equal_share() {
    let mut case = Case::new(VIRTUAL_CLOCK);
    for _ in 0..4 {
        case.flow(100, None, &burst(0, 2));
    }
    let report = case.run();
    assert_eq!(ranks(&report, 3), [400, 800]);
    assert_eq!(letters(&report, 0), "ABCDABCD");
}

#[test]
fn groups_come_before_stamps() {
    let mut case = Case::new(VIRTUAL_CLOCK);
    case.flow(100, Some(FULL / 2), &burst(0, 3)).priority = 0;
    case.flow(100, Some(FULL / 8), &burst(0, 3)).priority = 1;
    case.flow(100, None, &burst(0, 2)).priority = 1;
    assert_eq!(case.order(), "BBBCCAAA");
}
