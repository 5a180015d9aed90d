//! A run of the Ethernet engine in at most 40 lines of text, beside fair shares.

use backwater_kernel::{DelayOutcome, Distribution};
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::{FlowOutcome, Outcome};

use super::completion::{self, Completion};
use super::groups::{Group, goodputs, groups};
use super::ports::{self, Queue, longest_stop_ps};
use super::words::{self, Control};
use super::{bounds, fair, promises, standstill};
use crate::distribution::tail;
use crate::events::ports::busiest;
use crate::events::summary::trace_hash;
use crate::events::{names, per_second, seconds};
use crate::info::RunInfo;
use crate::lines::{aligned, printable, shortened};
use crate::number::{fixed, grouped, rate_unit, significant, span};
use crate::starved;
use backwater_kernel::words::counted;

/// Flows listed one by one; where there are more, groups are listed.
const FLOWS: usize = 10;
/// Ports listed under drops and under stops; the rest are counted.
const PORTS: usize = 3;
/// Queues of a standstill listed; the rest are counted.
const WAITS: usize = 8;
/// Violations listed; the rest are counted.
const VIOLATIONS: usize = 2;

/// The run in at most 40 lines: what ran, flows or groups of them, the balance, drops, stops,
/// what stands still, what broke. Fair shares take a line for each of up to 30 flows, and at most
/// five more.
pub fn ethernet_terminal_summary(info: &RunInfo, spec: &EthernetSpec, outcome: &Outcome) -> String {
    let mut lines = vec![
        format!(
            "{}: {}, {}",
            info.name,
            span(outcome.ended_at.ps() as f64),
            words::stop_short(outcome)
        ),
        pace(info, outcome),
        String::new(),
    ];
    lines.extend(flow_lines(spec, outcome));
    lines.extend(fair::shares(spec, outcome).terminal_lines());
    lines.push(String::new());
    if let Some((complete, last)) = words::transfers(outcome) {
        lines.push(format!("transfers: {} {last}", grouped(complete)));
    }
    lines.extend(completion::lines(spec, outcome, &groups(spec, outcome)));
    lines.push(words::conservation(&outcome.balances()));
    let queues = ports::queues(spec, outcome);
    let channels = names::channels(spec);
    lines.extend(drop_lines(&channels, outcome, &queues));
    lines.extend(stop_lines(&channels, outcome, &queues));
    if let Some((name, data, control)) = busiest(spec, outcome) {
        lines.push(format!(
            "busiest port {name}: data {}, control {}",
            words::percent(data),
            words::percent(control)
        ));
    }
    if let Some(found) = &outcome.standstill {
        lines.push(standstill::sentence(found));
        lines.extend(standstill::lines(spec, outcome, WAITS));
    }
    lines.extend(starved::lines(super::starved::sentences(spec, outcome)));
    lines.extend(bounds::terminal_lines(spec, outcome));
    lines.extend(promises::line(info, spec, outcome));
    lines.extend(violations(outcome));
    printable(&lines)
}

fn pace(info: &RunInfo, outcome: &Outcome) -> String {
    let speed = match info.wall_seconds.filter(|wall| *wall > 0.0) {
        Some(wall) => format!(
            " in {} s ({} M hops/s)",
            significant(wall, 3),
            significant(outcome.unit_hops as f64 / wall / 1e6, 3)
        ),
        None => String::new(),
    };
    format!(
        "{} frame hops, {} of them control{speed}; trace hash {}",
        grouped(outcome.unit_hops),
        grouped(outcome.control_hops),
        trace_hash(outcome)
    )
}

/// A line for each flow where they are few, for each group where they are many.
fn flow_lines(spec: &EthernetSpec, outcome: &Outcome) -> Vec<String> {
    let groups = match outcome.flows.len() {
        0 => return vec!["no flows".into()],
        1..=FLOWS => (0..outcome.flows.len() as u32).map(alone(spec)).collect(),
        _ => groups(spec, outcome),
    };
    let folded = outcome.flows.len() > FLOWS;
    let rates = FlowRates::of(spec, outcome, &groups);
    let mut rows = vec![titles(folded, rates.unit.0)];
    for group in groups.iter().take(FLOWS) {
        rows.push(row(spec, outcome, group, &rates, folded));
    }
    let mut lines = aligned(&rows);
    if groups.len() > FLOWS {
        let more = counted(groups.len() - FLOWS, "more group");
        lines.push(format!("... and {more}"));
    }
    lines
}

fn alone(spec: &EthernetSpec) -> impl Fn(u32) -> Group {
    |flow| Group {
        name: names::flow(spec, flow),
        flows: vec![flow],
    }
}

/// The goodput of each flow, bits per second, and the unit that suits all rates shown.
struct FlowRates {
    goodputs: Vec<f64>,
    unit: (&'static str, f64, u8),
}

impl FlowRates {
    fn of(spec: &EthernetSpec, outcome: &Outcome, groups: &[Group]) -> FlowRates {
        let goodputs = goodputs(spec, outcome);
        let sum = |group: &Group| -> f64 {
            let flows = group.flows.iter().map(|flow| goodputs[*flow as usize]);
            flows.sum()
        };
        FlowRates {
            unit: rate_unit(groups.iter().map(sum).fold(0.0, f64::max)),
            goodputs,
        }
    }

