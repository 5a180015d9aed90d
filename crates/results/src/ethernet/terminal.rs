//! A run of the Ethernet engine in at most 40 lines of text, beside fair shares.

use backwater_kernel::words::counted;
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::Outcome;

use super::groups::{Group, groups};
use super::ports::{self, Queue, longest_stop_ps};
use super::words;
use super::{bounds, completion, fair, group_table, promises, standstill};
use crate::events;
use crate::events::control::Control;
use crate::events::names;
use crate::events::words::{balance, busiest_port, causes, dropped, opening, violations};
use crate::info::RunInfo;
use crate::lines::printable;
use crate::number::{grouped, percent, span};
use crate::picked::picked;
use crate::starved;

/// Flows listed one by one; where there are more, groups are listed.
const FLOWS: usize = 10;
/// Ports listed under drops and under stops; the rest are counted.
const PORTS: usize = 3;
/// Queues of a standstill listed; the rest are counted.
const WAITS: usize = 8;
/// Violations listed; the rest are counted.
const VIOLATIONS: usize = 2;

/// Columns of the table of groups that are shown of flows.
const ALONE: [&str; 3] = ["group", "goodput_mbps", "returned_mbps"];
/// Of groups.
const FOLDED: [&str; 6] = [
    "group",
    "flows",
    "goodput_mbps",
    "goodput_min_mbps",
    "goodput_mean_mbps",
    "goodput_max_mbps",
];
/// After these.
const SHOWN: [&str; 10] = [
    "transfers_per_s",
    "fct_mean_ms",
    "fct_p99_ms",
    "slowdown_mean",
    "slowdown_p99",
    "fct_acked_mean_ms",
    "delay_mean_us",
    "delay_p99_us",
    "dropped_frames",
    "late_pct",
];

/// The run in at most 40 lines: what ran, flows or groups of them, the balance, drops, stops,
/// what stands still, what broke. Fair shares take a line for each of up to 30 flows, and at most
/// five more.
pub fn ethernet_terminal_summary(info: &RunInfo, spec: &EthernetSpec, outcome: &Outcome) -> String {
    let stop = words::stop_short(outcome);
    let mut lines = opening::<EthernetSpec>(info, outcome, stop).to_vec();
    lines.extend(flow_lines(spec, outcome));
    lines.extend(fair::shares(spec, outcome).terminal_lines());
    lines.push(String::new());
    if let Some((complete, last)) = words::transfers(outcome) {
        lines.push(format!("transfers: {} {last}", grouped(complete)));
    }
    lines.extend(completion::lines(spec, outcome, &groups(spec, outcome)));
    lines.push(balance::<EthernetSpec>(outcome));
    lines.push(dropped(outcome));
    let queues = ports::queues(spec, outcome);
    let channels = names::channels(spec);
    lines.extend(drop_lines(&channels, &queues));
    lines.extend(stop_lines(&channels, outcome, &queues));
    lines.extend(busiest_port(spec, outcome));
    if let Some(found) = &outcome.standstill {
        lines.push(standstill::sentence(found));
        lines.extend(standstill::lines(spec, outcome, WAITS));
    }
    lines.extend(starved::lines(events::starved::sentences(spec, outcome)));
    lines.extend(bounds::terminal_lines(spec, outcome));
    lines.extend(promises::line(info, spec, outcome));
    lines.extend(violations(info, outcome, VIOLATIONS));
    printable(&lines)
}

/// A line for each flow where they are few, for each group where they are many.
fn flow_lines(spec: &EthernetSpec, outcome: &Outcome) -> Vec<String> {
    let alone = |flow| Group {
        name: names::flow(spec, flow),
        flows: vec![flow],
    };
    let (groups, first) = match outcome.flows.len() {
        0 => return vec!["no flows".into()],
        few @ 1..=FLOWS => ((0..few as u32).map(alone).collect(), &ALONE[..]),
        _ => (groups(spec, outcome), &FOLDED[..]),
    };
    let mut table = group_table::of_groups(spec, outcome, &groups);
    if let (true, Some(name)) = (first == ALONE, table.columns.first_mut()) {
        name.short = "flow".into();
    }
    let keys = [first, &SHOWN].concat();
    let mut lines = picked(&[&table], &keys, FLOWS);
    if groups.len() > FLOWS {
        let more = counted(groups.len() - FLOWS, "more group");
        lines.push(format!("... and {more}"));
    }
    lines
}

/// At which ports most frames were dropped, and why.
fn drop_lines(channels: &[String], queues: &[Queue<'_>]) -> Vec<String> {
    let top = ports::top(queues, |queue| queue.found.drops.total() as f64);
    let line = |queue: &Queue<'_>| {
        let (name, drops) = (queue.name(channels), &queue.found.drops);
        format!("  {name}: {}", causes(drops))
    };
    let shown = top.iter().take(PORTS).map(line);
    shown.chain(more(top.len())).collect()
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
            percent(queue.found.stopped_share),
            counted(queue.found.stops.count(), "stop"),
            span(longest_stop_ps(queue.found))
        ));
    }
    lines.extend(more(top.len()));
    lines
}
