//! What one run of the cycle engine found, as tables, a page and a summary for the terminal.

mod deadlock;
mod fair;
mod groups;
mod names;
pub(crate) mod network;
mod plots;
mod report;
mod starved;
mod tables;
mod terminal;
mod trace;
mod vcd;
mod words;
mod zero_load;

use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::FabricSpec;
use backwater_kernel::Stop;
use serde_json::{Value, json};

use crate::directory::Manifest;
use crate::fairness::FairShares;
use crate::info::RunInfo;
use crate::model::Table;
use crate::records::summary;

pub(crate) use names::coordinates;
pub use names::{ChannelKind, End, FabricNames};
pub use report::fabric_report;
pub use tables::{class_names, class_tables, fabric_tables};
pub use terminal::fabric_terminal_summary;
pub use trace::FabricTraceWriter;
pub use vcd::FabricVcd;
pub use zero_load::zero_load;

/// The manifest of a run, finished or not.
pub fn fabric_manifest(info: &RunInfo, spec: &FabricSpec, outcome: &FabricOutcome) -> Manifest {
    Manifest {
        version: info.version.clone(),
        command: info.command.clone(),
        scenario: info.resolved.clone(),
        seed: spec.seed,
        trace_hash: words::trace_hash(outcome),
        cycles: Some(outcome.cycles),
        flit_hops: Some(outcome.flit_hops),
        flit_hops_per_second: info.per_second(outcome.flit_hops),
        wall_seconds: info.wall_seconds,
        stop: words::stop(outcome),
        partial: outcome.stop == Stop::Interrupted,
        checks: info.checks.clone(),
        warnings: starved::sentences(spec, outcome),
        ..Manifest::default()
    }
}

/// The numbers most programs want, for `summary.json`: the run as a whole, which has the numbers
/// of the table `summary`, and the rows of the other `tables`.
pub fn fabric_summary(
    info: &RunInfo,
    spec: &FabricSpec,
    outcome: &FabricOutcome,
    tables: &[Table],
) -> Value {
    let shares = fair::shares(spec, outcome);
    let indices = shares.as_ref().ok().and_then(FairShares::indices);
    let (jain_rates, jain_ratios) = indices.unzip();
    let stuck = outcome.standstill.as_ref().map(|found| {
        json!({
            "since_cycle": found.since,
            "packets": outcome.stuck_packets,
            "others_move": found.others_move,
        })
    });
    let mut head = json!({
        "name": info.name,
        "stop": words::stop(outcome),
        "trace_hash": words::trace_hash(outcome),
        "warm_up_detected": outcome.warm_up_detected,
        "saturated": outcome.saturated,
        "balanced": outcome.balance().holds(),
        "promises_broken": outcome.violations.total(),
        "stuck": stuck,
        "starved": starved::all(spec, outcome),
        "jain_rates": jain_rates,
        "jain_ratios": jain_ratios,
        "max_min_left_out": shares.err(),
    });
    for (column, value) in tables::numbers(spec, outcome) {
        head[column.key()] = Value::from(&value);
    }
    summary(head, tables)
}
