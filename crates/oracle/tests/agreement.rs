//! The fast engine starts every unit at the same instant as the slow, obvious one.

use kernel::{Heap, Wheel};
use oracle::{Start, first_difference, random_spec};
use packet::Simulation;
use packet::probe::{Crossing, Probe, UnitKind};
use packet::spec::NetworkSpec;

/// Keeps every start in the oracle's words.
#[derive(Default)]
struct Starts(Vec<Start>);

impl Probe for Starts {
    fn on_start(&mut self, crossing: Crossing) {
        self.0.push(Start {
            at_ps: crossing.at.ps(),
            channel: crossing.channel,
            flow: crossing.flow,
            control: crossing.kind != UnitKind::Data,
            number: crossing.value,
        });
    }
}

fn fast<Q: kernel::EventQueue>(spec: &NetworkSpec) -> (Vec<Start>, u64) {
    let mut simulation =
        Simulation::<Q, Starts>::new(spec, Starts::default()).expect("a sound network");
    simulation.run();
    let hash = simulation.outcome().trace_hash;
    let mut starts = simulation.into_probe().0;
    starts.sort_by_key(|start| (start.at_ps, start.channel));
    (starts, hash)
}

#[test]
fn the_engine_agrees_with_the_oracle_start_by_start() {
    let mut total = 0;
    for seed in 0..400 {
        let spec = random_spec(seed);
        let slow = oracle::run(&spec).expect("the oracle can run it").starts;
        let (starts, _) = fast::<Wheel>(&spec);
        total += starts.len();
        if let Some(difference) = first_difference(&slow, &starts) {
            panic!("seed {seed}: {difference}");
        }
    }
    assert!(total > 100_000, "only {total} starts compared");
}

#[test]
fn wheel_and_heap_give_the_same_trace_hash() {
    for seed in 0..200 {
        let spec = random_spec(seed);
        assert_eq!(fast::<Wheel>(&spec).1, fast::<Heap>(&spec).1, "seed {seed}");
    }
}
