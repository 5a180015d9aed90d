//! What does the switch tell the source? One file a rule.
//! A line here may touch what a port shows it: cells, RM cells, its queue; `at_port` alone the run.
//! The next rule is a file, and its line and arms in `each!`; CONTRIBUTING.md has an example.
//!
//! A port that tells rates sees every cell that joins its queue, and every backward RM cell that
//! answers to one of its circuits on its way back. Circuits are known by their *seat* at the port.
//! Rates are whole bits per second; factors are integers in units of 2^-32 ([`Ratio`]).

mod at_port;
mod capc;
mod efci;
mod eprca;
mod erica;
mod marks;
mod meter;
pub(crate) mod rate_ports;
mod relative_rate;
pub(crate) mod rocc;
#[cfg(test)]
mod testing;

pub(crate) use capc::Capc;
pub(crate) use efci::Efci;
pub(crate) use eprca::Eprca;
pub(crate) use erica::Erica;
pub(crate) use relative_rate::RelativeRate;

use alloc::boxed::Box;

use backwater_ends::control::RmCell;
use backwater_kernel::{Duration, Rate, Time};

use crate::outcome::RatePortOutcome;
use crate::spec::ExplicitRateSpec;

/// A measuring interval of a port that tells rates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RateInterval {
    /// Its length.
    pub length: Duration,
    /// Load factor z; infinite where there is no capacity but load.
    pub load: f64,
    /// Active circuits.
    pub active: f64,
    /// Fair share from now on.
    pub fair_share: Rate,
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

/// The seat of units that are served after every ABR circuit of the port: they take nothing from
/// these.
pub(crate) const BEHIND: u32 = u32::MAX - 1;

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

/// The rule of one port.
pub(crate) enum ExplicitRate {
    Erica(Box<Erica>),
    Efci(Efci),
    RelativeRate(Box<RelativeRate>),
    Eprca(Box<Eprca>),
    Capc(Box<Capc>),
}

/// Calls a method of whatever rule it is.
macro_rules! each {
    ($rule:expr, $each:ident => $call:expr) => {
        match $rule {
            ExplicitRate::Erica($each) => $call,
            ExplicitRate::Efci($each) => $call,
            ExplicitRate::RelativeRate($each) => $call,
            ExplicitRate::Eprca($each) => $call,
            ExplicitRate::Capc($each) => $call,
        }
    };
}

impl ExplicitRate {
    /// For a channel of rate `link` with `circuits` seats and cells of `bits`.
    pub fn new(spec: &ExplicitRateSpec, link: Rate, circuits: u32, bits: u32) -> ExplicitRate {
        match spec {
            ExplicitRateSpec::Erica(spec) => {
                ExplicitRate::Erica(Box::new(Erica::new(spec, link, circuits, bits)))
            }
            ExplicitRateSpec::Efci(spec) => ExplicitRate::Efci(Efci::new(spec)),
            ExplicitRateSpec::RelativeRate(spec) => {
                ExplicitRate::RelativeRate(Box::new(RelativeRate::new(spec, circuits)))
            }
            ExplicitRateSpec::Eprca(spec) => ExplicitRate::Eprca(Box::new(Eprca::new(spec))),
            ExplicitRateSpec::Capc(spec) => {
                ExplicitRate::Capc(Box::new(Capc::new(spec, link, bits)))
            }
        }
    }

    /// See [`Rule::on_cell`].
    #[inline]
    pub fn on_cell(&mut self, port: &PortView, seat: u32, bits: u32) -> Option<RateInterval> {
        each!(self, rule => rule.on_cell(port, seat, bits))
    }

    /// See [`Rule::marks`].
    #[inline]
    pub fn marks(&mut self, port: &PortView) -> bool {
        each!(self, rule => rule.marks(port))
    }

    /// A data cell of the circuit has joined: CI and NI of a backward RM cell (BN = 1) that the
    /// switch is to send to its source now, if one is due.
    #[inline]
    pub fn notice(&mut self, port: &PortView, seat: u32) -> Option<(bool, bool)> {
        match self {
            ExplicitRate::RelativeRate(rule) => rule.notice(port, seat),
            _ => None,
        }
    }

    /// See [`Rule::on_forward`].
    pub fn on_forward(&mut self, port: &PortView, seat: u32, cell: &mut RmCell) {
        each!(self, rule => rule.on_forward(port, seat, cell))
    }

    /// See [`Rule::on_backward`].
    pub fn on_backward(&mut self, port: &PortView, seat: u32, cell: &mut RmCell) {
        each!(self, rule => rule.on_backward(port, seat, cell))
    }

    /// See [`Rule::timer`]. Moves whenever an interval ends, by time or by count.
    pub fn timer(&self) -> Option<Time> {
        each!(self, rule => rule.timer())
    }

    /// See [`Rule::on_timer`]. Nothing happens if the time has moved on since the timer was set.
    pub fn on_timer(&mut self, port: &PortView) -> Option<RateInterval> {
        each!(self, rule => rule.on_timer(port))
    }

    /// See [`Rule::fair_share`].
    pub fn fair_share(&self) -> Rate {
        each!(self, rule => rule.fair_share())
    }

    /// Sets what the rule has measured: intervals with their means, and the fair share.
    pub fn outcome(&self, outcome: &mut RatePortOutcome) {
        outcome.fair_share = self.fair_share();
        match self {
            ExplicitRate::Erica(rule) => rule.outcome(outcome),
            ExplicitRate::Capc(rule) => rule.outcome(outcome),
            ExplicitRate::Efci(_) | ExplicitRate::RelativeRate(_) | ExplicitRate::Eprca(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
