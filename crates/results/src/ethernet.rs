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

use backwater_kernel::{DelayOutcome, Duration, Stop};
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::{LossCause, Outcome};
use serde_json::{Value, json};

use crate::directory::Manifest;
use crate::distribution;
use crate::events::{per_second, seconds};
use crate::info::RunInfo;

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
        trace_hash: words::trace_hash(outcome),
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

/// The numbers most programs want, for `summary.json`; what was not measured is null.
pub fn ethernet_summary(info: &RunInfo, spec: &EthernetSpec, outcome: &Outcome) -> Value {
    let [frames, bytes] = outcome.balances();
    let drops = ports::all_drops(outcome);
    let control = words::Control::of(outcome);
    let mut summary = json!({
        "name": info.name,
        "stop": words::stop(outcome),
        "ended_at_ps": outcome.ended_at.ps(),
        "warm_up_ps": spec.warm_up.ps(),
        "trace_hash": words::trace_hash(outcome),
        "events": outcome.events,
        "frame_hops": outcome.unit_hops,
        "control_hops": outcome.control_hops,
        "created_frames": frames.offered,
        "delivered_frames": frames.delivered,
        "dropped_frames": frames.dropped,
        "inside_frames": frames.inside,
        "created_bytes": bytes.offered,
        "delivered_bytes": bytes.delivered,
        "dropped_bytes": bytes.dropped,
        "inside_bytes": bytes.inside,
        "balanced": frames.holds() && bytes.holds(),
        "dropped_by_cause": {
            "queue_full": drops.by(LossCause::QueueFull),
            "input_full": drops.by(LossCause::Buffer),
            "memory_full": drops.by(LossCause::Pool),
            "watchdog": drops.by(LossCause::Watchdog),
            "wire": drops.by(LossCause::Wire),
        },
        "stops_sent": control.stops,
        "refreshes_sent": control.refreshes,
        "resumes_sent": control.resumes,
        "stops_obeyed": control.obeyed,
        "credits_sent": control.credits,
        "control_lost": control.lost,
        "fairness": fairness(&goodputs(spec, outcome)),
        "max_min": fair::shares(spec, outcome).json(),
        "standstill": standstill::summary(spec, outcome),
        "violations": outcome.violations.total(),
        "starved": starved::all(spec, outcome),
        "completion": completion::json(spec, outcome),
        "flows": flows(spec, outcome),
    });
    if let Some(bounds) = bounds::json(spec, outcome) {
        summary["bounds"] = bounds;
    }
    summary
}

fn flows(spec: &EthernetSpec, outcome: &Outcome) -> Vec<Value> {
    let seconds = seconds(spec, outcome);
    let bps = |bytes: u64| per_second(bytes as f64 * 8.0, seconds);
    let pairs = spec.flows.iter().zip(&outcome.flows);
    pairs
        .map(|(flow, found)| {
            json!({
                "name": flow.name,
                "goodput_bps": bps(found.ends.goodput_bytes),
                "returned_bps": bps(found.ends.returned_bytes),
                "created_frames": found.offered_total,
                "delivered_frames": found.delivered_total,
                "dropped_frames": found.lost_total,
                "inside_frames": found.inside_total,
                "transfers": found.ends.transfers,
                "fct_ps": distribution::json(&found.ends.transfer_time),
                "fct_alone_ps": found.alone.map(Duration::ps),
                "slowdown": distribution::json(&found.slowdown),
                "fct_acked_ps": distribution::json(&found.ends.acknowledged_time),
                "transfers_total": found.ends.transfers_total,
                "unacked_total": found.ends.unacknowledged_total,
                "last_transfer_ps": found.ends.last_transfer.ps(),
                "delay_ps": times(&found.delay),
                "late": found.ends.late,
                "due": found.ends.due,
                "ecn_marked_frames": found.marked,
                "retransmitted_bytes": found.ends.tcp.again_bytes,
                "timeouts": found.ends.tcp.time_outs,
            })
        })
        .collect()
}

fn times(found: &DelayOutcome) -> Value {
    if found.count == 0 {
        return Value::Null;
    }
    json!({
        "count": found.count,
        "mean": found.mean,
        "min": found.min,
        "p50": found.histogram.percentile(50.0),
        "p99": found.histogram.percentile(99.0),
        "max": found.max,
    })
}
