//! Frames by class.

use backwater_kernel::words::counted;
use backwater_kernel::{Duration, Rings, Time};
use backwater_net::bound::frames::bounds;
use backwater_net::frames::Simulation;
use backwater_net::frames::probe::{Audit, Coverage, Probe, Recorder};
use backwater_net::frames::spec::{NodeKind, NodeSpec};
use backwater_net::outcome::Outcome;
use backwater_net::parts::{self, PARTS_MAX};
use backwater_results::compare::{Carrier, FrameMeter, Workload};
use backwater_results::ethernet::{flow_names, flow_tables};
use backwater_results::number::span;
use backwater_results::sweep::{FlowColumn, Measure};
use backwater_results::{
    GivenUp, RunInfo, Table, ethernet_manifest, ethernet_report, ethernet_summary, ethernet_tables,
    ethernet_terminal_summary, note_late_frames,
};
use backwater_scenario::EthernetScenario;

use super::pace::Pace;
use super::{Audited, Engine, Found, Head, Looks, Point, Run, Shown, Tells, Told, Wanted};
use super::{complete, grown, part, promised_words, turns};

pub mod measures;
mod series;
mod team;
#[cfg(test)]
mod tests;
mod trace;

use team::{Machine, Team};
use trace::Trace;

/// The first slice; how long later ones are follows from how long this takes.
const FIRST_SLICE: Duration = Duration(1_000_000_000);

/// A scenario in frames.
pub struct Frames<'a>(pub &'a EthernetScenario);

/// A run of it.
struct FrameRun<'a, M> {
    scenario: &'a EthernetScenario,
    machine: M,
    at: Time,
}

/// What it found.
pub struct FoundFrames<'a> {
    scenario: &'a EthernetScenario,
    outcome: Outcome,
    told: Told,
}

impl<'a> Frames<'a> {
    fn start<P>(&self, probe: P) -> Result<FrameRun<'a, Simulation<Rings, P>>, String>
    where
        P: Probe + Tells<FoundFrames<'a>> + 'a,
    {
        let simulation = Simulation::with_probe(&self.0.network, probe);
        Ok(self.run(simulation.map_err(|error| error.to_string())?))
    }

    fn run<M>(&self, machine: M) -> FrameRun<'a, M> {
        FrameRun {
            scenario: self.0,
            machine,
            at: Time::ZERO,
        }
    }
}

impl Engine for Frames<'_> {
    fn size(&self) -> String {
        let network = &self.0.network;
        let is_switch = |node: &&NodeSpec| matches!(node.kind, NodeKind::Switch(_));
        let switches = network.nodes.iter().filter(is_switch).count();
        let classes = network.links.first().map(|link| &link.channels[0].queues);
        format!(
            "{}, {}, {}, {}, {}, {}",
            counted(network.nodes.len() - switches, "host"),
            counted(switches, "switch"),
            counted(network.links.len(), "link"),
            counted(classes.map_or(0, Vec::len), "class"),
            counted(network.flows.len(), "flow"),
            counted(self.0.series.len(), "series")
        )
    }

    /// How many flows have a delay bound, and between which they lie.
    fn promised(&self) -> Option<String> {
        let found = bounds(&self.0.network);
        let delays: Vec<Duration> = found.iter().flatten().map(|bound| bound.delay).collect();
        promised_words(&delays)
    }

    fn given_up(&self) -> Vec<GivenUp> {
        let one = |own: &backwater_scenario::GivenUp| GivenUp {
            classes: own.classes,
            nodes: own.nodes.clone(),
            by: own.by.clone(),
        };
        self.0.given_up.iter().map(one).collect()
    }

    fn plain(&self) -> Result<Box<dyn Run<'_> + '_>, String> {
        Ok(Box::new(self.start(())?))
    }

    /// On several threads where that is wanted and can be.
    fn watched(&self, wanted: &Wanted<'_>) -> Result<Box<dyn Run<'_> + '_>, String> {
        let network = &self.0.network;
        let threads = wanted.threads.min(network.nodes.len());
        if threads > 1 {
            match self.obstacle(wanted) {
                Some(why) => eprintln!("note: one thread: {why}"),
                None => {
                    let team = Team::new(network, threads.min(PARTS_MAX));
                    let team = team.map_err(|error| error.to_string())?;
                    return Ok(Box::new(self.run(team)));
                }
            }
        }
        let recorder = Recorder::new(network, &series::wanted(self.0));
        if !wanted.audit && wanted.trace.is_none() {
            return match self.0.series.is_empty() {
                true => self.plain(),
                false => Ok(Box::new(self.start(recorder)?)),
            };
        }
        let audit = wanted.audit.then(|| Audit::new(network));
        let trace = wanted.trace.map(|kind| Trace::new(kind, network));
        Ok(Box::new(self.start((recorder, (audit, trace)))?))
    }

    fn metered(
        &self,
        workload: &Workload,
        carriers: &[Carrier],
    ) -> Result<Box<dyn Run<'_> + '_>, String> {
        let meter = FrameMeter::new(workload, &self.0.network, carriers);
        Ok(Box::new(self.start(meter)?))
    }

    fn flows(&self) -> Vec<&str> {
        let flows = self.0.network.flows.iter();
        flows.map(|flow| flow.name.as_str()).collect()
    }

    fn groups(&self) -> Vec<String> {
        flow_names(&self.0.network)
    }

    fn has_frames(&self) -> bool {
        true
    }

    fn measures(&self) -> &'static [Measure] {
        measures::MEASURES
    }

    fn measure(&self, columns: &[FlowColumn]) -> Result<Option<Point>, String> {
        let mut run = self.start(())?;
        let is_whole = complete(&mut run);
        Ok(is_whole.then(|| measures::point(&run.so_far(), columns)))
    }
}

