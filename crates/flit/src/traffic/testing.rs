//! Small specs to test traffic and measurements with.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use crate::spec::*;

/// One router, or the given shape, with so many terminals; one class without traffic.
pub(crate) fn spec(shape: Shape, terminals: u32) -> FabricSpec {
    FabricSpec {
        seed: 1,
        graph: Graph {
            shape,
            routers: 1,
            channels: Vec::new(),
            inject: vec![0; terminals as usize],
            eject: vec![0; terminals as usize],
            injection_latency: 1,
            ejection_latency: 1,
            terminal_latency: Vec::new(),
            names: Vec::new(),
        },
        routing: RoutingSpec::Table,
        router: RouterSpec {
            lanes: 4,
            depth: 4,
            switch: Switch::Crossbar,
            release: Release::Drained,
            cut_through: false,
            header_delay: 0,
            allocation_delay: 0,
            pipeline_delay: 0,
            credit_delay: 0,
            channel_arbiter: Arbiter::RoundRobin,
            lane_arbiter: Arbiter::RoundRobin,
            lane_choice: LaneChoice::Lowest,
        },
        sources: Sources::One,
        classes: vec![class(Injection::Bernoulli { load: 0.0 })],
        measure: MeasureSpec {
            warm_up: WarmUp::Cycles(0),
            window: 1_000,
            drain: 1_000,
            stall: 1_000,
        },
    }
}

/// A class of single flits that go anywhere.
pub(crate) fn class(injection: Injection) -> ClassSpec {
    ClassSpec {
        name: "data".to_string(),
        pattern: Pattern::Uniform { include_self: true },
        injection,
        size: Size::Fixed(1),
        priority: 0,
        deadline: None,
        lane_group: 0,
    }
}

/// A crossbar of so many terminals with these classes.
pub(crate) fn crossbar(terminals: u32, classes: Vec<ClassSpec>) -> FabricSpec {
    FabricSpec {
        classes,
        ..spec(Shape::Crossbar, terminals)
    }
}
