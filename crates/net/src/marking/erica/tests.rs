//! Small cases by hand. Cells have 1,000 bits and intervals 1 ms, so that a cell an interval is
//! 1 Mbps; the link has 100 Mbps and the target is 3/4, so that C' = 75 Mbps.

mod eager;
mod loops;

use backwater_kernel::Duration;

use super::*;
use crate::marking::testing::{LINK, port};
use crate::spec::{AgingSpec, QueueControlSpec};

const MS: u64 = 1_000_000_000;
const BITS: u32 = 1_000;

pub(super) const SPEC: EricaSpec = EricaSpec {
    interval: Duration(MS),
    interval_cells: 0,
    target: 0.75,
    delta: 0.1,
    limit_jump: true,
    ccr: CurrentRate::Field,
    one_feedback: true,
    up_to_link: false,
    activity_decay: 0.0,
    queue: None,
    aging: None,
};

/// A port and the time.
struct Rig {
    erica: Erica,
    now_ps: u64,
}

impl Rig {
    fn new(spec: EricaSpec) -> Rig {
        Rig {
            erica: Erica::new(&spec, LINK, 4, BITS),
            now_ps: 0,
        }
    }

    /// Circuits claim so many Mbps, in the order of seats.
    fn claim<const N: usize>(&mut self, mbps: [u64; N]) {
        for (seat, mbps) in mbps.into_iter().enumerate() {
            let mut cell = RmCell {
                ccr: Rate(mbps * 1_000_000),
                ..RmCell::default()
            };
            let at = port(self.now_ps, 0);
            self.erica.on_forward(&at, seat as u32, &mut cell);
        }
    }

    /// An interval in which circuits send so many cells and the background so many bits.
    fn pass<const N: usize>(
        &mut self,
        cells: [u32; N],
        background: u32,
        queue: u32,
    ) -> RateInterval {
        let at = port(self.now_ps + MS / 2, queue);
        for (seat, cells) in cells.into_iter().enumerate() {
            for _ in 0..cells {
                assert_eq!(self.erica.on_cell(&at, seat as u32, BITS), None);
            }
        }
        self.erica.on_cell(&at, BACKGROUND, background);
        self.now_ps += MS;
        assert_eq!(self.erica.timer(), Some(Time(self.now_ps)));
        self.erica.on_timer(&port(self.now_ps, queue)).unwrap()
    }

    /// What a backward RM cell of the circuit says afterwards, in bps.
    fn told(&mut self, seat: u32) -> u64 {
        let mut cell = RmCell {
            er: Rate(u64::MAX),
            ..RmCell::default()
        };
        let at = port(self.now_ps, 0);
        self.erica.on_backward(&at, seat, &mut cell);
        cell.er.0
    }
}

#[test]
fn before_the_first_interval_all_is_allowed() {
    let mut rig = Rig::new(SPEC);
    assert_eq!(rig.erica.fair_share(), Rate(75_000_000));
    assert_eq!(rig.told(0), 75_000_000);
}

#[test]
fn underload_raises_all_in_proportion() {
    for (limit_jump, first) in [(false, 50_000_000), (true, 37_500_000)] {
        let mut rig = Rig::new(EricaSpec { limit_jump, ..SPEC });
        rig.claim([20, 10]);
        // Two intervals, so that the rate allowed at the start is forgotten.
        rig.pass([20, 10], 0, 0);
        let found = rig.pass([20, 10], 0, 0);
        assert_eq!(found.length, Duration(MS));
        assert_eq!(found.active, 2.0);
        assert_eq!(found.fair_share, Rate(37_500_000));
        // z = 30 / 75 = 0.4.
        assert!((found.load - 0.4).abs() < 1e-9);
        // 20 / z = 50, but no jump past the fair share; 10 / z = 25 is below it.
        assert_eq!(rig.told(0), first);
        assert_eq!(rig.told(1), 37_500_000);
    }
}

#[test]
fn overload_lowers_all_in_proportion_but_not_below_the_fair_share() {
    let mut rig = Rig::new(SPEC);
    rig.claim([100, 50]);
    let found = rig.pass([100, 50], 0, 0);
    assert_eq!(found.load, 2.0);
    assert_eq!(rig.told(0), 50_000_000);
    assert_eq!(rig.told(1), 37_500_000);
}

#[test]
fn up_to_one_plus_delta_the_largest_allocation_before_counts() {
    // z = 1.0667 with delta 0.1 and 0.05.
    for (delta, expected) in [(0.1, 75_000_000), (0.05, 46_875_000)] {
        let mut rig = Rig::new(EricaSpec { delta, ..SPEC });
        rig.claim([50, 30]);
        rig.pass([50, 30], 0, 0);
        assert_eq!(rig.told(0).abs_diff(expected) / 2, 0);
        // 30 Mbps is below the fair share: no further than that.
        assert_eq!(rig.told(1), 37_500_000);
    }
}

