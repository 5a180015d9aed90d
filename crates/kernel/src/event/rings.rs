//! First-in first-out rings for delays that keep coming back, beside a wheel for all others.
//!
//! Most events of a network lie one of a few spans ahead: a unit of the usual size on a link of
//! the usual rate, with or without the link's propagation. Time never goes back, so events that
//! all lie the same span ahead are made in the order in which they happen: a ring holds them
//! sorted, adding one is a store and taking one out is a load. The next instant is the least of
//! a few numbers.
//!
//! Which delays get a ring is learned: of the events that find none every eighth is looked at
//! (fewer while that brings nothing), and a delay seen often enough gets one. A ring that is hardly
//! used is given up again. Where delays are all different no ring is made, and the wheel is asked
//! as if it stood alone.
//!
//! | Name | What it is |
//! |---|---|
//! | `now` | the last instant taken out: delays count from there |
//! | `delays` | of each ring; [`UNUSED`] without one. In a row: every event is held against all |
//! | `firsts` | of each ring the [`key`] of its first instant; [`EMPTY`] without events |
//! | `rings` | of each its events |
//! | `first` | the least of `firsts`: which ring comes first, and when |
//! | `others` | the wheel |
//! | `bound` | nothing in `others` happens before this; [`LIMIT`] at most |

use alloc::vec;
use alloc::vec::Vec;

use super::{Event, EventQueue, Phase, Taken, Wheel, take_next_of};
use crate::time::Time;

/// Delays that have a ring, at most: a few links of unlike rates and two sizes of unit.
const RINGS: usize = 6;
/// Places for rings: as many as a key can name.
const PLACES: usize = 1 << PLACE_BITS;
/// Delays that may get one next.
const CANDIDATES: usize = 16;
/// Of the events that find no ring one in so many is looked at.
const SAMPLE: u32 = 8;
/// One in so many times two to the power of this, at last, where no delay comes back.
const QUIETEST: u32 = 4;
/// A candidate seen so many times gets a ring.
const OFTEN: u32 = 16;
/// After so many events without a ring it is seen which rings are worth theirs: those that took
/// more than one in [`RARE`] as many.
const PERIOD: u32 = 1 << 14;
const RARE: u32 = 16;
/// Events that a ring holds before it grows.
const FIRST_ROOM: usize = 16;
/// The key of a ring without events: its instant is beyond [`LIMIT`].
const EMPTY: u64 = u64::MAX;
/// Bits of a key that say which ring it is of.
const PLACE_BITS: u32 = 3;
/// From this instant on, after 13 days, all events are in the wheel: the bits of later ones would
/// have no room in a key.
const LIMIT: u64 = 1 << 60;
/// The delay of a place without a ring: no event is that far ahead.
const UNUSED: u64 = u64::MAX;

/// A queue of events for networks; same instants as [`Wheel`], faster where delays come back.
pub struct Rings {
    now: u64,
    delays: [u64; RINGS],
    firsts: [u64; PLACES],
    rings: [Ring; PLACES],
    first: u64,
    others: Wheel,
    bound: u64,
    learner: Learner,
}

/// An instant and the place of a ring in one number: the least of them says when and which.
#[inline(always)]
const fn key(at: u64, place: usize) -> u64 {
    at << PLACE_BITS | place as u64
}

/// The events that were made a certain span before they happen, in order.
struct Ring {
    /// The first of them, if there is any.
    head: Event,
    /// Events ever added behind the first, and ever taken from there: they stand in `events` from
    /// `taken` to `added`, each number modulo their room, a power of two.
    added: u32,
    taken: u32,
    events: Vec<Event>,
    /// Events ever added, when rings were looked at last.
    added_before: u32,
    /// Those that were the first as they came.
    firsts: u32,
}

/// Stands where no event does.
const NO_EVENT: Event = Event::new(Time::ZERO, Phase::Observe, 0, 0);

impl Ring {
    fn new() -> Ring {
        Ring {
            events: vec![NO_EVENT; FIRST_ROOM],
            // What it takes until the next look counts as if it had always been there.
            added_before: 0_u32.wrapping_sub(PERIOD / RARE),
            ..Ring::none()
        }
    }

    /// A place without a ring.
    const fn none() -> Ring {
        Ring {
            head: NO_EVENT,
            added: 0,
            taken: 0,
            events: Vec::new(),
            added_before: 0,
            firsts: 0,
        }
    }

    /// Events behind the first.
    #[inline]
    fn len(&self) -> u32 {
        self.added.wrapping_sub(self.taken)
    }

    /// Events ever added.
    fn ever(&self) -> u32 {
        self.added.wrapping_add(self.firsts)
    }

    #[inline]
    fn place(&self, number: u32) -> usize {
        number as usize & (self.events.len() - 1)
    }

