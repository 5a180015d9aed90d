//! What only shows from inside: laws that break when the network is tampered with, what a switch
//! matches, and that the order of outputs does not matter.

mod matching;
mod order;
mod tampering;

use backwater_flit::spec::{
    Arbiter, ClassSpec, FabricSpec, Graph, Injection, LaneChoice, MeasureSpec, Pattern, Release,
    RouterSpec, RoutingSpec, Shape, Size, Sources, Switch, WarmUp,
};

/// One router for so many terminals.
fn crossbar(terminals: u32) -> Graph {
    Graph {
        shape: Shape::Crossbar,
        routers: 1,
        channels: Vec::new(),
        inject: vec![0; terminals as usize],
        eject: vec![0; terminals as usize],
        injection_latency: 2,
        ejection_latency: 1,
        terminal_latency: Vec::new(),
        names: Vec::new(),
    }
}

/// Always more packets of five flits than the network takes.
fn busy(graph: Graph, switch: Switch) -> FabricSpec {
    FabricSpec {
        seed: 3,
        graph,
        routing: RoutingSpec::Table,
        router: RouterSpec {
            lanes: 3,
            depth: 4,
            switch,
            release: Release::TailSent,
            cut_through: false,
            header_delay: 0,
            allocation_delay: 0,
            pipeline_delay: 1,
            credit_delay: 2,
            channel_arbiter: Arbiter::RoundRobin,
            lane_arbiter: Arbiter::RoundRobin,
            lane_choice: LaneChoice::Lowest,
        },
        sources: Sources::Shared,
        classes: vec![ClassSpec {
            name: "all".into(),
            pattern: Pattern::Uniform {
                include_self: false,
            },
            injection: Injection::Saturation,
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