impl Frames<'_> {
    /// Why one thread has to run it, if so.
    fn obstacle(&self, wanted: &Wanted<'_>) -> Option<&'static str> {
        if wanted.audit || wanted.trace.is_some() {
            Some("a run with `--audit` or `--trace` takes one")
        } else if !self.0.series.is_empty() {
            Some("a run that records series takes one")
        } else {
            parts::obstacle(&self.0.network)
        }
    }
}

impl<'a, M: Machine<Probe: Tells<FoundFrames<'a>>>> FrameRun<'a, M> {
    fn so_far(&mut self) -> FoundFrames<'a> {
        let mut outcome = self.machine.outcome();
        note_late_frames(&self.scenario.network, &mut outcome);
        let mut found = FoundFrames {
            scenario: self.scenario,
            outcome,
            told: Told::default(),
        };
        self.machine.probe().tell(&mut found);
        found
    }
}

impl<'a, M: Machine<Probe: Tells<FoundFrames<'a>>>> Run<'a> for FrameRun<'a, M> {
    fn first_slice(&self) -> u64 {
        FIRST_SLICE.ps()
    }

    fn advance(&mut self, pace: &mut Pace) -> bool {
        let (machine, end) = (&mut self.machine, self.scenario.network.stop_at);
        let more = pace.events(&mut self.at, end, |until, events| {
            let more = machine.run_some(until, events);
            more.ok_or_else(|| machine.now())
        });
        more.unwrap_or(true)
    }

    fn progress(&mut self) -> (u64, String) {
        let (at, end) = (self.at.ps(), self.scenario.network.stop_at.ps());
        let hops = self.machine.unit_hops() as f64 / 1e6;
        (part(at, end), format!("{hops:.1} M frame hops"))
    }

    fn look_over(&mut self) {
        self.machine.look_over();
    }

    fn looks(&mut self) -> &mut dyn Looks {
        self.machine.probe()
    }

    fn found(&mut self) -> Box<dyn Found + 'a> {
        Box::new(self.so_far())
    }
}

impl Found for FoundFrames<'_> {
    fn head(&self) -> Head {
        Head::of(&self.outcome)
    }

    fn told(&mut self) -> &mut Told {
        &mut self.told
    }

    fn flow_tables(&self, name: &str) -> Option<Vec<Table>> {
        flow_tables(&self.scenario.network, &self.outcome, name)
    }

    fn shown(&self, info: &RunInfo) -> Shown<'_> {
        let (network, outcome) = (&self.scenario.network, &self.outcome);
        Shown {
            tables: ethernet_tables(network, outcome),
            told: &self.told,
            summary: ethernet_summary(info, network, outcome),
            report: ethernet_report(info, network, outcome, &self.told.series),
            manifest: ethernet_manifest(info, network, outcome),
        }
    }

    fn summary(&self, info: &RunInfo) -> String {
        ethernet_terminal_summary(info, &self.scenario.network, &self.outcome)
    }

    fn standstill(&self) -> Option<String> {
        let standstill = self.outcome.standstill.as_ref()?;
        let what = match standstill.is_circle {
            true => "deadlock: queues wait for each other in a cycle",
            false => "standstill: queues wait for one that is stopped and never resumed",
        };
        let others = match standstill.others_move {
            true => ", though others move",
            false => "",
        };
        let since = span(standstill.since.ps() as f64);
        Some(format!("error: {what} since {since}{others}"))
    }

    fn grew(&self) -> String {
        let flows = self.scenario.network.flows.iter().zip(&self.outcome.flows);
        let flows = flows.map(|(flow, outcome)| (flow.name.as_str(), outcome.inside_total));
        grown("frame", flows, &self.told.series)
    }
}

impl Looks for Recorder {
    fn points(&self) -> (usize, usize) {
        self.stored()
    }
}

impl Tells<FoundFrames<'_>> for Recorder {
    fn tell(&self, found: &mut FoundFrames<'_>) {
        let at = found.outcome.ended_at;
        found.told.series = self.series(at);
        found.told.thinned = self.thinned(at);
    }
}

impl Looks for Audit {}

impl Tells<FoundFrames<'_>> for Audit {
    fn tell(&self, found: &mut FoundFrames<'_>) {
        found.outcome.violations.append(self.violations());
        found.told.audited = Some(Audited {
            checks: self.checks(),
            coverage: covered(&self.coverage()),
            broken: self.violations().total(),
        });
    }
}

impl Looks for FrameMeter {}

impl Tells<FoundFrames<'_>> for FrameMeter {
    fn tell(&self, found: &mut FoundFrames<'_>) {
        let stop_at = found.scenario.network.stop_at;
        found.told.seen = Some(self.clone().finish(stop_at));
    }
}

/// How much of a run an audit has looked at.
fn covered(seen: &Coverage) -> String {
    let instants = seen.instants;
    let queues = [seen.compared, instants, seen.compared_within];
    format!(
        "every frame and gate in {}; {}",
        counted(instants, "instant"),
        turns("all queues", "instant", queues)
    )
}
