//! One router between all terminals: Karol, Hluchyj and Morgan, "Input Versus Output Queueing on
//! a Space-Division Packet Switch", 1987.
//!
//! Packets are one flit, each cycle is one of the paper's slots. Queues at the inputs: one lane
//! per channel, released when the tail is sent and deeper than a round trip, so that packets
//! queue in it and an input has a new front packet in each cycle; header delay 0. Queues at the
//! outputs: the switch works once per input in a cycle, into a long buffer, and each channel has
//! a lane for every input, so that all of them may send to one output in a cycle.

use crate::common;

use std::collections::BTreeMap;

use backwater_flit::spec::*;
use backwater_flit::topology;
use common::*;

/// Always a packet at each input, in one queue.
fn saturated_inputs(terminals: u32, arbiter: Arbiter) -> FabricSpec {
    let graph = topology::crossbar(terminals).expect("a crossbar");
    let classes = vec![class(Injection::Saturation, 1)];
    let mut spec = spec(graph, RoutingSpec::Table, classes);
    spec.router.lanes = 1;
    spec.router.release = Release::TailSent;
    spec.router.switch = MULTIPLEXED;
    spec.router.lane_arbiter = arbiter;
    spec.router.channel_arbiter = arbiter;
    spec.measure.warm_up = WarmUp::Cycles(500);
    spec
}

/// Packets served per cycle and input when all inputs always have one, by the chain of how many
/// front packets there are for each output. Each output serves one; the inputs served draw anew.
fn served_per_cycle(inputs: usize) -> f64 {
    let mut chance = BTreeMap::from([(vec![1_u32; inputs], 1.0)]);
    for _ in 0..200 {
        let mut next = BTreeMap::new();
        for (fronts, weight) in &chance {
            let left: Vec<u32> = fronts.iter().map(|count| count.saturating_sub(1)).collect();
            let served = fronts.iter().filter(|count| **count > 0).count();
            let mut drawn = BTreeMap::from([(left, *weight)]);
            for _ in 0..served {
                drawn = one_more(&drawn);
            }
            for (fronts, weight) in drawn {
                *next.entry(fronts).or_insert(0.0) += weight;
            }
        }
        chance = next;
    }
    let served = |(fronts, weight): (&Vec<u32>, &f64)| {
        weight * fronts.iter().filter(|count| **count > 0).count() as f64
    };
    chance.iter().map(served).sum::<f64>() / inputs as f64
}

/// One more front packet, for any output; the order of outputs does not matter.
fn one_more(chance: &BTreeMap<Vec<u32>, f64>) -> BTreeMap<Vec<u32>, f64> {
    let mut next = BTreeMap::new();
    for (fronts, weight) in chance {
        let part = weight / fronts.len() as f64;
        for output in 0..fronts.len() {
            let mut fronts = fronts.clone();
            fronts[output] += 1;
            fronts.sort_unstable();
            *next.entry(fronts).or_insert(0.0) += part;
        }
    }
    next
}

/// Table I of the paper, from its definition.
#[test]
fn few_saturated_inputs_by_the_exact_chain() {
    for (inputs, published) in [(2, 0.75), (3, 0.6825), (4, 0.6553), (8, 0.6184)] {
        let exact = served_per_cycle(inputs);
        assert!((exact - published).abs() < 6e-5, "{inputs}: {exact}");
        for arbiter in [Arbiter::Random, Arbiter::RoundRobin, Arbiter::Earliest] {
            let found = runs(&saturated_inputs(inputs as u32, arbiter), 10);
            let accepted = mean(found.iter().map(|run| run.accepted));
            assert!(accepted.1 < 0.002, "{accepted:?}");
            assert_near(accepted, exact, &format!("{inputs} inputs, {arbiter:?}"));
        }
    }
}

