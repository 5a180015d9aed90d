//! A flow may hold a multiple of what is free.

use super::*;

/// Alone a flow holds h at most with h + 1 > alpha * (8 - h): with 1/2, 1 and 3 that is 3, 4, 6 of
/// eight. Two flows hold more together, and each less.
#[test]
fn a_flow_holds_a_share_of_what_is_free() {
    let shares = [((1, 2), 3, 4), ((1, 1), 4, 6), ((3, 1), 6, 7)];
    for ((numerator, denominator), alone, both) in shares {
        let alpha = Some(Ratio {
            numerator,
            denominator,
        });
        let one = PoolSpec {
            alpha,
            ..pool(8, WhenFull::TailDrop, Hold::Start)
        };
        let mut star = star(one);
        star.flow(star.to_b, at(20), 40);
        assert_eq!(run_audited(&star.net.spec).0.nodes[0].pool_max_total, alone);
        star.flow(star.to_c, at(20), 40);
        assert_eq!(run_audited(&star.net.spec).0.nodes[0].pool_max_total, both);
    }
}

#[test]
fn a_threshold_without_units_is_refused() {
    let alpha = Some(Ratio {
        numerator: 1,
        denominator: 1,
    });
    let push_out = PoolSpec {
        alpha,
        ..pool(8, WhenFull::PushOut, Hold::Start)
    };
    let bytes = PoolSpec {
        limit_units: None,
        limit_bytes: Some(10_000),
        when_full: WhenFull::TailDrop,
        ..push_out
    };
    for wrong in [push_out, bytes] {
        let mut star = star(wrong);
        star.flow(star.to_b, at(20), 1);
        let refused = backwater_net::verify(&star.net.spec).expect_err("it has no meaning");
        assert!(refused.0.contains("threshold"), "{refused:?}");
    }
}
