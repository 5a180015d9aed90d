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

mod steps;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use backwater_ends::application::units::ENDLESS;
use backwater_ends::shape::envelope::{self, Bucket, Gate, Parcel, Rule, Verdict};
use backwater_ends::shape::sizes::{self, Sizes};
use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Delays, Duration, Time};

use crate::flow;
use crate::flow::alarm::Alarm;
use crate::hop::timer::Timer;
use crate::spec::{EnvelopeSpec, Excess, FlowSpec, OnAlarm, SourceControlSpec, TrafficSpec};

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

    /// Units are spaced from now on; a later warning never makes them faster.
    fn heed_alarm(&mut self, now: Time) {
        let Some(rate) = self.alarm.as_mut().and_then(|alarm| alarm.heed(now)) else {
            return;
        };
        match self.gate(Site::Spacing) {
            Some(Gate {
                rule: Rule::Bucket(bucket),
                ..
            }) => bucket.set_rate(rate.min(bucket.rate())),
            gate => {
                let bucket = Bucket::new(rate, Duration::ZERO);
                *gate = Some(Gate::new(Rule::Bucket(bucket), Excess::Delay));
            }
        }
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
            flow::record(&mut self.waits, from, to);
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

/// Refuses what contradicts itself or would never let a unit pass.
pub(crate) fn check(flow: &FlowSpec) -> Result<(), String> {
    sizes::check(&flow.sizes, flow.unit_bytes)?;
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
    crate::flow::alarm::check(flow)
}
