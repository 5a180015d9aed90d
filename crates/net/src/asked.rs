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
        self.asked.made = self.asked.made.wrapping_add(1);
        if self.asked.made.is_multiple_of(EVERY) {
            self.asked.is_set |= self.asked.by.is_some_and(|by| by());
        }
        self.asked.is_set
    }
}
