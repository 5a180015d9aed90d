//! Flows without a row begin, take a slot, and leave it when nothing can come of them any more.
//!
//! All that begin at one instant have their slots, and their timers, before it comes: at the
//! instant at which those before them begin. So they take their turn among the others by number.

use alloc::string::String;
use alloc::vec::Vec;

use backwater_ends::stations::End;
use backwater_kernel::{Balance, EventQueue, Place, Time};

use crate::classes::members::{Bin, Ended, Opening, Slot};
use crate::classes::shape::{Has, MEMBERS, may};
use crate::classes::{Classes, FrameFlow, Losses};
use crate::frames::{alone, build};
use crate::hop::timer::Timer;
use crate::network::Network;
use crate::outcome::MembersOutcome;
use crate::probe::{EndedFlow, Probe};
use crate::simulation::Simulation;
use crate::spec::frames::{FlowSpec, TransportSpec};

impl Classes {
    /// Where the state of a flow is kept that has a frame on its way.
    #[inline(always)]
    pub(crate) fn place(&self, flow: u32) -> usize {
        match flow < self.rows {
            true => flow as usize,
            false => self.place_of_member(flow) as usize,
        }
    }

    /// The same, where a network may have flows without a row, or has none.
    #[inline(always)]
    pub(crate) fn place_in<const HAS: Has>(&self, flow: u32) -> u32 {
        match may(HAS, MEMBERS) {
            true => self.place(flow) as u32,
            false => flow,
        }
    }

    fn place_of_member(&self, flow: u32) -> u32 {
        match self.members.place(flow) {
            Some(place) => place,
            None => unreachable!("a flow with a frame on its way is active"),
        }
    }

    /// The same of a flow that may have ended.
    #[inline(always)]
    pub(crate) fn place_if_active(&self, flow: u32) -> Option<u32> {
        match flow < self.rows {
            true => Some(flow),
            false => self.members.place(flow),
        }
    }

    /// The number of the flow at a place, if one is active there.
    pub(crate) fn number(&self, place: u32) -> Option<u32> {
        match place.checked_sub(self.rows) {
            None => Some(place),
            Some(slot) => self.members.number(slot),
        }
    }

    /// Nothing of a flow is on its way, and neither end waits for an instant, nor for its port
    /// where a watchdog dropped its last frame: nothing can come of it any more.
    fn has_ended(&self, place: u32) -> bool {
        let (flow, losses) = (&self.flows[place as usize], &self.losses[place as usize]);
        let is_on_its_way = flow.created != flow.delivered + losses.dropped;
        let stations = &self.stations;
        !is_on_its_way && !stations.has_more(place) && !stations.is_unacknowledged(place)
    }

    /// What a flow did, of which so many frames and bytes are on their way.
    fn ended(&self, place: u32, slot: &Slot, inside: (u64, u64)) -> Ended {
        let (flow, losses) = (&self.flows[place as usize], &self.losses[place as usize]);
        let balance = |offered, delivered, dropped, inside| Balance {
            offered,
            delivered,
            dropped,
            queued: 0,
            inside,
        };
        let alone = self.alone[place as usize];
        Ended {
            size: slot.bytes,
            frames: balance(flow.created, flow.delivered, losses.dropped, inside.0),
            bytes: balance(
                flow.created_bytes,
                flow.delivered_bytes,
                losses.dropped_bytes,
                inside.1,
            ),
            lost: losses.dropped - losses.dropped_before,
            marked: losses.marked,
            trimmed: losses.trimmed,
            transfer: self.stations.transfer(place),
            is_measured: self.stations.measured(place) > 0,
            is_unacknowledged: self.stations.is_unacknowledged(place),
            alone_ps: alone.map_or(0, |alone| alone.ps()),
        }
    }
}

impl Network {
    /// Slots of flows without a row: the most that were active at once, of each group.
    pub fn slots(&self) -> usize {
        self.classes.members.slots.len()
    }

