//! What the sampler of channels says of a small network, counted by hand.

use crate::common;

use backwater_flit::{ChannelState, Simulation};
use common::two_into_one;

fn state(crossed: u64, taken: u32, is_blocked: bool) -> ChannelState {
    ChannelState {
        crossed,
        taken,
        is_blocked,
    }
}

#[test]
fn flits_credit_and_want_of_it_are_what_was_counted_by_hand() {
    let mut run = Simulation::new(&two_into_one()).expect("it builds");
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
