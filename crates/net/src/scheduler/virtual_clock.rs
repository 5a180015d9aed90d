//! VirtualClock (L. Zhang, "VirtualClock: a new traffic control algorithm for packet-switched
//! networks", ACM TOCS 9(2), 1991, section 3): each flow has a clock that ticks once a unit, at
//! the pace of what it reserves. Units are stamped with it and served by stamp, as if the stamp
//! were a slot of time-division multiplexing.
//!
//! | Paper | Here |
//! |---|---|
//! | VirtualClock | `Meter::virtual_clock_ps`, against real time the flow's meter |
//! | auxVC | `Meter::aux_vc_ps`, never behind real time: it saves no credit |
//! | Vtick | `Meter::pace`, the time of each unit's own size |
//! | AIR = AR AI | `Meter::check_every`, units between two checks |
//! | T | `Meter::threshold`, AIR Vtick unless given |
//! | real time - P (section 3.2.2) | [`Meter::real_time_ps`]; 0 while P is larger |
//! | a stamp of infinity (section 3.2.2) | a datagram's rank |
//!
//! What the paper leaves open: the first unit also does step 2, so its stamp is real time + Vtick.
//! A check comes right after the unit that completes AIR was stamped. Stamps end at `LAST_STAMP`.
//! The last sentence of the monitoring rule, which sets auxVC back to VirtualClock, is
//! [`Resync::Literal`]; it can reorder a flow, so such queues are kept by stamp.
//!
//! Not modelled: rates that change while the network runs, the message to the source (the port
//! sends it, see `service.rs`).

use alloc::vec::Vec;

use backwater_kernel::Duration;

use super::pace::Pace;
use super::stamped::Rule;
use super::{Admitted, Check, Port, Share};
use crate::spec::{Resync, Stamp, VirtualClockSpec};

/// The clocks of a port's flows.
pub(super) struct VirtualClock {
    stamp: Stamp,
    resync: Resync,
    meters: Vec<Meter>,
}

/// The two clocks of a flow. Both stop at `LAST_STAMP`. A cache line.
#[repr(align(64))]
struct Meter {
    pace: Pace,
    /// [`NOT_STARTED`] before the first unit.
    virtual_clock_ps: u64,
    aux_vc_ps: u64,
    /// P.
    offset: Duration,
    threshold: Duration,
    /// AIR; 0 is never.
    check_every: u32,
    /// Units since the last check.
    unchecked: u32,
}

/// The clocks of a flow do not run yet.
const NOT_STARTED: u64 = u64::MAX;

impl VirtualClock {
    pub fn new(spec: &VirtualClockSpec, shares: &[Share]) -> VirtualClock {
        let meter = |share: &Share| Meter::new(share, spec.threshold);
        VirtualClock {
            stamp: spec.stamp,
            resync: spec.resync,
            meters: shares.iter().map(meter).collect(),
        }
    }
}

impl Meter {
    fn new(share: &Share, threshold: Option<Duration>) -> Meter {
        let tick_ps = share.rate.tick(share.unit_bytes as u64).ps();
        let interval = Duration(tick_ps.saturating_mul(share.check_every as u64));
        Meter {
            pace: Pace::new(share),
            virtual_clock_ps: NOT_STARTED,
            aux_vc_ps: 0,
            offset: share.offset,
            threshold: threshold.unwrap_or(interval),
            check_every: share.check_every,
            unchecked: 0,
        }
    }

    /// Real time, so much earlier for a flow with priority.
    #[inline]
    fn real_time_ps(&self, port: &Port) -> u64 {
        port.now.ps().saturating_sub(self.offset.ps())
    }

    /// Data forwarding, steps 1, 2 (a) and 2 (b).
    #[inline]
    fn advance(&mut self, real_time_ps: u64, bytes: u32) {
        if self.virtual_clock_ps == NOT_STARTED {
            (self.virtual_clock_ps, self.aux_vc_ps) = (real_time_ps, real_time_ps);
        }
        self.aux_vc_ps = self.aux_vc_ps.max(real_time_ps);
        self.virtual_clock_ps = self.pace.finish(self.virtual_clock_ps, bytes);
        self.aux_vc_ps = self.pace.finish(self.aux_vc_ps, bytes);
    }

    /// Flow monitoring, once every AIR units: how far the flow is ahead of its reservation. What
    /// it is behind is forgotten.
    #[inline]
    fn check(&mut self, real_time_ps: u64) -> Option<Check> {
        self.unchecked = self.unchecked.wrapping_add(1);
        if self.unchecked != self.check_every {
            return None;
        }
        self.unchecked = 0;
        // Both are below 2^63.
        let ahead_ps = self.virtual_clock_ps as i64 - real_time_ps as i64;
        self.virtual_clock_ps = self.virtual_clock_ps.max(real_time_ps);
        Some(Check {
            ahead_ps,
            threshold: self.threshold,
        })
    }

    /// The last unit was checked.
    #[inline]
    fn was_checked(&self) -> bool {
        self.unchecked == 0 && self.check_every != 0 && self.virtual_clock_ps != NOT_STARTED
    }

    /// "auxVC <- VirtualClock".
    fn resync(&mut self) {
        self.aux_vc_ps = self.virtual_clock_ps;
    }

    /// "If either the outgoing link is idle or the packet being transmitted has a stamp value
    /// greater than auxVC."
    fn may_resync(&self, port: &Port) -> bool {
        let is_larger = |stamp: u64| stamp > self.aux_vc_ps;
        port.wire_is_free || port.in_service.is_some_and(is_larger)
    }
}

impl Rule for VirtualClock {
    #[inline]
    fn rank(&mut self, port: &Port, seat: u32, bytes: u32) -> Option<Admitted> {
        let meter = &mut self.meters[seat as usize];
        if meter.pace.is_datagram() {
            return Admitted::datagram(port.now);
        }
        if port.is_idle && self.resync == Resync::IdleLink && meter.was_checked() {
            meter.resync();
        }
        let real_time_ps = meter.real_time_ps(port);
        meter.advance(real_time_ps, bytes);
        let rank = match self.stamp {
            Stamp::AuxVc => meter.aux_vc_ps,
            Stamp::VirtualClock => meter.virtual_clock_ps,
        };
        let check = meter.check(real_time_ps);
        if check.is_some() && self.resync == Resync::Literal && meter.may_resync(port) {
            meter.resync();
        }
        Some(Admitted { rank, check })
    }

    /// The literal rule may take auxVC, and with it the stamps of a flow, back.
    fn reorders(&self) -> bool {
        self.resync == Resync::Literal
    }
}

#[cfg(test)]
mod tests;
