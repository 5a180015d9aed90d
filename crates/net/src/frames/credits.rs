//! Credit over lanes: the loop of `flow_control` around queues that many flows share, or lanes that
//! each has for itself.
//!
//! A lane of a channel is *shut* while the frame that goes next costs more than there is credit.
//! A frame pays as it starts. It takes its place at the switch as it arrives and frees it with its
//! last bit; one that is dropped there frees it at once. Credit, requests and statements of the
//! counter are control frames: they go before data, in the order in which they were wanted. What
//! a port says of all its lanes at once is in `counters`.

use alloc::vec;

use backwater_kernel::{BuildError, EventQueue, Time};

use crate::classes::credits::Credited;
use crate::classes::lanes::Lane;
use crate::flow_control::Settings;
use crate::hop::kind::ControlKind;
use crate::hop::leg::{Leg, LegCounts};
use crate::hop::unit::NONE;
use crate::hop::wire::{Channel, Ticket};
use crate::network::Network;
use crate::probe::{LossCause, Probe};
use crate::simulation::Simulation;
use crate::spec::frames::{
    ChannelSpec, ClassCreditRule, ClassCreditSpec, EthernetSpec, FRAME_LEAST_BYTES,
};

impl Network {
    /// Credit of all lanes that have it.
    pub(crate) fn add_credits(&mut self, spec: &EthernetSpec) -> Result<(), BuildError> {
        if spec.channels().all(|channel| channel.credits.is_empty()) {
            return Ok(());
        }
        let lanes = self.classes.queues.len() + self.classes.lane_queues.len();
        self.classes.credits.legs = vec![NONE; lanes];
        self.classes.credits.sent = vec![0; self.channels.len()];
        for (channel, own) in (0..).zip(spec.channels()) {
            for (class, credit) in (0..).zip(&own.credits) {
                let Some(credit) = credit else { continue };
                self.channels[channel as usize].kind |= Channel::CREDITS;
                let node = self.channels[channel as usize].to;
                self.classes.nodes[node as usize].counts_inputs = true;
                let queue = self.queue(channel, class);
                let lanes = match self.classes.lanes.get(queue) {
                    Some(lanes) if lanes.has_credit() => lanes.numbers(),
                    _ => queue as u32..queue as u32 + 1,
                };
                for lane in lanes {
                    self.add_credit((channel, class, lane), own, credit);
                }
            }
        }
        self.add_counters(spec)
    }

    /// Credit of a lane.
    fn add_credit(
        &mut self,
        (channel, class, lane): (u32, u8, u32),
        spec: &ChannelSpec,
        credit: &ClassCreditSpec,
    ) {
        let settings = settings(spec, &credit.rule);
        let counters = spec.counters.filter(|_| credit.zones().is_none());
        let (queue, seat) = self.classes.queue_of(lane);
        let node = self.channels[channel as usize].to;
        let mut leg = Leg::idle(channel, node, NONE, NONE);
        self.control_by(&mut leg, settings);
        let link = self.credits[leg.sender.control as usize].settings;
        leg.receiver.limit = self.settings[link as usize].buffer_units;
        self.classes.credits.legs[lane as usize] = self.legs.len() as u32;
        self.legs.push(leg);
        self.counts.push(LegCounts::default());
        self.classes.credits.lanes.push(Credited {
            channel,
            queue: queue as u32,
            seat: seat.map_or(NONE, |seat| seat as u32),
            place: NONE,
            class,
            is_shut: false,
            needs: 0,
            price: credit.price(),
            floor: counters.map_or(0, |own| own.floor_units),
            shares: counters.is_some_and(|own| own.port_units.is_some()),
            least: i32::MAX,
            shut_since: Time::ZERO,
        });
    }

