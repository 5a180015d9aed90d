//! The run: one instant after another, one phase after another; from its plan to its end.
//! A line here may touch the clock, the events and the order of phases, not what happens in them.
//! The next is what a run has as a whole: a field of [`Simulation`], and a file for its rules.

mod asked;
pub(crate) mod border;
pub(crate) mod forward;
pub(crate) mod mark;
pub(crate) mod plan;
mod record;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use backwater_ends::control::Control;
use backwater_kernel::hash::TraceSum;
use backwater_kernel::{Event, EventQueue, Place, Rings, Stop, Taken, Time, Violations};

use crate::classes::run::ByClass;
use crate::classes::shape::{self, Form, Has};
use crate::hop::due::Due;
use crate::hop::wire::Ticket;
use crate::marking::rate_ports::RatePorts;
use crate::network::{Freed, Network};
use crate::outcome::Outcome;
use crate::probe::Probe;
use crate::simulation::asked::Asked;
use crate::simulation::border::Border;
use crate::simulation::mark::Mark;
use crate::simulation::record::Record;

/// A network in motion. `Q` orders events, `P` looks on.
pub struct Simulation<Q: EventQueue = Rings, P: Probe = ()> {
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
    pub(crate) hash: TraceSum,
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
    /// Where units are routed, and share queues by class.
    pub(crate) by_class: ByClass,
    pub(crate) violations: Violations,
    /// Is it to stop?
    pub(crate) asked: Asked,
    /// In a part of a run: how it meets the others.
    pub(crate) border: Option<Box<Border>>,
    /// What it does from one survey to the next, where that is wanted.
    pub(crate) record: Option<Box<Record>>,
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
    /// `until`. What follows goes on from there as if it had not stopped, unless it was
    /// [asked to](Self::stop_if).
    pub fn run_some(&mut self, until: Time, events: u64) -> Option<bool> {
        let until = until.min(self.stop_at);
        let enough = self.events_handled.saturating_add(events);
        if let Some(at) = self.mark.is_due(until) {
            self.advance(at, enough)?;
            self.mark.set(&self.network);
        }
        let is_done = self.advance(until, enough);
        if self.network.classes.count > 0 && !self.by_class.is_over() {
            self.catch_up(if is_done.is_some() { until } else { self.now });
        }
        is_done?;
        let is_over =
            self.events.is_empty() || self.has_only_leftovers() || self.by_class.is_over();
        let has_more = until < self.stop_at && !is_over;
        if !has_more {
            self.look_over();
        }
        Some(has_more)
    }

    /// All that happens up to and at `until`; `None` if there were `enough` events before that.
    /// One loop for circuits and one for units that are routed by class.
    pub(crate) fn advance(&mut self, until: Time, enough: u64) -> Option<()> {
        match self.network.classes.count {
            0 => self.advance_circuits(until, enough),
            _ => match self.form_of_engine() {
                Form::General => self.advance_classes::<{ shape::ANYTHING }>(until, enough),
                Form::Datagrams => self.advance_classes::<{ shape::DATAGRAMS }>(until, enough),
                Form::Streams => self.advance_classes::<{ shape::STREAMS }>(until, enough),
                Form::QueuePairs => self.advance_classes::<{ shape::QUEUE_PAIRS }>(until, enough),
            },
        }
    }

    /// The form of the engine in which it runs.
    #[inline]
    fn form_of_engine(&self) -> Form {
        // What a page loads is to be small.
        match P::IN_ALL_FORMS && !cfg!(target_family = "wasm") {
            true => self.by_class.form,
            false => Form::General,
        }
    }

    /// What that is called.
    #[doc(hidden)]
    pub fn form(&self) -> &'static str {
        self.form_of_engine().name()
    }

    /// Runs in the form that serves every network, whatever this one has: to see that others do
    /// the same.
    #[doc(hidden)]
    pub fn run_in_general_form(&mut self) {
        self.by_class.form = Form::General;
    }

    #[inline(never)]
    fn advance_circuits(&mut self, until: Time, enough: u64) -> Option<()> {
        self.asked.begin(enough);
        while self.events_handled < self.asked.enough {
            if self.has_only_leftovers() {
                return Some(());
            }
            let due = &mut self.due;
            let Some(now) = self.events.take_instant(until, |event| due.add(event)) else {
                return Some(());
            };
            self.begin_instant(now);
            self.run_instant();
        }
        None
    }

    /// Most instants there have one event.
    #[inline(never)]
    fn advance_classes<const HAS: Has>(&mut self, until: Time, enough: u64) -> Option<()> {
        self.asked.begin(enough);
        if self.by_class.is_over() {
            return Some(());
        }
        while self.events_handled < self.asked.enough {
            let due = &mut self.due;
            match self.events.take_next(until, |event| due.add(event)) {
                None => return Some(()),
                Some(Taken::One(event)) => {
                    self.begin_instant(event.time());
                    self.work_off_one::<HAS>(event);
                }
                Some(Taken::Several(now)) => {
                    self.begin_instant(now);
                    self.work_off_several::<HAS>();
                }
            }
            self.end_instant::<HAS>();
        }
        // What ends a run leaves no events enough.
        (self.by_class.is_over() && !self.asked.is_set).then_some(())
    }

    #[inline(always)]
    fn begin_instant(&mut self, now: Time) {
        self.now = now;
        if !self.is_warm {
            self.warm_up_at(now);
        }
    }

    /// A call, so that instants after the warm-up ask one thing.
    #[inline(never)]
    fn warm_up_at(&mut self, now: Time) {
        if now >= self.warm_up {
            self.end_warm_up();
        }
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

    /// What both kinds of networks tell alike.
    pub(crate) fn head(&self, ended_at: Time, stop: Stop) -> Outcome {
        Outcome {
            ended_at,
            stop,
            trace_hash: self.hash.value(),
            events: self.events_handled,
            unit_hops: self.unit_hops,
            control_hops: 0,
            flows: Vec::new(),
            members: Vec::new(),
            legs: Vec::new(),
            channels: Vec::new(),
            nodes: Vec::new(),
            violations: self.violations.clone(),
            standstill: None,
        }
    }

    /// Everything there is.
    pub fn network(&self) -> &Network {
        &self.network
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

    /// Adds an event: of this instant or a later one.
    #[inline]
    pub(crate) fn schedule(&mut self, event: Event) {
        if event.time() == self.now {
            self.due.add(event);
        } else {
            self.events.push(event);
        }
    }

    #[cold]
    pub(crate) fn violate(&mut self, leg: u32, what: impl FnOnce() -> String) {
        self.violations.note(self.now, Place::Leg(leg), what);
    }

    #[cold]
    pub(crate) fn end_warm_up(&mut self) {
        self.is_warm = true;
        if self.network.classes.count > 0 {
            self.start_measuring();
        }
        let at = self.warm_up;
        let counts = self.network.counts.iter_mut();
        for (leg, counts) in self.network.legs.iter_mut().zip(counts) {
            leg.receiver.fill.restart(at);
            counts.sent_before_warm_up = leg.sender.sent;
            counts.arrived_before_warm_up = leg.receiver.arrived;
        }
        for link in &mut self.network.credits {
            link.blocked.end_warm_up(at);
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
            flow.counts.lost_before_warm_up = flow.counts.lost;
            flow.counts.accepted_before_warm_up = flow.counts.accepted;
            flow.counts.delay = None;
            flow.counts.responses = None;
            flow.control.end_warm_up(at);
            if let Some(shaping) = &mut flow.shaping {
                shaping.waits = None;
            }
        }
    }
}
