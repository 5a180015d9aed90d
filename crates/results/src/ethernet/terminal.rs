//! What a terminal is told of frames alone.

use backwater_kernel::words::counted;
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::Outcome;

use super::groups::{Group, groups};
use super::ports::{self, Queue, longest_stop_ps};
use super::{completion, group_table, promises, transfers};
use crate::events::control::Control;
use crate::events::names;
use crate::events::terminal::Terminal;
use crate::events::words::causes;
use crate::info::RunInfo;
use crate::lines::{first_of, rest};
use crate::number::{grouped, percent, span};
use crate::picked::picked;

/// Flows listed one by one; where there are more, groups are listed.
const FLOWS: usize = 10;
/// Ports listed under drops and under stops; the rest are counted.
const PORTS: usize = 3;

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

/// Flows or groups of them; transfers; drops and stops by port; promises.
pub fn terminal(spec: &EthernetSpec, info: &RunInfo, outcome: &Outcome) -> Terminal {
    let through = transfers::sentence(outcome);
    let through =
        through.map(|(complete, last)| format!("transfers: {} {last}", grouped(complete)));
    let mut through: Vec<String> = through.into_iter().collect();
    through.extend(completion::lines(spec, outcome, &groups(spec, outcome)));
    let queues = ports::queues(spec, outcome);
    let channels = names::channels(spec);
    let mut in_the_way = drop_lines(&channels, &queues);
    in_the_way.extend(stop_lines(&channels, outcome, &queues));
    Terminal {
        flows: flow_lines(spec, outcome),
        through,
        in_the_way,
        promises: promises::line(info, spec, outcome),
    }
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
    lines.extend(rest(groups.len(), FLOWS, "group"));
    lines
}

/// At which ports most frames were dropped, and why.
fn drop_lines(channels: &[String], queues: &[Queue<'_>]) -> Vec<String> {
    let top = ports::top(queues, |queue| queue.found.drops.total() as f64);
    first_of(&top, PORTS, ("  ", "port"), |queue| {
        let (name, drops) = (queue.name(channels), &queue.found.drops);
        format!("{name}: {}", causes(drops))
    })
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
    lines.extend(first_of(&top, PORTS, ("  ", "port"), |queue| {
        format!(
            "{}: stopped {} of the time, {}, longest {}",
            queue.name(channels),
            percent(queue.found.stopped_share),
            counted(queue.found.stops.count(), "stop"),
            span(longest_stop_ps(queue.found))
        )
    }));
    lines
}
