//! What the sampler of channels says of a small network, counted by hand.

use crate::common;

use backwater_flit::spec::RoutingSpec;
use backwater_flit::{ChannelState, Simulation};
use common::{class, irregular, network, trace};

/// Routers 0 and 1 send to the terminal of router 2, one VC of two places each. Channels: 0 and 1
/// to router 2, 2 and 3 back, injection at 4 to 6, ejection at 7 to 9.
///
/// Eight flits of terminal 0 leave it in cycles 0 to 7, their router a cycle later and router 2
/// two cycles later. Four flits of terminal 1 start in cycle 1; two of them reach router 2 and
/// wait there for the VC to the terminal, two in front of the channel, which has no credit.
fn two_into_one() -> Simulation {
    let graph = irregular(
        3,
        &[(0, 2), (1, 2), (2, 0), (2, 1)],
        &[(0, 0), (1, 1), (2, 2)],
    );
    let packets = trace(&[(0, 0, 2, 8), (1, 1, 2, 4)]);
    let mut spec = network(graph, RoutingSpec::Table, packets.clone());
    spec.classes = vec![class(packets, 8)];
    spec.router.lanes = 1;
    Simulation::new(&spec).expect("it builds")
}

fn state(crossed: u64, taken: u32, is_blocked: bool) -> ChannelState {
    ChannelState {
        crossed,
        taken,
        is_blocked,
    }
}

#[test]
fn flits_credit_and_want_of_it_are_what_was_counted_by_hand() {
    let mut run = two_into_one();
    run.run_until(6);
    let states = run.snapshot();
    let idle = state(0, 0, false);
    let to_router_2 = [state(5, 1, false), state(2, 2, true)];
    let injection = [state(6, 1, false), state(4, 2, false), idle];
    let ejection = [idle, idle, state(4, 0, false)];
    assert_eq!(states[..2], to_router_2, "to router 2");
    assert_eq!(states[2..4], [idle, idle], "back");
    assert_eq!(states[4..7], injection, "injection");
    assert_eq!(states[7..], ejection, "ejection");
    // All has arrived: what crossed is what was sent, all places are free.
    run.run_until(60);
    let crossed = |states: &[ChannelState]| -> Vec<u64> {
        states.iter().map(|state| state.crossed).collect()
    };
    let states = run.snapshot();
    assert_eq!(crossed(&states), [8, 4, 0, 0, 8, 4, 0, 0, 0, 12]);
    let is_empty = |state: &ChannelState| state.taken == 0 && !state.is_blocked;
    assert!(states.iter().all(is_empty), "{states:?}");
}
