//! A run in sentences.

use backwater_kernel::words::counted;
use backwater_kernel::{Balance, Duration, Stop};
use backwater_net::outcome::Outcome;
use backwater_net::spec::NetworkSpec;

use super::{losses, sessions};
use crate::events::ports::busiest;
use crate::info::RunInfo;
use crate::number::{fixed, grouped, significant, span};
use crate::stop;

/// A span in cells, short: `1,234`, `77.5`.
pub fn cells(ps: u64, cell: Duration) -> String {
    let count = Duration(ps).in_units_of(cell);
    if count >= 1000.0 {
        fixed(count, 0)
    } else {
        significant(count, 4)
    }
}

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

/// `offered 10 = delivered 8 + queued 1 + dropped 1`.
pub fn conservation(balance: &Balance) -> String {
    format!(
        "offered {} {} delivered {} + queued {} + dropped {}",
        grouped(balance.offered),
        if balance.holds() { "=" } else { "≠" },
        grouped(balance.delivered),
        grouped(balance.inside),
        grouped(balance.dropped)
    )
}

/// The run in one paragraph.
pub fn paragraph(info: &RunInfo, spec: &NetworkSpec, outcome: &Outcome) -> String {
    let balance = outcome.balance();
    let mut text = format!(
        "{} crossed a network of {} and {} for {} cell times ({}).",
        counted(spec.flows.len(), "flow"),
        counted(spec.nodes.len(), "node"),
        counted(spec.links.len(), "link"),
        cells(outcome.ended_at.ps(), info.cell),
        span(outcome.ended_at.ps() as f64)
    );
    if spec.warm_up.ps() > 0 {
        text.push_str(&format!(
            " Rates and delays leave out the first {} cell times, the warm-up; totals cover \
             everything.",
            cells(spec.warm_up.ps(), info.cell)
        ));
    }
    text.push_str(&format!(" Why it ended: {}.", stop(outcome, info.cell)));
    text.push_str(&format!(
        "\n\nOver all destinations, {}: {}; {}.",
        conservation(&balance),
        if balance.holds() {
            "every unit is accounted for"
        } else {
            "units are missing, which is a fault of the simulator"
        },
        losses::sentence(outcome)
    ));
    if let Some((name, data, control)) = busiest(spec, outcome) {
        text.push_str(&format!(
            " The busiest port, {name}, carried data {}\u{a0}% and control units {}\u{a0}% \
             of the time.",
            significant(data * 100.0, 4),
            significant(control * 100.0, 3)
        ));
    }
    let more = [
        sessions::sentence(spec, outcome),
        sessions::warnings_sentence(outcome),
    ];
    for sentence in more.into_iter().flatten() {
        text.push_str(&format!(" {sentence}."));
    }
    text
}
