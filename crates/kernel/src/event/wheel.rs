//! A timing wheel that fits itself to what it sees.
//!
//! Time is cut into slots of `2^shift` ps. The slots after the current one, up to a horizon, are
//! chains on a ring, so adding costs the same whatever waits; the current slot is a sorted buffer.
//! Events past the horizon wait in a heap and are taken from there when their slot comes.
//!
//! Nothing here is worse than a heap by more than a constant: a crowded slot is sorted once,
//! events that come late into a crowded slot go to a heap of their own.

mod instants;
mod occupancy;
mod tuner;

use alloc::boxed::Box;
use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::{Event, EventQueue, InOrder};
use crate::time::Time;

use occupancy::Occupancy;
use tuner::Tuner;

/// End of a chain.
const NIL: u32 = u32::MAX;
/// Slots and their width (as powers of two) before anything is known.
const FIRST_SLOTS: usize = 256;
const FIRST_SHIFT: u32 = 18;
/// Places an event may move others in the current slot; beyond that a heap is cheaper.
const LONGEST_SHIFT: usize = 32;

/// A timing wheel; same order as [`Heap`](super::Heap), faster.
pub struct Wheel {
    shift: u32,
    /// Slots - 1; their number is a power of two.
    mask: u64,
    /// The slot being emptied; everything in it or before it is in `current` or `late`.
    slot: u64,
    len: usize,
    /// Next event last.
    current: Vec<Event>,
    /// First nodes of the slots' chains.
    heads: Box<[u32]>,
    /// Slots with a chain.
    occupied: Occupancy,
    nodes: Vec<Node>,
    /// Chain of unused nodes.
    free: u32,
    late: BinaryHeap<Reverse<Event>>,
    beyond: BinaryHeap<Reverse<Event>>,
    /// Slot of the first event in `beyond`.
    beyond_slot: u64,
    tuner: Tuner,
    /// Events on their way from `current` to a chain; empty in between.
    taken: Vec<Event>,
}

#[derive(Clone, Copy)]
struct Node {
    event: Event,
    next: u32,
}

impl Default for Wheel {
    fn default() -> Self {
        Wheel {
            shift: FIRST_SHIFT,
            mask: FIRST_SLOTS as u64 - 1,
            slot: 0,
            len: 0,
            current: Vec::new(),
            heads: vec![NIL; FIRST_SLOTS].into_boxed_slice(),
            occupied: Occupancy::new(FIRST_SLOTS),
            nodes: Vec::new(),
            free: NIL,
            late: BinaryHeap::new(),
            beyond: BinaryHeap::new(),
            beyond_slot: u64::MAX,
            tuner: Tuner::default(),
            taken: Vec::new(),
        }
    }
}

impl EventQueue for Wheel {
    #[inline]
    fn push(&mut self, event: Event) {
        self.len += 1;
        let slot = event.time.0 >> self.shift;
        // One comparison for "after the current slot and before the horizon".
        if slot.wrapping_sub(self.slot).wrapping_sub(1) < self.mask {
            self.link(slot, event);
        } else {
            self.push_outside(slot, event);
        }
    }

    #[inline]
    fn next_time(&mut self) -> Option<Time> {
        if self.late.is_empty() {
            if self.current.is_empty() {
                self.turn();
            }
            return self.current.last().map(|event| event.time);
        }
        let late = self.late.peek().map(|event| event.0.time);
        let first = self.current.last().map(|event| event.time);
        late.into_iter().chain(first).min()
    }

    #[inline]
    fn take_instant(&mut self, until: Time, mut each: impl FnMut(Event)) -> Option<Time> {
        let (instant, first) = match self.near_instant(until) {
            Some(near) => near,
            None => self.far_instant(until)?,
        };
        let (mut last, mut next) = (first, first);
        while let Some(node) = self.nodes.get(next as usize) {
            each(node.event);
            (last, next) = (next, node.next);
        }
        self.nodes[last as usize].next = self.free;
        self.free = first;
        Some(instant)
    }

