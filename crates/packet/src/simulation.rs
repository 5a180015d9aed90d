//! The run: one instant after another, one phase after another.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use backwater_kernel::hash::TraceHash;
use backwater_kernel::stats::TimeWeighted;
use backwater_kernel::{Event, EventQueue, Phase, Place, Time, Violations, Wheel};

use crate::cell_tcp::Connections;
use crate::channel::{Channel, Ticket};
use crate::due::Due;
use crate::flow::Flow;
use crate::flow_control::{CreditLink, Settings, StartArena};
use crate::leg::{Leg, LegCounts};
use crate::pool::Pool;
use crate::probe::Probe;
use crate::rate_ports::RatePorts;
use crate::session::Sessions;
use crate::shaping::Site;
use crate::sink::Sink;
use crate::standstill::Mark;
use crate::timer::Timer;
use crate::unit::{NONE, SharedCopies, Units};

/// Everything there is: legs, channels, flows, units. Probes may read it.
pub struct Network {
    pub(crate) legs: Vec<Leg>,
    pub(crate) counts: Vec<LegCounts>,
    pub(crate) credits: Vec<CreditLink>,
    pub(crate) settings: Vec<Settings>,
    pub(crate) starts: StartArena,
    pub(crate) channels: Vec<Channel>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) sinks: Vec<Sink>,
    pub(crate) units: Units,
    pub(crate) copies: SharedCopies,
    /// Children of legs that branch, and first legs of flows.
    pub(crate) children: Vec<u32>,
    /// Destinations behind each leg.
    pub(crate) leaves_below: Vec<u32>,
    pub(crate) pools: Vec<Pool>,
    /// Where any flow has a session.
    pub(crate) sessions: Option<Box<Sessions>>,
    /// Where there are any.
    pub(crate) tcp: Option<Box<Connections>>,
}

impl Network {
    /// The first legs of a flow.
    pub(crate) fn roots(&self, flow_id: u32) -> &[u32] {
        let flow = &self.flows[flow_id as usize];
        &self.children[flow.first_root as usize..][..flow.roots as usize]
    }

    /// How many legs continue `leg_id`; of `NONE`, the source, how many leave it.
    pub(crate) fn branches(&self, flow_id: u32, leg_id: u32) -> usize {
        match leg_id {
            NONE => self.flows[flow_id as usize].roots as usize,
            leg => self.legs[leg as usize].receiver.children as usize,
        }
    }

    /// One of them.
    pub(crate) fn branch(&self, flow_id: u32, leg_id: u32, index: usize) -> u32 {
        if leg_id == NONE {
            return self.roots(flow_id)[index];
        }
        let receiver = &self.legs[leg_id as usize].receiver;
        match receiver.children {
            1 => receiver.first_child,
            _ => self.children[receiver.first_child as usize + index],
        }
    }

    /// Data units of a leg between its two ends.
    pub(crate) fn on_the_wire(&self, leg_id: u32) -> u64 {
        let leg = &self.legs[leg_id as usize];
        leg.sender.sent - leg.receiver.arrived - self.counts[leg_id as usize].lost
    }
}

/// A host or a switch: its common memory.
pub(crate) struct Node {
    pub stored: TimeWeighted,
    /// Index of the pool that holds it; `NONE` without limit.
    pub pool: u32,
}

/// A unit that leaves the memory of the node at the end of `leg`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freed {
    pub leg: u32,
    pub bytes: u32,
    /// When its last bit has left.
    pub until: Time,
}

