//! Networks written in code: these fill in what a plain network leaves alone.

use alloc::vec::Vec;

use crate::spec::{
    Allocator, Arbiter, ClassSpec, FabricSpec, Graph, Injection, LaneChoice, MeasureSpec, Pattern,
    Release, RouterSpec, RoutingSpec, Shape, Size, Sources, Switch, WarmUp,
};

/// Without a move for so many cycles a network is deadlocked.
const STALL: u64 = 1_000;

impl FabricSpec {
    /// A network without traffic, with the routing that suits its shape, measured for 10,000 cycles
    /// from cycle 1,000 on. It needs a class.
    pub fn new(graph: Graph, router: RouterSpec) -> FabricSpec {
        let routing = match graph.shape {
            Shape::Fly { .. } => RoutingSpec::DestinationTag,
            Shape::Mesh { .. } => RoutingSpec::DimensionOrder,
            Shape::Torus { .. } => RoutingSpec::Dateline,
            Shape::FatTree { .. } => RoutingSpec::NearestCommonAncestor,
            Shape::Full { .. } | Shape::Crossbar | Shape::Irregular => RoutingSpec::Table,
        };
        FabricSpec {
            seed: 1,
            graph,
            routing,
            router,
            sources: Sources::Shared,
            classes: Vec::new(),
            measure: MeasureSpec::cycles(1_000, 10_000),
        }
    }
}

impl RouterSpec {
    /// A wormhole router with so many virtual channels of so many flits each, whose lanes share the
    /// inputs of a crossbar; it takes no cycles of its own.
    pub const fn new(lanes: u8, depth: u16) -> RouterSpec {
        RouterSpec {
            lanes,
            depth,
            switch: Switch::Multiplexed {
                allocator: Allocator::SeparableInputFirst,
                output_buffer: 0,
                speedup: 1,
            },
            release: Release::TailSent,
            cut_through: false,
            header_delay: 0,
            allocation_delay: 0,
            pipeline_delay: 0,
            credit_delay: 1,
            channel_arbiter: Arbiter::RoundRobin,
            lane_arbiter: Arbiter::RoundRobin,
            lane_choice: LaneChoice::Lowest,
        }
    }
}

impl ClassSpec {
    /// Packets of so many flits for every other terminal equally likely, each cycle with the same
    /// probability; `load` is in flits per cycle and terminal.
    pub fn uniform(name: &str, load: f64, flits: u16) -> ClassSpec {
        ClassSpec {
            name: name.into(),
            pattern: Pattern::Uniform {
                include_self: false,
            },
            injection: Injection::Bernoulli { load },
            size: Size::Fixed(flits),
            priority: 0,
            deadline: None,
            lane_group: 0,
        }
    }
}

impl MeasureSpec {
    /// A window of so many cycles after a warm-up, and as many again for packets to arrive.
    pub const fn cycles(warm_up: u64, window: u64) -> MeasureSpec {
        MeasureSpec {
            warm_up: WarmUp::Cycles(warm_up),
            window,
            drain: window,
            stall: STALL,
        }
    }
}
