//! Random numbers, one stream for each (seed, entity, purpose).
//!
//! A stream of its own for every decision of every entity means that adding one source moves no
//! other. The generator is Xoshiro256++; distributions invert their distribution function with
//! `libm`, so that a value depends on the stream alone and not on the platform.

mod normal;

use libm::{exp, log, log1p};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::hash::finalize;
use crate::survey::Survey;
use crate::time::Duration;

pub use normal::normal_quantile;

/// What a stream decides. The numbers are part of every result: never reuse or move one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Purpose {
    /// When a source offers units.
    Traffic = 1,
    /// When a destination takes units.
    Sink = 2,
    /// Which data units a channel loses.
    DataLoss = 3,
    /// Which control units a channel loses.
    ControlLoss = 4,
    /// Which control units a channel corrupts, and how.
    Corruption = 5,
    /// How long a server works.
    Service = 6,
    /// How long a client thinks.
    Think = 7,
    /// How large a file is.
    FileSize = 8,
    /// How a random network is wired.
    Topology = 9,
    /// Who sends to whom.
    Pattern = 10,
    /// Who sits where.
    Placement = 11,
    /// When sources start.
    Start = 12,
    /// Which choice an arbiter makes among equals.
    Arbitration = 13,
    /// Which way a unit takes.
    Routing = 14,
    /// How large a unit is.
    Size = 15,
    /// When the windows of a source's envelope end.
    Envelope = 16,
    /// The same for the policer at the edge.
    Policer = 17,
    /// Which frames a switch marks.
    Marking = 18,
    /// Which of the flows in a queue are stopped.
    Selection = 19,
    /// When the timers of a host tick.
    Clock = 20,
    /// What a source or control that is written outside draws.
    Outside = 21,
    /// Which flows of a workload begin.
    Workload = 22,
    /// How much later than it is told a source starts.
    Jitter = 23,
    /// With which phase a source begins to probe.
    Probing = 24,
}

/// A probability as an integer threshold, so that decisions compare integers: `0..=2^63`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Probability(u64);

impl Probability {
    /// It never happens; no number is drawn.
    pub const NEVER: Probability = Probability(0);
    /// It always happens.
    pub const ALWAYS: Probability = Probability(1 << 63);

    /// The probability `p`, to 2^-63; `None` outside `0..=1`. What is possible stays possible:
    /// smaller ones are rounded up to 2^-63.
    pub fn new(p: f64) -> Option<Probability> {
        if !(0.0..=1.0).contains(&p) {
            return None;
        }
        let threshold = (p * (1_u64 << 63) as f64) as u64;
        Some(Probability(threshold.max((p > 0.0) as u64)))
    }

    /// As a number.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / Self::ALWAYS.0 as f64
    }

    /// Can it not happen?
    #[inline]
    pub const fn is_never(self) -> bool {
        self.0 == 0
    }
}

/// The random numbers of one (seed, entity, purpose).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stream {
    generator: Xoshiro256PlusPlus,
}

impl Stream {
    /// The stream of `entity` for `purpose` under `seed`.
    ///
    /// With `mix` the finaliser of SplitMix64 and `g = 0x9e3779b97f4a7c15`, the key is
    /// `mix(mix(mix(seed + g) + entity + g) + purpose + g)` (mod 2^64); the four words of the
    /// generator's state are the first four outputs of SplitMix64 from that key.
    pub fn new(seed: u64, entity: u64, purpose: Purpose) -> Stream {
        let key = [seed, entity, purpose as u64].into_iter().fold(0, absorb);
        Stream {
            generator: Xoshiro256PlusPlus::seed_from_u64(key),
        }
    }

    /// Where it stands, for a run that repeats itself: what it would draw next, twice as many bits
    /// as its state has. One that was drawn from in a period never stands there again.
    pub fn survey_stream(&self, survey: &mut Survey) {
        let mut ahead = self.clone();
        (0..8).for_each(|_| survey.fixed(ahead.next_u64()));
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// A whole number of `0..n`, all equally likely; 0 when `n` is 0.
    ///
    /// Multiplies a draw by `n` and keeps the high word; draws whose low word falls into the
    /// `2^64 mod n` surplus values are taken again.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            let surplus = n.wrapping_neg() % n;
            while (product as u64) < surplus {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// A number of `(0, 1]`, a multiple of 2^-53.
    #[inline]
    pub fn unit_f64(&mut self) -> f64 {
        ((self.next_u64() >> 11) + 1) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Does it happen? No number is drawn for [`Probability::NEVER`].
    #[inline]
    pub fn chance(&mut self, probability: Probability) -> bool {
        probability.0 != 0 && (self.next_u64() >> 1) < probability.0
    }

    /// Exponential with this mean, to the nearest picosecond, at least 1 ps.
    #[inline]
    pub fn exponential(&mut self, mean: Duration) -> Duration {
        let ps = -log(self.unit_f64()) * mean.0 as f64 + 0.5;
        Duration((ps as u64).max(1))
    }

    /// Normal with mean 0 and variance 1, by [`normal_quantile`].
    #[inline]
    pub fn normal(&mut self) -> f64 {
        let middle = (self.next_u64() >> 12) as f64 + 0.5;
        normal_quantile(middle * (1.0 / (1_u64 << 52) as f64))
    }

    /// Lognormal: half the values lie below `median`; the logarithm's deviation is `sigma`.
    #[inline]
    pub fn lognormal(&mut self, median: f64, sigma: f64) -> f64 {
        median * exp(sigma * self.normal())
    }

    /// Geometric on 1, 2, .. with this mean; always 1 when the mean is not above 1.
    #[inline]
    pub fn geometric(&mut self, mean: f64) -> u64 {
        let uniform = self.unit_f64();
        if mean.is_nan() || mean <= 1.0 {
            return 1;
        }
        let count = libm::ceil(log(uniform) / log1p(-1.0 / mean));
        (count as u64).max(1)
    }

    /// Pareto: above `x` with probability `(minimum / x) ^ shape`.
    #[inline]
    pub fn pareto(&mut self, minimum: f64, shape: f64) -> f64 {
        minimum * exp(-log(self.unit_f64()) / shape)
    }
}

/// One step of the key's mixing.
const fn absorb(key: u64, word: u64) -> u64 {
    finalize(key.wrapping_add(word).wrapping_add(0x9e37_79b9_7f4a_7c15))
}

#[cfg(test)]
mod tests;