    /// Flows without a row that have begun and not ended, as a probe is told of one that has.
    pub fn active_members(&self) -> impl Iterator<Item = EndedFlow> + '_ {
        let active = self.classes.members.active(self.classes.rows);
        active.map(|(place, slot)| self.ended_flow(place, slot))
    }

    fn ended_flow(&self, place: u32, slot: &Slot) -> EndedFlow {
        let flow = &self.classes.flows[place as usize];
        EndedFlow {
            number: slot.number,
            group: slot.group,
            source: flow.source,
            destination: flow.destination,
            start: slot.start,
            bytes: slot.bytes,
            took_ps: self.classes.stations.transfer(place).1,
            alone: self.classes.alone[place as usize],
            dropped: self.classes.losses[place as usize].dropped,
        }
    }
}

/// A handshake before it measured its path, where its kind leaves that to the path.
fn set_handshake(network: &Network, flow: &mut FlowSpec) {
    let measured = alone::handshake(network, flow);
    if let (TransportSpec::Tcp(tcp), Some(_)) = (&mut flow.transport, measured) {
        tcp.handshake_rtt = measured;
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The first of each group.
    pub(crate) fn set_first_arrivals(&mut self) {
        for group in 0..self.network.classes.members.groups.len() as u32 {
            self.read_arrival(group);
            self.open_next(group);
        }
    }

    /// All flows of a group that begin at its next instant get slots; those after them do at that.
    pub(crate) fn open_next(&mut self, group: u32) {
        let at = self.network.classes.members.groups[group as usize].next_at();
        let Some(at) = at.filter(|at| *at <= self.stop_at) else {
            return self.network.classes.members.groups[group as usize].end();
        };
        while self.network.classes.members.groups[group as usize].next_at() == Some(at) {
            let opening = self.network.classes.members.groups[group as usize].begin();
            match opening.map(|opening| self.open_member(group, &opening)) {
                Some(true) => {}
                Some(false) => return self.refuse_members(group, "names what is not there".into()),
                None => return self.refuse_members(group, "has more flows than it said".into()),
            }
            self.read_arrival(group);
        }
        let next = self.network.classes.members.groups[group as usize].next_at();
        match next {
            Some(next) if next < at => self.refuse_members(group, "is not in order of time".into()),
            Some(_) => self.events.push(Timer::Arrival.at(at, group)),
            None => {}
        }
    }

    fn read_arrival(&mut self, group: u32) {
        let read = self.network.classes.members.groups[group as usize].read();
        if let Err(what) = read {
            self.refuse_members(group, what);
        }
    }

    /// No more of a group begin: what tells them is not what was checked.
    #[cold]
    fn refuse_members(&mut self, group: u32, what: String) {
        let group = &mut self.network.classes.members.groups[group as usize];
        group.end();
        let name = group.spec.name.clone();
        self.violations.note(self.now, Place::Network, || {
            alloc::format!("the list of `{name}` {what}")
        });
    }

    /// A flow gets its slot; false if it can't be.
    fn open_member(&mut self, group: u32, opening: &Opening) -> bool {
        let network = &mut self.network;
        let classes = &mut network.classes;
        let kinds = &classes.members.groups[group as usize].spec;
        let arrival = &opening.arrival;
        let Some(mut spec) = kinds.flow(classes.nodes.len(), arrival) else {
            return false;
        };
        let fresh = classes.flows.len() as u32;
        let (number, place) = (opening.number, opening.place.unwrap_or(fresh));
        let to_of = |channel: u32| network.channels.get(channel as usize).map(|own| own.to);
        let ends = (spec.source, spec.destination);
        if !classes.routes.lay((place, number), ends, to_of) {
            return false;
        }
        classes.restart_turns(place);
        set_handshake(network, &mut spec);
        let classes = &mut network.classes;
        classes.stations.open_flow((place, number), &spec.ends(), 1);
        let mut flow = build::flow((place, number), &spec, &classes.stations);
        flow.bits |= FrameFlow::MEMBER;
        match place == fresh {
            true => {
                classes.flows.push(flow);
                classes.losses.push(Losses::default());
                classes.alone.push(None);
            }
            false => {
                classes.flows[place as usize] = flow;
                classes.losses[place as usize] = Losses::default();
            }
        }
        let slot = Slot {
            group,
            number,
            start: arrival.at,
            bytes: arrival.bytes,
        };
        classes.members.settle((place, classes.rows), slot);
        network.classes.alone[place as usize] = alone::of_member(network, place, &spec);
        self.freeze(place, &spec);
        self.by_class.opened.push((number, place));
        true
    }

    /// Its control stands still while its class is stopped at its port.
    fn freeze(&mut self, place: u32, spec: &FlowSpec) {
        if !build::freezes(spec) {
            return;
        }
        let network = &mut self.network;
        network.classes.freezing.push(place);
        let ends = [
            (End::Opener, spec.source),
            (End::Answerer, spec.destination),
        ];
        for (end, host) in ends {
            let leaving = &network.classes.nodes[host as usize].leaving;
            let ports = network
                .classes
                .routes
                .leave_by(2 * place + end as u32, leaving);
            let is_stopped =
                |port: &u32| network.channels[*port as usize].stopped() & 1 << spec.class != 0;
            if ports.iter().all(is_stopped) {
                let stations = &mut network.classes.stations;
                stations.on_stop(self.now, place, end, true);
            }
        }
    }

    /// An end of a flow without a row acts at an instant, instead of another.
    #[cold]
    pub(crate) fn set_alarm(&mut self, way: u32, before: Time, at: Time) {
        let first = self.network.classes.members.set_alarm(way, before, at);
        if let Some(at) = first {
            self.events.push(Timer::Alarm.at(at, 0));
        }
    }

    /// Ends of such flows act at this instant, each in its turn among those of all flows.
    pub(crate) fn wake_members(&mut self) {
        while let Some(way) = self.network.classes.members.take_alarm(self.now) {
            self.due.add(Timer::Station.at(self.now, way));
        }
        if let Some(at) = self.network.classes.members.next_alarm() {
            self.events.push(Timer::Alarm.at(at, 0));
        }
    }

    /// Something became of a frame of a flow without a row, or one of its timers went off: if that
    /// was the last, its slot is free when all of this instant has happened.
    #[inline]
    pub(crate) fn note_member(&mut self, flow: u32) {
        let place = self.network.classes.members.place(flow);
        if place.is_some_and(|place| self.network.classes.has_ended(place)) {
            self.events.push(Timer::Ended.at(self.now, flow));
        }
    }

    /// A flow may have ended at this instant.
    pub(crate) fn close_member(&mut self, number: u32) {
        let classes = &self.network.classes;
        let place = classes.members.place(number);
        let Some(place) = place.filter(|place| classes.has_ended(*place)) else {
            return;
        };
        let slot = classes.members.slots[(place - classes.rows) as usize];
        if P::WATCHES {
            let ended = self.network.ended_flow(place, &slot);
            self.probe.on_flow_ended(self.now, &ended);
        }
        let classes = &mut self.network.classes;
        let ended = classes.ended(place, &slot, (0, 0));
        let bins = &mut classes.members.groups[slot.group as usize].bins;
        let bin = Bin::of(bins, slot.bytes);
        bin.add(&ended);
        classes.stations.sum_up(place, &mut bin.ends);
        classes.members.leave((place, classes.rows));
        let armed = classes.flows[place as usize].armed;
        for (way, at) in (2 * number..).zip(armed) {
            classes.members.stop_alarm(way, at);
        }
        if !classes.freezing.is_empty() {
            classes.freezing.retain(|own| *own != place);
        }
    }

    /// What flows without a row did, those that are active among them; `inside` is what of each
    /// place is on its way.
    pub(crate) fn member_outcomes(&self, now: Time, inside: &[(u64, u64)]) -> Vec<MembersOutcome> {
        let classes = &self.network.classes;
        let mut all = Vec::new();
        for (id, group) in (0_u32..).zip(&classes.members.groups) {
            let mut bins = group.bins.clone();
            let active = classes.members.active(classes.rows);
            for (place, slot) in active.filter(|(_, slot)| slot.group == id) {
                let bin = Bin::of(&mut bins, slot.bytes);
                bin.add(&classes.ended(place, slot, inside[place as usize]));
                classes.stations.sum_up(place, &mut bin.ends);
            }
            all.extend(bins.iter().map(|bin| bin.sums(id, now)));
        }
        all
    }
}
