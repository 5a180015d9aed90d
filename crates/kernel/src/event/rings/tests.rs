use super::*;

fn delays(rings: &Rings) -> Vec<u64> {
    let all = rings.delays.iter().copied();
    all.filter(|delay| *delay != UNUSED).collect()
}

fn event(at: u64) -> Event {
    Event::new(Time(at), Phase::Deliver, 0, 0)
}

/// Takes `turns` instants out and adds an event with each of the delays at each.
fn turn(rings: &mut Rings, delays: &[u64], turns: usize) {
    for _ in 0..turns {
        rings.take_instant(Time::MAX, |_| ());
        for delay in delays {
            rings.push(event(rings.now + delay));
        }
        // One event at a time would stay; more than one would grow without end.
        while rings.len() > 64 {
            rings.take_instant(Time::MAX, |_| ());
        }
    }
}

#[test]
fn a_delay_that_comes_back_gets_a_ring_and_all_others_do_not() {
    let mut rings = Rings::default();
    rings.push(event(1));
    turn(&mut rings, &[700, 41], 400);
    let mut found = delays(&rings);
    found.sort_unstable();
    assert_eq!(found, [41, 700]);
    assert!(rings.firsts.iter().any(|first| *first != EMPTY));
}

#[test]
fn delays_that_all_differ_get_none() {
    let mut rings = Rings::default();
    rings.push(event(1));
    for step in 0..100_000_u64 {
        rings.take_instant(Time::MAX, |_| ());
        rings.push(event(rings.now + 1_000_000 + step * 17));
    }
    assert_eq!((delays(&rings).len(), rings.len()), (0, 1));
}

#[test]
fn a_ring_that_is_no_longer_used_makes_room() {
    let mut rings = Rings::default();
    rings.push(event(1));
    turn(&mut rings, &[700], 400);
    assert_eq!(delays(&rings), [700]);
    rings.push(event(rings.now + 700));
    let held = rings.len();
    let now = rings.now;
    // Nothing with that delay for two periods; the wheel is emptied as it fills.
    for step in 0..2 * u64::from(PERIOD) {
        rings.push(event(now + 700 + step));
    }
    assert_eq!(delays(&rings), []);
    assert_eq!(rings.len(), held + 2 * PERIOD as usize, "none is lost");
}

#[test]
fn what_stands_in_the_wheel_is_not_overtaken() {
    let mut rings = Rings::default();
    rings.push(event(1));
    turn(&mut rings, &[700], 400);
    let now = rings.now;
    rings.push(event(now + 699));
    rings.push(event(now + 700));
    rings.push(event(now + 700));
    rings.push(event(now + 701));
    let mut seen = [0; 3];
    for (at, seen) in [699, 700, 701].into_iter().zip(&mut seen) {
        while rings.next_time() < Some(Time(now + at)) {
            rings.take_instant(Time::MAX, |_| ());
        }
        let instant = rings.take_instant(Time(now + at), |_| *seen += 1);
        assert_eq!(instant, Some(Time(now + at)));
    }
    assert!(seen[0] >= 1 && seen[1] >= 2 && seen[2] >= 1, "{seen:?}");
}

#[test]
fn far_ahead_all_events_are_in_the_wheel() {
    let mut rings = Rings::default();
    rings.push(event(LIMIT - 200_000));
    turn(&mut rings, &[700], 200);
    assert_eq!(delays(&rings), [700]);
    for step in 0..1_000 {
        let Some(now) = rings.next_time() else { break };
        assert_eq!(rings.take_instant(Time::MAX, |_| ()), Some(now));
        rings.push(event(now.0 + 700));
        if step % 3 == 0 {
            rings.push(event(now.0 + 1));
        }
    }
    assert!(rings.now > LIMIT);
    assert_eq!(delays(&rings), []);
    assert!(rings.firsts.iter().all(|first| *first == EMPTY));
}

#[test]
fn the_limit_loses_nothing() {
    // Beside the wheel alone, which knows no limit.
    let (mut rings, mut wheel) = (Rings::default(), Wheel::default());
    for at in [LIMIT - 5_000, LIMIT - 4_990, LIMIT - 100, LIMIT] {
        rings.push(event(at));
        wheel.push(event(at));
    }
    for _ in 0..20_000 {
        let (mut one, mut other) = (Vec::new(), Vec::new());
        let instant = rings.take_instant(Time::MAX, |event| one.push(event));
        assert_eq!(
            instant,
            wheel.take_instant(Time::MAX, |event| other.push(event))
        );
        assert_eq!(one.len(), other.len());
        let now = rings.now;
        let ahead = [now + 41, now + 41 + u64::from(now % 2 == 0)];
        for at in ahead.into_iter().take(1 + usize::from(rings.len() < 50)) {
            rings.push(event(at));
            wheel.push(event(at));
        }
    }
    assert!(rings.now > LIMIT);
}