    fn shown(&self, bits_per_second: f64) -> String {
        let (_, scale, digits) = self.unit;
        fixed(bits_per_second / scale, digits)
    }
}

fn titles(folded: bool, unit: &'static str) -> Vec<String> {
    let titles: &[&str] = match folded {
        true => &["flows", "number", unit, "min", "mean", "max"],
        false => &["flow", unit, "returned"],
    };
    let more = [
        "transfers/s",
        "FCT",
        "p99",
        "slowdown",
        "p99",
        "acked",
        "delay",
        "p99",
        "dropped",
        "late",
    ];
    titles
        .iter()
        .chain(&more)
        .map(|title| (*title).into())
        .collect()
}

fn row(
    spec: &EthernetSpec,
    outcome: &Outcome,
    group: &Group,
    flow_rates: &FlowRates,
    folded: bool,
) -> Vec<String> {
    let seconds = seconds(spec, outcome);
    let total = |of: fn(&FlowOutcome) -> u64| group.found(outcome).map(of).sum::<u64>();
    let goodputs = &flow_rates.goodputs;
    let rates = group.flows.iter().map(|flow| goodputs[*flow as usize]);
    let shown = |rate: f64| flow_rates.shown(rate);
    let sum: f64 = rates.clone().sum();
    let mut row = vec![shortened(&group.name)];
    if folded {
        row.push(grouped(group.flows.len() as u64));
        row.push(shown(sum));
        row.push(shown(rates.clone().reduce(f64::min).unwrap_or(0.0)));
        row.push(shown(sum / group.flows.len().max(1) as f64));
        row.push(shown(rates.reduce(f64::max).unwrap_or(0.0)));
    } else {
        row.push(shown(sum));
        row.push(match total(|flow| flow.ends.returned_bytes) {
            0 => "-".into(),
            bytes => shown(per_second(bytes as f64 * 8.0, seconds)),
        });
    }
    let transfers = total(|flow| flow.ends.transfers);
    row.push(match transfers {
        0 => "-".into(),
        count => fixed(per_second(count as f64, seconds), 2),
    });
    row.extend(times(group, outcome));
    row.push(grouped(total(|flow| flow.lost_total)));
    row.push(match total(|flow| flow.ends.due) {
        0 => "-".into(),
        due => words::percent(total(|flow| flow.ends.late) as f64 / due as f64),
    });
    row
}

/// Completion times and slowdowns, the time to the last acknowledgement, and delays.
fn times(group: &Group, outcome: &Outcome) -> impl Iterator<Item = String> {
    let done = Completion::of(group.found(outcome));
    let acked = group.found(outcome);
    let acked = Distribution::merged(acked.map(|flow| &flow.ends.acknowledged_time));
    let delay = DelayOutcome::merged(group.found(outcome).map(|flow| &flow.delay));
    let delayed = |ps: f64| (delay.count > 0).then(|| span(ps));
    let cells = [
        done.fct.mean().map(span),
        tail(&done.fct, span),
        done.slowdown.mean().map(completion::times),
        tail(&done.slowdown, completion::times),
        acked.mean().map(span),
        delayed(delay.mean),
        delayed(delay.histogram.percentile(99.0) as f64),
    ];
    cells
        .into_iter()
        .map(|cell| cell.unwrap_or_else(|| "-".into()))
}

/// How many frames were dropped and why, and at which ports most.
fn drop_lines(channels: &[String], outcome: &Outcome, queues: &[Queue<'_>]) -> Vec<String> {
    let all = ports::all_drops(outcome);
    if all.total() == 0 {
        return vec!["nothing was dropped".into()];
    }
    let mut lines = vec![format!("dropped: {}", words::causes(&all))];
    let top = ports::top(queues, |queue| queue.found.drops.total() as f64);
    for queue in top.iter().take(PORTS) {
        let (name, drops) = (queue.name(channels), &queue.found.drops);
        lines.push(format!("  {name}: {}", words::causes(drops)));
    }
    lines.extend(more(top.len()));
    lines
}

fn more(ports: usize) -> Option<String> {
    let more = ports.checked_sub(PORTS).filter(|more| *more > 0)?;
    Some(format!("  ... and {}", counted(more, "more port")))
}

/// Who was stopped how long, and how many control frames that took.
fn stop_lines(channels: &[String], outcome: &Outcome, queues: &[Queue<'_>]) -> Vec<String> {
    let control = Control::of(outcome).sentence();
    let top = ports::top(queues, |queue| {
        // Stops of the warm-up count too, after all others.
        queue.found.stopped_share + longest_stop_ps(queue.found) * 1e-30
    });
    if top.is_empty() && control.is_none() {
        return Vec::new();
    }
    let mut lines: Vec<String> = vec![format!(
        "control frames: {}",
        control.unwrap_or_else(|| "none".into())
    )];
    for queue in top.iter().take(PORTS) {
        lines.push(format!(
            "  {}: stopped {} of the time, {}, longest {}",
            queue.name(channels),
            words::percent(queue.found.stopped_share),
            counted(queue.found.stops.count(), "stop"),
            span(longest_stop_ps(queue.found))
        ));
    }
    lines.extend(more(top.len()));
    lines
}

fn violations(outcome: &Outcome) -> Vec<String> {
    if outcome.violations.total() == 0 {
        return Vec::new();
    }
    let count = counted(outcome.violations.total(), "promise");
    let mut lines = vec![format!("{count} broken, first:")];
    for violation in outcome.violations.kept().iter().take(VIOLATIONS) {
        let at = span(violation.at.ps() as f64);
        lines.push(format!("  at {at}: {}", violation.what));
    }
    lines
}
