//! Whatever compiles it, with or without optimisation, a run is the same run.
//!
//! `golden/trace_hashes.txt` holds one line for each network below. After a change that is meant
//! to change runs: `BACKWATER_BLESS=1 cargo test -p backwater-flit --test suite trace_hashes`.

use crate::common;

use std::path::Path;

use backwater_flit::Simulation;
use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::*;
use backwater_flit::topology;
use common::*;

const GOLDEN: &str = "tests/golden/trace_hashes.txt";
const CYCLES: u64 = 3_000;

fn on(
    graph: Result<Graph, backwater_kernel::BuildError>,
    routing: RoutingSpec,
    load: f64,
) -> FabricSpec {
    let classes = vec![class(Injection::Bernoulli { load }, 5)];
    let mut spec = spec(graph.expect("a graph"), routing, classes);
    spec.seed = 20_260;
    spec
}

fn with(mut spec: FabricSpec, change: fn(&mut FabricSpec)) -> FabricSpec {
    change(&mut spec);
    spec
}

fn random(spec: &mut FabricSpec) {
    spec.router.channel_arbiter = Arbiter::Random;
    spec.router.lane_arbiter = Arbiter::Random;
}

fn earliest(spec: &mut FabricSpec) {
    spec.router.channel_arbiter = Arbiter::Earliest;
    spec.router.lane_arbiter = Arbiter::Earliest;
}

/// Matched by iSLIP, works twice a cycle.
fn buffered(spec: &mut FabricSpec) {
    spec.router.switch = Switch::Multiplexed {
        allocator: Allocator::Islip { iterations: 2 },
        output_buffer: 4,
        speedup: 2,
    };
}

/// Every delay more than the least, latencies that differ.
fn slow(spec: &mut FabricSpec) {
    spec.router.header_delay = 2;
    spec.router.pipeline_delay = 1;
    spec.router.credit_delay = 3;
    spec.router.depth = 9;
    spec.graph.injection_latency = 2;
    spec.graph.ejection_latency = 3;
    for (index, channel) in spec.graph.channels.iter_mut().enumerate() {
        channel.latency = 1 + (index * 5 % 4) as u16;
    }
}

fn flies() -> Vec<(&'static str, FabricSpec)> {
    let fly = |load| on(topology::fly(2, 4, 1), RoutingSpec::DestinationTag, load);
    vec![
        ("fly-drained", fly(0.4)),
        (
            "fly-random-per-lane",
            with(fly(0.6), |spec| {
                random(spec);
                spec.sources = Sources::PerLane;
            }),
        ),
        (
            "fly-credits-at-once",
            with(fly(0.5), |spec| {
                earliest(spec);
                spec.router.credit_delay = 0;
                spec.classes[0].pattern = Pattern::BitReverse;
            }),
        ),
        (
            "fly-multiplexed-on-off",
            with(fly(0.3), |spec| {
                spec.router.switch = MULTIPLEXED;
                spec.classes[0].injection = Injection::OnOff {
                    load: 0.3,
                    peak: 0.9,
                    burst: 40.0,
                };
            }),
        ),
        (
            "fly-table-shuffle",
            with(fly(0.3), |spec| {
                spec.routing = RoutingSpec::Table;
                spec.classes[0].pattern = Pattern::Shuffle;
                spec.router.release = Release::TailSent;
            }),
        ),
    ]
}

fn grids() -> Vec<(&'static str, FabricSpec)> {
    let mesh = |routing| on(topology::mesh(&[4, 4], 1, 1), routing, 0.3);
    let torus = |routing| on(topology::torus(&[5, 4], 1, 2), routing, 0.3);
    vec![
        (
            "mesh-transpose",
            with(mesh(RoutingSpec::DimensionOrder), |spec| {
                spec.classes[0].pattern = Pattern::Transpose;
            }),
        ),
        (
            "mesh-o1turn-constant",
            with(mesh(RoutingSpec::O1Turn), |spec| {
                spec.classes[0].injection = Injection::Constant { load: 0.37 };
                buffered(spec);
            }),
        ),
        (
            "mesh-adaptive-hotspot",
            with(mesh(RoutingSpec::MinimalAdaptive), |spec| {
                spec.classes[0].pattern = Pattern::Hotspot {
                    targets: vec![(5, 2), (11, 1)],
                    share: 0.2,
                };
                spec.sources = Sources::Shared;
            }),
        ),
        (
            "mesh-three-dimensions",
            on(
                topology::mesh(&[3, 2, 3], 2, 1),
                RoutingSpec::DimensionOrder,
                0.15,
            ),
        ),
        (
            "torus-dateline-slow",
            with(torus(RoutingSpec::Dateline), slow),
        ),
        (
            "torus-valiant-tornado",
            with(torus(RoutingSpec::Valiant), |spec| {
                spec.classes[0].pattern = Pattern::Tornado;
                random(spec);
            }),
        ),
        (
            "torus-adaptive-saturated",
            with(torus(RoutingSpec::MinimalAdaptive), |spec| {
                spec.classes[0].injection = Injection::Saturation;
                spec.classes[0].size = Size::Weighted(vec![(1, 3), (4, 2), (9, 1)]);
                buffered(spec);
                earliest(spec);
            }),
        ),
        (
            "ring-deadlock",
            with(torus(RoutingSpec::Unrestricted), |spec| {
                spec.graph = topology::torus(&[8], 1, 1).expect("a ring");
                spec.classes[0] = class(Injection::Saturation, 20);
                spec.router.lanes = 1;
                spec.measure.stall = 400;
            }),
        ),
    ]
}

