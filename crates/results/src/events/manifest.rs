//! The manifest of a run.

use backwater_kernel::Stop;

use super::summary::trace_hash;
use super::{Findings, Network, ended, starved};
use crate::directory::Manifest;
use crate::info::RunInfo;

/// Of a run that is over or was interrupted. Its unit hops are units, data and control, that
/// crossed a channel.
pub fn run_manifest<N: Network>(info: &RunInfo, run: &Findings<'_, N>) -> Manifest {
    Manifest {
        version: info.version.clone(),
        command: info.command.clone(),
        scenario: info.resolved.clone(),
        seed: run.network.seed(),
        trace_hash: trace_hash(&run.outcome),
        events: run.outcome.events,
        unit_hops: run.outcome.unit_hops,
        wall_seconds: info.wall_seconds,
        events_per_second: info.per_second(run.outcome.events),
        stop: ended(run).1,
        ended_at_ps: run.outcome.ended_at.ps(),
        partial: run.outcome.stop == Stop::Interrupted,
        checks: info.checks.clone(),
        promises: Some(N::promises(run, info)),
        warnings: starved::sentences(run),
        ..Manifest::default()
    }
}
