//! Measures a run: warm-up, window, drain, and what is told of them.

mod alone;
mod births;
mod course;
mod verdict;
mod warm_up;
mod window;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use backwater_kernel::{BatchMeans, Delays, Histogram, Stop};

use crate::outcome::{ClassOutcome, CyclesOutcome, FINE, FabricOutcome, TerminalOutcome};
use crate::spec::{FabricSpec, Injection, MeasureSpec, WarmUp};
use crate::traffic::{receivers, trace};
use alone::Alone;
use births::Births;
use course::{Course, Sums};
use window::Window;

/// Cycles between looks for the end of a drain.
const LOOK: u64 = 64;

/// A packet that arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivered {
    /// Terminal it came from.
    pub source: u32,
    /// Terminal it arrived at.
    pub destination: u32,
    /// Its class.
    pub class: u8,
    /// Flits.
    pub length: u16,
    /// Cycle of its birth.
    pub birth: u64,
    /// Cycle in which its header left the source.
    pub entered: u64,
    /// Channels crossed, injection and ejection included.
    pub hops: u32,
    /// Cycles that these take.
    pub flight: u32,
    /// Cycle in which its tail arrived.
    pub now: u64,
}

/// What only the engine knows, in flits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Waiting at sources.
    pub queued: u64,
    /// In the network.
    pub inside: u64,
}

/// What a run is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// It fills up.
    Warming,
    /// Packets born now are measured.
    Measuring,
    /// The last measured packets arrive.
    Draining,
    /// It is over.
    Done(Stop),
}

/// Counts packets and says when a run is over.
///
/// [`Meter::checkpoint`] comes before anything that happens in its cycle: what is told with
/// `now` at or after `t` is told after `checkpoint(t, ..)`.
#[derive(Clone, Debug)]
pub struct Meter {
    spec: MeasureSpec,
    phase: Phase,
    /// Last checkpoint.
    looked: Option<u64>,
    detected: bool,
    window: Window,
    course: Course,
    sums: Sums,
    classes: Vec<ClassMeter>,
    /// Latency of all classes in order of arrival; unused with one class.
    together: BatchMeans,
    network: Delays<FINE>,
    hops: u64,
    /// Cycles on channels of headers, and of the flits behind them, were they never to wait for
    /// another packet.
    passage: u64,
    /// Where it can be said: what they wait for credit, were each alone.
    alone: Option<Alone>,
    /// Flits of the longest packet, where it can't; and how many never wait.
    longest: u16,
    never_waits: u16,
    /// Flits by terminal, in the window.
    created: Vec<u64>,
    received: Vec<u64>,
    /// Terminals that packets are sent to.
    receivers: Vec<bool>,
    /// Last birth, when all packets are listed.
    trace_end: Option<u64>,
    /// Sources with an endless supply: latency has no meaning.
    endless: bool,
}

#[derive(Clone, Debug)]
struct ClassMeter {
    created: u64,
    delivered: u64,
    /// Packets born in the window, and those of them that arrived, and of these the late ones.
    births: u64,
    arrived: u64,
    late: u64,
    deadline: u64,
    latency: Delays<FINE>,
    open: Births,
}

impl Meter {
    /// Ready for the first cycle of a run of `spec`.
    pub fn new(spec: &FabricSpec) -> Meter {
        let class = |deadline: Option<u32>| ClassMeter {
            created: 0,
            delivered: 0,
            births: 0,
            arrived: 0,
            late: 0,
            deadline: deadline.map_or(u64::MAX, u64::from),
            latency: Delays::default(),
            open: Births::default(),
        };
        let terminals = spec.graph.inject.len();
        let injections = || spec.classes.iter().map(|class| &class.injection);
        Meter {
            spec: spec.measure,
            phase: Phase::Warming,
            looked: None,
            detected: false,
            window: Window::default(),
            course: Course::new(),
            sums: Sums::default(),
            classes: spec.classes.iter().map(|c| class(c.deadline)).collect(),
            together: BatchMeans::new(),
            network: Delays::default(),
            hops: 0,
            passage: 0,
            alone: Alone::new(spec),
            longest: 0,
            never_waits: alone::never_waits(spec),
            created: vec![0; terminals],
            received: vec![0; terminals],
            receivers: receivers(spec),
            trace_end: trace::last_cycle(&spec.classes),
            endless: injections().any(|injection| *injection == Injection::Saturation),
        }
    }

    /// A packet was born.
    #[inline]
    pub fn born(&mut self, now: u64, terminal: u32, class: u8, length: u16) {
        let flits = u64::from(length);
        self.sums.created += flits;
        let class = &mut self.classes[class as usize];
        class.created += flits;
        if self.window.holds(now) {
            class.births += 1;
            class.open.add(now);
            self.window.births += 1;
            self.created[terminal as usize] += flits;
        }
    }