    /// Adds an event to some that wait.
    #[inline]
    fn push(&mut self, event: Event) {
        let room = self.events.len();
        if self.len() as usize >= room {
            // A call at the very end, so that the rest needs no room for what it would spoil.
            return self.push_where_full(event);
        }
        self.events[self.added as usize & (room - 1)] = event;
        self.added = self.added.wrapping_add(1);
    }

    /// Adds an event to twice the room. A number's place there is where it was, or as far behind
    /// as there was room.
    #[cold]
    #[inline(never)]
    fn push_where_full(&mut self, event: Event) {
        assert!(self.events.len() < 1 << 31, "too many events wait");
        self.events.extend_from_within(..);
        self.push(event);
    }

    /// Takes out its first event; which key it has then, at its place.
    #[inline(always)]
    fn take_one(&mut self, own: usize) -> (Event, u64) {
        let event = self.head;
        if self.taken == self.added {
            return (event, EMPTY);
        }
        self.head = self.events[self.place(self.taken)];
        self.taken = self.taken.wrapping_add(1);
        (event, key(self.head.time().0, own))
    }

    /// Takes out what happens at its first instant, `instant`; which key it has then.
    #[inline]
    fn take_first(&mut self, instant: u64, own: usize, each: &mut impl FnMut(Event)) -> u64 {
        let (mut event, mut taken) = (self.head, self.taken);
        let first = loop {
            each(event);
            if taken == self.added {
                break EMPTY;
            }
            event = self.events[self.place(taken)];
            taken = taken.wrapping_add(1);
            if event.time().0 != instant {
                break key(event.time().0, own);
            }
        };
        (self.head, self.taken) = (event, taken);
        first
    }
}

impl Default for Rings {
    fn default() -> Self {
        Rings {
            now: 0,
            delays: [UNUSED; RINGS],
            firsts: [EMPTY; PLACES],
            rings: [const { Ring::none() }; PLACES],
            first: EMPTY,
            others: Wheel::default(),
            bound: LIMIT,
            learner: Learner::default(),
        }
    }
}

impl EventQueue for Rings {
    #[inline]
    fn push(&mut self, event: Event) {
        let delay = event.time().0.wrapping_sub(self.now);
        for (place, known) in self.delays.iter().enumerate() {
            if *known == delay {
                return self.push_to(place, event);
            }
        }
        self.push_other(delay, event);
    }

    fn next_time(&mut self) -> Option<Time> {
        let ring = (self.first != EMPTY).then_some(Time(self.first_instant()));
        self.others.next_time().into_iter().chain(ring).min()
    }

    #[inline]
    fn take_instant(&mut self, until: Time, mut each: impl FnMut(Event)) -> Option<Time> {
        let first = self.first_instant();
        let instant = if first >= self.bound {
            self.take_from_others(until, &mut each)?
        } else if first > until.0 {
            return None;
        } else {
            first
        };
        self.now = instant;
        self.take_rest(instant, &mut each);
        Some(Time(instant))
    }

    #[inline(always)]
    fn take_next(&mut self, until: Time, mut each: impl FnMut(Event)) -> Option<Taken> {
        let instant = self.first_instant();
        if instant >= self.bound {
            return self.take_next_anywhere(until, &mut each);
        }
        if instant > until.0 {
            return None;
        }
        self.now = instant;
        let next = self.next();
        let (event, first) = self.rings[next].take_one(next);
        self.firsts[next] = first;
        self.find_first();
        if self.first_instant() != instant {
            return Some(Taken::One(event));
        }
        each(event);
        self.take_rest(instant, &mut each);
        Some(Taken::Several(Time(instant)))
    }

    fn look(&self, each: &mut dyn FnMut(Event)) {
        for (ring, first) in self.rings.iter().zip(&self.firsts) {
            if *first != EMPTY {
                each(ring.head);
            }
            let numbers = (0..ring.len()).map(|number| ring.taken.wrapping_add(number));
            numbers.for_each(|number| each(ring.events[ring.place(number)]));
        }
        self.others.look(each);
    }

    #[inline]
    fn len(&self) -> usize {
        let behind = self.rings.iter().map(|ring| ring.len() as usize);
        let firsts = self.firsts.iter().filter(|first| **first != EMPTY);
        firsts.count() + behind.sum::<usize>() + self.others.len()
    }
}

impl Rings {
    #[inline(always)]
    fn push_to(&mut self, place: usize, event: Event) {
        if self.firsts[place] == EMPTY {
            let first = key(event.time().0, place);
            self.firsts[place] = first;
            self.first = self.first.min(first);
            let ring = &mut self.rings[place];
            ring.firsts = ring.firsts.wrapping_add(1);
            ring.head = event;
            return;
        }
        self.rings[place].push(event);
    }

    /// The first instant in rings; beyond [`LIMIT`] without any.
    #[inline(always)]
    fn first_instant(&self) -> u64 {
        self.first >> PLACE_BITS
    }

