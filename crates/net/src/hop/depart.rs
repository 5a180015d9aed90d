//! Ports choose and units start: data and control.

use backwater_kernel::{Event, EventQueue, Phase, Time};

use crate::flow::session::message::Message;
use crate::hop::kind::{ControlKind, UnitKind};
use crate::hop::unit::{NONE, Unit};
use crate::hop::wire::{Channel, Ticket};
use crate::network::Freed;
use crate::probe::{Crossing, Probe};
use crate::scheduler::Choice;
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The wire is free: control units first, then what the scheduler chooses.
    #[inline]
    pub(crate) fn arbitrate(&mut self, channel_id: u32) {
        let channel = &mut self.network.channels[channel_id as usize];
        if channel.free_at > self.now {
            // The end of a hold, while something else is on its way.
            return;
        }
        channel.arbitration_due = false;
        if let Some(ticket) = channel.pop_control() {
            self.start_control(channel_id, ticket);
        } else {
            match channel.choose(self.now) {
                Choice::Leg(leg) => self.start_data(channel_id, leg),
                Choice::Wait(until) => return self.hold(channel_id, until),
                Choice::Nothing => return,
            }
        }
        let channel = &mut self.network.channels[channel_id as usize];
        if channel.has_work() && !channel.arbitration_due {
            channel.arbitration_due = true;
            self.events
                .push(Event::new(channel.free_at, Phase::Arbitrate, channel_id, 0));
        }
    }

    /// The port asks its scheduler again at `until`.
    #[cold]
    fn hold(&mut self, channel_id: u32, until: Time) {
        let channel = &mut self.network.channels[channel_id as usize];
        if channel.held_until != until {
            channel.held_until = until;
            self.events
                .push(Event::new(until, Phase::Arbitrate, channel_id, 0));
        }
    }

    #[inline]
    fn start_data(&mut self, channel_id: u32, leg_id: u32) {
        let now = self.now;
        let network = &mut self.network;
        let sender = &mut network.legs[leg_id as usize].sender;
        let place = sender.queue.pop(&network.units);
        sender.pass();
        sender.sent += 1;
        let (parent, flow_id) = (sender.parent, sender.flow);
        if sender.counts_starts {
            network.starts.push(&mut sender.starts, now);
        }
        let seen_by = sender.seen_by;
        let unit = network.units.get(place);
        let (number, bytes, arrived, shared) = (unit.number, unit.bytes, unit.arrived, unit.shared);
        let kind = unit.kind;
        if seen_by.ranks() {
            self.serve_ranked(leg_id, place);
        }
        if seen_by.rates() {
            self.leave_rate_port(leg_id);
        }
        let network = &mut self.network;
        let channel = &mut network.channels[channel_id as usize];
        if channel.is(Channel::ERRORS) {
            let unit = network.units.get_mut(place);
            unit.is_lost = match kind.is_rm() {
                false => channel.loses_data(now, bytes),
                true => channel.loses_rm(now, bytes),
            };
        }
        let effect_at = channel.launch(&mut network.units, now, place);
        let sent = channel.free_at;
        self.events
            .push(Event::new(effect_at, Phase::Deliver, channel_id, 0));
        match kind.is_rm() {
            false => channel.count_data(now),
            true => channel.count_control(now),
        }
        self.unit_hops += 1;
        self.last_start = now;
        self.hash.add(now.ps(), fingerprint(leg_id, number as u64));
        self.probe.on_start(Crossing {
            at: now,
            channel: channel_id,
            flow: flow_id,
            leg: leg_id,
            kind,
            value: number as u64,
            bytes,
        });
        self.probe.on_leave(now, leg_id, arrived);
        if parent == NONE {
            self.after_source_start(flow_id, leg_id, place);
        } else {
            self.probe.on_wait(now, parent, arrived);
            if shared == NONE {
                let (leg, until) = (parent, sent);
                self.freed.push(Freed { leg, bytes, until });
            } else {
                // At the next node the unit is on its own.
                let unit = *self.network.units.get(place);
                self.network.units.get_mut(place).shared = NONE;
                let last = self.leave_shared_copy(parent, &unit, sent);
                self.freed.extend(last);
            }
        }
        self.after_start(channel_id, leg_id);
    }

    /// The queue stays ready or not; a blocked sender's clock starts.
    #[inline]
    fn after_start(&mut self, channel_id: u32, leg_id: u32) {
        let network = &mut self.network;
        let sender = &network.legs[leg_id as usize].sender;
        let is_watched = sender.is_watched;
        self.probe.on_queue(self.now, leg_id, sender.queue.len);
        if sender.credit_per_unit != 0 {
            self.probe
                .on_credit(self.now, leg_id, sender.credit as i64, false);
        }
        if !sender.is_eligible() {
            network.channels[channel_id as usize]
                .scheduler
                .not_ready(sender.place);
            if sender.is_blocked() {
                self.watch_credit(leg_id);
            }
        }
        if is_watched {
            self.after_watched_start(channel_id, leg_id);
        }
    }

    /// One branch is done, at `until`, with a copy that others share; what is free when all are.
    #[inline(never)]
    pub(crate) fn leave_shared_copy(
        &mut self,
        parent: u32,
        unit: &Unit,
        until: Time,
    ) -> Option<Freed> {
        let until = self.network.copies.sent_by_one(unit.shared, until)?;
        let (leg, bytes) = (parent, unit.bytes);
        Some(Freed { leg, bytes, until })
    }

    /// The queue of a pool is shorter; a tear-down may follow the last unit; periodic statements
    /// of the sender's counter; a blocked sender's clock. And the unit may leave for another part
    /// of the run.
    #[cold]
    fn after_watched_start(&mut self, channel_id: u32, leg_id: u32) {
        if self.network.channels[channel_id as usize].is(Channel::CROSSES) {
            self.send_last_across(channel_id);
        }
        self.leave_port(leg_id);
        self.send_tear_down_if_due(leg_id);
        self.after_pass(leg_id);
    }

    /// A control unit of flow control is wanted.
    pub(crate) fn want_control(&mut self, leg: u32, kind: ControlKind, value: u64) {
        let sender = &self.network.legs[leg as usize].sender;
        let (flow_id, control) = (sender.flow, sender.control);
        if flow_id == NONE {
            return self.want_class_control(leg, kind, value);
        }
        let settings = self.network.credits[control as usize].settings;
        let own = self.network.settings[settings as usize].message_bytes;
        let bytes = own.unwrap_or(self.network.flows[flow_id as usize].unit_bytes);
        self.tickets.push(Ticket {
            leg,
            kind,
            value,
            bytes,
            is_patient: false,
        });
    }

    /// Tickets of this instant join the queues of their ports, in the order of legs.
    #[inline(always)]
    pub(crate) fn queue_tickets(&mut self) {
        if !self.tickets.is_empty() {
            self.queue_all_tickets();
        }
    }

    #[inline(never)]
    fn queue_all_tickets(&mut self) {
        let mut tickets = core::mem::take(&mut self.tickets);
        tickets.sort_unstable();
        for ticket in tickets.drain(..) {
            let forward = self.network.legs[ticket.leg as usize].sender.channel;
            let channel = match ticket.kind {
                ControlKind::Credit
                | ControlKind::Alarm
                | ControlKind::Notice
                | ControlKind::Update => forward ^ 1,
                ControlKind::Request
                | ControlKind::Sync
                | ControlKind::Stop
                | ControlKind::Statement => forward,
                ControlKind::Session if Message::of(ticket.value).goes_back() => forward ^ 1,
                ControlKind::Session => forward,
            };
            self.network.channels[channel as usize].push_control(ticket);
            self.wake(channel);
        }
        self.tickets = tickets;
    }

    fn start_control(&mut self, channel_id: u32, ticket: Ticket) {
        let now = self.now;
        let kind = ticket.kind;
        let value = self.bind_control(ticket);
        let flow_id = self.network.legs[ticket.leg as usize].sender.flow;
        let bytes = ticket.bytes;
        let channel = &mut self.network.channels[channel_id as usize];
        let arrives_as = channel.draw_control_error(now, bytes, value);
        let value = arrives_as.unwrap_or(value);
        let units = &mut self.network.units;
        let unit = Unit {
            is_lost: arrives_as.is_none(),
            ..Unit::control(kind, ticket.leg, bytes)
        };
        let place = units.insert(unit, value);
        let effect_at = channel.launch(units, now, place);
        self.events
            .push(Event::new(effect_at, Phase::Deliver, channel_id, 0));
        channel.count_control(now);
        self.unit_hops += 1;
        self.last_start = now;
        if channel.is(Channel::CROSSES) {
            self.send_last_across(channel_id);
        }
        let mark = kind.mark(value);
        self.hash.add(now.ps(), fingerprint(ticket.leg, mark));
        self.probe.on_start(Crossing {
            at: now,
            channel: channel_id,
            flow: flow_id,
            leg: ticket.leg,
            kind: UnitKind::Control(kind),
            value,
            bytes,
        });
    }

    /// What a control unit says is decided as it starts on the wire.
    pub(crate) fn bind_control(&mut self, ticket: Ticket) -> u64 {
        match ticket.kind {
            ControlKind::Credit => self.bind_credit(ticket.leg, ticket.value),
            ControlKind::Request | ControlKind::Alarm => 0,
            ControlKind::Sync => self.network.legs[ticket.leg as usize].sender.sent,
            ControlKind::Session => {
                self.on_message_start(ticket.leg, Message::of(ticket.value));
                ticket.value
            }
            ControlKind::Notice
            | ControlKind::Stop
            | ControlKind::Update
            | ControlKind::Statement => ticket.value,
        }
    }
}

/// One word that tells a start from others of its instant.
#[inline]
fn fingerprint(leg: u32, what: u64) -> u64 {
    ((leg as u64) << 36) ^ what
}
