//! Frames by class.

use std::collections::BTreeMap;

use backwater_kernel::words::counted;
use backwater_kernel::{Channels, Time};
use backwater_net::frames::hashed_lane;
use backwater_net::frames::probe::{Frame, FrameView, Gate, LossCause, Probe};
use backwater_net::frames::spec::{EthernetSpec, Owner};

use super::Kept;
use crate::events::drops::cause;
use crate::stepping::Named;

/// What happens in a run of frames.
#[derive(Clone, Debug)]
pub struct FrameLog {
    named: Named,
    /// What happened.
    pub kept: Kept,
    /// The frame that has just come over a channel, and when.
    came: Option<(Time, FrameView, u32)>,
    /// Channels and classes with credit, and who has it.
    credits: BTreeMap<(u32, u8), Owner>,
    /// Of the run.
    seed: u64,
    /// What is stopped, and since when.
    stopped: BTreeMap<(u32, Gate), Time>,
}

impl FrameLog {
    /// With these names, of this network.
    pub fn new(named: Named, spec: &EthernetSpec) -> FrameLog {
        let channels = spec.links.channels();
        let credits = channels.flat_map(|id| {
            let of_class = (0..).zip(&spec.links.channel(id).credits);
            of_class.filter_map(move |(class, credit)| Some(((id, class), credit.as_ref()?.owner)))
        });
        let credits: BTreeMap<(u32, u8), Owner> = credits.collect();

        FrameLog {
            named,
            kept: Kept::default(),
            came: None,
            credits,
            seed: spec.seed,
            stopped: BTreeMap::new(),
        }
    }

    /// What has come is told alone, if nothing has been told of it together with what it did.
    fn tell_arrival(&mut self) {
        let Some((at, view, channel)) = self.came.take() else {
            return;
        };
        let named = &self.named;
        self.kept.note(at.ps(), || {
            format!("{} arrives at {}", named.frame(&view), named.to(channel))
        });
    }

    /// Is it the frame that has just come?
    fn takes_arrival(&mut self, view: &FrameView) -> bool {
        let is_it = self.came.as_ref().is_some_and(|(_, came, _)| {
            (came.flow, came.number, came.source) == (view.flow, view.number, view.source)
        });
        match is_it {
            true => self.came = None,
            false => self.tell_arrival(),
        }
        is_it
    }

    /// What stops a frame in front of a channel, if anything does.
    fn stop(&self, channel: u32, view: &FrameView) -> String {
        let (class, to) = (view.class, view.destination);
        let gates = [
            Gate::Port,
            Gate::Class(class),
            Gate::Destination(class, to),
            Gate::Flow(class, view.way()),
        ];
        let lane = self.lane(channel, view);
        let on = gates.into_iter().chain(lane).find_map(|gate| {
            let since = self.stopped.get(&(channel, gate))?;
            Some((gate, *since))
        });
        let Some((gate, since)) = on else {
            return String::new();
        };
        let since = self.named.clock.at(since.ps());
        match self.credits.contains_key(&(channel, class)) {
            true => format!("; it has had too little credit since {since}"),
            false => {
                let what = self.named.gate(channel, gate);
                format!(
                    "; {what} is stopped by {} since {since}",
                    self.named.to(channel)
                )
            }
        }
    }

    /// The lane that a frame is hashed to, if frames are.
    fn lane(&self, channel: u32, view: &FrameView) -> Option<Gate> {
        let owner = self.credits.get(&(channel, view.class))?;
        let number = hashed_lane(self.seed, channel, view.way(), owner.hash_lanes()?);
        Some(Gate::Lane(view.class, number))
    }

    fn is_off(&self) -> bool {
        self.kept.is_off
    }
}

impl Probe for FrameLog {
    fn on_frame_joined(&mut self, at: Time, channel: u32, frame: &Frame<'_>, queue_bytes: u64) {
        if self.is_off() {
            return;
        }
        let view = frame.view();
        let has_come = self.takes_arrival(view);
        let stop = self.stop(channel, view);
        let named = &self.named;
        self.kept.note(at.ps(), || {
            let (what, node) = (named.frame(view), named.from(channel));
            let verb = match has_come {
                true => format!("arrives at {node}"),
                false => format!("is made at {node} ({})", counted(view.bytes, "byte")),
            };
            let (port, class) = (named.port(channel), view.class);
            let bytes = counted(queue_bytes, "byte");
            format!("{what} {verb} and joins {port}, class {class}, which then holds {bytes}{stop}")
        });
    }

    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        if self.is_off() {
            return;
        }
        self.tell_arrival();
        let (named, view) = (&self.named, frame.view());
        self.kept.note(at.ps(), || {
            let (what, bytes) = (named.frame(view), counted(view.bytes, "byte"));
            format!(
                "{what} leaves {} for {} ({bytes})",
                named.from(channel),
                named.to(channel)
            )
        });
    }

    fn on_frame_arrival(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        if self.is_off() {
            return;
        }
        self.tell_arrival();
        self.came = Some((at, *frame.view(), channel));
    }

    fn on_frame_dropped(&mut self, at: Time, channel: u32, frame: &Frame<'_>, why: LossCause) {
        if self.is_off() {
            return;
        }
        let has_come = self.takes_arrival(frame.view());
        let named = &self.named;
        self.kept.note(at.ps(), || {
            let (what, port) = (named.frame(frame.view()), named.port(channel));
            let come = if has_come { "arrives and " } else { "" };
            match why {
                LossCause::Wire => format!("{what} is lost on {port}"),
                why => format!("{what} {come}is dropped at {port}: {}", cause(why)),
            }
        });
    }

    fn on_frame_trimmed(&mut self, at: Time, channel: u32, frame: &Frame<'_>, bytes: u32) {
        if self.is_off() {
            return;
        }
        self.takes_arrival(frame.view());
        let named = &self.named;
        self.kept.note(at.ps(), || {
            let (what, port) = (named.frame(frame.view()), named.port(channel));
            format!(
                "{what} arrives, finds its queue at {port} full and is trimmed to {}",
                counted(bytes, "byte")
            )
        });
    }

    fn on_frame_delivered(&mut self, at: Time, frame: &Frame<'_>) {
        if self.is_off() {
            return;
        }
        let view = frame.view();
        self.takes_arrival(view);
        let named = &self.named;
        self.kept.note(at.ps(), || {
            let took = named.clock.span(at.since(view.born).ps());
            let (what, to) = (named.frame(view), named.node(view.destination));
            format!("{what} is delivered to {to}, {took} old")
        });
    }

    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        self.tell_arrival();
        if is_stopped {
            self.stopped.entry((channel, gate)).or_insert(at);
        } else {
            self.stopped.remove(&(channel, gate));
        }
        let named = &self.named;
        let class = gate.class();
        let has_credit = class.is_some_and(|own| self.credits.contains_key(&(channel, own)));
        self.kept.note(at.ps(), || {
            let (what, by) = (named.gate(channel, gate), named.to(channel));
            match (is_stopped, has_credit) {
                (true, true) => format!("{what} has too little credit from {by} to go on"),
                (true, false) => format!("{what} is stopped by {by}"),
                (false, true) => format!("{what} has credit to go on"),
                (false, false) => format!("{what} may go again"),
            }
        });
    }

    fn after_instant(&mut self, _: Time, _: &backwater_net::Network) {
        self.tell_arrival();
    }
}
