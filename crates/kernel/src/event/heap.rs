//! The reference queue: the standard library's binary heap.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

use super::{Event, EventQueue, InOrder};
use crate::time::Time;

/// A binary heap of events; slow, obvious, what every other queue is compared with.
#[derive(Default)]
pub struct Heap {
    events: BinaryHeap<Reverse<Event>>,
}

impl EventQueue for Heap {
    fn push(&mut self, event: Event) {
        self.events.push(Reverse(event));
    }

    fn next_time(&mut self) -> Option<Time> {
        self.events.peek().map(|event| event.0.time())
    }

    fn take_instant(&mut self, until: Time, mut each: impl FnMut(Event)) -> Option<Time> {
        let instant = self.next_time().filter(|instant| *instant <= until)?;
        while self.next_time() == Some(instant) {
            self.pop().into_iter().for_each(&mut each);
        }
        Some(instant)
    }

    fn look(&self, each: &mut dyn FnMut(Event)) {
        self.events.iter().for_each(|event| each(event.0));
    }

    fn len(&self) -> usize {
        self.events.len()
    }
}

impl InOrder for Heap {
    fn pop(&mut self) -> Option<Event> {
        self.events.pop().map(|event| event.0)
    }
}
