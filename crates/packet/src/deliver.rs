//! Units take effect: data is stored, branched or consumed; control units change credit.

use alloc::format;

use backwater_kernel::{Event, EventQueue, Phase};

use crate::flow_control;
use crate::leg::Seers;
use crate::outcome::LossCause;
use crate::probe::{Crossing, Probe};
use crate::scheduler::Scheduler;
use crate::signal::Message;
use crate::simulation::Simulation;
use crate::timer::Timer;
use crate::unit::{Flags, Kind, NONE};

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The first unit on the wire takes effect.
    #[inline]
    pub(crate) fn deliver(&mut self, channel_id: u32) {
        let channel = &mut self.network.channels[channel_id as usize];
        if channel.wire.len == 0 {
            return;
        }
        let place = channel.wire.pop(&self.network.units);
        if channel.wire.len > 0 {
            let effect_at = self.network.units.get(channel.wire.head).arrived;
            self.events
                .push(Event::new(effect_at, Phase::Deliver, channel_id, 0));
        }
        match self.network.units.get(place).kind {
            Kind::Data => self.arrive(channel_id, place),
            Kind::LostData => self.lose_data(channel_id, place),
            _ => self.arrive_control(channel_id, place),
        }
    }

    #[inline]
    fn arrive(&mut self, channel_id: u32, place: u32) {
        let now = self.now;
        let network = &mut self.network;
        let unit = network.units.get(place);
        let (leg_id, number, bytes) = (unit.leg, unit.number, unit.bytes);
        let flags = unit.flags;
        let leg = &mut network.legs[leg_id as usize];
        leg.receiver.arrived += 1;
        self.probe.on_arrival(Crossing {
            at: now,
            channel: channel_id,
            flow: leg.sender.flow,
            leg: leg_id,
            kind: flags.unit_kind(),
            value: number as u64,
            bytes,
        });
        let receiver = &leg.receiver;
        let node = receiver.node;
        if receiver.is_leaf() && receiver.first_child == NONE {
            self.consume(leg_id, place);
            self.count_freed(leg_id, 1);
            return;
        }
        if receiver.fill.value() >= receiver.limit && !self.admit_beyond_limit(leg_id) {
            self.drop_unit(channel_id, leg_id, place, LossCause::Buffer);
            return;
        }
        if flags == Flags::BACKWARD {
            self.answer_backward(channel_id, leg_id, place);
        }
        if self.network.nodes[node as usize].pool != NONE {
            return self.arrive_in_pool(channel_id, leg_id, place);
        }
        self.store(leg_id, place);
    }

    /// The unit has a place in the node's memory; its branches may send it.
    #[inline(always)]
    pub(crate) fn store(&mut self, leg_id: u32, place: u32) {
        let now = self.now;
        let network = &mut self.network;
        let receiver = &mut network.legs[leg_id as usize].receiver;
        receiver.fill.add(now);
        let (children, first_child) = (receiver.children, receiver.first_child);
        self.probe.on_fill(now, leg_id, receiver.fill.value());
        let node_id = receiver.node;
        let node = &mut network.nodes[node_id as usize];
        node.stored.add(now);
        self.probe.on_stored(now, node_id, node.stored.value());
        match children {
            0 => self.await_release(first_child, leg_id, place),
            1 => self.enqueue(first_child, place),
            _ => self.branch(leg_id, place),
        }
    }

    /// One copy in memory, one entry in the queue of each branch.
    fn branch(&mut self, leg_id: u32, place: u32) {
        let leg = &self.network.legs[leg_id as usize].receiver;
        let (first, count) = (leg.first_child as usize, leg.children as u32);
        let mut unit = *self.network.units.get(place);
        unit.shared = self.network.copies.insert(count);
        self.network.units.remove(place);
        for index in first..first + count as usize {
            let child = self.network.children[index];
            let branch = self.network.units.insert(unit);
            self.enqueue(child, branch);
        }
    }

    /// The unit waits for the channel of `leg_id`.
    #[inline]
    pub(crate) fn enqueue(&mut self, leg_id: u32, place: u32) {
        let network = &mut self.network;
        network.units.get_mut(place).leg = leg_id;
        let seen_by = network.legs[leg_id as usize].sender.seen_by;
        if seen_by != Seers::NOBODY {
            if seen_by.rates() {
                self.join_rate_port(leg_id, place);
            }
            if seen_by.ranks() {
                return self.enqueue_ranked(leg_id, place);
            }
            if seen_by.lines() {
                return self.join_line(leg_id, place);
            }
        }
        let network = &mut self.network;
        let sender = &mut network.legs[leg_id as usize].sender;
        sender.queue.push(&mut network.units, place);
        self.probe.on_queue(self.now, leg_id, sender.queue.len);
        if sender.queue.len > 1 {
            return;
        }
        if sender.credit > 0 {
            let channel_id = sender.channel;
            if let Scheduler::RoundRobin(turns) =
                &mut network.channels[channel_id as usize].scheduler
            {
                turns.ready(sender.place);
            }
            self.wake(channel_id);
        } else {
            self.note_blocked(leg_id);
        }
    }

    /// The unit waits in the line of its port.
    #[inline]
    fn join_line(&mut self, leg_id: u32, place: u32) {
        let (now, network) = (self.now, &mut self.network);
        let number = network.units.get(place).number;
        let sender = &mut network.legs[leg_id as usize].sender;
        sender.queue.push(&mut network.units, place);
        let (channel_id, waiting) = (sender.channel, sender.queue.len);
        if let Scheduler::Line(line) = &mut network.channels[channel_id as usize].scheduler {
            line.join(now, leg_id);
        }
        self.probe.on_rank(now, leg_id, number, now.ps());
        self.probe.on_queue(now, leg_id, waiting);
        self.wake(channel_id);
    }

    /// Past the limit: kept where the scenario wants to know by how much, else refused. In a
    /// flow-controlled leg either is a broken promise.
    #[cold]
    fn admit_beyond_limit(&mut self, leg_id: u32) -> bool {
        let leg = &self.network.legs[leg_id as usize];
        let receiver = &leg.receiver;
        let (keep, limit, fill) = (
            receiver.keep_overflow,
            receiver.limit,
            receiver.fill.value(),
        );
        if leg.sender.control != NONE {
            self.violate(leg_id, || {
                format!("the buffer of {limit} units overflowed: a unit arrived to {fill} stored")
            });
        }
        keep
    }

    #[cold]
    pub(crate) fn drop_unit(&mut self, channel_id: u32, leg_id: u32, place: u32, cause: LossCause) {
        self.network.counts[leg_id as usize].dropped += 1;
        self.forget(channel_id, leg_id, place, cause);
    }

    #[cold]
    fn lose_data(&mut self, channel_id: u32, place: u32) {
        let leg_id = self.network.units.get(place).leg;
        self.network.counts[leg_id as usize].lost += 1;
        self.forget(channel_id, leg_id, place, LossCause::Wire);
    }

    /// The unit reaches none of the destinations behind `leg_id`.
    pub(crate) fn forget(&mut self, channel_id: u32, leg_id: u32, place: u32, cause: LossCause) {
        let flow_id = self.network.legs[leg_id as usize].sender.flow;
        let destinations = self.network.leaves_below[leg_id as usize] as u64;
        let unit = self.network.units.get(place);
        let flow = &mut self.network.flows[flow_id as usize];
        if unit.flags.is_rm() {
            flow.count_lost_rm(unit.flags);
        } else {
            flow.counts.lost += destinations;
            flow.counts.drops.add(cause, destinations);
        }
        let crossing = Crossing {
            at: self.now,
            channel: channel_id,
            flow: flow_id,
            leg: leg_id,
            kind: unit.flags.unit_kind(),
            value: unit.number as u64,
            bytes: unit.bytes,
        };
        self.probe.on_loss(crossing, cause);
        self.network.units.remove(place);
    }

    fn arrive_control(&mut self, channel_id: u32, place: u32) {
        let unit = *self.network.units.get(place);
        self.network.units.remove(place);
        let (leg_id, kind, value) = (unit.leg, unit.kind, unit.stamp);
        let leg = &self.network.legs[leg_id as usize].sender;
        let crossing = Crossing {
            at: self.now,
            channel: channel_id,
            flow: leg.flow,
            leg: leg_id,
            kind: kind.unit_kind(),
            value,
            bytes: unit.bytes,
        };
        let control = leg.control as usize;
        if matches!(kind, Kind::LostControl | Kind::LostAlarm) {
            if kind == Kind::LostControl {
                let link = &mut self.network.credits[control];
                link.credits_lost += 1;
                link.last_lost = self.now;
            }
            self.probe.on_loss(crossing, LossCause::Wire);
            return;
        }
        self.probe.on_arrival(crossing);
        match kind {
            Kind::Credit => self.renew_credit(leg_id, value),
            Kind::Request => self.provoke_credit(leg_id),
            Kind::Alarm => self.pass_alarm(leg_id, unit.bytes),
            Kind::Session => self.on_message(leg_id, Message::of(value)),
            Kind::Notice => self.pass_notice(leg_id, value, unit.bytes),
            _ => {
                let arrived = self.network.legs[leg_id as usize].receiver.arrived;
                let news = self.network.credits[control].on_sync(value, arrived);
                self.count_freed(leg_id, news.min(u32::MAX as u64) as u32);
            }
        }
    }

    /// A credit unit reached the sender.
    fn renew_credit(&mut self, leg_id: u32, value: u64) {
        let (now, network) = (self.now, &mut self.network);
        let sender = &mut network.legs[leg_id as usize].sender;
        let link = &mut network.credits[sender.control as usize];
        link.credits_received += 1;
        let rule = network.settings[link.settings as usize].rule;
        let in_window = match rule.window() {
            Some(window) => network.starts.count(&mut sender.starts, now, window),
            None => 0,
        };
        let known = flow_control::Sender {
            credit: sender.credit as i64,
            sent: sender.sent,
            in_window,
        };
        let credit = rule.credit(value, known);
        sender.credit = credit.clamp(i32::MIN as i64, i32::MAX as i64) as i32;
        self.probe.on_credit(now, leg_id, credit, true);
        let (channel_id, is_blocked) = (sender.channel, sender.is_blocked());
        let scheduler = &mut network.channels[channel_id as usize].scheduler;
        if sender.is_eligible() {
            match scheduler {
                Scheduler::RoundRobin(turns) => turns.ready(sender.place),
                Scheduler::Ranked(_) => self.offer_head(leg_id),
                // A port with a line has no credit to renew.
                Scheduler::Line(_) => {}
            }
            self.wake(channel_id);
        } else {
            scheduler.not_ready(sender.place);
            if is_blocked {
                self.note_blocked(leg_id);
            }
        }
    }

    /// Units wait for credit from now on (or still, after a credit unit that gave none): if
    /// the scheme asks for credit after a while, the clock starts.
    pub(crate) fn note_blocked(&mut self, leg_id: u32) {
        let control = self.network.legs[leg_id as usize].sender.control;
        let Some(link) = self.network.credits.get_mut(control as usize) else {
            return;
        };
        let settings = &self.network.settings[link.settings as usize];
        let Some(after) = settings.request_after else {
            return;
        };
        link.blocked_since = self.now;
        if !link.timer_armed {
            link.timer_armed = true;
            self.schedule(Timer::Request.at(self.now + after, leg_id));
        }
    }
}
