//! Shares known by hand, what max-min means, and loads of channels as the engine has them.

use backwater_flit::Simulation;
use backwater_flit::spec::{
    Arbiter, ClassSpec, Graph, LaneChoice, MeasureSpec, Pattern, Release, RouterSpec, RoutingSpec,
    Size, Sources, Switch, WarmUp,
};
use backwater_flit::topology::{crossbar, fat_tree, fly, full, mesh, torus};

use super::*;
use crate::fairness::tests::flaw;

const UNIFORM: Pattern = Pattern::Uniform {
    include_self: false,
};

fn spec(graph: Graph, routing: RoutingSpec, pattern: Pattern, injection: Injection) -> FabricSpec {
    FabricSpec {
        seed: 1987,
        graph,
        routing,
        router: RouterSpec {
            lanes: 4,
            depth: 8,
            switch: Switch::Crossbar,
            release: Release::TailSent,
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
        classes: vec![ClassSpec {
            name: "all".into(),
            pattern,
            injection,
            size: Size::Fixed(2),
            priority: 0,
            deadline: None,
            lane_group: 0,
        }],
        measure: MeasureSpec {
            warm_up: WarmUp::Cycles(500),
            window: 8_000,
            drain: 0,
            stall: 5_000,
        },
    }
}

const FULL_LOAD: Injection = Injection::Bernoulli { load: 1.0 };

/// Everything goes to one place for each source.
fn to(list: &[usize]) -> Pattern {
    let mut rows = vec![vec![0.0; list.len()]; list.len()];
    for (row, to) in rows.iter_mut().zip(list) {
        row[*to] = 1.0;
    }
    Pattern::Matrix(rows)
}

fn rates(spec: &FabricSpec) -> Vec<f64> {
    max_min(&capacity(spec), &claims(spec).expect("shares")).rates
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-9, "{found:?}, not {expected:?}");
    }
}

fn simulated(spec: &FabricSpec) -> FabricFindings<'_> {
    let mut simulation = Simulation::new(spec).expect("it is sound");
    simulation.run();
    FabricFindings::new(spec, simulation.outcome())
}

#[test]
fn a_row_of_a_mesh() {
    // 0, 1 and 2 meet between 2 and 3, as 3, 5 and 6 do on the way back; 4 only meets 2.
    let pattern = to(&[3, 4, 6, 2, 5, 1, 0]);
    let row = mesh(&[7], 1, 1).expect("a row");
    let spec = spec(row, RoutingSpec::DimensionOrder, pattern, FULL_LOAD);
    let third = 1.0 / 3.0;
    let expected = [third, third, third, third, 2.0 * third, third, third];
    close(&rates(&spec), &expected);
    let found = shares(&simulated(&spec)).expect("shares");
    assert_eq!(found.rows[4].limit, "(x=4) -> (x=5)");
    assert_eq!(found.rows[1].limit, "(x=2) -> (x=3)");
    // Nobody gets more than is there; a row of full buffers is not far from it.
    let pair: f64 = [2, 4].map(|row| found.rows[row].measured).iter().sum();
    assert!(pair < 1.01 && pair > 0.8, "{pair}");
}

#[test]
fn the_middle_of_a_mesh_limits_uniform_traffic() {
    // Of each half of an 8 x 8 mesh 32 r x 32/63 goes to the other, over 8 channels: all sources
    // load some channel of the middle, so all stop there.
    let square = mesh(&[8, 8], 1, 1).expect("a square");
    let (routing, most) = (RoutingSpec::DimensionOrder, Injection::Saturation);
    let found = rates(&spec(square, routing, UNIFORM, most));
    close(&found, &[63.0 / 128.0; 64]);
}

#[test]
fn a_crossbar_gives_all_what_they_want() {
    let with = |injection, pattern| {
        let graph = crossbar(4).expect("a crossbar");
        spec(graph, RoutingSpec::Table, pattern, injection)
    };
    close(&rates(&with(FULL_LOAD, UNIFORM)), &[1.0; 4]);
    let low = with(Injection::Constant { load: 0.3 }, UNIFORM);
    close(&rates(&low), &[0.3; 4]);
    let low = shares(&simulated(&low)).expect("shares");
    assert!(low.rows.iter().all(|row| row.limit == "its demand"));
    assert!(low.rows.iter().all(|row| (row.measured - 0.3).abs() < 0.01));
    // More than a channel carries is not to be had.
    close(&rates(&with(Injection::Saturation, UNIFORM)), &[1.0; 4]);
    // Terminal 0 gets a half and a quarter of the other half of all: 4 x 0.625 r = 1.
    let hot = Pattern::Hotspot {
        targets: vec![(0, 3)],
        share: 0.5,
    };
    close(&rates(&with(Injection::Saturation, hot)), &[0.4; 4]);
    // Two on one output; the others alone.
    let meet = with(Injection::Saturation, to(&[3, 3, 1, 0]));
    close(&rates(&meet), &[0.5, 0.5, 1.0, 1.0]);
    let burst = Injection::OnOff {
        load: 0.2,
        peak: 1.0,
        burst: 20.0,
    };
    close(&rates(&with(burst, to(&[3, 3, 1, 0]))), &[0.2; 4]);
}

