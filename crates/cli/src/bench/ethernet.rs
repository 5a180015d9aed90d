//! The Ethernet engine's part of the standard set: what a frame-hop costs.
//!
//! A frame-hop is one frame, data or control, crossing one queue and one link. What other
//! simulators call a packet-hop is the same: `benches/htsim.py` runs a peer beside it.

use backwater_kernel::Rings;
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::EthernetSpec;
use backwater_scenario::{Engine, Source};

use super::{Clock, Options};
use crate::machine;

/// A scenario of the standard set.
struct Workload {
    name: &'static str,
    file: &'static str,
    text: &'static str,
    sets: &'static [(&'static str, &'static str)],
}

macro_rules! workload {
    ($name:literal, $file:literal, $sets:expr) => {
        Workload {
            name: $name,
            file: concat!("scenarios/", $file),
            text: include_str!(concat!("../../../../scenarios/", $file)),
            sets: $sets,
        }
    };
}

const SET: &[Workload] = &[
    workload!(
        "Ethernet (a) 3-to-1 incast, PFC",
        "bench/incast-pfc.toml",
        &[]
    ),
    workload!(
        "Ethernet (b) Figure 10, PAUSE",
        "nouredine1999/fig11-shared-upstream.toml",
        &[
            ("run.duration", "\"200 s\""),
            ("flows.0.count", "2"),
            ("flows.0.traffic.size", "\"100 kB\"")
        ]
    ),
    workload!(
        "Ethernet (c) 112 TCP, two tiers",
        "bench/leaf-spine-tcp.toml",
        &[]
    ),
    workload!(
        "Ethernet (d) 128 hosts, PFC",
        "bench/fat-tree-128.toml",
        &[]
    ),
    workload!(
        "Ethernet (e) 1,024 hosts, PFC",
        "bench/fat-tree-1024.toml",
        &[]
    ),
];

/// What this part measures.
pub fn names() -> impl Iterator<Item = &'static str> {
    SET.iter().map(|workload| workload.name)
}

/// Measures and prints those that are wanted.
pub fn bench(options: &Options, wanted: &dyn Fn(&str) -> bool) -> Result<(), String> {
    if !names().any(wanted) {
        return Ok(());
    }
    println!(
        "\n{:32} {:>12} {:>9} {:>12} {:>11} {:>8}",
        "Ethernet engine", "M hops/s", "ns/hop", "events/hop", "hops", "MiB"
    );
    for workload in SET.iter().filter(|workload| wanted(workload.name)) {
        measure(workload, options.runs).map_err(|error| format!("{}: {error}", workload.name))?;
    }
    Ok(())
}

fn measure(workload: &Workload, runs: u32) -> Result<(), String> {
    let network = load(workload)?;
    let mut best: Option<(f64, u64)> = None;
    let (mut hops, mut events, mut grown) = (0, 0, None);
    for _ in 0..runs.max(1) {
        let before = machine::resident_bytes();
        let mut simulation =
            Simulation::<Rings>::new(&network).map_err(|error| error.to_string())?;
        let clock = Clock::start();
        simulation.run();
        let seconds = clock.seconds();
        let after = machine::resident_bytes();
        let outcome = simulation.frame_outcome();
        if outcome.violations.total() > 0 {
            return Err(format!(
                "{} promises were broken",
                outcome.violations.total()
            ));
        }
        if best.is_some_and(|(_, hash)| hash != outcome.trace_hash) {
            return Err("two runs of one scenario differ".into());
        }
        let least = best.map_or(seconds, |(least, _)| seconds.min(least));
        best = Some((least, outcome.trace_hash));
        (hops, events) = (outcome.frame_hops, outcome.events);
        // Later runs find memory that the first one left.
        grown = grown.or_else(|| Some(after?.saturating_sub(before?)));
    }
    let seconds = best.map_or(1.0, |(seconds, _)| seconds);
    println!(
        "{:32} {:>12.1} {:>9.1} {:>12.2} {hops:>11} {:>8}",
        workload.name,
        hops as f64 / seconds / 1e6,
        seconds / hops as f64 * 1e9,
        events as f64 / hops as f64,
        grown.map_or("-".into(), |bytes| format!(
            "{:.1}",
            bytes as f64 / 1048576.0
        )),
    );
    Ok(())
}

fn load(workload: &Workload) -> Result<EthernetSpec, String> {
    let source = Source {
        name: workload.file.into(),
        text: workload.text.into(),
    };
    let set = |&(key, value): &(&str, &str)| backwater_scenario::Set {
        key: key.into(),
        value: value.into(),
    };
    let sets: Vec<backwater_scenario::Set> = workload.sets.iter().map(set).collect();
    let scenario =
        backwater_scenario::parse(&source, &sets).map_err(|mistakes| mistakes.render(false))?;
    match scenario.engine {
        Engine::Ethernet(ethernet) => Ok(ethernet.network),
        _ => Err("a workload of the Ethernet engine is for another one".into()),
    }
}
