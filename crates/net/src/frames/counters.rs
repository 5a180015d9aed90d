//! Counters of ports: messages that speak of the credit of several lanes.
//!
//! The port that frees sends *updates* against the data, the port that sends states its counters
//! with *statements* along with it. Both go before data, and what they say is decided as they
//! start. A message has the number of the channel whose data it is about in its ticket.

use alloc::boxed::Box;
use alloc::vec::Vec;
use alloc::{format, vec};

use backwater_kernel::{BuildError, EventQueue};

use crate::flow_control::cyclic::{Counters, When, cut};
use crate::hop::frame::Message;
use crate::hop::kind::{ControlKind, UnitKind};
use crate::hop::load::{counter_of, set_counter};
use crate::hop::timer::Timer;
use crate::hop::wire::Ticket;
use crate::network::Network;
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::spec::frames::{ClassCreditRule, EthernetSpec, Owner};

impl Network {
    /// Counters of all channels that have some, once lanes have their legs.
    pub(crate) fn add_counters(&mut self, spec: &EthernetSpec) -> Result<(), BuildError> {
        if spec.channels().all(|channel| channel.counters.is_none()) {
            return Ok(());
        }
        self.classes.credits.counters = vec![None; self.channels.len()];
        for (id, own) in (0..).zip(spec.channels()) {
            let Some(kept) = own.counters else { continue };
            let (mut lanes, mut is_sorted) = (Vec::new(), false);
            for class in 0..own.queues.len() {
                let credit = own.credits.get(class).copied().flatten();
                let at = self.queue(id, class as u8);
                let numbers = match credit.map(|credit| credit.owner) {
                    None | Some(Owner::Class) => at as u32..at as u32 + 1,
                    Some(Owner::Destination | Owner::Flow | Owner::Hash(_)) => {
                        self.classes.lanes[at].numbers()
                    }
                };
                is_sorted |= credit.is_some_and(|credit| credit.owner != Owner::Class);
                for number in numbers {
                    let leg = self.classes.credits.leg(number as usize);
                    let lane = match credit.map(|credit| credit.rule) {
                        Some(ClassCreditRule::Counters(lane)) => leg.map(|leg| (lane, leg)),
                        _ => None,
                    };
                    if let Some((_, leg)) = lane {
                        self.classes.credits.lanes[leg as usize].place = lanes.len() as u32;
                    }
                    lanes.push(lane);
                }
            }
            let counters = Counters::new(kept, is_sorted, lanes).ok_or_else(|| {
                BuildError(format!(
                    "channel {id}: its lanes reserve more than the port has"
                ))
            })?;
            self.classes.credits.counters[id as usize] = Some(Box::new(counters));
        }
        Ok(())
    }

    /// What a lane that shares a limit has in use of it has changed from what went with this
    /// credit.
    pub(crate) fn note_use(&mut self, leg: u32, credit_before: i32) {
        let lane = &self.classes.credits.lanes[leg as usize];
        let (channel, place) = (lane.channel, lane.place);
        let (limit, credit) = (self.limit(leg), self.legs[leg as usize].sender.credit);
        let used = |credit: i32| limit.saturating_sub(credit.max(0) as u32);
        if let Some(counters) = self.classes.credits.counters_mut(channel) {
            counters.note_use(place, used(credit_before), used(credit));
        }
    }

    /// Does news of credit wait, or is credit missing that messages will bring back?
    pub(crate) fn has_unsettled_credit(&self) -> bool {
        let all = (0..).zip(&self.classes.credits.counters);
        let mut kept = all.filter_map(|(id, own)| Some((id, own.as_deref()?)));
        kept.any(|(_, own): (u32, &Counters)| {
            let spec = &own.spec;
            let is_mended = spec.statement.is_some() && spec.update.at_least_every.is_some();
            let is_missing = |leg: u32| {
                i64::from(self.legs[leg as usize].sender.credit) < i64::from(self.limit(leg))
            };
            own.owes_news() || is_mended && own.legs().any(is_missing)
        })
    }

    /// The leg of a lane of a channel with counters.
    #[inline]
    pub(crate) fn counted_leg(&self, channel: u32, place: u32) -> Option<u32> {
        self.classes.credits.counters(channel)?.leg(place)
    }

    fn limit(&self, leg: u32) -> u32 {
        let link = &self.credits[self.legs[leg as usize].sender.control as usize];
        self.settings[link.settings as usize].buffer_units
    }

