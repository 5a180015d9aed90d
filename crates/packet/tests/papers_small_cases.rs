//! The small cases of Kung 1993, replayed exactly.

mod common;

use common::*;
use kernel::Wheel;
use packet::Simulation;
use packet::probe::Audit;
use packet::spec::*;

#[test]
fn figure_17_settles_at_a_third_and_two_thirds() {
    let mut net = figure_17(Timing::StoreAndForward, at(20_000));
    net.spec.warm_up = at(10_000);
    let audit = Audit::new(&net.spec);
    let mut simulation = Simulation::<Wheel, _>::new(&net.spec, audit).expect("it is sound");
    simulation.run();
    let outcome = simulation.outcome();
    let audit = simulation.into_probe();
    assert_eq!(audit.violations().1, 0, "{:?}", audit.violations().0);
    assert!(audit.checks() > 100_000);
    let share = |leg: usize| outcome.legs[leg].sent as f64 / 10_000.0;
    assert!((share(1) - 1.0 / 3.0).abs() < 1e-3, "VC1 {}", share(1));
    assert!((share(4) - 2.0 / 3.0).abs() < 1e-3, "VC2 {}", share(4));
    let vc1_at_s2 = &outcome.legs[1];
    assert_eq!((vc1_at_s2.fill_min, vc1_at_s2.fill_max), (103, 107));
}
