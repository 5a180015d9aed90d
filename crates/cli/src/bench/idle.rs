//! What circuits and routers cost that have nothing to do.

use backwater_kernel::Time;
use backwater_net::spec::{FlowSpec, NetworkSpec, TrafficSpec};
use backwater_scenario::{Engine, Scenario};

use super::set::{CELLS, TORUS};
use super::{built, least, once};

/// Idle circuits added to show that they cost nothing.
const IDLE: [usize; 3] = [0, 1_000, 100_000];
/// With fewer links the memory of one says nothing.
const LINKS: usize = 10_000;

/// Tori that carry the same traffic in all: what routers without any cost.
const TORI: [(&str, &str); 3] = [
    ("[32, 32]", "0.01"),
    ("[256, 256]", "0.00015625"),
    ("[1024, 1024]", "0.00000977"),
];

/// Figure 17 among circuits that never send: the cost of a hop and of an idle circuit's link.
pub fn circuits(runs: u32) -> Result<(), String> {
    println!("\nFigure 17 among idle circuits:");
    println!(
        "{:>12} {:>9} {:>26}",
        "idle", "ns/hop", "bytes per idle VC link"
    );
    for count in IDLE {
        let mut links = 0;
        let scenario = crowded("(a) Figure 17", |network| {
            let copy = silent(&network.flows[0]);
            links = count * copy.legs.len();
            network.flows.extend((0..count).map(|_| copy.clone()));
        })?;
        let bytes = built(&scenario)?.filter(|_| links >= LINKS);
        let bytes = bytes.map(|bytes| format!("{:.0}", bytes as f64 / links as f64));
        let ns = least(&scenario, runs)?.ns_per_hop();
        println!("{count:>12} {ns:>9.1} {:>26}", bytes.unwrap_or_default());
    }
    Ok(())
}

/// The five ABR circuits of Figure 5 among circuits that send nothing over the same links: an
/// averaging interval costs what it sees, not what there is.
pub fn abr(runs: u32) -> Result<(), String> {
    let name = "ABR, Figure 5";
    println!("\n{name} among idle circuits:");
    println!("{:>12} {:>9}", "idle", "ns/hop");
    for count in IDLE {
        let scenario = crowded(name, |network| {
            let (mut there, mut back) = (silent(&network.flows[0]), silent(&network.flows[1]));
            for _ in 0..count / 10 {
                let id = network.flows.len() as u32;
                (there.partner, back.partner) = (Some(id + 1), Some(id));
                network.flows.extend([there.clone(), back.clone()]);
            }
        })?;
        let ns = least(&scenario, runs)?.ns_per_hop();
        println!("{:>12} {ns:>9.1}", count / 10);
    }
    Ok(())
}

/// The same traffic in larger and larger tori.
pub fn routers() -> Result<(), String> {
    println!("\nabout 10 flits a cycle enter tori of increasing size:");
    println!(
        "{:>14} {:>9} {:>17}",
        "routers", "ns/hop", "bytes per router"
    );
    for (sides, rate) in TORI {
        let scenario = TORUS.load(&[
            ("topology.sides", sides),
            ("traffic.load", rate),
            ("run.measure", "3000"),
        ])?;
        let routers = scenario.fabric().map_or(1, |spec| spec.graph.routers);
        let bytes = built(&scenario)?.map(|bytes| bytes as f64 / f64::from(routers));
        println!(
            "{routers:>14} {:>9.1} {:>17}",
            once(&scenario)?.ns_per_hop(),
            bytes.map_or_else(|| "unknown".into(), |bytes| format!("{bytes:.0}")),
        );
    }
    Ok(())
}

/// A workload in cells, a quarter as long and with more circuits.
fn crowded(name: &str, add: impl FnOnce(&mut NetworkSpec)) -> Result<Scenario, String> {
    let workload = CELLS.iter().find(|workload| workload.name == name);
    let mut scenario = workload.ok_or("the workload is gone")?.load(&[])?;
    let Engine::Packet(packet) = &mut scenario.engine else {
        return Err("circuits are of the packet engine".into());
    };
    packet.network.stop_at = Time(packet.network.stop_at.ps() / 4);
    add(&mut packet.network);
    Ok(scenario)
}

fn silent(flow: &FlowSpec) -> FlowSpec {
    FlowSpec {
        traffic: TrafficSpec::Silent,
        ..flow.clone()
    }
}
