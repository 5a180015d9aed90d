//! What `summary.json` begins with.

use backwater_kernel::Balance;
use backwater_net::outcome::Outcome;
use serde_json::{Value, json};

use super::control::Control;
use super::{Findings, Network, ended, starved};
use crate::fairness::jain;
use crate::info::RunInfo;
use crate::records::summary;

/// The trace hash as 16 hexadecimal digits.
pub fn trace_hash(outcome: &Outcome) -> String {
    format!("{:016x}", outcome.trace_hash)
}

/// The numbers most programs want, for `summary.json`: the run as a whole, and the rows of its
/// `tables`. Times of the run as a whole are in picoseconds.
pub fn run_summary<N: Network>(info: &RunInfo, run: &Findings<'_, N>) -> Value {
    let (jain_rates, jain_ratios) = run.shares().indices().unzip();
    let goodputs = N::goodputs(run);
    let stuck = run.outcome.standstill.as_ref().map(|found| {
        json!({
            "since_ps": found.since.ps(),
            "found_at_ps": found.found_at.ps(),
            "is_circle": found.is_circle,
            "others_move": found.others_move,
        })
    });
    let head = json!({
        "name": info.name,
        "stop": ended(run).1,
        "ended_at_ps": run.outcome.ended_at.ps(),
        "warm_up_ps": run.network.warm_up().ps(),
        "cell_ps": Some(run.cell.ps()).filter(|ps| *ps > 0),
        "trace_hash": trace_hash(&run.outcome),
        "events": run.outcome.events,
        "unit_hops": run.outcome.unit_hops,
        "control_hops": run.outcome.control_hops,
        "control_frames": Some(Control::of(&run.outcome)).filter(Control::is_any),
        "balanced": run.outcome.balances().iter().all(Balance::holds),
        "promises_broken": run.outcome.violations.total(),
        "stuck": stuck,
        "starved": starved::all(run),
        "jain_rates": jain_rates,
        "jain_ratios": jain_ratios,
        "jain_goodputs": (!goodputs.is_empty()).then(|| jain(&goodputs)),
    });
    summary(head, run.tables())
}
