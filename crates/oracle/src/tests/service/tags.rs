//! WF2Q+, SCFQ and SFQ.

use super::*;

/// Two flows of half the link each: units at 0, 0 and at 50, `last`.
fn two(scheduler: SchedulerSpec, last: u64) -> Case {
    let mut case = Case::new(scheduler);
    case.flow(100, Some(FULL / 2), &burst(0, 2));
    case.flow(100, Some(FULL / 2), &[50, last]);
    case
}

#[test]
fn self_clocked_tags_by_hand() {
    // At 50 v is 200, the tag in service. The second unit of flow B comes while the tag in
    // service is 400, or to an idle port.
    let report = two(SchedulerSpec::Scfq, 299).run();
    assert_eq!(ranks(&report, 0), [200, 400]);
    assert_eq!(ranks(&report, 1), [400, 600]);
    assert_eq!(letters(&report, 0), "AABB");
    assert_eq!(ranks(&two(SchedulerSpec::Scfq, 300).run(), 1), [400, 200]);
}

#[test]
fn start_tags_by_hand() {
    let report = two(SchedulerSpec::Sfq, 299).run();
    assert_eq!(ranks(&report, 0), [0, 200]);
    assert_eq!(ranks(&report, 1), [0, 200]);
    assert_eq!(letters(&report, 0), "ABAB");
    // v goes on from the largest finish.
    assert_eq!(ranks(&two(SchedulerSpec::Sfq, 300).run(), 1), [0, 400]);
}

#[test]
fn of_equal_tags_the_first_that_came_goes() {
    let mut case = Case::new(SchedulerSpec::Scfq);
    case.flow(100, Some(FULL / 4), &[30]);
    case.flow(100, Some(FULL / 4), &[0, 20]);
    case.flow(100, Some(FULL / 4), &[10]);
    assert_eq!(ranks(&case.run(), 0), [800]);
    assert_eq!(case.order(), "BCBA");
}

#[test]
fn a_busy_period_is_that_of_all_groups() {
    let mut case = Case::new(SchedulerSpec::Scfq);
    case.flow(100, Some(FULL / 4), &[500]).priority = 1;
    case.flow(100, Some(FULL / 4), &[0, 510]).priority = 0;
    assert_eq!(ranks(&case.run(), 1), [400, 400]);
}

/// Bennett and Zhang's example.
#[test]
fn a_large_flow_takes_every_other_turn() {
    let mut case = Case::new(SchedulerSpec::Wf2qPlus);
    greedy(case.flow(100, Some(FULL / 2), &[]), 11);
    for _ in 0..10 {
        greedy(case.flow(100, Some(FULL / 20), &[]), 1);
    }
    // The tenth of A has the finish of K, but came when the ninth left.
    assert_eq!(case.order(), "ABACADAEAFAGAHAIAJKAA");
}

#[test]
fn virtual_time_jumps_to_the_least_start() {
    // A alone has S = 0, 1000, 2000, 3000 and V follows. B comes at 250 with S = 2050, F = 2550.
    // At 310 V is 2110 and jumps to 2550 for the second unit of B, at 320 to 3000 for A.
    let mut case = Case::new(SchedulerSpec::Wf2qPlus);
    greedy(case.flow(100, Some(FULL / 10), &[]), 5);
    case.flow(10, Some(FULL / 50), &[250, 251, 252]);
    assert_eq!(case.order(), "AAABBABA");
}

#[test]
fn a_unit_whose_start_is_not_reached_waits_though_it_would_end_first() {
    // A: S = 0, F = 200, then S = 200, F = 400. B: S = 0, F = 900; at 100 V is 100.
    let mut case = Case::new(SchedulerSpec::Wf2qPlus);
    greedy(case.flow(100, Some(FULL / 2), &[]), 3);
    greedy(case.flow(100, Some(FULL / 9), &[]), 1);
    assert_eq!(case.order(), "ABAA");
}
