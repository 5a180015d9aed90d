//! Fingerprints of everything that happened: in order, and whatever the order.

/// Odd multiplier: 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Folds a sequence of words into 64 bits; order counts.
///
/// Each word: `state = (rotate_left(state, 29) ^ word) * 0x9e3779b97f4a7c15 (mod 2^64)`. The step
/// is a bijection of the state for every word and of the word for every state, so a single word
/// that differs always shows. [`TraceHash::value`] applies the finaliser of SplitMix64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceHash {
    state: u64,
}

impl Default for TraceHash {
    fn default() -> Self {
        TraceHash::new()
    }
}

impl TraceHash {
    /// The fingerprint of nothing.
    #[inline]
    pub const fn new() -> TraceHash {
        TraceHash { state: MULTIPLIER }
    }

    /// Folds one word in.
    #[inline]
    pub const fn add(&mut self, word: u64) {
        self.state = (self.state.rotate_left(29) ^ word).wrapping_mul(MULTIPLIER);
    }

    /// The fingerprint so far.
    #[inline]
    pub const fn value(&self) -> u64 {
        finalize(self.state)
    }
}

/// Adds up a fingerprint of each thing that happened: parts of a run that are found in any order,
/// or by several threads, add up to that of the whole.
///
/// Each pair of words: `(a ^ A) * (b ^ B)` with all 128 bits, the upper half exclusive-or the
/// lower, added (mod 2^64). [`TraceSum::value`] applies the finaliser of SplitMix64.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TraceSum {
    sum: u64,
}

impl TraceSum {
    /// Two words without a pattern: digits of pi.
    const A: u64 = 0x243f_6a88_85a3_08d3;
    const B: u64 = 0x1319_8a2e_0370_7344;

    /// Adds what happened: when, say, and what.
    #[inline]
    pub const fn add(&mut self, a: u64, b: u64) {
        let product = (a ^ TraceSum::A) as u128 * (b ^ TraceSum::B) as u128;
        let folded = (product >> 64) as u64 ^ product as u64;
        self.sum = self.sum.wrapping_add(folded);
    }

    /// Adds all that another part of the run has found.
    #[inline]
    pub const fn join(&mut self, other: TraceSum) {
        self.sum = self.sum.wrapping_add(other.sum);
    }

    /// The fingerprint so far.
    #[inline]
    pub const fn value(&self) -> u64 {
        finalize(self.sum ^ MULTIPLIER)
    }
}

/// The finaliser of SplitMix64: a bijection in which every bit in moves about half the bits out.
#[inline]
pub(crate) const fn finalize(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash_of(words: impl IntoIterator<Item = u64>) -> u64 {
        let mut hash = TraceHash::new();
        words.into_iter().for_each(|word| hash.add(word));
        hash.value()
    }

    /// Computed by an independent program from the mixing as documented.
    #[test]
    fn values_never_change() {
        assert_eq!(hash_of([]), 0xe220_a839_7b1d_cdaf);
        assert_eq!(hash_of([0]), 0x13f7_9413_4c59_4c76);
        assert_eq!(hash_of([1, 2]), 0x52a2_a044_3371_0967);
        assert_eq!(hash_of([2, 1]), 0x4afe_58a0_f66d_7530);
        assert_eq!(hash_of(0..1_000), 0x0ef3_bf73_21a4_a3dc);
    }

    #[test]
    fn every_bit_of_every_word_counts() {
        let words: [u64; 16] = core::array::from_fn(|i| i as u64 * 0x1234_5678_9abc);
        for flipped in 0..16 * 64 {
            let mut other = words;
            other[flipped / 64] ^= 1 << (flipped % 64);
            assert_ne!(hash_of(other), hash_of(words));
        }
        assert_eq!(hash_of(words), hash_of(words));
    }

    fn sum_of(pairs: impl IntoIterator<Item = (u64, u64)>) -> u64 {
        let mut sum = TraceSum::default();
        pairs.into_iter().for_each(|(a, b)| sum.add(a, b));
        sum.value()
    }

    /// Computed by an independent program from the mixing as documented.
    #[test]
    fn values_of_sums_never_change() {
        assert_eq!(sum_of([]), 0xe220_a839_7b1d_cdaf);
        assert_eq!(sum_of([(0, 0)]), 0x2b74_7be0_6a9f_8371);
        assert_eq!(sum_of([(1, 2), (3, 4)]), 0x39ab_5dc7_1ab2_e1ab);
        assert_eq!(sum_of([(2, 1), (3, 4)]), 0x86a5_7173_7818_1af6);
        assert_eq!(
            sum_of((0..1_000).map(|i| (i, i * i))),
            0x8fa1_ff79_11c3_f146
        );
    }

    #[test]
    fn sums_do_not_depend_on_order_or_parts_but_on_every_bit() {
        let pairs: [(u64, u64); 16] =
            core::array::from_fn(|i| (i as u64 * 0x1234_5678, i as u64 * 0x9abc));
        let all = sum_of(pairs);
        assert_eq!(sum_of(pairs.into_iter().rev()), all);
        let mut parts = [TraceSum::default(); 3];
        for (at, (a, b)) in pairs.into_iter().enumerate() {
            parts[at % 3].add(a, b);
        }
        let [mut whole, one, other] = parts;
        whole.join(one);
        whole.join(other);
        assert_eq!(whole.value(), all);
        for flipped in 0..16 * 128 {
            let mut others = pairs;
            let (a, b) = &mut others[flipped / 128];
            let bit = 1 << (flipped % 64);
            *(if flipped % 128 < 64 { a } else { b }) ^= bit;
            assert_ne!(sum_of(others), all);
        }
        assert_ne!(sum_of(pairs.into_iter().chain([pairs[3]])), all);
    }
}
