//! The table of groups: flows of one name together.

use backwater_net::outcome::{FlowOutcome, Outcome};

use super::Frames;
use super::completion;
use super::groups::{Group, fairness, goodputs, groups};
use crate::distribution::cell;
use crate::events::transfers::MS;
use crate::events::{per_second, percent_of};
use crate::model::{Cell, Column, Table};
use crate::table_of::TableOf;

/// A group, and what its flows did after the warm-up.
struct Row<'a> {
    group: &'a Group,
    /// Of each flow, bps.
    goodputs: Vec<f64>,
    /// Of all of them as one flow.
    found: FlowOutcome,
}

impl<'a> Row<'a> {
    fn of(outcome: &'a Outcome, group: &'a Group, goodputs: &[f64]) -> Row<'a> {
        let own = |flow: &u32| goodputs.get(*flow as usize).copied();
        Row {
            group,
            goodputs: group.flows.iter().filter_map(own).collect(),
            found: group.as_one(outcome),
        }
    }

    fn goodput(&self) -> f64 {
        self.goodputs.iter().sum()
    }

    /// The least or the largest of one flow.
    fn extreme(&self, of: fn(f64, f64) -> f64) -> f64 {
        self.goodputs.iter().copied().reduce(of).unwrap_or(0.0)
    }
}

/// A row for each group; none where every flow has a name of its own.
pub fn table(run: &Frames<'_>) -> Table {
    let groups = groups(run);
    let are_groups = groups.iter().any(|group| group.flows.len() > 1);
    of_groups(run, if are_groups { &groups } else { &[] })
}

/// A row for each of these.
pub fn of_groups(run: &Frames<'_>, groups: &[Group]) -> Table {
    let goodputs = goodputs(run);
    let seconds = run.seconds();
    let mbps = |bps: f64| Cell::float(bps / 1e6, 3);
    let rows = groups.iter();
    let rows = rows.map(|group| Row::of(&run.outcome, group, &goodputs));
    TableOf::of(rows)
        .called("groups: Flows of one name together, after the warm-up.")
        .text("group: name in the scenario")
        .of(|row| row.group.name.clone())
        .short("flows")
        .number("flows: how many")
        .of(|row| row.goodputs.len() as u64)
        .short("number")
        .number("goodput [Mbps]: payload delivered to applications, all flows")
        .of(|row| mbps(row.goodput()))
        .short(Column::UNIT)
        .number("goodput min [Mbps]: of one flow")
        .of(|row| mbps(row.extreme(f64::min)))
        .short("min")
        .number("goodput mean [Mbps]: of one flow")
        .of(|row| mbps(row.goodput() / row.goodputs.len().max(1) as f64))
        .short("mean")
        .number("goodput max [Mbps]: of one flow")
        .of(|row| mbps(row.extreme(f64::max)))
        .short("max")
        .number("fairness: Jain's index: 1 if all got the same")
        .of(|row| Cell::float(fairness(&row.goodputs), 4))
        .number("returned [Mbps]: payload of responses, all flows")
        .of(|row| {
            let bits = row.found.ends.returned_bytes as f64 * 8.0;
            mbps(per_second(bits, seconds))
        })
        .number("transfers [1/s]: files, requests or pictures complete")
        .of(|row| {
            let transfers = row.found.ends.transfers as f64;
            Cell::float(per_second(transfers, seconds), 3)
        })
        .short("transfers/s")
        .number("unfinished: transfers of those that have an end, not complete when the run ended")
        .of(|row| row.found.ends.unfinished())
        .times("FCT", ("ms", MS), |row| &row.found.ends.transfer_time)
        .times("slowdown", ("", 1.0), |row| &row.found.slowdown)
        .number("FCT acked mean [ms]: mean of files to the last acknowledgement")
        .of(|row| cell(row.found.ends.acknowledged_time.mean(), MS))
        .short("acked")
        .number(
            "completion [ms]: from the start of the first transfer to the end of the last of all \
             flows; empty before all are complete",
        )
        .of(|row| {
            let time = completion::of_group(&run.outcome, row.group);
            cell(time.map(|time| time.ps() as f64), MS)
        })
        .times("delay", ("us", 1e6), |row| &row.found.delay)
        .number("dropped [frames]: whole run")
        .of(|row| row.found.lost_total)
        .number("dropped after warm-up [frames]: of them")
        .of(|row| row.found.lost)
        .number("late [%]: of the datagrams of video that were due")
        .of(|row| percent_of(row.found.ends.late, row.found.ends.due))
        .done()
}
