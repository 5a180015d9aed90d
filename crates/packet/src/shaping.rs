//! What stands between an application and the first port of its flow, beyond source control:
//! sizes, envelope, spacing after a warning, policer.
//!
//! A unit comes from the application to the envelope, waits for source control as part of the
//! backlog, is spaced if the source was warned, is policed and joins the queue of the first port.
//! It counts as offered from there on, or when it is refused.
//!
//! A greedy application has no excess: all its units would come at once. It is *held*: it makes
//! a unit when one conforms, so that an endless backlog stays a number. Without source control
//! that goes for spacing and policer too.
//!
//! Flows that have nothing of all this have no [`Shaping`], and pay for one look at that.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Duration, EventQueue, Time};

use crate::alarm::Alarm;
use crate::envelope::{self, Gate, Parcel, Rule, Verdict};
use crate::flow::Delays;
use crate::outcome::LossCause;
use crate::probe::{Crossing, Probe, UnitKind};
use crate::simulation::Simulation;
use crate::sizes::{self, Sizes};
use crate::source_control::SourceControl;
use crate::spec::{EnvelopeSpec, Excess, FlowSpec, OnAlarm, SourceControlSpec, TrafficSpec};
use crate::timer::Timer;
use crate::traffic::ENDLESS;

/// Where a gate stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Site {
    Envelope,
    Spacing,
    Policer,
}

impl Site {
    fn timer(self) -> Timer {
        match self {
            Site::Envelope => Timer::Envelope,
            Site::Spacing => Timer::Spacing,
            Site::Policer => Timer::Policer,
        }
    }
}

/// What one flow's units meet before the first port.
pub(crate) struct Shaping {
    sizes: Option<Sizes>,
    unit_bytes: u32,
    gates: [Option<Gate>; 3],
    /// Time that units waited at gates, after the warm-up; made with the first sample.
    pub waits: Option<Box<Delays>>,
    pub alarm: Option<Alarm>,
    is_greedy: bool,
    /// The port pulls: nothing waits at gates.
    is_pulled: bool,
    /// Units that a greedy application wants to send and that have not passed the envelope.
    held: u64,
    /// A timer is set for the instant at which a held unit conforms.
    feed_due: bool,
    /// The application stands still while it has nothing that conforms.
    freezes: bool,
    /// How long it has stood still so far: its clock is so much behind.
    lag: Duration,
}

impl Shaping {
    /// `None` for most flows.
    pub fn new(flow: &FlowSpec, seed: u64, flow_id: u32) -> Option<Box<Shaping>> {
        let gate = |spec: &EnvelopeSpec, purpose| {
            let stream = Stream::new(seed, flow_id as u64, purpose);
            Gate::new(Rule::new(&spec.rule, stream), spec.excess)
        };
        let envelope = flow.envelope.as_ref();
        let envelope = envelope.map(|spec| gate(spec, Purpose::Envelope));
        let policer = flow.policer.as_ref();
        let policer = policer.map(|spec| gate(spec, Purpose::Policer));
        let sizes = Sizes::new(&flow.sizes, seed, flow_id);
        let alarm = Alarm::new(flow);
        if envelope.is_none() && policer.is_none() && sizes.is_none() && alarm.is_none() {
            return None;
        }
        let is_greedy = matches!(flow.traffic, TrafficSpec::Greedy { .. });
        // Clients and servers answer each other: they offer when they are asked to.
        let answers = matches!(
            flow.traffic,
            TrafficSpec::Client(_) | TrafficSpec::Requests(_) | TrafficSpec::Server
        );
        let freezes = envelope.as_ref().is_some_and(Gate::freezes);
        Some(Box::new(Shaping {
            sizes,
            unit_bytes: flow.unit_bytes,
            gates: [envelope, None, policer],
            waits: None,
            alarm,
            is_greedy,
            is_pulled: is_greedy && flow.source_control == SourceControlSpec::None,
            held: 0,
            feed_due: false,
            freezes: freezes && !is_greedy && !answers,
            lag: Duration::ZERO,
        }))
    }

    /// Units that a greedy application wants to send and that have not passed the envelope.
    pub fn held(&self) -> u64 {
        self.held
    }

    pub fn gate(&mut self, site: Site) -> &mut Option<Gate> {
        &mut self.gates[site as usize]
    }

    /// The application falls silent and takes back what has not reached the port.
    pub fn fall_silent(&mut self) {
        self.held = 0;
        self.gates.iter_mut().flatten().for_each(Gate::empty);
    }

