//! N123 and N123+: absolute credit without E, paid for with a third zone of buffer.
//!
//! Named in Kung et al. (1993), section 3: "extra buffer space is proportional to the link
//! propagation delay". The original report is not public; what follows is inferred from that
//! sentence and from what makes the schemes lossless.
//!
//! A sender that takes C as it is forgets the units on the wire, which the receiver had not seen
//! when it wrote C. They need a place: zone N1. With C = N2 + N3 - fill the receiver can come to
//! hold fill + (on the wire) + C = N2 + N3 + (on the wire), so N1 must cover what fits on the
//! wire during one control loop: at the link's rate in N123. N123+ makes the sender hold
//! itself to N1 starts per loop, so N1 need only cover the circuit's own bandwidth.
//!
//! | here | meaning |
//! |---|---|
//! | `credit_units` | N2 + N3, the zones credit speaks of |
//! | `n1` | room for units the credit can't know of |

use backwater_kernel::Duration;

use super::{Receiver, Sender};
use crate::spec::CreditSpec;

/// N123 on one leg.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct N123 {
    credit_units: u32,
}

impl N123 {
    pub fn new(spec: &CreditSpec) -> N123 {
        N123 {
            credit_units: spec.n2 + spec.n3,
        }
    }

    pub fn initial_credit(&self) -> i64 {
        self.credit_units as i64
    }

    /// Unoccupied slots of N2 and N3; N1 is never advertised.
    #[inline]
    pub fn value(&self, receiver: Receiver) -> u64 {
        self.credit_units.saturating_sub(receiver.fill) as u64
    }

    #[inline]
    pub fn credit(&self, value: u64) -> i64 {
        value as i64
    }
}

/// N123+ on one leg.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct N123Plus {
    credit_units: u32,
    n1: u32,
    pub window: Duration,
}

impl N123Plus {
    pub fn new(spec: &CreditSpec) -> N123Plus {
        N123Plus {
            credit_units: spec.n2 + spec.n3,
            n1: spec.n1,
            window: spec.window,
        }
    }

    pub fn initial_credit(&self) -> i64 {
        self.credit_units.min(self.n1) as i64
    }

    #[inline]
    pub fn value(&self, receiver: Receiver) -> u64 {
        self.credit_units.saturating_sub(receiver.fill) as u64
    }

    /// C, but never more than N1 starts in a window.
    #[inline]
    pub fn credit(&self, value: u64, sender: Sender) -> i64 {
        let room = self.n1 as i64 - sender.in_window as i64;
        (value as i64).min(room)
    }
}
