//! The first instant at which something happens.

use backwater_flit::probe::{Network as Flits, Probe as FlitProbe};
use backwater_kernel::Time;
use backwater_net::frames::probe::{Frame, Gate};
use backwater_net::probe::{Crossing, LossCause, Probe};

/// What a run may be stopped at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// Something waits, or may come, and may not go: a gate closes, or credit is used up.
    Stop,
    /// A unit is lost or dropped.
    Drop,
    /// Queues that wait for each other for ever: the instant at which the last of them stopped.
    Deadlock,
}

/// Looks for the first instant at which it happens.
#[derive(Clone, Debug)]
pub struct EventScout {
    wanted: Condition,
    /// Only what comes after this instant counts.
    after: Option<Time>,
    /// When it was.
    pub found: Option<Time>,
    /// Of circuits.
    legs: Vec<Leg>,
}

/// A leg: units that wait, credit, and since when the one lacks the other.
#[derive(Clone, Copy, Debug)]
struct Leg {
    waiting: u32,
    credit: i64,
    stopped: Option<Time>,
}

impl EventScout {
    /// Of what happens after this instant; of all without one.
    pub fn new(wanted: Condition, after: Option<Time>) -> EventScout {
        EventScout {
            wanted,
            after,
            found: None,
            legs: Vec::new(),
        }
    }

    fn note(&mut self, what: Condition, at: Time) {
        if what == self.wanted && self.found.is_none() && self.after.is_none_or(|after| at > after)
        {
            self.found = Some(at);
        }
    }

    /// Since when units of a leg wait for credit.
    pub fn stopped_since(&self, leg: u32) -> Option<Time> {
        self.legs.get(leg as usize)?.stopped
    }

    /// A leg has changed: is it stopped by that?
    fn change(&mut self, at: Time, leg: u32, change: impl FnOnce(&mut Leg)) {
        let leg = leg as usize;
        if self.legs.len() <= leg {
            let idle = Leg {
                waiting: 0,
                credit: i64::MAX,
                stopped: None,
            };
            self.legs.resize(leg + 1, idle);
        }
        let stops = &mut self.legs[leg];
        change(stops);
        let is_stopped = stops.waiting > 0 && stops.credit <= 0;
        let before = stops.stopped;
        stops.stopped = is_stopped.then(|| before.unwrap_or(at));
        if is_stopped && before.is_none() {
            self.note(Condition::Stop, at);
        }
    }
}

impl Probe for EventScout {
    fn on_loss(&mut self, crossing: Crossing, _: LossCause) {
        self.note(Condition::Drop, crossing.at);
    }

    fn on_frame_dropped(&mut self, at: Time, _: u32, _: &Frame<'_>, _: LossCause) {
        self.note(Condition::Drop, at);
    }

    fn on_gate(&mut self, at: Time, _: u32, _: Gate, is_stopped: bool) {
        if is_stopped {
            self.note(Condition::Stop, at);
        }
    }

    fn on_credit(&mut self, at: Time, leg: u32, credit: i64, _: bool) {
        self.change(at, leg, |own| own.credit = credit);
    }

    fn on_queue(&mut self, at: Time, leg: u32, waiting: u32) {
        self.change(at, leg, |own| own.waiting = waiting);
    }
}

/// Looks for the first cycle after which a VC that holds something has no credit.
#[derive(Clone, Debug)]
pub struct FlitScout {
    after: Option<u64>,
    /// By VC: it was stopped.
    stopped: Vec<bool>,
    /// The cycle that ended then.
    pub found: Option<u64>,
}

impl FlitScout {
    /// Of what happens after this cycle; of all without one.
    pub fn new(after: Option<u64>) -> FlitScout {
        FlitScout {
            after,
            stopped: Vec::new(),
            found: None,
        }
    }
}

impl FlitProbe for FlitScout {
    fn after_cycle(&mut self, network: &Flits<'_>) {
        let cycle = network.cycle();
        if self.found.is_some() {
            return;
        }
        for (at, is_stopped) in network.stopped().enumerate() {
            if self.stopped.len() <= at {
                self.stopped.push(false);
            }
            let before = core::mem::replace(&mut self.stopped[at], is_stopped);
            if is_stopped && !before && self.after.is_none_or(|after| cycle > after) {
                self.found = Some(cycle);
            }
        }
    }
}
