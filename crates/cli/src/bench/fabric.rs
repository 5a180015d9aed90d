//! The cycle engine's part of the standard set: what a flit-hop costs.
//!
//! A flit-hop is one flit crossing one channel, injection and ejection included. Each network is
//! measured twice: with the paper's simple router, and with the delays, the shared switch inputs
//! and the single sources of the router that docs/booksim.md compares with a peer.

use backwater_flit::Simulation;
use backwater_flit::spec::FabricSpec;
use backwater_kernel::Stop;
use backwater_scenario::{Engine, Source};

use super::{Clock, Options};
use crate::machine;

/// A scenario of the standard set, and what turns it into the router of docs/booksim.md.
struct Workload {
    name: &'static str,
    file: &'static str,
    text: &'static str,
    sets: &'static [(&'static str, &'static str)],
    pipelined: &'static [(&'static str, &'static str)],
}

macro_rules! workload {
    ($name:literal, $file:literal, $sets:expr, $pipelined:expr) => {
        Workload {
            name: $name,
            file: concat!("scenarios/bench/", $file),
            text: include_str!(concat!("../../../../scenarios/bench/", $file)),
            sets: $sets,
            pipelined: $pipelined,
        }
    };
}

type Sets = &'static [(&'static str, &'static str)];

const MESH_DELAYS: Sets = &[
    ("topology.injection_latency", "2"),
    ("router.depth", "8"),
    ("router.switch", "\"multiplexed\""),
    ("router.allocator", "\"separable-input-first\""),
    ("router.arbiter", "\"round-robin\""),
    ("router.vc_arbiter", "\"round-robin\""),
    ("router.release", "\"tail-sent\""),
    ("router.header_delay", "2"),
    ("router.pipeline_delay", "2"),
    ("router.credit_delay", "2"),
];

const FLY_DELAYS: Sets = &[
    ("topology.injection_latency", "2"),
    ("traffic.sources", "\"one\""),
    ("router.depth", "8"),
    ("router.switch", "\"multiplexed\""),
    ("router.allocator", "\"separable-input-first\""),
    ("router.arbiter", "\"round-robin\""),
    ("router.vc_arbiter", "\"round-robin\""),
    ("router.release", "\"tail-sent\""),
    ("router.header_delay", "2"),
    ("router.pipeline_delay", "2"),
    ("router.credit_delay", "2"),
];

const SET: &[Workload] = &[
    workload!("8x8 mesh, 5-flit, load 0.3", "mesh.toml", &[], MESH_DELAYS),
    workload!(
        "8x8 mesh, 1-flit, load 0.3",
        "mesh.toml",
        &[("traffic.flits", "1")],
        MESH_DELAYS
    ),
    workload!(
        "16x16 mesh, 5-flit, load 0.2",
        "mesh.toml",
        &[("topology.sides", "[16, 16]"), ("traffic.load", "0.2")],
        MESH_DELAYS
    ),
    workload!(
        "8x8 torus, 5-flit, load 0.3",
        "torus.toml",
        &[],
        MESH_DELAYS
    ),
    workload!("2-ary 8-fly, 16 VCs, full", "fly.toml", &[], FLY_DELAYS),
    workload!(
        "2-ary 10-fly, 16 VCs, full",
        "fly.toml",
        &[("topology.n", "10"), ("run.measure", "4000")],
        FLY_DELAYS
    ),
    workload!(
        "64x64 mesh, a tenth of capacity",
        "mesh.toml",
        &[
            ("topology.sides", "[64, 64]"),
            ("traffic.load", "0.00625"),
            ("traffic.flits", "20"),
            ("run.measure", "20000")
        ],
        MESH_DELAYS
    ),
];

/// Tori that carry the same traffic in all: what routers without any cost.
const IDLE: [(&str, &str); 3] = [
    ("[32, 32]", "0.01"),
    ("[256, 256]", "0.00015625"),
    ("[1024, 1024]", "0.00000977"),
];

/// Name of the part about idle routers.
pub const IDLE_NAME: &str = "idle routers";

/// Names of all workloads.
pub fn names() -> impl Iterator<Item = &'static str> {
    SET.iter().map(|workload| workload.name).chain([IDLE_NAME])
}

