//! Whole instants come out of the wheel, and of rings beside it, as they do out of the heap: same
//! instant, same events, whether pops come in between or not.

use backwater_kernel::{
    Duration, Event, EventQueue, Heap, InOrder, Phase, Purpose, Rings, Stream, Taken, Time, Wheel,
};

/// How far ahead the events of a program lie.
fn ahead(kind: u64, stream: &mut Stream) -> u64 {
    match kind {
        0 => stream.below(4) * 340_836,
        1 => stream.below(200) * 340_836,
        2 => stream.exponential(Duration(5_000_000)).ps(),
        3 => stream.next_u64() >> stream.below(64),
        4 => [681_672, 1_363_344, 30_000_000, 121_440][stream.below(4) as usize],
        _ => 0,
    }
}

fn event(now: Time, kind: u64, stream: &mut Stream) -> Event {
    let at = Time(now.ps().saturating_add(ahead(kind, stream)));
    let phase = Phase::from_index(stream.below(7) as u8);
    Event::new(at, phase, stream.below(200) as u32, stream.below(3) as u32)
}

/// Takes one instant out of both; the instant, or `None` where they differ.
fn take(tested: &mut impl EventQueue, heap: &mut Heap, until: Time) -> Option<Option<Time>> {
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    let wanted = heap.take_instant(until, |event| expected.push(event));
    // Asked in both ways, as it happens to be filled.
    let instant = match heap.len() % 2 {
        0 => tested.take_instant(until, |event| found.push(event)),
        _ => match tested.take_next(until, |event| found.push(event)) {
            None => None,
            Some(Taken::One(event)) if found.is_empty() => {
                found.push(event);
                Some(event.time())
            }
            Some(Taken::Several(at)) if found.len() > 1 => Some(at),
            Some(_) => return None,
        },
    };
    found.sort_unstable();
    let same = instant == wanted && found == expected && tested.len() == heap.len();
    same.then_some(instant)
}

/// How a queue is asked for one event; rings know whole instants only.
type Pop<Q> = Option<fn(&mut Q) -> Option<Event>>;

fn run<Q: EventQueue>(program: u64, pop: Pop<Q>) -> Option<u64> {
    let mut stream = Stream::new(11, program, Purpose::Pattern);
    let (mut tested, mut heap) = (Q::default(), Heap::default());
    let (mut now, mut instants) = (Time::ZERO, 0);
    let kinds = [stream.below(6), stream.below(6)];
    let pop = pop.filter(|_| stream.below(3) == 0);
    for turn in 0..1_500 {
        for _ in 0..stream.below(6) {
            let event = event(now, kinds[stream.below(2) as usize], &mut stream);
            tested.push(event);
            heap.push(event);
        }
        if let Some(pop) = pop.filter(|_| turn % 5 == 0) {
            let (found, expected) = (pop(&mut tested), heap.pop());
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
        if let Some(instant) = take(&mut tested, &mut heap, until)? {
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
        match run::<Wheel>(program, Some(InOrder::pop)) {
            Some(seen) => instants += seen,
            None => panic!("program {program}: the wheel differs from the heap"),
        }
    }
    assert!(instants > 200_000, "only {instants} instants were compared");
}

#[test]
fn instants_of_rings_are_those_of_the_heap() {
    let mut instants = 0;
    for program in 0..600 {
        match run::<Rings>(program, None) {
            Some(seen) => instants += seen,
            None => panic!("program {program}: the rings differ from the heap"),
        }
    }
    assert!(instants > 200_000, "only {instants} instants were compared");
}

/// All that a queue shows, in order.
fn shown(queue: &impl EventQueue) -> Vec<Event> {
    let mut events = Vec::new();
    queue.look(&mut |event| events.push(event));
    events.sort_unstable();
    events
}

/// Delays change as a run goes on: rings are made, given up with events in them and made anew.
#[test]
fn rings_follow_delays_that_change() {
    let mut stream = Stream::new(11, 1, Purpose::Pattern);
    let (mut tested, mut heap) = (Rings::default(), Heap::default());
    let mut now = Time::ZERO;
    for turn in 0..200_000_u64 {
        let usual = [700, 41, 5_000, 5_041, 90_000, 100_000, 7][(turn / 30_000) as usize];
        for _ in 0..1 + u64::from(heap.len() < 40) {
            let ahead = match stream.below(4) {
                0 => stream.below(200_000),
                _ => usual * (1 + stream.below(2)),
            };
            let event = Event::new(Time(now.ps() + ahead), Phase::Deliver, turn as u32, 0);
            tested.push(event);
            heap.push(event);
        }
        if turn % 1_000 == 0 {
            assert_eq!(shown(&tested), shown(&heap), "turn {turn}");
        }
        let found = take(&mut tested, &mut heap, Time::MAX).expect("both are alike");
        now = found.expect("there is always one more");
    }
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
