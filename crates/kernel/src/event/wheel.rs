//! A timing wheel that fits itself to what it sees.
//!
//! Time is cut into slots of `2^shift` ps; the wheel holds the next `mask` slots after the current
//! one as chains, so adding costs the same whatever waits. The current slot is a sorted buffer.
//! Events past the horizon wait in a heap and are taken from there when their slot comes.
//!
//! Nothing here is worse than a heap by more than a constant: a crowded slot is sorted once,
//! events that come late into a crowded slot go to a heap of their own.

mod tuner;

use alloc::boxed::Box;
use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::{Event, EventQueue};
use crate::bits::BitSet;
use crate::time::Time;

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
    occupied: BitSet,
    nodes: Vec<Node>,
    /// Chain of unused nodes.
    free: u32,
    late: BinaryHeap<Reverse<Event>>,
    beyond: BinaryHeap<Reverse<Event>>,
    /// Slot of the first event in `beyond`.
    beyond_slot: u64,
    tuner: Tuner,
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
            occupied: BitSet::new(FIRST_SLOTS),
            nodes: Vec::new(),
            free: NIL,
            late: BinaryHeap::new(),
            beyond: BinaryHeap::new(),
            beyond_slot: u64::MAX,
            tuner: Tuner::default(),
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
        } else if slot <= self.slot {
            self.push_current(event);
        } else {
            self.push_beyond(event);
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
    fn pop(&mut self) -> Option<Event> {
        if !self.late.is_empty() {
            return self.pop_late();
        }
        if self.current.is_empty() {
            self.turn();
        }
        let event = self.current.pop()?;
        self.len -= 1;
        Some(event)
    }

    #[inline]
    fn len(&self) -> usize {
        self.len
    }
}

impl Wheel {
    /// Puts an event at the head of its slot's chain. Chains come back newest first: events added
    /// in order are then already sorted for `current`.
    #[inline]
    fn link(&mut self, slot: u64, event: Event) {
        let at = (slot & self.mask) as usize;
        let next = self.heads[at];
        let node = Node { event, next };
        self.heads[at] = match self.nodes.get_mut(self.free as usize) {
            Some(unused) => {
                let index = self.free;
                self.free = unused.next;
                *unused = node;
                index
            }
            None => self.grow(node),
        };
        self.occupied.insert(at);
    }

    #[cold]
    fn grow(&mut self, node: Node) -> u32 {
        let index = self.nodes.len() as u32;
        assert!(index != NIL, "too many events wait");
        self.nodes.push(node);
        index
    }

    #[inline]
    fn push_current(&mut self, event: Event) {
        let len = self.current.len();
        let stop = len.saturating_sub(LONGEST_SHIFT);
        let mut at = len;
        while at > stop && self.current[at - 1].key() < event.key() {
            at -= 1;
        }
        if at == stop && stop > 0 {
            self.late.push(Reverse(event));
        } else {
            self.current.insert(at, event);
        }
    }

    #[cold]
    fn push_beyond(&mut self, event: Event) {
        self.beyond_slot = self.beyond_slot.min(event.time.0 >> self.shift);
        self.beyond.push(Reverse(event));
    }

    #[cold]
    fn pop_late(&mut self) -> Option<Event> {
        let late = self.late.peek()?.0;
        self.len -= 1;
        match self.current.last() {
            Some(first) if first.key() < late.key() => self.current.pop(),
            _ => {
                self.late.pop();
                if self.tuner.saw_late(late.time) {
                    self.tune();
                }
                Some(late)
            }
        }
    }

    /// Moves on to the next slot that has events and brings them into `current`, which is empty.
    fn turn(&mut self) {
        if self.tuner.is_due() {
            self.tune();
            if !self.current.is_empty() {
                return;
            }
        }
        let from = (self.slot.wrapping_add(1) & self.mask) as usize;
        let Some(at) = self.occupied.next_cyclic(from) else {
            return self.turn_beyond(u64::MAX);
        };
        let ahead = (at.wrapping_sub(from) as u64 & self.mask) + 1;
        let slot = self.slot + ahead;
        if slot >= self.beyond_slot {
            return self.turn_beyond(slot);
        }
        self.slot = slot;
        self.unlink(at);
        let instants = self.sort_current();
        self.tuner.saw(ahead, self.current.len(), instants);
    }

    /// Brings a slot's chain into `current`.
    #[inline]
    fn unlink(&mut self, at: usize) {
        self.occupied.remove(at);
        let mut next = core::mem::replace(&mut self.heads[at], NIL);
        while let Some(node) = self.nodes.get_mut(next as usize) {
            self.current.push(node.event);
            let index = next;
            next = node.next;
            node.next = self.free;
            self.free = index;
        }
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

    /// The next events may lie past the horizon, the wheel's own at `slot` or later.
    #[cold]
    fn turn_beyond(&mut self, slot: u64) {
        let Some(first) = self.beyond.peek() else {
            return;
        };
        let slot = slot.min(first.0.time.0 >> self.shift);
        let ahead = slot - self.slot;
        self.slot = slot;
        while let Some(event) = self.beyond.peek() {
            if event.0.time.0 >> self.shift > slot {
                break;
            }
            self.current.push(event.0);
            self.beyond.pop();
        }
        self.beyond_slot = self.first_slot_beyond();
        if self.heads[(slot & self.mask) as usize] != NIL {
            self.unlink((slot & self.mask) as usize);
        }
        let instants = self.sort_current();
        self.tuner.saw(ahead, self.current.len(), instants);
    }

    fn first_slot_beyond(&self) -> u64 {
        let first = self.beyond.peek();
        first.map_or(u64::MAX, |event| event.0.time.0 >> self.shift)
    }

    /// Cuts time anew where the tuner wants it.
    #[cold]
    fn tune(&mut self) {
        let Some((shift, slots)) = self.tuner.advise(self.shift, self.heads.len(), self.len) else {
            return;
        };
        let mut events = core::mem::take(&mut self.current);
        events.extend(
            self.late
                .drain()
                .chain(self.beyond.drain())
                .map(|event| event.0),
        );
        for at in core::iter::from_fn(|| self.occupied.pop_first()) {
            let mut next = self.heads[at];
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
        self.occupied = BitSet::new(slots);
        let first = events.iter().map(|event| event.time.0 >> shift).min();
        self.slot = first.unwrap_or(self.slot);
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
