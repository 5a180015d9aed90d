//! One run in several parts at once, without changing a bit of what it finds.
//! A line here may touch whole simulations between two windows, and nothing while they run.
//! The next thing that crosses goes to `mail`; what is put together at the end, to `merge`.
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

mod circuits;
mod conductor;
mod cut;
mod frames;
mod mail;
mod merge;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use backwater_kernel::{BuildError, Duration, Event, EventQueue, Rings, Time};

use crate::classes::FrameFlow;
use crate::classes::shape::Form;
use crate::hop::timer::Timer;
use crate::hop::wire::Channel;
use crate::network::Network;
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::simulation::border::{Border, Mail};
use crate::simulation::plan::Specification;

pub use crate::network::owners::{Divided, Own};
pub use conductor::{Conductor, Window};
use cut::Cut;

/// Most parts.
pub const PARTS_MAX: usize = 64;

/// Such sources and controls may share what they hold, so they are called one after another.
const OUTSIDE: &str = "a source or control is written outside the program";

/// A specification of what may run in parts.
pub trait Divisible: Specification {
    /// Why it can't, whatever the network looks like.
    fn obstacle(&self) -> Option<&'static str>;
    /// Its nodes.
    fn nodes(&self) -> usize;
    /// Pairs of nodes that have to be in one part.
    fn ties(&self) -> Vec<(u32, u32)>;
    /// By flow: its source and its destination, one that is tied to the others if it has several.
    fn ends(&self, network: &Network) -> Vec<(u32, u32)>;
    /// By channel: how much it carries, in comparison.
    fn loads(&self, network: &Network) -> Vec<u64>;
    /// By channel: from the start of a unit until it takes effect, at least.
    fn least_times(&self, network: &Network) -> Vec<Duration>;
    /// The run may end since nothing is left to happen, with events that are still to come.
    fn may_drain(&self) -> bool;
    /// How often somebody looks for what is stuck, while it runs.
    fn stall_after(&self) -> Option<Duration>;
}

/// Why a run can't be cut, if it can't: `None` if it can.
pub fn obstacle(spec: &impl Divisible) -> Option<&'static str> {
    let is_whole = || most_parts(spec) < 2;
    let why = "what its flows share ties all nodes together";
    spec.obstacle().or_else(|| is_whole().then_some(why))
}

/// Into how many parts it can be cut, but for what [`obstacle`] says.
pub fn most_parts(spec: &impl Divisible) -> usize {
    let (_, groups) = cut::groups(spec.nodes(), &spec.ties());
    groups.min(PARTS_MAX)
}

/// Cuts a network into so many parts, and one to conduct them.
///
/// # Errors
/// If the spec describes no network that can run, or none that can be cut so.
pub fn split<Q: EventQueue>(
    spec: &impl Divisible,
    parts: usize,
) -> Result<(Conductor, Vec<Part<Q>>), BuildError> {
    split_watched(spec, parts, || ())
}

/// The same with a probe that looks at each part.
///
/// # Errors
/// As [`split`].
pub fn split_watched<Q: EventQueue, P: Probe>(
    spec: &impl Divisible,
    parts: usize,
    mut probe: impl FnMut() -> P,
) -> Result<(Conductor, Vec<Part<Q, P>>), BuildError> {
    let (split, first) = Split::new(spec, parts, probe())?;
    let mut made = Vec::from([first]);
    for index in 1..parts {
        made.push(split.part(index, probe())?);
    }
    Ok((split.conductor(), made))
}

/// A network that is cut, whose parts are still to be made: each of them by anybody, at any time.
pub struct Split<'a, S> {
    spec: &'a S,
    cut: Cut,
    /// When the run ends, and its first mark.
    times: (Time, Option<Time>),
}

impl<'a, S: Divisible> Split<'a, S> {
    /// Cuts it into so many parts, and makes the first with its `probe`.
    ///
    /// # Errors
    /// As [`split`].
    pub fn new<Q: EventQueue, P: Probe>(
        spec: &'a S,
        parts: usize,
        probe: P,
    ) -> Result<(Split<'a, S>, Part<Q, P>), BuildError> {
        let plan = spec.plan()?;
        if let Some(why) = spec.obstacle() {
            return Err(BuildError(why.into()));
        }
        let most = most_parts(spec);
        if !(1..=most).contains(&parts) {
            return Err(BuildError(alloc::format!(
                "{parts} parts of {} nodes: 1 to {most}",
                spec.nodes()
            )));
        }
        let first = Simulation::assemble(plan, probe);
        let cut = Cut::new(spec, &first.network, parts);
        let times = (first.stop_at, first.mark.at);
        let first = Part::new(spec, first, &cut, 0);
        Ok((Split { spec, cut, times }, first))
    }

    /// Makes another part.
    ///
    /// # Errors
    /// None that the first part had not.
    pub fn part<Q: EventQueue, P: Probe>(
        &self,
        index: usize,
        probe: P,
    ) -> Result<Part<Q, P>, BuildError> {
        let simulation = Simulation::assemble(self.spec.plan()?, probe);
        Ok(Part::new(self.spec, simulation, &self.cut, index))
    }

    /// Who conducts them.
    pub fn conductor(self) -> Conductor {
        Conductor::new(self.spec, self.cut, self.times)
    }
}

/// A part of a run.
pub struct Part<Q: EventQueue = Rings, P: Probe = ()> {
    simulation: Simulation<Q, P>,
    /// Letters from other parts.
    inbox: Vec<Mail>,
    /// Room for letters.
    spare: Vec<Mail>,
    /// Everything before this has happened.
    horizon: Time,
}

