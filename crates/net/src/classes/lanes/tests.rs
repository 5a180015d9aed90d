//! What a sorted queue gives out, and in which order.

use backwater_kernel::Time;

use super::*;

fn frame(units: &mut Units, way: u32, order: u32) -> u32 {
    let frame = Unit {
        leg: way,
        ..Unit::data(Time::ZERO, 0, 100)
    };
    let id = units.insert(frame, 0);
    units.set_order(id, order);
    id
}

/// Lanes of three owners, two frames each, of the last owner first.
fn filled(by: Owner) -> (Units, Lanes) {
    let mut units = Units::new();
    let mut lanes = Lanes::new(by, &[(0, 7), (4, 8), (6, 9)]);
    for (order, place) in (0..).zip([2, 2, 1, 1, 0, 0]) {
        let owner = lanes.lanes[place].owner;
        let id = frame(&mut units, owner, order);
        lanes.push(place, &mut units, id);
    }
    (units, lanes)
}

fn taken(units: &Units, lanes: &mut Lanes) -> Vec<usize> {
    let next = || {
        let place = lanes.next(units)?;
        lanes.take(units).map(|_| place)
    };
    core::iter::from_fn(next).collect()
}

#[test]
fn flows_go_in_turns_and_stations_in_the_order_of_joining() {
    let (units, mut lanes) = filled(Owner::Flow);
    assert_eq!(taken(&units, &mut lanes), [0, 1, 2, 0, 1, 2]);
    let (units, mut lanes) = filled(Owner::Destination);
    assert_eq!(taken(&units, &mut lanes), [2, 2, 1, 1, 0, 0]);
}

#[test]
fn a_lane_waits_until_nothing_holds_it() {
    let (units, mut lanes) = filled(Owner::Flow);
    assert!(lanes.hold(1, Lane::SHUT, true));
    assert!(!lanes.hold(1, Lane::SHUT, true), "it is already");
    assert!(lanes.hold(1, Lane::STOPPED, true));
    assert_eq!((lanes.shut, lanes.blocked_bytes), (1, 200));
    assert_eq!(taken(&units, &mut lanes), [0, 2, 0, 2]);
    assert!(lanes.hold(1, Lane::STOPPED, false));
    assert!(!lanes.is_ready());
    assert!(lanes.hold(1, Lane::SHUT, false));
    assert_eq!((lanes.shut, lanes.blocked_bytes), (0, 0));
    assert_eq!(taken(&units, &mut lanes), [1, 1]);
}

#[test]
fn an_emptied_queue_has_nothing_ready() {
    let (units, mut lanes) = filled(Owner::Destination);
    lanes.hold(2, Lane::STOPPED, true);
    lanes.empty();
    assert_eq!(lanes.blocked_bytes, 0);
    assert_eq!(taken(&units, &mut lanes), []);
}