    fn draw_size(&mut self) -> u32 {
        let sizes = self.sizes.as_mut();
        sizes.map_or(self.unit_bytes, Sizes::draw)
    }

    fn keep_size(&mut self, bytes: u32) {
        if let Some(sizes) = &mut self.sizes {
            sizes.keep(bytes);
        }
    }

    /// Units before `number` will not be sent again.
    pub fn forget_before(&mut self, number: u32) {
        if let Some(sizes) = &mut self.sizes {
            sizes.forget_before(number);
        }
    }

    /// When the application may go on, if it has to stand still now.
    fn freeze(&mut self, now: Time) -> Option<Time> {
        if !self.freezes {
            return None;
        }
        let gate = self.gate(Site::Envelope).as_mut()?;
        let at = gate.rule.conforms_at(now);
        self.lag = self.lag + at.since(now);
        (at > now).then_some(at)
    }

    fn judge(&mut self, site: Site, parcel: Parcel) -> Verdict {
        let Some(gate) = self.gate(site) else {
            return Verdict::Passes;
        };
        let (verdict, delays) = (gate.judge(parcel), gate.delays());
        if verdict == Verdict::Passes && delays {
            self.note_wait(parcel.came, parcel.came);
        }
        verdict
    }

    fn note_wait(&mut self, from: Time, to: Time) {
        // What the port pulls has not waited, and what stands still neither.
        if !self.is_pulled && !self.freezes {
            Delays::record(&mut self.waits, from, to);
        }
    }

    fn release(&mut self, site: Site, now: Time) -> Result<Parcel, Option<Time>> {
        let gate = self.gate(site).as_mut().ok_or(None)?;
        let parcel = gate.release(now)?;
        self.note_wait(parcel.came, now);
        Ok(parcel)
    }