impl<Q: EventQueue, P: Probe> Part<Q, P> {
    fn new(
        spec: &impl Divisible,
        simulation: Simulation<Q, P>,
        cut: &Cut,
        index: usize,
    ) -> Part<Q, P> {
        let mut simulation = simulation;
        let own = index as u8;
        let is = cut.owners.of(own);
        let network = &mut simulation.network;
        for (id, channel) in network.channels.iter_mut().enumerate() {
            if is.sends_on(id) && !is.hears(id) {
                channel.kind |= Channel::CROSSES;
            }
        }
        for leg in &mut network.legs {
            let sender = &mut leg.sender;
            sender.is_watched |= network.channels[sender.channel as usize].is(Channel::CROSSES);
        }
        // What a part meets that a whole does not, only the general form knows.
        simulation.by_class.form = Form::General;
        let classes = &mut network.classes;
        for (id, flow) in (0..).zip(&mut classes.flows) {
            let has_source = is.has_source(id as usize);
            classes.stations.keep(id, has_source);
            if has_source != is.has_destination(id as usize) {
                flow.bits |= FrameFlow::DIVIDED;
            }
        }
        simulation.show_probe();
        spec.start(&mut simulation);
        simulation.border = Some(Box::new(Border {
            own,
            mails: (0..cut.parts).map(|_| Mail::default()).collect(),
            look: None,
            is_kept_awake: false,
            may_drain: spec.may_drain(),
            drained: None,
            owners: cut.owners.nodes.clone(),
        }));
        simulation.keep_own_events();
        Part {
            simulation,
            inbox: Vec::new(),
            spare: Vec::new(),
            horizon: Time::ZERO,
        }
    }

    /// Runs a window that the conductor has given.
    ///
    /// # Panics
    /// If a letter comes too late: the window before was too long.
    pub fn run(&mut self, window: &Window) {
        self.open_all(self.horizon);
        if window.end <= self.horizon {
            return;
        }
        self.simulation.set_mark_before(window.start);
        let simulation = &mut self.simulation;
        let may_rest = window.may_drain && !window.goes_on;
        if let Some(border) = &mut simulation.border {
            border.is_kept_awake = !may_rest;
        }
        simulation.by_class.is_drained = false;
        let has_classes = simulation.network.classes.count > 0;
        if has_classes && may_rest && simulation.network.units.live() == 0 {
            simulation.note_part_drained();
        }
        if simulation.by_class.is_drained {
            return;
        }
        // The end of a window is no part of it.
        simulation.advance(Time(window.end.ps() - 1), u64::MAX);
        if !simulation.rests() {
            self.horizon = window.end;
        }
    }

    /// Takes in what has come; everything before `horizon` has happened.
    fn open_all(&mut self, horizon: Time) {
        for mut mail in self.inbox.drain(..) {
            self.simulation.open(&mut mail, horizon);
            self.spare.push(mail);
        }
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
        all.retain(|event| self.is_own_event(*event));
        if let Some(tcp) = &mut self.network.tcp {
            let is_tcp = |event: &&Event| Timer::of(**event) == Timer::Tcp;
            tcp.set_events(all.iter().filter(is_tcp).count());
        }
        all.into_iter().for_each(|event| self.events.push(event));
    }

    fn is_own_event(&self, event: Event) -> bool {
        let network = &self.network;
        let entity = event.entity() as usize;
        let node = match Timer::of(event) {
            Timer::Refresh => network.legs[entity].receiver.node,
            Timer::Storm | Timer::Interval | Timer::Statement | Timer::Drain | Timer::Rates => {
                network.channels[entity].from
            }
            Timer::Update => network.channels[entity].to,
            Timer::Station => {
                network.classes.flows[entity / 2]
                    .ends(entity.is_multiple_of(2))
                    .0
            }
            Timer::Offer | Timer::Open | Timer::Close | Timer::Tcp => {
                network.ends(event.entity()).0
            }
            // Every part looks for what is stuck.
            _ => return true,
        };
        let border = self.border.as_deref();
        border.is_none_or(|border| border.owners[node as usize] == border.own)
    }

    /// What had started before `at` is noted, if that is to be done.
    fn set_mark_before(&mut self, at: Time) {
        if self.mark.is_due(at).is_some() {
            self.mark.set(&self.network);
        }
    }

    /// What an end of a divided flow did is news to the other.
    #[cold]
    pub(crate) fn tell(&mut self, flow: u32) {
        let own = &self.network.classes.flows[flow as usize];
        let ends = [own.source, own.destination];
        let Some(border) = &mut self.border else {
            return;
        };
        while let Some(news) = self.network.classes.stations.take_news(flow) {
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
            if self.by_class.is_drained {
                self.asked.enough = 0;
            }
        }
    }

    fn has_letters(&self) -> bool {
        self.border
            .as_ref()
            .is_some_and(|border| border.has_letters())
    }

    /// With nothing left: may it end here? Not a part of a run where others may have more.
    #[cold]
    pub(crate) fn may_rest(&self) -> bool {
        let border = self.border.as_ref();
        border.is_none_or(|border| !border.is_kept_awake && !border.has_letters())
    }

    /// Nothing is left here, and it is not known that another part goes on.
    fn rests(&mut self) -> bool {
        if self.network.classes.count > 0 {
            return self.by_class.is_drained;
        }
        let rests = self.may_rest() && self.network.is_over(self.events.len());
        if let (true, Some(border)) = (rests, &mut self.border) {
            border.drained.get_or_insert((self.now, self.unit_hops));
        }
        rests
    }

    /// A promise that other parts rely on.
    pub(crate) fn late(&self, at: Time, horizon: Time) -> String {
        alloc::format!("a letter for {at:?} came when {horizon:?} had passed")
    }
}
