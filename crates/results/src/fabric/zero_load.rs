//! What latency would be if no packet ever met another.
//!
//! T0 = H t_r + D / v + L / b (Dally and Towles, Principles and Practices of Interconnection
//! Networks, section 3.3): hops by the delay of a router, the way, and the length of the packet.

use backwater_flit::spec::Switch;

use super::FabricFindings;

/// Mean latency, cycles, of packets as long and on ways as long as those of the window, each alone
/// in the network. Channels between routers count by the flits that crossed them.
pub fn zero_load(run: &FabricFindings<'_>) -> Option<f64> {
    if run.outcome.latency.count == 0 || run.outcome.packets_total == 0 {
        return None;
    }
    let graph = &run.spec.graph;
    let router = &run.spec.router;
    let buffered = match router.switch {
        Switch::Multiplexed { output_buffer, .. } => u16::from(output_buffer > 0),
        Switch::Crossbar => 0,
    };
    let delays = [
        router.header_delay,
        router.allocation_delay,
        router.pipeline_delay,
        buffered,
    ];
    let of_router: f64 = delays.into_iter().map(f64::from).sum();
    let ends = f64::from(graph.injection_latency) + f64::from(graph.ejection_latency);
    let between = graph.channels.iter().zip(&run.outcome.utilization);
    let (weight, weighted) = between.fold((0.0, 0.0), |(all, sum), (channel, load)| {
        (all + load, sum + load * f64::from(channel.latency))
    });
    let wire = if weight > 0.0 { weighted / weight } else { 0.0 };
    let length = run.outcome.delivered_total as f64 / run.outcome.packets_total as f64;
    let routers = run.outcome.hops_mean - 1.0;
    Some(ends + (routers - 1.0) * wire + routers * of_router + length - 1.0)
}
