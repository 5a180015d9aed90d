//! Mesh and torus: coordinate 0 of a router's number runs fastest.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::BuildError;

use super::{DIMENSIONS_MAX, ROUTERS_MAX, Size};

pub(super) fn size(sides: &[u32], terminals: u32, wraps: bool) -> Result<Size, BuildError> {
    if sides.is_empty() || sides.len() > DIMENSIONS_MAX || sides.contains(&0) {
        return Err(BuildError(format!(
            "sides {sides:?}: allowed are 1 to {DIMENSIONS_MAX} of them, each at least 1"
        )));
    }
    let routers = sides.iter().try_fold(1u64, |product, side| {
        let product = product * u64::from(*side);
        (product <= ROUTERS_MAX.into()).then_some(product)
    });
    let Some(routers) = routers else {
        return Err(BuildError(format!(
            "sides {sides:?}: more than {ROUTERS_MAX} routers"
        )));
    };
    let along = |side: u64| match (side, wraps) {
        (1, _) => 0,
        (_, true) => 2 * routers,
        (_, false) => 2 * (routers / side) * (side - 1),
    };
    let channels = sides.iter().map(|side| along(u64::from(*side))).sum();
    Size::new(routers, channels, routers * u64::from(terminals))
}

pub(super) fn each_channel(sides: &[u32], wraps: bool, visit: &mut impl FnMut(u32, u32)) {
    let strides: Vec<u32> = sides
        .iter()
        .scan(1, |next, side| {
            let stride = *next;
            *next *= side;
            Some(stride)
        })
        .collect();
    let mut place = vec![0; sides.len()];
    for router in 0..sides.iter().product() {
        for ((at, side), stride) in place.iter().zip(sides).zip(&strides) {
            let around = (side - 1) * stride;
            if at + 1 < *side {
                visit(router, router + stride);
            } else if wraps && *side > 1 {
                visit(router, router - around);
            }
            if *at > 0 {
                visit(router, router - stride);
            } else if wraps && *side > 1 {
                visit(router, router + around);
            }
        }
        for (at, side) in place.iter_mut().zip(sides) {
            *at += 1;
            if *at < *side {
                break;
            }
            *at = 0;
        }
    }
}
