//! Two hosts and a switch: cells under N23 credit come from a fast link and leave by a slow one.
//!
//! `cargo run -p backwater-net --example two_hosts`; docs/library.md explains it.

use std::fmt::Write;

use backwater_kernel::{Duration, Rate, Rings, Time};
use backwater_net::Simulation;
use backwater_net::probe::Probe;
use backwater_net::spec::{ChannelSpec, CreditSpec, FlowControlSpec, FlowSpec};
use backwater_net::spec::{NetworkSpec, NodeKind};

const US: u64 = 1_000_000;

fn network() -> NetworkSpec {
    let mut network = NetworkSpec::new(Time(100_000 * US));
    network.warm_up = Time(1_000 * US);
    let a = network.node("A", NodeKind::Host);
    let switch = network.node("S", NodeKind::Switch);
    let b = network.node("B", NodeKind::Host);

    let delay = Duration(10 * US);
    let fast = ChannelSpec::new(Rate(622_080_000), delay);
    let slow = ChannelSpec::new(Rate(155_520_000), delay);
    let n23 = |channel: &ChannelSpec, n3| {
        FlowControlSpec::Credit(CreditSpec::n23(10, n3, channel.control_loop(53)))
    };
    // N3 covers a control loop at the rate that the slow link leaves: 7.8 and 9.4 cells.
    let (first, second) = (n23(&fast, 8), n23(&slow, 10));
    let into = network.link([a, switch], fast);
    let out = network.link([switch, b], slow);
    let flow = FlowSpec::new("VC", a, &[(into, first), (out, second)]);
    network.flows.push(flow);
    network
}

/// Looks on: how many cells the switch held at most, and when first.
#[derive(Default)]
struct Fullest {
    cells: u32,
    since: Time,
}

impl Probe for Fullest {
    fn on_fill(&mut self, at: Time, leg: u32, fill: u32) {
        // Leg 0 is the flow on its first channel: its receiver is the switch.
        if leg == 0 && fill > self.cells {
            (self.cells, self.since) = (fill, at);
        }
    }
}

fn report() -> Result<String, Box<dyn std::error::Error>> {
    let network = network();
    let mut simulation = Simulation::<Rings, _>::with_probe(&network, Fullest::default())?;
    simulation.run();
    let outcome = simulation.outcome();
    let seconds = outcome.ended_at.since(network.warm_up).seconds();
    let flow = &outcome.flows[0];
    let delay = &flow.delay;
    let us = |ps: u64| ps as f64 / US as f64;
    let mbps = flow.delivered_bytes as f64 * 8.0 / seconds / 1e6;

    let mut text = String::new();
    writeln!(text, "throughput    {mbps:.2} Mbps of 155.52")?;
    writeln!(text, "delay, mean   {:.2} us", delay.mean / US as f64)?;
    writeln!(text, "delay, p99    {:.2} us", us(delay.percentiles[2]))?;
    writeln!(text, "delay, max    {:.2} us", us(delay.max))?;
    writeln!(text, "lost          {} cells", flow.lost_total)?;
    writeln!(text, "promises      {} broken", outcome.violations.total())?;
    let fullest = simulation.probe();
    let since = us(fullest.since.ps());
    writeln!(
        text,
        "switch        {} cells at most, since {since:.2} us",
        fullest.cells
    )?;
    Ok(text)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    print!("{}", report()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What docs/library.md shows.
    const PRINTED: &str = "\
throughput    155.52 Mbps of 155.52
delay, mean   35.78 us
delay, p99    44.98 us
delay, max    44.98 us
lost          0 cells
promises      0 broken
switch        13 cells at most, since 21.59 us
";

    #[test]
    fn it_prints_what_the_guide_shows() {
        assert_eq!(report().expect("it runs"), PRINTED);
    }
}
