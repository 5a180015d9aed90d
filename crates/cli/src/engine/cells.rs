//! Cells by circuit.

use backwater_kernel::words::counted;
use backwater_kernel::{Duration, Rings, Stop, Time};
use backwater_net::Simulation;
use backwater_net::bound::bounds;
use backwater_net::outcome::{Outcome, PortsOutcome, RecoveryOutcome};
use backwater_net::probe::{Audit, Coverage, Ports, PortsSpec, Probe, Recorder, Recovery};
use backwater_results::compare::{Carrier, CellMeter, Workload};
use backwater_results::run::{flow_names, flow_tables};
use backwater_results::sweep::{FlowColumn, Measure};
use backwater_results::{
    Measured, RunInfo, Table, note_broken_bounds, run_manifest, run_report, run_summary,
    run_tables, standstill_sentence, terminal_summary,
};
use backwater_scenario::PacketScenario;
use backwater_scenario::compare::CELL_PAYLOAD_BYTES;

use super::pace::Pace;
use super::{Audited, Engine, Found, Head, Looks, Point, Run, Shown, Tells, Told, Wanted};
use super::{grown, part, promised_words, turns};

pub mod measures;
mod series;
mod trace;

use trace::Trace;

/// The first slice, in cell times; how long later ones are follows from how long this takes.
const FIRST_SLICE_CELLS: u64 = 100;

/// A scenario in cells.
pub struct Cells<'a>(pub &'a PacketScenario);

/// A run of it.
struct CellRun<'a, P: Probe> {
    scenario: &'a PacketScenario,
    simulation: Simulation<Rings, P>,
    at: Time,
}

/// What it found.
struct FoundCells<'a> {
    scenario: &'a PacketScenario,
    outcome: Outcome,
    ports: Option<PortsOutcome>,
    recovery: Option<RecoveryOutcome>,
    told: Told,
}

impl<'a> Cells<'a> {
    fn start<P>(&self, probe: P) -> Result<Box<dyn Run<'a> + 'a>, String>
    where
        P: Probe + Tells<FoundCells<'a>> + 'a,
    {
        let simulation = Simulation::with_probe(&self.0.network, probe);
        Ok(Box::new(CellRun {
            scenario: self.0,
            simulation: simulation.map_err(|error| error.to_string())?,
            at: Time::ZERO,
        }))
    }
}

impl Engine for Cells<'_> {
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

    fn plain(&self) -> Result<Box<dyn Run<'_> + '_>, String> {
        self.start(())
    }

    /// What watches every run: the series it records and, where it is wanted, its ports; where
    /// links are cut, how flows come back.
    fn watched(&self, wanted: &Wanted<'_>) -> Result<Box<dyn Run<'_> + '_>, String> {
        let (network, measure) = (&self.0.network, &self.0.measure);
        if wanted.threads > 1 {
            eprintln!("note: one thread: a run of cells takes one");
        }
        let window = measure.window;
        let ports = measure
            .ports
            .then(|| Ports::new(network, PortsSpec { window }));
        let is_cut = !network.outages.is_empty();
        let recovery = is_cut.then(|| Recovery::new(network));
        let recorder = Recorder::new(network, &series::wanted(self.0));
        let watch = (recorder, (ports, recovery));
        if !wanted.audit && wanted.trace.is_none() {
            return self.start(watch);
        }
        let audit = wanted.audit.then(|| Audit::new(network));
        let trace = wanted.trace.map(|_| Trace::new(network));
        self.start((watch, (audit, trace)))
    }

    fn metered(
        &self,
        workload: &Workload,
        carriers: &[Carrier],
    ) -> Result<Box<dyn Run<'_> + '_>, String> {
        let network = &self.0.network;
        self.start(CellMeter::new(
            workload,
            network,
            carriers,
            CELL_PAYLOAD_BYTES,
        ))
    }

    fn flows(&self) -> Vec<&str> {
        let flows = self.0.network.flows.iter();
        flows.map(|flow| flow.name.as_str()).collect()
    }

    fn groups(&self) -> Vec<String> {
        flow_names(&self.0.network)
    }

    fn cell(&self) -> Duration {
        self.0.cell
    }

    fn measures(&self) -> &'static [Measure] {
        measures::MEASURES
    }

    fn measure(&self, columns: &[FlowColumn]) -> Result<Option<Point>, String> {
        measures::measure(self.0, columns)
    }
}

impl<'a, P: Probe + Tells<FoundCells<'a>>> Run<'a> for CellRun<'a, P> {
    fn first_slice(&self) -> u64 {
        (self.scenario.cell * FIRST_SLICE_CELLS).ps()
    }

