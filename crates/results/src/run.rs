//! What one run found, as tables, a page and a summary for the terminal.

mod abr;
mod bounds;
mod bursts;
mod cell_tcp;
mod fair;
mod loads;
mod losses;
mod network;
mod port_plots;
mod ports;
mod recovery;
mod report;
mod responses;
mod sessions;
mod standstill;
mod starved;
mod tables;
mod terminal;
pub(crate) mod words;

use backwater_kernel::Stop;
use backwater_net::outcome::{Outcome, PortsOutcome, RecoveryOutcome};
use backwater_net::spec::{FlowControlSpec, NetworkSpec};
use serde_json::{Value, json};

use crate::directory::{Manifest, Promise, PromiseState};
use crate::info::RunInfo;

pub use bounds::note_broken_bounds;
pub use report::run_report;
pub use standstill::standstill_sentence;
pub use tables::{flow_tables, run_tables};
pub use terminal::terminal_summary;

/// What probes measured beside the outcome.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured<'a> {
    /// Of ports.
    pub ports: Option<&'a PortsOutcome>,
    /// Of outages.
    pub recovery: Option<&'a RecoveryOutcome>,
}

impl<'a> From<Option<&'a PortsOutcome>> for Measured<'a> {
    fn from(ports: Option<&'a PortsOutcome>) -> Measured<'a> {
        Measured {
            ports,
            recovery: None,
        }
    }
}

/// The manifest of a finished or interrupted run.
pub fn run_manifest(info: &RunInfo, spec: &NetworkSpec, outcome: &Outcome) -> Manifest {
    let wall = info.wall_seconds.filter(|wall| *wall > 0.0);
    Manifest {
        version: info.version.clone(),
        command: info.command.clone(),
        scenario: info.resolved.clone(),
        seed: spec.seed,
        trace_hash: words::trace_hash(outcome),
        events: outcome.events,
        unit_hops: outcome.unit_hops,
        wall_seconds: info.wall_seconds,
        events_per_second: wall.map(|wall| outcome.events as f64 / wall),
        stop: words::stop(outcome, info.cell),
        ended_at_ps: outcome.ended_at.ps(),
        partial: outcome.stop == Stop::Interrupted,
        checks: info.checks.clone(),
        promises: Some(promises(spec, outcome)),
        warnings: starved::sentences(spec, outcome),
        ..Manifest::default()
    }
}

/// What credit promises, and what came of it. Nothing gives it up: a scenario that overfills its
/// buffers to see by how much breaks it.
fn promises(spec: &NetworkSpec, outcome: &Outcome) -> Vec<Promise> {
    let legs = spec.flows.iter().flat_map(|flow| &flow.legs);
    let credit = legs.filter(|leg| leg.flow_control != FlowControlSpec::None);
    let count = credit.count();
    let (state, detail) = match outcome.violations.total() {
        0 => (PromiseState::Kept, String::new()),
        broken => (PromiseState::Broken, format!("broken {broken} times")),
    };
    let what = match count {
        0 => "units balance".into(),
        1 => "1 hop under credit overflows no buffer; units balance".into(),
        _ => format!("{count} hops under credit overflow no buffer; units balance"),
    };
    vec![Promise {
        what,
        state,
        detail,
    }]
}

/// The numbers most programs want, for `summary.json`.
///
/// Losses by cause, sessions, warnings, a standstill, ABR, delay bounds, recovery and what was
/// measured of ports are there if the run had them.
pub fn run_summary<'a>(
    info: &RunInfo,
    spec: &NetworkSpec,
    outcome: &Outcome,
    measured: impl Into<Measured<'a>>,
) -> Value {
    let balance = outcome.balance();
    let loads = loads::flow_loads(spec, outcome);
    let flows: Vec<Value> = spec
        .flows
        .iter()
        .zip(&outcome.flows)
        .zip(&loads)
        .map(|((flow, found), load)| {
            let delay = &found.delay;
            json!({
                "name": flow.name,
                "offered": found.offered_total,
                "delivered": found.delivered_total,
                "inside": found.inside_total,
                "lost": found.lost_total,
                "throughput_bps": load.bits_per_second,
                "throughput_share": load.fraction,
                "delay_mean_ps": (delay.count > 0).then_some(delay.mean),
                "delay_mean_ps_ci95": delay.half_width,
                "delay_max_ps": (delay.count > 0).then_some(delay.max),
            })
        })
        .collect();
    let mut summary = json!({
        "name": info.name,
        "stop": words::stop(outcome, info.cell),
        "ended_at_ps": outcome.ended_at.ps(),
        "warm_up_ps": spec.warm_up.ps(),
        "cell_ps": info.cell.ps(),
        "trace_hash": words::trace_hash(outcome),
        "events": outcome.events,
        "unit_hops": outcome.unit_hops,
        "offered": balance.offered,
        "delivered": balance.delivered,
        "inside": balance.inside,
        "lost": balance.dropped,
        "balanced": balance.holds(),
        "violations": outcome.violations.total(),
        "starved": starved::all(spec, outcome),
        "flows": flows,
    });
    add_extras(&mut summary, (info, spec, outcome), measured.into());
    summary
}

/// What only some runs have.
fn add_extras(
    summary: &mut Value,
    (info, spec, outcome): (&RunInfo, &NetworkSpec, &Outcome),
    measured: Measured<'_>,
) {
    if outcome.balance().dropped > 0 {
        summary["lost_by_cause"] = losses::json(outcome);
    }
    if let Some(sessions) = sessions::json(spec, outcome) {
        summary["sessions"] = sessions;
    }
    let warnings: u64 = outcome.flows.iter().map(|flow| flow.alarms_total).sum();
    if warnings > 0 {
        summary["warnings"] = warnings.into();
    }
    if let Some(standstill) = standstill::json(spec, outcome, info.cell) {
        summary["standstill"] = standstill;
    }
    summary["fairness"] = fair::shares(spec, outcome).json();
    if let Some(abr) = abr::json(spec, outcome) {
        summary["abr"] = abr;
    }
    if let Some(bounds) = bounds::json(spec, outcome) {
        summary["bounds"] = bounds;
    }
    if let Some(found) = measured.recovery {
        summary["recovery"] = recovery::json(spec, found);
    }
    if let Some(measured) = measured.ports {
        (summary["paths"], summary["ports"]) = ports::json(spec, measured);
        summary["window_ps"] = measured.window.ps().into();
    }
}
