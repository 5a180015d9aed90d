//! Says how far the parts of a run may go at once, and joins what they found.

use core::ops::{Deref, DerefMut};

use alloc::vec::Vec;

use backwater_kernel::{Duration, EventQueue, Time};

use super::cut::Cut;
use super::{Divided, Divisible, Part, merge};
use crate::circuits::finish::balance_circuits;
use crate::classes::stuck::Look;
use crate::frames::finish;
use crate::inspect::snapshot::ChannelState;
use crate::network::owners::take_over;
use crate::outcome::{Outcome, Standstill};
use crate::probe::Probe;

/// A span of time in which parts don't concern each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// Nothing happens before this that has not happened.
    pub(super) start: Time,
    /// The first instant that is no part of it.
    pub(super) end: Time,
    /// Parts in which nothing is left go on: others have more, or this is the end of the run.
    pub(super) goes_on: bool,
    /// The run can end because nothing is left anywhere.
    pub(super) may_drain: bool,
}

/// Knows how the parts of a run belong together.
pub struct Conductor {
    cut: Cut,
    stop_at: Time,
    may_drain: bool,
    window: Window,
    /// When to look for what is stuck, if ever, and how often.
    stall_after: Option<Duration>,
    looks: u64,
    /// When it is noted what has started, if ever.
    mark_at: Option<Time>,
    data_hops_before: u64,
    standstill: Option<Standstill>,
    /// Everything up to here has happened.
    reached: Time,
    /// Nothing was left anywhere at this instant, unless a control unit started up to then that
    /// had waited for its port; and the end of the window in which that was seen.
    maybe_over: Option<(Time, Time)>,
    /// The run is over since, with nothing left or for good stuck.
    over_at: Option<Time>,
}

impl Conductor {
    pub(super) fn new(
        spec: &impl Divisible,
        cut: Cut,
        (stop_at, mark_at): (Time, Option<Time>),
    ) -> Conductor {
        let may_drain = spec.may_drain();
        Conductor {
            cut,
            stop_at,
            may_drain,
            window: Window {
                start: Time::ZERO,
                end: Time::ZERO,
                goes_on: true,
                may_drain,
            },
            stall_after: spec.stall_after(),
            looks: 0,
            mark_at,
            data_hops_before: 0,
            standstill: None,
            reached: Time::ZERO,
            maybe_over: None,
            over_at: None,
        }
    }

    /// For tests: windows that are longer by this than they may be.
    #[doc(hidden)]
    pub fn stretch(&mut self, by: Duration) {
        self.cut.lookahead = self.cut.lookahead + by;
    }

    /// How many channels lead from one part to another.
    pub fn crossings(&self) -> usize {
        self.cut.crossings
    }

    /// How long a window lasts at least.
    pub fn lookahead(&self) -> Duration {
        self.cut.lookahead
    }

    /// How far the run is.
    pub fn now(&self) -> Time {
        self.over_at.unwrap_or(self.reached)
    }

    /// Can more happen before the end of the run?
    pub fn has_more(&self) -> bool {
        self.over_at.is_none() && self.reached < self.stop_at
    }

    /// The next window up to and at `until`; `None` if there is nothing more to do. All parts have
    /// run the last one, and none runs now.
    ///
    /// # Panics
    /// If a part has left letters unread: it did not run its window.
    pub fn next<Q: EventQueue, P: Probe>(
        &mut self,
        parts: &mut [impl DerefMut<Target = Part<Q, P>>],
        until: Time,
    ) -> Option<Window> {
        let until = until.min(self.stop_at);
        exchange(parts);
        if self.take_looks(parts) || self.over_at.is_some() {
            return None;
        }
        if let Some((at, end)) = self.maybe_over.take() {
            if parts.iter_mut().all(|part| part.is_drained()) {
                self.over_at = Some(at);
                return None;
            }
            self.window = Window {
                end,
                goes_on: false,
                ..self.window
            };
            return Some(self.window);
        }
        if let Some(window) = self.rest_or_go_on(parts) {
            return Some(window);
        }
        let next = parts.iter_mut().filter_map(|part| part.next_at()).min();
        let Some(next) = next else {
            let ends = parts.iter().map(|part| part.simulation.now);
            self.over_at = ends.max();
            return None;
        };
        if next > until {
            self.reached = until;
            return None;
        }
        let end = next.checked_add(self.cut.lookahead).unwrap_or(Time::MAX);
        let mut end = end.min(Time(until.ps() + 1));
        // Where nobody looks for what is stuck, this is over once.
        let pauses = [self.look_at(), self.mark_at].into_iter().flatten();
        for at in pauses.filter(|at| *at >= next) {
            end = end.min(Time(at.ps().saturating_add(1)));
        }
        self.reached = self.reached.max(Time(end.ps() - 1));
        self.window = Window {
            start: next,
            end,
            goes_on: false,
            may_drain: self.may_drain,
        };
        Some(self.window)
    }

