//! ERICA, explicit rate indication for congestion avoidance (Kalyanaraman, Jain, Fahmy, Goyal,
//! Vandalore 1997; ATM Forum 98-0408), with the queue control of ERICA+ and, as an option, the
//! aging of Kalyanaraman et al. 1998, section 5.5.
//!
//! The port measures over intervals: ABR input, what background leaves of the link, and how many
//! circuits are active. z is the load over what it aims at, the capacity C'. Each circuit is told
//! the larger of an equal share of C' and its own rate divided by z.
//!
//! | Symbol | Field |
//! |---|---|
//! | C', z | `capacity`, `load` |
//! | FairShare, N | `fair_share`, what `end` makes of the active circuits |
//! | MaxAllocPrevious, MaxAllocCurrent | `most_before`, `most` |
//! | CCR[VC], "ER given in this interval" | `Circuit::ccr`, `Circuit::answer` |
//!
//! Nothing is swept at the end of an interval: what a circuit has for one interval carries the
//! number of that interval (`epoch`) and counts as gone when it is not the current one. Not
//! modelled: MCR shares, immediate updates of the fair share, and virtual sources.

mod activity;
mod aging;
mod queue_control;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use backwater_ends::control::{Ratio, RmCell};
use backwater_kernel::{Duration, Rate, Time};

use super::meter::{Meter, Sums, rate_of};
use super::{BACKGROUND, PortView, Rule};
use crate::marking::RateInterval;
use crate::outcome::RatePortOutcome;
use crate::spec::{CurrentRate, EricaSpec};
use activity::Activity;
use aging::Aging;
use queue_control::QueueControl;

/// What a port knows of one circuit.
#[derive(Clone, Copy, Default)]
struct Circuit {
    /// CCR of its last forward RM cell.
    ccr: Rate,
    /// What it was told in interval `answered`.
    answer: Rate,
    answered: u32,
    /// Interval of its last cell, and its cells in it.
    epoch: u32,
    cells: u32,
    /// Its cells in the interval before `epoch`.
    cells_before: u32,
}

/// ERICA at one port.
pub(crate) struct Erica {
    target: Ratio,
    interval_cells: u64,
    /// 1 + delta.
    overload: Ratio,
    limit_jump: bool,
    measures_ccr: bool,
    one_feedback: bool,
    up_to_link: bool,
    bits: u32,
    queue: Option<QueueControl>,
    aging: Option<Box<Aging>>,
    activity: Option<Box<Activity>>,
    /// Number of the current interval. 0 is never one, so that new circuits have no cells.
    epoch: u32,
    meter: Meter,
    /// Length of the last interval.
    length: Duration,
    /// Circuits with a cell in this interval.
    active: u32,
    circuits: Vec<Circuit>,
    /// Circuits with a cell in this interval by name, where `aging` or `activity` needs them.
    seen: Vec<u32>,
    capacity: Rate,
    fair_share: Rate,
    load: Ratio,
    most_before: Rate,
    most: Rate,
    sums: Sums,
}

impl Erica {
    /// For cells of `bits` on a channel of rate `link` that `circuits` cross.
    pub fn new(spec: &EricaSpec, link: Rate, circuits: u32, bits: u32) -> Erica {
        let target = Ratio::new(spec.target);
        let capacity = target.times(link);
        Erica {
            target,
            interval_cells: spec.interval_cells as u64,
            overload: Ratio(Ratio::ONE.0 + Ratio::new(spec.delta).0),
            limit_jump: spec.limit_jump,
            measures_ccr: spec.ccr == CurrentRate::Measured,
            one_feedback: spec.one_feedback,
            up_to_link: spec.up_to_link,
            bits,
            queue: spec.queue.map(|queue| QueueControl::new(&queue)),
            aging: (spec.aging).map(|aging| Box::new(Aging::new(&aging, circuits))),
            activity: (spec.activity_decay > 0.0)
                .then(|| Box::new(Activity::new(spec.activity_decay, circuits))),
            epoch: 2,
            meter: Meter::new(spec.interval, bits),
            length: Duration(1),
            active: 0,
            circuits: vec![Circuit::default(); circuits as usize],
            seen: Vec::new(),
            capacity,
            fair_share: capacity,
            load: Ratio(0),
            most_before: capacity,
            most: capacity,
            sums: Sums::default(),
        }
    }

    /// Adds what intervals found to `outcome`.
    pub fn outcome(&self, outcome: &mut RatePortOutcome) {
        self.sums.report(outcome);
    }

    /// The first cell of a circuit in this interval.
    fn first_cell(&mut self, seat: u32) {
        let circuit = &mut self.circuits[seat as usize];
        let is_next = circuit.epoch == self.epoch.wrapping_sub(1);
        circuit.cells_before = if is_next { circuit.cells } else { 0 };
        circuit.epoch = self.epoch;
        circuit.cells = 0;
        self.active += 1;
        if self.aging.is_some() || self.activity.is_some() {
            self.seen.push(seat);
        }
    }

