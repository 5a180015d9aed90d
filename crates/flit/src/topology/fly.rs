//! The k-ary n-fly (butterfly): Dally & Towles, "Principles and Practices of Interconnection
//! Networks", 2004, chapter 4.
//!
//! Output `j` of router `i` of stage `s` leads to the router of stage `s + 1` whose number is
//! `i` with digit `n - 2 - s` (base k) replaced by `j`.

use alloc::format;

use backwater_kernel::BuildError;

use super::{ROUTERS_MAX, Size, power};

pub(super) fn size(k: u32, n: u32) -> Result<Size, BuildError> {
    let stage = match (k, n) {
        (2.., 1..) => power(k, n - 1, ROUTERS_MAX),
        _ => None,
    };
    let Some(stage) = stage.map(u64::from) else {
        return Err(BuildError(format!(
            "{k}-ary {n}-fly: k is at least 2, n at least 1, k^(n-1) at most {ROUTERS_MAX}"
        )));
    };
    let (k, n) = (u64::from(k), u64::from(n));
    // stage <= 2^24, k < 2^32 and n <= 25.
    Size::new(stage * n, stage * k * (n - 1), stage * k)
}

pub(super) fn each_channel(k: u32, n: u32, visit: &mut impl FnMut(u32, u32)) {
    let stage = k.pow(n - 1);
    let mut weight = stage / k;
    for s in 0..n - 1 {
        for i in 0..stage {
            let rest = i - i / weight % k * weight;
            for j in 0..k {
                visit(s * stage + i, (s + 1) * stage + rest + j * weight);
            }
        }
        weight /= k;
    }
}
