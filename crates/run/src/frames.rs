//! Frames by class.

use backwater_kernel::words::counted;
use backwater_kernel::{Duration, Time};
use backwater_net::bound::frames::{Bound, NoBound, bounds, why_none};
use backwater_net::frames::probe::{Audit, Recorder};
use backwater_net::frames::spec::{EthernetSpec, NodeKind, NodeSpec};
use backwater_results::compare::{Carrier, Conditions, FrameMeter, Workload};
use backwater_results::events::bounds::hops_before;
use backwater_results::events::names::{self, flow_names};
use backwater_results::sweep::{FlowColumn, Measure};
use backwater_results::{Capture, EthernetTrace, FctFile, GivenUp, PerfettoFrames, Table};
use backwater_scenario::EthernetScenario;

use super::events::{EventRun, EventScenario, Meter, NO_METER, Watch, run_on, run_on_threads};
use super::forward::Ahead;
use super::single::Single;
use super::stepping::{self, Condition, Stepped};
use super::{Engine, Point, Run, TraceKind, Wanted, WhenMap, complete, promised_words};

mod headroom;
pub mod measures;
mod series;
#[cfg(test)]
pub(super) mod tests;

/// The first slice; how long later ones are follows from how long this takes.
const FIRST_SLICE: Duration = Duration(1_000_000_000);

/// A scenario in frames.
pub struct Frames<'a>(pub &'a EthernetScenario);

/// The account of headroom, if there is one.
pub(crate) fn headroom_of(scenario: &EthernetScenario) -> Option<Table> {
    Some(headroom::table(scenario)).filter(|table| !table.rows.is_empty())
}

impl Frames<'_> {
    /// Leaps over what repeats itself. Series are not known to leap.
    fn ahead(&self) -> Result<Box<dyn Run<'_> + '_>, String> {
        if !self.0.series.is_empty() {
            let series = counted(self.0.series.len(), "series");
            return Err(format!(
                "--fast-forward: {series} to be recorded: leave out `[[series]]`, or run it without"
            ));
        }
        run_on(self.0, Ahead::new(&self.0.network))
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
            counted(network.flow_count(), "flow"),
            counted(self.0.series.len(), "series")
        )
    }

    /// How many flows have a delay bound, and between which they lie; why none, if the sources of
    /// some permit one.
    fn promised(&self) -> Option<String> {
        let network = &self.0.network;
        let found = bounds(network);
        let delays: Vec<Duration> = found.iter().flatten().map(|bound| bound.delay).collect();
        promised_words(&delays).or_else(|| {
            let could =
                |bound: &Result<Bound, NoBound>| !bound.is_err_and(|reason| reason.is_of_source());
            let flow = found.iter().position(could)? as u32;
            let ports = names::channels(network);
            let why = why_none(
                &found,
                flow,
                |channel| names::channel(&ports, channel),
                |flow| names::flow(network, flow),
            );
            let name = names::flow(network, flow);
            Some(format!("no flow has a delay bound; {name}: {}", why?))
        })
    }

    fn headroom(&self) -> Option<Table> {
        headroom_of(self.0)
    }

    fn bound_hops(&self) -> Option<Table> {
        hops_before(&self.0.network)
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
        run_on(self.0, Single::compiled(self.0, NO_METER, WhenMap::Off))
    }

    /// On several threads where that is wanted and can be.
    fn watched(&self, wanted: &Wanted<'_>) -> Result<Box<dyn Run<'_> + '_>, String> {
        let network = &self.0.network;
        if wanted.fast_forward {
            return self.ahead();
        }
        let recorder = Recorder::new(&series::wanted(self.0));
        let has = |kind| wanted.traces.contains(&kind);
        let fct = has(TraceKind::Fct).then(|| FctFile::new(network));
        if !wanted.has_one_observer() {
            let watch: Watch = (recorder, ((None, None), fct));
            return run_on_threads(self.0, watch, wanted);
        }
        let audit = wanted.audit.then(|| Audit::new(network));
        let trace = has(TraceKind::Csv).then(|| EthernetTrace::new(network));
        let capture = has(TraceKind::Pcapng).then(|| Capture::new(network));
        let seen = has(TraceKind::Perfetto).then(|| PerfettoFrames::new(network));
        let watch = (recorder, (audit, ((trace, capture), (seen, fct))));
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

    fn stepped(&self) -> Result<Box<dyn Stepped + '_>, String> {
        stepping::frames(self.0)
    }

    fn first(&self, wanted: Condition, after: Option<u64>) -> Result<Option<u64>, String> {
        stepping::first(&self.0.network, wanted, after)
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
        match self.0.network.rules.arrivals.is_empty() {
            true => &[TraceKind::Csv, TraceKind::Pcapng, TraceKind::Perfetto],
            false => &[
                TraceKind::Csv,
                TraceKind::Pcapng,
                TraceKind::Perfetto,
                TraceKind::Fct,
            ],
        }
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
    const LOOKED_AT: [&'static str; 2] = ["every frame and gate", "all queues"];
    const HOPS: &'static str = "frame hops";

    fn network(&self) -> &EthernetSpec {
        &self.network
    }

    fn needed_bytes(&self, parts: usize) -> u64 {
        backwater_scenario::frames_bytes(&self.network, parts)
    }

    fn before(&self) -> Vec<Table> {
        Vec::from([headroom::table(self)])
    }

    fn stop_at(&self) -> Time {
        self.network.stop_at
    }

    fn first_slice(&self) -> Duration {
        FIRST_SLICE
    }
}