    /// A packet has arrived.
    #[inline]
    pub fn delivered(&mut self, packet: &Delivered) {
        let flits = u64::from(packet.length);
        let latency = packet.now.saturating_sub(packet.birth);
        self.sums.delivered += flits;
        self.sums.packets += 1;
        self.sums.latency += u128::from(latency);
        let several = self.classes.len() > 1;
        let class = &mut self.classes[packet.class as usize];
        class.delivered += flits;
        if self.window.holds(packet.now) {
            self.received[packet.destination as usize] += flits;
        }
        if self.window.holds(packet.birth) {
            class.arrived += 1;
            class.open.remove(packet.birth);
            class.late += u64::from(latency > class.deadline);
            class.latency.record(latency);
            if several {
                self.together.record(latency);
            }
            self.network
                .record(packet.now.saturating_sub(packet.entered));
            self.window.arrived(packet.birth, latency);
            self.hops += u64::from(packet.hops);
            self.passage += u64::from(packet.flight) + flits - 1;
            match &mut self.alone {
                Some(alone) => self.passage += alone.wait(packet.hops, packet.length),
                None => self.longest = self.longest.max(packet.length),
            }
        }
    }

    /// What the run is doing.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Cycle of the last birth, when all packets are listed. From the one after it on
    /// [`Meter::checkpoint`] is also to be called when everything has arrived.
    pub fn trace_end(&self) -> Option<u64> {
        self.trace_end
    }

    /// Before which cycle [`Meter::checkpoint`] is to be called next.
    pub fn next_checkpoint(&self) -> u64 {
        let Some(looked) = self.looked else {
            return 0;
        };
        let look = looked.saturating_add(LOOK);
        let of_phase = match (self.phase, self.spec.warm_up) {
            (Phase::Done(_), _) => return u64::MAX,
            (Phase::Warming, WarmUp::Cycles(cycles)) => cycles,
            (Phase::Warming, WarmUp::Auto { most }) => most,
            (Phase::Measuring, _) => self.window.next(),
            (Phase::Draining, _) => look.min(self.drain_end()),
        };
        let of_trace = match self.trace_end {
            None => u64::MAX,
            Some(end) if looked <= end => end.saturating_add(1),
            Some(_) => u64::MAX,
        };
        of_phase.min(of_trace).min(self.course.next())
    }

    /// All cycles before `now` have passed: which phase does cycle `now` belong to? The numbers
    /// of the window are those of the cycles from the call that first answers `Measuring` to the
    /// one that answers something else.
    pub fn checkpoint(&mut self, now: u64, totals: &Totals) -> Phase {
        self.looked = Some(now);
        let closed = self.course.advance(now, &self.sums);
        if self.phase == Phase::Warming && self.is_warm(now, closed) {
            let end = now.saturating_add(self.spec.window);
            self.window = Window::new(now, end, self.sums, totals.queued);
            for class in &mut self.classes {
                class.open = Births::of(&self.window);
            }
            self.phase = Phase::Measuring;
        }
        if self.phase == Phase::Measuring {
            self.window.advance(now, &self.sums, totals.queued);
            if now >= self.window.end() {
                self.phase = Phase::Draining;
            }
        }
        if self.phase == Phase::Draining {
            self.phase = self.drain(now);
        }
        let replayed = self.trace_end.is_some_and(|end| now > end);
        if replayed && totals.queued == 0 && totals.inside == 0 && !self.is_over() {
            self.window.cut(now, &self.sums, totals.queued);
            self.phase = Phase::Done(Stop::Drained);
        }
        self.phase
    }

    fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Done(_))
    }

    fn is_warm(&mut self, now: u64, closed: bool) -> bool {
        match self.spec.warm_up {
            WarmUp::Cycles(cycles) => now >= cycles,
            WarmUp::Auto { most } => {
                let settled = || warm_up::has_settled(self.course.stretches(), !self.endless);
                self.detected = closed && settled();
                self.detected || now >= most
            }
        }
    }

    fn drain(&self, now: u64) -> Phase {
        if self.spec.drain == 0 {
            Phase::Done(Stop::TimeReached)
        } else if self.unfinished() == 0 {
            Phase::Done(Stop::Measured)
        } else if now >= self.drain_end() {
            Phase::Done(Stop::DrainEnded)
        } else {
            Phase::Draining
        }
    }

    fn drain_end(&self) -> u64 {
        self.window.end().saturating_add(self.spec.drain)
    }

    /// Packets born in the window that have not arrived.
    fn unfinished(&self) -> u64 {
        self.classes.iter().map(ClassMeter::unfinished).sum()
    }

    /// Tells what was measured: all fields but the engine's own (`stop`, the totals of flits,
    /// hashes, queues, utilization, deadlock and violations). `cycles` and `stop` must be set.
    pub fn fill(&self, outcome: &mut FabricOutcome) {
        let end = outcome.cycles;
        let terminals = self.created.len().max(1) as u32;
        let seen = self.window.seen(end, &self.sums);
        let cycles = self.window.cycles(end);
        let places = cycles.max(1) as f64 * f64::from(terminals);
        outcome.packets_total = self.sums.packets;
        outcome.window_start = self.window.start().min(end);
        outcome.window = cycles;
        outcome.warm_up_detected = self.detected;
        outcome.offered = seen.created as f64 / places;
        outcome.accepted = seen.delivered as f64 / places;
        outcome.accepted_least = self.least() as f64 / cycles.max(1) as f64;
        outcome.accepted_half_width = self.window.accepted_half_width(f64::from(terminals));
        let arrived = self.arrived().max(1) as f64;
        outcome.hops_mean = self.hops as f64 / arrived;
        outcome.passage_mean = self.passage as f64 / arrived;
        outcome.credit_left_out = self.longest > self.never_waits;
        outcome.unfinished = self.unfinished();
        self.fill_latencies(outcome);
        self.add_unfinished(outcome);
        self.fill_terminals(outcome);
        outcome.course = self.course.points(end, &self.sums, terminals);
        outcome.saturated = self.saturated(outcome, &seen, places);
    }

    fn fill_latencies(&self, outcome: &mut FabricOutcome) {
        outcome.network_latency = self.network.outcome();
        outcome.latency = match self.classes.as_slice() {
            [only] => only.latency.outcome(),
            several => {
                let mut all = Delays::<FINE>::default();
                several.iter().for_each(|class| all.merge(&class.latency));
                CyclesOutcome {
                    half_width: self.together.half_width_95(),
                    ..all.outcome()
                }
            }
        };
        let of_class = |class: &ClassMeter| ClassOutcome {
            created_total: class.created,
            delivered_total: class.delivered,
            latency: class.latency.outcome(),
            late: class.late + class.missing_late(self.window.end(), outcome.cycles),
        };
        outcome.classes = self.classes.iter().map(of_class).collect();
    }

    /// Packets that have not arrived count with their age.
    fn add_unfinished(&self, outcome: &mut FabricOutcome) {
        let (mut all, mut sum) = (Histogram::default(), 0);
        for (class, found) in self.classes.iter().zip(&mut outcome.classes) {
            let (ages, of_class) = class.open.ages(outcome.cycles);
            found.latency = core::mem::take(&mut found.latency).with_open(&ages, of_class);
            all.merge(&ages);
            sum += of_class;
        }
        outcome.latency = core::mem::take(&mut outcome.latency).with_open(&all, sum);
    }

    fn fill_terminals(&self, outcome: &mut FabricOutcome) {
        let terminals = &mut outcome.terminals;
        terminals.resize(self.created.len(), TerminalOutcome::default());
        let counts = self.created.iter().zip(&self.received);
        for (terminal, (created, received)) in terminals.iter_mut().zip(counts) {
            terminal.created = *created;
            terminal.received = *received;
        }
    }

    /// Flits received by the terminal that got least of those that packets are sent to.
    fn least(&self) -> u64 {
        let sent_to = self.received.iter().zip(&self.receivers);
        let counts = sent_to.filter(|(_, sent_to)| **sent_to);
        counts.map(|(received, _)| *received).min().unwrap_or(0)
    }

    /// Packets born in the window that have arrived.
    fn arrived(&self) -> u64 {
        self.classes.iter().map(|class| class.arrived).sum()
    }

    fn saturated(&self, outcome: &FabricOutcome, seen: &Sums, places: f64) -> Option<String> {
        if self.endless {
            return Some("the sources always have one more packet".into());
        }
        if outcome.stop == Stop::Standstill || outcome.window == 0 {
            return None;
        }
        let overdue = self.phase == Phase::Done(Stop::DrainEnded);
        verdict::saturated(&verdict::Evidence {
            parts: self.window.parts(),
            created: seen.created,
            delivered: seen.delivered,
            births: self.window.births,
            places,
            quarters: self.window.quarters(),
            queued: self.window.queued(),
            unfinished: overdue.then(|| (self.unfinished(), self.spec.drain)),
        })
    }
}

impl ClassMeter {
    fn unfinished(&self) -> u64 {
        self.births.saturating_sub(self.arrived)
    }

    /// Packets that have not arrived by `now` and can't be in time any more: all those of the
    /// window once the deadline of its last one has passed.
    fn missing_late(&self, window_end: u64, now: u64) -> u64 {
        match window_end.saturating_add(self.deadline) <= now && self.deadline < u64::MAX {
            true => self.unfinished(),
            false => 0,
        }
    }
}

#[cfg(test)]
mod tests;
