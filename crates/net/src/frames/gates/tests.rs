//! Stops that come, end and are broken, at exact instants, put together by hand.

use alloc::vec::Vec;

use super::*;
use crate::frames::testing::{OUT, Run, join, network, spec};
use crate::spec::frames::{
    ClassBits, Detect, InputSpec, MemorySpec, NodeKind, Ratio, ShareSpec, SharedSpec, StormSpec,
    WatchdogSpec,
};

/// A quantum at 1 Gbps.
const QUANTUM: u64 = 512_000;

fn control(gate: Gate, quanta: u16) -> Control {
    let orders = match gate {
        Gate::Class(class) if quanta > 0 => Orders::Classes {
            stops: 1 << class,
            resumes: 0,
        },
        Gate::Class(class) => Orders::Classes {
            stops: 0,
            resumes: 1 << class,
        },
        Gate::Port | Gate::Destination(..) | Gate::Flow(..) | Gate::Lane(..) => Orders::Gate(gate),
    };
    Control {
        orders,
        quanta,
        is_endless: false,
        from: 2,
    }
}

/// At `now` the second station says something to the switch.
fn say(run: &mut Run, now: u64, gate: Gate, quanta: u16) {
    run.now = Time(now);
    run.apply(OUT, control(gate, quanta));
}

fn stopped(run: &Run) -> ClassBits {
    run.network.channels[OUT as usize].stopped()
}

#[test]
fn what_takes_a_time_to_take_in_is_taken_in_in_its_order() {
    let mut run = network(None);
    let said = [(10, 0, 9), (20, 1, 9), (30, 0, 0)];
    for (at, class, quanta) in said {
        let control = control(Gate::Class(class), quanta);
        run.network.classes.gates[OUT as usize]
            .responses
            .push((Time(at), control));
    }
    for (now, mask) in [(9, 0b00), (10, 0b01), (19, 0b01), (20, 0b11), (30, 0b10)] {
        run.now = Time(now);
        run.on_response(OUT);
        assert_eq!(stopped(&run), mask, "at {now}");
    }
}

#[test]
fn a_quantum_is_a_stop_and_ends_by_itself_to_the_picosecond() {
    let mut run = network(None);
    say(&mut run, 5, Gate::Class(1), 1);
    assert_eq!(stopped(&run), 0b10);
    let end = 5 + QUANTUM;
    for (now, mask) in [(end - 1, 0b10), (end, 0b00)] {
        run.now = Time(now);
        run.on_expiry(OUT);
        assert_eq!(stopped(&run), mask, "at {now}");
    }
}

#[test]
fn stops_end_one_after_the_other_and_a_longer_one_replaces_a_shorter() {
    let mut run = network(None);
    say(&mut run, 0, Gate::Class(0), 1);
    say(&mut run, 0, Gate::Class(1), 3);
    say(&mut run, 0, Gate::Port, 2);
    say(&mut run, QUANTUM - 1, Gate::Class(0), 4);
    let cases = [
        (QUANTUM, ClassBits::MAX, 2 * QUANTUM),
        (2 * QUANTUM, 0b11, 3 * QUANTUM),
        (3 * QUANTUM, 0b01, 5 * QUANTUM - 1),
        (5 * QUANTUM - 1, 0b00, u64::MAX),
    ];
    for (now, mask, next) in cases {
        run.now = Time(now);
        run.on_expiry(OUT);
        assert_eq!(stopped(&run), mask, "at {now}");
        assert_eq!(run.network.classes.gates[OUT as usize].expiry, Time(next));
    }
}

#[test]
fn what_came_last_is_known_for_each_class() {
    let mut run = network(None);
    say(&mut run, 10, Gate::Class(1), 7);
    say(&mut run, 20, Gate::Class(0), 0);
    let last = |run: &Run| {
        let gates = &run.network.classes.gates[OUT as usize];
        [0, 1].map(|class| gates.class_gate(class).last_stop.0)
    };
    assert_eq!(last(&run), [0, 10], "a resume is no stop");
    say(&mut run, 30, Gate::Destination(0, 2), 7);
    assert_eq!(last(&run), [30, 10]);
    say(&mut run, 40, Gate::Port, 7);
    assert_eq!(last(&run), [40, 40]);
}

/// Since when each class has been stopped, in whole or in part.
fn watched(run: &Run) -> [Option<u64>; 2] {
    let gates = &run.network.classes.gates[OUT as usize];
    [0, 1].map(|class| gates.class_gate(class).watch.since.map(|at| at.0))
}

#[test]
fn a_class_is_stopped_in_part_while_a_destination_is() {
    let mut run = network(None);
    say(&mut run, 10, Gate::Destination(1, 2), 7);
    assert_eq!((watched(&run), stopped(&run)), ([None, Some(10)], 0));
    say(&mut run, 20, Gate::Class(0), 7);
    assert_eq!(watched(&run), [Some(20), Some(10)]);
    // A stop said again goes on.
    say(&mut run, 30, Gate::Class(0), 9);
    assert_eq!(
        run.network.classes.gates[OUT as usize].classes[0]
            .stop
            .since,
        Time(20)
    );
    say(&mut run, 40, Gate::Destination(1, 2), 0);
    assert_eq!(watched(&run), [Some(20), None]);
}