    /// The interval ends.
    fn end(&mut self, port: &PortView) -> RateInterval {
        let found = self.meter.restart(port.now, port.link);
        self.length = found.length;
        let aimed_at = self.target.times(found.available);
        self.capacity = match &self.queue {
            None => aimed_at,
            Some(queue) => {
                let share = queue.share(port.queue_cells, aimed_at, self.bits);
                share.times(aimed_at)
            }
        };
        self.load = Ratio::of(found.input.0 as u128, self.capacity.0 as u128);
        let active = self.count_active();
        let shares = Ratio(active.0.max(Ratio::ONE.0));
        self.fair_share = shares.divides(self.capacity);
        self.most_before = self.most;
        self.most = self.fair_share;
        self.measure_rates();
        self.seen.clear();
        self.active = 0;
        self.epoch = self.epoch.wrapping_add(1);
        let has_capacity = self.capacity.0 > 0;
        self.sums.add(
            found.length,
            self.load,
            active,
            self.fair_share,
            has_capacity,
        )
    }

    /// How many circuits count as active in the interval that ends.
    fn count_active(&mut self) -> Ratio {
        match &mut self.activity {
            None => Ratio((self.active as u64) << 32),
            Some(activity) => activity.count(&self.seen),
        }
    }

    /// For aging: the rates of those seen in the interval that ends.
    fn measure_rates(&mut self) {
        let Some(aging) = &mut self.aging else {
            return;
        };
        for &seat in &self.seen {
            let bits = self.circuits[seat as usize].cells as u128 * self.bits as u128;
            aging.measure(seat, self.epoch, rate_of(bits, self.length));
        }
    }

    /// A circuit's current rate.
    fn current_rate(&self, seat: u32) -> Rate {
        let circuit = &self.circuits[seat as usize];
        if !self.measures_ccr {
            return circuit.ccr;
        }
        let last = self.epoch.wrapping_sub(1);
        let cells = if circuit.epoch == self.epoch {
            circuit.cells_before
        } else if circuit.epoch == last {
            circuit.cells
        } else {
            0
        };
        rate_of(cells as u128 * self.bits as u128, self.length)
    }

    /// The rate that brings the circuit to z = 1.
    fn own_share(&self, ccr: Rate) -> Rate {
        match self.load {
            Ratio(0) => Rate(u64::MAX),
            Ratio::ENDLESS => Rate(0),
            load => load.divides(ccr),
        }
    }

    /// What the circuit is told in this interval.
    fn answer(&mut self, seat: u32, link: Rate) -> Rate {
        let circuit = &self.circuits[seat as usize];
        if self.one_feedback && circuit.answered == self.epoch {
            return circuit.answer;
        }
        let ccr = self.current_rate(seat);
        let mut er = self.fair_share.max(self.own_share(ccr));
        if self.load <= self.overload {
            er = er.max(self.most_before);
        }
        let cap = if self.up_to_link { link } else { self.capacity };
        er = er.min(cap);
        self.most = self.most.max(er);
        if self.limit_jump && ccr < self.fair_share && er > self.fair_share {
            er = self.fair_share;
        }
        let circuit = &mut self.circuits[seat as usize];
        circuit.answer = er;
        circuit.answered = self.epoch;
        er
    }
}

impl Rule for Erica {
    #[inline]
    fn on_cell(&mut self, port: &PortView, seat: u32, bits: u32) -> Option<RateInterval> {
        if seat == BACKGROUND {
            self.meter.count_background(bits);
            return None;
        }
        if self.circuits[seat as usize].epoch != self.epoch {
            self.first_cell(seat);
        }
        self.circuits[seat as usize].cells += 1;
        if self.meter.count() == self.interval_cells {
            return Some(self.end(port));
        }
        None
    }

    fn on_forward(&mut self, _port: &PortView, seat: u32, cell: &mut RmCell) {
        self.circuits[seat as usize].ccr = cell.ccr;
    }

    fn on_backward(&mut self, port: &PortView, seat: u32, cell: &mut RmCell) {
        let mut er = self.answer(seat, port.link);
        if let Some(aging) = &mut self.aging {
            let claimed = self.circuits[seat as usize].ccr;
            let last = self.epoch.wrapping_sub(1);
            if let Some(limit) = aging.limit(seat, last, claimed) {
                er = er.min(limit);
            }
        }
        cell.er = cell.er.min(er);
    }

    fn timer(&self) -> Option<Time> {
        self.meter.deadline()
    }

    fn on_timer(&mut self, port: &PortView) -> Option<RateInterval> {
        self.meter.is_over(port.now).then(|| self.end(port))
    }

    fn fair_share(&self) -> Rate {
        self.fair_share
    }
}