#[test]
fn departures_spread_what_a_source_sends() {
    // From 0 to the centre by either corner; 1 goes down the middle; the rest stay at home. With
    // O1TURN 0 loads the channel from 1 to the centre with half of its rate: 3/2 r = 1.
    let pattern = to(&[4, 7, 2, 3, 4, 5, 6, 7, 8]);
    let square = || mesh(&[3, 3], 1, 1).expect("a square");
    let o1turn = spec(square(), RoutingSpec::O1Turn, pattern.clone(), FULL_LOAD);
    let dimension_order = spec(square(), RoutingSpec::DimensionOrder, pattern, FULL_LOAD);
    // Terminals 4 and 7 share their ejection channels with what comes from 0 and 1.
    close(&rates(&o1turn)[..2], &[0.5, 0.5]);
    close(&rates(&dimension_order)[..2], &[0.5, 0.5]);
    let alone = |routing| {
        let pattern = to(&[4, 7, 2, 3, 0, 5, 6, 1, 8]);
        rates(&spec(square(), routing, pattern, FULL_LOAD))
    };
    close(&alone(RoutingSpec::DimensionOrder)[..2], &[0.5, 0.5]);
    close(&alone(RoutingSpec::O1Turn)[..2], &[2.0 / 3.0, 2.0 / 3.0]);
    // Across a ring of four either way is as long: half of each, and two meet on a channel.
    let ring = torus(&[4], 1, 1).expect("a ring");
    let across = spec(ring, RoutingSpec::Dateline, to(&[2, 3, 0, 1]), FULL_LOAD);
    close(&rates(&across), &[1.0; 4]);
}

/// Networks and traffic of all kinds that have shares.
fn kinds() -> Vec<(Graph, RoutingSpec, Pattern)> {
    let square = || mesh(&[4, 4], 1, 1).expect("a mesh");
    let donut = || torus(&[4, 4], 1, 1).expect("a torus");
    let hot = Pattern::Hotspot {
        targets: vec![(5, 1), (6, 3)],
        share: 0.1,
    };
    let rows = (0..16).map(|source| (0..16).map(|to| f64::from((source * to) % 5)).collect());
    let mut rows: Vec<Vec<f64>> = rows.collect();
    for (source, row) in rows.iter_mut().enumerate() {
        row[(source + 1) % 16] += 1.0;
    }
    let everyone = Pattern::Uniform { include_self: true };
    vec![
        (square(), RoutingSpec::DimensionOrder, UNIFORM),
        (square(), RoutingSpec::O1Turn, Pattern::Transpose),
        (square(), RoutingSpec::Valiant, Pattern::BitComplement),
        (donut(), RoutingSpec::Dateline, Pattern::Tornado),
        (donut(), RoutingSpec::Dateline, Pattern::Permutation),
        (donut(), RoutingSpec::Valiant, Pattern::Neighbour),
        (square(), RoutingSpec::Table, hot),
        (square(), RoutingSpec::DimensionOrder, Pattern::Matrix(rows)),
        (
            fly(2, 4, 1).expect("a fly"),
            RoutingSpec::DestinationTag,
            Pattern::BitReverse,
        ),
        (
            fat_tree(4, 2, 1).expect("a tree"),
            RoutingSpec::NearestCommonAncestorRandom,
            Pattern::Shuffle,
        ),
        (
            full(4, 4, 1).expect("a network"),
            RoutingSpec::Table,
            everyone,
        ),
    ]
}

/// By channel: what it carries when sources send at these rates.
fn loads(spec: &FabricSpec, rates: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; capacity(spec).len()];
    for (claim, rate) in claims(spec).expect("shares").iter().zip(rates) {
        for (channel, part) in &claim.loads {
            sum[*channel as usize] += part * rate;
        }
    }
    sum
}

