//! N23: absolute credit with E, the units sent in the last round trip.
//!
//! Kung et al., "Use of link-by-link flow control in maximizing ATM network performance:
//! simulation results" (1993), section 4.
//!
//! Modelled: equations (1) and (2), initial credit N2 + N3, credit bound when the credit cell
//! starts. Not modelled: the routine that measures R; the scenario gives the loop exactly.
//!
//! | paper | here |
//! |---|---|
//! | N2 + N3 | `buffer_units` |
//! | R, the time over which E is counted | `window` |
//! | E | `sent_in_window` |
//! | C | the credit unit's value |
//! | Credit_Count | the result of `credit` |

use alloc::collections::VecDeque;

use kernel::{Duration, Time};

use super::Receiver;
use crate::spec::CreditSpec;

/// State of N23 on one leg.
pub(crate) struct N23 {
    buffer_units: u32,
    sent: SentWindow,
}

impl N23 {
    pub fn new(spec: &CreditSpec) -> N23 {
        N23 {
            buffer_units: spec.n2 + spec.n3,
            sent: SentWindow::new(spec.window),
        }
    }

    pub fn initial_credit(&self) -> i64 {
        self.buffer_units as i64
    }

    #[inline]
    pub fn on_send(&mut self, now: Time) {
        self.sent.push(now);
    }

    /// C: unoccupied slots of the zones N2 and N3.
    #[inline]
    pub fn value(&self, receiver: Receiver) -> u64 {
        self.buffer_units.saturating_sub(receiver.fill) as u64
    }

    /// Equation (1): C - E. Absolute, so a lost credit unit is repaired by the next.
    #[inline]
    pub fn credit(&mut self, now: Time, value: u64) -> i64 {
        value as i64 - self.sent.count(now) as i64
    }
}

/// Starts within a window that ends now: what the receiver can't have seen when it wrote the
/// credit.
pub(super) struct SentWindow {
    window: Duration,
    starts: VecDeque<Time>,
}

impl SentWindow {
    pub fn new(window: Duration) -> SentWindow {
        SentWindow {
            window,
            starts: VecDeque::new(),
        }
    }

    #[inline]
    pub fn push(&mut self, now: Time) {
        self.starts.push_back(now);
    }

    /// Starts `s` with `now - window < s < now`. A unit started exactly a window ago was seen.
    #[inline]
    pub fn count(&mut self, now: Time) -> usize {
        while let Some(&start) = self.starts.front() {
            if start + self.window > now {
                break;
            }
            self.starts.pop_front();
        }
        self.starts.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e_leaves_out_a_start_exactly_one_window_ago() {
        let mut sent = SentWindow::new(Duration(100));
        for start in [0, 50, 99, 100] {
            sent.push(Time(start));
        }
        assert_eq!(sent.count(Time(100)), 3);
        assert_eq!(sent.count(Time(150)), 2);
        assert_eq!(sent.count(Time(199)), 1);
        assert_eq!(sent.count(Time(200)), 0);
    }
}
