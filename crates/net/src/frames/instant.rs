//! What happens to frames at one instant: last bits leave, frames arrive, stations act. Choices
//! come last and see the same state.

use backwater_ends::application::{Outgoing, Payload};
use backwater_ends::queue_pair::PacketKind;
use backwater_ends::stations::End;
use backwater_kernel::{Duration, Event, EventQueue, Phase, Time};

use crate::classes::FrameFlow;
use crate::classes::shape::{
    ANYTHING, CREDIT, Has, MEMBERS, MESSAGES, PAIRS, PARTS, SCHEDULERS, TABLES, WATCHDOGS, may,
};
use crate::hop::timer::Timer;
use crate::hop::unit::{ECT, NONE, PULLED, TELEMETRY, Unit};
use crate::probe::{Frame, LossCause, Probe};
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The run has come to `reached` and stops there for now, or for good.
    #[cold]
    pub(crate) fn catch_up(&mut self, reached: Time) {
        self.by_class.reached = reached;
        // Nothing happened at the end of the warm-up or since.
        if !self.is_warm && reached >= self.warm_up {
            self.end_warm_up();
        }
        self.rest_all(reached);
    }

    /// With no frame anywhere: does no station wait for anything, and is no storm to come? Timers
    /// of ports that are still set then find nothing to do.
    #[cold]
    fn note_drained(&mut self) {
        if self.border.is_some() {
            return self.note_part_drained();
        }
        if self.has_drained() {
            self.by_class.is_drained = true;
            self.asked.enough = 0;
            self.rest_all(self.now);
        }
    }

    pub(crate) fn has_drained(&mut self) -> bool {
        let classes = &self.network.classes;
        let flows = classes.flows.len() as u32;
        let from = self.by_class.lively;
        let mut asked = (from..flows).chain(0..from.min(flows));
        if let Some(lively) = asked.find(|flow| classes.stations.has_more(*flow)) {
            self.by_class.lively = lively;
            return false;
        }
        if classes.members.awaits() {
            return false;
        }
        if !classes.credits.counters.is_empty() && self.network.has_unsettled_credit() {
            return false;
        }
        let mut storms = classes.nodes.iter().filter_map(|node| node.storm);
        !storms.any(|storm| self.now < storm.until && storm.from <= self.stop_at)
    }

    /// What happens at an instant with one event. If nobody else does, the port that it happens
    /// to chooses at once.
    #[inline(always)]
    pub(crate) fn work_off_one<const HAS: Has>(&mut self, event: Event) {
        self.events_handled += 1;
        let (port, chooses) = if event.is(Phase::Transmit) {
            let port = event.entity();
            (port, self.finish_sending::<HAS>(port))
        } else if event.is(Phase::Deliver) {
            let channel = self.network.classes.slots[event.entity() as usize].channel;
            let woken = self.deliver_frame::<HAS>(channel);
            (woken, woken != NONE)
        } else {
            return self.work_off_timer::<HAS>(event);
        };
        if chooses {
            match self.due.arbitrations.is_empty() {
                true => self.choose::<HAS>(port),
                false => self.wake_port(port),
            }
        }
    }

    /// All frames that have left, then all that arrive, then timers and stations.
    #[inline(never)]
    pub(crate) fn work_off_several<const HAS: Has>(&mut self) {
        self.work_off_last_bits::<HAS>();
        self.work_off_arrivals::<HAS>();
        self.work_off_others::<HAS>();
    }

    /// Timers and stations.
    pub(crate) fn work_off_others<const HAS: Has>(&mut self) {
        while let Some(event) = self.due.take_other() {
            self.events_handled += 1;
            self.work_off_timer::<HAS>(event);
        }
    }

    #[inline(never)]
    fn work_off_timer<const HAS: Has>(&mut self, event: Event) {
        match Timer::of(event) == Timer::Station {
            true => self.on_station_timer::<HAS>(event.entity()),
            false => self.on_timer(event),
        }
    }

    /// Flows that have just got a slot have their first timers.
    pub(crate) fn arm_opened(&mut self) {
        let mut opened = core::mem::take(&mut self.by_class.opened);
        for flow in opened.drain(..) {
            self.arm::<ANYTHING>(flow, End::Opener);
            self.arm::<ANYTHING>(flow, End::Answerer);
        }
        self.by_class.opened = opened;
    }

    /// Then ports choose; and choose again where they ask flows for more.
    #[inline(always)]
    pub(crate) fn end_instant<const HAS: Has>(&mut self) {
        if !self.due.arbitrations.is_empty() {
            self.choose_all::<HAS>();
        }
        let pulls = may(
            HAS,
            CREDIT | SCHEDULERS | WATCHDOGS | TABLES | PAIRS | MESSAGES,
        );
        if pulls && !self.by_class.pulled.is_empty() {
            self.pull_all::<HAS>();
        }
        if P::WATCHES {
            self.probe.after_instant(self.now, &self.network);
        }
        if self.network.units.live() == 0 {
            self.note_drained();
        }
    }

    /// Every woken port chooses, on the same state.
    #[inline(never)]
    fn choose_all<const HAS: Has>(&mut self) {
        while let Some((first, mut channels)) = self.due.arbitrations.take_word() {
            while channels != 0 {
                self.choose::<HAS>(first + channels.trailing_zeros());
                channels &= channels - 1;
            }
        }
    }

    /// All frames whose last bit leaves now.
    #[inline(always)]
    fn work_off_last_bits<const HAS: Has>(&mut self) {
        if !self.due.has_last_bits() {
            return;
        }
        let channels = self.due.take_last_bits();
        self.events_handled += channels.len() as u64;
        for channel in &channels {
            if self.finish_sending::<HAS>(*channel) {
                self.wake_port(*channel);
            }
        }
        self.due.give_back(channels);
    }

    /// Sees to it that an idle port chooses at the end of this instant.
    #[inline(always)]
    pub(crate) fn wake_port(&mut self, channel: u32) {
        self.due.arbitrations.insert(channel);
    }

    /// Ports ask flows for more, until none does. A port that has gone quiet is woken by that.
    #[inline(never)]
    fn pull_all<const HAS: Has>(&mut self) {
        while !self.by_class.pulled.is_empty() {
            let mut pulled = core::mem::take(&mut self.by_class.pulled);
            // What goes round may meet at a port: in the order of flows.
            if self.network.classes.turns.is_some() {
                pulled.sort_unstable();
            }
            pulled.drain(..).for_each(|way| self.pull::<HAS>(way));
            self.by_class.pulled = pulled;
            self.choose_all::<HAS>();
        }
    }

    /// The instant a span from now; the end of the clock if it is beyond that.
    pub(crate) fn later(&self, span: Duration) -> Time {
        self.now.checked_add(span).unwrap_or(Time::MAX)
    }

    /// Nothing happens after the end of the run.
    pub(crate) fn set_timer(&mut self, at: Time, channel: u32, timer: Timer, class: u8) {
        if at <= self.stop_at {
            self.events.push(timer.of_class(at, channel, class));
        }
    }

    /// The end of the warm-up: statistics of classes start.
    pub(crate) fn start_measuring(&mut self) {
        let at = self.warm_up;
        self.rest_all(at);
        let classes = &mut self.network.classes;
        classes
            .queues
            .iter_mut()
            .for_each(|queue| queue.restart(at));
        for losses in &mut classes.losses {
            losses.dropped_before = losses.dropped;
        }
        classes.stations.start_measuring(at);
        self.note_stops_before(at);
    }

    /// The timer of the end of a flow from which a way starts.
    pub(crate) fn on_station_timer<const HAS: Has>(&mut self, way: u32) {
        let (flow, end) = (way / 2, end_of(way));
        let place = match may(HAS, MEMBERS) {
            false => flow,
            true => match self.network.classes.place_if_active(flow) {
                Some(place) => place,
                None => return,
            },
        };
        let armed = &mut self.network.classes.flows[place as usize].armed[end as usize];
        if *armed != self.now {
            return;
        }
        *armed = Time::MAX;
        // Those that send much at one instant do so in parts.
        loop {
            let stations = &mut self.network.classes.stations;
            stations.on_timer(self.now, place, end, &mut self.by_class.outgoing);
            self.send_outgoing::<HAS>();
            if self.asked.is_set || !self.network.classes.stations.is_due(place, self.now) {
                break;
            }
        }
        self.arm::<HAS>((flow, place), end);
    }

    /// Sees to it that the next timer of an end of a flow, by number and place, has an event. What
    /// this end did may be news to the other one.
    #[inline(always)]
    pub(crate) fn arm<const HAS: Has>(&mut self, flow: (u32, u32), end: End) {
        self.arm_next::<HAS>(flow, end);
        if may(HAS, MESSAGES) && self.network.classes.stations.has_woken() {
            self.arm_woken();
        }
    }

    #[inline(always)]
    fn arm_next<const HAS: Has>(&mut self, (flow, place): (u32, u32), end: End) {
        let own = &mut self.network.classes.flows[place as usize];
        let (bits, armed) = (own.bits, &mut own.armed[end as usize]);
        if let Some(next) = self.network.classes.stations.next_timer(place, end)
            && next < *armed
        {
            let (before, at) = (*armed, next.max(self.now));
            *armed = at;
            let way = flow * 2 + end as u32;
            match may(HAS, MEMBERS) && bits & FrameFlow::MEMBER != 0 {
                false => self.events.push(Timer::Station.at(at, way)),
                true => self.set_alarm(way, before, at),
            }
        }
        self.note_turn::<HAS>((flow, place));
    }

    /// The end of a flow at which datagrams arrive has no timers; who has to know of them is told.
    #[inline(always)]
    pub(crate) fn note_turn<const HAS: Has>(&mut self, (flow, place): (u32, u32)) {
        if !may(HAS, PARTS | MEMBERS) {
            return;
        }
        let bits = self.network.classes.flows[place as usize].bits;
        if bits & (FrameFlow::DIVIDED | FrameFlow::MEMBER) != 0 {
            self.after_turn(flow, bits);
        }
    }

    /// An end of a flow has done what it does at this instant, and somebody has to know.
    #[cold]
    fn after_turn(&mut self, flow: u32, bits: u8) {
        if bits & FrameFlow::DIVIDED != 0 {
            self.tell(flow);
        }
        if bits & FrameFlow::MEMBER != 0 {
            self.note_member(flow);
        }
    }

    /// What a flow did is what messages of other flows of its host wait for: those that need no
    /// time begin at once.
    #[cold]
    fn arm_woken(&mut self) {
        while let Some(flow) = self.network.classes.stations.take_woken() {
            let stations = &mut self.network.classes.stations;
            let begins = stations.next_timer(flow, End::Opener);
            if begins.is_some_and(|at| at <= self.now) {
                stations.on_timer(self.now, flow, End::Opener, &mut self.by_class.outgoing);
                self.send_outgoing::<ANYTHING>();
            }
            self.arm_next::<ANYTHING>((flow, flow), End::Opener);
        }
    }

    /// Puts what stations made into their ports.
    #[inline(always)]
    pub(crate) fn send_outgoing<const HAS: Has>(&mut self) {
        let mut outgoing = core::mem::take(&mut self.by_class.outgoing);
        // Asked once for all of them: stations hand over much in parts.
        outgoing.iter().for_each(|made| self.emit::<HAS>(made));
        self.count_made(outgoing.len() as u32);
        outgoing.clear();
        self.by_class.outgoing = outgoing;
    }

    #[inline(always)]
    fn emit<const HAS: Has>(&mut self, made: &Outgoing) {
        let place = self.network.classes.place_in::<HAS>(made.flow);
        let id = self.make_frame::<HAS>(
            (made.flow, place),
            made.is_forward,
            made.class,
            &made.payload,
        );
        let network = &mut self.network;
        let frame = network.units.get(id);
        let (marks, class) = (frame.marks, frame.class);
        if may(HAS, PAIRS) && marks & TELEMETRY != 0 && marks & PULLED == 0 {
            let path = core::mem::take(&mut self.by_class.path);
            network.units.keep_path(id, path);
        }
        let channel = network.classes.routes.channel(network.units.get(id));
        if P::WATCHES {
            let frame = Frame::inside(&self.network, id, channel);
            self.probe.on_frame_created(self.now, channel, &frame);
        }
        if may(HAS, WATCHDOGS) && self.drops_all(channel, class) {
            return self.discard_frame(channel, id, LossCause::Watchdog);
        }
        self.join::<HAS>(channel, id);
    }

    /// A frame of a flow, by number and place: in the class of that, if it has none of its own.
    #[inline(always)]
    pub(crate) fn make_frame<const HAS: Has>(
        &mut self,
        (flow_id, place): (u32, u32),
        is_forward: bool,
        class: Option<u8>,
        payload: &Payload,
    ) -> u32 {
        let network = &mut self.network;
        let flow = &mut network.classes.flows[place as usize];
        let ends = flow.ends(is_forward);
        let (has_rtp, is_tagged) = (flow.is(FrameFlow::RTP), flow.is(FrameFlow::TAGGED));
        let bytes = crate::hop::sizes::frame_bytes(payload, has_rtp, is_tagged);
        let (number, class) = (flow.created, class.unwrap_or(flow.class));
        flow.created += 1;
        flow.created_bytes += u64::from(bytes);
        let way = flow_id * 2 + u32::from(!is_forward);
        let marks = marks_of(flow.bits, payload);
        flow.in_port[way as usize % 2] += u16::from(marks & PULLED != 0);
        let turn = match may(HAS, TABLES) {
            true => network.classes.turn(2 * place + way % 2),
            false => None,
        };
        let hop = network.classes.routes.first((way, place), turn, ends);
        let frame = Unit {
            leg: way,
            class,
            marks,
            ..Unit::data(self.now, hop, bytes)
        };
        network.units.frame(frame, number, payload)
    }

    /// A port asks an end of a flow for its next frame.
    fn pull<const HAS: Has>(&mut self, way: u32) {
        let (flow, end) = (way / 2, end_of(way));
        let place = self.network.classes.place_in::<HAS>(flow);
        let stations = &mut self.network.classes.stations;
        stations.pull(self.now, place, end, &mut self.by_class.outgoing);
        self.send_outgoing::<HAS>();
        self.arm::<HAS>((flow, place), end);
    }

    /// Takes note of all last bits that have left by then.
    pub(crate) fn rest_all(&mut self, by: Time) {
        for channel in 0..self.network.channels.len() {
            if self.network.channels[channel].is_to_rest(by) {
                self.rest::<ANYTHING>(channel as u32);
            }
        }
    }
}

/// The end of its flow from which a way starts.
#[inline]
fn end_of(way: u32) -> End {
    match way % 2 {
        0 => End::Opener,
        _ => End::Answerer,
    }
}

/// What a frame of a flow is made with. Bare acknowledgements are not to be marked (RFC 3168,
/// section 6.1.4), and nobody waits for their start.
#[inline(always)]
fn marks_of(flow: u8, payload: &Payload) -> u8 {
    let (has_data, telemetry) = match payload {
        Payload::Tcp(segment) => (segment.bytes > 0, 0),
        Payload::Roce(packet) => {
            let telemetry = if packet.has_telemetry { TELEMETRY } else { 0 };
            (packet.kind == PacketKind::Data, telemetry)
        }
        Payload::Udp { .. } => (true, 0),
    };
    let mut marks = telemetry;
    if has_data && flow & FrameFlow::ECT != 0 {
        marks |= ECT;
    }
    if has_data && flow & FrameFlow::PULLED != 0 {
        marks |= PULLED;
    }
    marks
}
