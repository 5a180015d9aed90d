//! The other disciplines.

use super::*;

#[test]
fn fifo_sees_no_groups() {
    let offered = |case: &mut Case| {
        case.flow(100, None, &[0, 30, 40]).priority = 0;
        case.flow(100, None, &[20, 30]).priority = 1;
    };
    let mut fifo = Case::new(SchedulerSpec::Fifo);
    offered(&mut fifo);
    assert_eq!(fifo.order(), "ABABA");
    let mut strict = Case::new(SchedulerSpec::StrictPriority);
    offered(&mut strict);
    assert_eq!(strict.order(), "ABBAA");
}

#[test]
fn the_earliest_deadline_goes_first() {
    let mut case = Case::new(SchedulerSpec::Edf);
    case.flow(100, Some(FULL / 8), &[0, 10, 20]);
    let flow = case.flow(100, Some(FULL / 8), &[200, 210]);
    flow.reserve.as_mut().expect("it reserves").deadline = Some(Duration(610));
    case.flow(100, None, &[1]);
    // A is due at 800, 810, 820, B at 810 and 820; C reserves nothing.
    assert_eq!(case.order(), "AABABC");
    assert_eq!(ranks(&case.run(), 1), [810, 820]);
}

#[test]
fn deficit_round_robin_by_hand() {
    let mut case = Case::new(SchedulerSpec::Drr { quantum_bytes: 500 });
    for bytes in [300, 750, 500] {
        let flow = case.flow(bytes, Some(FULL / 4), &[]);
        greedy(flow, 9);
    }
    // Deficits of A, B, C after each round: 200, 500, 0; 100, 250, 0; 0, 0, 0; as the first.
    assert!(case.order().starts_with("ACAABCAABCAC"), "{}", case.order());
}

#[test]
fn deficits_are_lost_with_the_last_unit() {
    let mut case = Case::new(SchedulerSpec::Drr { quantum_bytes: 500 });
    case.flow(
        100,
        Some(FULL / 4),
        &[0, 1150, 1151, 1152, 1153, 1154, 1155],
    );
    greedy(case.flow(500, Some(FULL / 4), &[]), 4);
    // A leaves with 400 at 100. When it comes back it has 500 and not 900: five units a round.
    assert_eq!(case.order(), "ABBBAAAAABA");
}

#[test]
fn quanta_follow_reservations() {
    let mut case = Case::new(SchedulerSpec::Drr { quantum_bytes: 100 });
    for (rate, total) in [(FULL / 8, 3), (FULL / 2, 12), (FULL / 4, 6)] {
        greedy(case.flow(100, Some(rate), &[]), total);
    }
    case.flow(100, None, &[0, 1]);
    assert_eq!(case.order(), "ABBBBCCABBBBCCABBBBCCDD");
}

#[test]
fn those_that_come_at_once_join_in_order_of_flows() {
    let mut case = Case::new(SchedulerSpec::Drr { quantum_bytes: 100 });
    case.flow(100, Some(FULL / 4), &[50, 51]);
    case.flow(100, Some(FULL / 4), &[40, 50]);
    case.flow(100, Some(FULL / 4), &[0, 50]);
    // C is sent from 0 on; B joins at 40, A and C at 50.
    assert_eq!(case.order(), "CBACBA");
}

/// V grows at 2, 4/3, 4 or 2, 1, 4 as A, A and B, B or B and C, all, C alone are served.
fn gps(last: u64) -> Case {
    let mut case = Case::new(SchedulerSpec::Wfq);
    case.flow(100, Some(FULL / 2), &[0, 175]);
    case.flow(100, Some(FULL / 4), &[50, last]);
    case.flow(100, Some(FULL / 4), &[125]);
    case
}

#[test]
fn fluid_sharing_by_hand() {
    // V(50) = 100, V(125) = 200 as A ends, V(175) = 300, V(375) = 500, V(399) = 596.
    let report = gps(399).run();
    assert_eq!(ranks(&report, 0), [200, 500]);
    assert_eq!(ranks(&report, 1), [500, 996]);
    assert_eq!(ranks(&report, 2), [600]);
    assert_eq!(report.close_call_ps, None);
}

#[test]
fn an_empty_fluid_system_starts_anew() {
    // The four units of 100 bytes have been served at 400.
    assert_eq!(ranks(&gps(400).run(), 1), [500, 400]);
    assert_eq!(ranks(&gps(401).run(), 1), [500, 400]);
}

/// Bennett and Zhang's example: WFQ lets the large flow go ten units ahead of fluid sharing.
#[test]
fn ten_units_in_a_row() {
    let mut case = Case::new(SchedulerSpec::Wfq);
    case.flow(100, Some(FULL / 2), &burst(0, 11));
    for _ in 0..10 {
        case.flow(100, Some(FULL / 20), &[0]);
    }
    // The tenth has the rank of all others, but came at 9.
    assert_eq!(case.order(), "AAAAAAAAABCDEFGHIJKAA");
}

#[test]
fn nearly_equal_ranks_are_told() {
    let mut case = Case::new(SchedulerSpec::Wfq);
    case.flow(100, Some(FULL / 2), &burst(0, 3));
    case.flow(100, Some(FULL / 4), &burst(7, 3));
    case.flow(100, Some(FULL / 8), &burst(8, 3));
    // V(7) = 14, V(8) = 14 + 4/3.
    let report = case.run();
    assert_eq!(ranks(&report, 2)[0], 15 + 800);
    assert_eq!(report.close_call_ps, Some(100));
}

fn shaped(rates: &[u64], times: &[&[u64]], routes: &[&[u32]]) -> Vec<(u64, u32, u64)> {
    let ats = SchedulerSpec::Ats {
        max_residence: None,
    };
    // Nodes 0 and 3 reach node 2 by node 1.
    let links = vec![link(0, 1, 1), link(1, 2, 1), link(3, 1, 1)];
    let mut case = Case::on(4, links, ats);
    for channel in [0, 2] {
        case.spec.links[channel].channels[0].scheduler = SchedulerSpec::Fifo;
    }
    for ((rate, times), route) in rates.iter().zip(times).zip(routes) {
        case.flow_over(route, 100, Some(*rate), times);
    }
    data(&case.run().starts, 2)
}

#[test]
fn a_bucket_of_one_unit_spaces_units() {
    let starts = shaped(&[FULL / 4], &[&[0, 1, 2, 5000]], &[&[0, 2]]);
    // They arrive at 1, 101, 201, 5001 (first bits).
    let times: Vec<u64> = starts.iter().map(|start| start.0).collect();
    assert_eq!(times, [1, 401, 801, 5001]);
}

#[test]
fn flows_from_one_channel_share_their_order() {
    let rates = [FULL / 4, FULL / 8];
    let times: [&[u64]; 2] = [&[0, 1], &[150]];
    // B arrives at 201, behind A at 101, which may go at 401.
    let same = shaped(&rates, &times, &[&[0, 2], &[0, 2]]);
    assert_eq!(same, [(1, 0, 0), (401, 0, 1), (501, 1, 0)]);
    // From another channel it goes as it comes.
    let other = shaped(&rates, &times, &[&[0, 2], &[4, 2]]);
    assert_eq!(other, [(1, 0, 0), (151, 1, 0), (401, 0, 1)]);
}
