//! Small networks by hand.

use backwater_flit::spec::{
    Allocator, Arbiter, ChannelSpec, ClassSpec, FabricSpec, Graph, Injection, LaneChoice,
    MeasureSpec, Pattern, Release, RouterSpec, RoutingSpec, Shape, Size, Sources, Switch,
    TraceEntry, WarmUp,
};
use backwater_oracle::fabric::Delivery;

/// One input for all lanes of a channel.
pub const MULTIPLEXED: Switch = Switch::Multiplexed {
    allocator: Allocator::SeparableInputFirst,
    output_buffer: 0,
    speedup: 1,
};

/// Channels of latency 1, and the routers of each terminal (it sends to, it hears from).
pub fn graph(routers: u32, ends: &[(u32, u32)], terminals: &[(u32, u32)]) -> Graph {
    let channel = |&(from, to): &(u32, u32)| ChannelSpec {
        from,
        to,
        latency: 1,
    };
    Graph {
        shape: Shape::Irregular,
        routers,
        channels: ends.iter().map(channel).collect(),
        inject: terminals.iter().map(|at| at.0).collect(),
        eject: terminals.iter().map(|at| at.1).collect(),
        injection_latency: 1,
        ejection_latency: 1,
        terminal_latency: Vec::new(),
        names: Vec::new(),
    }
}

/// Routers in a row, one way: terminal 0 sends to terminal 1 at the other end.
pub fn line(routers: u32) -> Graph {
    let ends: Vec<(u32, u32)> = (1..routers).map(|to| (to - 1, to)).collect();
    graph(routers, &ends, &[(0, routers - 1), (0, routers - 1)])
}

/// The least of everything, two lanes of two flits, packets as listed:
/// cycle, source, destination, flits.
pub fn network(graph: Graph, packets: &[(u64, u32, u32, u16)]) -> FabricSpec {
    let class = ClassSpec {
        name: "all".into(),
        pattern: Pattern::Uniform { include_self: true },
        injection: trace(packets),
        size: Size::Fixed(1),
        priority: 0,
        deadline: None,
        lane_group: 0,
    };
    FabricSpec {
        seed: 1,
        graph,
        routing: RoutingSpec::Table,
        router: RouterSpec {
            lanes: 2,
            depth: 2,
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
        sources: Sources::Shared,
        classes: vec![class],
        measure: MeasureSpec {
            warm_up: WarmUp::Cycles(0),
            window: 100_000,
            drain: 0,
            stall: 100_000,
        },
    }
}

/// Packets of one, two and one flits of terminal 0 that meet in one buffer of a lone router, with
/// a cycle of header delay; each goes to another terminal.
pub fn queueing() -> FabricSpec {
    let graph = graph(1, &[], &[(0, 0), (0, 0), (0, 0)]);
    let mut spec = network(graph, &[(0, 0, 1, 1), (0, 0, 2, 2), (1, 0, 0, 1)]);
    spec.sources = Sources::One;
    spec.router.lanes = 1;
    spec.router.depth = 4;
    spec.router.release = Release::TailSent;
    spec.router.header_delay = 1;
    spec
}

pub fn trace(packets: &[(u64, u32, u32, u16)]) -> Injection {
    let entry = |&(cycle, source, destination, length): &(u64, u32, u32, u16)| TraceEntry {
        cycle,
        source,
        destination,
        length,
    };
    Injection::Trace(packets.iter().map(entry).collect())
}

/// When packets were delivered, by source.
pub fn delivered(deliveries: &[Delivery]) -> Vec<(u32, u64)> {
    let mut times: Vec<(u32, u64)> = deliveries
        .iter()
        .map(|delivery| (delivery.source, delivery.delivered))
        .collect();
    times.sort_unstable();
    times
}
