//! A run in several parts finds what the run in one piece finds, to the last bit.

use crate::fabric_common;

use backwater_flit::outcome::FabricOutcome;
use backwater_flit::shard::{self, Conductor, Mail, Shard};
use backwater_flit::spec::{
    Arbiter, FabricSpec, Graph, Injection, Pattern, Release, RoutingSpec, Size, Sources, Switch,
    WarmUp,
};
use backwater_flit::topology;
use backwater_flit::{ChannelState, Simulation};
use backwater_kernel::Stop;
use backwater_oracle::fabric::random_spec;
use fabric_common::{MULTIPLEXED, network};

/// All shards in turn, in one thread.
struct Turns {
    conductor: Conductor,
    shards: Vec<Shard>,
    /// A sender forgets what it has to say in this cycle.
    lose_in: Option<u64>,
}

impl Turns {
    fn new(spec: &FabricSpec, parts: usize) -> Turns {
        let (conductor, shards) = shard::split(spec, parts).expect("it can be cut");
        Turns {
            conductor,
            shards,
            lose_in: None,
        }
    }

    fn run_until(&mut self, cycle: u64) -> bool {
        let mut shards: Vec<&mut Shard> = self.shards.iter_mut().collect();
        while let Some(goal) = self.conductor.look(&mut shards, cycle) {
            while go_on(&mut shards, goal) {
                let now = shards[0].cycle();
                shards.iter_mut().for_each(|shard| shard.work());
                for (from, to) in pairs(shards.len()) {
                    let mut mail = core::mem::take(shards[from].mail(to));
                    if self.lose_in == Some(now) {
                        mail = Mail::default();
                    }
                    shards[to].take(&mut mail);
                }
                shards.iter_mut().for_each(|shard| shard.end_cycle());
            }
        }
        self.conductor.is_running()
    }

    fn snapshot(&self) -> Vec<ChannelState> {
        let shards: Vec<&Shard> = self.shards.iter().collect();
        self.conductor.snapshot(&shards)
    }

    fn outcome(&mut self) -> FabricOutcome {
        let mut shards: Vec<&mut Shard> = self.shards.iter_mut().collect();
        self.conductor.outcome(&mut shards)
    }
}

/// All have to be asked; all say the same.
fn go_on(shards: &mut [&mut Shard], goal: u64) -> bool {
    let answers: Vec<bool> = shards.iter_mut().map(|shard| shard.goes_on(goal)).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    answers[0]
}

fn pairs(parts: usize) -> impl Iterator<Item = (usize, usize)> {
    let all = (0..parts).flat_map(move |from| (0..parts).map(move |to| (from, to)));
    all.filter(|(from, to)| from != to)
}

/// The first line in which what was found differs.
fn difference(one: &FabricOutcome, several: &FabricOutcome) -> Option<String> {
    let (one, several) = (format!("{one:#?}"), format!("{several:#?}"));
    let mut lines = one.lines().zip(several.lines());
    let field = lines.position(|(a, b)| a != b)?;
    let from = field.saturating_sub(8);
    let part = |text: &str| {
        let lines: Vec<&str> = text.lines().skip(from).take(12).collect();
        lines.join("\n")
    };
    Some(format!(
        "one:\n{}\nseveral:\n{}",
        part(&one),
        part(&several)
    ))
}

fn assert_same(name: &str, spec: &FabricSpec, slice: u64) -> FabricOutcome {
    let mut one = Simulation::new(spec).expect("it builds");
    for parts in [2, 3] {
        let parts = parts.min(spec.graph.routers as usize);
        let mut several = Turns::new(spec, parts);
        let mut cycle = 0;
        one = Simulation::new(spec).expect("it builds");
        loop {
            cycle += slice;
            let more = one.run_until(cycle);
            assert_eq!(several.run_until(cycle), more, "{name}, {parts} parts");
            assert!(
                one.snapshot() == several.snapshot(),
                "{name}, {parts} parts, cycle {cycle}: channels differ"
            );
            let (one, several) = (one.outcome(), several.outcome());
            if let Some(text) = difference(&one, &several) {
                panic!("{name}, {parts} parts, cycle {cycle}: {text}");
            }
            if !more {
                break;
            }
        }
    }
    one.outcome()
}

