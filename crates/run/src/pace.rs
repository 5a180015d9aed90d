//! When a run looks up from computing.

use std::cell::Cell;
use std::time::{Duration, Instant};

use backwater_kernel::Time;

use crate::machine;

/// Between slices of about this wall time progress is shown and Ctrl-C is heard.
const SLICE: Duration = Duration::from_millis(50);
/// A slice that takes this long ends.
const LATE: Duration = Duration::from_millis(250);
/// Events between two looks, at first.
const FIRST_EVENTS: u64 = 1 << 12;
/// What has been computed is written at least this often,
const SAVE_EVERY: Duration = Duration::from_secs(10);
/// unless that takes more than one part in so many of the time: large networks take long.
const SAVE_PART: u32 = 20;

thread_local! {
    /// When a run on this thread looked up last.
    static LOOKED_UP: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Is it long since a run on this thread has looked up? After a pause in its traffic a slice may
/// hold far more work than was meant.
pub fn is_late() -> bool {
    let last = LOOKED_UP.get();
    last.is_some_and(|last| last.elapsed() > LATE)
}

/// Cuts a run into slices of about equal wall time, and says when results are worth saving.
pub struct Pace {
    slice: u64,
    events: u64,
    save_every: Duration,
    start: Instant,
    looked_up: Instant,
    saved: Instant,
    cpu_at_start: Option<f64>,
}

impl Pace {
    /// Starts the clock. The length of slices is in the engine's own unit of time.
    pub fn new(first_slice: u64) -> Pace {
        let start = Instant::now();
        Pace {
            slice: first_slice.max(1),
            events: FIRST_EVENTS,
            save_every: SAVE_EVERY,
            start,
            looked_up: start,
            saved: start,
            cpu_at_start: machine::cpu_seconds(),
        }
    }

    /// A run that never looks up.
    pub fn endless() -> Pace {
        Pace {
            slice: u64::MAX,
            events: u64::MAX,
            ..Pace::new(1)
        }
    }

    /// Runs on by a slice of at most `most`. What `run` is given is how long that is.
    pub fn cycles<T>(&mut self, most: u64, run: impl FnOnce(u64) -> T) -> T {
        LOOKED_UP.set(Some(Instant::now()));
        let found = run(self.slice.min(most));
        self.slice = next_slice(self.slice, self.looked_up.elapsed());
        self.looked_up = Instant::now();
        found
    }

    /// Runs on from `at` by a slice, at most to `end`. What `run` is given is where it is to end,
    /// and after how many events: after a pause in its traffic a slice that was short may be long.
    /// Its error says how far these events reach; then the slice ends there, and there is nothing
    /// to tell.
    pub fn events<T>(
        &mut self,
        at: &mut Time,
        end: Time,
        run: impl FnOnce(Time, u64) -> Result<T, Time>,
    ) -> Option<T> {
        let until = Time(at.ps().saturating_add(self.slice)).min(end);
        let found = run(until, self.events);
        let took = self.looked_up.elapsed();
        match found {
            Ok(_) => self.slice = next_slice(self.slice, took),
            Err(_) => self.events = next_slice(self.events, took),
        }
        self.looked_up = Instant::now();
        *at = *found.as_ref().err().unwrap_or(&until);
        found.ok()
    }

    /// It is time to save what there is.
    pub fn save_is_due(&self) -> bool {
        self.saved.elapsed() > self.save_every
    }

    /// That was done, and took as long as there was no look; it counts for no slice.
    pub fn saved(&mut self) {
        self.save_every = SAVE_EVERY.max(self.looked_up.elapsed() * SAVE_PART);
        self.saved = Instant::now();
        self.looked_up = self.saved;
    }

    /// Wall time since the start, in seconds.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// CPU time since the start, in seconds; `None` where the system does not say.
    pub fn cpu_seconds(&self) -> Option<f64> {
        Some(machine::cpu_seconds()? - self.cpu_at_start?)
    }
}

fn next_slice(slice: u64, took: Duration) -> u64 {
    if took < SLICE / 2 {
        slice.saturating_mul(2)
    } else if took > SLICE * 2 {
        (slice / 2).max(1)
    } else {
        slice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_follow_what_the_last_one_took() {
        assert_eq!(next_slice(100, SLICE / 10), 200);
        assert_eq!(next_slice(100, SLICE), 100);
        assert_eq!(next_slice(100, SLICE * 10), 50);
        assert_eq!(next_slice(1, SLICE * 10), 1);
        assert_eq!(next_slice(u64::MAX, SLICE / 10), u64::MAX);
    }
}