    /// The ring that comes first.
    #[inline(always)]
    fn next(&self) -> usize {
        self.first as usize & (PLACES - 1)
    }

    /// Takes out of rings what happens at `instant`.
    #[inline(always)]
    fn take_rest(&mut self, instant: u64, each: &mut impl FnMut(Event)) {
        while self.first_instant() == instant {
            let next = self.next();
            self.firsts[next] = self.rings[next].take_first(instant, next, each);
            self.find_first();
        }
    }

    /// [`EventQueue::take_next`] where the wheel may have a part in it.
    #[inline(never)]
    fn take_next_anywhere(&mut self, until: Time, each: &mut impl FnMut(Event)) -> Option<Taken> {
        take_next_of(self, until, each)
    }

    /// Finds the ring that comes first.
    #[inline(always)]
    fn find_first(&mut self) {
        let firsts = self.firsts[..RINGS].iter();
        self.first = firsts.fold(EMPTY, |least, own| least.min(*own));
    }

    /// Takes out what the wheel holds at the next instant, where it may have a part in it. Which
    /// instant that is.
    #[inline(never)]
    fn take_from_others(&mut self, until: Time, each: &mut impl FnMut(Event)) -> Option<u64> {
        let ring = (self.first != EMPTY).then_some(Time(self.first_instant()));
        let most = ring.map_or(until, |first| first.min(until));
        let of_others = self.others.take_instant(most, &mut *each);
        let instant = of_others.or(ring.filter(|first| *first <= until))?;
        self.bound = self.others.bound().min(LIMIT);
        if instant.0 >= LIMIT {
            (0..RINGS).for_each(|place| self.give_up(place));
            self.find_first();
            self.others.take_instant(instant, each);
        }
        Some(instant.0)
    }

    #[inline(never)]
    fn push_other(&mut self, delay: u64, event: Event) {
        self.bound = self.bound.min(event.time().0);
        self.others.push(event);
        self.learner.missed += 1;
        if self.learner.missed & ((SAMPLE << self.learner.quiet) - 1) == 0 {
            self.learn(delay);
        }
    }

    /// An event with this delay found no ring.
    #[inline(never)]
    fn learn(&mut self, delay: u64) {
        if self.learner.missed >= PERIOD {
            self.learner.missed = 0;
            self.learner.quiet = (self.learner.quiet + 1).min(QUIETEST);
            self.give_up_rare();
        }
        // An event of the present instant is done at once, and a ring is no faster.
        if let Some(place) = self.delays.iter().position(|known| *known == UNUSED)
            && delay != 0
            && delay < LIMIT / 2
            && self.now < LIMIT
            && self.learner.is_frequent(delay)
        {
            self.delays[place] = delay;
            self.rings[place] = Ring::new();
            self.learner.quiet = 0;
        }
    }

    /// Rings that took few events since the last look are dissolved.
    fn give_up_rare(&mut self) {
        for place in 0..RINGS {
            let ring = &mut self.rings[place];
            let added = ring.ever().wrapping_sub(ring.added_before);
            ring.added_before = ring.ever();
            if self.delays[place] == UNUSED || added >= PERIOD / RARE {
                continue;
            }
            self.give_up(place);
        }
        self.find_first();
    }

    /// A ring is dissolved; whoever asks for that finds the first one then.
    fn give_up(&mut self, place: usize) {
        if self.delays[place] == UNUSED {
            return;
        }
        let mut first = self.firsts[place];
        while first != EMPTY {
            let instant = first >> PLACE_BITS;
            self.bound = self.bound.min(instant);
            let (ring, others) = (&mut self.rings[place], &mut self.others);
            first = ring.take_first(instant, place, &mut |event| others.push(event));
        }
        self.delays[place] = UNUSED;
        self.firsts[place] = EMPTY;
        self.rings[place] = Ring::none();
    }
}

/// What is known of delays. Its counts follow from the events alone.
#[derive(Default)]
struct Learner {
    /// Events that found no ring since the last look.
    missed: u32,
    /// Looks one after another that brought no ring: the sample is halved as often.
    quiet: u32,
    /// Delays seen among the former, and how often.
    candidates: [(u64, u32); CANDIDATES],
}

impl Learner {
    /// Counts a delay: was that the time that makes it one for a ring? A delay that is new takes
    /// the place of the one seen least.
    fn is_frequent(&mut self, delay: u64) -> bool {
        let known = self.candidates.iter_mut().find(|known| known.0 == delay);
        let place = match known {
            Some(known) => known,
            None => {
                let least = self.candidates.iter_mut().min_by_key(|known| known.1);
                let Some(least) = least else { return false };
                *least = (delay, 0);
                least
            }
        };
        place.1 += 1;
        if place.1 < OFTEN {
            return false;
        }
        *place = (0, 0);
        true
    }
}

#[cfg(test)]
mod tests;
