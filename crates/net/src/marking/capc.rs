//! CAPC, congestion avoidance using proportional control (Barnhart 1994, ATM Forum 94-0983; as in
//! Jain 1996, section 8): a switch moves one fair share for all circuits up while the load z is
//! below 1 and down while it is above, and counts no circuits.
//!
//! At the end of an interval, z < 1: ERS := ERS min(ERU, 1 + (1 - z) Rup), else
//! ERS := ERS max(ERF, 1 - (z - 1) Rdn). Backward RM cells get ER := min(ER, ERS), and CI while
//! more than `congestion_cells` wait.
//!
//! | Symbol | Field |
//! |---|---|
//! | ERS | `share` |
//! | Rup, ERU | `rise`, `rise_most` |
//! | Rdn, ERF | `fall`, `fall_least` |
//!
//! Choices: ERS begins at what one circuit may have, is never above the link's rate and never
//! below a cell a second, from which it can rise again. Where background leaves nothing, it falls.

use backwater_ends::control::{Ratio, RmCell};
use backwater_kernel::{Rate, Time};

use super::meter::{Meter, Sums};
use super::{BACKGROUND, PortView, RateInterval, Rule};
use crate::outcome::RatePortOutcome;
use crate::spec::CapcSpec;

/// CAPC at one port.
pub(crate) struct Capc {
    target: Ratio,
    rise: Ratio,
    rise_most: Ratio,
    fall: Ratio,
    fall_least: Ratio,
    congestion_cells: u32,
    meter: Meter,
    share: Rate,
    /// A cell a second.
    share_least: Rate,
    sums: Sums,
}

impl Capc {
    /// For cells of `bits` on a channel of rate `link`.
    pub fn new(spec: &CapcSpec, link: Rate, bits: u32) -> Capc {
        let target = Ratio::new(spec.target);
        Capc {
            target,
            rise: Ratio::new(spec.rise),
            rise_most: Ratio::new(spec.rise_most).max(Ratio::ONE),
            fall: Ratio::new(spec.fall),
            fall_least: Ratio::new(spec.fall_least).min(Ratio::ONE),
            congestion_cells: spec.congestion_cells,
            meter: Meter::new(spec.interval, bits),
            share: target.times(link),
            share_least: Rate(bits as u64).min(link),
            sums: Sums::default(),
        }
    }

    /// Adds what intervals found to `outcome`.
    pub fn outcome(&self, outcome: &mut RatePortOutcome) {
        self.sums.report(outcome);
    }

    /// What an interval of load z multiplies the share by.
    fn factor(&self, load: Ratio) -> Ratio {
        let one = Ratio::ONE.0;
        if load.0 < one {
            let rise = ((one - load.0) as u128 * self.rise.0 as u128) >> 32;
            return Ratio((one as u128 + rise).min(self.rise_most.0 as u128) as u64);
        }
        let fall = ((load.0 - one) as u128 * self.fall.0 as u128) >> 32;
        let kept = (one as u128).saturating_sub(fall) as u64;
        Ratio(kept.max(self.fall_least.0))
    }
}

impl Rule for Capc {
    #[inline]
    fn on_cell(&mut self, _port: &PortView, seat: u32, bits: u32) -> Option<RateInterval> {
        if seat == BACKGROUND {
            self.meter.count_background(bits);
        } else {
            self.meter.count();
        }
        None
    }

    fn on_backward(&mut self, port: &PortView, _seat: u32, cell: &mut RmCell) {
        cell.er = cell.er.min(self.share);
        cell.ci |= port.queue_cells > self.congestion_cells;
    }

    fn timer(&self) -> Option<Time> {
        self.meter.deadline()
    }

    fn on_timer(&mut self, port: &PortView) -> Option<RateInterval> {
        if !self.meter.is_over(port.now) {
            return None;
        }
        let found = self.meter.restart(port.now, port.link);
        let capacity = self.target.times(found.available);
        let load = Ratio::of(found.input.0 as u128, capacity.0 as u128);
        let factor = if capacity.0 == 0 {
            self.fall_least
        } else {
            self.factor(load)
        };
        let share = factor.times(self.share).min(port.link);
        self.share = share.max(self.share_least);
        let has_capacity = capacity.0 > 0;
        // It does not count circuits.
        let active = Ratio(0);
        Some(
            self.sums
                .add(found.length, load, active, self.share, has_capacity),
        )
    }

    fn fair_share(&self) -> Rate {
        self.share
    }
}

#[cfg(test)]
mod tests;
