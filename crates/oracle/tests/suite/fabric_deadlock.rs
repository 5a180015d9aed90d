//! What never moves again, by the engine's reckoning, on random networks: it does not move; and
//! where nothing at all moves, it is everything.

use std::collections::BTreeMap;

use backwater_flit::Simulation;
use backwater_flit::probe::{Crossing, Probe, Tag};
use backwater_flit::spec::{FabricSpec, Injection, Pattern, RoutingSpec};
use backwater_flit::topology;
use backwater_kernel::Stop;
use backwater_oracle::fabric::random_spec;

const CYCLES: u64 = 600;
/// Cycles after which nothing under way is under way any more.
const LONG: u64 = 60;

/// Remembers packets in the network and when each last moved.
#[derive(Default)]
struct Witness {
    inside: BTreeMap<u32, (Tag, u64)>,
    moved: u64,
}

impl Probe for Witness {
    fn on_delivery(&mut self, _: u64, packet: &Tag) {
        self.inside.remove(&packet.number);
    }
    fn on_switch(&mut self, crossing: &Crossing) {
        self.on_crossing(crossing);
    }
    fn on_crossing(&mut self, crossing: &Crossing) {
        let last = (crossing.packet, crossing.cycle);
        self.inside.insert(crossing.packet.number, last);
        self.moved = crossing.cycle;
    }
}

/// A torus with random routers, more traffic than it takes, and no care for deadlocks.
fn careless(seed: u64) -> FabricSpec {
    let mut spec = random_spec(seed, false).expect("a spec that builds");
    let sides: &[u32] = match seed % 3 {
        0 => &[6],
        1 => &[9],
        _ => &[4, 4],
    };
    let terminals = 1 + (seed / 3 % 2) as u32;
    spec.graph = topology::torus(sides, terminals, 1).expect("a torus");
    spec.routing = RoutingSpec::Unrestricted;
    spec.router.lanes = 1 + (seed / 6 % 2) as u8;
    spec.router.credit_delay = spec.router.credit_delay.max(1);
    spec.classes.truncate(1);
    spec.classes[0].lane_group = 0;
    spec.classes[0].pattern = Pattern::Uniform {
        include_self: false,
    };
    spec.classes[0].injection = Injection::Bernoulli { load: 0.3 };
    spec
}

/// Runs and compares from time to time what `held` names with what moves. How many packets it
/// names in the end, and how many are in the network.
fn watch(
    spec: &FabricSpec,
    held: fn(&Simulation<Witness>) -> Vec<Tag>,
) -> Result<(usize, usize), String> {
    let mut simulation = Simulation::with_probe(spec, Witness::default()).expect("it builds");
    let mut known: BTreeMap<u32, u64> = BTreeMap::new();
    for cycle in (LONG..=CYCLES).step_by(30) {
        simulation.run_until(cycle);
        let held = held(&simulation);
        let witness = simulation.probe();
        for tag in &held {
            let (inside, moved) = witness.inside[&tag.number];
            let since = *known.entry(tag.number).or_insert(moved);
            if inside != *tag || since != moved {
                return Err(format!(
                    "{tag} is held from cycle {since}, moves in {moved}"
                ));
            }
        }
        let is_held = |number: &u32| held.iter().any(|tag| tag.number == *number);
        if let Some(number) = known.keys().find(|number| !is_held(number)) {
            return Err(format!("cycle {cycle}: packet {number} is held no more"));
        }
        let (named, inside) = (held.len(), witness.inside.len());
        if witness.moved + LONG < cycle && named != inside {
            return Err(format!(
                "cycle {cycle}: {named} of {inside} are held, none moves"
            ));
        }
    }
    Ok((known.len(), simulation.probe().inside.len()))
}

#[test]
fn what_can_never_move_never_does() {
    let (mut none, mut part, mut all) = (0, 0, 0);
    for seed in 0..120 {
        for spec in [random_spec(seed, false).expect("it builds"), careless(seed)] {
            match watch(&spec, Simulation::deadlocked) {
                Ok((0, _)) => none += 1,
                Ok((held, inside)) if held == inside => all += 1,
                Ok(_) => part += 1,
                Err(what) => panic!("seed {seed}: {what}\n{:?}", spec.router),
            }
        }
    }
    assert!(none > 80 && part > 5 && all > 10, "{none} {part} {all}");
}

/// Negative control: to name too many shows, and so does to name too few.
#[test]
fn wrong_names_show() {
    let everything = |simulation: &Simulation<Witness>| {
        let inside = simulation.probe().inside.values();
        inside.map(|(tag, _)| *tag).collect()
    };
    let too_few = |simulation: &Simulation<Witness>| {
        let mut held = simulation.deadlocked();
        held.pop();
        held
    };
    let shows = |held| {
        (0..20)
            .filter(|seed| watch(&careless(*seed), held).is_err())
            .count()
    };
    assert!(shows(everything) > 10);
    assert!(shows(too_few) > 5);
    assert_eq!(shows(Simulation::deadlocked), 0);
}

/// With a short stall the run itself ends, and names a circle of packets that never move.
#[test]
fn a_run_ends_with_its_circle() {
    let (mut still, mut others) = (0, 0);
    for seed in 0..120 {
        let mut spec = careless(seed);
        spec.measure.stall = 100;
        let mut simulation = Simulation::new(&spec).expect("it builds");
        simulation.run_until(2_000);
        let held = simulation.deadlocked();
        let outcome = simulation.outcome();
        assert_eq!(
            outcome.stop == Stop::Standstill,
            outcome.standstill.is_some()
        );
        let Some(deadlock) = outcome.standstill else {
            continue;
        };
        assert_eq!(outcome.stuck_packets, held.len() as u64, "seed {seed}");
        assert!(deadlock.waits.len() > 1, "seed {seed}: {deadlock:?}");
        for packet in &deadlock.waits {
            let is_it = |tag: &Tag| {
                (tag.source, tag.destination, tag.birth)
                    == (packet.source, packet.destination, packet.birth)
            };
            assert!(held.iter().any(is_it), "seed {seed}: {packet:?}");
        }
        assert!(deadlock.since + 100 <= outcome.cycles, "seed {seed}");
        if deadlock.others_move {
            others += 1;
        } else {
            still += 1;
        }
    }
    assert!(still > 10 && others > 3, "{still} {others}");
}
