//! What one pass of a multiplexed switch matches.

use backwater_flit::spec::{Allocator, Arbiter, Switch};
use backwater_flit::traffic::Born;

use super::super::network::{Flit, Network, Stored};
use super::{busy, crossbar};

const INPUT_FIRST: Allocator = Allocator::SeparableInputFirst;
const OUTPUT_FIRST: Allocator = Allocator::SeparableOutputFirst;

fn islip(iterations: u8) -> Allocator {
    Allocator::Islip { iterations }
}

/// A router of four ports and three lanes where each (input, lane, output, birth) waits to send.
fn waiting(
    allocator: Allocator,
    arbiter: Arbiter,
    waits: &[(usize, usize, usize, u64)],
) -> Network {
    let switch = Switch::Multiplexed {
        allocator,
        output_buffer: 0,
        speedup: 1,
    };
    let mut spec = busy(crossbar(4), switch);
    spec.router.channel_arbiter = arbiter;
    let mut network = Network::new(&spec).expect("it builds");
    for (input, lane, output, birth) in waits.iter().copied() {
        let born = Born {
            destination: output as u32,
            length: 9,
            class: 0,
        };
        let packet = network.new_packet(0, born, birth);
        let channel = network.nodes[0].outputs[output];
        let lanes = &network.channels[channel].lanes;
        let out = lanes.iter().position(|lane| lane.holder.is_none());
        let out = out.expect("an output lane is free");
        network.channels[channel].lanes[out].holder = Some(packet);
        let in_lane = &mut network.nodes[0].inputs[input].lanes[lane];
        in_lane.target = Some((output, out));
        let flit = Flit { packet, index: 1 };
        in_lane.buffer.push_back(Stored { flit, usable: 0 });
    }
    network
}

/// Inputs and lanes that send, in order, for each of so many passes with the same waiting.
fn passes(network: &mut Network, count: usize) -> Vec<Vec<(usize, usize)>> {
    let pass = |_| {
        let mut matched = network.matched(0, 0);
        matched.sort_unstable();
        matched
    };
    (0..count).map(pass).collect()
}

#[test]
fn input_first_takes_turns_only_when_granted() {
    // Input 0: lanes for outputs 0 and 1. Input 1: a lane for output 0.
    let waits = [(0, 0, 0, 0), (0, 1, 1, 0), (1, 0, 0, 0)];
    let mut network = waiting(INPUT_FIRST, Arbiter::RoundRobin, &waits);
    let expected = [
        // Both propose output 0; input 0 gets it, and both pointers move.
        vec![(0, 0)],
        vec![(0, 1), (1, 0)],
        // Output 0 is after input 1 again at input 0, whose lane pointer is past both.
        vec![(0, 0)],
        vec![(0, 1), (1, 0)],
    ];
    assert_eq!(passes(&mut network, 4), expected);
}

#[test]
fn a_refused_proposal_is_made_again() {
    let waits = [(0, 0, 0, 0), (1, 0, 0, 0), (1, 1, 0, 0)];
    let mut network = waiting(INPUT_FIRST, Arbiter::RoundRobin, &waits);
    let expected = [vec![(0, 0)], vec![(1, 0)], vec![(0, 0)], vec![(1, 1)]];
    assert_eq!(passes(&mut network, 4), expected);
}

#[test]
fn output_first_loses_offers_that_more_iterations_find() {
    // Outputs 0 and 1 both offer to input 0; input 1 wants output 1 too.
    let waits = [(0, 0, 0, 0), (0, 1, 1, 0), (1, 0, 1, 0)];
    for allocator in [OUTPUT_FIRST, islip(1)] {
        let mut network = waiting(allocator, Arbiter::RoundRobin, &waits);
        // Input 0 takes output 0, then wants output 1 next; output 1 still starts at input 0.
        let expected = [vec![(0, 0)], vec![(0, 1)], vec![(0, 0), (1, 0)]];
        assert_eq!(passes(&mut network, 3), expected);
    }
    let mut network = waiting(islip(2), Arbiter::RoundRobin, &waits);
    // What the second iteration matches moves no pointer: output 1 still starts at input 0.
    let expected = [vec![(0, 0), (1, 0)], vec![(0, 1)], vec![(0, 0), (1, 0)]];
    assert_eq!(passes(&mut network, 3), expected);
}

#[test]
fn the_lane_for_an_accepted_output_has_its_turn_too() {
    let waits = [(2, 0, 3, 0), (2, 2, 3, 0)];
    let mut network = waiting(OUTPUT_FIRST, Arbiter::RoundRobin, &waits);
    let expected = [vec![(2, 0)], vec![(2, 2)], vec![(2, 0)]];
    assert_eq!(passes(&mut network, 3), expected);
}

#[test]
fn islip_ends_up_without_clashes() {
    // Every input has a lane for each of three outputs: after a few passes all outputs work.
    let all = |input: usize| (0..3).map(move |output| (input, output, output, 0));
    let waits: Vec<_> = (0..3).flat_map(all).collect();
    let mut network = waiting(islip(1), Arbiter::RoundRobin, &waits);
    let sizes: Vec<usize> = passes(&mut network, 6).iter().map(Vec::len).collect();
    assert_eq!(sizes, [1, 2, 3, 3, 3, 3]);
}

#[test]
fn earliest_compares_packets() {
    let waits = [(0, 0, 0, 5), (0, 1, 1, 3), (1, 0, 0, 4), (1, 1, 1, 3)];
    // Input 0 proposes lane 1 (3), input 1 its lane 1 (3): output 1 takes the lower port.
    let mut network = waiting(INPUT_FIRST, Arbiter::Earliest, &waits);
    assert_eq!(passes(&mut network, 2), [[(0, 1)], [(0, 1)]]);
    // Output 0 offers to input 1 (4), output 1 to input 0 (3 twice, lower port).
    let mut network = waiting(OUTPUT_FIRST, Arbiter::Earliest, &waits);
    assert_eq!(passes(&mut network, 1), [[(0, 1), (1, 0)]]);
}

#[test]
fn random_chooses_all_equally() {
    let waits = [(0, 0, 2, 0), (1, 0, 2, 0), (3, 1, 2, 0)];
    let mut network = waiting(OUTPUT_FIRST, Arbiter::Random, &waits);
    let mut wins = [0; 4];
    for pass in passes(&mut network, 3_000) {
        assert_eq!(pass.len(), 1);
        wins[pass[0].0] += 1;
    }
    // Six deviations of a binomial of a third.
    let is_third = |wins: i32| (wins - 1_000).abs() < 155;
    assert!(
        is_third(wins[0]) && is_third(wins[1]) && is_third(wins[3]),
        "{wins:?}"
    );
}

#[test]
fn no_credit_and_no_room_mean_no_request() {
    let waits = [(0, 0, 0, 0), (1, 0, 1, 0)];
    let mut network = waiting(INPUT_FIRST, Arbiter::RoundRobin, &waits);
    let channel = network.nodes[0].outputs[0];
    network.channels[channel].lanes[0].credits = Some(0);
    assert_eq!(passes(&mut network, 1), [[(1, 0)]]);
    network.spec.router.switch = Switch::Multiplexed {
        allocator: INPUT_FIRST,
        output_buffer: 1,
        speedup: 1,
    };
    assert_eq!(passes(&mut network, 1), [[(1, 0)]]);
    let channel = network.nodes[0].outputs[1];
    let flit = Flit {
        packet: 0,
        index: 0,
    };
    network.channels[channel].output_buffer.push_back((0, flit));
    assert_eq!(passes(&mut network, 1), [[]]);
}
