//! From a specification, of whatever kind, to a simulation at time zero.

use alloc::vec::Vec;

use backwater_kernel::hash::TraceSum;
use backwater_kernel::{BuildError, EventQueue, Time, Violations};

use crate::classes::run::ByClass;
use crate::hop::due::Due;
use crate::hop::wire::Channel;
use crate::marking::rate_ports::RatePorts;
use crate::network::Network;
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::simulation::asked::Asked;
use crate::simulation::mark::Mark;

/// A specification made ready to run.
pub struct Plan {
    pub(crate) seed: u64,
    pub(crate) stop_at: Time,
    pub(crate) warm_up: Time,
    pub(crate) network: Network,
    pub(crate) by_class: ByClass,
    pub(crate) rates: RatePorts,
    pub(crate) mark: Mark,
}

/// What can be simulated.
pub trait Specification {
    /// Checks it, and makes the network.
    ///
    /// # Errors
    /// If it contradicts itself or names what is not there.
    fn plan(&self) -> Result<Plan, BuildError>;
    /// Sets the first events.
    fn start<Q: EventQueue, P: Probe>(&self, simulation: &mut Simulation<Q, P>);
}

impl<Q: EventQueue> Simulation<Q> {
    /// A network at time zero.
    ///
    /// # Errors
    /// As [`Simulation::with_probe`].
    pub fn new(spec: &impl Specification) -> Result<Self, BuildError> {
        Simulation::with_probe(spec, ())
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A network at time zero with a probe looking on.
    ///
    /// # Errors
    /// If the specification contradicts itself: an index out of range, a leg that does not
    /// follow its parent, a zero where the engine needs more.
    pub fn with_probe(spec: &impl Specification, probe: P) -> Result<Self, BuildError> {
        let mut simulation = Simulation::assemble(spec.plan()?, probe);
        simulation.show_probe();
        spec.start(&mut simulation);
        Ok(simulation)
    }

    /// The probe sees the network before anything happens.
    pub(crate) fn show_probe(&mut self) {
        self.probe.on_begin(&self.network);
        for (id, channel) in (0..).zip(&mut self.network.channels) {
            if self.probe.watches(id) {
                channel.kind |= Channel::WATCHED;
            }
        }
    }

    /// A network at time zero without its first events.
    pub(crate) fn assemble(plan: Plan, probe: P) -> Self {
        Simulation {
            now: Time::ZERO,
            events: Q::default(),
            due: Due::new(plan.network.channels.len()),
            network: plan.network,
            rates: plan.rates,
            by_class: plan.by_class,
            probe,
            freed: Vec::new(),
            tickets: Vec::new(),
            hash: TraceSum::default(),
            seed: plan.seed,
            stop_at: plan.stop_at,
            warm_up: plan.warm_up,
            is_warm: plan.warm_up == Time::ZERO,
            events_handled: 0,
            unit_hops: 0,
            last_start: Time::ZERO,
            mark: plan.mark,
            violations: Violations::default(),
            asked: Asked::default(),
            border: None,
            record: None,
        }
    }
}