fn watchdog(action: WatchdogAction) -> Option<WatchdogSpec> {
    Some(WatchdogSpec {
        detect: Duration(100),
        restore: Duration(50),
        action,
    })
}

/// Stops class 1 at 10 for very long, with a frame of 600 bytes in it; looks at these instants.
fn looks(run: &mut Run, instants: &[u64]) -> Vec<bool> {
    run.now = Time(10);
    join(run, 1, 600);
    say(run, 10, Gate::Class(1), 60_000);
    let look = |now: &u64| {
        run.now = Time(*now);
        run.on_watchdog(OUT, 1);
        run.network.channels[OUT as usize].tripped == 0b10
    };
    instants.iter().map(look).collect()
}

#[test]
fn a_watchdog_trips_when_its_time_is_over_and_restores_when_stops_stay_away() {
    let mut run = network(watchdog(WatchdogAction::Forward));
    let found = looks(&mut run, &[109, 110]);
    assert_eq!(found, [false, true]);
    assert_eq!(stopped(&run), 0, "it sends in spite of the stop");
    // Another stop at 130: 50 later is 180.
    say(&mut run, 130, Gate::Class(1), 60_000);
    for (now, is_tripped) in [(160, true), (179, true), (180, false)] {
        run.now = Time(now);
        run.on_watchdog(OUT, 1);
        let tripped = run.network.channels[OUT as usize].tripped;
        assert_eq!(tripped == 0b10, is_tripped, "at {now}");
    }
    assert_eq!(stopped(&run), 0b10, "the stop stands");
    let at = run.network.queue(OUT, 1);
    assert_eq!(run.network.classes.counts[at].watchdog_trips, 1);
}

#[test]
fn a_watchdog_minds_neither_an_empty_class_nor_one_that_may_send() {
    let mut run = network(watchdog(WatchdogAction::Drop));
    say(&mut run, 10, Gate::Class(0), 60_000);
    run.now = Time(500);
    run.on_watchdog(OUT, 0);
    assert_eq!(run.network.channels[OUT as usize].tripped, 0, "it is empty");
    let mut run = network(watchdog(WatchdogAction::Drop));
    join(&mut run, 0, 600);
    say(&mut run, 10, Gate::Class(0), 60_000);
    say(&mut run, 20, Gate::Class(0), 0);
    run.now = Time(500);
    run.on_watchdog(OUT, 0);
    assert_eq!(run.network.channels[OUT as usize].tripped, 0, "it may send");
}

#[test]
fn a_watchdog_drops_what_waits_and_comes_in_its_class_alone() {
    let mut run = network(watchdog(WatchdogAction::Drop));
    join(&mut run, 0, 700);
    let found = looks(&mut run, &[110]);
    assert_eq!(found, [true]);
    let held = |run: &Run, class| {
        let queue = &run.network.classes.queues[run.network.queue(OUT, class)];
        (queue.frames, queue.bytes)
    };
    assert_eq!([held(&run, 0), held(&run, 1)], [(1, 700), (0, 0)]);
    assert!(run.drops_all(OUT, 1) && !run.drops_all(OUT, 0));
    // One that forwards drops nothing.
    let mut run = network(watchdog(WatchdogAction::Forward));
    looks(&mut run, &[110]);
    assert_eq!(held(&run, 1), (1, 600));
    assert!(!run.drops_all(OUT, 1));
}

/// A network that detects at its inputs: stopped above 3,000 bytes, resumed below 2,000, with room
/// for 3,500.
fn at_inputs(watchdog: Option<WatchdogSpec>) -> Run {
    let mut spec = spec(watchdog);
    let limit = InputSpec {
        limit_bytes: Some(3_500),
        high_bytes: 3_000,
        low_bytes: 2_000,
    };
    spec.links[0].channels[0].inputs = Vec::from([limit; 2]);
    spec.links[1].channels[1].inputs = Vec::from([limit; 2]);
    if let NodeKind::Switch(switch) = &mut spec.nodes[1].kind
        && let Some(rules) = &mut switch.stops.common
    {
        rules.detect = Detect::Inputs;
    }
    Simulation::new(&spec).expect("a sound network")
}

/// A frame of class 1 comes in over channel 0; whether there was room.
fn come(run: &mut Run, bytes: u64) -> bool {
    let queue = run.network.queue(OUT, 1);
    let account = run.network.queue(0, 1) as u32;
    match run.enter_account::<ANYTHING>(1, account, queue, bytes) {
        Ok(true) => run.stop_account(1, account),
        Ok(false) => {}
        Err(_) => return false,
    }
    true
}

