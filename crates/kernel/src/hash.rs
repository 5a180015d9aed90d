//! A fingerprint of everything that happened, in order.

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

/// The finaliser of SplitMix64: a bijection in which every bit in moves about half the bits out.
#[inline]
pub(crate) const fn finalize(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
