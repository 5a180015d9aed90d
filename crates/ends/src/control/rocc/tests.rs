//! The table of what is refused and accepted, and recovery.

use backwater_kernel::Duration;

use super::*;

const LINE: Rate = Rate(40_000_000_000);

fn rocc() -> Rocc {
    Rocc::new(&RoccSpec::default(), LINE)
}

fn told(rocc: &mut Rocc, us: u64, gbps: u64, from: u32) -> Option<u64> {
    let rate = Rate(gbps * 1_000_000_000);
    rocc.on_control(Time(us * 1_000_000), &Signal::Rate { rate, from });
    rocc.pacing().map(|rate| rate.0 / 1_000_000_000)
}

#[test]
fn lower_or_of_the_same_point_is_obeyed() {
    let mut rocc = rocc();
    assert_eq!(rocc.pacing(), None);
    assert_eq!(told(&mut rocc, 0, 10, 1), Some(10));
    assert_eq!(told(&mut rocc, 1, 20, 2), Some(10), "higher, of another");
    assert_eq!(told(&mut rocc, 2, 20, 1), Some(20), "higher, of the same");
    assert_eq!(told(&mut rocc, 3, 5, 2), Some(5), "lower, of another");
    assert_eq!(
        told(&mut rocc, 4, 8, 1),
        Some(5),
        "the first is another now"
    );
    assert_eq!(told(&mut rocc, 5, 5, 1), Some(5));
    assert_eq!(
        rocc.inner(Time(0), Inner::Point),
        Some(1.0),
        "as low is obeyed"
    );
}

/// Equal rates of two points keep each other's timer away: with `<` one of them would lapse.
#[test]
fn as_low_a_rate_restarts_the_timer() {
    let mut rocc = rocc();
    for n in 0..100 {
        let now = Time(n * 40_000_000);
        rocc.on_timer(now);
        assert_eq!(told(&mut rocc, n * 40, 5, n as u32 % 2), Some(5));
    }
}

#[test]
fn silence_doubles_and_then_lifts_the_limit() {
    let mut rocc = rocc();
    told(&mut rocc, 0, 10, 1);
    let mut steps = alloc::vec::Vec::new();
    while let Some(at) = rocc.timer() {
        rocc.on_timer(at);
        steps.push((
            at.0 / 1_000_000,
            rocc.pacing().map(|rate| rate.0 / 1_000_000_000),
        ));
    }
    let expected = [
        (200, Some(20)),
        (400, Some(40)),
        (600, Some(40)),
        (800, None),
    ];
    assert_eq!(steps, expected);
    // Asked once, late: the same.
    let mut late = super::Rocc::new(&RoccSpec::default(), LINE);
    told(&mut late, 0, 10, 1);
    late.on_timer(Time(0) + Duration(450_000_000));
    assert_eq!(late.pacing(), Some(LINE));
    assert_eq!(late.timer(), Some(Time(600_000_000)));
}

/// Without a limit a message that asks for more than line rate changes nothing.
#[test]
fn more_than_line_rate_is_no_limit() {
    let mut rocc = rocc();
    assert_eq!(told(&mut rocc, 0, 50, 1), None);
}