    /// A held unit goes to source control, if every gate that holds it lets it: `Err` says when
    /// to try again, unless somebody will anyway.
    fn feed(&mut self, now: Time) -> Result<(), Option<Time>> {
        if self.held == 0 {
            return Err(None);
        }
        let holding = if self.is_pulled { 3 } else { 1 };
        let mut at = now;
        for gate in self.gates[..holding].iter_mut().flatten() {
            if gate.has_waiting() {
                return Err(None);
            }
            at = at.max(gate.rule.conforms_at(now));
        }
        if at > now {
            let is_news = !self.feed_due;
            self.feed_due = true;
            return Err(is_news.then_some(at));
        }
        if self.held != ENDLESS {
            self.held -= 1;
        }
        let bytes = self.draw_size();
        self.keep_size(bytes);
        if let Some(gate) = self.gate(Site::Envelope) {
            gate.rule.pass(now, bytes);
        }
        Ok(())
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    fn shaping(&mut self, flow_id: u32) -> Option<&mut Shaping> {
        self.network.flows[flow_id as usize].shaping.as_deref_mut()
    }

    /// The application of a shaped flow has something to say.
    pub(crate) fn offer_shaped(&mut self, flow_id: u32) {
        let now = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        let Some(shaping) = flow.shaping.as_deref_mut() else {
            return;
        };
        if let Some(resume) = shaping.freeze(now) {
            return self.ask_again(flow_id, Some(resume));
        }
        let lag = shaping.lag;
        let emission = flow.traffic.on_timer(Time(now.ps() - lag.ps()));
        let units = emission.units;
        if shaping.is_greedy {
            shaping.held = shaping.held.saturating_add(units);
        } else if shaping.gate(Site::Envelope).is_none() {
            flow.backlog = flow.backlog.saturating_add(units);
        } else {
            for _ in 0..units {
                self.offer_one(flow_id);
            }
        }
        self.ask_again(flow_id, emission.next.map(|next| next + lag));
        self.pump(flow_id);
    }

    fn offer_one(&mut self, flow_id: u32) {
        let came = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        // Not numbered yet: the number is what it would be if it could be sent now.
        let number = flow.next_number;
        let bytes = flow
            .shaping
            .as_mut()
            .map_or(0, |shaping| shaping.draw_size());
        let parcel = Parcel {
            came,
            number,
            bytes,
        };
        self.present(flow_id, Site::Envelope, parcel);
    }

    /// A held unit goes to source control, now or at an instant for which a timer is set.
    pub(crate) fn feed(&mut self, flow_id: u32) -> bool {
        let now = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        let Some(shaping) = flow.shaping.as_deref_mut() else {
            return false;
        };
        match shaping.feed(now) {
            Ok(()) => {
                flow.backlog = 1;
                return true;
            }
            Err(Some(at)) => self.set_gate_timer(flow_id, Site::Envelope, at),
            Err(None) => {}
        }
        false
    }

    /// Source control, or the destination that answers, hands over unit `number`.
    pub(crate) fn inject_shaped(&mut self, flow_id: u32, number: u32) {
        let came = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        let Some(shaping) = flow.shaping.as_deref_mut() else {
            return;
        };
        let sends_again = matches!(flow.control, SourceControl::Aimd(_));
        let bytes = match &mut shaping.sizes {
            None => shaping.unit_bytes,
            Some(sizes) if sends_again => sizes.of(number),
            Some(sizes) => sizes.next(),
        };
        let parcel = Parcel {
            came,
            number,
            bytes,
        };
        self.present(flow_id, Site::Spacing, parcel);
    }

    /// A unit comes to a gate.
    fn present(&mut self, flow_id: u32, site: Site, parcel: Parcel) {
        let Some(shaping) = self.shaping(flow_id) else {
            return;
        };
        match shaping.judge(site, parcel) {
            Verdict::Passes => self.go_on(flow_id, site, parcel),
            Verdict::Refused => self.refuse_entry(flow_id, site, parcel),
            Verdict::Waits(Some(at)) => self.set_gate_timer(flow_id, site, at),
            Verdict::Waits(None) => {}
        }
    }

    /// A unit has passed a gate.
    fn go_on(&mut self, flow_id: u32, site: Site, mut parcel: Parcel) {
        parcel.came = self.now;
        let flow = &mut self.network.flows[flow_id as usize];
        let Some(shaping) = flow.shaping.as_deref_mut() else {
            return;
        };
        match site {
            Site::Envelope => {
                flow.backlog += 1;
                shaping.keep_size(parcel.bytes);
            }
            Site::Spacing => {
                if let Some(alarm) = &mut shaping.alarm {
                    alarm.count(parcel.came, parcel.bytes);
                }
                self.present(flow_id, Site::Policer, parcel);
            }
            Site::Policer => self.enter(flow_id, parcel.number, parcel.bytes),
        }
    }

    /// A unit that does not conform is dropped. Its way would have begun on the first leg.
    fn refuse_entry(&mut self, flow_id: u32, site: Site, parcel: Parcel) {
        let cause = match site {
            Site::Policer => LossCause::Policer,
            _ => LossCause::Envelope,
        };
        let root = self.network.roots(flow_id)[0];
        let channel = self.network.legs[root as usize].sender.channel;
        let flow = &mut self.network.flows[flow_id as usize];
        let destinations = flow.leaves as u64;
        flow.counts.offered += destinations;
        flow.counts.lost += destinations;
        flow.counts.drops.add(cause, destinations);
        let crossing = Crossing {
            at: self.now,
            channel,
            flow: flow_id,
            leg: root,
            kind: UnitKind::Data,
            value: parcel.number as u64,
            bytes: parcel.bytes,
        };
        self.probe.on_loss(crossing, cause);
    }

    fn set_gate_timer(&mut self, flow_id: u32, site: Site, at: Time) {
        self.schedule(site.timer().at(at, flow_id));
    }

    /// A unit that waits at a gate conforms from now on, or one that is held.
    pub(crate) fn on_gate_timer(&mut self, flow_id: u32, site: Site) {
        let now = self.now;
        if let Some(shaping) = self.shaping(flow_id)
            && shaping.is_greedy
            && site == Site::Envelope
        {
            shaping.feed_due = false;
        }
        while let Some(shaping) = self.shaping(flow_id) {
            match shaping.release(site, now) {
                Ok(parcel) => self.go_on(flow_id, site, parcel),
                Err(again) => {
                    if let Some(at) = again {
                        self.set_gate_timer(flow_id, site, at);
                    }
                    break;
                }
            }
        }
        self.pump(flow_id);
    }
}

/// Refuses what contradicts itself or would never let a unit pass.
pub(crate) fn check(flow: &FlowSpec) -> Result<(), String> {
    sizes::check(flow)?;
    for (name, spec) in [("envelope", &flow.envelope), ("policer", &flow.policer)] {
        if let Some(spec) = spec {
            let check = envelope::check(spec, flow.unit_bytes);
            check.map_err(|what| format!("its {name} {what}"))?;
        }
    }
    if flow
        .policer
        .is_some_and(|spec| spec.excess == Excess::Freeze)
    {
        return Err("a policer cannot make an application stand still".into());
    }
    if flow.on_alarm == OnAlarm::Ignore {
        return Ok(());
    }
    crate::alarm::check(flow)
}
