//! Ports choose, frames start and leave.

use backwater_ends::application::Payload;
use backwater_kernel::{Event, EventQueue, Phase};

use crate::classes::routes::Routes;
use crate::classes::routes::spreading::OPEN;
use crate::classes::shape::{
    ANYTHING, CREDIT, CUT_THROUGH, Has, INPUTS, LANES, MARKS, OUTPUTS, PAIRS, PARTS, SCHEDULERS,
    TABLES, WATCHDOGS, may,
};
use crate::frames::start::{Started, launch};
use crate::hop::kind::ControlKind;
use crate::hop::unit::NONE;
use crate::hop::wire::{Channel, Ticket};
use crate::network::Network;
use crate::probe::{Frame, Probe};
use crate::simulation::Simulation;
use crate::spec::frames::{FRAME_LEAST_BYTES, WIRE_OVERHEAD_BYTES, wire_bytes};

/// What of a frame must be there before a switch that cuts through sends it on, with preamble and
/// gap.
const HEADER_BYTES: u32 = FRAME_LEAST_BYTES + WIRE_OVERHEAD_BYTES;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// An idle port starts what goes next, if anything may.
    #[inline(always)]
    pub(crate) fn choose<const HAS: Has>(&mut self, channel_id: u32) {
        let channel = &mut self.network.channels[channel_id as usize];
        if may(HAS, SCHEDULERS) && channel.is(Channel::SCHEDULED) {
            return self.choose_scheduled(channel_id);
        }
        if channel.is_busy() {
            return self.choose_unless_sending(channel_id);
        }
        self.start_next::<HAS>(channel_id);
    }

    /// A port that may still be sending starts what goes next if it is not.
    #[inline(never)]
    fn choose_unless_sending(&mut self, channel_id: u32) {
        if !self.is_sending::<ANYTHING>(channel_id) {
            self.start_next::<ANYTHING>(channel_id);
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
        let asked = &mut self.network.classes.asked;
        if asked[channel_id as usize].yields {
            asked[channel_id as usize].yields = false;
            if self.network.has_ready_data(channel_id, self.now) {
                return None;
            }
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
        let acts = may(HAS, MARKS) && queue.acts_on_leave;
        let id = if is_sorted {
            queue.frames -= 1;
            self.take_from_lanes(channel_id, class)
        } else {
            let (id, _) = queue.take(units);
            if queue.chain.len == 0 {
                channels[channel_id as usize].waiting &= !(1 << class);
            }
            id
        };
        if acts {
            self.on_leave(channel_id, at, id);
        }
        id
    }

    /// What goes next from an idle port starts, if anything may.
    #[inline(always)]
    pub(crate) fn start_next<const HAS: Has>(&mut self, channel_id: u32) {
        match self.network.channels[channel_id as usize].has_control {
            true => self.start_beside_control(channel_id),
            false => self.start_ready::<HAS>(channel_id),
        }
    }

    /// The same where control frames wait.
    #[inline(never)]
    fn start_beside_control(&mut self, channel_id: u32) {
        if !self.start_next_control(channel_id) {
            self.start_ready::<ANYTHING>(channel_id);
        }
    }

    /// The frame of data that goes next starts, if any may.
    #[inline(always)]
    fn start_ready<const HAS: Has>(&mut self, channel_id: u32) {
        let now = self.now;
        let network = &mut self.network;
        let channel = &mut network.channels[channel_id as usize];
        let ready = channel.ready_classes();
        if ready == 0 {
            return;
        }
        let class = 31 - ready.leading_zeros() as u8;
        let at = network.classes.queue_in::<HAS>(channel_id, class);
        let queue = &mut network.classes.queues[at];
        let acts = may(HAS, MARKS) && queue.acts_on_leave;
        if acts || may(HAS, LANES | TABLES | CUT_THROUGH) {
            let id = self.take::<HAS>(channel_id, class);
            return self.start_frame::<HAS>(channel_id, id, false);
        }
        // The same with each thing looked up once.
        let (id, frame) = queue.take(&mut network.units);
        if queue.chain.len == 0 {
            channel.waiting &= !(1 << class);
        }
        frame.set_hop(frame.hop() + 1);
        let on_wire = (now, None, false);
        let started = launch::<HAS, P>(
            (channel_id, channel),
            (id, frame),
            &network.classes,
            on_wire,
        );
        self.note_start_of::<HAS>(channel_id, id, (started, false));
    }

    /// The first bit of a frame leaves: one of data, or a control frame.
    #[inline(always)]
    pub(crate) fn start_frame<const HAS: Has>(
        &mut self,
        channel_id: u32,
        id: u32,
        is_control: bool,
    ) {
        let effect_bytes = match is_control {
            true => None,
            false => self.send_on::<HAS>(channel_id, id),
        };
        let on_wire = (self.now, effect_bytes, is_control);
        let network = &mut self.network;
        let channel = &mut network.channels[channel_id as usize];
        let frame = network.units.get_mut(id);
        let started = launch::<HAS, P>(
            (channel_id, channel),
            (id, frame),
            &network.classes,
            on_wire,
        );
        self.note_start_of::<HAS>(channel_id, id, (started, is_control));
    }

    /// A frame is under way: it has its place on the wire and its events, and counts.
    #[inline(always)]
    fn note_start_of<const HAS: Has>(
        &mut self,
        channel_id: u32,
        id: u32,
        (started, is_control): (Started, bool),
    ) {
        let Started { way, kind, .. } = started;
        if let Some(last) = started.last {
            self.network.units.get_mut(last).next = id;
        }
        if P::WATCHES && kind & Channel::WATCHED != 0 {
            let frame = Frame::inside(&self.network, id, channel_id);
            self.probe.on_frame_start(self.now, channel_id, &frame);
        }
        let has_next = started.pulls && self.note_pulled::<HAS>(channel_id, way);
        self.unit_hops += 1;
        self.by_class.control_hops += u64::from(is_control);
        let place = u64::from(channel_id) << 32 | u64::from(way);
        let bytes = u64::from(started.bytes);
        self.hash.add(self.now.0 ^ bytes << 48, place);
        if P::FORWARDS {
            self.note_start(started.bytes, place);
        }
        if started.has_event || has_next {
            self.events
                .push(Event::new(started.free_at, Phase::Transmit, channel_id, 0));
        }
        let spends = may(HAS, CREDIT) && kind & Channel::CREDITS != 0 && !is_control;
        let lane = spends.then(|| self.network.lane_of(channel_id, id));
        // An event for each frame: so long after now as after the start of every frame of its size.
        match may(HAS, PARTS) && kind & Channel::CROSSES != 0 {
            false => self
                .events
                .push(Event::new(started.effect, Phase::Deliver, started.slot, 0)),
            true => self.send_across(channel_id, id),
        }
        if let Some(lane) = lane {
            self.spend_credit(channel_id, lane, bytes, started.effect);
        }
    }

    /// A frame of data is about to start: it has its next hop. With how many bytes it takes effect,
    /// if not with its last.
    #[inline(always)]
    fn send_on<const HAS: Has>(&mut self, channel_id: u32, id: u32) -> Option<u64> {
        let network = &mut self.network;
        let (units, classes) = (&mut network.units, &network.classes);
        let frame = units.get_mut(id);
        match &classes.routes {
            Routes::Tables(tables) if may(HAS, TABLES) => {
                let (way, node) = (frame.way(), network.channels[channel_id as usize].to);
                let flow = &classes.flows[classes.place_in::<HAS>(way / 2) as usize];
                let to = flow.ends(frame.is_forward()).1;
                let hop = tables.after(way, units.number_of(id), node, to);
                units.get_mut(id).set_hop(hop);
            }
            Routes::Paths { .. } | Routes::Tables(_) => frame.set_hop(frame.hop() + 1),
        }
        let cuts = may(HAS, CUT_THROUGH)
            && network.channels[channel_id as usize].is(Channel::CUTS_THROUGH);
        (cuts && self.can_cut_through(channel_id, id)).then_some(HEADER_BYTES.into())
    }

    /// A frame starts whose port asks for the next one of its way, when none is left there: at
    /// once, so that it is known whether anybody waits for the last bit of this one. Where what
    /// waits matters to more than the port itself, ports ask when all have chosen. Is there one?
    #[inline(always)]
    fn note_pulled<const HAS: Has>(&mut self, channel_id: u32, way: u32) -> bool {
        let (channels, classes) = (&mut self.network.channels, &mut self.network.classes);
        let place = classes.place_in::<HAS>(way / 2);
        let waiting = &mut classes.flows[place as usize].in_port[way as usize % 2];
        *waiting -= 1;
        if *waiting > 0 {
            return false;
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
            self.by_class.pulled.push(way);
            return false;
        }
        let Some((bytes, number)) = classes.stations.pull_datagram(place) else {
            // What messages send tells others that wait for them.
            if classes.stations.has_messages_in_datagrams(place) {
                self.by_class.pulled.push(way);
            }
            return false;
        };
        // The port has chosen already.
        channel.has_event = true;
        let payload = Payload::Udp { bytes, number };
        let id = self.make_frame::<HAS>((way / 2, place), true, None, &payload);
        let frame = *self.network.units.get(id);
        if P::WATCHES {
            let seen = Frame::of(&self.network, (id, &frame), channel_id);
            self.probe.on_frame_created(self.now, channel_id, &seen);
        }
        self.join_queue::<HAS>(channel_id, id, &frame);
        true
    }

    fn can_cut_through(&self, channel_id: u32, id: u32) -> bool {
        let network = &self.network;
        let rate = network.channels[channel_id as usize].rate;
        let next = network.classes.routes.channel(network.units.get(id));
        match network.channels.get(next as usize) {
            Some(next) => next.rate <= rate,
            None if next == NONE => false,
            // It is chosen as the frame comes: all must be so.
            None if next == OPEN => {
                let node = network.channels[channel_id as usize].to;
                let to = network.destination(network.units.get(id));
                let mut ways = network.classes.choices(node, to).iter();
                ways.all(|next| network.channels[*next as usize].rate <= rate)
            }
            // Of several ways all must be so.
            None => {
                let mut ways = network.branches_of(next);
                ways.all(|(_, next)| network.channels[next as usize].rate <= rate)
            }
        }
    }

    /// The last bit left before, when nobody needed to know.
    #[inline(never)]
    pub(crate) fn rest<const HAS: Has>(&mut self, channel_id: u32) {
        self.finish_sending::<HAS>(channel_id);
    }

    /// The last bit has left. Does anything wait for the port?
    #[inline(always)]
    pub(crate) fn finish_sending<const HAS: Has>(&mut self, channel_id: u32) -> bool {
        let network = &mut self.network;
        let (channels, classes) = (&mut network.channels, &mut network.classes);
        let channel = &mut channels[channel_id as usize];
        let (bytes, account) = (u64::from(channel.sent_bytes), channel.sent_account);
        let (class, node, kind) = (channel.sent_class, channel.from, channel.kind);
        let at = channel.free_at;
        channel.has_event = false;
        if channel.sends_control() {
            return self.note_control_sent(channel_id);
        }
        channel.sent_bytes = 0;
        let has_more = channel.waiting != 0 || channel.has_control;
        let queue_id = classes.queue_in::<HAS>(channel_id, class);
        let queue = &mut classes.queues[queue_id];
        queue.sub(at, bytes);
        queue.sent += 1;
        queue.sent_bytes += bytes;
        let held = queue.bytes;
        let clears = may(HAS, OUTPUTS) && queue.is_congested && held < queue.low_bytes;
        // What the node made itself is in no account.
        if may(HAS, INPUTS) && account != NONE {
            self.leave_account::<HAS>(node, account, bytes);
        }
        if clears && kind & Channel::FROM_HOST == 0 {
            self.end_congestion(channel_id, class);
        }
        if P::WATCHES && kind & Channel::WATCHED != 0 {
            self.probe.on_frame_sent(at, channel_id, class, held);
        }
        has_more
    }

    /// The last bit of a control frame has left. Does anything wait for the port?
    #[inline(never)]
    fn note_control_sent(&mut self, channel_id: u32) -> bool {
        let channel = &mut self.network.channels[channel_id as usize];
        let bytes = core::mem::take(&mut channel.sent_bytes);
        self.network.classes.control_sent[channel_id as usize] += 1;
        let on_wire = u64::from(wire_bytes(bytes));
        self.network.classes.control_bytes[channel_id as usize] += on_wire;
        self.hand_over_next(channel_id);
        let channel = &self.network.channels[channel_id as usize];
        channel.waiting != 0 || channel.has_control
    }
}

impl Network {
    /// The lane in which a frame crosses a channel.
    fn lane_of(&self, channel: u32, id: u32) -> u32 {
        self.classes.lane(channel, self.units.get(id))
    }

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
