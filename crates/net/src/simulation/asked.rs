//! Whoever runs a simulation may ask it to stop, even within an instant in which units are made
//! without end. Between instants it looks itself.

use backwater_kernel::EventQueue;

use crate::probe::Probe;
use crate::simulation::Simulation;

/// Units made at one instant between two looks.
const EVERY: u32 = 1 << 10;

/// Is the run to stop, and who says so.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    by: Option<fn() -> bool>,
    made: u32,
    /// It was asked to: nothing more happens.
    pub is_set: bool,
    /// The number of events after which this slice of the run ends.
    pub enough: u64,
}

impl Asked {
    /// A slice of the run, up to so many events in all.
    pub fn begin(&mut self, enough: u64) {
        self.enough = if self.is_set { 0 } else { enough };
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// Asks this now and then where much is made at one instant. If it says that the run is to
    /// stop, it stops within that instant, and does not go on.
    pub fn stop_if(&mut self, asked: fn() -> bool) {
        self.asked.by = Some(asked);
    }

    /// A unit was made, of those that may be many at one instant: is that to end?
    #[inline]
    pub(crate) fn is_asked_to_stop(&mut self) -> bool {
        self.count_made(1);
        self.asked.is_set
    }

    /// So many units were made at one instant.
    #[inline]
    pub(crate) fn count_made(&mut self, units: u32) {
        self.asked.made = self.asked.made.saturating_add(units);
        if self.asked.made >= EVERY {
            self.look_whether_to_stop();
        }
    }

    /// Once it is to end, no more events are enough.
    #[cold]
    fn look_whether_to_stop(&mut self) {
        self.asked.made = 0;
        if self.asked.by.is_some_and(|by| by()) {
            self.asked.is_set = true;
            self.asked.enough = 0;
        }
    }
}