    fn look(&self, each: &mut dyn FnMut(Event)) {
        let apart = self.late.iter().chain(&self.beyond);
        self.current.iter().for_each(|event| each(*event));
        apart.for_each(|event| each(event.0));
        for head in &self.heads {
            let mut next = *head;
            while let Some(node) = self.nodes.get(next as usize) {
                each(node.event);
                next = node.next;
            }
        }
    }

    #[inline]
    fn len(&self) -> usize {
        self.len
    }
}

impl InOrder for Wheel {
    #[inline]
    fn pop(&mut self) -> Option<Event> {
        if !self.late.is_empty() {
            self.promote_late();
        }
        let event = match self.current.pop() {
            Some(event) => event,
            None => self.turn_and_take()?,
        };
        self.len -= 1;
        Some(event)
    }
}

impl Wheel {
    /// Puts an event at the head of its slot's chain. Chains come back newest first: events added
    /// in order are then already sorted for `current`.
    #[inline(always)]
    fn link(&mut self, slot: u64, event: Event) {
        let at = (slot & self.mask) as usize;
        let head = &mut self.heads[at];
        let index = self.free;
        // Field by field: a whole node would be put together in memory first.
        if let Some(unused) = self.nodes.get_mut(index as usize) {
            self.free = unused.next;
            unused.event = event;
            unused.next = *head;
            *head = index;
        } else {
            *head = grow(&mut self.nodes, event, *head);
        }
        self.occupied.insert(at);
    }

    #[inline(never)]
    fn push_outside(&mut self, slot: u64, event: Event) {
        if slot > self.slot {
            return self.push_beyond(event);
        }
        let len = self.current.len();
        let stop = len.saturating_sub(LONGEST_SHIFT);
        let mut at = len;
        while at > stop && self.current[at - 1].key() < event.key() {
            at -= 1;
        }
        if at == stop && stop > 0 {
            return self.late.push(Reverse(event));
        }
        self.current.push(event);
        for place in (at..len).rev() {
            self.current.swap(place, place + 1);
        }
    }

    #[cold]
    fn push_beyond(&mut self, event: Event) {
        self.beyond_slot = self.beyond_slot.min(event.time.0 >> self.shift);
        self.beyond.push(Reverse(event));
    }

    /// Puts the first late event into `current` if it is next.
    #[cold]
    #[inline(never)]
    fn promote_late(&mut self) {
        let due = match (self.late.peek(), self.current.last()) {
            (Some(late), Some(first)) if first.key() < late.0.key() => return,
            (Some(late), _) => self.tuner.saw_late(late.0.time),
            (None, _) => return,
        };
        if due {
            self.tune();
        }
        if let Some(late) = self.late.pop() {
            self.current.push(late.0);
        }
    }

    /// Moves on to the next slot that has events and brings them into `current`, which is empty.
    #[inline]
    fn turn(&mut self) {
        if let Some(event) = self.turn_and_take() {
            self.current.push(event);
        }
    }

    /// The same, but the first event comes back. (Everything out of line works on `current`: an
    /// event returned from there would have to go through memory.)
    #[inline]
    fn turn_and_take(&mut self) -> Option<Event> {
        let due = self.tuner.visit();
        let from = self.slot.wrapping_add(1) & self.mask;
        let window = self.occupied.window(from as usize);
        let slot = self
            .slot
            .wrapping_add(1 + u64::from(window.trailing_zeros()));
        if due || window == 0 || slot >= self.beyond_slot {
            self.turn_slowly();
            return self.current.pop();
        }
        self.slot = slot;
        let at = (slot & self.mask) as usize;
        self.occupied.remove(at);
        let head = self.heads[at];
        let node = self.nodes.get_mut(head as usize)?;
        let (event, next) = (node.event, node.next);
        if next != NIL {
            self.take_chain(at);
            return self.current.pop();
        }
        self.heads[at] = NIL;
        node.next = self.free;
        self.free = head;
        Some(event)
    }

