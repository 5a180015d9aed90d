//! Cells by circuit.

use backwater_kernel::words::counted;
use backwater_kernel::{Duration, Time};
use backwater_net::bound::bounds;
use backwater_net::probe::{Audit, Ports, PortsSpec, Recorder, Recovery};
use backwater_net::spec::NetworkSpec;
use backwater_results::compare::{Carrier, CellMeter, Conditions, Workload};
use backwater_results::events::bounds::hops_before;
use backwater_results::events::names::flow_names;
use backwater_results::sweep::{FlowColumn, Measure};
use backwater_results::{CellTrace, PerfettoCells, Table};
use backwater_scenario::PacketScenario;
use backwater_scenario::compare::Unit;

use super::events::{EventScenario, Meter, NO_METER, Watch, run_on, run_on_threads};
use super::single::Single;
use super::stepping::{self, Condition, Stepped};
use super::{Engine, Point, Run, TraceKind, Wanted, WhenMap, promised_words};

pub mod measures;
mod series;

/// The first slice, in cell times; how long later ones are follows from how long this takes.
const FIRST_SLICE_CELLS: u64 = 100;

/// A scenario in cells.
pub struct Cells<'a>(pub &'a PacketScenario);

impl Cells<'_> {
    /// What its circuits carry, where it was written for a comparison.
    fn unit(&self) -> Unit {
        let bytes = self.0.network.flows.first().map(|flow| flow.unit_bytes);
        Unit::of_wire(bytes.unwrap_or(0))
    }
}

impl Engine for Cells<'_> {
    fn longer_window(&self, factor: u64) -> Option<(&'static str, String)> {
        let (stop, start) = (self.0.network.stop_at, self.0.network.warm_up);
        let window = stop.ps().saturating_sub(start.ps());
        let stop = window.saturating_mul(factor).saturating_add(start.ps());
        Some(("run.duration", format!("{stop} ps")))
    }

    fn size(&self) -> String {
        let PacketScenario {
            network, series, ..
        } = self.0;
        let legs: usize = network.flows.iter().map(|flow| flow.legs.len()).sum();
        format!(
            "{}, {}, {} over {}, {}",
            counted(network.nodes.len(), "node"),
            counted(network.links.len(), "link"),
            counted(network.flows.len(), "flow"),
            counted(legs, "hop"),
            counted(series.len(), "series")
        )
    }

    /// How many flows have a delay bound, and between which they lie.
    fn promised(&self) -> Option<String> {
        let found = bounds(&self.0.network);
        let delays: Vec<Duration> = found.iter().flatten().map(|bound| bound.delay).collect();
        promised_words(&delays)
    }

    fn bound_hops(&self) -> Option<Table> {
        hops_before(&self.0.network)
    }

    fn plain(&self) -> Result<Box<dyn Run<'_> + '_>, String> {
        run_on(self.0, Single::compiled(self.0, NO_METER, WhenMap::Off))
    }

    /// What watches every run: the series it records and, where it is wanted, its ports; where
    /// links are cut, how flows come back. On several threads where that is wanted and can be.
    fn watched(&self, wanted: &Wanted<'_>) -> Result<Box<dyn Run<'_> + '_>, String> {
        wanted.refuse_to_leap("cells")?;
        let (network, measure) = (&self.0.network, &self.0.measure);
        let window = measure.window;
        let ports = measure
            .ports
            .then(|| Ports::new(network, PortsSpec { window }));
        let is_cut = !network.outages.is_empty();
        let recovery = is_cut.then(|| Recovery::new(network));
        let recorder = Recorder::new(&series::wanted(self.0));
        let watch: Watch = (recorder, ((ports, recovery), None));
        if !wanted.has_one_observer() {
            return run_on_threads(self.0, watch, wanted);
        }
        let audit = wanted.audit.then(|| Audit::new(network));
        let has = |kind| wanted.traces.contains(&kind);
        let trace = has(TraceKind::Csv).then(|| CellTrace::new(network));
        let seen = has(TraceKind::Perfetto).then(|| PerfettoCells::new(network));
        let watch = (watch, (audit, (trace, seen)));
        run_on(self.0, Single::shared(self.0, watch, wanted.map))
    }

    fn metered(
        &self,
        workload: &Workload,
        carriers: &[Carrier],
    ) -> Result<Box<dyn Run<'_> + '_>, String> {
        let network = &self.0.network;
        let unit = self.unit();
        let bytes = [unit.payload_bytes(), unit.memory_bytes()];
        let meter = CellMeter::new(workload, network, carriers, bytes);
        let meter: Meter = (Some(meter), (None, None));
        run_on(self.0, Single::compiled(self.0, meter, WhenMap::Off))
    }

    fn stepped(&self) -> Result<Box<dyn Stepped + '_>, String> {
        stepping::cells(self.0)
    }

    fn first(&self, wanted: Condition, after: Option<u64>) -> Result<Option<u64>, String> {
        stepping::first(&self.0.network, wanted, after)
    }

    fn conditions(&self) -> Conditions {
        let unit = self.unit();
        Conditions::of_circuits(&self.0.network, unit.payload_bytes(), unit.memory_bytes())
    }

    fn flows(&self) -> Vec<&str> {
        self.0.names()
    }

    fn traces(&self) -> &'static [TraceKind] {
        &[TraceKind::Csv, TraceKind::Perfetto]
    }

    fn groups(&self) -> Vec<String> {
        flow_names(&self.0.network)
    }

    fn measures(&self) -> &'static [Measure] {
        measures::MEASURES
    }

    fn measure(&self, columns: &[FlowColumn]) -> Result<Option<Point>, String> {
        measures::measure(self.0, columns)
    }
}

impl EventScenario for PacketScenario {
    type Network = NetworkSpec;
    const LOOKED_AT: [&'static str; 2] = ["what was touched", "everything"];
    const HOPS: &'static str = "unit-hops";

    fn network(&self) -> &NetworkSpec {
        &self.network
    }

    fn needed_bytes(&self, parts: usize) -> u64 {
        backwater_scenario::circuits_bytes(&self.network, parts)
    }

    fn stop_at(&self) -> Time {
        self.network.stop_at
    }

    fn first_slice(&self) -> Duration {
        self.cell * FIRST_SLICE_CELLS
    }

    fn cell(&self) -> Duration {
        self.cell
    }
}
