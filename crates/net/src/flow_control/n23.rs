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
//! | E | `Sender::in_window` |
//! | C | the credit unit's value |
//! | Credit_Count | the result of `credit` |

use backwater_kernel::Duration;

use super::{Receiver, Sender};
use crate::spec::CreditSpec;

/// N23 on one leg.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct N23 {
    buffer_units: u32,
    pub window: Duration,
}

impl N23 {
    pub fn new(spec: &CreditSpec) -> N23 {
        N23 {
            buffer_units: spec.n2 + spec.n3,
            window: spec.window,
        }
    }

    pub fn initial_credit(&self) -> i64 {
        self.buffer_units as i64
    }

    /// C: unoccupied slots of the zones N2 and N3.
    #[inline]
    pub fn value(&self, receiver: Receiver) -> u64 {
        self.buffer_units.saturating_sub(receiver.fill) as u64
    }

    /// Equation (1): C - E. Absolute, so a lost credit unit is repaired by the next.
    #[inline]
    pub fn credit(&self, value: u64, sender: Sender) -> i64 {
        value as i64 - sender.in_window as i64
    }
}
