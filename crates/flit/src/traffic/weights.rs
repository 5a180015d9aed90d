//! Drawing an index by weight.

use alloc::vec::Vec;
use backwater_kernel::Stream;

/// Indices drawn with probabilities that are exact ratios of whole numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Weights {
    /// Sum of the weights up to and with each; the last is not 0.
    sums: Vec<u64>,
    total: u64,
}

impl Weights {
    /// `None` when all weights are 0, or there are none.
    pub(crate) fn new(weights: impl Iterator<Item = u32>) -> Option<Weights> {
        let mut total = 0_u64;
        let sums = weights
            .map(|weight| {
                total = total.saturating_add(u64::from(weight));
                total
            })
            .collect();
        (total > 0).then_some(Weights { sums, total })
    }

    /// The probability of each.
    pub(crate) fn shares(&self) -> impl Iterator<Item = f64> {
        let before = core::iter::once(&0).chain(&self.sums);
        let weights = self
            .sums
            .iter()
            .zip(before)
            .map(|(sum, before)| sum - before);
        weights.map(|weight| weight as f64 / self.total as f64)
    }

    #[inline]
    pub(crate) fn pick(&self, stream: &mut Stream) -> usize {
        let drawn = stream.below(self.total);
        self.sums.partition_point(|&sum| sum <= drawn)
    }
}
