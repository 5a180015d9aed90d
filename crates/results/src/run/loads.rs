//! What each flow got.

use backwater_net::outcome::FlowOutcome;
use backwater_net::spec::{NetworkSpec, TrafficSpec};

use super::Circuits;
use crate::events::{names, per_second};

/// What a flow got, for each destination.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowLoad {
    /// Bits per second after the warm-up, mean over the destinations.
    pub bits_per_second: f64,
    /// That over the rate of the slowest link on its path.
    pub fraction: f64,
}

/// The load of every flow.
pub fn flow_loads(run: &Circuits<'_>) -> Vec<FlowLoad> {
    let seconds = run.seconds();
    run.network
        .flows
        .iter()
        .zip(&run.outcome.flows)
        .enumerate()
        .map(|(index, (flow, found))| {
            let destinations = destinations(run.network, index).len().max(1);
            let ports = flow.legs.iter();
            let ports = ports.filter_map(|leg| names::channel_spec(run.network, leg.channel));
            let slowest_bps = ports.map(|port| port.rate.0 as f64).reduce(f64::min);
            let bits = found.delivered_bytes as f64 * 8.0;
            let bits_per_second = per_second(bits, seconds) / destinations as f64;
            let slowest_bps = slowest_bps.filter(|bps| *bps > 0.0);
            FlowLoad {
                bits_per_second,
                fraction: slowest_bps.map_or(0.0, |slowest| bits_per_second / slowest),
            }
        })
        .collect()
}

/// Has a circuit sent all that it was to send, and is nothing of it on the way? Then its bytes over
/// the length of the run are no rate of it.
pub fn has_ended(run: &Circuits<'_>, flow: usize) -> bool {
    let total = match run.network.flows.get(flow).map(|own| &own.traffic) {
        Some(
            TrafficSpec::Greedy { total, .. }
            | TrafficSpec::Constant { total, .. }
            | TrafficSpec::Poisson { total, .. }
            | TrafficSpec::Trains { total, .. },
        ) => *total,
        _ => None,
    };
    let copies = destinations(run.network, flow).len().max(1) as u64;
    let is_over = |found: &FlowOutcome| {
        let all = total.and_then(|total| total.checked_mul(copies));
        all.is_some_and(|all| found.offered_total >= all && found.inside_total == 0)
    };
    run.outcome.flows.get(flow).is_some_and(is_over)
}

/// Destinations of a flow: where legs without legs after them end.
pub fn destinations(spec: &NetworkSpec, flow: usize) -> Vec<String> {
    let Some(flow) = spec.flows.get(flow) else {
        return Vec::new();
    };
    let mut goes_on = vec![false; flow.legs.len()];
    for parent in flow.legs.iter().filter_map(|leg| leg.parent) {
        if let Some(leg) = goes_on.get_mut(parent as usize) {
            *leg = true;
        }
    }
    (0..flow.legs.len())
        .filter(|&leg| !goes_on[leg])
        .map(
            |leg| match names::channel_ends(spec, flow.legs[leg].channel) {
                Some((_, end)) => names::node(spec, end),
                None => "?".into(),
            },
        )
        .collect()
}
