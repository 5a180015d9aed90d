//! A made-up run of the cycle engine on a small torus.

use backwater_flit::outcome::{
    ClassOutcome, CoursePoint, CyclesOutcome, FabricOutcome, Held, Standstill, TerminalOutcome,
};
use backwater_flit::spec::{
    Arbiter, ChannelSpec, ClassSpec, FabricSpec, Graph, Injection, LaneChoice, MeasureSpec,
    Pattern, Release, RouterSpec, RoutingSpec, Shape, Size, Sources, Switch, WarmUp,
};
use backwater_kernel::{Delays, Place, Stop, Violations};
use backwater_results::{FabricFindings, RunInfo, run_summary};

use super::HOSTILE;

/// Routers along each side.
pub const SIDE: u32 = 4;

/// What a run found.
pub fn found<'a>(spec: &'a FabricSpec, outcome: &FabricOutcome) -> FabricFindings<'a> {
    FabricFindings::new(spec, outcome.clone())
}

/// What `summary.json` says.
pub fn summary(info: &RunInfo, spec: &FabricSpec, outcome: &FabricOutcome) -> serde_json::Value {
    run_summary(info, &found(spec, outcome)).into()
}

/// A graph of any shape; every router has one terminal.
pub fn graph(shape: Shape, routers: u32, channels: &[(u32, u32)]) -> Graph {
    let channel = |&(from, to): &(u32, u32)| ChannelSpec {
        from,
        to,
        latency: 1,
    };
    Graph {
        shape,
        routers,
        channels: channels.iter().map(channel).collect(),
        inject: (0..routers).collect(),
        eject: (0..routers).collect(),
        injection_latency: 1,
        ejection_latency: 1,
        terminal_latency: Vec::new(),
        names: Vec::new(),
    }
}

/// A square torus with one terminal at each router.
pub fn torus(side: u32) -> Graph {
    let mut channels = Vec::new();
    for router in 0..side * side {
        let (x, y) = (router % side, router / side);
        let place = |x: u32, y: u32| y % side * side + x % side;
        channels.push((router, place(x + 1, y)));
        channels.push((router, place(x + side - 1, y)));
        channels.push((router, place(x, y + 1)));
        channels.push((router, place(x, y + side - 1)));
    }
    let sides = vec![side, side];
    let shape = Shape::Torus {
        sides,
        terminals: 1,
    };
    graph(shape, side * side, &channels)
}

fn class(name: &str, deadline: Option<u32>) -> ClassSpec {
    ClassSpec {
        name: name.into(),
        pattern: Pattern::Uniform { include_self: true },
        injection: Injection::Bernoulli { load: 0.2 },
        size: Size::Fixed(20),
        priority: 0,
        deadline,
        lane_group: 0,
    }
}

/// Two classes on that network.
pub fn spec_on(graph: Graph) -> FabricSpec {
    FabricSpec {
        seed: 1992,
        graph,
        routing: RoutingSpec::Dateline,
        router: RouterSpec {
            lanes: 4,
            depth: 8,
            switch: Switch::Crossbar,
            release: Release::Drained,
            cut_through: false,
            header_delay: 0,
            allocation_delay: 0,
            pipeline_delay: 0,
            credit_delay: 1,
            channel_arbiter: Arbiter::Random,
            lane_arbiter: Arbiter::RoundRobin,
            lane_choice: LaneChoice::Lowest,
        },
        sources: Sources::Shared,
        classes: vec![class("bulk", None), class(HOSTILE, Some(200))],
        measure: MeasureSpec {
            warm_up: WarmUp::Auto { most: 20_000 },
            window: 10_000,
            drain: 50_000,
            stall: 10_000,
        },
    }
}

/// The torus and its traffic.
pub fn spec() -> FabricSpec {
    spec_on(torus(SIDE))
}

