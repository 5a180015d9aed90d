//! Frames take effect: at stations, and at switches, which admit them and put them in a queue.

use alloc::vec::Vec;

use backwater_ends::stations::{Delivery, End};
use backwater_kernel::EventQueue;

use crate::classes::FrameFlow;
use crate::classes::shape::{
    CREDIT, ERRORS, Has, INPUTS, LANES, MARKS, MESSAGES, MULTICAST, OUTPUTS, PAIRS, SCHEDULERS,
    TCP, TIME_OUT, WATCHDOGS, may,
};
use crate::hop::kind::{ControlKind, UnitKind};
use crate::hop::unit::{ECT, MARKED, NONE, PULLED, TELEMETRY, Unit};
use crate::hop::wire::Channel;
use crate::network::Network;
use crate::outcome::LossCause;
use crate::probe::{Frame, Probe};
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The first frame on a wire takes effect.
    #[inline(always)]
    pub(crate) fn deliver_frame<const HAS: Has>(&mut self, channel_id: u32) {
        let Network {
            channels,
            units,
            classes,
            ..
        } = &mut self.network;
        let channel = &mut channels[channel_id as usize];
        let Some(id) = channel.wire.take(units) else {
            return;
        };
        let is_to_station = channel.is(Channel::TO_HOST);
        let unit = units.get_mut(id);
        // Read once: what is known here is not asked of the memory again.
        let frame = *unit;
        if frame.is_control() {
            return self.deliver_control(channel_id, id);
        }
        let account = classes.lane_in::<HAS>(channel_id, &frame);
        unit.set_account(account);
        if may(HAS, ERRORS) && frame.is_lost {
            return self.discard_frame(channel_id, id, LossCause::Wire);
        }
        if P::WATCHES {
            let frame = Frame::inside(&self.network, id, channel_id);
            self.probe.on_frame_arrival(self.now, channel_id, &frame);
        }
        match is_to_station {
            true => self.consume_frame::<HAS>(id, &frame),
            false => self.admit::<HAS>((channel_id, account), id, &frame),
        }
    }

    /// A control frame takes effect.
    #[inline(never)]
    fn deliver_control(&mut self, channel_id: u32, id: u32) {
        let unit = self.network.units.get_mut(id);
        unit.set_account(NONE);
        let (kind, is_lost) = (unit.kind, unit.is_lost);
        if is_lost {
            return self.lose_control(channel_id, id);
        }
        if P::WATCHES {
            let frame = Frame::inside(&self.network, id, channel_id);
            self.probe.on_frame_arrival(self.now, channel_id, &frame);
        }
        match kind {
            UnitKind::Control(ControlKind::Stop) => self.take_control(channel_id, id),
            UnitKind::Control(kind) => self.take_credit_control(channel_id, id, kind),
            UnitKind::Data | UnitKind::ForwardRm | UnitKind::BackwardRm => {}
        }
    }

    /// A frame has come to its station.
    #[inline(always)]
    fn consume_frame<const HAS: Has>(&mut self, id: u32, frame: &Unit) {
        let network = &mut self.network;
        let (flow_id, is_forward) = (frame.flow(), frame.is_forward());
        let place = network.classes.place_in::<HAS>(flow_id);
        let flow = &mut network.classes.flows[place as usize];
        flow.delivered += 1;
        flow.delivered_bytes += u64::from(frame.bytes);
        if may(HAS, MULTICAST) && flow.is(FrameFlow::MULTICAST) {
            return self.consume_copy(id);
        }
        let is_marked = may(HAS, MARKS) && frame.marks & MARKED != 0;
        if is_marked {
            network.classes.losses[place as usize].marked += 1;
        }
        if let Some(datagram) = network.units.datagram(id) {
            return self.consume_datagram::<HAS>((flow_id, place), id, datagram);
        }
        if !may(HAS, TCP | PAIRS) {
            return;
        }
        let (payload, born) = (network.units.payload(id), network.units.born(id));
        // What switches wrote goes over from a packet to its acknowledgement.
        let path = match may(HAS, PAIRS) && frame.marks & TELEMETRY != 0 {
            false => Vec::new(),
            true => network.units.take_path(id),
        };
        if P::WATCHES {
            let frame = Frame::inside(&self.network, id, NONE);
            self.probe.on_frame_delivered(self.now, &frame);
        }
        if P::FORWARDS && is_forward {
            self.note_delay(place, born);
        }
        let network = &mut self.network;
        network.units.end_frame(id);
        let delivery = Delivery {
            flow: place,
            is_forward,
            payload: &payload,
            is_marked,
            born,
            path: &path,
        };
        let outgoing = &mut self.by_class.outgoing;
        let bytes = network
            .classes
            .stations
            .on_frame(self.now, &delivery, outgoing);
        if may(HAS, PAIRS) {
            self.by_class.path = path;
        }
        if P::WATCHES && bytes > 0 {
            self.probe.on_payload(self.now, flow_id, is_forward, bytes);
        }
        if !self.by_class.outgoing.is_empty() {
            self.send_outgoing::<HAS>();
        }
        let end = match is_forward {
            true => End::Answerer,
            false => End::Opener,
        };
        self.arm::<HAS>((flow_id, place), end);
    }

    /// A datagram, of so many bytes and with this number, has come to its one station.
    #[inline(always)]
    fn consume_datagram<const HAS: Has>(
        &mut self,
        flow: (u32, u32),
        id: u32,
        datagram: (u32, u64),
    ) {
        if P::WATCHES {
            let frame = Frame::inside(&self.network, id, NONE);
            self.probe.on_frame_delivered(self.now, &frame);
        }
        let born = self.network.units.born(id);
        if P::FORWARDS {
            self.note_delay(flow.1, born);
        }
        let Network { units, classes, .. } = &mut self.network;
        // It has nothing beside its load.
        units.remove(id);
        let stations = &mut classes.stations;
        stations.on_datagram(self.now, flow.1, datagram, born);
        if P::WATCHES && datagram.0 > 0 {
            self.probe
                .on_payload(self.now, flow.0, true, datagram.0.into());
        }
        match may(HAS, MESSAGES) {
            true => self.arm::<HAS>(flow, End::Answerer),
            false => self.note_turn::<HAS>(flow),
        }
    }

    /// A frame that came over `input`, in the lane `account`, is admitted to the queue in front of
    /// its next channel, or dropped; or it goes several ways from here.
    #[inline(always)]
    fn admit<const HAS: Has>(&mut self, (input, account): (u32, u32), id: u32, frame: &Unit) {
        let channel = self.network.classes.routes.channel(frame);
        let Some(out) = self.network.channels.get(channel as usize) else {
            let to = self.network.channels[input as usize].to;
            return match self.network.classes.nodes[to as usize].is_switch {
                true => self.admit_copies((input, account), id),
                // A station that forwards other frames.
                false => self.consume_frame::<HAS>(id, frame),
            };
        };
        let (node_id, tripped) = (out.from, out.tripped);
        if out.is_to_rest(self.now) {
            self.rest::<HAS>(channel);
        }
        let (bytes, class) = (u64::from(frame.bytes), frame.class);
        let classes = &mut self.network.classes;
        let at = classes.queue_in::<HAS>(channel, class);
        let queue = &classes.queues[at];
        let is_full = queue.bytes + bytes > queue.limit_bytes;
        let marks = may(HAS, MARKS) && queue.marks && frame.marks & ECT != 0;
        let node = &mut classes.nodes[node_id as usize];
        let counts_inputs = may(HAS, INPUTS) && node.counts_inputs;
        let detects_queues =
            may(HAS, OUTPUTS) && node.lossless & 1 << class != 0 && !node.detects_inputs;
        // What finds no room was sent all the same.
        if may(HAS, TIME_OUT) && node.has_time_out {
            self.network.note_arrival(self.now, input, frame);
        }
        if is_full {
            return self.turn_away(account, channel, id, LossCause::QueueFull);
        }
        if may(HAS, WATCHDOGS) && tripped & 1 << class != 0 && self.drops_all(channel, class) {
            return self.turn_away(account, channel, id, LossCause::Watchdog);
        }
        let mut stops = false;
        if counts_inputs {
            match self.enter_account::<HAS>(node_id, account, at, bytes) {
                Ok(is_above) => stops = is_above,
                Err(cause) => return self.turn_away(account, channel, id, cause),
            }
        }
        if marks {
            let held = self.network.classes.queues[at].bytes;
            self.mark_frame(at, id, held);
        }
        self.join_queue::<HAS>(channel, id, (at, class, bytes));
        if stops {
            self.stop_account(node_id, account);
        }
        if detects_queues {
            self.detect_at_queue(input, channel, class, id);
        }
    }

    /// A frame that `account` was to hold finds no room in front of `channel`.
    #[cold]
    fn turn_away(&mut self, account: u32, channel: u32, id: u32, cause: LossCause) {
        let bytes = u64::from(self.network.units.get(id).bytes);
        self.count_refused(account, bytes);
        self.discard_frame(channel, id, cause);
    }

    /// A frame joins the queue of its class in front of a channel.
    #[inline(always)]
    pub(crate) fn join<const HAS: Has>(&mut self, channel_id: u32, id: u32) {
        if self.network.channels[channel_id as usize].is_to_rest(self.now) {
            self.rest::<HAS>(channel_id);
        }
        let frame = self.network.units.get(id);
        let (bytes, class) = (u64::from(frame.bytes), frame.class);
        let at = self.network.classes.queue_in::<HAS>(channel_id, class);
        self.join_queue::<HAS>(channel_id, id, (at, class, bytes));
    }

    /// The same, where the last bit before it was taken note of; with the place of the queue, and
    /// what is known of the frame.
    #[inline(always)]
    pub(crate) fn join_queue<const HAS: Has>(
        &mut self,
        channel_id: u32,
        id: u32,
        (at, class, bytes): (usize, u8, u64),
    ) {
        let Network {
            channels,
            classes,
            units,
            ..
        } = &mut self.network;
        let queue = &mut classes.queues[at];
        queue.add(self.now, bytes);
        let (held, is_first) = (queue.bytes, queue.frames == 0);
        let channel = &mut channels[channel_id as usize];
        let (has_event, kind) = (channel.has_event, channel.kind);
        let bit = 1 << class;
        let is_stuck = may(HAS, WATCHDOGS)
            && is_first
            && channel.held() & bit != 0
            && channel.stopped() & bit != 0;
        if !may(HAS, LANES) || classes.lanes.is_empty() {
            queue.push(units, id);
            channel.waiting |= 1 << class;
        } else {
            self.join_lane(channel_id, id);
        }
        if may(HAS, CREDIT | SCHEDULERS) && kind & (Channel::CREDITS | Channel::SCHEDULED) != 0 {
            self.note_join(channel_id, id, at);
        }
        if !has_event {
            self.wake_port(channel_id);
        }
        if is_stuck {
            self.note_stuck(channel_id, class);
        }
        if P::WATCHES && kind & Channel::WATCHED != 0 {
            let frame = Frame::inside(&self.network, id, channel_id);
            self.probe
                .on_frame_joined(self.now, channel_id, &frame, held);
        }
    }

    /// A control frame that was sent over `channel` never arrived.
    #[cold]
    fn lose_control(&mut self, channel: u32, id: u32) {
        if P::WATCHES {
            let frame = Frame::inside(&self.network, id, channel);
            self.probe
                .on_frame_dropped(self.now, channel, &frame, LossCause::Wire);
        }
        self.network.classes.control_lost[channel as usize] += 1;
        let unit = *self.network.units.get(id);
        match unit.kind {
            UnitKind::Control(ControlKind::Credit) => self.lose_credit(unit.leg),
            UnitKind::Control(ControlKind::Update) => self.lose_message(channel ^ 1, id),
            _ => {}
        }
        self.network.units.end_frame(id);
    }

    /// A frame is dropped in front of `channel`, or lost behind it.
    pub(crate) fn discard_frame(&mut self, channel: u32, id: u32, cause: LossCause) {
        if P::WATCHES {
            let frame = Frame::inside(&self.network, id, channel);
            self.probe
                .on_frame_dropped(self.now, channel, &frame, cause);
        }
        let network = &mut self.network;
        let frame = *network.units.get(id);
        let missed = network.count_missed(&frame);
        let place = network.classes.place(frame.flow());
        let losses = &mut network.classes.losses[place];
        losses.dropped += missed;
        losses.dropped_bytes += missed * u64::from(frame.bytes);
        let at = network.queue(channel, frame.class);
        network.classes.counts[at].drops.add(cause, 1);
        if frame.marks & PULLED != 0 {
            let flow = &mut network.classes.flows[place];
            flow.in_port[frame.way() as usize % 2] -= 1;
        }
        network.units.end_frame(id);
        if cause != LossCause::Wire {
            self.note_drop(channel, frame);
        }
        if frame.flow() >= self.network.classes.rows {
            self.note_member(frame.flow());
        }
    }
}
