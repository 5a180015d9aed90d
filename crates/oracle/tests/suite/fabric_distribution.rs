//! With random arbiters the cycle engine and its reference draw different numbers. Their traffic
//! is the same, so runs are compared in pairs: over many seeds what they deliver, and how late,
//! differs by no more than chance.

use backwater_flit::Simulation;
use backwater_flit::spec::{
    Allocator, Arbiter, ClassSpec, FabricSpec, Graph, Injection, LaneChoice, MeasureSpec, Pattern,
    Release, RouterSpec, RoutingSpec, Size, Sources, Switch, WarmUp,
};
use backwater_flit::topology;
use backwater_oracle::fabric::run;

const CYCLES: u64 = 300;
const SEEDS: u64 = 40;

fn spec(graph: Graph, routing: RoutingSpec, load: f64) -> FabricSpec {
    FabricSpec {
        seed: 1,
        graph,
        routing,
        router: RouterSpec {
            lanes: 3,
            depth: 3,
            switch: Switch::Crossbar,
            release: Release::Drained,
            cut_through: false,
            header_delay: 0,
            allocation_delay: 0,
            pipeline_delay: 0,
            credit_delay: 1,
            channel_arbiter: Arbiter::Random,
            lane_arbiter: Arbiter::Random,
            lane_choice: LaneChoice::Lowest,
        },
        sources: Sources::Shared,
        classes: vec![ClassSpec {
            name: "all".into(),
            pattern: Pattern::Uniform { include_self: true },
            injection: Injection::Bernoulli { load },
            size: Size::Weighted(vec![(1, 1), (4, 1), (7, 1)]),
            priority: 0,
            deadline: None,
            lane_group: 0,
        }],
        measure: MeasureSpec {
            warm_up: WarmUp::Cycles(0),
            window: CYCLES,
            drain: 0,
            stall: 100_000,
        },
    }
}

fn matched(allocator: Allocator, output_buffer: u16, speedup: u8) -> Switch {
    Switch::Multiplexed {
        allocator,
        output_buffer,
        speedup,
    }
}

/// Small networks near what they can take, where it matters most who goes first.
fn networks() -> Vec<FabricSpec> {
    let crossbar = topology::crossbar(4).expect("a crossbar");
    let mut queues = spec(crossbar, RoutingSpec::Table, 0.0);
    queues.router.release = Release::TailSent;
    queues.router.switch = matched(Allocator::SeparableInputFirst, 0, 1);
    queues.classes[0].injection = Injection::Saturation;
    let fly = topology::fly(2, 2, 1).expect("a fly");
    let mut fly = spec(fly, RoutingSpec::DestinationTag, 0.7);
    fly.sources = Sources::PerLane;
    let mesh = topology::mesh(&[3, 2], 1, 2).expect("a mesh");
    let mut mesh = spec(mesh, RoutingSpec::MinimalAdaptive, 0.6);
    mesh.router.switch = matched(Allocator::Islip { iterations: 2 }, 2, 2);
    let ring = topology::torus(&[5], 1, 1).expect("a ring");
    let mut ring = spec(ring, RoutingSpec::Dateline, 0.7);
    ring.router.switch = matched(Allocator::SeparableOutputFirst, 0, 1);
    let tree = topology::fat_tree(2, 2, 1).expect("a tree");
    let mut tree = spec(tree, RoutingSpec::NearestCommonAncestor, 0.9);
    tree.router.release = Release::TailSent;
    vec![queues, fly, mesh, ring, tree]
}

/// Flits delivered and the mean latency of all packets; those under way count with their age.
type Found = [f64; 2];

fn engine(spec: &FabricSpec) -> Found {
    let mut simulation = Simulation::new(spec).expect("it builds");
    simulation.run_until(CYCLES);
    let found = simulation.outcome();
    [found.delivered_total as f64, found.latency.mean]
}

fn reference(spec: &FabricSpec) -> Found {
    let found = run(spec, CYCLES).expect("the laws hold");
    let flits: u64 = found.deliveries.iter().map(|at| u64::from(at.length)).sum();
    // Of each packet the cycles from its birth to its arrival, or to the end of the run.
    let ages: u64 = found.births.iter().map(|birth| CYCLES - birth).sum();
    let spared: u64 = found
        .deliveries
        .iter()
        .map(|at| CYCLES - at.delivered)
        .sum();
    [
        flits as f64,
        (ages - spared) as f64 / found.births.len() as f64,
    ]
}

fn seeded(spec: &FabricSpec) -> impl Iterator<Item = FabricSpec> {
    let spec = spec.clone();
    (1..=SEEDS).map(move |seed| FabricSpec {
        seed,
        ..spec.clone()
    })
}

/// How many standard errors the mean difference of two lists is from zero, for each number.
fn apart(one: &[Found], other: &[Found]) -> [f64; 2] {
    [0, 1].map(|which| {
        let pairs = one.iter().zip(other);
        let differences: Vec<f64> = pairs.map(|(a, b)| a[which] - b[which]).collect();
        let n = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / n;
        let squares: f64 = differences.iter().map(|d| (d - mean) * (d - mean)).sum();
        assert!(squares > 0.0, "the two do draw different numbers");
        mean.abs() / (squares / (n - 1.0) / n).sqrt()
    })
}

#[test]
fn random_arbiters_agree_in_distribution() {
    for (index, spec) in networks().iter().enumerate() {
        let ours: Vec<Found> = seeded(spec).map(|spec| engine(&spec)).collect();
        let theirs: Vec<Found> = seeded(spec).map(|spec| reference(&spec)).collect();
        let z = apart(&ours, &theirs);
        assert!(z.iter().all(|z| *z < 4.0), "network {index}: {z:?}");
    }
}

/// Negative control: by so many runs a small difference of the two shows in some network or other.
#[test]
fn small_differences_show() {
    let changes: [fn(&mut RouterSpec); 4] = [
        |router| router.header_delay += 1,
        |router| router.credit_delay += 1,
        |router| router.depth -= 1,
        |router| {
            router.channel_arbiter = Arbiter::Earliest;
            router.lane_arbiter = Arbiter::Earliest;
        },
    ];
    let networks = networks();
    let run =
        |spec: &FabricSpec| -> Vec<Found> { seeded(spec).map(|spec| engine(&spec)).collect() };
    let unchanged: Vec<Vec<Found>> = networks.iter().map(run).collect();
    for (which, change) in changes.into_iter().enumerate() {
        let shows = |(spec, before): (&FabricSpec, &Vec<Found>)| {
            let mut other = spec.clone();
            change(&mut other.router);
            apart(before, &run(&other)).iter().any(|z| *z > 4.0)
        };
        let shown = networks.iter().zip(&unchanged).map(shows);
        let shown = shown.filter(|shows| *shows).count();
        assert!(shown >= 2, "change {which} shows in {shown} networks");
    }
}