fn requests(spec: &mut FabricSpec) {
    let mut replies = class(Injection::Replies, 9);
    replies.lane_group = 1;
    replies.priority = 1;
    replies.deadline = Some(40);
    spec.classes[0].injection = Injection::RequestReply {
        outstanding: 3,
        think: 7,
        reply_class: 1,
    };
    spec.classes.push(replies);
    earliest(spec);
}

fn trees_and_crossbars() -> Vec<(&'static str, FabricSpec)> {
    let tree = |routing| on(topology::fat_tree(2, 4, 1), routing, 0.5);
    let full = || on(topology::full(6, 2, 3), RoutingSpec::Table, 0.5);
    let crossbar = || on(topology::crossbar(12), RoutingSpec::Table, 0.5);
    vec![
        (
            "tree-adaptive-requests",
            with(tree(RoutingSpec::NearestCommonAncestor), requests),
        ),
        (
            "tree-random-permutation",
            with(tree(RoutingSpec::NearestCommonAncestorRandom), |spec| {
                spec.classes[0].pattern = Pattern::Permutation;
                spec.router.switch = MULTIPLEXED;
                random(spec);
            }),
        ),
        (
            "full-cut-through",
            with(full(), |spec| {
                spec.router.cut_through = true;
                spec.router.depth = 12;
                spec.router.release = Release::TailSent;
                spec.classes[0].size = Size::Bimodal {
                    short: 1,
                    long: 12,
                    long_per_million: 250_000,
                };
            }),
        ),
        (
            "crossbar-input-queues",
            with(crossbar(), |spec| {
                spec.classes[0] = class(Injection::Saturation, 1);
                spec.router.lanes = 1;
                spec.router.release = Release::TailSent;
                random(spec);
            }),
        ),
        (
            "crossbar-output-first",
            with(crossbar(), |spec| {
                spec.router.switch = Switch::Multiplexed {
                    allocator: Allocator::SeparableOutputFirst,
                    output_buffer: 0,
                    speedup: 1,
                };
                spec.classes[0].pattern = Pattern::BitComplement;
                spec.graph = topology::crossbar(16).expect("a crossbar");
            }),
        ),
    ]
}

/// Without a rule for the graph, without one for the packets.
fn listed() -> Vec<(&'static str, FabricSpec)> {
    let ends = [
        (0, 1),
        (1, 0),
        (1, 2),
        (2, 1),
        (2, 3),
        (3, 2),
        (3, 0),
        (0, 3),
        (2, 0),
    ];
    let homes = [(0, 0), (1, 1), (2, 3), (3, 2), (0, 1)];
    vec![
        (
            "irregular-matrix",
            with(
                on(Ok(irregular(4, &ends, &homes)), RoutingSpec::Table, 0.2),
                |spec| {
                    slow(spec);
                    let row = |at: usize| (0..5).map(|to| ((at + to) % 3) as f64).collect();
                    spec.classes[0].pattern = Pattern::Matrix((0..5).map(row).collect());
                },
            ),
        ),
        (
            "line-trace",
            with(
                on(topology::mesh(&[6], 1, 1), RoutingSpec::DimensionOrder, 0.0),
                |spec| {
                    let packet =
                        |i: u64| (i * 3, (i % 6) as u32, (i * i % 6) as u32, 1 + i as u16 % 8);
                    let packets: Vec<_> = (0..300).map(packet).collect();
                    spec.classes[0].injection = trace(&packets);
                },
            ),
        ),
    ]
}

fn networks() -> Vec<(&'static str, FabricSpec)> {
    let mut all = flies();
    all.extend(grids());
    all.extend(trees_and_crossbars());
    all.extend(listed());
    all
}

fn outcome(spec: &FabricSpec) -> FabricOutcome {
    let mut simulation = Simulation::new(spec).expect("it is sound");
    simulation.run_until(CYCLES);
    simulation.outcome()
}

fn line(name: &str, spec: &FabricSpec) -> String {
    let found = outcome(spec);
    format!(
        "{name:<25} {:016x} {:>5} cycles {:>7} flit-hops {:>6} packets {:>4} inside {:>5} queued",
        found.trace_hash,
        found.cycles,
        found.flit_hops,
        found.packets_total,
        found.inside_total,
        found.queued_total
    )
}

#[test]
fn runs_are_those_of_the_golden_table() {
    let lines: Vec<String> = networks()
        .iter()
        .map(|(name, spec)| line(name, spec))
        .collect();
    let found = lines.join("\n") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(GOLDEN);
    if std::env::var_os("BACKWATER_BLESS").is_some() {
        std::fs::write(&path, &found).expect("the table can be written");
    }
    let golden = std::fs::read_to_string(&path).expect("the table can be read");
    for (found, golden) in found.lines().zip(golden.lines()) {
        assert_eq!(found, golden, "found against golden");
    }
    assert_eq!(found.lines().count(), golden.lines().count());
}

/// Each is a run of its own, and something arrives in it.
#[test]
fn the_networks_differ_and_deliver() {
    let networks = networks();
    let found = networks.iter().map(|(_, spec)| outcome(spec));
    let mut hashes: Vec<u64> = found
        .inspect(|found| assert!(found.packets_total > 20))
        .map(|found| found.trace_hash)
        .collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), networks.len());
}

/// Negative control: another seed, or a cycle more somewhere, is another line.
#[test]
fn any_change_changes_the_line() {
    let changes: [fn(&mut FabricSpec); 3] = [
        |spec| spec.seed += 1,
        |spec| spec.router.header_delay += 1,
        |spec| spec.graph.ejection_latency += 1,
    ];
    let (name, spec) = flies().swap_remove(1);
    for change in changes {
        assert_ne!(line(name, &spec), line(name, &with(spec.clone(), change)));
    }
}
