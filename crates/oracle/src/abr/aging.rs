//! Use it or lose it at the switch: Kalyanaraman et al. 1998, section 5.5, as the chapter on ERICA
//! completes it.

use backwater_net::spec::AgingSpec;

use super::math::{factor, times};

/// The rates at which a circuit sent, an interval each, from the first one with a cell on.
#[derive(Clone, Default)]
pub(super) struct Past(Vec<u64>);

impl Past {
    /// An interval ends in which the circuit sent so fast.
    pub fn add(&mut self, rate: u64, has_cells: bool) {
        if has_cells || !self.0.is_empty() {
            self.0.push(rate);
        }
    }

    /// Their mean, the latest with `weight`; `None` without any.
    fn smoothed(&self, spec: &AgingSpec) -> Option<u64> {
        let weight = factor(spec.weight);
        let kept = factor(1.0) - weight;
        let mix = |mean: u64, rate: u64| times(mean, kept) + times(rate, weight);
        self.0.iter().copied().reduce(mix)
    }

    /// The most that the circuit gets while it claims `ccr`, if that is limited.
    pub fn limit(&self, spec: &AgingSpec, ccr: u64) -> Option<u64> {
        let rate = self.smoothed(spec)?;
        let used = u128::from(rate) * factor(spec.delta);
        if u128::from(ccr) << 32 <= used {
            return None;
        }
        let u = ccr as f64 / rate as f64;
        let lost = (spec.alpha * u).exp() - (spec.alpha * spec.delta).exp();
        let aged = times(ccr, factor((1.0 - lost).max(0.0)));
        let in_use = times(rate, factor(spec.delta));
        Some(aged.max(in_use).max(spec.floor.0))
    }
}
