//! The table of transfers: files, requests, pictures.

use backwater_kernel::Duration;
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, TrafficSpec};
use backwater_net::outcome::{FlowOutcome, Outcome};

use super::completion::MILLISECOND_PS as MS;
use super::groups::{per_second, seconds};
use super::tables::found;
use crate::distribution::{cell, cells, columns as statistics};
use crate::model::{Cell, Table};
use crate::table_of::TableOf;

/// A row for each flow with transfers: how long they took, and how long their acknowledgement.
pub fn table(spec: &EthernetSpec, outcome: &Outcome) -> Table {
    let seconds = seconds(spec, outcome);
    let all = found(spec, outcome);
    let alone = "of one that has its path to itself, at line rate";
    let table = TableOf::new(
        "transfers",
        "Flow completion times. Files: from the application's start to the last byte at the \
         receiver. Requests: to the whole response. Pictures: to the arrival of the last datagram. \
         Complete after the warm-up. Slowdown: that time over the time alone.",
        all.filter(|(_, found)| found.ends.transfers_total > 0),
    )
    .text("flow", "name in the scenario", |(flow, _)| {
        flow.name.clone()
    })
    .text("what", "files, requests or pictures", |(flow, _)| {
        what(&flow.traffic)
    })
    .number(
        "transfers",
        "",
        "complete after the warm-up",
        |(_, found)| found.ends.transfers,
    )
    .number("transfers", "1/s", "complete per second", |(_, found)| {
        Cell::float(per_second(found.ends.transfers as f64, seconds), 3)
    })
    .columns(statistics("FCT", "ms"), |(_, found)| {
        cells(&found.ends.transfer_time, MS)
    })
    .number("FCT alone", "ms", alone, |(_, found)| millis(found.alone))
    .columns(statistics("slowdown", ""), |(_, found)| {
        cells(&found.slowdown, 1.0)
    });
    ends(table).done()
}

fn millis(time: Option<Duration>) -> Cell {
    cell(time.map(|time| time.ps() as f64), MS)
}

/// When transfers were acknowledged, and when the last was complete.
fn ends<'a>(
    table: TableOf<(&'a FlowSpec, &'a FlowOutcome)>,
) -> TableOf<(&'a FlowSpec, &'a FlowOutcome)> {
    let acked = |found: &'a FlowOutcome| &found.ends.acknowledged_time;
    let whole = "from the start of the first to the end of the last; empty before all are complete";
    table
        .number(
            "acked",
            "",
            "files acknowledged after the warm-up",
            |(_, found)| acked(found).count(),
        )
        .number(
            "FCT acked mean",
            "ms",
            "to a file's last acknowledgement",
            |(_, found)| cell(acked(found).mean(), MS),
        )
        .number(
            "FCT acked p99",
            "ms",
            "99 in 100 took no longer to that; of 100 or more",
            |(_, found)| cell(acked(found).percentile(99.0), MS),
        )
        .number(
            "unacked",
            "",
            "complete at the end of the run, but not acknowledged",
            |(_, found)| found.ends.unacknowledged_total,
        )
        .number(
            "last transfer",
            "ms",
            "when the last of the whole run was complete",
            |(_, found)| cell(Some(found.ends.last_transfer.ps() as f64), MS),
        )
        .number("completion", "ms", whole, |(_, found)| {
            millis(found.ends.completion())
        })
}

/// What a flow's application counts as one transfer.
fn what(traffic: &TrafficSpec) -> &'static str {
    match traffic {
        TrafficSpec::Requests { .. } => "requests",
        TrafficSpec::Video(_) => "pictures",
        _ => "files",
    }
}
