//! Whole instants out of the wheel: those that stand in a slot of their own leave it as they are.

use super::super::{EventQueue, InOrder};
use super::{NIL, Node, Wheel, grow};
use crate::time::Time;

/// Events of a slot that are looked at to say when the next one is.
const LOOKED_AT: u32 = 8;

impl Wheel {
    /// An instant that no event comes before, ps: that of the next one where it is near, and
    /// `u64::MAX` if there is none. The wheel does not turn.
    #[inline]
    pub fn bound(&self) -> u64 {
        if !self.current.is_empty() || !self.late.is_empty() {
            let late = self.late.peek().map_or(u64::MAX, |event| event.0.time.0);
            let first = self.current.last().map_or(u64::MAX, |event| event.time.0);
            return late.min(first);
        }
        if self.len == 0 {
            return u64::MAX;
        }
        let from = self.slot.wrapping_add(1);
        let window = self.occupied.window((from & self.mask) as usize);
        let slot = from + u64::from(window.trailing_zeros());
        if window == 0 || slot >= self.beyond_slot {
            let slot = slot.min(self.beyond_slot);
            return slot.min(u64::MAX >> self.shift) << self.shift;
        }
        let (mut least, mut looked) = (u64::MAX, 0);
        let mut next = self.heads[(slot & self.mask) as usize];
        while let Some(node) = self.nodes.get(next as usize) {
            if looked == LOOKED_AT {
                return slot << self.shift;
            }
            least = least.min(node.event.time.0);
            (next, looked) = (node.next, looked + 1);
        }
        least
    }

    /// The next slot's events as they stand, where the slot is near, holds one instant only, and
    /// that is not after `until`: the instant and the first node of the chain, now off the wheel.
    /// `None` says nothing: the common path decides.
    #[inline]
    pub(super) fn near_instant(&mut self, until: Time) -> Option<(Time, u32)> {
        if self.tuner.is_nearly_due() {
            self.look();
        }
        let from = self.slot.wrapping_add(1) & self.mask;
        let window = self.occupied.window(from as usize);
        let slot = self
            .slot
            .wrapping_add(1 + u64::from(window.trailing_zeros()));
        let is_empty = self.current.is_empty() && self.late.is_empty();
        if !is_empty || window == 0 || slot >= self.beyond_slot {
            return None;
        }
        let at = (slot & self.mask) as usize;
        let first = self.heads[at];
        let node = self.nodes.get(first as usize)?;
        let (instant, mut next, mut more) = (node.event.time, node.next, 0);
        while let Some(node) = self.nodes.get(next as usize) {
            if node.event.time != instant {
                return None;
            }
            (next, more) = (node.next, more + 1);
        }
        if instant > until {
            return None;
        }
        self.slot = slot;
        self.occupied.remove(at);
        self.heads[at] = NIL;
        self.len -= 1 + more;
        self.tuner.visit();
        self.tuner.saw_more(more as u64, 0);
        Some((instant, first))
    }

    /// It is time to look at the wheel's form.
    #[cold]
    #[inline(never)]
    fn look(&mut self) {
        if self.tuner.visit() {
            self.tune();
        }
    }

    /// The same for an instant that the common path finds: its events become a chain.
    #[inline(never)]
    pub(super) fn far_instant(&mut self, until: Time) -> Option<(Time, u32)> {
        let instant = self.next_time().filter(|instant| *instant <= until)?;
        // Taking an event out may cut the wheel anew and with it all chains: the new one is made
        // when all are out.
        let mut events = core::mem::take(&mut self.taken);
        while self.holds(instant) {
            events.extend(self.pop());
        }
        let mut first = NIL;
        for event in events.drain(..) {
            let index = self.free;
            first = match self.nodes.get_mut(index as usize) {
                Some(unused) => {
                    self.free = unused.next;
                    *unused = Node { event, next: first };
                    index
                }
                None => grow(&mut self.nodes, event, first),
            };
        }
        self.taken = events;
        Some((instant, first))
    }

    /// Is an event of `instant` in the current slot? (Looking further would turn the wheel.)
    fn holds(&self, instant: Time) -> bool {
        let first = self.current.last().map(|event| event.time);
        let late = self.late.peek().map(|event| event.0.time);
        first == Some(instant) || late == Some(instant)
    }
}
