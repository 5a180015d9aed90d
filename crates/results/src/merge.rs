//! Several flows as if they were one: what tables say of a group.

use backwater_ends::tcp::TcpCounts;
use backwater_kernel::{Balance, DelayOutcome, Distribution, Time};
use backwater_net::outcome::{CellTcpOutcome, EndsOutcome, FlowOutcome, Outcome};

/// An outcome in which these flows are one; nothing if none of them is there.
pub fn as_one(outcome: &Outcome, flows: &[u32]) -> Option<Outcome> {
    let found = flows.iter();
    let found = found.filter_map(|flow| outcome.flows.get(*flow as usize));
    let outcomes: Vec<&FlowOutcome> = found.collect();
    (!outcomes.is_empty()).then(|| Outcome {
        flows: vec![sum(&outcomes)],
        ..outcome.clone()
    })
}

/// Several flows as one. What can't be added up, such as the answer to a set-up, is left out.
pub fn sum(flows: &[&FlowOutcome]) -> FlowOutcome {
    if let [only] = flows {
        return (*only).clone();
    }
    let total = |of: fn(&FlowOutcome) -> u64| flows.iter().map(|flow| of(flow)).sum::<u64>();
    let times = |of: fn(&FlowOutcome) -> &DelayOutcome| {
        DelayOutcome::merged(flows.iter().map(|flow| of(flow)))
    };
    let bytes: Option<Vec<Balance>> = flows.iter().map(|flow| flow.bytes).collect();
    let backlogs = flows.iter().map(|flow| flow.source_backlog_max);
    FlowOutcome {
        offered_total: total(|flow| flow.offered_total),
        delivered_total: total(|flow| flow.delivered_total),
        lost_total: total(|flow| flow.lost_total),
        inside_total: total(|flow| flow.inside_total),
        bytes: bytes.map(|all| all.into_iter().sum()),
        delivered: total(|flow| flow.delivered),
        delivered_bytes: total(|flow| flow.delivered_bytes),
        lost: total(|flow| flow.lost),
        accepted: total(|flow| flow.accepted),
        retransmitted_total: total(|flow| flow.retransmitted_total),
        delay: times(|flow| &flow.delay),
        source_backlog_max: backlogs.max().unwrap_or(0),
        responses: Distribution::merged(flows.iter().map(|flow| &flow.responses)),
        tcp: circuits(flows).map(Box::new),
        marked: total(|flow| flow.marked),
        trimmed: total(|flow| flow.trimmed),
        ends: ends(flows),
        slowdown: Distribution::merged(flows.iter().map(|flow| &flow.slowdown)),
        ..FlowOutcome::default()
    }
}

fn ends(flows: &[&FlowOutcome]) -> EndsOutcome {
    let total = |of: fn(&EndsOutcome) -> u64| flows.iter().map(|flow| of(&flow.ends)).sum::<u64>();
    let times = |of: fn(&EndsOutcome) -> &Distribution| {
        Distribution::merged(flows.iter().map(|flow| of(&flow.ends)))
    };
    let last = flows.iter().map(|flow| flow.ends.last_transfer).max();
    EndsOutcome {
        goodput_bytes: total(|ends| ends.goodput_bytes),
        returned_bytes: total(|ends| ends.returned_bytes),
        offered_bytes_total: total(|ends| ends.offered_bytes_total),
        transfers: total(|ends| ends.transfers),
        transfer_time: times(|ends| &ends.transfer_time),
        acknowledged_time: times(|ends| &ends.acknowledged_time),
        transfers_total: total(|ends| ends.transfers_total),
        are_acknowledged: flows.iter().any(|flow| flow.ends.are_acknowledged),
        transfers_begun: total(|ends| ends.transfers_begun),
        latest_start: flows.iter().filter_map(|flow| flow.ends.latest_start).max(),
        transfers_planned: flows.iter().map(|flow| flow.ends.transfers_planned).sum(),
        first_start: flows.iter().filter_map(|flow| flow.ends.first_start).min(),
        last_transfer: last.unwrap_or(Time::ZERO),
        unacknowledged_total: total(|ends| ends.unacknowledged_total),
        late: total(|ends| ends.late),
        due: total(|ends| ends.due),
        tcp: both_ends(flows.iter().map(|flow| &flow.ends.tcp)),
        messages: None,
    }
}

/// TCP over circuits; nothing where a flow has none.
fn circuits(flows: &[&FlowOutcome]) -> Option<CellTcpOutcome> {
    let all: Option<Vec<CellTcpOutcome>> = flows
        .iter()
        .map(|flow| flow.tcp.as_deref().copied())
        .collect();
    let all = all?;
    let total = |of: fn(&CellTcpOutcome) -> u64| all.iter().map(of).sum();
    Some(CellTcpOutcome {
        delivered_bytes: total(|tcp| tcp.delivered_bytes),
        delivered_bytes_total: total(|tcp| tcp.delivered_bytes_total),
        returned_bytes: total(|tcp| tcp.returned_bytes),
        returned_bytes_total: total(|tcp| tcp.returned_bytes_total),
        requests_total: total(|tcp| tcp.requests_total),
        broken_frames_total: total(|tcp| tcp.broken_frames_total),
        opener: both_ends(all.iter().map(|tcp| &tcp.opener)),
        answerer: both_ends(all.iter().map(|tcp| &tcp.answerer)),
    })
}

/// Several ends of connections as one.
pub fn both_ends<'a>(ends: impl Iterator<Item = &'a TcpCounts>) -> TcpCounts {
    ends.fold(TcpCounts::default(), |sum, own| sum.plus(*own))
}
