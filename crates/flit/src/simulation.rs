//! One run: the phases of a cycle, and when it is over.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use backwater_kernel::{BuildError, Stop, TraceHash};

use crate::deadlock::{Deadlock, Lookout, deadlocked};
use crate::fabric::{Fabric, longest_flight};
use crate::meter::{Meter, Phase, Totals};
use crate::multiplexed::Matching;
use crate::packet::Packet;
use crate::probe::{Network, Probe};
use crate::routing::Routing;
use crate::source::Entrance;
use crate::spec::{Arbiter, FLIGHT_MAX, FabricSpec, LANES_MAX, Switch};
use crate::traffic::Generator;
use crate::watch::{Passage, Tag, Watch};

/// A network that runs, cycle by cycle, watched by a probe.
pub struct Simulation<P: Probe = ()> {
    pub(crate) fabric: Fabric,
    pub(crate) spec: FabricSpec,
    pub(crate) entrance: Entrance,
    pub(crate) meter: Meter,
    matching: Option<Matching>,
    pub(crate) next_checkpoint: u64,
    pub(crate) lookout: Lookout,
    pub(crate) stop: Option<Stop>,
    pub(crate) deadlock: Option<Deadlock>,
    /// Sum over deliveries, so that their order within a cycle does not count.
    pub(crate) trace_hash: u64,
    /// Says when to look up from computing.
    pause: Option<fn() -> bool>,
    /// Cycles that were simulated since it was asked.
    unasked: u32,
    pub(crate) probe: P,
}

/// Cycles, idle ones aside, between two questions whether to look up.
const ASK_EVERY: u32 = 64;

impl Simulation {
    /// Ready for cycle 0, with nobody watching.
    ///
    /// # Errors
    /// If the spec describes no network that can run.
    pub fn new(spec: &FabricSpec) -> Result<Simulation, BuildError> {
        Simulation::with_probe(spec, ())
    }
}

impl<P: Probe> Simulation<P> {
    /// Ready for cycle 0.
    ///
    /// # Errors
    /// If the spec describes no network that can run.
    pub fn with_probe(spec: &FabricSpec, probe: P) -> Result<Simulation<P>, BuildError> {
        verify(spec)?;
        let groups = spec.classes.iter().map(|class| class.lane_group).max();
        let groups = groups.unwrap_or(0).saturating_add(1);
        let routing = Routing::new(&spec.graph, spec.routing, spec.router.lanes, groups)?;
        let generator = Generator::new(spec)?;
        let mut fabric = Fabric::new(spec, routing);
        if fabric.same_cycle && !fabric.layout.acyclic {
            return Err(BuildError(
                "credits in the same cycle need a network without cycles of channels".into(),
            ));
        }
        let mut entrance = Entrance::new(spec, generator);
        entrance.wake(&mut fabric, |_| true);
        if P::LISTENS {
            fabric.watch = Some(Watch::new(&fabric));
        }
        let meter = Meter::new(spec);
        Ok(Simulation {
            matching: Matching::new(spec, &fabric),
            next_checkpoint: meter.next_checkpoint(),
            lookout: Lookout::new(spec, &fabric),
            spec: spec.clone(),
            fabric,
            entrance,
            meter,
            stop: None,
            deadlock: None,
            trace_hash: 0,
            pause: None,
            unasked: 0,
            probe,
        })
    }

    /// Who watches.
    pub fn probe(&self) -> &P {
        &self.probe
    }

    /// Who watches.
    pub fn probe_mut(&mut self) -> &mut P {
        &mut self.probe
    }

    /// Ends the run and hands the probe back.
    pub fn into_probe(self) -> P {
        self.probe
    }

    /// The cycle that comes next.
    pub fn cycle(&self) -> u64 {
        self.fabric.now
    }

    /// Flits that have crossed a channel.
    pub fn flit_hops(&self) -> u64 {
        self.fabric.flit_hops
    }

    /// The packets in the network that can never move again, in order of their numbers: each
    /// waits for places that others of them hold.
    pub fn deadlocked(&self) -> Vec<Tag> {
        deadlocked(&self.fabric)
    }

    /// What the run is doing.
    pub fn phase(&self) -> Phase {
        self.meter.phase()
    }

    /// Runs to its end.
    pub fn run(&mut self) {
        while self.run_until(u64::MAX) {}
    }

    /// Asks this now and then; where it says so, [`Simulation::run_until`] ends before its time,
    /// and what follows goes on as if it had not.
    pub fn pause_if(&mut self, pause: fn() -> bool) {
        self.pause = Some(pause);
    }

