//! Cumulative counters: the credit unit carries all units ever freed, the sender subtracts.
//!
//! Kung, Blackwell, Chapman (SIGCOMM 1994); the idea behind the flow control of PCI Express,
//! InfiniBand and Ultra Ethernet. Absolute like N23, yet without a round-trip time to know:
//! credit = N2 + N3 - (sent - freed). Lost data units would count as unfreed for ever, so the
//! sender states its counter now and then (`resync_every`) and the receiver corrects its own.
//!
//! Counters here are 64 bits wide; real ones are cyclic and shorter.

use super::{Receiver, Sender};
use crate::spec::CreditSpec;

/// Cumulative credit on one leg.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Cumulative {
    buffer_units: u32,
}

impl Cumulative {
    pub fn new(spec: &CreditSpec) -> Cumulative {
        Cumulative {
            buffer_units: spec.n2 + spec.n3,
        }
    }

    pub fn initial_credit(&self) -> i64 {
        self.buffer_units as i64
    }

    #[inline]
    pub fn value(&self, receiver: Receiver) -> u64 {
        receiver.freed
    }

    #[inline]
    pub fn credit(&self, value: u64, sender: Sender) -> i64 {
        self.buffer_units as i64 - sender.sent.wrapping_sub(value) as i64
    }
}
