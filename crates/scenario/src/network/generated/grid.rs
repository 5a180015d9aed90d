//! A mesh or a torus of any number of dimensions.

use super::{Plan, Rule, of};

/// The same along each dimension, to the next, and with `wraps` from the last to the first.
pub(super) fn rule(sides: &[u32], wraps: bool, each: u32) -> Rule {
    let product = |all: u64, side: &u32| all.saturating_mul((*side).into());
    let size = sides.iter().fold(1, product);
    let along = sides.iter().filter(|side| **side > 1).count() as u64;
    let sides = sides.to_vec();
    of((size, size.saturating_mul(along), size), each, move || {
        grid(&sides, wraps, each)
    })
}

/// Switches in row-major order: the last dimension varies fastest.
fn grid(sides: &[u32], wraps: bool, hosts: u32) -> Plan {
    let sides: Vec<usize> = sides.iter().map(|side| *side as usize).collect();
    let size: usize = sides.iter().product();
    // From one switch to the next along each dimension, so many numbers.
    let strides: Vec<usize> = (0..sides.len())
        .map(|dimension| sides[dimension + 1..].iter().product())
        .collect();
    let place = |n: usize, dimension: usize| n / strides[dimension] % sides[dimension];
    let name = |n: usize| {
        let places: Vec<String> = (0..sides.len())
            .map(|dimension| (place(n, dimension) + 1).to_string())
            .collect();
        format!("S{}", places.join("_"))
    };
    let mut trunks = Vec::new();
    for n in 0..size {
        for dimension in (0..sides.len()).rev() {
            let (side, stride) = (sides[dimension], strides[dimension]);
            if place(n, dimension) + 1 < side {
                trunks.push((n, n + stride));
            } else if wraps && side > 2 {
                trunks.push((n, n - stride * (side - 1)));
            }
        }
    }
    Plan::bare((0..size).map(name).collect(), trunks).with_hosts(0..size, hosts)
}
