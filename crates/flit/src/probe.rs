//! Looking without touching.
//!
//! A probe is told what happens and may look at the network; it gets `&` only, so that a run is
//! the same with and without it. Without a probe (`()`) nothing is noted.

mod audit;
mod trace;

pub use audit::{Audit, Coverage};
pub use trace::TraceProbe;

pub use crate::watch::{Crossing, Tag};

use core::fmt;

use crate::fabric::Fabric;
use crate::source::Entrance;

/// Something that watches a run. What it is told in a cycle comes in this order: deliveries,
/// births, flits through switches and over channels, the end of the cycle.
#[allow(unused_variables)]
pub trait Probe {
    /// Whether it listens at all.
    const LISTENS: bool = true;
    /// A packet is complete at its destination.
    fn on_delivery(&mut self, cycle: u64, packet: &Tag) {}
    /// A packet is born.
    fn on_birth(&mut self, packet: &Tag) {}
    /// A flit goes through a switch into the small buffer of a channel, which it will cross.
    /// Not told where there are no such buffers, nor of source lanes.
    fn on_switch(&mut self, crossing: &Crossing) {}
    /// A flit crosses a channel.
    fn on_crossing(&mut self, crossing: &Crossing) {}
    /// Everything of this cycle has happened.
    fn after_cycle(&mut self, network: &Network<'_>) {}
    /// The run is over, or pauses for good: the network as the last cycle left it. Told once for
    /// each [`Simulation::look_over`](crate::Simulation::look_over), and when a run stops.
    fn on_end(&mut self, network: &Network<'_>) {}
}

impl Probe for () {
    const LISTENS: bool = false;
}

impl<A: Probe, B: Probe> Probe for (A, B) {
    const LISTENS: bool = A::LISTENS || B::LISTENS;

    fn on_delivery(&mut self, cycle: u64, packet: &Tag) {
        self.0.on_delivery(cycle, packet);
        self.1.on_delivery(cycle, packet);
    }

    fn on_birth(&mut self, packet: &Tag) {
        self.0.on_birth(packet);
        self.1.on_birth(packet);
    }

    fn on_switch(&mut self, crossing: &Crossing) {
        self.0.on_switch(crossing);
        self.1.on_switch(crossing);
    }

    fn on_crossing(&mut self, crossing: &Crossing) {
        self.0.on_crossing(crossing);
        self.1.on_crossing(crossing);
    }

    fn after_cycle(&mut self, network: &Network<'_>) {
        self.0.after_cycle(network);
        self.1.after_cycle(network);
    }

    fn on_end(&mut self, network: &Network<'_>) {
        self.0.on_end(network);
        self.1.on_end(network);
    }
}

/// A probe that is there or not, as the caller decides while the program runs.
impl<P: Probe> Probe for Option<P> {
    const LISTENS: bool = P::LISTENS;

    fn on_delivery(&mut self, cycle: u64, packet: &Tag) {
        if let Some(probe) = self {
            probe.on_delivery(cycle, packet);
        }
    }

    fn on_birth(&mut self, packet: &Tag) {
        if let Some(probe) = self {
            probe.on_birth(packet);
        }
    }

    fn on_switch(&mut self, crossing: &Crossing) {
        if let Some(probe) = self {
            probe.on_switch(crossing);
        }
    }

    fn on_crossing(&mut self, crossing: &Crossing) {
        if let Some(probe) = self {
            probe.on_crossing(crossing);
        }
    }

    fn after_cycle(&mut self, network: &Network<'_>) {
        if let Some(probe) = self {
            probe.after_cycle(network);
        }
    }

    fn on_end(&mut self, network: &Network<'_>) {
        if let Some(probe) = self {
            probe.on_end(network);
        }
    }
}

/// The network at the end of a cycle.
#[derive(Clone, Copy)]
pub struct Network<'a> {
    pub(crate) fabric: &'a Fabric,
    pub(crate) entrance: &'a Entrance,
    pub(crate) cycle: u64,
}

impl Network<'_> {
    /// The cycle that ends.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "packet {} -> {} born in cycle {}",
            self.source, self.destination, self.birth
        )
    }
}

impl fmt::Display for Crossing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "flit {} of {} goes over channel {}, VC {}",
            self.flit, self.packet, self.channel, self.lane
        )
    }
}
