//! The table of groups: flows of one name together.

use backwater_net::outcome::FlowOutcome;

use super::Frames;
use super::completion;
use super::groups::{Group, fairness, goodputs, groups, lasting};
use super::transfers::{RATE, acked, rate_of};
use crate::distribution::{cell, time};
use crate::events::transfers::{MS, UNFINISHED};
use crate::events::{per_second, percent_of};
use crate::model::{Cell, Column, Table};
use crate::table_of::TableOf;

/// A group, and what its flows did after the warm-up.
struct Row<'a> {
    group: &'a Group,
    /// Of all flows, bps; nothing of one flow whose transfers end.
    goodput: Option<f64>,
    /// Of each flow, bps; none where transfers of one end.
    goodputs: Vec<f64>,
    /// Of all of them as one flow.
    found: FlowOutcome,
}

/// Goodputs of all flows, and of those of which they are rates.
struct Rates {
    all: Vec<f64>,
    lasting: Vec<Option<f64>>,
}

impl<'a> Row<'a> {
    fn of(run: &'a Frames<'_>, group: &'a Group, rates: &Rates) -> Row<'a> {
        let members = group.flows.iter().map(|flow| *flow as usize);
        let without_rows = group
            .members(&run.outcome)
            .map(|own| own.found.ends.goodput_bytes);
        let bits = without_rows.sum::<u64>() as f64 * 8.0;
        let all: f64 = members.clone().filter_map(|flow| rates.all.get(flow)).sum();
        let lasting = members.map(|flow| rates.lasting.get(flow).copied().flatten());
        let goodputs: Option<Vec<f64>> = lasting.collect();
        let goodputs = goodputs.filter(|_| group.members.is_empty());
        let is_rate = goodputs.is_some() || group.is_several(&run.outcome);
        let all = all + per_second(bits, run.seconds());
        Row {
            group,
            goodput: is_rate.then_some(all),
            goodputs: goodputs.unwrap_or_default(),
            found: group.as_one(&run.outcome),
        }
    }

    /// The least or the largest of one flow.
    fn extreme(&self, of: fn(f64, f64) -> f64) -> Option<f64> {
        self.goodputs.iter().copied().reduce(of)
    }

    fn mean(&self) -> Option<f64> {
        let count = self.goodputs.len();
        (count > 0).then(|| self.goodputs.iter().sum::<f64>() / count as f64)
    }
}

/// A row for each group; none where every flow has a name of its own.
pub fn table(run: &Frames<'_>) -> Table {
    let groups = groups(run);
    let are_groups = groups.iter().any(|group| group.is_several(&run.outcome));
    of_groups(run, if are_groups { &groups } else { &[] })
}

/// A row for each of these.
pub fn of_groups(run: &Frames<'_>, groups: &[Group]) -> Table {
    let rates = Rates {
        all: goodputs(run),
        lasting: lasting(run),
    };
    let seconds = run.seconds();
    let rows = groups.iter();
    let rows = rows.map(|group| Row::of(run, group, &rates));
    let table = TableOf::of(rows)
        .called("groups: Flows of one name together, after the warm-up.")
        .text("group: name in the scenario")
        .of(|row| row.group.name.clone())
        .short("flows")
        .number("flows: how many")
        .of(|row| row.group.count(&run.outcome))
        .short("number");
    goodput_columns(table)
        .number("returned [Mbps]: payload of responses, all flows")
        .of(|row| {
            let bits = row.found.ends.returned_bytes as f64 * 8.0;
            mbps(Some(per_second(bits, seconds)))
        })
        .number("transfers [1/s]: files, requests or pictures complete")
        .of(|row| {
            let transfers = row.found.ends.transfers as f64;
            Cell::float(per_second(transfers, seconds), 3)
        })
        .short("transfers/s")
        .number(RATE)
        .of(|row| cell(rate_of(run, row.group), 1e6))
        .short("each")
        .number(UNFINISHED[0])
        .of(|row| {
            let ends = &row.found.ends;
            (ends.transfers_begun > 0).then(|| ends.unfinished())
        })
        .number(UNFINISHED[1])
        .of(|row| cell(row.found.ends.transfer_time.oldest(), MS))
        .times("FCT", ("ms", MS), |row| &row.found.ends.transfer_time)
        .times("slowdown", ("", 1.0), |row| &row.found.slowdown)
        .columns(
            vec![acked("mean", "mean of files to the last acknowledgement").short("acked")],
            |row| {
                let times = &row.found.ends.acknowledged_time;
                vec![time(times, times.mean(), MS)]
            },
        )
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

fn mbps(bps: Option<f64>) -> Option<Cell> {
    bps.map(|bps| Cell::float(bps / 1e6, 3))
}

/// What all flows of a group got, and one of them.
fn goodput_columns(table: TableOf<Row<'_>>) -> TableOf<Row<'_>> {
    table
        .number(
            "goodput [Mbps]: payload delivered to applications, all flows; empty of one flow whose \
             transfers end",
        )
        .of(|row| mbps(row.goodput))
        .short(Column::UNIT)
        .number("goodput min [Mbps]: of one flow; empty where transfers of one end")
        .of(|row| mbps(row.extreme(f64::min)))
        .short("min")
        .number("goodput mean [Mbps]: of one flow")
        .of(|row| mbps(row.mean()))
        .short("mean")
        .number("goodput max [Mbps]: of one flow")
        .of(|row| mbps(row.extreme(f64::max)))
        .short("max")
        .number("fairness: Jain's index: 1 if all got the same")
        .of(|row| {
            let some = !row.goodputs.is_empty();
            some.then(|| Cell::float(fairness(&row.goodputs), 4))
        })
}