/// A random network that can be cut, with a window that begins and ends.
fn cuttable(seed: u64) -> Option<FabricSpec> {
    let mut spec = random_spec(seed, false).expect("a spec that builds");
    spec.router.credit_delay = spec.router.credit_delay.max(1);
    spec.measure.warm_up = match seed % 3 {
        0 => WarmUp::Auto { most: 90 },
        _ => WarmUp::Cycles(70),
    };
    spec.measure.window = 230;
    spec.measure.drain = 100 * (seed % 2);
    spec.measure.stall = 60;
    (shard::obstacle(&spec).is_none() && spec.graph.routers > 1).then_some(spec)
}

#[test]
fn parts_agree_with_the_whole_on_random_networks() {
    let (mut delivered, mut networks) = (0, 0);
    let (mut crossbars, mut random, mut buffered, mut queueing) = (0, 0, 0, 0);
    for (seed, spec) in (0..200).filter_map(|seed| Some((seed, cuttable(seed)?))) {
        let outcome = assert_same(&format!("seed {seed}"), &spec, 47 + seed);
        delivered += outcome.packets_total;
        networks += 1;
        crossbars += u32::from(spec.router.switch == Switch::Crossbar);
        random += u32::from(spec.router.channel_arbiter == Arbiter::Random);
        queueing += u32::from(spec.router.release == Release::TailSent);
        buffered += u32::from(matches!(
            spec.router.switch,
            Switch::Multiplexed {
                output_buffer: 1..,
                ..
            }
        ));
    }
    assert!(networks >= 60 && delivered > 10_000);
    assert!(crossbars.min(random).min(buffered).min(queueing) >= 15);
}

/// Packets of five flits everywhere.
fn busy(graph: Graph, routing: RoutingSpec, load: f64) -> FabricSpec {
    let mut spec = network(graph, &[]);
    spec.routing = routing;
    spec.router.lanes = 4;
    spec.router.channel_arbiter = Arbiter::Random;
    spec.router.lane_arbiter = Arbiter::Random;
    spec.classes[0].injection = Injection::Bernoulli { load };
    spec.classes[0].size = Size::Fixed(5);
    spec.measure.warm_up = WarmUp::Auto { most: 150 };
    spec.measure.window = 250;
    spec.measure.drain = 400;
    spec.measure.stall = 500;
    spec
}

#[test]
fn parts_agree_with_the_whole_on_larger_networks() {
    let mesh = topology::mesh(&[16, 16], 1, 1).expect("a mesh");
    let torus = topology::torus(&[12, 12], 1, 1).expect("a torus");
    let fly = topology::fly(2, 7, 1).expect("a fly");
    let far = topology::torus(&[8, 8], 2, 3).expect("a torus");
    let tree = topology::fat_tree(4, 3, 1).expect("a tree");
    let mut specs = [
        busy(mesh, RoutingSpec::DimensionOrder, 0.2),
        busy(torus, RoutingSpec::Dateline, 0.3),
        busy(fly, RoutingSpec::DestinationTag, 0.5),
        busy(far, RoutingSpec::MinimalAdaptive, 0.2),
        busy(tree, RoutingSpec::NearestCommonAncestor, 0.4),
    ];
    specs[1].router.switch = MULTIPLEXED;
    specs[2].sources = Sources::PerLane;
    specs[2].classes[0].injection = Injection::Saturation;
    specs[3].router.credit_delay = 2;
    specs[4].router.release = Release::TailSent;
    for spec in &specs {
        let outcome = assert_same(&format!("{:?}", spec.graph.shape), spec, 300);
        assert!(outcome.packets_total > 1_000, "{}", outcome.packets_total);
    }
}

