//! One run in several parts at once, without changing a bit of what it finds.
//!
//! [`split`] cuts a network into parts, sets of nodes with the ports from which they send. Each
//! part is a simulation of the whole network, numbered alike, in which only its own nodes act.
//! What starts on a channel into another part is written in a letter to that part, and the letter
//! is opened there before it takes effect:
//!
//! ```text
//! while the conductor has a window    every part: run(window)
//! ```
//!
//! A *window* is a span of time: from the next event of all parts, as long as what starts on the
//! fastest channel between two parts takes until it takes effect. So nothing that is sent within a
//! window concerns another part within it, and parts may run it at the same time. Whoever drives
//! them starts the threads. The [`Conductor`] is to be asked when none of them runs.
//!
//! What has one state for both its ends has one for each here: the source's end of a flow is alive
//! in the part of its source, the other in that of its destination. What is counted at several
//! nodes adds up.

mod conductor;
mod cut;
mod mail;
mod merge;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use backwater_kernel::{BuildError, Event, EventQueue, Rings, Time};

use crate::border::{Border, Mail};
use crate::classes::Flow;
use crate::hop::wire::Channel;
use crate::plan::Specification;
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::spec::frames::{EthernetSpec, FlowSpec, NodeKind, Spread, TrafficSpec, TransportSpec};
use crate::timer::Timer;

pub use conductor::{Conductor, Window};
use cut::Cut;

/// Most parts.
pub const PARTS_MAX: usize = 64;

/// Why a run can't be cut, if it can't: `None` if it can.
pub fn obstacle(spec: &EthernetSpec) -> Option<&'static str> {
    let is_tcp = |transport: TransportSpec| matches!(transport, TransportSpec::Tcp(_));
    let mut flows = spec.flows.iter();
    if spec.flows.is_empty() {
        return Some("there are no flows");
    }
    if flows.any(|flow| matches!(flow.traffic, TrafficSpec::Video(_))) {
        return Some("the receiver of a video knows when its pictures were taken");
    }
    if spec.flows.iter().any(FlowSpec::is_multicast) {
        return Some("a flow has several destinations");
    }
    if spec.spread == Spread::Frames && spec.flows.iter().any(|flow| is_tcp(flow.transport)) {
        return Some("frames are spread over paths by a number that both ends of TCP count up");
    }
    let storms = |kind: &NodeKind| matches!(kind, NodeKind::Station { storm: Some(_) });
    if may_drain(spec) && spec.nodes.iter().any(|node| storms(&node.kind)) {
        return Some("a storm of stops keeps the run going while nothing else is left");
    }
    None
}

/// May there be an instant from which nothing happens? Datagrams that never end rule it out.
fn may_drain(spec: &EthernetSpec) -> bool {
    !spec.flows.iter().any(|flow| {
        let is_udp = matches!(flow.transport, TransportSpec::Udp { .. });
        let is_endless = matches!(
            flow.traffic,
            TrafficSpec::Infinite { bytes: None, .. }
                | TrafficSpec::Constant { .. }
                | TrafficSpec::Poisson { .. }
        );
        is_udp && is_endless
    })
}

/// Cuts a network into so many parts, and one to conduct them.
///
/// # Errors
/// If the spec describes no network that can run, or none that can be cut so.
pub fn split<Q: EventQueue>(
    spec: &EthernetSpec,
    parts: usize,
) -> Result<(Conductor, Vec<Part<Q>>), BuildError> {
    if let Some(why) = obstacle(spec) {
        return Err(BuildError(why.into()));
    }
    if !(1..=PARTS_MAX).contains(&parts) || parts > spec.nodes.len() {
        return Err(BuildError(alloc::format!(
            "{parts} parts of {} nodes: 1 to {PARTS_MAX}, at most one for each node",
            spec.nodes.len()
        )));
    }
    let first = Simulation::assemble(spec.plan()?, ());
    let cut = Cut::new(spec, &first.network, parts);
    let mut made = Vec::from([Part::new(spec, first, &cut, 0)]);
    for index in 1..parts {
        let simulation = Simulation::assemble(spec.plan()?, ());
        made.push(Part::new(spec, simulation, &cut, index));
    }
    Ok((Conductor::new(spec, cut), made))
}

/// A part of a run.
pub struct Part<Q: EventQueue = Rings> {
    simulation: Simulation<Q>,
    /// Letters from other parts.
    inbox: Vec<Mail>,
    /// Everything before this has happened.
    horizon: Time,
}

