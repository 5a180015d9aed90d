//! What latency would be if no packet ever met another.
//!
//! T0 = H t_r + D / v + L / b (Dally and Towles, Principles and Practices of Interconnection
//! Networks, section 3.3): hops by the delay of a router, the way, and the length of the packet.

use backwater_flit::spec::Switch;

use super::FabricFindings;

/// What [`zero_load`] leaves out, if anything.
pub fn left_out(run: &FabricFindings<'_>) -> &'static str {
    match run.outcome.credit_left_out {
        true => ", without waits for credit: channels differ in latency",
        false => "",
    }
}

/// Mean latency, cycles, of the packets measured, each on its way as if it were alone in the
/// network. Where a virtual channel holds less than a round trip of credit takes, long packets wait
/// for it even so.
pub fn zero_load(run: &FabricFindings<'_>) -> Option<f64> {
    if run.outcome.latency.count == 0 {
        return None;
    }
    let router = &run.spec.router;
    let buffered = match router.switch {
        Switch::Multiplexed { output_buffer, .. } => u16::from(output_buffer > 0),
        Switch::Crossbar => 0,
    };
    // Stages of the switch and the wires are part of the passage.
    let delays = [router.header_delay, router.allocation_delay, buffered];
    let of_router: f64 = delays.into_iter().map(f64::from).sum();
    let routers = run.outcome.hops_mean - 1.0;
    Some(run.outcome.passage_mean + routers * of_router)
}
