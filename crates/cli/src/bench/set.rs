//! The standard set.

use backwater_scenario::{Scenario, Set, Source};

/// Changes of a scenario.
pub type Sets = &'static [(&'static str, &'static str)];

/// A scenario of the standard set.
pub struct Workload {
    /// What it is called.
    pub name: &'static str,
    file: &'static str,
    text: &'static str,
    sets: Sets,
    /// What turns it into the router of docs/booksim.md, where it has routers.
    pub pipelined: Sets,
}

macro_rules! workload {
    ($name:literal, $file:literal) => {
        workload!($name, $file, &[])
    };
    ($name:literal, $file:literal, $sets:expr) => {
        workload!($name, $file, $sets, &[])
    };
    ($name:literal, $file:literal, $sets:expr, $pipelined:expr) => {
        Workload {
            name: $name,
            file: concat!("scenarios/", $file),
            text: backwater_shipped::scenario($file),
            sets: $sets,
            pipelined: $pipelined,
        }
    };
}

/// Cells by circuit.
pub const CELLS: &[Workload] = &[
    workload!(
        "(a) Figure 17",
        "kung1993/fig17-two-switches.toml",
        &[("run.duration", "2000000 cells")]
    ),
    workload!("(b) 200 greedy, 5 switches", "bench/greedy-200.toml"),
    workload!("(c) 10,000 mixed, 64 switches", "bench/mixed-10000.toml"),
    workload!(
        "ABR, Figure 5",
        "bench/abr-five.toml",
        &[("run.duration", "4 s")]
    ),
    workload!("ABR, 200 circuits", "bench/abr-200.toml"),
    workload!("Test One, VirtualClock", "zhang1991/test-one.toml"),
];

/// Frames by class. A frame-hop is one frame, data or control, crossing one queue and one link.
/// What other simulators call a packet-hop is the same: `benches/htsim.py` runs a peer beside it.
pub const FRAMES: &[Workload] = &[
    workload!("Ethernet (a) 3-to-1 incast, PFC", "bench/incast-pfc.toml"),
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
        "bench/leaf-spine-tcp.toml"
    ),
    workload!("Ethernet (d) 128 hosts, PFC", "bench/fat-tree-128.toml"),
    workload!("Ethernet (e) 1,024 hosts, PFC", "bench/fat-tree-1024.toml"),
];

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

/// Flits. A flit-hop is one flit crossing one channel, injection and ejection included. Each
/// network is measured twice: with the paper's simple router, and with the delays, the shared
/// switch inputs and the single sources of the router that docs/booksim.md compares with a peer.
pub const FLITS: &[Workload] = &[
    workload!(
        "8x8 mesh, 5-flit, load 0.3",
        "bench/mesh.toml",
        &[],
        MESH_DELAYS
    ),
    workload!(
        "8x8 mesh, 1-flit, load 0.3",
        "bench/mesh.toml",
        &[("traffic.flits", "1")],
        MESH_DELAYS
    ),
    workload!(
        "16x16 mesh, 5-flit, load 0.2",
        "bench/mesh.toml",
        &[("topology.sides", "[16, 16]"), ("traffic.load", "0.2")],
        MESH_DELAYS
    ),
    workload!(
        "8x8 torus, 5-flit, load 0.3",
        "bench/torus.toml",
        &[],
        MESH_DELAYS
    ),
    workload!(
        "2-ary 8-fly, 16 VCs, full",
        "bench/fly.toml",
        &[],
        FLY_DELAYS
    ),
    workload!(
        "2-ary 10-fly, 16 VCs, full",
        "bench/fly.toml",
        &[("topology.n", "10"), ("run.measure", "4000")],
        FLY_DELAYS
    ),
    workload!(
        "64x64 mesh, a tenth of capacity",
        "bench/mesh.toml",
        &[
            ("topology.sides", "[64, 64]"),
            ("traffic.load", "0.00625"),
            ("traffic.flits", "20"),
            ("run.measure", "20000")
        ],
        MESH_DELAYS
    ),
];

/// A torus among idle routers.
pub const TORUS: Workload = workload!("idle routers", "bench/torus.toml");

impl Workload {
    /// The scenario, changed further.
    pub fn load(&self, more: &[(&str, &str)]) -> Result<Scenario, String> {
        let source = Source {
            name: self.file.into(),
            text: self.text.into(),
        };
        let set = |&(key, value): &(&str, &str)| Set {
            key: key.into(),
            value: value.into(),
        };
        let sets: Vec<Set> = self.sets.iter().chain(more).map(set).collect();
        backwater_scenario::parse(&source, &sets).map_err(|mistakes| mistakes.render(false))
    }
}
