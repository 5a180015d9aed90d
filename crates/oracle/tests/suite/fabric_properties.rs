//! What holds for every network of the cycle engine, on random ones.

use backwater_flit::Simulation;
use backwater_flit::outcome::FabricOutcome;
use backwater_flit::spec::{
    Arbiter, ChannelSpec, ClassSpec, FabricSpec, Injection, MeasureSpec, RoutingSpec, Shape,
    TraceEntry, WarmUp,
};
use backwater_kernel::{Purpose, Stream};
use backwater_oracle::fabric::{random_spec, run, run_logged};

const CYCLES: u64 = 700;
const SEEDS: u64 = 40;

fn dice(seed: u64) -> Stream {
    Stream::new(seed, 77, Purpose::Topology)
}

/// A random network with all phases of measuring, one of them of random length.
fn spec(seed: u64) -> FabricSpec {
    let mut spec = random_spec(seed, seed.is_multiple_of(2)).expect("a spec that builds");
    let mut dice = dice(seed);
    spec.measure = MeasureSpec {
        warm_up: match dice.below(3) {
            0 => WarmUp::Auto { most: 250 },
            _ => WarmUp::Cycles(dice.below(200)),
        },
        window: 1 + dice.below(400),
        drain: dice.below(2) * 500,
        stall: 300,
    };
    spec
}

fn simulation(spec: &FabricSpec) -> Simulation {
    Simulation::new(spec).expect("it builds")
}

fn outcome(spec: &FabricSpec) -> FabricOutcome {
    let mut simulation = simulation(spec);
    simulation.run_until(CYCLES);
    simulation.outcome()
}

/// Everything there is in it.
fn text(outcome: &FabricOutcome) -> String {
    format!("{outcome:?}")
}

#[test]
fn a_run_repeats_in_every_number() {
    for seed in 0..SEEDS {
        let spec = spec(seed);
        assert_eq!(text(&outcome(&spec)), text(&outcome(&spec)), "seed {seed}");
    }
}

/// Stopping and looking on the way leaves no trace, however often and long.
#[test]
fn slices_make_up_the_whole() {
    for seed in 0..SEEDS {
        let spec = spec(seed);
        let whole = text(&outcome(&spec));
        for longest in [1, 7, 300] {
            let mut sliced = simulation(&spec);
            let mut dice = dice(seed);
            let mut more = true;
            while more && sliced.cycle() < CYCLES {
                let to = sliced.cycle() + 1 + dice.below(longest);
                more = sliced.run_until(to.min(CYCLES));
                // Looking at it changes nothing.
                assert!(sliced.outcome().flit_hops == sliced.flit_hops());
                assert!(!more || sliced.cycle() == to.min(CYCLES));
            }
            assert_eq!(text(&sliced.outcome()), whole, "seed {seed}, by {longest}");
        }
    }
}

/// Another seed, another run, if births are drawn.
#[test]
fn seeds_count() {
    let drawn = |class: &ClassSpec| {
        matches!(
            class.injection,
            Injection::Bernoulli { .. } | Injection::OnOff { .. }
        )
    };
    let mut compared = 0;
    for seed in 0..SEEDS {
        let spec = spec(seed);
        if !spec.classes.iter().any(drawn) {
            continue;
        }
        let mut other = spec.clone();
        other.seed += 1;
        let (one, two) = (outcome(&spec), outcome(&other));
        assert!(
            one.packets_total < 5 || one.trace_hash != two.trace_hash,
            "seed {seed}"
        );
        compared += 1;
    }
    assert!(compared > SEEDS / 2, "{compared}");
}

/// At any cycle every flit born is delivered, at its source, or in the network, where the
/// reference finds it too. The engine counts a packet as delivered when its tail is.
#[test]
fn an_interrupted_run_balances() {
    for seed in 0..SEEDS {
        let mut spec = random_spec(seed, true).expect("a spec that builds");
        spec.measure.window = CYCLES;
        let mut engine = simulation(&spec);
        let mut dice = dice(seed);
        for part in 0..4 {
            let cycle = 1 + 100 * part + dice.below(100);
            engine.run_until(cycle);
            let found = engine.outcome();
            let reference = run(&spec, cycle).expect("the laws hold");
            let whole = reference.deliveries.iter().map(|at| u64::from(at.length));
            let whole: u64 = whole.sum();
            let of_the_rest = reference.delivered - whole;
            assert_eq!(found.created_total, reference.created);
            assert_eq!(found.delivered_total, whole);
            assert_eq!(found.packets_total, reference.deliveries.len() as u64);
            assert_eq!(found.queued_total, reference.queued);
            assert_eq!(found.inside_total, reference.inside + of_the_rest);
            assert_eq!(found.flit_hops, reference.flit_hops);
            let at_terminals: u64 = found.terminals.iter().map(|at| at.queued).sum();
            assert_eq!(at_terminals, reference.queued, "seed {seed}, cycle {cycle}");
            let by_class = |of: fn(&backwater_flit::outcome::ClassOutcome) -> u64| -> u64 {
                found.classes.iter().map(of).sum()
            };
            assert_eq!(by_class(|class| class.created_total), found.created_total);
            assert_eq!(
                by_class(|class| class.delivered_total),
                found.delivered_total
            );
        }
    }
}

