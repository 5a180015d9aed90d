//! One scheme with one seed: from its scenario to what the meter saw.

use std::collections::BTreeMap;
use std::time::Instant;

use backwater_kernel::{Duration, Rings, Time};
use backwater_results::compare::{
    Carrier, CellMeter, FlowKind, FrameMeter, SchemeRun, Workload, WorkloadFlow,
};
use backwater_scenario::compare::{
    CELL_PAYLOAD_BYTES, ComparedFlow, ComparedTraffic, Comparison, Part, Role, Scheme,
};
use backwater_scenario::{Engine, Scenario};

use crate::run::pace::EVENTS;
use crate::{interrupt, memory};

/// Steps of a run between two looks for Ctrl-C.
const STEPS: u64 = 200;

/// One run.
pub struct Job {
    /// Its scheme.
    pub scheme: Scheme,
    seed: u64,
    scenario: Scenario,
    carriers: Vec<Carrier>,
}

impl Job {
    /// A run of `scenario`, written for `scheme`.
    pub fn new(
        comparison: &Comparison,
        scheme: Scheme,
        seed: u64,
        scenario: Scenario,
    ) -> Result<Job, String> {
        let roles = comparison.roles(scheme);
        let carriers = match &scenario.engine {
            Engine::Packet(packet) => {
                carriers(&roles, packet.network.flows.iter().map(|flow| &flow.name))
            }
            Engine::Ethernet(frames) => {
                carriers(&roles, frames.network.flows.iter().map(|flow| &flow.name))
            }
            Engine::Flit(_) => Err("comparisons do not use the flit engine".into()),
        };
        Ok(Job {
            scheme,
            seed,
            scenario,
            carriers: carriers?,
        })
    }

    /// Runs it; nothing if it was interrupted.
    pub fn run(&self, workload: &Workload) -> Result<Option<SchemeRun>, String> {
        let started = Instant::now();
        let found = match &self.scenario.engine {
            Engine::Packet(packet) => self.cells(workload, &packet.network),
            Engine::Ethernet(frames) => self.frames(workload, &frames.network),
            Engine::Flit(_) => Ok(None),
        };
        let seconds = started.elapsed().as_secs_f64();
        Ok(found?.map(|run| SchemeRun {
            wall_seconds: seconds,
            ..run
        }))
    }

    fn cells(
        &self,
        workload: &Workload,
        network: &backwater_net::spec::NetworkSpec,
    ) -> Result<Option<SchemeRun>, String> {
        let meter = CellMeter::new(workload, network, &self.carriers, CELL_PAYLOAD_BYTES);
        let mut simulation = backwater_net::Simulation::<Rings, _>::with_probe(network, meter)
            .map_err(|error| format!("{}: {error}", self.scheme.name()))?;
        if !slices(network.stop_at, |until| simulation.run_some(until, EVENTS)) {
            return Ok(None);
        }
        let outcome = simulation.outcome();
        Ok(Some(SchemeRun {
            seed: self.seed,
            seen: simulation.into_probe().finish(network.stop_at),
            trace_hash: outcome.trace_hash,
            events: outcome.events,
            broken: outcome.violations.total(),
            standstill: outcome.stop == backwater_kernel::Stop::Standstill,
            wall_seconds: 0.0,
        }))
    }

    fn frames(
        &self,
        workload: &Workload,
        network: &backwater_net::frames::spec::EthernetSpec,
    ) -> Result<Option<SchemeRun>, String> {
        let meter = FrameMeter::new(workload, network, &self.carriers);
        let mut engine = backwater_net::frames::Simulation::<Rings, _>::with_probe(network, meter)
            .map_err(|error| format!("{}: {error}", self.scheme.name()))?;
        if !slices(network.stop_at, |until| engine.run_some(until, EVENTS)) {
            return Ok(None);
        }
        let outcome = engine.frame_outcome();
        Ok(Some(SchemeRun {
            seed: self.seed,
            seen: engine.probe().clone().finish(network.stop_at),
            trace_hash: outcome.trace_hash,
            events: outcome.events,
            broken: outcome.violations.total(),
            standstill: outcome.stop == backwater_kernel::Stop::Standstill,
            wall_seconds: 0.0,
        }))
    }
}

/// Runs to the end in slices; false after Ctrl-C.
fn slices(stop_at: Time, mut run_some: impl FnMut(Time) -> Option<bool>) -> bool {
    for step in 1..=STEPS {
        let until = u128::from(stop_at.ps()) * u128::from(step) / u128::from(STEPS);
        let more = loop {
            if interrupt::is_set() || memory::is_short() {
                return false;
            }
            if let Some(more) = run_some(Time(until as u64)) {
                break more;
            }
        };
        if !more {
            break;
        }
    }
    true
}

fn carriers<'a>(
    roles: &BTreeMap<String, Role>,
    names: impl Iterator<Item = &'a String>,
) -> Result<Vec<Carrier>, String> {
    let carrier = |name: &String| {
        let role = roles
            .get(name)
            .ok_or(format!("there is no flow `{name}`"))?;
        Ok(Carrier {
            flow: role.flow,
            burst: match role.part {
                Part::Burst(burst) => Some(burst as usize),
                Part::Forward | Part::Back => None,
            },
            is_back: role.part == Part::Back,
        })
    };
    names.map(carrier).collect()
}

/// The workload as meters and tables take it.
pub fn workload(comparison: &Comparison) -> Workload {
    Workload {
        duration_ps: comparison.duration.ps(),
        warm_up_ps: comparison.warm_up.ps(),
        window_ps: comparison.window.max(Duration(1)).ps(),
        flows: comparison.flows.iter().map(flow).collect(),
        bursts: comparison
            .bursts()
            .into_iter()
            .map(|(start, end)| (start.ps(), end.ps()))
            .collect(),
        rates_bps: comparison.rates.iter().map(|rate| rate.0).collect(),
    }
}

fn flow(flow: &ComparedFlow) -> WorkloadFlow {
    let kind = match flow.traffic {
        ComparedTraffic::Greedy { .. } => FlowKind::Greedy,
        ComparedTraffic::Constant { rate, .. } => FlowKind::Constant(rate.0),
        ComparedTraffic::Bursts { bytes, count, .. } => {
            let starts = (0..count).filter_map(|burst| flow.traffic.burst_start(burst));
            FlowKind::Bursts(bytes, starts.map(Time::ps).collect())
        }
        ComparedTraffic::Requests {
            request, response, ..
        } => FlowKind::Requests(request, response),
    };
    WorkloadFlow {
        name: flow.name.clone(),
        group: flow.group.clone(),
        kind,
        path: flow.path.clone(),
    }
}
