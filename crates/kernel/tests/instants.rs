//! Whole instants come out of the wheel as they do out of the heap: same instant, same events,
//! whether pops come in between or not.

use backwater_kernel::{Duration, Event, EventQueue, Heap, Phase, Purpose, Stream, Time, Wheel};

/// How far ahead the events of a program lie.
fn ahead(kind: u64, stream: &mut Stream) -> u64 {
    match kind {
        0 => stream.below(4) * 340_836,
        1 => stream.below(200) * 340_836,
        2 => stream.exponential(Duration(5_000_000)).ps(),
        3 => stream.next_u64() >> stream.below(64),
        _ => 0,
    }
}

fn event(now: Time, kind: u64, stream: &mut Stream) -> Event {
    let at = Time(now.ps().saturating_add(ahead(kind, stream)));
    let phase = Phase::from_index(stream.below(7) as u8);
    Event::new(at, phase, stream.below(200) as u32, stream.below(3) as u32)
}

/// Takes one instant out of both; the instant, or `None` where they differ.
fn take(wheel: &mut Wheel, heap: &mut Heap, until: Time) -> Option<Option<Time>> {
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    let instant = wheel.take_instant(until, |event| found.push(event));
    let wanted = heap.take_instant(until, |event| expected.push(event));
    found.sort_unstable();
    let same = instant == wanted && found == expected && wheel.len() == heap.len();
    same.then_some(instant)
}

fn run(program: u64) -> Option<u64> {
    let mut stream = Stream::new(11, program, Purpose::Pattern);
    let (mut wheel, mut heap) = (Wheel::default(), Heap::default());
    let (mut now, mut instants) = (Time::ZERO, 0);
    let kinds = [stream.below(5), stream.below(5)];
    let pops = stream.below(3) == 0;
    for turn in 0..1_500 {
        for _ in 0..stream.below(6) {
            let event = event(now, kinds[stream.below(2) as usize], &mut stream);
            wheel.push(event);
            heap.push(event);
        }
        if pops && turn % 5 == 0 {
            let (found, expected) = (wheel.pop(), heap.pop());
            if found != expected {
                return None;
            }
            now = found.map_or(now, Event::time);
            continue;
        }
        let until = if stream.below(4) == 0 {
            Time(now.ps() + 1_000_000)
        } else {
            Time::MAX
        };
        if let Some(instant) = take(&mut wheel, &mut heap, until)? {
            now = instant;
            instants += 1;
        }
    }
    Some(instants)
}

#[test]
fn instants_are_those_of_the_heap() {
    let mut instants = 0;
    for program in 0..600 {
        match run(program) {
            Some(seen) => instants += seen,
            None => panic!("program {program}: the wheel differs from the heap"),
        }
    }
    assert!(instants > 200_000, "only {instants} instants were compared");
}

/// Negative control: an event more in one of them is seen.
#[test]
fn a_stray_event_is_found_out() {
    let (mut wheel, mut heap) = (Wheel::default(), Heap::default());
    for at in [5, 5, 9] {
        let event = Event::new(Time(at), Phase::Deliver, at as u32, 0);
        wheel.push(event);
        heap.push(event);
    }
    wheel.push(Event::new(Time(5), Phase::Deliver, 6, 0));
    assert_eq!(take(&mut wheel, &mut heap, Time::MAX), None);
}
