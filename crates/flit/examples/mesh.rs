//! A mesh of 4 x 4 routers under more and more load: latency grows, then the network saturates.
//!
//! `cargo run -p backwater-flit --example mesh`; docs/library.md explains it.

use std::fmt::Write;

use backwater_flit::Simulation;
use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::{ClassSpec, FabricSpec, MeasureSpec, RouterSpec};
use backwater_flit::topology;
use backwater_kernel::BuildError;

fn run(load: f64, lanes: u8) -> Result<FabricOutcome, BuildError> {
    // A terminal at each router, one cycle on each channel.
    let graph = topology::mesh(&[4, 4], 1, 1)?;
    let mut fabric = FabricSpec::new(graph, RouterSpec::new(lanes, 4));
    // Packets of 5 flits to any terminal but the own, each with the same probability.
    fabric.classes.push(ClassSpec::uniform("all", load, 5));
    fabric.measure = MeasureSpec::cycles(500, 2_000);
    let mut simulation = Simulation::new(&fabric)?;
    simulation.run();
    Ok(simulation.outcome())
}

fn report() -> Result<String, Box<dyn std::error::Error>> {
    let mut text = String::new();
    for load in [0.2, 0.5, 0.8] {
        let [one, four] = [run(load, 1)?, run(load, 4)?].map(|found| found.accepted);
        writeln!(
            text,
            "load {load}: {one:.3} with 1 virtual channel, {four:.3} with 4"
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
    fn virtual_channels_carry_what_one_buffer_can_not() {
        let [one, four] = [1, 4].map(|lanes| run(0.8, lanes).map(|found| found.accepted));
        assert!(four.is_ok_and(|four| four > 0.65));
        assert!(one.is_ok_and(|one| one < 0.55));
        print!("{}", report().expect("it runs"));
    }
}
