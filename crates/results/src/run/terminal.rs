//! A run in at most 26 lines of text, beside fair shares; nine more where flows reserve, six where
//! units stand still, four on flows that got next to nothing.

use backwater_kernel::words::counted;
use backwater_kernel::{Duration, Stop};
use backwater_net::alone;
use backwater_net::outcome::{Outcome, PortsOutcome};
use backwater_net::spec::NetworkSpec;

use super::{
    Measured, abr, bounds, fair, ports, recovery, responses, sessions, standstill, tables, words,
};
use crate::events;
use crate::events::words::{balance, busiest_port, dropped, opening, violations};
use crate::info::RunInfo;
use crate::lines::printable;
use crate::picked::picked;
use crate::starved;

/// Flows listed, less one for each line on paths, sessions and warnings; the rest are counted.
const FLOWS: usize = 12;
/// Violations listed; the rest are counted.
const VIOLATIONS: usize = 3;

/// The run in at most 26 lines: what ran, each flow, waiting by path length, the balance, sessions
/// and warnings, what went wrong. Nine more on delay bounds where flows reserve, six on what could
/// not move. Fair shares take a line for each of up to 30 flows, and at most seven more; ABR takes
/// three, recovery after outages four.
pub fn terminal_summary<'a>(
    info: &RunInfo,
    spec: &NetworkSpec,
    outcome: &Outcome,
    measured: impl Into<Measured<'a>>,
) -> String {
    let measured = measured.into();
    let paths = measured.ports;
    let paths = paths.map_or(Vec::new(), |ports| path_lines(ports, info.cell));
    let sessions = [
        sessions::sentence(spec, outcome),
        sessions::warnings_sentence(outcome),
    ];
    let sessions: Vec<String> = sessions.into_iter().flatten().collect();
    let shown = FLOWS - paths.len() - sessions.len();
    let stop = words::stop_short(outcome.stop);
    let mut lines = opening::<NetworkSpec>(info, outcome, stop).to_vec();
    lines.extend(flow_lines(spec, outcome, info.cell, shown));
    if outcome.flows.len() > shown {
        let more = counted(outcome.flows.len() - shown, "more flow");
        lines.push(format!("... and {more}"));
    }
    lines.extend(paths);
    lines.extend(bounds::terminal_lines(spec, outcome));
    lines.extend(fair::shares(spec, outcome).terminal_lines());
    lines.push(String::new());
    lines.push(balance::<NetworkSpec>(outcome));
    lines.push(dropped(outcome));
    lines.extend(sessions);
    lines.extend(responses::line(spec, outcome));
    lines.extend(abr::lines(spec, outcome));
    lines.extend(
        measured
            .recovery
            .map_or(Vec::new(), |found| recovery::lines(spec, found)),
    );
    lines.extend(busiest_port(spec, outcome));
    if outcome.stop == Stop::Standstill {
        lines.push(words::stop(outcome, info.cell));
    } else {
        lines.extend(standstill::standstill_sentence(outcome, info.cell));
    }
    lines.extend(standstill::lines(spec, outcome, info.cell));
    lines.extend(starved::lines(events::starved::sentences(spec, outcome)));
    lines.extend(violations(info, outcome, VIOLATIONS));
    printable(&lines)
}

/// Waiting by path length, behind an empty line; at most eight lines.
fn path_lines(measured: &PortsOutcome, cell: Duration) -> Vec<String> {
    let mut lines = vec![String::new()];
    lines.extend(ports::terminal_lines(measured, cell));
    lines
}

/// A line for each of the first flows, and a heading.
fn flow_lines(spec: &NetworkSpec, outcome: &Outcome, cell: Duration, shown: usize) -> Vec<String> {
    let alone = |flow| alone::response(spec, flow);
    let tables = [
        tables::flows(spec, outcome),
        responses::table(spec, outcome, alone),
        tables::delays(spec, outcome, cell),
    ];
    let keys = [
        "flow",
        "offered_cells",
        "delivered_cells",
        "dropped_cells",
        "inside_cells",
        "throughput_share",
        "throughput_mbps",
        "goodput_mbps",
        "transfers_per_s",
        "fct_mean_ms",
        "fct_p99_ms",
        "slowdown_mean",
        "delay_mean_us",
        "delay_p99_us",
    ];
    picked(&tables.each_ref(), &keys, shown)
}