/// A network in motion. `Q` orders events, `P` looks on.
pub struct Simulation<Q: EventQueue = Wheel, P: Probe = ()> {
    pub(crate) now: Time,
    pub(crate) events: Q,
    pub(crate) network: Network,
    pub(crate) probe: P,
    /// What happens at this instant.
    pub(crate) due: Due,
    /// Units that left the memory they stood in at this instant.
    pub(crate) freed: Vec<Freed>,
    /// Control units provoked at this instant.
    pub(crate) tickets: Vec<Ticket>,
    pub(crate) hash: TraceHash,
    pub(crate) seed: u64,
    pub(crate) stop_at: Time,
    pub(crate) warm_up: Time,
    pub(crate) is_warm: bool,
    pub(crate) events_handled: u64,
    pub(crate) unit_hops: u64,
    pub(crate) last_start: Time,
    /// What had started some time before the end.
    pub(crate) mark: Mark,
    pub(crate) rates: RatePorts,
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
        let until = until.min(self.stop_at);
        let enough = self.events_handled.saturating_add(events);
        if let Some(at) = self.mark.is_due(until) {
            self.advance(at, enough)?;
            self.mark.set(&self.network);
        }
        self.advance(until, enough)?;
        let is_over = self.events.is_empty() || self.is_left_over();
        let has_more = until < self.stop_at && !is_over;
        if !has_more {
            self.look_over();
        }
        Some(has_more)
    }

    /// All that happens up to and at `until`; `None` if there were `enough` events before that.
    #[inline(never)]
    fn advance(&mut self, until: Time, enough: u64) -> Option<()> {
        while self.events_handled < enough {
            if self.is_left_over() {
                return Some(());
            }
            let due = &mut self.due;
            match self.events.take_instant(until, |event| due.add(event)) {
                Some(now) => self.run_instant(now),
                None => return Some(()),
            }
        }
        None
    }

    /// Runs to the end.
    pub fn run(&mut self) {
        self.run_until(Time::MAX);
    }

    /// How far the run is.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Events handled so far.
    pub fn events_handled(&self) -> u64 {
        self.events_handled
    }

    /// Units that crossed a channel so far.
    pub fn unit_hops(&self) -> u64 {
        self.unit_hops
    }

    /// The probe, and what it has seen.
    pub fn probe(&self) -> &P {
        &self.probe
    }

    /// The probe, to take out what it has collected.
    pub fn probe_mut(&mut self) -> &mut P {
        &mut self.probe
    }

    /// Gives the probe back.
    pub fn into_probe(self) -> P {
        self.probe
    }

    fn run_instant(&mut self, now: Time) {
        self.now = now;
        if !self.is_warm && now >= self.warm_up {
            self.end_warm_up();
        }
        while let Some((first, mut channels)) = self.due.deliveries.take_word() {
            while channels != 0 {
                self.events_handled += 1;
                self.deliver(first + channels.trailing_zeros());
                channels &= channels - 1;
            }
        }
        while let Some(event) = self.due.take_other() {
            self.events_handled += 1;
            self.on_timer(Timer::of(event), event.entity());
        }
        self.arbitrate_all();
        self.probe.after_instant(now, &self.network);
    }

    #[inline]
    fn on_timer(&mut self, timer: Timer, entity: u32) {
        match timer {
            Timer::Request => self.on_request_timer(entity),
            Timer::Refresh => self.on_refresh_timer(entity),
            Timer::EndToEnd => self.on_end_to_end_timer(entity),
            Timer::Interval => self.on_interval_timer(entity),
            Timer::Tcp => self.on_tcp_timer(entity),
            Timer::Open => self.open_session(entity),
            Timer::Close => self.close_session(entity),
            Timer::Reserve => self.reserve(entity),
            Timer::Release => self.release(entity),
            Timer::Offer => self.on_source_timer(entity),
            Timer::Envelope => self.on_gate_timer(entity, Site::Envelope),
            Timer::Spacing => self.on_gate_timer(entity, Site::Spacing),
            Timer::Policer => self.on_gate_timer(entity, Site::Policer),
            Timer::Slot => self.on_slot(entity),
        }
    }

    /// Adds an event: of this instant or a later one.
    #[inline]
    pub(crate) fn schedule(&mut self, event: Event) {
        if event.time() == self.now {
            self.due.add(event);
        } else {
            self.events.push(event);
        }
    }

    /// Every woken port chooses on what has arrived; then the memory these choices free is free,
    /// and control units that it provokes may take ports that are still idle. So the order of
    /// ports decides nothing. What ports refused as it came is free before they choose.
    #[inline]
    fn arbitrate_all(&mut self) {
        if !self.freed.is_empty() {
            self.free_units();
        }
        self.queue_tickets();
        self.arbitrate_woken();
        self.free_units();
        if !self.tickets.is_empty() {
            self.queue_tickets();
            self.arbitrate_woken();
        }
    }

    /// The memory is free that ports gave up: by their choices, or as they refused what came.
    #[inline]
    pub(crate) fn free_units(&mut self) {
        let mut freed = core::mem::take(&mut self.freed);
        for unit in freed.drain(..) {
            self.free_unit(unit);
        }
        self.freed = freed;
    }

    #[inline]
    fn arbitrate_woken(&mut self) {
        while let Some((first, mut channels)) = self.due.arbitrations.take_word() {
            while channels != 0 {
                self.events_handled += 1;
                self.arbitrate(first + channels.trailing_zeros());
                channels &= channels - 1;
            }
        }
    }

    /// The channel has something to send: it arbitrates now, or when the wire is free.
    #[inline]
    pub(crate) fn wake(&mut self, channel_id: u32) {
        let channel = &mut self.network.channels[channel_id as usize];
        if channel.arbitration_due {
            return;
        }
        channel.arbitration_due = true;
        if channel.free_at <= self.now {
            self.due.arbitrations.insert(channel_id);
        } else {
            self.events
                .push(Event::new(channel.free_at, Phase::Arbitrate, channel_id, 0));
        }
    }

    #[cold]
    pub(crate) fn violate(&mut self, leg: u32, what: impl FnOnce() -> String) {
        self.violations.note(self.now, Place::Leg(leg), what);
    }

    #[cold]
    pub(crate) fn end_warm_up(&mut self) {
        self.is_warm = true;
        let at = self.warm_up;
        let counts = self.network.counts.iter_mut();
        for (leg, counts) in self.network.legs.iter_mut().zip(counts) {
            leg.receiver.fill.restart(at);
            counts.sent_before_warm_up = leg.sender.sent;
            counts.arrived_before_warm_up = leg.receiver.arrived;
        }
        for node in &mut self.network.nodes {
            node.stored.restart(at);
        }
        for channel in &mut self.network.channels {
            channel.end_warm_up(at);
        }
        for flow in &mut self.network.flows {
            flow.counts.delivered_before_warm_up = flow.counts.delivered;
            flow.counts.delivered_bytes_before_warm_up = flow.counts.delivered_bytes;
            flow.counts.accepted_before_warm_up = flow.counts.accepted;
            flow.counts.delay = None;
            flow.counts.responses = None;
            if let Some(abr) = flow.control.abr() {
                abr.end_warm_up(at);
            }
            if let Some(shaping) = &mut flow.shaping {
                shaping.waits = None;
            }
        }
    }
}
