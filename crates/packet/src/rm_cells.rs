//! ABR circuits in the network: their sources' slots, RM cells on the way, and what they set off.
//!
//! A circuit has two flows, each the other's partner. The forward RM cells of a flow stand in its
//! queues like data; its destination turns them around, and they go back as backward RM cells in
//! the queues of the partner. What the end systems decide is in `source_control/abr.rs`.

use alloc::format;
use alloc::string::String;

use backwater_ends::application::units::ENDLESS;
use backwater_kernel::EventQueue;

use crate::hop::kind::{ControlKind, UnitKind};
use crate::hop::unit::{NONE, Unit};
use crate::hop::wire::Ticket;
use crate::marking::RmCell;
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::source_control::{Abr, Next};
use crate::spec::{FlowSpec, NetworkSpec};
use crate::timer::Timer;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The end system of an ABR flow.
    fn abr(&mut self, flow_id: u32) -> Option<&mut Abr> {
        self.network.flows[flow_id as usize].control.abr()
    }

    /// The application of an ABR flow offered `units`, or has another limit from now on.
    pub(crate) fn offer_cells(&mut self, flow_id: u32, units: u64) {
        let now = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        let (limit, is_finite) = (flow.traffic.limit(), flow.backlog != ENDLESS);
        if let Some(abr) = flow.control.abr() {
            abr.set_limit(limit);
            if is_finite {
                abr.on_offered(now, units);
            }
        }
    }

    /// An event that was to ask for a slot of `flow_id`.
    pub(crate) fn on_slot(&mut self, flow_id: u32) {
        let now = self.now;
        if let Some(abr) = self.abr(flow_id)
            && abr.timer == Some(now)
        {
            abr.timer = None;
        }
        self.send_cells(flow_id);
    }

    /// Sends what may go now, and sets the event for what may go later. In phase Inject only.
    pub(crate) fn send_cells(&mut self, flow_id: u32) {
        let now = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        let has_data = flow.backlog != 0;
        let Some(abr) = flow.control.abr() else {
            return;
        };
        if abr.wants(has_data) && abr.slot().is_some_and(|slot| slot <= now) {
            self.send_in_rate(flow_id);
        }
        if let Some(abr) = self.abr(flow_id)
            && let Some(at) = abr.out_of_rate_slot(now, has_data)
            && at <= now
        {
            self.send_out_of_rate(flow_id);
        }
        self.await_slot(flow_id);
    }

    /// Sees to it that the next slot of `flow_id` is asked for, if it wants one.
    pub(crate) fn await_slot(&mut self, flow_id: u32) {
        let now = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        let has_data = flow.backlog != 0;
        let Some(abr) = flow.control.abr() else {
            return;
        };
        let mut at = abr.wants(has_data).then(|| abr.slot()).flatten();
        if let Some(out_of_rate) = abr.out_of_rate_slot(now, has_data) {
            at = Some(at.map_or(out_of_rate, |at| at.min(out_of_rate)));
        }
        let Some(at) = at.map(|at| at.max(now)) else {
            return;
        };
        if abr.timer.is_none_or(|timer| timer > at) {
            abr.timer = Some(at);
            self.schedule(Timer::Slot.at(at, flow_id));
        }
    }

    fn send_in_rate(&mut self, flow_id: u32) {
        let now = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        let has_data = flow.backlog != 0;
        let Some(abr) = flow.control.abr() else {
            return;
        };
        let next = abr.choose(now, has_data);
        let (mut cell, mut forward) = (None, None);
        let old = abr.acr;
        match next {
            Next::Forward => {
                let (stated, seen) = abr.on_forward(now);
                (cell, forward) = (Some(stated), Some(seen));
            }
            Next::Backward => cell = abr.take_waiting(),
            Next::Data => {}
        }
        abr.on_sent(now, next);
        let acr = abr.acr;
        if let Some(cell) = cell {
            self.enter_rm(flow_id, cell);
        } else {
            self.enter_data(flow_id);
        }
        if let Some(forward) = forward {
            self.probe.on_forward(now, flow_id, forward);
        }
        if acr != old {
            self.probe.on_rate(now, flow_id, acr, old);
        }
    }

    fn send_out_of_rate(&mut self, flow_id: u32) {
        let now = self.now;
        if let Some(abr) = self.abr(flow_id) {
            let cell = abr.take_out_of_rate(now);
            self.enter_rm(flow_id, cell);
        }
    }

    fn enter_data(&mut self, flow_id: u32) {
        let now = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        if flow.backlog != ENDLESS {
            flow.backlog -= 1;
        }
        let is_last = flow.backlog == 0;
        let number = flow.next_number;
        flow.next_number = number.wrapping_add(1);
        let bytes = flow.unit_bytes;
        if let Some(abr) = flow.control.abr() {
            abr.on_data_sent(now, is_last);
        }
        self.on_cell_sent(flow_id, number);
        self.enter(flow_id, number, bytes);
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
        let place = self.network.units.insert(unit);
        self.network.units.set_rm(place, cell);
        self.enqueue(root, place);
    }

    /// The destination of `flow_id` takes an RM cell in.
    pub(crate) fn consume_rm(&mut self, flow_id: u32, place: u32, kind: UnitKind) {
        let cell = self.network.units.rm(place);
        self.network.units.remove(place);
        let flow = &mut self.network.flows[flow_id as usize];
        let (partner, efci) = (flow.partner, flow.efci);
        let Some(abr) = flow.control.abr() else {
            return;
        };
        if kind == UnitKind::BackwardRm {
            abr.counts.backward.received += 1;
            return self.answer_source(partner, &cell);
        }
        abr.counts.forward.received += 1;
        flow.efci = false;
        if let Some(other) = self.abr(partner) {
            other.turn_around(cell, efci);
        }
        self.await_slot(partner);
    }

    /// An answer, or a notice of a switch, reached the source of `flow_id`.
    fn answer_source(&mut self, flow_id: u32, cell: &RmCell) {
        let now = self.now;
        let Some(abr) = self.abr(flow_id) else {
            return;
        };
        let old = abr.acr;
        abr.on_answer(now, cell);
        let acr = abr.acr;
        self.probe.on_backward(now, flow_id, cell.er, acr);
        if acr != old {
            self.probe.on_rate(now, flow_id, acr, old);
        }
        self.await_slot(flow_id);
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
        if let Some(abr) = self.abr(flow_id) {
            abr.counts.notices += 1;
            let cell = RmCell {
                er: abr.peak(),
                ci: value & 1 != 0,
                ni: value & 2 != 0,
                bn: true,
                is_backward: true,
                ..RmCell::default()
            };
            self.answer_source(flow_id, &cell);
        }
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
    if flow.unit_bytes > 1 << 16 {
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
