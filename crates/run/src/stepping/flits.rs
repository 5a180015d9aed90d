//! Flits.

use backwater_flit::Simulation;
use backwater_flit::spec::FabricSpec;
use backwater_results::fabric::class_names;
use backwater_results::stepping::log::FlitLog;
use backwater_results::stepping::{FlitScout, flit_names, of_flits};

use super::{Clock, Condition, Happening, Scene, Stepped};
use crate::Head;

/// What looks on: one type, so that the engine is compiled once for both.
type Looks<'a> = (FlitLog<'a>, Option<FlitScout>);

/// Cycles between two looks for a deadlock.
const LOOK: u64 = 64;

struct Steps<'a> {
    spec: &'a FabricSpec,
    engine: Simulation<Looks<'a>>,
    is_over: bool,
}

/// A run of flits.
pub fn flits(spec: &FabricSpec) -> Result<Box<dyn Stepped + '_>, String> {
    Ok(Box::new(Steps {
        spec,
        engine: engine(spec, None)?,
        is_over: false,
    }))
}

fn engine<'a>(
    spec: &'a FabricSpec,
    scout: Option<FlitScout>,
) -> Result<Simulation<Looks<'a>>, String> {
    let engine = Simulation::with_probe(spec, (FlitLog::new(spec), scout));
    let mut engine = engine.map_err(|error| error.to_string())?;
    engine.probe_mut().0.kept.is_off = true;
    Ok(engine)
}

impl Stepped for Steps<'_> {
    fn clock(&self) -> Clock {
        Clock::Cycles
    }

    fn names(&self) -> Vec<String> {
        flit_names(self.spec)
    }

    fn flows(&self) -> Vec<String> {
        class_names(self.spec)
    }

    fn at(&self) -> u64 {
        self.engine.cycle()
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn run_to(&mut self, until: u64) {
        if !self.is_over && until > self.engine.cycle() {
            self.is_over = !self.engine.run_until(until);
        }
    }

    fn step(&mut self) -> Vec<Happening> {
        self.engine.probe_mut().0.kept.is_off = false;
        let mut happened = Vec::new();
        while !self.is_over && happened.is_empty() {
            let next = self.engine.cycle() + 1;
            self.is_over = !self.engine.run_until(next);
            happened = self.engine.probe_mut().0.kept.take();
        }
        self.engine.probe_mut().0.kept.is_off = true;
        happened
    }

    fn scene(&self) -> Scene {
        let log = &self.engine.probe().0;
        of_flits(self.spec, &self.engine.inspect(), |buffer| {
            log.held_since(buffer)
        })
    }

    fn head(&mut self) -> Head {
        let outcome = self.engine.outcome();
        Head {
            stop: outcome.stop,
            at: outcome.cycles,
            trace_hash: outcome.trace_hash,
            events: 0,
            hops: outcome.flit_hops,
            broken: outcome.violations.total(),
        }
    }
}

/// After how many cycles something has happened first, after `after` cycles.
pub fn first_of_flits(
    spec: &FabricSpec,
    wanted: Condition,
    after: Option<u64>,
) -> Result<Option<u64>, String> {
    match wanted {
        Condition::Drop => Err(
            "flits are never dropped: a packet waits where there is no room. \
             Try `first-stop`, `deadlock`, or a number of cycles"
                .into(),
        ),
        Condition::Stop => {
            // The cycle that ends with so many cycles done.
            let last = after.and_then(|after| after.checked_sub(1));
            let mut engine = engine(spec, Some(FlitScout::new(last)))?;
            let found = |engine: &Simulation<Looks<'_>>| {
                let scout = engine.probe().1.as_ref();
                scout.and_then(|scout| scout.found).map(|cycle| cycle + 1)
            };
            while found(&engine).is_none() {
                if !engine.run_until(engine.cycle() + LOOK) {
                    break;
                }
            }
            Ok(found(&engine))
        }
        Condition::Deadlock => first_deadlock(spec),
    }
}

/// After how many cycles there are packets that can never move again. Once there are, there always
/// will be.
fn first_deadlock(spec: &FabricSpec) -> Result<Option<u64>, String> {
    let mut coarse = engine(spec, None)?;
    let before = loop {
        let at = coarse.cycle();
        let more = coarse.run_until(at + LOOK);
        if !coarse.deadlocked().is_empty() {
            break at;
        }
        if !more {
            return Ok(None);
        }
    };
    let mut fine = engine(spec, None)?;
    fine.run_until(before);
    while fine.deadlocked().is_empty() && fine.run_until(fine.cycle() + 1) {}
    Ok(Some(fine.cycle()))
}
