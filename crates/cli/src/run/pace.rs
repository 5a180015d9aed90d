//! When a run looks up from computing.

use std::time::{Duration, Instant};

use crate::machine;

/// Between slices of about this wall time progress is shown and Ctrl-C is heard.
const SLICE: Duration = Duration::from_millis(50);

/// Cuts a run into slices of about equal wall time, and says when results are worth saving.
pub struct Pace {
    slice: u64,
    save_every: Duration,
    start: Instant,
    looked_up: Instant,
    saved: Instant,
    cpu_at_start: Option<f64>,
}

impl Pace {
    /// Starts the clock. The length of slices is in the engine's own unit of time.
    pub fn new(first_slice: u64, save_every: Duration) -> Pace {
        let start = Instant::now();
        Pace {
            slice: first_slice.max(1),
            save_every,
            start,
            looked_up: start,
            saved: start,
            cpu_at_start: machine::cpu_seconds(),
        }
    }

    /// How far to compute before looking up again.
    pub fn slice(&self) -> u64 {
        self.slice
    }

    /// A slice is over: the next is longer after a quick one, shorter after a slow one.
    pub fn look_up(&mut self) {
        self.slice = next_slice(self.slice, self.looked_up.elapsed());
        self.looked_up = Instant::now();
    }

    /// It is time to save what there is.
    pub fn save_is_due(&self) -> bool {
        self.saved.elapsed() > self.save_every
    }

    /// That was done; it counts for no slice.
    pub fn saved(&mut self) {
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