/// The circle runs through all parts.
#[test]
fn parts_find_the_same_deadlock() {
    let torus = topology::torus(&[4, 6], 1, 1).expect("a torus");
    for switch in [Switch::Crossbar, MULTIPLEXED] {
        let mut spec = busy(torus.clone(), RoutingSpec::Unrestricted, 1.0);
        spec.router.lanes = 1;
        spec.router.switch = switch;
        spec.measure.window = 50_000;
        let outcome = assert_same("torus", &spec, 10_000);
        assert_eq!(outcome.stop, Stop::Standstill);
        let deadlock = outcome.standstill.expect("what holds what");
        assert!(deadlock.waits.len() > 1, "{deadlock:?}");
    }
}

/// Nothing happens for long times: they are skipped by all parts.
#[test]
fn parts_skip_the_same_cycles() {
    let packets = [(5, 0, 7, 3), (5, 7, 0, 1), (2_000_000_000, 3, 4, 2)];
    let mesh = topology::mesh(&[2, 4], 1, 1).expect("a mesh");
    let mut spec = network(mesh, &packets);
    spec.routing = RoutingSpec::DimensionOrder;
    spec.measure.window = 3_000_000_000;
    let outcome = assert_same("mesh", &spec, 500_000_000);
    assert_eq!(outcome.stop, Stop::Drained);
    assert_eq!(outcome.packets_total, 3);
}

/// Negative control: what one part has to tell in one cycle gets lost.
#[test]
fn a_lost_mail_shows() {
    let mesh = topology::mesh(&[8, 8], 1, 1).expect("a mesh");
    let spec = busy(mesh, RoutingSpec::DimensionOrder, 0.3);
    let mut one = Simulation::new(&spec).expect("it builds");
    one.run_until(160);
    for (lose_in, differs) in [(None, false), (Some(120), true), (Some(130), true)] {
        let mut several = Turns::new(&spec, 2);
        several.lose_in = lose_in;
        several.run_until(160);
        let found = difference(&one.outcome(), &several.outcome());
        assert_eq!(found.is_some(), differs, "{lose_in:?}");
    }
}

#[test]
fn what_depends_on_itself_within_a_cycle_is_not_cut() {
    let fly = topology::fly(2, 3, 1).expect("a fly");
    let mut spec = busy(fly, RoutingSpec::DestinationTag, 0.5);
    assert!(shard::split(&spec, 4).is_ok());
    assert!(shard::split(&spec, 0).is_err());
    assert!(shard::split(&spec, 13).is_err());
    spec.router.credit_delay = 0;
    assert!(shard::split(&spec, 2).is_err());
    spec.router.credit_delay = 1;
    spec.classes[0].injection = Injection::RequestReply {
        outstanding: 1,
        think: 0,
        reply_class: 1,
    };
    assert!(shard::obstacle(&spec).is_some());
}

/// Circles that close while other packets move, across the border and within a part.
#[test]
fn parts_find_the_same_deadlock_of_a_part_of_the_network() {
    let (mut partial, mut held) = (0, 0);
    for seed in 0..40 {
        let mut spec = random_spec(seed, false).expect("a spec that builds");
        spec.graph = topology::torus(&[4, 5], 1, 1).expect("a torus");
        spec.routing = RoutingSpec::Unrestricted;
        spec.router.lanes = 1 + (seed % 2) as u8;
        spec.router.credit_delay = spec.router.credit_delay.max(1);
        spec.classes.truncate(1);
        spec.classes[0].lane_group = 0;
        spec.classes[0].pattern = Pattern::Uniform {
            include_self: false,
        };
        spec.classes[0].injection = Injection::Bernoulli { load: 0.3 };
        spec.measure.window = 1_500;
        spec.measure.stall = 40;
        let outcome = assert_same(&format!("seed {seed}"), &spec, 700);
        if let Some(deadlock) = outcome.standstill {
            partial += u32::from(deadlock.others_move);
            held += deadlock.waits.len();
        }
    }
    assert!(partial >= 5 && held >= 40, "{partial} {held}");
}
