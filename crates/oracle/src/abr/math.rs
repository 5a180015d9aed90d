//! Whole numbers for rates and factors.

use backwater_net::spec::RateFormat;

/// Picoseconds of a second.
pub(super) const SECOND: u128 = 1_000_000_000_000;

/// 1 as a factor.
pub(super) const ONE: u128 = 1 << 32;

/// More than any rate.
pub(super) const ENDLESS: u64 = u64::MAX;

/// A factor in units of 2^-32, the nearest.
pub(super) fn factor(value: f64) -> u128 {
    (value * ONE as f64 + 0.5) as u128
}

/// `rate` times a factor.
pub(super) fn times(rate: u64, factor: u128) -> u64 {
    let factor = factor.min(u128::from(u64::MAX));
    let product = (u128::from(rate) * factor) >> 32;
    product.min(u128::from(ENDLESS)) as u64
}

/// `rate` divided by a factor; endless if that is 0.
pub(super) fn divided(rate: u64, factor: u128) -> u64 {
    if factor == 0 {
        return ENDLESS;
    }
    ((u128::from(rate) << 32) / factor).min(u128::from(ENDLESS)) as u64
}

/// `part / whole` as a factor; `None` is endless.
pub(super) fn ratio(part: u64, whole: u64) -> Option<u128> {
    match (part, whole) {
        (0, 0) => Some(0),
        (_, 0) => None,
        _ => Some((u128::from(part) << 32) / u128::from(whole)),
    }
}

/// So many bits in so many picoseconds, as a rate.
pub(super) fn rate_of(bits: u64, span_ps: u64) -> u64 {
    let rate = u128::from(bits) * SECOND / u128::from(span_ps.max(1));
    rate.min(u128::from(ENDLESS)) as u64
}

/// Time between cells of so many bits at a rate, in picoseconds; `None` is for ever.
pub(super) fn gap(bits: u64, rate: u64) -> Option<u64> {
    (rate > 0).then(|| (u128::from(bits) * SECOND).div_ceil(u128::from(rate)) as u64)
}

/// A rate as an RM cell says it: the largest 2^e (1 + m / 512) cells per second that it reaches;
/// only whole cells.
pub(super) fn written(rate: u64, bits: u64, format: RateFormat) -> u64 {
    if format == RateFormat::Exact {
        return rate;
    }
    let rate = rate / bits * bits;
    let reaches = |e: &u32| u128::from(bits) << *e <= u128::from(rate);
    let Some(e) = (0..32).rev().find(reaches) else {
        return 0;
    };
    let value = |m: u128| (u128::from(bits) * (512 + m)) << e;
    let fits = |m: &u128| value(*m) <= u128::from(rate) * 512;
    let m = (0..512).rev().find(fits).unwrap_or(0);
    (value(m) / 512) as u64
}