/// Only the class that is lossless has headroom, whatever its number.
#[test]
fn headroom_is_for_the_lossless_class() {
    let mut spec = spec(None);
    let ratio = |numerator| Ratio {
        numerator,
        denominator: 1,
    };
    if let NodeKind::Switch(switch) = &mut spec.nodes[1].kind
        && let Some(rules) = &mut switch.stops.common
    {
        (rules.classes, rules.detect) = (0b10, Detect::Inputs);
        let share = ShareSpec {
            pool: 0,
            reserve_bytes: 0,
            headroom_bytes: 2_000,
            alpha: ratio(0),
            output_alpha: ratio(1),
            resume_offset_bytes: 0,
            resume_floor_bytes: 0,
        };
        switch.memory = MemorySpec::Shared(SharedSpec::one(20_000, 8_000, share));
    }
    let mut run: Run = Simulation::new(&spec).expect("a sound network");
    let entered = [0, 1].map(|class: u8| {
        let queue = run.network.queue(OUT, class);
        let account = run.network.queue(0, class) as u32;
        run.enter_account::<ANYTHING>(1, account, queue, 600)
            .is_ok()
    });
    assert_eq!(entered, [false, true]);
    let at = run.network.queue(0, 1);
    assert_eq!(run.network.classes.accounts[at].headroom_bytes, 600);
    assert_eq!(
        run.network.classes.account_times[at].headroom_most_bytes,
        600
    );
}

#[test]
fn what_a_watchdog_drops_leaves_its_input() {
    let mut run = at_inputs(watchdog(WatchdogAction::Drop));
    assert!(come(&mut run, 600));
    looks(&mut run, &[110]);
    let input = run.network.queue(0, 1);
    assert_eq!(run.network.classes.accounts[input].bytes, 0);
    assert_eq!(run.network.classes.nodes[1].bytes, 0);
}

#[test]
fn an_input_stops_its_sender_above_a_threshold_and_resumes_it_below_another() {
    let mut run = at_inputs(None);
    let asked = |run: &mut Run| {
        // What there is to say starts.
        while run.next_control(1).is_some() {}
        let asked = &run.network.classes.asked[1];
        (asked.stops, asked.resumes)
    };
    assert!(come(&mut run, 3_000));
    assert_eq!(asked(&mut run), (0, 0), "3,000 are not more than 3,000");
    assert!(come(&mut run, 1));
    assert_eq!(asked(&mut run), (1, 0));
    assert!(come(&mut run, 499), "3,500 have room");
    assert!(!come(&mut run, 1), "3,501 have not");
    assert_eq!(asked(&mut run), (1, 0), "it is stopped once");
    let account = run.network.queue(0, 1) as u32;
    run.leave_account::<ANYTHING>(1, account, 1_500);
    assert_eq!(asked(&mut run), (1, 0), "2,000 are not less than 2,000");
    run.leave_account::<ANYTHING>(1, account, 1);
    assert_eq!(asked(&mut run), (1, 1));
    assert_eq!(
        run.network.classes.asked[3].stops, 0,
        "others are none of it"
    );
}

/// A queue above its high threshold of 2,000 bytes stops the other neighbour; what a watchdog drops
/// lets it go.
#[test]
fn a_queue_that_a_watchdog_empties_asks_for_nothing_more() {
    let mut run = network(watchdog(WatchdogAction::Drop));
    for (bytes, stops) in [(1_500, 0), (500, 0), (64, 1)] {
        join(&mut run, 1, bytes);
        let id = run.network.waiting(OUT, 1)[0].0;
        run.detect_at_queue(0, OUT, 1, id);
        while run.next_control(1).is_some() {}
        assert_eq!(run.network.classes.asked[1].stops, stops);
    }
    looks(&mut run, &[110]);
    while run.next_control(1).is_some() {}
    assert_eq!(run.network.classes.asked[1].resumes, 1);
}

/// A frame on the wire is no more in the queue's chain, but in its bytes.
#[test]
fn a_queue_that_keeps_its_low_threshold_on_the_wire_goes_on_asking() {
    for (on_the_wire, resumes) in [(1_000, 0), (999, 1)] {
        let mut run = network(watchdog(WatchdogAction::Drop));
        let at = run.network.queue(OUT, 1);
        run.network.classes.queues[at].bytes = on_the_wire;
        join(&mut run, 1, 1_500);
        let id = run.network.waiting(OUT, 1)[0].0;
        run.detect_at_queue(0, OUT, 1, id);
        while run.next_control(1).is_some() {}
        looks(&mut run, &[110]);
        while run.next_control(1).is_some() {}
        assert_eq!(
            run.network.classes.asked[1].resumes, resumes,
            "{on_the_wire}"
        );
    }
}

#[test]
fn a_storm_ends_at_its_end() {
    let mut spec = spec(None);
    spec.nodes[2].kind = NodeKind::Station {
        storm: Some(StormSpec {
            from: Time(10),
            until: Time(20),
            classes: Some(0b10),
            quanta: 6,
        }),
    };
    let mut run: Run = Simulation::new(&spec).expect("a sound network");
    for (now, stops) in [(19, 1), (20, 1), (21, 1)] {
        run.now = Time(now);
        run.on_storm(OUT ^ 1);
        while run.next_control(OUT ^ 1).is_some() {}
        let asked = &run.network.classes.asked[(OUT ^ 1) as usize];
        assert_eq!(asked.stops, stops, "at {now}");
    }
}
