//! A frame starts: it goes on the wire, its source is asked for the next one, and what comes of it
//! gets its events.

use backwater_ends::application::Payload;
use backwater_kernel::{Event, EventQueue, Phase, Time};

use crate::classes::Classes;
use crate::classes::routes::Routes;
use crate::classes::shape::{
    ANYTHING, CREDIT, CUT_THROUGH, ERRORS, Has, INPUTS, LANES, MARKS, OUTPUTS, PAIRS, PARTS,
    SCHEDULERS, TABLES, WATCHDOGS, may,
};
use crate::hop::unit::{NONE, PULLED, Unit};
use crate::hop::wire::Channel;
use crate::probe::{Frame, Probe};
use crate::simulation::Simulation;
use crate::spec::frames::{FRAME_LEAST_BYTES, WIRE_OVERHEAD_BYTES, wire_bytes};

/// What of a frame must be there before a switch that cuts through sends it on, with preamble and
/// gap.
const HEADER_BYTES: u32 = FRAME_LEAST_BYTES + WIRE_OVERHEAD_BYTES;

/// What is known of a frame that starts, and of its port.
struct Started {
    bytes: u32,
    way: u32,
    kind: u8,
    /// Its port asks for the next of its way.
    pulls: bool,
    /// Its last bit gets an event.
    has_event: bool,
    /// The lane whose credit it takes.
    lane: Option<u32>,
    free_at: Time,
    effect: Time,
    /// Where its channel stands among arrivals.
    slot: u32,
    /// The frame before it on the wire.
    last: Option<u32>,
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
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
        // An event for each frame: so long after now as after the start of every frame of its size.
        match may(HAS, PARTS) && kind & Channel::CROSSES != 0 {
            false => self
                .events
                .push(Event::new(started.effect, Phase::Deliver, started.slot, 0)),
            true => self.send_across(channel_id, id),
        }
        if let Some(lane) = started.lane {
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
            // Of several ways all must be so.
            None => {
                let mut ways = network.branches_of(next);
                ways.all(|(_, next)| network.channels[next as usize].rate <= rate)
            }
        }
    }
}

/// A frame is put on the wire of its channel, which is busy for as long as it takes.
#[inline(always)]
fn launch<const HAS: Has, P: Probe>(
    (channel_id, channel): (u32, &mut Channel),
    (id, frame): (u32, &mut Unit),
    classes: &Classes,
    (now, effect_bytes, is_control): (Time, Option<u64>, bool),
) -> Started {
    let (bytes, kind) = (frame.bytes, channel.kind);
    let busy = channel.span(u64::from(wire_bytes(bytes)));
    let effect = now + effect_bytes.map_or(busy, |bytes| channel.span(bytes)) + channel.latency;
    frame.arrived = effect;
    if may(HAS, ERRORS) && channel.is(Channel::ERRORS) {
        frame.is_lost = channel.loses_frame(now, busy, is_control);
    }
    let spends = may(HAS, CREDIT) && channel.is(Channel::CREDITS) && !is_control;
    let lane = spends.then(|| classes.lane(channel_id, frame));
    let pulls = !is_control && frame.marks & PULLED != 0;
    if pulls {
        frame.marks &= !PULLED;
    }
    channel.free_at = now + busy;
    channel.sent_class = match is_control {
        true => Channel::CONTROL,
        false => frame.class,
    };
    channel.sent_bytes = bytes;
    channel.sent_account = frame.account();
    let has_event = P::WATCHES && kind & Channel::WATCHED != 0
        || channel.waiting != 0
        || channel.has_control
        || classes.counts_on_last_bit::<HAS>(channel_id, channel.from, frame.class, is_control);
    channel.has_event = has_event;
    let last = match may(HAS, PARTS) && channel.is(Channel::CROSSES) {
        true => None,
        false => {
            frame.next = NONE;
            channel.wire.append(id)
        }
    };
    Started {
        bytes,
        way: frame.way(),
        kind,
        pulls,
        has_event,
        lane,
        free_at: channel.free_at,
        effect,
        slot: channel.slot,
        last,
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
