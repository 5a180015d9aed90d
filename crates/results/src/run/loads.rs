//! What each flow got.

use backwater_kernel::Channels;
use backwater_net::outcome::Outcome;
use backwater_net::spec::NetworkSpec;

use crate::events::names;

/// What a flow got, for each destination.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowLoad {
    /// Bits per second after the warm-up, mean over the destinations.
    pub bits_per_second: f64,
    /// That over the rate of the slowest link on its path.
    pub fraction: f64,
}

/// The load of every flow.
pub fn flow_loads(spec: &NetworkSpec, outcome: &Outcome) -> Vec<FlowLoad> {
    let seconds = outcome.ended_at.since(spec.warm_up).seconds();
    spec.flows
        .iter()
        .zip(&outcome.flows)
        .enumerate()
        .map(|(index, (flow, found))| {
            let destinations = destinations(spec, index).len().max(1);
            let rates = flow.legs.iter().filter_map(|leg| {
                let channels = spec.links.channels();
                let is_known = channels.contains(&leg.channel);
                is_known.then(|| spec.links.channel(leg.channel).rate.0 as f64)
            });
            let bottleneck_bps = rates.reduce(f64::min).unwrap_or(0.0);
            let bits_per_second = if seconds > 0.0 {
                found.delivered_bytes as f64 * 8.0 / seconds / destinations as f64
            } else {
                0.0
            };
            FlowLoad {
                bits_per_second,
                fraction: if bottleneck_bps > 0.0 {
                    bits_per_second / bottleneck_bps
                } else {
                    0.0
                },
            }
        })
        .collect()
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
