use core::sync::atomic::{AtomicU32, Ordering};

use backwater_kernel::Duration;

use super::*;
use crate::application::units::{Limited, Traffic};
use crate::control::{Ack, Item, Next, SourceControl};
use crate::spec::SourceControlSpec;
use crate::spec::units::TrafficSpec;

const LINK: Limited = Limited::Spaced {
    unit_bytes: 53,
    link: backwater_kernel::Rate(1_000_000),
};

/// One unit in flight.
struct StopAndWait {
    waits: bool,
}

impl Control for StopAndWait {
    fn next(&mut self, _now: Time, has_data: bool) -> Next {
        match has_data && !self.waits {
            true => Next::Now(Item::Data),
            false => Next::Wait,
        }
    }

    fn on_sent(&mut self, _now: Time, _is_last: bool) {
        self.waits = true;
    }

    fn on_ack(&mut self, _now: Time, _ack: &Ack) {
        self.waits = false;
    }
}

/// Twos, the first at 30, then after ever longer gaps; three of them.
struct Twos(u64);

impl Source for Twos {
    fn start(&mut self) -> Option<Time> {
        Some(Time(30))
    }

    fn on_timer(&mut self, now: Time) -> Emission {
        self.0 += 1;
        let next = (self.0 < 3).then(|| now + Duration(10 * self.0));
        Emission { units: 2, next }
    }
}

#[test]
fn control_outside_is_a_member_like_others() {
    let recipe = ControlRecipe::new(|| Box::new(StopAndWait { waits: false }));
    let spec = SourceControlSpec::Outside {
        recipe,
        is_acknowledged: true,
    };
    assert!(spec.is_acknowledged());
    let mut control = SourceControl::new(&spec, 53);
    let now = Time::ZERO;
    assert_eq!(control.next(now, true), Next::Now(Item::Data));
    control.on_sent(now, false);
    assert_eq!(control.next(now, true), Next::Wait);
    control.on_ack(now, &Ack::default());
    assert_eq!(control.next(now, true), Next::Now(Item::Data));
    assert_eq!((control.window(), control.position()), (u64::MAX, None));
}

#[test]
fn a_copy_is_a_fresh_one_and_a_recipe_equals_itself() {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let make = || -> Box<dyn Control + Send> {
        MADE.fetch_add(1, Ordering::Relaxed);
        Box::new(StopAndWait { waits: false })
    };
    let (one, other) = (ControlRecipe::new(make), ControlRecipe::new(make));
    assert!(one == one.clone() && one != other);
    let mut outside = Outside::new(&one);
    outside.on_sent(Time::ZERO, false);
    assert_eq!(outside.next(Time::ZERO, true), Next::Wait);
    let mut copy = outside.clone();
    assert_eq!(copy.next(Time::ZERO, true), Next::Now(Item::Data));
    assert_eq!(MADE.load(Ordering::Relaxed), 2);
}

#[test]
fn a_source_outside_is_asked_when_it_says() {
    let recipe = SourceRecipe::new(|| Box::new(Twos(0)));
    let mut traffic = Traffic::new(&TrafficSpec::Outside(recipe), LINK, 1, 0);
    traffic.postpone(Duration(5));
    let (mut at, mut asked) = (traffic.start(), alloc::vec::Vec::new());
    while let Some(now) = at {
        let emission = traffic.on_timer(now);
        asked.push((now.ps(), emission.units));
        at = emission.next;
    }
    assert_eq!(asked, [(35, 2), (45, 2), (65, 2)]);
}
