//! Ports choose, frames start and leave.

use backwater_ends::application::Payload;
use backwater_kernel::{Event, EventQueue, Phase, Time};

use crate::classes::Classes;
use crate::classes::routes::Routes;
use crate::classes::shape::{
    ANYTHING, CREDIT, CUT_THROUGH, ERRORS, Has, INPUTS, LANES, MARKS, OUTPUTS, PAIRS, PARTS,
    SCHEDULERS, TABLES, WATCHDOGS, may,
};
use crate::hop::kind::ControlKind;
use crate::hop::unit::{NONE, PULLED};
use crate::hop::wire::{Channel, Ticket};
use crate::network::Network;
use crate::probe::{Frame, Probe};
use crate::simulation::Simulation;
use crate::spec::frames::{FRAME_LEAST_BYTES, WIRE_OVERHEAD_BYTES, wire_bytes};

/// What of a frame must be there before a switch that cuts through sends it on, with preamble and
/// gap.
const HEADER_BYTES: u32 = FRAME_LEAST_BYTES + WIRE_OVERHEAD_BYTES;

/// What is known of a frame that starts, and of its port.
struct Started {
    bytes: u32,
    class: u8,
    way: u32,
    kind: u8,
    /// Its port may ask for the next of its way.
    pulls: bool,
    /// The lane whose credit it takes.
    lane: Option<u32>,
    effect: Time,
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// An idle port starts what goes next, if anything may.
    #[inline(always)]
    pub(crate) fn choose<const HAS: Has>(&mut self, channel_id: u32) {
        let channel = &mut self.network.channels[channel_id as usize];
        if may(HAS, SCHEDULERS) && channel.is(Channel::SCHEDULED) {
            return self.choose_scheduled(channel_id);
        }
        if channel.is_busy() && self.is_sending::<HAS>(channel_id) {
            return;
        }
        let channel = &self.network.channels[channel_id as usize];
        if channel.has_control && self.start_next_control(channel_id) {
            return;
        }
        let ready = self.network.channels[channel_id as usize].ready_classes();
        if ready != 0 {
            let id = self.take::<HAS>(channel_id, 31 - ready.leading_zeros() as u8);
            self.start_frame::<HAS>(channel_id, id, false);
        }
    }

    /// Is a frame being sent? Then there is an event for its last bit.
    #[inline(always)]
    pub(crate) fn is_sending<const HAS: Has>(&mut self, channel_id: u32) -> bool {
        let channel = &mut self.network.channels[channel_id as usize];
        if !channel.is_busy() {
            return false;
        }
        if channel.has_event {
            return true;
        }
        if channel.free_at > self.now {
            channel.has_event = true;
            let event = Event::new(channel.free_at, Phase::Transmit, channel_id, 0);
            self.events.push(event);
            return true;
        }
        self.rest::<HAS>(channel_id);
        false
    }

    /// Some control frames wait: the one that waits longest starts, unless it has nothing to say
    /// any more.
    #[inline(never)]
    pub(crate) fn start_next_control(&mut self, channel_id: u32) -> bool {
        match self.next_control(channel_id) {
            Some(id) => {
                self.start_frame::<ANYTHING>(channel_id, id, true);
                true
            }
            None => false,
        }
    }

    /// The control frame that waits longest, ready to start.
    pub(crate) fn next_control(&mut self, channel_id: u32) -> Option<u32> {
        if !self.network.channels[channel_id as usize].has_control {
            return None;
        }
        let yields = core::mem::take(&mut self.network.classes.asked[channel_id as usize].yields);
        if yields && self.network.has_ready_data(channel_id, self.now) {
            return None;
        }
        loop {
            let ticket = match self.network.channels[channel_id as usize].has_patient() {
                true => self.next_beside_patient(channel_id),
                false => self.network.channels[channel_id as usize].pop_control(),
            }?;
            let started = match ticket.kind {
                ControlKind::Stop => self.start_stop(channel_id, ticket),
                ControlKind::Update | ControlKind::Statement => self.make_message(ticket),
                _ => Some(self.make_control(ticket)),
            };
            if started.is_some() {
                return started;
            }
        }
    }

