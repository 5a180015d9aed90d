//! So many units in each window; windows follow each other without a gap: the user-behavior
//! envelope of Zhang 1991 (section 3.3: at most AIR = AR AI packets during an average interval
//! AI), read with windows that stand still.
//!
//! Over the end of a window two windows' worth may pass back to back; a sliding window does not
//! let it. The paper does not say when windows begin: each flow has a phase of its own.
//!
//! | Paper | Here |
//! |---|---|
//! | AIR | `units` |
//! | AI | `interval` |

use backwater_kernel::{Duration, Time};

/// State of one flow's windows.
pub struct FixedWindow {
    units: u32,
    interval: Duration,
    /// End of the window it is in; an instant at the end belongs to the next.
    end: Time,
    /// Units that passed in it.
    used: u32,
}

impl FixedWindow {
    /// The first window ends `phase` after the start of the run.
    pub fn new(units: u32, interval: Duration, phase: Duration) -> FixedWindow {
        FixedWindow {
            units,
            interval,
            end: Time::ZERO + phase,
            used: 0,
        }
    }

    fn move_to(&mut self, now: Time) {
        if now >= self.end {
            let windows = now.since(self.end).ps() / self.interval.ps() + 1;
            self.end += self.interval * windows;
            self.used = 0;
        }
    }

    /// The first instant from `now` on at which the next unit conforms.
    pub fn conforms_at(&mut self, now: Time) -> Time {
        self.move_to(now);
        if self.used < self.units {
            now
        } else {
            self.end
        }
    }

    /// A unit passes.
    pub fn pass(&mut self, now: Time) {
        self.move_to(now);
        self.used += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::passed;
    use super::*;

    #[test]
    fn two_windows_worth_pass_back_to_back_over_a_boundary() {
        // Windows of 100 that end at 50, 150, 250.
        let mut window = FixedWindow::new(3, Duration(100), Duration(50));
        let arrivals = [46, 47, 48, 49, 50, 51, 52, 53, 149, 150];
        let through = passed(&arrivals, |now| {
            let conforms = window.conforms_at(now) == now;
            if conforms {
                window.pass(now);
            }
            conforms
        });
        assert_eq!(through, [46, 47, 48, 50, 51, 52, 150]);
    }

    #[test]
    fn what_does_not_conform_waits_for_the_end_of_its_window() {
        let mut window = FixedWindow::new(1, Duration(100), Duration(100));
        assert_eq!(window.conforms_at(Time(20)), Time(20));
        window.pass(Time(20));
        assert_eq!(window.conforms_at(Time(20)), Time(100));
        assert_eq!(window.conforms_at(Time(99)), Time(100));
        // Unused windows are not saved.
        assert_eq!(window.conforms_at(Time(730)), Time(730));
        window.pass(Time(730));
        assert_eq!(window.conforms_at(Time(730)), Time(800));
    }
}
