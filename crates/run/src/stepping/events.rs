//! Circuits and frames.

use std::cell::RefCell;
use std::rc::Rc;

use backwater_kernel::Time;
use backwater_net::inspect::Inspection;
use backwater_net::outcome::Wait;
use backwater_net::probe::Probe;
use backwater_net::{Specification, Watched};
use backwater_results::events::Network;
use backwater_results::stepping::log::{CellLog, FrameLog, Log};
use backwater_results::stepping::{EventScout, Named, of_cells, of_frames};
use backwater_scenario::{EthernetScenario, PacketScenario};

use super::{Clock, Condition, Happening, Scene, Stepped};
use crate::Head;

/// Events that are told as what happens next.
const NEXT: usize = 200;
/// Events between two looks whether what is looked for has happened.
const SLICE: u64 = 4_096;

/// A run of circuits or of frames.
struct Steps<'a, L> {
    engine: Watched<'a>,
    log: Rc<RefCell<L>>,
    named: Named,
    scene: fn(&Named, &Inspection, &L) -> Scene,
    at: Time,
    end: Time,
    is_over: bool,
}

/// A run of circuits.
pub fn cells(scenario: &PacketScenario) -> Result<Box<dyn Stepped + '_>, String> {
    let network = &scenario.network;
    let cell_ps = scenario.cell.ps();
    let named = Named::of(network, Clock::Time { cell_ps });
    let legs = network.flows.iter().zip(0..).flat_map(|(flow, id)| {
        let legs = flow.legs.iter();
        legs.map(move |leg| (leg.channel, id))
    });
    let log = CellLog::new(named.clone(), legs.collect());
    let scene = |named: &Named, seen: &Inspection, log: &CellLog| {
        of_cells(named, seen, |leg| log.dry_since(leg))
    };
    steps(network, named, log, scene, network.stop_at)
}

/// A run of frames.
pub fn frames(scenario: &EthernetScenario) -> Result<Box<dyn Stepped + '_>, String> {
    let network = &scenario.network;
    let named = Named::of(network, Clock::default());
    let log = FrameLog::new(named.clone(), network);
    steps(
        network,
        named,
        log,
        |named, seen, _| of_frames(named, seen),
        network.stop_at,
    )
}

fn steps<'a, N: Specification + Network, L: Log + Probe + 'a>(
    network: &N,
    named: Named,
    log: L,
    scene: fn(&Named, &Inspection, &L) -> Scene,
    end: Time,
) -> Result<Box<dyn Stepped + 'a>, String> {
    let log = Rc::new(RefCell::new(log));
    let engine = Watched::new(network, &[], Some(Box::new(Rc::clone(&log))));
    Ok(Box::new(Steps {
        engine: engine.map_err(|error| error.to_string())?,
        log,
        named,
        scene,
        at: Time::ZERO,
        end,
        is_over: false,
    }))
}

impl<L: Log + Probe> Stepped for Steps<'_, L> {
    fn clock(&self) -> Clock {
        self.named.clock
    }

    fn names(&self) -> Vec<String> {
        self.named.all()
    }

    fn flows(&self) -> Vec<String> {
        self.named.flows.clone()
    }

    fn at(&self) -> u64 {
        self.at.ps()
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn run_to(&mut self, until: u64) {
        let until = Time(until).min(self.end);
        if self.is_over || until < self.at {
            return;
        }
        self.log.borrow_mut().kept().is_off = true;
        self.is_over = !self.engine.run_until(until);
        self.log.borrow_mut().kept().is_off = false;
        self.at = until;
    }

    fn step(&mut self) -> Vec<Happening> {
        while !self.is_over {
            let more = self.engine.run_some(self.end, 1);
            self.at = self.engine.now().max(self.at);
            if more.is_some() {
                self.is_over = true;
                self.at = self.end;
            }
            let happened = self.log.borrow_mut().kept().take();
            if !happened.is_empty() {
                return happened;
            }
        }
        Vec::new()
    }

    fn scene(&self) -> Scene {
        let seen = self.engine.inspect(self.at, NEXT);
        (self.scene)(&self.named, &seen, &self.log.borrow())
    }

    fn head(&mut self) -> Head {
        Head::of(&self.engine.outcome())
    }
}

/// The first instant at which something happens, after `after`.
pub fn first<N: Specification + Network>(
    network: &N,
    wanted: Condition,
    after: Option<u64>,
) -> Result<Option<u64>, String> {
    let scout = Rc::new(RefCell::new(EventScout::new(wanted, after.map(Time))));
    let engine = Watched::new(network, &[], Some(Box::new(Rc::clone(&scout))));
    let mut engine = engine.map_err(|error| error.to_string())?;
    while engine.run_some(Time::MAX, SLICE).is_none() {
        if let Some(found) = scout.borrow().found {
            return Ok(Some(found.ps()));
        }
    }
    if wanted == Condition::Deadlock {
        let standstill = engine.outcome().standstill;
        return Ok(standstill.map(|found| {
            // Of circuits the engine knows the instant only where starts are counted.
            let legs = found.waits.iter().filter_map(Wait::leg);
            let since = legs
                .filter_map(|leg| scout.borrow().stopped_since(leg))
                .max();
            since.unwrap_or(found.since).ps()
        }));
    }
    let found = scout.borrow().found;
    Ok(found.map(Time::ps))
}
