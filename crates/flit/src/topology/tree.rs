//! The fat tree as a k-ary n-tree: Leiserson, "Fat-Trees: Universal Networks for
//! Hardware-Efficient Supercomputing", 1985; Petrini & Vanneschi, "k-ary n-trees: High
//! Performance Networks for Massively Parallel Architectures", 1997.
//!
//! Router `l * k^(n-1) + w` is number `w` of level `l`. Routers of levels `l` and `l + 1` are
//! joined if their numbers differ at most in digit `l` (base k); port `j` leads to the one
//! that has `j` there. Terminal `t` is at router `t / k` of level 0.

use alloc::format;

use backwater_kernel::BuildError;

use super::{ROUTERS_MAX, Size, power};

pub(super) fn size(k: u32, n: u32) -> Result<Size, BuildError> {
    let level = match (k, n) {
        (2.., 1..) => power(k, n - 1, ROUTERS_MAX),
        _ => None,
    };
    let Some(level) = level.map(u64::from) else {
        return Err(BuildError(format!(
            "{k}-ary {n}-tree: k is at least 2, n at least 1, k^(n-1) at most {ROUTERS_MAX}"
        )));
    };
    let (k, n) = (u64::from(k), u64::from(n));
    let terminals = level * k;
    // level <= 2^24, k < 2^32 and n <= 25.
    Size::new(level * n, terminals * 2 * (n - 1), terminals)
}

pub(super) fn each_channel(k: u32, n: u32, visit: &mut impl FnMut(u32, u32)) {
    let level = k.pow(n - 1);
    let mut below = 1;
    let mut above = 1;
    for l in 0..n {
        for w in 0..level {
            let from = l * level + w;
            let mut join = |other: u32, weight: u32| {
                let rest = w - w / weight % k * weight;
                for j in 0..k {
                    visit(from, other * level + rest + j * weight);
                }
            };
            if l > 0 {
                join(l - 1, below);
            }
            if l + 1 < n {
                join(l + 1, above);
            }
        }
        below = above;
        above = above.saturating_mul(k);
    }
}