    fn advance(&mut self, pace: &mut Pace) -> bool {
        let (simulation, end) = (&mut self.simulation, self.scenario.network.stop_at);
        let more = pace.events(&mut self.at, end, |until, events| {
            let more = simulation.run_some(until, events);
            more.ok_or_else(|| simulation.now())
        });
        more.unwrap_or(true)
    }

    fn progress(&mut self) -> (u64, String) {
        let (at, end) = (self.at.ps(), self.scenario.network.stop_at.ps());
        let hops = self.simulation.unit_hops() as f64 / 1e6;
        (part(at, end), format!("{hops:.1} M unit-hops"))
    }

    fn look_over(&mut self) {
        self.simulation.look_over();
    }

    fn looks(&mut self) -> &mut dyn Looks {
        self.simulation.probe_mut()
    }

    fn found(&mut self) -> Box<dyn Found + 'a> {
        let mut found = FoundCells {
            scenario: self.scenario,
            outcome: self.simulation.outcome(),
            ports: None,
            recovery: None,
            told: Told::default(),
        };
        note_broken_bounds(&self.scenario.network, &mut found.outcome);
        self.simulation.probe().tell(&mut found);
        Box::new(found)
    }
}

impl FoundCells<'_> {
    fn measured(&self) -> Measured<'_> {
        Measured {
            ports: self.ports.as_ref(),
            recovery: self.recovery.as_ref(),
        }
    }
}

impl Found for FoundCells<'_> {
    fn head(&self) -> Head {
        Head::of(&self.outcome)
    }

    fn told(&mut self) -> &mut Told {
        &mut self.told
    }

    fn flow_tables(&self, name: &str) -> Option<Vec<Table>> {
        let PacketScenario { network, cell, .. } = self.scenario;
        flow_tables(network, &self.outcome, *cell, name)
    }

    fn shown(&self, info: &RunInfo) -> Shown<'_> {
        let PacketScenario { network, cell, .. } = self.scenario;
        let (outcome, measured) = (&self.outcome, self.measured());
        Shown {
            tables: run_tables(network, outcome, measured, *cell),
            told: &self.told,
            summary: run_summary(info, network, outcome, measured),
            report: run_report(info, network, outcome, measured, &self.told.series),
            manifest: run_manifest(info, network, outcome),
        }
    }

    fn summary(&self, info: &RunInfo) -> String {
        terminal_summary(info, &self.scenario.network, &self.outcome, self.measured())
    }

    fn standstill(&self) -> Option<String> {
        let still = standstill_sentence(&self.outcome, self.scenario.cell)?;
        let is_why = self.outcome.stop == Stop::Standstill;
        let what = if is_why { "error" } else { "note" };
        Some(format!("{what}: standstill: {still}"))
    }

    fn grew(&self) -> String {
        let flows = self.scenario.network.flows.iter().zip(&self.outcome.flows);
        let flows = flows.map(|(flow, outcome)| (flow.name.as_str(), outcome.inside_total));
        grown("cell", flows, &self.told.series)
    }
}

impl Looks for Recorder {
    fn points(&self) -> (usize, usize) {
        self.stored()
    }
}

impl Tells<FoundCells<'_>> for Recorder {
    fn tell(&self, found: &mut FoundCells<'_>) {
        let at = found.outcome.ended_at;
        found.told.series = self.series(at);
        found.told.thinned = self.thinned(at);
    }
}

impl Looks for Ports {}

impl Tells<FoundCells<'_>> for Ports {
    fn tell(&self, found: &mut FoundCells<'_>) {
        found.ports = Some(self.outcome(found.outcome.ended_at));
    }
}

impl Looks for Recovery {}

impl Tells<FoundCells<'_>> for Recovery {
    fn tell(&self, found: &mut FoundCells<'_>) {
        found.recovery = Some(self.outcome(found.outcome.ended_at));
    }
}

impl Looks for Audit {}

impl Tells<FoundCells<'_>> for Audit {
    fn tell(&self, found: &mut FoundCells<'_>) {
        found.outcome.violations.append(self.violations());
        found.told.audited = Some(Audited {
            checks: self.checks(),
            coverage: covered(&self.coverage()),
            broken: self.violations().total(),
        });
    }
}

impl Looks for CellMeter {}

impl Tells<FoundCells<'_>> for CellMeter {
    fn tell(&self, found: &mut FoundCells<'_>) {
        let stop_at = found.scenario.network.stop_at;
        found.told.seen = Some(self.clone().finish(stop_at));
    }
}

/// How much of a run an audit has looked at.
fn covered(seen: &Coverage) -> String {
    let instants = seen.instants;
    let everything = [seen.compared, instants, seen.compared_within];
    format!(
        "what was touched in {}; {}",
        counted(instants, "instant"),
        turns("everything", "instant", everything)
    )
}