    /// When somebody looks next for what is stuck.
    fn look_at(&self) -> Option<Time> {
        let every = self.stall_after?;
        Some(Time(every.ps().saturating_mul(self.looks + 1)))
    }

    /// With nothing left in some parts: is it so in all? Then the run ends as the last of them
    /// came to that. Else the window goes on in those, too.
    fn rest_or_go_on<Q: EventQueue, P: Probe>(
        &mut self,
        parts: &mut [impl DerefMut<Target = Part<Q, P>>],
    ) -> Option<Window> {
        let last = &mut self.window;
        if last.goes_on || !last.may_drain {
            return None;
        }
        let rests = |part: &Part<Q, P>| part.horizon < last.end;
        if !parts.iter().any(|part| rests(part)) {
            return None;
        }
        if parts.iter().all(|part| rests(part) && !part.has_mail()) {
            let ends = parts.iter().map(|part| part.drained_at());
            let at = ends.max().unwrap_or_default();
            self.maybe_over = Some((at, last.end));
            last.end = Time(at.ps() + 1);
        }
        last.goes_on = true;
        Some(*last)
    }

    /// Joins what all parts saw when they looked for what is stuck, if they did. True if the run
    /// ends for that.
    fn take_looks<Q: EventQueue, P: Probe>(
        &mut self,
        parts: &mut [impl DerefMut<Target = Part<Q, P>>],
    ) -> bool {
        if !parts.iter_mut().all(|part| part.border().look.is_some()) {
            return false;
        }
        let looks = parts
            .iter_mut()
            .filter_map(|part| part.border().look.take());
        let looks: Vec<Look> = looks.collect();
        let (look, data_hops) = Look::join(looks.into_iter());
        let at = self.look_at().unwrap_or_default();
        self.looks += 1;
        let network = &parts[0].simulation.network;
        self.standstill = network.judge(&look, self.data_hops_before, (at, self.stop_at));
        self.data_hops_before = data_hops;
        if self.standstill.is_some() {
            self.over_at = Some(at);
        }
        self.standstill.is_some()
    }

    /// What all parts found so far. None of them runs.
    pub fn outcome<Q: EventQueue, P: Probe>(
        &mut self,
        parts: &mut [impl DerefMut<Target = Part<Q, P>>],
    ) -> Outcome {
        exchange(parts);
        parts.iter_mut().for_each(|part| part.open_all(Time::ZERO));
        let is_warm = parts.iter().any(|part| part.simulation.is_warm);
        let mut outcome = match parts[0].simulation.network.classes.count {
            0 => self.circuit_outcome(parts),
            _ => self.class_outcome(parts, is_warm),
        };
        outcome.trace_hash = merge::hash(parts.iter().map(|part| part.simulation.hash));
        outcome
    }

    fn class_outcome<Q: EventQueue, P: Probe>(
        &mut self,
        parts: &mut [impl DerefMut<Target = Part<Q, P>>],
        is_warm: bool,
    ) -> Outcome {
        let ended_at = self.now();
        let is_stuck = self.standstill.is_some();
        let is_drained = self.over_at.is_some() && !is_stuck;
        let stop = finish::stop(ended_at, self.stop_at, is_drained, is_stuck);
        let found = parts.iter_mut().map(|part| {
            part.catch_up(ended_at, is_warm);
            part.simulation.found_by(ended_at, stop)
        });
        let mut outcome = merge::merge(found.collect(), &self.cut.owners);
        outcome.events += self.looks;
        outcome.standstill.clone_from(&self.standstill);
        finish::end(&mut outcome);
        outcome
    }