fn latency(mean: f64, from: u32) -> CyclesOutcome {
    let mut latencies = Delays::default();
    for cycles in from..from + 240 {
        let after = f64::from(cycles - from);
        let packets = (900.0 * (-after / 30.0).exp()) as u64 + 1;
        (0..packets).for_each(|_| latencies.record(cycles.into()));
    }
    (0..7).for_each(|_| latencies.record(5_432));
    CyclesOutcome {
        mean,
        deviation: 31.25,
        half_width: Some(0.5),
        min: from.into(),
        max: 5_432,
        percentiles: [1, 2, 3, 4].map(|factor| u64::from(from) + 25 * factor),
        ..latencies.outcome()
    }
}

fn course() -> Vec<CoursePoint> {
    let point = |nth: u64| {
        let settled = 1.0 - (-(nth as f64) / 4.0).exp();
        CoursePoint {
            cycle: nth * 250 + 249,
            offered: 0.4 + 0.01 * (nth as f64).sin(),
            accepted: 0.4 * settled,
            latency: if nth == 0 { 0.0 } else { 48.5 * settled },
        }
    };
    (0..50).map(point).collect()
}

/// What such a run might find.
pub fn outcome() -> FabricOutcome {
    let routers = SIDE * SIDE;
    let share = |channel: u32| 0.25 + 0.05 * f64::from(channel % 5);
    FabricOutcome {
        cycles: 12_600,
        stop: Stop::Measured,
        trace_hash: 0x00c0_ffee_0123_4567,
        flit_hops: 403_200,
        created_total: 80_700,
        delivered_total: 80_000,
        queued_total: 500,
        inside_total: 200,
        packets_total: 4_000,
        window_start: 2_345,
        window: 10_000,
        warm_up_detected: true,
        offered: 0.4012,
        accepted: 0.3998,
        accepted_least: 0.38,
        accepted_half_width: Some(0.0012),
        latency: latency(48.5, 22),
        network_latency: latency(44.0, 21),
        hops_mean: 4.0,
        passage_mean: 23.0,
        unfinished: 0,
        classes: [60_700, 20_000]
            .map(|created| ClassOutcome {
                created_total: created,
                delivered_total: created - 350,
                latency: latency(48.5, 22),
                late: 12,
            })
            .into(),
        terminals: (0..routers)
            .map(|terminal| TerminalOutcome {
                created: 4_012,
                received: 3_800 + u64::from(terminal) * 25,
                queued: u64::from(terminal == 3) * 500,
            })
            .collect(),
        utilization: (0..routers * 6).map(share).collect(),
        lane_utilization: vec![0.2, 0.125, 0.0625, 0.03125],
        course: course(),
        ..FabricOutcome::default()
    }
}

/// The same gone wrong: four packets go around in a circle, flits are missing.
pub fn broken() -> FabricOutcome {
    let held = |x: u32| Held {
        source: (x + 3) % SIDE,
        destination: (x + 2) % SIDE,
        birth: 4_000 + u64::from(x),
        // Its header went on to another virtual channel than the one that is waited for.
        at: ((x + 3) % SIDE * 4, 0),
        waits_for: (x * 4, 1),
    };
    let mut violations = Violations::default();
    for nth in 0..250 {
        let what = || "9 flits in a VC of 8".into();
        violations.note(5_000 + nth, Place::Network, what);
    }
    FabricOutcome {
        stop: Stop::Standstill,
        inside_total: 199,
        unfinished: 31,
        saturated: Some("accepted 0.3100 of 0.4012 offered".into()),
        stuck_packets: 9,
        standstill: Some(Standstill {
            since: 5_678,
            found_at: 0,
            is_circle: true,
            waits: (0..SIDE).map(held).collect(),
            others_move: false,
        }),
        violations,
        ..outcome()
    }
}

/// What goes with the run.
pub fn info() -> RunInfo {
    RunInfo {
        name: "Small torus".into(),
        description: "Uniform traffic at 0.4 of capacity.".into(),
        ..super::info()
    }
}
