//! One run of the event engine on one thread.

use std::cell::RefCell;
use std::rc::Rc;

use backwater_kernel::{Rings, Time};
use backwater_net::outcome::Outcome;
use backwater_net::probe::Probe;
use backwater_net::{ChannelState, Simulation, Watched};
use backwater_results::map::bins::Bins;

use super::events::{EventScenario, Machine, over_time};
use super::over_time::{Looked, OverTime};
use super::{WhenMap, must_stop};

/// One thread, and what is read between its slices.
pub struct Single<E> {
    engine: E,
    over_time: Option<OverTime>,
}

/// The engine that serves all probes, and the one that looks on.
pub struct Shared<'a, P> {
    engine: Watched<'a>,
    probe: Rc<RefCell<P>>,
}

/// Within an instant in which much happens.
pub fn is_asked_to_stop() -> bool {
    must_stop((0, 0))
}

impl<P: Probe> Single<Simulation<Rings, P>> {
    /// At time zero, by an engine that is compiled for this kind of probe.
    pub fn compiled<S: EventScenario>(
        scenario: &S,
        probe: P,
        map: WhenMap,
    ) -> Result<Self, String> {
        let engine = Simulation::with_probe(scenario.network(), probe);
        let mut engine = engine.map_err(|error| error.to_string())?;
        engine.stop_if(is_asked_to_stop);
        Ok(Single {
            engine,
            over_time: over_time(scenario, map),
        })
    }
}

impl<'a, P: Probe + 'a> Single<Shared<'a, P>> {
    /// At time zero, by the engine that serves all of them: each hook costs a call.
    pub fn shared<S: EventScenario>(scenario: &S, probe: P, map: WhenMap) -> Result<Self, String> {
        let probe = Rc::new(RefCell::new(probe));
        let looks_on = Box::new(Rc::clone(&probe));
        let engine = Watched::new(scenario.network(), &[], Some(looks_on));
        let mut engine = engine.map_err(|error| error.to_string())?;
        engine.stop_if(is_asked_to_stop);
        Ok(Single {
            engine: Shared { engine, probe },
            over_time: over_time(scenario, map),
        })
    }
}

impl<E: Machine + Looked> Machine for Single<E> {
    type Probe = E::Probe;

    fn run_some(&mut self, until: Time, events: u64) -> Option<bool> {
        match &mut self.over_time {
            Some(over_time) => over_time.run(&mut self.engine, until, events),
            None => Machine::run_some(&mut self.engine, until, events),
        }
    }

    fn now(&self) -> Time {
        self.engine.now()
    }

    fn unit_hops(&mut self) -> u64 {
        self.engine.unit_hops()
    }

    fn outcome(&mut self) -> Outcome {
        self.engine.outcome()
    }

    fn last_outcome(&mut self) -> Outcome {
        self.engine.last_outcome()
    }

    fn bins(&mut self, at: Time) -> Option<Bins> {
        let over_time = self.over_time.as_ref()?;
        Some(over_time.bins(&mut self.engine, at))
    }

    fn probe(&mut self) -> &mut E::Probe {
        self.engine.probe()
    }

    fn look_over(&mut self) {
        self.engine.look_over();
    }
}

impl<P: Probe> Machine for Simulation<Rings, P> {
    type Probe = P;

    fn run_some(&mut self, until: Time, events: u64) -> Option<bool> {
        Simulation::run_some(self, until, events)
    }

    fn now(&self) -> Time {
        Simulation::now(self)
    }

    fn unit_hops(&mut self) -> u64 {
        Simulation::unit_hops(self)
    }

    fn outcome(&mut self) -> Outcome {
        Simulation::outcome(self)
    }

    fn last_outcome(&mut self) -> Outcome {
        Simulation::last_outcome(self)
    }

    fn probe(&mut self) -> &mut P {
        self.probe_mut()
    }

    fn look_over(&mut self) {
        Simulation::look_over(self);
    }
}

impl<P: Probe> Machine for Shared<'_, P> {
    type Probe = Rc<RefCell<P>>;

    fn run_some(&mut self, until: Time, events: u64) -> Option<bool> {
        self.engine.run_some(until, events)
    }

    fn now(&self) -> Time {
        self.engine.now()
    }

    fn unit_hops(&mut self) -> u64 {
        self.engine.unit_hops()
    }

    fn outcome(&mut self) -> Outcome {
        self.engine.outcome()
    }

    fn probe(&mut self) -> &mut Rc<RefCell<P>> {
        &mut self.probe
    }

    fn look_over(&mut self) {
        self.engine.look_over();
    }
}

impl<P: Probe> Looked for Shared<'_, P> {
    fn run_some(&mut self, until: Time, events: u64) -> Option<bool> {
        self.engine.run_some(until, events)
    }

    fn events_handled(&mut self) -> u64 {
        self.engine.events_handled()
    }

    fn crossed(&mut self) -> u64 {
        self.engine.unit_hops()
    }

    fn snapshot(&mut self, at: Time, into: &mut Vec<ChannelState>) -> bool {
        self.engine.snapshot(at, into)
    }
}