/// Measures and prints those that are wanted.
pub fn bench(options: &Options, wanted: &dyn Fn(&str) -> bool) -> Result<(), String> {
    if SET.iter().any(|workload| wanted(workload.name)) {
        println!(
            "\n{:32} {:>14} {:>14} {:>12}",
            "flit engine", "simple, ns/hop", "pipelined, ns", "M hops/s"
        );
    }
    for workload in SET.iter().filter(|workload| wanted(workload.name)) {
        let simple = least(&load(workload, &[])?, options.runs)?;
        let pipelined = least(&load(workload, workload.pipelined)?, options.runs)?;
        println!(
            "{:32} {:>14.1} {:>14.1} {:>12.1}",
            workload.name,
            simple.ns_per_hop(),
            pipelined.ns_per_hop(),
            1e3 / simple.ns_per_hop(),
        );
    }
    if wanted(IDLE_NAME) {
        idle()?;
    }
    Ok(())
}

fn load(workload: &Workload, more: Sets) -> Result<FabricSpec, String> {
    let source = Source {
        name: workload.file.into(),
        text: workload.text.into(),
    };
    let set = |&(key, value): &(&str, &str)| backwater_scenario::Set {
        key: key.into(),
        value: value.into(),
    };
    let sets: Vec<backwater_scenario::Set> = workload.sets.iter().chain(more).map(set).collect();
    let scenario =
        backwater_scenario::parse(&source, &sets).map_err(|mistakes| mistakes.render(false))?;
    match scenario.engine {
        Engine::Flit(spec) => Ok(*spec),
        _ => Err("a workload of the flit engine is for another one".into()),
    }
}

/// Cost of one run.
struct Cost {
    seconds: f64,
    hops: u64,
    hash: u64,
}

impl Cost {
    fn ns_per_hop(&self) -> f64 {
        self.seconds / self.hops.max(1) as f64 * 1e9
    }
}

/// The cheapest of several runs, which must all send the same.
fn least(spec: &FabricSpec, runs: u32) -> Result<Cost, String> {
    let mut best = once(spec)?;
    for _ in 1..runs.max(1) {
        let cost = once(spec)?;
        if cost.hash != best.hash {
            return Err("two runs of one scenario differ".into());
        }
        if cost.seconds < best.seconds {
            best = cost;
        }
    }
    Ok(best)
}

fn once(spec: &FabricSpec) -> Result<Cost, String> {
    let mut simulation = Simulation::new(spec).map_err(|error| error.to_string())?;
    let clock = Clock::start();
    simulation.run();
    let seconds = clock.seconds();
    let outcome = simulation.outcome();
    if outcome.stop == Stop::Standstill || outcome.violations.total() > 0 {
        return Err("a run of the standard set failed".into());
    }
    Ok(Cost {
        seconds,
        hops: outcome.flit_hops,
        hash: outcome.trace_hash,
    })
}

/// The same traffic in larger and larger tori.
fn idle() -> Result<(), String> {
    println!("\nabout 10 flits a cycle enter tori of increasing size:");
    println!(
        "{:>14} {:>9} {:>17}",
        "routers", "ns/hop", "bytes per router"
    );
    for (sides, rate) in IDLE {
        let sets = [
            ("topology.sides", sides),
            ("traffic.load", rate),
            ("run.measure", "3000"),
        ];
        let mut all = Vec::new();
        for (key, value) in sets {
            all.push(backwater_scenario::Set {
                key: key.into(),
                value: value.into(),
            });
        }
        let source = Source {
            name: "scenarios/bench/torus.toml".into(),
            text: include_str!("../../../../scenarios/bench/torus.toml").into(),
        };
        let parsed =
            backwater_scenario::parse(&source, &all).map_err(|mistakes| mistakes.render(false))?;
        let Engine::Flit(spec) = parsed.engine else {
            return Err("a workload of the flit engine is for another one".into());
        };
        let before = machine::resident_bytes();
        let simulation = Simulation::new(&spec).map_err(|error| error.to_string())?;
        let bytes = machine::resident_bytes()
            .zip(before)
            .map(|(after, before)| {
                after.saturating_sub(before) as f64 / f64::from(spec.graph.routers)
            });
        drop(simulation);
        let cost = once(&spec)?;
        println!(
            "{:>14} {:>9.1} {:>17}",
            spec.graph.routers,
            cost.ns_per_hop(),
            bytes.map_or_else(|| "unknown".into(), |bytes| format!("{bytes:.0}")),
        );
    }
    Ok(())
}