    #[inline]
    fn is_to_pause(&mut self) -> bool {
        self.unasked += 1;
        if self.unasked < ASK_EVERY {
            return false;
        }
        self.unasked = 0;
        self.pause.is_some_and(|pause| pause())
    }

    /// Runs up to the start of `cycle`, or to the end of the run; is there more to do?
    pub fn run_until(&mut self, cycle: u64) -> bool {
        while self.stop.is_none() && self.fabric.now < cycle {
            if self.fabric.now >= self.next_checkpoint {
                self.look();
                continue;
            }
            self.skip_idle(cycle);
            if self.fabric.now < cycle && self.fabric.now < self.next_checkpoint {
                self.step();
                if self.is_to_pause() {
                    return self.stop.is_none();
                }
            }
        }
        if P::LISTENS && self.stop.is_some() {
            self.look_over();
        }
        self.stop.is_none()
    }

    /// Shows the probe the network as the last cycle left it, as at the end of a run.
    pub fn look_over(&mut self) {
        let Some(cycle) = self.fabric.now.checked_sub(1) else {
            return;
        };
        self.probe.on_end(&Network {
            fabric: &self.fabric,
            entrance: &self.entrance,
            cycle,
        });
    }

    /// With nothing under way, nothing happens before the next birth.
    fn skip_idle(&mut self, until: u64) {
        if self.fabric.packets.len() > 0 || !self.fabric.vacated.is_empty() {
            return;
        }
        // A lane released this late would be released in the past otherwise.
        if self.fabric.now <= self.fabric.moved_at + u64::from(longest_flight(&self.spec)) + 1 {
            return;
        }
        if self.fabric.now <= self.fabric.moved_at + self.fabric.credit_delay + 1 {
            return;
        }
        let birth = self.entrance.next_birth().unwrap_or(u64::MAX);
        let to = birth.min(until).min(self.next_checkpoint);
        self.fabric.now = self.fabric.now.max(to);
    }

    /// One cycle.
    fn step(&mut self) {
        self.deliver();
        let fabric = &mut self.fabric;
        self.entrance.bear(fabric, &mut self.meter);
        fabric.allocate();
        let before = fabric.flit_hops;
        fabric.move_flits(&mut self.matching, self.spec.router.channel_arbiter);
        if fabric.flit_hops > before {
            fabric.moved_at = fabric.now;
        }
        fabric.arrive();
        if P::LISTENS {
            self.report();
        }
        let fabric = &mut self.fabric;
        fabric.now += 1;
        self.look_for_deadlock();
        self.look_for_trace_end();
    }

    /// At the end of a cycle: has all of a trace arrived?
    #[inline]
    pub(crate) fn look_for_trace_end(&mut self) {
        let fabric = &self.fabric;
        let is_born = |end| fabric.now > end;
        if self.meter.trace_end().is_some_and(is_born) && fabric.created == fabric.delivered {
            self.next_checkpoint = self.next_checkpoint.min(fabric.now);
        }
    }

    /// At the end of a cycle: is there a deadlock?
    #[inline]
    pub(crate) fn look_for_deadlock(&mut self) {
        if let Some(deadlock) = self.lookout.check(&self.fabric) {
            self.deadlock = Some(deadlock);
            self.stop = Some(Stop::Standstill);
        }
    }

    fn deliver(&mut self) {
        let now = self.fabric.now;
        let (entrance, meter) = (&mut self.entrance, &mut self.meter);
        let trace_hash = &mut self.trace_hash;
        let probe = &mut self.probe;
        self.fabric.deliver(|id, packet| {
            *trace_hash = trace_hash.wrapping_add(fingerprint(packet, now));
            if P::LISTENS {
                probe.on_delivery(now, &Tag::of(id, packet));
            }
            entrance.delivered(packet, now, meter);
        });
    }

    /// Tells the probe what happened in this cycle.
    pub(crate) fn report(&mut self) {
        if let Some(watch) = &mut self.fabric.watch {
            for packet in watch.births.drain(..) {
                self.probe.on_birth(&packet);
            }
            for passage in watch.passages.drain(..) {
                match passage {
                    Passage::Switch(crossing) => self.probe.on_switch(&crossing),
                    Passage::Channel(crossing) => self.probe.on_crossing(&crossing),
                }
            }
        }
        self.probe.after_cycle(&Network {
            fabric: &self.fabric,
            entrance: &self.entrance,
            cycle: self.fabric.now,
        });
    }

    /// Asks the meter which phase begins here.
    fn look(&mut self) {
        let before = self.ask();
        self.begin_phase(before);
    }

