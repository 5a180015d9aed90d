//! Ports choose, frames start and leave.

use backwater_kernel::{Event, EventQueue, Phase};

use crate::classes::Classes;
use crate::classes::routes::Routes;
use crate::hop::kind::ControlKind;
use crate::hop::unit::{NONE, PULLED};
use crate::hop::wire::Channel;
use crate::network::Network;
use crate::probe::{Frame, Probe};
use crate::simulation::Simulation;
use crate::spec::frames::{FRAME_LEAST_BYTES, WIRE_OVERHEAD_BYTES, wire_bytes};

/// What of a frame must be there before a switch that cuts through sends it on, with preamble and
/// gap.
const HEADER_BYTES: u32 = FRAME_LEAST_BYTES + WIRE_OVERHEAD_BYTES;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// An idle port starts what goes next, if anything may.
    #[inline]
    pub(crate) fn choose(&mut self, channel_id: u32) {
        if self.network.channels[channel_id as usize].is(Channel::SCHEDULED) {
            return self.choose_scheduled(channel_id);
        }
        if self.is_sending(channel_id) {
            return;
        }
        let id = match self.next_control(channel_id) {
            Some(id) => id,
            None => {
                let ready = self.network.channels[channel_id as usize].ready_classes();
                if ready == 0 {
                    return;
                }
                self.take(channel_id, 31 - ready.leading_zeros() as u8)
            }
        };
        self.start_frame(channel_id, id);
    }

    /// Is a frame being sent? Then there is an event for its last bit.
    #[inline(always)]
    pub(crate) fn is_sending(&mut self, channel_id: u32) -> bool {
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
        self.rest(channel_id);
        false
    }

    /// The control frame that waits longest, ready to start.
    #[inline(always)]
    pub(crate) fn next_control(&mut self, channel_id: u32) -> Option<u32> {
        match self.network.channels[channel_id as usize].has_control {
            true => self.next_of_controls(channel_id),
            false => None,
        }
    }

    /// The same, where some wait.
    #[inline(never)]
    fn next_of_controls(&mut self, channel_id: u32) -> Option<u32> {
        let yields = core::mem::take(&mut self.network.classes.asked[channel_id as usize].yields);
        if yields && self.network.has_ready_data(channel_id, self.now) {
            return None;
        }
        loop {
            let ticket = self.network.channels[channel_id as usize].pop_control()?;
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

    /// Takes the frame of a class that goes next out of its queue.
    #[inline(always)]
    pub(crate) fn take(&mut self, channel_id: u32, class: u8) -> u32 {
        let network = &mut self.network;
        let at = network.queue(channel_id, class);
        let is_sorted = network.classes.sorted(at).is_some();
        let queue = &mut network.classes.queues[at];
        queue.frames -= 1;
        if !is_sorted {
            let id = queue.chain.take(&network.units);
            let acts = queue.acts_on_leave;
            if queue.chain.len == 0 {
                network.channels[channel_id as usize].waiting &= !(1 << class);
            }
            let id = id.unwrap_or(NONE);
            if acts {
                self.on_leave(channel_id, at, id);
            }
            return id;
        }
        let acts = queue.acts_on_leave;
        let id = self.take_from_lanes(channel_id, class);
        if acts {
            self.on_leave(channel_id, at, id);
        }
        id
    }

    /// Its first bit leaves.
    #[inline(always)]
    pub(crate) fn start_frame(&mut self, channel_id: u32, id: u32) {
        let now = self.now;
        let effect_bytes = self.send_on(channel_id, id);
        let Network {
            channels,
            classes,
            units,
            ..
        } = &mut self.network;
        let channel = &mut channels[channel_id as usize];
        let frame = units.get_mut(id);
        let (bytes, class, way) = (frame.bytes, frame.class, frame.way());
        let is_control = frame.is_control();
        let busy = channel.span(u64::from(wire_bytes(bytes)));
        let free_at = now + busy;
        let effect = match effect_bytes {
            None => free_at + channel.latency,
            Some(bytes) => now + channel.span(bytes) + channel.latency,
        };
        frame.arrived = effect;
        let account = frame.account();
        let spends = channel.is(Channel::CREDITS) && !is_control;
        let lane = spends.then(|| classes.lane(channel_id, frame));
        if channel.is(Channel::ERRORS) {
            frame.is_lost = channel.loses_frame(now, busy, is_control);
        }
        if !channel.is(Channel::CROSSES) {
            frame.next = NONE;
            if let Some(last) = channel.wire.append(id) {
                units.get_mut(last).next = id;
            }
        }
        let has_event = P::WATCHES && channel.is(Channel::WATCHED)
            || channel.waiting != 0
            || channel.has_control
            || classes.counts_on_last_bit(channel_id, channel.from, class, is_control);
        channel.has_event = has_event;
        channel.sent_class = if is_control { Channel::CONTROL } else { class };
        channel.sent_bytes = bytes;
        channel.sent_account = account;
        channel.free_at = free_at;
        let (kind, slot) = (channel.kind, channel.slot);
        self.unit_hops += 1;
        self.by_class.control_hops += u64::from(is_control);
        let place = u64::from(channel_id) << 32 | u64::from(way);
        self.hash.add(now.0 ^ u64::from(bytes) << 48, place);
        if has_event {
            self.events
                .push(Event::new(free_at, Phase::Transmit, channel_id, 0));
        }
        // An event for each frame: so long after now as after the start of every frame of its size.
        if P::WATCHES && kind & Channel::WATCHED != 0 {
            let frame = Frame::inside(&self.network, id, channel_id);
            self.probe.on_frame_start(now, channel_id, &frame);
        }
        match kind & Channel::CROSSES {
            0 => self
                .events
                .push(Event::new(effect, Phase::Deliver, slot, 0)),
            _ => self.send_across(channel_id, id),
        }
        if let Some(lane) = lane {
            self.spend_credit(channel_id, lane, bytes.into(), effect);
        }
    }

    /// A frame is about to start: it has its next hop. With how many bytes it takes effect, if not
    /// with its last.
    #[inline(always)]
    fn send_on(&mut self, channel_id: u32, id: u32) -> Option<u64> {
        let Network {
            channels,
            classes,
            units,
            ..
        } = &mut self.network;
        let channel = &channels[channel_id as usize];
        let frame = units.get_mut(id);
        if frame.is_control() {
            return None;
        }
        let cuts = channel.is(Channel::CUTS_THROUGH);
        if frame.marks & PULLED != 0 {
            frame.marks &= !PULLED;
            let way = frame.way();
            let place = classes.place(way / 2);
            let waiting = &mut classes.flows[place].in_port[way as usize % 2];
            *waiting -= 1;
            if *waiting == 0 {
                self.by_class.pulled.push(way);
            }
        }
        match &classes.routes {
            Routes::Paths { .. } => frame.set_hop(frame.hop() + 1),
            Routes::Tables(tables) => {
                let (way, node) = (frame.way(), channel.to);
                let flow = &classes.flows[classes.place(way / 2)];
                let to = flow.ends(frame.is_forward()).1;
                let hop = tables.after(way, units.number_of(id), node, to);
                units.get_mut(id).set_hop(hop);
            }
        }
        (cuts && self.can_cut_through(channel_id, id)).then_some(HEADER_BYTES.into())
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
    pub(crate) fn finish_sending(&mut self, channel_id: u32) {
        self.note_last_bit(channel_id);
        let channel = &self.network.channels[channel_id as usize];
        if channel.waiting != 0 || channel.has_control {
            self.wake_port(channel_id);
        }
    }

    /// The last bit left before, when nobody needed to know.
    #[inline(never)]
    pub(crate) fn rest(&mut self, channel_id: u32) {
        self.note_last_bit(channel_id);
    }

    /// The last bit has left.
    #[inline(always)]
    fn note_last_bit(&mut self, channel_id: u32) {
        let network = &mut self.network;
        let channel = &mut network.channels[channel_id as usize];
        let (bytes, account) = (u64::from(channel.sent_bytes), channel.sent_account);
        let (is_control, class) = (channel.sends_control(), channel.sent_class);
        let (from_station, node) = (channel.is(Channel::FROM_HOST), channel.from);
        let is_watched = channel.is(Channel::WATCHED);
        let at = channel.free_at;
        channel.sent_bytes = 0;
        channel.has_event = false;
        if is_control {
            network.classes.control_sent[channel_id as usize] += 1;
            let on_wire = wire_bytes(bytes as u32);
            network.classes.control_bytes[channel_id as usize] += u64::from(on_wire);
            return self.hand_over_next(channel_id);
        }
        let queue_id = network.queue(channel_id, class);
        let queue = &mut network.classes.queues[queue_id];
        queue.sub(at, bytes);
        queue.sent += 1;
        queue.sent_bytes += bytes;
        let (held, clears) = (
            queue.bytes,
            queue.is_congested && queue.bytes < queue.low_bytes,
        );
        if !from_station {
            // What the switch made itself is in no account.
            if network.classes.nodes[node as usize].counts_inputs && account != NONE {
                self.leave_account(node, account, bytes);
            }
            if clears {
                self.end_congestion(channel_id, class);
            }
        }
        if P::WATCHES && is_watched {
            self.probe.on_frame_sent(at, channel_id, class, held);
        }
    }
}

impl Classes {
    /// Does anybody count on when the last bit of a frame leaves a node? Where not, and nothing
    /// waits, it needs no event: see `rest`.
    #[inline(always)]
    fn counts_on_last_bit(&self, channel: u32, node: u32, class: u8, is_control: bool) -> bool {
        match is_control {
            true => self.asked[channel as usize].on_wire.is_some(),
            false => {
                self.nodes[node as usize].counts_inputs
                    || self.queues[self.queue(channel, class)].is_congested
            }
        }
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
