//! Control units of source control in the network: slots of their sources, RM cells on the way,
//! and what they set off.
//!
//! An ABR circuit has two flows, each the other's partner. The forward RM cells of a flow stand in
//! its queues like data; its destination turns them around, and they go back as backward RM cells
//! in the queues of the partner. What the end systems decide is in `ends` (`control/abr.rs`).

use alloc::format;
use alloc::string::String;

use backwater_ends::control::{Control, Next, RmCell, Signal};
use backwater_kernel::{EventQueue, Rate, Time};

use crate::hop::kind::{ControlKind, UnitKind};
use crate::hop::timer::Timer;
use crate::hop::unit::{NONE, Unit};
use crate::hop::wire::Ticket;
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::spec::{ABR_CELL_MAX_BYTES, FlowSpec, NetworkSpec};

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// An event that was to ask for a slot of `flow_id`.
    pub(crate) fn on_slot(&mut self, flow_id: u32) {
        let flow = &mut self.network.flows[flow_id as usize];
        if flow.slot_at == self.now {
            flow.slot_at = Time::MAX;
        }
        self.pump(flow_id);
    }

    /// Something has changed for the source of `flow_id`, maybe before phase Inject: what has
    /// slots gets its next one, the rest sends what it may.
    pub(crate) fn resume(&mut self, flow_id: u32) {
        let now = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        if flow.control.pacing().is_none() {
            return self.pump(flow_id);
        }
        match flow.control.next(now, flow.backlog != 0) {
            Next::Now(_) => self.await_slot(flow_id, now),
            Next::At(at) => self.await_slot(flow_id, at),
            Next::Wait => {}
        }
    }

    /// Sees to it that the source of `flow_id` is asked again at `at`.
    #[inline]
    pub(crate) fn await_slot(&mut self, flow_id: u32, at: Time) {
        let flow = &mut self.network.flows[flow_id as usize];
        if flow.slot_at > at {
            flow.slot_at = at;
            self.schedule(Timer::Slot.at(at, flow_id));
        }
    }

    /// A unit of the scheme's own goes.
    pub(crate) fn send_control(&mut self, flow_id: u32) {
        let now = self.now;
        let control = &mut self.network.flows[flow_id as usize].control;
        let old = control.pacing();
        let Some(made) = control.take_control(now) else {
            return;
        };
        self.enter_rm(flow_id, made.cell);
        if let Some(forward) = made.forward {
            self.probe.on_forward(now, flow_id, forward);
        }
        self.note_rate(flow_id, old);
    }

    /// Shows the rate a source allows itself, if it is another than before.
    fn note_rate(&mut self, flow_id: u32, old: Option<Rate>) {
        let new = self.network.flows[flow_id as usize].control.pacing();
        if let (Some(old), Some(new)) = (old, new)
            && old != new
        {
            self.probe.on_rate(self.now, flow_id, new, old);
        }
    }

    /// A signal reached the source of `flow_id`.
    fn signal(&mut self, flow_id: u32, signal: &Signal) {
        let now = self.now;
        let control = &mut self.network.flows[flow_id as usize].control;
        let old = control.pacing();
        let stated = control.on_control(now, signal);
        if let (Some(er), Some(rate)) = (stated, control.pacing()) {
            self.probe.on_backward(now, flow_id, er, rate);
        }
        self.note_rate(flow_id, old);
        self.resume(flow_id);
    }

    /// An RM cell joins the flow's units.
    fn enter_rm(&mut self, flow_id: u32, cell: RmCell) {
        let flow = &mut self.network.flows[flow_id as usize];
        let number = flow.next_number;
        flow.next_number = number.wrapping_add(1);
        let unit = Unit {
            kind: match cell.is_backward {
                true => UnitKind::BackwardRm,
                false => UnitKind::ForwardRm,
            },
            ..Unit::data(self.now, number, flow.unit_bytes)
        };
        let root = self.network.roots(flow_id)[0];
        let place = self.network.units.insert(unit, self.now.ps());
        self.network.units.set_rm(place, cell);
        self.enqueue(root, place);
    }

    /// The destination of `flow_id` takes an RM cell in. It is the station of its partner's
    /// source.
    pub(crate) fn consume_rm(&mut self, flow_id: u32, place: u32) {
        let cell = self.network.units.rm(place);
        self.network.units.remove(place);
        let flow = &mut self.network.flows[flow_id as usize];
        let partner = flow.partner;
        let Some(counted) = flow.control.counted() else {
            return;
        };
        let signal = if cell.is_backward {
            counted.backward.received += 1;
            Signal::Backward(cell)
        } else {
            counted.forward.received += 1;
            let is_marked = core::mem::take(&mut flow.efci);
            Signal::Forward { cell, is_marked }
        };
        self.signal(partner, &signal);
    }

    /// A switch tells the source of the flow of `leg_id` by a cell of its own that it is
    /// congested (`ci`), or shall not increase (`ni`).
    pub(crate) fn send_notice(&mut self, leg_id: u32, ci: bool, ni: bool) {
        let flow_id = self.network.legs[leg_id as usize].sender.flow;
        let bytes = self.network.flows[flow_id as usize].unit_bytes;
        self.send_notice_back(leg_id, ci as u64 | (ni as u64) << 1, bytes);
    }

    fn send_notice_back(&mut self, leg_id: u32, value: u64, bytes: u32) {
        let leg = self.network.legs[leg_id as usize].sender.parent;
        if leg != NONE {
            self.tickets.push(Ticket {
                leg,
                kind: ControlKind::Notice,
                value,
                bytes,
                is_patient: false,
            });
        }
    }

    /// A notice has come back over `leg_id`: it goes on, or is at the source.
    pub(crate) fn pass_notice(&mut self, leg_id: u32, value: u64, bytes: u32) {
        let sender = &self.network.legs[leg_id as usize].sender;
        let (is_root, flow_id) = (sender.is_root(), sender.flow);
        if !is_root {
            return self.send_notice_back(leg_id, value, bytes);
        }
        let (ci, ni) = (value & 1 != 0, value & 2 != 0);
        self.signal(flow_id, &Signal::Notice { ci, ni });
    }

    /// RM cells of `flow_id` in its queues and on its wires: forward and backward.
    pub(crate) fn rm_inside(&self, flow_id: u32) -> [u64; 2] {
        let network = &self.network;
        let mut inside = [0; 2];
        let mut count = |kind: UnitKind| match kind {
            UnitKind::ForwardRm => inside[0] += 1,
            UnitKind::BackwardRm => inside[1] += 1,
            UnitKind::Data | UnitKind::Control(_) => {}
        };
        let mut leg_id = network.roots(flow_id)[0];
        loop {
            let leg = &network.legs[leg_id as usize];
            let wire = &network.channels[leg.sender.channel as usize].wire;
            let on_wire = wire.iter(&network.units);
            on_wire
                .filter(|unit| unit.leg == leg_id)
                .for_each(|unit| count(unit.kind));
            let queue = leg.sender.queue.iter(&network.units);
            queue.for_each(|unit| count(unit.kind));
            if leg.receiver.is_leaf() {
                if let Some(sink) = network.sinks.get(leg.receiver.first_child as usize) {
                    let waiting = sink.waiting.iter(&network.units);
                    waiting.for_each(|unit| count(unit.kind));
                }
                return inside;
            }
            leg_id = leg.receiver.first_child;
        }
    }
}

