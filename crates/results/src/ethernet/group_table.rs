//! The table of groups: flows of one name together.

use backwater_kernel::Distribution;
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::{FlowOutcome, Outcome};

use super::completion::{self, Completion};
use super::groups::{Group, fairness, goodputs, groups, per_second, seconds};
use crate::distribution::cell;
use crate::model::{Cell, Column, Table};

/// A row for each group of several flows; none where every flow has a name of its own.
pub fn table(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let rate = |name: &str, meaning: &str| Column::number(name, "Mbps", meaning);
    let mut table = Table::new(
        "groups",
        "Flows of one name together, after the warm-up.",
        vec![
            Column::text("group", "name in the scenario"),
            Column::number("flows", "", "how many"),
            rate("goodput", "payload delivered to applications, all flows"),
            rate("goodput min", "of one flow"),
            rate("goodput mean", "of one flow"),
            rate("goodput max", "of one flow"),
            Column::number("fairness", "", "Jain's index: 1 if all got the same"),
            rate("returned", "payload of responses, all flows"),
            Column::number("transfers", "1/s", "files, requests or pictures complete"),
            Column::number("FCT mean", "ms", "flow completion time of a transfer"),
            Column::number(
                "FCT p99",
                "ms",
                "99 in 100 transfers took no longer; of 100 or more",
            ),
            Column::number("slowdown mean", "", "that time over the time alone"),
            Column::number("slowdown p99", "", "99 in 100 transfers; of 100 or more"),
            Column::number(
                "FCT acked mean",
                "ms",
                "mean of files to the last acknowledgement",
            ),
            Column::number(
                "completion",
                "ms",
                "from the start of the first transfer to the end of the last of all flows; empty \
                 before all are complete",
            ),
            Column::number("dropped", "frames", "after the warm-up"),
        ],
    );
    let groups = groups(spec, outcome);
    if groups.iter().all(|group| group.flows.len() < 2) {
        return table;
    }
    let goodputs = goodputs(spec, outcome);
    for group in &groups {
        table.rows.push(row(spec, outcome, group, &goodputs));
    }
    table
}

fn row(spec: &EthernetSpec, outcome: &Outcome, group: &Group, goodputs: &[f64]) -> Vec<Cell> {
    let seconds = seconds(spec, outcome);
    let rates: Vec<f64> = group
        .flows
        .iter()
        .filter_map(|flow| goodputs.get(*flow as usize).copied())
        .collect();
    let sum: f64 = rates.iter().sum();
    let mbps = |bps: f64| Cell::float(bps / 1e6, 3);
    let total = |of: fn(&FlowOutcome) -> u64| group.found(outcome).map(of).sum::<u64>();
    let done = Completion::of(group.found(outcome));
    let acked = group.found(outcome);
    let acked = Distribution::merged(acked.map(|flow| &flow.ends.acknowledged_time));
    vec![
        group.name.clone().into(),
        (rates.len() as u64).into(),
        mbps(sum),
        mbps(rates.iter().copied().reduce(f64::min).unwrap_or(0.0)),
        mbps(sum / rates.len().max(1) as f64),
        mbps(rates.iter().copied().reduce(f64::max).unwrap_or(0.0)),
        Cell::float(fairness(&rates), 4),
        mbps(per_second(
            total(|flow| flow.ends.returned_bytes) as f64 * 8.0,
            seconds,
        )),
        Cell::float(
            per_second(total(|flow| flow.ends.transfers) as f64, seconds),
            3,
        ),
        cell(done.fct.mean(), 1e9),
        cell(done.fct.percentile(99.0), 1e9),
        cell(done.slowdown.mean(), 1.0),
        cell(done.slowdown.percentile(99.0), 1.0),
        cell(acked.mean(), 1e9),
        cell(
            completion::of_group(outcome, group).map(|time| time.ps() as f64),
            1e9,
        ),
        total(|flow| flow.lost).into(),
    ]
}
