//! Gaps between units or datagrams: even ones that do not drift, and random ones.

use backwater_kernel::stream::Stream;
use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Duration, Rate, Survey};

use crate::spec::Span;

/// What comes one after another, at a constant rate or a random one.
pub(super) enum Gaps {
    /// At even gaps.
    Even(Pace, Rest),
    /// Each gap is drawn, and so much longer.
    Drawn {
        gap: Span,
        least: Duration,
        stream: Stream,
    },
}

impl Gaps {
    /// At a pace, from the beginning of its clock.
    pub fn even(pace: Pace) -> Gaps {
        Gaps::Even(pace, Rest::default())
    }

    /// Exponential ones with this mean, `least` of it in any case.
    pub fn poisson(mean: Duration, least: Duration, stream: Stream) -> Gaps {
        Gaps::Drawn {
            gap: Span::Exponential(Duration(mean.ps() - least.ps())),
            least,
            stream,
        }
    }

    /// Where they stand, for a run that repeats itself.
    pub fn survey_gaps(&self, survey: &mut Survey) {
        match self {
            Gaps::Even(_, Rest(rest)) => survey.fixed(*rest),
            Gaps::Drawn {
                gap: _,
                least: _,
                stream,
            } => stream.survey_stream(survey),
        }
    }

    /// The next one.
    #[inline]
    pub fn next_gap(&mut self) -> Duration {
        match self {
            Gaps::Even(pace, rest) => Duration(pace.next_gap_ps(rest)),
            Gaps::Drawn { gap, least, stream } => *least + gap.draw(stream),
        }
    }
}

/// Gaps of `n / d` picoseconds on average: after k of them exactly `floor(k n / d)` have passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// `floor(n / d)`.
    whole_ps: u64,
    /// `n mod d`.
    remainder: u64,
    /// d.
    divisor: u64,
}

/// What a clock of a [`Pace`] has not yet counted: parts of a picosecond in units of `1 / d`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Rest(u64);

impl Pace {
    /// Gaps at which datagrams of so many payload bytes make this rate.
    pub fn of_datagrams(payload_bytes: u32, rate: Rate) -> Pace {
        let bits = u128::from(payload_bytes) * 8;
        Pace::new(bits * u128::from(PS_PER_SECOND), rate.0)
    }

    /// Gaps of things that come so often a second.
    pub fn of_frequency(per_second: u32) -> Pace {
        Pace::new(u128::from(PS_PER_SECOND), u64::from(per_second))
    }

    /// Gaps of this length.
    pub fn of_gap(gap: Duration) -> Pace {
        Pace::new(u128::from(gap.ps()), 1)
    }

    fn new(numerator: u128, divisor: u64) -> Pace {
        let divisor = divisor.max(1);
        let wide = u128::from(divisor);
        Pace {
            whole_ps: u64::try_from(numerator / wide).unwrap_or(u64::MAX),
            remainder: (numerator % wide) as u64,
            divisor,
        }
    }

    /// Rounded down, but at least 1.
    pub const fn least_gap_ps(self) -> u64 {
        if self.whole_ps == 0 { 1 } else { self.whole_ps }
    }

    /// Mean gap.
    pub fn mean_gap_ps(self) -> f64 {
        self.whole_ps as f64 + self.remainder as f64 / self.divisor as f64
    }

    /// The next gap of the clock that `rest` belongs to.
    #[inline]
    pub const fn next_gap_ps(self, rest: &mut Rest) -> u64 {
        let room = self.divisor - rest.0;
        if self.remainder >= room {
            rest.0 = self.remainder - room;
            self.whole_ps.saturating_add(1)
        } else {
            rest.0 += self.remainder;
            self.whole_ps
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rate_drifts() {
        // 8000 bits at 3 b/s, at 1.5 Mb/s, at 7 Gb/s; at most of what a u64 holds.
        for rate in [3, 1_500_000, 6_999_999_937, u64::MAX] {
            let pace = Pace::of_datagrams(1_000, Rate(rate));
            let (mut rest, mut at_ps) = (Rest::default(), 0_u128);
            for k in 1..=1_000_u128 {
                at_ps += u128::from(pace.next_gap_ps(&mut rest));
                assert_eq!(at_ps, k * 8_000 * 1_000_000_000_000 / u128::from(rate));
            }
        }
    }

    /// Negative control: rounding each gap drifts.
    #[test]
    fn rounded_gaps_would_drift() {
        let pace = Pace::of_frequency(30);
        let (mut rest, mut exact_ps) = (Rest::default(), 0);
        for _ in 0..30 {
            exact_ps += pace.next_gap_ps(&mut rest);
        }
        assert_eq!((exact_ps, rest), (1_000_000_000_000, Rest(0)));
        assert_ne!(30 * pace.least_gap_ps(), 1_000_000_000_000);
    }
}
