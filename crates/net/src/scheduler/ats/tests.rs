//! Small cases by hand. Rates are a byte every 10 ps, so times are round numbers.

use backwater_kernel::stream::{Purpose, Stream};

use super::*;
use crate::scheduler::DATAGRAM;
use crate::scheduler::testing::{Bench, share};

fn bench(shares: &[Share]) -> Bench<Ats> {
    Bench::new(Ats::new(None, shares))
}

/// A flow that comes over channel `ingress`; `tolerance_ps` may come at once beyond one unit.
fn via(ingress: u32, tolerance_ps: u64) -> Share {
    Share {
        ingress,
        tolerance: Duration(tolerance_ps),
        ..share(10)
    }
}

const SOURCE: u32 = u32::MAX;

#[test]
fn units_conform_as_the_gcra_says() {
    let mut bench = bench(&[via(SOURCE, 15)]);
    // TAT before each unit: 0, 10, 22, 32. Only 32 - 15 is near; all conform on arrival.
    for at in [0, 12, 18, 20] {
        assert_eq!(bench.arrive(at, 0, 1), Some(at));
    }
    // TAT 42, 52, 62, ...: from here a unit every 10 ps, 15 before its TAT.
    let eligible = [20, 20, 21].map(|at| bench.arrive(at, 0, 1));
    assert_eq!(eligible, [Some(27), Some(37), Some(47)]);
    // TAT 72: a unit of twice the size needs twice the tokens. They are there at 67; TAT 92.
    assert_eq!(bench.arrive(57, 0, 2), Some(67));
    assert_eq!(bench.arrive(57, 0, 1), Some(77));
    // After a pause TAT counts for nothing.
    assert_eq!(bench.arrive(500, 0, 1), Some(500));
    assert_eq!(bench.arrive(500, 0, 1), Some(500));
    assert_eq!(bench.arrive(500, 0, 1), Some(505));
}

#[test]
fn nothing_starts_before_it_is_eligible() {
    let mut bench = bench(&[via(SOURCE, 0), via(SOURCE, 0)]);
    for seat in [1, 1, 0, 0] {
        bench.arrive(0, seat, 1);
    }
    assert_eq!(bench.serve_all(0), [0, 1]);
    assert_eq!(bench.choose(0), Choice::Wait(Time(10)));
    assert_eq!(bench.serve_all(9), []);
    assert!(bench.discipline.has_ready() && !bench.discipline.may_start(Time(9)));
    assert!(bench.discipline.may_start(Time(10)));
    assert_eq!(bench.serve_all(10), [0, 1]);
    assert_eq!(bench.choose(10), Choice::Nothing);
    assert!(!bench.discipline.has_ready());
}

#[test]
fn what_is_eligible_goes_by_eligibility_not_arrival() {
    let mut bench = bench(&[via(SOURCE, 0), via(SOURCE, 0)]);
    bench.arrive(0, 0, 1);
    bench.arrive(0, 0, 1);
    bench.arrive(4, 1, 1);
    assert_eq!(bench.serve_all(20), [0, 1, 0]);
}

#[test]
fn one_channel_is_one_group_and_its_eligibility_never_falls() {
    let mut bench = bench(&[via(4, 0), via(4, 0), via(6, 0)]);
    bench.arrive(0, 0, 1);
    assert_eq!(bench.arrive(1, 0, 1), Some(10));
    // Conforms at 2, but came behind the unit above.
    assert_eq!(bench.arrive(2, 1, 1), Some(10));
    // Another channel does not wait for it.
    assert_eq!(bench.arrive(3, 2, 1), Some(3));
    // The unit before counts from 10, when it was eligible: waiting for a group saves nothing.
    assert_eq!(bench.arrive(9, 1, 1), Some(20));
    assert_eq!(bench.serve_all(20), [0, 2, 0, 1, 1]);
}

#[test]
fn flows_that_start_here_are_groups_of_their_own() {
    let mut bench = bench(&[via(SOURCE, 0), via(SOURCE, 0)]);
    bench.arrive(0, 0, 1);
    assert_eq!(bench.arrive(1, 0, 1), Some(10));
    assert_eq!(bench.arrive(2, 1, 1), Some(2));
    let shares = [3, 5, SOURCE, 3, SOURCE, 5].map(|ingress| via(ingress, 0));
    assert_eq!(groups(&shares), ([0, 1, 2, 0, 3, 1].to_vec(), 4));
}

