//! Relative (additive) credit: a credit unit says how many units were freed since the last one.
//!
//! The update that N23 was proposed against (Kung et al. 1993, section 3); Fibre Channel's
//! R_RDY works like it. Without errors it sends the same units at the same instants as N23. A
//! lost credit unit is lost for ever.

use super::{Receiver, Sender};
use crate::spec::CreditSpec;

/// Relative credit on one leg.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Relative {
    buffer_units: u32,
}

impl Relative {
    pub fn new(spec: &CreditSpec) -> Relative {
        Relative {
            buffer_units: spec.n2 + spec.n3,
        }
    }

    pub fn initial_credit(&self) -> i64 {
        self.buffer_units as i64
    }

    #[inline]
    pub fn value(&self, receiver: Receiver) -> u64 {
        receiver.unreported as u64
    }

    #[inline]
    pub fn credit(&self, value: u64, sender: Sender) -> i64 {
        sender.credit + value as i64
    }
}
