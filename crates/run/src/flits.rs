//! Flits, cycle by cycle.

use backwater_flit::Simulation;
use backwater_flit::probe::{Audit, Coverage, Probe};
use backwater_flit::series::{Recorder, SeriesSpec};
use backwater_flit::shard;
use backwater_flit::spec::FabricSpec;
use backwater_kernel::BuildError;
use backwater_kernel::words::counted;
use backwater_results::compare::{Carrier, Workload};
use backwater_results::fabric::class_names;
use backwater_results::map;
use backwater_results::sweep::{FlowColumn, Measure};
use backwater_results::{FabricFindings, FabricTrace, FabricVcd, RunInfo, Table, terminal_summary};

use super::over_time::FlitsOverTime;
use super::pace::{self, Pace};
use super::stepping::{self, Condition, Stepped};
use super::{Audited, Engine, Found, Head, Looks, Point, Run, Shown, Tells, Told, Wanted, WhenMap};
use super::{TraceKind, grown, turns};

pub mod measures;
mod progress;
mod team;

use progress::Progress;
use team::{Machine, Team};

/// The first slice, in cycles; how long later ones are follows from how long this takes.
const FIRST_SLICE: u64 = 16;

/// A scenario in flits.
pub struct Flits<'a> {
    /// What to simulate.
    pub spec: &'a FabricSpec,
    /// What to record.
    pub series: &'a [SeriesSpec],
}

/// A run of it.
struct FlitRun<'a, M> {
    spec: &'a FabricSpec,
    machine: M,
    over_time: Option<FlitsOverTime>,
    progress: Progress,
}

/// What it found.
struct FoundFlits<'a> {
    run: FabricFindings<'a>,
    told: Told,
}

impl<'a> Flits<'a> {
    fn start<P>(&self, probe: P, map: WhenMap) -> Result<Box<dyn Run<'a> + 'a>, String>
    where
        P: Probe + Tells<FoundFlits<'a>> + 'a,
    {
        let mut machine = Simulation::with_probe(self.spec, probe);
        if let Ok(machine) = &mut machine {
            machine.pause_if(pace::is_late);
        }
        self.boxed(machine, map)
    }

    fn boxed<M>(
        &self,
        machine: Result<M, BuildError>,
        map: WhenMap,
    ) -> Result<Box<dyn Run<'a> + 'a>, String>
    where
        M: Machine<Probe: Tells<FoundFlits<'a>>> + 'a,
    {
        let graph = &self.spec.graph;
        let channels = graph.channels.len() + 2 * graph.inject.len();
        Ok(Box::new(FlitRun {
            spec: self.spec,
            machine: machine.map_err(|error| error.to_string())?,
            over_time: map.is_for(channels).then(|| FlitsOverTime::new(channels)),
            progress: Progress::new(&self.spec.measure),
        }))
    }
}

impl Engine for Flits<'_> {
    fn longer_window(&self, factor: u64) -> Option<(&'static str, String)> {
        let cycles = self.spec.measure.window.saturating_mul(factor);
        Some(("run.measure", format!("{cycles} cycles")))
    }

    fn size(&self) -> String {
        let spec = self.spec;
        let names: Vec<&str> = spec.classes.iter().map(|c| c.name.as_str()).collect();
        format!(
            "{}, {} between them, {}; {} of {} a channel; sends {}",
            counted(spec.graph.routers, "router"),
            counted(spec.graph.channels.len(), "channel"),
            counted(spec.graph.inject.len(), "terminal"),
            counted(spec.router.lanes, "VC"),
            counted(spec.router.depth, "flit"),
            names.join(", ")
        )
    }

    fn plain(&self) -> Result<Box<dyn Run<'_> + '_>, String> {
        self.start((), WhenMap::Off)
    }

    /// On several threads where that is wanted and can be.
    fn watched(&self, wanted: &Wanted<'_>) -> Result<Box<dyn Run<'_> + '_>, String> {
        wanted.refuse_to_leap("flits")?;
        let spec = self.spec;
        let has_observer = wanted.audit || !wanted.traces.is_empty();
        let is_watched = has_observer || !self.series.is_empty();
        let obstacle = shard::obstacle(spec).or(match (has_observer, is_watched) {
            (true, _) => Some("a run with `--audit` or `--trace` takes one"),
            (false, true) => Some("a run of flits with `[[series]]` takes one"),
            (false, false) => None,
        });
        let threads = wanted.threads.min(spec.graph.routers as usize);
        let parts = if obstacle.is_none() { threads } else { 1 };
        let needed = backwater_scenario::fabric_bytes(spec, parts, wanted.audit);
        wanted.memory.refuse_beyond(needed)?;
        let audit = wanted.audit.then(|| Audit::new(spec)).transpose();
        let audit = audit.map_err(|error| error.to_string())?;
        let run = if is_watched {
            let recorder = Recorder::new(&spec.graph, self.series);
            let has = |kind| wanted.traces.contains(&kind);
            let trace = has(TraceKind::Csv).then(|| FabricTrace::new(spec));
            let waves = has(TraceKind::Vcd).then(|| FabricVcd::new(spec));
            self.start((recorder, (audit, (trace, waves))), wanted.map)?
        } else if parts > 1 {
            self.boxed(Team::new(spec, parts), wanted.map)?
        } else {
            self.start((), wanted.map)?
        };
        if let (Some(why), true) = (obstacle, wanted.threads > 1) {
            log::info!("one thread: {why}");
        }
        Ok(run)
    }

    fn metered(&self, _: &Workload, _: &[Carrier]) -> Result<Box<dyn Run<'_> + '_>, String> {
        Err("comparisons do not use the flit engine".into())
    }

    fn stepped(&self) -> Result<Box<dyn Stepped + '_>, String> {
        stepping::flits(self.spec)
    }

    fn first(&self, wanted: Condition, after: Option<u64>) -> Result<Option<u64>, String> {
        stepping::first_of_flits(self.spec, wanted, after)
    }

    fn flows(&self) -> Vec<&str> {
        Vec::new()
    }

    fn traces(&self) -> &'static [TraceKind] {
        &[TraceKind::Csv, TraceKind::Vcd]
    }

    fn groups(&self) -> Vec<String> {
        class_names(self.spec)
    }

    fn measures(&self) -> &'static [Measure] {
        measures::MEASURES
    }

    fn measure(&self, columns: &[FlowColumn]) -> Result<Option<Point>, String> {
        measures::measure(self.spec, columns)
    }
}

