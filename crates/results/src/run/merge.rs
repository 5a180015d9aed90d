//! What the tables say of one flow, or of all flows of a name as if they were one.

use backwater_kernel::{DelayOutcome, Duration};
use backwater_net::outcome::{FlowOutcome, Outcome};
use backwater_net::spec::NetworkSpec;

use super::tables;
use crate::groups::{group_names, of_name};
use crate::model::Table;

/// The names of flows, those of one group as one.
pub fn flow_names(spec: &NetworkSpec) -> Vec<String> {
    group_names(spec.flows.iter().map(|flow| flow.name.as_str()))
}

/// The tables of a flow or of a group, each with a row at most; nothing if there is none of the
/// name. `cell` is the unit of time.
pub fn flow_tables(
    spec: &NetworkSpec,
    outcome: &Outcome,
    cell: Duration,
    name: &str,
) -> Option<Vec<Table>> {
    let flows = spec.flows.iter().zip(&outcome.flows);
    let found = of_name(flows, |(flow, _)| &flow.name, name);
    let (first, _) = found.first()?;
    let mut flow = (*first).clone();
    flow.name = name.into();
    let one = NetworkSpec {
        flows: vec![flow],
        ..spec.clone()
    };
    let found: Vec<&FlowOutcome> = found.into_iter().map(|(_, found)| found).collect();
    let outcome = Outcome {
        flows: vec![sum(&found)],
        ..outcome.clone()
    };
    Some(vec![
        tables::flows(&one, &outcome),
        tables::delays(&one, &outcome, cell),
        tables::responses(&one, &outcome),
    ])
}

/// Several flows as one.
fn sum(flows: &[&FlowOutcome]) -> FlowOutcome {
    if let [only] = flows {
        return (*only).clone();
    }
    let total = |of: fn(&FlowOutcome) -> u64| flows.iter().map(|flow| of(flow)).sum::<u64>();
    FlowOutcome {
        offered_total: total(|flow| flow.offered_total),
        delivered_total: total(|flow| flow.delivered_total),
        lost_total: total(|flow| flow.lost_total),
        inside_total: total(|flow| flow.inside_total),
        delivered: total(|flow| flow.delivered),
        delivered_bytes: total(|flow| flow.delivered_bytes),
        accepted: total(|flow| flow.accepted),
        retransmitted_total: total(|flow| flow.retransmitted_total),
        delay: DelayOutcome::merged(flows.iter().map(|flow| &flow.delay)),
        source_backlog_max: flows
            .iter()
            .map(|flow| flow.source_backlog_max)
            .max()
            .unwrap_or(0),
        responses: DelayOutcome::merged(flows.iter().map(|flow| &flow.responses)),
        ..FlowOutcome::default()
    }
}