    /// The leg of a class of a channel, if it has credit.
    #[inline]
    pub(crate) fn credit_leg(&self, channel: u32, class: u8) -> Option<u32> {
        match self.channels[channel as usize].is(Channel::CREDITS) {
            true => self.classes.credits.leg(self.queue(channel, class)),
            false => None,
        }
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A frame that came over a channel takes its place, or finds none.
    pub(crate) fn take_place(&mut self, leg: u32, bytes: u64) -> Result<(), LossCause> {
        let cost = self.network.classes.credits.cost(leg, bytes);
        let receiver = &mut self.network.legs[leg as usize].receiver;
        if receiver.fill.value() + cost > receiver.limit {
            return Err(LossCause::Buffer);
        }
        receiver.arrived += u64::from(cost);
        receiver.fill.add_many(self.now, cost);
        Ok(())
    }

    /// The last bit of it has left.
    pub(crate) fn free_place(&mut self, leg: u32, bytes: u64) {
        let cost = self.network.classes.credits.cost(leg, bytes);
        let receiver = &mut self.network.legs[leg as usize].receiver;
        receiver.fill.sub_many(self.now, cost);
        self.count_freed(leg, cost);
    }

    /// A frame that the account was to hold was dropped as it arrived.
    #[cold]
    pub(crate) fn count_refused(&mut self, account: u32, bytes: u64) {
        let Some(leg) = self.network.classes.credits.leg(account as usize) else {
            return;
        };
        let cost = self.network.classes.credits.cost(leg, bytes);
        self.network.legs[leg as usize].receiver.arrived += u64::from(cost);
        self.count_freed(leg, cost);
    }

    /// A frame starts in a lane of a channel with credit. How long it takes depends on its size,
    /// so what is remembered is when it takes its place, not when it started: credit written by
    /// then knows of it.
    pub(crate) fn spend_credit(&mut self, channel: u32, lane: u32, bytes: u64, arrives: Time) {
        let Some(leg) = self.network.classes.credits.leg(lane as usize) else {
            return self.wait_for_station(channel, bytes as u32);
        };
        let network = &mut self.network;
        let credited = &mut network.classes.credits.lanes[leg as usize];
        let (cost, shares) = (credited.price.of(bytes), credited.shares);
        let waiting = network.channels[channel as usize].waiting;
        let is_empty = credited.seat == NONE && waiting & 1 << credited.class == 0;
        let sender = &mut network.legs[leg as usize].sender;
        let sent_before = sender.sent;
        sender.credit -= cost as i32;
        sender.sent += u64::from(cost);
        if sender.counts_starts {
            for _ in 0..cost {
                network.starts.push(&mut sender.starts, arrives);
            }
        }
        let (credit, is_watched) = (sender.credit, sender.is_watched);
        credited.least = credit.min(credited.least);
        if shares {
            network.note_use(leg, credit + cost as i32);
        }
        if is_watched {
            self.state_sent(leg, sent_before);
        }
        self.probe.on_credit(self.now, leg, credit.into(), false);
        match is_empty {
            // It was open, and nothing waits that could shut it.
            true => self.network.classes.credits.lanes[leg as usize].needs = 0,
            false => self.note_first(leg),
        }
        if shares {
            self.turn_lanes(channel);
        }
    }

    /// A sender that states its counter every so many units has sent some more.
    fn state_sent(&mut self, leg: u32, sent_before: u64) {
        let sender = &self.network.legs[leg as usize].sender;
        let link = &self.network.credits[sender.control as usize];
        let resync_every = self.network.settings[link.settings as usize].resync_every;
        if let Some(every) = resync_every.map(|every| u64::from(every.max(1)))
            && sender.sent / every != sent_before / every
        {
            self.want_control(leg, ControlKind::Sync, 0);
        }
    }

    /// The frame of a lane that goes next may be another: may it be sent?
    #[inline(always)]
    pub(crate) fn note_first(&mut self, leg: u32) {
        let lane = &self.network.classes.credits.lanes[leg as usize];
        let needs = match self.network.first_of_lane(lane) {
            NONE => 0,
            first => lane.price.of(self.network.units.get(first).bytes.into()),
        };
        self.network.classes.credits.lanes[leg as usize].needs = needs;
        self.turn_lane(leg);
    }

    /// Credit has changed, or what is needed of it: may the lane send?
    #[inline(always)]
    pub(crate) fn turn_lane(&mut self, leg: u32) {
        let is_shut = self.network.lacks_credit(leg);
        if is_shut != self.network.classes.credits.lanes[leg as usize].is_shut {
            self.shut_lane(leg, is_shut);
        }
    }

    /// A lane lacks credit for its first frame, or not any more.
    #[inline(never)]
    fn shut_lane(&mut self, leg: u32, is_shut: bool) {
        let classes = &mut self.network.classes;
        let lane = &mut classes.credits.lanes[leg as usize];
        lane.is_shut = is_shut;
        let (id, class, queue, seat) = (lane.channel, lane.class, lane.queue as usize, lane.seat);
        if is_shut {
            lane.shut_since = self.now;
        }
        let any = match seat {
            NONE => {
                let port = &mut self.network.channels[id as usize];
                port.set_shut(port.shut() ^ 1 << class);
                if port.is(Channel::SCHEDULED) {
                    self.wake_port(id);
                }
                is_shut
            }
            _ => {
                classes.lanes[queue].hold(seat as usize, Lane::SHUT, is_shut);
                self.renew_waiting(id, class);
                self.network.is_shut(id, class)
            }
        };
        if is_shut && self.network.legs[leg as usize].sender.is_watched {
            self.note_blocked(leg);
        } else if !is_shut && self.network.channels[id as usize].waiting & 1 << class != 0 {
            self.wake_port(id);
        }
        self.network.classes.gates[id as usize].class_gates()[class as usize]
            .watch
            .set(self.now, any);
        if P::WATCHES {
            let gate = self.network.gate_of_lane(leg);
            self.probe.on_gate(self.now, id, gate, is_shut);
        }
    }

    /// The first frame of a queue has changed.
    #[inline]
    pub(crate) fn note_first_in(&mut self, queue: usize) {
        if let Some(leg) = self.network.classes.credits.leg(queue) {
            self.note_first(leg);
        }
    }

    /// A control frame of credit is wanted.
    pub(crate) fn want_class_control(&mut self, leg: u32, kind: ControlKind, value: u64) {
        let forward = self.network.legs[leg as usize].sender.channel;
        let channel = match kind {
            ControlKind::Request | ControlKind::Sync => forward,
            ControlKind::Credit
            | ControlKind::Alarm
            | ControlKind::Notice
            | ControlKind::Session
            | ControlKind::Stop
            | ControlKind::Update
            | ControlKind::Statement => forward ^ 1,
        };
        self.network.channels[channel as usize].push_control(Ticket {
            leg,
            kind,
            value,
            bytes: FRAME_LEAST_BYTES,
            is_patient: false,
        });
        self.wake_port(channel);
    }

    /// It starts: only now it is decided what it says.
    pub(crate) fn make_control(&mut self, ticket: Ticket) -> u32 {
        let value = self.bind_control(ticket);
        let lane = self.network.gate_of_lane(ticket.leg);
        let channel = self.network.classes.credits.lanes[ticket.leg as usize].channel;
        let credits = &mut self.network.classes.credits;
        if ticket.kind == ControlKind::Credit {
            credits.sent[channel as usize ^ 1] += 1;
        }
        let says = u64::from(ticket.leg) << 36 ^ ticket.kind.mark(value);
        self.hash.add(self.now.ps(), says);
        let number = self.by_class.controls_made;
        self.by_class.controls_made += 1;
        let (units, now) = (&mut self.network.units, self.now);
        units.credit_frame(now, number, (ticket.leg, lane), (ticket.kind, value))
    }

    /// It has come to the other end.
    #[inline(never)]
    pub(crate) fn take_credit_control(&mut self, channel: u32, id: u32, kind: ControlKind) {
        match kind {
            ControlKind::Update => return self.take_update(channel ^ 1, id),
            ControlKind::Statement => return self.take_statement(channel, id),
            _ => {}
        }
        let leg = self.network.units.get(id).leg;
        let value = self.network.units.credit_value(id);
        self.network.units.end_frame(id);
        match kind {
            ControlKind::Credit => {
                self.set_credit(leg, value);
                if self.network.lacks_credit(leg) {
                    self.note_blocked(leg);
                }
                self.turn_lane(leg);
            }
            ControlKind::Request => self.provoke_credit(leg),
            ControlKind::Sync => self.on_sync(leg, value),
            ControlKind::Alarm
            | ControlKind::Session
            | ControlKind::Notice
            | ControlKind::Stop
            | ControlKind::Update
            | ControlKind::Statement => {}
        }
    }
}

impl Network {
    /// Frames wait in the lane, and the one that goes next costs more than there is credit.
    #[inline]
    pub(crate) fn lacks_credit(&self, leg: u32) -> bool {
        let own = &self.classes.credits.lanes[leg as usize];
        let credit = self.legs[leg as usize].sender.credit;
        own.needs != 0
            && (i64::from(credit) < i64::from(own.needs.max(own.floor))
                || own.shares && self.lacks_share(leg, own.needs))
    }

    /// Units, or frames, wait at the sender of a leg and only credit is missing.
    pub(crate) fn is_blocked(&self, leg: u32) -> bool {
        let sender = &self.legs[leg as usize].sender;
        match sender.flow {
            NONE => self.lacks_credit(leg),
            _ => sender.is_blocked(),
        }
    }
}

fn settings(channel: &ChannelSpec, rule: &ClassCreditRule) -> Settings {
    match (rule, &channel.counters) {
        (ClassCreditRule::Zones(rule), _) => Settings::new(rule),
        (ClassCreditRule::Counters(lane), Some(counters)) => Settings::of_counters(lane, counters),
        (ClassCreditRule::Counters(_), None) => unreachable!("`check_credits` refuses it"),
    }
}