impl<Q: EventQueue> Part<Q> {
    fn new(spec: &EthernetSpec, simulation: Simulation<Q>, cut: &Cut, index: usize) -> Part<Q> {
        let mut simulation = simulation;
        let own = index as u8;
        let owners = cut.owners.clone();
        let is_own = |node: u32| owners[node as usize] == own;
        let network = &mut simulation.network;
        for channel in &mut network.channels {
            if is_own(channel.from) && !is_own(channel.to) {
                channel.kind |= Channel::CROSSES;
            }
        }
        let classes = &mut network.classes;
        for (id, flow) in (0..).zip(&mut classes.flows) {
            let ends = [is_own(flow.source), is_own(flow.destination)];
            classes.stations.keep(id, ends[0]);
            if ends[0] != ends[1] {
                flow.bits |= Flow::DIVIDED;
            }
        }
        spec.start(&mut simulation);
        simulation.border = Some(Box::new(Border {
            own,
            mails: (0..cut.parts).map(|_| Mail::default()).collect(),
            look: None,
            is_kept_awake: false,
            may_drain: may_drain(spec),
            drained: None,
            owners,
        }));
        simulation.keep_own_events();
        Part {
            simulation,
            inbox: Vec::new(),
            horizon: Time::ZERO,
        }
    }

    /// Runs a window that the conductor has given.
    ///
    /// # Panics
    /// If a letter comes too late: the window before was too long.
    pub fn run(&mut self, window: &Window) {
        for mut mail in self.inbox.drain(..) {
            self.simulation.open(&mut mail, self.horizon);
        }
        if window.end <= self.horizon {
            return;
        }
        let simulation = &mut self.simulation;
        let may_rest = window.may_drain && !window.goes_on;
        if let Some(border) = &mut simulation.border {
            border.is_kept_awake = !may_rest;
        }
        simulation.by_class.is_drained = false;
        if may_rest && simulation.network.units.live() == 0 {
            simulation.note_part_drained();
        }
        if simulation.by_class.is_drained {
            return;
        }
        // The end of a window is no part of it.
        simulation.advance(Time(window.end.ps() - 1), u64::MAX);
        if !simulation.by_class.is_drained {
            self.horizon = window.end;
        }
    }

    /// Events handled so far.
    pub fn events_handled(&self) -> u64 {
        self.simulation.events_handled
    }

    /// Units that crossed a channel so far.
    pub fn unit_hops(&self) -> u64 {
        self.simulation.unit_hops
    }

    fn border(&mut self) -> &mut Border {
        let border = self.simulation.border.as_mut();
        border.expect("a part has a border")
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// Events that were set at the beginning for nodes of other parts are theirs.
    fn keep_own_events(&mut self) {
        let mut all = Vec::new();
        let mut events = core::mem::take(&mut self.events);
        while events
            .take_instant(Time::MAX, |event| all.push(event))
            .is_some()
        {}
        for event in all {
            if self.is_own_event(event) {
                self.events.push(event);
            }
        }
    }

    fn is_own_event(&self, event: Event) -> bool {
        let network = &self.network;
        let entity = event.entity() as usize;
        let node = match Timer::of(event) {
            Timer::Refresh => network.legs[entity].receiver.node,
            Timer::Storm => network.channels[entity].from,
            Timer::Station => {
                network.classes.flows[entity / 2]
                    .ends(entity.is_multiple_of(2))
                    .0
            }
            // Every part looks for what is stuck.
            _ => return true,
        };
        let border = self.border.as_deref();
        border.is_none_or(|border| border.owners[node as usize] == border.own)
    }

    /// What an end of a divided flow did is news to the other.
    #[cold]
    pub(crate) fn tell(&mut self, flow: u32) {
        let Some(news) = self.network.classes.stations.take_news(flow) else {
            return;
        };
        let own = &self.network.classes.flows[flow as usize];
        let ends = [own.source, own.destination];
        if let Some(border) = &mut self.border {
            for node in ends {
                let to = border.owners[node as usize];
                if to != border.own {
                    border.mails[to as usize].news.push((flow, news));
                }
            }
        }
    }

    /// With no unit here: is nothing left that could cause anything? Then the part rests, unless
    /// it is known that another one goes on. (Control units may still wait for their port.)
    #[cold]
    pub(crate) fn note_part_drained(&mut self) {
        let may_drain = self.border.as_ref().is_some_and(|border| border.may_drain);
        if !may_drain || self.has_letters() || !self.has_drained() {
            return;
        }
        let now = (self.now, self.unit_hops);
        if let Some(border) = &mut self.border {
            if border.drained.is_none_or(|(_, hops)| hops != now.1) {
                border.drained = Some(now);
            }
            self.by_class.is_drained = !border.is_kept_awake;
        }
    }

    fn has_letters(&self) -> bool {
        let border = self.border.as_deref();
        border.is_some_and(|border| border.mails.iter().any(|mail| !mail.letters.is_empty()))
    }

    /// A promise that other parts rely on.
    pub(crate) fn late(&self, at: Time, horizon: Time) -> String {
        alloc::format!("a letter for {at:?} came when {horizon:?} had passed")
    }
}
