//! Circuits.

use alloc::vec;
use alloc::vec::Vec;

use backwater_ends::application::units::ENDLESS;
use backwater_ends::control::Control;

use super::{AtSink, Hold, Inspection, Queue, Source, Unit, known};
use crate::hop::kind::{ControlKind, UnitKind};
use crate::hop::unit::NONE;
use crate::network::Network;

impl Network {
    pub(super) fn inspect_circuits(&self, found: &mut Inspection) {
        self.inspect_ports(found, |place, _| self.cell(place));
        self.inspect_legs(found);
        let legs = (0..self.legs.len() as u32).filter_map(|leg| self.inspect_sink(leg));
        found.at_sinks = legs.collect();
        found.sources = (0..self.flows.len()).map(|f| self.circuit(f)).collect();
    }

    /// A unit of a circuit.
    fn cell(&self, place: u32) -> Unit {
        let unit = self.units.get(place);
        let leg = &self.legs[unit.leg as usize].sender;
        let parent = self.legs.get(leg.parent as usize);
        Unit {
            flow: known(leg.flow),
            number: unit.number.into(),
            bytes: unit.bytes,
            kind: unit.kind,
            value: self.units.value(place),
            since: unit.arrived,
            born: self.units.born(place),
            input: parent.map(|parent| parent.sender.channel),
            frame: None,
        }
    }

    /// The queues of all legs, by channel.
    fn inspect_legs(&self, found: &mut Inspection) {
        let mut order: Vec<u32> = (0..self.legs.len() as u32).collect();
        order.sort_by_key(|leg| self.legs[*leg as usize].sender.channel);
        let mut places = vec![0; self.legs.len()];
        for (place, leg) in order.iter().enumerate() {
            places[*leg as usize] = place;
        }
        found.queues = order.iter().map(|leg| self.inspect_leg(*leg)).collect();
        self.find_credit(&places, found);
        for (leg_id, place) in (0..).zip(&places) {
            let leg = &self.legs[leg_id as usize];
            if found.queues[*place].hold.is_none() || leg.receiver.is_leaf() {
                continue;
            }
            let flow = leg.sender.flow;
            let count = 0..self.branches(flow, leg_id);
            let next = count.map(|index| places[self.branch(flow, leg_id, index) as usize]);
            let next: Vec<usize> = next
                .filter(|place| !found.queues[*place].units.is_empty())
                .collect();
            found.queues[*place].waits_for = next;
        }
    }

    fn inspect_leg(&self, leg_id: u32) -> Queue {
        let sender = &self.legs[leg_id as usize].sender;
        let mut credit = self.inspect_credit(leg_id);
        if let Some(credit) = &mut credit {
            credit.needs = u32::from(sender.queue.len > 0);
        }
        let places = sender.queue.places(&self.units);
        Queue {
            channel: sender.channel,
            leg: Some(leg_id),
            flow: known(sender.flow),
            class: 0,
            destination: None,
            lane: None,
            units: places.map(|place| self.cell(place)).collect(),
            hold: (!sender.is_open()).then_some(Hold::NoCredit { since: None }),
            credit,
            waits_for: Vec::new(),
        }
    }

    /// What of credit is on wires.
    fn find_credit(&self, places: &[usize], found: &mut Inspection) {
        for channel in &self.channels {
            for place in channel.wire.places(&self.units) {
                let unit = self.units.get(place);
                let queue = places
                    .get(unit.leg as usize)
                    .map(|at| &mut found.queues[*at]);
                let Some(credit) = queue.and_then(|queue| queue.credit.as_mut()) else {
                    continue;
                };
                match unit.kind {
                    UnitKind::Control(ControlKind::Credit) if !unit.is_lost => {
                        credit.back.push((unit.arrived, self.units.value(place)));
                    }
                    UnitKind::Control(_) => {}
                    _ => credit.forward += 1,
                }
            }
        }
    }

    fn inspect_sink(&self, leg_id: u32) -> Option<AtSink> {
        let leg = &self.legs[leg_id as usize];
        if !leg.receiver.is_leaf() || leg.receiver.first_child == NONE {
            return None;
        }
        let sink = self.sinks.get(leg.receiver.first_child as usize)?;
        let unit = |place| Unit {
            input: Some(leg.sender.channel),
            ..self.cell(place)
        };
        let units: Vec<Unit> = sink.waiting.places(&self.units).map(unit).collect();
        (!units.is_empty()).then_some(AtSink {
            channel: leg.sender.channel,
            flow: leg.sender.flow,
            units,
        })
    }

    fn circuit(&self, index: usize) -> Source {
        let flow = &self.flows[index];
        let (node, to) = self.ends(index as u32);
        let held = flow.shaping.as_ref().map_or(0, |shaping| shaping.held());
        let waits = flow.backlog.saturating_add(held);
        Source {
            node,
            to,
            backlog: (flow.backlog != ENDLESS).then_some(waits),
            made: flow.counts.offered / u64::from(flow.leaves.max(1)),
            delivered: flow.counts.delivered,
            lost: flow.counts.lost,
            unacknowledged: flow.control.awaits_ack().filter(|_| waits > 0),
            is_pulled: flow.is_pulled,
            ..Source::default()
        }
    }
}
