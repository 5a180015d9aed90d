//! Frames by class.

use backwater_kernel::words::counted;
use backwater_kernel::{Duration, Time};
use backwater_net::bound::frames::bounds;
use backwater_net::frames::probe::{Audit, Coverage, Recorder};
use backwater_net::frames::spec::{EthernetSpec, NodeKind, NodeSpec};
use backwater_net::outcome::Outcome;
use backwater_results::compare::{Carrier, Conditions, FrameMeter, Workload};
use backwater_results::ethernet::flow_tables;
use backwater_results::events::names::flow_names;
use backwater_results::number::span;
use backwater_results::sweep::{FlowColumn, Measure};
use backwater_results::{
    GivenUp, PerfettoFrames, RunInfo, Table, ethernet_report, ethernet_tables,
    ethernet_terminal_summary, map, note_late_frames, run_manifest, run_summary,
};
use backwater_scenario::EthernetScenario;

use super::events::{EventRun, EventScenario, FoundEvents, Meter, Watch, run_on, run_on_threads};
use super::single::Single;
use super::{Engine, Point, Run, Shown, TraceKind, Wanted, WhenMap};
use super::{complete, promised_words, turns};

pub mod measures;
mod series;
#[cfg(test)]
pub(super) mod tests;
mod trace;

use trace::Trace;

/// The first slice; how long later ones are follows from how long this takes.
const FIRST_SLICE: Duration = Duration(1_000_000_000);

/// A scenario in frames.
pub struct Frames<'a>(pub &'a EthernetScenario);

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
        run_on(self.0, Single::compiled(self.0, (), WhenMap::Off))
    }

    /// On several threads where that is wanted and can be.
    fn watched(&self, wanted: &Wanted<'_>) -> Result<Box<dyn Run<'_> + '_>, String> {
        let network = &self.0.network;
        let recorder = Recorder::new(&series::wanted(self.0));
        if !wanted.has_one_observer() {
            let watch: Watch = (recorder, (None, None));
            return run_on_threads(self.0, watch, wanted);
        }
        let audit = wanted.audit.then(|| Audit::new(network));
        let trace = Trace::new(wanted.traces, network);
        let seen = wanted.traces.contains(&TraceKind::Perfetto);
        let seen = seen.then(|| PerfettoFrames::new(network));
        let watch = (recorder, (audit, (trace, seen)));
        run_on(self.0, Single::shared(self.0, watch, wanted.map))
    }

    fn metered(
        &self,
        workload: &Workload,
        carriers: &[Carrier],
    ) -> Result<Box<dyn Run<'_> + '_>, String> {
        let meter = FrameMeter::new(workload, &self.0.network, carriers);
        let meter: Meter = (None, (Some(meter), None));
        run_on(self.0, Single::compiled(self.0, meter, WhenMap::Off))
    }

    fn conditions(&self) -> Conditions {
        Conditions::of_frames(&self.0.network)
    }

    fn flows(&self) -> Vec<&str> {
        self.0.names()
    }

    fn groups(&self) -> Vec<String> {
        flow_names(&self.0.network)
    }

    fn traces(&self) -> &'static [TraceKind] {
        &[TraceKind::Csv, TraceKind::Pcapng, TraceKind::Perfetto]
    }

    fn measures(&self) -> &'static [Measure] {
        measures::MEASURES
    }

    fn measure(&self, columns: &[FlowColumn]) -> Result<Option<Point>, String> {
        let mut run = EventRun::plain(self.0)?;
        let is_whole = complete(&mut run);
        Ok(is_whole.then(|| measures::point(&run.so_far(), columns)))
    }
}

impl EventScenario for EthernetScenario {
    type Network = EthernetSpec;
    const UNIT: &'static str = "frame";
    const HOPS: &'static str = "frame hops";

    fn network(&self) -> &EthernetSpec {
        &self.network
    }

    fn channels(&self) -> usize {
        self.network.links.len() * 2
    }

    fn warm_up(&self) -> Time {
        self.network.warm_up
    }

    fn stop_at(&self) -> Time {
        self.network.stop_at
    }

    fn first_slice(&self) -> Duration {
        FIRST_SLICE
    }

    fn names(&self) -> Vec<&str> {
        let flows = self.network.flows.iter();
        flows.map(|flow| flow.name.as_str()).collect()
    }

    fn judge(&self, outcome: &mut Outcome) {
        note_late_frames(&self.network, outcome);
    }

    fn covered(seen: &Coverage) -> String {
        let instants = seen.instants;
        let queues = [seen.compared, instants, seen.compared_within];
        format!(
            "every frame and gate in {}; {}",
            counted(instants, "instant"),
            turns("all queues", "instant", queues)
        )
    }

    fn flow_tables(found: &FoundEvents<'_, Self>, name: &str) -> Option<Vec<Table>> {
        flow_tables(&found.scenario.network, &found.outcome, name)
    }

    fn shown<'f>(found: &'f FoundEvents<'_, Self>, info: &RunInfo) -> Shown<'f> {
        let (network, outcome) = (&found.scenario.network, &found.outcome);
        let bins = found.told.bins.as_ref();
        let over_time = bins.and_then(|bins| map::frames(network, outcome, bins));
        let tables = ethernet_tables(network, outcome);
        Shown {
            summary: run_summary(info, network, outcome, &tables),
            tables,
            told: &found.told,
            report: ethernet_report(info, network, outcome, &found.told.series)
                .with_over_time(over_time),
            manifest: run_manifest(info, network, outcome),
        }
    }

    fn summary(found: &FoundEvents<'_, Self>, info: &RunInfo) -> String {
        ethernet_terminal_summary(info, &found.scenario.network, &found.outcome)
    }

    fn standstill(found: &FoundEvents<'_, Self>) -> Option<String> {
        let standstill = found.outcome.standstill.as_ref()?;
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
}