    fn circuit_outcome<Q: EventQueue, P: Probe>(
        &mut self,
        parts: &mut [impl DerefMut<Target = Part<Q, P>>],
    ) -> Outcome {
        let next = match self.over_at {
            None => parts.iter_mut().filter_map(|part| part.next_at()).min(),
            Some(_) => None,
        };
        let nows = parts.iter().map(|part| part.simulation.now);
        let now = nows.max().unwrap_or_default();
        let is_at_rest = parts.iter().all(|part| part.simulation.is_at_rest());
        let stop = parts[0].simulation.stop(next, next.is_none() && is_at_rest);
        let found = parts.iter_mut().map(|part| {
            part.simulation.set_mark_before(self.reached);
            part.simulation.circuits_found(now, stop)
        });
        let mut outcome = merge::merge(found.collect(), &self.cut.owners);
        let network = &parts[0].simulation.network;
        balance_circuits(&mut outcome, network, now);
        let seen = parts.iter().filter_map(|part| part.simulation.see(stop));
        let seen = seen.reduce(|mut all, other| {
            all.join(other);
            all
        });
        outcome.standstill = seen.and_then(|seen| network.standstill(&seen, now));
        outcome
    }

    /// Events that all parts have handled.
    pub fn events_handled<Q: EventQueue, P: Probe>(
        &self,
        parts: &[impl Deref<Target = Part<Q, P>>],
    ) -> u64 {
        let handled = parts.iter().map(|part| part.simulation.events_handled);
        handled.sum::<u64>() + self.looks
    }

    /// As [`Simulation::snapshot`](crate::Simulation::snapshot), of all parts. True if the warm-up
    /// is over.
    pub fn snapshot<Q: EventQueue, P: Probe>(
        &self,
        parts: &mut [impl DerefMut<Target = Part<Q, P>>],
        at: Time,
        into: &mut Vec<ChannelState>,
    ) -> bool {
        let is_warm = parts.iter().any(|part| part.simulation.is_warm);
        let mut found = Vec::new();
        for (part, number) in parts.iter_mut().zip(0..) {
            // The instant of the snapshot may be the next one, at which nothing has happened yet.
            part.catch_up(self.now(), is_warm);
            part.simulation.snapshot(at, &mut found);
            match number {
                0 => into.clone_from(&found),
                _ => {
                    let own = self.cut.owners.of(number);
                    take_over(into, &found, |channel| own.sends_on(channel));
                }
            }
        }
        parts.iter().any(|part| part.simulation.is_warm)
    }

    /// What the probes of all parts have seen, as if there was one.
    pub fn probe<Q: EventQueue, P: Probe + Divided>(
        &self,
        parts: &[impl Deref<Target = Part<Q, P>>],
    ) -> P {
        let mut parts = (0..).zip(parts);
        let (_, first) = parts.next().expect("a run has a part");
        let mut all = first.simulation.probe.clone();
        for (part, other) in parts {
            all.join(&other.simulation.probe, self.cut.owners.of(part));
        }
        all
    }
}

/// Hands over what crosses.
fn exchange<Q: EventQueue, P: Probe>(parts: &mut [impl DerefMut<Target = Part<Q, P>>]) {
    for from in 0..parts.len() {
        for to in 0..parts.len() {
            if parts[from].border().mails[to].is_empty() {
                continue;
            }
            let spare = parts[to].spare.pop().unwrap_or_default();
            let mail = core::mem::replace(&mut parts[from].border().mails[to], spare);
            parts[to].inbox.push(mail);
        }
    }
}

impl<Q: EventQueue, P: Probe> Part<Q, P> {
    /// When something happens here next.
    fn next_at(&mut self) -> Option<Time> {
        let first = self.inbox.iter().filter_map(|mail| mail.first).min();
        let own = self.simulation.events.next_time();
        [first, own].into_iter().flatten().min()
    }

    fn has_mail(&self) -> bool {
        self.inbox.iter().any(|mail| mail.first.is_some())
    }

    fn drained_at(&self) -> Time {
        let border = self.simulation.border.as_ref();
        let drained = border.and_then(|border| border.drained);
        drained.map_or(Time::ZERO, |(at, _)| at)
    }

    fn is_drained(&mut self) -> bool {
        let simulation = &mut self.simulation;
        let network = &simulation.network;
        let is_over = match network.classes.count {
            0 => network.is_over(simulation.events.len()),
            _ => network.units.live() == 0 && simulation.has_drained(),
        };
        is_over && !self.has_mail()
    }

    /// The run has come to `at`, and stops there for now; `is_warm` if some part has ended its
    /// warm-up.
    fn catch_up(&mut self, at: Time, is_warm: bool) {
        if is_warm && !self.simulation.is_warm {
            self.simulation.end_warm_up();
        }
        match self.simulation.network.classes.count {
            0 => self.simulation.rest_all(at),
            _ => self.simulation.catch_up(at),
        }
    }
}
