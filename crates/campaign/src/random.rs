//! Random choices: the same from the same seed, campaign and number of the trial.

/// A stream of random numbers (SplitMix64).
pub struct Random(u64);

impl Random {
    /// The stream of one trial of one campaign.
    pub fn of(seed: u64, campaign: &str, trial: u64) -> Self {
        let mut stream = Self(seed ^ 0x9e37_79b9_7f4a_7c15);
        for byte in campaign.bytes() {
            stream.0 ^= u64::from(byte);
            stream.next();
        }
        stream.0 ^= trial.wrapping_mul(0xd134_2543_de82_ef95);
        stream.next();
        stream
    }

    /// Any number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of 0, 1, .. below the limit; 0 where the limit is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % (limit.max(1) as u64)) as usize
    }

    /// From `least` to `most`, both included.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        let span = most.saturating_sub(least).saturating_add(1);
        least + self.next() % span.max(1)
    }

    /// From `least` to `most`, small ones as likely as large ones.
    pub fn spread(&mut self, least: u64, most: u64) -> u64 {
        let bits = 64 - (most - least.min(most)).leading_zeros();
        let bits = self.between(0, u64::from(bits));
        let span = if bits >= 64 {
            u64::MAX
        } else {
            (1 << bits) - 1
        };
        (least + self.between(0, span).min(most - least)).min(most)
    }

    /// True so often in a hundred.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    /// One of these; `None` if there is none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// One of these words.
    pub fn word<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from.get(self.below(from.len())).copied().unwrap_or("")
    }

    /// Another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_is_the_same_again_and_differs_from_others() {
        let first = |seed, name, trial| Random::of(seed, name, trial).next();
        assert_eq!(first(1, "a", 7), first(1, "a", 7));
        let others = [first(2, "a", 7), first(1, "b", 7), first(1, "a", 8)];
        assert!(!others.contains(&first(1, "a", 7)));
    }

    #[test]
    fn choices_stay_in_range_and_reach_its_ends() {
        let mut random = Random::of(1, "", 0);
        let (mut least, mut most) = (u64::MAX, 0);
        for _ in 0..2_000 {
            let value = random.spread(3, 40);
            (least, most) = (least.min(value), most.max(value));
        }
        assert_eq!((least, most), (3, 40));
        assert_eq!(random.below(0), 0);
        assert!(random.pick::<u8>(&[]).is_none());
        assert_eq!(random.spread(5, 5), 5);
        let _ = random.spread(0, u64::MAX);
    }
}
