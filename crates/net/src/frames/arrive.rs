//! Frames take effect: at stations, and at switches, which admit them and put them in a queue.
//!
//! Arrivals of one instant at a switch go in the order of a hash, so that no port is favoured by
//! its number.

use alloc::vec::Vec;

use backwater_ends::stations::{Delivery, End};
use backwater_kernel::{EventQueue, TraceHash};

use crate::classes::routes::spreading::OPEN;
use crate::classes::run::ByClass;
use crate::classes::shape::{
    ANYTHING, CREDIT, ERRORS, Has, LANES, MARKS, MESSAGES, MULTICAST, OUTPUTS, PAIRS, SCHEDULERS,
    TABLES, TCP, TIME_OUT, WATCHDOGS, may,
};
use crate::classes::{FrameFlow, Slot};
use crate::hop::kind::{ControlKind, UnitKind};
use crate::hop::unit::{ECT, MARKED, NONE, PULLED, TELEMETRY, Unit};
use crate::hop::wire::Channel;
use crate::network::Network;
use crate::outcome::LossCause;
use crate::probe::{Frame, Probe};
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// Arrivals, node by node: sorted first, then worked off. Those at a host take their turn,
    /// those at a switch stand among those of this instant.
    #[inline(always)]
    pub(crate) fn work_off_arrivals<const HAS: Has>(&mut self) {
        let mut node = NONE;
        while let Some((first, mut slots)) = self.due.deliveries.take_word() {
            while slots != 0 {
                self.events_handled += 1;
                let slot = first + slots.trailing_zeros();
                slots &= slots - 1;
                let Slot { channel, switch } = self.network.classes.slots[slot as usize];
                if switch == NONE {
                    self.by_class.arrivals.push(channel);
                    continue;
                }
                if switch != node {
                    node = switch;
                    self.disperse();
                }
                self.by_class.crowd.push((0, channel));
            }
        }
        self.disperse();
        let mut arrivals = core::mem::take(&mut self.by_class.arrivals);
        for channel in &arrivals {
            let woken = self.deliver_frame::<HAS>(*channel);
            if woken != NONE {
                self.wake_port(woken);
            }
        }
        arrivals.clear();
        self.by_class.arrivals = arrivals;
    }

    /// The arrivals at one switch take their turns.
    #[inline(always)]
    fn disperse(&mut self) {
        if P::FORWARDS {
            self.note_tie();
        }
        let crowd = &mut self.by_class.crowd;
        match crowd[..] {
            [] => {}
            [(_, only)] => {
                crowd.clear();
                self.by_class.arrivals.push(only);
            }
            _ => self.disperse_several(),
        }
    }

    /// In the order of a hash.
    #[inline(never)]
    fn disperse_several(&mut self) {
        let ByClass {
            crowd, arrivals, ..
        } = &mut self.by_class;
        let mut instant = TraceHash::new();
        instant.add(self.seed);
        instant.add(self.now.0);
        for (key, channel) in crowd.iter_mut() {
            let mut hash = instant;
            hash.add(u64::from(*channel));
            *key = hash.value();
        }
        crowd.sort_unstable();
        arrivals.extend(crowd.drain(..).map(|(_, channel)| channel));
    }

    /// The first frame on a wire takes effect. Which port has to choose for that; [`NONE`] if none.
    #[inline(always)]
    pub(crate) fn deliver_frame<const HAS: Has>(&mut self, channel_id: u32) -> u32 {
        let network = &mut self.network;
        let channel = &mut network.channels[channel_id as usize];
        if channel.wire.len == 0 {
            return NONE;
        }
        let (id, unit) = channel.wire.take_first(&mut network.units);
        // For the queue that it will join.
        unit.next = NONE;
        if unit.is_control() {
            self.deliver_control(channel_id, id);
            return NONE;
        }
        let account = network.classes.lane_in::<HAS>(channel_id, unit);
        unit.set_account(account);
        // Read once: what is known here is not asked of the memory again.
        let frame = *unit;
        let (is_to_station, node) = (channel.is(Channel::TO_HOST), channel.to);
        if may(HAS, ERRORS) && frame.is_lost {
            self.discard_frame(channel_id, id, LossCause::Wire);
            return NONE;
        }
        if P::WATCHES {
            let frame = Frame::of(&self.network, (id, &frame), channel_id);
            self.probe.on_frame_arrival(self.now, channel_id, &frame);
        }
        if is_to_station {
            self.consume_frame::<HAS>(id, &frame);
            return NONE;
        }
        self.admit::<HAS>((channel_id, node), id, &frame)
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

    /// A frame that came over `input` to a node is admitted to the queue in front of its next
    /// channel, or dropped; or it goes several ways from here. Which port has to choose for that.
    #[inline(always)]
    fn admit<const HAS: Has>(
        &mut self,
        (input, node_id): (u32, u32),
        id: u32,
        frame: &Unit,
    ) -> u32 {
        let channel = match may(HAS, TABLES) && frame.hop() == OPEN {
            true => self.choose_port(node_id, id, frame),
            false => self.network.classes.routes.channel(frame),
        };
        let Some(out) = self.network.channels.get(channel as usize) else {
            match self.network.classes.nodes[node_id as usize].is_switch {
                true => self.admit_copies((input, frame.account()), id),
                // A station that forwards other frames.
                false => self.consume_frame::<HAS>(id, frame),
            }
            return NONE;
        };
        let tripped = out.tripped;
        if out.is_to_rest(self.now) {
            self.rest::<HAS>(channel);
        }
        let (bytes, class, account) = (u64::from(frame.bytes), frame.class, frame.account());
        let classes = &mut self.network.classes;
        let at = classes.queue_in::<HAS>(channel, class);
        let queue = &classes.queues[at];
        let is_full = queue.bytes + bytes > queue.limit_bytes;
        let marks = may(HAS, MARKS) && queue.marks && frame.marks & ECT != 0;
        // What finds no room was sent all the same.
        if may(HAS, TIME_OUT) && classes.nodes[node_id as usize].has_time_out {
            self.network.note_arrival(self.now, input, frame);
        }
        if is_full {
            return self.find_full((input, node_id), channel, id);
        }
        if may(HAS, WATCHDOGS) && tripped & 1 << class != 0 && self.drops_all(channel, class) {
            return self.turn_away(account, channel, id, LossCause::Watchdog);
        }
        let stops = match self.enter_account::<HAS>(node_id, account, at, bytes) {
            Ok(is_above) => is_above,
            Err(cause) => return self.turn_away(account, channel, id, cause),
        };
        if marks {
            let held = self.network.classes.queues[at].bytes;
            self.mark_frame(at, id, held);
        }
        let chooses = self.join_queue::<HAS>(channel, id, frame);
        if stops {
            self.stop_account(node_id, account);
        }
        if may(HAS, OUTPUTS) && self.network.classes.nodes[node_id as usize].detects_queues(class) {
            self.detect_at_queue(input, channel, class, id);
        }
        match chooses {
            true => channel,
            false => NONE,
        }
    }

    /// The channel by which a frame leaves `node`, which chooses it now.
    #[inline(never)]
    fn choose_port(&mut self, node: u32, id: u32, frame: &Unit) -> u32 {
        let to = self.network.destination(frame);
        for at in 0..self.network.classes.choices(node, to).len() {
            let channel = self.network.classes.choices(node, to)[at];
            if self.network.channels[channel as usize].is_to_rest(self.now) {
                self.rest::<ANYTHING>(channel);
            }
        }
        let Network { classes, units, .. } = &mut self.network;
        let way = (frame.way(), units.number_of(id));
        let channel = classes.choose_port((node, to), way, self.now);
        units.get_mut(id).set_hop(channel);
        channel
    }

    /// A frame that came over an input to a node finds its queue in front of `channel` full: a
    /// header may be left of it. Which port has to choose for that.
    #[cold]
    #[inline(never)]
    fn find_full(&mut self, (input, node): (u32, u32), channel: u32, id: u32) -> u32 {
        let account = self.network.units.get(id).account();
        match self.trim(input, channel, id) {
            Some(header) => self.admit::<ANYTHING>((input, node), id, &header),
            None => self.turn_away(account, channel, id, LossCause::QueueFull),
        }
    }

    /// A frame that `account` was to hold finds no room in front of `channel`.
    #[cold]
    fn turn_away(&mut self, account: u32, channel: u32, id: u32, cause: LossCause) -> u32 {
        let bytes = u64::from(self.network.units.get(id).bytes);
        self.count_refused(account, bytes);
        self.discard_frame(channel, id, cause);
        NONE
    }

    /// A frame joins the queue of its class in front of a channel, which may have to choose.
    #[inline(always)]
    pub(crate) fn join<const HAS: Has>(&mut self, channel_id: u32, id: u32) {
        if self.network.channels[channel_id as usize].is_to_rest(self.now) {
            self.rest::<HAS>(channel_id);
        }
        let frame = *self.network.units.get(id);
        if self.join_queue::<HAS>(channel_id, id, &frame) {
            self.wake_port(channel_id);
        }
    }

    /// The same, where the last bit before it was taken note of. Has the port to choose for that?
    #[inline(always)]
    pub(crate) fn join_queue<const HAS: Has>(
        &mut self,
        channel_id: u32,
        id: u32,
        frame: &Unit,
    ) -> bool {
        let (bytes, class) = (u64::from(frame.bytes), frame.class);
        let network = &mut self.network;
        let at = network.classes.queue_in::<HAS>(channel_id, class);
        let queue = &mut network.classes.queues[at];
        queue.add(self.now, bytes);
        let (held, is_first) = (queue.bytes, queue.frames == 0);
        let channel = &mut network.channels[channel_id as usize];
        let (has_event, kind) = (channel.has_event, channel.kind);
        let bit = 1 << class;
        let is_stuck = may(HAS, WATCHDOGS)
            && is_first
            && channel.held() & bit != 0
            && channel.stopped() & bit != 0;
        if !may(HAS, LANES) || network.classes.lanes.is_empty() {
            queue.push(&mut network.units, id);
            channel.waiting |= bit;
        } else {
            self.join_lane(channel_id, id);
        }
        if may(HAS, CREDIT | SCHEDULERS) && kind & (Channel::CREDITS | Channel::SCHEDULED) != 0 {
            self.note_join(channel_id, id, at);
        }
        if is_stuck {
            self.note_stuck(channel_id, class);
        }
        if P::WATCHES && kind & Channel::WATCHED != 0 {
            let frame = Frame::inside(&self.network, id, channel_id);
            self.probe
                .on_frame_joined(self.now, channel_id, &frame, held);
        }
        !has_event
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