    /// Does what a lane shares with others keep it from starting a frame of this cost?
    pub(crate) fn lacks_share(&self, leg: u32, cost: u32) -> bool {
        let lane = &self.classes.credits.lanes[leg as usize];
        let Some(counters) = self.classes.credits.counters(lane.channel) else {
            return false;
        };
        let credit = self.legs[leg as usize].sender.credit.max(0) as u32;
        let used = self.limit(leg).saturating_sub(credit);
        !counters.may_start(lane.place, used, cost)
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    pub(crate) fn start_counters(&mut self) {
        let all = self.network.classes.credits.counters.iter_mut();
        for (id, counters) in (0..).zip(all) {
            let Some(counters) = counters else { continue };
            if let When::At(at) = counters.when(self.now) {
                self.events.push(Timer::Update.at(at, id));
            }
            if let Some(statement) = counters.spec.statement {
                let first = self.now + statement.every;
                self.events.push(Timer::Statement.at(first, id));
            }
        }
    }

    /// A lane has freed enough to be told of.
    #[inline(never)]
    pub(crate) fn note_news(&mut self, leg: u32) {
        let credits = &mut self.network.classes.credits;
        let lane = &credits.lanes[leg as usize];
        let (channel, place) = (lane.channel, lane.place);
        if let Some(counters) = credits.counters_mut(channel) {
            let (when, bytes) = (
                counters.on_news(place, self.now),
                counters.spec.update.bytes,
            );
            self.update_when(channel, when, bytes);
        }
    }

    pub(crate) fn on_update_timer(&mut self, channel: u32) {
        if let Some(counters) = self.network.classes.credits.counters_mut(channel) {
            let (when, bytes) = (counters.on_timer(self.now), counters.spec.update.bytes);
            self.update_when(channel, when, bytes);
        }
    }

    /// An update about the data of `channel`, of so many bytes, is wanted now or later: they follow
    /// each other as there is news.
    #[inline(always)]
    fn update_when(&mut self, channel: u32, when: When, bytes: u32) {
        match when {
            When::Now => self.push_update(channel, bytes, false),
            When::At(at) => self.set_timer(at, channel, Timer::Update, 0),
            When::Wait => {}
            When::Idle | When::NoLonger => self.wait_for_idle(channel, when, bytes),
        }
    }

    #[inline(always)]
    fn push_update(&mut self, channel: u32, bytes: u32, is_patient: bool) {
        let ticket = Ticket {
            leg: channel,
            kind: ControlKind::Update,
            value: 0,
            bytes,
            is_patient,
        };
        self.network.channels[channel as usize ^ 1].push_control(ticket);
        self.wake_port(channel ^ 1);
    }

    /// An update waits until its port has nothing else to send, or doesn't any longer.
    #[cold]
    fn wait_for_idle(&mut self, channel: u32, when: When, bytes: u32) {
        if when == When::NoLonger {
            self.network.channels[channel as usize ^ 1].hurry(ControlKind::Update);
            return self.wake_port(channel ^ 1);
        }
        self.push_update(channel, bytes, true);
        let counters = self.network.classes.credits.counters_mut(channel);
        if let Some(When::At(latest)) = counters.map(|own| own.when(self.now)) {
            self.set_timer(latest, channel, Timer::Update, 0);
        }
    }

    /// A channel states what its lanes have sent, and will again.
    pub(crate) fn state_counters(&mut self, channel: u32) {
        let counters = self.network.classes.credits.counters(channel);
        let Some(statement) = counters.and_then(|own| own.spec.statement) else {
            return;
        };
        self.want_statement(channel);
        let next = self.later(statement.every);
        self.set_timer(next, channel, Timer::Statement, 0);
    }

    /// A statement of what was sent over `channel` is wanted: all its parts at once. One waits at a
    /// time: the next would say the same.
    fn want_statement(&mut self, channel: u32) {
        let Some(counters) = self.network.classes.credits.counters(channel) else {
            return;
        };
        let Some(own) = counters.spec.statement else {
            return;
        };
        let parts = counters.parts(own.classes).count() as u64;
        let port = &mut self.network.channels[channel as usize];
        let statement = UnitKind::Control(ControlKind::Statement);
        if port.controls().any(|control| control == statement) {
            port.hurry(ControlKind::Statement);
            return self.wake_port(channel);
        }
        for part in 0..parts {
            port.push_control(Ticket {
                leg: channel,
                kind: ControlKind::Statement,
                value: part,
                bytes: own.bytes,
                is_patient: own.waits_for_idle,
            });
        }
        self.wake_port(channel);
    }

    /// It starts: only now it is decided what it says.
    #[inline]
    pub(crate) fn make_message(&mut self, ticket: Ticket) -> Option<u32> {
        let channel = ticket.leg;
        let mut message = Message::default();
        match ticket.kind {
            ControlKind::Update => self.write_update(channel, &mut message)?,
            _ => self.write_statement(channel, ticket.value as usize, &mut message)?,
        }
        let says = u64::from(channel) << 36 ^ ticket.kind.mark(message.mark());
        self.hash.add(self.now.ps(), says);
        let number = self.by_class.controls_made;
        self.by_class.controls_made += 1;
        let units = &mut self.network.units;
        Some(units.message_frame((self.now, number), ticket, &message))
    }

    #[inline]
    fn write_update(&mut self, channel: u32, message: &mut Message) -> Option<()> {
        let now = self.now;
        let network = &mut self.network;
        let credits = &mut network.classes.credits;
        credits.sent[channel as usize ^ 1] += 1;
        let counters = credits.counters.get_mut(channel as usize)?.as_deref_mut()?;
        message.places = counters.start(now);
        message.is_sorted = counters.is_sorted;
        for (at, place) in message.places.each().enumerate() {
            let leg = &mut network.legs[counters.leg(place)? as usize];
            let link = &mut network.credits[leg.sender.control as usize];
            link.last_credit = now;
            let rule = network.settings[link.settings as usize].rule.by_port()?;
            let receiver = &mut leg.receiver;
            let value = rule.value(receiver.view(link.known_lost));
            receiver.credit_waits = false;
            receiver.unreported = rule.left(receiver.unreported);
            set_counter(&mut message.words, at, value);
        }
        let (when, bytes) = (counters.after_start(now), counters.spec.update.bytes);
        self.update_when(channel, when, bytes);
        Some(())
    }

    /// One part of a statement: it speaks of as many lanes as fit, in order.
    fn write_statement(&self, channel: u32, part: usize, message: &mut Message) -> Option<()> {
        let counters = self.network.classes.credits.counters(channel)?;
        let statement = counters.spec.statement?;
        message.places = counters.parts(statement.classes).nth(part)?;
        message.is_sorted = counters.is_sorted;
        for (at, place) in message.places.each().enumerate() {
            let leg = counters.leg(place)?;
            let sent = self.network.legs[leg as usize].sender.sent;
            set_counter(&mut message.words, at, cut(sent, statement.bits));
        }
        Some(())
    }

    /// An update about the data of `channel` has come to its sender.
    pub(crate) fn take_update(&mut self, channel: u32, id: u32) {
        let (places, words) = self.network.units.message(id);
        self.network.units.end_frame(id);
        let Some(own) = self.network.classes.credits.counters(channel) else {
            return;
        };
        let shares = own.spec.port_units.is_some();
        for (at, place) in places.each().enumerate() {
            let Some(leg) = self.network.counted_leg(channel, place) else {
                continue;
            };
            let before = self.network.legs[leg as usize].sender.credit;
            self.set_credit(leg, counter_of(&words, at));
            match shares {
                true => self.network.note_use(leg, before),
                false => self.turn_lane(leg),
            }
        }
        if shares {
            self.turn_lanes(channel);
        }
    }

    /// Credit of some lanes of a channel has changed that share a limit: what one takes or gives
    /// back is what another may have waited for, or been sure of.
    pub(crate) fn turn_lanes(&mut self, channel: u32) {
        let kept = self.network.classes.credits.counters(channel);
        for place in 0..kept.map_or(0, Counters::places) {
            if let Some(leg) = self.network.counted_leg(channel, place) {
                self.turn_lane(leg);
            }
        }
    }

    /// A statement of what was sent over `channel` has come to its receiver.
    pub(crate) fn take_statement(&mut self, channel: u32, id: u32) {
        let (places, words) = self.network.units.message(id);
        self.network.units.end_frame(id);
        let counters = self.network.classes.credits.counters(channel);
        let Some(bits) = counters.and_then(|own| Some(own.spec.statement?.bits)) else {
            return;
        };
        for (at, place) in places.each().enumerate() {
            let Some(leg) = self.network.counted_leg(channel, place) else {
                continue;
            };
            let ends = &self.network.legs[leg as usize];
            let link = &mut self.network.credits[ends.sender.control as usize];
            let news = link.on_statement(counter_of(&words, at), bits, ends.receiver.arrived);
            self.count_freed(leg, news as u32);
        }
    }

    /// A message about the data of `channel` was lost.
    pub(crate) fn lose_message(&mut self, channel: u32, id: u32) {
        let (places, _) = self.network.units.message(id);
        for place in places.each() {
            if let Some(leg) = self.network.counted_leg(channel, place) {
                self.lose_credit(leg);
            }
        }
    }
}
