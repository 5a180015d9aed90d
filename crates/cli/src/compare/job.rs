//! One scheme with one seed: from its scenario to what the meter saw.

use std::collections::BTreeMap;
use std::time::Instant;

use backwater_kernel::{Duration, Stop, Time};
use backwater_results::compare::{
    Carrier, Conditions, FlowKind, SchemeRun, Workload, WorkloadFlow,
};
use backwater_scenario::Scenario;
use backwater_scenario::compare::{ComparedFlow, ComparedTraffic, Comparison, Part, Role, Scheme};

use backwater_run::complete;

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
        let carriers = carriers(&roles, &backwater_run::engine(&scenario).flows())?;
        Ok(Job {
            scheme,
            seed,
            scenario,
            carriers,
        })
    }

    /// What it runs on.
    pub fn conditions(&self) -> Conditions {
        backwater_run::engine(&self.scenario).conditions()
    }

    /// Runs it; nothing if it was interrupted.
    pub fn run(&self, workload: &Workload) -> Result<Option<SchemeRun>, String> {
        let started = Instant::now();
        let engine = backwater_run::engine(&self.scenario);
        let run = engine.metered(workload, &self.carriers);
        let mut run = run.map_err(|error| format!("{}: {error}", self.scheme.name()))?;
        if !complete(&mut *run) {
            return Ok(None);
        }
        let mut found = run.found();
        let head = found.head();
        Ok(Some(SchemeRun {
            seed: self.seed,
            seen: found.told().seen.take().unwrap_or_default(),
            trace_hash: head.trace_hash,
            events: head.events,
            broken: head.broken,
            standstill: head.stop == Stop::Standstill,
            wall_seconds: started.elapsed().as_secs_f64(),
        }))
    }
}

fn carriers(roles: &BTreeMap<String, Role>, names: &[&str]) -> Result<Vec<Carrier>, String> {
    let carrier = |name: &&str| {
        let role = roles
            .get(*name)
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
    names.iter().map(carrier).collect()
}

/// The workload as meters and tables take it.
pub fn workload(comparison: &Comparison) -> Workload {
    Workload {
        duration_ps: comparison.duration.ps(),
        warm_up_ps: comparison.warm_up.ps(),
        window_ps: comparison.window.max(Duration(1)).ps(),
        flows: (comparison.flows.iter())
            .map(|one| flow(one, comparison.alone(one)))
            .collect(),
        bursts: comparison
            .bursts()
            .into_iter()
            .map(|(start, end)| (start.ps(), end.ps()))
            .collect(),
        rates_bps: comparison.rates.iter().map(|rate| rate.0).collect(),
    }
}

fn flow(flow: &ComparedFlow, alone: Option<Duration>) -> WorkloadFlow {
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
        alone_ps: alone.map(Duration::ps),
    }
}
