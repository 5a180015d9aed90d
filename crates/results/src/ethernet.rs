//! What one run of the Ethernet engine found, as tables, a page, a summary for the terminal, a
//! trace and a capture.

mod bounds;
mod capture;
mod completion;
mod fair;
mod group_table;
mod groups;
mod network;
mod pauses;
mod plots;
mod ports;
mod promises;
mod report;
mod standstill;
mod starved;
mod tables;
mod terminal;
mod trace;
mod transfers;
mod words;

use backwater_kernel::Stop;
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::Outcome;
use serde_json::Value;

use crate::directory::Manifest;
use crate::events::summary::{head, trace_hash};
use crate::info::RunInfo;
use crate::model::Table;
use crate::records::summary;

pub use bounds::note_late_frames;
pub use capture::{Capture, SNAP_BYTES};
pub use completion::Completion;
pub use groups::{fairness, goodputs};
pub use report::ethernet_report;
pub use tables::{ethernet_tables, flow_tables};
pub use terminal::ethernet_terminal_summary;
pub use trace::EthernetTrace;
pub(crate) use trace::kind;

/// The manifest of a run, finished or interrupted. Its unit hops are frames that crossed a queue
/// and a channel.
pub fn ethernet_manifest(info: &RunInfo, spec: &EthernetSpec, outcome: &Outcome) -> Manifest {
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
        stop: words::stop(outcome),
        ended_at_ps: outcome.ended_at.ps(),
        partial: outcome.stop == Stop::Interrupted,
        checks: info.checks.clone(),
        promises: Some(promises::promises(info, spec, outcome)),
        warnings: starved::sentences(spec, outcome),
        ..Manifest::default()
    }
}

/// The numbers most programs want, for `summary.json`: the run as a whole, and the rows of its
/// `tables`.
pub fn ethernet_summary(
    info: &RunInfo,
    spec: &EthernetSpec,
    outcome: &Outcome,
    tables: &[Table],
) -> Value {
    let mut head = head(
        (info, spec, outcome),
        words::stop(outcome),
        fair::shares(spec, outcome).indices(),
        starved::all(spec, outcome),
    );
    head["jain_goodputs"] = fairness(&goodputs(spec, outcome)).into();
    summary(head, tables)
}
