//! The run: one instant after another.
//!
//! At one instant: frames whose last bit has left, arrivals, timers, stations, choices. Arrivals
//! of one instant at a switch go in the order of a hash, so that no port is favoured by its
//! number; choices come last and see the same state.

use alloc::string::String;
use alloc::vec::Vec;

use backwater_ends::application::{Outgoing, Payload};
use backwater_kernel::hash::TraceHash;
use backwater_kernel::{
    DueSet, Duration, Event, EventQueue, Phase, Place, Rings, Stream, Time, Violations,
};

use crate::frames::network::{Flow, Network, Underway};
use crate::frames::outcome::Standstill;
use crate::frames::probe::{Cause, Probe};
use crate::frames::timer::Timer;
use crate::hop::unit::{ECT, Unit};
use crate::hop::wire::Channel;

/// A network in motion. `Q` orders events, `P` looks on.
pub struct Simulation<Q: EventQueue = Rings, P: Probe = ()> {
    pub(crate) now: Time,
    /// Everything up to here has happened.
    pub(crate) reached: Time,
    pub(crate) events: Q,
    pub(crate) network: Network,
    pub(crate) probe: P,
    /// Channels whose last bit has left at this instant.
    pub(crate) sent: DueSet,
    /// Slots of channels over which a frame takes effect at this instant.
    pub(crate) arrivals: DueSet,
    /// Channels that may choose at the end of this instant.
    pub(crate) woken: Vec<u32>,
    /// Events of this instant.
    pub(crate) batch: Vec<Event>,
    /// Timers and stations of this instant.
    pub(crate) others: Vec<Event>,
    /// Frames that stations make, on their way to their ports.
    pub(crate) outgoing: Vec<Outgoing>,
    /// Flows whose port asks for their next frame.
    pub(crate) pulled: Vec<u32>,
    /// Arrivals of one instant at one switch, by hash.
    pub(crate) crowd: Vec<(u64, u32)>,
    pub(crate) selection: Vec<Option<Stream>>,
    pub(crate) hash: TraceHash,
    pub(crate) seed: u64,
    pub(crate) stop_at: Time,
    pub(crate) warm_up: Time,
    pub(crate) is_warm: bool,
    pub(crate) stall_after: Duration,
    /// Data hops when a standstill was last looked for.
    pub(crate) data_hops_before: u64,
    pub(crate) standstill: Option<Standstill>,
    /// Nothing is left that could cause anything; the timers still set are left over.
    pub(crate) is_drained: bool,
    /// The flow that kept the run alive when that was last asked.
    pub(crate) lively: u32,
    pub(crate) events_handled: u64,
    pub(crate) frame_hops: u64,
    pub(crate) control_hops: u64,
    /// Control frames made so far.
    pub(crate) controls_made: u64,
    /// How long each class of each channel was stopped before the warm-up ended.
    pub(crate) stopped_before: Vec<Duration>,
    /// Control frames each channel had sent by then.
    pub(crate) control_before: Vec<u64>,
    /// What each channel was sending then.
    pub(crate) underway_before: Vec<Underway>,
    pub(crate) violations: Violations,
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// Runs to `until` or the scenario's end, whichever is first. True while something is left
    /// to do before that end.
    pub fn run_until(&mut self, until: Time) -> bool {
        self.run_some(until, u64::MAX).unwrap_or(true)
    }

    /// Shows the probe the network as it is, as at the end of a run.
    pub fn look_over(&mut self) {
        self.probe.on_end(self.now, &self.network);
    }

    /// As [`Self::run_until`] for about so many events; `None` if it stopped after them, before
    /// `until`. What follows goes on from there as if it had not stopped.
    pub fn run_some(&mut self, until: Time, events: u64) -> Option<bool> {
        let enough = self.events_handled.saturating_add(events);
        let has_more = self.work_until(until.min(self.stop_at), enough);
        if P::WATCHES && has_more == Some(false) {
            self.look_over();
        }
        has_more
    }

    fn work_until(&mut self, until: Time, enough: u64) -> Option<bool> {
        while self.standstill.is_none() && !self.is_drained {
            if self.events_handled >= enough {
                self.reached = self.now;
                self.rest_all(self.now);
                return None;
            }
            let batch = &mut self.batch;
            match self.events.take_instant(until, |event| batch.push(event)) {
                Some(now) => self.run_instant(now),
                None => {
                    self.reached = until;
                    self.rest_all(until);
                    return Some(until < self.stop_at && !self.events.is_empty());
                }
            }
        }
        Some(false)
    }

    /// Runs to the end.
    pub fn run(&mut self) {
        self.run_until(Time::MAX);
    }

    /// The last instant at which something happened.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Frames that crossed a queue and a channel so far.
    pub fn frame_hops(&self) -> u64 {
        self.frame_hops
    }

    /// Everything there is.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The probe.
    pub fn probe(&self) -> &P {
        &self.probe
    }

    /// The probe, to take out what it holds.
    pub fn probe_mut(&mut self) -> &mut P {
        &mut self.probe
    }