#[test]
fn a_load_of_one_plus_delta_is_no_overload() {
    let mut rig = Rig::new(EricaSpec { delta: 0.0, ..SPEC });
    rig.claim([50, 40]);
    assert_eq!(rig.pass([45, 30], 0, 0).load, 1.0);
    assert_eq!(rig.told(0), 75_000_000);
    rig.pass([46, 30], 0, 0);
    assert!(rig.told(0) < 50_000_000);
}

#[test]
fn the_largest_allocation_is_of_the_interval_before() {
    let mut rig = Rig::new(SPEC);
    rig.claim([100, 50]);
    rig.pass([100, 50], 0, 0);
    assert_eq!(rig.told(0), 50_000_000);
    // Now z = 1: the other one is raised to what the first was told.
    rig.claim([50, 40]);
    rig.pass([45, 30], 0, 0);
    assert_eq!(rig.told(1), 50_000_000);
    // Nothing is told in the next one, so that only the fair share is left of it.
    rig.pass([45, 30], 0, 0);
    rig.pass([45, 30], 0, 0);
    assert_eq!(rig.told(1), 40_000_000);
}

#[test]
fn a_circuit_has_one_answer_an_interval() {
    for (one_feedback, second) in [(true, 50_000_000), (false, 40_000_000)] {
        let mut rig = Rig::new(EricaSpec {
            one_feedback,
            ..SPEC
        });
        rig.claim([100, 50]);
        rig.pass([100, 50], 0, 0);
        assert_eq!(rig.told(0), 50_000_000);
        rig.claim([80]);
        assert_eq!(rig.told(0), second);
        rig.pass([100, 50], 0, 0);
        assert_eq!(rig.told(0), 40_000_000);
    }
}

#[test]
fn an_interval_ends_by_count_or_by_time() {
    let mut erica = Erica::new(
        &EricaSpec {
            interval_cells: 5,
            ..SPEC
        },
        LINK,
        4,
        BITS,
    );
    let at = port(MS / 5, 0);
    for _ in 0..4 {
        assert_eq!(erica.on_cell(&at, 0, BITS), None);
        erica.on_cell(&at, BACKGROUND, 0);
    }
    let found = erica.on_cell(&at, 1, BITS).unwrap();
    // 5,000 bits in 0.2 ms are 25 Mbps, a third of 75.
    assert_eq!(found.length, Duration(MS / 5));
    assert!((found.load - 1.0 / 3.0).abs() < 1e-9);
    assert_eq!(found.active, 2.0);
    // The timer has moved, and an old one does nothing.
    assert_eq!(erica.timer(), Some(Time(MS + MS / 5)));
    assert_eq!(erica.on_timer(&port(MS, 0)), None);
    let found = erica.on_timer(&port(MS + MS / 5, 0)).unwrap();
    assert_eq!((found.load, found.active), (0.0, 0.0));
    // Five cells in one instant: an interval of 1 ps.
    for _ in 0..4 {
        erica.on_cell(&port(MS + MS / 5, 0), 0, BITS);
    }
    let found = erica.on_cell(&port(MS + MS / 5, 0), 0, BITS).unwrap();
    assert_eq!(found.length, Duration(1));
    assert!(found.load > 1e6 && found.load.is_finite());
}

#[test]
fn background_takes_capacity() {
    let mut rig = Rig::new(SPEC);
    rig.claim([30, 30]);
    // 50 Mbps are left, of which three quarters: 37.5.
    let found = rig.pass([30, 30], 50_000, 0);
    assert!((found.load - 1.6).abs() < 1e-9);
    assert_eq!(found.fair_share, Rate(18_750_000));
    assert_eq!(rig.told(0), 18_750_000);
}

#[test]
fn nobody_active_is_no_division_by_zero() {
    let mut rig = Rig::new(SPEC);
    rig.claim([10]);
    let found = rig.pass([0, 0], 0, 0);
    assert_eq!((found.load, found.active), (0.0, 0.0));
    assert_eq!(found.fair_share, Rate(75_000_000));
    assert_eq!(rig.told(0), 75_000_000);
    // Also for a circuit that claims nothing.
    assert_eq!(rig.told(1), 75_000_000);
    let mut rig = Rig::new(EricaSpec {
        up_to_link: true,
        limit_jump: false,
        ..SPEC
    });
    rig.pass([0], 0, 0);
    assert_eq!(rig.told(0), LINK.0);
}

