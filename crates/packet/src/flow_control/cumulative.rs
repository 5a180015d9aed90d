//! Cumulative counters: the credit unit carries all units ever freed, the sender subtracts.
//!
//! Kung, Blackwell, Chapman (SIGCOMM 1994); the idea behind the flow control of PCI Express,
//! InfiniBand and Ultra Ethernet. Absolute like N23, yet without a round-trip time to know:
//! credit = N2 + N3 - (sent - freed). Lost data units would count as unfreed for ever, so the
//! sender states its counter now and then (`resync_every`) and the receiver corrects its own.
//!
//! Counters here are 64 bits wide; real ones are cyclic and shorter.

use super::Receiver;
use crate::spec::CreditSpec;

/// State of cumulative credit on one leg: none beyond the shared machinery.
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
    pub fn credit(&mut self, value: u64, sent: u64) -> i64 {
        self.buffer_units as i64 - (sent.wrapping_sub(value)) as i64
    }
}
