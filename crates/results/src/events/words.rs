//! A run in sentences.

use backwater_kernel::words::counted;
use backwater_kernel::{Balance, Duration};
use backwater_net::outcome::{Drops, LossCause, Outcome};

use super::Findings;
use super::Network;
use super::drops::{self, cause};
use super::ports::busiest;
use crate::number::{fixed, grouped, percent, significant, span};

/// What every reader of the field knows a cell to have.
const ATM_CELL_BYTES: u64 = 53;

/// A time of cells in cells, short: `1,234`, `77.5`.
pub fn cells(ps: u64, cell: Duration) -> String {
    let count = Duration(ps).in_units_of(cell);
    match count >= 1000.0 {
        true => fixed(count, 0),
        false => significant(count, 4),
    }
}

/// `1,234 cells` where those are the unit of time shown first, else `1.2 ms`.
pub fn time(cell: Duration, ps: u64) -> String {
    match cell {
        Duration::ZERO => span(ps as f64),
        cell => format!("{} cells", cells(ps, cell)),
    }
}

/// A time in the unit shown first, and in seconds behind it in brackets where that is cells.
pub fn both_times(cell: Duration, ps: u64) -> String {
    match cell {
        Duration::ZERO => span(ps as f64),
        _ => format!("{} ({})", time(cell, ps), span(ps as f64)),
    }
}

/// The balance in bytes on the wire, where the scenario gives its units other sizes than that of a
/// cell of ATM, one for each flow.
fn worth<N: Network>(run: &Findings<'_, N>) -> Option<Balance> {
    let sizes = (0..run.outcome.flows.len()).map(|flow| run.network.unit_bytes(flow as u32));
    let sizes: Vec<u64> = sizes
        .map(|size| size.map(u64::from))
        .collect::<Option<_>>()?;
    let flows = run.outcome.flows.iter().zip(&sizes);
    let bytes = flows.map(|(flow, size)| {
        let of = |units: u64| units.saturating_mul(*size);
        let units = flow.balance();
        Balance {
            offered: of(units.offered),
            delivered: of(units.delivered),
            dropped: of(units.dropped),
            queued: of(units.queued),
            inside: of(units.inside),
        }
    });
    let is_other = sizes.iter().any(|size| *size != ATM_CELL_BYTES);
    is_other.then(|| bytes.sum())
}

/// `offered 10 = delivered 8 + dropped 1 + inside 1 cells`, and the same in bytes where those are
/// counted, or the scenario gives the size of its units.
pub fn balance<N: Network>(run: &Findings<'_, N>) -> String {
    let [units, bytes] = run.outcome.balances();
    let sign = |balance: &Balance| if balance.holds() { "=" } else { "≠" };
    let mut text = format!(
        "offered {} {} delivered {} + dropped {} + inside {} {}",
        grouped(units.offered),
        sign(&units),
        grouped(units.delivered),
        grouped(units.dropped),
        grouped(units.inside),
        N::UNITS
    );
    let bytes = match run.outcome.all_flows().any(|flow| flow.bytes.is_some()) {
        true => Some(bytes),
        false => worth(run),
    };
    if let Some(bytes) = bytes {
        text.push_str(&format!(
            ", {} {} {} + {} + {} bytes",
            grouped(bytes.offered),
            sign(&bytes),
            grouped(bytes.delivered),
            grouped(bytes.dropped),
            grouped(bytes.inside)
        ));
    }
    text
}

/// The causes of drops that occurred, each with its count: `queue full 12, watchdog 3`.
pub fn causes(drops: &Drops) -> String {
    let words = |by| match by {
        LossCause::Wire => "lost on the wire",
        other => cause(other),
    };
    let parts = drops.each().filter(|(_, count)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(cause, count)| format!("{} {}", words(cause), grouped(count)))
        .collect();
    parts.join(", ")
}

/// What was dropped, by cause.
pub fn dropped(outcome: &Outcome) -> String {
    let all = drops::all(outcome);
    let trimmed: u64 = outcome.flows.iter().map(|flow| flow.trimmed).sum();
    let trimmed = match trimmed {
        0 => String::new(),
        _ => format!("; trimmed {}", counted(trimmed, "packet")),
    };
    match all.total() {
        0 => format!("nothing was dropped{trimmed}"),
        _ => format!("dropped: {}{trimmed}", causes(&all)),
    }
}

/// The busiest port and its load, after these words.
pub fn busiest_port<N: Network>(run: &Findings<'_, N>) -> Option<String> {
    let (name, data, control) = busiest(run)?;
    Some(format!(
        "busiest port {name}: data {}, control {}",
        percent(data),
        percent(control)
    ))
}

/// The run in two paragraphs; `more` sentences end the second.
pub fn paragraphs<N: Network>(
    run: &Findings<'_, N>,
    why: &str,
    more: impl IntoIterator<Item = String>,
) -> String {
    let (network, outcome) = (run.network, &run.outcome);
    let nodes = (0..).map_while(|node| network.node(node));
    let (switches, hosts): (Vec<_>, Vec<_>) = nodes.partition(|(_, is_switch)| *is_switch);
    let mut text = format!(
        "{} crossed a network of {} and {} for {}.",
        counted(outcome.flow_count(), "flow"),
        counted(hosts.len(), "host"),
        counted(switches.len(), "switch"),
        both_times(run.cell, outcome.ended_at.ps())
    );
    if network.warm_up().ps() > 0 {
        text.push_str(&format!(
            " Rates, delays and shares leave out the first {}, the warm-up; totals cover \
             everything.",
            time(run.cell, network.warm_up().ps())
        ));
    }
    let accounted = match outcome.balances().iter().all(Balance::holds) {
        true => "everything is accounted for",
        false => "units are missing, which is a fault of the simulator",
    };
    text.push_str(&format!(
        " Why it ended: {why}.\n\nOver the whole run and all destinations, {}: {accounted}; {}.",
        balance(run),
        dropped(outcome)
    ));
    let port = busiest_port(run);
    for sentence in port.into_iter().chain(more) {
        text.push_str(&format!(
            " {}.",
            backwater_kernel::words::capital(&sentence)
        ));
    }
    text
}