    /// The control frame that goes next where one waits until there is nothing else to send.
    #[cold]
    fn next_beside_patient(&mut self, channel_id: u32) -> Option<Ticket> {
        let other = self.network.channels[channel_id as usize].pop_impatient();
        if other.is_some() || self.network.has_ready_data(channel_id, self.now) {
            return other;
        }
        self.network.channels[channel_id as usize].pop_control()
    }

    /// Takes the frame of a class that goes next out of its queue.
    #[inline(always)]
    pub(crate) fn take<const HAS: Has>(&mut self, channel_id: u32, class: u8) -> u32 {
        let Network {
            channels,
            classes,
            units,
            ..
        } = &mut self.network;
        let at = classes.queue_in::<HAS>(channel_id, class);
        let is_sorted = may(HAS, LANES) && classes.sorted(at).is_some();
        let queue = &mut classes.queues[at];
        queue.frames -= 1;
        let acts = may(HAS, MARKS) && queue.acts_on_leave;
        let id = if is_sorted {
            self.take_from_lanes(channel_id, class)
        } else {
            let id = queue.chain.take(units);
            if queue.chain.len == 0 {
                channels[channel_id as usize].waiting &= !(1 << class);
            }
            id.unwrap_or(NONE)
        };
        if acts {
            self.on_leave(channel_id, at, id);
        }
        id
    }

    /// The first bit of a frame leaves: one of data, or a control frame.
    #[inline(always)]
    pub(crate) fn start_frame<const HAS: Has>(
        &mut self,
        channel_id: u32,
        id: u32,
        is_control: bool,
    ) {
        let started = self.put_on_wire::<HAS>(channel_id, id, is_control);
        let Started {
            kind, class, way, ..
        } = started;
        if P::WATCHES && kind & Channel::WATCHED != 0 {
            let frame = Frame::inside(&self.network, id, channel_id);
            self.probe.on_frame_start(self.now, channel_id, &frame);
        }
        if started.pulls {
            self.note_pulled::<HAS>(channel_id, id, way);
        }
        self.unit_hops += 1;
        self.by_class.control_hops += u64::from(is_control);
        let place = u64::from(channel_id) << 32 | u64::from(way);
        let bytes = u64::from(started.bytes);
        self.hash.add(self.now.0 ^ bytes << 48, place);
        if P::FORWARDS {
            self.note_start(started.bytes, place);
        }
        let Network {
            channels, classes, ..
        } = &mut self.network;
        let channel = &mut channels[channel_id as usize];
        let has_event = P::WATCHES && kind & Channel::WATCHED != 0
            || channel.waiting != 0
            || channel.has_control
            || classes.counts_on_last_bit::<HAS>(channel_id, channel.from, class, is_control);
        channel.has_event = has_event;
        let (free_at, slot) = (channel.free_at, channel.slot);
        if has_event {
            self.events
                .push(Event::new(free_at, Phase::Transmit, channel_id, 0));
        }
        // An event for each frame: so long after now as after the start of every frame of its size.
        match may(HAS, PARTS) && kind & Channel::CROSSES != 0 {
            false => self
                .events
                .push(Event::new(started.effect, Phase::Deliver, slot, 0)),
            true => self.send_across(channel_id, id),
        }
        if let Some(lane) = started.lane {
            self.spend_credit(channel_id, lane, bytes, started.effect);
        }
    }

    /// The frame is under way, and the wire busy for as long as it takes.
    #[inline(always)]
    fn put_on_wire<const HAS: Has>(
        &mut self,
        channel_id: u32,
        id: u32,
        is_control: bool,
    ) -> Started {
        let now = self.now;
        let effect_bytes = match is_control {
            true => None,
            false => self.send_on::<HAS>(channel_id, id),
        };
        let Network {
            channels,
            classes,
            units,
            ..
        } = &mut self.network;
        let channel = &mut channels[channel_id as usize];
        let frame = units.get_mut(id);
        let bytes = frame.bytes;
        let busy = channel.span(u64::from(wire_bytes(bytes)));
        channel.free_at = now + busy;
        let effect = match effect_bytes {
            None => channel.free_at + channel.latency,
            Some(bytes) => now + channel.span(bytes) + channel.latency,
        };
        frame.arrived = effect;
        let spends = may(HAS, CREDIT) && channel.is(Channel::CREDITS) && !is_control;
        let lane = spends.then(|| classes.lane(channel_id, frame));
        if may(HAS, ERRORS) && channel.is(Channel::ERRORS) {
            frame.is_lost = channel.loses_frame(now, busy, is_control);
        }
        let started = Started {
            bytes,
            class: frame.class,
            way: frame.way(),
            kind: channel.kind,
            pulls: !is_control && frame.marks & PULLED != 0,
            lane,
            effect,
        };
        channel.sent_class = match is_control {
            true => Channel::CONTROL,
            false => frame.class,
        };
        channel.sent_bytes = bytes;
        channel.sent_account = frame.account();
        if !may(HAS, PARTS) || !channel.is(Channel::CROSSES) {
            frame.next = NONE;
            if let Some(last) = channel.wire.append(id) {
                units.get_mut(last).next = id;
            }
        }
        started
    }

