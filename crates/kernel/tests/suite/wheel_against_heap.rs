//! The wheel gives events back exactly as the heap does.

use backwater_kernel::{
    Duration, Event, EventQueue, Heap, InOrder, Phase, Purpose, Stream, Time, Wheel,
};

const PROGRAMS: u64 = 2_000;

/// How far ahead of now a program's next event lies.
#[derive(Clone, Copy)]
enum Ahead {
    /// This very instant.
    Now,
    /// On a grid of `step_ps`, up to `steps`.
    Grid { step_ps: u64, steps: u64 },
    /// Exponential.
    Random { mean_ps: u64 },
    /// Anywhere up to the end of the clock.
    Anywhere,
}

impl Ahead {
    fn choose(stream: &mut Stream) -> Ahead {
        let scale_ps = 1 << stream.below(45);
        match stream.below(8) {
            0 => Ahead::Now,
            1 => Ahead::Anywhere,
            2..=4 => Ahead::Grid {
                step_ps: scale_ps,
                steps: 1 << stream.below(10),
            },
            _ => Ahead::Random { mean_ps: scale_ps },
        }
    }

    fn after(self, now: Time, stream: &mut Stream) -> Time {
        let span_ps = match self {
            Ahead::Now => 0,
            Ahead::Grid { step_ps, steps } => {
                let to_grid_ps = now.ps().wrapping_neg() % step_ps;
                to_grid_ps + stream.below(steps) * step_ps
            }
            Ahead::Random { mean_ps } => stream.exponential(Duration(mean_ps)).ps(),
            Ahead::Anywhere => stream.next_u64() >> stream.below(64),
        };
        Time(now.ps().saturating_add(span_ps))
    }
}

fn any_event(at: Time, stream: &mut Stream) -> Event {
    let phase = Phase::from_index(stream.below(7) as u8);
    Event::new(at, phase, stream.below(50) as u32, stream.below(3) as u32)
}

/// All that a queue shows, in order.
fn shown(queue: &impl EventQueue) -> Vec<Event> {
    let mut events = Vec::new();
    queue.look(&mut |event| events.push(event));
    events.sort_unstable();
    events
}

/// One queue driven like the heap beside it.
struct Pair<Q> {
    tested: Q,
    reference: Heap,
    now: Time,
    popped: u64,
}

impl<Q: InOrder> Pair<Q> {
    fn new() -> Self {
        Pair {
            tested: Q::default(),
            reference: Heap::default(),
            now: Time::ZERO,
            popped: 0,
        }
    }

    fn push(&mut self, event: Event) {
        self.tested.push(event);
        self.reference.push(event);
    }

    /// Both show the events that wait.
    fn shows_the_same(&self) -> bool {
        let tested = shown(&self.tested);
        tested == shown(&self.reference) && tested.len() == self.tested.len()
    }

    /// Takes one event out of both; false when they differ.
    fn pop(&mut self, look_first: bool) -> bool {
        if look_first && self.tested.next_time() != self.reference.next_time() {
            return false;
        }
        let expected = self.reference.pop();
        if let Some(event) = expected {
            self.now = event.time();
            self.popped += 1;
        }
        self.tested.pop() == expected && self.tested.len() == self.reference.len()
    }
}

/// Runs one random program; the number of events compared, or `None` where the queues differ.
fn run<Q: InOrder>(program: u64) -> Option<u64> {
    let mut stream = Stream::new(7, program, Purpose::Pattern);
    let mut pair = Pair::<Q>::new();
    for _ in 0..1 + stream.below(12) {
        let ahead = [Ahead::choose(&mut stream), Ahead::choose(&mut stream)];
        let (burst, look_every) = (1 + stream.below(400), 1 + stream.below(4));
        let grow = stream.below(5);
        for _ in 0..burst {
            let at = ahead[0].after(pair.now, &mut stream);
            pair.push(any_event(at, &mut stream));
        }
        for turn in 0..stream.below(2_000) {
            if !pair.pop(turn % look_every == 0) {
                return None;
            }
            if turn % 997 == 0 && !pair.shows_the_same() {
                return None;
            }
            let pushes = if grow < 3 { 1 } else { stream.below(grow) };
            for _ in 0..pushes {
                let at = ahead[stream.below(2) as usize].after(pair.now, &mut stream);
                pair.push(any_event(at, &mut stream));
            }
        }
    }
    while !pair.reference.is_empty() {
        if !pair.pop(true) {
            return None;
        }
    }
    (pair.tested.is_empty() && pair.tested.pop().is_none()).then_some(pair.popped)
}

#[test]
fn random_programs_give_identical_pops() {
    let mut popped = 0;
    for program in 0..PROGRAMS {
        match run::<Wheel>(program) {
            Some(events) => popped += events,
            None => panic!("program {program}: the wheel differs from the heap"),
        }
    }
    assert!(popped > 4_000_000, "only {popped} events were compared");
}

/// Negative control: forgets the order within an instant, apart from phases.
#[derive(Default)]
struct Careless(Vec<Event>);

impl EventQueue for Careless {
    fn push(&mut self, event: Event) {
        self.0.push(event);
    }

    fn next_time(&mut self) -> Option<Time> {
        self.0.iter().map(|event| event.time()).min()
    }

    fn take_instant(&mut self, _until: Time, _each: impl FnMut(Event)) -> Option<Time> {
        unreachable!("only pops are compared")
    }

    fn look(&self, each: &mut dyn FnMut(Event)) {
        self.0.iter().for_each(|event| each(*event));
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

impl InOrder for Careless {
    fn pop(&mut self) -> Option<Event> {
        let first = (0..self.0.len()).min_by_key(|&i| (self.0[i].time(), self.0[i].phase()))?;
        Some(self.0.remove(first))
    }
}

#[test]
fn a_queue_with_a_careless_order_is_found_out() {
    let found = (0..20).filter(|&program| run::<Careless>(program).is_none());
    assert!(found.count() >= 15);
}

#[test]
fn an_event_may_come_before_the_one_that_was_looked_at() {
    let mut wheel = Wheel::default();
    let far = Event::new(Time(1 << 50), Phase::Deliver, 1, 0);
    let near = Event::new(Time(1 << 20), Phase::Deliver, 2, 0);
    wheel.push(far);
    assert_eq!(wheel.next_time(), Some(far.time()));
    wheel.push(near);
    assert_eq!(
        [wheel.pop(), wheel.pop(), wheel.pop()],
        [Some(near), Some(far), None]
    );
}

#[test]
fn the_ends_of_the_clock_are_instants_like_others() {
    let mut pair = Pair::<Wheel>::new();
    for i in 0..3_000_u64 {
        let at = Time(if i % 2 == 0 {
            i / 1_000
        } else {
            u64::MAX - i / 1_000
        });
        pair.push(Event::new(at, Phase::Release, (i % 7) as u32, i as u32));
    }
    while !pair.reference.is_empty() {
        assert!(pair.pop(true));
    }
}

/// Every event of a crowded instant provokes another in a later phase of that instant.
#[test]
fn crowds_at_one_instant_keep_their_order() {
    let mut pair = Pair::<Wheel>::new();
    for instant in 0..20 {
        let at = Time(instant * 681_672);
        for entity in 0..5_000 {
            pair.push(Event::new(at, Phase::Deliver, entity * 7919 % 5_000, 0));
        }
        for entity in 0..5_000 {
            assert!(pair.pop(entity % 3 == 0));
            pair.push(Event::new(at, Phase::Arbitrate, entity, 0));
        }
        for _ in 0..5_000 {
            assert!(pair.pop(false));
        }
    }
}
