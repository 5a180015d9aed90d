//! Small networks to prove things on, and a little statistics.

use backwater_flit::Simulation;
use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::{
    Allocator, Arbiter, ClassSpec, FabricSpec, Graph, Injection, LaneChoice, MeasureSpec, Pattern,
    Release, RouterSpec, RoutingSpec, Shape, Size, Sources, Switch, TraceEntry, WarmUp,
};
use backwater_flit::topology;

/// The lanes of a channel share one input of the switch; no buffer behind it.
pub const MULTIPLEXED: Switch = Switch::Multiplexed {
    allocator: Allocator::SeparableInputFirst,
    output_buffer: 0,
    speedup: 1,
};

/// The same with a place between switch and channel.
pub const BUFFERED: Switch = Switch::Multiplexed {
    allocator: Allocator::Islip { iterations: 1 },
    output_buffer: 1,
    speedup: 1,
};

/// Packets of `flits` to anywhere, the source itself included.
pub fn class(injection: Injection, flits: u16) -> ClassSpec {
    ClassSpec {
        name: "all".into(),
        pattern: Pattern::Uniform { include_self: true },
        injection,
        size: Size::Fixed(flits),
        priority: 0,
        deadline: None,
        lane_group: 0,
    }
}

/// Four lanes of four flits, the least of all delays, round robin; 1,000 cycles of warm-up and
/// 4,000 of measuring.
pub fn spec(graph: Graph, routing: RoutingSpec, classes: Vec<ClassSpec>) -> FabricSpec {
    FabricSpec {
        seed: 1,
        graph,
        routing,
        router: RouterSpec {
            lanes: 4,
            depth: 4,
            switch: Switch::Crossbar,
            release: Release::Drained,
            cut_through: false,
            header_delay: 0,
            allocation_delay: 0,
            pipeline_delay: 0,
            credit_delay: 1,
            channel_arbiter: Arbiter::RoundRobin,
            lane_arbiter: Arbiter::RoundRobin,
            lane_choice: LaneChoice::Lowest,
        },
        sources: Sources::One,
        classes,
        measure: MeasureSpec {
            warm_up: WarmUp::Cycles(1_000),
            window: 4_000,
            drain: 0,
            stall: 2_000,
        },
    }
}

/// A graph of no rule, without latencies but the least.
pub fn irregular(routers: u32, ends: &[(u32, u32)], terminals: &[(u32, u32)]) -> Graph {
    let channel = |&(from, to): &(u32, u32)| backwater_flit::spec::ChannelSpec {
        from,
        to,
        latency: 1,
    };
    let mut channels: Vec<_> = ends.iter().map(channel).collect();
    channels.sort_by_key(|channel| channel.from);
    Graph {
        shape: Shape::Irregular,
        routers,
        channels,
        inject: terminals.iter().map(|at| at.0).collect(),
        eject: terminals.iter().map(|at| at.1).collect(),
        injection_latency: 1,
        ejection_latency: 1,
        terminal_latency: Vec::new(),
        names: Vec::new(),
    }
}

/// Packets by cycle, source, destination and flits.
pub fn trace(packets: &[(u64, u32, u32, u16)]) -> Injection {
    let entry = |&(cycle, source, destination, length): &(u64, u32, u32, u16)| TraceEntry {
        cycle,
        source,
        destination,
        length,
    };
    Injection::Trace(packets.iter().map(entry).collect())
}

/// Two lanes of two flits, packets of five; nothing ends a run before cycle 100,000.
pub fn network(graph: Graph, routing: RoutingSpec, injection: Injection) -> FabricSpec {
    let mut spec = spec(graph, routing, vec![class(injection, 5)]);
    spec.seed = 7;
    spec.router.lanes = 2;
    spec.router.depth = 2;
    spec.measure.warm_up = WarmUp::Cycles(0);
    spec.measure.window = 100_000;
    spec.measure.stall = 100_000;
    spec
}

/// A ring of eight under load, with datelines: channels 0 to 15.
pub fn ring() -> FabricSpec {
    let graph = topology::torus(&[8], 1, 1).expect("a ring");
    let load = Injection::Bernoulli { load: 0.6 };
    network(graph, RoutingSpec::Dateline, load)
}

/// Three routers in a row with these packets: channels 0 to 1, 1 to 2, 1 to 0 and 2 to 1.
pub fn row(packets: &[(u64, u32, u32, u16)]) -> FabricSpec {
    let graph = topology::mesh(&[3], 1, 1).expect("a row");
    network(graph, RoutingSpec::DimensionOrder, trace(packets))
}

pub fn ran(spec: &FabricSpec) -> FabricOutcome {
    let mut simulation = Simulation::new(spec).expect("it builds");
    simulation.run();
    simulation.outcome()
}

/// Runs of seeds 1 to `seeds`.
pub fn runs(spec: &FabricSpec, seeds: u64) -> Vec<FabricOutcome> {
    let run = |seed| {
        ran(&FabricSpec {
            seed,
            ..spec.clone()
        })
    };
    (1..=seeds).map(run).collect()
}

/// Mean of independent values and the standard error of it.
pub fn mean(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.into_iter().collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

/// Chance alone brings a mean of ten or more seeds further than this off once in thousands of
/// times; seeds are fixed, so that a test that passes goes on passing.
pub const ERRORS: f64 = 4.0;

pub fn assert_near((mean, error): (f64, f64), expected: f64, what: &str) {
    assert!(
        (mean - expected).abs() <= ERRORS * error,
        "{what}: {mean:.5} +- {error:.5}, expected {expected:.5}"
    );
}

/// Routers 0 and 1 send to the terminal of router 2, one VC of two places each. Channels: 0 and 1
/// to router 2, 2 and 3 back, injection at 4 to 6, ejection at 7 to 9.
///
/// Eight flits of terminal 0 leave it in cycles 0 to 7, their router a cycle later and router 2
/// two cycles later. Four flits of terminal 1 start in cycle 1; two of them reach router 2 and
/// wait there for the VC to the terminal, two in front of the channel, which has no credit.
pub fn two_into_one() -> FabricSpec {
    let graph = irregular(
        3,
        &[(0, 2), (1, 2), (2, 0), (2, 1)],
        &[(0, 0), (1, 1), (2, 2)],
    );
    let packets = trace(&[(0, 0, 2, 8), (1, 1, 2, 4)]);
    let mut spec = network(graph, RoutingSpec::Table, packets.clone());
    spec.classes = vec![class(packets, 8)];
    spec.router.lanes = 1;
    spec
}