    /// A frame of data is about to start: it has its next hop. With how many bytes it takes effect,
    /// if not with its last.
    #[inline(always)]
    fn send_on<const HAS: Has>(&mut self, channel_id: u32, id: u32) -> Option<u64> {
        let Network {
            channels,
            classes,
            units,
            ..
        } = &mut self.network;
        let frame = units.get_mut(id);
        match &classes.routes {
            Routes::Tables(tables) if may(HAS, TABLES) => {
                let (way, node) = (frame.way(), channels[channel_id as usize].to);
                let flow = &classes.flows[classes.place_in::<HAS>(way / 2) as usize];
                let to = flow.ends(frame.is_forward()).1;
                let hop = tables.after(way, units.number_of(id), node, to);
                units.get_mut(id).set_hop(hop);
            }
            Routes::Paths { .. } | Routes::Tables(_) => frame.set_hop(frame.hop() + 1),
        }
        let cuts = may(HAS, CUT_THROUGH) && channels[channel_id as usize].is(Channel::CUTS_THROUGH);
        (cuts && self.can_cut_through(channel_id, id)).then_some(HEADER_BYTES.into())
    }

    /// A frame starts whose port asks for the next one of its way, when none is left there: at
    /// once, so that it is known whether anybody waits for the last bit of this one. Where what
    /// waits matters to more than the port itself, ports ask when all have chosen.
    #[inline(always)]
    fn note_pulled<const HAS: Has>(&mut self, channel_id: u32, id: u32, way: u32) {
        let Network {
            channels,
            classes,
            units,
            ..
        } = &mut self.network;
        units.get_mut(id).marks &= !PULLED;
        let place = classes.place_in::<HAS>(way / 2);
        let waiting = &mut classes.flows[place as usize].in_port[way as usize % 2];
        *waiting -= 1;
        if *waiting > 0 {
            return;
        }
        let channel = &mut channels[channel_id as usize];
        // Who is told of each frame is told of all starts of an instant first.
        let is_seen = P::WATCHES && !P::IN_ALL_FORMS;
        let is_plain = !may(HAS, CREDIT | SCHEDULERS | WATCHDOGS | TABLES)
            || channel.kind & (Channel::CREDITS | Channel::SCHEDULED) == 0
                && channel.tripped == 0
                && matches!(classes.routes, Routes::Paths { .. })
                && classes.turns.is_none();
        let is_pair = may(HAS, PAIRS) && !classes.stations.has_datagrams(place);
        if is_seen || !is_plain || is_pair {
            return self.by_class.pulled.push(way);
        }
        let Some((bytes, number)) = classes.stations.pull_datagram(place) else {
            // What messages send tells others that wait for them.
            if classes.stations.has_messages_in_datagrams(place) {
                self.by_class.pulled.push(way);
            }
            return;
        };
        // The port has chosen already.
        channel.has_event = true;
        let payload = Payload::Udp { bytes, number };
        let id = self.make_frame((way / 2, place), true, None, &payload);
        if P::WATCHES {
            let frame = Frame::inside(&self.network, id, channel_id);
            self.probe.on_frame_created(self.now, channel_id, &frame);
        }
        let frame = self.network.units.get(id);
        let (bytes, class) = (u64::from(frame.bytes), frame.class);
        let at = self.network.classes.queue_in::<HAS>(channel_id, class);
        self.join_queue::<HAS>(channel_id, id, (at, class, bytes));
    }