    /// As [`Wheel::turn`] where it is time to look at the wheel's form, or the next event is not
    /// near.
    #[cold]
    #[inline(never)]
    fn turn_slowly(&mut self) {
        if self.tuner.is_due() {
            self.tune();
            if !self.current.is_empty() {
                return;
            }
        }
        let from = self.slot.wrapping_add(1) & self.mask;
        let ahead = self.occupied.distance_from(from as usize);
        let on_wheel = ahead.map(|distance| self.slot + 1 + distance as u64);
        let beyond = self.beyond.peek().map(|event| event.0.time.0 >> self.shift);
        let Some(slot) = on_wheel.into_iter().chain(beyond).min() else {
            return;
        };
        if beyond == Some(slot) {
            self.tuner.jumped(slot - self.slot);
            self.take_beyond(slot);
        }
        self.slot = slot;
        let at = (slot & self.mask) as usize;
        if on_wheel == Some(slot) {
            self.occupied.remove(at);
        }
        self.take_chain(at);
    }

    /// Brings what past the horizon belongs to `slot` into `current`.
    fn take_beyond(&mut self, slot: u64) {
        while let Some(event) = self.beyond.peek() {
            self.beyond_slot = event.0.time.0 >> self.shift;
            if self.beyond_slot > slot {
                return;
            }
            self.current.extend(self.beyond.pop().map(|event| event.0));
        }
        self.beyond_slot = u64::MAX;
    }

    /// Brings the chain at `at` into `current` and sorts it.
    #[inline(never)]
    fn take_chain(&mut self, at: usize) {
        let mut next = core::mem::replace(&mut self.heads[at], NIL);
        while let Some(node) = self.nodes.get_mut(next as usize) {
            self.current.push(node.event);
            let index = next;
            next = node.next;
            node.next = self.free;
            self.free = index;
        }
        let instants = self.sort_current();
        let events = self.current.len() as u64;
        self.tuner.saw_more(events - 1, instants - 1);
    }

    /// Sorts `current`, next event last; returns how many instants it holds.
    #[inline]
    fn sort_current(&mut self) -> u64 {
        let current = &mut self.current[..];
        if current.len() > 1 {
            if current.len() > LONGEST_SHIFT {
                current.sort_unstable_by_key(|event| Reverse(event.key()));
            } else {
                insertion_sort(current);
            }
        }
        let changes = current
            .windows(2)
            .filter(|pair| pair[0].time != pair[1].time);
        1 + changes.count() as u64
    }

    /// Cuts time anew where the tuner wants it.
    #[cold]
    fn tune(&mut self) {
        let Some((shift, slots)) =
            self.tuner
                .advise(self.slot, self.shift, self.heads.len(), self.len)
        else {
            return;
        };
        let mut events = core::mem::take(&mut self.current);
        events.extend(
            self.late
                .drain()
                .chain(self.beyond.drain())
                .map(|event| event.0),
        );
        for &head in &self.heads {
            let mut next = head;
            while let Some(node) = self.nodes.get(next as usize) {
                events.push(node.event);
                next = node.next;
            }
        }
        self.nodes.clear();
        self.free = NIL;
        self.beyond_slot = u64::MAX;
        self.shift = shift;
        self.mask = slots as u64 - 1;
        self.heads = vec![NIL; slots].into_boxed_slice();
        self.occupied = Occupancy::new(slots);
        let first = events.iter().map(|event| event.time.0 >> shift).min();
        self.slot = first.unwrap_or(0);
        self.tuner.start(self.slot);
        self.refill(&events);
    }

    /// Distributes events none of which lies before the current slot.
    fn refill(&mut self, events: &[Event]) {
        for &event in events {
            let slot = event.time.0 >> self.shift;
            if slot == self.slot {
                self.current.push(event);
            } else if slot - self.slot <= self.mask {
                self.link(slot, event);
            } else {
                self.push_beyond(event);
            }
        }
        self.sort_current();
    }
}

/// Adds a node; its index.
#[cold]
#[inline(never)]
fn grow(nodes: &mut Vec<Node>, event: Event, next: u32) -> u32 {
    let index = nodes.len() as u32;
    assert!(index != NIL, "too many events wait");
    nodes.push(Node { event, next });
    index
}

/// Sorts a few events, next one last.
#[inline]
fn insertion_sort(events: &mut [Event]) {
    for sorted in 1..events.len() {
        let event = events[sorted];
        let mut at = sorted;
        while at > 0 && events[at - 1].key() < event.key() {
            events[at] = events[at - 1];
            at -= 1;
        }
        events[at] = event;
    }
}
