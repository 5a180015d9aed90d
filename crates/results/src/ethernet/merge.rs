//! What the tables say of one flow, or of all flows of a name as if they were one.

use backwater_kernel::{DelayOutcome, Time};
use backwater_net::frames::outcome::{EndsOutcome, EthernetOutcome, FlowOutcome};
use backwater_net::frames::spec::EthernetSpec;

use super::{tables, transfers};
use crate::groups::{group_names, of_name};
use crate::model::Table;

/// The names of flows, those of one group as one.
pub fn flow_names(spec: &EthernetSpec) -> Vec<String> {
    group_names(spec.flows.iter().map(|flow| flow.name.as_str()))
}

/// The tables of a flow or of a group, each with a row at most; nothing if there is none of the
/// name.
pub fn flow_tables(
    spec: &EthernetSpec,
    outcome: &EthernetOutcome,
    name: &str,
) -> Option<Vec<Table>> {
    let flows = spec.flows.iter().zip(&outcome.flows);
    let found = of_name(flows, |(flow, _)| &flow.name, name);
    let (first, _) = found.first()?;
    let mut flow = (*first).clone();
    flow.name = name.into();
    let one = EthernetSpec {
        flows: vec![flow],
        ..spec.clone()
    };
    let found: Vec<&FlowOutcome> = found.into_iter().map(|(_, found)| found).collect();
    let outcome = EthernetOutcome {
        flows: vec![sum(&found)],
        ..outcome.clone()
    };
    Some(vec![
        tables::flows(&one, &outcome),
        transfers::table(&one, &outcome),
        tables::delays(&one, &outcome),
        tables::deadlines(&one, &outcome),
        tables::tcp(&one, &outcome),
    ])
}

/// Several flows as one.
fn sum(flows: &[&FlowOutcome]) -> FlowOutcome {
    let total = |of: fn(&FlowOutcome) -> u64| flows.iter().map(|flow| of(flow)).sum::<u64>();
    let all = || flows.iter().copied();
    let mut tcp = EndsOutcome::default().tcp;
    for flow in flows {
        let own = &flow.ends.tcp;
        tcp.segments += own.segments;
        tcp.sent_bytes += own.sent_bytes;
        tcp.again_bytes += own.again_bytes;
        tcp.time_outs += own.time_outs;
        tcp.fast_retransmits += own.fast_retransmits;
        tcp.duplicates += own.duplicates;
        tcp.ecn_cuts += own.ecn_cuts;
    }
    FlowOutcome {
        created_total: total(|flow| flow.created_total),
        created_bytes_total: total(|flow| flow.created_bytes_total),
        delivered_total: total(|flow| flow.delivered_total),
        delivered_bytes_total: total(|flow| flow.delivered_bytes_total),
        dropped_total: total(|flow| flow.dropped_total),
        dropped_bytes_total: total(|flow| flow.dropped_bytes_total),
        inside_total: total(|flow| flow.inside_total),
        inside_bytes_total: total(|flow| flow.inside_bytes_total),
        dropped: total(|flow| flow.dropped),
        marked: total(|flow| flow.marked),
        ends: EndsOutcome {
            goodput_bytes: total(|flow| flow.ends.goodput_bytes),
            returned_bytes: total(|flow| flow.ends.returned_bytes),
            offered_bytes_total: total(|flow| flow.ends.offered_bytes_total),
            delivered: total(|flow| flow.ends.delivered),
            delay: DelayOutcome::merged(all().map(|flow| &flow.ends.delay)),
            transfers: total(|flow| flow.ends.transfers),
            transfer_time: DelayOutcome::merged(all().map(|flow| &flow.ends.transfer_time)),
            acknowledged_time: DelayOutcome::merged(all().map(|flow| &flow.ends.acknowledged_time)),
            transfers_total: total(|flow| flow.ends.transfers_total),
            last_transfer: all()
                .map(|flow| flow.ends.last_transfer)
                .max()
                .unwrap_or(Time::ZERO),
            unacknowledged_total: total(|flow| flow.ends.unacknowledged_total),
            late: total(|flow| flow.ends.late),
            due: total(|flow| flow.ends.due),
            tcp,
        },
    }
}
