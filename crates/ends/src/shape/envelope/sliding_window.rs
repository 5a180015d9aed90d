//! So many units in any window: unit k no earlier than AI after unit k - AIR. The user-behavior
//! envelope of Zhang 1991 (section 3.3), read with windows that may begin anywhere.
//!
//! | Paper | Here |
//! |---|---|
//! | AIR | `units` |
//! | AI | `interval` |

use alloc::collections::VecDeque;

use backwater_kernel::{Duration, Time};

/// State of one flow's window.
pub struct SlidingWindow {
    units: u32,
    interval: Duration,
    /// When the units of the last interval passed, oldest first; `units` at most.
    passed: VecDeque<Time>,
}

impl SlidingWindow {
    /// No unit has passed yet.
    pub fn new(units: u32, interval: Duration) -> SlidingWindow {
        SlidingWindow {
            units,
            interval,
            passed: VecDeque::new(),
        }
    }

    /// The first instant from `now` on at which the next unit conforms.
    pub fn conforms_at(&mut self, now: Time) -> Time {
        while let Some(&oldest) = self.passed.front()
            && oldest + self.interval <= now
        {
            self.passed.pop_front();
        }
        match self.passed.front() {
            Some(&oldest) if self.passed.len() >= self.units as usize => oldest + self.interval,
            _ => now,
        }
    }

    /// A unit passes.
    pub fn pass(&mut self, now: Time) {
        self.passed.push_back(now);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::passed;
    use super::*;

    #[test]
    fn no_boundary_lets_more_through() {
        // The arrivals of which a fixed window lets six through back to back.
        let mut window = SlidingWindow::new(3, Duration(100));
        let arrivals = [46, 47, 48, 49, 50, 51, 52, 53, 145, 146, 146, 147, 149];
        let through = passed(&arrivals, |now| {
            let conforms = window.conforms_at(now) == now;
            if conforms {
                window.pass(now);
            }
            conforms
        });
        assert_eq!(through, [46, 47, 48, 146, 147, 149]);
    }

    #[test]
    fn what_does_not_conform_waits_for_the_oldest_to_age() {
        let mut window = SlidingWindow::new(2, Duration(100));
        for at in [10, 30] {
            assert_eq!(window.conforms_at(Time(at)), Time(at));
            window.pass(Time(at));
        }
        assert_eq!(window.conforms_at(Time(30)), Time(110));
        assert_eq!(window.conforms_at(Time(110)), Time(110));
        window.pass(Time(110));
        assert_eq!(window.conforms_at(Time(110)), Time(130));
    }
}
