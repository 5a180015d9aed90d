//! Factors as integers, so that no float decides when a cell leaves.

use backwater_kernel::Rate;

/// A factor in units of 2^-32.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Ratio(pub u64);

impl Ratio {
    pub const ONE: Ratio = Ratio(1 << 32);
    /// More than any other.
    pub const ENDLESS: Ratio = Ratio(u64::MAX);

    /// The nearest to `factor`; at most 2^31.
    pub fn new(factor: f64) -> Ratio {
        let factor = factor.clamp(0.0, (1u64 << 31) as f64);
        Ratio(rounded(factor * (1u64 << 32) as f64))
    }

    /// `part / whole`; endless if `whole` is 0.
    pub fn of(part: u128, whole: u128) -> Ratio {
        if whole == 0 {
            return if part == 0 { Ratio(0) } else { Ratio::ENDLESS };
        }
        let ratio = (part << 32) / whole;
        Ratio(ratio.min(u64::MAX as u128) as u64)
    }

    /// `rate` times the factor, rounded down.
    #[inline]
    pub fn times(self, rate: Rate) -> Rate {
        Rate(((rate.0 as u128 * self.0 as u128) >> 32).min(u64::MAX as u128) as u64)
    }

    /// `rate` divided by the factor, rounded down; endless if that is 0.
    pub fn divides(self, rate: Rate) -> Rate {
        if self.0 == 0 {
            return Rate(if rate.0 == 0 { 0 } else { u64::MAX });
        }
        let divided = ((rate.0 as u128) << 32) / self.0 as u128;
        Rate(divided.min(u64::MAX as u128) as u64)
    }

    /// As a number, for reports.
    pub fn value(self) -> f64 {
        if self == Ratio::ENDLESS {
            return f64::INFINITY;
        }
        self.0 as f64 / (1u64 << 32) as f64
    }
}

/// Rounds a number that is not negative and fits.
fn rounded(x: f64) -> u64 {
    (x + 0.5) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_quotients_round_down() {
        let eighth = Ratio::new(0.125);
        assert_eq!(eighth.times(Rate(1_000_001)), Rate(125_000));
        assert_eq!(
            Ratio::of(1, 3).times(Rate(3_000_000_000)),
            Rate(999_999_999)
        );
        assert_eq!(eighth.divides(Rate(100)), Rate(800));
        assert_eq!(Ratio(0).divides(Rate(5)), Rate(u64::MAX));
        assert_eq!(Ratio::of(5, 0), Ratio::ENDLESS);
        assert_eq!(Ratio::of(0, 0), Ratio(0));
        assert_eq!(Ratio::ONE.times(Rate(u64::MAX)), Rate(u64::MAX));
    }
}
