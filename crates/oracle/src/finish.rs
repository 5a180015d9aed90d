//! From a network whose run is over to its report.

use crate::network::{Leg, Network};
use crate::report::{Delivery, LegReport, Report};
use crate::service::Check;

pub(crate) fn report(network: Network) -> Report {
    let mut starts = network.log;
    starts.sort_by_key(|start| (start.at_ps, start.channel));
    let mut ranks = network.ranks;
    ranks.sort();
    let ports = || network.channels.iter().map(|channel| &channel.port);
    let mut checks: Vec<Check> = ports().flat_map(|port| port.checks()).copied().collect();
    checks.sort();
    let close_calls = ports().filter_map(|port| port.close_call());
    let close_call_ps = close_calls.min().map(backwater_kernel::Time::ps);
    let leg_report = |leg: &Leg| LegReport {
        flow: leg.flow as u32,
        leg: leg.index_in_flow as u32,
        channel: leg.channel as u32,
        max_fill_units: leg.max_fill as u64,
        final_fill_units: leg.fill() as u64,
    };
    let delivery = |leg: &Leg| Delivery {
        flow: leg.flow as u32,
        leg: leg.index_in_flow as u32,
        node: network.to_nodes[leg.channel],
        arrived_units: leg.arrived,
        consumed_units: leg.freed,
    };
    let sessions = network
        .flows
        .iter()
        .enumerate()
        .filter_map(|(index, flow)| {
            let session = flow.session.as_ref()?;
            Some((index as u32, session.outcome()))
        });
    let warnings = network.flows.iter().map(|flow| flow.heed.warnings);
    Report {
        starts,
        sessions: sessions.collect(),
        warnings: warnings.collect(),
        too_late: network.too_late,
        legs: network.legs.iter().map(leg_report).collect(),
        deliveries: network
            .legs
            .iter()
            .filter(|leg| leg.is_leaf())
            .map(delivery)
            .collect(),
        ranks,
        checks,
        close_call_ps,
    }
}