    fn can_cut_through(&self, channel_id: u32, id: u32) -> bool {
        let network = &self.network;
        let rate = network.channels[channel_id as usize].rate;
        let next = network.classes.routes.channel(network.units.get(id));
        match network.channels.get(next as usize) {
            Some(next) => next.rate <= rate,
            None if next == NONE => false,
            // Of several ways all must be so.
            None => {
                let mut ways = network.branches_of(next);
                ways.all(|(_, next)| network.channels[next as usize].rate <= rate)
            }
        }
    }

    /// The event of a last bit.
    #[inline(always)]
    pub(crate) fn finish_sending<const HAS: Has>(&mut self, channel_id: u32) {
        self.note_last_bit::<HAS>(channel_id);
        let channel = &self.network.channels[channel_id as usize];
        if channel.waiting != 0 || channel.has_control {
            self.wake_port(channel_id);
        }
    }

    /// The last bit left before, when nobody needed to know.
    #[inline(never)]
    pub(crate) fn rest<const HAS: Has>(&mut self, channel_id: u32) {
        self.note_last_bit::<HAS>(channel_id);
    }

    /// The last bit has left.
    #[inline(always)]
    fn note_last_bit<const HAS: Has>(&mut self, channel_id: u32) {
        let Network {
            channels, classes, ..
        } = &mut self.network;
        let channel = &mut channels[channel_id as usize];
        let (bytes, account) = (u64::from(channel.sent_bytes), channel.sent_account);
        let (class, node, kind) = (channel.sent_class, channel.from, channel.kind);
        let at = channel.free_at;
        channel.has_event = false;
        if channel.sends_control() {
            return self.note_control_sent(channel_id);
        }
        channel.sent_bytes = 0;
        let queue_id = classes.queue_in::<HAS>(channel_id, class);
        let queue = &mut classes.queues[queue_id];
        queue.sub(at, bytes);
        queue.sent += 1;
        queue.sent_bytes += bytes;
        let held = queue.bytes;
        let clears = may(HAS, OUTPUTS) && queue.is_congested && held < queue.low_bytes;
        let is_from_switch = kind & Channel::FROM_HOST == 0;
        // What the switch made itself is in no account.
        if may(HAS, INPUTS)
            && is_from_switch
            && account != NONE
            && classes.nodes[node as usize].counts_inputs
        {
            self.leave_account::<HAS>(node, account, bytes);
        }
        if clears && is_from_switch {
            self.end_congestion(channel_id, class);
        }
        if P::WATCHES && kind & Channel::WATCHED != 0 {
            self.probe.on_frame_sent(at, channel_id, class, held);
        }
    }

    /// The last bit of a control frame has left.
    #[inline(never)]
    fn note_control_sent(&mut self, channel_id: u32) {
        let channel = &mut self.network.channels[channel_id as usize];
        let bytes = core::mem::take(&mut channel.sent_bytes);
        self.network.classes.control_sent[channel_id as usize] += 1;
        let on_wire = u64::from(wire_bytes(bytes));
        self.network.classes.control_bytes[channel_id as usize] += on_wire;
        self.hand_over_next(channel_id);
    }
}

impl Classes {
    /// Does anybody count on when the last bit of a frame leaves a node? Where not, and nothing
    /// waits, it needs no event: see `rest`.
    #[inline(always)]
    fn counts_on_last_bit<const HAS: Has>(
        &self,
        channel: u32,
        node: u32,
        class: u8,
        is_control: bool,
    ) -> bool {
        if is_control {
            return self.asked[channel as usize].on_wire.is_some();
        }
        let is_congested = || self.queues[self.queue_in::<HAS>(channel, class)].is_congested;
        may(HAS, INPUTS) && self.nodes[node as usize].counts_inputs
            || may(HAS, OUTPUTS) && is_congested()
    }
}

impl Network {
    /// The frame of a class that goes next, of those whose lane is not held back.
    pub(crate) fn next_frame(&self, channel: u32, class: u8) -> u32 {
        self.next_in_queue(self.queue(channel, class))
    }

    #[inline]
    pub(crate) fn next_in_queue(&self, at: usize) -> u32 {
        match self.classes.sorted(at) {
            None => self.classes.queues[at].chain.first(),
            Some(lanes) => {
                let next = lanes.next(&self.units);
                next.map_or(NONE, |lane| lanes.lanes[lane].chain.first())
            }
        }
    }
}
