//! Frames take effect: at stations, and at switches, which admit them and put them in a queue.

use alloc::vec::Vec;

use backwater_ends::stations::{Delivery, End};
use backwater_kernel::EventQueue;

use crate::classes::FrameFlow;
use crate::hop::kind::{ControlKind, UnitKind};
use crate::hop::unit::{ECT, MARKED, NONE, PULLED, TELEMETRY, Unit};
use crate::hop::wire::Channel;
use crate::network::Network;
use crate::outcome::LossCause;
use crate::probe::{Frame, Probe};
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The first frame on a wire takes effect.
    #[inline]
    pub(crate) fn deliver_frame(&mut self, channel_id: u32) {
        let network = &mut self.network;
        let channel = &mut network.channels[channel_id as usize];
        let Some(id) = channel.wire.take(&network.units) else {
            return;
        };
        let is_to_station = channel.is(Channel::TO_HOST);
        let unit = network.units.get_mut(id);
        // Read once: what is known here is not asked of the memory again.
        let frame = *unit;
        let account = match frame.is_control() {
            true => NONE,
            false => network.classes.lane(channel_id, &frame),
        };
        unit.set_account(account);
        if frame.is_lost {
            return self.lose_frame(channel_id, id);
        }
        if P::WATCHES {
            let frame = Frame::inside(&self.network, id, channel_id);
            self.probe.on_frame_arrival(self.now, channel_id, &frame);
        }
        match frame.kind {
            UnitKind::Control(ControlKind::Stop) => self.take_control(channel_id, id),
            UnitKind::Control(kind) => self.take_credit_control(channel_id, id, kind),
            UnitKind::Data | UnitKind::ForwardRm | UnitKind::BackwardRm => match is_to_station {
                true => self.consume_frame(id, &frame),
                false => self.admit((channel_id, account), id, &frame),
            },
        }
    }

    /// A frame has come to its station.
    #[inline]
    fn consume_frame(&mut self, id: u32, frame: &Unit) {
        let network = &mut self.network;
        let (flow_id, is_forward) = (frame.flow(), frame.is_forward());
        let place = network.classes.place(flow_id) as u32;
        let flow = &mut network.classes.flows[place as usize];
        flow.delivered += 1;
        flow.delivered_bytes += u64::from(frame.bytes);
        if flow.is(FrameFlow::MULTICAST) {
            return self.consume_copy(id);
        }
        let is_marked = frame.marks & MARKED != 0;
        if is_marked {
            network.classes.losses[place as usize].marked += 1;
        }
        let (payload, born) = (network.units.payload(id), network.units.born(id));
        // What switches wrote goes over from a packet to its acknowledgement.
        let path = match frame.marks & TELEMETRY {
            0 => Vec::new(),
            _ => network.units.take_path(id),
        };
        if P::WATCHES {
            let frame = Frame::inside(&self.network, id, NONE);
            self.probe.on_frame_delivered(self.now, &frame);
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
        self.by_class.path = path;
        if P::WATCHES && bytes > 0 {
            self.probe.on_payload(self.now, flow_id, is_forward, bytes);
        }
        if !self.by_class.outgoing.is_empty() {
            self.send_outgoing();
        }
        let end = match is_forward {
            true => End::Answerer,
            false => End::Opener,
        };
        self.arm((flow_id, place), end);
    }

    /// A frame that came over `input`, in the lane `account`, is admitted to the queue in front of
    /// its next channel, or dropped; or it goes several ways from here.
    #[inline(always)]
    fn admit(&mut self, (input, account): (u32, u32), id: u32, frame: &Unit) {
        let channel = self.network.classes.routes.channel(frame);
        let Some(out) = self.network.channels.get(channel as usize) else {
            return self.admit_copies((input, account), id);
        };
        let (node_id, tripped) = (out.from, out.tripped);
        if out.is_to_rest(self.now) {
            self.rest(channel);
        }
        let (bytes, class) = (u64::from(frame.bytes), frame.class);
        let is_ect = frame.marks & ECT != 0;
        let classes = &mut self.network.classes;
        let at = classes.queue(channel, class);
        let queue = &classes.queues[at];
        let (is_full, marks) = (
            queue.bytes + bytes > queue.limit_bytes,
            queue.marks && is_ect,
        );
        let node = &mut classes.nodes[node_id as usize];
        let counts_inputs = node.counts_inputs;
        let detects_queues = node.lossless & 1 << class != 0 && !node.detects_inputs;
        // What finds no room was sent all the same.
        if node.has_time_out {
            self.network.note_arrival(self.now, input, frame);
        }
        if is_full {
            return self.turn_away(account, channel, id, LossCause::QueueFull);
        }
        if tripped & 1 << class != 0 && self.drops_all(channel, class) {
            return self.turn_away(account, channel, id, LossCause::Watchdog);
        }
        let mut stops = false;
        if counts_inputs {
            match self.enter_account(node_id, account, at, bytes) {
                Ok(is_above) => stops = is_above,
                Err(cause) => return self.turn_away(account, channel, id, cause),
            }
        }
        if marks {
            let held = self.network.classes.queues[at].bytes;
            self.mark_frame(at, id, held);
        }
        self.join_queue(channel, id, (at, class, bytes));
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
    pub(crate) fn join(&mut self, channel_id: u32, id: u32) {
        if self.network.channels[channel_id as usize].is_to_rest(self.now) {
            self.rest(channel_id);
        }
        let frame = self.network.units.get(id);
        let (bytes, class) = (u64::from(frame.bytes), frame.class);
        let at = self.network.queue(channel_id, class);
        self.join_queue(channel_id, id, (at, class, bytes));
    }

    /// The same, where the last bit before it was taken note of; with the place of the queue, and
    /// what is known of the frame.
    #[inline(always)]
    fn join_queue(&mut self, channel_id: u32, id: u32, (at, class, bytes): (usize, u8, u64)) {
        let Network {
            channels,
            classes,
            units,
            ..
        } = &mut self.network;
        let queue = &mut classes.queues[at];
        queue.add(self.now, bytes);
        let held = queue.bytes;
        let channel = &mut channels[channel_id as usize];
        let (has_event, kind) = (channel.has_event, channel.kind);
        let bit = 1 << class;
        let is_stuck = channel.held() & bit != 0 && channel.stopped() & bit != 0;
        if classes.lanes.is_empty() {
            queue.push(units, id);
            channel.waiting |= 1 << class;
        } else {
            self.join_lane(channel_id, id);
        }
        if kind & (Channel::CREDITS | Channel::SCHEDULED) != 0 {
            self.note_join(channel_id, id, at);
        }
        if !has_event {
            self.wake_port(channel_id);
        }
        if is_stuck && self.network.classes.queues[at].frames == 1 {
            self.note_stuck(channel_id, class);
        }
        if P::WATCHES && kind & Channel::WATCHED != 0 {
            let frame = Frame::inside(&self.network, id, channel_id);
            self.probe
                .on_frame_joined(self.now, channel_id, &frame, held);
        }
    }

    /// A frame that was sent over `channel` never arrived.
    #[cold]
    fn lose_frame(&mut self, channel: u32, id: u32) {
        if !self.network.units.get(id).is_control() {
            return self.discard_frame(channel, id, LossCause::Wire);
        }
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
