//! What `summary.json` begins with.

use backwater_kernel::Balance;
use backwater_net::outcome::Outcome;
use serde_json::{Value, json};

use super::Network;
use crate::info::RunInfo;

/// The trace hash as 16 hexadecimal digits.
pub fn trace_hash(outcome: &Outcome) -> String {
    format!("{:016x}", outcome.trace_hash)
}

/// The run as a whole: why it ended, when, what it counted, whether it kept its promises; `jain` is
/// of rates and of rates over shares. Times are in picoseconds.
pub fn head(
    (info, network, outcome): (&RunInfo, &impl Network, &Outcome),
    stop: String,
    jain: Option<(f64, f64)>,
    starved: Vec<String>,
) -> Value {
    let (jain_rates, jain_ratios) = jain.unzip();
    let stuck = outcome.standstill.as_ref().map(|found| {
        json!({
            "since_ps": found.since.ps(),
            "found_at_ps": found.found_at.ps(),
            "is_circle": found.is_circle,
            "others_move": found.others_move,
        })
    });
    json!({
        "name": info.name,
        "stop": stop,
        "ended_at_ps": outcome.ended_at.ps(),
        "warm_up_ps": network.warm_up().ps(),
        "trace_hash": trace_hash(outcome),
        "events": outcome.events,
        "unit_hops": outcome.unit_hops,
        "control_hops": outcome.control_hops,
        "balanced": outcome.balances().iter().all(Balance::holds),
        "promises_broken": outcome.violations.total(),
        "stuck": stuck,
        "starved": starved,
        "jain_rates": jain_rates,
        "jain_ratios": jain_ratios,
    })
}
