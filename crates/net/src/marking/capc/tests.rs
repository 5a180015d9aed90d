//! Cells of 1,000 bits, intervals of 1 ms: a cell an interval is 1 Mbps.

use backwater_kernel::Duration;

use super::*;
use crate::marking::testing::{LINK, port};

const MS: u64 = 1_000_000_000;
const BITS: u32 = 1_000;

fn capc() -> Capc {
    let spec = CapcSpec {
        interval: Duration(MS),
        target: 0.75,
        rise: 0.125,
        rise_most: 1.5,
        fall: 0.5,
        fall_least: 0.5,
        congestion_cells: 100,
    };
    Capc::new(&spec, LINK, BITS)
}

/// An interval with so many cells and bits of background.
fn pass(rule: &mut Capc, cells: u64, background: u32) -> RateInterval {
    let end = rule.timer().unwrap();
    let before = port(end.0 - 1, 0);
    assert_eq!(rule.on_timer(&before), None);
    for seat in 0..cells {
        assert_eq!(rule.on_cell(&before, seat as u32 % 4, BITS), None);
    }
    rule.on_cell(&before, BACKGROUND, background);
    rule.on_timer(&port(end.0, 0)).unwrap()
}

#[test]
fn the_share_follows_the_load() {
    let mut rule = capc();
    assert_eq!(rule.fair_share(), Rate(75_000_000));
    // z = 1: it stays.
    assert_eq!(pass(&mut rule, 75, 0).fair_share, Rate(75_000_000));
    // z = 2: less 0.5 x 1.
    assert_eq!(pass(&mut rule, 150, 0).fair_share, Rate(37_500_000));
    // z = 4: less 0.5 x 3, but no more than half.
    assert_eq!(pass(&mut rule, 300, 0).fair_share, Rate(18_750_000));
    // z = 0: an eighth more.
    assert_eq!(pass(&mut rule, 0, 0).fair_share, Rate(21_093_750));
    // 50 Mbps are left, three quarters of them 37.5: z = 2.
    let found = pass(&mut rule, 75, 50_000);
    assert_eq!((found.load, found.fair_share), (2.0, Rate(10_546_875)));
    let mut outcome = RatePortOutcome::default();
    rule.outcome(&mut outcome);
    assert_eq!((outcome.intervals_total, outcome.load_mean), (5, 9.0 / 5.0));
    assert_eq!(rule.fair_share(), Rate(10_546_875));
}

#[test]
fn the_rise_is_limited_too() {
    let spec = CapcSpec {
        interval: Duration(MS),
        target: 0.75,
        rise: 10.0,
        rise_most: 1.25,
        fall: 0.5,
        fall_least: 0.5,
        congestion_cells: 100,
    };
    let mut rule = Capc::new(&spec, LINK, BITS);
    assert_eq!(pass(&mut rule, 0, 0).fair_share, Rate(93_750_000));
    // Nor past the link.
    assert_eq!(pass(&mut rule, 0, 0).fair_share, LINK);
}

#[test]
fn without_capacity_it_falls_to_a_cell_a_second_and_recovers() {
    let mut rule = capc();
    for cells in [10, 0].into_iter().cycle().take(40) {
        pass(&mut rule, cells, 100_000);
    }
    assert_eq!(rule.fair_share(), Rate(1_000));
    for _ in 0..120 {
        pass(&mut rule, 0, 0);
    }
    assert_eq!(rule.fair_share(), LINK);
}

/// An interval without capacity has no load that a mean could count.
#[test]
fn intervals_without_capacity_count_for_no_load() {
    let mut rule = capc();
    pass(&mut rule, 10, 100_000);
    pass(&mut rule, 75, 0);
    let mut outcome = RatePortOutcome::default();
    rule.outcome(&mut outcome);
    assert_eq!((outcome.intervals_total, outcome.load_mean), (2, 1.0));
}

#[test]
fn a_long_queue_sets_ci() {
    let mut rule = capc();
    let mut cell = RmCell {
        er: Rate(80_000_000),
        ..RmCell::default()
    };
    rule.on_backward(&port(0, 100), 0, &mut cell);
    assert_eq!((cell.er, cell.ci), (Rate(75_000_000), false));
    rule.on_backward(&port(0, 101), 0, &mut cell);
    assert!(cell.ci && !cell.ni);
}

/// Five sources that do what they are told, one of them with 5 Mbps at most; the load of the last
/// interval and the share.
fn settle(rule: &mut Capc, told: fn(Rate) -> Rate) -> (f64, Rate) {
    let mut load = 0.0;
    for _ in 0..200 {
        let rate = told(rule.fair_share()).0 / 1_000_000;
        load = pass(rule, 4 * rate + rate.min(5), 0).load;
    }
    (load, rule.fair_share())
}

#[test]
fn it_settles_where_the_load_is_one() {
    let (load, share) = settle(&mut capc(), |share| share);
    assert!((load - 1.0).abs() < 0.06, "{load}");
    // 75 = 4 x 17.5 + 5.
    assert!(share.0.abs_diff(17_500_000) < 1_000_000, "{share:?}");
}

#[test]
fn sources_that_do_not_listen_drive_it_down() {
    let (load, share) = settle(&mut capc(), |_| Rate(50_000_000));
    assert!(load > 2.5);
    assert_eq!(share, Rate(1_000));
}
