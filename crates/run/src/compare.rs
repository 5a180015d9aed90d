//! Comparisons: one workload under each scheme, from its scenarios to what the meters saw.

use std::collections::BTreeMap;
use std::time::Instant;

use backwater_kernel::{Duration, Rate, Stop, Time, TraceHash};
use backwater_results::compare::{
    Carrier, CompareInfo, Conditions, FlowKind, ProgramSeen, SchemeRun, SchemeRuns, Workload,
    WorkloadFlow,
};
use backwater_scenario::compare::{
    ComparedFlow, ComparedProgram, ComparedTraffic, Comparison, Part, Role, Scheme, Unit,
};
use backwater_scenario::{Limits, Scenario, Source};

use super::{complete, engine, job};

/// A comparison that can run.
pub struct Plan {
    /// As it was written.
    pub comparison: Comparison,
    /// As meters and tables take it.
    pub workload: Workload,
    /// Scheme by scheme, each with one seed after the other.
    pub jobs: Vec<Job>,
}

impl Plan {
    /// Every scheme with so many seeds, checked; messages are in colour if asked.
    ///
    /// # Errors
    /// If a scheme can't run it: why, with its scenario.
    pub fn new(
        comparison: Comparison,
        seeds: u64,
        limits: &Limits,
        color: bool,
    ) -> Result<Plan, String> {
        let last = comparison.seed.checked_add(seeds.saturating_sub(1));
        let last = last.ok_or("error: there are not enough seeds above `run.seed`")?;
        let mut jobs = Vec::new();
        let mut wrong = String::new();
        for &scheme in &comparison.schemes {
            for seed in comparison.seed..=last {
                match comparison.scenario(scheme, seed, limits) {
                    Ok(scenario) => jobs.push(Job::new(&comparison, scheme, seed, scenario)?),
                    Err(mistakes) => {
                        wrong += &format!(
                            "error: the comparison can't run under `{scheme}`; this is its \
                             scenario:\n{}",
                            mistakes.render(color)
                        );
                        break;
                    }
                }
            }
        }
        match wrong.is_empty() {
            true => Ok(Plan {
                workload: workload(&comparison),
                comparison,
                jobs,
            }),
            false => Err(wrong + "\n`schemes.only`, or `--only`, leaves out schemes"),
        }
    }

    /// What a report says of it, which this command makes again.
    pub fn info(&self, source: &Source, command: String) -> CompareInfo {
        CompareInfo {
            title: job::title(&self.comparison.title, source),
            about: self.comparison.about.clone(),
            command,
            version: env!("CARGO_PKG_VERSION").into(),
            source: source.text.clone(),
            partial: false,
        }
    }

    /// What its jobs found, in their order, by scheme; those that were interrupted are left out.
    pub fn by_scheme(&self, found: impl IntoIterator<Item = Option<SchemeRun>>) -> Vec<SchemeRuns> {
        let mut schemes: Vec<SchemeRuns> = Vec::new();
        for (job, found) in self.jobs.iter().zip(found) {
            let Some(run) = found else { continue };
            let name = job.scheme.name();
            match schemes.last_mut().filter(|scheme| scheme.name == name) {
                Some(scheme) => scheme.runs.push(run),
                None => schemes.push(SchemeRuns {
                    name,
                    note: job.scheme.note(),
                    conditions: job.conditions(),
                    is_lossless: job.scheme.is_lossless(),
                    runs: vec![run],
                }),
            }
        }
        schemes
    }
}

/// A fingerprint of all runs.
pub fn trace_hash(schemes: &[SchemeRuns]) -> u64 {
    let mut hash = TraceHash::new();
    let runs = schemes.iter().flat_map(|scheme| &scheme.runs);
    runs.for_each(|run| hash.add(run.trace_hash));
    hash.value()
}

/// One scheme with one seed.
pub struct Job {
    /// The scheme.
    pub scheme: Scheme,
    seed: u64,
    scenario: Scenario,
    carriers: Vec<Carrier>,
    /// With the starts that this seed draws.
    workload: Workload,
}

impl Job {
    /// A run of `scenario`, written for `scheme`.
    fn new(
        comparison: &Comparison,
        scheme: Scheme,
        seed: u64,
        scenario: Scenario,
    ) -> Result<Job, String> {
        let roles = comparison.roles(scheme);
        let carriers = carriers(&roles, &engine(&scenario).flows())?;
        Ok(Job {
            scheme,
            seed,
            scenario,
            carriers,
            workload: workload(&comparison.drawn(seed)),
        })
    }

    /// What it runs on.
    fn conditions(&self) -> Conditions {
        engine(&self.scenario).conditions()
    }

    /// Runs it; nothing if it was interrupted.
    ///
    /// # Errors
    /// If the engine refuses its scenario.
    pub fn run(&self) -> Result<Option<SchemeRun>, String> {
        let started = Instant::now();
        let engine = engine(&self.scenario);
        let run = engine.metered(&self.workload, &self.carriers);
        let mut run = run.map_err(|error| format!("{}: {error}", self.scheme))?;
        if !complete(&mut *run) {
            return Ok(None);
        }
        let mut found = run.found();
        let head = found.head();
        let mut seen = found.told().seen.take().unwrap_or_default();
        let program = |flow: &WorkloadFlow| match flow.kind.is_program() {
            true => ProgramSeen::of(&flow.name, &found.flow_tables(&flow.name)?),
            false => None,
        };
        seen.programs = self.workload.flows.iter().map(program).collect();
        Ok(Some(SchemeRun {
            seed: self.seed,
            seen,
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
        let of_ranks = || roles.get(name.rsplit_once('[')?.0);
        let role = roles.get(*name).or_else(of_ranks);
        let role = role.ok_or(format!("there is no flow `{name}`"))?;
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
fn workload(comparison: &Comparison) -> Workload {
    Workload {
        duration_ps: comparison.duration.ps(),
        warm_up_ps: comparison.warm_up.ps(),
        window_ps: comparison.window.max(Duration(1)).ps(),
        flows: (comparison.flows.iter())
            .map(|one| flow(one, comparison.alone(one)))
            .chain(comparison.programs.iter().map(program))
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
        ComparedTraffic::Constant { rate, .. } => FlowKind::Constant(on_wire(rate)),
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

/// A collective or a job, as one flow that is counted by itself.
fn program(program: &ComparedProgram) -> WorkloadFlow {
    WorkloadFlow {
        name: program.name.clone(),
        group: program.name.clone(),
        kind: match program.is_job {
            true => FlowKind::Job,
            false => FlowKind::Collective,
        },
        ..WorkloadFlow::default()
    }
}

/// What payload at a rate takes on the wire in full frames, bits per second.
fn on_wire(payload: Rate) -> u64 {
    let [wire, net] = [Unit::Frame.wire_bytes(), Unit::Frame.payload_bytes()].map(u128::from);
    u64::try_from(u128::from(payload.0) * wire / net).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Full frames of 1,472 bytes of payload take 1,538 on the wire.
    #[test]
    fn payload_takes_more_on_the_wire() {
        assert_eq!(on_wire(Rate(1_472_000_000)), 1_538_000_000);
        assert_eq!(on_wire(Rate(20_000_000)), 20_896_739);
    }
}
