//! What the tables say of one flow, or of all flows of a name as if they were one.
//!
//! A run keeps percentiles of each flow, and not all its delays: those of a group are of its
//! slowest flow.

use backwater_kernel::Duration;
use backwater_net::outcome::{DelayOutcome, FlowOutcome, Outcome};
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
        delay: merged(flows.iter().map(|flow| &flow.delay)),
        source_backlog_max: flows
            .iter()
            .map(|flow| flow.source_backlog_max)
            .max()
            .unwrap_or(0),
        responses: merged(flows.iter().map(|flow| &flow.responses)),
        ..FlowOutcome::default()
    }
}

/// Delays of several flows: mean and deviation over all units, percentiles of the slowest flow.
fn merged<'a>(all: impl Iterator<Item = &'a DelayOutcome>) -> DelayOutcome {
    let mut sum = DelayOutcome::default();
    let (mut total, mut squares) = (0.0, 0.0);
    for one in all.filter(|one| one.count > 0) {
        let count = one.count as f64;
        total += count * one.mean_ps;
        squares += count * (one.deviation_ps.powi(2) + one.mean_ps.powi(2));
        sum.min_ps = match sum.count {
            0 => one.min_ps,
            _ => sum.min_ps.min(one.min_ps),
        };
        sum.max_ps = sum.max_ps.max(one.max_ps);
        sum.count += one.count;
        for (highest, own) in sum.percentiles_ps.iter_mut().zip(one.percentiles_ps) {
            *highest = own.max(*highest);
        }
    }
    if sum.count > 0 {
        sum.mean_ps = total / sum.count as f64;
        let variance = squares / sum.count as f64 - sum.mean_ps.powi(2);
        sum.deviation_ps = variance.max(0.0).sqrt();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_of_several_flows_are_those_of_all_their_units() {
        let of = |count, mean_ps, deviation_ps, percentile| DelayOutcome {
            count,
            mean_ps,
            deviation_ps,
            min_ps: percentile - 1,
            max_ps: percentile,
            percentiles_ps: [percentile; 4],
            ..DelayOutcome::default()
        };
        // 1 and 3; 10, 10, 10 and 10; none.
        let flows = [
            of(2, 2.0, 1.0, 3),
            of(4, 10.0, 0.0, 10),
            DelayOutcome::default(),
        ];
        let all = merged(flows.iter());
        assert_eq!((all.count, all.min_ps, all.max_ps), (6, 2, 10));
        assert_eq!(all.percentiles_ps, [10; 4]);
        assert!((all.mean_ps - 44.0 / 6.0).abs() < 1e-12);
        let squares = (1.0_f64 + 9.0 + 400.0) / 6.0 - (44.0_f64 / 6.0).powi(2);
        assert!((all.deviation_ps - squares.sqrt()).abs() < 1e-9);
    }
}