/// Towards 2 - sqrt(2) = 0.5858, from above.
#[test]
fn many_saturated_inputs() {
    let mut spec = saturated_inputs(64, Arbiter::Random);
    spec.measure.window = 1_500;
    let (accepted, error) = mean(runs(&spec, 10).iter().map(|run| run.accepted));
    assert!(error < 0.002);
    assert!((0.585..0.595).contains(&accepted), "{accepted}");
    // Not the queues limit it but the front: twice the places change nothing.
    spec.router.depth *= 8;
    let deep = mean(runs(&spec, 10).iter().map(|run| run.accepted));
    assert_near((deep.0, deep.1 + error), accepted, "deeper queues");
}

/// Whether the winner is drawn or takes its turn, over time all inputs win alike.
#[test]
fn all_inputs_win_alike() {
    for (arbiter, deviations) in [(Arbiter::Random, ERRORS), (Arbiter::RoundRobin, 0.01)] {
        let mut spec = saturated_inputs(7, arbiter);
        spec.classes[0].pattern = Pattern::Hotspot {
            targets: vec![(3, 1)],
            share: 1.0,
        };
        let found = ran(&spec);
        assert_eq!(found.accepted * 7.0, 1.0, "the output never rests");
        let share = spec.measure.window as f64 / 7.0;
        let deviation = (share * 6.0 / 7.0).sqrt();
        for terminal in &found.terminals {
            let off = (terminal.created as f64 - share).abs() - 1.0;
            assert!(off <= deviations * deviation, "{arbiter:?}: {terminal:?}");
        }
    }
}

/// Negative control: what else the router may do to an input shows.
#[test]
fn an_input_that_rests_is_worse() {
    let changes: [fn(&mut RouterSpec); 3] = [
        |router| router.release = Release::Drained,
        |router| router.header_delay = 1,
        |router| router.depth = 1,
    ];
    for change in changes {
        let mut spec = saturated_inputs(4, Arbiter::Random);
        change(&mut spec.router);
        assert!(ran(&spec).accepted < 0.6, "{:?}", spec.router);
    }
}

/// All packets that come in a cycle get to their outputs in the next.
fn output_queues(terminals: u8, injection: Injection) -> FabricSpec {
    let mut spec = saturated_inputs(terminals.into(), Arbiter::Random);
    spec.classes[0].injection = injection;
    spec.router.lanes = terminals;
    spec.router.switch = Switch::Multiplexed {
        allocator: Allocator::SeparableInputFirst,
        output_buffer: 4_000,
        speedup: terminals,
    };
    spec
}

/// Mean wait (N - 1) / N * p / (2 (1 - p)); a cycle each for injection, switch and ejection.
#[test]
fn waiting_in_output_queues() {
    for (terminals, load) in [(2, 0.5), (4, 0.3), (4, 0.8), (8, 0.6)] {
        let mut spec = output_queues(terminals, Injection::Bernoulli { load });
        spec.measure.drain = 10_000;
        let found = runs(&spec, 12);
        let n = f64::from(terminals);
        let expected = 3.0 + (n - 1.0) / n * load / (2.0 * (1.0 - load));
        let latency = mean(found.iter().map(|run| run.latency.mean));
        assert!(latency.1 < 0.05 * expected);
        assert_near(latency, expected, &format!("{terminals} at {load}"));
        let accepted = mean(found.iter().map(|run| run.accepted));
        assert_near(accepted, load, "nothing is lost");
    }
}

/// Queues at the inputs carry 0.6553 of it at most, and wait longer below that.
#[test]
fn output_queues_carry_everything() {
    let mut spec = output_queues(8, Injection::Saturation);
    spec.measure.warm_up = WarmUp::Cycles(4_000);
    let accepted = ran(&spec).accepted;
    assert!((0.97..=1.0).contains(&accepted), "{accepted}");
    let injection = Injection::Bernoulli { load: 0.6 };
    let mut inputs = saturated_inputs(4, Arbiter::Random);
    inputs.classes[0].injection = injection.clone();
    let waits_at_input = ran(&inputs).latency.mean - 2.0;
    let waits_at_output = ran(&output_queues(4, injection)).latency.mean - 3.0;
    assert!(waits_at_input > 2.0 * waits_at_output, "{waits_at_input}");
}
