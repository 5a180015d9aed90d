//! The rate a flow reserves, as the time its units take at that rate.

use backwater_kernel::Rate;

use super::{LAST_STAMP, Share};

/// l/r for the units of one flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// r in bps; 0 for a flow of datagrams.
    rate: Rate,
    /// Time of a unit of `unit_bytes` at this rate: most units have this size.
    unit_ps: u64,
    unit_bytes: u32,
}

impl Pace {
    pub fn new(share: &Share) -> Pace {
        Pace {
            rate: share.rate,
            unit_ps: share.rate.tick(share.unit_bytes as u64).ps(),
            unit_bytes: share.unit_bytes,
        }
    }

    /// The rate in bps.
    #[inline]
    pub fn rate_bps(&self) -> u64 {
        self.rate.0
    }

    /// The flow reserves nothing, where others do.
    #[inline]
    pub fn is_datagram(&self) -> bool {
        self.rate.0 == 0
    }

    /// `start` + l/r, in ps of virtual time; at most [`LAST_STAMP`].
    #[inline]
    pub fn finish(&self, start: u64, bytes: u32) -> u64 {
        let ps = if bytes == self.unit_bytes {
            self.unit_ps
        } else {
            self.rate.tick(bytes as u64).ps()
        };
        start.saturating_add(ps).min(LAST_STAMP)
    }
}
