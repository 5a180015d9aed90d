//! Fractions of a picosecond, exact as long as they are short.

use std::cmp::Ordering;

use backwater_kernel::Time;

/// Longer denominators are given up.
const LONGEST: i128 = 1 << 30;
/// What is given up is rounded down to a multiple of 2^-24 ps.
const ROUGH: i128 = 1 << 24;

/// `over / under` picoseconds, in lowest terms. Exact unless a denominator exceeds 2^30: then
/// rounded down to 2^-24 ps. Values stay below 2^50 ps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ratio {
    over: i128,
    under: i128,
}

fn common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 {
        a.abs().max(1)
    } else {
        common_divisor(b, a % b)
    }
}

impl Ratio {
    pub const ZERO: Ratio = Ratio { over: 0, under: 1 };

    pub fn new(over: i128, under: i128) -> Ratio {
        let divisor = common_divisor(over, under);
        let (over, under) = (over / divisor, under / divisor);
        if under <= LONGEST {
            return Ratio { over, under };
        }
        let (whole, rest) = (over.div_euclid(under), over.rem_euclid(under));
        Ratio::new(whole * ROUGH + rest * ROUGH / under, ROUGH)
    }

    pub fn whole(ps: i128) -> Ratio {
        Ratio { over: ps, under: 1 }
    }

    pub fn time(at: Time) -> Ratio {
        Ratio::whole(i128::from(at.ps()))
    }

    pub fn is_whole(self) -> bool {
        self.under == 1
    }

    /// Rounded down.
    pub fn floor(self) -> i128 {
        self.over.div_euclid(self.under)
    }

    pub fn plus(self, other: Ratio) -> Ratio {
        let over = self.over * other.under + other.over * self.under;
        Ratio::new(over, self.under * other.under)
    }

    pub fn minus(self, other: Ratio) -> Ratio {
        self.plus(Ratio {
            over: -other.over,
            under: other.under,
        })
    }

    /// Times `over / under`.
    pub fn times(self, over: u64, under: u64) -> Ratio {
        let (over, under) = (i128::from(over), i128::from(under));
        let divisor = common_divisor(over, under);
        Ratio::new(self.over * (over / divisor), self.under * (under / divisor))
    }

    /// How far apart the two are.
    pub fn distance(self, other: Ratio) -> Ratio {
        self.max(other).minus(self.min(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        (self.over * other.under).cmp(&(other.over * self.under))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
