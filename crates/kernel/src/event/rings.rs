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
//! | `firsts` | the first instant of each ring; [`EMPTY`] without events |
//! | `rings` | of each its events |
//! | `next`, `first` | a ring with the least of their first instants, and that instant |
//! | `others` | the wheel |
//! | `bound` | nothing in `others` happens before this |

use alloc::vec;
use alloc::vec::Vec;

use super::{Event, EventQueue, Phase, Taken, Wheel, take_next_of};
use crate::time::Time;

/// Delays that have a ring, at most: a few links of unlike rates and two sizes of unit.
const RINGS: usize = 6;
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
/// The first instant of a ring without events. (Nothing is ever that far ahead of a network, whose
/// clock ends well before.)
const EMPTY: u64 = u64::MAX;
/// The delay of a place without a ring: no event is that far ahead.
const UNUSED: u64 = u64::MAX;

/// A queue of events for networks; same instants as [`Wheel`], faster where delays come back.
pub struct Rings {
    now: u64,
    delays: [u64; RINGS],
    firsts: [u64; RINGS],
    rings: [Ring; RINGS],
    next: usize,
    first: u64,
    others: Wheel,
    bound: u64,
    learner: Learner,
}

/// The events that were made a certain span before they happen, in order.
struct Ring {
    /// Events ever added, and ever taken out: they stand in `events` from `taken` to `added`, each
    /// number modulo their room, a power of two.
    added: u32,
    taken: u32,
    events: Vec<Event>,
    /// Of `added`, when rings were looked at last.
    added_before: u32,
}

impl Ring {
    fn new() -> Ring {
        Ring {
            added: 0,
            taken: 0,
            events: vec![Event::new(Time::ZERO, Phase::Observe, 0, 0); FIRST_ROOM],
            // What it takes until the next look counts as if it had always been there.
            added_before: 0_u32.wrapping_sub(PERIOD / RARE),
        }
    }

    /// A place without a ring.
    const fn none() -> Ring {
        Ring {
            added: 0,
            taken: 0,
            events: Vec::new(),
            added_before: 0,
        }
    }

    #[inline]
    fn len(&self) -> u32 {
        self.added.wrapping_sub(self.taken)
    }

    #[inline]
    fn place(&self, number: u32) -> usize {
        number as usize & (self.events.len() - 1)
    }

    /// Adds an event.
    #[inline]
    fn push(&mut self, event: Event) {
        if self.len() as usize == self.events.len() {
            // A call at the very end, so that the rest needs no room for what it would spoil.
            return self.push_where_full(event);
        }
        let place = self.place(self.added);
        self.events[place] = event;
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

    /// Takes out its first event; which instant is first then.
    #[inline(always)]
    fn take_one(&mut self) -> (Event, u64) {
        let event = self.events[self.place(self.taken)];
        self.taken = self.taken.wrapping_add(1);
        let first = match self.len() {
            0 => EMPTY,
            _ => self.events[self.place(self.taken)].time().0,
        };
        (event, first)
    }

    /// Takes out what happens at its first instant, `instant`; which is first then.
    #[inline]
    fn take_first(&mut self, instant: u64, each: &mut impl FnMut(Event)) -> u64 {
        let mut taken = self.taken;
        let mut event = self.events[self.place(taken)];
        let first = loop {
            each(event);
            taken = taken.wrapping_add(1);
            if taken == self.added {
                break EMPTY;
            }
            event = self.events[self.place(taken)];
            if event.time().0 != instant {
                break event.time().0;
            }
        };
        self.taken = taken;
        first
    }
}

impl Default for Rings {
    fn default() -> Self {
        Rings {
            now: 0,
            delays: [UNUSED; RINGS],
            firsts: [EMPTY; RINGS],
            rings: [const { Ring::none() }; RINGS],
            next: 0,
            first: EMPTY,
            others: Wheel::default(),
            bound: EMPTY,
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
        let ring = (self.first != EMPTY).then_some(Time(self.first));
        self.others.next_time().into_iter().chain(ring).min()
    }

    #[inline]
    fn take_instant(&mut self, until: Time, mut each: impl FnMut(Event)) -> Option<Time> {
        let first = self.first;
        let instant = if first >= self.bound {
            self.take_from_others(first, until, &mut each)?
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
        let instant = self.first;
        if instant >= self.bound {
            return self.take_next_anywhere(until, &mut each);
        }
        if instant > until.0 {
            return None;
        }
        self.now = instant;
        let (event, first) = self.rings[self.next].take_one();
        self.firsts[self.next] = first;
        self.find_first();
        if self.first != instant {
            return Some(Taken::One(event));
        }
        each(event);
        self.take_rest(instant, &mut each);
        Some(Taken::Several(Time(instant)))
    }

    fn look(&self, each: &mut dyn FnMut(Event)) {
        for ring in &self.rings {
            let numbers = (0..ring.len()).map(|number| ring.taken.wrapping_add(number));
            numbers.for_each(|number| each(ring.events[ring.place(number)]));
        }
        self.others.look(each);
    }

    #[inline]
    fn len(&self) -> usize {
        let ringed = self.rings.iter().map(Ring::len);
        ringed.map(|len| len as usize).sum::<usize>() + self.others.len()
    }
}

impl Rings {
    #[inline(always)]
    fn push_to(&mut self, place: usize, event: Event) {
        if self.firsts[place] == EMPTY {
            let at = event.time().0;
            self.firsts[place] = at;
            if at < self.first {
                (self.next, self.first) = (place, at);
            }
        }
        self.rings[place].push(event);
    }

    /// Takes out of rings what happens at `instant`.
    #[inline(always)]
    fn take_rest(&mut self, instant: u64, each: &mut impl FnMut(Event)) {
        while self.first == instant {
            self.firsts[self.next] = self.rings[self.next].take_first(instant, each);
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
        let (mut next, mut least) = (0, self.firsts[0]);
        for (place, first) in self.firsts.iter().enumerate().skip(1) {
            if *first < least {
                (next, least) = (place, *first);
            }
        }
        (self.next, self.first) = (next, least);
    }

    /// Takes out what the wheel holds at the next instant, where it may have a part in it: `first`
    /// is that of rings. Which instant that is.
    #[inline(never)]
    fn take_from_others(
        &mut self,
        first: u64,
        until: Time,
        each: &mut impl FnMut(Event),
    ) -> Option<u64> {
        let instant_of_others = self.others.take_instant(until.min(Time(first)), each);
        self.bound = self.others.bound();
        match instant_of_others {
            Some(instant) => Some(instant.0),
            None => (first <= until.0 && first != EMPTY).then_some(first),
        }
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
            let added = ring.added.wrapping_sub(ring.added_before);
            ring.added_before = ring.added;
            if self.delays[place] == UNUSED || added >= PERIOD / RARE {
                continue;
            }
            let mut first = self.firsts[place];
            self.bound = self.bound.min(first);
            while first != EMPTY {
                first = ring.take_first(first, &mut |event| self.others.push(event));
            }
            self.delays[place] = UNUSED;
            self.firsts[place] = EMPTY;
            self.rings[place] = Ring::none();
        }
        self.find_first();
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
mod tests {
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
        assert!(rings.rings.iter().any(|ring| ring.len() > 0));
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
}
