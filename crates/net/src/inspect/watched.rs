//! Runs with any probe looking on, by an engine that is compiled once, in this crate.
//!
//! [`Simulation`] is compiled for each kind of probe: the fastest way to look on, and the slowest
//! to build. Here each hook costs a call.

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_kernel::{BuildError, Rings, Series, Time};

use crate::inspect::Inspection;
use crate::inspect::snapshot::ChannelState;
use crate::outcome::Outcome;
use crate::probe::{AnyProbe, Probe, Recorder};
use crate::simulation::Simulation;
use crate::simulation::forward::Forward;
use crate::simulation::plan::Specification;
use crate::spec::SeriesSpec;

/// A run that records series, with a probe looking on or none.
pub struct Watched<'p> {
    simulation: Simulation<Rings, Probes<'p>>,
}

type Probes<'p> = (Recorder, Option<Box<dyn AnyProbe + 'p>>);

impl<'p> Watched<'p> {
    /// At time zero.
    ///
    /// # Errors
    /// As [`Simulation::with_probe`].
    pub fn new(
        spec: &impl Specification,
        series: &[SeriesSpec],
        probe: Option<Box<dyn AnyProbe + 'p>>,
    ) -> Result<Self, BuildError> {
        let probe = (Recorder::new(series), probe);
        let simulation = Simulation::with_probe(spec, probe)?;
        Ok(Watched { simulation })
    }

    /// As [`Simulation::run_until`].
    pub fn run_until(&mut self, until: Time) -> bool {
        self.simulation.run_until(until)
    }

    /// As [`Simulation::run_some`].
    pub fn run_some(&mut self, until: Time, events: u64) -> Option<bool> {
        self.simulation.run_some(until, events)
    }

    /// As [`Simulation::run_forward`].
    pub fn run_forward(&mut self, until: Time, events: u64, forward: &mut Forward) -> Option<bool> {
        self.simulation.run_forward(until, events, forward)
    }

    /// As [`Simulation::never_forward`].
    pub fn never_forward(&mut self, forward: &Forward) -> Option<&'static str> {
        self.simulation.never_forward(forward)
    }

    /// As [`Simulation::stop_if`].
    pub fn stop_if(&mut self, asked: fn() -> bool) {
        self.simulation.stop_if(asked);
    }

    /// As [`Simulation::now`].
    pub fn now(&self) -> Time {
        self.simulation.now()
    }

    /// As [`Simulation::events_handled`].
    pub fn events_handled(&self) -> u64 {
        self.simulation.events_handled()
    }

    /// As [`Simulation::unit_hops`].
    pub fn unit_hops(&self) -> u64 {
        self.simulation.unit_hops()
    }

    /// As [`Simulation::snapshot`]; true if the warm-up is over.
    pub fn snapshot(&self, at: Time, into: &mut Vec<ChannelState>) -> bool {
        self.simulation.snapshot(at, into);
        self.simulation.is_warm()
    }

    /// As [`Simulation::inspect`].
    pub fn inspect(&self, at: Time, most: usize) -> Inspection {
        self.simulation.inspect(at, most)
    }

    /// As [`Simulation::look_over`].
    pub fn look_over(&mut self) {
        self.simulation.look_over();
    }

    /// As [`Simulation::outcome`].
    pub fn outcome(&mut self) -> Outcome {
        self.simulation.outcome()
    }

    /// The series until `at`.
    pub fn series(&self, at: Time) -> Vec<Series> {
        self.simulation.probe().0.series(at)
    }
}

/// Runs to the end; what the probe saw, and what was found.
///
/// # Errors
/// As [`Simulation::with_probe`].
pub fn watched<P: Probe>(
    spec: &impl Specification,
    mut probe: P,
) -> Result<(P, Outcome), BuildError> {
    let mut run = Watched::new(spec, &[], Some(Box::new(&mut probe)))?;
    run.run_until(Time::MAX);
    let outcome = run.outcome();
    drop(run);
    Ok((probe, outcome))
}