#[test]
fn no_capacity_left_is_no_division_by_zero() {
    for up_to_link in [false, true] {
        let mut rig = Rig::new(EricaSpec { up_to_link, ..SPEC });
        rig.claim([50]);
        let found = rig.pass([50], 100_000, 0);
        assert_eq!((found.load, found.fair_share), (f64::INFINITY, Rate(0)));
        assert_eq!(rig.told(0), 0);
        // No input: no load. The cap says whether anything is allowed.
        let found = rig.pass([0], 200_000, 0);
        assert_eq!((found.load, found.fair_share), (0.0, Rate(0)));
        assert_eq!(rig.told(0), if up_to_link { LINK.0 } else { 0 });
        let mut outcome = RatePortOutcome::default();
        rig.erica.outcome(&mut outcome);
        assert_eq!((outcome.intervals_total, outcome.load_mean), (2, 0.0));
        assert_eq!(outcome.active_mean, 0.5);
        // It recovers.
        rig.pass([50], 0, 0);
        assert_eq!(rig.erica.fair_share(), Rate(75_000_000));
    }
}

#[test]
fn rates_can_be_measured_instead_of_believed() {
    let mut rig = Rig::new(EricaSpec {
        ccr: CurrentRate::Measured,
        ..SPEC
    });
    rig.claim([10, 10]);
    rig.pass([100, 50], 0, 0);
    assert_eq!(rig.told(0), 50_000_000);
    // Cells of the current interval don't count yet.
    rig.pass([100, 50], 0, 0);
    rig.erica.on_cell(&port(rig.now_ps, 0), 0, BITS);
    assert_eq!(rig.told(0), 50_000_000);
    // A circuit that was silent for an interval has rate 0.
    rig.pass([0, 150], 0, 0);
    assert_eq!(rig.erica.current_rate(0), Rate(1_000_000));
    rig.pass([0, 150], 0, 0);
    assert_eq!(rig.erica.current_rate(0), Rate(0));
    assert_eq!(rig.erica.current_rate(1), Rate(150_000_000));
}

#[test]
fn what_another_switch_allows_is_not_raised() {
    let mut rig = Rig::new(SPEC);
    rig.pass([1], 0, 0);
    let mut cell = RmCell {
        er: Rate(3),
        ..RmCell::default()
    };
    rig.erica.on_backward(&port(MS, 0), 0, &mut cell);
    assert_eq!(cell.er, Rate(3));
}

#[test]
fn the_target_follows_the_queue() {
    let queue = QueueControlSpec {
        delay: Duration(MS),
        a: 1.5,
        b: 1.25,
        least: 0.5,
    };
    let mut rig = Rig::new(EricaSpec {
        queue: Some(queue),
        target: 1.0,
        ..SPEC
    });
    // Q0 = 100 cells: f(0) = 1.25, f(100) = 1, f(400) = 150 / 300, and not less.
    for (cells, mbps) in [(0, 125), (100, 100), (400, 50), (4_000, 50)] {
        let found = rig.pass([100], 0, cells);
        assert_eq!(found.fair_share, Rate(mbps * 1_000_000), "{cells}");
    }
}

/// What the chapter says of a target below 1.
#[test]
fn with_a_low_target_an_empty_queue_does_not_fill_the_link() {
    let queue = QueueControlSpec {
        delay: Duration(MS),
        a: 1.15,
        b: 1.05,
        least: 0.5,
    };
    let asked = |target| {
        let mut rig = Rig::new(EricaSpec {
            target,
            queue: Some(queue),
            ..SPEC
        });
        rig.pass([10], 0, 0);
        rig.erica.capacity.0
    };
    assert!(asked(0.9).abs_diff(94_500_000) < 5, "{}", asked(0.9));
    assert!(asked(1.0).abs_diff(105_000_000) < 5, "{}", asked(1.0));
}

#[test]
fn a_circuit_seen_lately_is_half_active() {
    let mut rig = Rig::new(EricaSpec {
        activity_decay: 0.5,
        ..SPEC
    });
    rig.pass([10, 10], 0, 0);
    assert_eq!(rig.erica.fair_share(), Rate(37_500_000));
    let found = rig.pass([10, 0], 0, 0);
    assert_eq!((found.active, found.fair_share), (1.5, Rate(50_000_000)));
    let found = rig.pass([0, 0], 0, 0);
    // 0.5 + 0.25 is less than one circuit.
    assert_eq!((found.active, found.fair_share), (0.75, Rate(75_000_000)));
}

#[test]
fn aging_lowers_what_is_told_and_not_what_is_stored() {
    let aging = AgingSpec {
        alpha: 0.1,
        delta: 1.5,
        floor: Rate(1_000_000),
        weight: 1.0,
    };
    let mut rig = Rig::new(EricaSpec {
        aging: Some(aging),
        ..SPEC
    });
    rig.claim([70, 10]);
    rig.pass([10, 10], 0, 0);
    // u = 7: e^0.7 - e^0.15 = 0.8519; 70 Mbps less that is 10.4, and 1.5 x 10 is more.
    assert_eq!(rig.told(0), 15_000_000);
    assert_eq!(rig.told(1), 37_500_000);
    // Once it uses what it claims, it gets the answer of this interval.
    rig.claim([15]);
    assert_eq!(rig.told(0), 75_000_000);
    assert_eq!(rig.erica.seen.len(), 0);
}
