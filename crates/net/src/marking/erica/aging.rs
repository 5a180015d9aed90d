//! Use it or lose it at the switch (Kalyanaraman et al. 1998, section 5.5): the allocation of a
//! circuit ages while it claims a higher rate (CCR) than it sends at.
//!
//! The paper gives the function e^(au) - e^(ad), u the claimed over the measured rate, and leaves
//! open what it is multiplied with. The completion here: a circuit with u > d gets at most
//! max(d r, `floor`, CCR (1 - (e^(au) - e^(ad)))), r its smoothed rate. CCR is the field of its
//! last forward RM cell, also where ERICA itself goes by measured rates.
//!
//! r begins with the first interval that has a cell of the circuit; after each further interval
//! it is (1 - weight) r + weight x measured. Intervals without a cell are made good when the
//! circuit is looked at again, one by one, until r is 0.
//!
//! | Symbol | Field |
//! |---|---|
//! | a, d | `alpha`, `delta` |
//! | r | `Smoothed::rate` |

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::Rate;

use crate::spec::AgingSpec;
use backwater_ends::control::Ratio;

/// Smoothed rate of a circuit.
#[derive(Clone, Copy, Default)]
struct Smoothed {
    rate: Rate,
    /// The last interval in it; 0: none yet.
    upto: u32,
}

pub(super) struct Aging {
    alpha: f64,
    delta: Ratio,
    /// e^(ad).
    allowed: f64,
    floor: Rate,
    weight: Ratio,
    /// 1 - weight.
    keep: Ratio,
    circuits: Vec<Smoothed>,
}

impl Aging {
    pub fn new(spec: &AgingSpec, circuits: u32) -> Aging {
        let weight = Ratio::new(spec.weight.min(1.0));
        Aging {
            alpha: spec.alpha,
            delta: Ratio::new(spec.delta),
            allowed: libm::exp(spec.alpha * spec.delta),
            floor: spec.floor,
            weight,
            keep: Ratio(Ratio::ONE.0 - weight.0),
            circuits: vec![Smoothed::default(); circuits as usize],
        }
    }

    /// Interval `epoch` ends in which the circuit sent at `rate`.
    pub fn measure(&mut self, seat: u32, epoch: u32, rate: Rate) {
        self.catch_up(seat, epoch.wrapping_sub(1));
        let circuit = &mut self.circuits[seat as usize];
        circuit.rate = if circuit.upto == 0 {
            rate
        } else {
            let kept = self.keep.times(circuit.rate);
            Rate(kept.0.saturating_add(self.weight.times(rate).0))
        };
        circuit.upto = epoch;
    }

    /// Counts intervals without a cell, up to `epoch`.
    fn catch_up(&mut self, seat: u32, epoch: u32) {
        let circuit = &mut self.circuits[seat as usize];
        if circuit.upto == 0 {
            return;
        }
        let mut missed = epoch.wrapping_sub(circuit.upto);
        circuit.upto = epoch;
        // Rates that are kept whole do not change.
        while missed > 0 && circuit.rate.0 > 0 && self.keep < Ratio::ONE {
            circuit.rate = self.keep.times(circuit.rate);
            missed -= 1;
        }
    }

    /// The most that a circuit claiming `ccr` gets after interval `epoch`, if that is limited.
    pub fn limit(&mut self, seat: u32, epoch: u32, ccr: Rate) -> Option<Rate> {
        self.catch_up(seat, epoch);
        let Smoothed { rate, upto } = self.circuits[seat as usize];
        let is_used = (ccr.0 as u128) << 32 <= rate.0 as u128 * self.delta.0 as u128;
        if upto == 0 || is_used {
            return None;
        }
        let kept = self.share_kept(ccr, rate).times(ccr);
        Some(kept.max(self.delta.times(rate)).max(self.floor))
    }

    /// 1 - (e^(au) - e^(ad)), not below 0.
    fn share_kept(&self, ccr: Rate, rate: Rate) -> Ratio {
        if rate.0 == 0 {
            return Ratio(0);
        }
        let ratio = ccr.0 as f64 / rate.0 as f64;
        let lost = libm::exp(self.alpha * ratio) - self.allowed;
        Ratio::new(1.0 - lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: AgingSpec = AgingSpec {
        alpha: 0.1,
        delta: 1.5,
        floor: Rate(1_000_000),
        weight: 0.25,
    };

    #[test]
    fn what_is_claimed_and_not_used_is_taken() {
        let mut aging = Aging::new(&SPEC, 2);
        aging.measure(1, 2, Rate(10_000_000));
        assert_eq!(aging.limit(1, 2, Rate(15_000_000)), None);
        // u = 2: e^0.2 - e^0.15 = 0.0595685.
        let limit = aging.limit(1, 2, Rate(20_000_000)).unwrap();
        assert!(limit.0.abs_diff(18_808_630) < 20, "{limit:?}");
        // u = 14: more than all is lost, what is used stays.
        let limit = aging.limit(1, 2, Rate(140_000_000)).unwrap();
        assert_eq!(limit, Rate(15_000_000));
    }

    #[test]
    fn a_circuit_never_measured_is_left_alone() {
        let mut aging = Aging::new(&SPEC, 1);
        assert_eq!(aging.limit(0, 100, Rate(u64::MAX)), None);
    }

    #[test]
    fn an_idle_circuit_comes_down_to_the_floor() {
        let mut aging = Aging::new(&SPEC, 1);
        aging.measure(0, 2, Rate(10_000_000));
        for epoch in 3..200 {
            let limit = aging.limit(0, epoch, Rate(140_000_000)).unwrap();
            assert!(limit >= Rate(1_000_000) && limit <= Rate(15_000_000));
        }
        assert_eq!(aging.circuits[0].rate, Rate(0));
        assert_eq!(
            aging.limit(0, 200, Rate(140_000_000)),
            Some(Rate(1_000_000))
        );
        let mut endless = Aging::new(
            &AgingSpec {
                weight: 0.0,
                ..SPEC
            },
            1,
        );
        endless.measure(0, 2, Rate(10_000_000));
        assert_eq!(
            endless.limit(0, u32::MAX, Rate(140_000_000)),
            Some(Rate(15_000_000))
        );
    }

    #[test]
    fn missed_intervals_are_made_good_one_by_one() {
        let mut lazy = Aging::new(&SPEC, 1);
        let mut eager = Aging::new(&SPEC, 1);
        lazy.measure(0, 2, Rate(12_345_678));
        eager.measure(0, 2, Rate(12_345_678));
        for epoch in 3..9 {
            eager.measure(0, epoch, Rate(0));
        }
        lazy.measure(0, 9, Rate(7_000_001));
        eager.measure(0, 9, Rate(7_000_001));
        assert_eq!(lazy.circuits[0].rate, eager.circuits[0].rate);
        // Weight 1/4: 10 Mbps, then 2 Mbps: 8 Mbps.
        let mut two = Aging::new(&SPEC, 1);
        two.measure(0, 2, Rate(10_000_000));
        two.measure(0, 3, Rate(2_000_000));
        assert_eq!(two.circuits[0].rate, Rate(8_000_000));
    }
}