#[test]
fn channels_carry_in_the_engine_what_they_are_said_to() {
    let mut spoiled = 0;
    for (graph, routing, pattern) in kinds() {
        let mut spec = spec(graph, routing, pattern, Injection::Bernoulli { load: 0.1 });
        spec.measure.window = 40_000;
        let what = format!("{routing:?}, {:?}", spec.classes[0].pattern);
        let run = simulated(&spec);
        let expected = loads(&spec, entered(&run).expect("it was measured"));
        let measured = network::shares(&run.outcome);
        assert_eq!(expected.len(), measured.len());
        let far = |expected: &[f64]| {
            let pairs = expected.iter().zip(measured);
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        assert!(far(&expected) < 0.01, "{} with {what}", far(&expected));
        // The negative control: the same loads, a channel on.
        let mut wrong = expected.clone();
        wrong.rotate_right(1);
        spoiled += usize::from(far(&wrong) > 0.03);
    }
    // Where all channels carry the same it is no wonder.
    assert!(spoiled >= 8, "{spoiled} of 11");
}

#[test]
fn every_source_has_a_bottleneck_and_no_channel_too_much() {
    let mut spoiled = 0;
    for (graph, routing, pattern) in kinds() {
        for load in [0.15, 0.5, 1.0] {
            let injection = Injection::Bernoulli { load };
            let spec = spec(graph.clone(), routing, pattern.clone(), injection);
            let (capacity, claims) = (capacity(&spec), claims(&spec).expect("shares"));
            let found = max_min(&capacity, &claims).rates;
            let flaw = |rates: &[f64]| flaw(&capacity, &claims, rates, &vec![0.0; capacity.len()]);
            assert_eq!(flaw(&found), None, "{routing:?} {pattern:?}");
            for claim in &claims {
                // All of it enters once and leaves once.
                let ends = spec.graph.channels.len() as u32;
                let ends = claim.loads.iter().filter(|load| load.0 >= ends);
                let sum: f64 = ends.map(|load| load.1).sum();
                assert!((sum - 2.0).abs() < 1e-9, "{sum}");
            }
            // The negative control: a little less for one, a little more for all.
            let mut less = found.clone();
            less[3] *= 0.98;
            assert!(flaw(&less).is_some(), "{routing:?} {pattern:?}");
            let more: Vec<f64> = found.iter().map(|rate| rate * 1.02).collect();
            spoiled += usize::from(flaw(&more).is_some());
        }
    }
    assert!(spoiled >= 11, "{spoiled} of 33");
}

#[test]
fn what_depends_on_the_load_has_no_share() {
    let why = |spec: &FabricSpec| claims(spec).expect_err("no shares");
    let square = || mesh(&[4, 4], 1, 1).expect("a mesh");
    let good = || {
        let routing = RoutingSpec::DimensionOrder;
        spec(square(), routing, UNIFORM, FULL_LOAD)
    };
    assert!(claims(&good()).is_ok());
    let with = |change: &dyn Fn(&mut FabricSpec)| {
        let mut spec = good();
        change(&mut spec);
        why(&spec)
    };
    let adaptive = with(&|spec| spec.routing = RoutingSpec::MinimalAdaptive);
    assert_eq!(adaptive, "paths depend on the load");
    let several = with(&|spec| spec.classes.push(spec.classes[0].clone()));
    assert_eq!(several, "several classes");
    let trace = with(&|spec| spec.classes[0].injection = Injection::Trace(Vec::new()));
    assert_eq!(trace, "a trace");
    let closed = with(&|spec| spec.classes[0].injection = Injection::Replies);
    assert_eq!(closed, "a closed loop");
    let nothing = shares(&FabricFindings::new(&good(), Default::default()));
    assert_eq!(nothing.expect_err("no shares"), "nothing was measured");
}

#[test]
fn long_work_is_left_out() {
    let with = |side: u32, routing, pattern| {
        let square = mesh(&[side, side], 1, 1).expect("a mesh");
        claims(&spec(square, routing, pattern, FULL_LOAD)).map(|claims| claims.len())
    };
    let (straight, random) = (RoutingSpec::DimensionOrder, RoutingSpec::Valiant);
    assert_eq!(with(19, straight, UNIFORM), Ok(361));
    assert_eq!(with(20, straight, UNIFORM), Err("too many paths to follow"));
    assert_eq!(with(32, straight, Pattern::Transpose), Ok(1024));
    assert_eq!(with(16, random, Pattern::Transpose), Ok(256));
    assert_eq!(with(16, random, UNIFORM), Err("too many paths to follow"));
    assert_eq!(
        with(128, straight, Pattern::Tornado),
        Err("too many sources")
    );
}
