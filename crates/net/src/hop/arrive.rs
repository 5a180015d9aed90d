//! Units take effect: data is stored, branched or consumed; control units change credit.

use alloc::format;

use backwater_kernel::EventQueue;

use crate::flow::session::message::Message;
use crate::hop::kind::{ControlKind, UnitKind};
use crate::hop::unit::NONE;
use crate::hop::wire::Channel;
use crate::outcome::LossCause;
use crate::probe::{Crossing, Probe};
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The first unit on the wire takes effect.
    #[inline]
    pub(crate) fn deliver(&mut self, channel_id: u32) {
        let channel = &mut self.network.channels[channel_id as usize];
        if channel.wire.len == 0 {
            return self.miss(channel_id);
        }
        let place = channel.wire.pop(&self.network.units);
        let unit = self.network.units.get(place);
        match unit.kind {
            UnitKind::Control(kind) => self.arrive_control(channel_id, place, kind),
            _ if unit.is_lost => self.lose_data(channel_id, place),
            UnitKind::Data | UnitKind::ForwardRm | UnitKind::BackwardRm => {
                self.arrive(channel_id, place);
            }
        }
    }

    /// There is no unit: it came to another part of the run, and is an event there.
    #[cold]
    fn miss(&mut self, channel_id: u32) {
        if self.network.channels[channel_id as usize].is(Channel::CROSSES) {
            self.events_handled -= 1;
        }
    }

    #[inline]
    fn arrive(&mut self, channel_id: u32, place: u32) {
        let now = self.now;
        let network = &mut self.network;
        let unit = network.units.get(place);
        let (leg_id, number, bytes) = (unit.leg, unit.number, unit.bytes);
        let kind = unit.kind;
        let leg = &mut network.legs[leg_id as usize];
        leg.receiver.arrived += 1;
        self.probe.on_arrival(Crossing {
            at: now,
            channel: channel_id,
            flow: leg.sender.flow,
            leg: leg_id,
            kind,
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
        if kind == UnitKind::BackwardRm {
            self.answer_backward(channel_id, leg_id, place);
        }
        if self.network.nodes[node as usize].pool != NONE {
            return self.arrive_in_pool(channel_id, leg_id, place);
        }
        self.store(leg_id, place);
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
        if unit.kind.is_rm() {
            flow.count_lost_rm(unit.kind);
        } else {
            flow.counts.lost += destinations;
            flow.counts.drops.add(cause, destinations);
        }
        let crossing = Crossing {
            at: self.now,
            channel: channel_id,
            flow: flow_id,
            leg: leg_id,
            kind: unit.kind,
            value: unit.number as u64,
            bytes: unit.bytes,
        };
        self.probe.on_loss(crossing, cause);
        self.network.units.remove(place);
    }

    fn arrive_control(&mut self, channel_id: u32, place: u32, kind: ControlKind) {
        let unit = *self.network.units.get(place);
        let (leg_id, value) = (unit.leg, self.network.units.value(place));
        self.network.units.remove(place);
        let leg = &self.network.legs[leg_id as usize].sender;
        let crossing = |kind| Crossing {
            at: self.now,
            channel: channel_id,
            flow: leg.flow,
            leg: leg_id,
            kind: UnitKind::Control(kind),
            value,
            bytes: unit.bytes,
        };
        if unit.is_lost {
            let kind = kind.when_lost();
            self.probe.on_loss(crossing(kind), LossCause::Wire);
            if kind == ControlKind::Credit {
                self.lose_credit(leg_id);
            }
            return;
        }
        self.probe.on_arrival(crossing(kind));
        match kind {
            ControlKind::Credit => self.renew_credit(leg_id, value),
            ControlKind::Request => self.provoke_credit(leg_id),
            ControlKind::Sync => self.on_sync(leg_id, value),
            ControlKind::Alarm => self.pass_alarm(leg_id, unit.bytes),
            ControlKind::Session => self.on_message(leg_id, Message::of(value)),
            ControlKind::Notice => self.pass_notice(leg_id, value, unit.bytes),
            ControlKind::Stop | ControlKind::Update | ControlKind::Statement => {}
        }
    }
}