#[test]
fn a_refused_unit_changes_nothing() {
    let shares = [via(4, 0), via(4, 0)];
    let mut bench = Bench::new(Ats::new(Some(Duration(15)), &shares));
    let eligible = [0, 0, 0, 0].map(|at| bench.arrive(at, 0, 1));
    // The third would wait 20; so would the fourth, as if the third had not come.
    assert_eq!(eligible, [Some(0), Some(10), None, None]);
    // A residence of exactly 15 is not too long.
    assert_eq!(bench.arrive(5, 0, 1), Some(20));
    // Nor did it hold up its group: eligible with the last that was let in.
    assert_eq!(bench.arrive(6, 1, 1), Some(20));
}

#[test]
fn units_of_a_group_do_not_pass_each_other() {
    // Flow 0 may go at once, but came behind the unit of flow 1 that is held until 10.
    let mut bench = bench(&[via(4, 0), via(4, 0)]);
    let eligible = [(0, 1), (1, 1), (2, 0)].map(|(at, seat)| bench.arrive(at, seat, 1));
    assert_eq!(eligible, [Some(0), Some(10), Some(10)]);
    assert_eq!(bench.serve_all(10), [1, 1, 0]);
}

#[test]
fn datagrams_are_sent_while_reserved_units_are_held() {
    let shares = [via(SOURCE, 0), share(0), share(0)];
    let mut bench = Bench::new(Ats::new(Some(Duration(10)), &shares));
    assert_eq!(bench.arrive(1, 2, 1), Some(DATAGRAM | 1));
    assert_eq!(bench.arrive(2, 1, 9), Some(DATAGRAM | 2));
    bench.arrive(2, 1, 9);
    bench.arrive(2, 0, 1);
    bench.arrive(2, 0, 1);
    // The first reserved unit before all; the second is held until 12.
    assert_eq!(bench.serve_unit(3).map(|(seat, _)| seat), Some(0));
    assert_eq!(bench.serve_unit(4).map(|(seat, _)| seat), Some(2));
    assert_eq!(bench.serve_unit(11).map(|(seat, _)| seat), Some(1));
    assert_eq!(bench.serve_all(12), [0, 1]);
}

#[test]
fn a_unit_past_the_end_of_the_clock_is_before_datagrams() {
    let mut slow = share(1);
    slow.rate = backwater_kernel::Rate(1);
    slow.unit_bytes = 1_000_000;
    let mut bench = bench(&[slow]);
    let eligible = [(); 4].map(|()| bench.arrive(0, 0, 1_000_000));
    let eight = 8_000_000_000_000_000_000;
    let expected = [0, eight, LAST_STAMP, LAST_STAMP].map(Some);
    assert_eq!(eligible, expected);
}

#[test]
fn with_a_burst_of_one_unit_eligibility_is_the_stamp_of_virtual_clock_less_a_tick() {
    for seed in 0..20 {
        let mut stream = Stream::new(seed, 0, Purpose::Pattern);
        let mut bench = bench(&[via(SOURCE, 0)]);
        let (mut now_ps, mut aux_vc_ps) = (0, 0);
        for _ in 0..200 {
            now_ps += stream.below(22);
            aux_vc_ps = now_ps.max(aux_vc_ps) + 10;
            assert_eq!(bench.arrive(now_ps, 0, 1), Some(aux_vc_ps - 10));
        }
    }
}

#[test]
fn what_is_eligible_conforms_whatever_comes() {
    // In any window of w, at most w / tick + burst units become eligible.
    for seed in 0..20 {
        let mut stream = Stream::new(seed, 1, Purpose::Pattern);
        let mut bench = bench(&[via(4, 30), via(4, 0)]);
        let mut eligible = Vec::new();
        let mut now_ps = 0;
        for _ in 0..300 {
            now_ps += stream.below(9);
            let seat = stream.below(2) as u32;
            let rank = bench.arrive(now_ps, seat, 1);
            if seat == 0 {
                eligible.extend(rank);
            }
        }
        for (first, &from) in eligible.iter().enumerate() {
            for (count, &until) in eligible[first..].iter().enumerate() {
                assert!(count as u64 * 10 <= until - from + 30, "{from} to {until}");
            }
        }
    }
}
