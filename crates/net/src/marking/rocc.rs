//! RoCC's congestion point (Taheri and others, CoNEXT 2020, Algorithm 1): a queue computes one fair
//! rate F for all flows in it, and holds itself at Qref.
//!
//! F counts in 10 Mb/s with some bits behind, the queue in whole 600 bytes. Every T:
//!
//! ```text
//! if Q >= Qmax and F > Fmax/8:          F = Fmin
//! elif Q - Qold >= Qmid and F > Fmax/8: F = F/2
//! else:                                 F = F - a (Q - Qref) - b (Q - Qold), within Fmin to Fmax
//! Qold = Q
//! ```
//!
//! a and b are a0 and b0 divided by 1 to 32, the less the smaller F is. Without bits behind the
//! unit F is rounded down, and the queue rests below Qref where flows are many.

#[cfg(test)]
mod tests;

use backwater_kernel::Rate;

use crate::spec::frames::{MaxCut, RoccPointSpec};

/// Bit/s of a unit of F.
const RATE_UNIT: u64 = 10_000_000;
/// Bytes of a unit of Q.
const QUEUE_UNIT: u64 = 600;
/// The last of the levels by which gains are divided is this half.
const LEVEL_MOST: i64 = 64;

/// The congestion point of one queue.
#[derive(Clone, Debug)]
pub(crate) struct CongestionPoint {
    pub spec: RoccPointSpec,
    /// F, with `spec.rate_bits` bits behind its unit.
    fair: i64,
    /// Qold.
    before: i64,
}

impl CongestionPoint {
    /// Of an empty queue: the largest rate.
    pub fn new(spec: RoccPointSpec) -> CongestionPoint {
        CongestionPoint {
            spec,
            fair: fixed(spec.most, spec.rate_bits),
            before: 0,
        }
    }

    /// F, as messages state it.
    pub fn rate(&self) -> Rate {
        let bits = u128::from(self.fair as u64) * u128::from(RATE_UNIT);
        Rate((bits >> self.spec.rate_bits) as u64)
    }

    /// An interval is over, and the queue holds so much.
    pub fn update(&mut self, queue_bytes: u64) {
        let spec = &self.spec;
        let units = |bytes: u64| (bytes / QUEUE_UNIT) as i64;
        let (least, most) = (
            fixed(spec.least, spec.rate_bits),
            fixed(spec.most, spec.rate_bits),
        );
        let queue = units(queue_bytes);
        let growth = queue - self.before;
        let may_cut = 8 * self.fair > most;
        self.fair = if may_cut && queue >= units(spec.most_bytes) {
            match spec.max_cut {
                MaxCut::Least => least,
                MaxCut::Half => (self.fair / 2).max(least),
            }
        } else if may_cut && growth >= units(spec.growth_bytes) {
            (self.fair / 2).max(least)
        } else {
            let offset = queue - units(spec.reference_bytes);
            self.stepped(offset, growth).clamp(least, most)
        };
        self.before = queue;
    }

    /// F - a * offset - b * growth, rounded down once.
    fn stepped(&self, offset: i64, growth: i64) -> i64 {
        let spec = &self.spec;
        let (a, b) = (
            i128::from(spec.offset_gain.0),
            i128::from(spec.growth_gain.0),
        );
        // In units of 2^-32, times the divisor.
        let change = (a * i128::from(offset) + b * i128::from(growth)) << spec.rate_bits;
        let shift = self.divisor().trailing_zeros();
        let whole = (i128::from(self.fair) << (32 + shift)) - change;
        (whole >> (32 + shift)).clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// What gains are divided by at the present F.
    fn divisor(&self) -> i64 {
        let most = fixed(self.spec.most, self.spec.rate_bits);
        let mut level = 2;
        while self.fair.saturating_mul(level) < most && level < LEVEL_MOST {
            level *= 2;
        }
        level / 2
    }
}

impl RoccPointSpec {
    /// What gains are divided by where F is this rate: 1 to 32.
    pub fn divisor(&self, rate: Rate) -> u32 {
        let point = CongestionPoint {
            fair: fixed(rate, self.rate_bits),
            ..CongestionPoint::new(*self)
        };
        point.divisor() as u32
    }
}

/// A rate as F counts it.
fn fixed(rate: Rate, bits: u8) -> i64 {
    let units = (u128::from(rate.0) << bits) / u128::from(RATE_UNIT);
    units.min(1 << 48) as i64
}
