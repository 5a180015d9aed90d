//! A run in at most 25 lines of text, beside fair shares; nine more where flows reserve, six where
//! units stand still, four on flows that got next to nothing.

use backwater_kernel::Stop;
use backwater_net::outcome::{Outcome, PortsOutcome};
use backwater_net::spec::NetworkSpec;

use super::loads::flow_loads;
use super::{
    Measured, abr, bounds, fair, losses, ports, recovery, responses, sessions, standstill, words,
};
use crate::events::ports::busiest;
use crate::events::summary::trace_hash;
use crate::info::RunInfo;
use crate::lines::{aligned, printable, shortened};
use crate::number::{fixed, grouped, rate_unit, significant, span};
use crate::starved;
use backwater_kernel::words::counted;

/// Flows listed, less one for each line on paths, sessions and warnings; the rest are counted.
const FLOWS: usize = 12;
/// Violations listed; the rest are counted.
const VIOLATIONS: usize = 3;

/// The run in at most 25 lines: what ran, each flow, waiting by path length, the balance, sessions
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
    let paths = measured.ports.map_or(Vec::new(), path_lines);
    let sessions = [
        sessions::sentence(spec, outcome),
        sessions::warnings_sentence(outcome),
    ];
    let sessions: Vec<String> = sessions.into_iter().flatten().collect();
    let shown = FLOWS - paths.len() - sessions.len();
    let mut lines = vec![
        format!(
            "{}: {} cells ({}), {}",
            info.name,
            words::cells(outcome.ended_at.ps(), info.cell),
            span(outcome.ended_at.ps() as f64),
            words::stop_short(outcome.stop)
        ),
        pace(info, outcome),
        String::new(),
    ];
    lines.extend(aligned(&flow_rows(spec, outcome, shown)));
    if outcome.flows.len() > shown {
        let more = counted(outcome.flows.len() - shown, "more flow");
        lines.push(format!("... and {more}"));
    }
    lines.extend(paths);
    lines.extend(bounds::terminal_lines(spec, outcome));
    lines.extend(fair::shares(spec, outcome).terminal_lines());
    lines.push(String::new());
    let balance = outcome.balance();
    lines.push(format!(
        "{}; {}",
        words::conservation(&balance),
        losses::sentence(outcome)
    ));
    lines.extend(sessions);
    lines.extend(responses::line(spec, outcome));
    lines.extend(abr::lines(spec, outcome));
    lines.extend(
        measured
            .recovery
            .map_or(Vec::new(), |found| recovery::lines(spec, found)),
    );
    if let Some((name, data, control)) = busiest(spec, outcome) {
        lines.push(format!(
            "busiest port {name}: data {} %, control {} %",
            significant(data * 100.0, 4),
            significant(control * 100.0, 3)
        ));
    }
    if outcome.stop == Stop::Standstill {
        lines.push(words::stop(outcome, info.cell));
    } else {
        lines.extend(standstill::standstill_sentence(outcome, info.cell));
    }
    lines.extend(standstill::lines(spec, outcome, info.cell));
    lines.extend(starved::lines(super::starved::sentences(spec, outcome)));
    lines.extend(violations(info, outcome));
    printable(&lines)
}

fn pace(info: &RunInfo, outcome: &Outcome) -> String {
    let speed = match info.wall_seconds.filter(|wall| *wall > 0.0) {
        Some(wall) => format!(
            " in {} s ({} M events/s)",
            significant(wall, 3),
            significant(outcome.events as f64 / wall / 1e6, 3)
        ),
        None => String::new(),
    };
    format!(
        "{} events, {} unit hops{speed}; trace hash {}",
        grouped(outcome.events),
        grouped(outcome.unit_hops),
        trace_hash(outcome)
    )
}

/// Waiting by path length, behind an empty line; at most eight lines.
fn path_lines(measured: &PortsOutcome) -> Vec<String> {
    let mut lines = vec![String::new()];
    lines.extend(aligned(&ports::terminal_rows(measured)));
    lines.extend(ports::terminal_rest(measured));
    lines
}

fn flow_rows(spec: &NetworkSpec, outcome: &Outcome, shown: usize) -> Vec<Vec<String>> {
    let loads = flow_loads(spec, outcome);
    let rates = loads.iter().map(|load| load.bits_per_second);
    let (unit, bps, digits) = rate_unit(rates.fold(0.0, f64::max));
    let titles = [
        "flow",
        "offered",
        "delivered",
        "queued",
        "dropped",
        "of link",
        unit,
        "delay",
        "p99",
    ];
    let mut rows = vec![titles.map(String::from).to_vec()];
    for ((flow, found), load) in spec
        .flows
        .iter()
        .zip(&outcome.flows)
        .zip(&loads)
        .take(shown)
    {
        let delay = |ps: f64| match found.delay.count {
            0 => "-".into(),
            _ => span(ps),
        };
        rows.push(vec![
            shortened(&flow.name),
            grouped(found.offered_total),
            grouped(found.delivered_total),
            grouped(found.inside_total),
            grouped(found.lost_total),
            fixed(load.fraction, 4),
            fixed(load.bits_per_second / bps, digits),
            delay(found.delay.mean),
            delay(found.delay.percentiles[2] as f64),
        ]);
    }
    rows
}

fn violations(info: &RunInfo, outcome: &Outcome) -> Vec<String> {
    if outcome.violations.total() == 0 {
        return Vec::new();
    }
    let count = counted(outcome.violations.total(), "promise");
    let mut lines = vec![format!("{count} broken, first:")];
    for violation in outcome.violations.kept().iter().take(VIOLATIONS) {
        let at = words::cells(violation.at.ps(), info.cell);
        lines.push(format!("  at {at} cells: {}", violation.what));
    }
    lines
}
