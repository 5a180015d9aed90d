//! Small networks.
#![allow(dead_code)]

use flit::spec::{
    Arbiter, ClassSpec, FabricSpec, Graph, Injection, MeasureSpec, Pattern, Release, RouterSpec,
    RoutingSpec, Size, Sources, Switch, TraceEntry, WarmUp,
};
use flit::topology;

/// Two lanes of two flits, credits back in a cycle; nothing ends a run before cycle 100,000.
pub fn network(graph: Graph, routing: RoutingSpec, injection: Injection) -> FabricSpec {
    FabricSpec {
        seed: 7,
        graph,
        routing,
        router: RouterSpec {
            lanes: 2,
            depth: 2,
            switch: Switch::Crossbar,
            release: Release::Drained,
            cut_through: false,
            header_delay: 0,
            pipeline_delay: 0,
            credit_delay: 1,
            channel_arbiter: Arbiter::RoundRobin,
            lane_arbiter: Arbiter::RoundRobin,
        },
        sources: Sources::One,
        classes: vec![ClassSpec {
            name: "all".into(),
            pattern: Pattern::Uniform { include_self: true },
            injection,
            size: Size::Fixed(5),
            priority: 0,
            deadline: None,
            lane_group: 0,
        }],
        measure: MeasureSpec {
            warm_up: WarmUp::Cycles(0),
            window: 100_000,
            drain: 0,
            stall: 100_000,
        },
    }
}

/// A ring of eight under load, with datelines: channels 0 to 15.
pub fn ring() -> FabricSpec {
    let graph = topology::torus(&[8], 1, 1).expect("a ring");
    let load = Injection::Bernoulli { load: 0.6 };
    network(graph, RoutingSpec::Dateline, load)
}

/// Packets as listed: cycle, source, destination, flits.
pub fn trace(packets: &[(u64, u32, u32, u16)]) -> Injection {
    let entry = |&(cycle, source, destination, length): &(u64, u32, u32, u16)| TraceEntry {
        cycle,
        source,
        destination,
        length,
    };
    Injection::Trace(packets.iter().map(entry).collect())
}

/// Three routers in a row with these packets: channels 0 to 1, 1 to 2, 1 to 0 and 2 to 1.
pub fn row(packets: &[(u64, u32, u32, u16)]) -> FabricSpec {
    let graph = topology::mesh(&[3], 1, 1).expect("a row");
    network(graph, RoutingSpec::DimensionOrder, trace(packets))
}