impl<M: Machine> FlitRun<'_, M> {
    /// Runs up to `cycle`, and looks at channels on the way.
    fn run_until(&mut self, cycle: u64) -> bool {
        let Some(over_time) = &mut self.over_time else {
            return self.machine.run_until(cycle);
        };
        loop {
            let stop = over_time.next().min(cycle);
            let more = self.machine.run_until(stop);
            if more && self.machine.cycle() < stop {
                return more;
            }
            if stop == over_time.next() && self.machine.cycle() == stop {
                let hops = self.machine.flit_hops();
                over_time.look(stop, hops, &self.machine.snapshot());
            }
            if !more || stop >= cycle {
                return more;
            }
        }
    }
}

impl<'a, M: Machine<Probe: Tells<FoundFlits<'a>>>> Run<'a> for FlitRun<'a, M> {
    fn first_slice(&self) -> u64 {
        FIRST_SLICE
    }

    fn advance(&mut self, pace: &mut Pace) -> bool {
        pace.cycles(u64::MAX, |slice| {
            self.run_until(self.machine.cycle().saturating_add(slice))
        })
    }

    fn progress(&mut self) -> (u64, String) {
        let (machine, cycle) = (&self.machine, self.machine.cycle());
        let position = self.progress.look(cycle, machine.phase());
        let phase = self.progress.word();
        let hops = machine.flit_hops() as f64 / 1e6;
        let what = format!("at least; {phase}, cycle {cycle}, {hops:.1} M flit hops");
        (position, what)
    }

    fn look_over(&mut self) {
        self.machine.look_over();
    }

    fn looks(&mut self) -> &mut dyn Looks {
        self.machine.probe()
    }

    fn found(&mut self) -> Box<dyn Found + 'a> {
        let mut found = FoundFlits {
            run: FabricFindings::new(self.spec, self.machine.outcome()),
            told: Told::default(),
        };
        if let Some(over_time) = &self.over_time {
            let bins = over_time.bins(found.run.outcome.cycles, &self.machine.snapshot());
            found.told.bins = Some(bins);
        }
        self.machine.probe().tell(&mut found);
        Box::new(found)
    }
}

impl Found for FoundFlits<'_> {
    fn head(&self) -> Head {
        let outcome = &self.run.outcome;
        Head {
            stop: outcome.stop,
            at: outcome.cycles,
            trace_hash: outcome.trace_hash,
            events: 0,
            hops: outcome.flit_hops,
            broken: outcome.violations.total(),
        }
    }

    fn told(&mut self) -> &mut Told {
        &mut self.told
    }

    fn flow_tables(&self, name: &str) -> Option<Vec<Table>> {
        self.run.class_tables(name)
    }

    fn shown(&self, info: &RunInfo) -> Shown<'_> {
        let bins = self.told.bins.as_ref();
        let over_time = bins.and_then(|bins| map::flits(&self.run, bins));
        Shown::of(info, &self.run, &self.told, over_time)
    }

    fn summary(&self, info: &RunInfo) -> String {
        terminal_summary(info, &self.run)
    }

    fn standstill(&self) -> Option<String> {
        let deadlock = self.run.outcome.standstill.as_ref()?;
        let since = deadlock.since;
        Some(match deadlock.others_move {
            true => format!(
                "error: deadlock: {} stopped since cycle {since} and can never move again; \
                 others move",
                counted(self.run.outcome.stuck_packets, "packet")
            ),
            false => format!("error: deadlock: no flit has moved since cycle {since}"),
        })
    }

    fn grew(&self) -> String {
        let terminals = self.run.outcome.terminals.iter().enumerate();
        let names: Vec<(String, u64)> = terminals
            .map(|(id, one)| (format!("terminal {id}"), one.queued))
            .collect();
        let queues = names.iter().map(|(name, queued)| (&**name, *queued));
        grown("flit", queues, &[])
    }
}

impl Looks for Recorder {}

impl Tells<FoundFlits<'_>> for Recorder {
    fn tell(&self, found: &mut FoundFlits<'_>) {
        found.told.series = self.series(found.run.outcome.cycles);
    }
}

impl Looks for Audit {}

impl Tells<FoundFlits<'_>> for Audit {
    fn tell(&self, found: &mut FoundFlits<'_>) {
        found.run.outcome.violations.append(self.violations());
        found.told.audited = Some(Audited {
            checks: self.checks(),
            coverage: covered(&self.coverage()),
            broken: self.violations().total(),
        });
    }
}

/// How much of a run an audit has looked at.
fn covered(seen: &Coverage) -> String {
    let cycles = seen.cycles;
    let vcs = [seen.compared, cycles, seen.compared_within];
    let queues = [seen.walked, cycles, seen.walked_within];
    format!(
        "every move in {}; {}; {}",
        counted(cycles, "cycle"),
        turns("all VCs", "cycle", vcs),
        turns("queues at sources", "cycle", queues)
    )
}
