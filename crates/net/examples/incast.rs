//! Two stations send to a third over a switch: without stops frames are lost, under priority flow
//! control they wait at their sources.
//!
//! `cargo run -p backwater-net --example incast`; docs/library.md explains it.

use std::fmt::Write;

use backwater_kernel::{BuildError, Duration, Rate, Rings, Time};
use backwater_net::Simulation;
use backwater_net::outcome::Outcome;
use backwater_net::spec::frames::{BackPressureSpec, ChannelSpec, EthernetSpec, FlowSpec};

const US: u64 = 1_000_000;

fn network(pfc: Option<BackPressureSpec>) -> EthernetSpec {
    let mut network = EthernetSpec::new(Time(10_000 * US));
    let switch = network.switch("S", pfc);
    let stations = ["A", "B", "C"].map(|name| network.station(name));
    // 10 Gbps over 100 m, one class: queues of 64 KiB, stops from 20 KiB on, 16 KiB for what is
    // under way then.
    let channel = ChannelSpec::new(Rate(10_000_000_000), Duration(US / 2), 1, 64 << 10);
    for station in stations {
        network.link(
            [station, switch],
            channel.clone().stopping(20 << 10, 18 << 10, 16 << 10),
        );
    }
    let [a, b, c] = stations;
    network.flows = vec![FlowSpec::udp("A", a, c), FlowSpec::udp("B", b, c)];
    network
}

fn run(pfc: Option<BackPressureSpec>) -> Result<Outcome, BuildError> {
    let mut simulation = Simulation::<Rings>::new(&network(pfc))?;
    simulation.run();
    Ok(simulation.outcome())
}

fn report() -> Result<String, Box<dyn std::error::Error>> {
    let mut text = String::new();
    for (name, pfc) in [("no stops", None), ("PFC", Some(BackPressureSpec::pfc(1)))] {
        let outcome = run(pfc)?;
        let lost: u64 = outcome.flows.iter().map(|flow| flow.lost_total).sum();
        let delivered: u64 = outcome.flows.iter().map(|flow| flow.delivered_total).sum();
        writeln!(
            text,
            "{name:10} {delivered:6} frames delivered, {lost:6} lost"
        )?;
    }
    Ok(text)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    print!("{}", report()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_save_what_is_lost_without_them() {
        let lost = |pfc| run(pfc).map(|found| found.flows.iter().map(|flow| flow.lost_total).sum());
        assert_eq!(lost(Some(BackPressureSpec::pfc(1))), Ok(0_u64));
        assert!(lost(None).is_ok_and(|lost| lost > 5_000));
        print!("{}", report().expect("it runs"));
    }
}
