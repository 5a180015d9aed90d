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

use backwater_flit::outcome::{CyclesOutcome, FabricOutcome};
use backwater_flit::spec::FabricSpec;
use backwater_kernel::Stop;
use serde_json::{Value, json};

use crate::directory::Manifest;
use crate::info::RunInfo;

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
    let wall = info.wall_seconds.filter(|wall| *wall > 0.0);
    Manifest {
        version: info.version.clone(),
        command: info.command.clone(),
        scenario: info.resolved.clone(),
        seed: spec.seed,
        trace_hash: words::trace_hash(outcome),
        cycles: Some(outcome.cycles),
        flit_hops: Some(outcome.flit_hops),
        flit_hops_per_second: wall.map(|wall| outcome.flit_hops as f64 / wall),
        wall_seconds: info.wall_seconds,
        stop: words::stop(outcome),
        partial: outcome.stop == Stop::Interrupted,
        checks: info.checks.clone(),
        warnings: starved::sentences(spec, outcome),
        ..Manifest::default()
    }
}

/// The numbers most programs want, for `summary.json`. Loads are in flits per cycle and terminal,
/// latencies in cycles; what was not measured is null.
pub fn fabric_summary(info: &RunInfo, spec: &FabricSpec, outcome: &FabricOutcome) -> Value {
    let balance = outcome.balance();
    let measured = outcome.window > 0;
    let shares = fair::shares(spec, outcome);
    json!({
        "name": info.name,
        "stop": words::stop(outcome),
        "cycles": outcome.cycles,
        "window_start_cycle": measured.then_some(outcome.window_start),
        "window_cycles": outcome.window,
        "warm_up_detected": outcome.warm_up_detected,
        "trace_hash": words::trace_hash(outcome),
        "flit_hops": outcome.flit_hops,
        "created_flits": balance.offered,
        "delivered_flits": balance.delivered,
        "queued_flits": balance.queued,
        "inside_flits": balance.inside,
        "balanced": balance.holds(),
        "delivered_packets": outcome.packets_total,
        "unfinished_packets": outcome.unfinished,
        "offered_load": measured.then_some(outcome.offered),
        "accepted_load": measured.then_some(outcome.accepted),
        "accepted_load_ci95": outcome.accepted_half_width,
        "accepted_load_min": measured.then_some(outcome.accepted_least),
        "jain_sources": fair::of_sources(spec, outcome).map(|found| found.0),
        "max_min": shares.as_ref().map_or(Value::Null, |shares| shares.json()),
        "max_min_left_out": shares.as_ref().err(),
        "saturated": outcome.saturated,
        "latency_cycles": cycles(&outcome.latency),
        "network_latency_cycles": cycles(&outcome.network_latency),
        "zero_load_latency_cycles": zero_load(spec, outcome),
        "hops_mean": (outcome.latency.count > 0).then_some(outcome.hops_mean),
        "deadlock": deadlock::summary(spec, outcome),
        "violations": outcome.violations.total(),
        "starved": starved::all(spec, outcome),
        "classes": classes(spec, outcome),
    })
}

fn cycles(found: &CyclesOutcome) -> Value {
    if found.count == 0 {
        return Value::Null;
    }
    json!({
        "packets": found.count,
        "mean": found.mean,
        "mean_ci95": found.half_width,
        "deviation": found.deviation,
        "min": found.min,
        "p50": found.percentiles[0],
        "p90": found.percentiles[1],
        "p99": found.percentiles[2],
        "p99_9": found.percentiles[3],
        "max": found.max,
    })
}

fn classes(spec: &FabricSpec, outcome: &FabricOutcome) -> Vec<Value> {
    let one = |(index, found): (usize, &backwater_flit::outcome::ClassOutcome)| {
        json!({
            "name": tables::class_name(spec, index),
            "created_flits": found.created_total,
            "delivered_flits": found.delivered_total,
            "latency_cycles": cycles(&found.latency),
            "late_packets": found.late,
        })
    };
    outcome.classes.iter().enumerate().map(one).collect()
}