/// Channels and lanes are busy as often as the reference sends on them, window by window.
#[test]
fn channels_are_busy_when_the_reference_sends() {
    for seed in 0..SEEDS {
        let mut spec = random_spec(seed, true).expect("a spec that builds");
        let mut dice = dice(seed);
        let (start, window) = (dice.below(300), 1 + dice.below(300));
        spec.measure.warm_up = WarmUp::Cycles(start);
        spec.measure.window = window;
        spec.measure.drain = dice.below(2) * 50;
        // Listed packets may be over before the window is.
        let found = outcome(&spec);
        let reference = run_logged(&spec, CYCLES).expect("the laws hold").moves;
        let end = (start + window).min(found.cycles);
        let inside = reference
            .iter()
            .filter(|at| (start..end).contains(&at.cycle));
        let cycles = found.window.max(1) as f64;
        let mut channels = vec![0.0; found.utilization.len()];
        let mut lanes = vec![0.0; found.lane_utilization.len()];
        for at in inside {
            channels[at.channel as usize] += 1.0 / cycles;
            lanes[usize::from(at.lane)] += 1.0 / cycles / channels.len() as f64;
        }
        let same = |one: &[f64], other: &[f64]| {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-9)
        };
        assert!(same(&found.utilization, &channels), "seed {seed}: {spec:?}");
        assert!(
            same(&found.lane_utilization, &lanes),
            "seed {seed}: {spec:?}"
        );
    }
}

/// Packets at random, few enough for most to arrive.
fn listed(terminals: u64, longest: u64, dice: &mut Stream) -> Injection {
    let mut cycle = 0;
    let packet = |_| {
        cycle += dice.below(5);
        TraceEntry {
            cycle,
            source: dice.below(terminals) as u32,
            destination: dice.below(terminals) as u32,
            length: 1 + dice.below(longest) as u16,
        }
    };
    Injection::Trace((0..150).map(packet).collect())
}

/// A random network with packets from a list, on ways from a table.
fn by_table(seed: u64) -> FabricSpec {
    let mut spec = random_spec(seed, true).expect("a spec that builds");
    let mut dice = dice(seed);
    spec.graph.shape = Shape::Irregular;
    spec.routing = RoutingSpec::Table;
    spec.router.credit_delay = spec.router.credit_delay.max(1);
    let terminals = spec.graph.inject.len() as u64;
    let longest = match spec.router.cut_through {
        true => u64::from(spec.router.depth),
        false => 8,
    };
    for class in &mut spec.classes {
        class.injection = listed(terminals, longest, &mut dice);
    }
    spec
}

/// The same with a router and a terminal more, joined to one of the others.
fn with_neighbour(mut spec: FabricSpec, at: u32) -> FabricSpec {
    let graph = &mut spec.graph;
    let new = graph.routers;
    graph.routers += 1;
    for (from, to) in [(at, new), (new, at)] {
        let channel = ChannelSpec {
            from,
            to,
            latency: 3,
        };
        let place = graph.channels.partition_point(|known| known.from <= from);
        graph.channels.insert(place, channel);
    }
    graph.inject.push(new);
    graph.eject.push(new);
    if !graph.terminal_latency.is_empty() {
        graph.terminal_latency.push(3);
    }
    spec
}

/// A part of the network that nobody uses is as good as none.
#[test]
fn an_idle_part_changes_nothing() {
    for seed in 0..SEEDS {
        let spec = by_table(seed);
        let alone = outcome(&spec);
        let at = dice(seed).below(spec.graph.routers.into()) as u32;
        // All terminals must reach each other: a network one way stays as it is.
        let Ok(mut engine) = Simulation::new(&with_neighbour(spec.clone(), at)) else {
            continue;
        };
        engine.run_until(CYCLES);
        let found = engine.outcome();
        assert_eq!(found.trace_hash, alone.trace_hash, "seed {seed}: {spec:?}");
        assert_eq!(found.flit_hops, alone.flit_hops);
        assert_eq!(found.latency.histogram, alone.latency.histogram);
        assert!(alone.packets_total > 20);
    }
}

/// Negative control: used by one packet early on, it does.
#[test]
fn a_part_in_use_changes_something() {
    let changes = |seed: &u64| {
        let spec = by_table(*seed);
        let mut other = with_neighbour(spec.clone(), 0);
        let Injection::Trace(packets) = &mut other.classes[0].injection else {
            return false;
        };
        let (source, destination) = (packets[0].source, spec.graph.inject.len() as u32);
        packets[0].destination = destination;
        assert!(source < destination);
        Simulation::new(&other).is_ok() && outcome(&other).trace_hash != outcome(&spec).trace_hash
    };
    assert!((0..10).filter(changes).count() >= 7);
}

/// Random arbiters are the only thing that a run draws besides its traffic and its ways: where
/// no two packets compete the arbiter does not matter.
#[test]
fn without_competition_arbiters_do_not_matter() {
    for seed in 0..SEEDS {
        let mut spec = by_table(seed);
        for class in &mut spec.classes {
            let Injection::Trace(packets) = &mut class.injection else {
                continue;
            };
            packets.truncate(1);
        }
        spec.classes.truncate(1);
        spec.classes[0].lane_group = 0;
        let hash = |arbiter: Arbiter| {
            let mut spec = spec.clone();
            spec.router.channel_arbiter = arbiter;
            spec.router.lane_arbiter = arbiter;
            outcome(&spec).trace_hash
        };
        assert_eq!(hash(Arbiter::Random), hash(Arbiter::RoundRobin));
        assert_eq!(hash(Arbiter::Random), hash(Arbiter::Earliest));
    }
}
