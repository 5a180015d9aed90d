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
use serde_json::Value;

use crate::directory::{Manifest, Promise, PromiseState};
use crate::events::summary::{head, trace_hash};
use crate::info::RunInfo;
use crate::model::Table;
use crate::records::summary;

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
        trace_hash: trace_hash(outcome),
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

/// The numbers most programs want, for `summary.json`: the run as a whole, and the rows of its
/// `tables`.
pub fn run_summary(
    info: &RunInfo,
    spec: &NetworkSpec,
    outcome: &Outcome,
    tables: &[Table],
) -> Value {
    let mut head = head(
        (info, spec, outcome),
        words::stop(outcome, info.cell),
        fair::shares(spec, outcome).indices(),
        starved::all(spec, outcome),
    );
    head["cell_ps"] = info.cell.ps().into();
    summary(head, tables)
}