    fn run_instant(&mut self, now: Time) {
        self.now = now;
        if !self.is_warm && now >= self.warm_up {
            self.start_measuring();
        }
        self.events_handled += self.batch.len() as u64;
        if let [event] = self.batch[..] {
            self.batch.clear();
            self.work_off_one(event);
        } else {
            self.work_off_many();
        }
        while !self.woken.is_empty() || !self.pulled.is_empty() {
            self.choose_all();
            self.pull_all();
        }
        if P::WATCHES {
            self.probe.after_instant(now, &self.network);
        }
        if self.network.units.live() == 0 && self.has_drained() {
            self.is_drained = true;
            self.rest_all(now);
        }
    }

    /// With no frame anywhere: does no station wait for anything, and is no storm to come? Timers
    /// of ports that are still set then find nothing to do.
    fn has_drained(&mut self) -> bool {
        let network = &self.network;
        let flows = network.flows.len() as u32;
        let from = self.lively;
        let mut asked = (from..flows).chain(0..from.min(flows));
        if let Some(lively) = asked.find(|flow| network.stations.has_more(*flow)) {
            self.lively = lively;
            return false;
        }
        let mut storms = network.nodes.iter().filter_map(|node| node.storm);
        !storms.any(|storm| self.now < storm.until && storm.from <= self.stop_at)
    }

    /// Most instants have one event.
    #[inline]
    fn work_off_one(&mut self, event: Event) {
        if event.is(Phase::Transmit) {
            self.finish_sending(event.entity());
        } else if event.is(Phase::Deliver) {
            self.deliver(self.network.slots[event.entity() as usize]);
        } else {
            self.others.push(event);
            self.work_off_timers();
        }
    }

    /// All frames that have left, then all that arrive, then timers and stations.
    fn work_off_many(&mut self) {
        for event in self.batch.drain(..) {
            if event.is(Phase::Deliver) {
                self.arrivals.insert(event.entity());
            } else if event.is(Phase::Transmit) {
                self.sent.insert(event.entity());
            } else {
                self.others.push(event);
            }
        }
        while let Some((first, bits)) = self.sent.take_word() {
            each(first, bits, |channel| self.finish_sending(channel));
        }
        self.work_off_arrivals();
        if !self.others.is_empty() {
            self.work_off_timers();
        }
    }

    /// Sees to it that an idle channel chooses.
    #[inline]
    pub(crate) fn wake(&mut self, channel: u32) {
        let arbitration_due = &mut self.network.channels[channel as usize].arbitration_due;
        if !*arbitration_due {
            *arbitration_due = true;
            self.woken.push(channel);
        }
    }

    /// Every woken channel chooses, on the same state.
    fn choose_all(&mut self) {
        let mut woken = core::mem::take(&mut self.woken);
        if woken.len() > 1 {
            woken.sort_unstable();
        }
        for channel in woken.drain(..) {
            self.network.channels[channel as usize].arbitration_due = false;
            self.choose(channel);
        }
        self.woken = woken;
    }

    /// Ports ask flows for more. A port that has gone quiet is woken by that.
    fn pull_all(&mut self) {
        let mut pulled = core::mem::take(&mut self.pulled);
        pulled.drain(..).for_each(|flow| self.pull(flow));
        self.pulled = pulled;
    }

    /// Arrivals, node by node.
    fn work_off_arrivals(&mut self) {
        while let Some((first, bits)) = self.arrivals.take_word() {
            each(first, bits, |slot| {
                let channel = self.network.slots[slot as usize];
                let to = &self.network.channels[channel as usize];
                if to.is(Channel::TO_HOST) {
                    return self.deliver(channel);
                }
                let node = to.to;
                if let Some((_, other)) = self.crowd.first()
                    && self.network.channels[*other as usize].to != node
                {
                    self.disperse();
                }
                self.crowd.push((0, channel));
            });
        }
        self.disperse();
    }

    /// Works off the arrivals at one switch.
    fn disperse(&mut self) {
        if let [(_, channel)] = self.crowd[..] {
            self.crowd.clear();
            return self.deliver(channel);
        }
        let mut crowd = core::mem::take(&mut self.crowd);
        for (key, channel) in &mut crowd {
            *key = crate::frames::routes::mix(&[self.seed, self.now.0, u64::from(*channel)]);
        }
        crowd.sort_unstable();
        for (_, channel) in &crowd {
            self.deliver(*channel);
        }
        crowd.clear();
        self.crowd = crowd;
    }

    fn work_off_timers(&mut self) {
        let mut others = core::mem::take(&mut self.others);
        if others.len() > 1 {
            others.sort_unstable();
        }
        for event in others.drain(..) {
            match event.phase() {
                Phase::Control => self.on_timer(event),
                Phase::Inject => self.on_station_timer(event.entity()),
                _ => self.look_for_standstill(),
            }
        }
        self.others = others;
    }

