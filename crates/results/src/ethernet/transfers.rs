//! The table of transfers: files, requests, pictures.

use backwater_net::frames::spec::{EthernetSpec, TrafficSpec};
use backwater_net::outcome::Outcome;

use super::groups::{per_second, seconds};
use super::tables::found;
use crate::distribution::{cell, cells, columns as statistics};
use crate::model::{Cell, Column, Table};

/// Picoseconds in a millisecond.
const MS: f64 = 1e9;

fn columns() -> Vec<Column> {
    let mut columns = vec![
        Column::text("flow", "name in the scenario"),
        Column::text("what", "files, requests or pictures"),
        Column::number("transfers", "", "complete after the warm-up"),
        Column::number("transfers", "1/s", "complete per second"),
    ];
    columns.extend(statistics("FCT", "ms"));
    columns.push(Column::number(
        "FCT alone",
        "ms",
        "of one that has its path to itself, at line rate",
    ));
    columns.extend(statistics("slowdown", ""));
    columns.extend([
        Column::number("acked", "", "files acknowledged after the warm-up"),
        Column::number("FCT acked mean", "ms", "to a file's last acknowledgement"),
        Column::number(
            "FCT acked p99",
            "ms",
            "99 in 100 took no longer to that; of 100 or more",
        ),
        Column::number(
            "unacked",
            "",
            "complete at the end of the run, but not acknowledged",
        ),
        Column::number(
            "last transfer",
            "ms",
            "when the last of the whole run was complete",
        ),
        Column::number(
            "completion",
            "ms",
            "from the start of the first to the end of the last; empty before all are complete",
        ),
    ]);
    columns
}

/// A row for each flow with transfers: how long they took, and how long their acknowledgement.
pub fn table(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let mut table = Table::new(
        "transfers",
        "Flow completion times. Files: from the application's start to the last byte at the \
         receiver. Requests: to the whole response. Pictures: to the arrival of the last datagram. \
         Complete after the warm-up. Slowdown: that time over the time alone.",
        columns(),
    );
    let seconds = seconds(spec, outcome);
    for (flow, found) in found(spec, outcome) {
        if found.ends.transfers_total == 0 {
            continue;
        }
        let acked = &found.ends.acknowledged_time;
        let mut row = vec![
            flow.name.clone().into(),
            what(&flow.traffic).into(),
            found.ends.transfers.into(),
            Cell::float(per_second(found.ends.transfers as f64, seconds), 3),
        ];
        row.extend(cells(&found.ends.transfer_time, MS));
        row.push(cell(found.alone.map(|time| time.ps() as f64), MS));
        row.extend(cells(&found.slowdown, 1.0));
        row.push(acked.count().into());
        row.push(cell(acked.mean(), MS));
        row.push(cell(acked.percentile(99.0), MS));
        row.push(found.ends.unacknowledged_total.into());
        row.push(cell(Some(found.ends.last_transfer.ps() as f64), MS));
        let whole = found.ends.completion();
        row.push(cell(whole.map(|time| time.ps() as f64), MS));
        table.rows.push(row);
    }
    table
}

/// What a flow's application counts as one transfer.
fn what(traffic: &TrafficSpec) -> &'static str {
    match traffic {
        TrafficSpec::Requests { .. } => "requests",
        TrafficSpec::Video(_) => "pictures",
        _ => "files",
    }
}
