//! A run in sentences.

use backwater_kernel::{Duration, Stop};
use backwater_net::outcome::Outcome;

use crate::events::words::cells;
use crate::stop;

/// Why the run ended, as the rest of "the run ended: ...".
pub fn stop(outcome: &Outcome, cell: Duration) -> String {
    match outcome.stop {
        Stop::Drained => "everything offered was delivered or lost, nothing was left to do".into(),
        other => stop::sentence(other, || {
            let since = outcome
                .standstill
                .as_ref()
                .map_or(0, |found| found.since.ps());
            format!(
                "stuck since {} cells: units wait and nothing can move",
                cells(since, cell)
            )
        }),
    }
}

/// Why the run ended, in two or three words.
pub fn stop_short(stop: Stop) -> &'static str {
    stop::short(stop, "stuck")
}