    /// A timer of a channel.
    fn on_timer(&mut self, event: Event) {
        let ((timer, class), channel) = (Timer::of(event), event.entity());
        match timer {
            Timer::Response => self.on_response(channel),
            Timer::Expiry => self.on_expiry(channel),
            Timer::Refresh => self.on_refresh(channel),
            Timer::Storm => self.on_storm(channel),
            Timer::TimeOut => self.on_time_out(channel, class),
            Timer::Watchdog => self.on_watchdog(channel, class),
        }
    }

    /// The instant a span from now; the end of the clock if it is beyond that.
    pub(crate) fn later(&self, span: Duration) -> Time {
        self.now.checked_add(span).unwrap_or(Time::MAX)
    }

    /// Nothing happens after the end of the run.
    pub(crate) fn set_timer(&mut self, at: Time, channel: u32, timer: Timer, class: u8) {
        if at <= self.stop_at {
            self.events.push(timer.at(at, channel, class));
        }
    }

    /// The end of the warm-up: statistics start.
    fn start_measuring(&mut self) {
        self.is_warm = true;
        let at = self.warm_up;
        self.rest_all(at);
        let network = &mut self.network;
        network
            .queues
            .iter_mut()
            .for_each(|queue| queue.restart(at));
        for losses in &mut network.losses {
            losses.dropped_before = losses.dropped;
        }
        network.stations.start_measuring(at);
        self.note_stops_before(at);
    }

    fn on_station_timer(&mut self, flow: u32) {
        let armed = &mut self.network.flows[flow as usize].armed;
        if *armed != self.now {
            return;
        }
        *armed = Time::MAX;
        let stations = &mut self.network.stations;
        stations.on_timer(self.now, flow, &mut self.outgoing);
        self.send_outgoing();
        self.arm(flow);
    }

    /// Sees to it that the flow's next timer has an event.
    #[inline]
    pub(crate) fn arm(&mut self, flow: u32) {
        let Some(next) = self.network.stations.next_timer(flow) else {
            return;
        };
        let armed = &mut self.network.flows[flow as usize].armed;
        if next < *armed {
            *armed = next.max(self.now);
            self.events.push(Event::new(*armed, Phase::Inject, flow, 0));
        }
    }

    /// Puts what stations made into their ports.
    pub(crate) fn send_outgoing(&mut self) {
        let mut outgoing = core::mem::take(&mut self.outgoing);
        for frame in outgoing.drain(..) {
            self.emit(frame);
        }
        self.outgoing = outgoing;
    }

    fn emit(&mut self, made: Outgoing) {
        let network = &mut self.network;
        let flow = &mut network.flows[made.flow as usize];
        let ends = flow.ends(made.is_forward);
        let bytes = crate::frames::sizes::frame_bytes(
            &made.payload,
            flow.is(Flow::RTP),
            flow.is(Flow::TAGGED),
        );
        let (number, class) = (flow.created, flow.class);
        flow.created += 1;
        flow.created_bytes += u64::from(bytes);
        flow.in_port += u32::from(flow.is(Flow::PULLED));
        let way = made.flow * 2 + u32::from(!made.is_forward);
        let frame = Unit {
            leg: way,
            class: flow.class,
            marks: match flow.is(Flow::ECT) && has_data(&made.payload) {
                true => ECT,
                false => 0,
            },
            ..Unit::data(self.now, network.routes.first(way, number, ends), bytes)
        };
        let id = network.units.frame(frame, number, &made.payload);
        let channel = network.routes.channel(network.units.get(id));
        if P::WATCHES {
            let view = self.network.view(id, channel);
            self.probe.on_created(self.now, channel, &view);
        }
        if self.drops_all(channel, class) {
            return self.discard(channel, id, Cause::Watchdog);
        }
        self.join(channel, id);
    }

    /// A port asks a flow without end for its next frame.
    fn pull(&mut self, flow: u32) {
        let stations = &mut self.network.stations;
        stations.pull(self.now, flow, &mut self.outgoing);
        self.send_outgoing();
        self.arm(flow);
    }

    /// Takes note of all last bits that have left by then.
    pub(crate) fn rest_all(&mut self, by: Time) {
        for channel in 0..self.network.channels.len() {
            if self.network.channels[channel].is_to_rest(by) {
                self.rest(channel as u32);
            }
        }
    }

    /// A promise was broken.
    pub(crate) fn violate(&mut self, channel: u32, what: impl FnOnce() -> String) {
        self.violations
            .note(self.now, Place::Channel(channel), what);
    }
}

/// Bare acknowledgements are not to be marked (RFC 3168, section 6.1.4).
fn has_data(payload: &Payload) -> bool {
    match payload {
        Payload::Tcp(segment) => segment.bytes > 0,
        Payload::Udp { .. } => true,
    }
}

/// Every entity of a word of bits.
#[inline(always)]
fn each(first: u32, mut bits: u64, mut act: impl FnMut(u32)) {
    while bits != 0 {
        act(first + bits.trailing_zeros());
        bits &= bits - 1;
    }
}
