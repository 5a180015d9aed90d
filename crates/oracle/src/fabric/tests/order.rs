//! Within a router the order in which output channels are worked off changes nothing.

use super::super::network::Network;
use super::super::{Fabric, finished, first_difference, random_spec};

fn ran(seed: u64, outputs_backwards: bool) -> Fabric {
    let spec = random_spec(seed, true).expect("a spec that builds");
    let mut network = Network::new(&spec).expect("it built before");
    network.outputs_backwards = outputs_backwards;
    network.log = Some(Vec::new());
    finished(network, 200).expect("the laws hold")
}

#[test]
fn the_order_of_outputs_does_not_matter() {
    let mut without_delay = 0;
    for seed in 1_000..1_100 {
        let spec = random_spec(seed, true).expect("a spec that builds");
        without_delay += u32::from(spec.router.credit_delay == 0);
        let (forwards, backwards) = (ran(seed, false), ran(seed, true));
        let difference = first_difference(&forwards.moves, &backwards.moves);
        assert_eq!(difference, None, "seed {seed}");
        assert_eq!(forwards, backwards);
    }
    assert!(without_delay > 10, "{without_delay}");
}

/// Negative control: with credits that take no time the order of routers does matter.
#[test]
fn the_order_of_routers_matters_without_credit_delay() {
    let differs = |seed: &u64| {
        let spec = random_spec(*seed, true).expect("a spec that builds");
        if spec.router.credit_delay > 0 {
            return false;
        }
        let mut network = Network::new(&spec).expect("it built before");
        network.turn.reverse();
        network.log = Some(Vec::new());
        let turned = finished(network, 200).expect("the laws hold");
        turned != ran(*seed, false)
    };
    let found = (1_000..1_300).filter(differs).count();
    assert!(found > 5, "{found}");
}
