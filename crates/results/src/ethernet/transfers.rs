//! The table of transfers: files, requests, pictures.

use backwater_kernel::Duration;
use backwater_net::frames::spec::{FlowSpec, TrafficSpec};
use backwater_net::outcome::{FlowOutcome, Outcome};

use super::Frames;
use super::completion::size;
use super::groups::Group;
use super::tables::told;
use crate::distribution::{cell, time};
use crate::events::transfers::{self, ALONE, MS, UNFINISHED};
use crate::model::{Cell, Column, Table};
use crate::number::{grouped, span};

/// A row for each flow with transfers: how long they took, and how long their acknowledgement.
pub fn table(run: &Frames<'_>) -> Table {
    let to_acknowledgement = vec![
        acked("mean", "to a file's last acknowledgement"),
        acked("p99", "99 in 100 took no longer to that; of 100 or more"),
    ];
    let all = told(run).filter(|(.., found)| found.ends.transfers_begun > 0);
    let count = (
        |(_, own, _): &Row<'_>| what(&own.traffic),
        |(.., found): &Row<'_>| found.ends.transfers,
    );
    transfers::table(run, all, |(flow, ..)| *flow, count)
        .number(UNFINISHED[0])
        .of(|(.., found)| found.ends.unfinished())
        .number(UNFINISHED[1])
        .of(|(.., found)| cell(found.ends.transfer_time.oldest(), MS))
        .number(RATE)
        .of(|(flow, ..)| {
            let alone = Group {
                flows: vec![*flow],
                ..Group::default()
            };
            cell(rate_of(run, &alone), 1e6)
        })
        .times("FCT", ("ms", MS), |(.., found)| &found.ends.transfer_time)
        .number(format!("FCT alone [ms]: {ALONE}"))
        .of(|(.., found)| millis(found.alone))
        .times("slowdown", ("", 1.0), |(.., found)| &found.slowdown)
        .number("acked: files acknowledged after the warm-up")
        .of(|(.., found)| found.ends.acknowledged_time.count())
        .columns(to_acknowledgement, |(.., found)| {
            let found = &found.ends.acknowledged_time;
            let values = [found.mean(), found.percentile(99.0)];
            values.map(|value| time(found, value, MS)).to_vec()
        })
        .number("unacked: complete at the end of the run, but not acknowledged")
        .of(|(.., found)| found.ends.unacknowledged_total)
        .number("last transfer [ms]: when the last of the whole run was complete")
        .of(|(.., found)| cell(Some(found.ends.last_transfer.ps() as f64), MS))
        .number(
            "completion [ms]: from the start of the first to the end of the last; empty before \
             all are complete",
        )
        .of(|(.., found)| millis(found.ends.completion()))
        .done()
}

/// A flow, what the spec says of it and what was found.
type Row<'a> = (u32, &'a FlowSpec, &'a FlowOutcome);

fn millis(time: Option<Duration>) -> Cell {
    cell(time.map(|time| time.ps() as f64), MS)
}

/// What a flow's application counts as one transfer.
fn what(traffic: &TrafficSpec) -> &'static str {
    match traffic {
        TrafficSpec::Requests { .. } => "requests",
        TrafficSpec::Video(_) => "pictures",
        _ => "files",
    }
}

/// A column of times to the last acknowledgement.
pub fn acked(of: &str, meaning: &str) -> Column {
    Column::number(&format!("FCT acked {of}"), "ms", meaning).or_bound()
}

/// The column of how fast transfers were.
pub const RATE: &str = "rate mean [Mbps]: payload of a transfer over its FCT, of those complete; \
                        empty where their sizes differ within a flow";

/// Payload of the transfers of these flows that are complete over the time they took, bps; nothing
/// where those of one flow are not of one size.
pub fn rate_of(run: &Frames<'_>, group: &Group) -> Option<f64> {
    let (mut bits, mut ps) = (0.0, 0.0);
    for members in group.members(&run.outcome) {
        let times = &members.found.ends.transfer_time;
        let is_one_size = members.least_bytes == members.most_bytes;
        if times.count() > 0 {
            let bytes = is_one_size.then_some(members.most_bytes)?;
            bits += bytes as f64 * 8.0 * times.count() as f64;
            ps += times.sum();
        }
    }
    for flow in &group.flows {
        let times = &run.outcome.flows.get(*flow as usize)?.ends.transfer_time;
        if times.count() > 0 {
            let bytes = size(&run.network.flows.get(*flow as usize)?.traffic)?;
            bits += bytes as f64 * 8.0 * times.count() as f64;
            ps += times.sum();
        }
    }
    (ps > 0.0).then(|| bits / ps * 1e12)
}

/// Transfers of the whole run: how many, and the rest of the sentence, `complete, the last at
/// 1.3 ms`, with those that are not and those that wait for an acknowledgement; `None` without
/// any.
pub fn sentence(outcome: &Outcome) -> Option<(u64, String)> {
    let total = |of: fn(&FlowOutcome) -> u64| outcome.all_flows().map(of).sum::<u64>();
    let last = outcome
        .all_flows()
        .map(|flow| flow.ends.last_transfer)
        .max()?;
    let complete = total(|flow| flow.ends.transfers_total);
    let unfinished = total(|flow| flow.ends.unfinished());
    let not_begun = total(|flow| flow.ends.not_begun());
    let mut text = match (complete, unfinished + not_begun) {
        (0, 0) => return None,
        (0, _) => "complete".into(),
        _ => format!("complete, the last at {}", span(last.ps() as f64)),
    };
    if unfinished > 0 {
        let ages = outcome.all_flows();
        let ages = ages.filter_map(|flow| flow.ends.transfer_time.oldest());
        text.push_str(&format!("; {} unfinished", grouped(unfinished)));
        if let Some(age) = ages.reduce(f64::max) {
            text.push_str(&format!(", the oldest begun {} before the end", span(age)));
        }
    }
    if not_begun > 0 {
        text.push_str(&format!("; {} not begun", grouped(not_begun)));
    }
    if complete > 0 && total(|flow| flow.ends.transfers) == 0 {
        text.push_str(", all in the warm-up: rates and times are without them");
    }
    match total(|flow| flow.ends.unacknowledged_total) {
        0 => {}
        waiting => text.push_str(&format!("; {} not acknowledged yet", grouped(waiting))),
    }
    Some((complete, text))
}