/// Refuses circuits that can't work.
pub(crate) fn check(spec: &NetworkSpec, flow_id: usize) -> Result<(), String> {
    let flow = &spec.flows[flow_id];
    let Some(abr) = flow.abr() else {
        return Ok(());
    };
    if abr.pcr.0 == 0 || abr.mcr > abr.pcr || abr.icr > abr.pcr || abr.icr < abr.mcr {
        return Err("an ABR source needs MCR <= ICR <= PCR, and PCR above zero".into());
    }
    if abr.nrm < 2 {
        return Err("Nrm must be at least 2, or there would be no data".into());
    }
    let numbers = [abr.rif, abr.rdf, abr.cdf];
    if !numbers.iter().all(|factor| (0.0..=1.0).contains(factor)) {
        return Err("RIF, RDF and CDF lie between 0 and 1".into());
    }
    let is_shaped = flow.envelope.is_some() || flow.policer.is_some() || !flow.sizes.is_empty();
    if is_shaped || flow.session.is_some() {
        return Err("an ABR flow has cells of one size, no envelope, policer or session".into());
    }
    if flow.unit_bytes > ABR_CELL_MAX_BYTES {
        return Err("an ABR flow has cells of at most 64 KiB".into());
    }
    let partner = flow.partner.and_then(|id| spec.flows.get(id as usize));
    let Some(partner) = partner.filter(|other| {
        other.abr().is_some() && other.partner.is_some_and(|id| id as usize == flow_id)
    }) else {
        return Err("an ABR flow needs a partner that is ABR too and names it".into());
    };
    let there: alloc::vec::Vec<u32> = flow.legs.iter().map(|leg| leg.channel).collect();
    let back = partner.legs.iter().rev().map(|leg| leg.channel ^ 1);
    if !back.eq(there) {
        return Err(format!(
            "`{}` does not lead back the same way",
            partner.name
        ));
    }
    let is_chain = |flow: &FlowSpec| {
        let parents = flow.legs.iter().map(|leg| leg.parent);
        parents.eq((0..flow.legs.len() as u32).map(|id| id.checked_sub(1)))
    };
    match is_chain(flow) && is_chain(partner) {
        true => Ok(()),
        false => Err("an ABR flow has one destination".into()),
    }
}
