//! The manifest of a run.

use backwater_kernel::Stop;
use backwater_net::outcome::Outcome;

use super::summary::trace_hash;
use super::{Network, ended, starved};
use crate::directory::Manifest;
use crate::info::RunInfo;

/// Of a run that is over or was interrupted. Its unit hops are units, data and control, that
/// crossed a channel.
pub fn run_manifest(info: &RunInfo, network: &impl Network, outcome: &Outcome) -> Manifest {
    Manifest {
        version: info.version.clone(),
        command: info.command.clone(),
        scenario: info.resolved.clone(),
        seed: network.seed(),
        trace_hash: trace_hash(outcome),
        events: outcome.events,
        unit_hops: outcome.unit_hops,
        wall_seconds: info.wall_seconds,
        events_per_second: info.per_second(outcome.events),
        stop: ended(network, outcome, info.cell).1,
        ended_at_ps: outcome.ended_at.ps(),
        partial: outcome.stop == Stop::Interrupted,
        checks: info.checks.clone(),
        promises: Some(network.promises(info, outcome)),
        warnings: starved::sentences(network, outcome),
        ..Manifest::default()
    }
}
