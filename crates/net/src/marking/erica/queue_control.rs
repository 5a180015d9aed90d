//! ERICA+: the share of the capacity to aim at depends on the queue, so that a port drains a long
//! one and keeps a short one instead of leaving capacity unused.
//!
//! f(q) = b Q0 / ((b - 1) q + Q0) up to q = Q0, a Q0 / ((a - 1) q + Q0) above, at least `least`.
//! f(0) = b and f(Q0) = 1. Q0 is in whole cells, rounded down.

use backwater_kernel::{Duration, Rate};

use crate::spec::QueueControlSpec;
use backwater_ends::control::Ratio;

pub(super) struct QueueControl {
    delay: Duration,
    a: Ratio,
    b: Ratio,
    least: Ratio,
}

impl QueueControl {
    pub fn new(spec: &QueueControlSpec) -> QueueControl {
        QueueControl {
            delay: spec.delay,
            a: Ratio::new(spec.a),
            b: Ratio::new(spec.b),
            least: Ratio::new(spec.least),
        }
    }

    /// f(q) where ABR may have `rate`, in cells of `bits`.
    pub fn share(&self, queue_cells: u32, rate: Rate, bits: u32) -> Ratio {
        let q = queue_cells as u128;
        let aimed_at = rate.bits_in(self.delay) / bits.max(1) as u128;
        let factor = if q <= aimed_at { self.b } else { self.a };
        if q == 0 {
            // The quotient below, also where Q0 is less than a cell.
            return factor.max(self.least);
        }
        let beyond_one = factor.0.saturating_sub(Ratio::ONE.0) as u128;
        let part = factor.0 as u128 * aimed_at;
        let whole = beyond_one * q + Ratio::ONE.0 as u128 * aimed_at;
        Ratio::of(part, whole).max(self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Q0 = 100 cells at 42.4 Mbps.
    fn share(queue_cells: u32) -> f64 {
        let spec = QueueControlSpec {
            delay: Duration(1_000_000_000),
            a: 1.15,
            b: 1.05,
            least: 0.5,
        };
        QueueControl::new(&spec)
            .share(queue_cells, Rate(42_400_000), 424)
            .value()
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-8, "{found} {expected}");
    }

    #[test]
    fn the_share_falls_with_the_queue() {
        near(share(0), 1.05);
        near(share(50), 105.0 / 102.5);
        near(share(100), 1.0);
        near(share(200), 115.0 / 130.0);
        // 115 / (0.15 q + 100) = 0.5 at q = 866.7.
        near(share(866), 115.0 / 229.9);
        near(share(867), 0.5);
        near(share(u32::MAX), 0.5);
    }

    #[test]
    fn no_capacity_is_no_division_by_zero() {
        let spec = QueueControlSpec {
            delay: Duration(0),
            a: 1.15,
            b: 1.05,
            least: 0.25,
        };
        let control = QueueControl::new(&spec);
        assert_eq!(control.share(0, Rate(0), 424), Ratio::new(1.05));
        assert_eq!(control.share(1, Rate(0), 424), Ratio::new(0.25));
    }
}
