//! Says how far the parts of a run may go at once, and joins what they found.

use core::ops::DerefMut;

use alloc::vec::Vec;

use backwater_kernel::{Duration, EventQueue, Stop, Time};

use super::cut::Cut;
use super::{Part, merge};
use crate::classes::stuck::Look;
use crate::frames::finish;
use crate::outcome::{Outcome, Standstill};
use crate::spec::frames::EthernetSpec;

/// A span of time in which parts don't concern each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
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
    stall_after: Duration,
    looks: u64,
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
    pub(super) fn new(spec: &EthernetSpec, cut: Cut) -> Conductor {
        let may_drain = super::may_drain(spec);
        Conductor {
            cut,
            stop_at: spec.stop_at,
            may_drain,
            window: Window {
                end: Time::ZERO,
                goes_on: true,
                may_drain,
            },
            stall_after: spec.stall_after,
            looks: 0,
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
    pub fn next<Q: EventQueue>(
        &mut self,
        parts: &mut [impl DerefMut<Target = Part<Q>>],
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
        let look_at = self.stall_after.ps().saturating_mul(self.looks + 1);
        if look_at >= next.ps() {
            end = end.min(Time(look_at.saturating_add(1)));
        }
        self.reached = self.reached.max(Time(end.ps() - 1));
        self.window = Window {
            end,
            goes_on: false,
            may_drain: self.may_drain,
        };
        Some(self.window)
    }

    /// With nothing left in some parts: is it so in all? Then the run ends as the last of them
    /// came to that. Else the window goes on in those, too.
    fn rest_or_go_on<Q: EventQueue>(
        &mut self,
        parts: &mut [impl DerefMut<Target = Part<Q>>],
    ) -> Option<Window> {
        let last = &mut self.window;
        if last.goes_on || !last.may_drain {
            return None;
        }
        let rests = |part: &Part<Q>| part.horizon < last.end;
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
    fn take_looks<Q: EventQueue>(&mut self, parts: &mut [impl DerefMut<Target = Part<Q>>]) -> bool {
        if !parts.iter_mut().all(|part| part.border().look.is_some()) {
            return false;
        }
        let looks = parts
            .iter_mut()
            .filter_map(|part| part.border().look.take());
        let looks: Vec<Look> = looks.collect();
        let (look, data_hops) = Look::join(looks.into_iter());
        self.looks += 1;
        let at = Time(self.stall_after.ps() * self.looks);
        let network = &parts[0].simulation.network;
        self.standstill = network.judge(&look, self.data_hops_before, (at, self.stop_at));
        self.data_hops_before = data_hops;
        if self.standstill.is_some() {
            self.over_at = Some(at);
        }
        self.standstill.is_some()
    }

    /// What all parts found so far. None of them runs.
    pub fn outcome<Q: EventQueue>(
        &mut self,
        parts: &mut [impl DerefMut<Target = Part<Q>>],
    ) -> Outcome {
        exchange(parts);
        let ended_at = self.now();
        let is_stuck = self.standstill.is_some();
        let is_drained = self.over_at.is_some() && !is_stuck;
        let stop = finish::stop(ended_at, self.stop_at, is_drained, is_stuck);
        let is_warm = parts.iter().any(|part| part.simulation.is_warm);
        let found = parts
            .iter_mut()
            .map(|part| part.found(ended_at, stop, is_warm));
        let found: Vec<Outcome> = found.collect();
        let mut outcome = merge::merge(found, &self.cut);
        outcome.trace_hash = merge::hash(parts.iter().map(|part| part.simulation.hash));
        outcome.events += self.looks;
        outcome.standstill.clone_from(&self.standstill);
        finish::balance(&mut outcome);
        outcome
    }
}

/// Hands over what crosses.
fn exchange<Q: EventQueue>(parts: &mut [impl DerefMut<Target = Part<Q>>]) {
    for from in 0..parts.len() {
        for to in 0..parts.len() {
            if parts[from].border().mails[to].is_empty() {
                continue;
            }
            let mail = core::mem::take(&mut parts[from].border().mails[to]);
            parts[to].inbox.push(mail);
        }
    }
}

impl<Q: EventQueue> Part<Q> {
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
        self.simulation.network.units.live() == 0
            && !self.has_mail()
            && self.simulation.has_drained()
    }

    fn found(&mut self, ended_at: Time, stop: Stop, is_warm: bool) -> Outcome {
        for mut mail in self.inbox.drain(..) {
            self.simulation.open(&mut mail, Time::ZERO);
        }
        if is_warm && !self.simulation.is_warm {
            self.simulation.end_warm_up();
        }
        self.simulation.rest_all(ended_at);
        self.simulation.found_by(ended_at, stop)
    }
}