    /// Lets the meter decide which phase begins; tells the one before.
    pub(crate) fn ask(&mut self) -> Phase {
        let fabric = &self.fabric;
        let totals = Totals {
            queued: fabric.created - fabric.injected,
            inside: fabric.injected - fabric.delivered,
        };
        let before = self.meter.phase();
        self.meter.checkpoint(fabric.now, &totals);
        self.next_checkpoint = self.meter.next_checkpoint();
        before
    }

    /// What begins or ends with the phase that the meter has decided on.
    pub(crate) fn begin_phase(&mut self, before: Phase) {
        let phase = self.meter.phase();
        if phase != before && phase == Phase::Measuring {
            self.fabric.restart_counters();
        } else if before == Phase::Measuring && phase != before {
            self.fabric.freeze_counters();
        }
        if let Phase::Done(stop) = phase {
            self.stop = Some(stop);
        }
    }
}

impl Fabric {
    /// In every switch and on every channel. Where credits take effect in the same cycle, the
    /// network is worked off from the sinks up; else all choices come before any move.
    pub(crate) fn move_flits(&mut self, matching: &mut Option<Matching>, arbiter: Arbiter) {
        let injection = self.layout.inject..self.layout.outs;
        let same_cycle = self.same_cycle;
        self.send_buffered();
        if !same_cycle {
            self.choose(injection.clone(), arbiter);
            self.injected += self.chosen.len() as u64;
        }
        for index in 0..self.layout.levels.len() {
            let (outs, ins) = self.layout.levels[index].clone();
            match matching {
                Some(matching) => matching.work(self, ins),
                None => self.choose(outs, arbiter),
            }
            if same_cycle {
                self.move_chosen();
            }
        }
        if same_cycle {
            self.choose(injection, arbiter);
            self.injected += self.chosen.len() as u64;
        }
        self.move_chosen();
    }

    /// Ends the packets whose tails arrived at the end of the cycle before, in the order of
    /// terminals, whatever order tails came in.
    pub(crate) fn deliver(&mut self, mut each: impl FnMut(u32, &Packet)) {
        let before = self.now.wrapping_sub(1);
        let mut done = core::mem::take(self.deliveries.at(before));
        let packets = &self.packets;
        done.sort_unstable_by_key(|id| packets.get(*id).way.destination);
        for &id in &done {
            let packet = self.packets.remove(id);
            self.delivered += u64::from(packet.length);
            each(id, &packet);
        }
        done.clear();
        *self.deliveries.at(before) = done;
    }
}

pub(crate) fn fingerprint(packet: &Packet, now: u64) -> u64 {
    let mut hash = TraceHash::new();
    let ends = u64::from(packet.source) << 32 | u64::from(packet.way.destination);
    let kind = u64::from(packet.class) << 32 | u64::from(packet.length) << 16;
    hash.add(ends);
    hash.add(kind | u64::from(packet.hops));
    hash.add(packet.birth);
    hash.add(packet.entered);
    hash.add(now);
    hash.value()
}

/// Is what [`Routing`] and [`Generator`] do not look at as it must be?
///
/// # Errors
/// If lanes, times or counts are out of the engine's range.
pub fn verify(spec: &FabricSpec) -> Result<(), BuildError> {
    let router = &spec.router;
    let wrong = |what: String| Err(BuildError(what));
    if router.lanes == 0 || router.lanes > LANES_MAX {
        return wrong(format!("a channel has 1 to {LANES_MAX} VCs"));
    }
    if router.depth == 0 {
        return wrong("a VC holds at least 1 flit".into());
    }
    let graph = &spec.graph;
    let between = graph.channels.iter().map(|channel| channel.latency);
    let mut latencies = between.chain(graph.terminal_latencies());
    if latencies.any(|latency| latency == 0) {
        return wrong("a channel takes at least 1 cycle".into());
    }
    let longest = longest_flight(spec)
        .max(u32::from(router.credit_delay))
        .max(u32::from(router.header_delay))
        .max(u32::from(router.allocation_delay));
    if longest > FLIGHT_MAX {
        return wrong(format!(
            "nothing may be under way for over {FLIGHT_MAX} cycles"
        ));
    }
    if let Switch::Multiplexed {
        output_buffer: 0,
        speedup: 2..,
        ..
    } = router.switch
    {
        return wrong("a switch that works twice in a cycle needs an output buffer".into());
    }
    let channels = graph.channels.len() as u64 + 4 * graph.inject.len() as u64;
    let lanes = u64::from(router.lanes).next_power_of_two();
    if (2 * channels + 64 * u64::from(graph.routers) + 1024) * lanes > u64::from(u32::MAX) {
        return wrong("the network has too many VCs to number them".into());
    }
    Ok(())
}
