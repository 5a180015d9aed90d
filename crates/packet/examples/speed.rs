//! Cell-hops per second of Figure 17, for profiling the hot loop alone.

#[path = "../tests/common/mod.rs"]
mod common;

use common::*;
use kernel::Wheel;
use packet::Simulation;
use packet::spec::Timing;

fn main() {
    let cells = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(2_000_000);
    let net = figure_17(Timing::StoreAndForward, at(cells));
    let mut simulation = Simulation::<Wheel>::new(&net.spec, ()).expect("it is sound");
    let start = std::time::Instant::now();
    simulation.run();
    let seconds = start.elapsed().as_secs_f64();
    let hops = simulation.unit_hops() as f64;
    let events = simulation.events_handled() as f64;
    println!(
        "{:.1} M hops/s, {:.1} ns/hop, {:.2} events/hop",
        hops / seconds / 1e6,
        seconds / hops * 1e9,
        events / hops
    );
    println!("{hops} hops {events} events");
    println!("{:016x}", simulation.outcome().trace_hash);
}
