//! What does the switch tell the source? One file a rule.
//!
//! A port that tells rates sees every cell that joins its queue, and every backward RM cell that
//! answers to one of its circuits on its way back. Circuits are known by their *seat* at the port.
//! Rates are whole bits per second; factors are integers in units of 2^-32 ([`Ratio`]).

mod ratio;

pub(crate) use ratio::Ratio;

use kernel::{Rate, Time};

use crate::probe::RateInterval;

/// What an RM cell says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RmCell {
    /// The source's ACR when it sent the cell.
    pub ccr: Rate,
    pub er: Rate,
    pub mcr: Rate,
    /// Congestion: reduce.
    pub ci: bool,
    /// No increase.
    pub ni: bool,
    /// A switch made it.
    pub bn: bool,
    /// On its way back to the source whose rate it is about.
    pub is_backward: bool,
    /// Sent beside the allowed rate (CLP = 1).
    pub is_out_of_rate: bool,
}

/// What a rule knows of its port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortView {
    pub now: Time,
    /// Rate of the channel.
    pub link: Rate,
    /// ABR cells that wait for it.
    pub queue_cells: u32,
}

/// The seat of units that are no ABR circuit's.
pub(crate) const BACKGROUND: u32 = u32::MAX;

/// A rule for explicit rates or marks.
#[allow(unused_variables)]
pub(crate) trait Rule {
    /// A cell of `bits` joined the queue (`port.queue_cells` counts it); `seat` is `BACKGROUND`
    /// for what is not ABR. The interval it ended, if it did.
    fn on_cell(&mut self, port: &PortView, seat: u32, bits: u32) -> Option<RateInterval> {
        None
    }
    /// A data cell joined the queue: is its EFCI bit set here?
    fn marks(&mut self, port: &PortView) -> bool {
        false
    }
    /// A forward RM cell of the circuit joined the queue (after `on_cell`).
    fn on_forward(&mut self, port: &PortView, seat: u32, cell: &mut RmCell) {}
    /// A backward RM cell for the circuit's source passes.
    fn on_backward(&mut self, port: &PortView, seat: u32, cell: &mut RmCell) {}
    /// When to call `on_timer` next.
    fn timer(&self) -> Option<Time> {
        None
    }
    /// It is that time.
    fn on_timer(&mut self, port: &PortView) -> Option<RateInterval> {
        None
    }
    /// The fair share it goes by.
    fn fair_share(&self) -> Rate {
        Rate(0)
    }
}
